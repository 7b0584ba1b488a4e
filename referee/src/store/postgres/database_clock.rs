//! The clock of the database, which all referees go by.
//!
//! It is asked every few seconds. In between a referee goes on by its own monotonic clock from when the answer came: so it is
//! behind the database by no more than the way back took, and never before it. It never goes back.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::connection::Way;
use super::values::get;
use crate::clock::Clock;
use crate::store::StoreError;

/// Time between two questions.
const PAUSE: Duration = Duration::from_secs(5);

/// What is known of the time.
#[derive(Debug)]
pub struct DatabaseClock {
    /// What the database said last, and when that was heard.
    said: Mutex<(i64, Instant)>,
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
            said: Mutex::new(said),
            told: AtomicI64::new(said.0),
        }))
    }

    /// Milliseconds of Unix time.
    pub fn now_ms(&self) -> i64 {
        let (said, heard) = *self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let since = i64::try_from(heard.elapsed().as_millis()).unwrap_or(i64::MAX);
        let now = said.saturating_add(since);
        self.told.fetch_max(now, Ordering::Relaxed).max(now)
    }

    /// The same for whoever needs a clock.
    pub fn clock(self: &Arc<Self>) -> Clock {
        let clock = self.clone();
        Clock::told_by(move || clock.now_ms())
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

async fn ask(way: &Way) -> Result<(i64, Instant), StoreError> {
    way.in_time(async {
        let client = way.client().await?;
        let sql = "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint";
        let sql = client.prepare_cached(sql).await?;
        let row = client.query_one(&sql, &[]).await?;
        Ok((get(&row, 0)?, Instant::now()))
    })
    .await
}
