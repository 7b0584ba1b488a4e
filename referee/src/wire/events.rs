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
use crate::log::v1::{Maker, TableChanged};

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

fn made_by(origin: Origin, maker: Maker) -> MoveOrigin {
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

#[cfg(test)]
mod tests {
    use interpreter::package::Configuration;
    use interpreter::play::{Move, RowRef, ScoreLine, ScoreSheet, Seat, Share};
    use prost::Message;

    use super::*;
    use crate::library::Library;
    use crate::wire::v1::event::Kind;

    fn staff(seat: u8) -> PlaceRef {
        let wharf = Value::Row {
            table: "building".into(),
            row: "wharf".into(),
        };
        PlaceRef {
            name: "staff".into(),
            index: [Value::Player(Seat(seat)), wharf].into(),
        }
    }

    fn corn() -> RowRef {
        RowRef {
            table: "good".into(),
            row: "corn".into(),
        }
    }

    /// One of each kind.
    fn values() -> Vec<(Id, Value)> {
        let share = Share {
            place: staff(0),
            row: corn(),
            count: 2,
        };
        let values = [
            Value::Int(0),
            Value::Int(-3),
            Value::Bool(false),
            Value::Bool(true),
            Value::Row {
                table: "good".into(),
                row: "corn".into(),
            },
            Value::Player(Seat(3)),
            Value::None,
            Value::Bag {
                table: "good".into(),
                counts: vec![("corn".into(), 2), ("indigo".into(), 1)],
            },
            Value::Spread(vec![share]),
            Value::Record {
                record: "deal".into(),
                parts: vec![("gives".into(), Value::Int(200))],
            },
            Value::Hidden { count: None },
            Value::Hidden { count: Some(0) },
        ];
        values.map(|value| ("a".into(), value)).into()
    }

    /// Something of which only is known that it happened.
    fn unexplained(event: &Event) -> InGame<'_> {
        InGame {
            event,
            cause: None,
            maker: Maker::Unspecified,
            move_number: 0,
            at_ms: None,
        }
    }

    /// Events of each kind beside what they are to be read as.
    fn events(outward: Outward) -> Vec<(Event, Kind)> {
        let row = || v1::RowRef {
            table: "good".into(),
            row: "corn".into(),
        };
        let mv = Move {
            name: "load".into(),
            args: values(),
        };
        let score = ScoreSheet {
            seat: Seat(1),
            lines: vec![ScoreLine {
                name: "points".into(),
                points: 7,
                cite: None,
            }],
            total: 7,
            tie_breaks: vec![0, 3],
        };
        let over = Outcome {
            ending: "colonists".into(),
            cite: None,
            scores: vec![score],
            winners: vec![Seat(1)],
        };
        let pieces = |row, count| Event::Pieces {
            from: staff(0),
            to: staff(1),
            row,
            count,
        };
        let moved = |row, count| {
            Kind::PiecesMoved(v1::PiecesMoved {
                source: Some(convert::place(&staff(0))),
                destination: Some(convert::place(&staff(1))),
                row,
                count,
            })
        };
        let counter = |from, to| Event::Counter {
            counter: staff(2),
            from,
            to,
        };
        let changed = |from, to| {
            Kind::CounterChanged(v1::CounterChanged {
                counter: Some(convert::place(&staff(2))),
                before: from,
                after: to,
            })
        };
        let marker = |to| Event::Marker {
            marker: staff(0),
            to,
        };
        let set = |to: Option<Value>| {
            Kind::MarkerSet(v1::MarkerSet {
                marker: Some(convert::place(&staff(0))),
                value: to.as_ref().map(convert::value),
            })
        };
        vec![
            (
                Event::PhaseBegan {
                    phase: "captain".into(),
                    args: values(),
                },
                Kind::PhaseBegan(v1::PhaseBegan {
                    phase: "captain".into(),
                    arguments: convert::arguments(&values()),
                }),
            ),
            (
                Event::Moved {
                    seat: Seat(0),
                    step: "captain.load".into(),
                    mv: mv.clone(),
                    origin: Origin::Forced,
                },
                Kind::MoveMade(v1::MoveMade {
                    seat: 1,
                    step: "captain.load".into(),
                    r#move: Some(convert::move_out(&mv)),
                    origin: MoveOrigin::Forced.into(),
                    time: None,
                }),
            ),
            (pieces(Some(corn()), Some(0)), moved(Some(row()), Some(0))),
            (pieces(None, None), moved(None, None)),
            (counter(Some(-1), Some(0)), changed(Some(-1), Some(0))),
            (counter(None, None), changed(None, None)),
            (marker(Some(Value::None)), set(Some(Value::None))),
            (marker(None), set(None)),
            (
                Event::PhaseEnded {
                    phase: "captain".into(),
                },
                Kind::PhaseEnded(v1::PhaseEnded {
                    phase: "captain".into(),
                }),
            ),
            (
                Event::Kept {
                    kept: staff(0),
                    to: Some(Value::Int(3)),
                },
                Kind::KeptSet(v1::KeptSet {
                    kept: Some(convert::place(&staff(0))),
                    value: Some(convert::value(&Value::Int(3))),
                }),
            ),
            (
                Event::Asked {
                    step: "captain.loading".into(),
                    seats: vec![Seat(0), Seat(2)],
                },
                Kind::SeatsAsked(v1::SeatsAsked {
                    step: "captain.loading".into(),
                    seats: vec![1, 3],
                }),
            ),
            (
                Event::Shuffled {
                    pile: staff(0),
                    size: 300,
                },
                Kind::PileShuffled(v1::PileShuffled {
                    pile: Some(convert::place(&staff(0))),
                    size: 300,
                }),
            ),
            (
                Event::Raised {
                    event: "loaded".into(),
                    args: Vec::new(),
                },
                Kind::Raised(v1::Raised {
                    event: "loaded".into(),
                    arguments: Vec::new(),
                }),
            ),
            (
                Event::EndingDue {
                    ending: "colonists".into(),
                    cite: Some("pr.end".into()),
                },
                Kind::EndingDue(v1::EndingDue {
                    ending: "colonists".into(),
                    clause: "pr.end".into(),
                }),
            ),
            (
                Event::Over {
                    ending: over.ending.clone(),
                    scores: over.scores.clone(),
                    winners: over.winners.clone(),
                },
                Kind::MatchOver(v1::MatchOver {
                    outcome: Some(outward.outcome(&over)),
                }),
            ),
        ]
    }

    #[test]
    fn events_are_the_contracts_messages() {
        let library = Library::embedded().expect("they are readable");
        let edition = library.get("puerto-rico").expect("it is embedded");
        let rules = library.compile(edition, &Configuration::base(3));
        let rules = rules.expect("it has no mistakes");
        let change = TableChanged::default();
        let mut writer = EventWriter::of(rules.package(), 0);
        let mut expected = Vec::new();
        for (number, (event, kind)) in (0..).zip(events(Outward::new(rules.package()))) {
            writer.game(number, unexplained(&event));
            expected.push(v1::Event {
                number,
                kind: Some(kind),
                ..v1::Event::default()
            });
        }
        let cause = Cause {
            rule: "harbor".into(),
            cite: Some("harbor.points".into()),
        };
        let shuffled = Event::Shuffled {
            pile: staff(0),
            size: 3,
        };
        let explained = InGame {
            cause: Some(&cause),
            move_number: 300,
            ..unexplained(&shuffled)
        };
        writer.game(999, explained);
        expected.push(v1::Event {
            number: 999,
            kind: Some(Kind::PileShuffled(v1::PileShuffled {
                pile: Some(convert::place(&staff(0))),
                size: 3,
            })),
            move_number: 300,
            rule: "harbor".into(),
            clause: "harbor.points".into(),
        });
        writer.table(1000, &change, Some(1_500));
        let time = Some(convert::timestamp(1_500));
        expected.push(v1::Event {
            number: 1000,
            kind: Some(Kind::TableChanged(v1::TableChanged { kind: None, time })),
            ..v1::Event::default()
        });
        let told = writer.done();
        assert_eq!(told[..], expected);
        // They are written as prost writes them.
        let lengths = expected.iter().map(Message::encoded_len);
        let heads = told.len() + expected.iter().map(head).sum::<usize>();
        assert_eq!(told.encoded_len(), lengths.sum::<usize>() + heads);
    }

    /// Bytes of an event's length.
    fn head(event: &v1::Event) -> usize {
        prost::length_delimiter_len(event.encoded_len())
    }

    #[test]
    fn moves_in_a_players_place_say_whose_they_are() {
        let makers = [Maker::Timeout, Maker::Bot, Maker::Resigned];
        let origins = makers.map(|maker| made_by(Origin::Player, maker));
        let expected = [MoveOrigin::Timeout, MoveOrigin::Bot, MoveOrigin::Resigned];
        assert_eq!(origins, expected);
        let own = made_by(Origin::Player, Maker::Unspecified);
        assert_eq!(own, MoveOrigin::Player);
    }
}
