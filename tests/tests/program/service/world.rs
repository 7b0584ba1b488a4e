//! What every test here needs: a referee of its own, and matches with seated clients.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use interpreter::play::Seed;
use referee::client::{
    Call, Chooser, Chooses, Client, SeatClient, bad_request, error_info, request_id,
};
use referee::clock::Clock;
use referee::library::Library;
use referee::limits::Limits;
use referee::secrets::Keys;
use referee::server::{Config, Provider, Retention, Running, StoreChoice, start};
use referee::store::Store;
use referee::store::sqlite::Sqlite;
use referee::wire::v1;
use referee_tests::library;
use tonic::Status;

/// A referee with a store in a folder that goes when the test does.
pub struct World {
    folder: tempfile::TempDir,
    limits: Limits,
    clock: Clock,
    library: fn() -> Library,
    retention: Option<Retention>,
    outside: Outside,
    running: Option<Running>,
    client: Client,
}

/// Other servers that a referee asks and tells.
#[derive(Clone, Default)]
pub struct Outside {
    pub identity: Option<Provider>,
    pub webhook_hosts: Vec<String>,
}

/// A match with a client on every seat.
pub struct Table {
    pub name: String,
    pub host: Client,
    pub seats: Vec<SeatClient>,
    pub created: v1::CreateMatchResponse,
}

/// Limits under which nothing takes long.
pub fn quick() -> Limits {
    Limits {
        heartbeat: Duration::from_millis(50),
        store_probe: Duration::from_millis(100),
        stream_stall: Duration::from_millis(300),
        at_least_wait: Duration::from_millis(300),
        ..Limits::default()
    }
}

fn config(store: StoreChoice, limits: Limits, clock: Clock) -> Config {
    let mut config = Config::new(([127, 0, 0, 1], 0).into(), store, library());
    config.limits = limits;
    config.clock = clock;
    config.testing = true;
    config
}

async fn run(config: Config) -> (Option<Running>, Client) {
    let running = start(config).await.expect("a referee starts");
    let client = Client::connect(&running.url()).await.expect("it listens");
    (Some(running), client)
}

impl World {
    pub async fn new() -> World {
        World::with(quick()).await
    }

    pub async fn with(limits: Limits) -> World {
        World::by(Clock::system(), limits).await
    }

    /// That trusts an identity provider.
    pub async fn trusting(provider: Provider) -> World {
        let outside = Outside {
            identity: Some(provider),
            ..Outside::default()
        };
        World::beside(outside, Clock::system()).await
    }

    /// By a clock of the test's own.
    pub async fn by(clock: Clock, limits: Limits) -> World {
        World::made(clock, limits, Outside::default()).await
    }

    /// With other servers that it asks and tells.
    pub async fn beside(outside: Outside, clock: Clock) -> World {
        World::made(clock, quick(), outside).await
    }

    async fn made(clock: Clock, limits: Limits, outside: Outside) -> World {
        let folder = tempfile::tempdir().expect("a folder");
        let store = StoreChoice::File(folder.path().join("referee.sqlite"));
        let mut config = config(store, limits.clone(), clock.clone());
        config.identity = outside.identity.clone();
        config.webhook_hosts = outside.webhook_hosts.clone();
        let (running, client) = run(config).await;
        World {
            folder,
            limits,
            clock,
            library,
            retention: None,
            outside,
            running,
            client,
        }
    }

    /// On a store of the test's own.
    pub async fn on(store: Arc<dyn Store>) -> World {
        World::with_keys(store, Keys::random().expect("entropy")).await
    }

    /// On a store of the test's own, with these limits.
    pub async fn on_with(store: Arc<dyn Store>, limits: Limits) -> World {
        World::of(store, Keys::random().expect("entropy"), limits).await
    }

    /// On a store that was written with a key.
    pub async fn with_keys(store: Arc<dyn Store>, keys: Keys) -> World {
        World::of(store, keys, quick()).await
    }

    /// On a store that was written with a key, with these limits.
    pub async fn with_keys_and(store: Arc<dyn Store>, keys: Keys, limits: Limits) -> World {
        World::of(store, keys, limits).await
    }

    /// One of several on a store, with a clock of its own and other servers that it asks and tells.
    pub async fn one_of(
        store: Arc<dyn Store>,
        keys: Keys,
        outside: Outside,
        clock: Clock,
    ) -> World {
        World::made_of(store, keys, (quick(), outside, clock)).await
    }

