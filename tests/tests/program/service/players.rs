//! Players who hold many seats: by a token of their own, with one stream of all their matches.

use std::collections::BTreeMap;
use std::time::Duration;

use referee::client::{Chooser, Client, SeatClient, request_id, seat_name};
use referee::limits::Limits;
use referee::wire::v1::{
    self, MatchState, TokenKind, watch_match_response::Item, watch_my_matches_request::Start,
    watch_my_matches_response::Told,
};
use tonic::{Status, Streaming};

use super::world::{Table, World, claim_request, create_of, create_request, expect, quick};

type Stream = Streaming<v1::WatchMyMatchesResponse>;

/// A player's token, for a player who is called so.
async fn player(world: &World, called: &str) -> v1::CreateTokenResponse {
    let create = v1::CreateTokenRequest {
        kind: TokenKind::Player.into(),
        label: called.into(),
        request_id: request_id(),
        ..Default::default()
    };
    world.admin().call(create).await.expect("a token")
}

/// A match in which these hold seats, in this order; it has begun.
async fn begun(world: &World, create: v1::CreateMatchRequest, players: &[&Client]) -> Table {
    let created = world.host().call(create).await.expect("a match");
    let name = created.r#match.clone().expect("a match").name;
    let mut seats = Vec::new();
    for (code, player) in created.claim_codes.iter().zip(players) {
        let claimed = player.call(claim_request(code)).await;
        claimed.expect("a seat");
        // The seat is played by the player's token, not by its own.
        seats.push(SeatClient::new((*player).clone(), name.clone()));
    }
    let start = v1::StartMatchRequest::of(&name);
    world.host().call(start).await.expect("it starts");
    Table {
        host: world.host(),
        name,
        seats,
        created,
    }
}

fn watch(start: Option<Start>) -> v1::WatchMyMatchesRequest {
    v1::WatchMyMatchesRequest {
        start,
        ..Default::default()
    }
}

/// The next message; the stream says something soon.
async fn next(stream: &mut Stream) -> Result<v1::WatchMyMatchesResponse, Status> {
    let message = tokio::time::timeout(Duration::from_secs(10), stream.message());
    let message = message.await.expect("it says something")?;
    Ok(message.expect("it goes on"))
}

/// Events by match, of as many messages as it takes to have heard so many of each.
async fn heard(
    stream: &mut Stream,
    wanted: &BTreeMap<String, usize>,
    heard: &mut BTreeMap<String, Vec<v1::Event>>,
) -> String {
    let mut token = String::new();
    let has = |heard: &BTreeMap<String, Vec<v1::Event>>, name: &String| {
        heard.get(name).map_or(0, Vec::len)
    };
    while wanted.iter().any(|(name, count)| has(heard, name) < *count) {
        let message = next(stream).await.expect("it goes on");
        token = message.resume_token;
        let Some(Told::Message(told)) = message.told else {
            continue;
        };
        if let Some(Item::Events(batch)) = told.item {
            heard.entry(message.name).or_default().extend(batch);
        }
    }
    token
}

