//! Tests of the module `server::connections` and its parts.

mod accept;
mod certificate;
mod page;
mod transport;
