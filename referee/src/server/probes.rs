//! What orchestrators ask over plain HTTP: `/livez`, whether a restart would help, and `/readyz`, whether moves can be
//! taken. Answers have no body; everything else goes on to the service.

use std::pin::Pin;
use std::task::{Context, Poll};

use http::{Method, Request, Response, StatusCode};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::store::{Condition, StoreError};

/// How this referee is.
#[derive(Clone)]
pub struct Probes {
    /// What became of the last thing that was to be written.
    pub condition: watch::Receiver<Condition>,
    /// It is stopping.
    pub stop: CancellationToken,
}

impl Probes {
    /// The answer to a request, if it is one of these.
    fn answer<I>(&self, request: &Request<I>) -> Option<StatusCode> {
        if request.method() != Method::GET {
            return None;
        }
        let condition = self.condition.borrow();
        let well = match request.uri().path() {
            // Nothing can be written any more, whatever becomes of the disk.
            "/livez" => !matches!(*condition, Err(StoreError::Closed | StoreError::Fenced)),
            "/readyz" => condition.is_ok() && !self.stop.is_cancelled(),
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
        match self.probes.answer(&request) {
            None => Box::pin(self.inner.call(request)),
            Some(status) => Box::pin(async move {
                let mut response = Response::new(O::default());
                *response.status_mut() = status;
                Ok(response)
            }),
        }
    }
}
