//! 05xx: names and types.

use super::Entry;

pub(super) const ENTRIES: &[Entry] = &[];
