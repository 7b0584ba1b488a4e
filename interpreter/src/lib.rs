//! Compiles board-game rules written as data and plays them deterministically.
//!
//! Texts go in, a checked and compiled [`Ruleset`] comes out, and a [`Match`](play::Match) plays it. The crate
//! is pure: it opens no file, reads no clock, draws no entropy and knows no game.
//!
//! Data flows one way, and each folder uses earlier ones only. What the stages that make a ruleset and those that play it
//! agree on is the [`program`], which is plain data. [`Ruleset::compile`] runs all of them.
//!
//! ```text
//! texts → syntax (trees) → package (composed) → resolve (symbols) → types (typed model) → lower (program) → play
//! ```

// The documentation of a folder names its private files, for readers of the sources.
#![allow(rustdoc::private_intra_doc_links)]
// What `as` cuts off it cuts off in silence: `numbers` has what takes its place.
#![deny(clippy::as_conversions)]

pub mod compile;
pub mod lower;
pub mod mutation;
pub mod package;
pub mod resolve;
pub mod scenario;
pub mod types;

use interpreter_core::numbers;
pub use interpreter_core::{analysis, budget, diagnostic, program, source};
pub use interpreter_play as play;
pub use interpreter_syntax as syntax;

pub use compile::CompileRuleset;
pub use play::Ruleset;
