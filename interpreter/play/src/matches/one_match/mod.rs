//! One match: a game with its history, what it asks ([`question`]), and why it refuses ([`refusal`]).

mod closed_moves;
mod counterfactual;
mod moves;
mod question;
mod refusal;

use std::ops::Range;
use std::sync::Arc;

use super::canonical::Hashed;
use super::history::History;
use super::{views, visible_events};
use crate::api::*;
use crate::budget;
use crate::flow::{Choice, Game, OfferRow};
use crate::machine::{Digest, Fault, Ruleset, Trouble};
use crate::numbers::Fit as _;
use crate::program::model::{EndingId, Gate, QueryModel, control};
use crate::program::package::Configuration;
use crate::state::{Happened, Raw, Seed, with_causes};

pub use closed_moves::{ClosedMove, ClosedMoves};
pub use counterfactual::{Weighed, Wrong};
pub use moves::{Moves, RecordedMove};

/// One play of a ruleset.
#[derive(Clone, Debug)]
pub struct Match {
    game: Game,
    /// What happened, as far as the game has given it here; the rest is in its log.
    history: History,
    /// What was written of the state when its hash was asked for last.
    pub(super) hashed: Option<Arc<Hashed>>,
}

/// Why a move was not applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApplyError {
    /// The rules forbid it.
    Refused(Box<Refusal>),
    /// The ruleset is faulty; the match is as it was before the move.
    Fault(Fault),
}

/// What a match needs to be played again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The ruleset's id.
    pub ruleset: String,
    /// Its digest.
    pub digest: Digest,
    /// The configuration.
    pub configuration: Configuration,
    /// The seed.
    pub seed: Seed,
    /// Every move, in order.
    pub moves: Vec<RecordedMove>,
}

/// Why a record cannot be played again. Shown, it says nothing that is hidden from anybody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotReplayed {
    /// The move, from 1; 0 is the set-up, or the record as a whole.
    pub number: usize,
    why: String,
    detail: String,
}

impl NotReplayed {
    fn of(number: usize, why: String, detail: String) -> NotReplayed {
        NotReplayed {
            number,
            why,
            detail,
        }
    }

    /// The same with all that is known of it, cards of every hand too: for an audience that sees everything.
    pub fn in_full(&self) -> String {
        match &self.detail[..] {
            "" => self.to_string(),
            detail => format!("{self}: {detail}"),
        }
    }
}

impl std::fmt::Display for NotReplayed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.number {
            0 => f.write_str(&self.why),
            number => write!(f, "move {number}: {}", self.why),
        }
    }
}

impl std::error::Error for NotReplayed {}

/// Something that happened; a move with something more behind it.
fn and_more(happened: Happened) -> impl Iterator<Item = Happened> {
    let more = matches!(happened.raw, Raw::Move(_)).then_some(Happened {
        raw: Raw::Due {
            ending: EndingId(0),
        },
        cause: happened.cause,
    });
    std::iter::once(happened).chain(more)
}

impl Match {
    /// Sets up the table and plays on to the first question. Forced moves (a question with one legal
    /// move) are made by the match itself and recorded with [`Origin::Forced`] unless `ask_forced`.
    ///
    /// # Errors
    /// A fault of the ruleset before the first question.
    pub fn new(ruleset: Arc<Ruleset>, seed: Seed, ask_forced: bool) -> Result<Match, Fault> {
        Self::begin(ruleset, seed, ask_forced, false)
    }

    /// As [`new`](Self::new), but remembers which clauses' rules ran; for a traced ruleset.
    pub fn traced(ruleset: Arc<Ruleset>, seed: Seed) -> Result<Match, Fault> {
        Self::begin(ruleset, seed, false, true)
    }

    fn begin(
        ruleset: Arc<Ruleset>,
        seed: Seed,
        ask_forced: bool,
        traced: bool,
    ) -> Result<Match, Fault> {
        let mut game = Game::new(ruleset, seed, ask_forced, true);
        if traced {
            game.seen = Some(game.ruleset.model().clauses.map(|_| false));
        }
        game.advance().map_err(|t| game.fault(t))?;
        Ok(Match::of(game))
    }