    async fn of(store: Arc<dyn Store>, keys: Keys, limits: Limits) -> World {
        World::made_of(store, keys, (limits, Outside::default(), Clock::system())).await
    }

    async fn made_of(
        store: Arc<dyn Store>,
        keys: Keys,
        (limits, outside, clock): (Limits, Outside, Clock),
    ) -> World {
        let folder = tempfile::tempdir().expect("a folder");
        let store = StoreChoice::Own(store, keys);
        let mut config = config(store, limits.clone(), clock.clone());
        config.identity = outside.identity.clone();
        config.webhook_hosts = outside.webhook_hosts.clone();
        let (running, client) = run(config).await;
        World {
            folder,
            limits,
            clock,
            library,
            retention: None,
            outside,
            running,
            client,
        }
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join("referee.sqlite")
    }

    pub fn url(&self) -> String {
        self.running.as_ref().expect("it runs").url()
    }

    /// Nobody in particular.
    pub fn client(&self) -> &Client {
        &self.client
    }

    pub fn host(&self) -> Client {
        self.client
            .with_token(self.running.as_ref().expect("it runs").host_token())
    }

    pub fn admin(&self) -> Client {
        self.client
            .with_token(self.running.as_ref().expect("it runs").admin_token())
    }

    pub fn running(&self) -> &Running {
        self.running.as_ref().expect("it runs")
    }

    /// A token of a kind, made by the administrator.
    pub async fn token(&self, kind: v1::TokenKind) -> v1::CreateTokenResponse {
        let create = v1::CreateTokenRequest {
            kind: kind.into(),
            // Publishers of the operator may publish what the referee has brought.
            label: "operator".into(),
            request_id: request_id(),
            ..Default::default()
        };
        let made = self.admin().call(create).await;
        made.expect("a token")
    }

    pub fn publisher_token(&self) -> String {
        let running = self.running.as_ref().expect("it runs");
        running.publisher_token().to_owned()
    }

    pub async fn publisher(&self) -> Client {
        let made = self.token(v1::TokenKind::Publisher).await;
        self.client.with_token(&made.token)
    }

    /// What the next start begins with.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// What the next start offers.
    pub fn set_library(&mut self, library: fn() -> Library) {
        self.library = library;
    }

    pub fn set_retention(&mut self, retention: Retention) {
        self.retention = Some(retention);
    }

    pub async fn stop(&mut self) {
        if let Some(running) = self.running.take() {
            running.stop().await;
        }
    }

    /// Stops the referee and starts another on the same file. Clients of before are of no more use.
    pub async fn restart(&mut self) {
        self.restart_with(false).await;
    }

    /// As [`restart`](Self::restart); whether a new key is made if there is none.
    pub async fn restart_with(&mut self, new_key: bool) {
        self.stop().await;
        let store = StoreChoice::File(self.path());
        let mut config = config(store, self.limits.clone(), self.clock.clone());
        config.library = (self.library)();
        config.new_key = new_key;
        config.retention = self.retention.clone();
        config.identity = self.outside.identity.clone();
        config.webhook_hosts = self.outside.webhook_hosts.clone();
        (self.running, self.client) = run(config).await;
    }

    /// A copy of a world that is stopped, with the same key: what is changed in its store is changed before it starts.
    pub async fn copied(&self, change: impl FnOnce(&Path)) -> World {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("referee.sqlite");
        Sqlite::backup(&self.path(), &path).expect("a copy");
        let key = |of: &Path| of.with_extension("sqlite.key");
        std::fs::copy(key(&self.path()), key(&path)).expect("the key");
        change(&path);
        let store = StoreChoice::File(path);
        let (running, client) = run(config(store, self.limits.clone(), self.clock.clone())).await;
        World {
            folder,
            limits: self.limits.clone(),
            clock: self.clock.clone(),
            library: self.library,
            retention: None,
            outside: Outside::default(),
            running,
            client,
        }
    }

    /// As a power cut: nothing finishes, and nothing begins again.
    pub fn abort(&mut self) {
        self.running.take().expect("it runs").abort();
    }

    /// As a power cut, after which it begins again: nothing finishes.
    pub async fn crash(&mut self) {
        self.running.take().expect("it runs").abort();
        self.restart().await;
    }

    /// The same seats, from the referee that runs now.
    pub fn again(&self, table: &Table, tokens: &[String]) -> Vec<SeatClient> {
        tokens
            .iter()
            .map(|token| SeatClient::new(self.client.with_token(token), table.name.as_str()))
            .collect()
    }

