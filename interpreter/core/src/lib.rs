//! What the stages of the interpreter share.
//!
//! Texts have places ([`source`]), mistakes have codes and excerpts ([`diagnostic`]), parsed rules are trees ([`ast`]), and a
//! compiled ruleset is plain data ([`program`]), which [`analysis`] reads. Work is counted by a [`budget`].

// The documentation of a folder names its private files, for readers of the sources.
#![allow(rustdoc::private_intra_doc_links)]
// `as` truncates silently: `numbers` has the conversions to use instead.
#![deny(clippy::as_conversions)]

pub mod analysis;
pub mod ast;
pub mod budget;
pub mod diagnostic;
pub mod numbers;
pub mod program;
pub mod source;
