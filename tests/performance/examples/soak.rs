//! An hour of a steady load: does anything grow that should not?
//!
//! `cargo build --release --locked --bin referee`, then
//! `cargo run --release --locked -p referee-performance --example soak [-- MINUTES [PLOT]]`
//!
//! The referee is the program itself, with its matches in SQLite. At twelve tables of the four shipped games people play
//! beside bots of every kind, twenty moves a second in all, and every table is watched; when a match is over the next one
//! begins. Every minute a ruleset is published, every ten minutes the referee is stopped as an operator stops it, and
//! started again. Every ten seconds its memory, its open files, how long moves took and the size of its store are noted.
//! At the end the second quarter of the time is compared with the last: what has grown by more than it may is a failure.

mod tables;

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use plotters::prelude::*;
use referee::client::{Chooser, Chooses as _, Client, SeatClient, error_info, request_id};
use referee::wire::v1;
use referee_tests::mini;
use tables::{Outcome, Process, at, begin, claim, create, seat_bot};

/// Tables at which people play.
const TABLES: u64 = 12;
/// Moves that all of them make in a second.
const A_SECOND: u64 = 20;
/// Time between two notes, two publications, two restarts.
const NOTE: Duration = Duration::from_secs(10);
const PUBLISH: Duration = Duration::from_secs(60);
const RESTART: Duration = Duration::from_secs(600);

/// Games, with how many play them.
const GAMES: [(&str, u32); 4] = [
    ("rulesets/puerto-rico", 3),
    ("rulesets/san-juan", 3),
    ("rulesets/catan-rivals", 2),
    ("rulesets/genoa", 3),
];

const KINDS: [v1::BotKind; 3] = [
    v1::BotKind::Random,
    v1::BotKind::Greedy,
    v1::BotKind::Search,
];

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let minutes: u64 = arguments.first().map_or(Ok(60), |word| word.parse())?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let notes = runtime.block_on(soak(Duration::from_secs(60 * minutes)))?;
    if let Some(file) = arguments.get(1) {
        std::fs::write(file, plot(&notes)?)?;
    }
    judge(&notes)
}

// ---- the referee

/// A referee that is stopped and started again, at the same address and with the same store.
struct Referee {
    program: PathBuf,
    store: PathBuf,
    address: String,
    process: Process,
}

impl Referee {
    async fn start(program: PathBuf, store: PathBuf) -> Outcome<Referee> {
        let free = TcpListener::bind(("127.0.0.1", 0))?;
        let address = free.local_addr()?.to_string();
        drop(free);
        let process = Referee::process(&program, &store, &address)?;
        Ok(Referee {
            program,
            store,
            address,
            process,
        })
    }

    /// Gives the process when it serves.
    fn process(program: &Path, store: &Path, address: &str) -> Outcome<Process> {
        let mut child = Command::new(program)
            .args(["serve", "--listen", address, "--store"])
            .arg(store)
            .arg("--token-file")
            .arg(store.with_extension("tokens"))
            .env("REFEREE_LOG", "warn")
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        let said = child.stderr.take().ok_or("it says nothing")?;
        let mut lines = BufReader::new(said).lines();
        loop {
            let line = lines.next().ok_or("the referee did not start")??;
            if line.contains("interrupt to stop") {
                break;
            }
        }
        // Whatever it warns of is worth reading.
        std::thread::spawn(move || {
            lines
                .map_while(Result::ok)
                .for_each(|line| eprintln!("{line}"))
        });
        Ok(Process(child))
    }

    /// Stops it as an operator does, and starts it again.
    fn restart(&mut self) -> Outcome<()> {
        let id = self.process.0.id().to_string();
        Command::new("kill").args(["-TERM", &id]).status()?;
        let ended = self.process.0.wait()?;
        if !ended.success() {
            return Err(format!("the referee has ended: {ended}").into());
        }
        self.process = Referee::process(&self.program, &self.store, &self.address)?;
        Ok(())
    }

    fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    fn token(&self, of: &str) -> Outcome<String> {
        let tokens = std::fs::read_to_string(self.store.with_extension("tokens"))?;
        let mut lines = tokens.lines();
        let token = lines.find_map(|line| line.strip_prefix(of)?.strip_prefix(": "));
        Ok(token.ok_or("there is no such token")?.to_owned())
    }

