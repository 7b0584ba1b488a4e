//! Numbers that change their type: lengths in memory, and the same numbers as they are stored, limited and told.
//!
//! The only place that converts between numbers with `as`, beside methods of enums that say their own number and a constant: the lint
//! `as_conversions` is denied.

use num_traits::AsPrimitive;

/// A length in memory as a number.
#[expect(clippy::as_conversions, reason = "a pointer has 64 bits at most")]
pub const fn to_u64(length: usize) -> u64 {
    length as u64
}

/// A number as a length in memory: at most what can be addressed.
pub fn to_usize(number: impl TryInto<usize>) -> usize {
    number.try_into().unwrap_or(usize::MAX)
}

/// A number as a signed one: at most what that can be.
pub fn to_i64(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

/// A length of a text or a list as 32 bits: texts and lists that are shown are far shorter than 32 bits can say.
pub fn to_u32(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// A number for figures, exact up to 2^53.
pub fn float(number: impl AsPrimitive<f64>) -> f64 {
    number.as_()
}
