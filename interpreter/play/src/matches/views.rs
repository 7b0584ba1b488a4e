//! The table as an audience sees it.
//!
//! With [visible events](super::visible_events) the only place where secrets are decided: everything that leaves the
//! interpreter is built here and there, and from nothing else.

use crate::api::{Audience, Outcome, PlaceView, ScoreLine, ScoreSheet, View};
use crate::flow::Game;
use crate::machine::{Ruleset, read};
use crate::numbers::At as _;
use crate::program::graph::NodeKind;
use crate::program::model::{EndingId, control, index_values, instances};
use crate::program::value::{PlaceRef, Seat, Value};
use crate::state::Registers;
use crate::state::sees;

impl Game {
    /// The table as this audience sees it.
    pub fn view(&self, audience: Audience) -> View {
        let rs = &*self.ruleset;
        View {
            audience,
            phases: self.phases(),
            places: self.places(audience),
            counters: self.counters(audience),
            markers: self.markers(audience),
            kept: self.kept(audience),
            waiting: self.seats().into_iter().map(Seat).collect(),
            asking: self.asking_step(),
            scores: match self.has_ended() {
                true => Vec::new(),
                false => running_scores(rs, &self.position.cells),
            },
            outcome: self.has_ended().then(|| outcome(rs, &self.position.cells)),
        }
    }

    /// Phases under way with their arguments, and the step that asks, outermost first.
    fn phases(&self) -> Vec<(crate::api::Id, Vec<(crate::api::Id, Value)>)> {
        let rs = &*self.ruleset;
        let mut out = Vec::new();
        for node in self.backs().chain([self.node()]) {
            let Some(node) = rs.program.nodes.get(node) else {
                continue;
            };
            if matches!(node.kind, NodeKind::Follow) {
                continue;
            }
            let phase = &rs.model().phases[node.phase];
            let cells = phase.param_cells().map(|cell| i64::from(self.cell(cell)));
            let args = rs.phase_args(phase, &cells.collect::<Vec<i64>>());
            out.push((phase.name.clone(), args));
        }
        out
    }

    /// First cells of places that an audience is shown while it is asked.
    pub(crate) fn shown_to(&self, audience: Audience) -> Vec<usize> {
        let asked = |seat: &u8| audience == Audience::Seat(Seat(*seat));
        let Some(ask) = self.ask().filter(|_| self.seats().iter().any(asked)) else {
            return Vec::new();
        };
        let rs = &*self.ruleset;
        let mut registers = Registers::default();
        let sees = rs.model().asks[ask].sees.iter();
        sees.filter_map(|(_, f)| read(rs, &self.position.cells, &mut registers, *f).ok())
            .filter_map(|cell| usize::try_from(cell).ok())
            .collect()
    }

    fn places(&self, audience: Audience) -> Vec<PlaceView> {
        let rs = &*self.ruleset;
        let shown = self.shown_to(audience);
        let mut out = Vec::new();
        for (place, refs) in rs.model().places.iter().zip(&rs.program.references.places) {
            let rows = &rs.model().tables[place.table].rows;
            for (instance, named) in (0..).zip(refs) {
                let index = index_values(&place.index, instance);
                let first = place.first(instance).at();
                let counted =
                    !place.endless && sees(place.count, &index, &self.position.cells, audience);
                let counted = counted || shown.contains(&first);
                let faces = shown.contains(&first)
                    || counted && sees(place.faces, &index, &self.position.cells, audience);
                let cells = &self.position.cells[first..first + place.width.at()];
                let size = match place.pile {
                    true => i64::from(cells[0]),
                    false => cells.iter().map(|n| i64::from(*n)).sum(),
                };
                let contents = faces.then(|| {
                    if place.pile {
                        // From the top, equal neighbours together.
                        let mut runs: Vec<(crate::api::Id, u32)> = Vec::new();
                        for row in cells[1..=cells[0].at()].iter().rev() {
                            let row = &rows[row.at()];
                            match runs.last_mut() {
                                Some((last, n)) if last == row => *n += 1,
                                _ => runs.push((row.clone(), 1)),
                            }
                        }
                        runs
                    } else {
                        let counts = rows.iter().zip(cells).filter(|(_, n)| **n > 0);
                        counts
                            .map(|(r, n)| (r.clone(), n.cast_unsigned()))
                            .collect()
                    }
                });
                out.push(PlaceView {
                    place: named.clone(),
                    table: rs.model().tables[place.table].name.clone(),
                    pile: place.pile,
                    endless: place.endless,
                    size: counted.then(|| u32::try_from(size).unwrap_or(u32::MAX)),
                    contents,
                });
            }
        }
        out
    }

    fn counters(&self, audience: Audience) -> Vec<(PlaceRef, Option<i64>)> {
        let rs = &*self.ruleset;
        let mut out = Vec::new();
        for (counter, refs) in rs
            .model()
            .counters
            .iter()
            .zip(&rs.program.references.counters)
        {
            for (instance, named) in (0..).zip(refs) {
                let index = index_values(&counter.index, instance);
                let value = i64::from(self.cell(counter.base + instance));
                let seen =
                    sees(counter.sight, &index, &self.position.cells, audience).then_some(value);
                out.push((named.clone(), seen));
            }
        }
        out
    }

