//! A simulation from its beginning to its end.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use referee::library::Library;
use referee::server::issuing::issue;
use referee::store::Grant;
use tokio::runtime::Builder;

use crate::trace::{Step, Trace};
use crate::world::World;
use crate::{audit, people, system};

/// Matches that are played at a time.
const TABLES: u64 = 4;

/// How long everything may take to come to its end when nothing goes wrong any more.
const REST: Duration = Duration::from_secs(1800);

/// What was said in panics.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What came of a simulation.
#[derive(Debug)]
pub struct Report {
    /// Its seed.
    pub seed: u64,
    /// The hash of its trace.
    pub hash: String,
    /// The hash of what was told to whoever sees what others do not; only where two worlds are compared.
    pub secrets: String,
    /// Steps by their kind.
    pub steps: BTreeMap<Step, u64>,
    /// What else was counted.
    pub counts: BTreeMap<&'static str, u64>,
    /// Simulated milliseconds.
    pub lasted_ms: u64,
    /// What was not as it must be.
    pub faults: Vec<String>,
}

/// The rulesets that are played: invented ones that use every construct, and one that is shipped.
///
/// # Errors
///
/// When they cannot be read.
pub fn library() -> Result<Library, String> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut library = Library::default();
    for folder in [
        "rulesets/tea-house",
        "rulesets/night-market",
        "rulesets/sealed-letters",
        "../rulesets/san-juan",
    ] {
        let folder = tests.join(folder);
        let added = library.add_folder(&folder);
        added.map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    Ok(library)
}

/// What is simulated.
pub struct Wanted {
    /// The seed.
    pub seed: u64,
    /// So many steps, after which everything comes to its end. Where something is not as it must be before, it ends there.
    pub steps: u64,
    /// Whether several referees serve from one store, or one that is alone.
    pub league: bool,
    /// Which of two worlds, 0 or 1, that differ in secrets alone; none is a world as it usually is.
    pub secrets: Option<u64>,
    /// Where the trace is written, if anywhere.
    pub to: Option<Box<dyn Write + Send>>,
}

/// Simulates a seed. To be called once in a program, and with nothing else in it: everything random in it comes from the
/// seed.
///
/// # Errors
///
/// When nothing can be simulated at all.
pub fn simulate(wanted: Wanted) -> Result<Report, String> {
    let seed = wanted.seed;
    let library = library()?;
    // Whoever panics may be a task that nobody waits for.
    std::panic::set_hook(Box::new(|panic| held(&PANICS).push(panic.to_string())));
    system::seed(seed);
    // What a thread has remembered of random bytes, a new one has not.
    let thread = std::thread::spawn(move || {
        let mut runtime = Builder::new_current_thread();
        let runtime = runtime.enable_time().start_paused(true).build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        runtime.block_on(live(wanted, library))
    });
    thread
        .join()
        .unwrap_or_else(|_| Err("the simulation panicked".into()))
}

async fn live(wanted: Wanted, library: Library) -> Result<Report, String> {
    let Wanted {
        seed,
        steps,
        league,
        secrets,
        to,
    } = wanted;
    let trace = Trace::new(to);
    let world = World::new(seed, league, secrets, library, trace.clone())?;
    world.begin().await;
    let tokens = world.with_running(|running| {
        let text = |token: &str| token.to_owned();
        (
            text(running.host_token()),
            text(running.admin_token()),
            text(running.publisher_token()),
        )
    });
    let (host, admin, publisher) = tokens.unwrap_or_default();
    let of_players = world.with_store(|store| {
        let token = |table| issue(store, Grant::Player, &format!("player {table}"), 0, None);
        (0..TABLES).map(token).collect::<Result<Vec<String>, _>>()
    });
    let of_players = of_players.ok_or("there is no referee")?;
    let of_players = of_players.map_err(|error| error.to_string())?;
    let weather = tokio::spawn(world.clone().weather());
    let mut people = Vec::new();
    for (table, player) in (0..TABLES).zip(of_players) {
        people.push(tokio::spawn(people::host(
            world.clone(),
            table,
            host.clone(),
            player,
        )));
    }
    people.push(tokio::spawn(people::administrator(world.clone(), admin)));
    people.push(tokio::spawn(people::publisher(world.clone(), publisher)));
    while trace.steps() < steps && trace.faults().is_empty() {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    world.end();
    world.set_calm();
    if weather.await.is_err() {
        trace.fault("the weather stopped".into());
    }
    if trace.faults().is_empty() {
        let all = async {
            for one in people {
                if let Err(error) = one.await {
                    trace.fault(format!("somebody stopped: {error}"));
                }
            }
        };
        if tokio::time::timeout(REST, all).await.is_err() {
            trace.fault("not every match came to its end: somebody waits".into());
        }
        world.stop().await;
        audit::of_the_store(&world);
    }
    for panic in held(&PANICS).drain(..) {
        trace.fault(format!("somebody panicked: {panic}"));
    }
    let (steps, mut counts) = trace.counts();
    counts.insert("connections lost", world.broken());
    Ok(Report {
        seed,
        hash: trace.hash(),
        secrets: trace.secrets(),
        steps,
        counts,
        lasted_ms: trace.now_ms(),
        faults: trace.faults(),
    })
}
