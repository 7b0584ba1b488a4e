//! What players add to the chance of a match: when, how, and that it is in every card.

use referee::client::{Chooser, SeatClient, request_id, seat_name};
use referee::wire::v1::{self, SeatEntropy};

use super::world::{World, claim_request, create_request, expect, fields, metadata};

/// A lobby whose seats are claimed: its name, and a client on every seat.
async fn lobby(world: &World, seat_entropy: SeatEntropy) -> (String, Vec<SeatClient>) {
    let create = v1::CreateMatchRequest {
        seat_entropy: seat_entropy.into(),
        ..create_request(3, 7)
    };
    let created = world.host().call(create).await.expect("a match");
    let name = created.r#match.as_ref().expect("it").name.clone();
    let mut seats = Vec::new();
    for code in &created.claim_codes {
        seats.push(claimed(world, &name, code).await);
    }
    (name, seats)
}

async fn claimed(world: &World, name: &str, code: &v1::ClaimCode) -> SeatClient {
    let claim = claim_request(code);
    let token = world.client().call(claim).await.expect("a seat").seat_token;
    SeatClient::new(world.client().with_token(&token), name)
}

async fn start(world: &World, name: &str) -> Result<v1::Match, tonic::Status> {
    let start = v1::StartMatchRequest::of(name);
    let started = world.host().call(start).await?;
    Ok(started.r#match.expect("it"))
}

/// The table as it is dealt, to tell deals apart.
async fn dealt(seats: &[SeatClient]) -> String {
    let mut all = String::new();
    for seat in seats {
        let asked = v1::GetViewRequest {
            name: seat.name().into(),
            ..Default::default()
        };
        let view = seat.client().call(asked).await;
        let view = view.expect("a view").view.expect("a view");
        all += &format!("{:?}", view.places);
    }
    all
}

/// HMAC-SHA256 of what was promised and added, made here and nowhere else.
fn mixed(name: &str, seed: &[u8], given: &[(u8, [u8; 32])]) -> Vec<u8> {
    let mut message = b"referee/game-seed/v1\n".to_vec();
    message.extend(name.trim_start_matches("matches/").bytes());
    message.push(b'\n');
    for (seat, entropy) in given {
        message.push(*seat);
        message.extend(entropy);
    }
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, seed);
    ring::hmac::sign(&key, &message).as_ref().to_vec()
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_wants_adds_to_the_chance_and_it_is_in_the_deal() {
    let mut world = World::new().await;
    let (plain, seats) = lobby(&world, SeatEntropy::Unspecified).await;
    start(&world, &plain).await.expect("nobody has to");
    let without = dealt(&seats).await;

    let (name, seats) = lobby(&world, SeatEntropy::Welcome).await;
    // Out of order: the order of seats counts, not that of coming.
    seats[2].contribute([3; 32]).await.expect("it is taken");
    seats[0].contribute([1; 32]).await.expect("it is taken");
    let twice = seats[0].contribute([9; 32]).await;
    expect(twice, "ENTROPY_GIVEN");
    let promise = seats[1].commit(2, &[2; 32]).await;
    expect(promise, "MALFORMED_REQUEST");
    for (commitment, entropy) in [(0, 31), (0, 0), (32, 32)] {
        let odd = v1::ContributeEntropyRequest {
            commitment: vec![2; commitment],
            entropy: vec![2; entropy],
            request_id: request_id(),
            name: name.clone(),
        };
        let odd = seats[1].client().call(odd).await;
        let odd = expect(odd, "MALFORMED_REQUEST");
        assert_eq!(fields(&odd)[0], "entropy");
    }
    // Before the start, and after a restart, everybody sees what was added; nobody sees the seed.
    world.restart().await;
    let described = world.get(&name).await;
    let told: Vec<_> = described
        .contributions
        .iter()
        .map(|given| (given.seat, given.entropy.clone()))
        .collect();
    assert_eq!(told, [(1, vec![1; 32]), (3, vec![3; 32])]);
    assert!(described.seed.is_empty() && described.game_seed.is_empty());

    let (name, seats) = lobby(&world, SeatEntropy::Welcome).await;
    seats[2].contribute([3; 32]).await.expect("it is taken");
    seats[0].contribute([1; 32]).await.expect("it is taken");
    start(&world, &name).await.expect("it starts");
    assert_ne!(dealt(&seats).await, without, "the same seed, another deal");
    let late = seats[1].contribute([2; 32]).await;
    expect(late, "MATCH_ALREADY_STARTED");
    for seat in &seats[..2] {
        let resign = v1::ResignRequest::of(&name);
        seat.client().call(resign).await.expect("it ends");
    }
    let over = world.get(&name).await;
    let promised = [
        b"referee/seed/v1\n",
        name.trim_start_matches("matches/").as_bytes(),
        b"\n",
        &over.committed_digest,
        &over.seed,
    ];
    let promised = ring::digest::digest(&ring::digest::SHA256, &promised.concat());
    assert_eq!(
        over.seed_commitment,
        promised.as_ref(),
        "the referee's own is the promised one"
    );
    assert_eq!(
        over.game_seed,
        mixed(&name, &over.seed, &[(1, [1; 32]), (3, [3; 32])])
    );
    let closed = seats[1].contribute([2; 32]).await;
    expect(closed, "MATCH_OVER");
}

#[tokio::test]
async fn where_everybody_has_to_nothing_begins_without_them() {
    let world = World::new().await;
    let (name, seats) = lobby(&world, SeatEntropy::Required).await;
    seats[1].contribute([2; 32]).await.expect("it is taken");
    let early = start(&world, &name).await;
    let early = expect(early, "ENTROPY_MISSING");
    assert_eq!(metadata(&early, "seats"), "1,3");
    seats[0].contribute([1; 32]).await.expect("it is taken");
    // Whoever sits down in another's place speaks for themselves; a bot need not.
    let release = |seat| v1::ReleaseSeatRequest::of(seat_name(&name, seat));
    let host = world.host();
    let code = host.call(release(2)).await.expect("a code");
    let code = code.claim_code.expect("a code");
    let second = claimed(&world, &name, &code).await;
    host.call(release(3)).await.expect("a code");
    let bot = v1::SeatBotRequest {
        bot: v1::BotKind::Random.into(),
        ..v1::SeatBotRequest::of(seat_name(&name, 3))
    };
    host.call(bot).await.expect("a bot");
    let early = start(&world, &name).await;
    let early = expect(early, "ENTROPY_MISSING");
    assert_eq!(metadata(&early, "seats"), "2");
    second.contribute([7; 32]).await.expect("it is taken");
    let started = start(&world, &name).await.expect("everybody has");
    assert_eq!(started.contributions.len(), 2);
    assert_eq!(started.contributions[1].entropy, [7; 32]);
}

#[tokio::test]
async fn where_everybody_commits_first_nobody_shows_early_or_something_else() {
    let world = World::new().await;
    let (name, seats) = lobby(&world, SeatEntropy::Committed).await;
    let bare = seats[0].contribute([1; 32]).await;
    expect(bare, "MALFORMED_REQUEST");
    seats[0].commit(1, &[1; 32]).await.expect("it is taken");
    let twice = seats[0].commit(1, &[8; 32]).await;
    expect(twice, "ENTROPY_GIVEN");
    seats[1].commit(2, &[2; 32]).await.expect("it is taken");
    let early = seats[0].contribute([1; 32]).await;
    let early = expect(early, "ENTROPY_MISSING");
    assert_eq!(metadata(&early, "seats"), "3");
    // The third commits to what the second did, and could not open it: its own number is in it.
    seats[2].commit(2, &[2; 32]).await.expect("it is taken");
    let copied = seats[2].contribute([2; 32]).await;
    expect(copied, "MALFORMED_REQUEST");
    let other = seats[0].contribute([8; 32]).await;
    expect(other, "MALFORMED_REQUEST");
    seats[0].contribute([1; 32]).await.expect("it fits");

    // Another player in the third seat: everybody commits anew, for the first has shown what it had.
    let release = v1::ReleaseSeatRequest::of(seat_name(&name, 3));
    let released = world.host().call(release).await.expect("a code");
    assert!(released.r#match.expect("it").contributions.is_empty());
    seats[0].commit(1, &[11; 32]).await.expect("it is taken");
    seats[1].commit(2, &[12; 32]).await.expect("it is taken");
    let early = seats[0].contribute([11; 32]).await;
    let early = expect(early, "ENTROPY_MISSING");
    assert_eq!(
        metadata(&early, "seats"),
        "3",
        "whoever sits down there may commit yet"
    );
    let third = claimed(&world, &name, &released.claim_code.expect("a code")).await;
    third.commit(3, &[13; 32]).await.expect("it is taken");
    for (seat, entropy) in [(&third, 13), (&seats[0], 11)] {
        seat.contribute([entropy; 32]).await.expect("it fits");
    }
    let early = start(&world, &name).await;
    let early = expect(early, "ENTROPY_MISSING");
    assert_eq!(metadata(&early, "seats"), "2");
    seats[1].contribute([12; 32]).await.expect("it fits");
    let started = start(&world, &name).await.expect("everybody has");
    let given: Vec<_> = started
        .contributions
        .iter()
        .map(|given| given.entropy[0])
        .collect();
    assert_eq!(given, [11, 12, 13]);
    assert!(
        started
            .contributions
            .iter()
            .all(|given| given.commitment.len() == 32)
    );
    let table = super::world::Table {
        name: name.clone(),
        host: world.host(),
        seats: vec![seats[0].clone(), seats[1].clone(), third],
        created: v1::CreateMatchResponse::default(),
    };
    let mut player = Chooser::new(4);
    while table.play(50, &mut player).await {}

    // Its record says it all: verified here, kept elsewhere, and by a program that is not the referee.
    let text = super::records::export(&table.host, &name)
        .await
        .expect("a record");
    assert!(super::records::verify(&table.host, &name).await.sound);
    let there = World::new().await;
    super::records::import(&there, &text, &request_id())
        .await
        .expect("it is sound");
    if let Some((good, said)) = super::records::script(&text, &[]) {
        assert!(good && said.contains("what seats 1, 2, 3 added"), "{said}");
    }
    for (what, from, to) in [
        (
            "a contribution in the first line",
            "\"entropy\":\"0b0b",
            "\"entropy\":\"0b0c",
        ),
        (
            "the seed of the game",
            "\"gameSeed\":\"",
            "\"gameSeed\":\"00",
        ),
    ] {
        let changed = super::records::resealed(&text, from, to);
        if let Some((good, said)) = super::records::script(&changed, &[]) {
            assert!(!good, "{what}: {said}");
        }
    }
    let first = text.lines().next().expect("a line");
    let first: serde_json::Value = serde_json::from_str(first).expect("JSON");
    let seed = first["record"]["gameSeed"].as_str().expect("a seed");
    let changed = super::records::resealed(&text, seed, &seed.chars().rev().collect::<String>());
    let refused = super::records::import(&there, &changed, &request_id()).await;
    expect(refused.map(drop), "MALFORMED_REQUEST");
}
