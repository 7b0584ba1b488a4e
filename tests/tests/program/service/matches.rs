//! Whole matches, from the lobby to the score sheet.

use referee::client::{Chooser, request_id, seat_name};
use referee::wire::v1;

use super::world::{World, claim_request, create_of, create_request, expect, metadata};

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow"]
async fn four_clients_play_a_whole_match() {
    let world = World::new().await;
    let (table, _) = world.table(4, 1).await;
    let mut players = Vec::new();
    for (i, seat) in table.seats.iter().cloned().enumerate() {
        players.push(tokio::spawn(async move {
            seat.play_out(&mut Chooser::new(i as u64)).await
        }));
    }
    let mut outcomes = Vec::new();
    for player in players {
        outcomes.push(player.await.expect("no panic").expect("the match ends"));
    }
    assert!(
        outcomes.windows(2).all(|pair| pair[0] == pair[1]),
        "everybody hears of the same outcome"
    );
    let outcome = &outcomes[0];
    assert_eq!(outcome.scores.len(), 4);
    assert!(!outcome.winners.is_empty() && !outcome.ending.is_empty());
    for sheet in &outcome.scores {
        assert_eq!(
            sheet.total,
            sheet.lines.iter().map(|line| line.points).sum::<i64>()
        );
    }

    let over = table.get().await;
    assert_eq!(over.state(), v1::MatchState::Finished);
    assert_eq!(over.outcome.as_ref(), Some(outcome));
    assert!(over.end_time.is_some());

    // The seed is shown now, and it is the one that was promised.
    let promised = table.created.r#match.as_ref().expect("a match");
    assert!(promised.seed.is_empty());
    let mut promise = ring::digest::Context::new(&ring::digest::SHA256);
    promise.update(b"referee/seed/v1\n");
    promise.update(over.name.trim_start_matches("matches/").as_bytes());
    promise.update(b"\n");
    promise.update(&over.digest);
    promise.update(&over.seed);
    assert_eq!(promise.finish().as_ref(), &promised.seed_commitment[..]);

    for seat in 0..4 {
        let events = table.events(seat).await;
        assert!(
            events
                .iter()
                .map(|event| event.number)
                .eq(0..events.len() as u64),
            "numbered without gap"
        );
        assert!(matches!(
            events.last().and_then(|e| e.kind.as_ref()),
            Some(v1::event::Kind::MatchOver(_))
        ));
        assert!(
            table.seats[seat]
                .decision()
                .await
                .expect("an answer")
                .is_none(),
            "nobody is asked any more"
        );
    }
    let late = table.seats[0]
        .submit(
            "d_x",
            v1::Move {
                name: "pass".into(),
                ..Default::default()
            },
        )
        .await;
    expect(late, "MATCH_OVER");
}

/// Two clients who know no rules play the Rivals for Catan to the end: dice, takings in the middle of an
/// effect, cards that answer the other player's.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow"]
async fn two_clients_play_a_game_of_reactions() {
    let world = World::new().await;
    let create = create_of("catan-rivals", 2, 2);
    let (table, _) = world.begin(create).await;
    let second = table.seats[1].clone();
    let second = tokio::spawn(async move { second.play_out(&mut Chooser::new(1)).await });
    let first = table.seats[0].play_out(&mut Chooser::new(0)).await;
    let (first, second) = (first.expect("it ends"), second.await.expect("no panic"));
    assert_eq!(first, second.expect("it ends"));
    assert!(!first.ending.is_empty() && !first.winners.is_empty());

    // Both hear of every move, each with what is its own.
    let moves = |events: &[v1::Event]| {
        let kinds = events.iter().filter_map(|event| event.kind.clone());
        kinds
            .filter_map(|kind| match kind {
                v1::event::Kind::MoveMade(made) => Some((made.seat, made.step)),
                _ => None,
            })
            .collect::<Vec<_>>()
    };
    let heard = [table.events(0).await, table.events(1).await];
    assert_eq!(moves(&heard[0]), moves(&heard[1]));
    assert_ne!(heard[0], heard[1], "each sees the own hand alone");
    // One is asked in the middle of what the other does: a turn would begin with the dice.
    let moves = moves(&heard[0]);
    let answers = moves
        .windows(2)
        .filter(|made| made[0].0 != made[1].0 && !made[1].1.starts_with("roll_the_dice"));
    assert!(answers.count() > 0, "{moves:?}");
}

