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
use crate::StoreError;
use crate::clock::Clock;

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
        let clock = DatabaseClock::from_answer(said.ms, said.asked, said.heard);
        Ok(Arc::new(clock))
    }

    /// Creates a clock from an answer of the database: milliseconds of Unix time, and when it was asked and heard.
    pub fn from_answer(ms: i64, asked: Instant, heard: Instant) -> DatabaseClock {
        DatabaseClock {
            told: AtomicI64::new(ms),
            said: Mutex::new(Said { ms, asked, heard }),
        }
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
