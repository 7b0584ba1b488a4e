//! Several referees on one PostgreSQL, people who play through all of them, and faults: every acknowledged move is looked for
//! afterwards, and every watcher's story compared with the log.
//!
//! `cargo run --release --locked -p referee-tests --example league` needs an installed PostgreSQL, of which it makes a cluster of
//! its own in a temporary folder. Without flags three referees serve and each is killed once.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::Parser;
use referee::client::{Chooser, Chooses as _, Client};
use referee::library::Library;
use referee::secrets::Keys;
use referee::server::{Config, KeySource, StoreChoice, check_store, start};
use referee::store::postgres::{Address, Postgres};
use referee::wire::v1::{self, watch_match_response::Item};
use referee_tests::cluster::Cluster;
use referee_tests::random::Random;

type Trouble = Box<dyn Error + Send + Sync>;

/// Three referees serve matches from one database, and are killed
#[derive(Clone, Parser)]
struct Args {
    /// How many referees serve
    #[arg(long, default_value_t = 3)]
    referees: usize,
    /// How many matches are played at a time
    #[arg(long, default_value_t = 4)]
    matches: usize,
    /// How often a referee is killed
    #[arg(long, default_value_t = 3)]
    kills: u32,
    /// How often the database is killed, all of its processes at once
    #[arg(long, default_value_t = 0)]
    databases: u32,
    /// How often the database stops doing anything, for two seconds
    #[arg(long, default_value_t = 0)]
    stalls: u32,
    /// By what it is decided who plays where, and what fails when
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Be one of the referees: on this database, with this key
    #[arg(long, hide = true, num_args = 2)]
    serve: Option<Vec<String>>,
}

fn main() -> Result<(), Trouble> {
    let args = Args::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    match &args.serve {
        Some(of) => runtime.block_on(serve(&of[0], Path::new(&of[1]))),
        None => runtime.block_on(all(args)),
    }
}

/// One of the referees, until it is killed.
async fn serve(address: &str, key: &Path) -> Result<(), Trouble> {
    let address = Box::new(Address::read(address)?);
    let choice = StoreChoice::Database(address, KeySource::File(key.into()));
    let mut config = Config::new(([127, 0, 0, 1], 0).into(), choice, Library::embedded()?);
    // Hundreds of people call from one address.
    config.limits.calls_per_second = 100_000;
    let running = start(config).await?;
    println!("{} {}", running.url(), running.host_token());
    std::future::pending().await
}

/// A referee that runs, and where.
struct Process {
    child: Child,
    url: String,
    host: String,
}

impl Process {
    fn start(address: &str, key: &Path) -> Result<Process, Trouble> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("--serve").arg(address).arg(key);
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let said = child.stdout.take().ok_or("it has no output")?;
        let mut line = String::new();
        BufReader::new(said).read_line(&mut line)?;
        let (url, host) = line.trim().split_once(' ').ok_or("it did not start")?;
        Ok(Process {
            url: url.to_owned(),
            host: host.to_owned(),
            child,
        })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have been killed already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What everybody shares.
struct League {
    urls: Mutex<Vec<String>>,
    clients: tokio::sync::Mutex<BTreeMap<String, Client>>,
    host: String,
    random: Mutex<Random>,
    acknowledged: AtomicU64,
    /// How many matches are played at a time.
    lanes: usize,
    over: AtomicBool,
}

impl League {
    fn below(&self, most: usize) -> usize {
        let mut random = self.random.lock().unwrap_or_else(PoisonError::into_inner);
        usize::try_from(random.word() % most.max(1) as u64).unwrap_or(0)
    }

    /// Any referee, with a token; none if it cannot be reached.
    async fn anybody(&self, token: &str) -> Option<Client> {
        let url = {
            let urls = self.urls.lock().unwrap_or_else(PoisonError::into_inner);
            urls[self.below(urls.len())].clone()
        };
        let mut clients = self.clients.lock().await;
        if let Some(client) = clients.get(&url) {
            return Some(with(client, token));
        }
        let client = Client::connect(&url).await.ok()?;
        clients.insert(url, client.clone());
        Some(with(&client, token))
    }

