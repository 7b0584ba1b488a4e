//! Who may call what: every method of the contract with every kind of token.
//!
//! The methods come from the contract's own description, so a new one without a row here fails.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use referee::client::{Chooser, error_info, request_id, seat_name};
use referee::clock::Clock;
use referee::store::Store;
use referee::store::faults::{Faulty, Moment, Operation};
use referee::store::memory::Memory;
use referee::wire::convert::of_seconds;
use referee::wire::v1::{self, TokenKind};
use tonic::transport::Channel;

use super::calls::{call, methods, request};
use super::world::{World, claim_request, create_request, expect, quick};

/// Kinds of caller, and what a method says to each.
const CALLERS: [&str; 10] = [
    "nobody",
    "host",
    "other host",
    "seat",
    "other seat",
    "spectator",
    "publisher",
    "admin",
    "creator",
    "player",
];

/// What each method answers to each caller: `+` the token is enough, `-` no token, `k` a token of the
/// wrong kind, `0` not found.
const MATRIX: &[(&str, &str)] = &[
    ("ServerService/GetServerInfo", "++++++++++"),
    ("ServerService/ClaimHost", "cccccccccc"),
    ("RulesetService/ListRulesets", "++++++++++"),
    ("RulesetService/GetRuleset", "++++++++++"),
    ("RulesetService/ListRevisions", "++++++++++"),
    ("RulesetService/GetSchemas", "++++++++++"),
    ("RulesetService/DiffRevisions", "++++++++++"),
    ("RulesetService/GetArtifact", "++++++++++"),
    ("MatchService/CreateMatch", "-++kkkkk+k"),
    ("MatchService/GetMatch", "-+0+0+kkk+"),
    ("MatchService/ListMatches", "-++kkkkkkk"),
    ("MatchService/ClaimSeat", "cccccccccc"),
    ("MatchService/LeaveSeat", "-kk+0kkkk+"),
    ("MatchService/StartMatch", "-+0kkkkkkk"),
    ("MatchService/ListLobbies", "++++++++++"),
    ("MatchService/WatchLobbies", "++++++++++"),
    ("MatchService/SeatBot", "-+0kkkkkkk"),
    ("MatchService/ReleaseSeat", "-+0kkkkkkk"),
    ("MatchService/ResumeMatch", "-+0kkkkkkk"),
    ("MatchService/CancelMatch", "-+0kkkkkkk"),
    ("MatchService/MoveMatch", "-+0kkkkkkk"),
    ("MatchService/InviteSpectator", "-+0kkkkkkk"),
    ("PlayService/GetView", "-kk+0kkkk+"),
    ("PlayService/ListDecisions", "-kk+0kkkk+"),
    ("PlayService/ListMoves", "-kk+0kkkk+"),
    ("PlayService/ListRefusals", "-kk+0kkkk+"),
    ("PlayService/CheckMove", "-kk+0kkkk+"),
    ("PlayService/SubmitMove", "-kk+0kkkk+"),
    ("PlayService/WatchMatch", "-kk+0kkkk+"),
    ("PlayService/ListEvents", "-kk+0kkkk+"),
    ("PlayService/Resign", "-kk+0kkkk+"),
    ("PlayService/ContributeEntropy", "-kk+0kkkk+"),
    ("PlayerService/ListMyMatches", "-kkkkkkkk+"),
    ("PlayerService/WatchMyMatches", "-kkkkkkkk+"),
    ("TableService/GetTableTalk", "-kk+0kkkk+"),
    ("TableService/Propose", "-kk+0kkkk+"),
    ("TableService/Respond", "-kk+0kkkk+"),
    ("TableService/Withdraw", "-kk+0kkkk+"),
    ("TableService/TakeBack", "-kk+0kkkk+"),
    ("SpectatorService/GetPublicView", "-+0kk+kkk0"),
    ("SpectatorService/GetAllHands", "-+0kk+kkk0"),
    ("SpectatorService/ListPublicEvents", "-+0kk+kkk0"),
    ("SpectatorService/WatchPublicMatch", "-+0kk+kkk0"),
    ("RecordService/ExportRecord", "-+0+0+k+k+"),
    ("RecordService/ImportRecord", "-++kkkkkkk"),
    ("RecordService/VerifyRecord", "-+0+0+k+k+"),
    ("RecordService/GetProof", "-+0+0+k+k+"),
    ("PublishingService/CheckPackage", "-kkkkk+kkk"),
    ("PublishingService/PublishPackage", "-kkkkk+kkk"),
    ("PublishingService/SetChannel", "-kkkkk+kkk"),
    ("PublishingService/SetCurrentRevision", "-kkkkk+kkk"),
    ("PublishingService/YankRevision", "-kkkkk+kkk"),
    ("AdminService/CreateToken", "-kkkkkk+kk"),
    ("AdminService/ListTokens", "-kkkkkk+kk"),
    ("AdminService/RevokeToken", "-kkkkkk+kk"),
    ("AdminService/ListAllMatches", "-kkkkkk+kk"),
    ("AdminService/EndMatch", "-kkkkkk+kk"),
    ("AdminService/DeleteMatch", "-kkkkkk+kk"),
    ("AdminService/EraseNames", "-kkkkkk+kk"),
    ("AdminService/SetRulesetOwner", "-kkkkkk+kk"),
];

