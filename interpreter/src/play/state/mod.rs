//! What a game is made of beside its rules: [chance], what has [happened](events), [registers], and the [memory] of what
//! queries gave and what was written since.

pub(crate) mod chance;
pub(crate) mod events;
pub(crate) mod memory;
pub(crate) mod registers;

pub(crate) use chance::Draws;
pub use chance::Seed;
pub(crate) use events::{Following, MadeMove, Raised, Raw};
pub(crate) use memory::{Looker, Memory, Moment};
pub use registers::REGISTERS;
pub(crate) use registers::Registers;
