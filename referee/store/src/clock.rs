//! What time it is: for people, and for what the referee does by itself. No rule reads it.
//!
//! Whoever starts a referee says by which clock it runs (`Config::clock` of `referee-server`). How long
//! something lasts is measured by tokio's time, which tests can stop.

use std::fmt;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use tokio::time::Instant;

/// Tells the time, in milliseconds of Unix time. Copies are the same clock.
#[derive(Clone)]
pub struct Clock {
    now: Arc<dyn Fn() -> i64 + Send + Sync>,
    latest: Arc<dyn Fn() -> i64 + Send + Sync>,
}

impl Clock {
    /// The clock of the operating system.
    pub fn system() -> Clock {
        Clock::told_by(|| {
            let since = SystemTime::now().duration_since(UNIX_EPOCH);
            milliseconds(since.unwrap_or_default())
        })
    }

    /// A clock that says `now_ms` now, and goes on from there as tokio's time does.
    pub fn from_ms(now_ms: i64) -> Clock {
        let began = Instant::now();
        Clock::told_by(move || now_ms.saturating_add(milliseconds(began.elapsed())))
    }

    /// Whatever this tells.
    pub fn told_by(tell: impl Fn() -> i64 + Send + Sync + 'static) -> Clock {
        let now: Arc<dyn Fn() -> i64 + Send + Sync> = Arc::new(tell);
        Clock {
            latest: now.clone(),
            now,
        }
    }

    /// A clock somewhere else, of which is known what it says at least, and at most.
    pub fn told_between(
        now: impl Fn() -> i64 + Send + Sync + 'static,
        latest: impl Fn() -> i64 + Send + Sync + 'static,
    ) -> Clock {
        Clock {
            now: Arc::new(now),
            latest: Arc::new(latest),
        }
    }

    /// Milliseconds of Unix time; of a clock somewhere else what it says at least: by that it is judged what is over.
    pub fn now_ms(&self) -> i64 {
        (self.now)()
    }

    /// What it says at most: by that it is noted what begins, or whoever knows the time better would end it too early.
    pub fn latest_ms(&self) -> i64 {
        (self.latest)().max(self.now_ms())
    }
}

fn milliseconds(duration: std::time::Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

impl Default for Clock {
    fn default() -> Clock {
        Clock::system()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock(..)")
    }
}
