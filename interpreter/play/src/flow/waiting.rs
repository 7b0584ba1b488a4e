//! What everybody is told when play rests at a question: who is asked, and what phases keep now.
//!
//! Comes in: where play rested before. Goes out: [`Raw::Asked`] and [`Raw::Kept`] in the log, so that a table which is kept
//! by folding what happened is the table that is looked at. Play does not rest where the referee moves at once; a match that
//! is played again makes such a move as any other, and what was said before it is taken back then.

use std::sync::Arc;

use smallvec::SmallVec;

use super::Game;
use crate::api::Audience;
use crate::numbers::Fit as _;
use crate::program::graph::NodeKind;
use crate::program::model::{
    AskId, CauseId, Cell, PhaseId, Sight, VarModel, index_values, instances,
};
use crate::program::value::Seat;
use crate::state::{EVERYBODY, Kept, Raw, Rest, Said, sees};

impl Game {
    /// Where play rests now.
    pub(super) fn rests_at(&self) -> Rest {
        let phases = &self.ruleset.model().phases;
        let keep = self.under_way().into_iter();
        let keep = keep.filter(|phase| !phases[*phase].keeps.is_empty());
        Rest {
            asked: self.asked(),
            kept: keep.map(|phase| (phase, self.kept_cells(phase))).collect(),
            ..Rest::default()
        }
    }

    /// Where play rested before a move: before what the last such place turned out to be, if the referee makes the move at
    /// once.
    pub(super) fn rested(&self, forced: bool) -> Rest {
        match &self.said {
            Some(said) if forced => said.before.clone(),
            _ => self.rests_at(),
        }
    }

    /// The question that waits, and for whom, as everybody sees it.
    fn asked(&self) -> Option<(AskId, u16)> {
        let seats = self.seats().into_iter();
        Some((self.ask()?, seats.fold(0, |all, seat| all | 1 << seat)))
    }

    fn kept_cells(&self, phase: PhaseId) -> Vec<i32> {
        let keeps = &self.ruleset.model().phases[phase].keeps;
        let cells = keeps.iter().flat_map(|var| var.base.run(var.len));
        cells.map(|cell| self.cell(cell)).collect()
    }

    /// Says what is otherwise than where play rested before; all behind the `logged`th thing in the log has happened since.
    pub(super) fn say_what_waits(&mut self, mut before: Rest, logged: usize) {
        for raw in self.log.iter().flatten().skip(logged) {
            match raw {
                Raw::Phase { phase, .. } => before.began.push(*phase),
                Raw::Ended { phase } => before.ended.push(*phase),
                _ => {}
            }
        }
        let mut count = 0;
        if !self.is_over() {
            for kept in self.kept_since(&before) {
                self.because(|_| CauseId::NONE);
                self.say(|_| Raw::Kept(Box::new(kept)));
                count += 1;
            }
            if let Some((ask, seats)) = self.asked().filter(|now| before.asked != Some(*now)) {
                let node = self.node();
                self.because(|causes| causes.of_node(node));
                self.say(|_| Raw::Asked { ask, seats });
                count += 1;
            }
        }
        self.said = Some(Arc::new(Said { before, count }));
    }

    /// Phases under way, the outermost first, each once.
    fn under_way(&self) -> SmallVec<[PhaseId; 8]> {
        let nodes = &self.ruleset.program.nodes;
        let mut phases = SmallVec::new();
        for node in self.backs().chain([self.node()]) {
            let node = nodes.get(node);
            let node = node.filter(|node| !matches!(node.kind, NodeKind::Follow));
            let phase = node.map(|node| node.phase);
            phases.extend(phase.filter(|phase| !phases.contains(phase)));
        }
        phases
    }

    /// What phases under way keep now and did not keep before, or, where they began since, do not begin with.
    fn kept_since(&self, before: &Rest) -> Vec<Kept> {
        let model = self.ruleset.model();
        let mut changed = Vec::new();
        for number in self.under_way() {
            let phase = &model.phases[number];
            if phase.keeps.is_empty() {
                continue;
            }
            let began = before.began.contains(&number);
            // Of a phase that can visit itself it is not known which visit's values were told.
            let unknown = phase.saved.is_some() && (began || before.ended.contains(&number));
            let told = before.kept.iter().find(|(phase, _)| *phase == number);
            let told = told.map(|(_, cells)| &cells[..]).filter(|_| !began);
            let mut at = 0;
            for (var, model) in phase.keeps.iter().enumerate() {
                for instance in 0..instances(&model.index) {
                    let cells: Vec<Cell> = (model.base + instance * model.width)
                        .run(model.width)
                        .collect();
                    let same = cells.iter().enumerate().all(|(n, cell)| {
                        let told = match told {
                            Some(told) => told.get(at + n).copied(),
                            None => Some(phase.first_of(*cell)),
                        };
                        told == Some(self.cell(*cell))
                    });
                    at += cells.len();
                    if unknown || !same {
                        changed.push(Kept {
                            phase: number,
                            var: var.fit(),
                            instance,
                            value: cells.iter().map(|cell| self.cell(*cell)).collect(),
                            seen: self.sees_kept(model, instance),
                        });
                    }
                }
            }
        }
        changed
    }

    /// Who sees what a phase keeps.
    fn sees_kept(&self, var: &VarModel, instance: u32) -> u32 {
        if var.sight == Sight::Everybody {
            return EVERYBODY;
        }
        let index = index_values(&var.index, instance);
        let seats = (0..self.ruleset.model().players).filter(|seat| {
            let audience = Audience::Seat(Seat(*seat));
            sees(var.sight, &index, &self.position.cells, audience)
        });
        seats.fold(0, |all, seat| all | 1 << seat)
    }
}
