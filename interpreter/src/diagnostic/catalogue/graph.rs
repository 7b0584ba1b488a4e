//! 07xx: the phase graph.

use super::Entry;

pub(super) const ENTRIES: &[Entry] = &[];