    fn markers(&self, audience: Audience) -> Vec<(PlaceRef, Option<Value>)> {
        let rs = &*self.ruleset;
        let mut out = Vec::new();
        for (marker, refs) in rs
            .model()
            .markers
            .iter()
            .zip(&rs.program.references.markers)
        {
            for (instance, named) in (0..).zip(refs) {
                let index = index_values(&marker.index, instance);
                let value = rs.value(&marker.ty, i64::from(self.cell(marker.base + instance)));
                let seen =
                    sees(marker.sight, &index, &self.position.cells, audience).then_some(value);
                out.push((named.clone(), seen));
            }
        }
        out
    }

    fn kept(&self, audience: Audience) -> Vec<(PlaceRef, Option<Value>)> {
        let rs = &*self.ruleset;
        let mut out = Vec::new();
        if self.is_over() {
            return out;
        }
        let mut seen = Vec::new();
        for (name, _) in self.phases() {
            let Some(phase) = rs.model().phases.iter().find(|p| p.name == name) else {
                continue;
            };
            // A phase that visits itself keeps for its innermost visit.
            if seen.contains(&name) {
                continue;
            }
            for var in &phase.keeps {
                for instance in 0..instances(&var.index) {
                    let index = index_values(&var.index, instance);
                    let first = (var.base + instance * var.width).at();
                    let cells = &self.position.cells[first..first + var.width.at()];
                    let numbers: Vec<i64> = cells.iter().map(|n| i64::from(*n)).collect();
                    let seen = sees(var.sight, &index, &self.position.cells, audience);
                    let value = seen.then(|| rs.whole(&var.ty, &numbers));
                    out.push((rs.kept(phase, var, instance), value));
                }
            }
            seen.push(name);
        }
        out
    }

    /// The step that asks.
    pub(crate) fn asking_step(&self) -> Option<crate::api::Id> {
        match self.ruleset.program.nodes.get(self.node()).map(|n| &n.kind) {
            Some(NodeKind::Ask(ask)) => Some(self.ruleset.model().asks[*ask].step.clone()),
            _ => None,
        }
    }
}

/// Returns what each seat would score now, by the lines that hang on nothing hidden. A seat is absent if one of its lines fails, since
/// the sum of the others would be false.
fn running_scores(rs: &Ruleset, cells: &[i32]) -> Vec<ScoreSheet> {
    let mut registers = Registers::default();
    let mut ask = |function, seat: u8| {
        registers[0] = i64::from(seat);
        read(rs, cells, &mut registers, function).ok()
    };
    let mut sheet = |seat| {
        let mut lines = Vec::new();
        for line in rs.model().scores.iter().filter(|line| line.public) {
            let applies = match line.when {
                Some(when) => ask(when, seat)? == 1,
                None => true,
            };
            if applies {
                lines.push(ScoreLine {
                    name: line.name.clone(),
                    points: ask(line.value, seat)?,
                    cite: rs.clause(line.cite),
                });
            }
        }
        Some(ScoreSheet {
            seat: Seat(seat),
            total: lines.iter().map(|line| line.points).sum(),
            lines,
            tie_breaks: Vec::new(),
        })
    };
    (0..rs.model().players).filter_map(&mut sheet).collect()
}

/// The score sheets and winners of a finished game.
pub(crate) fn outcome(rs: &Ruleset, cells: &[i32]) -> Outcome {
    let mut registers = Registers::default();
    let mut ask = |function, seat: i64| {
        registers[0] = seat;
        read(rs, cells, &mut registers, function).unwrap_or(0)
    };
    let mut scores = Vec::new();
    for seat in 0..rs.model().players {
        let mut lines = Vec::new();
        for line in &rs.model().scores {
            if line.when.is_none_or(|when| ask(when, i64::from(seat)) != 0) {
                let points = ask(line.value, i64::from(seat));
                lines.push(ScoreLine {
                    name: line.name.clone(),
                    points,
                    cite: rs.clause(line.cite),
                });
            }
        }
        let total = lines.iter().map(|l| l.points).sum();
        let tie_breaks = rs
            .model()
            .winner
            .iter()
            .skip(1)
            .map(|(_, f)| ask(*f, i64::from(seat)))
            .collect();
        scores.push(ScoreSheet {
            seat: Seat(seat),
            lines,
            total,
            tie_breaks,
        });
    }
    let mut winners: Vec<u8> = (0..rs.model().players).collect();
    for (most, criterion) in &rs.model().winner {
        let values: Vec<i64> = winners
            .iter()
            .map(|w| {
                let value = ask(*criterion, i64::from(*w));
                if *most { value } else { -value }
            })
            .collect();
        let best = values.iter().copied().max().unwrap_or(0);
        winners = winners
            .iter()
            .zip(values)
            .filter(|(_, v)| *v == best)
            .map(|(w, _)| *w)
            .collect();
    }
    let ending = EndingId(cells[control::OVER].max(1).cast_unsigned() - 1);
    let (name, cite) = match rs.model().endings.get(ending) {
        Some(ending) => (ending.name.clone(), rs.clause(ending.cite)),
        None => (crate::api::Id::from("end"), None),
    };
    Outcome {
        ending: name,
        cite,
        scores,
        winners: winners.into_iter().map(Seat).collect(),
    }
}
