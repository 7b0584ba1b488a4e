//! Compiles board-game rules written as data and plays them deterministically.
//!
//! Texts go in, a checked and compiled [`Ruleset`] comes out, and a [`Match`](play::Match) plays it. The crate
//! is pure: it opens no file, reads no clock, draws no entropy and knows no game.
//!
//! Data flows one way:
//!
//! ```text
//! texts → syntax (trees) → package (composed) → check (typed model) → compile (bytecode, graph) → play
//! ```

// A module's map names its private rooms: whoever reads it reads the sources.
#![allow(rustdoc::private_intra_doc_links)]

pub mod analysis;
pub mod budget;
pub mod compile;
pub mod diagnostic;
pub mod lower;
#[cfg(feature = "native")]
pub mod native;
pub mod package;
pub mod play;
pub mod program;
pub mod resolve;
pub mod scenario;
pub mod source;
pub mod syntax;
pub mod types;

pub use play::Ruleset;
