//! Numbers that change their type: lengths in memory, and the same numbers as they are stored, limited and told.
//!
//! The only place that converts between numbers with `as`, beside methods of enums that say their own number: the lint
//! `as_conversions` is denied.

/// A length in memory as a number.
#[expect(clippy::as_conversions, reason = "a pointer has 64 bits at most")]
pub const fn to_u64(length: usize) -> u64 {
    length as u64
}

/// A number as a length in memory: at most what can be addressed.
pub fn to_usize(number: impl TryInto<usize>) -> usize {
    number.try_into().unwrap_or(usize::MAX)
}

/// A number as a gauge of Prometheus, which is exact up to 2^53.
#[expect(clippy::as_conversions, reason = "gauges are floating-point numbers")]
pub const fn to_gauge(number: u64) -> f64 {
    number as f64
}
