//! The life of a referee: opening its store, starting, reloading, tidying up, stopping; and upkeep while it is stopped.
//!
//! In: a [`start::Config`]. Out: a referee that serves. Begin at [`start::start`].

pub mod maintenance;
pub mod open_store;
pub mod reload;
pub mod retention;
pub mod start;
