//! Several referees on one PostgreSQL, people who play through all of them, and faults: every acknowledged move is looked for
//! afterwards, and every watcher's story compared with the log.
//!
//! `cargo run --release --locked -p referee-campaigns --bin league` needs an installed PostgreSQL, of which it makes a cluster of
//! its own in a temporary folder. Without flags three referees serve and each is killed about once; with `--campaign` everything
//! happens that `RESULTS.md` tells. A full disk is a file system of its own, which only root mounts; a clock that is set back needs
//! `libfaketime`.

mod databases;
mod evidence;
mod harm;
mod network;
mod people;
mod referees;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use clap::Parser;

use databases::{Can, Databases};
use harm::{Targets, Versions, address, harm};
use network::Line;
use people::{Lane, League, Played, play};
use referees::{Process, serve};

type Trouble = Box<dyn Error + Send + Sync>;

/// Several referees serve matches from one database, and faults happen
#[derive(Clone, Parser)]
struct Args {
    /// How many referees serve
    #[arg(long, default_value_t = 3)]
    referees: usize,
    /// How many matches are played at a time, beside one with a clock whose last player does nothing and one with a bot
    #[arg(long, default_value_t = 4)]
    matches: usize,
    /// How often a referee is killed
    #[arg(long, default_value_t = 3)]
    kills: u32,
    /// How often the database is killed, all of its processes at once
    #[arg(long, default_value_t = 0)]
    databases: u32,
    /// How often the primary is gone and its synchronous standby promoted, every second time after waiting commits were cancelled
    #[arg(long, default_value_t = 0)]
    promotions: u32,
    /// How often networks stall for two seconds: that of one referee, or all of them, which are cut then
    #[arg(long, default_value_t = 0)]
    stalls: u32,
    /// How often the database has no room on its disk for five seconds
    #[arg(long, default_value_t = 0)]
    disks: u32,
    /// How often the clock of the database is set back
    #[arg(long, default_value_t = 0)]
    clocks: u32,
    /// How often all referees are replaced, one after the other, by ones of the other version
    #[arg(long, default_value_t = 0)]
    upgrades: u32,
    /// This example as another version has it, to be upgraded to and back; otherwise it is this one itself, beside tables to which
    /// something was added
    #[arg(long)]
    other: Option<PathBuf>,
    /// Go on, once all has happened, until so many moves are acknowledged
    #[arg(long, default_value_t = 0)]
    moves: u64,
    /// Everything, and often: 200 kills of referees, 50 of the database, 20 promotions, 50 stalls, 20 full disks, 20 clocks, 20 upgrades
    #[arg(long)]
    campaign: bool,
    /// By what it is decided who plays where, and what fails when
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Be one of the referees: on this database, with this key
    #[arg(long, hide = true, num_args = 2)]
    serve: Option<Vec<String>>,
}

impl Args {
    /// Matches that are played at a time.
    fn lanes(&self) -> usize {
        self.matches.max(1) + 2
    }

    /// Who plays in a lane: one has a clock, one a bot.
    fn lane(&self, number: usize) -> Lane {
        match self.lanes() - number {
            1 => Lane::Timed,
            2 => Lane::Bots,
            _ => Lane::People,
        }
    }
}

fn main() -> Result<(), Trouble> {
    let mut args = Args::parse();
    if args.campaign {
        (args.kills, args.databases, args.promotions) = (200, 50, 20);
        (args.stalls, args.disks, args.clocks) = (50, 20, 20);
        args.upgrades = 20;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    match &args.serve {
        Some(of) => runtime.block_on(serve(&of[0], Path::new(&of[1]))),
        None => runtime.block_on(all(args)),
    }
}

/// Starts all that can be harmed.
async fn start(args: &Args, folder: &Path) -> Result<Targets, Trouble> {
    let can = Can {
        be_promoted: args.promotions > 0,
        be_full: args.disks > 0,
        be_set_back: args.clocks > 0,
    };
    let databases = Databases::start(can)?;
    let key: PathBuf = folder.join("league.key");
    let own = std::env::current_exe()?;
    let versions = Versions::of(own, args.other.clone());
    let (mut lines, mut processes) = (Vec::new(), Vec::new());
    for _ in 0..args.referees.max(1) {
        let mut own = Vec::new();
        for port in databases.ports() {
            own.push(Line::to(port).await?);
        }
        let address = address(&own);
        lines.push(own);
        let program = versions.now();
        let process = tokio::task::block_in_place(|| Process::start(program, &address, &key));
        processes.push(process?);
    }
    Ok(Targets {
        processes,
        databases,
        lines,
        key,
        versions,
    })
}

/// Plays one match after the other until all is over.
async fn play_on(league: Arc<League>, number: usize, lane: Lane) -> Result<Vec<Played>, Trouble> {
    let mut played = Vec::new();
    while !league.over.load(Ordering::Relaxed) {
        let seed = (number * 1000 + played.len()) as u64;
        let one = play(league.clone(), seed, lane).await;
        if one.is_err() {
            league.over.store(true, Ordering::Relaxed);
        }
        played.push(one?);
    }
    Ok(played)
}

async fn all(args: Args) -> Result<(), Trouble> {
    let folder = tempfile::tempdir()?;
    let mut targets = start(&args, folder.path()).await?;
    let urls: Vec<String> = targets
        .processes
        .iter()
        .map(|process| process.url.clone())
        .collect();
    println!(
        "{} referees on one database: {}",
        urls.len(),
        urls.join(", ")
    );
    println!();
    let host = targets.processes[0].host.clone();
    let league = Arc::new(League::of(urls, host, args.seed));
    let began = Instant::now();
    let playing = async {
        let lanes = (0..args.lanes())
            .map(|number| tokio::spawn(play_on(league.clone(), number, args.lane(number))));
        let mut played = Vec::new();
        for lane in lanes.collect::<Vec<_>>() {
            played.extend(lane.await??);
        }
        Ok::<_, Trouble>(played)
    };
    let harming = async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        let faults = harm(&league, &args, &mut targets).await;
        let is_on = || !league.over.load(Ordering::Relaxed);
        tokio::time::sleep(Duration::from_secs(2)).await;
        while is_on() && league.acknowledged.load(Ordering::Relaxed) < args.moves {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        league.over.store(true, Ordering::Relaxed);
        faults
    };
    let (played, faults) = tokio::join!(playing, harming);
    let (played, faults) = (played?, faults?);
    let seconds = began.elapsed().as_secs_f64();
    let matches = played.len();

    let found = evidence::look(&league, played).await?;
    targets.processes.clear();
    let address = Databases::address(&targets.databases.ports());
    let checked = evidence::check(&address, &targets.key).await?;
    println!(
        "{} moves acknowledged in {seconds:.0} s, in {matches} matches.",
        found.moves
    );
    println!();
    evidence::tell(&faults, &found, checked);
    match found.wrong() + checked.1 {
        0 => Ok(()),
        _ => Err("something was lost, or is otherwise than it was said".into()),
    }
}