    /// Asks any referee, and the next one if it does not answer, until one does; what it refuses is given back.
    async fn ask<R: referee::client::Call + Clone>(
        &self,
        token: &str,
        request: R,
    ) -> Result<R::Answer, tonic::Status> {
        loop {
            if let Some(client) = self.anybody(token).await {
                let asked =
                    tokio::time::timeout(Duration::from_secs(10), client.call(request.clone()));
                match asked.await {
                    Ok(Err(status)) if is_passing(&status) => {}
                    Ok(answered) => return answered,
                    Err(_) => {}
                }
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

fn with(client: &Client, token: &str) -> Client {
    match token.is_empty() {
        true => client.clone(),
        false => client.with_token(token),
    }
}

/// Whether the same request may be answered by another referee, or later.
fn is_passing(status: &tonic::Status) -> bool {
    use tonic::Code;
    matches!(
        status.code(),
        Code::Unavailable
            | Code::Unknown
            | Code::Cancelled
            | Code::DeadlineExceeded
            | Code::ResourceExhausted
    )
}

/// A match that was played: its name, its seats' tokens, and what was acknowledged to whom.
struct Played {
    name: String,
    tokens: Vec<String>,
    moves: Vec<(usize, v1::SubmitMoveRequest)>,
    told: Vec<v1::Event>,
}

/// Plays a match, each call at any referee, until all is over.
async fn play(league: Arc<League>, seed: u64) -> Result<Played, Trouble> {
    let create = v1::CreateMatchRequest::of("rulesets/puerto-rico", 3);
    let created = league.ask(&league.host, create).await?;
    let name = created.r#match.ok_or("no match")?.name;
    let mut tokens = Vec::new();
    for code in &created.claim_codes {
        let claim = v1::ClaimSeatRequest::by(code, format!("player {}", code.seat));
        tokens.push(league.ask("", claim).await?.seat_token);
    }
    league
        .ask(&league.host, v1::StartMatchRequest::of(&name))
        .await?;
    let watcher = tokio::spawn(watch(league.clone(), name.clone(), tokens[0].clone()));
    let (mut player, mut moves) = (Chooser::new(seed), Vec::new());
    'playing: while !league.over.load(Ordering::Relaxed) {
        for (seat, token) in tokens.iter().enumerate() {
            let asked = v1::ListDecisionsRequest {
                name: name.clone(),
                page_size: 1000,
                ..Default::default()
            };
            // Whoever answers may not have heard yet that the match has begun, or has gone on.
            let Ok(decisions) = league.ask(token, asked).await else {
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            };
            let Some(decision) = decisions.decisions.into_iter().next() else {
                continue;
            };
            let request = v1::SubmitMoveRequest {
                r#move: Some(player.choose(&decision, &decision.offers)),
                decision_id: decision.decision_id.clone(),
                ..v1::SubmitMoveRequest::of(&name)
            };
            match league.ask(token, request.clone()).await {
                Ok(_) => {
                    league.acknowledged.fetch_add(1, Ordering::Relaxed);
                    moves.push((seat, request));
                }
                // Somebody has moved already, or the move was chosen badly.
                Err(status)
                    if matches!(
                        status.code(),
                        tonic::Code::Aborted | tonic::Code::FailedPrecondition
                    ) => {}
                Err(status) => return Err(format!("{name}: {status}").into()),
            }
        }
        let asked = v1::GetMatchRequest::of(&name);
        let found = league.ask(&league.host, asked).await?;
        if found
            .r#match
            .is_some_and(|found| found.state() == v1::MatchState::Finished)
        {
            break 'playing;
        }
    }
    let told = watcher.await??;
    Ok(Played {
        name,
        tokens,
        moves,
        told,
    })
}

/// Watches a match at any referee, and goes on at another when a stream breaks.
async fn watch(
    league: Arc<League>,
    name: String,
    token: String,
) -> Result<Vec<v1::Event>, Trouble> {
    let (mut told, mut resume) = (Vec::new(), String::new());
    loop {
        let Some(client) = league.anybody(&token).await else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let watch = v1::WatchMatchRequest::of(&name);
        let watch = match resume.is_empty() {
            true => watch,
            false => watch.behind(resume.clone()),
        };
        let Ok(mut stream) = client.call(watch).await else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        loop {
            let next = tokio::time::timeout(Duration::from_secs(2), stream.message()).await;
            match next {
                Ok(Ok(Some(message))) => {
                    resume = message.resume_token;
                    match message.item {
                        Some(Item::Events(events)) => told.extend(events),
                        Some(Item::Closed(_)) => return Ok(told),
                        _ => {}
                    }
                }
                Err(_) if league.over.load(Ordering::Relaxed) => return Ok(told),
                Err(_) => {}
                Ok(_) => break,
            }
        }
    }
}

/// What was done to them, and how long nothing was acknowledged after it.
struct Fault {
    what: &'static str,
    without: Duration,
}

/// How long it takes from then on until a move is acknowledged that was submitted later.
async fn next_acknowledged(league: Arc<League>, began: Instant) -> Duration {
    let before = league.acknowledged.load(Ordering::Relaxed);
    // Answers may be under way.
    let under_way = u64::try_from(league.lanes).unwrap_or(0);
    while league.acknowledged.load(Ordering::Relaxed) <= before + under_way
        && began.elapsed() < Duration::from_secs(120)
        && !league.over.load(Ordering::Relaxed)
    {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    began.elapsed()
}

/// Does harm, one thing after the other.
async fn harm(
    league: &Arc<League>,
    args: &Args,
    (address, key): (&str, &Path),
    cluster: &mut Cluster,
    processes: &mut [Process],
) -> Result<Vec<Fault>, Trouble> {
    let mut planned: Vec<&'static str> = Vec::new();
    for (what, count) in [
        ("a referee is killed", args.kills),
        ("the database is killed", args.databases),
        ("the database stalls for two seconds", args.stalls),
    ] {
        planned.extend(std::iter::repeat_n(what, count as usize));
    }
    let mut faults = Vec::new();
    for (number, what) in planned.into_iter().enumerate() {
        tokio::time::sleep(Duration::from_millis(300 + league.below(700) as u64)).await;
        // From then on it is looked when the next move is acknowledged, while whatever was killed begins again.
        let began = Instant::now();
        let waited = tokio::spawn(next_acknowledged(league.clone(), began));
        match what {
            "a referee is killed" => {
                let one = match number < processes.len() {
                    true => number,
                    false => league.below(processes.len()),
                };
                processes[one].child.kill()?;
                processes[one].child.wait()?;
                let again = tokio::task::block_in_place(|| Process::start(address, key));
                processes[one] = again?;
                let url = processes[one].url.clone();
                league.urls.lock().unwrap_or_else(PoisonError::into_inner)[one] = url;
            }
            "the database is killed" => {
                tokio::task::block_in_place(|| cluster.kill().and_then(|()| cluster.begin()))?;
            }
            _ => {
                cluster.stall(true)?;
                tokio::time::sleep(Duration::from_secs(2)).await;
                cluster.stall(false)?;
            }
        }
        faults.push(Fault {
            what,
            without: waited.await?,
        });
    }
    Ok(faults)
}

async fn all(args: Args) -> Result<(), Trouble> {
    let mut cluster = Cluster::start(&[])?;
    let address = cluster.database()?;
    let folder = tempfile::tempdir()?;
    let key: PathBuf = folder.path().join("league.key");
    let mut processes = Vec::new();
    for _ in 0..args.referees.max(1) {
        processes.push(Process::start(&address, &key)?);
    }
    let urls: Vec<String> = processes
        .iter()
        .map(|process| process.url.clone())
        .collect();
    println!(
        "{} referees on one database: {}",
        urls.len(),
        urls.join(", ")
    );
    let league = Arc::new(League {
        urls: Mutex::new(urls),
        clients: tokio::sync::Mutex::default(),
        host: processes[0].host.clone(),
        random: Mutex::new(Random::new(args.seed)),
        acknowledged: AtomicU64::new(0),
        lanes: args.matches,
        over: AtomicBool::new(false),
    });
    let began = Instant::now();
    let playing = async {
        let mut lanes = Vec::new();
        for lane in 0..args.matches.max(1) {
            let league = league.clone();
            lanes.push(tokio::spawn(async move {
                let mut played = Vec::new();
                while !league.over.load(Ordering::Relaxed) {
                    let seed = (lane * 1000 + played.len()) as u64;
                    let one = play(league.clone(), seed).await;
                    if one.is_err() {
                        league.over.store(true, Ordering::Relaxed);
                    }
                    played.push(one?);
                }
                Ok::<_, Trouble>(played)
            }));
        }
        let mut played = Vec::new();
        for lane in lanes {
            played.extend(lane.await??);
        }
        Ok::<_, Trouble>(played)
    };
    let harming = async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        let of = (&address[..], key.as_path());
        let faults = harm(&league, &args, of, &mut cluster, &mut processes).await;
        tokio::time::sleep(Duration::from_secs(2)).await;
        league.over.store(true, Ordering::Relaxed);
        faults
    };
    let (played, faults) = tokio::join!(playing, harming);
    let (played, faults) = (played?, faults?);
    let seconds = began.elapsed().as_secs_f64();

    // Every acknowledged move is there: asked for again, it is answered as before. Every watcher has heard each event once.
    let (mut lost, mut otherwise, mut moves) = (0u64, 0u64, 0u64);
    for one in &played {
        for (seat, request) in &one.moves {
            moves += 1;
            match league.ask(&one.tokens[*seat], request.clone()).await {
                Ok(again) if again.replayed => {}
                _ => lost += 1,
            }
        }
        let mut events = Vec::new();
        let mut page_token = String::new();
        loop {
            let asked = v1::ListEventsRequest {
                name: one.name.clone(),
                page_size: 1000,
                page_token,
                ..Default::default()
            };
            let page = league.ask(&one.tokens[0], asked).await?;
            events.extend(page.events);
            page_token = page.next_page_token;
            if page_token.is_empty() {
                break;
            }
        }
        let heard = events
            .get(..one.told.len())
            .is_some_and(|first| *first == one.told[..]);
        otherwise += u64::from(!heard);
    }
    drop(processes);
    let keys = Keys::load(&key)?;
    let store = Postgres::open(&Address::read(&address)?, &keys)?;
    let mut damaged = 0u64;
    let checked = tokio::task::spawn_blocking(move || {
        let library = Library::embedded().map_err(|error| error.to_string())?;
        let found = check_store(store, keys, library, None, 0, |id, _, checked| {
            if let Some(finding) = checked.findings.first() {
                println!("matches/{id}: {finding}");
                damaged += 1;
            }
        });
        found
            .map(|matches| (matches, damaged))
            .map_err(|error| error.to_string())
    });
    let (matches, damaged) = checked.await??;
    println!("{moves} moves acknowledged in {seconds:.0} s, in {matches} matches");
    println!("| fault | how often | without service: median | most |");
    println!("|---|---|---|---|");
    let mut kinds: BTreeMap<&str, Vec<Duration>> = BTreeMap::new();
    for fault in &faults {
        kinds.entry(fault.what).or_default().push(fault.without);
    }
    for (what, mut without) in kinds {
        without.sort_unstable();
        let median = without[without.len() / 2].as_millis();
        let most = without.last().map_or(0, Duration::as_millis);
        println!("| {what} | {} | {median} ms | {most} ms |", without.len());
    }
    println!("acknowledged moves that are lost: {lost}");
    println!("watchers who heard otherwise than the log says: {otherwise}");
    println!("logs that do not verify: {damaged}");
    match lost + otherwise + damaged {
        0 => Ok(()),
        _ => Err("something was lost".into()),
    }
}
