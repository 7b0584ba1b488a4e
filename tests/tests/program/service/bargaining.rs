//! Five clients bargain at once: no deal is lost or made twice.
//!
//! More matches: `REFEREE_MATCHES=1000 cargo test --release --locked -p referee-tests --test program five_clients`,
//! from another number on with `REFEREE_FIRST_MATCH`.

use std::sync::Arc;
use std::time::Duration;

use referee::client::{SeatClient, error_info, refusal};
use referee::wire::v1::{self, open_parameter::Domain, value::Kind};
use referee_tests::random::Random;
use referee_tests::sample::asked;
use tokio::task::JoinSet;
use tonic::Code;

use super::world::{Table, World, create_of};

/// How long a client thinks at most before it looks what it may do, in microseconds.
const THOUGHT: u64 = 8000;
/// Matches that are played at the same time.
const AT_ONCE: usize = 4;

/// What a client has seen of its own moves.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// Offers of others that it accepted.
    accepted: usize,
    /// Answers that came late: somebody had changed the question.
    late: usize,
    /// Moves that a rule forbade.
    refused: usize,
}

/// A move of an offer: the first amount is the smallest that is something, bags are as small as they may
/// be, all else is left out.
fn modest(offer: &v1::Offer) -> v1::Move {
    let mut arguments = offer.fixed.clone();
    let mut paid = false;
    for parameter in &offer.open {
        let kind = match &parameter.domain {
            Some(Domain::Amount(amount)) if !paid && amount.least + amount.step <= amount.most => {
                paid = true;
                Kind::Integer(amount.least + amount.step)
            }
            Some(Domain::Bag(bag)) if bag.least > 0 => {
                let mut left = bag.least;
                let counts = bag.available.iter().map(|row| {
                    let count = row.count.min(left);
                    left -= count;
                    v1::RowCount {
                        row: row.row.clone(),
                        count,
                    }
                });
                Kind::Bag(v1::Bag {
                    table: bag.table.clone(),
                    counts: counts.filter(|row| row.count > 0).collect(),
                })
            }
            _ => continue,
        };
        arguments.push(v1::Argument {
            name: parameter.name.clone(),
            value: Some(v1::Value { kind: Some(kind) }),
        });
    }
    v1::Move {
        name: offer.name.clone(),
        arguments,
    }
}

/// Bargains until the match is over.
async fn bargain(seat: SeatClient, seed: u64) -> Seen {
    let mut random = Random::new(seed);
    let mut seen = Seen::default();
    loop {
        // Somebody who thinks for a moment; without it nearly every answer would come too late.
        tokio::time::sleep(Duration::from_micros(random.below(THOUGHT))).await;
        let Some((decision, offers)) = seat.decision().await.expect("an answer") else {
            let get = v1::GetMatchRequest::of(seat.name());
            let found = seat.client().call(get).await.expect("an answer").r#match;
            if found.is_some_and(|m| m.state() == v1::MatchState::Finished) {
                return seen;
            }
            continue;
        };
        // The kind of move first: of offers there are many.
        let mut kinds: Vec<&str> = offers.iter().map(|offer| offer.name.as_str()).collect();
        kinds.dedup();
        let kind = match kinds.contains(&"accept") && random.below(2) == 0 {
            true => "accept",
            false => random.pick(&kinds),
        };
        let of_kind = offers.iter().filter(|offer| offer.name == kind);
        let of_kind: Vec<v1::Offer> = of_kind.cloned().collect();
        let mv = modest(random.pick(&of_kind));
        match seat.submit(&decision.decision_id, mv).await {
            Ok(_) => seen.accepted += usize::from(kind == "accept"),
            Err(status) if refusal(&status).is_some() => seen.refused += 1,
            Err(status) => {
                let reason = error_info(&status).map(|info| info.reason);
                let late = ["DECISION_SUPERSEDED", "MATCH_OVER"];
                assert!(reason.is_some_and(|r| late.contains(&&*r)), "{status:?}");
                seen.late += 1;
            }
        }
    }
}

