//! What moves would bring, as far as whoever makes them can know.
//!
//! In: a match, a seat, moves of it, and numbers by chance. Out: what would happen and the table after it, without what is
//! unknown. The moves are made on several tables that are [imagined](super::determinization) from what the seat sees, each
//! with chance of its own; what is the same on all of them is told. The table as it is is not looked at, so that nothing
//! hidden can be in what comes out.

use super::one_match::Match;
use crate::api::*;
use crate::budget;
use crate::program::model::{index_values, instances};
use crate::state::Seed;
use crate::state::sees;

/// Tables that are imagined for a preview.
pub const IMAGINED: usize = 4;

/// Something on the table that a move would change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// What.
    pub kind: TargetKind,
    /// The arguments of the move that speak of it, in order: whose value is its row, what its places are indexed by, or pieces
    /// of its row.
    pub arguments: Vec<Id>,
}

/// What a move would change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TargetKind {
    /// Pieces go from a place to another one; their row, if it is known.
    Pieces {
        /// Where they lie.
        from: PlaceRef,
        /// Where they go.
        to: PlaceRef,
        /// What they are.
        row: Option<RowRef>,
    },
    /// A counter or marker changes.
    Changed(PlaceRef),
}

/// What moves would bring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preview {
    /// What would happen, in order, as the mover would see it. What is not the same on all imagined tables is absent, as
    /// something secret would be, and so is everything from where they go ways of their own.
    pub events: Vec<Event>,
    /// Whether these are all events, with nothing absent in them.
    pub complete: bool,
    /// The table after the moves, what differs absent; none if they could be made on no imagined table.
    pub view: Option<View>,
    /// Whether it is certain: nothing lies hidden from the mover, and no chance is drawn. Else it is what the imagined
    /// tables have in common.
    pub certain: bool,
    /// On how many imagined tables the moves could be made.
    pub tables: usize,
}

impl Match {
    /// What these moves of a seat would bring, one after the other, as far as the seat can know. Costs as much as to make
    /// them [some](IMAGINED) times; the match stays as it is.
    pub fn preview(&self, seat: Seat, moves: &[Move], random: &mut dyn FnMut() -> u64) -> Preview {
        let audience = Audience::Seat(seat);
        let mut all: Option<Preview> = None;
        for _ in 0..IMAGINED {
            let Some(one) = self.tried(seat, moves, random) else {
                continue;
            };
            all = Some(match all {
                None => one,
                Some(all) => all.and(one),
            });
        }
        let mut all = all.unwrap_or(Preview {
            events: Vec::new(),
            complete: false,
            view: None,
            certain: false,
            tables: 0,
        });
        all.certain &= !self.hides(audience);
        // The rules rely on something that was imagined otherwise: what comes then is unknown.
        all.complete &= all.tables == IMAGINED;
        all
    }

    /// Where some offers of what a seat is asked point: what each would change before anybody moves again, as its
    /// [`preview`](Self::preview) has it. Of an offer with open parameters one of its moves is looked at, and rows are left
    /// out.
    pub fn targets(
        &self,
        seat: Seat,
        offers: &[usize],
        random: &mut dyn FnMut() -> u64,
    ) -> Vec<Vec<Target>> {
        let audience = Audience::Seat(seat);
        let moves = self.offered_moves(seat, offers).into_iter();
        // All offers are tried on the same tables. What can be answered on them afterwards is not asked for.
        let tables = (0..IMAGINED).map(|_| self.imagined(audience, random).drawing());
        let tables: Vec<Match> = tables.collect();
        let from = self.happened();
        let targets = moves.map(|offered| {
            budget::rest();
            let (mv, is_one_of_several) = offered?;
            let tried = tables.iter().filter_map(|table| {
                let mut table = table.clone();
                table.apply(seat, &mv).ok()?;
                Some(table.seen(audience, from).map(|(_, event)| event).collect())
            });
            let common = tried.reduce(|one, other| in_common(one, other).0);
            Some(of_events(
                &common.unwrap_or_default(),
                &mv,
                is_one_of_several,
            ))
        });
        targets.map(Option::unwrap_or_default).collect()
    }

    /// The same match as far as an audience sees it, with other secrets and with chance of its own.
    fn imagined(&self, audience: Audience, random: &mut dyn FnMut() -> u64) -> Match {
        let mut table = self.with_other_secrets(audience, random);
        let mut words = [0; 32];
        for word in words.chunks_mut(8) {
            word.copy_from_slice(&random().to_le_bytes());
        }
        table.game_mut().position.seed = Seed(words);
        table
    }

