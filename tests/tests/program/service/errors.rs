//! Every wrong request gets its own typed answer, and changes nothing.

use referee::client::{Chooser, Chooses, localized, refusal, seat_name};
use referee::wire::v1;
use tonic::Code;

use super::world::{Table, World, create_request, expect, fields, metadata};

/// The seat asked, its decision, and the match as it is: to be compared afterwards.
pub struct Before {
    pub seat: usize,
    pub decision: v1::Decision,
    pub offers: Vec<v1::Offer>,
    views: Vec<Option<v1::View>>,
}

pub async fn before(table: &Table) -> Before {
    let (seat, decision, offers) = table.asked().await.expect("somebody is asked");
    Before {
        seat,
        decision,
        offers,
        views: views(table).await,
    }
}

async fn views(table: &Table) -> Vec<Option<v1::View>> {
    let mut views = Vec::new();
    for seat in 0..table.seats.len() {
        views.push(table.view(seat).await.view);
    }
    views
}

pub async fn unchanged(table: &Table, before: &Before) {
    assert_eq!(
        views(table).await,
        before.views,
        "a refused request changes nothing"
    );
    let (seat, decision, _) = table.asked().await.expect("somebody is asked");
    assert_eq!((seat, decision), (before.seat, before.decision.clone()));
}

pub fn argument(name: &str, kind: v1::value::Kind) -> v1::Argument {
    v1::Argument {
        name: name.into(),
        value: Some(v1::Value { kind: Some(kind) }),
    }
}

pub fn row(table: &str, row: &str) -> v1::value::Kind {
    v1::value::Kind::Row(v1::RowRef {
        table: table.into(),
        row: row.into(),
    })
}

pub fn choose(role: &str) -> v1::Move {
    v1::Move {
        name: "choose".into(),
        arguments: vec![argument("r", row("role", role))],
    }
}

pub fn submit(table: &Table, decision_id: &str, mv: v1::Move) -> v1::SubmitMoveRequest {
    v1::SubmitMoveRequest {
        decision_id: decision_id.into(),
        r#move: Some(mv),
        with_events: true,
        ..v1::SubmitMoveRequest::of(&table.name)
    }
}

#[tokio::test]
async fn a_move_against_the_rules_is_refused_with_its_clause_in_the_asked_language() {
    let world = World::new().await;
    let (table, _) = world.table(4, 1).await;
    // The governor takes the builder; a role that is taken cannot be taken again.
    let (seat, decision, _) = table.asked().await.expect("somebody is asked");
    table.seats[seat]
        .submit(&decision.decision_id, choose("builder"))
        .await
        .expect("it is free");
    let mut player = Chooser::new(5);
    while table.asked().await.expect("somebody is asked").1.step != "turn.choosing" {
        table.play(1, &mut player).await;
    }
    let before = before(&table).await;
    let seat = &table.seats[before.seat];
    let refused = submit(&table, &before.decision.decision_id, choose("builder"));
    let status = expect(seat.client().call(refused.clone()).await, "MOVE_REFUSED");
    let english = refusal(&status).expect("a refusal");
    let clause = english.clause.clone().expect("a clause");
    assert_eq!(english.reason(), v1::RefusalReason::Forbidden);
    assert_eq!(clause.id, "round.role-taken");
    let text = clause.text.clone().expect("its text");
    assert_eq!(status.message(), text.within("en"));
    let told = |language: &str| Some((language.to_owned(), text.within(language).to_owned()));
    assert_eq!(localized(&status), told("en"));
    assert!(!english.condition.is_empty() && !english.values.is_empty());
    for alternative in &english.alternatives {
        let check = v1::CheckMoveRequest {
            name: table.name.clone(),
            decision_id: before.decision.decision_id.clone(),
            r#move: Some(alternative.clone()),
            ..Default::default()
        };
        seat.client()
            .call(check)
            .await
            .expect("an alternative is legal");
    }
    assert!(!english.alternatives.is_empty());
    let polish = seat
        .client()
        .in_language("pl")
        .call(refused.clone())
        .await
        .expect_err("refused");
    assert_eq!(polish.message(), text.within("en"));
    assert_eq!(localized(&polish), told("pl"));
    assert_eq!(
        refusal(&polish),
        Some(english),
        "only the sentence changes with the language"
    );

    // Judging alone says the same.
    expect(seat.client().call(refused.check()).await, "MOVE_REFUSED");
    unchanged(&table, &before).await;
}

