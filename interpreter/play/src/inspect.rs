//! One function of a ruleset, or the legal moves of one kind, by themselves: for tools, and for tests that compare
//! evaluators.

use std::sync::Arc;

use super::flow::{Game, Position};
use super::machine::{FUEL, Fault, Found, Reader, Ruleset, Table, TroubleKind, World, legal, vm};
use super::state::{REGISTERS, Raised, Raw};
use crate::analysis::evaluate;
use crate::budget;
use crate::numbers::At as _;
use crate::program::ids::{FuncId, IndexVec, MoveId, PhaseId};
use crate::program::regions::Region;

/// What the evaluation of one function gave and did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evaluated {
    /// Its value, or its fault.
    pub value: Result<i64, Fault>,
    /// Fuel that was left.
    pub fuel: u64,
    /// The position after it.
    pub position: Position,
    /// What happened.
    happened: Vec<Raw>,
    /// Events that wait for what follows them.
    raised: Vec<Raised>,
    /// Regions that were written.
    written: Vec<Region>,
}

impl Game {
    /// This game in another position of the same ruleset.
    pub fn at(&self, position: Position) -> Game {
        let mut other = self.fork();
        other.position = position;
        other
    }

    /// This game by a ruleset that differs from its own in nothing but its evaluator.
    pub fn by(&self, ruleset: &Arc<Ruleset>) -> Game {
        let mut other = self.fork();
        other.ruleset = ruleset.clone();
        other
    }

    /// How often each phase has begun; nothing of a game that is not logged.
    pub fn phases_begun(&self) -> IndexVec<PhaseId, u32> {
        let mut begun = self.ruleset().model().phases.map(|_| 0);
        for happened in self.log.iter().flatten() {
            if let Raw::Phase { phase, .. } = happened {
                begun[*phase] += 1;
            }
        }
        begun
    }

    /// The value of a query or condition as explanations find it; `None` if it faults.
    pub fn explained(&self, function: FuncId, args: &[i64]) -> Option<i64> {
        let ruleset = self.ruleset();
        let cells = &self.position.cells;
        let possible = |mv: MoveId, seat: i64| {
            let mut registers = [0; REGISTERS / 8];
            let mut reader = Reader::new(ruleset, cells);
            reader
                .is_possible(mv, seat, &mut registers)
                .unwrap_or(false)
        };
        evaluate::explain(ruleset.model(), cells, &possible, function, args, &[]).0
    }

    /// Evaluates a function of a ruleset, which must differ from this game's in nothing but its
    /// evaluator, on a copy of the position.
    pub fn evaluate(&self, ruleset: &Ruleset, function: FuncId, args: &[i64]) -> Evaluated {
        let mut position = self.position.clone();
        let mut happened = Vec::new();
        let mut raised = Vec::new();
        let mut fuel = FUEL;
        let mut registers = vec![0; REGISTERS];
        registers[..args.len()].copy_from_slice(args);
        let mut memory = ruleset.memory.clone();
        let began = memory.now();
        let mut table = Table {
            ruleset,
            cells: &mut position.cells,
            seed: &position.seed,
            log: Some(&mut happened),
            seen: None,
            raised: &mut raised,
            memory: &mut memory,
        };
        // As a move is made: the oracle knows nothing of long stretches.
        let value = budget::bounded(vm::MOVE_WORK, || {
            vm::run(ruleset, &mut table, &mut registers, function, &mut fuel)
        });
        let written = table.memory.written_since(began);
        Evaluated {
            value: value.map_err(|t| ruleset.fault(t)),
            fuel,
            position,
            happened,
            raised,
            written,
        }
    }
}

/// What a listing found, and whether it came to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The registers of each legal move.
    pub moves: Vec<Vec<i64>>,
    /// Whether it ended because these were enough.
    pub enough: Result<bool, Fault>,
}

impl Game {
    /// Goes through at most so many legal moves of a kind for a seat, in ascending order or, with random
    /// numbers, rotated, by a ruleset that differs from this game's in nothing but its evaluator.
    pub fn listed(
        &self,
        ruleset: &Ruleset,
        (mv, seat): (MoveId, u8),
        most: usize,
        random: Option<&mut dyn FnMut() -> u64>,
    ) -> Listed {
        let mut reader = Reader::new(ruleset, &self.position.cells);
        let mut registers = vec![0; REGISTERS];
        let width = ruleset.model().moves[mv].registers.at();
        let mut moves = Vec::new();
        let mut sink = |_: &mut Reader<'_>, mut found: Found<'_>| {
            moves.push(found.registers()[..width].to_vec());
            Ok(moves.len() >= most)
        };
        let (seat, all) = (i64::from(seat), &mut registers);
        let enough = match random {
            None => legal::each_fixed(&mut reader, mv, seat, all, &mut sink),
            Some(random) => legal::each_fixed_drawn(&mut reader, mv, seat, all, random, &mut sink),
        };
        let enough = enough.map_err(|trouble| ruleset.fault(trouble));
        Listed { moves, enough }
    }

    /// What a query gives for each of so many values of its last parameter, by a ruleset that differs from this
    /// game's in nothing but its evaluator.
    ///
    /// # Errors
    /// The first fault.
    pub fn each(
        &self,
        ruleset: &Ruleset,
        query: FuncId,
        args: &[i64],
        count: usize,
    ) -> Result<Vec<i64>, Fault> {
        let mut registers = vec![0; REGISTERS];
        registers[..args.len()].copy_from_slice(args);
        let mut given = Vec::with_capacity(count);
        Reader::new(ruleset, &self.position.cells)
            .read_each(&mut registers, query, count, &mut |n| given.push(n))
            .map_err(|trouble| ruleset.fault(trouble))?;
        Ok(given)
    }
}

impl Ruleset {
    /// The address of a function, by its number.
    pub fn function_name(&self, number: FuncId) -> String {
        if let Some(function) = self.model().functions.get(number) {
            return function.name.clone();
        }
        let listings = self
            .program
            .bytecode
            .listings
            .iter()
            .zip(&self.model().moves);
        let mut names = listings.filter_map(|(listing, mv)| match listing {
            _ if listing.ascending == number => Some(format!("{}: listed", mv.address)),
            _ if listing.rotated == Some(number) => Some(format!("{}: drawn", mv.address)),
            _ if listing.public == Some(number) => Some(format!("{}: publicly", mv.address)),
            _ => None,
        });
        let mut together = self.program.bytecode.together.iter();
        names.next().unwrap_or_else(|| {
            let query = together.find(|(_, function)| *function == number);
            let query = query.map(|(query, _)| self.function_name(*query));
            query.map_or_else(String::new, |query| format!("{query}: all"))
        })
    }

    /// Whether a move is legal for a seat in a state, as the machine finds it when nothing is known before.
    ///
    /// # Errors
    /// The kind of the first fault.
    pub fn is_possible(&self, cells: &[i32], mv: MoveId, seat: i64) -> Result<bool, TroubleKind> {
        Reader::new(self, cells).possible(mv, seat, &mut [0; REGISTERS / 8])
    }
}