    /// The game as it stands, without what has happened.
    pub(in crate::matches) fn into_game(self) -> Game {
        self.game
    }

    fn of(game: Game) -> Match {
        Match::going_on(game, History::default())
    }

    /// A game with what happened before.
    pub(crate) fn going_on(game: Game, history: History) -> Match {
        let mut new = Match {
            game,
            history,
            hashed: None,
        };
        new.rest();
        new
    }

    /// Plays on from a staged position.
    pub(crate) fn staged(mut game: Game) -> Result<Match, Fault> {
        game.set_ask_forced(false).map_err(|t| game.fault(t))?;
        Ok(Match::of(game))
    }

    /// Plays a record again.
    ///
    /// # Errors
    /// Names the first move that differs.
    pub fn replay(ruleset: Arc<Ruleset>, record: &Record) -> Result<Match, NotReplayed> {
        if ruleset.digest() != record.digest {
            let (of, by) = (record.digest, ruleset.digest());
            let why = format!("the record is of the ruleset {of}, not of {by}");
            return Err(NotReplayed::of(0, why, String::new()));
        }
        // Every move is in the record, forced ones too, so that replay does not depend on who made them.
        let played = Self::new(ruleset, record.seed, true);
        let mut played = played.map_err(|fault| {
            NotReplayed::of(0, "the set-up fails".to_owned(), fault.to_string())
        })?;
        played.play_on(&record.moves)?;
        Ok(played)
    }

    /// Makes the moves of a record that follow on those that were made. Forced ones are among them, so that
    /// they must be asked.
    ///
    /// # Errors
    /// Names the first move that cannot be made as it was.
    pub fn play_on(&mut self, moves: &[RecordedMove]) -> Result<(), NotReplayed> {
        for recorded in moves {
            budget::rest();
            let number = self.history.moves() + 1;
            let wrong = |why: &str, detail| Err(NotReplayed::of(number, why.to_owned(), detail));
            match self.game.asking_step() {
                Some(step) if step == recorded.step => {}
                Some(step) => {
                    let why = format!("`{step}` asks, not `{}`", recorded.step);
                    return wrong(&why, String::new());
                }
                None => return wrong("the match is over", String::new()),
            }
            match self.make(recorded.seat, &recorded.mv, recorded.origin) {
                Ok(()) => {}
                Err(error @ ApplyError::Refused(_)) => {
                    return wrong("it is not legal", format!("{error:?}"));
                }
                Err(error @ ApplyError::Fault(_)) => {
                    return wrong("the rules fail", format!("{error:?}"));
                }
            }
        }
        Ok(())
    }

    /// From now on the referee makes forced moves (or, if `ask`, asks for them too).
    pub fn set_ask_forced(&mut self, ask: bool) -> Result<(), Fault> {
        self.game
            .set_ask_forced(ask)
            .map_err(|t| self.game.fault(t))?;
        self.rest();
        Ok(())
    }

    /// After the game has played on: keeps what happened where copies share it.
    fn rest(&mut self) {
        self.game.forced.clear();
        if let Some(log) = &mut self.game.log {
            match self.game.ruleset.options.telling_more {
                false => self.history.extend(with_causes(log.drain(..))),
                true => self
                    .history
                    .extend(with_causes(log.drain(..)).flat_map(and_more)),
            }
            log.shrink_to(0);
        }
        self.game.rest();
    }

    /// The ruleset.
    pub fn ruleset(&self) -> &Arc<Ruleset> {
        &self.game.ruleset
    }

    /// The game without its history: for look-ahead.
    pub fn game(&self) -> &Game {
        &self.game
    }

    pub(crate) fn game_mut(&mut self) -> &mut Game {
        &mut self.game
    }

    /// The outcome, once the match is over.
    pub fn outcome(&self) -> Option<Outcome> {
        self.game
            .has_ended()
            .then(|| views::outcome(&self.game.ruleset, &self.game.position.cells))
    }

