//! A load generator: how fast the service takes moves, and what that costs.
//!
//! `cargo run --release --locked -p referee-tests --example load [-- quick]`
//!
//! The referee runs in a process of its own, beside a bare tonic service whose `SubmitMove` answers the same
//! messages without doing anything: the ratio of the two says what refereeing costs, whatever the machine. The
//! moves of every match are worked out before, so that nothing but submitting is measured. Processor time is the
//! server's own; a run during which others used more than a tenth of a core says so and is void.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use interpreter::package::Configuration;
use interpreter::play::{Match, Seat, Seed};
use referee::client::{Client, request_id};
use referee::library::Library;
use referee::limits::Limits;
use referee::secrets::Keys;
use referee::server::{Config, StoreChoice, start};
use referee::store::memory::Memory;
use referee::store::sqlite::Sqlite;
use referee::store::{MatchId, Store};
use referee::table::decision_id;
use referee::wire::convert::move_out;
use referee::wire::v1;
use referee_tests::random::Random;
use tonic::{Request, Response, Status};
use v1::play_service_server::{PlayService, PlayServiceServer};

type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

const PLAYERS: u8 = 3;

/// Matches that are played at once, and calls in flight.
const MATCHES: usize = 16;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["serve", store, key, open] => runtime.block_on(serve(store, key, open.parse()?)),
        ["quick"] => runtime.block_on(measure(60)),
        _ => runtime.block_on(measure(100)),
    }
}

// ---- the server's side

/// Answers every move with the same message.
struct Echo {
    answer: v1::SubmitMoveResponse,
}

type Nothing<T> = tokio_stream::Empty<Result<T, Status>>;

#[tonic::async_trait]
impl PlayService for Echo {
    type WatchMatchStream = Nothing<v1::WatchMatchResponse>;

    async fn submit_move(
        &self,
        _request: Request<v1::SubmitMoveRequest>,
    ) -> Result<Response<v1::SubmitMoveResponse>, Status> {
        Ok(Response::new(self.answer.clone()))
    }
    async fn get_view(
        &self,
        _request: Request<v1::GetViewRequest>,
    ) -> Result<Response<v1::GetViewResponse>, Status> {
        Err(Status::unimplemented(""))
    }
    async fn list_decisions(
        &self,
        _request: Request<v1::ListDecisionsRequest>,
    ) -> Result<Response<v1::ListDecisionsResponse>, Status> {
        Err(Status::unimplemented(""))
    }
    async fn list_moves(
        &self,
        _request: Request<v1::ListMovesRequest>,
    ) -> Result<Response<v1::ListMovesResponse>, Status> {
        Err(Status::unimplemented(""))
    }
    async fn check_move(
        &self,
        _request: Request<v1::CheckMoveRequest>,
    ) -> Result<Response<v1::CheckMoveResponse>, Status> {
        Err(Status::unimplemented(""))
    }
    async fn watch_match(
        &self,
        _request: Request<v1::WatchMatchRequest>,
    ) -> Result<Response<Self::WatchMatchStream>, Status> {
        Err(Status::unimplemented(""))
    }
    async fn list_events(
        &self,
        _request: Request<v1::ListEventsRequest>,
    ) -> Result<Response<v1::ListEventsResponse>, Status> {
        Err(Status::unimplemented(""))
    }
    async fn resign(
        &self,
        _request: Request<v1::ResignRequest>,
    ) -> Result<Response<v1::ResignResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn contribute_entropy(
        &self,
        _request: Request<v1::ContributeEntropyRequest>,
    ) -> Result<Response<v1::ContributeEntropyResponse>, Status> {
        Err(Status::unimplemented(""))
    }
}

/// An answer as large as a usual one: some events of the moves that follow a choice.
fn usual_answer() -> v1::SubmitMoveResponse {
    let event = |number| v1::Event {
        number,
        kind: Some(v1::event::Kind::CounterChanged(v1::CounterChanged {
            counter: Some(v1::PlaceRef {
                name: "doubloons".into(),
                index: Vec::new(),
            }),
            from: Some(1),
            to: Some(2),
        })),
    };
    v1::SubmitMoveResponse {
        events: (0..8).map(event).collect(),
        resume_token: "x".repeat(59),
        ..Default::default()
    }
}

