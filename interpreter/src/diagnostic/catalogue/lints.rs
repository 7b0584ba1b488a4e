//! 08xx: lints, that is what is allowed but suspicious.

use super::Entry;

pub(super) const ENTRIES: &[Entry] = &[];
