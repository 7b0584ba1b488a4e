//! The entries of a match's log, as bytes and back.
//!
//! Written once and read for ever: a referee reads every format that was ever written.

use prost::Message as _;

use interpreter::play::{Origin, RecordedMove, Seat};

use super::TableError;
use crate::secrets::entropy;
use crate::wire::kept;
use crate::wire::log::v1::{self as wire, entry::Body};

/// The form of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// Hashes of states are of their cells, and nothing is salted.
    Cells = 1,
    /// Hashes of states are of their canonical form; every entry has a salt.
    Canonical = 2,
}

/// The format that is written.
const FORMAT: Format = Format::Canonical;

/// Bytes of chance in every entry: what ties entries to each other tells nobody what they say.
const SALT: usize = 16;

/// An entry that was read.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its form.
    pub format: Format,
    /// When it was written, in milliseconds of Unix time.
    pub at_ms: i64,
    /// What it says.
    pub body: Body,
    /// Its salt; empty in the first form.
    pub salt: Vec<u8>,
}

/// An entry as bytes.
///
/// # Errors
///
/// When the operating system has no entropy to give.
pub fn encode(at_ms: i64, body: Body) -> Result<Vec<u8>, TableError> {
    let salt: [u8; SALT] = entropy().map_err(|error| TableError::Internal(error.to_string()))?;
    let entry = wire::Entry {
        format: FORMAT as u32,
        at_ms,
        salt: salt.to_vec(),
        body: Some(body),
    };
    Ok(entry.encode_to_vec())
}

impl Entry {
    /// Reads an entry of any format that was ever written.
    ///
    /// # Errors
    ///
    /// [`TableError::Damaged`] when it is none.
    pub fn decode(bytes: &[u8]) -> Result<Entry, TableError> {
        let entry = wire::Entry::decode(bytes)
            .map_err(|error| damaged(format!("an entry cannot be read: {error}")))?;
        let format = match entry.format {
            1 => Format::Cells,
            2 if entry.salt.len() == SALT => Format::Canonical,
            2 => return Err(damaged("an entry has no salt".into())),
            other => {
                return Err(damaged(format!(
                    "an entry has format {other}, this referee reads 1 to {}: it was written by a newer one",
                    FORMAT as u32
                )));
            }
        };
        let body = entry
            .body
            .ok_or_else(|| damaged("an entry says nothing".into()))?;
        Ok(Entry {
            format,
            at_ms: entry.at_ms,
            body,
            salt: entry.salt,
        })
    }
}

/// Moves as they are written.
pub fn moves_out(moves: &[RecordedMove]) -> Vec<wire::RecordedMove> {
    moves
        .iter()
        .map(|recorded| wire::RecordedMove {
            seat: u32::from(recorded.seat.0),
            step: (*recorded.step).to_owned(),
            r#move: Some(kept::move_out(&recorded.mv)),
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
                mv: kept::move_in(mv).map_err(|why| damaged(format!("a move: {why}")))?,
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
