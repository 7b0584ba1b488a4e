//! Two referees serve the same match, with the same log, tokens and decisions, whose games differ in nothing but what an
//! audience cannot see. Whatever it asks, both answer alike.
//!
//! The second referee serves a copy of the store in which the snapshot is of a game with other secrets, and the log names
//! the state of that game: so everything that a referee answers is answered from it. Those who do see the secrets ask the
//! same: that their answers differ shows that this would find a leak of each kind.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use interpreter::Ruleset;
use interpreter::package::Configuration;
use interpreter::play::{Audience, Match, Move, Seat, Seed};
use prost::Message as _;
use referee::client::Client;
use referee::log::v1::{Snapshot, entry::Body};
use referee::secrets::{Keys, Purpose};
use referee::store::sqlite::Sqlite;
use referee::store::{MatchId, Store as _};
use referee::table::Metric;
use referee::wire::convert::move_out;
use referee::wire::v1;
use referee_tests::attempts::attempts;
use referee_tests::random::Random;
use tonic::Status;

use super::otherwise::rewrite_in;
use super::snapshots::written;
use super::world::{World, create_of};

/// Calls by kind: how many were answered alike to whoever does not see, and otherwise to whoever does.
type Told = BTreeMap<&'static str, (usize, usize)>;

/// What was asked, of which kind, and what was answered.
type Answers = Vec<(&'static str, String, String)>;

/// An answer without what is sealed with chance, which are tokens that continue it, and without the time of day.
fn plain<T: std::fmt::Debug>(answer: Result<T, Status>) -> String {
    let answer = match answer {
        Ok(answer) => format!("{answer:?}"),
        Err(status) => format!(
            "{:?} {} {:?}",
            status.code(),
            status.message(),
            status.details()
        ),
    };
    let sealed = without(&answer, "_token: \"", '"');
    without(&sealed, "Timestamp {", '}')
}

/// A text without what stands between these.
fn without(text: &str, begin: &str, end: char) -> String {
    let (mut rest, mut kept) = (text, String::new());
    while let Some(at) = rest.find(begin) {
        let (before, within) = rest.split_at(at + begin.len());
        kept += before;
        rest = within.split_once(end).expect("its end").1;
    }
    kept + rest
}

fn compiled(ruleset: &str, players: u8) -> Arc<Ruleset> {
    let library = referee_tests::library();
    let edition = library.get(ruleset).expect("it is shipped");
    let configuration = Configuration::base(players);
    library
        .compile(edition, &configuration)
        .expect("it is right")
}

/// The game in the snapshot of a store that nobody serves from.
fn saved(path: &Path, id: &MatchId, ruleset: &Arc<Ruleset>) -> Match {
    let keys = Keys::load(&path.with_extension("sqlite.key")).expect("the key");
    let store = Sqlite::open(path, &keys).expect("the store");
    let snapshot = store.snapshot(id).expect("it answers").expect("one");
    let snapshot = Snapshot::decode(&snapshot[..]).expect("it can be read");
    let game = keys.open(
        Purpose::Snapshot,
        &bound(id, &snapshot),
        &snapshot.sealed_game,
    );
    let game = game.expect("it is whole");
    // Which seed it is decides what comes, not what is.
    Match::restore(ruleset.clone(), Seed::from_number(0), &game).expect("a game")
}

/// As the referee seals it.
fn bound<'a>(id: &'a MatchId, snapshot: &'a Snapshot) -> [&'a [u8]; 5] {
    [
        id.as_str().as_bytes(),
        snapshot.engine.as_bytes(),
        &snapshot.digest,
        &snapshot.moves_digest,
        &snapshot.head,
    ]
}

/// Puts another game in the place of the one that was saved, as if it had come to that.
fn plant(path: &Path, id: &MatchId, game: &Match) {
    let keys = Keys::load(&path.with_extension("sqlite.key")).expect("the key");
    let last = {
        let store = Sqlite::open(path, &keys).expect("the store");
        store
            .find(id)
            .expect("it answers")
            .expect("the match")
            .length
            - 1
    };
    let mut named = false;
    rewrite_in(path, id.as_str(), |sequence, body| {
        if sequence == last as i64
            && let Body::Moved(moved) = body
        {
            moved.state_hash = game.state_hash().0.to_vec();
            named = true;
        }
    });
    assert!(named, "the last entry is of a move");
    let store = Sqlite::open(path, &keys).expect("the store");
    let snapshot = store.snapshot(id).expect("it answers").expect("one");
    let mut snapshot = Snapshot::decode(&snapshot[..]).expect("it can be read");
    assert_eq!(snapshot.entries, last + 1);
    snapshot.head = store
        .find(id)
        .expect("it answers")
        .expect("the match")
        .chain
        .to_vec();
    let sealed = keys.seal(Purpose::Snapshot, &bound(id, &snapshot), &game.save());
    snapshot.sealed_game = sealed.expect("entropy");
    store
        .put_snapshot(id, &snapshot.encode_to_vec())
        .expect("it is kept");
}