async fn serve(store: &str, key: &str, open_matches: u32) -> Outcome<()> {
    let keys = Keys::load_or_create(Path::new(key))?;
    let store: Arc<dyn Store> = match store {
        "memory" => Arc::new(Memory::default()),
        path => Arc::new(Sqlite::open(Path::new(path))?),
    };
    let address = ([127, 0, 0, 1], 0).into();
    let mut config = Config::new(address, StoreChoice::Own(store, keys), Library::embedded()?);
    config.testing = true;
    config.limits = Limits {
        open_matches,
        ..Limits::default()
    };
    let running = start(config).await?;
    let echo = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
    let echo_address = echo.local_addr()?;
    let service = PlayServiceServer::new(Echo {
        answer: usual_answer(),
    });
    let incoming = tonic::transport::server::TcpIncoming::from(echo).with_nodelay(Some(true));
    tokio::spawn(
        tonic::transport::Server::builder()
            .add_service(service)
            .serve_with_incoming(incoming),
    );
    println!(
        "{} http://{echo_address} {}",
        running.url(),
        running.host_token()
    );
    std::io::stdout().flush()?;
    // Until the other side goes away.
    tokio::task::spawn_blocking(|| std::io::stdin().lines().next()).await?;
    Ok(())
}

// ---- the client's side

/// A server in a process of its own.
struct Server {
    child: Child,
    url: String,
    echo: String,
    host: String,
    keys: Keys,
}

impl Server {
    fn start(folder: &Path, store: &str, open: u32) -> Outcome<Server> {
        let key = folder.join("key");
        let keys = Keys::load_or_create(&key)?;
        let store: PathBuf = match store {
            "memory" => "memory".into(),
            name => folder.join(name),
        };
        let mut child = Command::new(std::env::current_exe()?)
            .arg("serve")
            .args([&store, &key])
            .arg(open.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        let out = child.stdout.take().ok_or("no output")?;
        BufReader::new(out).read_line(&mut line)?;
        let mut words = line.split_whitespace().map(str::to_owned);
        let mut word = || words.next().ok_or("the server did not start");
        Ok(Server {
            url: word()?,
            echo: word()?,
            host: word()?,
            keys,
            child,
        })
    }

    /// Processor time so far, in seconds.
    fn cpu(&self) -> f64 {
        process_cpu(&format!("/proc/{}/stat", self.child.id()))
    }

    /// Resident memory, in bytes.
    fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/statm", self.child.id()));
        let pages = status
            .ok()
            .and_then(|s| s.split(' ').nth(1)?.parse::<u64>().ok());
        pages.unwrap_or(0) * 4096
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Hundredths of a second, as the kernel counts them.
fn ticks(text: &str, from: usize, count: usize) -> f64 {
    let numbers = text.split_whitespace().skip(from).take(count);
    numbers.filter_map(|n| n.parse::<f64>().ok()).sum::<f64>() / 100.0
}

fn process_cpu(path: &str) -> f64 {
    let stat = std::fs::read_to_string(path).unwrap_or_default();
    // Behind the name, which may have spaces: user and system time are the 12th and 13th.
    let rest = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    ticks(rest, 11, 2)
}

/// Time that all processors worked.
fn machine_cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/stat").unwrap_or_default();
    let line = stat.lines().next().unwrap_or_default();
    let (user, rest) = (ticks(line, 1, 3), ticks(line, 6, 3));
    user + rest
}

/// What a stretch of work took.
#[derive(Clone, Copy)]
struct Took {
    calls: f64,
    seconds: f64,
    server: f64,
    foreign: f64,
}

impl Took {
    fn rate(self) -> f64 {
        self.calls / self.seconds
    }

