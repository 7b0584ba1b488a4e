//! Accepts connections: limits how many there are, and adds TLS.
//!
//! The handshake of one does not keep others waiting, and what they are encrypted with can be replaced while the
//! referee serves: certificates expire sooner than matches end.

use std::io::ErrorKind;
use std::net::IpAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use arc_swap::ArcSwap;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::{Instant, Sleep};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};
use tokio_rustls::server::TlsStream;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use tonic::transport::server::Connected;

use super::certificate::not_after;
use referee_sandbox::limits::Limits;
use referee_store::numbers::to_usize;
use referee_table::Payer;
use referee_table::at_once::{AtOnce, Entered};

/// How long a handshake may take.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// Connections that wait to be served.
const QUEUE: usize = 64;

/// How long nobody is let in after the operating system could not let somebody in.
const BREATH: Duration = Duration::from_millis(50);

/// Bytes that are gathered before they are written.
pub const GATHERED: usize = 64 * 1024;

/// If there are more than these, many more are about to come.
pub const MANY: usize = 4 * 1024;

/// Time between two looks at certificates.
const LOOK: Duration = Duration::from_secs(10);

/// What encryption needs, as PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pem {
    /// The certificate, and those that lead to it.
    pub certificate: Vec<u8>,
    /// Its key.
    pub key: Vec<u8>,
    /// Only clients with a certificate of this authority are let in.
    pub client_authority: Option<Vec<u8>>,
}

/// Where what encryption needs comes from. It is asked again and again, and what it gives then is used from then on.
pub struct Tls(Box<dyn Fn() -> Result<Pem, String> + Send + Sync>);

impl Tls {
    /// Always the same.
    pub fn of(pem: Pem) -> Tls {
        Tls::read_by(move || Ok(pem.clone()))
    }

    /// From files.
    pub fn files(certificate: PathBuf, key: PathBuf, client_authority: Option<PathBuf>) -> Tls {
        let read = |path: &PathBuf| {
            std::fs::read(path)
                .map_err(|error| format!("cannot read `{}`: {error}", path.display()))
        };
        Tls::read_by(move || {
            Ok(Pem {
                certificate: read(&certificate)?,
                key: read(&key)?,
                client_authority: client_authority.as_ref().map(read).transpose()?,
            })
        })
    }

    /// From wherever a function finds it.
    pub fn read_by(read: impl Fn() -> Result<Pem, String> + Send + Sync + 'static) -> Tls {
        Tls(Box::new(read))
    }
}

/// What connections are encrypted with now.
pub struct Certificates {
    source: Tls,
    used: Mutex<Pem>,
    /// When the first of them expires, in seconds of Unix time; zero if they do not say.
    expires: AtomicI64,
    config: ArcSwap<ServerConfig>,
}

impl Certificates {
    /// Reads them for the first time.
    ///
    /// # Errors
    ///
    /// When they cannot be read, or nothing can be encrypted with them.
    pub fn read(source: Tls) -> Result<Certificates, String> {
        let pem = (source.0)()?;
        Ok(Certificates {
            config: ArcSwap::new(config(&pem)?),
            expires: AtomicI64::new(expires(&pem)),
            used: Mutex::new(pem),
            source,
        })
    }

    /// Reads them again; connections from now on are encrypted with what was found. Says whether that is something new.
    ///
    /// # Errors
    ///
    /// When they cannot be read, or do not fit together. Then what was used is used on.
    pub fn renew(&self) -> Result<bool, String> {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let pem = (self.source.0)()?;
        if *used == pem {
            return Ok(false);
        }
        self.config.store(config(&pem)?);
        self.expires.store(expires(&pem), Ordering::Relaxed);
        *used = pem;
        Ok(true)
    }

    /// When the first of them expires, in seconds of Unix time; none if they do not say.
    pub fn expires(&self) -> Option<i64> {
        Some(self.expires.load(Ordering::Relaxed)).filter(|at| *at != 0)
    }
}

