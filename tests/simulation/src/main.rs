//! Simulates the whole service: `cargo run --release -p referee-simulation -- --help`.

use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use clap::Parser;
use referee_simulation::simulation::{Report, Wanted, simulate};

/// Simulates the whole service in one thread, from one seed, or from many.
///
/// A seed is simulated by a program of its own, so that nothing of one is left in the next. One at which something is not
/// as it must be is printed with the command that simulates it again.
#[derive(Parser)]
struct Arguments {
    /// The seed, or the first of several.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many seeds, one after the other.
    #[arg(long, default_value_t = 1)]
    seeds: u64,
    /// Steps of each, after which everything comes to its end.
    #[arg(long, default_value_t = 100_000)]
    steps: u64,
    /// Three referees serve from one store, to which the way is bad; each call goes to another one.
    #[arg(long)]
    league: bool,
    /// Write everything that happens into this file (of one seed).
    #[arg(long)]
    trace: Option<PathBuf>,
    /// Simulate every seed twice, and compare the traces.
    #[arg(long)]
    twice: bool,
    /// Simulate two worlds of every seed that differ in secrets alone: their traces must be the same, with everything that
    /// anybody else was told in them.
    #[arg(long)]
    worlds: bool,
    /// Which of these two worlds, 0 or 1.
    #[arg(long)]
    world: Option<u64>,
    /// A mistake was planted in this referee: it is found if something is wrong at nine of ten seeds.
    #[arg(long)]
    planted: bool,
    /// Say in one line what came of the seed, for a program.
    #[arg(long, hide = true)]
    brief: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match arguments.seeds {
        1 if !arguments.twice && !arguments.planted && !arguments.worlds => one(&arguments),
        _ => several(&arguments),
    };
    done.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::from(2)
    })
}

/// Simulates a seed here.
fn one(arguments: &Arguments) -> Result<ExitCode, String> {
    let to = arguments.trace.as_ref().map(File::create).transpose();
    let to = to.map_err(|error| format!("the trace cannot be written: {error}"))?;
    let to = to.map(|file| Box::new(BufWriter::new(file)) as Box<_>);
    let report = simulate(Wanted {
        seed: arguments.seed,
        steps: arguments.steps,
        league: arguments.league,
        secrets: arguments.world,
        to,
    })?;
    if arguments.brief {
        println!("{}", Brief::of(&report).line());
    } else {
        println!("{report:#?}");
    }
    for fault in &report.faults {
        eprintln!("{fault}");
    }
    Ok(match report.faults.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

/// What came of a seed, in a line.
#[derive(PartialEq)]
struct Brief {
    steps: u64,
    crashes: u64,
    moves: u64,
    again: u64,
    lasted_ms: u64,
    hash: String,
    secrets: String,
}

impl Brief {
    fn of(report: &Report) -> Brief {
        use referee_simulation::trace::Step;
        let steps = |step| report.steps.get(&step).copied().unwrap_or(0);
        let count = |what| report.counts.get(what).copied().unwrap_or(0);
        Brief {
            steps: report.steps.values().sum(),
            crashes: steps(Step::Crash),
            moves: count("acknowledged moves"),
            again: count("questions asked again after a crash"),
            lasted_ms: report.lasted_ms,
            hash: report.hash.clone(),
            secrets: report.secrets.clone(),
        }
    }

    fn line(&self) -> String {
        let Brief {
            steps,
            crashes,
            moves,
            again,
            lasted_ms,
            hash,
            secrets,
        } = self;
        format!("{steps} {crashes} {moves} {again} {lasted_ms} {hash} {secrets}")
    }

    fn read(line: &str) -> Option<Brief> {
        let mut words = line.split_whitespace();
        let mut number = || words.next()?.parse().ok();
        Some(Brief {
            steps: number()?,
            crashes: number()?,
            moves: number()?,
            again: number()?,
            lasted_ms: number()?,
            hash: words.next()?.to_owned(),
            secrets: words.next()?.to_owned(),
        })
    }
}

/// A seed, simulated by a program of its own: what came of it, and what was not as it must be.
fn apart(
    seed: u64,
    arguments: &Arguments,
    world: Option<u64>,
) -> Result<(Option<Brief>, String), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    command
        .args(["--brief", "--seed", &seed.to_string()])
        .args(["--steps", &arguments.steps.to_string()])
        .args(arguments.league.then_some("--league"))
        .args(world.map(|world| format!("--world={world}")))
        .stdin(Stdio::null());
    let done = command.output().map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&done.stdout);
    let mut faults = String::from_utf8_lossy(&done.stderr).into_owned();
    if !done.status.success() && faults.is_empty() {
        faults = format!("the program ended with {}", done.status);
    }
    Ok((said.lines().last().and_then(Brief::read), faults))
}

