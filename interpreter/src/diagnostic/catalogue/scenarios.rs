//! 10xx: scenarios.

use super::Entry;

pub(super) const ENTRIES: &[Entry] = &[];
