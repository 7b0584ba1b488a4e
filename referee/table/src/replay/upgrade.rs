//! Upgrades a match of an earlier build: one entry is added, which names its state in the canonical form.
//!
//! No entry is rewritten, so what was proved of the log stays true of it. From then on the match is held to that state,
//! whatever becomes of the layout that the hashes of before speak of.

use interpreter::play::LAID_OUT_AS_LOGGED;

use super::restore::{self, Trust};
use crate::{Parts, TableError};
use referee_store::log::v1::{self, entry::Body};
use referee_store::log::{self, Entry, Format};
use referee_store::{Append, Appended, MatchId, MatchState, StoreError};

/// What became of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Carried {
    /// Its state is named now. Whether every hash of the earlier form was compared, and agreed; otherwise the evidence is
    /// that its moves were legal, the forced ones the same, and so was its ending.
    Over {
        /// See above.
        hashes_compared: bool,
    },
    /// It has no state yet, or one that is named already.
    Nothing,
    /// It stays as it was, because of this.
    Stays(String),
}

/// Carries a match over. Takes its time: not for async threads.
///
/// # Errors
///
/// When the store fails.
pub fn carried_over(parts: &Parts, id: &MatchId) -> Result<Carried, TableError> {
    let restored = match restore::restore(parts, id, Trust::Nothing) {
        Ok(Some(restored)) => restored,
        Ok(None) => return Ok(Carried::Nothing),
        Err(TableError::Store(error)) => return Err(TableError::Store(error)),
        Err(error) => return Ok(Carried::Stays(format!("{error:?}"))),
    };
    let info = &restored.snapshot.info;
    if let Some(reason) = &info.suspended
        && (info.damaged || info.otherwise.is_some())
    {
        return Ok(Carried::Stays(reason.clone()));
    }
    let Some(play) = &restored.snapshot.play else {
        return Ok(Carried::Nothing);
    };
    // Entries of this build name states themselves.
    let last = parts.store.read(id, restored.length.saturating_sub(1), 1)?;
    let last = last
        .last()
        .map(|entry| Entry::decode(&entry.body))
        .transpose()?;
    if last.is_none_or(|last| last.format == Format::Canonical) {
        return Ok(Carried::Nothing);
    }
    let game = play.game();
    let as_before = game.ruleset().digest() == info.digest;
    let hashes_compared = LAID_OUT_AS_LOGGED && as_before;
    let body = Body::Migrated(v1::Migrated {
        state_hash: game.state_hash().0.to_vec(),
        moves: u32::try_from(game.moves().len()).unwrap_or(u32::MAX),
        hashes_compared,
    });
    let waiting = restored.snapshot.waiting();
    let due = match info.state {
        MatchState::Running => info.due(&waiting, &parts.outages),
        _ => None,
    };
    let append = Append {
        entries: vec![log::encode(parts.clock.now_ms(), body)?],
        content: Some(info.content),
        due_ms: due.map(|due| due.at_ms),
        open: info.is_listed(),
        ..Append::to(id.clone(), restored.length, info.state)
    };
    match parts.store.append(vec![append])?.first() {
        Some(Appended::Done) => Ok(Carried::Over { hashes_compared }),
        _ => Err(TableError::Store(StoreError::Engine(
            "somebody else writes to this store".into(),
        ))),
    }
}
