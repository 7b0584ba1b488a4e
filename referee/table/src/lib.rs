//! Matches under way: whatever changes one takes its turn.
//!
//! In: moves and other acts of seats and hosts, in the interpreter's types. Out: entries of the log, and snapshots that
//! readers and watchers look at without waiting. Begin at [`Registry`], which opens a [`Table`], the way to one match:
//! in a turn a move is judged and written, and only then published. The log is the truth: a table whose last write is in
//! doubt closes, and is rebuilt from its log when it is next needed. Connections, statuses and messages of the contract
//! are unknown here.

#![forbid(unsafe_code)]
#![deny(clippy::as_conversions)]
// A module's map names its private parts, for readers of the sources.
#![allow(rustdoc::private_intra_doc_links)]

mod alive;
pub mod archive;
pub mod at_once;
mod due;
mod error;
mod fellows;
mod metrics;
mod outages;
pub mod outside;
mod parts;
mod registry;
mod replay;
mod request;
pub mod scheduling;
mod seed;
mod state;
pub mod traces;
pub mod turns;

pub use alive::note as note_alive;
pub use archive::{About, Checked, Finding, Proof, prove, verify};
pub use due::open_due;
pub use error::{Difference, Otherwise, TableError};
pub use fellows::follow_others;
pub use metrics::{Metric, Metrics};
pub use outages::Outages;
pub use parts::{Parts, holders};
pub use registry::{CreateError, Created, Creation, Registry};
pub use replay::{Carried, SpectatorDelay, carried_over, snapshot_is_sound};
pub use request::{Request, match_id_of};
pub use scheduling::{Payer, Payers, Queue, SLICE, Workers};
pub use seed::{commitment, entropy_commitment};
pub use state::{
    Contribution, Cursor, Delay, MatchInfo, News, Play, Proposal, SeatClock, SeatInfo, Seen,
    Snapshot, Terms, Times, decision_id,
};
pub use turns::{
    Act, Acted, GATHERED, Holder, SeatPresence, Submission, Submitted, Table, Watcher,
};
