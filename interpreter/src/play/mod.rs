//! Playing: questions, legal moves, effects, events, views, replay.
//!
//! [`Game`] is the machine on bare numbers, [`Match`] a game with its history, and
//! [`api`] what both say to the world. Nothing here knows a rule: rules are the
//! [`Ruleset`]'s functions and its phase graph.

pub mod api;
mod asking;
pub mod canonical;
mod chance;
mod choices;
mod eyes;
mod facts;
mod follow;
mod game;
mod greedy;
mod imagined;
mod legal;
mod log;
mod memory;
mod names;
mod one_match;
mod open;
#[cfg(feature = "oracle")]
pub(crate) mod oracle;
mod packed;
mod past;
mod playout;
mod project;
mod promises;
mod registers;
mod requirements;
mod ruleset;
mod saved;
mod search;
mod shuffle;
mod sites;
mod staging;
mod table;
mod trace;
mod vm;
mod witness;
#[cfg(feature = "work")]
mod work;

/// What machine code asks of the machine that runs bytecode.
#[cfg(feature = "native")]
pub(crate) mod machine {
    pub(crate) use super::vm::{DEPTH, Trouble, World, call, resume, step};
}

pub use crate::package::PackageTexts;
pub use api::*;
pub use canonical::{Item, Malformed, NotRebuilt};
pub use chance::Seed;
pub use game::{Game, Position};
pub use greedy::CONSIDERED;
pub use one_match::{ApplyError, Fault, Match, Moves, NotReplayed, Record, RecordedMove};
#[cfg(feature = "oracle")]
pub use oracle::{Evaluated, Listed};
pub use playout::{Played, Probe};
pub use ruleset::{
    CompileOptions, CompileWork, Digest, LAID_OUT_AS_LOGGED, Rejected, Ruleset, SEMANTIC_VERSION,
    WORK,
};
pub use saved::{FORM, NotRestored};
pub use search::Search;
pub use staging::Staging;
#[cfg(feature = "work")]
pub use work::{Spent, Work};
