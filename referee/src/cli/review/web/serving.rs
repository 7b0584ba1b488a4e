//! Connections: requests of HTTP/1.1, held to a size and a time, and answers with the policy that keeps the page to itself.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use http::{HeaderName, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::doors::{Doors, Refused};
use super::room::{Answer, Room};
use crate::cli::supervisor::Interruption;
use referee_store::numbers::to_u64;

/// Connections at once. A browser has six.
const CONNECTIONS: usize = 64;

/// Bytes of a form.
const FORM: usize = 64 * 1024;

/// How long a request may take to come.
const PATIENCE: Duration = Duration::from_secs(20);

/// How long answers under way are waited for in the end.
const GRACE: Duration = Duration::from_secs(3);

/// What a browser lets the page do: nothing but use its own style and script, and send forms to this address.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

static CROSS_ORIGIN_RESOURCES: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
static CROSS_ORIGIN_OPENERS: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

/// Serves until this is cancelled or somebody interrupts the process.
///
/// # Errors
///
/// When interruptions cannot be heard.
pub async fn serve(
    listener: TcpListener,
    doors: Arc<Doors>,
    room: Arc<Room>,
    stop: CancellationToken,
) -> std::io::Result<()> {
    let mut interrupted = pin!(Interruption::expect()?.came());
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            came = &mut interrupted => {
                stop.cancel();
                came?;
                break;
            }
            () = stop.cancelled() => break,
            _ = connections.join_next(), if !connections.is_empty() => {}
            Ok((stream, _)) = listener.accept() => {
                if connections.len() < CONNECTIONS {
                    connections.spawn(connection(stream, doors.clone(), room.clone(), stop.clone()));
                }
            }
        }
    }
    drop(listener);
    let rest = async { while connections.join_next().await.is_some() {} };
    // Whoever is slower has no answer.
    let _ = tokio::time::timeout(GRACE, rest).await;
    Ok(())
}

async fn connection(
    stream: TcpStream,
    doors: Arc<Doors>,
    room: Arc<Room>,
    stop: CancellationToken,
) {
    let service = service_fn(move |request| answered(request, doors.clone(), room.clone()));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(PATIENCE);
    let mut served = pin!(http.serve_connection(TokioIo::new(stream), service));
    let is_over = tokio::select! {
        _ = served.as_mut() => true,
        () = stop.cancelled() => false,
    };
    if !is_over {
        served.as_mut().graceful_shutdown();
        let _ = served.await;
    }
}

async fn answered(
    request: Request<Incoming>,
    doors: Arc<Doors>,
    room: Arc<Room>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let (parts, body) = request.into_parts();
    let path = match doors.opened(&parts) {
        Ok(path) => path.to_owned(),
        Err(why) => return Ok(plain(StatusCode::FORBIDDEN, refused(why))),
    };
    if !matches!(parts.method, Method::GET | Method::HEAD | Method::POST) {
        return Ok(plain(StatusCode::METHOD_NOT_ALLOWED, "Only GET and POST."));
    }
    let too_long = || {
        let told = "The form is too long: shorten the comment.\nFormularz jest za długi: skróć komentarz.\n";
        plain(StatusCode::PAYLOAD_TOO_LARGE, told)
    };
    if body.size_hint().lower() > to_u64(FORM) {
        return Ok(too_long());
    }
    let body = tokio::time::timeout(PATIENCE, Limited::new(body, FORM).collect()).await;
    let body = match body {
        Ok(Ok(body)) => String::from_utf8_lossy(&body.to_bytes()).into_owned(),
        Ok(Err(_)) => return Ok(too_long()),
        Err(_) => {
            return Ok(plain(
                StatusCode::REQUEST_TIMEOUT,
                "The form did not come.\n",
            ));
        }
    };
    // Rules are read and scenarios played: nothing for a thread that others wait for.
    let made = tokio::task::spawn_blocking(move || room.answer(&parts, &path, &body)).await;
    Ok(match made {
        Ok(answer) => response(answer),
        Err(_) => {
            let told = "This is a fault of the program; what was accepted before is written.\nTo błąd programu; to, co zaakceptowano wcześniej, jest zapisane.\n";
            plain(StatusCode::INTERNAL_SERVER_ERROR, told)
        }
    })
}

fn refused(why: Refused) -> &'static str {
    match why {
        Refused::Host => {
            "This page is at 127.0.0.1 alone: open the link as `referee review --web` shows it.\nTa strona jest tylko pod adresem 127.0.0.1: otwórz odnośnik, który pokazuje `referee review --web`.\n"
        }
        Refused::Origin => {
            "This was sent by another page, and nothing is done.\nTo wysłała inna strona; nic nie zrobiono.\n"
        }
        Refused::Secret => {
            "This page opens by the whole link that `referee review --web` shows.\nTę stronę otwiera cały odnośnik, który pokazuje `referee review --web`.\n"
        }
    }
}

fn plain(status: StatusCode, told: &'static str) -> Response<Full<Bytes>> {
    made(
        status,
        "text/plain; charset=utf-8",
        "no-store",
        Bytes::from_static(told.as_bytes()),
    )
}

fn response(answer: Answer) -> Response<Full<Bytes>> {
    match answer {
        Answer::Page(status, page) => {
            made(status, "text/html; charset=utf-8", "no-store", page.into())
        }
        // Its address has the secret, which is another one next time. The last page has its looks from here.
        Answer::File(kind, text) => made(
            StatusCode::OK,
            kind,
            "private, max-age=86400",
            Bytes::from_static(text.as_bytes()),
        ),
        Answer::Elsewhere(to) => {
            let mut response = plain(StatusCode::SEE_OTHER, "");
            if let Ok(to) = HeaderValue::try_from(to) {
                response.headers_mut().insert(LOCATION, to);
            }
            response
        }
        Answer::Nothing => plain(
            StatusCode::NOT_FOUND,
            "There is no such page.\nNie ma takiej strony.\n",
        ),
    }
}

fn made(
    status: StatusCode,
    kind: &'static str,
    cached: &'static str,
    body: Bytes,
) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_TYPE, kind),
        (CACHE_CONTROL, cached),
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        // Addresses have the secret. Without any, browsers would not say whose page sends a form.
        (REFERRER_POLICY, "same-origin"),
        (CROSS_ORIGIN_RESOURCES.clone(), "same-origin"),
        (CROSS_ORIGIN_OPENERS.clone(), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}