    /// The place of a seat by the criteria that decide who wins, from 1; seats that nothing parts share one.
    pub fn rank(&self, seat: Seat) -> usize {
        let model = self.game.ruleset.model();
        let figures = |seat: u8| -> Vec<i64> {
            let criteria = model.winner.iter().map(|(most, criterion)| {
                let value = self.game.explained(*criterion, &[seat.into()]);
                let value = value.unwrap_or_default();
                if *most { value } else { -value }
            });
            criteria.collect()
        };
        let own = figures(seat.0);
        1 + (0..model.players)
            .filter(|other| figures(*other) > own)
            .count()
    }

    /// The seats that are asked something; empty when the match is over.
    pub fn waiting(&self) -> Vec<Seat> {
        self.game.seats().into_iter().map(Seat).collect()
    }

    /// Finds the legal moves of the waiting question again, from the state alone: for measuring what that
    /// costs. Nothing else changes.
    ///
    /// # Errors
    ///
    /// When a condition faults; then the question could not be asked in the first place.
    pub fn look_again(&mut self) -> Result<(), Fault> {
        let found = self.game.refresh();
        found.map_err(|trouble| self.game.fault(trouble))
    }

    /// Whether a move is legal now; changes nothing.
    ///
    /// # Errors
    ///
    /// The refusal, with the clause that forbids the move; or a fault of the ruleset, if a condition has one.
    pub fn check(&self, seat: Seat, mv: &Move) -> Result<(), ApplyError> {
        match self.turned(seat) {
            Some(turned) => turned.check(seat, mv),
            None => self.choice(seat, mv).map(drop),
        }
    }

    /// Makes a move and plays on to the next question. Atomic: on an error nothing has changed.
    ///
    /// # Errors
    /// A refusal, or a fault of the ruleset.
    pub fn apply(&mut self, seat: Seat, mv: &Move) -> Result<(), ApplyError> {
        self.make(seat, mv, Origin::Player)
    }

    fn make(&mut self, seat: Seat, mv: &Move, origin: Origin) -> Result<(), ApplyError> {
        if let Some(turned) = self.turned(seat) {
            turned.choice(seat, mv)?;
            self.game
                .turn_to(seat.0)
                .map_err(|t| ApplyError::Fault(self.game.fault(t)))?;
        }
        let choice = self.read(seat, mv)?;
        // Clauses are noted whose rules are carried out, not those that are looked at.
        let seen = self.game.seen.take();
        let closed = self.game.closed_gate(&choice, i64::from(seat.0));
        self.game.seen = seen;
        self.judged(seat, &choice, closed)?;
        let said = self.game.said.as_ref().map_or(0, |said| said.count);
        self.game
            .play(&choice, origin)
            .map_err(|t| ApplyError::Fault(self.game.fault(t)))?;
        if origin == Origin::Forced {
            // Nobody was asked.
            self.history.retract(said);
        }
        self.rest();
        Ok(())
    }

    /// A submitted move as the machine's choice, if it is legal.
    fn choice(&self, seat: Seat, mv: &Move) -> Result<Choice, ApplyError> {
        let choice = self.read(seat, mv)?;
        // Legality needs scratch registers; a fork of the game is one copy of the state.
        let closed = self.game.fork().closed_gate(&choice, i64::from(seat.0));
        self.judged(seat, &choice, closed)?;
        Ok(choice)
    }

    fn judged(
        &self,
        seat: Seat,
        choice: &Choice,
        closed: Result<Option<Gate>, Trouble>,
    ) -> Result<(), ApplyError> {
        match closed {
            Ok(None) => Ok(()),
            Ok(Some(gate)) => {
                let refusal = self.refusal(seat, choice, &gate);
                Err(ApplyError::Refused(Box::new(refusal)))
            }
            Err(trouble) => Err(ApplyError::Fault(self.game.fault(trouble))),
        }
    }

    /// Who plays next in a match that is played at random: of several seats that are asked, if the seat that
    /// answers first may close the question, one at random; else the first.
    pub fn quickest(&self, random: &mut dyn FnMut() -> u64) -> Option<Seat> {
        self.game.quickest(random).map(Seat)
    }

