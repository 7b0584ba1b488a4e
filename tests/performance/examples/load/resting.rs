//! A database full of matches that rest: what they take on its disk, and what it costs to open one of them.
//!
//! Each has the log of a game that was really played, of 20 to 60 moves. Some hundred are played, and written again and again
//! under other ids, with what hangs on the id made anew: so each is verified like any other.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use referee::client::Client;
use referee::log::v1::entry::Body;
use referee::log::{Entry, encode};
use referee::secrets::{Keys, Purpose};
use referee::store::postgres::{Address, Postgres};
use referee::store::{
    Append, Appended, Grant, Hash, MatchId, MatchRow, NameRow, NewMatch, Store, TokenRow,
};
use referee::table::commitment;
use referee::wire::v1;
use referee_tests::cluster::{Cluster, programs};
use referee_tests::random::Random;

use interpreter::play::{Digest, Seed};

use crate::Outcome;
use crate::begin::{begin, play_one};
use crate::server::Server;
use crate::turns::part;

/// Games that are played.
const PLAYED: u64 = 200;

/// Matches that are written in one go, and connections by which they are.
const TOGETHER: usize = 64;
const WRITERS: u64 = 6;

/// Matches that are opened at random.
const OPENED: usize = 1000;

/// A match that was played: whose log, and what is kept beside it.
struct Played {
    row: MatchRow,
    /// The seed, and the digest that its commitment is made with.
    seed: Seed,
    digest: Digest,
    entries: Vec<Entry>,
    names: Vec<NameRow>,
}

/// Fills a database with so many, and opens some.
pub async fn resting(folder: &Path, matches: u64) -> Outcome<()> {
    if programs().is_none() {
        println!("no PostgreSQL is on this machine: nothing of matches that rest is measured");
        return Ok(());
    }
    let settings = [
        "shared_buffers=256MB",
        "max_wal_size=4GB",
        "checkpoint_timeout=15min",
    ];
    let cluster = Cluster::start(&settings)?;
    let address = cluster.database()?;
    let server = Server::start(folder, &address, 4096)?;
    for number in 0..PLAYED {
        let client = Client::connect(&server.url).await?;
        // The median is 40.
        let moves = 20 + (number * 41 / PLAYED) as usize;
        play_one(begin(&server, &client, number, moves).await?).await?;
    }
    let keys = server.keys.clone();
    let host = server.host.clone();
    drop(server);
    let read = Address::read(&address)?;
    let began = Instant::now();
    let ids = tokio::task::spawn_blocking(move || fill(&read, &keys, matches)).await??;
    println!(
        "{matches} matches that rest were written in {:.0} s",
        began.elapsed().as_secs_f64()
    );
    on_disk(&cluster, &address, matches)?;
    opened(folder, &address, &host, &ids).await
}

/// Writes them, several at a time; gives some ids.
fn fill(address: &Address, keys: &Keys, matches: u64) -> Outcome<Vec<MatchId>> {
    let store = Postgres::open(address, keys)?;
    let played = played(&store, keys)?;
    let (next, random) = (AtomicU64::new(0), Random::new(7));
    let every = (matches / OPENED as u64).max(1);
    let lanes: Outcome<Vec<Vec<MatchId>>> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|_| scope.spawn(|| write(&store, keys, &played, (matches, every), &next)))
            .collect();
        let ended = writers.into_iter();
        ended
            .map(|writer| writer.join().map_err(|_| "a writer panicked")?)
            .collect()
    });
    let mut ids = lanes?.concat();
    let mut random = random;
    for last in (1..ids.len()).rev() {
        ids.swap(last, (random.word() % (last as u64 + 1)) as usize);
    }
    ids.truncate(OPENED);
    Ok(ids)
}

/// What was played, as it stands in the store.
fn played(store: &Postgres, keys: &Keys) -> Outcome<Vec<Played>> {
    let rows = store.every(None, 0, PLAYED as usize)?;
    let mut played = Vec::new();
    for row in rows {
        let stored = store.read(&row.id, 0, 10_000)?;
        let entries: Result<Vec<Entry>, _> = stored
            .iter()
            .map(|entry| Entry::decode(&entry.body))
            .collect();
        let entries = entries?;
        let Some(Body::Created(created)) = entries.first().map(|entry| &entry.body) else {
            return Err("a log begins otherwise".into());
        };
        let bound = [row.id.as_str().as_bytes()];
        let seed = keys.open(Purpose::Seed, &bound, &created.sealed_seed);
        let seed: [u8; 32] = seed
            .ok_or("a seed of another key")?
            .try_into()
            .map_err(|_| "a seed")?;
        let digest: [u8; 32] = created.digest[..].try_into()?;
        played.push(Played {
            seed: Seed(seed),
            digest: Digest(digest),
            names: store.names(&row.id)?,
            entries,
            row,
        });
    }
    Ok(played)
}

