//! Referees on one database: beside one on a file, two beside one, and how long one hears later of what the other did.
//!
//! It needs PostgreSQL on this machine, whose own processor time is told as foreign load.

use std::path::Path;
use std::time::{Duration, Instant};

use referee::client::Client;
use referee::wire::v1;
use referee_tests::cluster::{Cluster, programs};

use crate::begin::{Game, begin, calls, connections, games, play};
use crate::held::Held;
use crate::server::Server;
use crate::turns::{Turns, part, timed};
use crate::{Outcome, Size};

/// Calls in flight, each on a connection of its own.
const IN_FLIGHT: usize = 64;

/// Hundredths of a core that each of two referees may use, so that the machine is none of their bounds.
const SHARE: u32 = 30;

/// All of it.
pub async fn league(folder: &Path, size: Size) -> Outcome<()> {
    if programs().is_none() {
        println!("no PostgreSQL is on this machine: nothing of leagues is measured");
        return Ok(());
    }
    // Whoever waits longer than a millisecond for a lock is told in the log.
    let cluster = Cluster::start(&["log_lock_waits=on", "deadlock_timeout=1ms"])?;
    beside_a_file(folder, &cluster, size).await?;
    two_beside_one(folder, &cluster, size).await?;
    heard(folder, &cluster).await
}

/// How often somebody waited for a lock.
fn lock_waits(cluster: &Cluster) -> Outcome<usize> {
    let log = std::fs::read_to_string(cluster.log())?;
    Ok(log
        .lines()
        .filter(|line| line.contains("still waiting for"))
        .count())
}

/// Transactions that a database has committed.
fn commits(cluster: &Cluster, address: &str) -> Outcome<u64> {
    let name = address.rsplit('/').next().unwrap_or_default();
    let asked = format!("SELECT xact_commit FROM pg_stat_database WHERE datname = '{name}'");
    // The server tells its numbers about a second late.
    std::thread::sleep(Duration::from_millis(1500));
    Ok(cluster.query("postgres", &asked)?.trim().parse()?)
}

/// The same moves on a file and on a database, in turns.
async fn beside_a_file(folder: &Path, cluster: &Cluster, size: Size) -> Outcome<()> {
    let address = cluster.database()?;
    let file = Server::start(folder, "league.sqlite", 4096)?;
    let database = Server::start(folder, &address, 4096)?;
    let mut served = Vec::new();
    for server in [&file, &database] {
        let connections = connections(&server.url, &server.host, IN_FLIGHT).await?;
        play(games(server, &connections, 900, 1, 20).await?).await?;
        served.push((server, connections, Turns::default()));
    }
    let (waits, mut moves, mut transactions) = (lock_waits(cluster)?, 0, 0);
    for turn in 0..size.turns {
        for (server, connections, turns) in &mut served {
            let prepared = games(server, connections, 20_000 + turn * 100, 1, size.moves).await?;
            let count = calls(&prepared);
            let on_database = server.process() == database.process();
            let before = if on_database {
                commits(cluster, &address)?
            } else {
                0
            };
            turns.0.push(timed(&[server], count, play(prepared)).await?);
            if on_database {
                moves += count;
                transactions += commits(cluster, &address)? - before;
            }
        }
    }
    let [(.., file), (.., database)] = &served[..] else {
        return Err("there are two".into());
    };
    file.tell("submit on disk, 64 in flight");
    database.tell("submit in PostgreSQL, 64 in flight");
    println!(
        "{:42} {:9.2} of the file's (goal: at least 0.5), {:.2} transactions a move, {} waits for locks (goal: 0)",
        "",
        database.ratio(file),
        transactions as f64 / moves as f64,
        lock_waits(cluster)? - waits,
    );
    Ok(())
}