    /// From now on moves are drawn as play-outs draw them ([`Game::drawing`]): questions that have a move
    /// whose choices are too many to count are not listed.
    #[must_use]
    pub fn drawing(mut self) -> Match {
        self.game = self.game.drawing();
        self
    }

    /// Draws a legal move: uniformly among offers, then uniformly among their completions.
    pub fn sample(&self, seat: Seat, random: &mut dyn FnMut() -> u64) -> Option<Move> {
        self.choose(seat, &mut |game| game.fork().sample(random).ok())
    }

    /// The move that is chosen for a seat that is asked, by its name.
    pub(crate) fn choose(
        &self,
        seat: Seat,
        choice: &mut dyn FnMut(&Game) -> Option<Choice>,
    ) -> Option<Move> {
        if let Some(turned) = self.turned(seat) {
            return turned.choose(seat, choice);
        }
        if self.game.seat() != Some(seat.0) {
            return None;
        }
        let choice = choice(&self.game)?;
        let plan = self
            .game
            .plan_of(&choice, i32::from(seat.0))
            .unwrap_or_default();
        Some(self.game.ruleset.move_of(&choice, &plan))
    }

    /// Every legal move of the waiting question, with open parameters completed, at most `limit`.
    pub fn legal_moves(&self, seat: Seat, limit: usize) -> Vec<Move> {
        if let Some(turned) = self.turned(seat) {
            return turned.legal_moves(seat, limit);
        }
        if self.game.seat() != Some(seat.0) {
            return Vec::new();
        }
        let mut out = Vec::new();
        for row in &self.game.offers {
            let left = limit - out.len();
            if left == 0 {
                break;
            }
            out.extend(self.completed(*row, seat, left));
        }
        out
    }

    /// The moves that an offer of the waiting question stands for, counted from zero, at most `limit`.
    pub fn moves_of_offer(&self, seat: Seat, offer: usize, limit: usize) -> Vec<Move> {
        if let Some(turned) = self.turned(seat) {
            return turned.moves_of_offer(seat, offer, limit);
        }
        match self.game.offers.get(offer) {
            Some(row) if self.game.seat() == Some(seat.0) => self.completed(*row, seat, limit),
            _ => Vec::new(),
        }
    }

    fn completed(&self, row: OfferRow, seat: Seat, limit: usize) -> Vec<Move> {
        let mut game = self.game.fork();
        let choices = match row.completions {
            Some(count) => {
                let indices = 0..count.min(limit.fit());
                indices
                    .filter_map(|index| game.completion(row, index).ok())
                    .collect()
            }
            None => game.complete_all(row, limit).unwrap_or_default(),
        };
        let moves = choices.iter().map(|choice| {
            let plan = self.game.plan_of(choice, i32::from(seat.0));
            self.game.ruleset.move_of(choice, &plan.unwrap_or_default())
        });
        moves.collect()
    }

    /// What a query gives, of the true state.
    ///
    /// # Errors
    /// An argument that is none, or a fault of the query.
    pub fn query(&self, query: &QueryModel, args: &[Value]) -> Result<Value, String> {
        let ruleset = &self.game.ruleset;
        let mut numbers = Vec::new();
        for (ty, arg) in query.params.iter().zip(args) {
            numbers.extend(ruleset.numbers(ty, arg)?);
        }
        let given = self.game.explained(query.function, &numbers);
        let given = given.ok_or("the query fails here")?;
        Ok(ruleset.value(&query.ty, given))
    }

    /// The table as this audience sees it.
    pub fn view(&self, audience: Audience) -> View {
        self.game.view(audience)
    }

    /// Everything that happened, as this audience sees it, from its event number `from` (from zero).
    pub fn events(&self, audience: Audience, from: usize) -> Vec<Event> {
        self.seen(audience, 0)
            .map(|(_, event)| event)
            .skip(from)
            .collect()
    }

    /// How many things have happened, seen or not.
    pub fn happened(&self) -> usize {
        self.history.len()
    }

