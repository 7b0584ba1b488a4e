//! Feeding one target, in a process that may be lost.

use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use referee_fuzz::{Target, mutated, target};
use referee_tests::random::Random;
use referee_tests::root;

/// Where inputs of a target are kept: what reached something new, and what failed once.
fn kept(target: &Target) -> [PathBuf; 2] {
    ["corpus", "crashes"].map(|kind| root().join("tests/fuzz").join(kind).join(target.name))
}

/// Bytes of stack: as much as a thread of the service has.
const STACK: usize = 2 << 20;

/// What is fed.
pub enum Feed {
    /// Corpus and crashes.
    Kept {
        /// And seeds.
        seeds: bool,
    },
    /// These.
    Files(Vec<PathBuf>),
    /// What is made of seeds, corpus and crashes.
    Mutated {
        /// By which everything is drawn.
        seed: u64,
        /// For how long.
        milliseconds: u64,
        /// Inputs at most.
        inputs: Option<u64>,
    },
}

/// An input that failed, and how.
pub struct Failed {
    /// The input.
    pub input: Vec<u8>,
    /// What happened.
    pub how: String,
}

/// Arguments of the process that feeds.
#[derive(Args)]
pub struct Work {
    target: String,
    files: Vec<PathBuf>,
    #[arg(long)]
    seeds: bool,
    #[arg(long)]
    seed: Option<u64>,
    #[arg(long, default_value_t = 0)]
    milliseconds: u64,
    #[arg(long)]
    inputs: Option<u64>,
    /// Where the input is written before it is fed
    #[arg(long)]
    current: PathBuf,
    /// Seconds for one input
    #[arg(long, env = "FUZZ_SECONDS_PER_INPUT", default_value_t = 30)]
    slowest: u64,
    /// MiB of memory
    #[arg(long, env = "FUZZ_MIB", default_value_t = 3000)]
    memory: u64,
}

/// Where inputs that failed are kept until somebody has looked at them.
pub fn found_folder() -> PathBuf {
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    target.join("fuzz")
}

/// How a process ends that noticed something.
const PANICKED: u8 = 70;
const SLOW: u8 = 71;
const LARGE: u8 = 72;

/// Feeds a target in a process of its own: what it did, or what failed.
///
/// # Errors
///
/// When there is no such process.
pub fn start(target: &Target, feed: &Feed) -> std::io::Result<Result<String, Failed>> {
    std::fs::create_dir_all(found_folder())?;
    let current = found_folder().join(format!("current-{}-{}", target.name, std::process::id()));
    let mut command = Command::new(std::env::current_exe()?);
    command
        .arg("work")
        .arg(target.name)
        .arg("--current")
        .arg(&current);
    match feed {
        Feed::Kept { seeds } => {
            if *seeds {
                command.arg("--seeds");
            }
        }
        Feed::Files(files) => {
            command.args(files);
        }
        Feed::Mutated {
            seed,
            milliseconds,
            inputs,
        } => {
            command.args([
                "--seed",
                &seed.to_string(),
                "--milliseconds",
                &milliseconds.to_string(),
            ]);
            if let Some(inputs) = inputs {
                command.args(["--inputs", &inputs.to_string()]);
            }
        }
    }
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let mut said = String::new();
    if let Some(out) = &mut child.stdout {
        out.read_to_string(&mut said)?;
    }
    let status = child.wait()?;
    let input = std::fs::read(&current).unwrap_or_default();
    let _ = std::fs::remove_file(&current);
    let how = match status.code() {
        Some(0) => return Ok(Ok(said.trim().to_owned())),
        Some(code) if code == i32::from(PANICKED) => "it panicked".to_owned(),
        Some(code) if code == i32::from(SLOW) => "it took too long".to_owned(),
        Some(code) if code == i32::from(LARGE) => "it took too much memory".to_owned(),
        _ => format!(
            "the process was lost ({status}): a stack that overflowed, or memory that was used up"
        ),
    };
    Ok(Err(Failed { input, how }))
}

/// When the input that is fed was begun, in milliseconds since the process was; 0 between inputs.
static BEGUN: AtomicU64 = AtomicU64::new(0);
/// Panics of any thread.
static PANICS: AtomicU64 = AtomicU64::new(0);

