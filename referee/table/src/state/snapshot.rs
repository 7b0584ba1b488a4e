//! A match as it was after its last durable entry: what readers look at.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use interpreter::Ruleset;
use interpreter::play::{
    Audience, ClosedMoves, Id, Match, Move, Outcome, Preview, Question, Seat, Target, Value, View,
};
use prost::bytes::Bytes;

use super::all_hands::all_hands;
use super::history::{Cursor, Ends, History, Moment, Seen};
use super::info::MatchInfo;
use crate::TableError;
use referee_library::players::Random;
use referee_store::MatchState;
use referee_store::log::v1::{Maker, Place, TableChanged};
use referee_store::numbers::to_u64;

/// A match as it was after its last durable entry. It does not change; the next entry makes another.
pub struct Snapshot {
    /// Everything but the game.
    pub info: MatchInfo,
    /// The game, once started.
    pub play: Option<Arc<Play>>,
}

impl Snapshot {
    /// How often the seat of an audience was released; none if it has no seat.
    pub fn lap(&self, audience: Audience) -> Option<u32> {
        let Audience::Seat(seat) = audience else {
            return None;
        };
        self.info.seat(seat).map(|seat| seat.laps)
    }

    /// The game, if it can be played.
    ///
    /// # Errors
    ///
    /// Says why it cannot.
    pub fn playing(&self) -> Result<&Arc<Play>, TableError> {
        match self.info.state {
            MatchState::Lobby => Err(TableError::NotStarted),
            MatchState::Finished => Err(TableError::Over),
            MatchState::Suspended => Err(self.suspension()),
            MatchState::Running => self.play.as_ref().ok_or(TableError::NotStarted),
        }
    }

    /// The game, if a move can be made now.
    ///
    /// # Errors
    ///
    /// Says why not.
    pub fn moving(&self) -> Result<&Arc<Play>, TableError> {
        if self.info.paused {
            return Err(TableError::Paused);
        }
        self.playing()
    }

    /// The game, if there is one to look at.
    ///
    /// # Errors
    ///
    /// Says why there is none.
    pub fn visible(&self) -> Result<&Arc<Play>, TableError> {
        match (&self.play, self.info.state) {
            (Some(play), _) => Ok(play),
            (None, MatchState::Suspended) => Err(self.suspension()),
            (None, MatchState::Finished) => Err(TableError::Over),
            (None, _) => Err(TableError::NotStarted),
        }
    }

    pub(crate) fn suspension(&self) -> TableError {
        match &self.info.suspended {
            Some(reason) if self.info.damaged => TableError::Damaged(reason.clone()),
            _ => TableError::Suspended,
        }
    }

    /// The seats that are asked something.
    pub fn waiting(&self) -> Vec<Seat> {
        let play = self.play.as_ref();
        play.map(|play| play.game().waiting()).unwrap_or_default()
    }

    /// The table as all seats together see it, once that is shown to spectators: when the match is over, or when every
    /// player has agreed. Takes its time: not for async threads.
    pub fn all_hands(&self) -> Option<View> {
        let shown = self.info.state == MatchState::Finished || self.info.hands_shown;
        let play = self.play.as_ref().filter(|_| shown)?;
        Some(all_hands(play.game()))
    }

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
    /// The new events, as clients are told of them.
    pub written: Bytes,
    /// The token that continues after them, once somebody has made it.
    pub resume_token: OnceLock<String>,
}

impl Play {
    /// A game that has just been set up.
    pub(crate) fn begun(game: Match) -> Play {
        Play::of(Arc::new(game), History::default(), &Ends::default())
    }