#[tokio::test]
async fn malformed_moves_name_the_field() {
    let world = World::new().await;
    let (table, _) = world.table(4, 1).await;
    let before = before(&table).await;
    let id = before.decision.decision_id.as_str();
    let client = table.seats[before.seat].client();
    let named = |name: &str| v1::Move {
        name: name.into(),
        ..choose("mayor")
    };
    let with = |arguments: Vec<v1::Argument>| v1::Move {
        name: "choose".into(),
        arguments,
    };
    let none = v1::Argument {
        name: "r".into(),
        value: None,
    };
    let seat = argument("r", v1::value::Kind::Seat(1));
    let zero = argument("r", v1::value::Kind::Seat(0));
    let huge = v1::Bag {
        table: "good".into(),
        counts: vec![v1::RowCount {
            row: "corn".into(),
            count: u32::MAX,
        }],
    };
    for (what, request, field) in [
        (
            "no move",
            v1::SubmitMoveRequest {
                r#move: None,
                ..submit(&table, id, choose("mayor"))
            },
            "move",
        ),
        ("no name", submit(&table, id, named("")), "move.name"),
        (
            "an unknown name",
            submit(&table, id, named("fly")),
            "move.name",
        ),
        (
            "another phase's name",
            submit(&table, id, named("load")),
            "move.name",
        ),
        (
            "no argument",
            submit(&table, id, with(vec![])),
            "move.arguments",
        ),
        (
            "an unknown argument",
            submit(&table, id, with(vec![argument("q", row("role", "mayor"))])),
            "move.arguments",
        ),
        (
            "an unknown row",
            submit(&table, id, choose("pirate")),
            "move.arguments",
        ),
        (
            "a row of another table",
            submit(&table, id, with(vec![argument("r", row("good", "corn"))])),
            "move.arguments",
        ),
        (
            "a value of another type",
            submit(&table, id, with(vec![seat])),
            "move.arguments",
        ),
        (
            "seat zero",
            submit(&table, id, with(vec![zero])),
            "move.arguments[0].value.seat",
        ),
        (
            "no value",
            submit(&table, id, with(vec![none])),
            "move.arguments[0].value",
        ),
        (
            "too many pieces",
            submit(
                &table,
                id,
                with(vec![argument("r", v1::value::Kind::Bag(huge))]),
            ),
            "move.arguments[0].value.bag.counts[0].count",
        ),
        (
            "no decision",
            submit(&table, "", choose("mayor")),
            "decision_id",
        ),
        (
            "no request id",
            v1::SubmitMoveRequest {
                request_id: String::new(),
                ..submit(&table, id, choose("mayor"))
            },
            "request_id",
        ),
        (
            "no UUID",
            v1::SubmitMoveRequest {
                request_id: "seven".into(),
                ..submit(&table, id, choose("mayor"))
            },
            "request_id",
        ),
    ] {
        let status = expect(client.call(request).await, "MALFORMED_REQUEST");
        assert_eq!(fields(&status), [field], "{what}");
    }
    unchanged(&table, &before).await;
}

#[tokio::test]
async fn a_stale_decision_is_aborted_and_names_the_one_that_waits() {
    let world = World::new().await;
    let (table, _) = world.table(4, 1).await;
    let (seat, old, offers) = table.asked().await.expect("somebody is asked");
    let mv = Chooser::new(1).choose(&old, &offers);
    table.seats[seat]
        .submit(&old.decision_id, mv.clone())
        .await
        .expect("legal");
    let before = before(&table).await;
    for asked in 0..4 {
        for decision in [old.decision_id.as_str(), "d_forged", "?"] {
            let request = submit(&table, decision, mv.clone());
            let status = expect(table.call(asked, request).await, "DECISION_SUPERSEDED");
            let expected = if asked == before.seat {
                before.decision.decision_id.as_str()
            } else {
                ""
            };
            assert_eq!(metadata(&status, "decision_id"), expected);
        }
        // What another seat is asked is not this seat's business.
        if asked != before.seat {
            let request = submit(&table, &before.decision.decision_id, mv.clone());
            expect(table.call(asked, request).await, "DECISION_SUPERSEDED");
        }
    }
    unchanged(&table, &before).await;
}

