//! The errors of tables.

use std::sync::Arc;

use interpreter::Ruleset;
use interpreter::play::{Fault, Refusal, Seat};

use referee_sandbox::Ended;
use referee_store::{MatchState, StoreError};

/// Why a table did not do what it was asked.
#[derive(Clone, Debug)]
pub enum TableError {
    /// The match has not started.
    NotStarted,
    /// The match has started already.
    AlreadyStarted,
    /// The match is over.
    Over,
    /// The match cannot go on.
    Suspended,
    /// Nobody has claimed these seats.
    SeatsOpen(Vec<Seat>),
    /// These seats have yet to contribute to the chance, or to commit.
    EntropyMissing(Vec<Seat>),
    /// This seat has contributed, or committed.
    EntropyGiven,
    /// A contribution does not fit, because of this; and the field that it came in.
    Entropy(&'static str, &'static str),
    /// Somebody has claimed this seat.
    SeatTaken,
    /// Who claims it holds another seat of the match.
    SeatHeld,
    /// There is no such seat.
    NoSeat,
    /// The decision is no longer open; this one is, if any.
    Superseded(Option<String>),
    /// The rules forbid the move.
    Refused(Box<Refusal>, Arc<Ruleset>),
    /// One of several moves shows something, because of this, and others follow it.
    Reveals(String),
    /// This is said of one of several moves: which, from zero.
    InChain(usize, Box<TableError>),
    /// The ruleset failed: if a move was to be made, the match is suspended now.
    Fault(Fault),
    /// The id was used for another request.
    RequestIdReused,
    /// The match is paused.
    Paused,
    /// The match is not in the state for this, but in this one.
    State(MatchState),
    /// Moves cannot be taken back, because of this.
    CannotUndo(String),
    /// Another proposal is open.
    ProposalOpen(String),
    /// The proposal is not open, or not this seat's to answer.
    ProposalClosed,
    /// The moves do not lead where they did, with these rules.
    Differs(Box<Difference>),
    /// A record cannot be kept, because of this.
    Record(String),
    /// The ruleset has mistakes.
    NotPlayable,
    /// A limit is reached.
    Limit(&'static str),
    /// The record of the match cannot be read or does not replay.
    Damaged(String),
    /// The match goes otherwise than it did, by the rules as this referee understands them.
    Otherwise(Otherwise),
    /// The store did not confirm.
    Store(StoreError),
    /// It was given up because the referee stops.
    Stopping,
    /// A mistake of ours.
    Internal(String),
}

impl From<Ended> for TableError {
    fn from(ended: Ended) -> Self {
        match ended {
            Ended::Memory(_) => TableError::Limit("sandbox_mib"),
            Ended::Time(_) => TableError::Limit("sandbox_time"),
            Ended::Failed(why) => TableError::Internal(why),
        }
    }
}

/// The operating system has no entropy to give.
impl From<std::io::Error> for TableError {
    fn from(error: std::io::Error) -> Self {
        TableError::Internal(error.to_string())
    }
}

impl From<StoreError> for TableError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Damaged(what) => TableError::Damaged(what),
            other => TableError::Store(other),
        }
    }
}

/// Where a match goes otherwise by other rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// The first move after which it does, from 1; 0 is the set-up.
    pub move_number: u32,
    /// What happened, as a spectator may know it.
    pub before: String,
    /// What happens now.
    pub after: String,
}

/// A match whose log is whole, and that goes otherwise here than its log says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Otherwise {
    /// Whether this referee says that it understands the ruleset as the one did that wrote the log. Then it is not so, or
    /// the log was written by somebody else who has the key.
    pub as_before: bool,
    /// The first entry of its log that differs, from zero.
    pub entry: u64,
    /// How.
    pub reason: String,
}

impl std::fmt::Display for Otherwise {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Otherwise { entry, reason, .. } = self;
        match self.as_before {
            true => write!(
                f,
                "this referee plays the match otherwise than its log says, though by the same semantics: entry {entry}: {reason}"
            ),
            false => write!(
                f,
                "this referee understands the ruleset otherwise than the one that began the match: entry {entry}: {reason}"
            ),
        }
    }
}
