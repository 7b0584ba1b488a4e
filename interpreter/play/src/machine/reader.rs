//! A state that conditions and queries read: nothing changes it, and what queries gave may be remembered.
//!
//! Effects change a [table](super::table); listings of legal moves, queries and explanations of refusals have a reader.

use super::{Engine, FUEL, Found, Judged, Reader, Ruleset, Sink, Trouble, TroubleKind, World, run};
use crate::numbers::{At as _, Fit as _};
use crate::program::model::{Cell, ClauseId, FuncId, MoveId, NodeId, PhaseId, control};
use crate::program::tree::Verb;
use crate::state::Memory;

impl<'r> Found<'r> {
    /// A move whose registers are the first `width`; those from `free` on nobody uses.
    pub(crate) fn new(registers: &'r mut [i64], width: usize, free: usize) -> Self {
        Found {
            registers,
            width,
            free,
        }
    }

    /// Its registers after the seat.
    pub(crate) fn args(&self) -> &[i64] {
        &self.registers[1..self.width]
    }

    /// Its registers, to evaluate what else there is to know of it; those behind may be used.
    pub(crate) fn registers(&mut self) -> &mut [i64] {
        let (found, registers) = self.registers.split_at_mut(self.free);
        registers[..self.width].copy_from_slice(&found[..self.width]);
        registers
    }
}

impl<'a> Judged<'a> {
    /// A question to a seat, of which nothing is known yet.
    pub(crate) fn new(seat: i64, moves: &'a [MoveId]) -> Self {
        Judged {
            seat,
            moves,
            count: 0,
            possible: 0,
        }
    }

    /// The next of its moves was gone through.
    pub(crate) fn note(&mut self, possible: bool) {
        if self.count < u64::BITS.at() {
            self.possible |= u64::from(possible) << self.count;
            self.count += 1;
        }
    }

    fn is_possible(&self, mv: MoveId, seat: i64) -> Option<bool> {
        let known = &self.moves[..self.count];
        let at = known.iter().position(|known| *known == mv)?;
        (seat == self.seat).then_some(self.possible >> at & 1 != 0)
    }
}

impl<'a> Reader<'a> {
    pub(crate) fn new(ruleset: &'a Ruleset, cells: &'a [i32]) -> Self {
        Reader {
            ruleset,
            cells,
            seen: None,
            memory: None,
            sink: None,
            judged: None,
        }
    }

    /// This reader for as long as somebody is shown legal moves.
    pub(crate) fn listing<'b>(&'b mut self, sink: Sink<'b>) -> Reader<'b> {
        Reader {
            ruleset: self.ruleset,
            cells: self.cells,
            seen: self.seen.as_deref_mut(),
            memory: self.memory.as_deref_mut(),
            sink: Some(sink),
            judged: self.judged,
        }
    }

    /// Whether a phase is under way.
    pub(crate) fn is_under_way(&self, phase: PhaseId) -> bool {
        let depth = self.cells[control::DEPTH].cast_unsigned();
        let frames = &self.cells[control::STACK.span(depth)];
        frames
            .iter()
            .chain([&self.cells[control::NODE]])
            .any(|node| {
                self.ruleset
                    .program
                    .nodes
                    .get(NodeId::in_cell(*node))
                    .is_some_and(|n| n.phase == phase)
            })
    }

    /// Evaluates a pure function whose arguments are the first registers.
    #[inline(never)]
    pub(crate) fn read(&mut self, registers: &mut [i64], function: FuncId) -> Result<i64, Trouble> {
        let mut fuel = FUEL;
        run(self.ruleset, self, registers, function, &mut fuel)
    }

    /// The number of a cell that a function gives.
    pub(crate) fn cell(
        &mut self,
        registers: &mut [i64],
        function: FuncId,
    ) -> Result<Cell, Trouble> {
        let cell = self.read(registers, function)?;
        Cell::try_from(cell).map_err(|_| Trouble {
            kind: TroubleKind::OutOfBounds,
            op: self.ruleset.start_of(function),
        })
    }

    /// What a query gives for each of so many values of its last parameter, in a place that is used for it.
    pub(crate) fn read_each(
        &mut self,
        registers: &mut [i64],
        function: FuncId,
        count: usize,
        f: &mut dyn FnMut(i64),
    ) -> Result<(), Trouble> {
        let program = &self.ruleset.program.bytecode;
        let last = program.functions[function].params.at() - 1;
        let saved = registers[last];
        if let Some(together) = program.together(function) {
            let mut fuel = FUEL * count.fit::<u64>();
            run(self.ruleset, self, registers, together, &mut fuel)?;
            registers[last..last + count].iter().for_each(|n| f(*n));
        } else {
            for value in 0..count {
                registers[last] = value.fit();
                f(self.read(registers, function)?);
            }
        }
        registers[last] = saved;
        Ok(())
    }
}

impl World for Reader<'_> {
    #[inline]
    fn cells(&self) -> &[i32] {
        self.cells
    }

    fn verb(&mut self, _: Verb, _: &mut [i64], _: usize, _: usize) -> Result<i64, TroubleKind> {
        Err(TroubleKind::EffectInQuery)
    }

    fn possible(
        &mut self,
        mv: MoveId,
        seat: i64,
        scratch: &mut [i64],
    ) -> Result<bool, TroubleKind> {
        let known = self.judged.and_then(|judged| judged.is_possible(mv, seat));
        match known {
            Some(possible) => Ok(possible),
            None => self.is_possible(mv, seat, scratch).map_err(|t| t.kind),
        }
    }

    fn offer(&mut self, mv: MoveId, registers: &mut [i64], free: usize) -> Result<bool, Trouble> {
        let Some(sink) = self.sink.take() else {
            return Ok(false);
        };
        let width = self.ruleset.model().moves[mv].registers.at();
        let enough = sink(self, Found::new(registers, width, free));
        self.sink = Some(sink);
        enough
    }

    fn cite(&mut self, clause: ClauseId) {
        if let Some(seen) = &mut self.seen {
            seen[clause] = true;
        }
    }

    #[inline]
    fn memory(&mut self) -> Option<&mut Memory> {
        self.memory.as_deref_mut()
    }

    #[inline]
    fn enter(
        &mut self,
        engine: &dyn Engine,
        ruleset: &Ruleset,
        registers: &mut [i64],
        function: FuncId,
        fuel: &mut u64,
        depth: u32,
    ) -> Result<i64, Trouble> {
        engine.read(ruleset, self, registers, function, fuel, depth)
    }
}

/// Evaluates a pure function whose arguments are the first registers.
pub fn read(
    ruleset: &Ruleset,
    cells: &[i32],
    registers: &mut [i64],
    function: FuncId,
) -> Result<i64, Trouble> {
    Reader::new(ruleset, cells).read(registers, function)
}
