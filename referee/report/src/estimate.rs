//! How sure a share is that was seen in some games.
//!
//! In: a share and of how many it is one. Out: the interval in which the true share lies in 95 of 100 cases, by Wilson's
//! score (E. B. Wilson, "Probable inference, the law of succession, and statistical inference", 1927), which stays between 0
//! and 1 and is right for few games and for shares near either end.

use std::fmt;

use serde::Serialize;

use referee_store::numbers::float;

/// Standard deviations that hold 95 of 100 cases.
const SURE: f64 = 1.96;

/// Of fewer than these a share says nothing by itself.
const FEW: u64 = 30;

/// A share, and how sure it is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The share that was seen, from 0 to 1.
    pub share: f64,
    /// The least that it may be in truth.
    pub least: f64,
    /// The most.
    pub most: f64,
    /// It was seen too seldom to say anything by itself.
    pub is_weak: bool,
}

impl Estimate {
    /// A share of so many.
    pub fn of(share: f64, count: u64) -> Estimate {
        let n = float(count.max(1));
        let squared = SURE * SURE;
        let middle = (share + squared / (2.0 * n)) / (1.0 + squared / n);
        let half = SURE / (1.0 + squared / n)
            * (share * (1.0 - share) / n + squared / (4.0 * n * n)).sqrt();
        Estimate {
            share,
            least: (middle - half).max(0.0),
            most: (middle + half).min(1.0),
            is_weak: count < FEW,
        }
    }
}

/// `37.7 % (34–42)`
impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:.1} % ({:.0}–{:.0})",
            100.0 * self.share,
            100.0 * self.least,
            100.0 * self.most
        )
    }
}
