//! The services of the contract, one file or a few for each.
//!
//! In: messages of `proto/referee/v1`. Out: messages, or a failure. Each method is short: who calls, what is asked, what a
//! table or the store says. Begin at [`play`]; [`event_stream`] is what every watcher is sent, [`revisions`] finds what a
//! request names.

pub mod admin;
mod artifacts;
mod channels;
mod clocks;
mod described;
pub mod differences;
mod event_stream;
mod events;
mod hosting;
pub mod info;
mod lobbies;
pub mod matches;
mod offers;
mod oversight;
mod own_matches;
mod ownership;
pub mod play;
pub mod players;
pub mod publishing;
pub mod records;
mod revisions;
pub mod rulesets;
pub mod spectators;
pub mod table;
