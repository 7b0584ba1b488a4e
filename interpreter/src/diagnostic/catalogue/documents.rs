//! 03xx: documents, that is YAML files of a package.

use super::Entry;

pub(super) const ENTRIES: &[Entry] = &[];
