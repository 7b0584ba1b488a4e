//! Faults, one after the other, and how long nothing was acknowledged because of each.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::databases::Databases;
use crate::network::Line;
use crate::people::League;
use crate::referees::Process;
use crate::{Args, Trouble};

/// How long a network stalls.
const STALLED: Duration = Duration::from_secs(2);

/// How long a disk is full: not everything that is written needs more of it.
const FULL: Duration = Duration::from_secs(5);

/// A clock is set back by so many seconds at most.
const BACK: usize = 30;

/// Time from when commits are cancelled until the primary is gone, in which each referee looks for itself once a second; and so
/// many milliseconds more at most.
const CANCELLED: Duration = Duration::from_millis(300);
const LONGER: usize = 2200;

/// After so long nobody waits any more for a move to be acknowledged.
const PATIENCE: Duration = Duration::from_secs(120);

/// What can be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// A referee is killed, and another one started.
    RefereeKilled,
    /// All processes of the database are killed, and it begins again.
    DatabaseKilled,
    /// The primary is gone, and its synchronous standby promoted.
    Promoted,
    /// The same, after an administrator has cancelled commits that waited for a standby that stalled.
    PromotedAfterCancels,
    /// Nothing goes between one referee and the database for a while.
    NetworkStalls,
    /// Nothing goes between any of them, and then connections are cut.
    NetworksCut,
    /// The database has no room on its disk for a while.
    DiskFull,
    /// The clock of the database is set back.
    ClockSetBack,
    /// Each referee ends, one after the other, and one of another version begins in its place.
    Upgraded,
}

impl Fault {
    /// As it is said in a table.
    pub fn name(self) -> &'static str {
        match self {
            Fault::RefereeKilled => "a referee is killed, another one started",
            Fault::DatabaseKilled => "the database is killed, and begins again",
            Fault::Promoted => "the primary is gone, its synchronous standby promoted",
            Fault::PromotedAfterCancels => {
                "the same, after commits that waited for the standby were cancelled"
            }
            Fault::NetworkStalls => "the network of one referee stalls for two seconds",
            Fault::NetworksCut => "every network stalls for two seconds and is cut",
            Fault::DiskFull => {
                "the disk of the database is full, for five seconds from when that is noticed"
            }
            Fault::ClockSetBack => "the clock of the database is set back by up to 30 seconds",
            Fault::Upgraded => "every referee in turn is replaced by one of another version",
        }
    }
}

/// What is to be done, in an order of chance.
fn planned(args: &Args, league: &League) -> Vec<Fault> {
    let mut planned = Vec::new();
    for (count, of_two) in [
        (args.kills, [Fault::RefereeKilled; 2]),
        (args.databases, [Fault::DatabaseKilled; 2]),
        (
            args.promotions,
            [Fault::Promoted, Fault::PromotedAfterCancels],
        ),
        (args.stalls, [Fault::NetworkStalls, Fault::NetworksCut]),
        (args.disks, [Fault::DiskFull; 2]),
        (args.clocks, [Fault::ClockSetBack; 2]),
        (args.upgrades, [Fault::Upgraded; 2]),
    ] {
        planned.extend(of_two.into_iter().cycle().take(count as usize));
    }
    for last in (1..planned.len()).rev() {
        planned.swap(last, league.below(last + 1));
    }
    planned
}

/// The versions that take turns.
pub struct Versions {
    programs: [PathBuf; 2],
    /// Which of them serves.
    at: usize,
    /// Whether both are the same, so that what the later one adds to the tables is added for it.
    same: bool,
}

impl Versions {
    /// The first of them, and the other one if there is another.
    pub fn of(one: PathBuf, other: Option<PathBuf>) -> Versions {
        let same = other.is_none();
        let other = other.unwrap_or_else(|| one.clone());
        Versions {
            programs: [one, other],
            at: 0,
            same,
        }
    }

    /// The program of the one that serves.
    pub fn now(&self) -> &Path {
        &self.programs[self.at]
    }
}

/// What can be harmed.
pub struct Targets {
    /// The referees.
    pub processes: Vec<Process>,
    /// Their database.
    pub databases: Databases,
    /// The way of each to each of its servers.
    pub lines: Vec<Vec<Line>>,
    /// Their key.
    pub key: PathBuf,
    /// Which programs they are.
    pub versions: Versions,
}

impl Targets {
    /// The address of the database for a referee.
    pub fn address(&self, referee: usize) -> String {
        address(&self.lines[referee])
    }

