//! What a game is made of beside its rules: [chance], what has [happened](events), [registers], and the [memory] of what
//! queries gave and what was written since.

pub(crate) mod chance;
pub(crate) mod events;
pub(crate) mod memory;
pub(crate) mod registers;
