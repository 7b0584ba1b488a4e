//! Players that need nobody: at random ([`playout`]), one move ahead ([`greedy`]), and by tree search ([`search`]). Each
//! sees what its seat sees. And one who is nearly right: moves that differ from legal ones in one respect
//! ([`near_misses`](mod@near_misses)).

pub(crate) mod greedy;
pub(crate) mod near_misses;
pub(crate) mod playout;
pub(crate) mod search;