/// What is wrong with two worlds that differ in secrets alone; nothing if they are the same to everybody else.
fn compared(one: Option<&Brief>, other: Option<&(Option<Brief>, String)>) -> &'static str {
    let (Some(one), Some((Some(other), _))) = (one, other) else {
        return "one of two worlds came to no end\n";
    };
    if one.hash != other.hash {
        return "two worlds that differ in secrets alone are told apart (--world 0, --world 1)\n";
    }
    match one.secrets == other.secrets {
        true => "the secrets of two worlds are the same\n",
        false => "",
    }
}

/// Simulates seeds, as many at a time as there are processors.
fn several(arguments: &Arguments) -> Result<ExitCode, String> {
    let began = Instant::now();
    let next = AtomicU64::new(arguments.seed);
    let end = arguments.seed + arguments.seeds;
    let results: Mutex<Vec<(u64, Option<Brief>, String)>> = Mutex::default();
    let errors: Mutex<Vec<String>> = Mutex::default();
    let kept = |seed, brief, faults: String| {
        let mut results = results.lock().unwrap_or_else(|held| held.into_inner());
        if !faults.is_empty() && !arguments.planted {
            let steps = arguments.steps;
            let league = if arguments.league { " --league" } else { "" };
            println!(
                "seed {seed}: {faults}simulate it again: cargo run --release -p referee-simulation -- --seed {seed} --steps {steps}{league} --trace trace.txt"
            );
        }
        results.push((seed, brief, faults));
    };
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::SeqCst);
            if seed >= end {
                return;
            }
            let world = arguments.worlds.then_some(0);
            match apart(seed, arguments, world) {
                Ok((brief, mut faults)) => {
                    if arguments.twice {
                        match apart(seed, arguments, world) {
                            Ok((again, _)) if again == brief => {}
                            _ => faults.push_str("the same seed gave another trace\n"),
                        }
                    }
                    if arguments.worlds {
                        let other = apart(seed, arguments, Some(1));
                        faults.push_str(compared(brief.as_ref(), other.as_ref().ok()));
                    }
                    kept(seed, brief, faults);
                }
                Err(error) => errors
                    .lock()
                    .unwrap_or_else(|held| held.into_inner())
                    .push(error),
            }
        }
    };
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..processors {
            scope.spawn(work);
        }
    });
    if let Some(error) = errors
        .into_inner()
        .unwrap_or_else(|held| held.into_inner())
        .pop()
    {
        return Err(error);
    }
    let results = results
        .into_inner()
        .unwrap_or_else(|held| held.into_inner());
    let sum = |of: fn(&Brief) -> u64| -> u64 {
        let briefs = results.iter().filter_map(|(_, brief, _)| brief.as_ref());
        briefs.map(of).sum()
    };
    let found = results.iter().filter(|(.., faults)| !faults.is_empty());
    let found = found.count() as u64;
    println!(
        "{} seeds from {}: {} steps, {} crashes, {} moves acknowledged, {} questions asked again after a crash, {:.1} simulated hours in {:.0} s; something is wrong at {found}",
        results.len(),
        arguments.seed,
        sum(|brief| brief.steps),
        sum(|brief| brief.crashes),
        sum(|brief| brief.moves),
        sum(|brief| brief.again),
        sum(|brief| brief.lasted_ms) as f64 / 3_600_000.0,
        began.elapsed().as_secs_f64(),
    );
    let good = match arguments.planted {
        // Nine of ten.
        true => found * 10 >= arguments.seeds * 9,
        false => found == 0,
    };
    Ok(match good {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}
