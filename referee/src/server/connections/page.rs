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

use crate::shipped::page_files;

/// What a browser lets the page do: nothing but run its own scripts and call this origin.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

/// What begins the page. Its name stays when the page changes, so that it is asked for anew.
const INDEX: &str = "/index.html";

/// Files whose names change with what is in them.
const NAMED_BY_CONTENT: &str = "/assets/";

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

/// The answer to a request, if it is for a file of the page.
fn answer<I>(request: &Request<I>) -> Option<Response<Full<Bytes>>> {
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

/// What a file is, by the end of its name.
fn kind(path: &str) -> &'static str {
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

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    fn get(path: &str, headers: &[(&str, &str)]) -> Option<Response<Full<Bytes>>> {
        let mut request = Request::get(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        answer(&request.body(()).expect("a request"))
    }

    fn header<'a>(response: &'a Response<Full<Bytes>>, name: &str) -> &'a str {
        let value = response.headers().get(name).map(HeaderValue::to_str);
        value.unwrap_or(Ok("")).expect("a text")
    }

    #[test]
    fn every_file_is_what_was_built_packed_or_not() {
        assert!(FILES.contains_key(INDEX));
        let mut files: Vec<_> = FILES.iter().collect();
        files.sort_by_key(|(path, _)| *path);
        for (path, file) in files {
            let mut unpacked = Vec::new();
            let mut reader = flate2::read::GzDecoder::new(&file.packed[..]);
            reader
                .read_to_end(&mut unpacked)
                .expect("it is packed by gzip");
            assert!(unpacked == file.bytes, "{path}");
            let plain = get(path, &[]).expect(path);
            assert_eq!(
                header(&plain, "content-length"),
                file.bytes.len().to_string()
            );
            assert_eq!(header(&plain, "content-encoding"), "");
            let packed = get(path, &[("accept-encoding", "br;q=1.0, gzip;q=0.5")]);
            let packed = packed.expect(path);
            assert_eq!(header(&packed, "content-encoding"), "gzip");
            assert_eq!(header(&packed, "content-security-policy"), POLICY);
            assert_ne!(kind(path), "application/octet-stream", "{path}");
        }
    }

    #[test]
    fn what_begins_it_is_asked_for_anew_and_the_rest_is_kept() {
        let index = get("/", &[]).expect("the page");
        assert_eq!(header(&index, "cache-control"), "no-cache");
        let tag = header(&index, "etag").to_owned();
        let again = get("/", &[("if-none-match", &format!("\"other\", W/{tag}"))]);
        assert_eq!(again.expect("the page").status(), StatusCode::NOT_MODIFIED);
        let mut paths: Vec<_> = FILES.keys().collect();
        paths.sort();
        let asset = paths.iter().find(|path| path.starts_with(NAMED_BY_CONTENT));
        let asset = get(asset.expect("an asset"), &[]).expect("an asset");
        assert!(header(&asset, "cache-control").contains("immutable"));
        assert_eq!(
            get("/", &[("accept-encoding", "gzip;q=0")])
                .map(|it| header(&it, "content-encoding").to_owned()),
            Some(String::new())
        );
    }

    #[test]
    fn the_server_for_work_on_the_page_sends_the_same_policy() {
        let script = include_str!("../../../web/scripts/serve.mjs");
        assert!(script.contains(&format!("\"{POLICY}\"")));
    }

    #[test]
    fn everything_else_goes_on_to_the_service() {
        for path in [
            "/assets/",
            "/assets/../index.html",
            "/livez",
            "/referee.v1.ServerService/GetServerInfo",
        ] {
            assert!(get(path, &[]).is_none(), "{path}");
        }
        let posted = Request::post("/").body(()).expect("a request");
        assert!(answer(&posted).is_none());
    }
}