/// One referee, and two, each held to a share of a core.
async fn two_beside_one(folder: &Path, cluster: &Cluster, size: Size) -> Outcome<()> {
    let address = cluster.database()?;
    let referees = [
        Server::start(folder, &address, 4096)?,
        Server::start(folder, &address, 4096)?,
    ];
    let mut lanes = Vec::new();
    for referee in &referees {
        let connections = connections(&referee.url, &referee.host, IN_FLIGHT / 2).await?;
        play(games(referee, &connections, 900, 1, 20).await?).await?;
        lanes.push(connections);
    }
    let (mut one, mut two) = <(Turns, Turns)>::default();
    let moves = size.moves / 2;
    for turn in 0..size.turns {
        let first = 40_000 + turn * 1000;
        let prepared = games(&referees[0], &lanes[0], first, 1, moves).await?;
        let mut both = Vec::new();
        for (i, (referee, connections)) in (1..).zip(referees.iter().zip(&lanes)) {
            both.extend(games(referee, connections, first + 100 * i, 1, moves).await?);
        }
        let held: Result<Vec<Held>, _> = referees
            .iter()
            .map(|referee| Held::to(referee.process(), SHARE))
            .collect();
        let held = match held {
            Ok(held) => held,
            Err(error) => {
                println!(
                    "two beside one is not measured, nobody can be held to a share of a core: {error}"
                );
                return Ok(());
            }
        };
        let count = calls(&prepared);
        let servers = [&referees[0], &referees[1]];
        one.0
            .push(timed(&servers[..1], count, play(prepared)).await?);
        let count = calls(&both);
        two.0.push(timed(&servers, count, play(both)).await?);
        drop(held);
    }
    one.tell("one referee with 0.3 of a core");
    two.tell("two referees, 0.3 of a core each");
    println!(
        "{:42} {:9.2} times one (goal: at least 1.8)",
        "",
        two.ratio(&one)
    );
    Ok(())
}

/// From the sending of a move to one referee until its event is heard at another: while nothing else is done, and while
/// sixteen matches are played at each.
async fn heard(folder: &Path, cluster: &Cluster) -> Outcome<()> {
    let address = cluster.database()?;
    let (one, other) = (
        Server::start(folder, &address, 4096)?,
        Server::start(folder, &address, 4096)?,
    );
    for (elsewhere, busy, what) in [
        (&one, 0, "heard at the referee that was asked"),
        (&other, 0, "heard at another one"),
        (&other, 16, "heard at another one, 32 matches in flight"),
    ] {
        let mut beside = tokio::task::JoinSet::new();
        if busy > 0 {
            for server in [&one, &other] {
                let connections = connections(&server.url, &server.host, busy).await?;
                let prepared = games(server, &connections, 70_000, 4, 100).await?;
                beside.spawn(play(prepared));
            }
        }
        let (mut acknowledged, mut heard) = (Vec::new(), Vec::new());
        for number in 0..5 {
            let client = Client::connect(&one.url).await?;
            let game = begin(&one, &client, 60_000 + number, 100).await?;
            for (answered, told) in one_by_one(game, elsewhere).await? {
                acknowledged.push(answered.as_secs_f64() * 1000.0);
                heard.push(told.as_secs_f64() * 1000.0);
            }
        }
        beside.abort_all();
        println!(
            "{what:42} {:9.1} ms at the median (goal: 20), {:.1} ms at 99 of 100 (goal: 100); answered after {:.1} ms, {} moves",
            part(&mut heard, 50),
            part(&mut heard, 99),
            part(&mut acknowledged, 50),
            heard.len()
        );
    }
    Ok(())
}

/// Plays a match, each move when the one before was heard of elsewhere; gives how long it took until each was answered, and
/// until it was heard.
async fn one_by_one(game: Game, elsewhere: &Server) -> Outcome<Vec<(Duration, Duration)>> {
    let listener = Client::connect(&elsewhere.url)
        .await?
        .with_token(&game.token);
    let watch = v1::WatchMatchRequest::of(&game.name);
    let mut stream = listener.call(watch).await?;
    let mut late = Vec::new();
    for (seat, request) in game.requests {
        let began = Instant::now();
        game.seats[seat].call(request).await?;
        let answered = began.elapsed();
        loop {
            let message = stream.message().await?.ok_or("the stream has ended")?;
            let Some(v1::watch_match_response::Item::Events(batch)) = message.item else {
                continue;
            };
            let made = |event: &v1::Event| matches!(event.kind, Some(v1::event::Kind::MoveMade(_)));
            if batch.iter().any(made) {
                break;
            }
        }
        late.push((answered, began.elapsed()));
    }
    Ok(late)
}
