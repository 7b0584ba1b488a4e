//! What follows an effect: watches, then the triggers of the events that it raised, depth first.
//!
//! What is under way is a stack of events, each with the trigger that comes next. A trigger that does
//! something is run at once; one that asks or visits is a phase, so the stack is laid down in the state
//! and taken up again when that phase is over.

use super::Game;
use super::limits::unless_spent;
use crate::budget;
use crate::machine::{Reader, Ruleset, Table, Trouble, TroubleKind};
use crate::numbers::{At as _, Fit as _};
use crate::program::model::{
    Cell, EventId, FuncId, PhaseId, TriggerBody, TriggerModel, agenda, control,
};
use crate::state::{Following, Looker, Moment, Raised, Raw};

/// Counts together what went the same way without anything else happening between.
fn together(log: &mut [Raw]) {
    let mut first: Vec<((Cell, Cell), usize)> = Vec::new();
    for at in 0..log.len() {
        let Raw::Pieces {
            from, to, count, ..
        } = log[at]
        else {
            first.clear();
            continue;
        };
        let way = (from, to);
        let known = first.iter().find(|(known, _)| *known == way);
        let place = match known {
            Some((_, place)) => *place,
            None => {
                first.push((way, at));
                at
            }
        };
        if let Raw::Pieces { total, .. } = &mut log[place] {
            *total += count;
        }
    }
}

/// Deepest nesting of events that follow from each other.
const NESTED: usize = 64;

impl Game {
    /// Runs an effect; what follows from it is noted and waits for [`follow`](Self::follow).
    pub(crate) fn run_effect(&mut self, function: FuncId) -> Result<(), Trouble> {
        let logged = self.log.as_ref().map(Vec::len);
        let mut table = Table {
            ruleset: &self.ruleset,
            cells: &mut self.position.cells,
            seed: &self.position.seed,
            log: self.log.as_mut(),
            seen: self.seen.as_mut(),
            raised: &mut self.raised,
            memory: &mut self.memory,
        };
        let done = table.effect(function, &mut self.registers);
        if let (Some(log), Some(logged)) = (&mut self.log, logged) {
            together(&mut log[logged..]);
        }
        done
    }

    /// Does what follows from effects that were run. A trigger that asks or visits interrupts: its phase
    /// is returned, and the rest waits in the state.
    pub(crate) fn follow(&mut self, ruleset: &Ruleset) -> Result<Option<PhaseId>, Trouble> {
        self.note(ruleset)?;
        while let Some(top) = self.agenda.last_mut() {
            let raised = top.raised;
            let triggers = ruleset.model().following(raised.event);
            let Some(trigger) = triggers.get(top.next) else {
                self.agenda.pop();
                continue;
            };
            top.next += 1;
            let number = top.next - 1;
            if !self.applies(trigger, raised)? {
                continue;
            }
            self.because(|causes| causes.of_trigger(raised.event, number));
            match trigger.body {
                TriggerBody::Effect(effect) => {
                    self.registers[..8].copy_from_slice(&raised.args);
                    self.run_effect(effect)?;
                    unless_spent(ruleset.start_of(effect))?;
                    self.note(ruleset)?;
                }
                TriggerBody::Phase(phase) => {
                    let cells = ruleset.model().phases[phase].param_cells();
                    for (cell, arg) in cells.zip(raised.args) {
                        self.set(cell, arg);
                    }
                    self.lay_down(ruleset)?;
                    return Ok(Some(phase));
                }
            }
        }
        Ok(None)
    }

    /// Whether a trigger holds for an event; remembers that it did.
    fn applies(&mut self, trigger: &TriggerModel, raised: Raised) -> Result<bool, Trouble> {
        let memory = match trigger.once {
            Some((base, true)) => {
                let seat = u32::try_from(raised.args[0]);
                Some(base + seat.map_err(|_| TroubleKind::OutOfBounds.nowhere())?)
            }
            once => once.map(|(base, _)| base),
        };
        if memory.is_some_and(|cell| self.cell(cell) != 0) {
            return Ok(false);
        }
        if trigger.under.is_some_and(|phase| !self.is_under_way(phase)) {
            return Ok(false);
        }
        if let Some(when) = trigger.when {
            self.registers[..8].copy_from_slice(&raised.args);
            if self.pure(when)? == 0 {
                return Ok(false);
            }
        }
        if let Some(cell) = memory {
            self.set(cell, 1);
        }
        Ok(true)
    }

    /// Puts what was raised, and what watches saw become true, on the stack: the first on top.
    fn note(&mut self, ruleset: &Ruleset) -> Result<(), Trouble> {
        while let Some(raised) = self.raised.pop() {
            self.agenda.push(Following { raised, next: 0 });
        }
        self.look(ruleset)?;
        if self.agenda.len() > NESTED {
            self.agenda.clear();
            return Err(TroubleKind::TooDeep.nowhere());
        }
        Ok(())
    }

