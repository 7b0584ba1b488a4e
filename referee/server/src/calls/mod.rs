//! What methods share, whatever service they are of: who calls, what is named, and what is answered when it fails.
//!
//! In: metadata and fields of requests. Out: callers, names and places, or a [`status::Failure`]. Begin at [`status`], the
//! only place that chooses codes of gRPC; [`auth`] says which tokens open what.

pub mod auth;
pub mod chunks;
pub mod host_code;
pub mod issuing;
mod methods;
mod names;
pub mod place_tokens;
pub mod status;

pub use auth::{Caller, Publisher, match_id};
pub use methods::{ACCEPT_ENCODING, Answering, answer, answer_one, goes_where_it_says, request};
pub(super) use methods::{method, once, serves};
pub use names::{Named, below_match, display_name, seat_of, token_name, token_of};
pub use status::Failure;
