//! Automatic players: for play-outs, snapshots, demonstrations, bots.
//!
//! In: a match and a seat that is asked. Out: a move. Begin at [`Policy`]. Players have a generator of their own
//! ([`Random`]), so that another player at the table does not change the deal.

mod played_by;
mod policy;
mod random;

pub use played_by::PlayedBy;
pub use policy::Policy;
pub use random::Random;
