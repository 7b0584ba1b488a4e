//! Connections to a database, and the thread that tends them.
//!
//! Calls of the store block, and may come from anywhere; what they ask is done by a runtime of the engine's own. A process
//! of the server may hang and keep its connection: then whatever waits for it ends with an unknown outcome, as if the
//! connection were cut. Every
//! warning that the server sends is counted: one that comes while something is written may say that it was written here
//! and not where it is to be safe.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use deadpool_postgres::{Connect, Manager, ManagerConfig, Object, Pool, RecyclingMethod, Runtime};
use rustls::ClientConfig;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_postgres::{AsyncMessage, Client, Config, Notification};
use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_rustls::rustls;

use super::address::Address;
use super::fitness::each_is_fit;
use crate::{Connections, StoreError};

/// Connections at most: each costs the server a process.
const CONNECTIONS: usize = 12;

/// How long somebody waits for a free connection, or for one to be made.
const PATIENCE: Duration = Duration::from_secs(10);

impl From<tokio_postgres::Error> for StoreError {
    fn from(error: tokio_postgres::Error) -> Self {
        let mut said = match error.as_db_error() {
            Some(of_server) => format!("{} ({})", of_server.message(), of_server.code().code()),
            None => error.to_string(),
        };
        let mut cause = std::error::Error::source(&error);
        while let Some(why) = cause.filter(|_| error.as_db_error().is_none()) {
            said = format!("{said}: {why}");
            cause = why.source();
        }
        StoreError::Engine(said)
    }
}

/// The way to a database.
#[derive(Clone)]
pub struct Way {
    runtime: Handle,
    pool: Pool,
    maker: Maker,
    /// See [`Address::answered_within`].
    answered: Duration,
    /// Ends the thread when the last way is gone that has one.
    _end: Option<Arc<oneshot::Sender<()>>>,
}

/// Makes connections.
#[derive(Clone)]
struct Maker {
    tls: MakeRustlsConnect,
    config: Config,
    warnings: Arc<AtomicU64>,
}

impl Maker {
    /// A connection, whose notifications are told.
    async fn connect(
        &self,
        config: &Config,
        mut notified: impl FnMut(Notification) + Send + 'static,
    ) -> Result<(Client, JoinHandle<()>), tokio_postgres::Error> {
        let (client, mut connection) = config.connect(self.tls.clone()).await?;
        let warnings = self.warnings.clone();
        let tended = async move {
            loop {
                match poll_fn(|context| connection.poll_message(context)).await {
                    Some(Ok(AsyncMessage::Notice(notice))) if is_warning(notice.severity()) => {
                        // Before whatever it is about is answered.
                        warnings.fetch_add(1, Ordering::SeqCst);
                        tracing::warn!(message = notice.message(), "the database warns");
                    }
                    Some(Ok(AsyncMessage::Notification(notification))) => notified(notification),
                    Some(Ok(_)) => {}
                    Some(Err(error)) => {
                        return tracing::debug!(%error, "a connection to the database is lost");
                    }
                    None => return,
                }
            }
        };
        Ok((client, tokio::spawn(tended)))
    }
}

/// Whether a severity is more than a remark, in whatever language the server speaks.
fn is_warning(severity: &str) -> bool {
    !matches!(severity, "NOTICE" | "INFO" | "LOG" | "DEBUG")
}

impl Connect for Maker {
    fn connect(
        &self,
        config: &Config,
    ) -> Pin<
        Box<
            dyn Future<Output = Result<(Client, JoinHandle<()>), tokio_postgres::Error>>
                + Send
                + '_,
        >,
    > {
        let config = config.clone();
        Box::pin(async move { Maker::connect(self, &config, |_| {}).await })
    }
}

