//! What an audience sees: the only place where secrets are decided.
//!
//! Views and events are built here from the state, for one audience; everything that leaves the
//! interpreter is built from them and nothing else.

use super::disclosure::{among, sees};
use crate::numbers::{Fit as _, Index as _};
use crate::play::api::{Audience, Event, Outcome, PlaceView, ScoreLine, ScoreSheet, View};
use crate::play::flow::{Choice, Game};
use crate::play::machine::{Reader, Ruleset, read};
use crate::play::state::{MadeMove, Raw, Registers};
use crate::program::graph::NodeKind;
use crate::program::model::{
    BagSource, Cell, DomainModel, EndingId, ParamModel, Sight, control, index_values, instances,
};
use crate::program::references::reference;
use crate::program::value::{PlaceRef, Seat, Value};

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
            outcome: self.has_ended().then(|| outcome(rs, &self.position.cells)),
        }
    }

    /// Phases under way with their arguments, and the step that asks, outermost first.
    fn phases(&self) -> Vec<(crate::play::api::Id, Vec<(crate::play::api::Id, Value)>)> {
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
                        let mut runs: Vec<(crate::play::api::Id, u32)> = Vec::new();
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
                let name = crate::play::api::Id::from(format!("{}.{}", phase.name, var.name));
                for instance in 0..instances(&var.index) {
                    let index = index_values(&var.index, instance);
                    let first = (var.base + instance * var.width).at();
                    let cells = &self.position.cells[first..first + var.width.at()];
                    let numbers: Vec<i64> = cells.iter().map(|n| i64::from(*n)).collect();
                    let seen = sees(var.sight, &index, &self.position.cells, audience);
                    let value = seen.then(|| rs.whole(&var.ty, &numbers));
                    out.push((reference(rs.model(), &name, &var.index, instance), value));
                }
            }
            seen.push(name);
        }
        out
    }

    /// The step that asks.
    pub(crate) fn asking_step(&self) -> Option<crate::play::api::Id> {
        match self.ruleset.program.nodes.get(self.node()).map(|n| &n.kind) {
            Some(NodeKind::Ask(ask)) => Some(self.ruleset.model().asks[*ask].step.clone()),
            _ => None,
        }
    }
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
        None => (crate::play::api::Id::from("end"), None),
    };
    Outcome {
        ending: name,
        cite,
        scores,
        winners: winners.into_iter().map(Seat).collect(),
    }
}

/// What happened, for an audience; `None` if it sees nothing of it.
pub(crate) fn event(rs: &Ruleset, cells: &[i32], raw: &Raw, audience: Audience) -> Option<Event> {
    Some(match raw {
        Raw::Phase { phase, args } => {
            let model = &rs.model().phases[*phase];
            Event::PhaseBegan {
                phase: model.name.clone(),
                args: rs.phase_args(model, args),
            }
        }
        Raw::Move(made) => {
            let MadeMove {
                seat,
                ask,
                mv,
                args,
                plan,
                seen,
                origin,
            } = &**made;
            let choice = Choice {
                mv: *mv,
                args: args.as_slice().into(),
            };
            let step = rs.model().asks[*ask].step.clone();
            let mut mv = rs.move_of(&choice, plan);
            for (param, seen) in rs.model().moves[choice.mv].params.iter().zip(seen) {
                if among(*seen, audience) {
                    continue;
                }
                for (name, value) in mv.args.iter_mut().filter(|(name, _)| *name == param.name) {
                    let _ = name;
                    *value = Value::Hidden {
                        count: counted(rs, param, &choice.args, *seat, audience),
                    };
                }
            }
            Event::Moved {
                seat: Seat(*seat),
                step,
                mv,
                origin: *origin,
            }
        }
        Raw::Pieces {
            from,
            to,
            row,
            count,
            total,
            shown,
        } => {
            let (counted, faces) = pieces_seen(rs, [*from, *to], *shown, audience);
            let table = rs.place_of(*from).table;
            // An audience that does not see the rows learns of all of them at once.
            if !faces && *total == 0 {
                return None;
            }
            let count = if faces { count } else { total };
            Event::Pieces {
                from: rs.place_at(*from),
                to: rs.place_at(*to),
                row: faces.then(|| rs.row_ref(table, row.at())),
                count: counted.then_some(count.cast_unsigned()),
            }
        }
        Raw::Counter { cell, from, to } => {
            let number = rs.program.lookup.counter(*cell)?;
            let counter = &rs.model().counters[number];
            let instance = *cell - counter.base;
            let index = index_values(&counter.index, instance);
            let seen = sees(counter.sight, &index, cells, audience);
            Event::Counter {
                counter: rs.program.references.counters[number][instance.at()].clone(),
                from: seen.then_some(i64::from(*from)),
                to: seen.then_some(i64::from(*to)),
            }
        }
        Raw::Marker { cell, to } => {
            let number = rs.program.lookup.marker(*cell)?;
            let marker = &rs.model().markers[number];
            let instance = *cell - marker.base;
            let index = index_values(&marker.index, instance);
            let seen = sees(marker.sight, &index, cells, audience);
            Event::Marker {
                marker: rs.program.references.markers[number][instance.at()].clone(),
                to: seen.then(|| rs.value(&marker.ty, i64::from(*to))),
            }
        }
        Raw::Shuffled { cell, order } => Event::Shuffled {
            pile: rs.place_at(*cell),
            size: order.len().fit(),
        },
        Raw::Raised { event, args } => {
            let model = &rs.model().events[*event];
            let args = model
                .params
                .iter()
                .zip(args)
                .map(|((name, ty), v)| (name.clone(), rs.value(ty, *v)));
            Event::Raised {
                event: model.name.clone(),
                args: args.collect(),
            }
        }
        Raw::Due { ending } => {
            let ending = &rs.model().endings[*ending];
            Event::EndingDue {
                ending: ending.name.clone(),
                cite: rs.clause(ending.cite),
            }
        }
        Raw::Over => {
            let Outcome {
                ending,
                scores,
                winners,
                ..
            } = outcome(rs, cells);
            Event::Over {
                ending,
                scores,
                winners,
            }
        }
    })
}

