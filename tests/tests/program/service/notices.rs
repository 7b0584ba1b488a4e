//! Notices: a host is told whose turn it is, at servers that the operator allows, and nowhere else.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU16, Ordering};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use referee::client::Chooser;
use referee::clock::Clock;
use referee::secrets::Keys;
use referee::store::memory::Memory;
use referee::wire::v1;
use ring::hmac;
use serde_json::{Value, json};

use super::web_server::{Answer, Heard, WebServer};
use super::world::{Outside, Table, World, create_of, expect, fields};

fn told(hosts: &[String]) -> Outside {
    Outside {
        webhook_hosts: hosts.to_vec(),
        ..Outside::default()
    }
}

fn create(url: &str) -> v1::CreateMatchRequest {
    v1::CreateMatchRequest {
        turn_webhook: url.to_owned(),
        ..create_of("san-juan", 2, 7)
    }
}

/// Whether a notice is signed with a secret, as Standard Webhooks says.
fn is_signed(heard: &Heard, secret: &str) -> bool {
    let secret = secret.strip_prefix("whsec_").expect("its form");
    let key = hmac::Key::new(hmac::HMAC_SHA256, &STANDARD.decode(secret).expect("base64"));
    let (id, time) = (
        heard.header("webhook-id"),
        heard.header("webhook-timestamp"),
    );
    let signed = [format!("{id}.{time}.").as_bytes(), &heard.body].concat();
    let signature = heard
        .header("webhook-signature")
        .strip_prefix("v1,")
        .expect("its form");
    hmac::verify(&key, &signed, &STANDARD.decode(signature).expect("base64")).is_ok()
}

/// A clock that a test sets forward.
fn clock() -> (Clock, Arc<AtomicI64>) {
    let now = Arc::new(AtomicI64::new(1_700_000_000_000));
    let told = now.clone();
    (Clock::told_by(move || told.load(Ordering::Relaxed)), now)
}

