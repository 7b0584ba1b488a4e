//! Events as an audience sees them: what is hidden of each, and which are not told at all.
//!
//! With [views](super::views) the only place where secrets are decided: everything that leaves the interpreter is built here
//! and there, and from nothing else.

use super::views::outcome;
use crate::api::{Audience, Event, Outcome};
use crate::flow::Choice;
use crate::machine::{Reader, Ruleset};
use crate::numbers::{At as _, Fit as _};
use crate::program::model::{BagSource, Cell, DomainModel, ParamModel, Sight, index_values};
use crate::program::value::{Seat, Value};
use crate::state::{MadeMove, Raw, Registers};
use crate::state::{among, sees};

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
        Raw::By(_) => return None,
        Raw::Ended { phase } => Event::PhaseEnded {
            phase: rs.model().phases[*phase].name.clone(),
        },
        Raw::Kept(kept) => {
            let phase = &rs.model().phases[kept.phase];
            let var = &phase.keeps[usize::from(kept.var)];
            let numbers: Vec<i64> = kept.value.iter().map(|n| i64::from(*n)).collect();
            Event::Kept {
                kept: rs.kept(phase, var, kept.instance),
                to: among(kept.seen, audience).then(|| rs.whole(&var.ty, &numbers)),
            }
        }
        Raw::Asked { ask, seats } => {
            let all = (0..rs.model().players).filter(|seat| seats >> seat & 1 != 0);
            Event::Asked {
                step: rs.model().asks[*ask].step.clone(),
                seats: all.map(Seat).collect(),
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
                for (_, value) in mv.args.iter_mut().filter(|(name, _)| *name == param.name) {
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
        Raw::By(_) => false,
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
        | Raw::Ended { .. }
        | Raw::Kept(_)
        | Raw::Asked { .. }
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
