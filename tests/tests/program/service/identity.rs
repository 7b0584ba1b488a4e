//! Players whom an identity provider vouches for, and providers that are down, change their keys, or mean harm.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use referee::server::Provider;
use referee::wire::v1::{self, TokenKind};
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use serde_json::{Value, json};

use super::web_server::{Answer, Heard, WebServer};
use super::world::{World, claim_request, create_of, expect};
use referee::client::{Client, request_id};

/// What signs tokens.
struct Key {
    id: &'static str,
    pair: Ed25519KeyPair,
}

impl Key {
    fn new(id: &'static str, seed: u8) -> Key {
        let pair = Ed25519KeyPair::from_seed_unchecked(&[seed; 32]).expect("a seed");
        Key { id, pair }
    }

    fn public(&self) -> Value {
        let x = URL_SAFE_NO_PAD.encode(self.pair.public_key());
        json!({"kty": "OKP", "crv": "Ed25519", "kid": self.id, "use": "sig", "x": x})
    }

    /// A token that is good for so many seconds.
    fn token(&self, issuer: &str, subject: &str, seconds: i64) -> String {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .expect("a time");
        let expires = i64::try_from(now.as_secs()).expect("now") + seconds;
        let header = json!({"alg": "EdDSA", "kid": self.id, "typ": "JWT"});
        let claims = json!({"iss": issuer, "aud": "referee", "sub": subject, "exp": expires});
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let message = format!("{}.{}", part(&header), part(&claims));
        let signature = self.pair.sign(message.as_bytes());
        format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

/// What a provider says, as it is changed by a test: documents by path.
#[derive(Clone)]
struct Said(Arc<Mutex<Vec<(String, Answer)>>>);

impl Said {
    fn new() -> Said {
        Said(Arc::default())
    }

    fn set(&self, path: &str, answer: Answer) {
        let mut said = self.0.lock().expect("no panic");
        said.retain(|(known, _)| known != path);
        said.push((path.to_owned(), answer));
    }

    fn keys(&self, keys: &[&Key]) {
        let keys: Vec<Value> = keys.iter().map(|key| key.public()).collect();
        self.set(
            "/keys",
            Answer::Says(200, json!({"keys": keys}).to_string()),
        );
    }

    fn answer(&self, heard: &Heard) -> Answer {
        let said = self.0.lock().expect("no panic");
        let found = said.iter().find(|(path, _)| *path == heard.path);
        found.map_or(Answer::Says(404, String::new()), |(_, answer)| {
            answer.clone()
        })
    }
}

const DISCOVERY: &str = "/.well-known/openid-configuration";

/// A provider with these keys.
async fn provider(keys: &[&Key]) -> (WebServer, Said, String) {
    let said = Said::new();
    said.keys(keys);
    let told = said.clone();
    let server = WebServer::start(move |heard| told.answer(heard)).await;
    let issuer = server.url("");
    said.set(DISCOVERY, discovery(&issuer, &server.url("/keys")));
    (server, said, issuer)
}

fn discovery(issuer: &str, keys: &str) -> Answer {
    Answer::Says(200, json!({"issuer": issuer, "jwks_uri": keys}).to_string())
}

fn trusting(issuer: &str) -> Provider {
    Provider {
        issuer: issuer.to_owned(),
        audience: "referee".into(),
    }
}

async fn list(client: &Client) -> Result<v1::ListMyMatchesResponse, tonic::Status> {
    client.call(v1::ListMyMatchesRequest::default()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_vouches_for_players() {
    let key = Key::new("one", 1);
    let (_server, _said, issuer) = provider(&[&key]).await;
    let mut world = World::trusting(trusting(&issuer)).await;
    let info = world.client().call(v1::GetServerInfoRequest {}).await;
    let info = info.expect("it tells");
    assert_eq!(
        (info.identity_issuer, info.identity_audience),
        (issuer.clone(), "referee".into())
    );
    let of = |world: &World, subject: &str, seconds: i64| {
        world
            .client()
            .with_token(&key.token(&issuer, subject, seconds))
    };
    let ada = of(&world, "ada", 60);
    assert!(list(&ada).await.expect("a list").matches.is_empty());
    let created = world
        .host()
        .call(create_of("san-juan", 2, 7))
        .await
        .expect("it");
    ada.call(claim_request(&created.claim_codes[0]))
        .await
        .expect("a seat");
    // Another token of the same subject is the same player, over a restart; another subject is not.
    world.restart().await;
    let again = of(&world, "ada", 90);
    assert_eq!(list(&again).await.expect("a list").matches.len(), 1);
    let eve = of(&world, "eve", 60);
    assert!(list(&eve).await.expect("a list").matches.is_empty());
    // A token that is too old, of another issuer, for somebody else, by another key.
    expect(list(&of(&world, "ada", -60)).await, "TOKEN_INVALID");
    let others = world
        .client()
        .with_token(&key.token("https://id.example.com", "ada", 60));
    expect(list(&others).await, "TOKEN_INVALID");
    let forged = world
        .client()
        .with_token(&Key::new("one", 2).token(&issuer, "ada", 60));
    expect(list(&forged).await, "TOKEN_INVALID");
    // A token of a player is none of anything else.
    expect(
        again.call(v1::ListMatchesRequest::default()).await,
        "TOKEN_KIND_WRONG",
    );

    // An administrator sees the player, and bars them: the stream ends within a second, and no new token opens anything.
    let mut stream = again
        .call(v1::WatchMyMatchesRequest::default())
        .await
        .expect("a stream");
    let listed = world.admin().call(v1::ListTokensRequest::default()).await;
    let listed = listed.expect("a list").tokens;
    let row = listed
        .iter()
        .find(|row| row.label == format!("{issuer} ada"));
    let row = row.expect("the player is listed");
    assert_eq!((row.kind(), row.revoked), (TokenKind::Player, false));
    let revoke = v1::RevokeTokenRequest {
        name: row.name.clone(),
        request_id: request_id(),
    };
    world.admin().call(revoke).await.expect("it is revoked");
    let began = std::time::Instant::now();
    let ended = loop {
        if let Err(status) = stream.message().await {
            break status;
        }
    };
    expect::<()>(Err(ended), "TOKEN_INVALID");
    assert!(began.elapsed() < Duration::from_secs(2));
    for seconds in [60, 120] {
        expect(list(&of(&world, "ada", seconds)).await, "TOKEN_INVALID");
    }
    list(&eve).await.expect("others are as before");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_ends_when_its_signed_token_does() {
    let key = Key::new("one", 1);
    let (_server, _said, issuer) = provider(&[&key]).await;
    let world = World::trusting(trusting(&issuer)).await;
    // Clocks may differ by half a minute.
    let ada = world.client().with_token(&key.token(&issuer, "ada", -28));
    let mut stream = ada
        .call(v1::WatchMyMatchesRequest::default())
        .await
        .expect("a stream");
    let ended = loop {
        if let Err(status) = stream.message().await {
            break status;
        }
    };
    expect::<()>(Err(ended), "TOKEN_INVALID");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_is_down_locks_nobody_out() {
    let (key, other) = (Key::new("one", 1), Key::new("two", 2));
    let (server, _said, issuer) = provider(&[&key]).await;
    let address = server.address;
    let mut world = World::trusting(trusting(&issuer)).await;
    let of = |world: &World, key: &Key| world.client().with_token(&key.token(&issuer, "ada", 60));
    list(&of(&world, &key)).await.expect("a list");
    drop(server);
    // Keys that are known are good, also over a restart; one that is not is no reason to wait for long.
    world.restart().await;
    list(&of(&world, &key)).await.expect("a list");
    expect(list(&of(&world, &other)).await, "TOKEN_INVALID");
    // A referee that has never reached it cannot say; its own tokens open what they open.
    let fresh = World::trusting(trusting(&format!("http://{address}"))).await;
    expect(list(&of(&fresh, &key)).await, "IDENTITY_UNAVAILABLE");
    fresh
        .host()
        .call(v1::ListMatchesRequest::default())
        .await
        .expect("a list");
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_change() {
    let (one, two) = (Key::new("one", 1), Key::new("two", 2));
    let (server, said, issuer) = provider(&[&one]).await;
    let mut world = World::trusting(trusting(&issuer)).await;
    let of = |world: &World, key: &Key, subject: &str| {
        world.client().with_token(&key.token(&issuer, subject, 60))
    };
    list(&of(&world, &one, "ada")).await.expect("a list");
    said.keys(&[&two]);
    // Somebody asks with a key that is not known: within ten seconds of the last time nobody is asked for it, however many call.
    let asked = server.heard().len();
    for i in 0..20 {
        let called = list(&of(&world, &two, &format!("s{i}"))).await;
        expect(called, "TOKEN_INVALID");
    }
    assert_eq!(server.heard().len(), asked);
    world.restart().await;
    list(&of(&world, &two, "ada")).await.expect("a list");
    // What was signed with a key that has gone is signed no more.
    expect(list(&of(&world, &one, "ada")).await, "TOKEN_INVALID");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_means_harm_gains_nothing() {
    let key = Key::new("one", 1);
    let elsewhere = Said::new();
    elsewhere.keys(&[&key]);
    let told = elsewhere.clone();
    let inside = WebServer::start(move |heard| told.answer(heard)).await;
    for what in [
        "another issuer",
        "redirect",
        "elsewhere",
        "endless",
        "garbage",
        "shared",
        "hangs up",
    ] {
        let (_server, said, issuer) = provider(&[&key]).await;
        match what {
            "another issuer" => {
                said.set(
                    DISCOVERY,
                    discovery("https://id.example.com", &format!("{issuer}/keys")),
                );
            }
            // Whoever follows would reach a server that only this machine reaches.
            "redirect" => said.set("/keys", Answer::Redirects(inside.url("/keys"))),
            "elsewhere" => said.set(DISCOVERY, discovery(&issuer, &inside.url("/keys"))),
            "endless" => said.set("/keys", Answer::Endless),
            "garbage" => said.set("/keys", Answer::Says(200, "{\"keys\": 7}".into())),
            "shared" => {
                let keys = json!({"keys": [{"kty": "oct", "kid": "one", "k": "c2VjcmV0"}]});
                said.set("/keys", Answer::Says(200, keys.to_string()));
            }
            _ => said.set("/keys", Answer::HangsUp),
        }
        let world = World::trusting(trusting(&issuer)).await;
        let ada = world.client().with_token(&key.token(&issuer, "ada", 60));
        let called = list(&ada).await;
        let status = expect(called, "IDENTITY_UNAVAILABLE");
        assert!(
            !status.message().contains("127.0.0.1"),
            "{what}: {status:?}"
        );
        world
            .host()
            .call(v1::ListMatchesRequest::default())
            .await
            .expect("a list");
    }
    assert!(inside.heard().is_empty(), "{:?}", inside.heard());
}