impl Way {
    /// Begins to tend connections to a database; none is made yet.
    ///
    /// # Errors
    ///
    /// When the certificates cannot be read, or the operating system gives no thread.
    pub fn to(address: &Address) -> Result<Way, StoreError> {
        let engine = |error: &dyn std::fmt::Display| StoreError::Engine(error.to_string());
        let maker = Maker {
            tls: MakeRustlsConnect::new(trust(address)?),
            config: address.config.clone(),
            warnings: Arc::default(),
        };
        let recycling_method = RecyclingMethod::Fast;
        let manager = Manager::from_connect(
            address.config.clone(),
            maker.clone(),
            ManagerConfig { recycling_method },
        );
        let pool = Pool::builder(manager)
            .max_size(CONNECTIONS)
            .post_create(each_is_fit())
            .runtime(Runtime::Tokio1)
            .wait_timeout(Some(PATIENCE))
            .create_timeout(Some(PATIENCE))
            .recycle_timeout(Some(PATIENCE))
            .build()
            .map_err(|error| engine(&error))?;
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| engine(&error))?;
        let (end, ended) = oneshot::channel();
        let handle = runtime.handle().clone();
        std::thread::Builder::new()
            .name("referee-postgres".into())
            .spawn(move || {
                // Whoever has the other end is gone.
                let _ = runtime.block_on(ended);
                runtime.shutdown_background();
            })
            .map_err(|error| engine(&error))?;
        Ok(Way {
            runtime: handle,
            pool,
            maker,
            answered: address.answered,
            _end: Some(Arc::new(end)),
        })
    }

    /// The same way for what the thread itself does, which ends with it.
    pub fn unowned(&self) -> Way {
        Way {
            _end: None,
            ..self.clone()
        }
    }

    /// Waits for something that the runtime does, as long as it may take.
    ///
    /// # Errors
    ///
    /// What it gives, that it came to no end, or that the database hangs.
    pub fn wait<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, StoreError>> + Send + 'static,
    ) -> Result<T, StoreError> {
        let way = self.unowned();
        self.wait_long(async move { way.in_time(work).await })
    }

    /// Does something within the time that it may take. Only what this runtime does may be given to it.
    ///
    /// # Errors
    ///
    /// What it gives, or that the database hangs: then the outcome is unknown.
    pub async fn in_time<T>(
        &self,
        work: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let mut work = Box::pin(work);
        if let Ok(done) = tokio::time::timeout(self.answered, &mut work).await {
            return done;
        }
        // Its connection goes back to the others, and is closed with all that nobody uses, before anybody on this thread
        // can take it.
        drop(work);
        self.pool.retain(|_, _| false);
        let why = format!(
            "the database has not answered for {} s, and keeps the connection",
            self.answered.as_secs()
        );
        tracing::warn!("{why}");
        Err(StoreError::Engine(why))
    }

    /// Waits for something that the runtime does, for however long it takes.
    ///
    /// # Errors
    ///
    /// What it gives, or that it came to no end.
    pub fn wait_long<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, StoreError>> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (answer, answered) = mpsc::sync_channel(1);
        self.runtime.spawn(async move {
            // Whoever waited may have panicked.
            let _ = answer.send(work.await);
        });
        answered.recv().unwrap_or(Err(StoreError::Closed))
    }

    /// Has something done for which nobody waits.
    pub fn start(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.runtime.spawn(work);
    }

    /// How many connections are in use, beside the one that listens.
    pub fn connections(&self) -> Connections {
        let status = self.pool.status();
        Connections {
            used: status.size.saturating_sub(status.available),
            waiting: status.waiting,
        }
    }

    /// A connection that nobody else uses meanwhile.
    ///
    /// # Errors
    ///
    /// When none can be made.
    pub async fn client(&self) -> Result<Object, StoreError> {
        use deadpool_postgres::{HookError, PoolError};
        self.pool.get().await.map_err(|error| match error {
            PoolError::Backend(error) | PoolError::PostCreateHook(HookError::Backend(error)) => {
                error.into()
            }
            PoolError::PostCreateHook(HookError::Message(why)) => {
                StoreError::Unfit(why.into_owned())
            }
            PoolError::Timeout(_) => {
                StoreError::Engine("no connection to the database was to be had in time".into())
            }
            error => StoreError::Engine(error.to_string()),
        })
    }

    /// A connection of its own, whose notifications are told.
    ///
    /// # Errors
    ///
    /// When it cannot be made.
    pub async fn listener(
        &self,
        notified: impl FnMut(Notification) + Send + 'static,
    ) -> Result<Client, StoreError> {
        let made = async { Ok(self.maker.connect(&self.maker.config, notified).await?) };
        Ok(self.in_time(made).await?.0)
    }

    /// How many warnings have come so far, on whichever connection.
    pub fn warnings(&self) -> u64 {
        self.maker.warnings.load(Ordering::SeqCst)
    }

    /// That what was written since there were so many warnings is where it is to be safe.
    ///
    /// # Errors
    ///
    /// When a warning came meanwhile: then the outcome is unknown.
    pub fn without_warning(&self, since: u64) -> Result<(), StoreError> {
        match self.warnings() == since {
            true => Ok(()),
            false => Err(StoreError::Engine(
                "the database warned while something was written: whether it is safe is unknown"
                    .into(),
            )),
        }
    }
}

/// Whose certificates are believed: those of a file, or of this machine.
fn trust(address: &Address) -> Result<ClientConfig, StoreError> {
    let mut roots = rustls::RootCertStore::empty();
    let engine = |error: String| StoreError::Engine(error);
    match &address.authorities {
        Some(path) => {
            let unreadable =
                |error: &dyn std::fmt::Display| engine(format!("{}: {error}", path.display()));
            let found = CertificateDer::pem_file_iter(path).map_err(|error| unreadable(&error))?;
            for certificate in found {
                let certificate = certificate.map_err(|error| unreadable(&error))?;
                roots.add(certificate).map_err(|error| unreadable(&error))?;
            }
        }
        None => {
            for certificate in rustls_native_certs::load_native_certs().certs {
                // One that cannot be read opens nothing, and hinders nothing.
                let _ = roots.add(certificate);
            }
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| engine(error.to_string()))?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}
