//! What functions work on while they run.

use super::{Engine, Ruleset, Trouble, TroubleKind};
use crate::program::ids::{ClauseId, FuncId, MoveId};
use crate::program::tree::Verb;
use crate::state::Memory;

/// What bytecode works on.
pub trait World {
    /// The cells of the state.
    fn cells(&self) -> &[i32];
    /// A verb: the function's registers come first, `at` is its first argument; those from `free` on nobody
    /// uses.
    fn verb(
        &mut self,
        verb: Verb,
        registers: &mut [i64],
        at: usize,
        free: usize,
    ) -> Result<i64, TroubleKind>;
    /// Whether a move is legal; `scratch` are registers that nobody uses.
    fn possible(&mut self, mv: MoveId, seat: i64, scratch: &mut [i64])
    -> Result<bool, TroubleKind>;
    /// A listing found a legal move: its arguments are the first registers, those from `free` on nobody uses.
    /// Whether that is enough.
    fn offer(&mut self, mv: MoveId, registers: &mut [i64], free: usize) -> Result<bool, Trouble>;
    /// A rule that cites this clause ran.
    fn cite(&mut self, clause: ClauseId);
    /// What queries gave, unless they must be asked each time.
    fn memory(&mut self) -> Option<&mut Memory> {
        None
    }
    /// Has an engine run a function on it: each kind of world calls the engine's own method for its kind, so that nothing
    /// within is dispatched at run time.
    fn enter(
        &mut self,
        engine: &dyn Engine,
        ruleset: &Ruleset,
        registers: &mut [i64],
        function: FuncId,
        fuel: &mut u64,
        depth: u32,
    ) -> Result<i64, Trouble>;
}
