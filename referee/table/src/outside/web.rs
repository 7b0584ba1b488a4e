//! Calls to other servers over HTTP.
//!
//! A name is looked up once, and the connection goes to the address that was judged: a name that means another address the
//! next time gains nothing. Redirects are answers like any other, which nobody follows. Answers are read up to a length and
//! for a time.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use http::header::{CONTENT_TYPE, HOST, USER_AGENT};
use http::uri::Scheme;
use http::{HeaderName, Method, Request, Uri};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// How long a call may take, from looking up the name to the end of the answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why a call was not answered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WebError {
    /// The URL is none that is called.
    #[error("{0}")]
    Url(String),
    /// The name stands for no address that may be reached.
    #[error("`{0}` is at no address that may be reached")]
    Unreachable(String),
    /// Nobody answered, or not so that it could be understood.
    #[error("{0}")]
    Failed(String),
    /// The answer was another than that it was done: its status.
    #[error("the answer was {0}")]
    Status(u16),
}

fn failed(error: impl std::fmt::Display) -> WebError {
    WebError::Failed(error.to_string())
}

/// Which addresses a server may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Those of the public internet only.
    Public,
    /// Any: the operator has named this very server.
    Any,
}

/// A URL that can be called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    encrypted: bool,
    host: String,
    port: u16,
    path: String,
}

impl Url {
    /// Reads one: `https://<host>[:<port>]<path>`; without encryption only to an address of this machine.
    ///
    /// # Errors
    ///
    /// Says what is wrong with it.
    pub fn read(text: &str) -> Result<Url, WebError> {
        let wrong = |why: &str| WebError::Url(format!("`{text}` {why}"));
        let uri: Uri = text.parse().map_err(|_| wrong("is no URL"))?;
        let authority = uri.authority().ok_or_else(|| wrong("names no host"))?;
        if authority.as_str().contains('@') {
            return Err(wrong("has a name or a password in it"));
        }
        if text.contains('#') {
            return Err(wrong("has a fragment, which no server is told"));
        }
        let encrypted = match uri.scheme() {
            Some(scheme) if *scheme == Scheme::HTTPS => true,
            Some(scheme) if *scheme == Scheme::HTTP => false,
            _ => return Err(wrong("must begin with https://")),
        };
        let host = authority
            .host()
            .trim_matches(['[', ']'])
            .to_ascii_lowercase();
        let here = host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback());
        if !encrypted && !here {
            return Err(wrong("must begin with https://"));
        }
        let usual = if encrypted { 443 } else { 80 };
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        Ok(Url {
            encrypted,
            host,
            port: authority.port_u16().unwrap_or(usual),
            path: path.to_owned(),
        })
    }

    /// Host and port, as an operator lists servers: without the usual port.
    pub fn server(&self) -> String {
        let host = match self.host.contains(':') {
            true => format!("[{}]", self.host),
            false => self.host.clone(),
        };
        match (self.encrypted, self.port) {
            (true, 443) | (false, 80) => host,
            (_, port) => format!("{host}:{port}"),
        }
    }

    /// Whether the host is an address, which means no other one the next time.
    pub fn is_address(&self) -> bool {
        self.host.parse::<IpAddr>().is_ok()
    }
}

/// Whether an address is one of the public internet.
pub fn is_public(ip: IpAddr) -> bool {
    match ip.to_canonical() {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => is_public_v6(ip),
    }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    let special = match (a, b) {
        (0 | 10 | 127, _) | (169, 254) | (192, 168) | (198, 18 | 19) => true,
        (100, 64..=127) | (172, 16..=31) => true,
        (192, 0) => c == 0 || c == 2,
        (198, 51) => c == 100,
        (203, 0) => c == 113,
        (224.., _) => true,
        _ => false,
    };
    !special
}

fn is_public_v6(ip: Ipv6Addr) -> bool {
    let segments = ip.segments();
    let embedded = |high: u16, low: u16| {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        is_public_v4(Ipv4Addr::new(a, b, c, d))
    };
    match segments {
        // Addresses of version 4 behind a translator, and in tunnels.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => embedded(high, low),
        [0x2002, high, low, ..] => embedded(high, low),
        [0x2001, 0xdb8, ..] | [0x2001, 0..=0x1ff, ..] => false,
        // All that is assigned to the public internet.
        [first, ..] => (0x2000..0x4000).contains(&first),
    }
}

/// An answer that says that it was done.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What it says.
    pub body: Bytes,
}

