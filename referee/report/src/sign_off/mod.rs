//! Sign-off: who has accepted which clause, which tie to the print, and whether it is still what they accepted.
//!
//! In: a composed ruleset, its scenarios and its `review.yaml`. Out: what there is to accept ([`layers`]), how each of it
//! [`stands`](standing::standing), the file with one more acceptance ([`written`]), signatures under it ([`signatures`]),
//! and what stands between it and a release ([`audit`]).

pub mod audit;
pub mod days;
pub mod layers;
pub mod printed;
pub mod scenarios;
pub mod signatures;
pub mod signers;
pub mod standing;
pub mod things;
pub mod written;
