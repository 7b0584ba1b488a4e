//! The service: gRPC over the tables.
//!
//! In: calls of clients. Out: answers and streams, made from what tables say. Layers, the lowest first: [`calls`],
//! [`connections`], [`published`], [`referee`], [`services`], [`lifecycle`]; each uses only those before it. Begin at
//! [`services`]. Rules that were found to take long do not run on the threads that serve.

#![forbid(unsafe_code)]
#![deny(clippy::as_conversions)]
// A module's map names its private parts, for readers of the sources.
#![allow(rustdoc::private_intra_doc_links)]

pub mod calls;
pub mod connections;
mod lifecycle;
pub mod published;
mod referee;
mod retention;
pub mod services;

pub use calls::{issuing, status};
pub use connections::accept::{Connection, Connections, Pem, Tls};
pub use connections::call_traces::CALLS;
pub use lifecycle::maintenance::{Carried, carry_over, check_store, copy_store};
pub use lifecycle::open_store::{KeySource, OpenError, StoreChoice};
pub use lifecycle::reload::Folders;
pub use lifecycle::retention::Tidied;
pub use lifecycle::start::{Config, Running, StartError, runtime, start};
pub use referee::Referee;
pub use referee_table::outside::identity::Provider;
pub use retention::Retention;
