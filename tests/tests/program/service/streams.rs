//! Streams: complete, in order, resumable, and never in anybody's way.

use std::time::Duration;

use referee::client::{Chooser, Chooses as _};
use referee::limits::Limits;
use referee::wire::v1::{self, watch_match_response::Item, watch_public_match_response as public};
use tonic::Status;

use super::world::{Table, World, expect, metadata, quick};

type Stream = tonic::Streaming<v1::WatchMatchResponse>;

async fn watch(
    client: &referee::client::Client,
    request: v1::WatchMatchRequest,
) -> Result<Stream, Status> {
    client.call(request).await
}

fn from(name: &str, resume_token: &str) -> v1::WatchMatchRequest {
    v1::WatchMatchRequest::of(name).behind(resume_token)
}

/// Reads events until there are so many, or the match is over.
async fn read(stream: &mut Stream, count: usize, token: &mut String) -> Vec<v1::Event> {
    let mut events = Vec::new();
    while events.len() < count {
        let message = stream
            .message()
            .await
            .expect("a message")
            .expect("the stream goes on");
        *token = message.resume_token;
        match message.item {
            Some(Item::Events(batch)) => events.extend(batch),
            Some(Item::Closed(_)) => break,
            _ => {}
        }
    }
    events
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_resumed_at_every_message_has_neither_gap_nor_repetition() {
    let mut world = World::new().await;
    let (mut table, tokens) = world.table(4, 3).await;
    let mut player = Chooser::new(1);
    let (mut token, mut events) = (String::new(), Vec::new());
    for step in 0..30 {
        table.play(4, &mut player).await;
        if step == 15 {
            world.restart().await;
            world.rejoin(&mut table, &tokens);
        }
        // A new stream every time, that reads a message or two and goes away.
        let request = v1::WatchMatchRequest {
            max_batch: 1 + step % 5,
            ..from(&table.name, &token)
        };
        let mut stream = watch(table.seats[1].client(), request)
            .await
            .expect("a stream");
        events.extend(read(&mut stream, 1 + step as usize % 3, &mut token).await);
    }
    let all = table.events(1).await;
    let mut stream = watch(table.seats[1].client(), from(&table.name, &token))
        .await
        .expect("a stream");
    let missing = all.len() - events.len();
    events.extend(read(&mut stream, missing, &mut token).await);
    assert_eq!(events, all);
    assert!(
        events
            .iter()
            .map(|event| event.number)
            .eq(0..events.len() as u64)
    );

    // What SubmitMove, GetView and ListEvents hand out continues in the same order.
    let view = table.view(1).await;
    assert_eq!(view.view.expect("a view").event_count, all.len() as u64);
    table.play(1, &mut player).await;
    let mut stream = watch(
        table.seats[1].client(),
        from(&table.name, &view.resume_token),
    )
    .await
    .expect("a stream");
    let next = read(&mut stream, 1, &mut token).await;
    assert_eq!(next[0].number, all.len() as u64);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_opens_in_the_lobby_and_closes_with_the_outcome() {
    let world = World::new().await;
    let created = world.create(3, 3).await;
    let name = created.r#match.clone().expect("a match").name;
    let claim = super::world::claim_request(&created.claim_codes[0]);
    let claimed = world.client().call(claim).await.expect("claimed");
    let seat = world.client().with_token(&claimed.seat_token);
    let request = v1::WatchMatchRequest {
        include_names: true,
        ..v1::WatchMatchRequest::of(&name).from_now()
    };
    let mut stream = watch(&seat, request).await.expect("a stream");
    let first = stream.message().await.expect("a message").expect("one");
    assert!(
        matches!(first.item, Some(Item::Checkpoint(_))),
        "nothing happens, but it lives"
    );

    let mut tokens = vec![claimed.seat_token];
    for code in &created.claim_codes[1..] {
        let claim = super::world::claim_request(code);
        tokens.push(
            world
                .client()
                .call(claim)
                .await
                .expect("claimed")
                .seat_token,
        );
    }
    let start = v1::StartMatchRequest {
        name: name.clone(),
        request_id: referee::client::request_id(),
    };
    world.host().call(start).await.expect("started");
    let mut table = super::world::Table {
        name,
        host: world.host(),
        seats: Vec::new(),
        created,
    };
    table.seats = world.again(&table, &tokens);
    let playing = tokio::spawn(async move {
        let mut player = Chooser::new(9);
        while table.play(1, &mut player).await {}
        table
    });
    let mut number = None;
    let mut closed = None;
    while let Some(message) = stream.message().await.expect("a message") {
        match message.item {
            Some(Item::Snapshot(view)) => {
                assert_eq!(number, None, "the table comes first and once");
                assert!(view.glossary.is_some());
                number = Some(view.event_count);
            }
            Some(Item::Events(batch)) => {
                for event in batch {
                    assert_eq!(Some(event.number), number);
                    number = number.map(|n| n + 1);
                }
            }
            Some(Item::Closed(end)) => closed = end.outcome,
            _ => {}
        }
    }
    let table = playing.await.expect("no panic");
    assert_eq!(closed, table.get().await.outcome);
    assert_eq!(
        number,
        table.view(0).await.view.map(|view| view.event_count)
    );
}

/// Spectators' streams are not woken to note presence, and here not by heartbeats either.
#[tokio::test(flavor = "multi_thread")]
async fn every_entry_wakes_a_stream() {
    let world = World::with(Limits {
        heartbeat: Duration::from_secs(3600),
        ..quick()
    })
    .await;
    let (table, _) = world.table(3, 3).await;
    let request = v1::WatchPublicMatchRequest::of(&table.name);
    let mut stream = table.host.call(request).await.expect("a stream");
    let (mut player, mut received) = (Chooser::new(1), 0);
    for moves in 0..10 {
        let view = table.public_view().await.view.expect("a view");
        while received < view.event_count {
            let message = tokio::time::timeout(Duration::from_secs(5), stream.message()).await;
            let message = message.unwrap_or_else(|_| panic!("not woken after {moves} moves"));
            let message = message.expect("a message").expect("the stream goes on");
            if let Some(public::Item::Events(batch)) = message.item {
                received += batch.len() as u64;
            }
        }
        assert!(table.play(1, &mut player).await);
    }
}

#[tokio::test]
async fn resume_tokens_are_of_one_seat_of_one_match() {
    let world = World::new().await;
    let (table, _) = world.table(3, 3).await;
    let (other, _) = world.table(3, 3).await;
    table.play(5, &mut Chooser::new(1)).await;
    let token = table.view(0).await.resume_token;
    let good = watch(table.seats[0].client(), from(&table.name, &token)).await;
    good.expect("its own");
    expect(
        watch(table.seats[1].client(), from(&table.name, &token)).await,
        "RESUME_TOKEN_INVALID",
    );
    expect(
        watch(other.seats[0].client(), from(&other.name, &token)).await,
        "RESUME_TOKEN_INVALID",
    );
    expect(
        watch(table.seats[0].client(), from(&table.name, "AAAA")).await,
        "RESUME_TOKEN_INVALID",
    );
    expect(
        watch(table.seats[0].client(), from(&table.name, &token[1..])).await,
        "RESUME_TOKEN_INVALID",
    );
    let list = v1::ListEventsRequest {
        name: table.name.clone(),
        page_token: token.clone(),
        page_size: 0,
        ..Default::default()
    };
    expect(table.call(2, list).await, "RESUME_TOKEN_INVALID");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_does_not_read_loses_its_stream_but_not_its_place() {
    let limits = Limits {
        stream_queue: 2,
        max_event_batch: 4,
        ..quick()
    };
    let world = World::with(limits).await;
    let (table, _) = world.table(4, 3).await;
    // This stream is opened and left alone, so that its queue and the connection's window fill up.
    let mut lazy = watch(table.seats[0].client(), from(&table.name, ""))
        .await
        .expect("a stream");
    let mut player = Chooser::new(1);
    let started = std::time::Instant::now();
    while table.play(1, &mut player).await {}
    assert!(
        started.elapsed() < Duration::from_secs(60),
        "nobody waits for a reader"
    );
    tokio::time::sleep(Duration::from_millis(800)).await;

    let (mut token, mut events) = (String::new(), Vec::new());
    let end = loop {
        match lazy.message().await {
            Ok(Some(message)) => {
                token = message.resume_token;
                if let Some(Item::Events(batch)) = message.item {
                    events.extend(batch);
                }
            }
            Ok(None) => break None,
            Err(status) => break Some(status),
        }
    };
    // A fast connection may have swallowed it all; if not, it was cut off, and knows where.
    if let Some(status) = end {
        let status = expect::<()>(Err(status), "READER_TOO_SLOW");
        assert!(!metadata(&status, "resume_token").is_empty());
        token = metadata(&status, "resume_token");
        let mut stream = watch(table.seats[0].client(), from(&table.name, &token))
            .await
            .expect("a stream");
        events.extend(read(&mut stream, usize::MAX, &mut token).await);
    }
    assert_eq!(events, table.events(0).await);
    let _ = token;
}

#[tokio::test]
async fn too_many_watchers_are_turned_away() {
    let world = World::with(Limits {
        watchers_per_match: 3,
        ..quick()
    })
    .await;
    let (table, _) = world.table(3, 3).await;
    let mut streams = Vec::new();
    for seat in &table.seats {
        streams.push(
            watch(seat.client(), from(&table.name, ""))
                .await
                .expect("a stream"),
        );
    }
    let full = watch(table.seats[0].client(), from(&table.name, "")).await;
    let status = expect(full, "LIMIT_REACHED");
    assert_eq!(metadata(&status, "limit"), "watchers_per_match");
    drop(streams);
    for _ in 0..100 {
        if watch(table.seats[0].client(), from(&table.name, ""))
            .await
            .is_ok()
        {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("places that were left stay taken");
}

#[tokio::test]
async fn a_shutdown_ends_streams_with_a_token_that_continues_them() {
    let mut world = World::new().await;
    let (mut table, tokens) = world.table(3, 3).await;
    let mut token = String::new();
    let mut stream = watch(table.seats[0].client(), from(&table.name, ""))
        .await
        .expect("a stream");
    let all = table.events(0).await;
    let seen = read(&mut stream, all.len(), &mut token).await;
    world.restart().await;
    let status = loop {
        match stream.message().await {
            Ok(Some(_)) => {}
            Ok(None) => panic!("a stream that is cut off says why"),
            Err(status) => break status,
        }
    };
    let status = expect::<()>(Err(status), "SHUTTING_DOWN");
    table.seats = world.again(&table, &tokens);
    table.play(3, &mut Chooser::new(1)).await;
    let resume = metadata(&status, "resume_token");
    let mut stream = watch(table.seats[0].client(), from(&table.name, &resume))
        .await
        .expect("a stream");
    let rest = read(&mut stream, 1, &mut token).await;
    assert_eq!(rest[0].number, seen.len() as u64);
}

#[tokio::test]
async fn an_answer_has_what_followed_from_the_move_if_it_is_asked_for() {
    let world = World::new().await;
    let (table, _) = world.table(3, 4).await;
    let (seat, decision, offers) = table.asked().await.expect("somebody is asked");
    let client = table.seats[seat].client();
    let mut token = table.view(seat).await.resume_token;
    let mv = Chooser::new(4).choose(&decision, &offers);
    let brief = v1::SubmitMoveRequest {
        decision_id: decision.decision_id,
        r#move: Some(mv),
        ..v1::SubmitMoveRequest::of(&table.name)
    };
    let answer = table.call(seat, brief.clone()).await.expect("legal");
    assert_eq!((answer.events.len(), answer.moves_made), (0, 1));
    // The same request, told another way: its answer is the recorded one.
    let full = v1::SubmitMoveRequest {
        with_events: true,
        ..brief
    };
    let told = table.call(seat, full).await.expect("the same");
    assert!(told.replayed && !told.events.is_empty());
    let mut stream = watch(client, from(&table.name, &token))
        .await
        .expect("open");
    let count = told.events.len();
    let heard = read(&mut stream, count, &mut token).await;
    assert_eq!(
        heard[..count],
        told.events.iter().cloned().collect::<Vec<_>>()[..]
    );
}

/// What a seat is asked, as its own list of decisions says it.
async fn listed(table: &Table, seat: usize) -> Vec<String> {
    let asked = v1::ListDecisionsRequest::of(&table.name);
    let listed = table.call(seat, asked).await.expect("decisions");
    listed
        .decisions
        .into_iter()
        .map(|decision| decision.decision_id)
        .collect()
}

/// Reads messages until one says that this is asked.
async fn hear(stream: &mut Stream, asked: &[String], token: &mut String) {
    loop {
        let message = stream.message();
        let message = tokio::time::timeout(Duration::from_secs(20), message).await;
        let message = message.expect("it is told in time");
        let message = message.expect("a message").expect("the stream goes on");
        *token = message.resume_token;
        if message.asked.is_some_and(|said| {
            let said = said.questions.iter().map(|question| &question.decision_id);
            said.eq(asked)
        }) {
            return;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_says_what_its_seat_is_asked_whenever_that_changes_and_on_every_connection() {
    let mut world = World::new().await;
    let (mut table, tokens) = world.table(3, 11).await;
    let mut player = Chooser::new(5);
    let seats = 0..table.seats.len();
    let mut places = vec![String::new(); table.seats.len()];
    let mut streams = Vec::new();
    for move_number in 0..40 {
        if move_number == 20 {
            streams.clear();
            world.restart().await;
            world.rejoin(&mut table, &tokens);
        }
        // Now and then everybody goes away, between a question and its answer, and comes again with a token or without.
        if move_number % 4 == 0 {
            streams.clear();
            for seat in seats.clone() {
                let token = if move_number % 8 == 0 {
                    ""
                } else {
                    &places[seat]
                };
                let request = v1::WatchMatchRequest::of(&table.name).going_on(token);
                let opened = watch(table.seats[seat].client(), request).await;
                let mut stream = opened.expect("a stream");
                let first = stream.message().await.expect("a message").expect("one");
                let said = first.asked.expect("the first message says what is asked");
                let said = said.questions.into_iter().map(|one| one.decision_id);
                assert_eq!(said.collect::<Vec<_>>(), listed(&table, seat).await);
                places[seat] = first.resume_token;
                streams.push(stream);
            }
        }
        let mut before = Vec::new();
        for seat in seats.clone() {
            before.push(listed(&table, seat).await);
        }
        assert!(table.play(1, &mut player).await, "the match goes on");
        for seat in seats.clone() {
            let now = listed(&table, seat).await;
            if now != before[seat] {
                hear(&mut streams[seat], &now, &mut places[seat]).await;
            }
        }
    }
    // While the match is paused nobody is asked; then they are again.
    let (seat, ..) = table.asked().await.expect("somebody is asked");
    let waits = listed(&table, seat).await;
    table.agree(v1::ProposalKind::Pause, 0).await;
    hear(&mut streams[seat], &[], &mut places[seat]).await;
    table.agree(v1::ProposalKind::Resume, 0).await;
    hear(&mut streams[seat], &waits, &mut places[seat]).await;
}
