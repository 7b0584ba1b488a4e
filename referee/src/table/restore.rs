//! From a log back to the match it is the log of.
//!
//! What is read must be what was written (the hash chain), must replay move by move, and must arrive
//! at the state that was there. If it does not, the match is suspended and nothing is guessed.

use std::collections::BTreeMap;
use std::sync::Arc;

use interpreter::Ruleset;
use interpreter::package::Configuration;
use interpreter::play::{Digest, Match, Record, RecordedMove, Seed};

use super::hall::Parts;
use super::history::Ends;
use super::snapshot::{MatchInfo, Play, SeatInfo, Snapshot};
use super::{TableError, log, seed};
use crate::library::Edition;
use crate::store::{Hash, MatchId, MatchState, NewMatch, chain};
use crate::wire::log::v1::{self as wire, entry::Body};

/// Entries that are read at a time.
const PAGE: usize = 1000;

/// A match as its log says it is.
pub struct Restored {
    /// The match.
    pub snapshot: Snapshot,
    /// Entries of its log.
    pub length: u64,
    /// Its seed; none if the record is damaged.
    pub seed: Option<Seed>,
}

/// Reads the log of a match; none if there is no such match. Takes its time: not for async threads.
///
/// # Errors
///
/// When the store fails, or not even the first entry can be read.
pub fn restore(parts: &Parts, id: &MatchId) -> Result<Option<Restored>, TableError> {
    let Some((kept, _)) = parts.store.find(id)? else {
        return Ok(None);
    };
    let mut story = Story::default();
    let mut verifier = chain::Verifier::new(id);
    let mut trouble = None;
    loop {
        let entries = parts.store.read(id, verifier.verified(), PAGE)?;
        if entries.is_empty() {
            break;
        }
        for entry in &entries {
            let told = verifier
                .verify(entry)
                .map_err(TableError::from)
                .and_then(|()| story.tell(&entry.body));
            if let Err(error) = told {
                trouble = Some(error);
                break;
            }
        }
        if trouble.is_some() {
            break;
        }
    }
    let Some(mut info) = story.info(id, kept) else {
        return Err(
            trouble.unwrap_or_else(|| TableError::Damaged("the log has no beginning".into()))
        );
    };
    let seed = story.seed(parts, id);
    let played = match trouble {
        Some(error) => Err(error),
        None => story.play(parts, &info, seed),
    };
    let play = match played {
        Ok(play) => play.map(Arc::new),
        Err(TableError::Damaged(reason)) => {
            tracing::error!(%id, %reason, "the record of a match is damaged");
            info.state = MatchState::Suspended;
            info.suspended = Some(reason);
            info.damaged = true;
            None
        }
        Err(error) => return Err(error),
    };
    if info.state == MatchState::Finished {
        info.revealed = seed;
    }
    let seed = if info.damaged { None } else { seed };
    Ok(Some(Restored {
        snapshot: Snapshot { info, play },
        length: verifier.verified(),
        seed,
    }))
}

/// The ruleset that a match is pinned to. Takes its time: not for async threads.
///
/// # Errors
///
/// [`TableError::Damaged`] when its texts are not kept, or do not compile to what they were.
pub fn ruleset(parts: &Parts, info: &MatchInfo) -> Result<Arc<Ruleset>, TableError> {
    let content = parts.store.content(&info.content)?;
    let content =
        content.ok_or_else(|| TableError::Damaged("the ruleset's texts are not kept".into()))?;
    let edition =
        Edition::from_content(&content).map_err(|error| TableError::Damaged(error.to_string()))?;
    if edition.digest != info.content {
        return Err(TableError::Damaged(
            "the ruleset's texts are not what was kept".into(),
        ));
    }
    let ruleset = parts
        .library
        .compile(&edition, &info.configuration)
        .map_err(|_| TableError::Damaged("the ruleset no longer compiles".into()))?;
    if ruleset.digest() != info.digest {
        return Err(TableError::Damaged(
            "this referee understands the ruleset otherwise than the one that began".into(),
        ));
    }
    Ok(ruleset)
}

