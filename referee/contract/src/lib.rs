//! The messages of the contract in `proto/referee/v1`, generated, and their translation.
//!
//! In: what the interpreter, the library and the log say. Out: messages that clients are sent, and back. Begin at
//! [`convert`]; [`events`] says what happened. Nothing here knows a match or a connection.

#![forbid(unsafe_code)]
#![deny(clippy::as_conversions)]
// A module's map names its private parts, for readers of the sources.
#![allow(rustdoc::private_intra_doc_links)]

mod answer;
mod batch;
pub mod catalog;
mod changes;
pub mod client;
pub mod codec;
pub mod convert;
pub mod events;
mod layout;
pub mod preview;
pub mod routing;
pub mod schema;
mod writer;

pub use writer::Writer;

/// `referee.v1`: what clients and the referee say to each other.
pub mod v1 {
    #![allow(
        missing_docs,
        clippy::all,
        clippy::as_conversions,
        reason = "generated"
    )]
    pub use super::answer::SubmitMoveResponse;
    pub use super::batch::EventBatch;
    tonic::include_proto!("referee.v1");

    /// Every message and service of this package, for reflection.
    pub const DESCRIPTOR: &[u8] =
        include_bytes!(concat!(env!("OUT_DIR"), "/referee_v1_descriptor.bin"));
}
