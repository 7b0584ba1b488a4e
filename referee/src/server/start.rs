//! Starting and stopping a referee: from a program, from a test, or from the command line.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tonic::server::NamedService;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic_health::server::HealthReporter;

use super::auth::{Auth, HOST_PREFIX};
use super::info::Info;
use super::matches::Matches;
use super::play::Playing;
use super::rulesets::Rulesets;
use super::spectators::Spectators;
use super::{Limits, Referee};
use crate::library::Library;
use crate::secrets::{Keys, Purpose, token_hash};
use crate::store::memory::Memory;
use crate::store::sqlite::Sqlite;
use crate::store::{Grant, Journal, Store, StoreError, TokenRow};
use crate::table::{Hall, Parts, Workers};
use crate::wire::v1;
use v1::match_service_server::MatchServiceServer;
use v1::play_service_server::PlayServiceServer;
use v1::ruleset_service_server::RulesetServiceServer;
use v1::server_service_server::ServerServiceServer;
use v1::spectator_service_server::SpectatorServiceServer;

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
}

/// Where matches are kept.
pub enum StoreChoice {
    /// In an SQLite file, with the root key in `<file>.key`.
    File(PathBuf),
    /// In memory: nothing survives.
    Memory,
    /// In a store of the caller's own, with this root key.
    Own(Arc<dyn Store>, Keys),
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
    /// The root key cannot be read or made.
    #[error("cannot read or make the key file {}: {source}", .path.display())]
    Key {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// The operating system gives no thread.
    #[error("cannot start the writer: {0}")]
    Journal(std::io::Error),
    /// The contract's descriptor cannot be served.
    #[error("cannot serve the contract's descriptor: {0}")]
    Reflection(#[from] tonic_reflection::server::Error),
}

/// A referee that runs.
pub struct Running {
    address: SocketAddr,
    host_token: String,
    referee: Arc<Referee>,
    health: HealthReporter,
    server: JoinHandle<Result<(), tonic::transport::Error>>,
}

/// Starts a referee. It serves until [`Running::stop`].
///
/// # Errors
///
/// When the store cannot be opened or the address cannot be listened on.
pub async fn start(config: Config) -> Result<Running, StartError> {
    if !config.address.ip().is_loopback() && !config.insecure {
        return Err(StartError::Insecure(config.address));
    }
    let (store, keys) = open(config.store)?;
    // The host's token is derived from the root key, so that it can be shown again.
    let host_token = keys.token(Purpose::HostToken, HOST_PREFIX, &[]);
    store.grant(&TokenRow {
        hash: token_hash(&host_token),
        grant: Grant::Host,
    })?;

    let limits = config.limits.clone();
    let referee = Arc::new(Referee {
        hall: Hall::new(Parts {
            store: store.clone(),
            journal: Journal::start(store.clone()).map_err(StartError::Journal)?,
            keys,
            workers: Workers::new(),
            library: Arc::new(config.library),
            limits: config.limits,
        }),
        auth: Auth::new(store),
        testing: config.testing,
        stop: CancellationToken::new(),
    });

    let listen = |error| StartError::Listen(config.address, error);
    let listener = TcpListener::bind(config.address).await.map_err(listen)?;
    let address = listener.local_addr().map_err(listen)?;

    let (health, health_service) = tonic_health::server::health_reporter();
    serving(&health, true).await;
    let (request, response) = (
        limits.request_bytes as usize,
        limits.response_bytes as usize,
    );
    macro_rules! service {
        ($server:ident, $service:expr) => {
            $server::new($service(referee.clone()))
                .max_decoding_message_size(request)
                .max_encoding_message_size(response)
        };
    }
    let router = Server::builder()
        .timeout(limits.call)
        .max_concurrent_streams(limits.streams_per_connection)
        .http2_max_header_list_size(HEADER_BYTES)
        .http2_keepalive_interval(Some(Duration::from_secs(20)))
        .add_service(health_service)
        .add_service(reflection().build_v1()?)
        .add_service(reflection().build_v1alpha()?)
        .add_service(service!(ServerServiceServer, Info))
        .add_service(service!(RulesetServiceServer, Rulesets))
        .add_service(service!(MatchServiceServer, Matches))
        .add_service(service!(PlayServiceServer, Playing))
        .add_service(service!(SpectatorServiceServer, Spectators));
    let stop = referee.stop.clone();
    // Small answers must not wait for the acknowledgement of earlier ones.
    let connections = TcpIncoming::from(listener).with_nodelay(Some(true));
    let server =
        tokio::spawn(router.serve_with_incoming_shutdown(connections, stop.cancelled_owned()));
    Ok(Running {
        address,
        host_token,
        referee,
        health,
        server,
    })
}

fn reflection() -> tonic_reflection::server::Builder<'static> {
    tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(v1::DESCRIPTOR)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
}

fn open(choice: StoreChoice) -> Result<(Arc<dyn Store>, Keys), StartError> {
    let unreadable = |path: &Path| {
        let path = path.to_owned();
        move |source| StartError::Key { path, source }
    };
    Ok(match choice {
        StoreChoice::File(path) => {
            let mut key = path.clone().into_os_string();
            key.push(".key");
            let key = PathBuf::from(key);
            let keys = Keys::load_or_create(&key).map_err(unreadable(&key))?;
            (Arc::new(Sqlite::open(&path)?), keys)
        }
        StoreChoice::Memory => {
            let keys = Keys::random().map_err(unreadable(Path::new("in memory")))?;
            (Arc::new(Memory::default()), keys)
        }
        StoreChoice::Own(store, keys) => (store, keys),
    })
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
        SpectatorServiceServer::<Spectators>::NAME,
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
        format!("http://{}", self.address)
    }

    /// The host's bearer token.
    pub fn host_token(&self) -> &str {
        &self.host_token
    }

    /// Stops: health says so, streams end with a token that continues them, calls under way finish,
    /// everything that was acknowledged is durable already.
    pub async fn stop(mut self) {
        serving(&self.health, false).await;
        self.referee.stop.cancel();
        if tokio::time::timeout(GRACE, &mut self.server).await.is_err() {
            self.server.abort();
        }
    }

    /// Stops as a power cut would: nothing finishes.
    pub fn abort(self) {
        self.server.abort();
    }
}
