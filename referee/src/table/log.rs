//! The entries of a match's log, as bytes and back.
//!
//! Written once and read for ever: a referee reads every format that was ever written.

use prost::Message as _;

use interpreter::play::{Origin, RecordedMove, Seat};

use super::TableError;
use crate::wire::convert::{self, Path};
use crate::wire::log::v1::{self as wire, entry::Body};

/// The format that is written.
const FORMAT: u32 = 1;

/// An entry as bytes.
pub fn encode(at_ms: i64, body: Body) -> Vec<u8> {
    wire::Entry {
        format: FORMAT,
        at_ms,
        body: Some(body),
    }
    .encode_to_vec()
}

/// When an entry was written, and what it says.
pub fn decode(bytes: &[u8]) -> Result<(i64, Body), TableError> {
    let entry = wire::Entry::decode(bytes)
        .map_err(|error| damaged(format!("an entry cannot be read: {error}")))?;
    if entry.format != FORMAT {
        return Err(damaged(format!(
            "an entry has format {}, this referee reads {FORMAT}",
            entry.format
        )));
    }
    let body = entry
        .body
        .ok_or_else(|| damaged("an entry says nothing".into()))?;
    Ok((entry.at_ms, body))
}

/// Moves as they are written.
pub fn moves_out(moves: &[RecordedMove]) -> Vec<wire::RecordedMove> {
    moves
        .iter()
        .map(|recorded| wire::RecordedMove {
            seat: u32::from(recorded.seat.0),
            step: (*recorded.step).to_owned(),
            r#move: Some(convert::move_out(&recorded.mv)),
            forced: recorded.origin == Origin::Forced,
            maker: wire::Maker::Unspecified.into(),
        })
        .collect()
}

/// Moves as they are read.
pub fn moves_in(moves: &[wire::RecordedMove]) -> Result<Vec<RecordedMove>, TableError> {
    moves
        .iter()
        .map(|recorded| {
            let seat =
                u8::try_from(recorded.seat).map_err(|_| damaged("a move has no seat".into()))?;
            let mv = recorded
                .r#move
                .as_ref()
                .ok_or_else(|| damaged("a move is missing".into()))?;
            Ok(RecordedMove {
                seat: Seat(seat),
                step: recorded.step.as_str().into(),
                mv: convert::move_in(mv, Path::of("move"))
                    .map_err(|error| damaged(format!("a move {}", error.problem)))?,
                origin: if recorded.forced {
                    Origin::Forced
                } else {
                    Origin::Player
                },
            })
        })
        .collect()
}

fn damaged(what: String) -> TableError {
    TableError::Damaged(what)
}
