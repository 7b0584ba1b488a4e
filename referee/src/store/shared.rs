//! Stores that several referees serve from at once.
//!
//! Nothing here is needed for what is right: whoever appends says how long the log is, and is refused if somebody else was
//! there first. This is how referees hear of each other soon, and do not do the same work twice.

use std::sync::Arc;

use tokio::sync::broadcast;

use super::{Append, MatchId, StoreError};
use crate::clock::Clock;
use crate::numbers::to_u64;

/// What another referee did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WakeUp {
    /// The log of a match has so many entries now.
    Grew(MatchId, u64),
    /// Something changed of what is listed for everybody.
    Listing,
    /// Whoever has tokens with this label holds a seat more.
    Holder(Arc<str>),
    /// Something is to be told to other servers.
    Notices,
    /// Nobody knows what was missed.
    Missed,
}

/// A store that several referees serve from.
pub trait Shared: Send + Sync {
    /// The clock that all of them go by.
    fn clock(&self) -> Clock;

    /// What others do from now on; what this referee does may be among it. Some of it may be lost.
    fn wake_ups(&self) -> broadcast::Receiver<WakeUp>;

    /// How many entries the logs of these matches have now, of those that there are.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn lengths(&self, ids: &[MatchId]) -> Result<Vec<(MatchId, u64)>, StoreError>;

    /// Whether it is for this referee to act by itself in a match, for some seconds from now on: to move for bots, and in the
    /// place of those whose time is up. One at a time does.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn claim(&self, id: &MatchId) -> Result<bool, StoreError>;

    /// How often something was published, yanked or given away, by whomever: who remembers what is published reads it anew
    /// when this changes.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn publications(&self) -> Result<u64, StoreError>;
}

/// What others are told of an append once it is done.
pub fn wake_ups(append: &Append) -> Vec<WakeUp> {
    let length = append.expected.saturating_add(to_u64(append.entries.len()));
    let mut told = vec![WakeUp::Grew(append.id.clone(), length)];
    let labels = append.tokens.iter().filter(|row| !row.label.is_empty());
    told.extend(labels.map(|row| WakeUp::Holder(row.label.as_str().into())));
    if append.listing {
        told.push(WakeUp::Listing);
    }
    if !append.notices.is_empty() {
        told.push(WakeUp::Notices);
    }
    told
}
