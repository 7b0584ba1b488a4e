//! Scenarios: small cases, written by people who know the rules, that show what is right.
//!
//! A scenario sets a table (`given`), makes moves (`when`) and says what is then true (`then`). The
//! format is described in `rulesets/README.md`; the same files are an author's tests, the proof
//! behind a clause of the rulebook, and the tests of the shipped rulesets.
//!
//! [`Suite`] reads all scenarios of a package, [`Setup::compile`] the rulesets that they need, and
//! [`run`] plays one of them and gives a [`Report`]. All of this is pure and each scenario stands
//! alone, so whoever wants them in parallel runs them in parallel. [`updated`] writes what was found
//! into the texts, in place of what was expected.

mod differ;
mod document;
mod domains;
mod expect;
mod forced;
mod known;
mod legal;
mod moves;
mod names;
mod queries;
mod read;
mod run;
mod setup;
mod suite;

pub(crate) use moves::written;
pub(crate) use names::seat_name;

pub use differ::{Change, Difference, updated};
pub use document::Scenario;
pub use run::{Made, Report, not_created, run};
pub use setup::Setup;
pub use suite::Suite;
