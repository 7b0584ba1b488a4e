//! The log of a match in its kept form: entries, as bytes and back.
//!
//! In: what the interpreter and a table say. Out: the messages of `proto/referee/log/v1`, which the store keeps and every
//! later build reads; no client is ever sent one. Begin at [`Entry`]; [`names`] keeps what players are called apart from
//! the entries, so that it can be erased.

mod entry;
mod moves;
pub mod names;

pub use entry::{Entry, Format, archive, began_elsewhere, begun_with, changed_ms, encode};
pub use moves::{move_in, move_out, moves_in, moves_out, seat_number};

/// `referee.log.v1`: what the store keeps. Never sent to a client.
pub mod v1 {
    #![allow(
        missing_docs,
        clippy::all,
        clippy::as_conversions,
        reason = "generated"
    )]
    include!(concat!(env!("OUT_DIR"), "/referee.log.v1.rs"));

    /// Every message of this package, as a set of file descriptors.
    pub const DESCRIPTOR: &[u8] =
        include_bytes!(concat!(env!("OUT_DIR"), "/referee_log_descriptor.bin"));
}
