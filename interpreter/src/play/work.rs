//! How much work play does: instructions of bytecode and evaluations, counted on this thread.
//!
//! Unlike time these numbers are the same on every machine, so tests can pin what play-outs cost and show
//! that what somebody else hides does not change what an answer costs. Only for that: behind the feature
//! `oracle`, so that whoever plays counts nothing.

use std::cell::Cell;

/// What was executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Conditions, queries and effects that the machine evaluated.
    pub evaluations: u64,
    /// Instructions of bytecode that they took.
    pub instructions: u64,
    /// Queries whose value was remembered.
    pub remembered: u64,
}

thread_local! {
    static DONE: Cell<Work> = const {
        Cell::new(Work { evaluations: 0, instructions: 0, remembered: 0 })
    };
}

impl Work {
    /// Counts what a function does on this thread.
    pub fn of<T>(f: impl FnOnce() -> T) -> (T, Work) {
        let before = DONE.get();
        let result = f();
        let after = DONE.get();
        let done = Work {
            evaluations: after.evaluations - before.evaluations,
            instructions: after.instructions - before.instructions,
            remembered: after.remembered - before.remembered,
        };
        (result, done)
    }

    fn add(change: impl FnOnce(&mut Work)) {
        let mut done = DONE.get();
        change(&mut done);
        DONE.set(done);
    }
}

/// Something is evaluated.
pub(super) fn evaluated() {
    Work::add(|done| done.evaluations += 1);
}

/// A value need not be computed.
pub(super) fn remembered() {
    Work::add(|done| done.remembered += 1);
}

/// Counts the instructions of one function, however it ends.
#[derive(Default)]
pub(super) struct Meter(u64);

impl Meter {
    /// One more.
    pub(super) fn step(&mut self) {
        self.0 += 1;
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        let instructions = self.0;
        Work::add(|done| done.instructions += instructions);
    }
}
