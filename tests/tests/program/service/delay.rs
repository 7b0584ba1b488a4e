//! Spectators who are behind the table: what they see is what was, and nothing tells them of what is.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use referee::client::{Chooser, Chooses};
use referee::clock::Clock;
use referee::secrets::Keys;
use referee::store::faults::Faulty;
use referee::store::memory::Memory;
use referee::wire::convert::of_seconds;
use referee::wire::v1::{self, spectator_delay::Delay, watch_public_match_response::Item};
use tonic::Status;

use super::world::{Table, World, create_request, expect, fields, quick, timeless};

const SEED: u64 = 5;

fn behind(delay: Delay) -> v1::CreateMatchRequest {
    v1::CreateMatchRequest {
        spectator_delay: Some(v1::SpectatorDelay { delay: Some(delay) }),
        ..create_request(3, SEED)
    }
}

/// The same move in both matches, which are dealt alike.
async fn both_move(delayed: &Table, shadow: &Table, player: &mut Chooser) {
    let (seat, decision, offers) = shadow.asked().await.expect("somebody is asked");
    let mv = player.choose(&decision, &offers);
    let (other, decision_there, _) = delayed.asked().await.expect("somebody is asked");
    assert_eq!(seat, other);
    for (table, decision) in [(shadow, decision), (delayed, decision_there)] {
        let made = table.seats[seat].submit(&decision.decision_id, mv.clone());
        made.await.expect("a listed move is accepted");
    }
}

async fn public(table: &Table) -> Result<v1::View, Status> {
    let asked = v1::GetPublicViewRequest {
        name: table.name.clone(),
        include_names: true,
        ..Default::default()
    };
    let view = table.host.call(asked).await?;
    Ok(view.view.expect("a view"))
}

async fn watch(
    table: &Table,
    resume_token: &str,
) -> tonic::Streaming<v1::WatchPublicMatchResponse> {
    let asked = v1::WatchPublicMatchRequest::of(&table.name).behind(resume_token);
    let stream = table.host.call(asked).await;
    stream.expect("a stream")
}

/// What spectators have seen, page by page.
async fn pages(table: &Table) -> Vec<v1::Event> {
    let (mut all, mut page_token) = (Vec::new(), String::new());
    loop {
        let asked = v1::ListPublicEventsRequest {
            page_size: 7,
            page_token,
            ..v1::ListPublicEventsRequest::of(&table.name)
        };
        let page = table.host.call(asked).await.expect("a page");
        all.extend(page.events);
        if page.next_page_token.is_empty() {
            return all;
        }
        page_token = page.resume_token;
    }
}

