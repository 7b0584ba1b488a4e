//! Some of what lies in a place: counted and drawn without listing, as far as limits allow.

use std::ops::RangeInclusive;
use std::sync::OnceLock;

use super::ways::{Number, Ways};
use super::{MOST_STEPS, afford};
use crate::budget;
use crate::machine::trouble::TroubleKind;
use crate::numbers::{At as _, Fit as _};

/// The choices of some of the pieces that are in a place.
#[derive(Clone, Debug)]
pub struct BagDomain {
    /// Most pieces of each row that can be chosen.
    pub available: Vec<u32>,
    /// Fewest pieces in all.
    pub least: u32,
    /// Most pieces in all.
    pub most: u32,
    /// At most `.0` pieces may be outside the `.1` fullest kinds.
    pub loose_beyond: Option<(u32, u32)>,
    /// Most kinds that can be chosen.
    pub kinds: Option<u32>,
    /// What counting found, for the draw that follows.
    counted: OnceLock<Result<Box<Counted>, TroubleKind>>,
}

/// The choices of a bag, counted.
#[derive(Clone, Debug)]
enum Counted {
    /// By the ways to go on.
    Table(Table),
    /// One after the other: how many there are, and the counts of the first [`KEPT`].
    Listed(u128, Vec<u32>),
}

/// How many choices that were counted one by one are kept.
const KEPT: usize = 64;

/// The limit that a choice of pieces exceeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exceeded {
    /// There are fewer pieces of this row.
    Row(usize),
    /// The total count of pieces is too small or too large.
    Size(u64),
    /// The count of kinds is too large.
    Kinds(usize),
    /// The count of pieces outside the fullest kinds is too large.
    Loose(u64),
}

impl BagDomain {
    /// Creates the domain of the choices with at most `available` pieces of each row, whose total is within `size`.
    ///
    /// The other limits are those of the fields with these names.
    pub fn new(
        available: Vec<u32>,
        size: RangeInclusive<u32>,
        loose_beyond: Option<(u32, u32)>,
        kinds: Option<u32>,
    ) -> BagDomain {
        BagDomain {
            available,
            least: *size.start(),
            most: *size.end(),
            loose_beyond,
            kinds,
            counted: OnceLock::new(),
        }
    }

    /// Replaces the limits by simpler ones that allow the same: what is loose beyond no kind is everything.
    pub fn simplified(mut self) -> BagDomain {
        if let Some((loose, 0)) = self.loose_beyond {
            self.most = self.most.min(loose);
            self.loose_beyond = None;
            self.counted = OnceLock::new();
        }
        self
    }

    /// Returns whether a choice is within the limits.
    pub fn contains(&self, counts: &[u32]) -> bool {
        let size: u64 = counts.iter().copied().map(u64::from).sum();
        counts.len() == self.available.len()
            && counts.iter().zip(&self.available).all(|(c, a)| c <= a)
            && (self.least.into()..=self.most.into()).contains(&size)
            && self.beyond(counts).is_none()
    }

    /// Returns the first limit that a choice exceeds.
    pub fn exceeded(&self, counts: &[u32]) -> Option<Exceeded> {
        let mut rows = counts.iter().zip(&self.available);
        if let Some(row) = rows.position(|(count, available)| count > available) {
            return Some(Exceeded::Row(row));
        }
        let size: u64 = counts.iter().copied().map(u64::from).sum();
        match (self.least.into()..=self.most.into()).contains(&size) {
            true => self.beyond(counts),
            false => Some(Exceeded::Size(size)),
        }
    }

    /// Which of the limits that can only be broken, never mended, by adding pieces is broken.
    fn beyond(&self, counts: &[u32]) -> Option<Exceeded> {
        let chosen = counts.iter().filter(|count| **count > 0).count();
        if self.kinds.is_some_and(|kinds| chosen > kinds.at()) {
            return Some(Exceeded::Kinds(chosen));
        }
        let (loose, beyond) = self.loose_beyond?;
        let left = loose_pieces(counts, beyond);
        (left > loose.into()).then_some(Exceeded::Loose(left))
    }

    /// Whether those limits hold.
    fn within(&self, counts: &[u32]) -> bool {
        self.beyond(counts).is_none()
    }