    /// Resident memory in MiB, and open files.
    fn holds(&self) -> (f64, f64) {
        let folder = PathBuf::from(format!("/proc/{}", self.process.0.id()));
        let memory = std::fs::read_to_string(folder.join("statm")).unwrap_or_default();
        let pages = memory.split(' ').nth(1).and_then(|n| n.parse::<f64>().ok());
        let files = std::fs::read_dir(folder.join("fd")).map_or(0, Iterator::count);
        (pages.unwrap_or(0.0) / 256.0, files as f64)
    }

    /// Size of its store in MiB, with what is yet to be written into it.
    fn stored(&self) -> f64 {
        let wal = PathBuf::from(format!("{}-wal", self.store.display()));
        let size = |path: &Path| std::fs::metadata(path).map_or(0, |file| file.len());
        (size(&self.store) + size(&wal)) as f64 / f64::from(1 << 20)
    }
}

// ---- the load

/// What those who play have to say.
#[derive(Default)]
struct Told {
    /// How long moves took since it was last asked.
    took: Mutex<Vec<Duration>>,
    moves: AtomicU64,
    over: AtomicU64,
    /// Messages that watchers have read.
    heard: AtomicU64,
    /// Calls that were refused: who plays by chance takes what is offered for granted, and it may depend on more.
    refused: AtomicU64,
}

/// What was noted at a time.
struct Note {
    minutes: f64,
    memory: f64,
    files: f64,
    median: f64,
    slow: f64,
    stored: f64,
    over: f64,
}

async fn soak(time: Duration) -> Outcome<Vec<Note>> {
    let folder = tempfile::tempdir()?;
    // Beside the folder of the examples.
    let own = std::env::current_exe()?;
    let program = own.ancestors().nth(2).map(|folder| folder.join("referee"));
    let program = program.filter(|program| program.is_file());
    let program = program.ok_or("build the referee first: cargo build --release --bin referee")?;
    let store = folder.path().join("matches.sqlite");
    let mut referee = Referee::start(program, store).await?;
    let told = Arc::new(Told::default());
    for number in 0..TABLES {
        let (url, host) = (referee.url(), referee.token("host")?);
        let told = told.clone();
        tokio::spawn(async move {
            loop {
                if let Err(error) = table(&url, &host, number, &told).await {
                    // A referee that is started again answers nobody for a moment.
                    told.refused.fetch_add(1, Ordering::Relaxed);
                    eprintln!("table {number}: {error}");
                    tokio::time::sleep(Duration::from_secs(1)).await;
                }
            }
        });
    }
    let (begun, mut published, mut restarted) = (Instant::now(), 0, 0);
    let mut notes = Vec::new();
    println!(
        "minutes  memory MiB  files  median ms  99 in 100 ms  store MiB  moves  over  heard refused"
    );
    while begun.elapsed() < time {
        tokio::time::sleep(NOTE).await;
        let mut took = std::mem::take(&mut *told.took.lock().map_err(|_| "a panic")?);
        took.sort_unstable();
        let milliseconds = |share| at(&took, share).map_or(0.0, |took| 1000.0 * took.as_secs_f64());
        let (memory, files) = referee.holds();
        let count = |number: &AtomicU64| number.load(Ordering::Relaxed);
        let note = Note {
            minutes: begun.elapsed().as_secs_f64() / 60.0,
            memory,
            files,
            median: milliseconds(50),
            slow: milliseconds(99),
            stored: referee.stored(),
            over: count(&told.over) as f64,
        };
        println!(
            "{:7.1}{memory:12.0}{files:7.0}{:11.1}{:14.1}{:11.1}{:7}{:6}{:7}{:8}",
            note.minutes,
            note.median,
            note.slow,
            note.stored,
            count(&told.moves),
            count(&told.over),
            count(&told.heard),
            count(&told.refused),
        );
        notes.push(note);
        let due = |every: Duration| (begun.elapsed().as_secs() / every.as_secs()) as u32;
        if due(PUBLISH) > published {
            published = due(PUBLISH);
            publish(&referee, published).await?;
        }
        if due(RESTART) > restarted && begun.elapsed() < time {
            restarted = due(RESTART);
            referee.restart()?;
        }
    }
    println!("disk: {}", per_match(&referee.store, folder.path())?);
    Ok(notes)
}

