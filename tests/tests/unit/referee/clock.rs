//! Tests of the module `clock`.

use std::time::Duration;

use referee::clock::Clock;

#[test]
fn a_clock_begins_where_it_is_told_to_and_goes_on() {
    let clock = Clock::from_ms(1_000_000);
    let first = clock.now_ms();
    assert!((1_000_000..1_060_000).contains(&first), "{first}");
    std::thread::sleep(Duration::from_millis(20));
    let later = clock.clone().now_ms();
    assert!(
        (first + 20..first + 60_000).contains(&later),
        "{first}, {later}"
    );
}
