//! Tests of the module `table::turns::table`.

use std::time::Duration;

use referee::clock::Clock;
use referee::table::TableError;
use referee::table::turns::table::{to_its_end, until};

#[tokio::test]
async fn a_time_has_come_when_the_clock_says_so() {
    let began = tokio::time::Instant::now();
    // It stands still for 50 ms after 80.
    let clock = Clock::told_by(move || {
        let passed = i64::try_from(began.elapsed().as_millis()).unwrap_or(i64::MAX);
        1_000 + passed.min((passed - 50).max(80))
    });
    until(&clock, 1_100).await;
    assert!(clock.now_ms() >= 1_100);
    assert!(began.elapsed() >= Duration::from_millis(150));
    // What is past needs no waiting.
    let waits = tokio::time::timeout(Duration::from_secs(60), until(&clock, 900));
    waits.await.expect("it is over at once");
}

#[tokio::test]
async fn a_turn_that_panics_is_an_error_whether_or_not_it_has_waited() {
    let at_once = to_its_end::<()>(Box::pin(async { panic!("at once") })).await;
    let later = to_its_end::<()>(Box::pin(async {
        tokio::task::yield_now().await;
        panic!("later")
    }));
    for (stopped, why) in [(at_once, "at once"), (later.await, "later")] {
        let said = match stopped {
            Err(TableError::Internal(said)) => said,
            other => panic!("{other:?}"),
        };
        assert!(said.contains(why), "{said}");
    }
}
