//! Who may run rules, and when: work that takes processor time, a bounded number at a time.
//!
//! In: pieces of work and on whose account they are. Out: their results, in an order that is fair to all. Begin at
//! [`Workers`], which runs them; [`queue`] says whose turn it is.

pub mod queue;
pub mod workers;

pub use queue::{Payer, Payers, Queue, SLICE};
pub use workers::Workers;
