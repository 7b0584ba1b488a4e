//! A match as it was after its last durable entry: what readers look at.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use interpreter::Ruleset;
use interpreter::play::{Audience, Match, Question, Seat};

use super::history::{Cursor, Ends, History, Seen};
use super::info::MatchInfo;
use crate::wire::convert::Outward;
use crate::wire::log::v1::Maker;
use crate::wire::v1::{self, EventBatch, TableChanged};

/// A match as it was after its last durable entry. It does not change; the next entry makes another.
pub struct Snapshot {
    /// Everything but the game.
    pub info: MatchInfo,
    /// The game, once started.
    pub play: Option<Arc<Play>>,
}

impl Snapshot {
    /// Whether an audience has seen as much of it as a place in its history.
    pub fn has_shown(&self, audience: Audience, place: Cursor) -> bool {
        let end = self
            .play
            .as_ref()
            .map_or_else(Cursor::default, |play| play.end(audience));
        end.number >= place.number && end.happened >= place.happened
    }
}

/// A game as it was after its last durable move, and everything that happened before.
pub struct Play {
    game: Arc<Match>,
    history: History,
    ends: Ends,
    questions: Vec<OnceLock<Option<Question>>>,
    /// What is new to each audience; made when the first asks, for all who have come as far.
    news: Vec<Mutex<Option<Arc<News>>>>,
}

/// What is new to an audience.
#[derive(Debug)]
pub struct News {
    since: Cursor,
    /// The new events.
    pub events: EventBatch,
    /// The token that continues after them, once somebody has made it.
    pub resume_token: OnceLock<String>,
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
            news: (0..=seats).map(|_| Mutex::default()).collect(),
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

    /// The number of what a seat is asked. Takes its time: not for async threads.
    pub fn question_number(&self, seat: Seat) -> Option<u64> {
        match self.questions.get(usize::from(seat.0))?.get() {
            Some(question) => question.as_ref().map(|question| question.number),
            None => self.game.question_number(seat),
        }
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

    /// What is new to an audience since a cursor, if it is at most `limit` events; made once for all who ask
    /// for the same.
    pub fn news(&self, audience: Audience, since: Cursor, limit: usize) -> Option<Arc<News>> {
        let count = self.end(audience).number.saturating_sub(since.number);
        if count > limit as u64 {
            return None;
        }
        let news = self.news.get(self.ends.place(audience))?;
        let mut news = news.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(news) = news.as_ref().filter(|news| news.since == since) {
            return Some(news.clone());
        }
        let (events, _) = self.events(audience, since, usize::MAX);
        let fresh = Arc::new(News {
            since,
            events: EventBatch::of(self.messages(&events)),
            resume_token: OnceLock::new(),
        });
        *news = Some(fresh.clone());
        Some(fresh)
    }

    /// Events as messages.
    pub fn messages(&self, events: &[(u64, Seen)]) -> Vec<v1::Event> {
        let outward = Outward::new(self.ruleset().package());
        let message = |(number, seen): &(u64, Seen)| match seen {
            Seen::Game(event, maker) => outward.seen(*number, event, *maker),
            Seen::Table(change) => v1::Event {
                number: *number,
                kind: Some(v1::event::Kind::TableChanged(change.clone())),
            },
        };
        events.iter().map(message).collect()
    }
}
