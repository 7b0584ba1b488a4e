//! Spectator delay: the match as it was, for spectators whom the host keeps behind the players.
//!
//! The log says what the match was after each of its entries, so this is the log read again, up to a place that
//! follows the end. It is walked only while somebody looks, entry by entry as the match itself was; where that is
//! not enough, such as when moves were taken back, the beginning of the log is played again.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use super::restore;
use crate::{Delay, MatchInfo, Parts, Play, Snapshot, TableError};
use referee_store::log::v1::{self, entry::Body, table_changed::Kind};
use referee_store::log::{self, Entry, Format};
use referee_store::numbers::{to_u64, to_usize};
use referee_store::{MatchId, MatchState, chain};

/// The way that spectators follow behind a match.
pub struct SpectatorDelay {
    id: MatchId,
    delay: Delay,
    behind: Mutex<Option<Behind>>,
}

/// How far it was walked.
struct Behind {
    /// The match as spectators see it; none before anybody looked.
    snapshot: Option<Arc<Snapshot>>,
    /// Entries that they have seen.
    seen: u64,
    /// Entries that they have not seen yet, and when each was written.
    waiting: VecDeque<Entry>,
    verifier: chain::Verifier,
}

impl SpectatorDelay {
    /// Of a match; none if spectators see it as it is.
    pub(crate) fn of(info: &MatchInfo) -> Option<SpectatorDelay> {
        Some(SpectatorDelay {
            id: info.id.clone(),
            delay: info.delay?,
            behind: Mutex::default(),
        })
    }

    /// The match as spectators see it at this time, in milliseconds of Unix time, and when they see more of it
    /// though nothing happens. Takes its time: not for async threads.
    ///
    /// # Errors
    ///
    /// When the store fails, or the log cannot be read.
    pub fn look(
        &self,
        parts: &Parts,
        live: &Arc<Snapshot>,
        now_ms: i64,
    ) -> Result<(Arc<Snapshot>, Option<i64>), TableError> {
        if live.info.state == MatchState::Finished || live.info.damaged {
            return Ok((live.clone(), None));
        }
        let mut held = self.behind.lock().unwrap_or_else(PoisonError::into_inner);
        // After a failure it is walked anew: nothing half walked is kept.
        let mut behind = held.take().unwrap_or_else(|| Behind::new(&self.id));
        behind.read(parts, &self.id)?;
        let steps = behind.due(self.delay, now_ms);
        let snapshot = behind.walk(parts, &self.id, steps)?;
        let more = match (self.delay, behind.waiting.front()) {
            (Delay::Milliseconds(ms), Some(entry)) => Some(later(entry.at_ms, ms)),
            _ => None,
        };
        *held = Some(behind);
        Ok((snapshot, more))
    }
}

fn later(at: i64, ms: u64) -> i64 {
    at.saturating_add(i64::try_from(ms).unwrap_or(i64::MAX))
}

impl Behind {
    fn new(id: &MatchId) -> Behind {
        Behind {
            snapshot: None,
            seen: 0,
            waiting: VecDeque::new(),
            verifier: chain::Verifier::new(id),
        }
    }

    /// Reads what was written since.
    fn read(&mut self, parts: &Parts, id: &MatchId) -> Result<(), TableError> {
        self.verifier.read_on(&*parts.store, id, |entry| {
            self.waiting.push_back(Entry::decode(&entry.body)?);
            Ok(())
        })
    }

    /// How many of the entries that wait are to be seen now.
    fn due(&self, delay: Delay, now_ms: i64) -> usize {
        let is_move = |entry: &Entry| matches!(entry.body, Body::Moved(_));
        let due = match delay {
            Delay::Moves(hidden) => {
                let mut moves = self.waiting.iter().filter(|entry| is_move(entry)).count();
                let hidden = to_usize(hidden);
                // Up to the first of the last moves: what stands between moves goes with the one before.
                let first_hidden = self.waiting.iter().position(|entry| {
                    let hides = is_move(entry) && moves <= hidden;
                    moves -= usize::from(is_move(entry) && !hides);
                    hides
                });
                first_hidden.unwrap_or(self.waiting.len())
            }
            Delay::Milliseconds(ms) => {
                let young = |entry: &Entry| later(entry.at_ms, ms) > now_ms;
                let young = self.waiting.iter().position(young);
                young.unwrap_or(self.waiting.len())
            }
        };
        // That there is a match at all is no secret.
        match self.seen {
            0 => due.max(1),
            _ => due,
        }
    }

    /// Goes on by so many entries; gives where that is.
    fn walk(
        &mut self,
        parts: &Parts,
        id: &MatchId,
        steps: usize,
    ) -> Result<Arc<Snapshot>, TableError> {
        let after = self.seen + to_u64(steps);
        let mut walked = self.snapshot.clone();
        for entry in self.waiting.drain(..steps.min(self.waiting.len())) {
            walked = match walked {
                Some(before) => step(&before, &entry)?.map(Arc::new),
                None => None,
            };
        }
        let snapshot = match walked {
            Some(snapshot) => snapshot,
            None => {
                let restored = restore::until(parts, id, after, restore::Trust::Snapshots)?;
                let gone = || TableError::Damaged("the log has no beginning".into());
                Arc::new(restored.ok_or_else(gone)?.snapshot)
            }
        };
        self.seen = after;
        self.snapshot = Some(snapshot.clone());
        Ok(snapshot)
    }
}

/// The match after one more entry; none if the log has to be played again for that.
fn step(before: &Snapshot, entry: &Entry) -> Result<Option<Snapshot>, TableError> {
    let play = match (&entry.body, &before.play) {
        (Body::Moved(moved), Some(play)) => Some(Arc::new(made(play, entry.format, moved)?)),
        (Body::Noted(noted), Some(play)) => {
            let change = noted.change.clone().unwrap_or_default();
            match change.kind {
                Some(Kind::MovesUndone(_) | Kind::RulesetChanged(_)) => return Ok(None),
                _ => Some(Arc::new(play.noted(change))),
            }
        }
        (Body::Started(_), _) => return Ok(None),
        (_, play) => play.clone(),
    };
    let mut info = before.info.clone();
    info.tell(entry.at_ms, &entry.body);
    Ok(Some(Snapshot { info, play }))
}

/// Makes the moves of an entry again.
fn made(play: &Play, format: Format, moved: &v1::Moved) -> Result<Play, TableError> {
    let damaged = |what: &str| TableError::Damaged(what.into());
    let maker = moved.moves.first().map(v1::RecordedMove::maker);
    let moves = log::moves_in(&moved.moves)?;
    let first = moves.first();
    let first = first.ok_or_else(|| damaged("an entry of a move has none"))?;
    let mut game = play.game().clone();
    // Those that follow from it are forced, and are made by themselves.
    game.apply(first.seat, &first.mv)
        .map_err(|_| damaged("a move that was made cannot be made again"))?;
    // What was written in the first form was compared when the match was opened.
    if format == Format::Canonical && game.state_hash().0[..] != moved.state_hash[..] {
        return Err(damaged("the moves lead to another state than they did"));
    }
    Ok(play.moved(game, maker.unwrap_or_default()))
}