    /// Where a move (from zero, forced ones counted) stands among the things that happened; none if it was not made.
    pub fn place_of_move(&self, number: usize) -> Option<usize> {
        self.history.place_of_move(number)
    }

    /// What this audience saw of the things that happened from the `from`th on (from zero), each with
    /// its place among them. Reading on from where one stopped costs nothing for what went before.
    pub fn seen(&self, audience: Audience, from: usize) -> impl Iterator<Item = (usize, Event)> {
        let seen = self.happenings(audience, from);
        seen.map(|happening| (happening.at, happening.event))
    }

    /// The same with what brought them.
    pub fn happenings(
        &self,
        audience: Audience,
        from: usize,
    ) -> impl Iterator<Item = Happening<'_>> {
        let ruleset = &*self.game.ruleset;
        let cells = &self.game.position.cells;
        (from..)
            .zip(self.history.from(from))
            .filter_map(move |(at, happened)| {
                let event = visible_events::event(ruleset, cells, &happened.raw, audience)?;
                Some(Happening {
                    at,
                    event,
                    cause: ruleset.program.causes.get(happened.cause),
                })
            })
    }

    /// Adds, for each audience, how many of the things that happened in a stretch (from zero) it saw something of: as
    /// many as [`seen`](Self::seen) gives, without making any. `counts` are those of the seats, in order, and the last
    /// is that of the spectators.
    pub fn count_seen(&self, stretch: Range<usize>, counts: &mut [u64]) {
        let ruleset = &self.game.ruleset;
        for happened in self.history.from(stretch.start).take(stretch.len()) {
            visible_events::count_seen(ruleset, &happened.raw, counts);
        }
    }

    /// What happened, without what its game has not given here.
    pub(crate) fn history(&self) -> &History {
        &self.history
    }

    /// What is needed to play the match again.
    pub fn record(&self) -> Record {
        let rs = &self.game.ruleset;
        Record {
            ruleset: rs.package().id.node.clone(),
            digest: rs.digest(),
            configuration: rs.configuration().clone(),
            seed: self.game.position.seed,
            moves: self.moves().iter().collect(),
        }
    }

    /// Moves made so far, forced ones included.
    pub fn moves(&self) -> Moves<'_> {
        Moves::of(&self.history, self.ruleset())
    }

    /// The hash that logs of the first format hold: of the state as this compiler lays it out, so that it tells
    /// something only as long as that stays as it was ([`LAID_OUT_AS_LOGGED`](crate::LAID_OUT_AS_LOGGED)). [`state_hash`](Self::state_hash) is for everything else.
    ///
    /// BLAKE3 of all cells but [`SEAT`](control::SEAT), each in four bytes, the low ones first.
    pub fn cells_hash(&self) -> Digest {
        let cells = &self.game.position.cells;
        // Whether forced moves are asked shows in nothing but the seat of a finished question.
        let (before, from_seat) = cells.split_at(control::SEAT.at());
        let mut bytes = vec![0; (cells.len() - 1) * 4];
        let (first, others) = bytes.split_at_mut(before.len() * 4);
        for (bytes, cells) in [(first, before), (others, &from_seat[1..])] {
            for (bytes, cell) in bytes.chunks_exact_mut(4).zip(cells) {
                bytes.copy_from_slice(&cell.to_le_bytes());
            }
        }
        Digest(*blake3::hash(&bytes).as_bytes())
    }

    /// Clauses whose rules ran so far; only of a [`traced`](Self::traced) match.
    pub fn exercised(&self) -> Vec<Id> {
        let seen = self.game.seen.as_deref().unwrap_or(&[]);
        let clauses = self.game.ruleset.model().clauses.iter();
        clauses
            .zip(seen)
            .filter(|(_, seen)| **seen)
            .map(|(c, _)| c.clone())
            .collect()
    }

    /// Proves that no piece was lost and every place holds what it may.
    ///
    /// # Errors
    /// Says what is broken.
    pub fn verify(&self) -> Result<(), String> {
        self.game.verify()
    }
}
