//! Connections, and what surrounds every call: TLS, rates, time limits, metrics and traces.
//!
//! In: sockets. Out: requests for the services, and answers on the wire. Begin at [`accept`]; [`transport`] is the layer
//! that every call goes through.

pub mod accept;
pub mod call_traces;
pub mod certificate;
pub mod metrics;
pub mod page;
pub mod probes;
pub mod straight;
pub mod transport;