fn write(
    store: &Postgres,
    keys: &Keys,
    played: &[Played],
    (matches, every): (u64, u64),
    next: &AtomicU64,
) -> Outcome<Vec<MatchId>> {
    let mut ids = Vec::new();
    loop {
        let first = next.fetch_add(TOGETHER as u64, Ordering::Relaxed);
        let numbers = first..matches.min(first + TOGETHER as u64);
        if numbers.is_empty() {
            return Ok(ids);
        }
        let mut group = Vec::new();
        for number in numbers {
            let one = &played[(number % played.len() as u64) as usize];
            let append = again(one, keys)?;
            if number % every == 0 {
                ids.push(append.id.clone());
            }
            group.push(append);
        }
        if store
            .append(group)?
            .iter()
            .any(|done| *done != Appended::Done)
        {
            return Err("a match was not written".into());
        }
    }
}

/// The same match under another id.
fn again(one: &Played, keys: &Keys) -> Outcome<Append> {
    let id = MatchId::random();
    let entries: std::io::Result<Vec<Vec<u8>>> = one
        .entries
        .iter()
        .map(|entry| {
            let mut body = entry.body.clone();
            if let Body::Created(created) = &mut body {
                let bound = [id.as_str().as_bytes()];
                created.sealed_seed = keys.seal(Purpose::Seed, &bound, &one.seed.0)?;
                created.seed_commitment = commitment(&id, one.digest, one.seed).to_vec();
            }
            encode(entry.at_ms, body)
        })
        .collect();
    let token = |seat: u8| -> Outcome<TokenRow> {
        let hash: Hash = referee::secrets::entropy()?;
        let id = id.clone();
        Ok(TokenRow::new(hash, Grant::Seat { id, seat }))
    };
    let seats = one.names.len() as u8;
    Ok(Append {
        create: Some(NewMatch {
            host: one.row.host,
            ruleset: one.row.ruleset.clone(),
            created_ms: one.row.created_ms,
        }),
        entries: entries?,
        content: one.row.content,
        tokens: (0..seats).map(token).collect::<Outcome<_>>()?,
        names: one.names.clone(),
        ..Append::to(id.clone(), 0, one.row.state)
    })
}

/// What they take there.
fn on_disk(cluster: &Cluster, address: &str, matches: u64) -> Outcome<()> {
    let name = address.rsplit('/').next().unwrap_or_default();
    cluster.query(name, "CHECKPOINT")?;
    let asked = "SELECT regexp_replace(relname, '_[0-9]+$', ''), sum(pg_relation_size(oid)),
                        sum(pg_total_relation_size(oid) - pg_relation_size(oid))
                 FROM pg_class WHERE relkind = 'r' AND relnamespace = 'referee'::regnamespace
                 GROUP BY 1 HAVING sum(pg_total_relation_size(oid)) > 1000000 ORDER BY 2 DESC";
    let entries = "SELECT sum(length) FROM referee.matches";
    let entries: f64 = cluster.query(name, entries)?.trim().parse()?;
    let mut all = 0.0;
    for line in cluster.query(name, asked)?.lines() {
        let mut columns = line.split('|');
        let table = columns.next().unwrap_or_default();
        let mut size = || columns.next().and_then(|size| size.parse::<f64>().ok());
        let (rows, beside) = (size().unwrap_or(0.0), size().unwrap_or(0.0));
        all += rows + beside;
        println!(
            "{table:42} {:9.0} bytes a match, {:.0} of them of indexes and the like",
            (rows + beside) / matches as f64,
            beside / matches as f64
        );
    }
    println!(
        "{:42} {:9.2} GB, {:.0} bytes a match, {:.0} an entry of a log",
        "together",
        all / 1e9,
        all / matches as f64,
        all / entries
    );
    Ok(())
}

/// Opens some at a referee that has just begun, and verifies them.
async fn opened(folder: &Path, address: &str, host: &str, ids: &[MatchId]) -> Outcome<()> {
    let began = Instant::now();
    let server = Server::start(folder, address, 4096)?;
    println!(
        "a referee beside them begins within          {:9.2} s",
        began.elapsed().as_secs_f64()
    );
    let client = Client::connect(&server.url).await?.with_token(host);
    let began = Instant::now();
    let listed = client.call(v1::ListMatchesRequest::default()).await?;
    println!(
        "the first {} of them are listed within       {:9.1} ms",
        listed.matches.len(),
        began.elapsed().as_secs_f64() * 1000.0
    );
    let (before, mut took) = (server.memory(), Vec::new());
    for id in ids {
        let get = v1::GetMatchRequest::of(format!("matches/{id}"));
        let began = Instant::now();
        client.call(get).await?;
        took.push(began.elapsed().as_secs_f64() * 1000.0);
    }
    println!(
        "{} of them are opened                      {:9.2} ms at the median, {:.2} ms at 99 of 100, {:.1} KiB of memory each",
        ids.len(),
        part(&mut took, 50),
        part(&mut took, 99),
        server.memory().saturating_sub(before) as f64 / 1024.0 / ids.len().max(1) as f64
    );
    let mut sound = 0;
    for id in ids {
        let verify = v1::VerifyRecordRequest::of(format!("matches/{id}"));
        let mut found = client.call(verify).await?;
        while let Some(message) = found.message().await? {
            if let Some(v1::verify_record_response::Item::Result(result)) = message.item {
                sound += usize::from(result.sound);
            }
        }
    }
    println!("{sound} of {} are verified to be sound", ids.len());
    match sound == ids.len() {
        true => Ok(()),
        false => Err("a match that rests is not what was written".into()),
    }
}
