//! A referee in this process, on a store in memory, and a match that was played at it.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use interpreter::play::Seed;
use referee::client::{Chooser, Chooses, Client};
use referee::library::Library;
use referee::limits::Limits;
use referee::secrets::Keys;
use referee::server::{Config, Running, StoreChoice, start};
use referee::store::memory::Memory;
use referee::store::{MatchId, NameRow, NewMatch, Store};
use referee::wire::v1;
use referee_tests::root;
use tokio::runtime::{Builder, Runtime};

/// The ruleset that matches are of: small, and it uses every construct.
pub const RULESET: &str = "tea-house";

/// What everything of the service runs in.
pub static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    let built = Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build();
    built.unwrap_or_else(|why| panic!("no threads: {why}"))
});

/// The invented ruleset, and what is shipped.
pub static LIBRARY: LazyLock<Library> = LazyLock::new(|| {
    let mut library = Library::embedded().unwrap_or_else(|why| panic!("{why}"));
    let folder = root().join("tests/rulesets/tea-house");
    library
        .add_folder(&folder)
        .unwrap_or_else(|why| panic!("{why}"));
    library
});

/// Limits under which nothing takes long, and nobody is told to come again later.
fn limits() -> Limits {
    Limits {
        heartbeat: Duration::from_millis(50),
        at_least_wait: Duration::from_millis(20),
        calls_per_second: 10_000_000,
        failed_authentications: 10_000_000,
        memory_mib: 1 << 20,
        ..Limits::default()
    }
}

/// A referee on a store.
pub async fn referee(store: Arc<dyn Store>, keys: Keys) -> (Running, Client) {
    let choice = StoreChoice::Own(store, keys);
    let mut config = Config::new(([127, 0, 0, 1], 0).into(), choice, LIBRARY.clone());
    config.limits = limits();
    config.testing = true;
    let running = start(config).await.unwrap_or_else(|why| panic!("{why}"));
    let client = Client::connect(&running.url()).await;
    (running, client.unwrap_or_else(|why| panic!("{why}")))
}

/// A root key.
pub fn keys() -> Keys {
    Keys::random().unwrap_or_else(|why| panic!("no entropy: {why}"))
}

/// The answer to a call that must be answered.
pub fn sure<T>(answer: Result<T, tonic::Status>) -> T {
    answer.unwrap_or_else(|status| panic!("{status:?}"))
}

/// A request for a match of two.
pub fn create(seed: u64) -> v1::CreateMatchRequest {
    v1::CreateMatchRequest {
        test_seed: Seed::from_number(seed).0.to_vec(),
        ..v1::CreateMatchRequest::of(format!("rulesets/{RULESET}"), 2)
    }
}

/// A match that has begun, with the tokens of its seats.
pub async fn seated(client: &Client, host: &Client, seed: u64) -> (String, Vec<String>) {
    let created = sure(host.call(create(seed)).await);
    let name = created.r#match.map(|one| one.name).unwrap_or_default();
    let mut tokens = Vec::new();
    for code in created.claim_codes {
        let claim = v1::ClaimSeatRequest::by(&code, format!("player {}", code.seat));
        tokens.push(sure(client.call(claim).await).seat_token);
    }
    let start = v1::StartMatchRequest::of(&name);
    sure(host.call(start).await);
    (name, tokens)
}

/// Makes so many moves by chance, until it is over.
pub async fn play(client: &Client, name: &str, tokens: &[String], moves: usize) {
    let mut chooser = Chooser::new(7);
    let seats = tokens.iter().map(|token| client.with_token(token));
    let seats: Vec<_> = seats
        .map(|own| referee::client::SeatClient::new(own, name))
        .collect();
    for _ in 0..moves {
        let mut asked = false;
        for seat in &seats {
            if let Ok(Some((decision, offers))) = seat.decision().await {
                let mv = chooser.choose(&decision, &offers);
                asked |= seat.submit(&decision.decision_id, mv).await.is_ok();
                break;
            }
        }
        if !asked {
            return;
        }
    }
}

/// A match as a store keeps it.
pub struct Kept {
    /// The key with which its seed is sealed.
    pub keys: Keys,
    /// Which.
    pub id: MatchId,
    /// What it was created with.
    pub new: NewMatch,
    /// Its entries.
    pub entries: Vec<Vec<u8>>,
    /// Names of its players.
    pub names: Vec<NameRow>,
    /// Its texts.
    pub contents: Vec<([u8; 32], Vec<u8>)>,
    /// Its archive.
    pub archive: String,
}

/// A match that was played to its end by chance.
pub static PLAYED: LazyLock<Kept> = LazyLock::new(|| RUNTIME.block_on(played()));

async fn played() -> Kept {
    let keys = keys();
    let store = Arc::new(Memory::default());
    let (running, client) = referee(store.clone(), keys.clone()).await;
    let host = client.with_token(running.host_token());
    let (name, tokens) = seated(&client, &host, 5).await;
    play(&client, &name, &tokens, 2000).await;
    let mut archive = Vec::new();
    let asked = v1::ExportRecordRequest { name: name.clone() };
    let mut pieces = sure(host.call(asked).await);
    while let Ok(Some(piece)) = pieces.message().await {
        archive.extend(piece.data);
    }
    let id = MatchId::parse(name.trim_start_matches("matches/"));
    let id = id.unwrap_or_else(|| panic!("{name} is no match"));
    let read = store
        .read(&id, 0, usize::MAX)
        .unwrap_or_else(|why| panic!("{why}"));
    let entries: Vec<Vec<u8>> = read.into_iter().map(|entry| entry.body).collect();
    let kept = store.find(&id).ok().flatten();
    let names = store.names(&id).unwrap_or_default();
    let edition = LIBRARY.get(RULESET);
    let content = edition
        .map(|edition| edition.content().to_vec())
        .unwrap_or_default();
    running.stop().await;
    Kept {
        keys,
        id,
        new: kept
            .map(|kept| kept.new)
            .unwrap_or_else(|| panic!("it is kept")),
        entries,
        names,
        contents: vec![(referee::library::content_digest(&content), content)],
        archive: String::from_utf8(archive).unwrap_or_else(|_| panic!("an archive is text")),
    }
}
