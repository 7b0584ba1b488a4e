//! The layer around every RPC: rate limits, accounts, time limits, and failures that the library would answer by itself.
//!
//! The library that carries calls answers by itself what it cannot read, what is too long, and methods that do not
//! exist; and a call that takes too long has no answer at all. Clients program against reasons: these have some, too.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use http::{HeaderMap, HeaderName, Request, Response};
use interpreter::package::Language;
use tonic::{Code, Status};

use super::accept::Arrived;
use super::metrics::method;
use crate::calls::ACCEPT_ENCODING;
use crate::calls::Failure;
use crate::calls::auth::bearer;
use referee_contract::v1::Reason;
use referee_sandbox::limits::Limits;
use referee_table::{Payer, Payers, TableError};

/// Services whose messages may be as long as `upload_bytes`.
const UPLOADS: [&str; 2] = ["referee.v1.RecordService", "referee.v1.PublishingService"];

/// Methods whose messages are short and many: packing them would take longer than sending them.
const UNPACKED: [&str; 3] = ["WatchMatch", "WatchPublicMatch", "WatchMyMatches"];

/// Services whose methods need no token.
const PUBLIC: [&str; 2] = ["referee.v1.RulesetService", "referee.v1.ServerService"];

/// The service whose methods need none for a match that anybody may watch.
const WATCHED: &str = "referee.v1.SpectatorService";

/// Methods of other services that need none, or need none for such a match.
const BY_ANYBODY: [&str; 3] = ["GetMatch", "ListLobbies", "WatchLobbies"];

/// How a call ended, where that is said before its answer. A name that is looked up in every call is not parsed in each.
pub static GRPC_STATUS: HeaderName = HeaderName::from_static("grpc-status");

/// Addresses that are remembered before those are forgotten that have not called for a while.
const REMEMBERED: usize = 1 << 14;

/// Answers with reasons what the library answers without, and finds out on whose account a call is answered.
#[derive(Clone)]
pub struct Transport {
    /// Limits.
    pub limits: Arc<Limits>,
    /// Who is believed when they say from where a call comes.
    pub proxies: Arc<[IpAddr]>,
    /// How often methods that need no token may be called from each address.
    pub rates: Rates,
}

/// How often each address may call.
pub type Rates = Arc<DefaultKeyedRateLimiter<Payer>>;

/// As often as each token may.
pub fn rates(limits: &Limits) -> Rates {
    let calls = NonZeroU32::new(limits.calls_per_second).unwrap_or(NonZeroU32::MIN);
    Arc::new(RateLimiter::keyed(Quota::per_second(calls)))
}

impl Transport {
    /// Who is charged for what a call asks for before it is known whose it is: where it comes from.
    fn payers<B>(&self, request: &Request<B>) -> Payers {
        let arrived = request.extensions().get::<Arrived>();
        let peer = arrived.and_then(|arrived| arrived.from);
        Payers::of(peer.map(|peer| Payer::at(self.origin(peer, request.headers()))))
    }

    /// Whether an address calls more often than it may.
    fn calls_too_often(&self, payers: &Payers) -> bool {
        // Those who have not called for a while are forgotten.
        if self.rates.len() > REMEMBERED {
            self.rates.retain_recent();
        }
        let address = payers.address();
        address.is_some_and(|address| self.rates.check_key(address).is_err())
    }

    /// Returns where a call comes from: what the last of the trusted proxies says.
    pub fn origin(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let is_believed = |address: &IpAddr| self.proxies.contains(&address.to_canonical());
        if !is_believed(&peer) {
            return peer;
        }
        let said = headers.get_all("x-forwarded-for").iter();
        let said = said.filter_map(|line| line.to_str().ok());
        let hops: Vec<&str> = said.flat_map(|line| line.split(',')).collect();
        let mut origin = peer;
        for hop in hops.into_iter().rev() {
            let Some(next) = hop.trim().parse().ok().filter(|_| is_believed(&origin)) else {
                break;
            };
            origin = next;
        }
        origin
    }

    /// The failure behind an answer of the library's own; none if a method has answered.
    fn failure(&self, service: &str, headers: &HeaderMap) -> Option<Failure> {
        // An answer says how it ended behind its end.
        if !headers.contains_key(&GRPC_STATUS) || headers.contains_key("grpc-status-details-bin") {
            return None;
        }
        let status = Status::from_header_map(headers)?;
        let limits = &self.limits;
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

    fn call(&mut self, mut request: Request<I>) -> Self::Future {
        let (service, name) = method(request.uri().path());
        if UNPACKED.contains(&name) {
            request.headers_mut().remove(&ACCEPT_ENCODING);
        }
        let transport = self.transport.clone();
        let payers = transport.payers(&request);
        let token = bearer(request.headers());
        let watches = service == WATCHED || BY_ANYBODY.contains(&name);
        let by_anybody = PUBLIC.contains(&service) || watches && token.is_none();
        let refused = by_anybody && transport.calls_too_often(&payers);
        // It is large, and moved twice below.
        let answered = Box::pin(payers.calling_for(token, self.inner.call(request)));
        Box::pin(async move {
            if refused {
                let failure = Failure::from(TableError::Limit("calls_per_second"));
                return Ok(failure.status(Language::English).into_http());
            }
            let Ok(answered) = tokio::time::timeout(transport.limits.call_time, answered).await
            else {
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
