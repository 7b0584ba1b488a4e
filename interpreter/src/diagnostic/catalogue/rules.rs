//! 01xx: the syntax of `.rules` files.

use super::Entry;

pub(super) const ENTRIES: &[Entry] = &[];
