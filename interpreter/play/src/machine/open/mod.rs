//! Open parameters: amounts, bags and spreads, counted and drawn without listing.
//!
//! A domain counts its completions exactly and gives the one at an index in a stated order, so a
//! uniform draw of an index is a uniform draw of a completion. One that takes too much to count is
//! [refused](TroubleKind::TooManyChoices).

mod bag;
mod spread;
mod ways;

use crate::budget;
use crate::machine::trouble::TroubleKind;
use crate::numbers::Fit;

pub use bag::{BagDomain, Exceeded};
pub use spread::{Misplaced, SpreadDomain};

/// A number between two bounds, in steps from the lower one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AmountDomain {
    /// The least number.
    pub from: i64,
    /// The upper bound.
    pub to: i64,
    /// The distance between two neighbours, at least 1.
    pub step: i64,
}

impl AmountDomain {
    /// Returns whether a number is in the domain.
    pub fn contains(self, number: i64) -> bool {
        (self.from..=self.to).contains(&number) && (number - self.from) % self.step == 0
    }

    /// Returns the count of numbers in the domain.
    pub fn count(self) -> u128 {
        match u128::try_from(self.to - self.from) {
            Ok(width) => width / self.step.fit::<u128>() + 1,
            Err(_) => 0,
        }
    }

    /// Returns the number at an index, from the least on.
    pub fn pick(self, index: u128) -> i64 {
        self.from + index.fit::<i64>() * self.step
    }
}

/// Most numbers of ways that a table keeps: 64 MiB of the wide ones.
const MOST_NUMBERS: u64 = 1 << 22;
/// Most numbers that are added to make a table: some 50 ms.
const MOST_ADDITIONS: u64 = 1 << 25;
/// How many additions are a unit of work.
const ADDED: u64 = 8;
/// Most steps in which choices are gone through one by one.
const MOST_STEPS: u64 = 1 << 22;

/// Whether a table of so many numbers may be made, by so many additions, which are charged.
fn afford(numbers: u64, additions: u64) -> Result<(), TroubleKind> {
    if numbers > MOST_NUMBERS || additions > MOST_ADDITIONS {
        return Err(TroubleKind::TooManyChoices);
    }
    match budget::affords(additions / ADDED) {
        true => Ok(()),
        false => Err(TroubleKind::TooMuchWork),
    }
}

/// Draws a number below `n` from a source of random words, without bias.
pub fn below<N: Fit + TryFrom<u128>>(n: N, random: &mut dyn FnMut() -> u64) -> N
where
    u128: TryFrom<N>,
{
    drawn_below(n.fit(), random).fit()
}

fn drawn_below(n: u128, random: &mut dyn FnMut() -> u64) -> u128 {
    if n <= 1 {
        return 0;
    }
    if let Ok(n) = u64::try_from(n) {
        loop {
            let word = random();
            // Of the last words, fewer than `n`, some would make low numbers likelier: which, is seldom asked.
            if word <= u64::MAX - n || word <= u64::MAX - (u64::MAX % n + 1) % n {
                return u128::from(word % n);
            }
        }
    }
    let limit = u128::MAX - (u128::MAX % n + 1) % n;
    loop {
        let word = u128::from(random()) << 64 | u128::from(random());
        if word <= limit {
            return word % n;
        }
    }
}