fn said(status: Option<tonic::Status>) -> char {
    let reason = status.as_ref().and_then(error_info).map(|info| info.reason);
    match reason.as_deref() {
        Some("TOKEN_INVALID") => '-',
        Some("TOKEN_KIND_WRONG") => 'k',
        Some("NOT_FOUND") => '0',
        Some("CLAIM_CODE_INVALID") => 'c',
        _ => '+',
    }
}

#[tokio::test]
async fn every_method_knows_its_callers() {
    let world = World::new().await;
    let methods = methods();
    let rows: BTreeMap<&str, &str> = MATRIX.iter().copied().collect();
    for method in methods.keys() {
        assert!(
            rows.contains_key(method.as_str()),
            "{method} has no row in the matrix"
        );
    }
    assert_eq!(
        rows.len(),
        methods.len(),
        "a row of the matrix is of no method"
    );

    let other_host = world.token(TokenKind::Host).await.token;
    let publisher = world.token(TokenKind::Publisher).await.token;
    let creator = world.token(TokenKind::Creator).await.token;
    let player = world.token(TokenKind::Player).await.token;
    let host = world.running().host_token().to_owned();
    let admin = world.running().admin_token().to_owned();
    let channel = Channel::from_shared(world.url()).expect("a url");
    let channel = channel.connect().await.expect("it listens");
    let mut wrong = Vec::new();
    let (other, other_tokens) = world.table(3, 9).await;
    for (method, expected) in MATRIX {
        // Each method has a match of its own: some of them end it.
        let (table, tokens) = world.table(3, 7).await;
        table.play(1, &mut Chooser::new(1)).await;
        // The player holds a seat of it.
        let release = v1::ReleaseSeatRequest::of(seat_name(&table.name, 3));
        let released = table.host.call(release).await.expect("it is free");
        let claim = claim_request(&released.claim_code.expect("a code"));
        let claimed = world.client().with_token(&player).call(claim).await;
        claimed.expect("a seat");
        let invite = v1::InviteSpectatorRequest::of(&table.name);
        let spectator = table.host.call(invite).await;
        let spectator = spectator.expect("a token").spectator_token;
        let of = |caller: &str| match caller {
            "host" => Some(host.clone()),
            "other host" => Some(other_host.clone()),
            "seat" => Some(tokens[0].clone()),
            "other seat" => Some(other_tokens[0].clone()),
            "spectator" => Some(spectator.clone()),
            "publisher" => Some(publisher.clone()),
            "admin" => Some(admin.clone()),
            "creator" => Some(creator.clone()),
            "player" => Some(player.clone()),
            _ => None,
        };
        // Whoever may is last: what it changes is not in the others' way.
        let mut order: Vec<usize> = (0..CALLERS.len()).collect();
        order.sort_by_key(|i| expected.as_bytes()[*i] == b'+');
        for i in order {
            let bytes = request(&methods[*method], &table.name);
            let path = format!("/referee.v1.{method}");
            let found = said(call(&channel, &path, of(CALLERS[i]).as_deref(), bytes).await);
            let expected = char::from(expected.as_bytes()[i]);
            if found != expected {
                wrong.push(format!(
                    "{method} says {found} to {}, not {expected}",
                    CALLERS[i]
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        other.asked().await.is_some(),
        "nobody touched the other match"
    );
}

#[tokio::test]
async fn a_token_is_told_once_listed_and_revoked_at_once() {
    let mut world = World::new().await;
    let create = v1::CreateTokenRequest {
        kind: TokenKind::Host.into(),
        label: "the club".into(),
        request_id: request_id(),
        ..Default::default()
    };
    let made = |create: v1::CreateTokenRequest| {
        let admin = world.admin();
        async move { admin.call(create).await }
    };
    let first = made(create.clone()).await.expect("a token");
    let again = made(create.clone()).await.expect("the same");
    assert!(first.token.starts_with("rfh_") && again.replayed && again.token == first.token);
    let otherwise = v1::CreateTokenRequest {
        kind: TokenKind::Admin.into(),
        ..create.clone()
    };
    let reused = made(otherwise).await;
    expect(reused, "REQUEST_ID_REUSED");
    let host = world.client().with_token(&first.token);
    host.call(create_request(3, 1)).await.expect("a host");
    let listed = world.admin().call(v1::ListTokensRequest::default()).await;
    let listed = listed.expect("a list").tokens;
    let row = listed
        .iter()
        .find(|token| token.name == first.name)
        .expect("it");
    assert_eq!(
        (row.label.as_str(), row.kind(), row.revoked),
        ("the club", TokenKind::Host, false)
    );
    assert!(!format!("{listed:?}").contains(&first.token));

    let revoke = v1::RevokeTokenRequest {
        name: first.name.clone(),
        request_id: request_id(),
    };
    world.admin().call(revoke).await.expect("it");
    let gone = host.call(create_request(3, 1)).await;
    expect(gone, "TOKEN_INVALID");
    // A restart does not bring it back, and nobody locks the last door behind themselves.
    world.restart().await;
    let host = world.client().with_token(&first.token);
    expect(host.call(create_request(3, 1)).await, "TOKEN_INVALID");
    let listed = world.admin().call(v1::ListTokensRequest::default()).await;
    let own = listed.expect("a list").tokens;
    let own = own
        .iter()
        .find(|token| token.kind() == TokenKind::Admin)
        .expect("it");
    let revoke = v1::RevokeTokenRequest {
        name: own.name.clone(),
        request_id: request_id(),
    };
    expect(world.admin().call(revoke).await, "MALFORMED_REQUEST");
    // A token that is revoked can be revoked again; one that never was cannot.
    let revoke = |name: String| v1::RevokeTokenRequest {
        name,
        request_id: request_id(),
    };
    let again = revoke(first.name.clone());
    world.admin().call(again).await.expect("it stays revoked");
    let unknown = revoke(format!("tokens/{}", "0".repeat(64)));
    expect(world.admin().call(unknown).await, "NOT_FOUND");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_ends_with_its_token() {
    let mut world = World::new().await;
    let create = |lifetime: Option<u32>| {
        let create = v1::CreateTokenRequest {
            kind: TokenKind::Host.into(),
            label: "the club".into(),
            request_id: request_id(),
            lifetime: lifetime.map(of_seconds),
        };
        let admin = world.admin();
        async move { admin.call(create).await.expect("a token") }
    };
    // Reads on until it ends, and says what the last word was.
    async fn end<M>(mut stream: tonic::Streaming<M>) -> Result<(), tonic::Status> {
        let read = async {
            loop {
                if stream.message().await?.is_none() {
                    return Ok(());
                }
            }
        };
        let ended = tokio::time::timeout(Duration::from_secs(5), read).await;
        ended.expect("it ends soon")
    }
    // A seat that is released: whoever sat there hears no more.
    let (table, _) = world.table(3, 7).await;
    let watch = || v1::WatchMatchRequest::of(&table.name);
    let watching = table.call(1, watch()).await.expect("a stream");
    let other = table.call(2, watch()).await.expect("a stream");
    let release = v1::ReleaseSeatRequest::of(seat_name(&table.name, 2));
    table.host.call(release).await.expect("it is released");
    expect(end(watching).await, "TOKEN_INVALID");
    // A token that is revoked, and one whose time is over.
    for lifetime in [None, Some(1)] {
        let made = create(lifetime).await;
        let host = world.client().with_token(&made.token);
        let created = host.call(create_request(3, 1)).await.expect("a match");
        let watch = v1::WatchPublicMatchRequest::of(&created.r#match.expect("a match").name);
        let watching = host.call(watch).await.expect("a stream");
        if lifetime.is_none() {
            let revoke = v1::RevokeTokenRequest {
                name: made.name,
                request_id: request_id(),
            };
            world.admin().call(revoke).await.expect("it is revoked");
        }
        expect(end(watching).await, "TOKEN_INVALID");
    }
    // Nobody else's does.
    world.stop().await;
    expect(end(other).await, "SHUTTING_DOWN");
}

#[tokio::test]
async fn a_token_expires() {
    const BEGAN: i64 = 1_000_000_000_000;
    let now = Arc::new(AtomicI64::new(BEGAN));
    let told = now.clone();
    let clock = Clock::told_by(move || told.load(Ordering::Relaxed));
    let world = World::by(clock, quick()).await;
    let create = v1::CreateTokenRequest {
        kind: TokenKind::Host.into(),
        label: "for a day".into(),
        lifetime: Some(of_seconds(24 * 3600)),
        request_id: request_id(),
    };
    let made = world.admin().call(create).await;
    let host = world.client().with_token(&made.expect("a token").token);
    let list = || async { host.call(v1::ListMatchesRequest::default()).await };
    now.store(BEGAN + 24 * 3_600_000 - 1, Ordering::Relaxed);
    list().await.expect("it is the day's last moment");
    now.store(BEGAN + 24 * 3_600_000, Ordering::Relaxed);
    expect(list().await, "TOKEN_INVALID");
}

#[tokio::test]
async fn whoever_guesses_is_soon_told_nothing() {
    let limits = referee::limits::Limits {
        failed_authentications: 5,
        ..quick()
    };
    let world = World::with(limits).await;
    let mut reasons = Vec::new();
    for i in 0..8 {
        let guess = world.client().with_token(&format!("rfh_{i}"));
        let answered = guess.call(v1::ListMatchesRequest::default()).await;
        let status = answered.expect_err("a guess");
        reasons.push(error_info(&status).expect("a reason").reason);
    }
    assert_eq!(reasons[4], "TOKEN_INVALID");
    assert_eq!(reasons[7], "LIMIT_REACHED");
    // Who has a good token is not hindered.
    let list = v1::ListMatchesRequest::default();
    world.host().call(list).await.expect("the host");
}

#[tokio::test]
async fn who_calls_too_often_waits_and_hinders_nobody() {
    let limits = referee::limits::Limits {
        calls_per_second: 5,
        ..quick()
    };
    let world = World::with(limits).await;
    let host = world.host();
    let mut limited = None;
    for _ in 0..40 {
        let list = v1::ListMatchesRequest::default();
        if let Err(status) = host.call(list).await {
            limited = Some(status);
        }
    }
    let limited = limited.expect("forty calls at once are too many");
    let status = expect(Err::<(), _>(limited), "LIMIT_REACHED");
    assert_eq!(super::world::metadata(&status, "limit"), "calls_per_second");
    let list = v1::ListTokensRequest::default();
    let other = world.admin().call(list).await;
    other.expect("another caller is not hindered");
    tokio::time::sleep(std::time::Duration::from_millis(1100)).await;
    let list = v1::ListMatchesRequest::default();
    host.call(list).await.expect("a second later");
}

/// A store that stops after it has looked for a token, until it is told to go on.
struct Slow {
    store: Arc<dyn Store>,
    armed: Arc<AtomicBool>,
    reached: mpsc::Receiver<()>,
    go_on: mpsc::SyncSender<()>,
}

fn slow() -> Slow {
    let armed = Arc::new(AtomicBool::new(false));
    let (reach, reached) = mpsc::sync_channel(1);
    let (go_on, wait) = mpsc::sync_channel(1);
    let (arm, wait) = (armed.clone(), Mutex::new(wait));
    let store = Faulty::new(Memory::default(), move |operation, moment| {
        let here = (operation, moment) == (Operation::Token, Moment::After);
        if here && arm.swap(false, Ordering::SeqCst) {
            reach.send(()).expect("the test waits");
            wait.lock()
                .expect("one at a time")
                .recv()
                .expect("the test says when");
        }
        Ok(())
    });
    Slow {
        store: Arc::new(store),
        armed,
        reached,
        go_on,
    }
}

/// Its first use is under way while it is revoked.
#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_is_used_while_it_is_revoked_works_no_more() {
    let slow = slow();
    let world = World::on(slow.store.clone()).await;
    let made = world.token(v1::TokenKind::Host).await;
    let client = world.client().with_token(&made.token);
    slow.armed.store(true, Ordering::SeqCst);
    let first = tokio::spawn({
        let client = client.clone();
        async move {
            let asked = v1::ListMatchesRequest::default();
            client.call(asked).await.map(drop)
        }
    });
    slow.reached.recv().expect("the store is asked");
    let revoke = v1::RevokeTokenRequest {
        name: made.name.clone(),
        request_id: request_id(),
    };
    world.admin().call(revoke).await.expect("it is revoked");
    slow.go_on.send(()).expect("the store waits");
    // Whether that call still came through is nobody's business: it was there first.
    let _ = first.await.expect("it ends");
    expect(
        client.call(v1::ListMatchesRequest::default()).await,
        "TOKEN_INVALID",
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_seat_that_is_used_while_it_is_released_is_no_more() {
    let slow = slow();
    let world = World::on(slow.store.clone()).await;
    let created = world.create(3, 5).await;
    let (table, tokens) = world.seat(created).await;
    let asked = || v1::GetViewRequest::of(&table.name);
    slow.armed.store(true, Ordering::SeqCst);
    let client = world.client().with_token(&tokens[1]);
    let first = tokio::spawn({
        let (client, asked) = (client.clone(), asked());
        async move { client.call(asked).await.map(drop) }
    });
    slow.reached.recv().expect("the store is asked");
    let release = v1::ReleaseSeatRequest::of(seat_name(&table.name, 2));
    world.host().call(release).await.expect("it is released");
    slow.go_on.send(()).expect("the store waits");
    let _ = first.await.expect("it ends");
    expect(client.call(asked()).await, "TOKEN_INVALID");
}

/// Whoever can write the file, but has not its key, makes no token that opens anything.
#[tokio::test]
async fn a_token_that_the_key_did_not_seal_opens_nothing() {
    let world = World::new().await;
    let host = world.host();
    let list = || v1::ListMatchesRequest::default();
    host.call(list()).await.expect("its own");
    let file = rusqlite::Connection::open(world.path()).expect("the store");
    let made = file.execute(
        "INSERT INTO tokens (hash, kind, label, created_ms) VALUES (?1, 5, 'mine', 0)",
        [referee::secrets::token_hash("rfa_forged")],
    );
    assert_eq!(made.expect("a row"), 1);
    let forged = world.client().with_token("rfa_forged");
    let tokens = v1::ListTokensRequest::default();
    expect(forged.call(tokens).await, "TOKEN_INVALID");
    // Nor does one come to life again that was revoked.
    let admin = world.client().with_token(world.running().admin_token());
    let create = v1::CreateTokenRequest {
        kind: v1::TokenKind::Host.into(),
        label: "short".into(),
        request_id: request_id(),
        ..Default::default()
    };
    let created = admin.call(create).await.expect("a token");
    let revoke = v1::RevokeTokenRequest {
        name: created.name,
        request_id: request_id(),
    };
    admin.call(revoke).await.expect("revoked");
    let risen = file.execute("UPDATE tokens SET revoked = 0", []);
    risen.expect("an update");
    let risen = world.client().with_token(&created.token);
    expect(risen.call(list()).await, "TOKEN_INVALID");
}
