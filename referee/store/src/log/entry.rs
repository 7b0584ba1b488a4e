//! The entries of a match's log, as bytes and back.
//!
//! Written once and read for ever: a referee reads every format that was ever written.

use prost::Message as _;

use super::names;
use super::v1::{self, entry::Body};
use crate::secrets::drawn;
use crate::{Hash, MatchId, Store, StoreError};

/// The form of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// Hashes of states are of their cells, and nothing is salted.
    Cells = 1,
    /// Hashes of states are of their canonical form; every entry has a salt.
    Canonical = 2,
}

impl Format {
    /// As an entry says it.
    #[expect(clippy::as_conversions, reason = "a discriminant")]
    const fn number(self) -> u32 {
        self as u32
    }
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
pub fn encode(at_ms: i64, mut body: Body) -> std::io::Result<Vec<u8>> {
    names::strip(&mut body);
    let salt: [u8; SALT] = drawn()?;
    let entry = v1::Entry {
        format: FORMAT.number(),
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
    /// [`StoreError::Damaged`] when it is none.
    pub fn decode(bytes: &[u8]) -> Result<Entry, StoreError> {
        let entry = v1::Entry::decode(bytes)
            .map_err(|error| damaged(format!("an entry cannot be read: {error}")))?;
        let format = match entry.format {
            1 => Format::Cells,
            2 if entry.salt.len() == SALT => Format::Canonical,
            2 => return Err(damaged("an entry has no salt".into())),
            other => {
                return Err(damaged(format!(
                    "an entry has format {other}, this referee reads 1 to {}: it was written by a newer one",
                    FORMAT.number()
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

/// Digest of the texts that a match was created with; none if there is no such match.
///
/// # Errors
///
/// When the store fails, or the log does not begin as one.
pub fn begun_with(store: &dyn Store, id: &MatchId) -> Result<Option<Hash>, StoreError> {
    let first = store.read(id, 0, 1)?;
    let Some(first) = first.first() else {
        return Ok(None);
    };
    match Entry::decode(&first.body)?.body {
        Body::Created(created) => Ok(created.content[..].try_into().ok()),
        _ => Err(damaged("the log has no beginning".into())),
    }
}

fn damaged(what: String) -> StoreError {
    StoreError::Damaged(what)
}

/// When something last changed in a match, in milliseconds of Unix time; none if there is no such match.
///
/// # Errors
///
/// When the store fails.
pub fn changed_ms(store: &dyn Store, id: &MatchId) -> Result<Option<i64>, StoreError> {
    let Some(kept) = store.find(id)? else {
        return Ok(None);
    };
    let last = store.read(id, kept.length.saturating_sub(1), 1)?;
    // An entry that cannot be read does not make the match look unchanged: opening it tells why.
    let read = last.first().map(|entry| Entry::decode(&entry.body));
    Ok(read.and_then(Result::ok).map(|entry| entry.at_ms))
}

/// Whether a match was imported.
///
/// # Errors
///
/// When the store fails.
pub fn began_elsewhere(store: &dyn Store, id: &MatchId) -> Result<bool, StoreError> {
    let first = store.read(id, 0, 1)?;
    Ok(first
        .first()
        .is_some_and(|entry| archive(&entry.body).is_some()))
}

/// Digest of the archive that a match was imported from, by its first entry; none if it was not, or that cannot be read.
pub fn archive(first: &[u8]) -> Option<Hash> {
    match Entry::decode(first).ok()?.body {
        Body::Created(created) => Hash::try_from(&created.record[..]).ok(),
        _ => None,
    }
}
