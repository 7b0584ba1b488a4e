//! Reads on in the log of a match that another referee has written to.
//!
//! What was added is verified as all before it was. Most of it are moves, which are made again; where something else
//! stands, or something does not fit (also to what was known before), the match is restored as if it had never been open.

use std::sync::Arc;

use interpreter::play::Seed;

use super::restore::{self, Restored, Trust};
use crate::{Parts, Play, Snapshot, TableError};
use referee_store::log::v1::{RecordedMove, entry::Body};
use referee_store::log::{self, Entry, Format};
use referee_store::{Hash, MatchState, StoredEntry, chain};

/// Entries that are read at most, before it is simpler to restore the match.
const MOST: usize = 256;

/// A match as far as it is known.
pub struct Known<'a> {
    /// What it was after the last entry that is known.
    pub snapshot: &'a Snapshot,
    /// Entries that are known.
    pub length: u64,
    /// The hash of the last of them.
    pub head: Hash,
    /// Its seed; none if the record is damaged.
    pub seed: Option<Seed>,
}

/// What was read on.
pub enum Read {
    /// Nobody has written anything.
    Nothing,
    /// The match as it is now.
    More(Box<Restored>),
    /// There is no such match any more.
    Gone,
}

/// Reads on. Takes its time: not for async threads.
///
/// # Errors
///
/// As [`restore`](restore::restore).
pub fn read_on(parts: &Parts, known: &Known<'_>) -> Result<Read, TableError> {
    let id = &known.snapshot.info.id;
    let entries = parts.store.read(id, known.length, MOST)?;
    if entries.is_empty()
        && let Some(kept) = parts.store.find(id)?
        && (kept.length, kept.chain) == (known.length, known.head)
    {
        return Ok(Read::Nothing);
    }
    if let Some(restored) = moved_on(known, &entries)? {
        return Ok(Read::More(Box::new(restored)));
    }
    let restored = restore::restore(parts, id, Trust::Snapshots)?;
    Ok(restored.map_or(Read::Gone, |restored| Read::More(Box::new(restored))))
}

/// The match after entries of which all are moves, and its end; none if something else is among them.
fn moved_on(known: &Known<'_>, entries: &[StoredEntry]) -> Result<Option<Restored>, TableError> {
    let Some(play) = &known.snapshot.play else {
        return Ok(None);
    };
    if entries.is_empty() || entries.len() == MOST {
        return Ok(None);
    }
    let mut verifier = chain::Verifier::behind(known.length, known.head);
    let (mut info, mut play) = (known.snapshot.info.clone(), play.clone());
    for stored in entries {
        if verifier.verify(stored).is_err() {
            // What was known is not what stands there: a commit that was read on and never acknowledged is gone with the
            // database that had it. Restoring believes the log alone, and says if that is damaged.
            return Ok(None);
        }
        let entry = Entry::decode(&stored.body)?;
        info.tell(entry.at_ms, &entry.body);
        match &entry.body {
            Body::Moved(moved) if entry.format == Format::Canonical => {
                match made_again(&play, info.ask_forced, &moved.moves, &moved.state_hash)? {
                    Some(after) => play = Arc::new(after),
                    None => return Ok(None),
                }
            }
            Body::Finished(_) => {}
            _ => return Ok(None),
        }
    }
    let is_over = play.game().outcome().is_some();
    if is_over != (info.state == MatchState::Finished) {
        return Ok(None);
    }
    if is_over {
        info.revealed = known.seed;
    }
    Ok(Some(Restored {
        snapshot: Snapshot {
            info,
            play: Some(play),
        },
        length: verifier.verified(),
        head: verifier.head(),
        seed: known.seed,
        spared: 0,
    }))
}

/// A game after moves that an entry has; none if they do not lead where it says.
fn made_again(
    play: &Play,
    ask_forced: bool,
    moves: &[RecordedMove],
    state_hash: &[u8],
) -> Result<Option<Play>, TableError> {
    let maker = moves.first().map(RecordedMove::maker).unwrap_or_default();
    let moves = log::moves_in(moves)?;
    let mut game = play.game().clone();
    // Every move is in the log, forced ones too.
    let played = game.set_ask_forced(true).is_ok()
        && game.play_on(&moves).is_ok()
        && game.set_ask_forced(ask_forced).is_ok();
    let agrees = played && game.next_state_hash().0[..] == *state_hash;
    Ok(agrees.then(|| play.moved(game, maker)))
}
