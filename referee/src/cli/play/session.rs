//! The match with its bots, and what can be taken back.

use std::sync::Arc;

use interpreter::Ruleset;
use interpreter::play::{ApplyError, Match, Move, Record, Refusal, Seat, Seed};

use referee_library::players::{Policy, Random};
use referee_library::record::{Kept, keep};
use referee_store::numbers::to_u64;

/// Moves that can be taken back.
const BACK: usize = 200;

/// Why a move was not made.
pub(super) enum Stopped {
    /// The rules forbid it.
    Refused(Box<Refusal>),
    /// The ruleset is faulty.
    Fault(String),
}

/// A match under way.
pub struct Session {
    game: Match,
    people: Vec<Seat>,
    /// The match before each move of a person.
    before: Vec<Match>,
    /// Who acted last, or let others act.
    last: Option<Seat>,
    /// How bots play.
    bots: Policy,
}

impl Session {
    /// A new match.
    pub(super) fn new(
        ruleset: Arc<Ruleset>,
        seed: Seed,
        people: Vec<Seat>,
    ) -> Result<Self, String> {
        let game = Match::new(ruleset, seed, false).map_err(|fault| fault.to_string())?;
        Ok(Self::of(game, people))
    }

    /// Goes on where a record ends.
    pub(super) fn resume(
        ruleset: Arc<Ruleset>,
        record: &Record,
        people: Vec<Seat>,
    ) -> Result<Self, String> {
        let mut game = Match::replay(ruleset, record).map_err(|why| why.in_full())?;
        game.set_ask_forced(false)
            .map_err(|fault| fault.to_string())?;
        Ok(Self::of(game, people))
    }

    /// Creates a session of a match in its present state.
    pub fn of(game: Match, people: Vec<Seat>) -> Self {
        Session {
            game,
            people,
            before: Vec::new(),
            last: None,
            bots: Policy::Random,
        }
    }

    /// From now on bots play like this.
    pub(super) fn seat_bots(&mut self, bots: Policy) {
        self.bots = bots;
    }

    pub(super) fn game(&self) -> &Match {
        &self.game
    }

    pub(super) fn people(&self) -> &[Seat] {
        &self.people
    }

    /// Who acts next: of several who are asked, the first after whoever acted last.
    pub(super) fn next(&self) -> Option<Seat> {
        let waiting = self.game.waiting();
        let after = self
            .last
            .and_then(|last| waiting.iter().find(|seat| seat.0 > last.0));
        after.or_else(|| waiting.first()).copied()
    }

    /// Lets others act before a seat does; whether there are any.
    pub(super) fn wait(&mut self, seat: Seat) -> bool {
        self.last = Some(seat);
        self.next().is_some_and(|next| next != seat)
    }

    /// A person's move.
    pub(super) fn play(&mut self, seat: Seat, mv: &Move) -> Result<(), Stopped> {
        let before = self.game.clone();
        match self.game.apply(seat, mv) {
            Ok(()) => {
                self.last = Some(seat);
                if self.before.len() == BACK {
                    self.before.remove(0);
                }
                self.before.push(before);
                Ok(())
            }
            Err(ApplyError::Refused(refusal)) => Err(Stopped::Refused(refusal)),
            Err(ApplyError::Fault(fault)) => Err(Stopped::Fault(fault.to_string())),
        }
    }

    /// A bot's move.
    pub(super) fn bot(&mut self, seat: Seat) -> Result<(), String> {
        let mv = self.drawn(seat)?;
        self.last = Some(seat);
        self.game.apply(seat, &mv).map_err(|error| match error {
            ApplyError::Refused(_) => format!("`{}` is offered and refused", mv.name),
            ApplyError::Fault(fault) => fault.to_string(),
        })
    }

    /// A person's move that a bot makes.
    pub(super) fn bot_for(&mut self, seat: Seat) -> Result<(), String> {
        let mv = self.drawn(seat)?;
        self.play(seat, &mv).map_err(|stopped| match stopped {
            Stopped::Refused(_) => format!("`{}` is offered and refused", mv.name),
            Stopped::Fault(fault) => fault,
        })
    }

    /// What a bot does depends on the deal and on how far the match has come, so that a record that is
    /// gone on with is played as it would have been.
    fn drawn(&self, seat: Seat) -> Result<Move, String> {
        let seed = self.game.record().seed.0;
        let mut first = [0; 8];
        first.copy_from_slice(&seed[..8]);
        let mut player = Random::new(u64::from_le_bytes(first), to_u64(self.game.moves().len()));
        let found = self.bots.choose(&self.game, seat, &mut player);
        found.ok_or_else(|| "it is asked and has no move".to_owned())
    }

    /// Takes the last move of a person back; whether there was one.
    pub(super) fn undo(&mut self) -> bool {
        match self.before.pop() {
            Some(before) => {
                self.game = before;
                self.last = None;
                true
            }
            None => false,
        }
    }

    /// The match as a file.
    pub(super) fn kept(&self) -> Kept {
        keep(self.game.ruleset(), &self.game.record(), &self.people)
    }
}