/// Everything that a seat can ask while nobody moves, and the moves that it tries.
async fn of_seat(client: &Client, name: &str, tried: &[Move]) -> Answers {
    let mut answers = Answers::new();
    let name = name.to_owned();
    let mut tell = |kind, what: String, answer: String| answers.push((kind, what, answer));
    for include_names in [false, true] {
        let asked = v1::GetViewRequest {
            name: name.clone(),
            include_names,
            ..Default::default()
        };
        let got = client.call(asked).await;
        tell("GetView", include_names.to_string(), plain(got));
    }
    for at_event in [0, 40, 90] {
        let asked = v1::GetViewRequest {
            name: name.clone(),
            at_event: Some(at_event),
            ..Default::default()
        };
        let got = client.call(asked).await;
        tell("GetView", format!("at {at_event}"), plain(got));
    }
    let asked = v1::ListDecisionsRequest::of(&name);
    let decisions = client.call(asked).await;
    let waiting = decisions
        .as_ref()
        .map(|got| got.decisions.clone())
        .unwrap_or_default();
    tell("ListDecisions", String::new(), plain(decisions));
    for decision in waiting {
        let mut page_token = String::new();
        for page in 0..40 {
            let asked = v1::ListMovesRequest {
                name: name.clone(),
                decision_id: decision.decision_id.clone(),
                page_size: 5,
                page_token,
                with_targets: true,
                ..Default::default()
            };
            let got = client.call(asked).await;
            page_token = got
                .as_ref()
                .map(|got| got.next_page_token.clone())
                .unwrap_or_default();
            tell("ListMoves", page.to_string(), plain(got));
            if page_token.is_empty() {
                break;
            }
        }
        let names: BTreeSet<&str> = tried.iter().map(|mv| &*mv.name).collect();
        for move_name in names {
            let asked = v1::ListRefusalsRequest {
                name: name.clone(),
                decision_id: decision.decision_id.clone(),
                move_name: move_name.to_owned(),
                page_size: 200,
                ..Default::default()
            };
            let got = client.call(asked).await;
            tell("ListRefusals", move_name.to_owned(), plain(got));
        }
        for mv in tried {
            let check = v1::CheckMoveRequest {
                name: name.clone(),
                decision_id: decision.decision_id.clone(),
                r#move: Some(move_out(mv)),
                with_preview: true,
                ..Default::default()
            };
            let got = client.call(check).await;
            tell("CheckMove", format!("{mv:?}"), plain(got));
        }
        // Chains of two, of which most do not go.
        for pair in tried.chunks(2).take(12) {
            let submit = v1::SubmitMoveRequest {
                decision_id: decision.decision_id.clone(),
                r#move: Some(move_out(&pair[0])),
                further_moves: pair[1..].iter().map(move_out).collect(),
                ..v1::SubmitMoveRequest::of(&name)
            };
            let got = client.call(submit.check()).await;
            tell("CheckMove", format!("{pair:?}"), plain(got));
        }
    }
    let asked = v1::ListEventsRequest {
        name: name.clone(),
        page_size: 1000,
        ..Default::default()
    };
    let got = client.call(asked).await;
    tell("ListEvents", String::new(), plain(got));
    let watch = v1::WatchMatchRequest::of(&name);
    for (begins, asked) in [("now", watch.clone().from_now()), ("first", watch)] {
        let mut stream = client.call(asked).await.expect("a stream");
        let first = stream.message().await;
        tell("WatchMatch", begins.to_owned(), plain(first));
    }
    let asked = v1::GetTableTalkRequest::of(&name);
    let got = client.call(asked).await;
    tell("GetTableTalk", String::new(), plain(got));
    let asked = v1::GetMatchRequest { name: name.clone() };
    let got = client.call(asked).await;
    tell("GetMatch", String::new(), plain(got));
    let asked = v1::ExportRecordRequest { name: name.clone() };
    let got = client.call(asked).await.map(drop);
    tell("ExportRecord", String::new(), plain(got));
    let asked = v1::ProposeRequest {
        name,
        kind: v1::ProposalKind::Undo.into(),
        moves: 1,
        request_id: "6f1c0f0e-5c6c-4d5e-9d5b-0d2f3a4b5c6d".into(),
    };
    let got = client.call(asked).await;
    tell("Propose", String::new(), plain(got));
    answers
}

/// Everything that a spectator can ask.
async fn of_spectator(client: &Client, name: &str) -> Answers {
    let name = name.to_owned();
    let asked = v1::GetPublicViewRequest::of(&name);
    let view = client.call(asked).await;
    let asked = v1::WatchPublicMatchRequest::of(&name).from_now();
    let mut stream = client.call(asked).await.expect("a stream");
    let first = stream.message().await;
    let asked = v1::ListPublicEventsRequest {
        page_size: 1000,
        ..v1::ListPublicEventsRequest::of(&name)
    };
    let events = client.call(asked).await;
    let asked = v1::GetAllHandsRequest {
        name,
        ..Default::default()
    };
    let hands = client.call(asked).await;
    let said = |kind, answer| (kind, String::new(), answer);
    vec![
        said("GetPublicView", plain(view)),
        said("WatchPublicMatch", plain(first)),
        said("ListPublicEvents", plain(events)),
        said("GetAllHands", plain(hands)),
    ]
}

