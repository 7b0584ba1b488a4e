//! The clock of the database, which all referees go by.
//!
//! It is asked every few seconds. In between a referee goes on by its own monotonic clock. The database said what it said after it was
//! asked and before the answer came: counted from the answer a referee is behind it by the way back at most, counted from the
//! question it is before it by the way there. What is over is judged by the one, what begins is noted by the other, so that no
//! referee whose answers come fast ends early what one noted whose answers come late. The first never goes back.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::connection::Way;
use super::values::get;
use crate::clock::Clock;
use crate::store::StoreError;

/// Time between two questions.
const PAUSE: Duration = Duration::from_secs(5);

/// What the database said last.
#[derive(Clone, Copy, Debug)]
struct Said {
    ms: i64,
    asked: Instant,
    heard: Instant,
}

impl Said {
    /// What it says now, if it said that at a moment.
    fn since(self, moment: Instant) -> i64 {
        let since = i64::try_from(moment.elapsed().as_millis()).unwrap_or(i64::MAX);
        self.ms.saturating_add(since)
    }
}

/// What is known of the time.
#[derive(Debug)]
pub struct DatabaseClock {
    said: Mutex<Said>,
    /// What was told last.
    told: AtomicI64,
}

impl DatabaseClock {
    /// Asks for the first time.
    ///
    /// # Errors
    ///
    /// When the database does not answer.
    pub async fn ask_first(way: &Way) -> Result<Arc<DatabaseClock>, StoreError> {
        let said = ask(way).await?;
        Ok(Arc::new(DatabaseClock {
            told: AtomicI64::new(said.ms),
            said: Mutex::new(said),
        }))
    }

    /// Milliseconds of Unix time, at least.
    pub fn now_ms(&self) -> i64 {
        let said = self.said();
        let now = said.since(said.heard);
        self.told.fetch_max(now, Ordering::Relaxed).max(now)
    }

    /// The same at most.
    pub fn latest_ms(&self) -> i64 {
        let said = self.said();
        said.since(said.asked)
    }

    fn said(&self) -> Said {
        *self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same for whoever needs a clock.
    pub fn clock(self: &Arc<Self>) -> Clock {
        let (now, latest) = (self.clone(), self.clone());
        Clock::told_between(move || now.now_ms(), move || latest.latest_ms())
    }

    /// Asks again and again, for as long as there is an engine.
    pub async fn ask_on(self: Arc<Self>, way: Way) {
        loop {
            tokio::time::sleep(PAUSE).await;
            match ask(&way).await {
                Ok(said) => *self.said.lock().unwrap_or_else(PoisonError::into_inner) = said,
                Err(error) => tracing::debug!(%error, "the database does not tell the time"),
            }
        }
    }
}

async fn ask(way: &Way) -> Result<Said, StoreError> {
    way.in_time(async {
        let client = way.client().await?;
        let sql = "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint";
        let sql = client.prepare_cached(sql).await?;
        let asked = Instant::now();
        let row = client.query_one(&sql, &[]).await?;
        Ok(Said {
            ms: get(&row, 0)?,
            asked,
            heard: Instant::now(),
        })
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A referee that asked and heard so long before and after the database said the time, which was a second ago.
    fn knows(asked_before: u64, heard_after: u64) -> DatabaseClock {
        let now = Instant::now();
        let ago = |ms| now.checked_sub(Duration::from_millis(ms)).unwrap_or(now);
        DatabaseClock {
            said: Mutex::new(Said {
                ms: 1_000_000,
                asked: ago(1_000 + asked_before),
                heard: ago(1_000 - heard_after),
            }),
            told: AtomicI64::new(0),
        }
    }

    #[test]
    fn what_one_notes_late_is_not_over_too_early_for_another() {
        let (slow, fast) = (knows(200, 300), knows(0, 0));
        // What begins now at the slow one begins in truth at 1,001,000.
        let noted = slow.latest_ms();
        assert!(noted >= 1_001_200, "{noted}");
        let judged = fast.now_ms();
        assert!(judged <= noted, "{judged} {noted}");
        // By what it judges with it would have noted a time that is long past.
        let known = slow.now_ms();
        assert!((1_000_700..1_000_900).contains(&known), "{known}");
        assert!(fast.latest_ms() >= judged);
    }
}