    /// Calls a function with every choice in order, until it returns `true`.
    ///
    /// # Errors
    ///
    /// There are too many choices to visit one by one, or the budget of this thread is spent.
    pub fn each_choice(&self, f: &mut dyn FnMut(&[u32]) -> bool) -> Result<(), TroubleKind> {
        let mut walk = Walk {
            bag: self,
            counts: vec![0; self.available.len()],
            left: MOST_STEPS,
            found: f,
        };
        walk.from(0, 0).map(|_| ())
    }

    /// Returns the number of choices.
    ///
    /// # Errors
    ///
    /// There are too many choices to count, or the budget of this thread is spent.
    pub fn count(&self) -> Result<u128, TroubleKind> {
        Ok(match self.counted()? {
            Counted::Table(table) => table.ways.at(0),
            Counted::Listed(n, _) => *n,
        })
    }

    fn counted(&self) -> Result<&Counted, TroubleKind> {
        let counted = self.counted.get_or_init(|| {
            if self.loose_beyond.is_none() {
                return Ok(Box::new(Counted::Table(self.table()?)));
            }
            let (mut n, mut kept) = (0, Vec::new());
            self.each_choice(&mut |counts| {
                if n < KEPT.fit() {
                    kept.extend_from_slice(counts);
                }
                n += 1;
                false
            })?;
            Ok(Box::new(Counted::Listed(n, kept)))
        });
        counted.as_deref().map_err(|trouble| *trouble)
    }

    /// Writes the choice at an index to `counts`, by row.
    ///
    /// # Errors
    ///
    /// As [`count`](Self::count).
    pub fn pick(&self, index: u128, counts: &mut [i64]) -> Result<(), TroubleKind> {
        let counts = &mut counts[..self.available.len()];
        counts.fill(0);
        let mut write = |found: &[u32]| {
            for (count, found) in counts.iter_mut().zip(found) {
                *count = i64::from(*found);
            }
        };
        match self.counted()? {
            Counted::Table(table) => match &table.ways {
                // There are no more choices than that.
                Ways::Narrow(ways) => self.pick_by(table, ways, index.fit(), counts),
                Ways::Wide(ways) => self.pick_by(table, ways, index, counts),
            },
            Counted::Listed(_, kept) => {
                let rows = self.available.len();
                let at = usize::try_from(index).unwrap_or(usize::MAX);
                if let Some(found) = kept.chunks(rows.max(1)).nth(at) {
                    write(found);
                    return Ok(());
                }
                let mut left = index;
                self.each_choice(&mut |found| {
                    if left == 0 {
                        write(found);
                        return true;
                    }
                    left -= 1;
                    false
                })?;
            }
        }
        Ok(())
    }

    fn pick_by<N: Number>(&self, table: &Table, ways: &[N], index: N, counts: &mut [i64]) {
        let (mut left, mut size, mut kinds) = (index, 0, 0);
        for (row, count) in counts.iter_mut().enumerate() {
            let mut chosen = 0;
            for n in 0..=self.available[row] {
                let here = table.at(ways, row + 1, size + n, kinds + u32::from(n > 0));
                if left < here {
                    chosen = n;
                    break;
                }
                left = left.minus(here);
            }
            *count = i64::from(chosen);
            size += chosen;
            kinds += u32::from(chosen > 0);
        }
    }

    fn table(&self) -> Result<Table, TroubleKind> {
        let mut available = self.available.iter();
        let all = available.clone().fold(0u32, |a, n| a.saturating_add(*n));
        let most = self.most.min(all).at();
        // Kinds are counted only if there is a limit.
        let kinds = self
            .kinds
            .map_or(0, |k| k.min(self.available.len().fit()).at());
        let mut table = Table {
            ways: Ways::Narrow(Vec::new()),
            sizes: most + 1,
            kinds: kinds + 1,
            limited: self.kinds.is_some(),
        };
        let layer = (table.sizes.fit::<u64>()).saturating_mul(table.kinds.fit());
        let rows = self.available.iter();
        let longest = rows.map(|n| (*n).min(most.fit())).max().unwrap_or(0);
        let numbers = layer.saturating_mul(self.available.len().fit::<u64>() + 1);
        afford(numbers, numbers.saturating_mul(u64::from(longest) + 1))?;
        // No more ways than without limits.
        let narrow = available.try_fold(1u64, |ways, n| ways.checked_mul(u64::from(*n) + 1));
        table.ways = match narrow {
            Some(_) => Ways::Narrow(self.ways(&table)),
            None => Ways::Wide(self.ways(&table)),
        };
        Ok(table)
    }