    /// Starts a referee again, of the version that serves.
    fn begin(&mut self, one: usize, league: &League) -> Result<(), Trouble> {
        let (program, address) = (self.versions.now(), self.address(one));
        let again = tokio::task::block_in_place(|| Process::start(program, &address, &self.key));
        self.processes[one] = again?;
        league.moves(one, self.processes[one].url.clone());
        Ok(())
    }

    fn upgrade(&mut self, league: &League) -> Result<(), Trouble> {
        if self.versions.same {
            tokio::task::block_in_place(|| self.databases.add_to_tables())?;
        }
        self.versions.at = 1 - self.versions.at;
        for one in 0..self.processes.len() {
            tokio::task::block_in_place(|| self.processes[one].end())?;
            self.begin(one, league)?;
        }
        Ok(())
    }

    async fn harm(&mut self, fault: Fault, league: &League) -> Result<(), Trouble> {
        match fault {
            Fault::RefereeKilled => {
                let one = league.below(self.processes.len());
                self.processes[one].kill()?;
                self.begin(one, league)?;
            }
            Fault::Upgraded => self.upgrade(league)?,
            Fault::DatabaseKilled => tokio::task::block_in_place(|| self.databases.kill())?,
            Fault::Promoted => tokio::task::block_in_place(|| self.databases.promote(None))?,
            Fault::PromotedAfterCancels => {
                let since = CANCELLED + Duration::from_millis(league.below(LONGER) as u64);
                tokio::task::block_in_place(|| self.databases.promote(Some(since)))?;
            }
            Fault::NetworkStalls => {
                let one = league.below(self.lines.len());
                stall(&self.lines[one..=one]).await;
            }
            Fault::NetworksCut => {
                stall(&self.lines).await;
                self.lines.iter().flatten().for_each(Line::cut);
            }
            Fault::DiskFull => tokio::task::block_in_place(|| self.databases.fill(FULL))?,
            Fault::ClockSetBack => {
                let seconds = 1 + league.below(BACK) as u64;
                self.databases.set_back(Duration::from_secs(seconds))?;
            }
        }
        Ok(())
    }
}

/// The address of a database at the other ends of some lines.
pub fn address(lines: &[Line]) -> String {
    let ports: Vec<u16> = lines.iter().map(|line| line.port).collect();
    Databases::address(&ports)
}

async fn stall(lines: &[Vec<Line>]) {
    let lines = || lines.iter().flatten();
    lines().for_each(|line| line.stall(true));
    tokio::time::sleep(STALLED).await;
    lines().for_each(|line| line.stall(false));
}

/// Does harm, one thing after the other; tells for each how long nothing was acknowledged.
///
/// # Errors
///
/// When something does not begin again.
pub async fn harm(
    league: &Arc<League>,
    args: &Args,
    targets: &mut Targets,
) -> Result<Vec<(Fault, Duration)>, Trouble> {
    let mut done = Vec::new();
    for fault in planned(args, league) {
        tokio::time::sleep(Duration::from_millis(300 + league.below(700) as u64)).await;
        let over = Arc::new(AtomicBool::new(false));
        let gap = longest_gap(league.clone(), args.lanes(), over.clone());
        let gap = tokio::spawn(gap);
        targets.harm(fault, league).await?;
        over.store(true, Ordering::Relaxed);
        let without = gap.await?;
        if without >= PATIENCE {
            return Err(format!("{}: nothing is acknowledged any more", fault.name()).into());
        }
        eprintln!("{}: {} ms", fault.name(), without.as_millis());
        done.push((fault, without));
    }
    Ok(done)
}

/// The longest time in which nothing is acknowledged, from now on until a fault is over and everybody has been answered once more.
async fn longest_gap(league: Arc<League>, lanes: usize, over: Arc<AtomicBool>) -> Duration {
    let acknowledged = || league.acknowledged.load(Ordering::Relaxed);
    let (mut last, mut longest) = ((acknowledged(), Instant::now()), Duration::ZERO);
    let mut enough = None;
    while longest < PATIENCE && !league.over.load(Ordering::Relaxed) {
        tokio::time::sleep(Duration::from_millis(5)).await;
        longest = longest.max(last.1.elapsed());
        let now = acknowledged();
        if now > last.0 {
            last = (now, Instant::now());
        }
        if over.load(Ordering::Relaxed) && now >= *enough.get_or_insert(now + lanes as u64) {
            break;
        }
    }
    longest
}