    /// A game whose history is known.
    pub(crate) fn of(game: Arc<Match>, history: History, before: &Ends) -> Play {
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
    pub(crate) fn moved(&self, game: Match, maker: Maker) -> Play {
        let mut history = self.history.clone();
        history.made_by(&game, to_u64(self.game.happened()), maker);
        Play::of(Arc::new(game), history, &self.ends)
    }

    /// The same game after something happened at the table.
    pub(crate) fn noted(&self, change: TableChanged) -> Play {
        let mut history = self.history.clone();
        let moves = to_u64(self.game.moves().len());
        history.note(to_u64(self.game.happened()), moves, change);
        Play::of(self.game.clone(), history, &self.ends)
    }

    /// Another game in the place of this one.
    pub(crate) fn changed(&self, game: Match) -> Play {
        let mut history = self.history.clone();
        history.change_game(&self.game, &game);
        Play::of(Arc::new(game), history, &self.ends)
    }

    /// The game as it is, with every secret: who answers somebody has no way to it, but only to what an audience sees.
    pub(crate) fn game(&self) -> &Match {
        &self.game
    }

    /// Whether nobody has moved between the two.
    pub(crate) fn is_as_far_as(&self, other: &Play) -> bool {
        Arc::ptr_eq(&self.game, &other.game)
    }

    /// The table as an audience sees it. Takes its time: not for async threads.
    pub fn view(&self, audience: Audience) -> View {
        self.game.view(audience)
    }

    /// How it ended, which everybody knows; none while it goes on.
    pub fn outcome(&self) -> Option<Outcome> {
        self.game.outcome()
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

    /// Moves of a name that are not offered to a seat, as [`Match::closed_moves`] finds them. Takes its time: not for async
    /// threads.
    pub fn closed_moves(
        &self,
        seat: Seat,
        name: &str,
        fixed: &[(Id, Value)],
        first: usize,
        most: usize,
    ) -> Option<ClosedMoves> {
        self.game.closed_moves(seat, name, fixed, first, most)
    }

    /// Where these offers of what a seat is asked point, as [`Match::targets`] finds it. The same for everybody who asks.
    /// Takes its time: not for async threads.
    pub fn targets(&self, seat: Seat, offers: &[usize]) -> Vec<Vec<Target>> {
        let mut random = self.foresight();
        self.game.targets(seat, offers, &mut || random.word())
    }

    /// Chance to look ahead with.
    fn foresight(&self) -> Random {
        Random::new(to_u64(self.game.happened()), 0)
    }

    /// What moves of a seat would bring, as far as it can know. The same for everybody who asks. Takes its time: not for
    /// async threads.
    pub fn preview(&self, seat: Seat, moves: &[Move]) -> Preview {
        let mut random = self.foresight();
        self.game.preview(seat, moves, &mut || random.word())
    }

    /// Whether a seat is asked something.
    pub fn asks(&self, seat: Seat) -> bool {
        self.game.waiting().contains(&seat)
    }

    /// The step that asks.
    pub fn asking_step(&self) -> Option<String> {
        self.game.asking_step().map(|step| step.to_string())
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

    /// Everything that was told, in moves and changes at the table.
    pub(crate) fn told(&self) -> Place {
        self.history.told(&self.game)
    }

    /// The cursor of an audience where so much was told. Takes its time: not for async threads.
    pub(crate) fn cursor(&self, audience: Audience, place: Place) -> Cursor {
        self.ends.at(&self.history, &self.game, audience, place)
    }

    /// The last moment at which the table waited for somebody and this audience had been told of no more events than these.
    pub(super) fn moment(&self, audience: Audience, number: u64) -> Moment<'_> {
        self.history.moment(&self.game, audience, number)
    }

    /// Tells at most `limit` events from a cursor on, each with its number for the audience; gives the cursor after them.
    pub fn tell(
        &self,
        audience: Audience,
        from: Cursor,
        limit: usize,
        tell: impl FnMut(u64, Seen<'_>),
    ) -> Cursor {
        self.history.read(&self.game, audience, from, limit, tell)
    }

    /// What is new to an audience since a cursor, if it is at most `limit` events; written once for all who ask
    /// for the same.
    pub fn news(
        &self,
        audience: Audience,
        since: Cursor,
        limit: usize,
        write: impl FnOnce() -> Bytes,
    ) -> Option<Arc<News>> {
        let count = self.end(audience).number.saturating_sub(since.number);
        if count > to_u64(limit) {
            return None;
        }
        let news = self.news.get(self.ends.place(audience))?;
        let mut news = news.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(news) = news.as_ref().filter(|news| news.since == since) {
            return Some(news.clone());
        }
        let fresh = Arc::new(News {
            since,
            written: write(),
            resume_token: OnceLock::new(),
        });
        *news = Some(fresh.clone());
        Some(fresh)
    }
}
