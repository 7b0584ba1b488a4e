//! Who is at the table, and clocks that stand still while there is no referee.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use referee::client::{Chooser, seat_name};
use referee::clock::Clock;
use referee::limits::Limits;
use referee::log::v1::entry::Body;
use referee::wire::convert::{of_seconds, timestamp};
use referee::wire::v1;

use super::otherwise::rewrite;
use super::world::{Table, World, create_of, quick};

/// A clock that says what is written here.
fn clock_at(now_ms: i64) -> (Clock, Arc<AtomicI64>) {
    let now = Arc::new(AtomicI64::new(now_ms));
    let told = now.clone();
    (Clock::told_by(move || told.load(Ordering::Relaxed)), now)
}

fn said(presence: &[v1::SeatPresence]) -> Vec<(bool, Option<i64>)> {
    let seconds = |seat: &v1::SeatPresence| seat.last_seen_time.map(|time| time.seconds);
    presence
        .iter()
        .map(|seat| (seat.connected, seconds(seat)))
        .collect()
}

/// Who is there, as the host is told.
async fn there(table: &Table) -> Vec<v1::SeatPresence> {
    let got = table.host.call(v1::GetMatchRequest::of(&table.name)).await;
    got.expect("a match").r#match.expect("a match").presence
}

#[tokio::test(flavor = "multi_thread")]
async fn seats_and_their_host_are_told_who_is_there() {
    let (clock, now) = clock_at(1_700_000_003_000);
    let world = World::by(clock, quick()).await;
    let (table, _) = world.begin(create_of("san-juan", 3, 7)).await;
    // Nobody has said anything since they claimed their seats.
    let never = (false, None);
    assert_eq!(said(&there(&table).await), [never; 3]);
    let watch = v1::WatchMatchRequest::of(&table.name);
    let mut stream = table.call(0, watch).await.expect("a stream");
    let first = stream
        .message()
        .await
        .expect("a stream")
        .expect("a message");
    assert_eq!(said(&first.presence), [(true, None), never, never]);
    table
        .call(1, v1::GetViewRequest::of(&table.name))
        .await
        .expect("a view");
    assert_eq!(
        said(&there(&table).await),
        [(true, None), (true, None), never]
    );
    // Ten seconds later only who watches is there.
    now.fetch_add(10_000, Ordering::Relaxed);
    let left = (false, Some(1_700_000_000));
    assert_eq!(said(&there(&table).await), [(true, None), left, never]);

    let hidden = v1::CreateMatchRequest {
        hide_presence: true,
        ..create_of("san-juan", 3, 7)
    };
    let (table, _) = world.begin(hidden).await;
    let mut stream = table
        .call(0, v1::WatchMatchRequest::of(&table.name))
        .await
        .expect("a stream");
    let first = stream
        .message()
        .await
        .expect("a stream")
        .expect("a message");
    assert_eq!((first.presence.len(), there(&table).await.len()), (0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_stands_still_while_there_is_no_referee_and_does_not_begin_again() {
    let limits = Limits {
        // Nothing notes that there is a referee but its start and its end.
        store_probe: Duration::from_secs(3600),
        ..quick()
    };
    let (clock, now) = clock_at(1_700_000_000_000);
    let mut world = World::by(clock, limits).await;
    let create = v1::CreateMatchRequest {
        question_time: Some(of_seconds(600)),
        time_bank: Some(of_seconds(60)),
        ..create_of("san-juan", 2, 7)
    };
    let (mut table, tokens) = world.begin(create).await;
    let (asked, decision, _) = table.asked().await.expect("a question");
    let deadline = |seconds: i64| Some(timestamp(1_700_000_000_000 + 1000 * seconds));
    assert_eq!(decision.deadline, deadline(660));
    // Three times there is none for an hour, each time a minute after it had begun.
    for time in 1..=3 {
        now.fetch_add(60_000, Ordering::Relaxed);
        world.stop().await;
        now.fetch_add(3_600_000, Ordering::Relaxed);
        world.restart().await;
        world.rejoin(&mut table, &tokens);
        let (again, decision, _) = table.asked().await.expect("the same question");
        assert_eq!(again, asked);
        assert_eq!(
            decision.deadline,
            deadline(660 + 3600 * time),
            "after {time}"
        );
    }
    // What it has thought for is what there was a referee for: of the bank nothing is used.
    table.play(1, &mut Chooser::new(1)).await;
    let told = table.get().await;
    let bank = told.clocks[asked].bank;
    assert_eq!(bank, Some(of_seconds(60)));
    // And all of it, once that is over.
    now.fetch_add(600_000 + 30_000, Ordering::Relaxed);
    let (asked, ..) = table.asked().await.expect("a question");
    table.play(1, &mut Chooser::new(1)).await;
    assert_eq!(table.get().await.clocks[asked].bank, Some(of_seconds(30)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_says_what_time_of_a_turn_was_nobodys() {
    let (clock, now) = clock_at(1_700_000_000_000);
    let mut world = World::by(clock, quick()).await;
    let create = v1::CreateMatchRequest {
        question_time: Some(of_seconds(600)),
        ..create_of("san-juan", 2, 7)
    };
    let (mut table, tokens) = world.begin(create).await;
    now.fetch_add(60_000, Ordering::Relaxed);
    world.stop().await;
    now.fetch_add(3_600_000, Ordering::Relaxed);
    world.restart().await;
    world.rejoin(&mut table, &tokens);
    table.play(1, &mut Chooser::new(1)).await;
    world.stop().await;
    let mut thought = Vec::new();
    rewrite(&world, &table, |_, body| {
        if let Body::Moved(moved) = body {
            thought.push(moved.thought_ms);
        }
    });
    assert_eq!(thought, [60_000]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_does_not_wait_for_a_clock_that_was_set_back() {
    let (clock, now) = clock_at(1_700_000_000_000);
    let world = World::by(clock, quick()).await;
    let (table, _) = world.begin(create_of("san-juan", 2, 7)).await;
    let (asked, ..) = table.asked().await.expect("a question");
    now.fetch_sub(3_600_000, Ordering::Relaxed);
    let seat = seat_name(&table.name, asked as u32 + 1);
    let release = v1::ReleaseSeatRequest::of(&seat);
    table.host.call(release).await.expect("it is free");
    let bot = v1::SeatBotRequest {
        bot: v1::BotKind::Random.into(),
        ..v1::SeatBotRequest::of(&seat)
    };
    table.host.call(bot).await.expect("it plays");
    for _ in 0..600 {
        let events = table.events(1 - asked).await;
        let made = |event: &v1::Event| matches!(event.kind, Some(v1::event::Kind::MoveMade(_)));
        if events.iter().any(made) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the bot waits");
}
