//! The walk through the phase graph: from a move to the next question, or to the end.

use super::game::RESTS;
use super::limits::bounded;
use super::{Args, Asked, Forced, Game};
use crate::api::Origin;
use crate::budget;
use crate::machine::{Ruleset, Trouble, TroubleKind};
use crate::numbers::{At as _, Fit as _};
use crate::program::graph::{NOWHERE, NodeKind};
use crate::program::model::{Cell, NodeId, PhaseId, control};
use crate::state::Raw;

/// Steps of the machine between two questions.
const STEPS: u32 = 100_000;
/// Units of each step.
const STEP: u64 = 16;

impl Game {
    /// A phase begins with what it keeps as it says; its parameters are there already.
    pub(crate) fn begin_phase(&mut self, ruleset: &Ruleset, number: PhaseId) {
        let phase = &ruleset.model().phases[number];
        for (base, len, value) in &phase.resets {
            self.fill(*base, *len, *value);
        }
        self.say(|game| Raw::Phase {
            phase: number,
            args: phase
                .param_cells()
                .map(|cell| i64::from(game.cell(cell)))
                .collect(),
        });
    }

    /// Plays on to the next question, or to the end.
    pub(crate) fn advance(&mut self) -> Result<(), Trouble> {
        let logged = self.log.as_ref().map(Vec::len);
        let before = logged.map(|_| self.rests_at());
        self.memory.begin();
        bounded(|| self.walk(&self.ruleset.clone()))?;
        if let (Some(before), Some(logged)) = (before, logged) {
            self.say_what_waits(before, logged);
        }
        Ok(())
    }

