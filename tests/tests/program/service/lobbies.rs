//! Matches that are listed for everybody, as they change; matches that nobody has to start.

use std::collections::BTreeSet;
use std::time::Duration;

use referee::client::Chooser;
use referee::limits::Limits;
use referee::wire::v1::{self, BotKind, LobbyKind, MatchState, TokenKind};

use tonic::Streaming;

use super::world::{World, claim_request, create_of, expect, fields, metadata, quick};

/// The next message that says something.
async fn next(stream: &mut Streaming<v1::WatchLobbiesResponse>) -> v1::WatchLobbiesResponse {
    let said = async {
        loop {
            let told = stream
                .message()
                .await
                .expect("a stream")
                .expect("a message");
            if told != v1::WatchLobbiesResponse::default() {
                return told;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(10), said)
        .await
        .expect("something changes")
}

fn open_seats(seats: &[u32]) -> v1::CreateMatchRequest {
    v1::CreateMatchRequest {
        open_seats: seats.to_vec(),
        ..create_of("san-juan", 2, 7)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_follows_the_list_is_told_what_changes() {
    let mut world = World::new().await;
    let create = open_seats(&[1, 2]);
    let first = world.host().call(create).await.expect("a match");
    let watch = v1::WatchLobbiesRequest {
        ruleset: "rulesets/san-juan".into(),
        ..Default::default()
    };
    let mut stream = world.client().call(watch).await.expect("a stream");
    let names = |told: &v1::WatchLobbiesResponse| -> BTreeSet<String> {
        told.changed
            .iter()
            .map(|lobby| lobby.name.clone())
            .collect()
    };
    let name = first.r#match.as_ref().expect("a match").name.clone();
    let told = next(&mut stream).await;
    assert_eq!(
        (names(&told), told.removed.len()),
        ([name.clone()].into(), 0)
    );

    // One of another ruleset is nothing to this reader, and one of two seats that is taken leaves one.
    let other = v1::CreateMatchRequest {
        open_seats: vec![1],
        ..create_of("puerto-rico", 3, 7)
    };
    world.host().call(other).await.expect("a match");
    let claim = v1::ClaimSeatRequest {
        claim_code: String::new(),
        ..claim_request(&first.claim_codes[0])
    };
    world.client().call(claim).await.expect("a seat");
    let told = next(&mut stream).await;
    assert_eq!(names(&told), [name.clone()].into());
    let open = told.changed[0].seats.iter().filter(|seat| seat.open);
    assert_eq!(open.count(), 1);

    let claim = v1::ClaimSeatRequest {
        claim_code: String::new(),
        ..claim_request(&first.claim_codes[1])
    };
    world.client().call(claim).await.expect("a seat");
    let told = next(&mut stream).await;
    assert_eq!((told.changed.len(), told.removed), (0, vec![name]));

    // Nothing that it was told is forgotten by a referee that starts again, and the stream is opened again.
    world.restart().await;
    assert!(stream.message().await.is_err());
    let watch = v1::WatchLobbiesRequest::default();
    let mut stream = world.client().call(watch).await.expect("a stream");
    let told = stream
        .message()
        .await
        .expect("a stream")
        .expect("a message");
    assert_eq!(told.changed.len(), 1);
    // While nothing changes it says that it lives.
    let told = stream
        .message()
        .await
        .expect("a stream")
        .expect("a message");
    assert_eq!(told, v1::WatchLobbiesResponse::default());
}

#[tokio::test(flavor = "multi_thread")]
async fn public_matches_come_and_go_in_the_list() {
    let world = World::new().await;
    let watch = v1::WatchLobbiesRequest {
        kind: LobbyKind::Public.into(),
        ..Default::default()
    };
    let mut stream = world.client().call(watch.clone()).await.expect("a stream");
    let told = stream
        .message()
        .await
        .expect("a stream")
        .expect("a message");
    assert_eq!(
        told,
        v1::WatchLobbiesResponse::default(),
        "the first message says that it is all"
    );
    let create = v1::CreateMatchRequest {
        public: true,
        ..create_of("san-juan", 2, 7)
    };
    let (table, _) = world.begin(create).await;
    let told = next(&mut stream).await;
    assert_eq!(told.changed[0].name, table.name);
    assert_eq!(told.changed[0].state(), MatchState::Running);
    table.play(20, &mut Chooser::new(3)).await;
    let cancel = v1::CancelMatchRequest::of(&table.name);
    table.host.call(cancel).await.expect("it ends");
    let told = next(&mut stream).await;
    assert_eq!(
        (told.changed.len(), told.removed),
        (0, vec![table.name]),
        "moves change nothing"
    );

    let wrong = v1::WatchLobbiesRequest {
        ruleset: "san-juan".into(),
        ..watch
    };
    let refused = expect(world.client().call(wrong).await, "MALFORMED_REQUEST");
    assert_eq!(fields(&refused), ["ruleset"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_address_leaves_room_for_others_that_follow_the_list() {
    let limits = Limits {
        lobby_watchers: 17,
        ..quick()
    };
    let world = World::with(limits).await;
    let watch = v1::WatchLobbiesRequest::default;
    let first = world.client().call(watch()).await.expect("a stream");
    let second = world.client().call(watch()).await.expect("another");
    let refused = expect(world.client().call(watch()).await, "LIMIT_REACHED");
    assert_eq!(metadata(&refused, "limit"), "lobby_watchers");
    drop(first);
    let again = async {
        while world.client().call(watch()).await.is_err() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let again = tokio::time::timeout(Duration::from_secs(10), again);
    again.await.expect("a place is free again");
    drop(second);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_that_is_full_starts_by_itself_if_its_creator_wants_that() {
    let mut world = World::new().await;
    // A page that opens tables for strangers needs no host's token.
    let creator = world.token(TokenKind::Creator).await.token;
    assert!(creator.starts_with("rfn_"));
    let bot = |seat, bot: BotKind, called: &str| v1::SeatedBot {
        seat,
        bot: bot.into(),
        display_name: called.into(),
    };
    let create = v1::CreateMatchRequest {
        start_when_full: true,
        bots: vec![bot(3, BotKind::Greedy, "Greta")],
        open_seats: vec![2, 3],
        ..create_of("san-juan", 3, 7)
    };
    let page = world.client().with_token(&creator);
    let created = page.call(create.clone()).await.expect("a match");
    let told = created.r#match.expect("a match");
    assert!(told.start_when_full && told.state() == MatchState::Lobby);
    let seated = &told.seats[2];
    assert_eq!(
        (seated.bot(), &seated.display_name[..], seated.open),
        (BotKind::Greedy, "Greta", false)
    );
    let start = v1::StartMatchRequest::of(&told.name);
    expect(page.call(start).await, "TOKEN_KIND_WRONG");
    let listed = world.client().call(v1::ListLobbiesRequest::default()).await;
    assert!(listed.expect("a list").lobbies[0].start_when_full);

    world.restart().await;
    let claimed = world
        .client()
        .call(claim_request(&created.claim_codes[0]))
        .await;
    assert_eq!(
        claimed.expect("a seat").r#match.expect("a match").state(),
        MatchState::Lobby
    );
    let open = v1::ClaimSeatRequest {
        claim_code: String::new(),
        ..claim_request(&created.claim_codes[1])
    };
    let claimed = world.client().call(open).await.expect("the last seat");
    assert_eq!(
        claimed.r#match.expect("a match").state(),
        MatchState::Running
    );

    // Bots alone play at once; a seat that stands twice, or is none, is told.
    let only_bots = v1::CreateMatchRequest {
        bots: vec![bot(1, BotKind::Random, ""), bot(2, BotKind::Random, "")],
        start_when_full: true,
        ..create_of("san-juan", 2, 7)
    };
    let created = world.host().call(only_bots).await.expect("a match");
    assert_ne!(created.r#match.expect("a match").state(), MatchState::Lobby);
    for (bots, field) in [
        (vec![bot(4, BotKind::Random, "")], "bots[0].seat"),
        (
            vec![bot(1, BotKind::Random, ""), bot(1, BotKind::Greedy, "")],
            "bots[1].seat",
        ),
        (vec![bot(1, BotKind::Unspecified, "")], "bots[0].bot"),
        (
            vec![bot(1, BotKind::Random, "two\nlines")],
            "bots[0].display_name",
        ),
    ] {
        let create = v1::CreateMatchRequest {
            bots,
            ..create_of("san-juan", 3, 7)
        };
        let refused = expect(world.host().call(create).await, "MALFORMED_REQUEST");
        assert_eq!(fields(&refused), [field]);
    }
}
