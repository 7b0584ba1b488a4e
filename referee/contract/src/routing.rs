//! Which match a call is about, for whoever stands between clients and several referees.
//!
//! In: a request. Out: the id that [`HEADER`] carries with it, by which a proxy sends all calls about a match to the same
//! referee. That is for speed alone: each referee answers each call.

use super::v1;

/// The header of a call about one match: the last part of the match's resource name.
pub const HEADER: &str = "referee-match";

/// A request of the contract.
pub trait Routed {
    /// The resource name that it is about: a match, something below one, or something else; empty if it has none.
    fn about(&self) -> &str;

    /// The id of the match that it is about: of `matches/<id>/seats/3`, the middle.
    fn routed_by(&self) -> Option<&str> {
        let below = self.about().strip_prefix("matches/")?;
        let id = below.split_once('/').map_or(below, |(id, _)| id);
        (!id.is_empty()).then_some(id)
    }
}

include!(concat!(env!("OUT_DIR"), "/routed.rs"));
