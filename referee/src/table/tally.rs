//! What is counted of matches, for operators: numbers alone, of no match in particular.

use std::sync::atomic::{AtomicU64, Ordering};

/// Something that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// A match was opened from its log.
    Opened,
    /// A match could not go on: a fault of its rules, damage, or rules that are understood otherwise.
    Suspended,
    /// A snapshot was written.
    SnapshotWritten,
    /// A snapshot could not be written.
    SnapshotFailed,
    /// A match was opened from a snapshot and the moves behind it.
    SnapshotUsed,
    /// A snapshot was of another engine, other rules or other moves.
    SnapshotStale,
    /// A snapshot was not what was written, or led elsewhere than the log says.
    SnapshotDamaged,
    /// Something was refused because the referee has too much in memory.
    MemoryRefused,
    /// A match was let go because the referee has too much in memory.
    MemoryEvicted,
    /// A lobby has ended because nobody has started it.
    LobbyEnded,
    /// A match was archived and deleted because it was over for long.
    MatchDeleted,
}

impl Counted {
    /// Everything that is counted, with the name and label of its figure.
    pub const ALL: [(Counted, &'static str, &'static str); 11] = [
        (Counted::Opened, "referee_matches_opened_total", ""),
        (Counted::Suspended, "referee_matches_suspended_total", ""),
        (Counted::SnapshotWritten, SNAPSHOTS, "written"),
        (Counted::SnapshotFailed, SNAPSHOTS, "failed"),
        (Counted::SnapshotUsed, SNAPSHOTS, "used"),
        (Counted::SnapshotStale, SNAPSHOTS, "stale"),
        (Counted::SnapshotDamaged, SNAPSHOTS, "damaged"),
        (Counted::MemoryRefused, MEMORY, "refused"),
        (Counted::MemoryEvicted, MEMORY, "evicted"),
        (Counted::LobbyEnded, TIDIED, "lobby_ended"),
        (Counted::MatchDeleted, TIDIED, "match_deleted"),
    ];
}

const SNAPSHOTS: &str = "referee_snapshots_total";
const TIDIED: &str = "referee_tidied_total";
const MEMORY: &str = "referee_memory_guard_total";

/// How often each was.
#[derive(Debug, Default)]
pub struct Tally([AtomicU64; Counted::ALL.len()]);

impl Tally {
    /// One more.
    pub fn count(&self, what: Counted) {
        self.add(what, 1);
    }

    /// So many more.
    pub fn add(&self, what: Counted, more: u64) {
        self.0[what as usize].fetch_add(more, Ordering::Relaxed);
    }

    /// How many it were.
    pub fn get(&self, what: Counted) -> u64 {
        self.0[what as usize].load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_counted_in_its_own_place() {
        for (place, (what, ..)) in Counted::ALL.into_iter().enumerate() {
            assert_eq!(what as usize, place);
        }
    }
}