#[tokio::test]
async fn a_request_id_is_answered_once_and_alike() {
    let world = World::new().await;
    let (table, _) = world.table(4, 1).await;
    let (seat, decision, offers) = table.asked().await.expect("somebody is asked");
    let mv = Chooser::new(1).choose(&decision, &offers);
    let request = submit(&table, &decision.decision_id, mv);
    let client = table.seats[seat].client();
    let first = client.call(request.clone()).await.expect("legal");
    assert!(!first.events.is_empty() && !first.replayed);
    let events = |response: &v1::SubmitMoveResponse| response.events.clone();

    let again = client.call(request.clone()).await.expect("the same");
    assert!(again.replayed);
    assert_eq!(events(&again), events(&first));
    // Also when the match has moved on, and in another spelling of the same id.
    table.play(5, &mut Chooser::new(2)).await;
    let shouted = v1::SubmitMoveRequest {
        request_id: request.request_id.to_uppercase(),
        ..request.clone()
    };
    let late = client.call(shouted).await.expect("the same");
    assert_eq!((events(&late), late.replayed), (events(&first), true));

    let before = before(&table).await;
    let other = v1::SubmitMoveRequest {
        r#move: Some(choose("no such role")),
        ..request.clone()
    };
    expect(client.call(other).await, "REQUEST_ID_REUSED");
    // Another seat's ids are its own.
    let theirs = v1::SubmitMoveRequest {
        decision_id: before.decision.decision_id.clone(),
        ..request
    };
    let theirs = v1::SubmitMoveRequest {
        r#move: Some(complete(&before.offers[0])),
        ..theirs
    };
    if before.seat != seat {
        let made = table.call(before.seat, theirs).await.expect("legal");
        assert!(!made.replayed);
    }
}

fn complete(offer: &v1::Offer) -> v1::Move {
    referee::client::complete(offer, |_| 0)
}

#[tokio::test]
async fn judging_alone_changes_nothing_and_uses_no_id_up() {
    let world = World::new().await;
    let (table, _) = world.table(4, 1).await;
    let before = before(&table).await;
    let request = submit(
        &table,
        &before.decision.decision_id,
        complete(&before.offers[0]),
    );
    let client = table.seats[before.seat].client();
    client.call(request.check()).await.expect("legal");
    unchanged(&table, &before).await;
    assert!(!client.call(request).await.expect("legal").replayed);
}

#[tokio::test]
async fn tokens_open_their_own_seat_and_nothing_else() {
    let world = World::new().await;
    let (table, tokens) = world.table(3, 1).await;
    let (other, other_tokens) = world.table(3, 2).await;
    let view = |name: &str| v1::GetViewRequest::of(name);
    let get = |name: &str| v1::GetMatchRequest { name: name.into() };
    let absent = format!("matches/{}", "0".repeat(32));

    let nobody = world.client();
    expect(nobody.call(view(&table.name)).await, "TOKEN_INVALID");
    expect(nobody.call(get(&table.name)).await, "TOKEN_INVALID");
    for bad in [
        "rfs_",
        "rfs_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "",
        &"x".repeat(4000),
        &tokens[0][4..],
    ] {
        let stranger = world.client().with_token(bad);
        expect(stranger.call(view(&table.name)).await, "TOKEN_INVALID");
        expect(stranger.call(get(&absent)).await, "TOKEN_INVALID");
    }

    // Another match and no match at all look alike, to the byte.
    let seat = world.client().with_token(&other_tokens[0]);
    let foreign = expect(seat.call(view(&table.name)).await, "NOT_FOUND");
    let missing = expect(seat.call(view(&absent)).await, "NOT_FOUND");
    assert_eq!(
        (foreign.message(), foreign.details()),
        (missing.message(), missing.details())
    );
    expect(seat.call(get(&table.name)).await, "NOT_FOUND");
    seat.call(view(&other.name)).await.expect("its own");
    expect(seat.call(view("matches/no-id")).await, "MALFORMED_REQUEST");

    // Each service has one kind of caller.
    expect(
        world.host().call(view(&table.name)).await,
        "TOKEN_KIND_WRONG",
    );
    let create = create_request(3, 1);
    expect(seat.call(create.clone()).await, "TOKEN_KIND_WRONG");
    expect(nobody.call(create).await, "TOKEN_INVALID");
    let start = v1::StartMatchRequest::of(&other.name);
    expect(seat.call(start).await, "TOKEN_KIND_WRONG");
    let public = v1::GetPublicViewRequest::of(&other.name);
    expect(seat.call(public).await, "TOKEN_KIND_WRONG");
    expect(world.host().call(get(&absent)).await, "NOT_FOUND");

    // Claim codes are no tokens, and tokens no claim codes.
    let code = world
        .client()
        .with_token(&table.created.claim_codes[0].code);
    expect(code.call(view(&table.name)).await, "TOKEN_INVALID");
}

