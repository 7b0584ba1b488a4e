//! Players that need nobody: for play-outs, snapshots, demonstrations, bots.
//!
//! Randomness of players is not chance of the game: it has a generator of its own, so that another
//! player at the table does not change the deal.

mod policy;
mod random;

pub use policy::Policy;
pub use random::Random;