    fn tell(self, what: &str) {
        let void = if self.foreign > 0.1 { "  VOID" } else { "" };
        println!(
            "{what:42} {:9.0}/s {:8.1} us of the server's processor a call, foreign load {:.2} cores{void}",
            self.rate(),
            self.server / self.calls * 1e6,
            self.foreign,
        );
    }
}

async fn timed(
    server: &Server,
    calls: usize,
    work: impl Future<Output = Outcome<()>>,
) -> Outcome<Took> {
    let own = || process_cpu("/proc/self/stat");
    let (began, all, mine, theirs) = (Instant::now(), machine_cpu(), own(), server.cpu());
    work.await?;
    let seconds = began.elapsed().as_secs_f64();
    let server_cpu = server.cpu() - theirs;
    let foreign = (machine_cpu() - all - (own() - mine) - server_cpu).max(0.0) / seconds;
    Ok(Took {
        calls: calls as f64,
        seconds,
        server: server_cpu,
        foreign,
    })
}

/// A match under way, and everything that will be submitted in it.
struct Game {
    name: String,
    seats: Vec<Client>,
    requests: Vec<(usize, v1::SubmitMoveRequest)>,
}

/// Begins a match, and works its moves out beside the server.
async fn begin(server: &Server, client: &Client, number: u64, moves: usize) -> Outcome<Game> {
    let host = client.with_token(&server.host);
    let seed = Seed::from_number(number);
    let create = v1::CreateMatchRequest {
        ruleset: "rulesets/puerto-rico".into(),
        configuration: Some(v1::Configuration {
            players: PLAYERS.into(),
            ..Default::default()
        }),
        test_seed: seed.0.to_vec(),
        request_id: request_id(),
        ..Default::default()
    };
    let created = host.matches().create_match(create).await?.into_inner();
    let name = created.r#match.ok_or("no match")?.name;
    let mut seats = Vec::new();
    for code in created.claim_codes {
        let claim = v1::ClaimSeatRequest {
            name: name.clone(),
            seat: code.seat,
            claim_code: code.code,
            display_name: "load".into(),
            request_id: request_id(),
        };
        let claimed = client.matches().claim_seat(claim).await?.into_inner();
        seats.push(client.with_token(&claimed.seat_token));
    }
    let start = v1::StartMatchRequest {
        name: name.clone(),
        request_id: request_id(),
    };
    host.matches().start_match(start).await?;
    let id = MatchId::parse(name.trim_start_matches("matches/")).ok_or("no id")?;
    let library = Library::embedded()?;
    let edition = library.get("puerto-rico").ok_or("no ruleset")?;
    let ruleset = library
        .compile(edition, &Configuration::base(PLAYERS))
        .map_err(|_| "mistakes")?;
    let mut game = Match::new(ruleset, seed, false)?;
    let mut random = Random::new(number);
    let mut requests = Vec::new();
    while requests.len() < moves {
        let Some(seat) = game.waiting().first().copied() else {
            break;
        };
        let question = game.question(seat).ok_or("nobody is asked")?;
        let mv = game.sample(seat, &mut || random.word()).ok_or("no move")?;
        let Seat(index) = seat;
        requests.push((
            usize::from(index),
            v1::SubmitMoveRequest {
                name: name.clone(),
                decision_id: decision_id(&server.keys, &id, seat, question.number, 0),
                r#move: Some(move_out(&mv)),
                request_id: request_id(),
                ..Default::default()
            },
        ));
        game.apply(seat, &mv)
            .map_err(|error| format!("{error:?}"))?;
    }
    Ok(Game {
        name,
        seats,
        requests,
    })
}

async fn games(server: &Server, first: u64, count: usize, moves: usize) -> Outcome<Vec<Game>> {
    let mut games = Vec::new();
    for number in 0..count as u64 {
        let client = Client::connect(&server.url).await?;
        games.push(begin(server, &client, first + number, moves).await?);
    }
    Ok(games)
}

fn calls(games: &[Game]) -> usize {
    games.iter().map(|game| game.requests.len()).sum()
}

/// Plays matches at the same time, each on a connection of its own.
async fn play(games: Vec<Game>) -> Outcome<()> {
    let mut tasks = tokio::task::JoinSet::new();
    for game in games {
        tasks.spawn(async move {
            for (seat, request) in game.requests {
                game.seats[seat].play().submit_move(request).await?;
            }
            Ok::<(), Status>(())
        });
    }
    while let Some(done) = tasks.join_next().await {
        done??;
    }
    Ok(())
}

/// The same messages to the service that does nothing.
async fn echo(server: &Server, games: &[Game]) -> Outcome<()> {
    let mut tasks = tokio::task::JoinSet::new();
    for game in games {
        let client = Client::connect(&server.echo)
            .await?
            .with_token(&server.host);
        let requests: Vec<_> = game
            .requests
            .iter()
            .map(|(_, request)| request.clone())
            .collect();
        tasks.spawn(async move {
            for request in requests {
                client.play().submit_move(request).await?;
            }
            Ok::<(), Status>(())
        });
    }
    while let Some(done) = tasks.join_next().await {
        done??;
    }
    Ok(())
}

/// Opens five streams on every match, each read to its end.
async fn watch(server: &Server, games: &[Game]) -> Outcome<Vec<tokio::task::JoinHandle<()>>> {
    let mut watchers = Vec::new();
    for game in games {
        let host = Client::connect(&server.url).await?.with_token(&server.host);
        for _ in 0..5 {
            let watch = v1::WatchPublicMatchRequest {
                name: game.name.clone(),
                ..Default::default()
            };
            let stream = host.spectators().watch_public_match(watch).await?;
            let mut stream = stream.into_inner();
            watchers.push(tokio::spawn(async move {
                while let Ok(Some(_)) = stream.message().await {}
            }));
        }
    }
    Ok(watchers)
}

async fn measure(moves: usize) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let server = Server::start(folder.path(), "memory", 4096)?;
    // Once to warm up: pages, caches, connections.
    play(games(&server, 900, MATCHES, 20).await?).await?;

