//! Every parser of the referee, the checker, play and the service, fed with what nobody would write.
//!
//! A [`Target`] is a plain function of bytes that panics when something is wrong. Two programs run them: `fuzz` of this
//! package on any toolchain, which replays and mutates without looking at what inputs reach, and the programs in
//! `libfuzzer/`, which keep what reaches something new. Both mutate by the same [`mutate`]: bytes that nobody has shaped
//! would not get past the first parser. `README.md` says how all of it is used.

#![forbid(unsafe_code)]

pub mod mutate;
pub mod shelf;
pub mod targets;

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

/// All of them.
pub const TARGETS: &[Target] = &[
    targets::rules::TARGET,
    targets::documents::TARGET,
    targets::scripts::TARGET,
    targets::scenarios::TARGET,
    targets::records::TARGET,
    targets::archives::TARGET,
    targets::states::TARGET,
    targets::entries::TARGET,
    targets::tokens::TARGET,
    targets::requests::TARGET,
    targets::checker::TARGET,
    targets::games::TARGET,
];

/// A target that fails by design, in each way in which one can: only for tests of whoever runs targets.
pub const PLANTED: Target = targets::planted::TARGET;

/// A target by its name.
pub fn target(name: &str) -> Option<&'static Target> {
    let all = TARGETS.iter().chain([&PLANTED]);
    all.into_iter().find(|target| target.name == name)
}

/// Another input for a target, near to this one and not too long.
pub fn mutated(target: &Target, input: &[u8], random: &mut Random) -> Vec<u8> {
    let mut made = (target.mutate)(input, random);
    made.truncate(target.longest);
    made
}
