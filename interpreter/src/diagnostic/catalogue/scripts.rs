//! 02xx: scripts in `do { … }`.

use super::Entry;

pub(super) const ENTRIES: &[Entry] = &[];
