//! Starting and stopping a referee: from a program, from a test, or from the command line.

use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use arc_swap::ArcSwap;
use http::{HeaderName, HeaderValue, Method};
use metrics_exporter_prometheus::PrometheusBuilder;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tonic::codec::CompressionEncoding;
use tonic::server::NamedService;
use tonic::transport::Server;
use tonic_health::server::HealthReporter;
use tower::util::option_layer;
use tower_http::cors::{AllowOrigin, CorsLayer};

use super::open_store::{OpenError, Opened, StoreChoice, open};
use super::reload::{self, Folders};
use super::retention::{Tidied, tidy_up};
use crate::Referee;
use crate::calls::auth::{ADMIN_PREFIX, Auth, HOST_PREFIX, PUBLISHER_PREFIX};
use crate::calls::host_code::HostCode;
use crate::calls::issuing::OPERATOR;
use crate::connections::accept::{Certificates, Connections, Doors, Room, Tls};
use crate::connections::metrics::{BUCKETS, Figures};
use crate::connections::page::Page;
use crate::connections::probes::Probes;
use crate::connections::straight::Straight;
use crate::connections::transport::Transport;
use crate::connections::{accept, call_traces, transport};
use crate::published::artifact_cache::ArtifactCache;
use crate::published::channels::Channels;
use crate::published::owners::Owners;
use crate::retention::Retention;
use crate::services::admin::Admin;
use crate::services::info::Info;
use crate::services::matches::Matches;
use crate::services::play::Playing;
use crate::services::players::Players;
use crate::services::publishing::Publishing;
use crate::services::records::Records;
use crate::services::rulesets::Rulesets;
use crate::services::spectators::Spectators;
use crate::services::table::Tables;
use referee_contract::{routing, v1};
use referee_library::Library;
use referee_sandbox::Sandbox;
use referee_sandbox::limits::Limits;
use referee_sandbox::memory::Gauge;
use referee_store::clock::Clock;
use referee_store::lock::Lock;
use referee_store::numbers::{float, to_u64, to_usize};
use referee_store::secrets::{Purpose, token_hash};
use referee_store::threads::Threads;
use referee_store::{Condition, Grant, Journal, Principal, Store, StoreError, TokenRow};
use referee_table::at_once::AtOnce;
use referee_table::outside::identity::{Identity, Provider, ProviderError};
use referee_table::outside::notices::{Allowed, Notices};
use referee_table::{
    Metric, Outages, Parts, Payer, Queue, Registry, Workers, follow_others, holders, open_due,
};
use v1::admin_service_server::AdminServiceServer;
use v1::match_service_server::MatchServiceServer;
use v1::play_service_server::PlayServiceServer;
use v1::player_service_server::PlayerServiceServer;
use v1::publishing_service_server::PublishingServiceServer;
use v1::record_service_server::RecordServiceServer;
use v1::ruleset_service_server::RulesetServiceServer;
use v1::server_service_server::ServerServiceServer;
use v1::spectator_service_server::SpectatorServiceServer;
use v1::table_service_server::TableServiceServer;

/// Time for calls under way when the referee shuts down.
const GRACE: Duration = Duration::from_secs(5);

/// Header bytes of one request.
const HEADER_BYTES: u32 = 16 << 10;

