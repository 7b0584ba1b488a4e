//! A load generator: how fast the service takes moves, and what that costs.
//!
//! `cargo run --profile dist --locked -p referee-performance --example load [-- quick] [submit|durable|memory|cold|evicted…]`
//!
//! The referee runs in a process of its own, beside a bare tonic service whose `SubmitMove` answers the same
//! messages without doing anything: the ratio of the two says what refereeing costs, whatever the machine. The
//! moves of every match are worked out before, so that nothing but submitting is measured. What is compared is
//! measured in turns, and the median of the turns counts. Processor time is the server's own; a turn during
//! which others used more than a tenth of a core says so and is void, as long as others are left.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, RwLock};
use std::time::{Duration, Instant};

use interpreter::Ruleset;
use interpreter::package::Configuration;
use interpreter::play::{Match, Seat, Seed};
use prost::Message;
use prost::bytes::Buf as _;
use referee::client::Client;
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
use tokio::runtime::{Handle, Runtime};
use tonic::body::Body;
use tonic::codec::{Codec, DecodeBuf, Decoder};
use tonic::codegen::http::uri::PathAndQuery;
use tonic::codegen::{BoxFuture, Context, Poll, Service, http};
use tonic::server::{Grpc, NamedService, UnaryService};
use tonic::transport::Endpoint;
use tonic::{Request, Response, Status};
use tonic_prost::ProstCodec;

/// As the command: it is the referee that is measured.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

const PLAYERS: u8 = 3;

/// Matches that are played at once, and calls in flight: each on a connection of its own.
const MATCHES: usize = 16;

/// Matches that are played on a connection in a turn, one after the other, so that a turn is long enough to be
/// timed.
const IN_TURN: usize = 4;

/// How much is measured.
#[derive(Clone, Copy)]
struct Size {
    /// Moves of every match.
    moves: usize,
    /// Turns of which the median counts.
    turns: u64,
    /// Matches that are opened and let go.
    evicted: u64,
}

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let ["serve", store, key, open] = arguments[..] {
        // The bare service runs on as many threads as such a service usually does.
        let usual = Runtime::new()?;
        let served = serve(store, key, open.parse()?, usual.handle());
        return referee::server::runtime(None)?.block_on(served);
    }
    let runtime = Runtime::new()?;
    let quick = arguments.contains(&"quick");
    let size = Size {
        moves: if quick { 60 } else { 100 },
        turns: if quick { 3 } else { 7 },
        evicted: if quick { 2_000 } else { 10_000 },
    };
    let parts: Vec<&str> = arguments.into_iter().filter(|a| *a != "quick").collect();
    let wanted = |part| parts.is_empty() || parts.contains(&part);
    let folder = tempfile::tempdir()?;
    runtime.block_on(async {
        if wanted("submit") {
            submit(folder.path(), size).await?;
        }
        if wanted("durable") {
            durable(folder.path(), size).await?;
        }
        if wanted("memory") {
            memory(folder.path()).await?;
        }
        if wanted("cold") {
            cold(folder.path(), size).await?;
        }
        if wanted("evicted") {
            evicted(folder.path(), size).await?;
        }
        Ok(())
    })
}

// ---- the server's side

/// Answers every move with the same message: one of usual size, which it is told. There is nothing between it and
/// tonic, and tonic's own codec reads and writes the messages.
#[derive(Clone, Default)]
struct Echo {
    answer: Arc<RwLock<v1::SubmitMoveResponse>>,
}

impl NamedService for Echo {
    const NAME: &'static str = "referee.v1.PlayService";
}

impl Service<http::Request<Body>> for Echo {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Infallible>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let echo = self.clone();
        Box::pin(async move {
            let codec = ProstCodec::default();
            Ok(Grpc::new(codec).unary(echo, request).await)
        })
    }
}

impl UnaryService<v1::SubmitMoveRequest> for Echo {
    type Response = v1::SubmitMoveResponse;
    type Future = Ready<Result<Response<v1::SubmitMoveResponse>, Status>>;

    fn call(&mut self, _: Request<v1::SubmitMoveRequest>) -> Self::Future {
        let answer = self.answer.read();
        let answer = answer.map(|answer| Response::new(answer.clone()));
        ready(answer.map_err(|_| Status::internal("a panic")))
    }
}

