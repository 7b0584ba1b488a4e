//! Tests of the module `table::scheduling::queue`.

use std::net::Ipv4Addr;
use std::sync::Arc;

use referee::store::{MatchId, Principal};
use referee::table::scheduling::queue::{HALVED, Queues};
use referee::table::{Payer, Payers, Queue, SLICE};

fn address(last: u8) -> Payer {
    Payer::at(Ipv4Addr::new(10, 0, 0, last).into())
}

/// In which order those get a place who wait for the only one while it is taken.
async fn order(queues: &Arc<Queues>, waiting: Vec<(&'static str, Payers)>) -> Vec<&'static str> {
    let taken = queues.place(Queue::Making, Payers::default()).await;
    let (done, mut came) = tokio::sync::mpsc::unbounded_channel();
    for (name, payers) in waiting {
        let (queues, done) = (queues.clone(), done.clone());
        tokio::spawn(async move {
            let place = queues.place(Queue::Making, payers).await;
            done.send(name).expect("somebody waits");
            place.leave(0);
        });
        tokio::task::yield_now().await;
    }
    drop((taken, done));
    let mut order = Vec::new();
    while let Some(name) = came.recv().await {
        order.push(name);
    }
    order
}

#[tokio::test]
async fn whoever_has_cost_least_is_next_however_many_others_wait() {
    let queues = Arc::new(Queues::of(1));
    for _ in 0..3 {
        let greedy = Payers::of([address(1), Payer::Token([1; 32])]);
        let place = queues.place(Queue::Making, greedy).await;
        place.leave(1_000_000);
    }
    // Tokens without a past do not help an address that has one.
    let from = |last, token| Payers::of([address(last), Payer::Token([token; 32])]);
    let mut waiting: Vec<_> = (2..100).map(|n| ("greedy", from(1, n))).collect();
    waiting.push(("neighbour", from(2, 200)));
    let order = order(&queues, waiting).await;
    assert_eq!(order[0], "neighbour");
    assert_eq!(order.len(), 99);
}

#[tokio::test]
async fn who_is_known_does_not_stand_behind_strangers_from_the_same_place() {
    let queues = Arc::new(Queues::of(1));
    let strangers = Payers::of([address(1)]);
    let place = queues.place(Queue::Making, strangers.clone()).await;
    place.leave(1_000_000);
    let (host, id) = (Principal([7; 32]), MatchId::random());
    let seat = async {
        Payers::caller_is([Payer::Match(id.clone()), Payer::Token([8; 32])]);
        Payers::caller_is_of(host);
        // Once is enough.
        Payers::caller_is_of(host);
        Payers::calling()
    };
    let known = strangers.clone().calling_for(None, seat).await;
    let expected = [
        Payer::Host(host),
        Payer::Match(id.clone()),
        Payer::Token([8; 32]),
    ];
    assert_eq!(known.accounts(), expected);
    let mut waiting = vec![("stranger", strangers); 50];
    waiting.push(("known", known));
    assert_eq!(order(&queues, waiting).await[0], "known");
}

#[tokio::test]
async fn a_neighbour_waits_for_one_piece_of_work_however_many_others_wait() {
    for attackers in [10, 100] {
        let queues = Arc::new(Queues::of(1));
        let busy = queues.place(Queue::Making, Payers::of([address(1)])).await;
        let go_on = Arc::new(tokio::sync::Semaphore::new(0));
        let wait = |payer| {
            let (queues, go_on) = (queues.clone(), go_on.clone());
            tokio::spawn(async move {
                let place = queues.place(Queue::Making, Payers::of([payer])).await;
                let _done = go_on.acquire().await;
                place.leave(SLICE);
            })
        };
        let mut all: Vec<_> = (0..attackers).map(|_| wait(address(1))).collect();
        tokio::task::yield_now().await;
        busy.leave(SLICE);
        tokio::task::yield_now().await;
        all.push(wait(address(2)));
        tokio::task::yield_now().await;
        go_on.add_permits(1);
        for one in all {
            one.await.expect("no panic");
        }
        let longest = |last| queues.longest_wait(Queue::Making, address(last));
        assert_eq!(longest(2), SLICE);
        assert!(longest(1) >= attackers * SLICE, "the last of the others");
    }
}

#[tokio::test]
async fn equals_are_served_as_they_come_and_who_rests_is_forgiven() {
    let queues = Arc::new(Queues::of(1));
    let of = |last| Payers::of([address(last)]);
    let place = queues.place(Queue::Making, of(1)).await;
    place.leave(1_000_000);
    let both = || vec![("first", of(1)), ("second", of(2))];
    assert_eq!(order(&queues, both()).await, ["second", "first"]);
    for _ in 0..12 {
        let place = queues.place(Queue::Making, Payers::default()).await;
        place.leave(HALVED);
    }
    assert_eq!(order(&queues, both()).await, ["first", "second"]);
    assert!(queues.remembered_accounts() <= 2);
}

#[tokio::test]
async fn a_place_is_not_lost_with_somebody_who_goes_away() {
    let queues = Arc::new(Queues::of(1));
    let taken = queues.place(Queue::Bots, Payers::default()).await;
    for _ in 0..3 {
        let gone = tokio::spawn({
            let queues = queues.clone();
            async move { queues.place(Queue::Bots, Payers::default()).await }
        });
        tokio::task::yield_now().await;
        gone.abort();
    }
    drop(taken);
    // The queues do not stand before each other.
    for queue in Queue::ALL {
        queues.place(queue, Payers::default()).await.leave(0);
    }
}

#[test]
fn a_customer_has_one_address() {
    let at = |text: &str| Payer::at(text.parse().expect("an address"));
    assert_eq!(at("2001:db8:1:2:3::4"), at("2001:db8:1:2::9"));
    assert_ne!(at("2001:db8:1:2::1"), at("2001:db8:1:3::1"));
    assert_eq!(at("::ffff:10.0.0.1"), at("10.0.0.1"));
    assert_ne!(at("10.0.0.2"), at("10.0.0.1"));
}
