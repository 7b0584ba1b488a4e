//! Playing: questions, legal moves, effects, events, views, replay.
//!
//! In: a [`Ruleset`] and what players choose. Out: what the [`api`] says to the world. Nothing here knows a rule: rules
//! are the functions of the ruleset and its phase graph. Each folder depends on those before it only: [`state`],
//! [`machine`], [`flow`] (a [`Game`], on bare numbers), [`matches`](mod@matches) (a [`Match`], which has a history and audiences) and
//! [`players`].

#![allow(rustdoc::private_intra_doc_links)]
#![deny(clippy::as_conversions)]

pub mod api;
pub(crate) mod flow;
mod inspect;
pub mod machine;
mod machine_code;
pub mod matches;
#[cfg(feature = "native")]
mod native;
pub(crate) mod players;
pub mod state;

use interpreter_core::{analysis, budget, diagnostic, numbers, program, source};

pub use api::*;
pub use diagnostic::Rejected;
pub use flow::{Game, Position};
pub use inspect::{Evaluated, Listed};
pub use machine::vm::standing;
#[cfg(feature = "work")]
pub use machine::work::{Spent, Work};
pub use machine::{
    CompileOptions, CompileWork, Digest, Engine, Fault, LAID_OUT_AS_LOGGED, NativeError, Reader,
    Ruleset, SEMANTIC_VERSION, Table, Trouble, TroubleKind, WORK, World,
};
pub use matches::canonical::{self, Item, Malformed, NotRebuilt};
pub use matches::one_match::{
    ApplyError, ClosedMove, ClosedMoves, Match, Moves, NotReplayed, Record, RecordedMove, Weighed,
    Wrong,
};
pub use matches::preview::{IMAGINED, Preview, Target, TargetKind};
pub use matches::saved::{FORM, NotRestored};
pub use matches::staging::Staging;
pub use players::greedy::CONSIDERED;
pub use players::near_misses::{Missed, NearMiss, near_misses};
pub use players::playout::{Played, Probe};
pub use players::search::Search;
pub use source::PackageTexts;
pub use state::{REGISTERS, Seed};
