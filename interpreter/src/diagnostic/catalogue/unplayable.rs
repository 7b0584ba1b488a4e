//! 09xx: constructs that are known but not yet playable.

use super::entry::{Entry, entry};

pub(super) const ENTRIES: &[Entry] = &[entry(
    901,
    "not yet playable",
    "The grammar knows this construct, so that rules can be written and read, but no shipped ruleset has \
         needed it and the engine does not play it yet.",
)];
