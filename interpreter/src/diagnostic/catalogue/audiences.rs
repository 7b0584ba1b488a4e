//! 06xx: audiences, that is who may know what.

use super::Entry;

pub(super) const ENTRIES: &[Entry] = &[];
