//! What people read about a ruleset and about play: composed rules, coverage, figures, transcripts.
//!
//! In: a package, a ruleset or a match. Out: texts and drawings, in English or Polish; no command line and no network is
//! known here. Begin at [`words`], which names things, and at the part that is wanted: [`book`], [`transcript`], [`rules`],
//! [`graph`], [`diff`]. The commands print it.

#![forbid(unsafe_code)]
#![deny(clippy::as_conversions)]
// A module's map names its private parts, for readers of the sources.
#![allow(rustdoc::private_intra_doc_links)]

mod arrangement;
pub mod artifact;
pub mod board;
pub mod book;
pub mod cells;
pub mod coverage;
pub mod diff;
pub mod estimate;
pub mod event_lines;
pub mod graph;
pub mod grid;
pub mod layout;
pub mod playouts;
pub mod plots;
pub mod printed;
pub mod proofs;
pub mod prose;
pub mod proving;
pub mod redline;
pub mod rules;
pub mod sign_off;
pub mod simulation;
pub mod snapshots;
pub mod track;
pub mod transcript;

pub use referee_library::words;
