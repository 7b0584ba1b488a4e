//! 09xx: constructs that are known but not yet playable.

use super::Entry;

pub(super) const ENTRIES: &[Entry] = &[];