/// When the first certificate of a chain expires; zero if none says.
fn expires(pem: &Pem) -> i64 {
    let chain = CertificateDer::pem_slice_iter(&pem.certificate).flatten();
    let said = chain.filter_map(|certificate| not_after(&certificate));
    said.min().unwrap_or(0)
}

fn config(pem: &Pem) -> Result<Arc<ServerConfig>, String> {
    let certificates = |pem: &[u8], what: &str| {
        let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
        match read {
            Ok(found) if found.is_empty() => Err(format!("{what} has no certificate in PEM")),
            Ok(found) => Ok(found),
            Err(error) => Err(format!("{what} cannot be read: {error}")),
        }
    };
    let said = |error: &dyn std::fmt::Display| error.to_string();
    let provider = Arc::new(default_provider());
    let builder = ServerConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| said(&error))?;
    let builder = match &pem.client_authority {
        None => builder.with_no_client_auth(),
        Some(authority) => {
            let mut roots = RootCertStore::empty();
            for root in certificates(authority, "the authority of clients")? {
                roots.add(root).map_err(|error| said(&error))?;
            }
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            builder.with_client_cert_verifier(verifier.build().map_err(|error| said(&error))?)
        }
    };
    let key = PrivateKeyDer::from_pem_slice(&pem.key)
        .map_err(|error| format!("the key cannot be read: {error}"))?;
    let mut config = builder
        .with_single_cert(certificates(&pem.certificate, "the certificate")?, key)
        .map_err(|error| said(&error))?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

/// Reads certificates again from time to time until the referee is gone.
pub async fn renew(certificates: Weak<Certificates>) {
    // One that stays wrong is told once.
    let mut told = String::new();
    loop {
        tokio::time::sleep(LOOK).await;
        let Some(held) = certificates.upgrade() else {
            return;
        };
        match tokio::task::spawn_blocking(move || held.renew()).await {
            Ok(Ok(true)) => tracing::info!("connections are encrypted with a new certificate"),
            Ok(Ok(false)) => told.clear(),
            Ok(Err(error)) if error == told => {}
            Ok(Err(error)) => {
                tracing::warn!(%error, "the certificate cannot be renewed; the one before is used on");
                told = error;
            }
            Err(error) => tracing::error!(%error, "the certificate cannot be looked at"),
        }
    }
}

/// A connection: what is read from it and written to it is in plain text here.
pub enum Link {
    /// A TCP connection without encryption.
    Plain(TcpStream),
    /// A TCP connection with TLS.
    Encrypted(Box<TlsStream<TcpStream>>),
    /// A connection that was made otherwise.
    Made(Box<dyn Connection>),
}

/// A connection that was made otherwise than by calling at an address. It is in plain text.
pub trait Connection: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Connection for T {}

/// Such connections, as they are made.
pub type Connections = mpsc::Receiver<Box<dyn Connection>>;

/// Where connections come from.
pub enum Doors {
    /// Connections to an address.
    Listening(TcpListener),
    /// They are made otherwise.
    Made(Connections),
}

impl Doors {
    /// The next one that comes; none if no more can.
    async fn next(&mut self) -> Option<std::io::Result<(Link, Option<IpAddr>)>> {
        match self {
            Doors::Made(made) => made.recv().await.map(|made| Ok((Link::Made(made), None))),
            Doors::Listening(listener) => Some(listener.accept().await.map(|(stream, from)| {
                // Small answers must not wait for the acknowledgement of earlier ones.
                let _ = stream.set_nodelay(true);
                (Link::Plain(stream), Some(from.ip()))
            })),
        }
    }
}

/// Does something with the stream, whichever it is.
macro_rules! with {
    ($self:ident, $stream:ident => $act:expr) => {
        match &mut $self.link {
            Link::Plain(stream) => {
                let $stream = Pin::new(stream);
                $act
            }
            Link::Encrypted(stream) => {
                let $stream = Pin::new(&mut **stream);
                $act
            }
            Link::Made(stream) => {
                let $stream = Pin::new(&mut **stream);
                $act
            }
        }
    };
}

