//! From the checked model to what runs: bytecode for functions, those that go through the legal moves among
//! them, and a phase graph for the flow.

mod bounds;
pub mod bytecode;
pub mod graph;
mod hoist;
pub mod listing;
pub mod lower;
#[cfg(feature = "oracle")]
pub(crate) mod oracle;
pub mod queries;
mod rooms;
pub mod scan;
mod share;
mod simplify;
pub mod total;
mod unswitch;
