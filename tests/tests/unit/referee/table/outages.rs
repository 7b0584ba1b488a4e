//! Tests of the module `table::outages`.

use referee::store::Outage;
use referee::table::Outages;

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

#[test]
fn what_overlaps_is_counted_once_and_what_is_learned_is_known_to_all() {
    let outage = |from_ms, to_ms| Outage { from_ms, to_ms };
    let known = Outages::default();
    let shared = known.clone();
    assert_eq!(shared.deadline(0, 40), 40);
    let told = vec![outage(20, 60), outage(10, 50), outage(30, 40)];
    known.learn(told.clone());
    assert!(shared.take_news());
    known.learn(told);
    assert!(!shared.take_news());
    assert_eq!(shared.deadline(0, 40), 90);
    assert_eq!(shared.elapsed(0, 100), 50);
}

#[test]
fn only_what_was_noted_lately_is_known() {
    let known = Outages::default();
    assert!(!known.are_known(1_000_000, 5));
    known.noted(1_000_000);
    assert!(known.are_known(1_000_004, 5));
    assert!(!known.are_known(1_000_005, 5));
    assert!(!known.are_known(999_999, 5), "the clock was set back");
}