/// A connection that counts among those that there may be.
///
/// What is written to it is gathered, and goes out when it is flushed for the second time: that is mostly at the next
/// turn of its task, when everything else that was ready has had its own. So calls that came together are answered
/// together, and what streams say on the same connection goes with it. Each write of its own would cost both ends far
/// more than what is in it. Where nothing else is to be done, the next turn comes at once.
pub struct Counted {
    link: Link,
    /// What is to be written.
    gathered: Vec<u8>,
    /// Whether that was flushed once.
    waited: bool,
    arrived: Instant,
    from: Option<IpAddr>,
    /// When it is closed if it has said nothing yet.
    silence: Option<Pin<Box<Sleep>>>,
    _pass: Pass,
}

/// Room for connections.
#[derive(Clone)]
pub struct Room {
    all: Arc<Semaphore>,
    most_of_address: u32,
    silence: Duration,
    proxies: Arc<[IpAddr]>,
    by_address: AtOnce<Payer>,
}

/// The admission of a connection, which ends when this is dropped.
pub struct Pass {
    _permit: OwnedSemaphorePermit,
    _here: Option<Entered<Payer>>,
    /// How long it may say nothing at first.
    silence: Duration,
}

impl Room {
    /// As much as there may be, and more of it for some proxies than for others.
    pub fn of(limits: &Limits, proxies: Arc<[IpAddr]>) -> Room {
        Room {
            all: Arc::new(Semaphore::new(to_usize(limits.connections))),
            most_of_address: limits.connections_per_address,
            silence: limits.connection_silence,
            proxies,
            by_address: AtOnce::default(),
        }
    }

    /// Returns whether an address has a connection that is counted.
    pub fn has_addresses(&self) -> bool {
        !self.by_address.is_empty()
    }

    /// How many more connections there is room for.
    pub fn left(&self) -> usize {
        self.all.available_permits()
    }

    /// Admits a connection, if there is room.
    pub fn enter(&self, from: Option<IpAddr>) -> Option<Pass> {
        let is_proxy = |from: &IpAddr| self.proxies.contains(&from.to_canonical());
        let address = from.filter(|from| !is_proxy(from)).map(Payer::at);
        let permit = self.all.clone().try_acquire_owned().ok()?;
        let here = match address {
            Some(address) => Some(self.by_address.enter(address, self.most_of_address)?),
            None => None,
        };
        Some(Pass {
            _permit: permit,
            _here: here,
            silence: self.silence,
        })
    }
}

impl Counted {
    /// Creates a connection that was admitted.
    pub fn of(link: Link, from: Option<IpAddr>, pass: Pass) -> Counted {
        let silence = tokio::time::sleep(pass.silence);
        Counted {
            link,
            gathered: Vec::new(),
            waited: false,
            arrived: Instant::now(),
            from,
            silence: Some(Box::pin(silence)),
            _pass: pass,
        }
    }

    /// Returns the bytes of memory that are reserved for what is gathered.
    pub fn reserved_bytes(&self) -> usize {
        self.gathered.capacity()
    }

    /// Writes what was gathered, all of it.
    fn poll_gathered(&mut self, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        let mut written = 0;
        let done = loop {
            let rest = &self.gathered[written..];
            if rest.is_empty() {
                break Poll::Ready(Ok(()));
            }
            match with!(self, stream => stream.poll_write(cx, rest)) {
                Poll::Ready(Ok(0)) => break Poll::Ready(Err(ErrorKind::WriteZero.into())),
                Poll::Ready(Ok(count)) => written += count,
                Poll::Ready(Err(error)) => break Poll::Ready(Err(error)),
                Poll::Pending => break Poll::Pending,
            }
        };
        self.gathered.drain(..written);
        if self.gathered.is_empty() {
            // Most connections rest most of the time.
            self.gathered = Vec::new();
            self.waited = false;
        }
        done
    }
}

/// When a call's connection began, and from where it comes, if it comes over a network.
#[derive(Clone, Copy, Debug)]
pub struct Arrived {
    /// When it began.
    pub at: Instant,
    /// The other end.
    pub from: Option<IpAddr>,
}