    /// The same for a caller that holds the ruleset already: counting its holders at every step would cost more than
    /// the step, most of all when games are played on several threads.
    pub(crate) fn walk(&mut self, ruleset: &Ruleset) -> Result<(), Trouble> {
        if self.is_over() {
            return Ok(());
        }
        let players = i64::from(ruleset.model().players);
        let mut standing = self.node();
        // What was run last: where most of the work may be.
        let mut op = 0;
        for _ in 0..STEPS {
            budget::charge(STEP);
            if budget::is_spent() {
                break;
            }
            self.trace_node(standing);
            let node = &ruleset.program.nodes[standing];
            if let NodeKind::Effect(f) | NodeKind::Branch(f) = &node.kind {
                op = ruleset.program.bytecode.functions[*f].start;
            }
            let next = match &node.kind {
                NodeKind::Begin => {
                    self.because(|causes| causes.of_node(standing));
                    self.begin_phase(ruleset, node.phase);
                    node.next
                }
                NodeKind::Return => {
                    self.check_trays(node.phase)?;
                    let endings = &ruleset.model().endings;
                    let last = |due| endings[due].after == Some(node.phase);
                    if self.due().is_some_and(last) {
                        self.finish();
                        return Ok(());
                    }
                    let Some(depth) = self.depth().checked_sub(1) else {
                        if self.rests {
                            self.set_control(control::OVER, RESTS);
                            self.clear_offers();
                            return Ok(());
                        }
                        return Err(TroubleKind::NoWayOn.nowhere());
                    };
                    self.say(|_| Raw::Ended { phase: node.phase });
                    self.set_control(control::DEPTH, depth.into());
                    let back = self.back(depth);
                    self.take_back(ruleset, node.phase, back);
                    back
                }
                NodeKind::Effect(f) => {
                    self.because(|causes| causes.of_node(standing));
                    self.run_effect(*f)?;
                    match self.follow_to(ruleset, node.next)? {
                        Some(next) => next,
                        None => return Ok(()),
                    }
                }
                NodeKind::Follow => {
                    let depth = self.depth() - 1;
                    let back = self.back(depth);
                    self.set_control(control::DEPTH, depth.into());
                    self.take_up();
                    match self.follow_to(ruleset, back)? {
                        Some(next) => next,
                        None => return Ok(()),
                    }
                }
                NodeKind::Fill { base, len } => {
                    self.fill(*base, *len, 0);
                    node.next
                }
                NodeKind::Mark { base, var } => {
                    let seat = self.cell(*var).cast_unsigned();
                    self.set(*base + seat, 1);
                    node.next
                }
                NodeKind::Unwind { phase } => {
                    self.unwind(ruleset, *phase)?;
                    node.next
                }
                NodeKind::Branch(f) => {
                    if self.pure(*f)? != 0 {
                        node.next
                    } else {
                        node.no
                    }
                }
                NodeKind::OpenAsk(ask) => {
                    self.open_ask(ruleset, *ask)?;
                    node.next
                }
                NodeKind::Ask(ask) => match self.ask_seats(ruleset, *ask)? {
                    Asked::Waits => return Ok(()),
                    Asked::Nobody => node.next,
                    Asked::Forced(seat, choice) => {
                        let over = self.make(ruleset, &choice, Origin::Forced)?;
                        self.forced.push(Forced { seat, choice });
                        if over {
                            return Ok(());
                        }
                        standing = self.node();
                        continue;
                    }
                },
                NodeKind::StartTurns { var, left, from } => {
                    let from = self.pure(*from)?;
                    self.set(*var, from);
                    self.set(*left, players);
                    node.next
                }
                NodeKind::TurnsLeft { left } => {
                    if self.cell(*left) > 0 {
                        node.next
                    } else {
                        node.no
                    }
                }
                NodeKind::NextTurn { var, left } => {
                    self.pass_on(*var, players);
                    self.set(*left, i64::from(self.cell(*left)) - 1);
                    node.next
                }
                NodeKind::StartCycle { var, since, from } => {
                    let from = self.pure(*from)?;
                    self.set(*var, from);
                    self.set(*since, 0);
                    node.next
                }
                NodeKind::LapUnderWay { since } => {
                    if i64::from(self.cell(*since)) < players {
                        node.next
                    } else {
                        node.no
                    }
                }
                NodeKind::CountTurn { since } => {
                    self.set(*since, i64::from(self.cell(*since)) + 1);
                    node.next
                }
                NodeKind::NextInCycle { var } => {
                    if let Some(var) = var {
                        self.pass_on(*var, players);
                    }
                    node.next
                }
                NodeKind::StartRows { var } => {
                    self.set(*var, 0);
                    node.next
                }
                NodeKind::RowsLeft { var, rows } => {
                    if self.cell(*var).cast_unsigned() < *rows {
                        node.next
                    } else {
                        node.no
                    }
                }
                NodeKind::NextRow { var } => {
                    self.set(*var, i64::from(self.cell(*var)) + 1);
                    node.next
                }
                NodeKind::StartNumbers {
                    var,
                    last,
                    from,
                    to,
                } => {
                    let (from, to) = (self.pure(*from)?, self.pure(*to)?);
                    self.set(*var, from);
                    self.set(*last, to);
                    node.next
                }
                NodeKind::NumbersLeft { var, last } => {
                    if self.cell(*var) <= self.cell(*last) {
                        node.next
                    } else {
                        node.no
                    }
                }
                NodeKind::Promised(_) => node.next,
                NodeKind::Visit { args } => {
                    let mut values = Args::new();
                    for (_, f) in args {
                        values.push(self.pure(*f)?);
                    }
                    self.keep(ruleset, node.enter)?;
                    for ((cell, _), value) in args.iter().zip(values) {
                        self.set(*cell, value);
                    }
                    self.push(node.next)?;
                    node.enter
                }
                NodeKind::Play { row, args, params } => {
                    let row = usize::try_from(self.pure(*row)?).unwrap_or(usize::MAX);
                    let (Some(cells), Some(enter)) = (params.get(row), node.plays.get(row)) else {
                        return Err(TroubleKind::OutOfBounds.nowhere());
                    };
                    let mut values = Args::new();
                    for f in args {
                        values.push(self.pure(*f)?);
                    }
                    self.keep(ruleset, *enter)?;
                    for (cell, value) in cells.iter().zip(values) {
                        self.set(*cell, value);
                    }
                    self.push(node.next)?;
                    *enter
                }
            };
            self.goto(next)?;
            standing = next;
        }
        Err(Trouble {
            kind: TroubleKind::TooMuchWork,
            op,
        })
    }

    /// The next seat comes after the one in a cell.
    fn pass_on(&mut self, cell: Cell, players: i64) {
        let next = i64::from(self.cell(cell)) + 1;
        self.set(cell, if next < players { next } else { 0 });
    }

    /// Does what follows from effects; gives where play goes on, which is `back` when all is done. None:
    /// the match is over.
    pub(crate) fn follow_to(
        &mut self,
        ruleset: &Ruleset,
        back: NodeId,
    ) -> Result<Option<NodeId>, Trouble> {
        let interrupted = self.follow(ruleset)?;
        if self.settled()? {
            return Ok(None);
        }
        let Some(phase) = interrupted else {
            return Ok(Some(back));
        };
        self.push(back)?;
        self.push(ruleset.program.follow)?;
        Ok(Some(ruleset.program.graph.begins[phase].into()))
    }

