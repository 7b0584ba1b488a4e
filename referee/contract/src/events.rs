//! Writes what happened as the events of the contract.
//!
//! Everybody who follows a match is told of every event, so they are written straight from what the interpreter says:
//! this is the only place that knows how. What an audience may not see is already absent in the interpreter's types and stays absent here.

use interpreter::package::Package;
use interpreter::play::{Cause, Event, Id, Origin, Outcome, PlaceRef, Value};
use smallvec::SmallVec;

use super::batch::{EVENTS, EventBatch};
use super::changes;
use super::convert::{self, Outward, seat_number};
use super::v1::{self, MoveOrigin};
use super::writer::{Writer, write};
use referee_store::log::v1::{Maker, TableChanged};

/// Events that are told together, in order.
pub struct EventWriter<'a> {
    outward: Outward<'a>,
    written: Writer,
}

/// Something that happened in the game, and what is known of how it came about.
#[derive(Clone, Copy, Debug)]
pub struct InGame<'a> {
    /// What happened.
    pub event: &'a Event,
    /// The rule that brought it.
    pub cause: Option<&'a Cause>,
    /// Who made the move, if it is one that the referee made in a player's place.
    pub maker: Maker,
    /// The move that it follows from, from 1; 0 is the set-up.
    pub move_number: u64,
    /// When, in milliseconds of Unix time.
    pub at_ms: Option<i64>,
}

/// Bytes of an event, or somewhat more than most have.
const USUAL_BYTES: usize = 96;

impl<'a> EventWriter<'a> {
    /// Of a match that is played by the rules of this package; of about so many events.
    pub fn of(package: &'a Package, events: usize) -> Self {
        EventWriter {
            outward: Outward::new(package),
            written: Writer::with_room(events * USUAL_BYTES),
        }
    }

    /// Something that happened in the game, with its number for the audience.
    pub fn game(&mut self, number: u64, told: InGame<'_>) {
        let outward = self.outward;
        self.written.message(EVENTS, |written| {
            let mut event = write::Event(written);
            event.number(number);
            kind(&mut event, outward, told);
            event.move_number(told.move_number);
            if let Some(cause) = told.cause {
                event.rule(&cause.rule);
                event.clause(cause.cite.as_deref().unwrap_or_default());
            }
        });
    }

    /// Something that happened at the table, with its number for the audience, and when it happened.
    pub fn table(&mut self, number: u64, change: &TableChanged, at_ms: Option<i64>) {
        self.written.message(EVENTS, |written| {
            let mut told = write::Event(written);
            told.number(number);
            told.put_table_changed(&v1::TableChanged {
                time: at_ms.map(convert::timestamp),
                ..changes::changed(change)
            });
        });
    }

    /// All that was told.
    pub fn done(self) -> EventBatch {
        EventBatch::written(self.written.into_bytes().into())
    }
}

fn kind(told: &mut write::Event, outward: Outward, happened: InGame<'_>) {
    match happened.event {
        Event::PhaseBegan { phase, args } => told.phase_began(|began| {
            began.phase(phase);
            for given in args {
                began.arguments(|to| argument(to, given));
            }
        }),
        Event::Moved {
            seat,
            step,
            mv,
            origin,
        } => told.move_made(|made| {
            made.seat(seat_number(*seat));
            made.step(step);
            made.r#move(|to| {
                to.name(&mv.name);
                for given in &mv.args {
                    to.arguments(|to| argument(to, given));
                }
            });
            made.origin(made_by(*origin, happened.maker));
            if let Some(at) = happened.at_ms {
                made.time(&convert::timestamp(at));
            }
        }),
        Event::PhaseEnded { phase } => told.phase_ended(|ended| ended.phase(phase)),
        Event::Kept { kept, to } => told.kept_set(|set| {
            set.kept(|at| place(at, kept));
            if let Some(to) = to {
                set.value(|at| value(at, to));
            }
        }),
        Event::Asked { step, seats } => told.seats_asked(|asked| {
            asked.step(step);
            let seats: SmallVec<[u32; 8]> = seats.iter().copied().map(seat_number).collect();
            asked.seats(&seats);
        }),
        Event::Pieces {
            from,
            to,
            row,
            count,
        } => told.pieces_moved(|moved| {
            moved.source(|at| place(at, from));
            moved.destination(|at| place(at, to));
            if let Some(of) = row {
                moved.row(|to| row_ref(to, &of.table, &of.row));
            }
            if let Some(count) = count {
                moved.count(*count);
            }
        }),
        Event::Counter { counter, from, to } => told.counter_changed(|changed| {
            changed.counter(|at| place(at, counter));
            if let Some(from) = from {
                changed.before(*from);
            }
            if let Some(to) = to {
                changed.after(*to);
            }
        }),
        Event::Marker { marker, to } => told.marker_set(|set| {
            set.marker(|at| place(at, marker));
            if let Some(to) = to {
                set.value(|at| value(at, to));
            }
        }),
        Event::Shuffled { pile, size } => told.pile_shuffled(|shuffled| {
            shuffled.pile(|at| place(at, pile));
            shuffled.size(*size);
        }),
        Event::Raised { event, args } => told.raised(|raised| {
            raised.event(event);
            for given in args {
                raised.arguments(|to| argument(to, given));
            }
        }),
        Event::EndingDue { ending, cite } => told.ending_due(|due| {
            due.ending(ending);
            due.clause(&convert::cited(cite));
        }),
        Event::Over {
            ending,
            scores,
            winners,
        } => told.match_over(|over| {
            let outcome = Outcome {
                ending: ending.clone(),
                cite: None,
                scores: scores.clone(),
                winners: winners.clone(),
            };
            over.put_outcome(&outward.outcome(&outcome));
        }),
    }
}

/// Returns who made a move, as the contract says it.
pub fn made_by(origin: Origin, maker: Maker) -> MoveOrigin {
    match (maker, origin) {
        (Maker::Timeout, _) => MoveOrigin::Timeout,
        (Maker::Bot, _) => MoveOrigin::Bot,
        (Maker::Resigned, _) => MoveOrigin::Resigned,
        (Maker::Unspecified, Origin::Player) => MoveOrigin::Player,
        (Maker::Unspecified, Origin::Forced) => MoveOrigin::Forced,
    }
}

fn argument(to: &mut write::Argument, (name, given): &(Id, Value)) {
    to.name(name);
    to.value(|to| value(to, given));
}

fn place(at: &mut write::PlaceRef, place: &PlaceRef) {
    at.name(&place.name);
    for index in &*place.index {
        at.index(|to| value(to, index));
    }
}

fn row_ref(to: &mut write::RowRef, table: &str, row: &str) {
    to.table(table);
    to.row(row);
}

fn value(to: &mut write::Value, value: &Value) {
    match value {
        Value::Int(number) => to.integer(*number),
        Value::Bool(yes) => to.boolean(*yes),
        Value::Row { table, row } => to.row(|to| row_ref(to, table, row)),
        Value::Player(seat) => to.seat(seat_number(*seat)),
        Value::None
        | Value::Bag { .. }
        | Value::Spread(_)
        | Value::Record { .. }
        | Value::Hidden { .. } => to.0.fields_of(&convert::value(value)),
    }
}
