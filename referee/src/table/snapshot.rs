//! A match as it was after its last durable entry: what readers look at.

use std::sync::{Arc, OnceLock};

use interpreter::Ruleset;
use interpreter::play::{Audience, Match, Question, Seat};

use super::history::{Cursor, Ends, History, Seen};
use super::info::MatchInfo;
use crate::wire::log::v1::Maker;
use crate::wire::v1::TableChanged;

/// A match as it was after its last durable entry. It does not change; the next entry makes another.
pub struct Snapshot {
    /// Everything but the game.
    pub info: MatchInfo,
    /// The game, once started.
    pub play: Option<Arc<Play>>,
}

/// A game as it was after its last durable move, and everything that happened before.
pub struct Play {
    game: Arc<Match>,
    history: History,
    ends: Ends,
    questions: Vec<OnceLock<Option<Question>>>,
}

impl Play {
    /// A game that has just been set up.
    pub(super) fn begun(game: Match) -> Play {
        Play::of(Arc::new(game), History::default(), &Ends::default())
    }

    /// A game whose history is known.
    pub(super) fn of(game: Arc<Match>, history: History, before: &Ends) -> Play {
        let seats = game.ruleset().configuration().players;
        let ends = before.advance(&history, &game, seats);
        Play {
            game,
            history,
            ends,
            questions: (0..seats).map(|_| OnceLock::new()).collect(),
        }
    }

    /// The same game after a move.
    pub(super) fn moved(&self, game: Match, maker: Maker) -> Play {
        let mut history = self.history.clone();
        history.made_by(&game, self.game.happened() as u64, maker);
        Play::of(Arc::new(game), history, &self.ends)
    }

    /// The same game after something happened at the table.
    pub(super) fn noted(&self, change: TableChanged) -> Play {
        let mut history = self.history.clone();
        history.note(self.game.happened() as u64, change);
        Play::of(self.game.clone(), history, &self.ends)
    }

    /// Another game in the place of this one.
    pub(super) fn changed(&self, game: Match) -> Play {
        let mut history = self.history.clone();
        history.change_game(&self.game, &game);
        Play::of(Arc::new(game), history, &self.ends)
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
    ) -> (Vec<(u64, Seen)>, Cursor) {
        self.history.read(&self.game, audience, from, limit)
    }
}
