//! The page: a table to look at, in a browser.
//!
//! In: requests over plain HTTP. Out: the files that were built of `referee/web`, with the policy that keeps the page to this
//! origin; everything else goes on to the service. Only `GET` and `HEAD` are answered, only these paths, and each file is kept
//! packed as well, because that is what browsers ask for.

use std::borrow::Cow;
use std::collections::HashMap;
use std::future::{Ready, ready};
use std::io::Read as _;
use std::pin::Pin;
use std::sync::LazyLock;
use std::task::{Context, Poll};

use flate2::Compression;
use flate2::bufread::GzEncoder;
use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_SECURITY_POLICY,
    CONTENT_TYPE, ETAG, IF_NONE_MATCH, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{Either as Body, Full};
use prost::bytes::Bytes;
use tokio_util::either::Either;

use referee_library::shipped::page_files;

/// What a browser lets the page do: nothing but run its own scripts and call this origin.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

/// What begins the page. Its name stays when the page changes, so that it is asked for anew.
pub const INDEX: &str = "/index.html";

/// Files whose names change with what is in them.
pub const NAMED_BY_CONTENT: &str = "/assets/";

/// File of the page.
struct File {
    bytes: Bytes,
    /// The same bytes, compressed by gzip when they are first asked for so.
    packed: LazyLock<Bytes, Box<dyn FnOnce() -> Bytes + Send>>,
    tag: HeaderValue,
}

impl File {
    fn new(bytes: Bytes) -> File {
        let tag = format!("\"{}\"", &blake3::hash(&bytes).to_hex()[..32]);
        let tag = HeaderValue::try_from(tag).unwrap_or_else(|_| HeaderValue::from_static(""));
        let unpacked = bytes.clone();
        File {
            bytes,
            packed: LazyLock::new(Box::new(move || compress(&unpacked))),
            tag,
        }
    }
}

/// Returns bytes compressed by gzip.
fn compress(bytes: &[u8]) -> Bytes {
    let mut packed = Vec::new();
    // Reading from memory does not fail.
    let _ = GzEncoder::new(bytes, Compression::best()).read_to_end(&mut packed);
    packed.into()
}

/// Files of the page by path, such as `/assets/index-….js`.
static FILES: LazyLock<HashMap<String, File>> = LazyLock::new(|| {
    let files = page_files().unwrap_or_else(|error| {
        tracing::error!("cannot read the files of the page: {error}");
        Vec::new()
    });
    files
        .into_iter()
        .map(|file| {
            let bytes = match file.bytes {
                Cow::Borrowed(bytes) => Bytes::from_static(bytes),
                Cow::Owned(bytes) => Bytes::from(bytes),
            };
            (format!("/{}", file.path), File::new(bytes))
        })
        .collect()
});

/// Answers with the files of the page, if it is shown.
#[derive(Clone, Copy)]
pub struct Page {
    /// Whether it is.
    pub shown: bool,
}

/// Answers a request, if it is for a file of the page.
pub fn answer<I>(request: &Request<I>) -> Option<Response<Full<Bytes>>> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return None;
    }
    let path = match request.uri().path() {
        "/" => INDEX,
        path => path,
    };
    let file = FILES.get(path)?;
    let known = request.headers().get_all(IF_NONE_MATCH).iter();
    let known = known.filter_map(|tags| tags.to_str().ok());
    let tag = file.tag.to_str().unwrap_or_default();
    let is_known = known
        .flat_map(|tags| tags.split(','))
        .any(|known| known.trim().trim_start_matches("W/") == tag);
    let mut response = Response::new(Full::default());
    let packed = is_packed(request.headers());
    let bytes = match packed {
        true => (*file.packed).clone(),
        false => file.bytes.clone(),
    };
    let headers = response.headers_mut();
    let cached = match path.starts_with(NAMED_BY_CONTENT) {
        true => "public, max-age=31536000, immutable",
        false => "no-cache",
    };
    for (name, value) in [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (CACHE_CONTROL, cached),
        (VARY, "accept-encoding"),
        (CONTENT_TYPE, kind(path)),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert(ETAG, file.tag.clone());
    if is_known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return Some(response);
    }
    if packed {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    headers.insert(CONTENT_LENGTH, HeaderValue::from(bytes.len()));
    if request.method() == Method::GET {
        *response.body_mut() = Full::new(bytes);
    }
    Some(response)
}

/// Returns the content type of a file, by the end of its name.
pub fn kind(path: &str) -> &'static str {
    match path.rsplit_once('.') {
        Some((_, "html")) => "text/html; charset=utf-8",
        Some((_, "js")) => "text/javascript; charset=utf-8",
        Some((_, "css")) => "text/css; charset=utf-8",
        Some((_, "svg")) => "image/svg+xml",
        _ => "application/octet-stream",
    }
}

/// Whether the caller reads what is packed by gzip.
fn is_packed(headers: &HeaderMap) -> bool {
    let said = headers.get_all(ACCEPT_ENCODING).iter();
    let said = said.filter_map(|line| line.to_str().ok());
    said.flat_map(|line| line.split(',')).any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let named = matches!(parts.next(), Some("gzip" | "*"));
        // `gzip;q=0` says that it does not.
        let weight = parts.find_map(|part| part.strip_prefix("q="));
        named && weight.is_none_or(|weight| weight.parse::<f32>().is_ok_and(|weight| weight > 0.0))
    })
}

impl<S> tower::Layer<S> for Page {
    type Service = Paged<S>;

    fn layer(&self, inner: S) -> Paged<S> {
        Paged {
            inner,
            shown: self.shown,
        }
    }
}

/// A service that answers with the page first.
#[derive(Clone)]
pub struct Paged<S> {
    inner: S,
    shown: bool,
}

impl<S, I, O> tower::Service<Request<I>> for Paged<S>
where
    S: tower::Service<Request<I>, Response = Response<O>>,
    S::Future: Unpin,
{
    type Response = Response<Body<O, Full<Bytes>>>;
    type Error = S::Error;
    type Future = Either<Onward<S::Future>, Ready<Result<Self::Response, Self::Error>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<I>) -> Self::Future {
        match self.shown.then(|| answer(&request)).flatten() {
            None => Either::Left(Onward(self.inner.call(request))),
            Some(response) => Either::Right(ready(Ok(response.map(Body::Right)))),
        }
    }
}

/// An answer of the service behind, with a body of either kind.
pub struct Onward<F>(F);

impl<F, O, E> Future for Onward<F>
where
    F: Future<Output = Result<Response<O>, E>> + Unpin,
{
    type Output = Result<Response<Body<O, Full<Bytes>>>, E>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let answered = Pin::new(&mut self.0).poll(cx);
        answered.map_ok(|response| response.map(Body::Left))
    }
}