    /// The ways of a table.
    fn ways<N: Number>(&self, table: &Table) -> Vec<N> {
        let rows = self.available.len();
        let (sizes, kinds) = (table.sizes, table.kinds);
        let mut ways = vec![N::from(0); (rows + 1) * sizes * kinds];
        for size in self.least.at()..sizes {
            let at = table.index(rows, size, 0);
            ways[at..at + kinds].fill(N::from(1));
        }
        let layer = sizes * kinds;
        for row in (0..rows).rev() {
            let (here, behind) = ways[row * layer..].split_at_mut(layer);
            let behind = &behind[..layer];
            let most = self.available[row].at().min(sizes - 1);
            if !table.limited {
                for n in 0..=most {
                    add(&mut here[..sizes - n], &behind[n..]);
                }
                continue;
            }
            // None of this row; then one and more, which are another kind.
            add(here, behind);
            for n in 1..=most {
                let behind = &behind[n * kinds..];
                for (here, behind) in here.chunks_mut(kinds).zip(behind.chunks(kinds)) {
                    add(&mut here[..kinds - 1], &behind[1..]);
                }
            }
        }
        ways
    }
}

/// A walk through the choices: by counts of the first row, then the second, and so on.
struct Walk<'a> {
    bag: &'a BagDomain,
    counts: Vec<u32>,
    /// How many more steps it may take.
    left: u64,
    found: &'a mut dyn FnMut(&[u32]) -> bool,
}

impl Walk<'_> {
    /// The choices of the rows from one on, of which so many pieces lie before it; whether it was stopped.
    fn from(&mut self, row: usize, size: u32) -> Result<bool, TroubleKind> {
        let bag = self.bag;
        let Some(available) = bag.available.get(row) else {
            return Ok(size >= bag.least && (self.found)(&self.counts));
        };
        let rest = bag.available[row + 1..].iter();
        let rest = rest.fold(size, |rest, n| rest.saturating_add(*n));
        let fewest = bag.least.saturating_sub(rest);
        for n in fewest..=(*available).min(bag.most.saturating_sub(size)) {
            self.left = self
                .left
                .checked_sub(1)
                .ok_or(TroubleKind::TooManyChoices)?;
            if !budget::affords(1) {
                return Err(TroubleKind::TooMuchWork);
            }
            self.counts[row] = n;
            if !bag.within(&self.counts) {
                break;
            }
            if self.from(row + 1, size + n)? {
                return Ok(true);
            }
        }
        self.counts[row] = 0;
        Ok(false)
    }
}

/// How many ways there are to go on choosing: for each row, and each number of pieces and kinds chosen before it.
#[derive(Clone, Debug)]
struct Table {
    ways: Ways,
    sizes: usize,
    kinds: usize,
    limited: bool,
}

impl Table {
    fn index(&self, row: usize, size: usize, kind: usize) -> usize {
        (row * self.sizes + size) * self.kinds + kind
    }

    fn at<N: Number>(&self, ways: &[N], row: usize, size: u32, kinds: u32) -> N {
        let kinds = if self.limited { kinds.at() } else { 0 };
        if size.at() >= self.sizes || kinds >= self.kinds {
            return N::from(0);
        }
        ways[self.index(row, size.at(), kinds)]
    }
}

/// Adds numbers of ways to as many others.
#[inline]
fn add<N: Number>(to: &mut [N], from: &[N]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = to.plus(*from);
    }
}

/// Pieces outside the `beyond` fullest kinds.
fn loose_pieces(counts: &[u32], beyond: u32) -> u64 {
    let mut all: u64 = counts.iter().copied().map(u64::from).sum();
    // Kinds are few: the fullest ones are found one after the other, without a list.
    let mut last = (u32::MAX, usize::MAX);
    for _ in 0..beyond {
        let next = counts
            .iter()
            .enumerate()
            .map(|(i, n)| (*n, usize::MAX - i))
            .filter(|k| *k < last)
            .max();
        let Some(next) = next else { break };
        all -= u64::from(next.0);
        last = next;
    }
    all
}
