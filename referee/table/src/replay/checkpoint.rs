//! Snapshots: games that are kept beside their logs, so that opening a match does not play all of it again.
//!
//! A snapshot is a game after its first moves. It stands in for playing exactly these moves, by exactly these
//! rules, from the same seed, and for nothing else: the log is read and verified as ever, and the state that it
//! names at its end must come out. The states that the entries before name were those of the game when it was saved;
//! a snapshot is bound to the head of the chain there, so that it stands for these very entries. So a snapshot can be
//! deleted at any time, and one that is stale or damaged costs time and nothing more. It is sealed: it shows every card.

use std::sync::Arc;

use interpreter::Ruleset;
use interpreter::play::{FORM, Match, RecordedMove, Seed};
use prost::Message as _;

use crate::{Metric, Parts};
use referee_store::hashing::Context;
use referee_store::log;
use referee_store::log::v1;
use referee_store::numbers::to_usize;
use referee_store::secrets::Purpose;
use referee_store::{Hash, MatchId};

/// The format that is written.
const FORMAT: u32 = 2;

/// Moves after which a match that is played is saved again. It bounds what a crash makes the next opening cost.
pub const EVERY: usize = 64;

/// Moves after which a match that is let go is worth saving.
pub const WORTH: usize = 16;

/// Saves the game that the first entries of a log lead to. What goes wrong is counted: nobody waits for it. Takes its
/// time: not for async threads.
pub fn save(parts: &Parts, id: &MatchId, entries: u64, game: &Match) {
    match saved(parts, id, entries, game) {
        Ok(()) => parts.metrics.count(Metric::SnapshotWritten),
        Err(error) => {
            tracing::warn!(%id, error, "a snapshot was not written");
            parts.metrics.count(Metric::SnapshotFailed);
        }
    }
}

fn saved(parts: &Parts, id: &MatchId, entries: u64, game: &Match) -> Result<(), String> {
    let last = entries.checked_sub(1).ok_or("the log is empty")?;
    let last = parts.store.read(id, last, 1);
    let last = last.map_err(|error| error.to_string())?;
    let last = last.first().ok_or("its last entry is not in the log")?;
    let moves: Vec<RecordedMove> = game.moves().iter().collect();
    let mut snapshot = v1::Snapshot {
        format: FORMAT,
        engine: FORM.into(),
        digest: game.ruleset().digest().0.to_vec(),
        moves: u32::try_from(moves.len()).unwrap_or(u32::MAX),
        moves_digest: digest(&moves).to_vec(),
        entries,
        head: last.chain.to_vec(),
        sealed_game: Vec::new(),
    };
    let sealed = parts
        .keys
        .seal(Purpose::Snapshot, &bound(id, &snapshot), &game.save());
    snapshot.sealed_game = sealed.map_err(|error| error.to_string())?;
    let kept = parts.store.put_snapshot(id, &snapshot.encode_to_vec());
    kept.map_err(|error| error.to_string())
}

/// A snapshot that was found, and has not been looked into.
pub struct Found(v1::Snapshot);

/// The snapshot of a match; none if there is none that can be read.
pub fn find(parts: &Parts, id: &MatchId) -> Option<Found> {
    let kept = parts.store.snapshot(id);
    let kept = kept.unwrap_or_else(|error| {
        tracing::warn!(%id, %error, "a snapshot could not be read");
        None
    });
    let snapshot = v1::Snapshot::decode(&kept?[..]);
    if snapshot.is_err() {
        damaged(parts, id);
    }
    let snapshot = snapshot.ok()?;
    if (snapshot.format, &snapshot.engine[..]) != (FORMAT, FORM) {
        parts.metrics.count(Metric::SnapshotStale);
        return None;
    }
    Some(Found(snapshot))
}

/// Forgets a snapshot that is not what was written, or that led elsewhere than the log says.
pub fn damaged(parts: &Parts, id: &MatchId) {
    tracing::warn!(%id, "a snapshot is damaged; the match is rebuilt from its log");
    parts.metrics.count(Metric::SnapshotDamaged);
    if let Err(error) = parts.store.delete_snapshot(id) {
        tracing::warn!(%id, %error, "a damaged snapshot could not be deleted");
    }
}

/// Whether the snapshot of a match, if there is one, is what was written.
pub fn snapshot_is_sound(parts: &Parts, id: &MatchId) -> bool {
    let Ok(kept) = parts.store.snapshot(id) else {
        return false;
    };
    let Some(kept) = kept else { return true };
    v1::Snapshot::decode(&kept[..]).is_ok_and(|snapshot| {
        let bound = bound(id, &snapshot);
        let opened = parts
            .keys
            .open(Purpose::Snapshot, &bound, &snapshot.sealed_game);
        opened.is_some()
    })
}

impl Found {
    /// How many entries led to its game.
    pub fn entries(&self) -> u64 {
        self.0.entries
    }

    /// How many moves it spares.
    pub fn moves(&self) -> usize {
        to_usize(self.0.moves)
    }

    /// Whether it was saved behind the entry that this head ties to all before it.
    pub fn is_behind(&self, head: &Hash) -> bool {
        self.0.head[..] == head[..]
    }

    /// The game after the first of these moves, if the snapshot is of them and of these rules.
    pub fn game(
        &self,
        parts: &Parts,
        id: &MatchId,
        ruleset: &Arc<Ruleset>,
        seed: Seed,
        moves: &[RecordedMove],
    ) -> Option<Match> {
        let Found(snapshot) = self;
        let first = moves.get(..to_usize(snapshot.moves));
        let first = first.filter(|first| digest(first)[..] == snapshot.moves_digest[..]);
        let fits = snapshot.digest[..] == ruleset.digest().0 && first.is_some();
        if !fits {
            parts.metrics.count(Metric::SnapshotStale);
            return None;
        }
        let bound = bound(id, snapshot);
        let game = parts
            .keys
            .open(Purpose::Snapshot, &bound, &snapshot.sealed_game);
        let game = game.and_then(|game| Match::restore(ruleset.clone(), seed, &game).ok());
        let game = game.filter(|game| game.moves().len() == to_usize(snapshot.moves));
        if game.is_none() {
            damaged(parts, id);
        }
        game
    }
}

/// What a sealed game is bound to: as another one's it cannot be opened.
fn bound<'a>(id: &'a MatchId, snapshot: &'a v1::Snapshot) -> Vec<&'a [u8]> {
    let mut bound = vec![
        id.as_str().as_bytes(),
        snapshot.engine.as_bytes(),
        &snapshot.digest,
        &snapshot.moves_digest,
    ];
    // The first format did not say behind which entries it was saved.
    if snapshot.format > 1 {
        bound.push(&snapshot.head);
    }
    bound
}

/// A digest of moves as the log has them.
fn digest(moves: &[RecordedMove]) -> Hash {
    static CONTEXT: Context = Context::new("referee 2026-11 moves of a snapshot v1");
    let mut hasher = CONTEXT.hasher();
    for mv in log::moves_out(moves) {
        hasher.update(&mv.encode_length_delimited_to_vec());
    }
    *hasher.finalize().as_bytes()
}