/// How a referee is started.
pub struct Config {
    /// Where it listens; port 0 is any free one.
    pub address: SocketAddr,
    /// Listen on an address that others can reach although nothing is encrypted.
    pub insecure: bool,
    /// Where matches are kept.
    pub store: StoreChoice,
    /// Rulesets.
    pub library: Library,
    /// Limits.
    pub limits: Limits,
    /// Accept chosen seeds.
    pub testing: bool,
    /// Encrypt; none speaks plain text.
    pub tls: Option<Tls>,
    /// Show the page at `/`.
    pub page: bool,
    /// Where figures are told to Prometheus; none tells them to nobody. Only loopback makes sense: whoever
    /// reaches it reads them.
    pub metrics: Option<SocketAddr>,
    /// Web pages of these origins may call: `https://example.org`. None may by default.
    pub origins: Vec<String>,
    /// Proxies that are believed when they say (`x-forwarded-for`) from where a call comes: callers without a token
    /// wait in turn by their address.
    pub proxies: Vec<IpAddr>,
    /// Whose signed tokens are players' tokens; none is anybody's.
    pub identity: Option<Provider>,
    /// Servers on which hosts may be told whose turn it is: `club.example`.
    pub webhook_hosts: Vec<String>,
    /// Folders whose rulesets are offered as they change.
    pub folders: Option<Folders>,
    /// The `referee` program, which is started to try texts of strangers in a process of its own; without it they are tried
    /// in this one.
    pub program: Option<PathBuf>,
    /// By which clock it runs.
    pub clock: Clock,
    /// Where it does what would hold up the threads that serve.
    pub threads: Threads,
    /// Connections that are made otherwise than by calling at the address, on which nobody listens then.
    pub connections: Option<Connections>,
    /// Delete matches that were over for long, once they are archived; none are deleted otherwise.
    pub retention: Option<Retention>,
    /// Take the store from a referee that serves from it.
    pub take_over: bool,
    /// Make a new key if that of the store is gone.
    pub new_key: bool,
    /// Tokens of a host, an administrator and a publisher that are derived from the root key are good: for programs that run a
    /// referee within a program. Otherwise tokens are what was [issued](crate::calls::issuing).
    pub own_tokens: bool,
}

impl Config {
    /// On an address, with a store and rulesets; everything else is off, or a default.
    pub fn new(address: SocketAddr, store: StoreChoice, library: Library) -> Config {
        Config {
            address,
            insecure: false,
            store,
            library,
            limits: Limits::default(),
            testing: false,
            tls: None,
            page: false,
            metrics: None,
            origins: Vec::new(),
            proxies: Vec::new(),
            identity: None,
            webhook_hosts: Vec::new(),
            folders: None,
            program: None,
            clock: Clock::system(),
            threads: Threads::of_tokio(),
            connections: None,
            retention: None,
            take_over: false,
            new_key: false,
            own_tokens: true,
        }
    }
}

