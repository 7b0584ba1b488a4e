//! When there was no referee, or none that could write: no clock runs then, however often it was started again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use arc_swap::ArcSwap;

use referee_store::Outage;

/// Outages that are known. Clones share them: what one learns all know.
#[derive(Clone, Debug, Default)]
pub struct Outages {
    /// In their order; none overlaps another.
    known: Arc<ArcSwap<Vec<Outage>>>,
    /// Until when all are known that were over, in milliseconds of Unix time.
    until_ms: Arc<AtomicI64>,
    /// Whether some were learned since it was asked last.
    news: Arc<AtomicBool>,
}

impl Outages {
    /// These, in any order.
    pub fn of(known: Vec<Outage>) -> Outages {
        let outages = Outages::default();
        outages.learn(known);
        outages.take_news();
        outages
    }

    /// From now on these are known, in any order.
    pub fn learn(&self, mut known: Vec<Outage>) {
        known.retain(|outage| outage.from_ms < outage.to_ms);
        known.sort_unstable_by_key(|outage| outage.from_ms);
        // Where a clock was set back, or somebody's note came late, one of them tells part of another.
        known.dedup_by(|next, before| {
            let overlaps = next.from_ms <= before.to_ms;
            if overlaps {
                before.to_ms = before.to_ms.max(next.to_ms);
            }
            overlaps
        });
        if **self.known.load() != known {
            self.known.store(Arc::new(known));
            self.news.store(true, Ordering::Release);
        }
    }

    /// Whether others are known than when this was asked last.
    pub fn take_news(&self) -> bool {
        self.news.swap(false, Ordering::AcqRel)
    }

    /// Everything was learned that was over by then.
    pub fn noted(&self, now_ms: i64) {
        self.until_ms.store(now_ms, Ordering::Release);
    }

    /// Whether all are known that were over so many milliseconds ago.
    pub fn are_known(&self, now_ms: i64, recent_ms: i64) -> bool {
        let since = now_ms.saturating_sub(self.until_ms.load(Ordering::Acquire));
        (0..recent_ms).contains(&since)
    }

    /// When a time is up that began then and lasts so long, in milliseconds of Unix time.
    pub fn deadline(&self, begun_ms: i64, lasting_ms: i64) -> i64 {
        let mut deadline = begun_ms.saturating_add(lasting_ms);
        for outage in self.known.load().iter() {
            let from = outage.from_ms.max(begun_ms);
            if from < outage.to_ms && from < deadline {
                deadline = deadline.saturating_add(outage.to_ms.saturating_sub(from));
            }
        }
        deadline
    }

    /// How long it was from one time to another, while there was a referee, in milliseconds.
    pub fn elapsed(&self, from_ms: i64, to_ms: i64) -> u64 {
        let within = |outage: &Outage| {
            let (from, to) = (outage.from_ms.max(from_ms), outage.to_ms.min(to_ms));
            to.saturating_sub(from).max(0)
        };
        let out: i64 = self.known.load().iter().map(within).sum();
        u64::try_from(to_ms.saturating_sub(from_ms).saturating_sub(out)).unwrap_or(0)
    }
}