async fn compared(ruleset: &str, players: u8, depth: usize, told: &mut Told) {
    let mut world = World::new().await;
    let create = create_of(ruleset, players.into(), depth as u64);
    let (table, tokens) = world.begin(create).await;
    let invite = v1::InviteSpectatorRequest::of(&table.name);
    let invited = world.host().call(invite).await;
    let spectator = invited.expect("a token").spectator_token;
    let rules = compiled(ruleset, players);
    // Beside the server, which is told moves that were drawn here.
    let seed = Seed::from_number(depth as u64);
    let mut beside = Match::new(rules.clone(), seed, false).expect("it begins");
    let mut chance = Random::new(3);
    for _ in 0..depth {
        let (at, decision, _) = table.asked().await.expect("it is under way");
        let seat = Seat(at as u8);
        let mv = beside.sample(seat, &mut || chance.word()).expect("a move");
        let made = table.seats[at].submit(&decision.decision_id, move_out(&mv));
        made.await.expect("a legal move");
        beside.apply(seat, &mv).expect("legal here too");
    }
    assert_eq!(world.running().close_idle(), 1);
    written(&world, 1).await;
    world.stop().await;

    let id = MatchId::parse(table.name.trim_start_matches("matches/")).expect("an id");
    let mut random = Random::new(depth as u64);
    let real = saved(&world.path(), &id, &rules);
    let seats = || (0..players).map(|seat| Audience::Seat(Seat(seat)));
    for audience in seats().chain([Audience::Spectator]) {
        let other = real.with_other_secrets(audience, &mut || random.word());
        if other.state_hash() == real.state_hash() {
            continue;
        }
        let elsewhere = world.copied(|path| plant(path, &id, &other)).await;
        // Undo is proposed in both, so that each begins anew.
        let here = world.copied(|_| ()).await;
        for asks in seats().chain([Audience::Spectator]) {
            let token = match asks {
                Audience::Seat(Seat(seat)) => &tokens[usize::from(seat)],
                _ => &spectator,
            };
            let mut said = Vec::new();
            for of in [&here, &elsewhere] {
                let client = of.client().with_token(token);
                said.push(match asks {
                    Audience::Seat(seat) => {
                        let question = real.question(seat);
                        let tried = question.map(|question| {
                            let mut random = Random::new(2);
                            let mut tried = real.legal_moves(seat, 8);
                            tried.extend(attempts(
                                real.ruleset().model(),
                                &question,
                                3,
                                &mut random,
                            ));
                            tried
                        });
                        of_seat(&client, &table.name, &tried.unwrap_or_default()).await
                    }
                    _ => of_spectator(&client, &table.name).await,
                });
            }
            let (theirs, ours) = (said.remove(1), said.remove(0));
            if asks == audience {
                for (ours, theirs) in ours.iter().zip(&theirs) {
                    let (kind, what, _) = ours;
                    assert_eq!(ours, theirs, "{ruleset}, {audience:?}: {kind} {what}");
                    told.entry(kind).or_default().0 += 1;
                }
                assert_eq!(ours.len(), theirs.len());
            } else {
                for ours in ours.iter().filter(|one| !theirs.contains(one)) {
                    told.entry(ours.0).or_default().1 += 1;
                }
            }
        }
        for of in [&here, &elsewhere] {
            let used = of.running().counted(Metric::SnapshotUsed);
            let suspended = of.running().counted(Metric::Suspended);
            assert_eq!(
                (used, suspended),
                (1, 0),
                "{ruleset}: served from the snapshot"
            );
        }
    }
}

/// Compares two worlds in matches of several titles: ruleset, number of players, number of positions.
async fn alike_in(matches: &[(&str, u8, usize)]) {
    let mut told = Told::new();
    for (ruleset, players, depth) in matches {
        compared(ruleset, *players, *depth, &mut told).await;
    }
    for kind in [
        "GetView",
        "ListDecisions",
        "ListMoves",
        "ListRefusals",
        "CheckMove",
        "WatchMatch",
    ] {
        let (alike, seen) = told[kind];
        assert!(
            alike > 0 && seen > 0,
            "{kind}: {alike} alike, {seen} seen to differ"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_worlds_that_differ_in_secrets_alone_answer_alike() {
    alike_in(&[("san-juan", 3, 24)]).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow"]
async fn two_worlds_of_other_titles_answer_alike() {
    let titles = [
        ("catan-rivals", 2, 30),
        // Two moves earlier an offer names cards: in the other world its maker holds others, and it cannot be accepted.
        ("genoa", 3, 28),
        ("puerto-rico", 3, 24),
    ];
    alike_in(&titles).await;
}
