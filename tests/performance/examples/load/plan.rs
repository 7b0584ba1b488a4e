//! A plan for operators: what a match and a move take of one referee and its database, fitted to a hundred matches that are
//! played at a time, and whether a thousand take what that predicts. Memory is not among it: the allocator takes it in pieces as
//! large as what hundreds of matches need (`memory` measures it over more).

use std::path::Path;
use std::time::Duration;

use referee::client::Client;
use referee_tests::cluster::{Cluster, programs};

use crate::Outcome;
use crate::begin::{Game, MATCHES, begin, play};
use crate::server::Server;

/// Matches that are played before anything is measured, so that tables grow by their pages and not by the first of each; those
/// that a model is fitted to; and those that it predicts.
const BEFORE: u64 = 400;
const FITTED: u64 = 100;
const PREDICTED: u64 = 1000;

/// Moves of every match.
const MOVES: usize = 40;

/// What is measured, and in which unit.
const QUANTITIES: [(&str, f64); 4] = [
    ("KiB of tables", 1024.0),
    ("KiB of the database's log", 1024.0),
    ("transactions", 1.0),
    ("ms of the referee's processor", 1e-3),
];

type Amounts = [f64; QUANTITIES.len()];

/// A referee, its database, and what both have taken so far.
struct Measured<'a> {
    server: Server,
    cluster: &'a Cluster,
    database: String,
}

impl Measured<'_> {
    /// What was taken until now.
    fn so_far(&self) -> Outcome<Amounts> {
        // The server tells its numbers about a second late.
        std::thread::sleep(Duration::from_millis(1500));
        let asked = format!(
            "SELECT (SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' AND relnamespace = 'referee'::regnamespace),
                    pg_current_wal_lsn() - '0/0'::pg_lsn,
                    (SELECT xact_commit FROM pg_stat_database WHERE datname = '{}')",
            self.database
        );
        let said = self.cluster.query(&self.database, &asked)?;
        let numbers: Result<Vec<f64>, _> = said.trim().split('|').map(str::parse).collect();
        let [tables, log, transactions] = numbers?[..] else {
            return Err("the database says something else".into());
        };
        Ok([tables, log, transactions, self.server.cpu()])
    }

    /// What so many matches take, and what their moves do: of a match, and of a move.
    async fn taken(&self, first: u64, matches: u64) -> Outcome<[Amounts; 2]> {
        let before = self.so_far()?;
        let lanes = self.begun(first, matches).await?;
        let begun = self.so_far()?;
        play(lanes).await?;
        let played = self.so_far()?;
        let less = |more: Amounts, less: Amounts| std::array::from_fn(|i| more[i] - less[i]);
        Ok([less(begun, before), less(played, begun)])
    }

    async fn begun(&self, first: u64, matches: u64) -> Outcome<Vec<Vec<Game>>> {
        let mut lanes: Vec<Vec<Game>> = (0..MATCHES).map(|_| Vec::new()).collect();
        for number in first..first + matches {
            let client = Client::connect(&self.server.url).await?;
            let game = begin(&self.server, &client, number, MOVES).await?;
            lanes[number as usize % MATCHES].push(game);
        }
        Ok(lanes)
    }
}

/// Fits, predicts and compares.
pub async fn plan(folder: &Path) -> Outcome<()> {
    if programs().is_none() {
        println!("no PostgreSQL is on this machine: nothing is planned");
        return Ok(());
    }
    let cluster = Cluster::start(&[])?;
    let address = cluster.database()?;
    let database = address.rsplit('/').next().unwrap_or_default().to_owned();
    let measured = Measured {
        server: Server::start(folder, &address, 100_000)?,
        cluster: &cluster,
        database,
    };
    measured.taken(80_000, BEFORE).await?;
    let [of_matches, of_moves] = measured.taken(81_000, FITTED).await?;
    let [begun, played] = measured.taken(82_000, PREDICTED).await?;
    println!(
        "{:42} {:>9} {:>9} {:>12} {:>12}",
        "one referee on PostgreSQL, 16 in flight", "a match", "a move", "1,000, said", "measured"
    );
    let moves = |matches: u64| (matches * MOVES as u64) as f64;
    for (i, (quantity, unit)) in QUANTITIES.into_iter().enumerate() {
        let a_match = of_matches[i] / FITTED as f64;
        let a_move = of_moves[i] / moves(FITTED);
        let said = a_match * PREDICTED as f64 + a_move * moves(PREDICTED);
        let found = begun[i] + played[i];
        println!(
            "{quantity:42} {:9.2} {:9.3} {:12.0} {:12.0} ({:+.0} %)",
            a_match / unit,
            a_move / unit,
            said / unit,
            found / unit,
            (found / said - 1.0) * 100.0
        );
    }
    Ok(())
}
