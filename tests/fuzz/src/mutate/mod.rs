//! How inputs are changed: as bytes, as texts of lines and words, as trees, as messages.
//!
//! Libraries for this (`mutatis`, libFuzzer's own) change bytes or Rust values; what is fed here are texts in languages of
//! our own and messages by their descriptors, and whatever is put into them comes from the shipped rulesets.

pub mod bytes;
pub mod case;
pub mod json;
pub mod message;
pub mod parts;
pub mod text;

use referee_tests::random::Random;

/// Whether something happens that happens once in so many times.
pub fn once_in(n: u64, random: &mut Random) -> bool {
    random.below(n) == 0
}

/// A place in a list that is not empty.
pub fn place(length: usize, random: &mut Random) -> usize {
    random.below(length.max(1) as u64) as usize
}

/// How many changes are made at once: mostly one.
pub fn rounds(random: &mut Random) -> u64 {
    match random.below(8) {
        0..=4 => 1,
        5 | 6 => 2,
        _ => 3 + random.below(6),
    }
}

/// Numbers at which something changes its width, its sign or its meaning.
pub const NUMBERS: &[i64] = &[
    0,
    1,
    -1,
    2,
    3,
    7,
    8,
    12,
    63,
    64,
    65,
    127,
    128,
    255,
    256,
    1000,
    32_767,
    32_768,
    65_535,
    65_536,
    1_000_000,
    i32::MAX as i64,
    i32::MAX as i64 + 1,
    i32::MIN as i64,
    i32::MIN as i64 - 1,
    u32::MAX as i64,
    u32::MAX as i64 + 1,
    i64::MAX,
    i64::MIN,
];
