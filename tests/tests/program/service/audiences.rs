//! Nobody learns what their player would not see at the table.

use interpreter::play::{Audience, Match, Seed};
use referee::client::{Chooser, Chooses, request_id};
use referee::wire::v1::{self, event::Kind, watch_match_response::Item};
use tonic::Status;

use super::world::{Table, World, create_request, timeless};

/// Whether a place belongs to this seat, by its first index.
fn owner(place: &v1::PlaceRef) -> Option<u32> {
    place.index.iter().find_map(|value| match value.kind {
        Some(v1::value::Kind::Seat(seat)) => Some(seat),
        _ => None,
    })
}

/// The victory points of others and the order of face-down tiles are secret in Puerto Rico.
fn assert_shows_no_secret(view: &v1::View, seat: u32) {
    let mut secrets = 0;
    for place in &view.places {
        let at = place.place.as_ref().expect("a place");
        if at.name == "points" {
            let own = owner(at) == Some(seat);
            assert_eq!(place.size.is_some(), own, "seat {seat} and {at:?}");
            assert_eq!(place.contents.is_some(), own);
            secrets += 1;
        }
        if at.name == "stack" {
            assert!(
                place.contents.is_none() && place.size.is_some(),
                "{place:?}"
            );
            secrets += 1;
        }
    }
    for counter in &view.counters {
        let at = counter.counter.as_ref().expect("a counter");
        if at.name == "noted" {
            assert_eq!(counter.value.is_some(), owner(at) == Some(seat));
            secrets += 1;
        }
    }
    assert!(secrets > 4, "the ruleset keeps these secret");
}