/// The deals that were made, as a seat heard of them: who accepted, whose offer, what was paid at once.
async fn deals(table: &Table, seat: usize) -> Vec<String> {
    let events = table.events(seat).await.into_iter();
    let made = events.filter_map(|event| match event.kind {
        Some(v1::event::Kind::MoveMade(made)) => Some(made),
        _ => None,
    });
    let accepted = made.filter(|made| made.r#move.as_ref().is_some_and(|mv| mv.name == "accept"));
    accepted.map(|made| format!("{made:?}")).collect()
}

/// Plays one match with five clients at once, and compares what they heard; gives how many deals were made.
async fn one_match(world: &World, number: u64) -> (usize, Seen) {
    let create = create_of("genoa", 5, number);
    let (table, _) = world.begin(create).await;
    let seats = table.seats.iter().cloned().enumerate();
    let players: Vec<_> = seats
        .map(|(i, seat)| tokio::spawn(bargain(seat, number * 5 + i as u64)))
        .collect();
    let mut seen = Seen::default();
    for player in players {
        let one = player.await.expect("no panic");
        seen.accepted += one.accepted;
        seen.late += one.late;
        seen.refused += one.refused;
    }
    let heard = deals(&table, 0).await;
    assert_eq!(heard.len(), seen.accepted, "none is lost, none made twice");
    for seat in 1..5 {
        let others = deals(&table, seat).await;
        assert_eq!(others, heard, "all hear of the same deals");
    }
    let over = table.get().await;
    assert_eq!(over.state(), v1::MatchState::Finished);
    let outcome = over.outcome.expect("it is over");
    assert_eq!(outcome.scores.len(), 5);
    (heard.len(), seen)
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow"]
async fn five_clients_bargain_at_once() {
    let matches = asked("REFEREE_MATCHES").unwrap_or(1);
    let first = asked("REFEREE_FIRST_MATCH").unwrap_or(0);
    let world = Arc::new(World::new().await);
    let (mut all, mut made, mut played) = (Seen::default(), 0, 0);
    let mut under_way = JoinSet::new();
    let mut numbers = first..first + matches;
    loop {
        while under_way.len() < AT_ONCE
            && let Some(number) = numbers.next()
        {
            let world = world.clone();
            under_way.spawn(async move { one_match(&world, number).await });
        }
        let Some(ended) = under_way.join_next().await else {
            break;
        };
        let (deals, seen) = ended.expect("no panic");
        made += deals;
        all.late += seen.late;
        all.refused += seen.refused;
        played += 1;
        if played % 10 == 0 {
            eprintln!("{played} of {matches} matches, {made} deals");
        }
    }
    eprintln!(
        "{matches} matches, {made} deals, {} answers too late, {} refused",
        all.late, all.refused
    );
    assert_eq!(played, matches);
    assert!(made > 0, "nobody made a deal");
    assert!(all.late > 0, "nobody was ever quicker than another");
}

/// Whoever accepts what has been revised meanwhile accepts nothing.
#[tokio::test]
async fn only_what_stands_is_accepted() {
    let world = World::new().await;
    let create = create_of("genoa", 3, 7);
    let (table, _) = world.begin(create).await;
    let mut random = Random::new(1);
    for _ in 0..4000 {
        let (mut accept, mut offer) = (None, None);
        for (i, seat) in table.seats.iter().enumerate() {
            let Some((decision, offers)) = seat.decision().await.expect("an answer") else {
                continue;
            };
            for found in offers {
                match found.name.as_str() {
                    "accept" => accept = Some((i, decision.clone(), found)),
                    "offer" => offer = Some((i, decision.clone(), found)),
                    _ => {}
                }
            }
        }
        if let (Some((trader, before, accept)), Some((payer, now, offer))) = (accept, offer) {
            let revised = table.seats[payer]
                .submit(&now.decision_id, modest(&offer))
                .await;
            if revised.is_ok() {
                let late = table.seats[trader]
                    .submit(&before.decision_id, modest(&accept))
                    .await;
                let late = late.expect_err("the question has changed");
                assert_eq!(late.code(), Code::Aborted, "{late:?}");
                return;
            }
        }
        // On until an offer stands.
        let asked: Vec<usize> = {
            let mut asked = Vec::new();
            for (i, seat) in table.seats.iter().enumerate() {
                if seat.decision().await.expect("an answer").is_some() {
                    asked.push(i);
                }
            }
            asked
        };
        let seat = &table.seats[*random.pick(&asked)];
        if let Some((decision, offers)) = seat.decision().await.expect("an answer") {
            let mv = modest(random.pick(&offers));
            let _ = seat.submit(&decision.decision_id, mv).await;
        }
    }
    panic!("no offer ever stood");
}
