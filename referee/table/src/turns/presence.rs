//! Who is at the table: of each seat, whether somebody is there, and when somebody was last.
//!
//! In: streams of seats and calls of theirs. Out: what is told of it, gathered over ten seconds. Nothing of it is in the log.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use interpreter::play::Seat;

/// What happens within such a time is told at once.
pub const GATHERED: Duration = Duration::from_secs(10);

const GATHERED_MS: i64 = 10_000;

/// Whether somebody is at a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeatPresence {
    /// Whose.
    pub seat: Seat,
    /// Whether somebody watches its match, or has called within the last ten seconds.
    pub connected: bool,
    /// Else when somebody did last, rounded down to ten seconds, in milliseconds of Unix time; none while nobody has since
    /// the match was taken into memory.
    pub last_seen_ms: Option<i64>,
}

/// When somebody was last at each seat, in milliseconds of Unix time; 0 is never.
pub struct Presence(Box<[AtomicI64]>);

impl Presence {
    /// Of so many seats, at which nobody was yet.
    pub fn of(seats: usize) -> Presence {
        Presence((0..seats).map(|_| AtomicI64::default()).collect())
    }

    /// Somebody is at a seat.
    pub fn note(&self, seat: Seat, now_ms: i64) {
        if let Some(seen) = self.0.get(usize::from(seat.0)) {
            seen.fetch_max(now_ms, Ordering::Relaxed);
        }
    }

    /// What is told of each seat, if these are watched from.
    pub fn told(&self, now_ms: i64, is_watched: impl Fn(Seat) -> bool) -> Vec<SeatPresence> {
        let seats = (0..).map(Seat).zip(&self.0);
        let told = |(seat, seen): (Seat, &AtomicI64)| {
            let seen = Some(seen.load(Ordering::Relaxed)).filter(|seen| *seen > 0);
            let lately = |seen: i64| now_ms.saturating_sub(seen) < GATHERED_MS;
            let connected = is_watched(seat) || seen.is_some_and(lately);
            let rounded = |seen: i64| seen - seen.rem_euclid(GATHERED_MS);
            SeatPresence {
                seat,
                connected,
                last_seen_ms: seen.filter(|_| !connected).map(rounded),
            }
        };
        seats.map(told).collect()
    }
}