/// Why a referee did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address can be reached by others.
    #[error("{0} can be reached from other machines and nothing would be encrypted")]
    Insecure(SocketAddr),
    /// The address cannot be listened on.
    #[error("cannot listen on {0}: {1}")]
    Listen(SocketAddr, std::io::Error),
    /// The store cannot be opened.
    #[error("cannot open the store: {0}")]
    Store(#[from] StoreError),
    /// It must not be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The operating system gives no thread.
    #[error("cannot start the writer: {0}")]
    Journal(std::io::Error),
    /// Certificate or key cannot be used.
    #[error("cannot encrypt with this certificate and key: {0}")]
    Tls(String),
    /// Figures cannot be told.
    #[error("cannot tell figures on {0}: {1}")]
    Metrics(SocketAddr, String),
    /// Archives cannot be written.
    #[error("cannot write archives into {}: {source}", .folder.display())]
    Archives {
        /// The folder.
        folder: std::path::PathBuf,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// The identity provider cannot be trusted.
    #[error(transparent)]
    Identity(#[from] ProviderError),
    /// A server is none on which hosts may be told something.
    #[error("hosts cannot be told whose turn it is: {0}")]
    WebhookHost(String),
    /// An origin is none.
    #[error("`{0}` is no origin; write a scheme and a host, such as https://example.org")]
    Origin(String),
    /// The contract's descriptor cannot be served.
    #[error("cannot serve the contract's descriptor: {0}")]
    Reflection(#[from] tonic_reflection::server::Error),
}

/// A referee that runs.
pub struct Running {
    address: SocketAddr,
    scheme: &'static str,
    host_token: String,
    admin_token: String,
    publisher_token: String,
    referee: Arc<Referee>,
    certificates: Option<Arc<Certificates>>,
    helpers: Vec<JoinHandle<()>>,
    health: HealthReporter,
    condition: watch::Receiver<Condition>,
    server: JoinHandle<Result<(), tonic::transport::Error>>,
    new_key: bool,
    /// Its store is nobody else's.
    lock: Option<Lock>,
}

/// A runtime to serve in, with this many threads.
///
/// By default one processor is left to what does not serve: the store's writer, rules that take long, views. Threads that
/// pass matches to and fro get in each other's way: on two processors a move costs the server a quarter more with two.
///
/// # Errors
///
/// When the operating system gives no threads.
pub fn runtime(threads: Option<NonZeroUsize>) -> std::io::Result<Runtime> {
    let processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = threads.map_or(processors.saturating_sub(1).max(1), NonZeroUsize::get);
    Builder::new_multi_thread()
        .worker_threads(threads)
        .enable_all()
        .build()
}

/// Starts a referee. It serves until [`Running::stop`].
///
/// # Errors
///
/// When the store cannot be opened or the address cannot be listened on.
pub async fn start(mut config: Config) -> Result<Running, StartError> {
    if !config.address.ip().is_loopback() && !config.insecure && config.tls.is_none() {
        return Err(StartError::Insecure(config.address));
    }
    // Everything that may fail comes before the store is touched: another referee may serve from it.
    let certificates = config.tls.map(Certificates::read).transpose();
    let certificates = certificates.map_err(StartError::Tls)?.map(Arc::new);
    let cors = cors(&config.origins)?;
    let webhooks = Allowed::read(&config.webhook_hosts).map_err(StartError::WebhookHost)?;
    if let Some(retention) = &config.retention {
        retention.prepare().map_err(|source| StartError::Archives {
            folder: retention.archives.clone(),
            source,
        })?;
    }
    let listen = |error| StartError::Listen(config.address, error);
    let (doors, address) = match config.connections {
        Some(made) => (Doors::Made(made), config.address),
        None => {
            let listener = TcpListener::bind(config.address).await.map_err(listen)?;
            let address = listener.local_addr().map_err(listen)?;
            (Doors::Listening(listener), address)
        }
    };
    let mut helpers = Vec::new();
    let figures = figures(config.metrics, &mut helpers)?;
    let Opened {
        store,
        keys,
        lock,
        new_key,
    } = open(config.store, config.take_over, config.new_key)?;
    // Those who serve together go by one clock.
    let clock = store.shared().map_or(config.clock, |shared| shared.clock());
    let threads = config.threads;
    // The host's token is derived from the root key, so that it can be shown again.
    let host_token = keys.token(Purpose::HostToken, HOST_PREFIX, &[]);
    let admin_token = keys.token(Purpose::AdminToken, ADMIN_PREFIX, &[]);
    let publisher_token = keys.token(Purpose::PublisherToken, PUBLISHER_PREFIX, &[]);
    let own = [
        (&host_token, Grant::Host),
        (&admin_token, Grant::Admin),
        (&publisher_token, Grant::Publisher),
    ];
    for (token, grant) in own.into_iter().filter(|_| config.own_tokens) {
        store.grant(&TokenRow {
            label: OPERATOR.into(),
            created_ms: clock.now_ms(),
            ..TokenRow::new(token_hash(token), grant)
        })?;
    }
    reload::complete(&*store, &mut config.library, clock.now_ms())?;
    let yanked = store.yanked()?.into_iter().map(|row| row.digest).collect();
    let channels = Channels::of(store.channels()?);
    let owners = Owners::of(store.owners()?);

    let identity = match config.identity {
        Some(provider) => {
            let identity = Identity::of(provider, store.clone(), threads.clone());
            Some(Arc::new(identity?))
        }
        None => None,
    };
    let limits = config.limits.clone();
    store.alive(clock.now_ms(), true)?;
    let outages = Outages::of(store.outages()?);
    let referee = Arc::new(Referee {
        registry: Registry::new(Parts {
            store: store.clone(),
            journal: Journal::start(store.clone(), &threads).map_err(StartError::Journal)?,
            keys,
            workers: Workers::on(&threads),
            threads: threads.clone(),
            library: ArcSwap::from_pointee(config.library),
            sandbox: Sandbox::of(config.program, &config.limits),
            limits: config.limits,
            metrics: Arc::default(),
            outages,
            listing: watch::Sender::default(),
            holders: holders(),
            notices: Arc::default(),
            clock: clock.clone(),
        }),
        auth: Auth::new(store.clone(), &limits, clock, threads, identity.clone()),
        webhooks: webhooks.clone(),
        checks: AtOnce::default(),
        imports: AtOnce::default(),
        lobby_watchers: AtOnce::default(),
        own_watchers: AtOnce::default(),
        artifacts: ArtifactCache::new(&limits),
        channels: ArcSwap::from_pointee(channels),
        owners: ArcSwap::from_pointee(owners),
        yanked: ArcSwap::from_pointee(yanked),
        published: Mutex::default(),
        publishing: Arc::default(),
        tidying: tokio::sync::Mutex::default(),
        retention: config.retention,
        streams: Arc::default(),
        host_code: HostCode::default(),
        testing: config.testing,
        stop: CancellationToken::new(),
    });

    let (health, health_service) = tonic_health::server::health_reporter();
    serving(&health, true).await;
    let (request, response) = (
        to_usize(limits.request_bytes),
        to_usize(limits.response_bytes),
    );
    macro_rules! service {
        ($server:ident, $service:expr) => {
            $server::new($service(referee.clone()))
                .max_decoding_message_size(request)
                .accept_compressed(CompressionEncoding::Gzip)
                .send_compressed(CompressionEncoding::Gzip)
                .max_encoding_message_size(response)
        };
    }
    macro_rules! uploads {
        ($server:ident, $service:expr) => {
            $server::new($service(referee.clone()))
                .max_decoding_message_size(to_usize(limits.upload_bytes))
                .accept_compressed(CompressionEncoding::Gzip)
                .send_compressed(CompressionEncoding::Gzip)
                .max_encoding_message_size(response)
        };
    }
    helpers.push(tokio::spawn(open_due(
        Arc::downgrade(&referee),
        |referee| &referee.registry,
    )));
    helpers.push(tokio::spawn(follow_others(
        Arc::downgrade(&referee),
        |referee| &referee.registry,
    )));
    let proxies: Arc<[IpAddr]> = config.proxies.into();
    let room = Room::of(&limits, proxies.clone());
    let is_shared = referee.registry.parts().store.shared().is_some();
    let pause = match is_shared {
        true => limits.store_probe.min(NOTES),
        false => limits.store_probe,
    };
    helpers.push(tokio::spawn(live(Arc::downgrade(&referee), pause)));
    helpers.push(tokio::spawn(heed(Arc::downgrade(&referee))));
    if let Some(identity) = identity {
        helpers.push(tokio::spawn(async move {
            loop {
                identity.renew().await;
                tokio::time::sleep(RENEWAL).await;
            }
        }));
    }
    if !webhooks.is_empty() {
        let parts = referee.registry.parts();
        let (keys, new) = (parts.keys.clone(), parts.notices.clone());
        let (clock, threads) = (parts.clock.clone(), parts.threads.clone());
        let notices = Notices::new(store, threads, clock, keys, webhooks);
        helpers.push(tokio::spawn(notices.run(new)));
    }
    helpers.push(tokio::spawn(tidy_up(Arc::downgrade(&referee))));
    helpers.push(tokio::spawn(tell(
        Arc::downgrade(&referee),
        figures.clone(),
        room.clone(),
        certificates.clone(),
    )));
    if figures.are_kept() {
        let figures = figures.clone();
        let journal = &referee.registry.parts().journal;
        journal.observe(move |took, done| figures.appended(took, done));
    }
    let mut guard = Guard::new(&referee, figures.clone());
    guard.look();
    helpers.push(tokio::spawn(guard.stay()));
    let journal = referee.registry.parts().journal.clone();
    let condition = journal.condition();
    let feeling = feel(journal, limits.store_probe, health.clone());
    helpers.push(tokio::spawn(feeling));
    if let Some(folders) = config.folders {
        helpers.push(tokio::spawn(reload::watch(
            Arc::downgrade(&referee),
            folders,
        )));
    }
    let scheme = match &certificates {
        Some(certificates) => {
            helpers.push(tokio::spawn(accept::renew(Arc::downgrade(certificates))));
            "https"
        }
        None => "http",
    };
    let router = Server::builder()
        .accept_http1(true)
        .max_connection_age(limits.connection_age)
        .max_connection_age_grace(limits.connection_grace)
        .max_concurrent_streams(limits.streams_per_connection)
        .http2_max_header_list_size(HEADER_BYTES)
        .http2_keepalive_interval(Some(Duration::from_secs(20)))
        .layer(Page { shown: config.page })
        .layer(Probes::of(condition.clone(), referee.stop.clone()))
        .layer(call_traces::Traced(figures))
        .layer(option_layer(cors))
        .layer(tonic_web::GrpcWebLayer::new())
        .layer(Transport {
            limits: Arc::new(limits.clone()),
            proxies,
            rates: transport::rates(&limits),
        })
        .layer(Straight(service!(PlayServiceServer, Playing)))
        .add_service(health_service)
        .add_service(reflection().build_v1()?)
        .add_service(reflection().build_v1alpha()?)
        .add_service(service!(ServerServiceServer, Info))
        .add_service(service!(RulesetServiceServer, Rulesets))
        .add_service(service!(MatchServiceServer, Matches))
        .add_service(service!(PlayerServiceServer, Players))
        .add_service(service!(TableServiceServer, Tables))
        .add_service(service!(SpectatorServiceServer, Spectators))
        .add_service(service!(AdminServiceServer, Admin))
        .add_service(uploads!(RecordServiceServer, Records))
        .add_service(uploads!(PublishingServiceServer, Publishing));
    let stop = referee.stop.clone();
    let connections = accept::connections(doors, room, certificates.clone(), stop.clone());
    let server =
        tokio::spawn(router.serve_with_incoming_shutdown(connections, stop.cancelled_owned()));
    Ok(Running {
        address,
        scheme,
        host_token,
        admin_token,
        publisher_token,
        referee,
        certificates,
        helpers,
        health,
        condition,
        server,
        new_key,
        lock,
    })
}

/// Web pages that may call, and what they may send and read; none where none may.
fn cors(origins: &[String]) -> Result<Option<CorsLayer>, StartError> {
    if origins.is_empty() {
        return Ok(None);
    }
    let mut allowed = Vec::new();
    for origin in origins {
        let plain = origin.contains("://") && !origin.ends_with('/') && origin != "*";
        let header = HeaderValue::from_str(origin).ok().filter(|_| plain);
        allowed.push(header.ok_or_else(|| StartError::Origin(origin.clone()))?);
    }
    let name = HeaderName::from_static;
    let layer = CorsLayer::new()
        .allow_origin(AllowOrigin::list(allowed))
        .allow_methods([Method::POST])
        .allow_headers(
            [
                "authorization",
                "content-type",
                "accept-language",
                "x-grpc-web",
                "x-user-agent",
                "grpc-timeout",
                routing::HEADER,
                "traceparent",
                "tracestate",
            ]
            .map(name),
        )
        .expose_headers(["grpc-status", "grpc-message", "grpc-status-details-bin"].map(name))
        .max_age(Duration::from_secs(3600));
    Ok(Some(layer))
}

/// The endpoint of Prometheus, on an address of its own.
fn figures(
    address: Option<SocketAddr>,
    helpers: &mut Vec<JoinHandle<()>>,
) -> Result<Figures, StartError> {
    let Some(address) = address else {
        return Ok(Figures::none());
    };
    let failed = |error: &dyn std::fmt::Display| StartError::Metrics(address, error.to_string());
    // The listener of the exporter says nothing when it cannot listen.
    std::net::TcpListener::bind(address).map_err(|error| failed(&error))?;
    let builder = PrometheusBuilder::new()
        .set_buckets(&BUCKETS)
        .map_err(|error| failed(&error))?
        .with_http_listener(address);
    let (recorder, exporter) = builder.build().map_err(|error| failed(&error))?;
    helpers.push(tokio::spawn(async move {
        if exporter.await.is_err() {
            tracing::error!(%address, "figures are no longer told");
        }
    }));
    Ok(Figures::new(recorder))
}

/// Notes now and then that there is a referee: a time without one is not taken from players, but for so much of it. Where others
/// serve, too, no note is so late that there seems to be none; and one that failed is tried again soon, since it ends what players
/// are given.
async fn live(referee: Weak<Referee>, pause: Duration) {
    let mut noted = true;
    loop {
        let next = if noted { pause } else { pause.min(AGAIN) };
        tokio::time::sleep(next).await;
        let Some(referee) = referee.upgrade() else {
            return;
        };
        noted = referee.note_alive().await;
    }
}

/// Tells health checks whether what is to be written is. When nothing was for a while, or something takes long, it is tried.
async fn feel(journal: Journal, probe: Duration, health: HealthReporter) {
    let mut condition = journal.condition();
    let (mut well, mut groups) = (true, journal.groups());
    loop {
        let now = condition.borrow_and_update().clone();
        if now.is_ok() != well {
            well = now.is_ok();
            match &now {
                Ok(()) => tracing::warn!("the store can be written again"),
                Err(error) => tracing::error!(%error, "the store cannot be written"),
            }
            serving(&health, well).await;
        }
        // A store that is well again is noticed soon.
        let pause = if well { probe } else { probe.min(AGAIN) };
        let slow = async {
            match well {
                true => journal.slow(COMMIT / 2).await,
                false => std::future::pending().await,
            }
        };
        let probing = async {
            // What becomes of it is told by the condition.
            let _ = tokio::select! {
                () = tokio::time::sleep(pause) => match !well || journal.groups() == groups {
                    true => journal.probe_within(COMMIT).await,
                    false => Ok(()),
                },
                () = slow => journal.probe_within(COMMIT / 2).await,
            };
            journal.groups()
        };
        tokio::select! {
            changed = condition.changed() => if changed.is_err() {
                return;
            },
            seen = probing => groups = seen,
        }
    }
}

/// How long a commit may take, from when it began, before health checks are told: a standby may not confirm it.
const COMMIT: Duration = Duration::from_secs(10);

/// Longest time between two notes that there is a referee, where a time without any is one without a referee.
const NOTES: Duration = Duration::from_secs(5);

/// Time until it is tried again whether a store can be written that could not.
const AGAIN: Duration = Duration::from_secs(1);

/// Keeps the process within its memory: where it has too much, matches that rest are let go, and nothing more is
/// taken into memory.
struct Guard {
    referee: std::sync::Weak<Referee>,
    figures: Figures,
    gauge: Gauge,
    full: bool,
}

impl Guard {
    /// Time between two looks.
    const PAUSE: Duration = Duration::from_millis(100);

    fn new(referee: &Arc<Referee>, figures: Figures) -> Guard {
        Guard {
            referee: Arc::downgrade(referee),
            figures,
            gauge: Gauge::default(),
            full: false,
        }
    }

    /// Looks once; says whether there is still a referee.
    fn look(&mut self) -> bool {
        let Some(referee) = self.referee.upgrade() else {
            return false;
        };
        // Where the operating system does not say, there is nothing to be guarded.
        let resident = self.gauge.resident().unwrap_or(0);
        self.figures.set("referee_resident_bytes", float(resident));
        let most = u64::from(referee.limits().memory_mib) << 20;
        let full = resident > most;
        if full != self.full {
            tracing::warn!(full, resident, most, "the memory is full, or no longer");
        }
        self.full = full;
        referee.registry.set_full(full);
        if full {
            let gone = to_u64(referee.registry.relieve());
            let metrics = &referee.registry.parts().metrics;
            metrics.add(Metric::MemoryEvicted, gone);
        }
        true
    }

    async fn stay(mut self) {
        while self.look() {
            tokio::time::sleep(Guard::PAUSE).await;
        }
    }
}

/// Tells figures that nobody causes by calling, and forgets callers who are gone.
async fn tell(
    referee: Weak<Referee>,
    figures: Figures,
    room: Room,
    certificates: Option<Arc<Certificates>>,
) {
    while let Some(referee) = referee.upgrade() {
        figures.set(
            "referee_open_matches",
            float(referee.registry.open_tables()),
        );
        figures.set(
            "referee_streams",
            float(Arc::strong_count(&referee.streams) - 1),
        );
        if let Some(expires) = certificates.as_ref().and_then(|held| held.expires()) {
            let figure = "referee_certificate_expiry_timestamp_seconds";
            figures.set(figure, float(expires));
        }
        let taken = to_usize(referee.limits().connections) - room.left();
        figures.set("referee_connections", float(taken));
        let journal = &referee.registry.parts().journal;
        figures.set("referee_journal_waiting", float(journal.waiting()));
        let condition = journal.condition();
        let said = |yes: bool| if yes { 1.0 } else { 0.0 };
        figures.set("referee_store_writable", said(condition.borrow().is_ok()));
        let fenced = *condition.borrow() == Err(StoreError::Fenced);
        figures.set("referee_store_fenced", said(fenced));
        let store = &referee.registry.parts().store;
        let connections = store.shared().map(|shared| shared.connections());
        let connections = connections.unwrap_or_default();
        figures.set("referee_database_connections", float(connections.used));
        figures.set("referee_database_waiting", float(connections.waiting));
        figures.outcomes(journal.outcomes());
        figures.metrics(&referee.registry.parts().metrics);
        referee.auth.rest();
        drop(referee);
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

fn reflection() -> tonic_reflection::server::Builder<'static> {
    tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(v1::DESCRIPTOR)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
}

/// How often it is looked whether keys of the identity provider are old.
const RENEWAL: Duration = Duration::from_secs(60);

/// How often a referee looks whether somebody else revoked a token, or published something.
const HEED: Duration = Duration::from_secs(1);

/// Heeds what others do in the store: an operator on this machine, another referee. What is remembered of tokens is believed no
/// longer than it can be asked whether one was revoked.
async fn heed(referee: Weak<Referee>) {
    let (mut revoked, mut published) = (None, None);
    loop {
        let Some(referee) = referee.upgrade() else {
            return;
        };
        let store = referee.registry.parts().store.clone();
        let counted = move || {
            let shared = store.shared();
            let publications = shared.map(|shared| shared.publications()).transpose()?;
            let outages = shared.map(|_| store.outages()).transpose()?;
            Ok::<_, StoreError>((store.revocations()?, publications, outages))
        };
        let threads = referee.threads().clone();
        let counted = {
            let mut counting = pin!(threads.run(counted));
            loop {
                match tokio::time::timeout(HEED, &mut counting).await {
                    Ok(counted) => break counted,
                    Err(_) => referee.auth.believe_nothing(),
                }
            }
        };
        match counted {
            Ok(Ok((revocations, publications, outages))) => {
                if revoked.is_some_and(|seen| seen != revocations) {
                    referee.auth.forget_all();
                }
                revoked = Some(revocations);
                let changed = published.is_some_and(|seen| seen != publications);
                match changed {
                    true => match reload::read_published(&referee).await {
                        Ok(()) => published = Some(publications),
                        Err(error) => tracing::warn!(%error, "what is published cannot be read"),
                    },
                    false => published = Some(publications),
                }
                if let Some(outages) = outages {
                    referee.learn_outages(outages);
                }
            }
            _ => referee.auth.believe_nothing(),
        }
        drop(referee);
        tokio::time::sleep(HEED).await;
    }
}

/// Tells health checks of every service.
async fn serving(health: &HealthReporter, yes: bool) {
    let status = if yes {
        tonic_health::ServingStatus::Serving
    } else {
        tonic_health::ServingStatus::NotServing
    };
    for service in [
        "",
        ServerServiceServer::<Info>::NAME,
        RulesetServiceServer::<Rulesets>::NAME,
        MatchServiceServer::<Matches>::NAME,
        PlayServiceServer::<Playing>::NAME,
        PlayerServiceServer::<Players>::NAME,
        SpectatorServiceServer::<Spectators>::NAME,
        TableServiceServer::<Tables>::NAME,
        RecordServiceServer::<Records>::NAME,
        PublishingServiceServer::<Publishing>::NAME,
        AdminServiceServer::<Admin>::NAME,
    ] {
        health.set_service_status(service, status).await;
    }
}

impl Running {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where clients connect.
    pub fn url(&self) -> String {
        format!("{}://{}", self.scheme, self.address)
    }

    /// Whether its root key was made when it started: what was sealed with an earlier one opens nothing.
    pub fn has_new_key(&self) -> bool {
        self.new_key
    }

    /// Where its matches and tokens are kept.
    pub fn store(&self) -> &dyn Store {
        &*self.referee.registry.parts().store
    }

    /// A code that opens a host's token once, soon, to a caller on this machine (`ServerService.ClaimHost`).
    ///
    /// # Errors
    ///
    /// When the operating system has no entropy to give.
    pub fn host_code(&self) -> std::io::Result<String> {
        self.referee.host_code.make(self.referee.now_ms())
    }

    /// The host's bearer token, if the referee has [tokens of its own](Config::own_tokens).
    pub fn host_token(&self) -> &str {
        &self.host_token
    }

    /// The administrator's bearer token; as the host's.
    pub fn admin_token(&self) -> &str {
        &self.admin_token
    }

    /// The bearer token of a publisher; as the host's.
    pub fn publisher_token(&self) -> &str {
        &self.publisher_token
    }

    /// Reads the certificate again, which otherwise happens within seconds; says whether it is a new one.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or does not fit its key; then the one before is used on.
    pub fn renew_certificate(&self) -> Result<bool, String> {
        let certificates = self.certificates.as_ref();
        certificates.map_or(Ok(false), |certificates| certificates.renew())
    }

    /// What reads the certificate again, to be called when it has changed; nothing without one.
    pub fn certificate_renewal(
        &self,
    ) -> Option<impl Fn() -> Result<bool, String> + Send + Sync + 'static> {
        let certificates = self.certificates.clone()?;
        Some(move || certificates.renew())
    }

    /// The most work, in units, that others had done between the arrival of a host's match at the places for tables and its
    /// turn.
    pub fn longest_wait(&self, host_token: &str) -> u64 {
        let host = Payer::Host(Principal(token_hash(host_token)));
        self.referee.workers().longest_wait(Queue::Table, host)
    }

    /// Matches held in memory.
    pub fn open_matches(&self) -> usize {
        self.referee.registry.open_tables()
    }

    /// How often something was that is counted.
    pub fn counted(&self, what: Metric) -> u64 {
        self.referee.registry.parts().metrics.get(what)
    }

    /// Lets matches go at which nobody is; gives how many. They are rebuilt when they are needed.
    pub fn close_idle(&self) -> usize {
        self.referee.registry.close_idle()
    }

    /// Ends lobbies that are too old, and deletes matches that were over for long enough, which otherwise happens within
    /// minutes; none if nothing could be looked at.
    pub async fn tidy(&self) -> Option<Tidied> {
        self.referee.tidy().await.ok()
    }

    /// Returns when so many streams watch matches.
    pub async fn watched(&self, streams: usize) {
        while Arc::strong_count(&self.referee.streams) <= streams {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Returns when another referee has taken over the store: nothing can be written any more.
    pub async fn taken_over(&self) {
        let mut condition = self.condition.clone();
        let fenced = |condition: &Condition| *condition == Err(StoreError::Fenced);
        if condition.wait_for(fenced).await.is_err() {
            // It is stopping.
            std::future::pending().await
        }
    }

    /// Stops: health says so, streams end with a token that continues them, calls under way finish,
    /// everything that was acknowledged is durable already.
    pub async fn stop(mut self) {
        for helper in &self.helpers {
            helper.abort();
        }
        serving(&self.health, false).await;
        self.referee.stop.cancel();
        self.referee.note_alive().await;
        self.referee.workers().stop();
        if tokio::time::timeout(GRACE, &mut self.server).await.is_err() {
            self.server.abort();
        }
        if self.lock.is_some() {
            let parts = self.referee.registry.parts();
            let store = parts.store.clone();
            let written = parts.threads.run(move || store.checkpoint());
            let _ = tokio::time::timeout(GRACE, written).await;
        }
    }

    /// Stops as a power cut would: nothing finishes.
    pub fn abort(self) {
        for helper in &self.helpers {
            helper.abort();
        }
        self.server.abort();
    }
}
