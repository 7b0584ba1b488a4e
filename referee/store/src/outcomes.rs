//! What became of appends, counted for operators.
//!
//! In: each answer of a store. Out: how many answers of each kind there were since the referee began.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{Appended, StoreError};

/// What may become of an append, in the order in which it is counted: it is durable; it was already; the log ends elsewhere than
/// it says; another referee was writing to its match, so that it is tried again; that went on for too long; nobody knows.
const KINDS: [&str; 6] = [
    "done",
    "duplicate",
    "conflict",
    "busy",
    "overtaken",
    "failed",
];

/// How many appends came to what.
#[derive(Debug, Default)]
pub struct Outcomes([AtomicU64; KINDS.len()]);

impl Outcomes {
    /// Counts what a store, or whoever gave up, has answered.
    pub fn count(&self, answer: &Result<Appended, StoreError>) {
        let place = match answer {
            Ok(Appended::Done) => 0,
            Ok(Appended::Duplicate(_)) => 1,
            Ok(Appended::Conflict) => 2,
            Ok(Appended::Busy(_)) => 3,
            Err(StoreError::Overtaken) => 4,
            Err(_) => 5,
        };
        self.0[place].fetch_add(1, Ordering::Relaxed);
    }

    /// How many there were of each kind, by its name.
    pub fn all(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        let counted = self.0.iter().map(|count| count.load(Ordering::Relaxed));
        KINDS.into_iter().zip(counted)
    }
}
