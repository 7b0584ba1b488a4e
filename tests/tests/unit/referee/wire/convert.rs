//! Tests of the module `wire::convert`.

use interpreter::play::{Move, PlaceRef, RowRef, Seat, Share, Value};
use referee::wire::convert::{Path, move_in, move_out, timestamp};
use referee::wire::v1;

fn bag(counts: &[(&str, u32)]) -> v1::Value {
    let counts = counts.iter().map(|(row, count)| v1::RowCount {
        row: (*row).into(),
        count: *count,
    });
    let bag = v1::Bag {
        table: "good".into(),
        counts: counts.collect(),
    };
    v1::Value {
        kind: Some(v1::value::Kind::Bag(bag)),
    }
}

fn with(value: Option<v1::Value>) -> v1::Move {
    v1::Move {
        name: "load".into(),
        arguments: vec![v1::Argument {
            name: "g".into(),
            value,
        }],
    }
}

/// Every kind of value, as the interpreter has it.
fn every_value() -> Vec<Value> {
    let place = PlaceRef {
        name: "staff".into(),
        index: [Value::Player(Seat(1)), Value::Int(-3)].into(),
    };
    let row = RowRef {
        table: "person".into(),
        row: "worker".into(),
    };
    vec![
        Value::Int(i64::MIN),
        Value::Bool(true),
        Value::Row {
            table: "good".into(),
            row: "corn".into(),
        },
        Value::Player(Seat(4)),
        Value::None,
        Value::Bag {
            table: "good".into(),
            counts: vec![("corn".into(), 2), ("sugar".into(), 1)],
        },
        Value::Spread(vec![Share {
            place,
            row,
            count: 2,
        }]),
    ]
}

#[test]
fn every_value_survives_the_way_out_and_in() {
    for value in every_value() {
        let mv = Move {
            name: "load".into(),
            args: vec![("x".into(), value)],
        };
        assert_eq!(move_in(&move_out(&mv), Path::of("move")), Ok(mv));
    }
}

#[test]
fn malformed_moves_are_named_by_their_field() {
    let empty = v1::Value { kind: None };
    let twice = v1::Argument {
        name: "g".into(),
        value: Some(bag(&[])),
    };
    let seat_zero = v1::Value {
        kind: Some(v1::value::Kind::Seat(0)),
    };
    let seat_far = v1::Value {
        kind: Some(v1::value::Kind::Seat(9000)),
    };
    let many: Vec<String> = (0..300).map(|i| format!("g{i}")).collect();
    let many: Vec<(&str, u32)> = many.iter().map(|row| (row.as_str(), 1)).collect();
    let nested = v1::PlaceRef {
        name: "staff".into(),
        index: vec![bag(&[])],
    };
    let share = v1::Share {
        place: Some(nested),
        row: Some(v1::RowRef {
            table: "person".into(),
            row: "worker".into(),
        }),
        count: 1,
    };
    let spread = v1::Value {
        kind: Some(v1::value::Kind::Spread(v1::Spread {
            shares: vec![share],
        })),
    };
    for (mv, field) in [
        (v1::Move::default(), "move.name"),
        (with(None), "move.arguments[0].value"),
        (with(Some(empty)), "move.arguments[0].value"),
        (with(Some(seat_zero)), "move.arguments[0].value.seat"),
        (with(Some(seat_far)), "move.arguments[0].value.seat"),
        (
            with(Some(bag(&[("corn", 1), ("corn", 2)]))),
            "move.arguments[0].value.bag.counts[1].row",
        ),
        (
            with(Some(bag(&[("", 1)]))),
            "move.arguments[0].value.bag.counts[0].row",
        ),
        (
            with(Some(bag(&[("corn", u32::MAX)]))),
            "move.arguments[0].value.bag.counts[0].count",
        ),
        (with(Some(bag(&many))), "move.arguments[0].value.bag.counts"),
        (
            with(Some(spread)),
            "move.arguments[0].value.spread.shares[0].place.index[0]",
        ),
        (
            v1::Move {
                arguments: vec![twice.clone(), twice],
                ..with(None)
            },
            "move.arguments[1].name",
        ),
    ] {
        assert_eq!(move_in(&mv, Path::of("move")).unwrap_err().field, field);
    }
}

#[test]
fn times_before_the_epoch_are_times_too() {
    assert_eq!(
        timestamp(1_500),
        prost_types::Timestamp {
            seconds: 1,
            nanos: 500_000_000
        }
    );
    assert_eq!(
        timestamp(-1),
        prost_types::Timestamp {
            seconds: -1,
            nanos: 999_000_000
        }
    );
}