#[tokio::test(flavor = "multi_thread")]
async fn a_player_holds_seats_and_plays_them_with_one_token() {
    let mut world = World::new().await;
    let ada = world
        .client()
        .with_token(&player(&world, "ada").await.token);
    let bea = world
        .client()
        .with_token(&player(&world, "bea").await.token);
    let first = begun(&world, create_of("san-juan", 2, 7), &[&ada, &bea]).await;
    let second = begun(&world, create_of("san-juan", 2, 8), &[&bea, &ada]).await;
    first.play(12, &mut Chooser::new(1)).await;
    second.play(7, &mut Chooser::new(2)).await;
    // One seat of a match is enough for one player.
    let third = world.host().call(create_request(3, 9)).await.expect("it");
    let name = third.r#match.clone().expect("a match").name;
    let claim = |i: usize| claim_request(&third.claim_codes[i]);
    let repeated = claim(0);
    ada.call(repeated.clone()).await.expect("a seat");
    expect(ada.call(claim(1)).await, "SEAT_HELD");
    // Nor is the same request of somebody else the same.
    let again = ada.call(repeated.clone()).await.expect("the same answer");
    assert!(again.replayed);
    expect(bea.call(repeated).await, "REQUEST_ID_REUSED");

    let list = |with_questions, state: MatchState| v1::ListMyMatchesRequest {
        with_questions,
        state: state.into(),
        ..Default::default()
    };
    let told = ada.call(list(true, MatchState::Unspecified)).await;
    let told = told.expect("a list").matches;
    let short = |one: &v1::PlayerMatch| (one.r#match.clone().expect("a match").name, one.seat);
    assert_eq!(
        told.iter().map(short).collect::<Vec<_>>(),
        [
            (name.clone(), 1),
            (second.name.clone(), 2),
            (first.name.clone(), 1)
        ]
    );
    for (one, table) in [(&told[1], &second), (&told[2], &first)] {
        let (asked, ..) = table.asked().await.expect("a question");
        assert_eq!(one.asked, asked + 1 == one.seat as usize);
        assert_eq!(one.deadline, None);
    }
    assert!(!told[0].asked);
    let lobby = ada.call(list(false, MatchState::Lobby)).await;
    assert_eq!(
        lobby
            .expect("a list")
            .matches
            .iter()
            .map(short)
            .collect::<Vec<_>>(),
        [(name.clone(), 1)]
    );
    let pages = v1::ListMyMatchesRequest {
        page_size: 2,
        ..Default::default()
    };
    let page = ada.call(pages.clone()).await.expect("a page");
    assert_eq!(page.matches.len(), 2);
    let rest = v1::ListMyMatchesRequest {
        page_token: page.next_page_token.clone(),
        ..pages.clone()
    };
    let rest = ada.call(rest).await.expect("the rest");
    assert_eq!(short(&rest.matches[0]), (first.name.clone(), 1));
    assert!(rest.next_page_token.is_empty());
    let others = v1::ListMyMatchesRequest {
        page_token: page.next_page_token,
        ..pages
    };
    expect(bea.call(others).await, "PAGE_TOKEN_INVALID");

    // A lobby can be left, and the answer be lost; then another seat can be claimed.
    let leave = v1::LeaveSeatRequest::of(&name);
    assert!(!ada.call(leave.clone()).await.expect("it").replayed);
    assert!(ada.call(leave).await.expect("it").replayed);
    expect(ada.call(v1::GetMatchRequest::of(&name)).await, "NOT_FOUND");
    ada.call(claim(1)).await.expect("the other seat");
    // Another token with the same label is the same player, also after a restart.
    world.restart().await;
    let ada = world
        .client()
        .with_token(&player(&world, "ada").await.token);
    let view = v1::GetViewRequest::of(&first.name);
    ada.call(view.clone()).await.expect("a view");
    let known = ada.call(v1::ListMyMatchesRequest::default()).await;
    assert_eq!(known.expect("a list").matches.len(), 3);
    // A seat that is released is nobody's.
    let release = v1::ReleaseSeatRequest::of(seat_name(&first.name, 1));
    world.host().call(release).await.expect("it is free");
    expect(ada.call(view).await, "NOT_FOUND");
    // A token that opens nothing is no way to claim without one.
    let nobody = world.client().with_token("rfu_nobody");
    expect(nobody.call(claim(2)).await, "TOKEN_INVALID");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_stream_tells_all_matches_and_one_token_resumes_them() {
    let mut world = World::new().await;
    let token = player(&world, "ada").await.token;
    let other = player(&world, "bea").await.token;
    let (ada, bea) = (
        world.client().with_token(&token),
        world.client().with_token(&other),
    );
    let first = begun(&world, create_of("san-juan", 2, 7), &[&ada, &bea]).await;
    let second = begun(&world, create_of("san-juan", 2, 8), &[&bea, &ada]).await;
    let mut stream = ada.call(watch(None)).await.expect("a stream");
    first.play(9, &mut Chooser::new(1)).await;
    // Of each match the stream tells what the seat's own history has.
    let mut expected = BTreeMap::from([
        (first.name.clone(), first.events(0).await),
        (second.name.clone(), second.events(1).await),
    ]);
    let counts = |of: &BTreeMap<String, Vec<v1::Event>>| {
        of.iter()
            .map(|(name, events)| (name.clone(), events.len()))
            .collect()
    };
    let mut told = BTreeMap::new();
    let resume = heard(&mut stream, &counts(&expected), &mut told).await;
    assert_eq!(told, expected);
    drop(stream);
    // What happens meanwhile, over a restart, is told to whoever comes back: once, in both.
    first.play(5, &mut Chooser::new(2)).await;
    world.restart().await;
    let (ada, bea) = (
        world.client().with_token(&token),
        world.client().with_token(&other),
    );
    let again = |table: &Table, players: [&Client; 2]| Table {
        host: world.host(),
        name: table.name.clone(),
        seats: players
            .map(|client| SeatClient::new(client.clone(), table.name.clone()))
            .into(),
        created: table.created.clone(),
    };
    let first = again(&first, [&ada, &bea]);
    let second = again(&second, [&bea, &ada]);
    let resumed = |token: &str| watch(Some(Start::ResumeToken(token.to_owned())));
    let mut stream = ada.call(resumed(&resume)).await.expect("a stream");
    first.play(3, &mut Chooser::new(3)).await;
    second.resign(1).await.expect("it may");
    // And a match that is claimed now is told of, too.
    let third = begun(&world, create_of("san-juan", 2, 9), &[&bea, &ada]).await;
    third.play(2, &mut Chooser::new(3)).await;
    for (table, seat) in [(&first, 0), (&second, 1), (&third, 1)] {
        expected.insert(table.name.clone(), table.events(seat).await);
    }
    heard(&mut stream, &counts(&expected), &mut told).await;
    assert_eq!(told, expected);
    // Nobody else's token is good for it.
    expect(bea.call(resumed(&resume)).await, "RESUME_TOKEN_INVALID");
    expect(ada.call(resumed("x")).await, "RESUME_TOKEN_INVALID");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_is_left_makes_room_at_the_seat_though_nothing_happens() {
    let world = World::with(Limits {
        watchers_per_seat: 1,
        heartbeat: Duration::from_secs(600),
        ..quick()
    })
    .await;
    let ada = player(&world, "ada").await.token;
    let ada = world.client().with_token(&ada);
    let bea = player(&world, "bea").await.token;
    let bea = world.client().with_token(&bea);
    begun(&world, create_of("san-juan", 2, 7), &[&ada, &bea]).await;
    let from_now = || watch(Some(Start::FromNow(v1::FromNow {})));
    let mut first = ada.call(from_now()).await.expect("a stream");
    next(&mut first).await.expect("a table");
    // There is room for one, and whoever is one too many is told so.
    let ends = async |stream: &mut Stream| match next(stream).await.expect("it goes on").told {
        Some(Told::Ended(ended)) => Some(ended.reason()),
        _ => None,
    };
    let mut second = ada.call(from_now()).await.expect("a stream");
    assert_eq!(ends(&mut second).await, Some(v1::Reason::LimitReached));
    drop((first, second));
    // Soon there is room again: the referee may hear of the next stream before it hears that the first was left.
    for _ in 0..100 {
        let mut again = ada.call(from_now()).await.expect("a stream");
        if ends(&mut again).await.is_none() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("a stream that was left still takes the place of the seat");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_of_all_matches_says_of_each_how_it_ends() {
    let world = World::new().await;
    let made = player(&world, "ada").await;
    let ada = world.client().with_token(&made.token);
    let bea = world
        .client()
        .with_token(&player(&world, "bea").await.token);
    let first = begun(&world, create_of("san-juan", 2, 7), &[&ada, &bea]).await;
    let second = begun(&world, create_of("san-juan", 2, 8), &[&bea, &ada]).await;
    let cid = world
        .client()
        .with_token(&player(&world, "cid").await.token);
    let public = v1::CreateMatchRequest {
        public: true,
        ..create_of("san-juan", 2, 9)
    };
    let public = begun(&world, public, &[&bea, &cid]).await;
    let from_now = || Some(Start::FromNow(v1::FromNow {}));
    // What is named must be the player's, or anybody's.
    let named = |names: &[&str]| v1::WatchMyMatchesRequest {
        names: names.iter().map(|name| (*name).to_owned()).collect(),
        ..watch(from_now())
    };
    let unknown = format!("matches/{}", "0".repeat(32));
    expect(ada.call(named(&[&unknown])).await, "NOT_FOUND");
    expect(ada.call(named(&["x"])).await, "MALFORMED_REQUEST");
    let mut looking_on = ada.call(named(&[&public.name])).await.expect("a stream");
    let seen = next(&mut looking_on).await.expect("a table");
    assert_eq!((&seen.name, seen.seat), (&public.name, 0));
    let Some(Told::Message(told)) = seen.told else {
        panic!("not {:?}", seen.told)
    };
    let Some(Item::Snapshot(seen)) = told.item else {
        panic!("not a table")
    };
    let view = v1::GetPublicViewRequest::of(&public.name);
    let view = ada.call(view).await.expect("a view");
    let view = view.view.expect("a view");
    assert_eq!(format!("{seen:?}"), format!("{view:?}"));
    assert!(told.asked.is_none() && told.presence.is_empty());

    let mut stream = ada.call(watch(from_now())).await.expect("a stream");
    let mut asked = BTreeMap::new();
    for _ in 0..2 {
        let message = next(&mut stream).await.expect("a table");
        let Some(Told::Message(told)) = message.told else {
            panic!("not {:?}", message.told)
        };
        assert!(matches!(told.item, Some(Item::Snapshot(_))));
        asked.insert(message.name, (message.seat, told.asked.expect("as always")));
    }
    for (table, seat) in [(&first, 1), (&second, 2)] {
        let (asks, decision, _) = table.asked().await.expect("a question");
        let (told, asked) = &asked[&table.name];
        let of_own = asked
            .questions
            .first()
            .map(|question| &question.decision_id);
        assert_eq!(*told, seat);
        assert_eq!(
            of_own,
            (asks + 1 == seat as usize).then_some(&decision.decision_id)
        );
    }
    // A seat that is released, a match that is over; the stream goes on, and then lives.
    let release = v1::ReleaseSeatRequest::of(seat_name(&first.name, 1));
    world.host().call(release).await.expect("it is free");
    let cancel = v1::CancelMatchRequest::of(&second.name);
    world.host().call(cancel).await.expect("it ends");
    let (mut lost, mut closed, mut lives) = (false, false, 0);
    while !lost || !closed || lives < 2 {
        let message = next(&mut stream).await.expect("it goes on");
        match message.told {
            Some(Told::Ended(ended)) => {
                assert_eq!((&message.name, message.seat), (&first.name, 1));
                assert_eq!(ended.reason(), v1::Reason::TokenInvalid);
                lost = true;
            }
            Some(Told::Message(told)) => closed |= matches!(told.item, Some(Item::Closed(_))),
            None => lives += 1,
        }
    }
    // What is over is not told again; and whoever is barred hears nothing within a second.
    let revoke = v1::RevokeTokenRequest {
        name: made.name,
        request_id: request_id(),
    };
    world.admin().call(revoke).await.expect("it is revoked");
    let began = std::time::Instant::now();
    let ended = loop {
        if let Err(status) = next(&mut stream).await {
            break status;
        }
    };
    expect::<()>(Err(ended), "TOKEN_INVALID");
    assert!(began.elapsed() < Duration::from_secs(2));
}
