//! What orchestrators ask over plain HTTP: `/livez`, whether a restart would help, and `/readyz`, whether moves can be
//! taken. Answers have no body; everything else goes on to the service.

use std::future::{Ready, ready};
use std::sync::Arc;
use std::task::{Context, Poll};

use http::{Method, Request, Response, StatusCode};
use tokio::sync::watch;
use tokio_util::either::Either;
use tokio_util::sync::CancellationToken;

use referee_store::{Condition, StoreError};

/// How this referee is. Every call has a copy.
#[derive(Clone)]
pub struct Probes(Arc<State>);

struct State {
    /// What became of the last thing that was to be written.
    condition: watch::Receiver<Condition>,
    /// It is stopping.
    stop: CancellationToken,
}

impl Probes {
    /// Of a referee whose writer is in this condition, and that is to stop when this is cancelled.
    pub fn of(condition: watch::Receiver<Condition>, stop: CancellationToken) -> Probes {
        Probes(Arc::new(State { condition, stop }))
    }

    /// The answer to a request, if it is one of these.
    fn answer<I>(&self, request: &Request<I>) -> Option<StatusCode> {
        if request.method() != Method::GET {
            return None;
        }
        let State { condition, stop } = &*self.0;
        let condition = condition.borrow();
        let well = match request.uri().path() {
            // Nothing can be written any more, whatever becomes of the disk.
            "/livez" => !matches!(*condition, Err(StoreError::Closed | StoreError::Fenced)),
            "/readyz" => condition.is_ok() && !stop.is_cancelled(),
            _ => return None,
        };
        Some(match well {
            true => StatusCode::OK,
            false => StatusCode::SERVICE_UNAVAILABLE,
        })
    }
}

impl<S> tower::Layer<S> for Probes {
    type Service = Probed<S>;

    fn layer(&self, inner: S) -> Probed<S> {
        Probed {
            inner,
            probes: self.clone(),
        }
    }
}

/// A service that answers them first.
#[derive(Clone)]
pub struct Probed<S> {
    inner: S,
    probes: Probes,
}

impl<S, I, O> tower::Service<Request<I>> for Probed<S>
where
    S: tower::Service<Request<I>, Response = Response<O>>,
    O: Default,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Either<S::Future, Ready<Result<Self::Response, Self::Error>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<I>) -> Self::Future {
        match self.probes.answer(&request) {
            None => Either::Left(self.inner.call(request)),
            Some(status) => {
                let mut response = Response::new(O::default());
                *response.status_mut() = status;
                Either::Right(ready(Ok(response)))
            }
        }
    }
}
