//! What goes wrong with a call before or beside its method, in the words of every other failure.
//!
//! The library that carries calls answers by itself what it cannot read, what is too long, and methods that do not
//! exist; and a call that takes too long has no answer at all. Clients program against reasons: these have some, too.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::{HeaderMap, Request, Response};
use interpreter::package::Language;
use tonic::{Code, Status};

use super::gate::method;
use super::status::Failure;
use crate::limits::Limits;
use crate::wire::v1::Reason;

/// Services whose messages may be as long as `upload_bytes`.
const UPLOADS: [&str; 2] = ["referee.v1.RecordService", "referee.v1.PublishingService"];

/// Answers with reasons what the library answers without.
#[derive(Clone)]
pub struct Transport(pub Arc<Limits>);

impl Transport {
    /// The failure behind an answer of the library's own; none if a method has answered.
    fn failure(&self, service: &str, headers: &HeaderMap) -> Option<Failure> {
        // An answer says how it ended behind its end.
        if !headers.contains_key("grpc-status") || headers.contains_key("grpc-status-details-bin") {
            return None;
        }
        let status = Status::from_header_map(headers)?;
        let limits = &self.0;
        Some(match status.code() {
            Code::Ok => return None,
            // What a method's absence leaves unsaid; how a message is compressed is said.
            Code::Unimplemented if status.message().is_empty() => {
                let why =
                    "there is no such method; `ServerService.GetServerInfo` tells the version";
                Failure::new(Reason::MethodUnknown, why)
            }
            Code::OutOfRange | Code::ResourceExhausted => {
                let (name, most) = match UPLOADS.contains(&service) {
                    true => ("upload_bytes", limits.upload_bytes),
                    false => ("request_bytes", limits.request_bytes),
                };
                let why = format!("the message is longer than {most} bytes (`{name}`)");
                Failure::new(Reason::MalformedRequest, why).with("limit", name)
            }
            Code::Internal | Code::InvalidArgument | Code::Unimplemented => {
                let why = format!("the message cannot be read: {}", status.message());
                Failure::new(Reason::MalformedRequest, why)
            }
            // Services that are not ours, such as health, have words of their own.
            _ => return None,
        })
    }
}

impl<S> tower::Layer<S> for Transport {
    type Service = Carried<S>;

    fn layer(&self, inner: S) -> Carried<S> {
        Carried {
            inner,
            transport: self.clone(),
        }
    }
}

/// A service whose every failure has a reason.
#[derive(Clone)]
pub struct Carried<S> {
    inner: S,
    transport: Transport,
}

impl<S, I, O> tower::Service<Request<I>> for Carried<S>
where
    S: tower::Service<Request<I>, Response = Response<O>>,
    S::Future: Send + 'static,
    O: Default,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<I>) -> Self::Future {
        let (service, _) = method(request.uri().path());
        let transport = self.transport.clone();
        let answered = self.inner.call(request);
        Box::pin(async move {
            let Ok(answered) = tokio::time::timeout(transport.0.call, answered).await else {
                let why = "the call took too long; whether it was done is not known: repeat it with the same \
                           `request_id`";
                let late = Failure::new(Reason::CallTooLong, why);
                return Ok(late.status(Language::English).into_http());
            };
            let response = answered?;
            match transport.failure(service, response.headers()) {
                Some(failure) => Ok(failure.status(Language::English).into_http()),
                None => Ok(response),
            }
        })
    }
}
