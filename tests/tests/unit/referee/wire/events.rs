//! Tests of the module `wire::events`.

use interpreter::package::Configuration;
use interpreter::play::{
    Cause, Event, Id, Move, Origin, Outcome, PlaceRef, RowRef, ScoreLine, ScoreSheet, Seat, Share,
    Value,
};
use prost::Message;
use referee::log::v1::{Maker, TableChanged};
use referee::wire::convert::Outward;
use referee::wire::events::{EventWriter, InGame, made_by};
use referee::wire::v1::MoveOrigin;
use referee::wire::v1::event::Kind;
use referee::wire::{convert, v1};

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
    let library = referee_tests::library();
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
