//! Traces of RPCs: the method of each call and its status, as a span, in the log and in the metrics.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Instant;

use http::HeaderMap;
use tonic::{Code, Status};
use tonic_types::StatusExt as _;
use tracing::{Instrument as _, field, info_span};

use super::metrics::{Figures, method};
use super::transport::GRPC_STATUS;
use referee_table::traces::{SPANS, belong};

/// Where every call is logged, at the level debug.
pub const CALLS: &str = "referee::calls";

/// Opens a span around every call, and has it counted.
#[derive(Clone)]
pub struct Traced(pub Figures);

impl<S> tower::Layer<S> for Traced {
    type Service = Spanned<S>;

    fn layer(&self, inner: S) -> Spanned<S> {
        Spanned {
            inner,
            figures: self.0.clone(),
        }
    }
}

/// The limit that a refused call has reached; empty if none is named.
fn limit(headers: &HeaderMap) -> String {
    let status = Status::from_header_map(headers);
    let info = status.and_then(|status| status.get_details_error_info());
    let limit = info.and_then(|mut info| info.metadata.remove("limit"));
    limit.unwrap_or_default()
}

/// A service whose calls have spans.
#[derive(Clone)]
pub struct Spanned<S> {
    inner: S,
    figures: Figures,
}

impl<S, I, O> tower::Service<http::Request<I>> for Spanned<S>
where
    S: tower::Service<http::Request<I>, Response = http::Response<O>>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: http::Request<I>) -> Self::Future {
        let (service, method) = method(request.uri().path());
        let span = info_span!(
            target: SPANS,
            "call",
            "otel.name" = format_args!("{service}/{method}"),
            "otel.kind" = "server",
            "rpc.system" = "grpc",
            "rpc.service" = service,
            "rpc.method" = method,
            "rpc.grpc.status_code" = field::Empty,
        );
        belong(&span, request.headers());
        let (figures, began) = (self.figures.clone(), Instant::now());
        let answered = span.in_scope(|| self.inner.call(request));
        let within = span.clone();
        let answered = async move {
            let answered = answered.await;
            if let Ok(response) = &answered {
                // A failure is said at once; what is said later is the end of an answer.
                let code = response.headers().get(&GRPC_STATUS);
                let code = code.and_then(|code| code.to_str().ok()?.parse().ok());
                let (code, elapsed) = (code.unwrap_or(0_i64), began.elapsed());
                within.record("rpc.grpc.status_code", code);
                tracing::debug!(target: CALLS, service, method, code, ?elapsed, "answered");
                figures.handled((service, method), code, elapsed);
                if code == i64::from(i32::from(Code::ResourceExhausted)) && figures.are_kept() {
                    figures.limited(&limit(response.headers()));
                }
            }
            answered
        };
        Box::pin(answered.instrument(span))
    }
}
