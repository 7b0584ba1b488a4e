//! Playing: questions, legal moves, effects, events, views, replay.

pub mod api;

pub use api::*;

use std::sync::Arc;

use crate::diagnostic::Diagnostics;
use crate::package::{Configuration, Package};
use crate::source::Sources;

pub use crate::package::PackageTexts;

/// A ruleset that is not playable: what is wrong, and the texts to show it in.
#[derive(Debug)]
pub struct Rejected {
    /// The texts.
    pub sources: Sources,
    /// What is wrong.
    pub diagnostics: Diagnostics,
}

/// A checked and compiled ruleset in one configuration; immutable and shared by all its matches.
pub struct Ruleset {
    _private: (),
}

/// A digest of 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Digest(pub [u8; 32]);

impl Ruleset {
    /// Loads, composes, checks and compiles. `house_rules` are further module folders, laid over
    /// after the configuration's own modules.
    pub fn compile(
        _base: &PackageTexts,
        _house_rules: &[(String, PackageTexts)],
        _configuration: &Configuration,
    ) -> Result<Arc<Ruleset>, Rejected> {
        unimplemented!()
    }
    /// The composed package: names, clauses, tables.
    pub fn package(&self) -> &Package {
        unimplemented!()
    }
    /// The texts it was compiled from.
    pub fn sources(&self) -> &Sources {
        unimplemented!()
    }
    /// Warnings.
    pub fn warnings(&self) -> &Diagnostics {
        unimplemented!()
    }
    /// The configuration.
    pub fn configuration(&self) -> &Configuration {
        unimplemented!()
    }
    /// The digest of content, configuration and the engine's semantic version.
    pub fn digest(&self) -> Digest {
        unimplemented!()
    }
}

/// The seed of all chance in a match.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Seed(pub [u8; 32]);

impl Seed {
    /// Expands a small number by the stated rule.
    pub fn from_number(_number: u64) -> Seed {
        unimplemented!()
    }
}

/// One play of a ruleset. `Clone` is cheap enough for look-ahead.
pub struct Match {
    _private: (),
}

/// Why a move was not applied.
#[derive(Clone, Debug)]
pub enum ApplyError {
    /// The rules forbid it.
    Refused(Box<Refusal>),
    /// The ruleset is faulty; the match is as it was before the move.
    Fault(Fault),
}

/// A fault of the ruleset while playing: overflow, division by zero, exhausted fuel, a broken bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What happened.
    pub message: String,
    /// Where: `path:line:column`.
    pub at: String,
}

/// What a match needs to be played again.
#[derive(Clone, PartialEq, Eq)]
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

/// A move in a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedMove {
    /// Who moved.
    pub seat: Seat,
    /// The step that asked.
    pub step: Id,
    /// The move.
    pub mv: Move,
    /// Whether the player or the referee made it.
    pub origin: Origin,
}

impl Match {
    /// Sets up the table and plays on to the first question. Forced moves (a question with one legal
    /// move that is public) are made by the match itself and recorded with [`Origin::Forced`] unless
    /// `ask_forced`.
    pub fn new(_ruleset: Arc<Ruleset>, _seed: Seed, _ask_forced: bool) -> Result<Match, Fault> {
        unimplemented!()
    }
    /// Plays a record again; an error names the first move that differs.
    pub fn replay(_ruleset: Arc<Ruleset>, _record: &Record) -> Result<Match, String> {
        unimplemented!()
    }
    /// The ruleset.
    pub fn ruleset(&self) -> &Arc<Ruleset> {
        unimplemented!()
    }
    /// The outcome, once the match is over.
    pub fn outcome(&self) -> Option<Outcome> {
        unimplemented!()
    }
    /// The seats that are asked something; empty when the match is over.
    pub fn waiting(&self) -> Vec<Seat> {
        unimplemented!()
    }
    /// What this seat is asked.
    pub fn question(&self, _seat: Seat) -> Option<Question> {
        unimplemented!()
    }
    /// Whether a move is legal now; changes nothing.
    pub fn check(&self, _seat: Seat, _mv: &Move) -> Result<(), Refusal> {
        unimplemented!()
    }
    /// Makes a move and plays on to the next question. Atomic: on an error nothing has changed.
    pub fn apply(&mut self, _seat: Seat, _mv: &Move) -> Result<(), ApplyError> {
        unimplemented!()
    }
    /// Draws a legal move: uniformly among offers, then uniformly among their completions.
    pub fn sample(&self, _seat: Seat, _random: &mut dyn FnMut() -> u64) -> Option<Move> {
        unimplemented!()
    }
    /// The table as this audience sees it.
    pub fn view(&self, _audience: Audience) -> View {
        unimplemented!()
    }
    /// Everything that happened, as this audience sees it, from its event number `from` (from zero).
    pub fn events(&self, _audience: Audience, _from: usize) -> Vec<Event> {
        unimplemented!()
    }
    /// What is needed to play the match again.
    pub fn record(&self) -> Record {
        unimplemented!()
    }
    /// A hash of the state; equal states have equal hashes.
    pub fn state_hash(&self) -> Digest {
        unimplemented!()
    }
}
