//! The hash chain of a log: each entry is tied to the match and to every entry before it.
//!
//! A torn write, an edited entry, a missing one or one of another match shows when the log is read.
//! The chain does not stop somebody who rewrites the whole log and all its hashes.

use super::{Hash, MatchId, Store, StoreError, StoredEntry};
use crate::hashing::Context;
use crate::numbers::to_u64;

/// Entries that are read at a time.
const PAGE: usize = 1000;

/// What the first entry of a match is tied to.
pub fn start(id: &MatchId) -> Hash {
    static CONTEXT: Context = Context::new("referee 2026-11 log start v1");
    let mut hasher = CONTEXT.hasher();
    let start = hasher.update(id.as_str().as_bytes());
    *start.finalize().as_bytes()
}

/// The hash of an entry after `previous`.
pub fn link(previous: &Hash, sequence: u64, body: &[u8]) -> Hash {
    static CONTEXT: Context = Context::new("referee 2026-11 log entry v1");
    let mut hasher = CONTEXT.hasher();
    hasher.update(previous);
    hasher.update(&sequence.to_le_bytes());
    hasher.update(&to_u64(body.len()).to_le_bytes());
    hasher.update(body);
    *hasher.finalize().as_bytes()
}

/// The hash of the last of some entries that follow on others, of which the last has this hash.
pub fn linked(head: Hash, length: u64, entries: &[Vec<u8>]) -> Hash {
    let numbered = (length..).zip(entries);
    numbered.fold(head, |head, (sequence, body)| link(&head, sequence, body))
}

/// Verifies consecutive entries as they are read.
#[derive(Debug)]
pub struct Verifier {
    next: u64,
    previous: Hash,
}

impl Verifier {
    /// From the start of a match's log.
    pub fn new(id: &MatchId) -> Self {
        Verifier {
            next: 0,
            previous: start(id),
        }
    }

    /// From behind entries that were verified before, the last of which has this hash.
    pub fn behind(entries: u64, head: Hash) -> Self {
        Verifier {
            next: entries,
            previous: head,
        }
    }

    /// How many entries were verified.
    pub fn verified(&self) -> u64 {
        self.next
    }

    /// The hash that ties the last verified entry to all before it.
    pub fn head(&self) -> Hash {
        self.previous
    }

    /// Reads the entries of a log from here to its end, verifies each, and then tells it.
    ///
    /// # Errors
    ///
    /// When the store or `tell` fails, or an entry is not the one that was written.
    pub fn read_on<E: From<StoreError>>(
        &mut self,
        store: &dyn Store,
        id: &MatchId,
        mut tell: impl FnMut(&StoredEntry) -> Result<(), E>,
    ) -> Result<(), E> {
        loop {
            let entries = store.read(id, self.verified(), PAGE)?;
            if entries.is_empty() {
                return Ok(());
            }
            for entry in &entries {
                self.verify(entry)?;
                tell(entry)?;
            }
        }
    }

    /// Verifies the next entry.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`] when the entry is not the one that was written.
    pub fn verify(&mut self, entry: &StoredEntry) -> Result<(), StoreError> {
        if entry.sequence != self.next {
            return Err(StoreError::Damaged(format!(
                "entry {} is missing",
                self.next
            )));
        }
        let link = link(&self.previous, entry.sequence, &entry.body);
        if link != entry.chain {
            return Err(StoreError::Damaged(format!(
                "entry {} is not what was written",
                entry.sequence
            )));
        }
        self.previous = link;
        self.next += 1;
        Ok(())
    }
}
