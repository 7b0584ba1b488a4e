//! Names of players, kept apart from the log.
//!
//! An entry holds a salted digest of a name. The name stands in a table of its own, with its salt: when that row is
//! erased, nothing tells what the name was, and chains, proofs and signatures stay what they are. Entries of earlier
//! builds have names in them, which cannot be erased.

use std::collections::BTreeMap;

use ring::digest::{Context, SHA256};

use super::v1::{entry::Body, table_changed::Kind};
use crate::secrets::entropy;
use crate::{Hash, MatchId, NAME_SALT, NameRow, Store, StoreError};

/// What an entry holds of a name: `SHA-256("referee/name/v1\n" ‖ salt (16 bytes) ‖ name)`.
pub fn digest(salt: &[u8; NAME_SALT], name: &str) -> Hash {
    let mut hash = Context::new(&SHA256);
    hash.update(b"referee/name/v1\n");
    hash.update(salt);
    hash.update(name.as_bytes());
    let mut bytes = [0; 32];
    bytes.copy_from_slice(hash.finish().as_ref());
    bytes
}

/// A name with a salt of its own.
///
/// # Errors
///
/// When the operating system has no entropy to give.
pub fn salted(name: String) -> std::io::Result<NameRow> {
    let salt = entropy()?;
    Ok(NameRow {
        digest: digest(&salt, &name),
        salt,
        name,
    })
}

/// Whether a name is the one that its digest is of.
pub fn fits(row: &NameRow) -> bool {
    digest(&row.salt, &row.name) == row.digest
}

/// Takes a name out of an entry that is to be kept, if it holds the digest.
pub fn strip(body: &mut Body) {
    if let Some((digest, name)) = called(body)
        && !digest.is_empty()
    {
        name.clear();
    }
}

/// The digest and the name in an entry that says what a player is called.
fn called(body: &mut Body) -> Option<(&[u8], &mut String)> {
    match body {
        Body::SeatClaimed(claimed) => Some((&claimed.name, &mut claimed.display_name)),
        Body::Noted(noted) => match noted.change.as_mut()?.kind.as_mut()? {
            Kind::SeatTaken(taken) => Some((&taken.name, &mut taken.display_name)),
            _ => None,
        },
        _ => None,
    }
}

/// The digest of a name that an entry holds.
pub fn named(body: &Body) -> Option<Hash> {
    let digest = match body {
        Body::SeatClaimed(claimed) => &claimed.name,
        Body::Noted(noted) => match noted.change.as_ref()?.kind.as_ref()? {
            Kind::SeatTaken(taken) => &taken.name,
            _ => return None,
        },
        _ => return None,
    };
    digest[..].try_into().ok()
}

/// The names of a match that have not been erased.
#[derive(Default)]
pub struct Names(BTreeMap<Hash, String>);

impl FromIterator<(Hash, String)> for Names {
    fn from_iter<I: IntoIterator<Item = (Hash, String)>>(rows: I) -> Names {
        Names(rows.into_iter().collect())
    }
}

impl Names {
    /// Those that are kept, and are what their digests are of: verification reports the others.
    ///
    /// # Errors
    ///
    /// When the store fails.
    pub fn of(store: &dyn Store, id: &MatchId) -> Result<Names, StoreError> {
        let rows = store.names(id)?.into_iter();
        let sound = rows.filter(fits).map(|row| (row.digest, row.name));
        Ok(sound.collect())
    }

    /// Puts a name back into an entry that was read; one that was erased is empty.
    pub fn fill(&self, body: &mut Body) {
        if let Some((digest, name)) = called(body)
            && let Some(known) = Hash::try_from(digest).ok().and_then(|of| self.0.get(&of))
        {
            name.clone_from(known);
        }
    }
}
