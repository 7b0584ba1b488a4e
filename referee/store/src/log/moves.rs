//! Moves between the interpreter and the log's own messages.

use interpreter_play::{Id, Move, Origin, PlaceRef, RecordedMove, RowRef, Seat, Share, Value};

use super::v1 as log;
use crate::StoreError;

/// The number of a seat as people and messages count, from 1.
pub fn seat_number(seat: Seat) -> u32 {
    u32::from(seat.0) + 1
}

/// Moves as they are written.
pub fn moves_out(moves: &[RecordedMove]) -> Vec<log::RecordedMove> {
    moves
        .iter()
        .map(|recorded| log::RecordedMove {
            seat: u32::from(recorded.seat.0),
            step: (*recorded.step).to_owned(),
            r#move: Some(move_out(&recorded.mv)),
            forced: recorded.origin == Origin::Forced,
            maker: log::Maker::Unspecified.into(),
        })
        .collect()
}

/// Moves as they are read.
///
/// # Errors
///
/// [`StoreError::Damaged`] says which makes no sense.
pub fn moves_in(moves: &[log::RecordedMove]) -> Result<Vec<RecordedMove>, StoreError> {
    moves
        .iter()
        .map(|recorded| {
            let seat = u8::try_from(recorded.seat)
                .map_err(|_| StoreError::Damaged("a move has no seat".into()))?;
            let mv = recorded
                .r#move
                .as_ref()
                .ok_or_else(|| StoreError::Damaged("a move is missing".into()))?;
            Ok(RecordedMove {
                seat: Seat(seat),
                step: recorded.step.as_str().into(),
                mv: move_in(mv).map_err(|why| StoreError::Damaged(format!("a move: {why}")))?,
                origin: if recorded.forced {
                    Origin::Forced
                } else {
                    Origin::Player
                },
            })
        })
        .collect()
}

/// A move, as logs keep it.
pub fn move_out(mv: &Move) -> log::Move {
    log::Move {
        name: (*mv.name).to_owned(),
        arguments: arguments_out(&mv.args),
    }
}

fn arguments_out(args: &[(Id, Value)]) -> Vec<log::Argument> {
    let args = args.iter().map(|(name, value)| log::Argument {
        name: (**name).to_owned(),
        value: Some(value_out(value)),
    });
    args.collect()
}

fn value_out(value: &Value) -> log::Value {
    use log::value::Kind;
    let kind = match value {
        Value::Int(number) => Kind::Integer(*number),
        Value::Bool(truth) => Kind::Boolean(*truth),
        Value::Row { table, row } => Kind::Row(row_out(table, row)),
        Value::Player(seat) => Kind::Seat(u32::from(seat.0) + 1),
        // Nothing is hidden from the referee, whose moves these are.
        Value::None | Value::Hidden { .. } => Kind::None(log::None {}),
        Value::Bag { table, counts } => Kind::Bag(log::Bag {
            table: (**table).to_owned(),
            counts: counts
                .iter()
                .map(|(row, count)| log::RowCount {
                    row: (**row).to_owned(),
                    count: *count,
                })
                .collect(),
        }),
        Value::Spread(shares) => Kind::Spread(log::Spread {
            shares: shares
                .iter()
                .map(|share| log::Share {
                    place: Some(place_out(&share.place)),
                    row: Some(row_out(&share.row.table, &share.row.row)),
                    count: share.count,
                })
                .collect(),
        }),
        Value::Record { record, parts } => Kind::Record(log::Record {
            name: (**record).to_owned(),
            parts: arguments_out(parts),
        }),
    };
    log::Value { kind: Some(kind) }
}

fn row_out(table: &str, row: &str) -> log::RowRef {
    log::RowRef {
        table: table.to_owned(),
        row: row.to_owned(),
    }
}

fn place_out(place: &PlaceRef) -> log::PlaceRef {
    log::PlaceRef {
        name: (*place.name).to_owned(),
        index: place.index.iter().map(value_out).collect(),
    }
}

/// A move that a log keeps. What makes no sense is nothing that a referee has written.
///
/// # Errors
///
/// Says what is wrong with it.
pub fn move_in(mv: &log::Move) -> Result<Move, String> {
    Ok(Move {
        name: id(&mv.name)?,
        args: arguments_in(&mv.arguments)?,
    })
}

fn arguments_in(arguments: &[log::Argument]) -> Result<Vec<(Id, Value)>, String> {
    let read = arguments.iter().map(|argument| {
        let value = value_in(argument.value.as_ref())?;
        Ok((id(&argument.name)?, value))
    });
    read.collect()
}

fn value_in(value: Option<&log::Value>) -> Result<Value, String> {
    use log::value::Kind;
    let kind = value.and_then(|value| value.kind.as_ref());
    Ok(match kind.ok_or("a value has no kind")? {
        Kind::Integer(number) => Value::Int(*number),
        Kind::Boolean(truth) => Value::Bool(*truth),
        Kind::Row(row) => {
            let RowRef { table, row } = row_in(Some(row))?;
            Value::Row { table, row }
        }
        Kind::Seat(number) => {
            let seat = number
                .checked_sub(1)
                .and_then(|seat| u8::try_from(seat).ok());
            Value::Player(Seat(seat.ok_or("there is no such seat")?))
        }
        Kind::None(_) => Value::None,
        Kind::Bag(bag) => {
            let counts = bag.counts.iter();
            let counts = counts.map(|count| Ok((id(&count.row)?, count.count)));
            Value::Bag {
                table: id(&bag.table)?,
                counts: counts.collect::<Result<_, String>>()?,
            }
        }
        Kind::Record(record) => Value::Record {
            record: id(&record.name)?,
            parts: arguments_in(&record.parts)?,
        },
        Kind::Spread(spread) => {
            let shares = spread.shares.iter().map(|share| {
                Ok(Share {
                    place: place_in(share.place.as_ref())?,
                    row: row_in(share.row.as_ref())?,
                    count: share.count,
                })
            });
            Value::Spread(shares.collect::<Result<_, String>>()?)
        }
    })
}

fn id(name: &str) -> Result<Id, String> {
    match name {
        "" => Err("a name is missing".into()),
        name => Ok(name.into()),
    }
}

fn row_in(row: Option<&log::RowRef>) -> Result<RowRef, String> {
    let row = row.ok_or("a row is missing")?;
    Ok(RowRef {
        table: id(&row.table)?,
        row: id(&row.row)?,
    })
}

fn place_in(place: Option<&log::PlaceRef>) -> Result<PlaceRef, String> {
    let place = place.ok_or("a place is missing")?;
    let index = place.index.iter().map(|value| value_in(Some(value)));
    Ok(PlaceRef {
        name: id(&place.name)?,
        index: index.collect::<Result<_, String>>()?,
    })
}