/// Publishes the next version of a ruleset.
async fn publish(referee: &Referee, version: u32) -> Outcome<()> {
    let client = Client::connect(&referee.url()).await?;
    let publisher = client.with_token(&referee.token("publisher")?);
    let mut files = mini::package(mini::GAME).files;
    files[0].1 = files[0].1.replace("0.1.0", &format!("0.1.{version}"));
    let package = v1::Package {
        files: files
            .into_iter()
            .map(|(path, text)| v1::PackageFile { path, text })
            .collect(),
    };
    let publish = v1::PublishPackageRequest {
        package: Some(package),
        request_id: request_id(),
        ..Default::default()
    };
    Ok(publisher.call(publish).await.map(drop)?)
}

/// A match at a table, from its beginning to its end.
async fn table(url: &str, host: &str, number: u64, told: &Arc<Told>) -> Outcome<()> {
    let client = Client::connect(url).await?;
    let host = client.with_token(host);
    let round = told.over.load(Ordering::Relaxed);
    let (ruleset, players) = GAMES[(number % 4) as usize];
    let (name, codes) = create(&host, ruleset, players).await?;
    let kind = KINDS[((number / 4 + round) % 3) as usize];
    seat_bot(&host, &name, players, kind).await?;
    let mut people = Vec::new();
    for code in codes.iter().filter(|code| code.seat < players) {
        people.push(claim(&client, &name, code).await?);
    }
    begin(&host, &name).await?;
    let watcher = people[0].clone();
    let heard = told.clone();
    let watching = tokio::spawn(async move { watch(&watcher, &heard).await });
    let played = play(&people, number + TABLES * round, told).await;
    watching.abort();
    told.over.fetch_add(1, Ordering::Relaxed);
    played
}