/// Counts something that happened for each audience that sees something of it: to which [`event`] gives something. The
/// seats in order, the spectators last.
pub(crate) fn count_seen(rs: &Ruleset, raw: &Raw, counts: &mut [u64]) {
    let by_all = match raw {
        Raw::Pieces {
            from,
            to,
            total: 0,
            shown,
            ..
        } => {
            let seen = |audience| u64::from(pieces_seen(rs, [*from, *to], *shown, audience).1);
            if let Some((spectators, seats)) = counts.split_last_mut() {
                for (count, seat) in seats.iter_mut().zip(0..) {
                    *count += seen(Audience::Seat(Seat(seat)));
                }
                *spectators += seen(Audience::Spectator);
            }
            return;
        }
        Raw::Counter { cell, .. } => rs.counter(*cell).is_some(),
        Raw::Marker { cell, .. } => rs.marker(*cell).is_some(),
        Raw::Pieces { .. }
        | Raw::Phase { .. }
        | Raw::Move(_)
        | Raw::Shuffled { .. }
        | Raw::Raised { .. }
        | Raw::Due { .. }
        | Raw::Over => true,
    };
    for count in counts {
        *count += u64::from(by_all);
    }
}

/// Whether an audience sees how many pieces went from a place to another, and which.
fn pieces_seen(rs: &Ruleset, way: [Cell; 2], shown: u16, audience: Audience) -> (bool, bool) {
    // Who saw the pieces because of a phase is known only from the time.
    let cells = &[][..];
    let mut counted = false;
    let mut faces = matches!(audience, Audience::Seat(Seat(seat)) if shown >> seat & 1 != 0);
    for cell in way {
        let place = rs.place_of(cell);
        if let (Sight::Everybody, Sight::Everybody) = (place.count, place.faces) {
            return (true, true);
        }
        let index = index_values(&place.index, place.instance(cell));
        let count_seen = sees(place.count, &index, cells, audience);
        counted |= count_seen;
        faces |= count_seen && sees(place.faces, &index, cells, audience);
    }
    (counted, faces)
}

/// How many pieces a hidden argument speaks of, if the audience sees how many lie where they come from.
fn counted(
    rs: &Ruleset,
    param: &ParamModel,
    args: &[i64],
    seat: u8,
    audience: Audience,
) -> Option<u32> {
    let DomainModel::Bag {
        source: BagSource::Cells(cells),
        ..
    } = param.domain
    else {
        return None;
    };
    let first = param.register.at() - 1;
    let count = args[first..first + param.len.at()].iter().sum::<i64>();
    let count = u32::try_from(count).ok()?;
    let mut registers = Registers::of(&[i64::from(seat)]);
    registers[1..1 + args.len()].copy_from_slice(args);
    let mut reader = Reader::new(rs, &rs.program.initial);
    let cell = reader.cell(&mut registers, cells).ok()?;
    let place = rs.find_place(cell)?;
    let index = index_values(&place.index, place.instance(cell));
    sees(place.count, &index, &[], audience).then_some(count)
}