async fn serve(store: &str, key: &str, open_matches: u32, usual: &Handle) -> Outcome<()> {
    let keys = Keys::load_or_create(Path::new(key))?;
    let store: Arc<dyn Store> = match store {
        "memory" => Arc::new(Memory::default()),
        path => Arc::new(Sqlite::open(Path::new(path), &keys)?),
    };
    let address = ([127, 0, 0, 1], 0).into();
    let mut config = Config::new(address, StoreChoice::Own(store, keys), Library::embedded()?);
    config.testing = true;
    config.limits = Limits {
        open_matches,
        // One host opens matches as fast as it can.
        calls_per_second: 1_000_000,
        ..Limits::default()
    };
    let running = start(config).await?;
    let echo = tokio::net::TcpListener::bind(("127.0.0.1", 0));
    let echo = usual.spawn(echo).await??;
    let echo_address = echo.local_addr()?;
    let service = Echo::default();
    let answer = service.answer.clone();
    let incoming = tonic::transport::server::TcpIncoming::from(echo).with_nodelay(Some(true));
    usual.spawn(
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
    // Until the other side goes away; meanwhile it says what the echo shall answer.
    let told = tokio::task::spawn_blocking(move || {
        for line in std::io::stdin().lines() {
            let bytes: Option<Vec<u8>> = line?.split(' ').map(|byte| byte.parse().ok()).collect();
            let told = v1::SubmitMoveResponse::decode(&bytes.ok_or("no bytes")?[..])?;
            *answer.write().map_err(|_| "a panic")? = told;
        }
        Outcome::Ok(())
    });
    told.await?
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

    fn let_echo_answer(&mut self, answer: &v1::SubmitMoveResponse) -> Outcome<()> {
        let bytes = answer.encode_to_vec();
        let words: Vec<String> = bytes.iter().map(u8::to_string).collect();
        let told = self.child.stdin.as_mut().ok_or("no input")?;
        writeln!(told, "{}", words.join(" "))?;
        Ok(told.flush()?)
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
    client: f64,
    foreign: f64,
}

impl Took {
    fn rate(self) -> f64 {
        self.calls / self.seconds
    }

    /// The same work, done twice.
    fn and(self, other: Took) -> Took {
        let seconds = self.seconds + other.seconds;
        Took {
            calls: self.calls + other.calls,
            seconds,
            server: self.server + other.server,
            client: self.client + other.client,
            foreign: (self.foreign * self.seconds + other.foreign * other.seconds) / seconds,
        }
    }

    fn is_void(self) -> bool {
        self.foreign > 0.1
    }
}

/// Turns of the same work.
#[derive(Default)]
struct Turns(Vec<Took>);

impl Turns {
    /// Of the turns that count.
    fn median(&self, of: fn(Took) -> f64) -> f64 {
        let valid = self.0.iter().filter(|took| !took.is_void());
        let mut values: Vec<f64> = valid.map(|took| of(*took)).collect();
        if values.is_empty() {
            values = self.0.iter().map(|took| of(*took)).collect();
        }
        median(values)
    }

    fn tell(&self, what: &str) {
        let void = self.0.iter().filter(|took| took.is_void()).count();
        println!(
            "{what:42} {:9.0}/s {:8.1} us of the server's processor a call, {:.1} us of the client's, foreign load {:.2} cores, {void} of {} turns void",
            self.median(Took::rate),
            self.median(|took| took.server / took.calls * 1e6),
            self.median(|took| took.client / took.calls * 1e6),
            median(self.0.iter().map(|took| took.foreign).collect()),
            self.0.len(),
        );
    }

    /// The median of the ratios to another work's rates, turn by turn.
    fn ratio(&self, other: &Turns) -> f64 {
        let pairs = || self.0.iter().zip(&other.0);
        let valid = pairs().filter(|(a, b)| !a.is_void() && !b.is_void());
        let mut ratios: Vec<f64> = valid.map(|(a, b)| a.rate() / b.rate()).collect();
        if ratios.is_empty() {
            ratios = pairs().map(|(a, b)| a.rate() / b.rate()).collect();
        }
        median(ratios)
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
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
    let (client_cpu, server_cpu) = (own() - mine, server.cpu() - theirs);
    let foreign = (machine_cpu() - all - client_cpu - server_cpu).max(0.0) / seconds;
    Ok(Took {
        calls: calls as f64,
        seconds,
        server: server_cpu,
        client: client_cpu,
        foreign,
    })
}

/// A match under way, and everything that will be submitted in it.
struct Game {
    name: String,
    seats: Vec<Client>,
    requests: Vec<(usize, v1::SubmitMoveRequest)>,
}

/// The ruleset that is played, compiled once.
fn ruleset() -> Outcome<Arc<Ruleset>> {
    static COMPILED: OnceLock<Arc<Ruleset>> = OnceLock::new();
    if let Some(ruleset) = COMPILED.get() {
        return Ok(ruleset.clone());
    }
    let library = Library::embedded()?;
    let edition = library.get("puerto-rico").ok_or("no ruleset")?;
    let ruleset = library
        .compile(edition, &Configuration::base(PLAYERS))
        .map_err(|_| "mistakes")?;
    Ok(COMPILED.get_or_init(|| ruleset).clone())
}

/// Begins a match, and works its moves out beside the server.
async fn begin(server: &Server, client: &Client, number: u64, moves: usize) -> Outcome<Game> {
    let host = client.with_token(&server.host);
    let seed = Seed::from_number(number);
    let create = v1::CreateMatchRequest {
        test_seed: seed.0.to_vec(),
        ..v1::CreateMatchRequest::of("rulesets/puerto-rico", PLAYERS.into())
    };
    let created = host.call(create).await?;
    let name = created.r#match.ok_or("no match")?.name;
    let mut seats = Vec::new();
    for code in created.claim_codes {
        let claim = v1::ClaimSeatRequest::by(&code, "load");
        let claimed = client.call(claim).await?;
        seats.push(client.with_token(&claimed.seat_token));
    }
    let start = v1::StartMatchRequest::of(&name);
    host.call(start).await?;
    let id = MatchId::parse(name.trim_start_matches("matches/")).ok_or("no id")?;
    if moves == 0 {
        return Ok(Game {
            name,
            seats,
            requests: Vec::new(),
        });
    }
    let mut game = Match::new(ruleset()?, seed, false)?;
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
                decision_id: decision_id(&server.keys, &id, seat, question.number, 0),
                r#move: Some(move_out(&mv)),
                ..v1::SubmitMoveRequest::of(&name)
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

/// Connections to one of the services, and a token that is sent on them.
async fn connections(url: &str, token: &str) -> Outcome<Vec<Client>> {
    let mut connections = Vec::new();
    for _ in 0..MATCHES {
        connections.push(Client::connect(url).await?.with_token(token));
    }
    Ok(connections)
}

/// Matches by connection: so many on each.
async fn games(
    server: &Server,
    connections: &[Client],
    first: u64,
    count: usize,
    moves: usize,
) -> Outcome<Vec<Vec<Game>>> {
    let (mut lanes, mut number) = (Vec::new(), first);
    for connection in connections {
        let mut lane = Vec::new();
        for _ in 0..count {
            lane.push(begin(server, connection, number, moves).await?);
            number += 1;
        }
        lanes.push(lane);
    }
    Ok(lanes)
}

fn calls(lanes: &[Vec<Game>]) -> usize {
    let games = lanes.iter().flatten();
    games.map(|game| game.requests.len()).sum()
}

/// What will be submitted on each connection.
fn requests(lanes: &[Vec<Game>]) -> Vec<Vec<v1::SubmitMoveRequest>> {
    let of_lane = |lane: &Vec<Game>| {
        let requests = lane.iter().flat_map(|game| &game.requests);
        requests.map(|(_, request)| request.clone()).collect()
    };
    lanes.iter().map(of_lane).collect()
}

/// Plays a match.
async fn play_one(game: Game) -> Outcome<()> {
    for (seat, request) in game.requests {
        game.seats[seat].call(request).await?;
    }
    Ok(())
}

/// Plays matches, those of a connection one after the other.
async fn play(lanes: Vec<Vec<Game>>) -> Outcome<()> {
    let mut tasks = tokio::task::JoinSet::new();
    for lane in lanes {
        tasks.spawn(async move {
            for game in lane {
                play_one(game).await?;
            }
            Outcome::Ok(())
        });
    }
    while let Some(done) = tasks.join_next().await {
        done??;
    }
    Ok(())
}

/// Plays a match and gives the answers.
async fn answered(game: Game) -> Outcome<Vec<v1::SubmitMoveResponse>> {
    let mut answers = Vec::new();
    for (seat, request) in game.requests {
        let answer = game.seats[seat].call(request).await?;
        answers.push(answer);
    }
    Ok(answers)
}

/// The same messages to the service that does nothing.
async fn echo(connections: &[Client], requests: &[Vec<v1::SubmitMoveRequest>]) -> Outcome<()> {
    let mut tasks = tokio::task::JoinSet::new();
    for (client, requests) in connections.iter().zip(requests) {
        let (client, requests) = (client.clone(), requests.clone());
        tasks.spawn(async move {
            for request in requests {
                client.call(request).await?;
            }
            Ok::<(), Status>(())
        });
    }
    while let Some(done) = tasks.join_next().await {
        done??;
    }
    Ok(())
}

/// Reads messages to their ends and makes nothing of them: what spectators make of what they hear, they make on
/// machines of their own, and not on the one that referees.
#[derive(Default)]
struct Unopened;

impl Codec for Unopened {
    type Encode = v1::WatchPublicMatchRequest;
    type Decode = ();
    type Encoder = <ProstCodec<Self::Encode, ()> as Codec>::Encoder;
    type Decoder = Unopened;

    fn encoder(&mut self) -> Self::Encoder {
        ProstCodec::<_, ()>::default().encoder()
    }

    fn decoder(&mut self) -> Unopened {
        Unopened
    }
}

impl Decoder for Unopened {
    type Item = ();
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<()>, Status> {
        from.advance(from.remaining());
        Ok(Some(()))
    }
}

/// As everybody reads them who wants to know what they say.
type Opened = ProstCodec<v1::WatchPublicMatchRequest, v1::WatchPublicMatchResponse>;

/// Those who watch each match.
const WATCHERS: usize = 5;

/// Those who watch. They go away when this is dropped.
struct Watchers {
    _reading: tokio::task::JoinSet<()>,
    messages: Arc<AtomicUsize>,
}

/// Opens streams on every match, each read to its end.
async fn watch<C>(server: &Server, lanes: &[Vec<Game>]) -> Outcome<Watchers>
where
    C: Codec<Encode = v1::WatchPublicMatchRequest> + Default + Send + 'static,
    C::Decode: Send + Sync,
{
    let (mut reading, messages) = (tokio::task::JoinSet::new(), Arc::<AtomicUsize>::default());
    for game in lanes.iter().flatten() {
        let channel = Endpoint::from_shared(server.url.clone())?;
        let channel = channel.tcp_nodelay(true).connect().await?;
        for _ in 0..WATCHERS {
            let mut watch = Request::new(v1::WatchPublicMatchRequest::of(&game.name));
            let token = format!("Bearer {}", server.host).parse()?;
            watch.metadata_mut().insert("authorization", token);
            let mut caller = tonic::client::Grpc::new(channel.clone());
            caller.ready().await?;
            let path = PathAndQuery::from_static("/referee.v1.SpectatorService/WatchPublicMatch");
            let stream = caller.server_streaming(watch, path, C::default()).await?;
            let (mut stream, messages) = (stream.into_inner(), messages.clone());
            reading.spawn(async move {
                while let Ok(Some(_)) = stream.message().await {
                    messages.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    }
    Ok(Watchers {
        _reading: reading,
        messages,
    })
}

/// Plays matches while others watch.
async fn play_watched<C>(server: &Server, lanes: Vec<Vec<Game>>) -> Outcome<Took>
where
    C: Codec<Encode = v1::WatchPublicMatchRequest> + Default + Send + 'static,
    C::Decode: Send + Sync,
{
    let (count, matches) = (calls(&lanes), lanes.iter().flatten().count());
    let watchers = watch::<C>(server, &lanes).await?;
    let took = timed(server, count, play(lanes)).await?;
    // What was said before the first move, and some of the rest.
    let heard = watchers.messages.load(Ordering::Relaxed);
    if heard < 2 * matches * WATCHERS {
        return Err("those who watch hear nothing".into());
    }
    Ok(took)
}

/// Moves that nothing keeps, beside what a bare service does; then the same while others watch.
async fn submit(folder: &Path, size: Size) -> Outcome<()> {
    let mut server = Server::start(folder, "memory", 100_000)?;
    let bare_connections = connections(&server.echo, &server.host).await?;
    let connections = connections(&server.url, &server.host).await?;
    // Once to warm up: pages, caches, connections.
    let mut answers = Vec::new();
    for game in games(&server, &connections, 900, 1, size.moves)
        .await?
        .into_iter()
        .flatten()
    {
        answers.extend(answered(game).await?);
    }
    let mean = answers.iter().map(Message::encoded_len).sum::<usize>() / answers.len().max(1);
    let usual = answers
        .iter()
        .min_by_key(|answer| answer.encoded_len().abs_diff(mean));
    server.let_echo_answer(usual.ok_or("no answer")?)?;
    println!("{:42} {mean:9} bytes of an answer, on average", "");
    let warm = games(&server, &connections, 950, 1, size.moves).await?;
    echo(&bare_connections, &requests(&warm)).await?;
    play(warm).await?;

    let (mut bare, mut submits, mut told) = <(Turns, Turns, Turns)>::default();
    let (mut watched, mut unopened) = <(Turns, Turns)>::default();
    // They are short, so there are more of them.
    for turn in 0..3 * size.turns {
        let first = 10_000 + turn * 1000;
        let prepared = games(&server, &connections, first, IN_TURN, size.moves).await?;
        let count = calls(&prepared);
        let requests = requests(&prepared);
        // The bare service is measured before and after: a machine that becomes slower does so for both.
        let before = timed(&server, count, echo(&bare_connections, &requests)).await?;
        submits.0.push(timed(&server, count, play(prepared)).await?);
        let after = timed(&server, count, echo(&bare_connections, &requests)).await?;
        bare.0.push(before.and(after));
        let mut prepared = games(&server, &connections, first + 900, IN_TURN, size.moves).await?;
        for (_, request) in prepared
            .iter_mut()
            .flatten()
            .flat_map(|game| &mut game.requests)
        {
            request.with_events = true;
        }
        let count = calls(&prepared);
        told.0.push(timed(&server, count, play(prepared)).await?);
        // Whoever is first finds that memory has grown meanwhile, so each is in turn.
        for opens in [turn % 2 == 0, turn % 2 != 0] {
            let first = first + if opens { 300 } else { 600 };
            let prepared = games(&server, &connections, first, IN_TURN, size.moves).await?;
            if opens {
                let took = play_watched::<Opened>(&server, prepared).await?;
                watched.0.push(took);
            } else {
                let took = play_watched::<Unopened>(&server, prepared).await?;
                unopened.0.push(took);
            }
        }
    }
    bare.tell("bare echo, 16 in flight");
    submits.tell("submit in memory, 16 matches in flight");
    println!(
        "{:42} {:9.2} of the bare echo (goal: at least 0.5)",
        "",
        submits.ratio(&bare)
    );
    told.tell("the same with what followed in the answer");
    println!("{:42} {:9.2} of the bare echo", "", told.ratio(&bare));
    watched.tell("the same with five watchers each");
    println!(
        "{:42} {:8.0} % slower (goal: at most 30 %)",
        "",
        (1.0 - watched.ratio(&submits)) * 100.0
    );
    unopened.tell("the same, nothing unpacked that they hear");
    println!(
        "{:42} {:8.0} % slower",
        "",
        (1.0 - unopened.ratio(&submits)) * 100.0
    );
    Ok(())
}

/// Moves that are on disk before they are acknowledged.
async fn durable(folder: &Path, size: Size) -> Outcome<()> {
    let server = Server::start(folder, "durable.sqlite", 4096)?;
    let connections = connections(&server.url, &server.host).await?;
    play(games(&server, &connections, 900, 1, 20).await?).await?;
    let (mut one, mut many) = <(Turns, Turns)>::default();
    for turn in 0..size.turns {
        let first = 20_000 + turn * 100;
        let single = games(&server, &connections[..1], first, IN_TURN, size.moves).await?;
        let count = calls(&single);
        one.0.push(timed(&server, count, play(single)).await?);
        let prepared = games(&server, &connections, first + 50, 1, size.moves).await?;
        let count = calls(&prepared);
        many.0.push(timed(&server, count, play(prepared)).await?);
    }
    one.tell("submit on disk, one by one");
    many.tell("submit on disk, 16 in flight");
    println!(
        "{:42} {:9.2} times one by one (goal: at least 2)",
        "",
        many.ratio(&one)
    );
    Ok(())
}

/// What open matches cost.
async fn memory(folder: &Path) -> Outcome<()> {
    let server = Server::start(folder, "open.sqlite", 100_000)?;
    for (what, moves) in [
        ("an open match of Puerto Rico, just begun", 0),
        ("the same after 60 moves", 60),
        ("the same after 200 moves, or at its end", 200),
    ] {
        let mut sizes = Vec::new();
        for number in 0..600_u64 {
            let client = Client::connect(&server.url).await?;
            let game = begin(&server, &client, 1000 + number, moves).await?;
            play_one(game).await?;
            if number == 199 || number == 599 {
                tokio::time::sleep(Duration::from_millis(500)).await;
                sizes.push(server.memory());
            }
        }
        let slope = sizes[1].saturating_sub(sizes[0]) / 400;
        println!(
            "{what:42} {:9.1} KiB of resident memory, its log on disk (goal: under 64)",
            slope as f64 / 1024.0
        );
    }
    Ok(())
}

/// What it costs to open matches that rest: from a snapshot, and from the log alone.
async fn cold(folder: &Path, size: Size) -> Outcome<()> {
    let store = "cold.sqlite";
    let server = Server::start(folder, store, 4)?;
    for moves in [60, 200] {
        let mut names = Vec::new();
        let count = size.evicted / 100;
        for number in 0..count {
            let client = Client::connect(&server.url).await?;
            let game = begin(
                &server,
                &client,
                30_000 + moves * 1000 + number,
                moves as usize,
            )
            .await?;
            names.push(game.name.clone());
            play_one(game).await?;
        }
        let host = Client::connect(&server.url).await?.with_token(&server.host);
        for what in ["with a snapshot", "from its log alone"] {
            let work = async {
                for name in &names {
                    let get = v1::GetMatchRequest { name: name.clone() };
                    host.call(get).await?;
                }
                Ok(())
            };
            let took = timed(&server, names.len(), work).await?;
            println!(
                "{:42} {:9.2} ms until a match of {moves} moves is opened {what}, {:.2} ms of the server's processor",
                "",
                took.seconds * 1000.0 / took.calls,
                took.server * 1000.0 / took.calls,
            );
            Sqlite::drop_snapshots(&folder.join(store))?;
        }
    }
    Ok(())
}

/// Begins matches, several at once, and makes some moves in each; gives their names.
async fn pass_by(server: &Arc<Server>, first: u64, count: u64) -> Outcome<Vec<String>> {
    let lanes = MATCHES as u64;
    let mut tasks = tokio::task::JoinSet::new();
    for lane in 0..lanes {
        let server = server.clone();
        tasks.spawn(async move {
            let client = Client::connect(&server.url).await?;
            let mut names = Vec::new();
            for number in (first + lane..first + count).step_by(MATCHES) {
                let game = begin(&server, &client, number, 4).await?;
                names.push(game.name.clone());
                play_one(game).await?;
            }
            Ok::<_, Box<dyn std::error::Error + Send + Sync>>(names)
        });
    }
    let mut names = Vec::new();
    while let Some(done) = tasks.join_next().await {
        names.extend(done??);
    }
    Ok(names)
}

/// That matches which were let go cost nothing.
async fn evicted(folder: &Path, size: Size) -> Outcome<()> {
    let server = Arc::new(Server::start(folder, "evicted.sqlite", 64)?);
    let names = pass_by(&server, 40_000, 1_000).await?;
    let before = server.memory();
    let began = Instant::now();
    let passed = pass_by(&server, 50_000, size.evicted).await?.len();
    let seconds = began.elapsed().as_secs_f64();
    println!(
        "{:42} {:9.1} MiB grown from {:.1} while {passed} matches came and went (goal: under 32), {:.2} ms each",
        "matches that rest",
        (server.memory() as f64 - before as f64) / 1048576.0,
        before as f64 / 1048576.0,
        seconds * 1000.0 / passed as f64
    );
    let host = Client::connect(&server.url).await?.with_token(&server.host);
    let before = server.memory();
    let began = Instant::now();
    let rounds = size.evicted as usize / names.len();
    for _ in 0..rounds {
        for name in &names {
            let get = v1::GetMatchRequest { name: name.clone() };
            host.call(get).await?;
        }
    }
    let opened = rounds * names.len();
    println!(
        "{:42} {:9.1} MiB grown after {opened} were opened and let go again, {:.2} ms each",
        "",
        (server.memory() as f64 - before as f64) / 1048576.0,
        began.elapsed().as_secs_f64() * 1000.0 / opened as f64
    );
    Ok(())
}
