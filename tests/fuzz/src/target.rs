//! What a target is.

use referee_tests::random::Random;

/// Something that is fuzzed.
#[derive(Clone, Copy)]
pub struct Target {
    /// Its name: of its corpus, its crashes and its program for libFuzzer.
    pub name: &'static str,
    /// What is fed, and what must be true of it.
    pub about: &'static str,
    /// Feeds an input.
    ///
    /// # Panics
    ///
    /// When something is wrong: that is a finding. So are an input that takes too long or too much memory, and a stack
    /// that overflows, which whoever runs the target notices.
    pub run: fn(&[u8]),
    /// Another input, near to this one.
    pub mutate: fn(&[u8], &mut Random) -> Vec<u8>,
    /// Inputs to begin with, made of what is shipped.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Bytes of an input at most.
    pub longest: usize,
}
