//! What logs keep, between the interpreter and the contract.
//!
//! The log has messages of its own (`proto/referee/log/v1`), which are read for ever; those of the contract may change.
//! This is the only place that knows both. Moves are written from what the interpreter says and read back to it, and
//! what happened at a table is told to clients in the contract's words.

use interpreter::play::{Id, Move, PlaceRef, RowRef, Seat, Share, Value};

use super::log::v1 as log;
use super::v1;

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

/// Numbers of the contract's enumerations for those that logs keep: the same ones, under the names of both.
macro_rules! same {
    ($($name:ident { $($variant:ident),* })*) => {$(
        impl From<log::$name> for v1::$name {
            fn from(kept: log::$name) -> Self {
                match kept { $(log::$name::$variant => v1::$name::$variant),* }
            }
        }

        impl From<v1::$name> for log::$name {
            fn from(told: v1::$name) -> Self {
                match told { $(v1::$name::$variant => log::$name::$variant),* }
            }
        }
    )*};
}

same! {
    BotKind { Unspecified, Random, Search, Greedy }
    Conclusion { Unspecified, Rules, Draw, Abandoned, Resignation, Cancelled }
    ProposalEnd { Unspecified, Done, Declined, Withdrawn, Lapsed }
    ProposalKind { Unspecified, Pause, Resume, Undo, Draw, Abandon, ShowHands }
    SeatEntropy { Unspecified, Welcome, Required, Committed }
}

/// What happened at a table, as clients are told.
pub fn changed(change: &log::TableChanged) -> v1::TableChanged {
    use log::table_changed::Kind;
    use v1::table_changed::Kind as Told;
    let told = |kind: &Kind| match kind {
        Kind::ProposalMade(made) => Told::ProposalMade(v1::ProposalMade {
            proposal_id: made.proposal_id.clone(),
            kind: v1::ProposalKind::from(made.kind()).into(),
            seat: made.seat,
            moves: made.moves,
        }),
        Kind::ProposalAnswered(answered) => Told::ProposalAnswered(v1::ProposalAnswered {
            proposal_id: answered.proposal_id.clone(),
            seat: answered.seat,
            agree: answered.agree,
        }),
        Kind::ProposalClosed(closed) => Told::ProposalClosed(v1::ProposalClosed {
            proposal_id: closed.proposal_id.clone(),
            end: v1::ProposalEnd::from(closed.end()).into(),
        }),
        Kind::MatchPaused(log::MatchPaused {}) => Told::MatchPaused(v1::MatchPaused {}),
        Kind::MatchResumed(log::MatchResumed {}) => Told::MatchResumed(v1::MatchResumed {}),
        Kind::MovesUndone(undone) => Told::MovesUndone(v1::MovesUndone {
            moves: undone.moves,
        }),
        Kind::SeatResigned(resigned) => Told::SeatResigned(v1::SeatResigned {
            seat: resigned.seat,
        }),
        Kind::BotSeated(seated) => Told::BotSeated(v1::BotSeated {
            seat: seated.seat,
            bot: v1::BotKind::from(seated.bot()).into(),
        }),
        Kind::MatchConcluded(concluded) => Told::MatchConcluded(v1::MatchConcluded {
            conclusion: v1::Conclusion::from(concluded.conclusion()).into(),
            winners: concluded.winners.clone(),
        }),
        Kind::RulesetChanged(changed) => Told::RulesetChanged(v1::RulesetChanged {
            revision: changed.revision.clone(),
        }),
        Kind::SeatReleased(released) => Told::SeatReleased(v1::SeatReleased {
            seat: released.seat,
        }),
        Kind::SeatTaken(taken) => Told::SeatTaken(v1::SeatTaken {
            seat: taken.seat,
            display_name: taken.display_name.clone(),
        }),
        Kind::SeatLeft(left) => Told::SeatLeft(v1::SeatLeft { seat: left.seat }),
        Kind::HandsShown(log::HandsShown {}) => Told::HandsShown(v1::HandsShown {}),
    };
    v1::TableChanged {
        kind: change.kind.as_ref().map(told),
    }
}