    /// The same seats and the host, from the referee that runs now.
    pub fn rejoin(&self, table: &mut Table, tokens: &[String]) {
        table.seats = self.again(table, tokens);
        table.host = self.host();
    }

    /// A match that nobody has joined.
    pub async fn create(&self, players: u32, seed: u64) -> v1::CreateMatchResponse {
        let create = create_request(players, seed);
        self.host().call(create).await.expect("a match is created")
    }

    /// A match as its host sees it, but for who is there: that hangs on the time of day.
    pub async fn get(&self, name: &str) -> v1::Match {
        let asked = v1::GetMatchRequest::of(name);
        let got = self.host().call(asked).await.expect("the match");
        v1::Match {
            presence: Vec::new(),
            ..got.r#match.expect("the match")
        }
    }

    /// A match that is under way, and the seats' tokens.
    pub async fn table(&self, players: u32, seed: u64) -> (Table, Vec<String>) {
        self.begin(create_request(players, seed)).await
    }

    /// As [`table`](Self::table), of what is asked for.
    pub async fn begin(&self, create: v1::CreateMatchRequest) -> (Table, Vec<String>) {
        let created = self.host().call(create).await.expect("a match is created");
        self.seat(created).await
    }

    /// Seats everybody and starts.
    pub async fn seat(&self, created: v1::CreateMatchResponse) -> (Table, Vec<String>) {
        self.seat_of(&self.host(), created).await
    }

    /// As [`seat`](Self::seat), for a host.
    pub async fn seat_of(
        &self,
        host: &Client,
        created: v1::CreateMatchResponse,
    ) -> (Table, Vec<String>) {
        let name = created.r#match.as_ref().expect("a match").name.clone();
        let mut tokens = Vec::new();
        for code in &created.claim_codes {
            let claim = claim_request(code);
            let claimed = self.client.call(claim).await.expect("a seat is claimed");
            tokens.push(claimed.seat_token);
        }
        let start = v1::StartMatchRequest::of(&name);
        host.call(start).await.expect("it starts");
        let mut table = Table {
            name,
            host: host.clone(),
            seats: Vec::new(),
            created,
        };
        table.seats = self.again(&table, &tokens);
        (table, tokens)
    }
}

pub fn create_request(players: u32, seed: u64) -> v1::CreateMatchRequest {
    v1::CreateMatchRequest {
        test_seed: Seed::from_number(seed).0.to_vec(),
        ..v1::CreateMatchRequest::of("rulesets/puerto-rico", players)
    }
}

/// Of another ruleset.
pub fn create_of(ruleset: &str, players: u32, seed: u64) -> v1::CreateMatchRequest {
    v1::CreateMatchRequest {
        ruleset: format!("rulesets/{ruleset}"),
        ..create_request(players, seed)
    }
}

pub fn claim_request(code: &v1::ClaimCode) -> v1::ClaimSeatRequest {
    v1::ClaimSeatRequest::by(code, format!("player {}", code.seat))
}

impl Table {
    /// Calls as a seat.
    pub async fn call<R: Call>(&self, seat: usize, request: R) -> Result<R::Answer, Status> {
        self.seats[seat].client().call(request).await
    }

    /// The seat that is asked, its decision and offers; none when the match is over.
    pub async fn asked(&self) -> Option<(usize, v1::Decision, Vec<v1::Offer>)> {
        for (i, seat) in self.seats.iter().enumerate() {
            if let Some((decision, offers)) = seat.decision().await.expect("an answer") {
                return Some((i, decision, offers));
            }
        }
        None
    }

    /// The seat that is asked, and a move of this player's as it would be submitted there.
    pub async fn next_move(&self, player: &mut Chooser) -> (usize, v1::SubmitMoveRequest) {
        let (seat, decision, offers) = self.asked().await.expect("somebody is asked");
        let request = v1::SubmitMoveRequest {
            r#move: Some(player.choose(&decision, &offers)),
            decision_id: decision.decision_id,
            with_events: true,
            ..v1::SubmitMoveRequest::of(&self.name)
        };
        (seat, request)
    }

    /// Makes some moves by chance; false when the match ended before.
    pub async fn play(&self, moves: usize, player: &mut Chooser) -> bool {
        for _ in 0..moves {
            let Some((seat, decision, offers)) = self.asked().await else {
                return false;
            };
            let mv = player.choose(&decision, &offers);
            self.seats[seat]
                .submit(&decision.decision_id, mv)
                .await
                .expect("a listed move is accepted");
        }
        true
    }

