//! The messages of the contract in `proto/`, generated, and their translation.
//!
//! A floor below the table and the server: the table writes its log in messages of its own, the server speaks to
//! clients in those of the contract, and [`kept`] knows both. Nothing here knows a match or a connection.

mod answer;
mod batch;
pub mod catalog;
pub mod codec;
pub mod convert;
pub mod kept;
pub mod schema;
pub mod telling;
mod writer;

/// `referee.v1`: what clients and the referee say to each other.
pub mod v1 {
    #![allow(missing_docs, clippy::all, reason = "generated")]
    pub use super::answer::SubmitMoveResponse;
    pub use super::batch::EventBatch;
    tonic::include_proto!("referee.v1");

    /// Every message and service of this package, for reflection.
    pub const DESCRIPTOR: &[u8] =
        include_bytes!(concat!(env!("OUT_DIR"), "/referee_v1_descriptor.bin"));
}

/// `referee.log.v1`: what the store keeps. Never sent to a client.
pub mod log {
    pub mod v1 {
        #![allow(missing_docs, clippy::all, reason = "generated")]
        tonic::include_proto!("referee.log.v1");
    }
}
