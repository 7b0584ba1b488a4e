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

pub mod analysis;
pub mod budget;
pub mod compile;
pub mod diagnostic;
pub mod lower;
pub mod mutation;
#[cfg(feature = "native")]
pub mod native;
mod numbers;
pub mod package;
pub mod play;
pub mod program;
pub mod resolve;
pub mod scenario;
pub mod source;
pub mod syntax;
pub mod types;

pub use play::Ruleset;
