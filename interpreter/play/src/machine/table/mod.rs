//! The table that effects change; conditions see it through a [reader](super::reader).
//!
//! Pieces only ever go from place to place; counters never fall below zero; a marker points where
//! its type allows. Whatever changes is logged when somebody reads the log.
//!
//! Effects change it by [`verbs`]; those move [`pieces`] and what lies in [`piles`].

mod pieces;
mod piles;
mod verbs;

use super::{Engine, FUEL, Reader, Ruleset, Table, Trouble, TroubleKind, World, run};
use crate::budget;
use crate::numbers::Fit as _;
use crate::program::model::{Cell, ClauseId, EndingId, FuncId, MoveId, Sight, control};
use crate::program::tree::Verb;
use crate::state::{Memory, Moment, Raw};

/// Cells that verbs go through for a unit of work.
const WORKED: u32 = 8;

impl<'a> Table<'a> {
    /// Something is written to what a cell belongs to.
    #[inline]
    fn touch(&mut self, cell: Cell) {
        self.memory.touch(self.ruleset.program.regions.of(cell));
    }

    #[inline]
    fn say(&mut self, raw: impl FnOnce() -> Raw) {
        if self.log.is_some() {
            self.write_down(raw());
        }
    }

    /// Says that pieces went from a place to another.
    #[inline]
    fn say_went(&mut self, (from, to): (Cell, Cell), row: u32, count: i32) {
        self.say(|| Raw::Pieces {
            from,
            to,
            row: row.fit(),
            count,
            total: 0,
            shown: 0,
        });
    }

    fn write_down(&mut self, mut raw: Raw) {
        if let Raw::Pieces {
            from, to, shown, ..
        } = &mut raw
        {
            *shown = self.holder(*from) | self.holder(*to);
        }
        if let Some(log) = &mut self.log {
            log.push(raw);
        }
    }

    /// The seat that sees a place because of what its phase is about, as a bit.
    fn holder(&self, cell: Cell) -> u16 {
        match self.ruleset.find_place(cell).map(|p| p.faces) {
            Some(Sight::Holder(holder)) => 1 << self.cells[holder],
            _ => 0,
        }
    }
}

impl World for Table<'_> {
    #[inline]
    fn cells(&self) -> &[i32] {
        self.cells
    }

    #[inline(always)]
    fn verb(
        &mut self,
        verb: Verb,
        registers: &mut [i64],
        at: usize,
        free: usize,
    ) -> Result<i64, TroubleKind> {
        let (window, scratch) = registers.split_at_mut(free);
        self.act(verb, window, at, scratch)
    }

    fn possible(
        &mut self,
        mv: MoveId,
        seat: i64,
        scratch: &mut [i64],
    ) -> Result<bool, TroubleKind> {
        let mut reader = Reader {
            memory: match self.seen {
                Some(_) => None,
                None => Some(&mut *self.memory),
            },
            ..Reader::new(self.ruleset, self.cells)
        };
        reader.is_possible(mv, seat, scratch).map_err(|t| t.kind)
    }

    fn offer(&mut self, _: MoveId, _: &mut [i64], _: usize) -> Result<bool, Trouble> {
        Ok(false)
    }

    fn cite(&mut self, clause: ClauseId) {
        if let Some(seen) = &mut self.seen {
            seen[clause] = true;
        }
    }

    #[inline]
    fn memory(&mut self) -> Option<&mut Memory> {
        // With coverage on, every query must run.
        self.seen.is_none().then_some(&mut *self.memory)
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
        engine.act(ruleset, self, registers, function, fuel, depth)
    }
}

impl Table<'_> {
    /// So many pieces or cells are gone through.
    pub(crate) fn work(&self, cells: u32) -> Result<(), TroubleKind> {
        match budget::affords(u64::from(cells / WORKED)) {
            true => Ok(()),
            false => Err(TroubleKind::TooMuchWork),
        }
    }

    /// Whether an ending counts now: the first one does, but what ends the match at once waits for no other.
    fn counts(&self, ending: EndingId) -> bool {
        let endings = &self.ruleset.model().endings;
        match self.cells[control::DUE] {
            0 => true,
            due => {
                let due = EndingId(due.cast_unsigned() - 1);
                endings[ending].after.is_none() && endings[due].after.is_some()
            }
        }
    }

    /// An ending becomes due; the first one counts, unless a later one ends the match at once.
    pub(crate) fn due(&mut self, ending: EndingId) {
        if self.counts(ending) {
            self.touch(control::DUE);
            self.cells[control::DUE] = ending.0.cast_signed() + 1;
            if let (Some(seen), Some(cite)) =
                (&mut self.seen, self.ruleset.model().endings[ending].cite)
            {
                seen[cite] = true;
            }
            self.say(|| Raw::Due { ending });
        }
    }

    /// Runs an effect; the events that it raises wait for what follows them.
    #[inline(never)]
    pub(crate) fn effect(
        &mut self,
        function: FuncId,
        registers: &mut [i64],
    ) -> Result<(), Trouble> {
        let mut fuel = FUEL;
        run(self.ruleset, self, registers, function, &mut fuel)?;
        Ok(())
    }

    /// Endings whose condition holds become due. Those that read nothing that was written since they were
    /// looked at still do not hold.
    pub(crate) fn watch(&mut self, registers: &mut [i64], since: Moment) -> Result<(), Trouble> {
        let ruleset = self.ruleset;
        for (i, ending) in ruleset.model().endings.iter_enumerated() {
            if let Some(when) = ending.when
                && self.memory.is_new(&ruleset.program.endings_read[i], since)
                && self.counts(i)
            {
                let mut fuel = ruleset.look_fuel;
                if run(ruleset, self, registers, when, &mut fuel)? != 0 {
                    self.due(i);
                }
            }
        }
        Ok(())
    }
}
