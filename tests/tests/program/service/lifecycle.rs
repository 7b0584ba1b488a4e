//! The life of a match: open seats, bots, clocks, resignation, release, cancellation, eviction.

use std::time::Duration;

use referee::client::{Chooser, Chooses, SeatClient, request_id, seat_name};
use referee::limits::Limits;
use referee::wire::convert::of_seconds;
use referee::wire::v1::{self, BotKind, Conclusion, MatchState, MoveOrigin, event};

use super::world::{Table, World, claim_request, create_of, create_request, expect, fields, quick};

fn name(created: &v1::CreateMatchResponse) -> String {
    created.r#match.as_ref().expect("a match").name.clone()
}

async fn bot(
    world: &World,
    name: &str,
    seat: u32,
    bot: BotKind,
) -> Result<v1::Match, tonic::Status> {
    let asked = v1::SeatBotRequest {
        bot: bot.into(),
        ..v1::SeatBotRequest::of(seat_name(name, seat))
    };
    let seated = world.host().call(asked).await?;
    Ok(seated.r#match.expect("a match"))
}

async fn start(world: &World, name: &str) {
    let start = v1::StartMatchRequest::of(name);
    world.host().call(start).await.expect("it starts");
}

/// Waits until a match is as it should be.
async fn until(world: &World, name: &str, good: impl Fn(&v1::Match) -> bool) -> v1::Match {
    for _ in 0..1200 {
        let found = world.get(name).await;
        if good(&found) {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!(
        "{name} did not become what it should: {:?}",
        world.get(name).await
    );
}

/// Origins of the moves that a seat saw.
async fn origins(table: &Table, seat: usize) -> Vec<(u32, MoveOrigin)> {
    let events = table.events(seat).await;
    let moves = events.into_iter().filter_map(|event| match event.kind {
        Some(event::Kind::MoveMade(made)) => Some((made.seat, made.origin())),
        _ => None,
    });
    moves.collect()
}

#[tokio::test]
async fn anybody_joins_an_open_seat_once() {
    let world = World::new().await;
    let create = v1::CreateMatchRequest {
        open_seats: vec![2, 3],
        ..create_request(3, 7)
    };
    let created = world.host().call(create).await.expect("a match");
    let name = name(&created);
    let closed = world.create(3, 8).await;
    let lobbies = || async {
        let asked = v1::ListLobbiesRequest::default();
        world.client().call(asked).await.expect("a list").lobbies
    };
    let listed = lobbies().await;
    assert_eq!(listed.len(), 1, "only a match with open seats is listed");
    assert_eq!(listed[0].name, name);
    assert_eq!(listed[0].seats[1].name, seat_name(&name, 2));
    for (ruleset, players, found) in [
        ("rulesets/puerto-rico", 0, 1),
        ("rulesets/puerto-rico", 3, 1),
        ("", 4, 0),
        ("rulesets/san-juan", 3, 0),
    ] {
        let asked = v1::ListLobbiesRequest {
            ruleset: ruleset.into(),
            players,
            ..Default::default()
        };
        let some = world.client().call(asked).await.expect("a list");
        assert_eq!(some.lobbies.len(), found, "{ruleset} {players}");
    }
    let asked = v1::ListLobbiesRequest {
        ruleset: "puerto-rico".into(),
        ..Default::default()
    };
    let refused = expect(world.client().call(asked).await, "MALFORMED_REQUEST");
    assert_eq!(fields(&refused), ["ruleset"]);
    for name in [
        &name[..],
        &format!("{name}/seats"),
        &seat_name(&name, 0),
        "seats/1",
    ] {
        let claim = v1::ClaimSeatRequest {
            display_name: "nobody".into(),
            ..v1::ClaimSeatRequest::of(name)
        };
        let refused = expect(world.client().call(claim).await, "MALFORMED_REQUEST");
        assert_eq!(fields(&refused), ["name"], "{name}");
    }
    assert_eq!(
        listed[0]
            .seats
            .iter()
            .map(|seat| seat.open)
            .collect::<Vec<_>>(),
        [false, true, true]
    );
    let claim = |name: &str, seat, id: &str| {
        let code = v1::ClaimCode {
            name: seat_name(name, seat),
            seat,
            code: String::new(),
        };
        let claim = v1::ClaimSeatRequest {
            request_id: id.into(),
            ..claim_request(&code)
        };
        let client = world.client().clone();
        async move { client.call(claim).await }
    };
    let id = request_id();
    let first = claim(&name, 2, &id).await.expect("it is open");
    let again = claim(&name, 2, &id).await.expect("the same");
    assert_eq!(
        (first.seat_token == again.seat_token, again.replayed),
        (true, true)
    );
    let taken = claim(&name, 2, &request_id()).await;
    expect(taken, "SEAT_TAKEN");
    for (name, seat) in [
        (name.as_str(), 1),
        (&self::name(&closed), 2),
        (&format!("matches/{}", "0".repeat(32)), 2),
    ] {
        let refused = claim(name, seat, &request_id()).await;
        expect(refused, "CLAIM_CODE_INVALID");
    }
    claim(&name, 3, &request_id()).await.expect("it is open");
    assert!(lobbies().await.is_empty(), "nothing is open any more");
    for (open, field) in [
        (vec![4], "open_seats[0]"),
        (vec![2, 2], "open_seats[1]"),
        (vec![0], "open_seats[0]"),
    ] {
        let create = v1::CreateMatchRequest {
            open_seats: open,
            ..create_request(3, 7)
        };
        let status = expect(world.host().call(create).await, "MALFORMED_REQUEST");
        assert_eq!(fields(&status)[0], field);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bots_play_a_match_to_its_end_without_anybody() {
    let world = World::new().await;
    let created = world.create(3, 7).await;
    let name = name(&created);
    for seat in 1..=3 {
        bot(&world, &name, seat, BotKind::Random)
            .await
            .expect("a bot");
    }
    let twice = claim_request(&created.claim_codes[0]);
    expect(world.client().call(twice).await, "SEAT_TAKEN");
    start(&world, &name).await;
    let ended = until(&world, &name, |found| found.state() == MatchState::Finished).await;
    assert_eq!(ended.conclusion(), Conclusion::Rules);
    assert!(ended.outcome.is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_plays_against_a_thinking_and_a_random_bot() {
    let world = World::new().await;
    let created = world.create(3, 7).await;
    let name = name(&created);
    bot(&world, &name, 2, BotKind::Search).await.expect("a bot");
    bot(&world, &name, 3, BotKind::Random).await.expect("a bot");
    let claim = claim_request(&created.claim_codes[0]);
    let token = world.client().call(claim).await.expect("a seat").seat_token;
    start(&world, &name).await;
    let seat = SeatClient::new(world.client().with_token(&token), name.as_str());
    let table = Table {
        name: name.clone(),
        host: world.host(),
        seats: vec![seat],
        created,
    };
    for _ in 0..4 {
        for _ in 0..600 {
            if table.play(1, &mut Chooser::new(1)).await {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
    let made = origins(&table, 0).await;
    let by = |seat, origin| made.contains(&(seat, origin));
    assert!(
        by(1, MoveOrigin::Player) && by(2, MoveOrigin::Bot) && by(3, MoveOrigin::Bot),
        "{made:?}"
    );
    assert!(!by(1, MoveOrigin::Bot) && !by(2, MoveOrigin::Player));
    // One person is at the table, so that person decides alone.
    let drawn = table.propose(0, v1::ProposalKind::Draw, 0).await;
    assert!(drawn.expect("a draw").done);
    assert_eq!(world.get(&name).await.conclusion(), Conclusion::Draw);
}

#[tokio::test(flavor = "multi_thread")]
async fn whose_time_is_up_is_moved_for_also_after_a_restart() {
    let mut world = World::new().await;
    let create = v1::CreateMatchRequest {
        question_time: Some(of_seconds(1)),
        ..create_request(3, 7)
    };
    let (mut table, tokens) = world.begin(create).await;
    let (_, decision, _) = table.asked().await.expect("a question");
    assert!(decision.deadline.is_some());
    for _ in 0..200 {
        if origins(&table, 0)
            .await
            .iter()
            .any(|(_, origin)| *origin == MoveOrigin::Timeout)
        {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let before = origins(&table, 0).await;
    assert!(
        before
            .iter()
            .any(|(_, origin)| *origin == MoveOrigin::Timeout),
        "{before:?}"
    );
    // Nobody opens the match after the restart: the clerk finds it by itself.
    world.restart().await;
    tokio::time::sleep(Duration::from_millis(3500)).await;
    world.rejoin(&mut table, &tokens);
    let after = origins(&table, 0).await;
    assert_eq!(
        after[..before.len()],
        before,
        "who moved is told alike after a restart"
    );
    let later = after[before.len()..].iter();
    assert!(
        later
            .filter(|(_, origin)| *origin == MoveOrigin::Timeout)
            .count()
            >= 1,
        "{after:?}"
    );
    // A pause stops the clock.
    table.agree(v1::ProposalKind::Pause, 0).await;
    let paused = origins(&table, 0).await;
    tokio::time::sleep(Duration::from_millis(1500)).await;
    assert_eq!(origins(&table, 0).await, paused);
}

#[tokio::test]
async fn a_clock_that_is_too_long_or_no_number_of_seconds_is_refused() {
    let world = World::new().await;
    let part = prost_types::Duration {
        seconds: 1,
        nanos: 500_000_000,
    };
    let backwards = prost_types::Duration {
        seconds: -3,
        nanos: 0,
    };
    for time in [of_seconds(u32::MAX), of_seconds(0), part, backwards] {
        let create = v1::CreateMatchRequest {
            question_time: Some(time),
            ..create_request(3, 7)
        };
        expect(world.host().call(create).await, "MALFORMED_REQUEST");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_resigns_is_played_for_and_the_last_one_wins() {
    let mut world = World::new().await;
    let (mut table, tokens) = world.table(3, 7).await;
    table.play(4, &mut Chooser::new(1)).await;
    table.resign(1).await.expect("one may give up");
    let twice = table.resign(1).await;
    expect(twice, "MATCH_STATE_WRONG");
    // The referee answers in the second seat's place, never in the others'.
    for _ in 0..100 {
        if let Some((seat, decision, offers)) = table.asked().await
            && seat != 1
        {
            let mv = Chooser::new(5).choose(&decision, &offers);
            table.seats[seat]
                .submit(&decision.decision_id, mv)
                .await
                .expect("legal");
        }
        let made = origins(&table, 0).await;
        if made.contains(&(2, MoveOrigin::Resigned)) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let made = origins(&table, 0).await;
    assert!(made.contains(&(2, MoveOrigin::Resigned)), "{made:?}");
    assert!(!made.contains(&(1, MoveOrigin::Resigned)));
    table.resign(2).await.expect("another");
    let ended = table.get().await;
    assert_eq!(
        (ended.state(), ended.conclusion()),
        (MatchState::Finished, Conclusion::Resignation)
    );
    assert!(ended.seats[1].resigned && !ended.seats[0].resigned);
    let told = table.events(0).await;
    world.restart().await;
    world.rejoin(&mut table, &tokens);
    assert_eq!(table.events(0).await, told);
    assert_eq!(table.get().await, ended);
}

#[tokio::test]
async fn a_released_seat_waits_for_another_player() {
    let world = World::new().await;
    let (table, tokens) = world.table(3, 7).await;
    table.play(3, &mut Chooser::new(1)).await;
    let release = v1::ReleaseSeatRequest::of(seat_name(&table.name, 2));
    let released = table.host.call(release.clone()).await;
    let released = released.expect("the host may");
    let again = table.host.call(release).await.expect("the same answer");
    assert!(again.replayed && again.claim_code == released.claim_code);
    // The old token opens nothing, at once; the others' do.
    let view = |token: &str| {
        let asked = v1::GetViewRequest::of(&table.name);
        let client = world.client().with_token(token);
        async move { client.call(asked).await }
    };
    expect(view(&tokens[1]).await, "TOKEN_INVALID");
    view(&tokens[0]).await.expect("another seat is as before");
    // The first code claims nothing any more, the new one does.
    let old = claim_request(&table.created.claim_codes[1]);
    expect(world.client().call(old).await, "CLAIM_CODE_INVALID");
    let code = released.claim_code.expect("a code");
    let claim = claim_request(&code);
    let token = world.client().call(claim).await.expect("a seat").seat_token;
    view(&token).await.expect("the new player sees the table");
    assert_eq!(table.get().await.seats[1].display_name, "player 2");
}

#[tokio::test]
async fn a_player_leaves_the_lobby_and_the_seat_is_free_again() {
    let mut world = World::new().await;
    let create = v1::CreateMatchRequest {
        open_seats: vec![1],
        ..create_request(3, 7)
    };
    let created = world.host().call(create).await.expect("a match");
    let name = name(&created);
    let claim = |code: &v1::ClaimCode| {
        let claim = claim_request(code);
        let client = world.client().clone();
        async move { client.call(claim).await }
    };
    let mut codes = created.claim_codes.clone();
    codes[0].code.clear();
    let mut tokens = Vec::new();
    for code in &codes {
        let claimed = claim(code).await.expect("a seat");
        tokens.push(claimed.seat_token);
    }
    let leave = |name: &str| v1::LeaveSeatRequest::of(name);
    let send = |world: &World, token: &str, asked: v1::LeaveSeatRequest| {
        let client = world.client().with_token(token);
        async move { client.call(asked).await }
    };
    let first = leave(&name);
    let left = send(&world, &tokens[0], first.clone()).await;
    assert!(!left.expect("it may").replayed);
    let second = send(&world, &tokens[1], leave(&name)).await;
    second.expect("it may");
    let seen = world.get(&name).await;
    let told: Vec<_> = seen.seats.iter().map(|s| (s.claimed, s.open)).collect();
    assert_eq!(told, [(false, true), (false, false), (true, false)]);
    assert_eq!(seen.seats[0].display_name, "");

    // Whoever has not heard of it asks once more, also of a referee that was started since; another request is nobody's,
    // and requests of another match are others.
    world.restart().await;
    let again = send(&world, &tokens[0], first.clone()).await;
    assert!(again.expect("the same").replayed);
    let other = send(&world, &tokens[0], leave(&name)).await;
    expect(other, "TOKEN_INVALID");
    let elsewhere = v1::LeaveSeatRequest {
        name: format!("matches/{}", "0".repeat(32)),
        ..first
    };
    let elsewhere = send(&world, &tokens[0], elsewhere).await;
    expect(elsewhere, "TOKEN_INVALID");

    // An open seat is open again; for the other its host has a new code, and the old one is of no more use.
    let claim = |world: &World, code: &v1::ClaimCode| {
        let claim = claim_request(code);
        let client = world.client().clone();
        async move { client.call(claim).await }
    };
    let claimed = claim(&world, &codes[0]).await.expect("anybody may");
    tokens[0] = claimed.seat_token;
    expect(claim(&world, &codes[1]).await, "CLAIM_CODE_INVALID");
    let release = v1::ReleaseSeatRequest::of(seat_name(&name, 2));
    let released = world.host().call(release).await;
    let code = released.expect("its host may").claim_code;
    let claimed = claim(&world, &code.expect("a code")).await.expect("a seat");
    tokens[1] = claimed.seat_token;

    // Who plays does not leave, but resigns.
    start(&world, &name).await;
    for token in &tokens {
        let late = send(&world, token, leave(&name)).await;
        let late = expect(late, "MATCH_ALREADY_STARTED");
        assert!(late.message().contains("resigns"), "{late:?}");
    }
}

#[tokio::test]
async fn a_host_cancels_and_seats_bots_only_where_nobody_sits() {
    let world = World::new().await;
    let (table, _) = world.table(3, 7).await;
    let thrown_out = bot(&world, &table.name, 1, BotKind::Random).await;
    expect(thrown_out, "SEAT_TAKEN");
    let nothing = bot(&world, &table.name, 1, BotKind::Unspecified).await;
    expect(nothing, "MALFORMED_REQUEST");
    let nowhere = bot(&world, &table.name, 9, BotKind::Random).await;
    expect(nowhere, "MALFORMED_REQUEST");
    let lobby = name(&world.create(3, 8).await);
    for name in [&table.name, &lobby] {
        let cancel = v1::CancelMatchRequest::of(name);
        let ended = world.host().call(cancel.clone()).await;
        let ended = ended.expect("the host may").r#match.expect("it");
        assert_eq!(
            (ended.state(), ended.conclusion()),
            (MatchState::Finished, Conclusion::Cancelled)
        );
        let again = v1::CancelMatchRequest {
            request_id: request_id(),
            ..cancel
        };
        expect(world.host().call(again).await, "MATCH_STATE_WRONG");
    }
}

#[tokio::test]
async fn matches_that_rest_are_rebuilt_when_they_are_needed() {
    let limits = Limits {
        open_matches: 2,
        ..quick()
    };
    let world = World::with(limits).await;
    let mut tables = Vec::new();
    for seed in 0..5 {
        let (table, _) = world.table(3, seed).await;
        table.play(6, &mut Chooser::new(seed)).await;
        let view = table.view(0).await;
        tables.push((table, view));
    }
    assert!(world.running().open_matches() <= 2);
    for (table, seen) in &tables {
        assert_eq!(table.view(0).await.view, seen.view);
        assert!(table.play(2, &mut Chooser::new(9)).await);
    }
    world.running().close_idle();
    assert_eq!(world.running().open_matches(), 0, "nobody is at any table");
}

/// What each seat is asked, and until when.
async fn asked_until(table: &Table) -> Vec<Option<(String, prost_types::Timestamp)>> {
    let mut all = Vec::new();
    for seat in &table.seats {
        let decision = seat.decision().await.expect("an answer");
        let until = decision.map(|(decision, _)| {
            let deadline = decision.deadline.expect("the match has a clock");
            (decision.decision_id, deadline)
        });
        all.push(until);
    }
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn what_others_answer_to_the_same_question_does_not_begin_a_clock_again() {
    let world = World::new().await;
    let create = v1::CreateMatchRequest {
        question_time: Some(of_seconds(600)),
        ..create_of("genoa", 3, 5)
    };
    let (table, _) = world.begin(create).await;
    let mut player = Chooser::new(2);
    let (mut went_on, mut anew) = (0, 0);
    for _ in 0..60 {
        let before = asked_until(&table).await;
        tokio::time::sleep(Duration::from_millis(3)).await;
        // Not all that is chosen by chance for parameters that hang on each other is legal.
        let mut tried = 0;
        loop {
            let (seat, submit) = table.next_move(&mut player).await;
            match table.call(seat, submit).await {
                Ok(_) => break,
                refused => drop(expect(refused, "MOVE_REFUSED")),
            }
            tried += 1;
            assert!(tried < 1000, "no legal move was found");
        }
        let after = asked_until(&table).await;
        for (before, after) in before.iter().zip(&after) {
            let (Some((question, until)), Some((now, later))) = (before, after) else {
                continue;
            };
            let (until, later) = ((until.seconds, until.nanos), (later.seconds, later.nanos));
            match question == now {
                true => {
                    went_on += 1;
                    assert_eq!(until, later, "the clock of `{question}` began again");
                }
                false => {
                    anew += 1;
                    assert!(later > until);
                }
            }
        }
    }
    assert!(went_on > 10 && anew > 10, "{went_on} {anew}");
}
