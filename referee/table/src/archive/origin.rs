//! A match that was imported, and the text that it came from.

use ring::digest::{SHA256, digest};

use super::format::Lines;
use super::source;
use crate::{Parts, TableError};
use referee_store::log::v1::{self, entry::Body};
use referee_store::secrets::hex;
use referee_store::{Hash, MatchId};

/// Whether the match that is kept is the one of the text that it was imported from; gives who has signed that.
///
/// # Errors
///
/// When it is not, or the store fails.
pub fn signers(
    parts: &Parts,
    id: &MatchId,
    created: &v1::Created,
) -> Result<Vec<Hash>, TableError> {
    let damaged = |what: &str| TableError::Damaged(what.into());
    let text = source::text(parts, &created.record)?;
    let (lines, end) = Lines::of(&text).map_err(|error| match error {
        TableError::Record(why) => TableError::Damaged(why),
        error => error,
    })?;
    let header = &lines.header;
    let same = header.r#match == id.as_str()
        && header.seed_commitment == hex(&created.seed_commitment)
        && header.committed_digest == hex(&created.digest);
    let entries = source::entries(parts, id)?;
    let mut told = entries.iter().skip(1);
    let mut imported = lines.bodies.iter();
    let same = same && imported.all(|body| told.next().is_some_and(|(_, told, _)| told == body));
    // What came after it was imported is no more than that its store was migrated.
    if !same || !told.all(|(entry, ..)| matches!(entry.body, Body::Migrated(_))) {
        return Err(damaged(
            "the match is not that of the text that it was imported from",
        ));
    }
    let sum = digest(&SHA256, &text.as_bytes()[..lines.before]);
    let fitting = end
        .signatures
        .iter()
        .filter_map(|one| one.fits(sum.as_ref()));
    Ok(fitting.collect())
}
