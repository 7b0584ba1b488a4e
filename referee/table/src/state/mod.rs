//! What a match is at one moment, after some entry of its log. Nothing here is written or waits.
//!
//! In: entries of a log and the game that they lead to. Out: an immutable [`Snapshot`], which readers look at. Begin there;
//! [`info`] says what an entry means, [`history`] what happened as each audience counts it.

mod all_hands;
mod decision;
mod history;
mod info;
pub(super) mod moment;
mod snapshot;
mod times;

pub use decision::decision_id;
pub use history::{Cursor, Seen};
pub use info::{Contribution, Delay, MatchInfo, Proposal, SeatClock, SeatInfo, Terms};
pub use snapshot::{News, Play, Snapshot};
pub use times::Times;

pub(super) use history::{Ends, History};
pub(super) use info::Due;