    /// Looks at everything that is watched and reads something that was written.
    fn look(&mut self, ruleset: &Ruleset) -> Result<(), Trouble> {
        let (since, is_first) = self.memory.look(Looker::Watches);
        let Some(since) = since else {
            return Ok(());
        };
        // As for endings, what the first look takes is not counted.
        match is_first {
            true => budget::apart(|| self.look_since(ruleset, since)),
            false => self.look_since(ruleset, since),
        }
    }

    fn look_since(&mut self, ruleset: &Ruleset, since: Moment) -> Result<(), Trouble> {
        let first = self.agenda.len();
        for (w, watch) in ruleset.model().watches.iter_enumerated() {
            if !self.memory.is_new(&ruleset.program.watches_read[w], since) {
                continue;
            }
            let players = if watch.each {
                ruleset.model().players
            } else {
                1
            };
            let from = if watch.each {
                self.cell(control::SEAT)
            } else {
                0
            };
            for k in 0..players {
                let player = (from + i32::from(k)) % i32::from(players);
                self.registers[0] = i64::from(player);
                let holds = watch.under.is_none_or(|phase| self.is_under_way(phase))
                    && self.pure_within(watch.when, ruleset.look_fuel)? != 0;
                let memory = watch.memory + player.cast_unsigned();
                let held = self.cell(memory) != 0;
                self.set(memory, i64::from(holds));
                if holds && !held {
                    let mut args = [0; 8];
                    args[0] = i64::from(player);
                    let event = ruleset.model().watched(w);
                    self.agenda.push(Following {
                        raised: Raised { event, args },
                        next: 0,
                    });
                }
            }
        }
        self.agenda[first..].reverse();
        Ok(())
    }

    /// Notes what watched conditions hold now, as if they always had.
    pub(crate) fn look_without_following(&mut self) -> Result<(), Trouble> {
        self.memory.renew(Looker::Watches);
        let agenda = std::mem::take(&mut self.agenda);
        let looked = self.look(&self.ruleset.clone());
        self.agenda = agenda;
        looked
    }

    /// Whether a phase is under way.
    pub(crate) fn is_under_way(&self, phase: PhaseId) -> bool {
        Reader::new(&self.ruleset, &self.position.cells).is_under_way(phase)
    }

    /// Lays the stack down in the state.
    fn lay_down(&mut self, ruleset: &Ruleset) -> Result<(), Trouble> {
        let Some(base) = ruleset.model().agenda else {
            return Ok(());
        };
        // Events without further triggers need not be kept.
        let mut agenda = std::mem::take(&mut self.agenda);
        agenda.retain(|f| f.next < ruleset.model().following(f.raised.event).len());
        let laid = self.cell(base).cast_unsigned();
        if laid + agenda.len().fit::<u32>() + 1 > agenda::MOST {
            return Err(TroubleKind::TooDeep.nowhere());
        }
        // Events of a phase that itself follows an event lie above those that wait for it; each layer ends
        // with its size.
        let mut at = laid;
        for following in &agenda {
            let cell = base + 1 + at * agenda::WIDTH;
            self.set(cell, following.raised.event.0.into());
            self.set(cell + 1, following.next.fit());
            for (i, arg) in following.raised.args.iter().enumerate() {
                self.set(cell + 2 + i.fit::<u32>(), *arg);
            }
            at += 1;
        }
        let cell = base + 1 + at * agenda::WIDTH;
        self.set(cell, agenda.len().fit());
        self.set(base, i64::from(at) + 1);
        Ok(())
    }

    /// Takes the stack up again that was laid down last.
    pub(crate) fn take_up(&mut self) {
        let Some(base) = self.ruleset.model().agenda else {
            return;
        };
        let laid = self.cell(base).cast_unsigned();
        let Some(top) = laid.checked_sub(1) else {
            return;
        };
        let size = self.cell(base + 1 + top * agenda::WIDTH).cast_unsigned();
        let first = top - size;
        self.agenda.clear();
        for at in first..top {
            let cell = base + 1 + at * agenda::WIDTH;
            let mut args = [0; 8];
            for (i, arg) in args.iter_mut().enumerate() {
                *arg = i64::from(self.cell(cell + 2 + i.fit::<u32>()));
            }
            self.agenda.push(Following {
                raised: Raised {
                    event: EventId(self.cell(cell).cast_unsigned()),
                    args,
                },
                next: self.cell(cell + 1).at(),
            });
        }
        // What is not in use is the same in every state.
        let (from, to) = (
            base + 1 + first * agenda::WIDTH,
            base + 1 + laid * agenda::WIDTH,
        );
        self.fill(from, to - from, 0);
        self.set(base, i64::from(first));
    }
}
