use std::cell::RefCell;
use std::rc::Rc;

use interpreter::budget::{
    Budget, Ended, LOOK, Stop, bounded, charge, counted, heed_stops, is_spent, rest, resting,
    spend, within,
};

fn work(units: u64) {
    (0..units).for_each(|_| spend(1, None));
}

#[test]
fn whoever_waits_is_stopped_and_pays_nothing() {
    let budget = Budget::of(1);
    let (done, spent) = within(&budget, || (0..3).for_each(|_| heed_stops()));
    assert_eq!((done, spent), (Ok(()), 0));
    budget.stop.stop();
    let (done, spent) = within(&budget, heed_stops);
    assert_eq!((done, spent), (Err(Ended::Stopped), 0));
    // Without a budget nobody can stop it.
    assert_eq!(counted(heed_stops), ((), 0));
}

#[test]
fn work_is_counted_and_ends_where_nothing_is_left() {
    for units in [0, 1, LOOK - 1, LOOK, LOOK + 1, 3 * LOOK] {
        let (done, spent) = within(&Budget::of(3 * LOOK), || work(units));
        assert_eq!((done, spent), (Ok(()), units));
    }
    let (done, spent) = within(&Budget::of(LOOK), || work(LOOK + 1));
    assert_eq!((done, spent), (Err(Ended::Spent(None)), LOOK));
    // Without a budget nothing ends, and what was spent before counts for nothing.
    let (_, spent) = counted(|| {
        work(2 * LOOK);
        within(&Budget::of(LOOK), || work(LOOK)).1
    });
    assert_eq!(spent, 3 * LOOK);
}

#[test]
fn what_is_spent_within_is_spent_outside() {
    let (done, spent) = within(&Budget::of(100), || {
        let (inner, spent) = within(&Budget::of(30), || work(40));
        assert_eq!((inner, spent), (Err(Ended::Spent(None)), 30));
        work(60);
        // The outer budget is the smaller one: both end.
        let _ = within(&Budget::of(1000), || work(11));
        unreachable!("the outer work is unwound");
    });
    assert_eq!((done, spent), (Err(Ended::Spent(None)), 100));
}

#[test]
fn work_is_stopped_from_outside() {
    let stop = Stop::default();
    stop.stop();
    let (done, spent) = within(&Budget::until(&stop), || {
        let _ = within(&Budget::of(u64::MAX), || work(3 * LOOK));
    });
    assert_eq!(done, Err(Ended::Stopped));
    assert!(spent <= LOOK, "{spent}");
}

#[test]
fn play_has_the_same_budget_wherever_it_is_done() {
    let play = || {
        let mut units = 0;
        while !is_spent() {
            charge(7);
            units += 7;
        }
        units
    };
    let (alone, spent) = counted(|| bounded(3 * LOOK, play));
    assert_eq!((alone, spent), (30_002, 3 * LOOK));
    let (within, spent) = within(&Budget::of(LOOK), || bounded(3 * LOOK, play));
    assert_eq!((within, spent), (Ok(30_002), LOOK));
    assert!(!is_spent());
}

#[test]
fn work_rests_where_it_can_and_tells_what_it_took() {
    let told = Rc::new(RefCell::new(Vec::new()));
    let hook = told.clone();
    let ((), rest_of_it) = resting(
        move |units| hook.borrow_mut().push(units),
        || {
            for units in [3 * LOOK, 5] {
                work(units);
                rest();
            }
            let inner = resting(|_| unreachable!("nobody rests there"), || work(7));
            assert_eq!(inner, ((), 7));
            work(1);
        },
    );
    assert_eq!((&told.borrow()[..], rest_of_it), (&[3 * LOOK, 5][..], 8));
    rest();
}

#[test]
fn other_panics_go_on() {
    let caught = std::panic::catch_unwind(|| within(&Budget::of(10), || panic!("on purpose")));
    assert!(caught.is_err());
    let (done, _) = within(&Budget::of(10), || work(10));
    assert_eq!(done, Ok(()));
}