impl Connected for Counted {
    type ConnectInfo = Arrived;

    fn connect_info(&self) -> Arrived {
        Arrived {
            at: self.arrived,
            from: self.from,
        }
    }
}

/// Lets connections in until the referee stops, as long as there is room. One too many is closed at once; those before it are served.
pub fn connections(
    mut doors: Doors,
    room: Room,
    certificates: Option<Arc<Certificates>>,
    stop: CancellationToken,
) -> ReceiverStream<std::io::Result<Counted>> {
    let (queue, waiting) = mpsc::channel(QUEUE);
    tokio::spawn(async move {
        loop {
            let accepted = tokio::select! {
                () = stop.cancelled() => return,
                accepted = doors.next() => accepted,
            };
            let (link, from) = match accepted {
                Some(Ok(accepted)) => accepted,
                None => return,
                Some(Err(error)) => {
                    tracing::warn!(%error, "a connection could not be let in");
                    tokio::time::sleep(BREATH).await;
                    continue;
                }
            };
            let Some(pass) = room.enter(from) else {
                continue;
            };
            let counted = move |link| Counted::of(link, from, pass);
            let (stream, certificates) = match (link, &certificates) {
                (Link::Plain(stream), Some(certificates)) => (stream, certificates),
                (link, _) => {
                    if queue.send(Ok(counted(link))).await.is_err() {
                        return;
                    }
                    continue;
                }
            };
            let acceptor = TlsAcceptor::from(certificates.config.load_full());
            let (queue, stop) = (queue.clone(), stop.clone());
            tokio::spawn(async move {
                let handshake = tokio::time::timeout(HANDSHAKE, acceptor.accept(stream));
                let shaken = tokio::select! {
                    () = stop.cancelled() => return,
                    shaken = handshake => shaken,
                };
                match shaken {
                    Ok(Ok(stream)) => {
                        let _ = queue
                            .send(Ok(counted(Link::Encrypted(Box::new(stream)))))
                            .await;
                    }
                    Ok(Err(error)) => tracing::debug!(%error, "a handshake failed"),
                    Err(_) => tracing::debug!("a handshake took too long"),
                }
            });
        }
    });
    ReceiverStream::new(waiting)
}

impl AsyncRead for Counted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let before = buffer.filled().len();
        let read = with!(self, stream => stream.poll_read(cx, buffer));
        if let Some(silence) = &mut self.silence {
            match &read {
                Poll::Pending => {
                    ready!(silence.as_mut().poll(cx));
                    return Poll::Ready(Err(ErrorKind::TimedOut.into()));
                }
                Poll::Ready(_) if buffer.filled().len() > before => self.silence = None,
                Poll::Ready(_) => {}
            }
        }
        read
    }
}

/// Pieces are not written as they lie (no vectored writes): told so, h2 puts messages of up to a kibibyte beside
/// their headers and trailers itself.
impl AsyncWrite for Counted {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        if self.gathered.len() + bytes.len() > GATHERED {
            ready!(self.poll_gathered(cx))?;
            if bytes.len() > GATHERED {
                return with!(self, stream => stream.poll_write(cx, bytes));
            }
        }
        let room = GATHERED - self.gathered.len();
        if self.gathered.len() + bytes.len() > MANY {
            self.gathered.reserve(room);
        }
        self.gathered.extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    /// Says that it is done when it is not yet: the writer would write nothing more until it is. Instead the task is
    /// woken. Whatever serves a connection asks again at each turn, and before it ends.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        if !self.gathered.is_empty() {
            if !std::mem::replace(&mut self.waited, true) {
                cx.waker().wake_by_ref();
                return Poll::Ready(Ok(()));
            }
            ready!(self.poll_gathered(cx))?;
        }
        with!(self, stream => stream.poll_flush(cx))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        ready!(self.poll_gathered(cx))?;
        with!(self, stream => stream.poll_shutdown(cx))
    }
}