    /// What comes of moves on one imagined table; none if they cannot be made on it.
    fn tried(
        &self,
        seat: Seat,
        moves: &[Move],
        random: &mut dyn FnMut() -> u64,
    ) -> Option<Preview> {
        let audience = Audience::Seat(seat);
        let mut table = self.imagined(audience, random);
        let drawn = table.drawn();
        for mv in moves {
            table.apply(seat, mv).ok()?;
        }
        let from = self.happened();
        Some(Preview {
            events: table.seen(audience, from).map(|(_, event)| event).collect(),
            complete: true,
            view: Some(table.view(audience)),
            certain: table.drawn() == drawn,
            tables: 1,
        })
    }

    /// How much chance was drawn for each purpose.
    fn drawn(&self) -> Vec<i32> {
        let game = self.game();
        let chance = game.ruleset.program.plan.chance.things().iter();
        chance.map(|cell| game.position.cells[*cell]).collect()
    }

    /// Whether anything on the table is hidden from an audience.
    fn hides(&self, audience: Audience) -> bool {
        let view = self.view(audience);
        let places = view.places.iter();
        let hidden = |at: &PlaceView| !at.endless && at.size != Some(0) && at.contents.is_none();
        if places.clone().any(hidden)
            || view.counters.iter().any(|(_, value)| value.is_none())
            || view.markers.iter().any(|(_, value)| value.is_none())
        {
            return true;
        }
        // What phases keep that are not under way may be read when they are visited again.
        let game = self.game();
        let mut keeps = game
            .ruleset
            .model()
            .phases
            .iter()
            .flat_map(|phase| &phase.keeps);
        keeps.any(|kept| {
            let mut all = 0..instances(&kept.index);
            let cells = &game.position.cells;
            all.any(|at| !sees(kept.sight, &index_values(&kept.index, at), cells, audience))
        })
    }
}

impl Preview {
    /// What this and another table have in common.
    fn and(self, other: Preview) -> Preview {
        let (events, are_all) = in_common(self.events, other.events);
        let view = self.view.zip(other.view);
        Preview {
            events,
            complete: self.complete && other.complete && are_all,
            view: view.map(|(mut view, other)| {
                view.keep_common(other);
                view
            }),
            certain: self.certain && other.certain,
            tables: self.tables + other.tables,
        }
    }
}

/// What happens on both of two tables, up to where they part, and whether that is all that happens.
fn in_common(one: Vec<Event>, other: Vec<Event>) -> (Vec<Event>, bool) {
    let mut are_all = one.len() == other.len();
    let mut events = Vec::new();
    for (one, other) in one.into_iter().zip(other) {
        let Some((common, is_same)) = common(one, other) else {
            return (events, false);
        };
        are_all &= is_same;
        events.push(common);
    }
    (events, are_all)
}

/// What the events of a move and its consequences change, each once.
fn of_events(events: &[Event], mv: &Move, without_rows: bool) -> Vec<Target> {
    let mut targets: Vec<Target> = Vec::new();
    let own = events
        .iter()
        .skip_while(|event| !matches!(event, Event::Moved { .. }));
    let own = own
        .skip(1)
        .take_while(|event| !matches!(event, Event::Moved { .. }));
    for event in own {
        let (kind, arguments) = match event {
            Event::Pieces { from, to, row, .. } => (
                TargetKind::Pieces {
                    from: from.clone(),
                    to: to.clone(),
                    row: row.clone().filter(|_| !without_rows),
                },
                speaking_of(mv, &[from, to], row.as_ref()),
            ),
            Event::Counter { counter: of, .. } | Event::Marker { marker: of, .. } => (
                TargetKind::Changed(of.clone()),
                speaking_of(mv, &[of], None),
            ),
            _ => continue,
        };
        match targets.iter_mut().find(|target| target.kind == kind) {
            // Pieces of another row, which is left out: both are spoken of.
            Some(target) => {
                let before = std::mem::take(&mut target.arguments);
                let names = mv.args.iter().map(|(name, _)| name);
                let both = names.filter(|name| before.contains(name) || arguments.contains(name));
                target.arguments = both.cloned().collect();
            }
            None => targets.push(Target { kind, arguments }),
        }
    }
    targets
}

