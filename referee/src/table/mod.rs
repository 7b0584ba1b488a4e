//! Matches under way: whatever changes one takes its turn.
//!
//! The [`Hall`] opens tables; a [`Table`] is the way to one match, and gives one turn after the other. In a turn the
//! arbiter of the match judges a move, has it written, and only then publishes the new [`Snapshot`]; readers and
//! watchers look at the last published one and wait for nobody. The log is the truth: a table whose last write is in
//! doubt closes, and is rebuilt from its log when it is next needed.
//!
//! This room speaks the interpreter's types and knows neither connections nor statuses.

mod acts;
mod arbiter;
pub mod archive;
mod chain;
mod chooser;
mod clerk;
mod decision;
mod hall;
mod hands;
mod history;
mod info;
mod knowledge;
mod lag;
mod lines;
mod migrate;
mod moving;
mod proof;
mod restore;
mod saved;
mod seed;
mod snapshot;
mod tally;
mod turns;
mod undo;
mod verify;
mod watchers;
mod workers;

use std::sync::Arc;

use interpreter::Ruleset;
use interpreter::play::{Fault, Refusal, Seat};

pub use acts::{Act, Acted};
pub use chain::judge;
pub use clerk::attend;
pub use decision::decision_id;
pub use hall::{Created, Creation, Hall, HallError, Parts};
pub use history::{Cursor, Seen};
pub use info::{Contribution, Delay, MatchInfo, Proposal, SeatInfo};
pub use lag::Lag;
pub use lines::{Line, Payer, Payers, SLICE};
pub use migrate::{Carried, carried_over};
pub use moving::Difference;
pub use proof::{Proof, prove};
pub use restore::Otherwise;
pub use saved::snapshot_is_sound;
pub use seed::{commitment, entropy_commitment};
pub use snapshot::{News, Play, Snapshot};
pub use tally::{Counted, Tally};
pub use turns::{Submission, Submitted, Table};
pub use verify::{Checked, verify};
pub use watchers::Watcher;
pub use workers::Workers;

use crate::sandbox::Ended;
use crate::store::{Hash, MatchState, Principal, StoreError};

/// A request that changes something, as the store tells requests apart.
#[derive(Clone, Debug)]
pub struct Request {
    /// Who asks.
    pub principal: Principal,
    /// The id that the client chose.
    pub id: String,
    /// Digest of the rest of the request.
    pub digest: Hash,
}

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
    /// The ruleset failed; the match is suspended now.
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
            Ended::Time(_) => TableError::Limit("sandbox_seconds"),
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
