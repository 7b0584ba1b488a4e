//! Random words that are the same in every run.

use referee::random::SplitMix64;

/// A stream of random words from a seed.
#[derive(Clone, Debug)]
pub struct Random(SplitMix64);

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Random {
        Random(SplitMix64::new(seed))
    }

    /// The next word.
    pub fn word(&mut self) -> u64 {
        self.0.word()
    }

    /// A number below `n`, which is not zero; nearly even for the small numbers of tests.
    pub fn below(&mut self, n: u64) -> u64 {
        self.word() % n
    }

    /// One of several things.
    pub fn pick<'a, T>(&mut self, things: &'a [T]) -> &'a T {
        &things[self.below(things.len() as u64) as usize]
    }
}