/// The arguments of a move that speak of these places, or of pieces of this row.
fn speaking_of(mv: &Move, places: &[&PlaceRef], row: Option<&RowRef>) -> Vec<Id> {
    let speaks = |(_, value): &&(Id, Value)| speaks_of(value, places, row);
    let speaking = mv.args.iter().filter(speaks);
    speaking.map(|(name, _)| name.clone()).collect()
}

fn speaks_of(value: &Value, places: &[&PlaceRef], row: Option<&RowRef>) -> bool {
    let is_row = |table: &Id, of: &Id| row.is_some_and(|row| (&row.table, &row.row) == (table, of));
    let is_index = || places.iter().any(|place| place.index.contains(value));
    match value {
        Value::Row { table, row } => is_row(table, row) || is_index(),
        Value::Player(_) => is_index(),
        Value::Bag { table, counts } => counts.iter().any(|(row, _)| is_row(table, row)),
        Value::Spread(shares) => shares.iter().any(|share| {
            places.contains(&&share.place) && is_row(&share.row.table, &share.row.row)
        }),
        Value::Record { parts, .. } => parts.iter().any(|(_, part)| speaks_of(part, places, row)),
        Value::Int(_) | Value::Bool(_) | Value::None | Value::Hidden { .. } => false,
    }
}

/// What two events have in common, and whether that is all of them; none if something else happens.
fn common(one: Event, other: Event) -> Option<(Event, bool)> {
    if one == other {
        return Some((one, true));
    }
    let common = match (one, other) {
        (
            Event::Pieces {
                from,
                to,
                row,
                count,
            },
            Event::Pieces {
                from: other_from,
                to: other_to,
                row: other_row,
                count: other_count,
            },
        ) if (&from, &to) == (&other_from, &other_to) => Event::Pieces {
            from,
            to,
            row: row.filter(|row| other_row.as_ref() == Some(row)),
            count: count.filter(|count| other_count == Some(*count)),
        },
        (
            Event::Counter { counter, from, to },
            Event::Counter {
                counter: other,
                from: other_from,
                to: other_to,
            },
        ) if counter == other => Event::Counter {
            counter,
            from: from.filter(|value| other_from == Some(*value)),
            to: to.filter(|value| other_to == Some(*value)),
        },
        (Event::Kept { kept, .. }, Event::Kept { kept: other, .. }) if kept == other => {
            Event::Kept { kept, to: None }
        }
        (Event::Marker { marker, .. }, Event::Marker { marker: other, .. }) if marker == other => {
            Event::Marker { marker, to: None }
        }
        (
            Event::Raised { event, args },
            Event::Raised {
                event: other,
                args: others,
            },
        ) if event == other && args.len() == others.len() => {
            let args = args.into_iter().zip(others);
            let args = args.map(|((name, value), (_, other))| match value == other {
                true => (name, value),
                false => (name, Value::Hidden { count: None }),
            });
            Event::Raised {
                event,
                args: args.collect(),
            }
        }
        _ => return None,
    };
    Some((common, false))
}

impl View {
    /// Leaves out what is otherwise in another view of the same audience.
    fn keep_common(&mut self, other: View) {
        let same = self.phases.iter().zip(&other.phases);
        let same = same.take_while(|(one, other)| one == other).count();
        self.phases.truncate(same);
        for (at, other) in self.places.iter_mut().zip(other.places) {
            at.size = at.size.filter(|size| other.size == Some(*size));
            if at.contents != other.contents {
                at.contents = None;
            }
        }
        keep_common(&mut self.counters, &other.counters);
        keep_common(&mut self.markers, &other.markers);
        keep_common(&mut self.kept, &other.kept);
        self.scores.retain(|sheet| other.scores.contains(sheet));
        self.waiting.retain(|seat| other.waiting.contains(seat));
        if self.outcome != other.outcome {
            self.outcome = None;
        }
    }
}

/// Leaves out the values that are otherwise there, and what there is not.
fn keep_common<T: PartialEq>(
    all: &mut Vec<(PlaceRef, Option<T>)>,
    other: &[(PlaceRef, Option<T>)],
) {
    let same = all.iter().zip(other);
    let same = same
        .take_while(|((one, _), (other, _))| one == other)
        .count();
    all.truncate(same);
    for ((_, value), (_, other)) in all.iter_mut().zip(other) {
        if value != other {
            *value = None;
        }
    }
}
