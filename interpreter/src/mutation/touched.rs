//! Which functions of a ruleset run.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::play::machine::{Engine, Reader, Ruleset, Table, Trouble};
use crate::program::model::{FuncId, IndexVec};

/// Runs functions as they are always run, and notes which.
#[derive(Debug)]
pub(super) struct Touched {
    ran: IndexVec<FuncId, AtomicBool>,
}

impl Touched {
    /// A ruleset that notes which of its functions run, and where it notes them.
    pub(super) fn of(ruleset: &Ruleset) -> (Arc<Ruleset>, Arc<Touched>) {
        let functions = &ruleset.program().bytecode.functions;
        let ran = functions.iter().map(|_| AtomicBool::new(false)).collect();
        let touched = Arc::new(Touched { ran });
        let ruleset = ruleset.clone().with_engine(touched.clone());
        (Arc::new(ruleset), touched)
    }

    /// The functions that have run since it was asked last.
    pub(super) fn since(&self) -> BTreeSet<FuncId> {
        let all = self.ran.iter_enumerated();
        let ran = all.filter(|(_, ran)| ran.swap(false, Ordering::Relaxed));
        ran.map(|(function, _)| function).collect()
    }

    /// Whether one of these functions has run since then.
    pub(super) fn any(&self, functions: &BTreeSet<FuncId>) -> bool {
        let mut functions = functions.iter();
        functions.any(|function| self.ran[*function].load(Ordering::Relaxed))
    }

    fn note(&self, function: FuncId) {
        self.ran[function].store(true, Ordering::Relaxed);
    }
}

impl Engine for Touched {
    fn read(
        &self,
        ruleset: &Ruleset,
        world: &mut Reader<'_>,
        registers: &mut [i64],
        function: FuncId,
        fuel: &mut u64,
        depth: u32,
    ) -> Result<i64, Trouble> {
        self.note(function);
        ruleset.interpret_read(world, registers, function, fuel, depth)
    }

    fn act(
        &self,
        ruleset: &Ruleset,
        world: &mut Table<'_>,
        registers: &mut [i64],
        function: FuncId,
        fuel: &mut u64,
        depth: u32,
    ) -> Result<i64, Trouble> {
        self.note(function);
        ruleset.interpret_act(world, registers, function, fuel, depth)
    }
}