#[tokio::test]
async fn a_match_that_has_not_started_says_so() {
    let world = World::new().await;
    let created = world.create(3, 1).await;
    let name = created.r#match.expect("a match").name;
    let claim = super::world::claim_request(&created.claim_codes[0]);
    let token = world
        .client()
        .call(claim)
        .await
        .expect("claimed")
        .seat_token;
    let seat = world.client().with_token(&token);
    let view = v1::GetViewRequest::of(&name);
    expect(seat.call(view).await, "MATCH_NOT_STARTED");
    let decisions = v1::ListDecisionsRequest::of(&name);
    expect(seat.call(decisions).await, "MATCH_NOT_STARTED");
    let submit = v1::SubmitMoveRequest {
        decision_id: "d_x".into(),
        r#move: Some(choose("mayor")),
        ..v1::SubmitMoveRequest::of(&name)
    };
    expect(seat.call(submit).await, "MATCH_NOT_STARTED");
    let unknown = v1::ClaimSeatRequest {
        name: seat_name(&name, 9),
        ..super::world::claim_request(&created.claim_codes[1])
    };
    expect(world.client().call(unknown).await, "CLAIM_CODE_INVALID");
    let zero = v1::ClaimSeatRequest {
        name: seat_name(&name, 0),
        ..super::world::claim_request(&created.claim_codes[1])
    };
    expect(world.client().call(zero).await, "MALFORMED_REQUEST");
}

#[tokio::test]
async fn wrong_configurations_name_every_field() {
    let world = World::new().await;
    let create = |ruleset: &str, configuration: v1::Configuration| v1::CreateMatchRequest {
        ruleset: ruleset.into(),
        configuration: Some(configuration),
        ..create_request(4, 1)
    };
    let wrong = v1::Configuration {
        players: 9,
        modules: vec!["volcano".into()],
        options: vec![v1::OptionSetting {
            option: "every_building_once".into(),
            value: 7,
        }],
    };
    let status = expect(
        world
            .host()
            .call(create("rulesets/puerto-rico", wrong))
            .await,
        "CONFIGURATION_INVALID",
    );
    assert_eq!(
        fields(&status),
        [
            "configuration.players",
            "configuration.modules[0]",
            "configuration.options[0].value"
        ]
    );

    // What a module needs beside itself is named.
    let alone = v1::Configuration {
        players: 2,
        modules: vec!["duel".into()],
        ..Default::default()
    };
    let status = expect(
        world
            .host()
            .call(create("rulesets/catan-rivals", alone))
            .await,
        "RULESET_NOT_PLAYABLE",
    );
    assert!(
        status.message().contains("`duel` requires `era-of-gold`"),
        "{}",
        status.message()
    );

    let four = || v1::Configuration {
        players: 4,
        ..Default::default()
    };
    let revision = format!("rulesets/puerto-rico/revisions/{}", "0".repeat(64));
    for absent in ["rulesets/ludo", revision.as_str()] {
        expect(world.host().call(create(absent, four())).await, "NOT_FOUND");
    }
    for malformed in [
        "",
        "puerto-rico",
        "rulesets/",
        "rulesets/puerto-rico/revisions/xyz",
        "rulesets/a/b",
    ] {
        expect(
            world.host().call(create(malformed, four())).await,
            "MALFORMED_REQUEST",
        );
    }
    let short = v1::CreateMatchRequest {
        test_seed: vec![1, 2, 3],
        ..create_request(4, 1)
    };
    expect(world.host().call(short).await, "MALFORMED_REQUEST");
    let negative = v1::ListMatchesRequest {
        page_size: -1,
        ..Default::default()
    };
    expect(world.host().call(negative).await, "MALFORMED_REQUEST");
}

#[tokio::test]
async fn an_oversized_request_is_refused_before_it_is_read() {
    let world = World::new().await;
    let (table, _) = world.table(3, 1).await;
    let before = before(&table).await;
    let big = v1::Move {
        name: "x".repeat(1 << 20),
        ..Default::default()
    };
    let request = submit(&table, &before.decision.decision_id, big);
    let status = table
        .call(before.seat, request)
        .await
        .expect_err("too large");
    assert_eq!(status.code(), Code::InvalidArgument, "{status:?}");
    unchanged(&table, &before).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_many_racing_answers_wins() {
    let world = World::new().await;
    let (table, _) = world.table(4, 1).await;
    let (seat, decision, offers) = table.asked().await.expect("somebody is asked");
    let mut racers = Vec::new();
    for i in 0..16 {
        let seat = table.seats[seat].clone();
        let (decision, offer) = (
            decision.decision_id.clone(),
            offers[i % offers.len()].clone(),
        );
        racers.push(tokio::spawn(async move {
            seat.submit(&decision, complete(&offer)).await
        }));
    }
    let mut won = 0;
    for racer in racers {
        match racer.await.expect("no panic") {
            Ok(_) => won += 1,
            late => {
                expect(late, "DECISION_SUPERSEDED");
            }
        }
    }
    assert_eq!(won, 1);
}