/// Plays until somebody else is asked than before; gives who.
async fn until_the_turn_changes(table: &Table, player: &mut Chooser) -> usize {
    let (before, ..) = table.asked().await.expect("a question");
    loop {
        table.play(1, player).await;
        let (now, ..) = table.asked().await.expect("a question");
        if now != before {
            return now;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_is_told_whose_turn_it_is() {
    let server = WebServer::start(|_| Answer::Says(204, String::new())).await;
    let (clock, _) = clock();
    let world = World::beside(told(&[server.address.to_string()]), clock).await;
    let (table, _) = world.begin(create(&server.url("/turn?club=7"))).await;
    let secret = &table.created.webhook_secret;
    let (first, ..) = table.asked().await.expect("a question");
    let mut turns = vec![first];
    for _ in 0..3 {
        let mut player = Chooser::new(1);
        turns.push(until_the_turn_changes(&table, &mut player).await);
    }
    let heard = server.hears(turns.len()).await;
    // Nobody is told anything while a player goes on alone.
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(server.heard().len(), turns.len());
    let mut ids = BTreeSet::new();
    let mut seats = Vec::new();
    for heard in &heard {
        assert_eq!(heard.path, "/turn?club=7");
        assert_eq!(heard.header("content-type"), "application/json");
        assert_eq!(heard.header("webhook-timestamp"), "1700000000");
        assert!(is_signed(heard, secret));
        assert!(!is_signed(heard, "whsec_AAAA"));
        assert!(ids.insert(heard.header("webhook-id").to_owned()));
        let said: Value = serde_json::from_slice(&heard.body).expect("JSON");
        let seat = said["data"]["seat"].as_u64().expect("a seat");
        // All that is told.
        let all = json!({
            "type": "turn",
            "timestamp": "2023-11-14T22:13:20Z",
            "data": {"match": table.name, "seat": seat},
        });
        assert_eq!(said, all);
        seats.push(seat);
    }
    // They may overtake each other on the way.
    let mut expected: Vec<u64> = turns.iter().map(|turn| *turn as u64 + 1).collect();
    seats.sort_unstable();
    expected.sort_unstable();
    assert_eq!(seats, expected);
    // Another host's notices are signed with another secret.
    let other = world.token(v1::TokenKind::Host).await.token;
    let other = world.client().with_token(&other);
    let other = other.call(create(&server.url("/"))).await.expect("a match");
    assert_ne!(other.webhook_secret, *secret);
    let without = world.host().call(create("")).await.expect("a match");
    assert!(without.webhook_secret.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_notice_that_is_not_heard_is_told_again_also_after_a_restart() {
    let status = Arc::new(AtomicU16::new(500));
    let says = status.clone();
    let server =
        WebServer::start(move |_| Answer::Says(says.load(Ordering::Relaxed), String::new())).await;
    let (clock, now) = clock();
    let mut world = World::beside(told(&[server.address.to_string()]), clock).await;
    world.begin(create(&server.url("/"))).await;
    let first = server.hears(1).await.remove(0);
    let id = first.header("webhook-id").to_owned();
    let forward = |seconds: i64| {
        now.fetch_add(seconds * 1000, Ordering::Relaxed);
    };
    // The write of what became of it may be under way.
    tokio::time::sleep(Duration::from_millis(300)).await;
    forward(4);
    tokio::time::sleep(Duration::from_millis(1500)).await;
    assert_eq!(server.heard().len(), 1, "not before its time");
    forward(1);
    server.hears(2).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    world.restart().await;
    forward(30);
    let heard = server.hears(3).await;
    assert!(heard.iter().all(|heard| heard.header("webhook-id") == id));
    assert_ne!(
        heard[0].header("webhook-signature"),
        heard[2].header("webhook-signature")
    );
    tokio::time::sleep(Duration::from_millis(300)).await;
    status.store(200, Ordering::Relaxed);
    forward(120);
    server.hears(4).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    forward(24 * 3600);
    tokio::time::sleep(Duration::from_millis(1500)).await;
    assert_eq!(server.heard().len(), 4, "it was heard");
    // Who says that nobody will listen again is not asked again.
    status.store(410, Ordering::Relaxed);
    world.begin(create(&server.url("/"))).await;
    server.hears(5).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    forward(24 * 3600);
    tokio::time::sleep(Duration::from_millis(1500)).await;
    assert_eq!(server.heard().len(), 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_several_referees_one_tells_a_notice_and_its_tries_are_counted_once() {
    let server = WebServer::start(|_| Answer::Says(500, String::new())).await;
    let (clock, now) = clock();
    let keys = Keys::random().expect("entropy");
    let mut worlds = Vec::new();
    for memory in Memory::shared(3, &clock) {
        let outside = told(&[server.address.to_string()]);
        let store = Arc::new(memory);
        worlds.push(World::one_of(store, keys.clone(), outside, Clock::system()).await);
    }
    worlds[0].begin(create(&server.url("/"))).await;
    let mut expected = 0;
    for pause in [0, 5, 30] {
        now.fetch_add(pause * 1000, Ordering::Relaxed);
        expected += 1;
        let heard = server.hears(expected).await;
        let id = heard[0].header("webhook-id");
        assert!(heard.iter().all(|heard| heard.header("webhook-id") == id));
        // Each of them looks once a second.
        tokio::time::sleep(Duration::from_millis(1500)).await;
        assert_eq!(server.heard().len(), expected, "after {pause} s");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_that_means_harm_gains_nothing() {
    let inside = WebServer::start(|_| Answer::Says(200, String::new())).await;
    let redirects = inside.url("/secret");
    let bad = WebServer::start(move |heard| match heard.path.as_str() {
        "/redirect" => Answer::Redirects(redirects.clone()),
        "/endless" => Answer::Endless,
        "/silent" => Answer::Silent,
        _ => Answer::HangsUp,
    })
    .await;
    let good = WebServer::start(|_| Answer::Says(200, "x".repeat(1 << 20))).await;
    let (clock, _) = clock();
    let hosts = [
        bad.address.to_string(),
        good.address.to_string(),
        // A name that means an address of this machine.
        format!("localhost:{}", inside.address.port()),
    ];
    let world = World::beside(told(&hosts), clock).await;
    // What the operator has not listed is refused when the match is created.
    for url in [
        inside.url("/"),
        "https://club.example/turn".into(),
        "http://169.254.169.254/latest".into(),
        "file:///etc/passwd".into(),
        format!("https://{}@club.example/", good.address),
        format!("http://localhost:{}/", inside.address.port()),
        "club".into(),
        format!("{}/{}", good.url(""), "x".repeat(500)),
    ] {
        let refused = expect(world.host().call(create(&url)).await, "MALFORMED_REQUEST");
        assert_eq!(fields(&refused), ["turn_webhook"], "{url}");
    }
    for path in [
        "/silent",
        "/silent",
        "/silent",
        "/silent",
        "/silent",
        "/redirect",
        "/endless",
        "/hangs-up",
    ] {
        world.begin(create(&bad.url(path))).await;
    }
    let name = format!("https://localhost:{}/", inside.address.port());
    world.begin(create(&name)).await;
    // Nobody else waits for those.
    let began = Instant::now();
    world.begin(create(&good.url("/"))).await;
    good.hears(1).await;
    assert!(
        began.elapsed() < Duration::from_secs(3),
        "{:?}",
        began.elapsed()
    );
    bad.hears(4).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(inside.heard().is_empty(), "{:?}", inside.heard());
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_list_nobody_is_told_anything() {
    let server = WebServer::start(|_| Answer::Says(200, String::new())).await;
    let world = World::new().await;
    let refused = world.host().call(create(&server.url("/"))).await;
    let refused = expect(refused, "MALFORMED_REQUEST");
    assert!(refused.message().contains("--webhook-host"), "{refused:?}");
}