impl Work {
    /// Feeds.
    pub fn run(self) -> ExitCode {
        let shown = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            PANICS.fetch_add(1, Ordering::SeqCst);
            shown(info);
        }));
        let began = Instant::now();
        let (slowest, memory) = (self.slowest * 1000, self.memory);
        std::thread::spawn(move || watch(began, slowest, memory));
        let fed = std::thread::Builder::new()
            .stack_size(STACK)
            .spawn(move || self.feed(began));
        let done = fed.map(std::thread::JoinHandle::join);
        match done {
            Ok(Ok(Ok(said))) => {
                println!("{said}");
                ExitCode::SUCCESS
            }
            Ok(Ok(Err(why))) => {
                eprintln!("fuzz: {why}");
                ExitCode::from(2)
            }
            _ => ExitCode::from(PANICKED),
        }
    }

    fn feed(&self, began: Instant) -> std::io::Result<String> {
        let Some(target) = target(&self.target) else {
            return Err(std::io::Error::other("there is no such target"));
        };
        let mut inputs = Vec::new();
        match self.files.is_empty() {
            true => {
                if self.seeds || self.seed.is_some() {
                    inputs.extend((target.seeds)());
                }
                for folder in kept(target) {
                    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
                    let mut files: Vec<PathBuf> = files.map(|file| file.path()).collect();
                    files.sort();
                    for file in files {
                        inputs.push(std::fs::read(file)?);
                    }
                }
            }
            false => {
                for file in &self.files {
                    inputs.push(std::fs::read(file)?);
                }
            }
        }
        let Some(seed) = self.seed else {
            for input in &inputs {
                self.once(target, input, began)?;
            }
            return Ok(format!(
                "{} inputs in {:.1} s",
                inputs.len(),
                began.elapsed().as_secs_f64()
            ));
        };
        // Each target draws numbers of its own.
        let mut own = seed;
        for byte in target.name.bytes() {
            own = own.rotate_left(7) ^ u64::from(byte);
        }
        let mut random = Random::new(own);
        let until = Duration::from_millis(self.milliseconds);
        let mut count = 0;
        while began.elapsed() < until && self.inputs.is_none_or(|most| count < most) {
            let mut input = match inputs.is_empty() {
                true => Vec::new(),
                false => random.pick(&inputs).clone(),
            };
            for _ in 0..1 + random.below(4) {
                input = mutated(target, &input, &mut random);
            }
            self.once(target, &input, began)?;
            count += 1;
        }
        Ok(format!(
            "{count} inputs in {:.1} s",
            began.elapsed().as_secs_f64()
        ))
    }

    /// Feeds one input; the process ends if a thread panicked meanwhile.
    fn once(&self, target: &Target, input: &[u8], began: Instant) -> std::io::Result<()> {
        std::fs::File::create(&self.current)?.write_all(input)?;
        BEGUN.store(began.elapsed().as_millis() as u64 + 1, Ordering::SeqCst);
        // A panic of this thread ends it; one of another thread is only counted.
        (target.run)(input);
        BEGUN.store(0, Ordering::SeqCst);
        if PANICS.load(Ordering::SeqCst) > 0 {
            std::process::exit(i32::from(PANICKED));
        }
        Ok(())
    }
}

/// Ends the process when an input takes too long, or the process too much memory.
fn watch(began: Instant, slowest: u64, memory: u64) {
    loop {
        std::thread::sleep(Duration::from_millis(50));
        let begun = BEGUN.load(Ordering::SeqCst);
        let now = began.elapsed().as_millis() as u64;
        if begun > 0 && now.saturating_sub(begun) > slowest {
            std::process::exit(i32::from(SLOW));
        }
        if resident_mib().is_some_and(|mib| mib > memory) {
            std::process::exit(i32::from(LARGE));
        }
    }
}

/// Memory of this process, where the system says it in a file.
fn resident_mib() -> Option<u64> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    let resident: u64 = pages.split(' ').nth(1)?.parse().ok()?;
    Some((resident * 4096) >> 20)
}
