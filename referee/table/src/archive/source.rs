//! What an archive is made from: the verified entries of a log, or the text that a match was imported from.

use crate::{Parts, TableError};
use referee_library::content_digest;
use referee_store::chain::Verifier;
use referee_store::log::Entry;
use referee_store::{Hash, MatchId};

/// The text that a match was imported from.
pub(super) fn text(parts: &Parts, record: &[u8]) -> Result<String, TableError> {
    let damaged = |what: &str| TableError::Damaged(what.into());
    let digest = Hash::try_from(record).map_err(|_| damaged("a digest has not 32 bytes"))?;
    let text = parts.store.content(&digest)?;
    let text = text.ok_or_else(|| damaged("the text that it was imported from is not kept"))?;
    if content_digest(&text) != digest {
        return Err(damaged(
            "the text that it was imported from is not what was kept",
        ));
    }
    String::from_utf8(text).map_err(|_| damaged("the text that it was imported from is no text"))
}

/// An entry, the very bytes that it was read from, and what ties it to those before it.
pub(super) type Told = (Entry, Vec<u8>, Hash);

/// Every entry of a log, verified: when it was written, what it says, and what ties it to those before it.
pub(super) fn entries(parts: &Parts, id: &MatchId) -> Result<Vec<Told>, TableError> {
    let mut all = Vec::new();
    Verifier::new(id).read_on(&*parts.store, id, |entry| -> Result<(), TableError> {
        all.push((Entry::decode(&entry.body)?, entry.body.clone(), entry.chain));
        Ok(())
    })?;
    Ok(all)
}
