//! A referee that is killed again and again: nothing that it acknowledged is lost, nothing is made twice,
//! streams go on where they stopped.
//!
//! `REFEREE_KILLS=1000 cargo test --release -p referee --test kills` is the soak; the gate takes a hundred.

mod serving;

use std::time::Duration;

use referee::client::{Chooser, Chooses, Client, SeatClient, request_id};
use referee::wire::v1::{self, MoveOrigin, event, watch_match_response::Item};
use serving::Server;
use tonic::Code;

/// What is known of a match from outside.
struct Known {
    name: String,
    tokens: Vec<String>,
    /// Moves that were acknowledged.
    made: usize,
    /// A move whose fate is not known: whose, and the request.
    open: Option<(usize, v1::SubmitMoveRequest)>,
    /// What a watcher of the first seat has seen, and where it goes on.
    seen: Vec<v1::Event>,
    resume: String,
}

async fn begin(server: &Server, seed: u64) -> Known {
    let client = server.client().await;
    let host = client.with_token(&server.host);
    let create = v1::CreateMatchRequest {
        ruleset: "rulesets/puerto-rico".into(),
        configuration: Some(v1::Configuration {
            players: 3,
            ..Default::default()
        }),
        test_seed: [u8::try_from(seed % 251).expect("small"); 32].to_vec(),
        request_id: request_id(),
        ..Default::default()
    };
    let created = host
        .matches()
        .create_match(create)
        .await
        .expect("a match")
        .into_inner();
    let name = created.r#match.expect("a match").name;
    let mut tokens = Vec::new();
    for code in created.claim_codes {
        let claim = v1::ClaimSeatRequest {
            name: name.clone(),
            seat: code.seat,
            claim_code: code.code,
            display_name: "x".into(),
            request_id: request_id(),
        };
        let claimed = client.matches().claim_seat(claim).await.expect("a seat");
        tokens.push(claimed.into_inner().seat_token);
    }
    let start = v1::StartMatchRequest {
        name: name.clone(),
        request_id: request_id(),
    };
    host.matches().start_match(start).await.expect("it starts");
    Known {
        name,
        tokens,
        made: 0,
        open: None,
        seen: Vec::new(),
        resume: String::new(),
    }
}

/// Plays on until the referee is gone, or the match over; says whether it is over.
async fn play(client: &Client, known: &mut Known, player: &mut Chooser) -> bool {
    let seats: Vec<SeatClient> = known
        .tokens
        .iter()
        .map(|token| SeatClient::new(client.with_token(token), known.name.as_str()))
        .collect();
    if let Some((seat, request)) = known.open.clone() {
        match seats[seat].client().play().submit_move(request).await {
            Ok(_) => {
                known.made += 1;
                known.open = None;
            }
            Err(status) => {
                assert!(gone(&status), "a repeated move was refused: {status:?}");
                return false;
            }
        }
    }
    loop {
        let mut asked = None;
        for (seat, client) in seats.iter().enumerate() {
            match client.decision().await {
                Ok(Some(found)) => asked = Some((seat, found)),
                Ok(None) => {}
                Err(_) => return false,
            }
        }
        let Some((seat, (decision, offers))) = asked else {
            return true;
        };
        let request = v1::SubmitMoveRequest {
            name: known.name.clone(),
            decision_id: decision.decision_id.clone(),
            r#move: Some(player.choose(&decision, &offers)),
            request_id: request_id(),
            ..Default::default()
        };
        known.open = Some((seat, request.clone()));
        match seats[seat].client().play().submit_move(request).await {
            Ok(_) => {
                known.made += 1;
                known.open = None;
            }
            Err(status) => {
                assert!(gone(&status), "{status:?}");
                return false;
            }
        }
    }
}

/// Whether a call failed because the referee was killed.
fn gone(status: &tonic::Status) -> bool {
    matches!(
        status.code(),
        Code::Unavailable | Code::Unknown | Code::Cancelled | Code::Internal
    )
}

/// Reads a stream until the referee is gone.
async fn watch(
    client: &Client,
    token: &str,
    name: &str,
    seen: &mut Vec<v1::Event>,
    resume: &mut String,
) {
    let watch = v1::WatchMatchRequest {
        name: name.to_owned(),
        resume_token: resume.clone(),
        ..Default::default()
    };
    let stream = client.with_token(token).play().watch_match(watch).await;
    let Ok(stream) = stream else { return };
    let mut stream = stream.into_inner();
    while let Ok(Some(message)) = stream.message().await {
        *resume = message.resume_token;
        if let Some(Item::Events(batch)) = message.item {
            seen.extend(batch.events);
        }
    }
}

async fn history(client: &Client, token: &str, name: &str) -> Vec<v1::Event> {
    let mut events = Vec::new();
    let mut page_token = String::new();
    loop {
        let asked = v1::ListEventsRequest {
            name: name.to_owned(),
            page_token,
            page_size: 1000,
            ..Default::default()
        };
        let page = client.with_token(token).play().list_events(asked).await;
        let page = page.expect("a page").into_inner();
        events.extend(page.events);
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return events;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_acknowledged_is_lost_and_nothing_made_twice() {
    let kills: u64 = std::env::var("REFEREE_KILLS")
        .ok()
        .and_then(|kills| kills.parse().ok())
        .unwrap_or(6);
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("referee.sqlite");
    let mut player = Chooser::new(kills);
    let mut known: Option<Known> = None;
    let mut moves = 0;
    for kill in 0..kills {
        let server = Server::start(&store, "info");
        let client = server.client().await;
        let mut match_now = match known.take() {
            Some(known) => known,
            None => begin(&server, kill).await,
        };
        // From some milliseconds to a second: while it opens the match, in the middle of moves, between them.
        let life = Duration::from_millis(15 + kill * 7919 % 900);
        let (name, token) = (match_now.name.clone(), match_now.tokens[0].clone());
        let (mut seen, mut resume) = (
            std::mem::take(&mut match_now.seen),
            std::mem::take(&mut match_now.resume),
        );
        let before = match_now.made;
        let stopper = tokio::spawn(async move {
            tokio::time::sleep(life).await;
            drop(server);
        });
        let watching = watch(&client, &token, &name, &mut seen, &mut resume);
        let (over, ()) = tokio::join!(play(&client, &mut match_now, &mut player), watching);
        stopper.await.expect("it is killed");
        (match_now.seen, match_now.resume) = (seen, resume);
        moves += match_now.made - before;

        let server = Server::start(&store, "info");
        let client = server.client().await;
        let told = history(&client, &token, &name).await;
        let made = told.iter().filter(|event| {
            matches!(&event.kind, Some(event::Kind::MoveMade(made)) if made.origin() == MoveOrigin::Player)
        });
        let made = made.count();
        let most = match_now.made + usize::from(match_now.open.is_some());
        assert!(
            (match_now.made..=most).contains(&made),
            "kill {kill}: {} moves were acknowledged, {made} are kept",
            match_now.made
        );
        // What the stream told is what happened, each once and in order.
        assert!(match_now.seen.len() <= told.len());
        assert_eq!(
            match_now.seen[..],
            told[..match_now.seen.len()],
            "kill {kill}"
        );
        drop(server);
        known = (!over).then_some(match_now);
    }
    assert!(moves as u64 > kills, "{moves} moves in {kills} lives");
}
