//! `fuzz`: runs targets on any toolchain. See `README.md`.
//!
//! Inputs are fed by a process of its own for each target (`work`), which writes down each input before it feeds it: a
//! stack that overflows or a loop without end takes that process with it, and the input is still known.

mod worker;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::{Parser, Subcommand};
use referee_fuzz::targets::games;
use referee_fuzz::{TARGETS, Target, target};
use referee_tests::random::Random;

use worker::{Failed, Feed};

/// Fuzzing without libFuzzer: replays and mutates on any toolchain
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Do,
}

#[derive(Subcommand)]
enum Do {
    /// Lists the targets
    List,
    /// Feeds corpus and crashes; of one target, or these files to it
    Replay {
        /// A target; all of them if left out
        target: Option<String>,
        /// Its seeds, too: what is shipped, as it is
        #[arg(long)]
        seeds: bool,
        /// Inputs
        files: Vec<PathBuf>,
    },
    /// Feeds inputs that are made of seeds, corpus and crashes
    Mutate {
        /// Targets; all of them if left out
        targets: Vec<String>,
        /// Seconds for all targets together
        #[arg(long, default_value_t = 120)]
        seconds: u64,
        /// By which everything is drawn, in hexadecimal digits; drawn from the clock if left out
        #[arg(long, value_parser = hexadecimal)]
        seed: Option<u64>,
        /// Inputs of each target at most
        #[arg(long)]
        inputs: Option<u64>,
    },
    /// Writes the seeds of each target into a folder of its name, for libFuzzer
    Seeds {
        /// Where
        folder: PathBuf,
    },
    /// Writes an input as text: the rules that it chooses, of `games`
    Show {
        /// Its target
        target: String,
        /// The input
        file: PathBuf,
    },
    /// Makes a failing input smaller
    Shrink {
        /// Its target
        target: String,
        /// The input
        file: PathBuf,
    },
    /// Feeds one target: for `fuzz` itself
    #[command(hide = true)]
    Work(worker::Work),
}

fn hexadecimal(text: &str) -> Result<u64, std::num::ParseIntError> {
    u64::from_str_radix(text, 16)
}

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Do::List => {
            for target in TARGETS {
                println!("{:10} {}", target.name, target.about);
            }
            Ok(true)
        }
        Do::Replay {
            target,
            seeds,
            files,
        } => replay(target.as_deref(), seeds, &files),
        Do::Mutate {
            targets,
            seconds,
            seed,
            inputs,
        } => mutate(&targets, seconds, seed, inputs),
        Do::Seeds { folder } => seeds(&folder).map(|()| true),
        Do::Show { target, file } => show(&target, &file),
        Do::Shrink { target, file } => shrink(&target, &file),
        Do::Work(work) => return work.run(),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("fuzz: {why}");
            ExitCode::from(2)
        }
    }
}

fn chosen(names: &[String]) -> Result<Vec<&'static Target>, String> {
    if names.is_empty() {
        return Ok(TARGETS.iter().collect());
    }
    let found = |name: &String| {
        target(name).ok_or_else(|| format!("there is no target `{name}`; `list` names them"))
    };
    names.iter().map(found).collect()
}

/// What cannot go on.
type Trouble = Box<dyn std::error::Error>;

fn replay(name: Option<&str>, seeds: bool, files: &[PathBuf]) -> Result<bool, Trouble> {
    let mut sound = true;
    for target in chosen(&name.map(str::to_owned).into_iter().collect::<Vec<_>>())? {
        let feed = match files.is_empty() {
            true => Feed::Kept { seeds },
            false => Feed::Files(files.to_vec()),
        };
        sound &= told(target, &feed)?;
    }
    Ok(sound)
}

