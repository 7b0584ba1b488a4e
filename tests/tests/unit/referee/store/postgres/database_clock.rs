//! Tests of the module `store::postgres::database_clock`.

use std::time::{Duration, Instant};

use referee::store::postgres::database_clock::DatabaseClock;

/// A referee that asked and heard so long before and after the database said the time, which was a second ago.
fn knows(asked_before: u64, heard_after: u64) -> DatabaseClock {
    let now = Instant::now();
    let ago = |ms| now.checked_sub(Duration::from_millis(ms)).unwrap_or(now);
    let (asked, heard) = (ago(1_000 + asked_before), ago(1_000 - heard_after));
    DatabaseClock::from_answer(1_000_000, asked, heard)
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
