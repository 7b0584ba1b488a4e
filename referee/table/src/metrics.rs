//! Metrics of matches, for operators: counters over all matches, none of a single one.

use std::sync::atomic::{AtomicU64, Ordering};

/// A counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
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
    /// Another referee told of something that it has written.
    WakeUpHeard,
    /// What others told was not heard for a while: a connection broke, or this referee fell behind.
    WakeUpMissed,
    /// A log was found to be longer by looking, before anybody was heard to tell it.
    WakeUpUnheard,
    /// It was for this referee to act by itself in a match.
    ClaimOurs,
    /// It was for another one.
    ClaimOthers,
}

impl Metric {
    /// Every counter, with its name and label for Prometheus.
    pub const ALL: [(Metric, &'static str, &'static str); 16] = [
        (Metric::Opened, "referee_matches_opened_total", ""),
        (Metric::Suspended, "referee_matches_suspended_total", ""),
        (Metric::SnapshotWritten, SNAPSHOTS, "written"),
        (Metric::SnapshotFailed, SNAPSHOTS, "failed"),
        (Metric::SnapshotUsed, SNAPSHOTS, "used"),
        (Metric::SnapshotStale, SNAPSHOTS, "stale"),
        (Metric::SnapshotDamaged, SNAPSHOTS, "damaged"),
        (Metric::MemoryRefused, MEMORY, "refused"),
        (Metric::MemoryEvicted, MEMORY, "evicted"),
        (Metric::LobbyEnded, TIDIED, "lobby_ended"),
        (Metric::MatchDeleted, TIDIED, "match_deleted"),
        (Metric::WakeUpHeard, WAKE_UPS, "heard"),
        (Metric::WakeUpMissed, WAKE_UPS, "missed"),
        (Metric::WakeUpUnheard, WAKE_UPS, "unheard"),
        (Metric::ClaimOurs, CLAIMS, "ours"),
        (Metric::ClaimOthers, CLAIMS, "others"),
    ];

    /// Returns the position of the metric in [`ALL`](Self::ALL).
    #[expect(clippy::as_conversions, reason = "a discriminant")]
    pub const fn place(self) -> usize {
        self as usize
    }
}

const SNAPSHOTS: &str = "referee_snapshots_total";
const TIDIED: &str = "referee_tidied_total";
const MEMORY: &str = "referee_memory_guard_total";
const WAKE_UPS: &str = "referee_wake_ups_total";
const CLAIMS: &str = "referee_claims_total";

/// The value of every counter.
#[derive(Debug, Default)]
pub struct Metrics([AtomicU64; Metric::ALL.len()]);

impl Metrics {
    /// One more.
    pub fn count(&self, what: Metric) {
        self.add(what, 1);
    }

    /// So many more.
    pub fn add(&self, what: Metric, more: u64) {
        self.0[what.place()].fetch_add(more, Ordering::Relaxed);
    }

    /// The value of a counter.
    pub fn get(&self, what: Metric) -> u64 {
        self.0[what.place()].load(Ordering::Relaxed)
    }
}
