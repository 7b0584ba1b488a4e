//! Tests of the module `table::scheduling::workers`.

use std::sync::Arc;
use std::time::Duration;

use interpreter::budget;
use referee::table::scheduling::workers::{Pace, guarded};
use referee::table::{Payer, Payers, Queue, SLICE, TableError, Workers};
use referee::threads::Threads;

fn one_at_a_time() -> Workers {
    Workers::with_processors(&Threads::of_tokio(), 1)
}

#[tokio::test]
async fn a_panic_is_an_error_and_gives_its_place_back() {
    let workers = one_at_a_time();
    for queue in Queue::ALL {
        for _ in 0..3 {
            let failed: Result<(), _> = workers.run(queue, || panic!("on purpose")).await;
            assert!(matches!(failed, Err(TableError::Internal(_))));
            let failed: Result<(), _> = guarded(|| panic!("on purpose"));
            assert!(matches!(failed, Err(TableError::Internal(_))));
        }
        assert_eq!(workers.run(queue, || 7).await.unwrap(), 7);
    }
}

/// Work that comes to no end by itself.
fn endless() {
    loop {
        budget::spend(1, None);
    }
}

#[tokio::test]
async fn what_nobody_waits_for_is_given_up_and_so_is_everything_when_the_referee_stops() {
    let workers = one_at_a_time();
    let gone = tokio::time::timeout(
        Duration::from_millis(50),
        workers.run(Queue::Making, endless),
    );
    assert!(gone.await.is_err());
    assert_eq!(workers.run(Queue::Making, || 7).await.unwrap(), 7);
    let (running, stopping) = (workers.clone(), workers.clone());
    let running = tokio::spawn(async move { running.run(Queue::Making, endless).await });
    tokio::task::yield_now().await;
    stopping.stop();
    let stopped = running.await.unwrap();
    assert!(matches!(stopped, Err(TableError::Stopping)), "{stopped:?}");
    // Moves are made all the same: who has sent one is told what became of it.
    let moved = workers.run(Queue::Table, || {
        (0..100_000).for_each(|_| budget::spend(1, None))
    });
    assert!(moved.await.is_ok());
}

#[tokio::test]
async fn long_work_gives_way_between_slices_to_whoever_has_cost_less() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let workers = one_at_a_time();
    let payer = |n| Payer::Token([n; 32]);
    for queue in Queue::ALL.into_iter().filter(|queue| queue.gives_way()) {
        let enough = Arc::new(AtomicBool::new(false));
        let long = |n| {
            let (workers, enough) = (workers.clone(), enough.clone());
            tokio::spawn(async move {
                let until_enough = move || {
                    while !enough.load(Ordering::Relaxed) {
                        budget::spend(SLICE / 4, None);
                        budget::rest();
                    }
                };
                let payers = Payers::of([payer(n)]);
                workers.run_for(queue, payers, until_enough).await
            })
        };
        let long = [long(1), long(1), long(2)];
        for _ in 0..3 {
            tokio::task::yield_now().await;
            let quick = workers.run_for(queue, Payers::of([payer(3)]), || 7);
            let quick = tokio::time::timeout(Duration::from_secs(60), quick).await;
            assert_eq!(quick.expect("it has its turn").unwrap(), 7, "{queue:?}");
        }
        let waited = workers.longest_wait(queue, payer(3));
        assert!(waited <= 2 * SLICE, "{queue:?}: {waited}");
        enough.store(true, Ordering::Relaxed);
        for one in long {
            one.await.expect("no panic").expect("it ends");
        }
        assert_eq!(workers.run(queue, || 8).await.unwrap(), 8);
    }
}

/// Learns of pieces of work that were quick, and gives how many of them were handed over.
fn quick(pace: &mut Pace, pieces: u32) -> u32 {
    let one = |_| {
        let apart = pace.apart > 0;
        pace.learn(Some(0));
        u32::from(apart)
    };
    (0..pieces).map(one).sum()
}

#[test]
fn rules_that_take_long_again_are_kept_apart_for_a_while() {
    let mut pace = Pace::unknown();
    assert_eq!(quick(&mut pace, 1000), 1, "nothing is known of the first");
    pace.learn(Some(Pace::LONG));
    assert_eq!(quick(&mut pace, 100), 1, "long once");
    for _ in 0..3 {
        pace.learn(Some(Pace::LONG));
        assert_eq!(quick(&mut pace, Pace::WARY + 100), Pace::WARY, "long again");
    }
    assert_eq!(quick(&mut pace, Pace::WARY), 0);
    pace.learn(Some(Pace::LONG));
    assert_eq!(quick(&mut pace, 100), 1, "the last time is forgotten");
}

#[test]
fn rules_that_have_never_been_quick_or_panic_are_kept_apart_at_once() {
    for bad in [Some(Pace::LONG), None] {
        let mut pace = Pace::unknown();
        pace.learn(bad);
        assert_eq!(quick(&mut pace, 1000), Pace::WARY, "{bad:?}");
        pace.learn(None);
        assert_eq!(quick(&mut pace, 1000), Pace::WARY, "a panic");
    }
}

#[tokio::test]
async fn work_is_done_here_only_where_it_is_quick() {
    let workers = one_at_a_time();
    let here = std::thread::current().id();
    for apart in [0, 1] {
        let mut pace = Pace { apart, held: 0 };
        let done = pace
            .run(&workers, Payers::calling, || std::thread::current().id())
            .await;
        assert_eq!(done.unwrap() == here, apart == 0);
    }
}