/// What is sent to a server.
pub struct Sent<'a> {
    /// With these headers beside the usual ones.
    pub headers: &'a [(&'static str, String)],
    /// JSON.
    pub body: Vec<u8>,
}

/// Asks a server for something of at most so many bytes.
///
/// # Errors
///
/// When there is no such answer.
pub async fn get(url: &Url, reach: Reach, most: usize) -> Result<Answer, WebError> {
    call(url, reach, most, Method::GET, None).await
}

/// Tells a server something. What it answers beyond that it heard is not read.
///
/// # Errors
///
/// When it does not say that it heard.
pub async fn post(url: &Url, reach: Reach, sent: Sent<'_>) -> Result<(), WebError> {
    call(url, reach, 0, Method::POST, Some(sent))
        .await
        .map(drop)
}

async fn call(
    url: &Url,
    reach: Reach,
    most: usize,
    method: Method,
    sent: Option<Sent<'_>>,
) -> Result<Answer, WebError> {
    let called = async {
        let stream = connect(url, reach).await?;
        if !url.encrypted {
            return exchange(url, stream, most, method, sent).await;
        }
        let name = ServerName::try_from(url.host.clone()).map_err(failed)?;
        let stream = connector()?.connect(name, stream).await.map_err(failed)?;
        exchange(url, stream, most, method, sent).await
    };
    let called = tokio::time::timeout(PATIENCE, called).await;
    called.map_err(|_| WebError::Failed(format!("no answer within {} s", PATIENCE.as_secs())))?
}

/// Connects to the first address of a server that may be reached and answers.
async fn connect(url: &Url, reach: Reach) -> Result<TcpStream, WebError> {
    let found = tokio::net::lookup_host((&*url.host, url.port)).await;
    let allowed = |address: &SocketAddr| reach == Reach::Any || is_public(address.ip());
    let addresses: Vec<SocketAddr> = found.map_err(failed)?.filter(allowed).collect();
    let mut last = WebError::Unreachable(url.host.clone());
    for address in addresses {
        match TcpStream::connect(address).await {
            Ok(stream) => return Ok(stream),
            Err(error) => last = failed(error),
        }
    }
    Err(last)
}

/// Encrypts to whom the system trusts.
fn connector() -> Result<TlsConnector, WebError> {
    static CONFIG: OnceLock<Result<Arc<ClientConfig>, String>> = OnceLock::new();
    let config = CONFIG.get_or_init(|| {
        let mut roots = RootCertStore::empty();
        let trusted = rustls_native_certs::load_native_certs();
        roots.add_parsable_certificates(trusted.certs);
        if roots.is_empty() {
            return Err("this machine trusts no certificates".into());
        }
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions();
        let config = config.map_err(|error| error.to_string())?;
        let config = config.with_root_certificates(roots).with_no_client_auth();
        Ok(Arc::new(config))
    });
    config
        .clone()
        .map(TlsConnector::from)
        .map_err(WebError::Failed)
}

async fn exchange<S>(
    url: &Url,
    stream: S,
    most: usize,
    method: Method,
    sent: Option<Sent<'_>>,
) -> Result<Answer, WebError>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream))
        .await
        .map_err(failed)?;
    // It ends with the answer, or when nobody waits for that any more.
    let connection = tokio::spawn(connection);
    let mut request = Request::builder()
        .method(method)
        .uri(&url.path)
        .header(HOST, url.server())
        .header(USER_AGENT, concat!("referee/", env!("CARGO_PKG_VERSION")));
    let mut body = Vec::new();
    if let Some(sent) = sent {
        request = request.header(CONTENT_TYPE, "application/json");
        for (name, value) in sent.headers {
            request = request.header(HeaderName::from_static(name), value);
        }
        body = sent.body;
    }
    let request = request.body(Full::new(Bytes::from(body))).map_err(failed)?;
    let answered = async {
        let answer = sender.send_request(request).await.map_err(failed)?;
        let status = answer.status();
        if !status.is_success() {
            return Err(WebError::Status(status.as_u16()));
        }
        if most == 0 {
            return Ok(Answer { body: Bytes::new() });
        }
        let body = Limited::new(answer.into_body(), most).collect().await;
        let body = body.map_err(|_| {
            WebError::Failed(format!(
                "the answer breaks off, or is longer than {most} bytes"
            ))
        })?;
        Ok(Answer {
            body: body.to_bytes(),
        })
    };
    let answered = answered.await;
    connection.abort();
    answered
}
