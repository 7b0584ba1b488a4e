//! Players that need nobody: at random ([`playout`]), one move ahead ([`greedy`]), and by tree search ([`search`]). Each
//! sees what its seat sees.

pub(crate) mod greedy;
pub(crate) mod playout;
pub(crate) mod search;