/// What the entries say, one after the other.
#[derive(Default)]
struct Story {
    created: Option<(i64, wire::Created)>,
    seats: BTreeMap<u32, String>,
    started_ms: Option<i64>,
    ended_ms: Option<i64>,
    suspended: Option<String>,
    moves: Vec<RecordedMove>,
    state_hash: Vec<u8>,
}

impl Story {
    fn tell(&mut self, body: &[u8]) -> Result<(), TableError> {
        let (at, body) = log::decode(body)?;
        match body {
            Body::Created(created) => self.created = Some((at, created)),
            Body::SeatClaimed(claimed) => {
                self.seats.insert(claimed.seat, claimed.display_name);
            }
            Body::Started(started) => {
                self.started_ms = Some(at);
                self.state_hash = started.state_hash;
                self.moves = log::moves_in(&started.moves)?;
            }
            Body::Moved(moved) => {
                self.state_hash = moved.state_hash;
                self.moves.extend(log::moves_in(&moved.moves)?);
            }
            Body::Finished(_) => self.ended_ms = Some(at),
            Body::Suspended(suspended) => self.suspended = Some(suspended.reason),
        }
        Ok(())
    }

    fn info(&self, id: &MatchId, kept: NewMatch) -> Option<MatchInfo> {
        let (at, created) = self.created.as_ref()?;
        let hash = |bytes: &[u8]| Hash::try_from(bytes).ok();
        let seats = (0..created.players).map(|seat| SeatInfo {
            player: self.seats.get(&seat).cloned(),
        });
        let state = match (&self.suspended, self.ended_ms, self.started_ms) {
            (Some(_), _, _) => MatchState::Suspended,
            (None, Some(_), _) => MatchState::Finished,
            (None, None, Some(_)) => MatchState::Running,
            (None, None, None) => MatchState::Lobby,
        };
        Some(MatchInfo {
            id: id.clone(),
            host: kept.host,
            ruleset: created.ruleset.clone(),
            content: hash(&created.content)?,
            digest: Digest(hash(&created.digest)?),
            configuration: Configuration {
                players: u8::try_from(created.players).ok()?,
                modules: created.modules.clone(),
                options: created.options.clone(),
            },
            ask_forced: created.ask_forced,
            seats: seats.collect(),
            state,
            created_ms: *at,
            started_ms: self.started_ms,
            ended_ms: self.ended_ms,
            commitment: created.seed_commitment.clone(),
            revealed: None,
            suspended: self.suspended.clone(),
            damaged: false,
        })
    }

    fn seed(&self, parts: &Parts, id: &MatchId) -> Option<Seed> {
        let (_, created) = self.created.as_ref()?;
        seed::open(&parts.keys, id, &created.sealed_seed)
    }

    /// Plays the game again; none if it has not begun.
    fn play(
        &self,
        parts: &Parts,
        info: &MatchInfo,
        seed: Option<Seed>,
    ) -> Result<Option<Play>, TableError> {
        let damaged = |what: String| TableError::Damaged(what);
        let seed = seed.ok_or_else(|| damaged("the seed was sealed with another key".into()))?;
        if self.started_ms.is_none() {
            return Ok(None);
        }
        let ruleset = ruleset(parts, info)?;
        let record = Record {
            ruleset: info.ruleset.clone(),
            digest: info.digest,
            configuration: info.configuration.clone(),
            seed,
            moves: self.moves.clone(),
        };
        let mut game = Match::replay(ruleset, &record).map_err(damaged)?;
        game.set_ask_forced(info.ask_forced)
            .map_err(|fault| damaged(fault.to_string()))?;
        if game.state_hash().0[..] != self.state_hash[..] {
            return Err(damaged(
                "the moves lead to another state than they did".into(),
            ));
        }
        if (game.outcome().is_some(), game.moves().len())
            != (self.ended_ms.is_some(), self.moves.len())
        {
            return Err(damaged("the moves lead elsewhere than they did".into()));
        }
        Ok(Some(Play::new(game, &Ends::default())))
    }
}
