//! A match as it was after its last durable entry: what readers look at.

use std::sync::{Arc, OnceLock};

use interpreter::Ruleset;
use interpreter::package::Configuration;
use interpreter::play::{Audience, Digest, Event, Match, Question, Seat, Seed};

use super::history::{self, Cursor, Ends};
use crate::store::{Hash, MatchId, MatchState, Principal};

/// Everything about a match but the game itself.
#[derive(Clone)]
pub struct MatchInfo {
    /// Its id.
    pub id: MatchId,
    /// Its host.
    pub host: Principal,
    /// Its ruleset's id.
    pub ruleset: String,
    /// Digest of the ruleset's texts.
    pub content: Hash,
    /// Digest of texts, configuration and engine version.
    pub digest: Digest,
    /// Its configuration.
    pub configuration: Configuration,
    /// Whether forced moves are asked.
    pub ask_forced: bool,
    /// Its seats.
    pub seats: Vec<SeatInfo>,
    /// How far it is.
    pub state: MatchState,
    /// When it was created, in milliseconds of Unix time.
    pub created_ms: i64,
    /// When it was started.
    pub started_ms: Option<i64>,
    /// When it ended.
    pub ended_ms: Option<i64>,
    /// What was published of the seed.
    pub commitment: Vec<u8>,
    /// The seed, once the match is over.
    pub revealed: Option<Seed>,
    /// Why it cannot go on, for the host.
    pub suspended: Option<String>,
    /// Whether it cannot go on because its record is damaged.
    pub damaged: bool,
}

/// A seat of a match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeatInfo {
    /// What its player is called; none until it is claimed.
    pub player: Option<String>,
}

/// A match as it was after its last durable entry. It does not change; the next entry makes another.
pub struct Snapshot {
    /// Everything but the game.
    pub info: MatchInfo,
    /// The game, once started.
    pub play: Option<Arc<Play>>,
}

/// A game as it was after its last durable move.
pub struct Play {
    game: Match,
    ends: Ends,
    questions: Vec<OnceLock<Option<Question>>>,
}

impl Play {
    /// A game with its history so far, `before` being the ends of an earlier snapshot of it.
    pub(super) fn new(game: Match, before: &Ends) -> Play {
        let seats = game.ruleset().configuration().players;
        let ends = before.advance(&game, seats);
        Play {
            game,
            ends,
            questions: (0..seats).map(|_| OnceLock::new()).collect(),
        }
    }

    pub(super) fn ends(&self) -> &Ends {
        &self.ends
    }

    /// The game.
    pub fn game(&self) -> &Match {
        &self.game
    }

    /// The ruleset.
    pub fn ruleset(&self) -> &Arc<Ruleset> {
        self.game.ruleset()
    }

    /// What a seat is asked; worked out once. Takes its time: not for async threads.
    pub fn question(&self, seat: Seat) -> Option<&Question> {
        let question = self.questions.get(usize::from(seat.0))?;
        question.get_or_init(|| self.game.question(seat)).as_ref()
    }

    /// Where this audience's history ends.
    pub fn end(&self, audience: Audience) -> Cursor {
        self.ends.cursor(audience)
    }

    /// At most `limit` events from a cursor on, numbered, and the cursor after them.
    pub fn events(
        &self,
        audience: Audience,
        from: Cursor,
        limit: usize,
    ) -> (Vec<(u64, Event)>, Cursor) {
        history::read(&self.game, audience, from, limit)
    }
}
