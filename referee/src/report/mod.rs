//! What people read about a ruleset and about play: composed rules, coverage, figures, transcripts.
//!
//! Everything here is made from a package, a ruleset or a match and knows neither a command line nor
//! a network. The commands of [`cli`](crate::cli) print it.

pub mod artifact;
pub mod board;
pub mod book;
pub mod coverage;
pub mod diff;
pub mod graph;
pub mod layout;
mod narration;
pub mod playouts;
pub mod plots;
pub mod proofs;
pub mod prose;
pub mod rules;
pub mod simulation;
pub mod snapshots;
pub mod telling;
pub mod transcript;
pub mod words;
