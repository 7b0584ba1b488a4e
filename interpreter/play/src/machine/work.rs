//! How much work play does: instructions of bytecode and evaluations, counted on this thread.
//!
//! Unlike time these numbers are the same on every machine, so tests can pin what play-outs cost and show
//! that what somebody else hides does not change what an answer costs. Only for that: behind the feature
//! `work`, so that the program counts nothing.

use std::cell::{Cell, RefCell};

use super::Ruleset;
use crate::program::ids::{FuncId, IndexVec};

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

/// What one function took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spent {
    /// Its address: `captain.fits`, or `captain.loading.load: listed`.
    pub name: String,
    /// How often it ran, its value not remembered.
    pub runs: u64,
    /// Its own instructions, without those of functions that it calls.
    pub instructions: u64,
}

thread_local! {
    /// Runs and instructions by function, while somebody wants to know.
    static SPENT: RefCell<Option<IndexVec<FuncId, (u64, u64)>>> = const { RefCell::new(None) };
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

    /// Tells what each function of a ruleset takes on this thread, the greatest part first.
    pub fn by_function<T>(ruleset: &Ruleset, f: impl FnOnce() -> T) -> (T, Vec<Spent>) {
        let functions = &ruleset.program.bytecode.functions;
        SPENT.set(Some(functions.map(|_| (0, 0))));
        let result = f();
        let spent = SPENT.take().unwrap_or_default();
        let mut spent: Vec<Spent> = functions
            .ids()
            .zip(spent)
            .filter(|(_, (runs, _))| *runs > 0)
            .map(|(function, (runs, instructions))| Spent {
                name: ruleset.function_name(function),
                runs,
                instructions,
            })
            .collect();
        spent.sort_by(|a, b| {
            b.instructions
                .cmp(&a.instructions)
                .then(a.name.cmp(&b.name))
        });
        (result, spent)
    }

    fn add(change: impl FnOnce(&mut Work)) {
        let mut done = DONE.get();
        change(&mut done);
        DONE.set(done);
    }
}

/// Something is evaluated.
pub(crate) fn evaluated() {
    Work::add(|done| done.evaluations += 1);
}

/// A value need not be computed.
pub(crate) fn remembered() {
    Work::add(|done| done.remembered += 1);
}

/// Counts the instructions of one function, however it ends.
pub(crate) struct Meter {
    function: FuncId,
    instructions: u64,
}

impl Meter {
    /// Of a function that begins.
    pub(crate) fn of(function: FuncId) -> Meter {
        Meter {
            function,
            instructions: 0,
        }
    }

    /// One more.
    pub(crate) fn step(&mut self) {
        self.instructions += 1;
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        let instructions = self.instructions;
        Work::add(|done| done.instructions += instructions);
        SPENT.with_borrow_mut(|spent| {
            if let Some(spent) = spent {
                let (runs, all) = &mut spent[self.function];
                *runs += 1;
                *all += instructions;
            }
        });
    }
}