    /// How often a phase is under way, in frames and where the machine stands.
    pub(crate) fn visits(&self, phase: PhaseId, standing: NodeId) -> u32 {
        let nodes = &self.ruleset.program.nodes;
        let under_way = self.backs().chain([standing]).filter(|node| {
            let node = nodes.get(*node);
            node.is_some_and(|n| n.phase == phase && !matches!(n.kind, NodeKind::Follow))
        });
        under_way.count().fit()
    }

    /// Keeps what is a phase's own if it is under way already and is about to be visited again.
    pub(crate) fn keep(&mut self, ruleset: &Ruleset, begin: NodeId) -> Result<(), Trouble> {
        let Some(phase) = ruleset.program.nodes.get(begin).map(|n| n.phase) else {
            return Ok(());
        };
        let Some((base, most)) = ruleset.model().phases[phase].saved else {
            return Ok(());
        };
        let visits = self.visits(phase, self.node());
        if visits >= most {
            return Err(TroubleKind::TooDeep.nowhere());
        }
        if let Some(level) = visits.checked_sub(1) {
            let own = &ruleset.model().phases[phase].own;
            let width: u32 = own.iter().map(|(_, n)| n).sum();
            let mut at = (base + level * width).at();
            for (first, len) in own {
                let (first, len) = (first.at(), len.at());
                self.position.cells.copy_within(first..first + len, at);
                at += len;
            }
        }
        Ok(())
    }

    /// Gives a phase that goes on what was its own before it was visited again.
    pub(crate) fn take_back(&mut self, ruleset: &Ruleset, phase: PhaseId, standing: NodeId) {
        let Some((base, _)) = ruleset.model().phases[phase].saved else {
            return;
        };
        if let Some(level) = self.visits(phase, standing).checked_sub(1) {
            let own = &ruleset.model().phases[phase].own;
            let width: u32 = own.iter().map(|(_, n)| n).sum();
            let from = base + level * width;
            let mut at = from;
            for (first, len) in own {
                for i in 0..*len {
                    let kept = self.cell(at + i);
                    self.set(*first + i, i64::from(kept));
                }
                at += *len;
            }
            // What is not in use is the same in every state.
            self.fill(from, at - from, 0);
        }
    }

    /// Ends visits until this phase is the innermost.
    pub(crate) fn unwind(&mut self, ruleset: &Ruleset, phase: PhaseId) -> Result<(), Trouble> {
        loop {
            let node = &ruleset.program.nodes[self.node()];
            if node.phase == phase && !matches!(node.kind, NodeKind::Follow) {
                return Ok(());
            }
            if matches!(node.kind, NodeKind::Follow) {
                self.take_up();
                self.agenda.clear();
            } else {
                self.check_trays(node.phase)?;
                self.say(|_| Raw::Ended { phase: node.phase });
            }
            let Some(depth) = self.depth().checked_sub(1) else {
                return Err(TroubleKind::NoWayOn.nowhere());
            };
            self.set_control(control::DEPTH, depth.into());
            let back = self.back(depth);
            if !matches!(node.kind, NodeKind::Follow) {
                self.take_back(ruleset, node.phase, back);
            }
            self.set_control(control::NODE, back.0.into());
        }
    }

    /// What lasts as long as a phase is empty when it ends.
    pub(crate) fn check_trays(&self, phase: PhaseId) -> Result<(), Trouble> {
        for tray in &self.ruleset.program.trays[phase] {
            let cells = &self.position.cells[tray.cells.clone()];
            if cells.iter().any(|n| *n != 0) {
                return Err(Trouble {
                    kind: TroubleKind::TrayNotEmpty,
                    op: tray.op,
                });
            }
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn goto(&mut self, node: NodeId) -> Result<(), Trouble> {
        if node == NOWHERE {
            return Err(TroubleKind::NoWayOn.nowhere());
        }
        // No rule reads it, and whether a phase is under way changes only with the frames.
        self.position.cells[control::NODE] = node.for_cell();
        Ok(())
    }

    pub(crate) fn push(&mut self, back: NodeId) -> Result<(), Trouble> {
        let depth = self.depth();
        if depth >= control::FRAMES {
            return Err(TroubleKind::TooDeep.nowhere());
        }
        self.set_control(control::STACK + depth, back.0.into());
        self.set_control(control::DEPTH, i64::from(depth) + 1);
        Ok(())
    }
}
