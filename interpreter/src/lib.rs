//! Compiles board-game rules written as data and plays them deterministically.
//!
//! Texts go in, a checked and compiled [`Ruleset`] comes out, and a [`Match`](play::Match) plays it. The crate
//! is pure: it opens no file, reads no clock, draws no entropy and knows no game.
//!
//! Data flows one way. What the stages that compile a ruleset and those that play it agree on is the [`program`], which is
//! plain data. [`CompileRuleset::compile`] runs all stages. Parsing ([`syntax`]) and playing ([`play`]) are crates of their own,
//! and [`interpreter_core`] holds what all of them share; this crate offers everything under one name.
//!
//! ```text
//! texts → syntax (trees) → package (composed) → resolve (symbols) → types (typed model) → lower (program) → play
//! ```

// The documentation of a folder names its private files, for readers of the sources.
#![allow(rustdoc::private_intra_doc_links)]
// `as` truncates silently: `numbers` has the conversions to use instead.
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
