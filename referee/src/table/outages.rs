//! When there was no referee: no clock runs then, however often it was started again.

use crate::store::Outage;

/// Outages that are known, in their order. None overlaps another.
#[derive(Clone, Debug, Default)]
pub struct Outages(Vec<Outage>);

impl Outages {
    /// These, in any order.
    pub fn of(mut known: Vec<Outage>) -> Outages {
        known.retain(|outage| outage.from_ms < outage.to_ms);
        known.sort_unstable_by_key(|outage| outage.from_ms);
        Outages(known)
    }

    /// When a time is up that began then and lasts so long, in milliseconds of Unix time.
    pub fn deadline(&self, begun_ms: i64, lasting_ms: i64) -> i64 {
        let mut deadline = begun_ms.saturating_add(lasting_ms);
        for outage in &self.0 {
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
        let out: i64 = self.0.iter().map(within).sum();
        u64::try_from(to_ms.saturating_sub(from_ms).saturating_sub(out)).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_without_a_referee_is_nobodys() {
        let outage = |from_ms, to_ms| Outage { from_ms, to_ms };
        let known = Outages::of(vec![outage(200, 300), outage(50, 60), outage(70, 70)]);
        // Before, after, and the end of one in between.
        assert_eq!(known.deadline(0, 40), 40);
        assert_eq!(known.deadline(300, 40), 340);
        assert_eq!(known.deadline(55, 10), 70);
        assert_eq!(known.deadline(0, 50), 50, "it was up just before");
        assert_eq!(known.deadline(0, 51), 61);
        assert_eq!(known.deadline(0, 190), 200);
        assert_eq!(known.deadline(0, 191), 301);
        assert_eq!(known.elapsed(0, 50), 50);
        assert_eq!(known.elapsed(0, 1_000), 890);
        assert_eq!(known.elapsed(250, 260), 0);
        for lasting in 0..400 {
            let deadline = known.deadline(10, lasting);
            assert_eq!(i64::try_from(known.elapsed(10, deadline)), Ok(lasting));
        }
    }
}
