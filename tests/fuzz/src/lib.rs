//! Every parser of the referee, the checker, play and the service, fed with what nobody would write.
//!
//! A [`Target`] is a plain function of bytes that panics when something is wrong. Two programs run them: `fuzz` of this
//! package on any toolchain, which replays and mutates without looking at what inputs reach, and the programs in
//! `libfuzzer/`, which keep what reaches something new. Both mutate by the same [`mutate`]: bytes that nobody has shaped
//! would not get past the first parser. `README.md` says how all of it is used.

#![forbid(unsafe_code)]

pub mod mutate;
pub mod shelf;
mod target;
pub mod targets;

use referee_tests::random::Random;

pub use target::Target;

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
