//! The whole service in one thread, from one seed.
//!
//! In: a seed. Out: a [`trace`] of everything that happened, the same each time, and what was not as it must be. The
//! referee is the one that is shipped: the registry, the tables, the journal, tokens, streams, clocks and bots, gRPC and
//! SQLite. Replaced is only what differs from run to run: sockets ([`network`]), the disk ([`disk`]), threads and the
//! clock ([`world`]), random bytes ([`system`]). [`people`] live in that world, and [`audit`] compares what they were told.
//! Read [`simulation`] first.

pub mod audit;
pub mod caller;
pub mod disk;
pub mod league;
pub mod life;
pub mod linear;
pub mod network;
pub mod order;
pub mod people;
pub mod simulation;
pub mod system;
pub mod trace;
pub mod vfs;
pub mod world;
