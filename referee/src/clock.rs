//! What time it is: for people, and for what the referee does by itself. No rule reads it.
//!
//! Whoever starts a referee says by which clock it runs ([`Config::clock`](crate::server::Config::clock)). How long
//! something lasts is measured by tokio's time, which tests can stop.

use std::fmt;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use tokio::time::Instant;

/// Tells the time, in milliseconds of Unix time. Copies are the same clock.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> i64 + Send + Sync>);

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
        Clock(Arc::new(tell))
    }

    /// Milliseconds of Unix time.
    pub fn now_ms(&self) -> i64 {
        (self.0)()
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_clock_begins_where_it_is_told_to_and_goes_as_tokio_does() {
        let clock = Clock::from_ms(1_000_000);
        assert_eq!(clock.now_ms(), 1_000_000);
        tokio::time::advance(Duration::from_secs(90)).await;
        assert_eq!(clock.clone().now_ms(), 1_090_000);
    }
}