    let prepared = games(&server, 0, MATCHES, moves).await?;
    let count = calls(&prepared);
    let bare = timed(&server, count * 10, async {
        for _ in 0..10 {
            echo(&server, &prepared).await?;
        }
        Ok(())
    })
    .await?;
    bare.tell("bare echo, 16 in flight");
    let submits = timed(&server, count, play(prepared)).await?;
    submits.tell("submit in memory, 16 matches in flight");
    println!(
        "{:42} {:9.2} of the bare echo (goal: at least 0.5)",
        "",
        submits.rate() / bare.rate()
    );

    let prepared = games(&server, 100, MATCHES, moves).await?;
    let count = calls(&prepared);
    let watchers = watch(&server, &prepared).await?;
    let watched = timed(&server, count, play(prepared)).await?;
    watched.tell("the same with five watchers each");
    let cost = 1.0 - watched.rate() / submits.rate();
    println!(
        "{:42} {:8.0} % slower (goal: at most 30 %)",
        "",
        cost * 100.0
    );
    for watcher in watchers {
        watcher.abort();
    }
    drop(server);

    let durable = Server::start(folder.path(), "durable.sqlite", 4096)?;
    let single = games(&durable, 200, 4, moves).await?;
    let count = calls(&single);
    let one = timed(&durable, count, async {
        for game in single {
            play(vec![game]).await?;
        }
        Ok(())
    })
    .await?;
    one.tell("submit on disk, one by one");
    let prepared = games(&durable, 300, MATCHES, moves).await?;
    let count = calls(&prepared);
    let many = timed(&durable, count, play(prepared)).await?;
    many.tell("submit on disk, 16 in flight");
    println!(
        "{:42} {:9.2} times one by one (goal: at least 2)",
        "",
        many.rate() / one.rate()
    );
    drop(durable);

    memory(folder.path()).await
}

/// What open matches cost, and that matches which were let go cost nothing.
async fn memory(folder: &Path) -> Outcome<()> {
    let server = Server::start(folder, "memory", 100_000)?;
    let client = Client::connect(&server.url).await?;
    let mut sizes = Vec::new();
    for number in 0..600_u64 {
        begin(&server, &client, 1000 + number, 0).await?;
        if number == 199 || number == 599 {
            tokio::time::sleep(Duration::from_millis(500)).await;
            sizes.push(server.memory());
        }
    }
    let slope = sizes[1].saturating_sub(sizes[0]) / 400;
    println!(
        "{:42} {:9.1} KiB of resident memory, its log in memory included (goal: under 64)",
        "an open match of Puerto Rico",
        slope as f64 / 1024.0
    );
    drop(server);

    let server = Server::start(folder, "evicted.sqlite", 64)?;
    let client = Client::connect(&server.url).await?;
    let mut names = Vec::new();
    for number in 0..500 {
        names.push(begin(&server, &client, 2000 + number, 0).await?.name);
    }
    let host = client.with_token(&server.host);
    let open = async |rounds: usize| -> Outcome<()> {
        for _ in 0..rounds {
            for name in &names {
                let get = v1::GetMatchRequest { name: name.clone() };
                host.matches().get_match(get).await?;
            }
        }
        Ok(())
    };
    open(2).await?;
    let before = server.memory();
    let began = Instant::now();
    open(20).await?;
    let opened = 20 * names.len();
    let grown = server.memory().saturating_sub(before);
    println!(
        "{:42} {:9.1} MiB grown after {opened} matches were opened and let go (goal: under 32), {:.2} ms each",
        "matches that rest",
        grown as f64 / 1048576.0,
        began.elapsed().as_secs_f64() * 1000.0 / opened as f64
    );
    Ok(())
}
