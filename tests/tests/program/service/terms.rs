//! What a match is created with beside what is played: clocks with a bank, taking back alone, who may watch, labels.

use std::collections::BTreeMap;
use std::time::Duration;

use referee::client::{Chooser, Chooses as _};
use referee::wire::convert::of_seconds;
use referee::wire::v1::{
    self, LobbyKind, MatchState, event, table_changed, watch_match_response::Item,
};

use super::world::{Table, World, create_of, create_request, expect, fields, metadata};

fn labelled(labels: &[(&str, &str)]) -> BTreeMap<String, String> {
    let labels = labels.iter();
    labels
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_match_was_created_with_is_told_and_outlives_a_restart() {
    let mut world = World::new().await;
    let labels = labelled(&[("league/round", "3"), ("table", "Ż 7")]);
    let create = v1::CreateMatchRequest {
        question_time: Some(of_seconds(60)),
        time_bank: Some(of_seconds(600)),
        time_increment: Some(of_seconds(5)),
        take_back: true,
        public: true,
        labels: labels.clone(),
        open_seats: vec![1],
        ..create_request(3, 7)
    };
    let created = world.host().call(create).await.expect("a match");
    let name = created.r#match.expect("a match").name;
    for again in [false, true] {
        if again {
            world.restart().await;
        }
        let told = world.get(&name).await;
        assert_eq!(told.time_bank, Some(of_seconds(600)));
        assert_eq!(told.time_increment, Some(of_seconds(5)));
        assert!(told.take_back && told.public);
        assert_eq!(told.labels, labels);
        assert_eq!(told.clocks, [], "nobody's clock runs in the lobby");
        let listed = |labels: BTreeMap<String, String>| {
            let client = world.client().clone();
            async move {
                let asked = v1::ListLobbiesRequest {
                    labels,
                    ..Default::default()
                };
                client.call(asked).await.expect("a list").lobbies
            }
        };
        let all = listed(BTreeMap::new()).await;
        assert_eq!((all.len(), &all[0].labels), (1, &labels));
        assert_eq!(all[0].state(), MatchState::Lobby);
        assert_eq!(listed(labelled(&[("table", "Ż 7")])).await.len(), 1);
        assert_eq!(listed(labelled(&[("table", "8")])).await.len(), 0);
        assert_eq!(listed(labelled(&[("other", "")])).await.len(), 0);
    }
    let many: Vec<(String, String)> = (0..17).map(|n| (format!("k{n}"), String::new())).collect();
    let long = "x".repeat(256);
    for labels in [
        labelled(&[("", "x")]),
        labelled(&[("Capital", "x")]),
        labelled(&[("key", &long)]),
        labelled(&[("key", "two\nlines")]),
        many.into_iter().collect(),
    ] {
        let create = v1::CreateMatchRequest {
            labels,
            ..create_request(3, 7)
        };
        let refused = expect(world.host().call(create).await, "MALFORMED_REQUEST");
        assert!(fields(&refused)[0].starts_with("labels"), "{refused:?}");
    }
    let create = v1::CreateMatchRequest {
        time_bank: Some(of_seconds(600)),
        ..create_request(3, 7)
    };
    let refused = expect(world.host().call(create).await, "MALFORMED_REQUEST");
    assert_eq!(fields(&refused), ["time_bank"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn anybody_watches_a_public_match_and_no_other() {
    let world = World::new().await;
    let (secret, _) = world.begin(create_of("san-juan", 2, 7)).await;
    let create = v1::CreateMatchRequest {
        public: true,
        ..create_of("san-juan", 2, 7)
    };
    let (table, _) = world.begin(create).await;
    let anybody = world.client();
    let view = anybody
        .call(v1::GetPublicViewRequest::of(&table.name))
        .await;
    let view = view.expect("a view").view.expect("a view");
    let mut known = table.public_view().await.view.expect("a view");
    known.glossary = None;
    assert_eq!(view, known);
    let told = anybody.call(v1::GetMatchRequest::of(&table.name)).await;
    assert_eq!(told.expect("a match").r#match, Some(table.get().await));
    let watch = v1::WatchPublicMatchRequest::of(&table.name);
    let mut stream = anybody.call(watch).await.expect("a stream");
    assert!(stream.message().await.expect("a message").is_some());
    let public = v1::ListLobbiesRequest {
        kind: LobbyKind::Public.into(),
        ..Default::default()
    };
    let listed = anybody.call(public).await.expect("a list").lobbies;
    let names: Vec<&str> = listed.iter().map(|lobby| &lobby.name[..]).collect();
    assert_eq!(names, [&table.name]);
    assert_eq!(listed[0].state(), MatchState::Running);
    // Of another match nothing is told, not even that it is there.
    let (rest, last) = secret.name.split_at(secret.name.len() - 1);
    let nothing = format!("{rest}{}", if last == "a" { "b" } else { "a" });
    for name in [&secret.name[..], &nothing] {
        let view = anybody.call(v1::GetPublicViewRequest::of(name)).await;
        expect(view, "TOKEN_INVALID");
        let told = anybody.call(v1::GetMatchRequest::of(name)).await;
        expect(told, "TOKEN_INVALID");
        let watch = v1::WatchPublicMatchRequest::of(name);
        expect(anybody.call(watch).await, "TOKEN_INVALID");
    }
    // A seat keeps its own eyes.
    let seat = table.seats[0].client();
    let view = seat.call(v1::GetPublicViewRequest::of(&table.name)).await;
    expect(view, "TOKEN_KIND_WRONG");
}

#[tokio::test]
async fn a_bot_has_the_name_that_its_host_gave_it() {
    let mut world = World::new().await;
    let created = world.create(3, 7).await;
    let seat = created.claim_codes[2].name.clone();
    let put = v1::SeatBotRequest {
        bot: v1::BotKind::Greedy.into(),
        display_name: "Automa".into(),
        ..v1::SeatBotRequest::of(&seat)
    };
    let put = world.host().call(put).await.expect("a bot");
    let name = put.r#match.expect("a match").name;
    for _ in 0..2 {
        assert_eq!(world.get(&name).await.seats[2].display_name, "Automa");
        world.restart().await;
    }
    let put = v1::SeatBotRequest {
        bot: v1::BotKind::Greedy.into(),
        display_name: "two\nlines".into(),
        ..v1::SeatBotRequest::of(&seat)
    };
    let refused = expect(world.host().call(put).await, "MALFORMED_REQUEST");
    assert_eq!(fields(&refused), ["display_name"]);
}

fn milliseconds(of: &Option<prost_types::Duration>) -> i64 {
    let of = of.unwrap_or_default();
    of.seconds * 1000 + i64::from(of.nanos) / 1_000_000
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bank_is_used_when_a_question_takes_longer_and_grows_with_every_answer() {
    let world = World::new().await;
    let create = v1::CreateMatchRequest {
        question_time: Some(of_seconds(1)),
        time_bank: Some(of_seconds(100)),
        time_increment: Some(of_seconds(7)),
        ..create_of("san-juan", 2, 7)
    };
    let (table, _) = world.begin(create).await;
    let mut watching = table.seats[1]
        .client()
        .call(v1::WatchMatchRequest::of(&table.name).from_now())
        .await
        .expect("a stream");
    let first = watching
        .message()
        .await
        .expect("it goes on")
        .expect("a message");
    assert!(matches!(first.item, Some(Item::Snapshot(_))));
    let clocks = first.clocks;
    assert_eq!(clocks, table.get().await.clocks);
    let (seat, decision, offers) = table.asked().await.expect("a question");
    for clock in &clocks {
        assert_eq!(milliseconds(&clock.bank), 100_000);
        let asked = clock.seat as usize == seat + 1;
        assert_eq!(clock.deadline.is_some(), asked, "{clock:?}");
        if asked {
            assert_eq!(clock.deadline, decision.deadline);
        }
    }
    // Longer than the time for a question: no timeout, the bank pays.
    tokio::time::sleep(Duration::from_millis(1500)).await;
    let mv = Chooser::new(1).choose(&decision, &offers);
    table.seats[seat]
        .submit(&decision.decision_id, mv)
        .await
        .expect("there is time left");
    let now = table.get().await.clocks;
    let bank = milliseconds(&now[seat].bank);
    assert!((100_000..106_600).contains(&bank), "{bank}");
    assert_eq!(milliseconds(&now[1 - seat].bank), 100_000);
    let told = loop {
        let message = watching
            .message()
            .await
            .expect("it goes on")
            .expect("a message");
        if !message.clocks.is_empty() {
            break message.clocks;
        }
    };
    assert_eq!(told, now, "watchers are told how time stands");
}

fn undone(table: &[v1::Event]) -> usize {
    let undone = |event: &&v1::Event| {
        let Some(event::Kind::TableChanged(changed)) = &event.kind else {
            return false;
        };
        matches!(changed.kind, Some(table_changed::Kind::MovesUndone(_)))
    };
    table.iter().filter(undone).count()
}

async fn take_back(table: &Table, seat: usize) -> Result<v1::TakeBackResponse, tonic::Status> {
    let client = table.seats[seat].client();
    client.call(v1::TakeBackRequest::of(&table.name)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_player_takes_the_last_move_back_where_that_is_allowed_and_nothing_was_shown() {
    let mut world = World::new().await;
    let (other, _) = world.table(3, 7).await;
    let refused = expect(take_back(&other, 0).await, "UNDO_IMPOSSIBLE");
    assert!(
        metadata(&refused, "why").contains("by consent"),
        "{refused:?}"
    );
    let create = v1::CreateMatchRequest {
        take_back: true,
        ..create_request(3, 7)
    };
    let (mut table, tokens) = world.begin(create).await;
    expect(take_back(&table, 0).await, "UNDO_IMPOSSIBLE");
    let mut player = Chooser::new(3);
    let (mut taken, mut kept) = (0, 0);
    for _ in 0..40 {
        let before = table.view(0).await.view.expect("a view");
        let (seat, submit) = table.next_move(&mut player).await;
        table.call(seat, submit.clone()).await.expect("legal");
        let somebody = (seat + 1) % 3;
        expect(take_back(&table, somebody).await, "UNDO_IMPOSSIBLE");
        match take_back(&table, seat).await {
            Ok(done) => {
                assert!(!done.replayed);
                taken += 1;
                let mut after = table.view(0).await.view.expect("a view");
                after.event_count = before.event_count;
                assert_eq!(after, before, "the table is as it was");
                let (_, again) = table.next_move(&mut player).await;
                table.call(seat, again).await.expect("legal");
            }
            Err(refused) => {
                expect(Err::<(), _>(refused), "UNDO_IMPOSSIBLE");
                kept += 1;
            }
        }
        if taken >= 3 && kept >= 1 {
            break;
        }
    }
    assert!(taken >= 3, "{taken} {kept}");
    assert_eq!(undone(&table.events(1).await), taken, "everybody is told");
    let view = table.view(2).await.view;
    world.restart().await;
    world.rejoin(&mut table, &tokens);
    assert_eq!(table.view(2).await.view, view);
}

#[tokio::test]
async fn a_view_has_what_would_be_scored_by_what_everybody_sees() {
    let world = World::new().await;
    let (table, _) = world.table(3, 7).await;
    table.play(30, &mut Chooser::new(3)).await;
    let view = table.view(0).await.view.expect("a view");
    let seats: Vec<u32> = view.scores.iter().map(|sheet| sheet.seat).collect();
    assert_eq!(seats, [1, 2, 3]);
    for sheet in &view.scores {
        let names: Vec<&str> = sheet.lines.iter().map(|line| &line.name[..]).collect();
        assert!(names.contains(&"buildings"), "{names:?}");
        assert!(!names.contains(&"chips"), "chips lie face down");
        let sum: i64 = sheet.lines.iter().map(|line| line.points).sum();
        assert_eq!(sum, sheet.total);
    }
    assert_eq!(
        table.public_view().await.view.expect("a view").scores,
        view.scores
    );
}