    pub async fn view(&self, seat: usize) -> v1::GetViewResponse {
        let asked = v1::GetViewRequest {
            name: self.name.clone(),
            include_names: true,
            ..Default::default()
        };
        self.call(seat, asked).await.expect("a view")
    }

    pub async fn public_view(&self) -> v1::GetPublicViewResponse {
        let asked = v1::GetPublicViewRequest {
            name: self.name.clone(),
            include_names: true,
            ..Default::default()
        };
        self.host.call(asked).await.expect("a view")
    }

    pub async fn propose(
        &self,
        seat: usize,
        kind: v1::ProposalKind,
        moves: u32,
    ) -> Result<v1::ProposeResponse, Status> {
        let propose = v1::ProposeRequest {
            kind: kind.into(),
            moves,
            ..v1::ProposeRequest::of(&self.name)
        };
        self.call(seat, propose).await
    }

    pub async fn respond(
        &self,
        seat: usize,
        proposal: &str,
        agree: bool,
    ) -> Result<v1::RespondResponse, Status> {
        let respond = v1::RespondRequest {
            agree,
            ..v1::RespondRequest::of(proposal)
        };
        self.call(seat, respond).await
    }

    /// Everybody agrees on something that the first seat proposes.
    pub async fn agree(&self, kind: v1::ProposalKind, moves: u32) {
        let made = self.propose(0, kind, moves).await.expect("a proposal");
        for seat in 1..self.seats.len() {
            let last = seat + 1 == self.seats.len();
            let done = self.respond(seat, &made.name, true).await;
            assert_eq!(done.expect("an answer").done, last);
        }
    }

    pub async fn resign(&self, seat: usize) -> Result<v1::ResignResponse, Status> {
        let resign = v1::ResignRequest::of(&self.name);
        self.call(seat, resign).await
    }

    /// The match as its host sees it, but for who is there.
    pub async fn get(&self) -> v1::Match {
        let asked = v1::GetMatchRequest::of(&self.name);
        let got = self.host.call(asked).await.expect("the match");
        v1::Match {
            presence: Vec::new(),
            ..got.r#match.expect("the match")
        }
    }

    /// Everything that a seat has seen, page by page.
    pub async fn events(&self, seat: usize) -> Vec<v1::Event> {
        self.seats[seat].events(100).await.expect("a page")
    }
}

/// Demands a reason, and the code that the contract promises with it.
#[track_caller]
pub fn expect<T>(result: Result<T, Status>, reason: &str) -> Status {
    let Err(status) = result else {
        panic!("this should have failed with {reason}")
    };
    let info = error_info(&status).unwrap_or_else(|| panic!("{status:?} has no ErrorInfo"));
    assert_eq!(info.reason, reason, "{status:?}");
    let code = format!("{:?}", status.code()).to_uppercase();
    assert_eq!(code, promised_code(reason).replace('_', ""), "{status:?}");
    assert_eq!(info.domain, "referee.v1");
    status
}

/// The first word that the contract says of a reason: `FAILED_PRECONDITION`.
fn promised_code(reason: &str) -> &'static str {
    const CONTRACT: &str = include_str!("../../../../proto/referee/v1/error.proto");
    let (before, _) = CONTRACT
        .split_once(&format!("  REASON_{reason} = "))
        .unwrap_or_else(|| panic!("the contract knows no reason {reason}"));
    let said = before
        .lines()
        .rev()
        .map_while(|line| line.strip_prefix("  // "));
    let said = said.last().expect("the contract says what a reason means");
    said.split(['.', ',']).next().unwrap_or_default()
}

/// The fields that a status says cannot be read.
pub fn fields(status: &Status) -> Vec<String> {
    let wrong = bad_request(status).expect("it says which fields");
    let wrong = wrong.field_violations.into_iter();
    wrong.map(|violation| violation.field).collect()
}

/// A value of an error's metadata.
pub fn metadata(status: &Status, key: &str) -> String {
    error_info(status)
        .and_then(|info| info.metadata.get(key).cloned())
        .unwrap_or_default()
}

/// An event without when it happened, which is something else in every match.
pub fn timeless(mut event: v1::Event) -> v1::Event {
    let time = match &mut event.kind {
        Some(v1::event::Kind::MoveMade(made)) => made.time.take(),
        Some(v1::event::Kind::TableChanged(changed)) => changed.time.take(),
        _ => return event,
    };
    assert!(time.is_some(), "it happened at some time: {event:?}");
    event
}