/// Listens until it is not listened to any more, on one stream after the other.
async fn watch(seat: &SeatClient, told: &Told) {
    let mut resume_token = String::new();
    loop {
        let watch = v1::WatchMatchRequest::of(seat.name()).going_on(&resume_token);
        if let Ok(mut stream) = seat.client().call(watch).await {
            while let Ok(Some(message)) = stream.message().await {
                resume_token = message.resume_token;
                told.heard.fetch_add(1, Ordering::Relaxed);
            }
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// Plays a match to its end, a move at a time.
async fn play(people: &[SeatClient], seed: u64, told: &Told) -> Outcome<()> {
    let mut chooser = Chooser::new(seed);
    let mut ticks = tokio::time::interval(Duration::from_millis(1000 * TABLES / A_SECOND));
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut idle = 0;
    loop {
        ticks.tick().await;
        let mut asked = None;
        for seat in people {
            // Whoever asks in vain asks again.
            if let Ok(Some((decision, offers))) = seat.decision().await {
                asked = Some((seat, decision, offers));
                break;
            }
        }
        let Some((seat, decision, offers)) = asked else {
            idle += 1;
            if idle % 8 == 0 && is_over(&people[0]).await {
                return Ok(());
            }
            continue;
        };
        let mv = chooser.choose(&decision, &offers);
        let begun = Instant::now();
        if let Err(status) = seat.submit(&decision.decision_id, mv).await {
            let reason = error_info(&status).map(|info| info.reason);
            // Somebody else has answered the same question.
            if reason.as_deref() != Some("DECISION_SUPERSEDED") {
                told.refused.fetch_add(1, Ordering::Relaxed);
            }
            continue;
        }
        let mut took = told.took.lock().map_err(|_| "a panic")?;
        took.push(begun.elapsed());
        told.moves.fetch_add(1, Ordering::Relaxed);
    }
}

async fn is_over(seat: &SeatClient) -> bool {
    let asked = v1::GetMatchRequest::of(seat.name());
    let found = seat.client().call(asked).await;
    let found = found.ok().and_then(|found| found.r#match);
    found.is_some_and(|found| found.state() != v1::MatchState::Running)
}

/// What a match that is over takes on the disk, and what is left of it once its requests are forgotten.
fn per_match(store: &Path, folder: &Path) -> Outcome<String> {
    use referee::store::Store as _;
    use referee::store::sqlite::Sqlite;
    let keys = referee::secrets::Keys::load(&PathBuf::from(format!("{}.key", store.display())))?;
    // What is free in a file, and what no match brings, are not a match's.
    let sizes = |name: &str| -> Outcome<(f64, u64)> {
        let copy = folder.join(name);
        Sqlite::backup(store, &copy)?;
        let store = Sqlite::open(&copy, &keys)?;
        let mut over = 0;
        let mut after = 0;
        loop {
            let rows = store.every(None, after, 256)?;
            let Some(last) = rows.last() else { break };
            after = last.order;
            for row in rows {
                over += 1;
                if name == "forgotten" {
                    store.forget_requests(&row.id)?;
                }
            }
        }
        drop(store);
        let connection = rusqlite::Connection::open(&copy)?;
        let sum = "SELECT sum(pgsize) - sum(unused) FROM dbstat WHERE name NOT IN ('contents', 'revisions')";
        let bytes: f64 = connection.query_row(sum, [], |row| row.get(0))?;
        Ok((bytes / 1000.0, over))
    };
    let ((kept, matches), (left, _)) = (sizes("kept")?, sizes("forgotten")?);
    let each = matches.max(1) as f64;
    Ok(format!(
        "{matches} matches, {:.0} kB each, {:.0} kB once their requests are forgotten",
        kept / each,
        left / each
    ))
}

// ---- what came of it

/// What is read off a note.
type Figure = fn(&Note) -> f64;

/// A figure that may grow by a share, and by so much more.
type Bound = (&'static str, Figure, f64, f64);

const BOUNDS: [Bound; 4] = [
    ("memory, MiB", |note| note.memory, 0.15, 16.0),
    ("open files", |note| note.files, 0.1, 8.0),
    ("median, ms", |note| note.median, 0.5, 1.0),
    ("99 in 100, ms", |note| note.slow, 0.5, 10.0),
];

/// Compares the second quarter with the last.
fn judge(notes: &[Note]) -> Outcome<()> {
    let quarter = notes.len() / 4;
    let middle = |notes: &[Note], of: Figure| {
        let mut values: Vec<f64> = notes.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
    };
    let mut grown = Vec::new();
    for (what, of, share, more) in BOUNDS {
        let before = middle(&notes[quarter..2 * quarter], of);
        let after = middle(&notes[notes.len() - quarter..], of);
        println!("{what}: {before:.1} in the second quarter, {after:.1} in the last");
        if after > before * (1.0 + share) + more {
            grown.push(what);
        }
    }
    match grown.is_empty() {
        true => Ok(()),
        false => Err(format!("this has grown: {}", grown.join(", ")).into()),
    }
}

/// What is drawn of it: what it is called, the figure, and its colour.
const PLOTS: [(&str, Figure, RGBColor); 6] = [
    ("memory, MiB", |note| note.memory, RGBColor(31, 95, 153)),
    ("open files", |note| note.files, RGBColor(90, 90, 96)),
    (
        "median of a move, ms",
        |note| note.median,
        RGBColor(44, 110, 63),
    ),
    (
        "99 in 100 moves, ms",
        |note| note.slow,
        RGBColor(140, 60, 120),
    ),
    ("store, MiB", |note| note.stored, RGBColor(191, 108, 38)),
    (
        "matches that are over",
        |note| note.over,
        RGBColor(120, 110, 30),
    ),
];

fn plot(notes: &[Note]) -> Outcome<String> {
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, (900, 640)).into_drawing_area();
        root.fill(&WHITE)?;
        let last = notes.last().map_or(1.0, |note| note.minutes);
        for (area, (name, of, colour)) in root.split_evenly((3, 2)).iter().zip(PLOTS) {
            let highest = notes.iter().map(of).fold(0.0, f64::max);
            let mut chart = ChartBuilder::on(area)
                .caption(name, ("sans-serif", 15))
                .margin(8)
                .x_label_area_size(26)
                .y_label_area_size(44)
                .build_cartesian_2d(0.0..last, 0.0..highest * 1.1 + 0.1)?;
            chart
                .configure_mesh()
                .light_line_style(TRANSPARENT)
                .x_label_formatter(&|minutes| format!("{minutes:.0} min"))
                .draw()?;
            let line = notes.iter().map(|note| (note.minutes, of(note)));
            chart.draw_series(LineSeries::new(line, colour.stroke_width(2)))?;
        }
        root.present()?;
    }
    Ok(text)
}