#[tokio::test]
async fn three_and_five_can_play_too_and_forced_moves_can_be_asked() {
    let world = World::new().await;
    for players in [3, 5] {
        let mut create = create_request(players, 2);
        create.set_forced_moves(v1::ForcedMoves::Asked);
        let (table, _) = world.begin(create).await;
        table.play(60, &mut Chooser::new(3)).await;
        let forced = table.events(0).await.into_iter().filter(|event| {
            matches!(&event.kind, Some(v1::event::Kind::MoveMade(mv)) if mv.origin() == v1::MoveOrigin::Forced)
        });
        assert_eq!(forced.count(), 0, "every move was a player's");
    }
}

#[tokio::test]
async fn the_lobby_fills_and_the_host_starts() {
    let world = World::new().await;
    let created = world.create(3, 1).await;
    let name = created.r#match.clone().expect("a match").name;
    assert_eq!(created.claim_codes.len(), 3);
    let start = v1::StartMatchRequest::of(&name);
    let open = expect(world.host().call(start.clone()).await, "SEATS_OPEN");
    assert_eq!(metadata(&open, "open_seats"), "1,2,3");

    let claim = claim_request(&created.claim_codes[1]);
    let first = world.client().call(claim.clone()).await.expect("claimed");
    let seats = first.r#match.clone().expect("the match").seats;
    assert_eq!(
        seats.iter().map(|seat| seat.claimed).collect::<Vec<_>>(),
        [false, true, false]
    );
    assert_eq!(seats[1].display_name, "player 2");

    // The same claim again is the same token; another one of the same code is too late.
    let again = world.client().call(claim.clone()).await.expect("claimed");
    assert_eq!(
        (again.seat_token.as_str(), again.replayed),
        (first.seat_token.as_str(), true)
    );
    let thief = v1::ClaimSeatRequest {
        request_id: request_id(),
        ..claim.clone()
    };
    expect(world.client().call(thief).await, "SEAT_TAKEN");
    let renamed = v1::ClaimSeatRequest {
        display_name: "Eve".into(),
        ..claim.clone()
    };
    expect(world.client().call(renamed).await, "REQUEST_ID_REUSED");

    // A code opens its own seat of its own match.
    let elsewhere = v1::ClaimSeatRequest {
        name: seat_name(&name, 1),
        request_id: request_id(),
        ..claim.clone()
    };
    expect(world.client().call(elsewhere).await, "CLAIM_CODE_INVALID");
    let other = world.create(3, 1).await.r#match.expect("a match").name;
    let foreign = v1::ClaimSeatRequest {
        name: seat_name(&other, 2),
        request_id: request_id(),
        ..claim.clone()
    };
    expect(world.client().call(foreign).await, "CLAIM_CODE_INVALID");

    for seat in [0, 2] {
        let claim = claim_request(&created.claim_codes[seat]);
        world.client().call(claim).await.expect("claimed");
    }
    let started = world.host().call(start.clone()).await.expect("started");
    assert_eq!(
        started.r#match.expect("the match").state(),
        v1::MatchState::Running
    );
    assert!(
        world
            .host()
            .call(start.clone())
            .await
            .expect("again")
            .replayed
    );
    let twice = v1::StartMatchRequest {
        request_id: request_id(),
        ..start
    };
    expect(world.host().call(twice).await, "MATCH_ALREADY_STARTED");
}