fn mutate(
    names: &[String],
    seconds: u64,
    seed: Option<u64>,
    inputs: Option<u64>,
) -> Result<bool, Trouble> {
    let seed = match seed {
        Some(seed) => seed,
        None => std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)?
            .as_nanos() as u64,
    };
    println!("fuzz: seed {seed:x}");
    let mut targets = chosen(names)?;
    // Three of them get half of the time; which, the seed says.
    let mut random = Random::new(seed);
    for at in (1..targets.len()).rev() {
        targets.swap(at, random.below(at as u64 + 1) as usize);
    }
    let favoured = targets.len().min(3) as u64;
    let mut sound = true;
    for (at, target) in (0..).zip(targets.iter()) {
        let all = targets.len() as u64;
        let share = seconds as f64 / 2.0 / all as f64;
        let more = if at < favoured {
            seconds as f64 / 2.0 / favoured as f64
        } else {
            0.0
        };
        let feed = Feed::Mutated {
            seed,
            milliseconds: ((share + more) * 1000.0) as u64,
            inputs,
        };
        sound &= told(target, &feed)?;
    }
    Ok(sound)
}

/// Feeds a target and tells what came of it; false if something failed.
fn told(target: &'static Target, feed: &Feed) -> Result<bool, Trouble> {
    match worker::start(target, feed)? {
        Ok(summary) => {
            println!("fuzz: {:10} {summary}", target.name);
            Ok(true)
        }
        Err(Failed { input, how }) => {
            let digest = blake3::hash(&input).to_hex();
            let folder = worker::found_folder();
            std::fs::create_dir_all(&folder)?;
            let file = folder.join(format!("{}-{}", target.name, &digest[..16]));
            std::fs::write(&file, &input)?;
            println!("fuzz: {:10} FAILED: {how}", target.name);
            println!("fuzz: the input is kept; this feeds it again:");
            println!(
                "  cargo run -p referee-fuzz -- replay {} {}",
                target.name,
                file.display()
            );
            Ok(false)
        }
    }
}

fn seeds(folder: &Path) -> Result<(), Trouble> {
    for target in TARGETS {
        let folder = folder.join(target.name);
        std::fs::create_dir_all(&folder)?;
        let all = (target.seeds)();
        for seed in &all {
            let digest = blake3::hash(seed).to_hex();
            std::fs::write(folder.join(&digest[..16]), seed)?;
        }
        println!("fuzz: {:10} {} seeds", target.name, all.len());
    }
    Ok(())
}

fn show(name: &str, file: &Path) -> Result<bool, Trouble> {
    let input = std::fs::read(file)?;
    match name {
        "games" => println!("{}", games::rules(&input)),
        _ => println!("{}", String::from_utf8_lossy(&input)),
    }
    Ok(true)
}

/// Leaves out pieces, larger ones first, as long as the input fails.
fn shrink(name: &str, file: &Path) -> Result<bool, Trouble> {
    let target = target(name).ok_or_else(|| format!("there is no target `{name}`"))?;
    let mut input = std::fs::read(file)?;
    let fails = |input: &[u8]| -> Result<bool, Trouble> {
        let tried = std::env::temp_dir().join(format!("fuzz-shrink-{}", std::process::id()));
        std::fs::write(&tried, input)?;
        let done = Command::new(std::env::current_exe()?)
            .args(["replay", target.name])
            .arg(&tried)
            .output()?;
        Ok(!done.status.success())
    };
    if !fails(&input)? {
        println!("fuzz: it does not fail");
        return Ok(false);
    }
    let mut piece = input.len() / 2;
    while piece > 0 {
        let mut at = 0;
        while at < input.len() {
            let mut fewer = input.clone();
            fewer.drain(at..(at + piece).min(input.len()));
            if fails(&fewer)? {
                input = fewer;
            } else {
                at += piece;
            }
        }
        piece /= 2;
    }
    let smaller = file.with_extension("small");
    std::fs::write(&smaller, &input)?;
    println!("fuzz: {} bytes in {}", input.len(), smaller.display());
    Ok(true)
}
