//! From a log back to the match that it is the log of.
//!
//! In: the store's entries. Out: the match after all of them or the first ones. Begin at [`restore`]; a [`checkpoint`]
//! spares playing the first moves, [`follow`] reads on where another referee writes, too, [`spectator_delay`] follows behind
//! the end, [`upgrade`] carries matches of earlier builds over.

pub(super) mod checkpoint;
pub(super) mod follow;
pub(super) mod restore;
pub(super) mod spectator_delay;
mod upgrade;

pub use checkpoint::snapshot_is_sound;
pub use spectator_delay::SpectatorDelay;
pub use upgrade::{Carried, carried_over};
