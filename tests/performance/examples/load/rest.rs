//! What matches cost that are open, that rest, and that are opened again.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use referee::client::Client;
use referee::store::sqlite::Sqlite;
use referee::wire::v1;

use crate::begin::{MATCHES, begin, play_one};
use crate::server::Server;
use crate::turns::timed;
use crate::{Outcome, Size};

/// What open matches cost.
pub async fn memory(folder: &Path) -> Outcome<()> {
    let server = Server::start(folder, "open.sqlite", 100_000)?;
    for (what, moves) in [
        ("an open match of Puerto Rico, just begun", 0),
        ("the same after 60 moves", 60),
        ("the same after 200 moves, or at its end", 200),
    ] {
        let mut sizes = Vec::new();
        for number in 0..600_u64 {
            let client = Client::connect(&server.url).await?;
            let game = begin(&server, &client, 1000 + number, moves).await?;
            play_one(game).await?;
            if number == 199 || number == 599 {
                tokio::time::sleep(Duration::from_millis(500)).await;
                sizes.push(server.memory());
            }
        }
        let slope = sizes[1].saturating_sub(sizes[0]) / 400;
        println!(
            "{what:42} {:9.1} KiB of resident memory, its log on disk (goal: under 64)",
            slope as f64 / 1024.0
        );
    }
    Ok(())
}

/// What it costs to open matches that rest: from a snapshot, and from the log alone.
pub async fn cold(folder: &Path, size: Size) -> Outcome<()> {
    let store = "cold.sqlite";
    let server = Server::start(folder, store, 4)?;
    for moves in [60, 200] {
        let mut names = Vec::new();
        let count = size.evicted / 100;
        for number in 0..count {
            let client = Client::connect(&server.url).await?;
            let game = begin(
                &server,
                &client,
                30_000 + moves * 1000 + number,
                moves as usize,
            )
            .await?;
            names.push(game.name.clone());
            play_one(game).await?;
        }
        let host = Client::connect(&server.url).await?.with_token(&server.host);
        for what in ["with a snapshot", "from its log alone"] {
            let work = async {
                for name in &names {
                    let get = v1::GetMatchRequest { name: name.clone() };
                    host.call(get).await?;
                }
                Ok(())
            };
            let took = timed(&[&server], names.len(), work).await?;
            println!(
                "{:42} {:9.2} ms until a match of {moves} moves is opened {what}, {:.2} ms of the server's processor",
                "",
                took.seconds * 1000.0 / took.calls,
                took.server * 1000.0 / took.calls,
            );
            Sqlite::drop_snapshots(&folder.join(store))?;
        }
    }
    Ok(())
}

/// Begins matches, several at once, and makes some moves in each; gives their names.
async fn pass_by(server: &Arc<Server>, first: u64, count: u64) -> Outcome<Vec<String>> {
    let lanes = MATCHES as u64;
    let mut tasks = tokio::task::JoinSet::new();
    for lane in 0..lanes {
        let server = server.clone();
        tasks.spawn(async move {
            let client = Client::connect(&server.url).await?;
            let mut names = Vec::new();
            for number in (first + lane..first + count).step_by(MATCHES) {
                let game = begin(&server, &client, number, 4).await?;
                names.push(game.name.clone());
                play_one(game).await?;
            }
            Ok::<_, Box<dyn std::error::Error + Send + Sync>>(names)
        });
    }
    let mut names = Vec::new();
    while let Some(done) = tasks.join_next().await {
        names.extend(done??);
    }
    Ok(names)
}

/// That matches which were let go cost nothing.
pub async fn evicted(folder: &Path, size: Size) -> Outcome<()> {
    let server = Arc::new(Server::start(folder, "evicted.sqlite", 64)?);
    let names = pass_by(&server, 40_000, 1_000).await?;
    let before = server.memory();
    let began = Instant::now();
    let passed = pass_by(&server, 50_000, size.evicted).await?.len();
    let seconds = began.elapsed().as_secs_f64();
    println!(
        "{:42} {:9.1} MiB grown from {:.1} while {passed} matches came and went (goal: under 32), {:.2} ms each",
        "matches that rest",
        (server.memory() as f64 - before as f64) / 1048576.0,
        before as f64 / 1048576.0,
        seconds * 1000.0 / passed as f64
    );
    let host = Client::connect(&server.url).await?.with_token(&server.host);
    let before = server.memory();
    let began = Instant::now();
    let rounds = size.evicted as usize / names.len();
    for _ in 0..rounds {
        for name in &names {
            let get = v1::GetMatchRequest { name: name.clone() };
            host.call(get).await?;
        }
    }
    let opened = rounds * names.len();
    println!(
        "{:42} {:9.1} MiB grown after {opened} were opened and let go again, {:.2} ms each",
        "",
        (server.memory() as f64 - before as f64) / 1048576.0,
        began.elapsed().as_secs_f64() * 1000.0 / opened as f64
    );
    Ok(())
}