#[tokio::test(flavor = "multi_thread")]
async fn views_hide_what_is_others_and_spectators_see_nobodys() {
    let world = World::new().await;
    let (table, _) = world.table(4, 5).await;
    let mut player = Chooser::new(3);
    for _ in 0..12 {
        if !table.play(30, &mut player).await {
            break;
        }
        for seat in 0..4 {
            assert_shows_no_secret(
                &table.view(seat).await.view.expect("a view"),
                seat as u32 + 1,
            );
        }
        assert_shows_no_secret(&table.public_view().await.view.expect("a view"), 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_watchers_of_one_match_see_it_each_with_their_own_eyes() {
    let world = World::new().await;
    let (table, _) = world.table(3, 5).await;
    let mut streams = Vec::new();
    for seat in &table.seats[..2] {
        let watch = v1::WatchMatchRequest::of(&table.name);
        let mut stream = seat.client().call(watch).await.expect("a stream");
        streams.push(tokio::spawn(async move {
            let mut events = Vec::new();
            while let Some(message) = stream.message().await.expect("a message") {
                if let Some(Item::Events(batch)) = message.item {
                    events.extend(batch);
                }
            }
            events
        }));
    }
    let mut player = Chooser::new(3);
    while table.play(1, &mut player).await {}
    let mut seen = Vec::new();
    for stream in streams {
        seen.push(stream.await.expect("no panic"));
    }
    for (i, events) in seen.iter().enumerate() {
        let seat = i as u32 + 1;
        assert_eq!(events, &table.events(i).await);
        let mut secrets = 0;
        for event in events {
            if let Some(Kind::CounterChanged(change)) = &event.kind {
                let counter = change.counter.as_ref().expect("a counter");
                if counter.name == "noted" {
                    assert_eq!(
                        change.after.is_some(),
                        owner(counter) == Some(seat),
                        "seat {seat}: {change:?}"
                    );
                    secrets += 1;
                }
            }
            if let Some(Kind::PileShuffled(shuffled)) = &event.kind {
                assert!(shuffled.size > 0);
                secrets += 1;
            }
        }
        assert!(secrets > 0, "something was secret");
    }
}

/// Everything that every audience can ask, answered. Errors are answers, too.
#[derive(Debug, PartialEq)]
struct Answers(Vec<String>);

impl Answers {
    fn add<T: std::fmt::Debug>(&mut self, what: &str, answer: Result<T, Status>, table: &Table) {
        let text = match answer {
            Ok(answer) => format!("{what}: {answer:?}"),
            Err(status) => format!(
                "{what}: {:?} {} {:?}",
                status.code(),
                status.message(),
                status.details()
            ),
        };
        self.0.push(text.replace(&table.name, "matches/X"));
    }
}

/// Decision ids are keyed by the match, resume tokens are sealed anew each time: blanked.
fn blank(view: v1::GetViewResponse) -> Option<v1::View> {
    view.view
}

async fn ask_everything(table: &Table, seats: usize) -> Answers {
    let mut answers = Answers(Vec::new());
    answers.add("public", Ok(table.public_view().await.view), table);
    let hands = v1::GetAllHandsRequest::of(&table.name);
    let hands = table.host.call(hands).await;
    let hands = hands.map(|hands| hands.view);
    answers.add("all hands", hands, table);
    for i in 0..seats {
        let seat = &table.seats[i];
        let client = seat.client();
        answers.add("view", Ok(blank(table.view(i).await)), table);
        let events = table.events(i).await.into_iter();
        let events: Vec<v1::Event> = events.map(timeless).collect();
        answers.add("events", Ok(events), table);
        let decision = seat.decision().await.expect("an answer");
        let id = decision
            .as_ref()
            .map_or(String::new(), |(decision, _)| decision.decision_id.clone());
        let offers = decision.map(|(decision, offers)| (decision.step, decision.clause, offers));
        answers.add("decision", Ok(offers), table);
        let chain = v1::SubmitMoveRequest {
            further_moves: vec![super::errors::choose("mayor"); 2],
            ..super::errors::submit(table, &id, super::errors::choose("builder"))
        };
        let chain = client.call(chain.check()).await;
        answers.add("chain", chain, table);
        let wanted = v1::ListMovesRequest {
            name: table.name.clone(),
            decision_id: id.clone(),
            move_name: "take".into(),
            ..Default::default()
        };
        let wanted = client.call(wanted).await;
        answers.add("wanted", wanted.map(|page| page.offers), table);
        let proof = v1::GetProofRequest::of(&table.name);
        let proof = seat.client().call(proof).await;
        answers.add("proof", proof, table);
        // Probing: every role, every building, every tile, as every kind of move, legal or not.
        for (name, parameter, of, rows) in [
            (
                "choose",
                "r",
                "role",
                &["settler", "mayor", "builder", "captain", "trader"][..],
            ),
            (
                "take",
                "t",
                "tile",
                &[
                    "quarry",
                    "corn_plantation",
                    "coffee_plantation",
                    "indigo_plantation",
                ][..],
            ),
            (
                "build",
                "b",
                "building",
                &["small_market", "harbor", "guild_hall"][..],
            ),
        ] {
            for row in rows {
                let value = v1::Value {
                    kind: Some(v1::value::Kind::Row(v1::RowRef {
                        table: of.into(),
                        row: (*row).into(),
                    })),
                };
                let argument = v1::Argument {
                    name: parameter.into(),
                    value: Some(value),
                };
                let check = v1::CheckMoveRequest {
                    name: table.name.clone(),
                    decision_id: if id.is_empty() {
                        "d_none".into()
                    } else {
                        id.clone()
                    },
                    r#move: Some(v1::Move {
                        name: name.into(),
                        arguments: vec![argument],
                    }),
                    ..Default::default()
                };
                let checked = client.call(check).await;
                answers.add("check", checked, table);
            }
        }
        let contribute = v1::ContributeEntropyRequest {
            entropy: vec![7; 32],
            ..v1::ContributeEntropyRequest::of(&table.name)
        };
        let contributed = client.call(contribute).await;
        assert!(contributed.is_err(), "the match has started");
        answers.add("contribute", contributed, table);
        let get = v1::GetMatchRequest::of(&table.name);
        let mut described = seat
            .client()
            .call(get)
            .await
            .expect("it")
            .r#match
            .expect("it");
        described.create_time = None;
        described.start_time = None;
        // The promise is of the seed itself: 256 bits that nobody can find from it.
        described.seed_commitment.clear();
        answers.add("match", Ok(described), table);
    }
    answers
}

/// Two seeds whose deals look alike to everybody, although the face-down tiles lie in another order.
fn twins(players: u8) -> (u64, u64) {
    let ruleset = referee_tests::ruleset("puerto-rico", players);
    let mut seen: Vec<(u64, String, String)> = Vec::new();
    for seed in 0..2000 {
        let game = Match::new(ruleset.clone(), Seed::from_number(seed), false).expect("it begins");
        let public = format!(
            "{:?}{:?}",
            game.view(Audience::Spectator),
            game.events(Audience::Spectator, 0)
        );
        let hidden = format!("{:?}", game.view(Audience::Referee));
        let twin = seen.iter().find(|(_, p, h)| *p == public && *h != hidden);
        if let Some((other, _, _)) = twin {
            return (*other, seed);
        }
        seen.push((seed, public, hidden));
    }
    panic!("no two deals look alike");
}

/// The swap test: what differs between the two matches is what nobody can see, so no answer to
/// anybody may differ, until the rules turn a hidden tile up.
#[tokio::test(flavor = "multi_thread")]
async fn no_answer_depends_on_what_nobody_can_see() {
    swapped(None).await;
}

/// The same where spectators are behind the table.
#[tokio::test(flavor = "multi_thread")]
async fn no_answer_depends_on_what_nobody_can_see_behind_the_table_either() {
    let delay = v1::spectator_delay::Delay::Moves(1);
    swapped(Some(v1::SpectatorDelay { delay: Some(delay) })).await;
}

async fn swapped(spectator_delay: Option<v1::SpectatorDelay>) {
    let world = World::new().await;
    let (one, two) = twins(3);
    let create = async |seed| {
        let create = v1::CreateMatchRequest {
            spectator_delay,
            ..create_request(3, seed)
        };
        world.begin(create).await.0
    };
    let (left, right) = (create(one).await, create(two).await);
    // Spectators see all hands, and still not what nobody sees.
    for table in [&left, &right] {
        table.agree(v1::ProposalKind::ShowHands, 0).await;
    }
    let mut player = Chooser::new(8);
    let mut compared = 0;
    loop {
        let (a, b) = (
            ask_everything(&left, 3).await,
            ask_everything(&right, 3).await,
        );
        for (a, b) in a.0.iter().zip(&b.0) {
            assert_eq!(a, b);
        }
        compared += 1;
        let (seat, decision, offers) = left.asked().await.expect("somebody is asked");
        let (seat_right, decision_right, _) = right.asked().await.expect("somebody is asked");
        assert_eq!(seat, seat_right);
        let mv = player.choose(&decision, &offers);
        // The settler's end turns new tiles up; from then on the matches may differ.
        let turned = |events: &[v1::Event]| {
            events.iter().any(|event| {
                matches!(&event.kind, Some(Kind::PiecesMoved(moved)) if moved.source.as_ref().is_some_and(|p| p.name == "stack"))
            })
        };
        let submit = super::errors::submit;
        let made = submit(&left, &decision.decision_id, mv.clone());
        let made = left.call(seat, made).await.expect("legal");
        let made_right = submit(&right, &decision_right.decision_id, mv);
        let made_right = right.call(seat, made_right).await.expect("legal");
        assert!(!made.events.is_empty());
        if turned(&made.events) {
            assert!(turned(&made_right.events));
            break;
        }
        let [made, made_right] = [made, made_right].map(|made| {
            let events = made.events.into_iter().map(timeless);
            events.collect::<Vec<_>>()
        });
        assert_eq!(made, made_right);
    }
    assert!(compared >= 2, "too little was compared: {compared}");
}

/// The check can fail: what the referee itself sees of the two deals is different.
#[test]
fn the_twins_differ_in_what_is_hidden() {
    let (one, two) = twins(3);
    let ruleset = referee_tests::ruleset("puerto-rico", 3);
    let hidden = |seed| {
        Match::new(ruleset.clone(), Seed::from_number(seed), false)
            .expect("it")
            .view(Audience::Referee)
    };
    assert_ne!(hidden(one), hidden(two));
}

#[tokio::test]
async fn without_testing_nobody_chooses_the_seed() {
    use referee::server::{Config, StoreChoice, start};
    let library = referee_tests::library();
    let address = ([127, 0, 0, 1], 0).into();
    let config = Config::new(address, StoreChoice::Memory, library);
    let running = start(config).await.expect("it starts");
    let client = referee::client::Client::connect(&running.url())
        .await
        .expect("it listens");
    let host = client.with_token(running.host_token());
    let chosen = host.call(create_request(3, 1)).await;
    super::world::expect(chosen, "MALFORMED_REQUEST");
    let drawn = v1::CreateMatchRequest {
        test_seed: Vec::new(),
        request_id: request_id(),
        ..create_request(3, 1)
    };
    host.call(drawn).await.expect("a drawn seed");
    running.stop().await;
}
