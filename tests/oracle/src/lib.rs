//! The oracle: the functions of a ruleset, evaluated by Rhai.
//!
//! Bytecode is fast and ours; Rhai's evaluator is slow and somebody else's. [`Oracle::with_oracle`] gives a ruleset whose
//! every query, condition and effect is printed as Rhai text (`text`) and run by Rhai (`evaluator`), with the same graph, the
//! same verbs and the same state; whole matches run on either, and tests hold the two equal. That they would notice a
//! difference, `mutants` show.

mod evaluator;
mod mutants;
mod text;

use std::sync::Arc;

use interpreter::Ruleset;
use interpreter::program::ids::{FuncId, Idx as _};

/// What the oracle knows of a ruleset.
pub trait Oracle {
    /// The same ruleset, evaluated by Rhai instead of bytecode.
    ///
    /// In play every oracle may be `strict`: it checks what bytecode leaves to the types. An address that leaves the place,
    /// counter or marker for which it was computed is then a fault, even if there is a cell. Outside of play the variable of
    /// a loop that is over may be a row that there is not, and reading there is no fault of bytecode's.
    fn with_oracle(&self, strict: bool) -> Arc<Ruleset>;

    /// As [`with_oracle`](Self::with_oracle), with at most so much fuel for each evaluation: rules that use up all of it
    /// are noticed sooner.
    fn with_oracle_within(&self, strict: bool, fuel: u64) -> Arc<Ruleset>;

    /// What the oracle evaluates.
    fn oracle_text(&self) -> String;

    /// The same ruleset with one instruction of its bytecode changed, or `None` if this one cannot be: shows what a
    /// comparison with the oracle notices.
    fn mutated(&self, instruction: usize) -> Option<Arc<Ruleset>>;

    /// An instruction, with the function that it belongs to: for messages.
    fn instruction(&self, at: usize) -> String;

    /// How many instructions the bytecode has.
    fn instructions(&self) -> usize;
}

impl Oracle for Ruleset {
    fn with_oracle(&self, strict: bool) -> Arc<Ruleset> {
        self.with_oracle_within(strict, u64::MAX)
    }

    fn with_oracle_within(&self, strict: bool, fuel: u64) -> Arc<Ruleset> {
        let mut program = self.program().clone();
        let printed = text::print(&program.model, &program.regions, self.is_traced());
        // Every function is asked of the oracle, each time.
        program.bytecode.together.clear();
        for code in program.bytecode.functions.iter_mut() {
            (code.memo, code.is_at_hand) = (None, false);
        }
        let oracle = evaluator::Oracle::new(&mut program, &printed, strict, fuel);
        Arc::new(self.with_program(program).with_engine(Arc::new(oracle)))
    }

    fn oracle_text(&self) -> String {
        let program = self.program();
        text::print(&program.model, &program.regions, self.is_traced()).text
    }

    fn mutated(&self, instruction: usize) -> Option<Arc<Ruleset>> {
        let program = mutants::mutated(self.program(), instruction)?;
        Some(Arc::new(self.with_program(program)))
    }

    fn instruction(&self, at: usize) -> String {
        let bytecode = &self.program().bytecode;
        let functions = bytecode.functions.iter();
        let function = functions.take_while(|f| f.start as usize <= at).count() - 1;
        let function = FuncId::new(function);
        format!("{:?} of {}", bytecode.ops[at], self.function_name(function))
    }

    fn instructions(&self) -> usize {
        self.program().bytecode.ops.len()
    }
}
