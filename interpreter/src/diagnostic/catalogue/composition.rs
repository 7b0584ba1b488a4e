//! 04xx: composition of a base and its modules.

use super::Entry;

pub(super) const ENTRIES: &[Entry] = &[];