#[tokio::test]
async fn creating_is_idempotent_and_lists_are_paged_newest_first() {
    let world = World::new().await;
    let request = create_request(4, 1);
    let first = world.host().call(request.clone()).await.expect("created");
    let again = world.host().call(request.clone()).await.expect("created");
    assert!(again.replayed && !first.replayed);
    assert_eq!(
        (&again.r#match, &again.claim_codes),
        (&first.r#match, &first.claim_codes)
    );
    let other = v1::CreateMatchRequest {
        configuration: create_request(5, 1).configuration,
        ..request
    };
    expect(world.host().call(other).await, "REQUEST_ID_REUSED");

    let mut names = vec![first.r#match.expect("a match").name];
    for seed in 2..5 {
        names.push(world.create(3, seed).await.r#match.expect("a match").name);
    }
    names.reverse();
    let mut listed = Vec::new();
    let mut asked = v1::ListMatchesRequest {
        page_size: 3,
        ..Default::default()
    };
    loop {
        let page = world.host().call(asked.clone()).await.expect("a page");
        assert!(page.matches.len() <= 3);
        listed.extend(page.matches.into_iter().map(|row| row.name));
        if page.next_page_token.is_empty() {
            break;
        }
        asked.page_token = page.next_page_token;
    }
    assert_eq!(listed, names);
    let running = v1::ListMatchesRequest {
        state: v1::MatchState::Running.into(),
        ..Default::default()
    };
    assert!(
        world
            .host()
            .call(running.clone())
            .await
            .expect("a page")
            .matches
            .is_empty()
    );
    let moved = v1::ListMatchesRequest {
        page_token: asked.page_token,
        ..running
    };
    expect(world.host().call(moved).await, "PAGE_TOKEN_INVALID");
}

#[tokio::test]
async fn a_ruleset_tells_everything_that_a_client_needs_to_show_a_match() {
    let world = World::new().await;
    let listed = world
        .client()
        .call(v1::ListRulesetsRequest::default())
        .await;
    let listed = listed.expect("a page").rulesets;
    let summary = listed
        .iter()
        .find(|ruleset| ruleset.name == "rulesets/puerto-rico")
        .expect("it is there");
    assert!(summary.playable);
    assert_eq!((summary.min_players, summary.max_players), (2, 5));
    // The first edition is for three at least.
    let first_edition = v1::GetRulesetRequest {
        name: summary.revision.clone(),
        configuration: Some(v1::Configuration {
            players: 3,
            modules: vec!["first-edition".into()],
            ..Default::default()
        }),
    };
    let composed = world.client().call(first_edition).await.expect("it");
    let composed = composed.ruleset.and_then(|ruleset| ruleset.summary);
    let composed = composed.expect("a summary");
    assert_eq!((composed.min_players, composed.max_players), (3, 5));

    let asked = v1::GetRulesetRequest {
        name: summary.revision.clone(),
        configuration: create_request(5, 0).configuration,
    };
    let ruleset = world
        .client()
        .call(asked)
        .await
        .expect("it")
        .ruleset
        .expect("it");
    let named = |names: &Option<v1::Text>| {
        names
            .as_ref()
            .is_some_and(|text| text.by_language.keys().eq(["en", "pl"]))
    };
    for table in &ruleset.tables {
        assert!(named(&table.names), "{}", table.id);
        for row in &table.rows {
            assert!(named(&row.names), "{} {}", table.id, row.id);
            assert_eq!(row.cells.len(), table.columns.len());
        }
    }
    for (what, id, names) in ruleset
        .places
        .iter()
        .map(|x| ("place", &x.id, &x.names))
        .chain(
            ruleset
                .counters
                .iter()
                .map(|x| ("counter", &x.id, &x.names)),
        )
        .chain(ruleset.markers.iter().map(|x| ("marker", &x.id, &x.names)))
        .chain(ruleset.phases.iter().map(|x| ("phase", &x.id, &x.names)))
        .chain(
            ruleset
                .phases
                .iter()
                .flat_map(|x| &x.steps)
                .map(|x| ("step", &x.id, &x.names)),
        )
        .chain(ruleset.moves.iter().map(|x| ("move", &x.name, &x.names)))
        .chain(
            ruleset
                .moves
                .iter()
                .flat_map(|x| &x.parameters)
                .map(|x| ("parameter", &x.name, &x.names)),
        )
        .chain(ruleset.endings.iter().map(|x| ("ending", &x.id, &x.names)))
        .chain(
            ruleset
                .score_lines
                .iter()
                .map(|x| ("score line", &x.id, &x.names)),
        )
    {
        assert!(named(names), "the {what} `{id}` has no name");
    }
    assert!(ruleset.clauses.iter().all(|clause| named(&clause.text)));

    // Whatever a match says is named in the glossary of the message, or in the ruleset.
    let (table, _) = world.table(5, 9).await;
    table.play(30, &mut Chooser::new(1)).await;
    let view = table.public_view().await.view.expect("a view");
    let glossary = view.glossary.clone().expect("a glossary").entries;
    let known = |kind: v1::NameKind, id: &str| {
        glossary
            .iter()
            .any(|entry| entry.kind() == kind && entry.id == id)
    };
    for place in &view.places {
        let name = &place.place.as_ref().expect("a place").name;
        assert!(
            known(v1::NameKind::Place, name) && known(v1::NameKind::Table, &place.table),
            "{name}"
        );
        for row in place.contents.iter().flat_map(|contents| &contents.counts) {
            assert!(known(v1::NameKind::Row, &row.row), "{}", row.row);
        }
    }
    let asked = v1::GetViewRequest::of(&table.name);
    let bare = table
        .call(0, asked)
        .await
        .expect("a view")
        .view
        .expect("a view");
    assert_eq!(bare.glossary, None);
}
