//! What a game is made of beside its rules: [chance], what has [happened](events), [registers], and the [memory] of what
//! queries gave and what was written since.

pub mod chance;
pub mod events;
pub mod memory;
pub mod registers;
pub(crate) mod rest;
pub(crate) mod sight;

pub use chance::Draws;
pub use chance::Seed;
pub(crate) use events::{Following, Happened, Kept, MadeMove, Raised, Raw, with_causes};
pub(crate) use memory::{Looker, Memory, Moment};
pub use registers::REGISTERS;
pub(crate) use registers::Registers;
pub(crate) use rest::{Rest, Said};
pub(crate) use sight::{EVERYBODY, among, sees};