/// Reads until there are so many events in all; checkpoints come and go. Gives the token behind the last.
async fn read(
    stream: &mut tonic::Streaming<v1::WatchPublicMatchResponse>,
    events: &mut Vec<v1::Event>,
    until: u64,
) -> String {
    let mut token = String::new();
    while (events.len() as u64) < until {
        let message = stream
            .message()
            .await
            .expect("a message")
            .expect("it goes on");
        token = message.resume_token;
        match message.item {
            Some(Item::Events(batch)) => events.extend(batch),
            Some(Item::Checkpoint(_)) => {}
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(events.len() as u64, until, "nothing is told early");
    token
}

#[tokio::test(flavor = "multi_thread")]
async fn spectators_see_the_table_as_it_was_so_many_moves_ago() {
    const BEHIND: usize = 4;
    let mut world = World::new().await;
    let (mut delayed, tokens) = world.begin(behind(Delay::Moves(BEHIND as u32))).await;
    let (mut shadow, shadow_tokens) = world.begin(create_request(3, SEED)).await;
    let mut player = Chooser::new(8);
    // What spectators of a match without delay saw after each move.
    let mut was = vec![public(&shadow).await.expect("a view")];
    let mut stream = watch(&delayed, "").await;
    let mut events = Vec::new();
    let mut token = String::new();
    for made in 1..=30_usize {
        both_move(&delayed, &shadow, &mut player).await;
        was.push(public(&shadow).await.expect("a view"));
        if made == 10 {
            // What moves leave behind when they are taken back is behind, too.
            for table in [&delayed, &shadow] {
                let proposed = table.propose(0, v1::ProposalKind::Pause, 0).await;
                let proposed = proposed.expect("a proposal");
                table.respond(1, &proposed.name, false).await.expect("no");
            }
            was[made] = public(&shadow).await.expect("a view");
        }
        let expected = &was[made.saturating_sub(BEHIND)];
        assert_eq!(
            &public(&delayed).await.expect("a view"),
            expected,
            "after {made} moves"
        );
        let told = read(&mut stream, &mut events, expected.event_count).await;
        if !told.is_empty() {
            token = told;
        }
        let paged = pages(&delayed).await;
        assert!(
            paged == events,
            "pages say what the stream says, after {made} moves"
        );
        if made == 20 {
            // A restart forgets nothing and shows nothing; the stream goes on where it was.
            world.restart().await;
            for (table, tokens) in [(&mut delayed, &tokens), (&mut shadow, &shadow_tokens)] {
                table.seats = world.again(table, tokens);
                table.host = world.host();
            }
            assert_eq!(&public(&delayed).await.expect("a view"), expected);
            stream = watch(&delayed, &token).await;
        }
    }
    // The seats are not behind.
    assert_eq!(delayed.view(0).await.view, shadow.view(0).await.view);
    let mut all = Vec::new();
    let mut fresh = watch(&shadow, "").await;
    read(&mut fresh, &mut all, was[30].event_count).await;
    assert!(events.len() < all.len());
    // The shadow's moves were made at other times.
    let timeless = |events: Vec<v1::Event>| events.into_iter().map(timeless).collect::<Vec<_>>();
    all.truncate(events.len());
    assert_eq!(
        timeless(events.clone()),
        timeless(all),
        "what is told is what was told then"
    );

    // When the match is over, everything is seen.
    for table in [&delayed, &shadow] {
        table.resign(0).await.expect("one");
        table.resign(1).await.expect("two");
    }
    let end = public(&shadow).await.expect("a view");
    assert_eq!(public(&delayed).await.expect("a view"), end);
    read(&mut stream, &mut events, end.event_count).await;
    let closed = stream.message().await.expect("a message").expect("the end");
    assert!(matches!(closed.item, Some(Item::Closed(_))));
}

/// Moves that are taken back while nobody has seen them yet.
#[tokio::test(flavor = "multi_thread")]
async fn moves_are_taken_back_behind_the_table_as_they_were_before_it() {
    let world = World::new().await;
    let (delayed, _) = world.begin(behind(Delay::Moves(3))).await;
    let (shadow, _) = world.begin(create_request(3, SEED)).await;
    let mut player = Chooser::new(8);
    let mut was = vec![public(&shadow).await.expect("a view")];
    let mut undone = 0;
    for _ in 0..25 {
        both_move(&delayed, &shadow, &mut player).await;
        was.push(public(&shadow).await.expect("a view"));
        if let Ok(proposed) = shadow.propose(0, v1::ProposalKind::Undo, 1).await {
            let there = delayed
                .propose(0, v1::ProposalKind::Undo, 1)
                .await
                .expect("alike");
            for (table, id) in [(&shadow, &proposed.name), (&delayed, &there.name)] {
                table.respond(1, id, true).await.expect("yes");
                table.respond(2, id, true).await.expect("yes");
            }
            undone += 1;
            let last = was.len() - 1;
            was[last] = public(&shadow).await.expect("a view");
        }
        let expected = &was[(was.len() - 1).saturating_sub(3)];
        assert_eq!(&public(&delayed).await.expect("a view"), expected);
    }
    assert!(undone > 2, "{undone}");
}

#[tokio::test(flavor = "multi_thread")]
async fn spectators_see_the_table_as_it_was_so_many_seconds_ago() {
    let world = World::new().await;
    let (hour, _) = world.begin(behind(Delay::Time(of_seconds(3600)))).await;
    let mut player = Chooser::new(8);
    hour.play(5, &mut player).await;
    // For an hour they do not even see its beginning; that the stream lives is all that it tells.
    let early = public(&hour).await;
    expect(early, "MATCH_NOT_STARTED");
    let mut stream = watch(&hour, "").await;
    for _ in 0..3 {
        let message = stream
            .message()
            .await
            .expect("a message")
            .expect("it lives");
        assert!(
            matches!(message.item, Some(Item::Checkpoint(_))),
            "{message:?}"
        );
    }
    let invite = v1::InviteSpectatorRequest::of(&hour.name);
    let invited = hour.host.call(invite).await;
    let spectator = invited.expect("a token").spectator_token;
    let spectator = world.client().with_token(&spectator);
    let verify = v1::VerifyRecordRequest::of(&hour.name);
    let verified = spectator.call(verify.clone()).await;
    expect(verified.map(drop), "RECORD_SEALED");
    let by_host = hour.host.call(verify).await;
    by_host.expect("the host knows how far it is");

    // With a second, a stream goes on by itself: nothing happens at the table meanwhile.
    let (second, _) = world.begin(behind(Delay::Time(of_seconds(1)))).await;
    second.play(5, &mut player).await;
    let (own, mut events) = (second.view(0).await.view.expect("a view"), Vec::new());
    let mut stream = watch(&second, "").await;
    let all = async {
        loop {
            let message = stream
                .message()
                .await
                .expect("a message")
                .expect("it goes on");
            if let Some(Item::Events(batch)) = message.item {
                events.extend(batch);
            }
            let seen = public(&second).await;
            if let Ok(view) = seen
                && view.event_count == events.len() as u64
                && view.phases == own.phases
            {
                break;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(60), all)
        .await
        .expect("a second passes");
    assert!(!events.is_empty());
    let described = second.get().await;
    let told = described.spectator_delay.expect("it is told").delay;
    assert_eq!(told, Some(Delay::Time(of_seconds(1))));
}

#[tokio::test]
async fn a_delay_that_makes_no_sense_is_refused_and_a_lobby_tells_the_one_that_does() {
    let world = World::new().await;
    let host = world.host();
    for (delay, field) in [
        (Delay::Moves(0), "spectator_delay.moves"),
        (Delay::Time(of_seconds(0)), "spectator_delay.time"),
        (Delay::Moves(1_000_000), "spectator_delay.moves"),
        (Delay::Time(of_seconds(1_000_000)), "spectator_delay.time"),
    ] {
        let refused = host.call(behind(delay)).await;
        let refused = expect(refused, "MALFORMED_REQUEST");
        assert_eq!(fields(&refused)[0], field);
    }
    let open = v1::CreateMatchRequest {
        open_seats: vec![1],
        ..behind(Delay::Moves(7))
    };
    host.call(open).await.expect("a match");
    let asked = v1::ListLobbiesRequest::default();
    let lobbies = world.client().call(asked).await;
    let lobby = lobbies.expect("a list").lobbies.remove(0);
    let told = lobby.spectator_delay.expect("it is told").delay;
    assert_eq!(told, Some(Delay::Moves(7)));
}

/// Where clocks differ, a referee that is behind has not seen the match begin of which another one has told spectators.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_told_twice_by_a_referee_whose_clock_is_late() {
    const LATE: i64 = 60_000;
    let now = Arc::new(AtomicI64::new(1_700_000_000_000));
    let keys = Keys::random().expect("entropy");
    let mut worlds = Vec::new();
    for (memory, late) in Memory::shared(2, &Clock::system())
        .into_iter()
        .zip([0, LATE])
    {
        let told = now.clone();
        let clock = Clock::told_by(move || told.load(Ordering::Relaxed) - late);
        let store = Faulty::new(memory, |_, _| Ok(())).by_clock(clock);
        worlds.push(World::with_keys_and(Arc::new(store), keys.clone(), quick()).await);
    }
    let (table, tokens) = worlds[0].begin(behind(Delay::Time(of_seconds(2)))).await;
    let mut player = Chooser::new(8);
    let mut moved = async || {
        for _ in 0..3 {
            let (seat, decision, offers) = table.asked().await.expect("somebody is asked");
            let mv = player.choose(&decision, &offers);
            let made = table.seats[seat].submit(&decision.decision_id, mv);
            made.await.expect("a listed move is accepted");
        }
    };
    moved().await;
    now.fetch_add(3_000, Ordering::Relaxed);
    let mut stream = watch(&table, "").await;
    let mut events = Vec::new();
    let seen = public(&table).await.expect("a view").event_count;
    let token = read(&mut stream, &mut events, seen).await;

    let late = Table {
        host: worlds[1].host(),
        seats: worlds[1].again(&table, &tokens),
        name: table.name.clone(),
        created: table.created.clone(),
    };
    expect(public(&late).await, "MATCH_NOT_STARTED");
    let on = v1::WatchPublicMatchRequest::of(&table.name).behind(&token);
    expect(late.host.call(on).await, "NOT_CAUGHT_UP");

    moved().await;
    now.fetch_add(LATE + 3_000, Ordering::Relaxed);
    let mut stream = watch(&late, &token).await;
    let seen = public(&late).await.expect("a view").event_count;
    read(&mut stream, &mut events, seen).await;
    assert!(
        (0..)
            .zip(&events)
            .all(|(number, event)| event.number == number)
    );
}
