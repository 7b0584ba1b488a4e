//! The way to the service that is called most, past the router.
//!
//! In: every call. Out: calls of this service go to it as they came, all others to the services behind. The library's
//! router looks for the service in a tree of paths, and wraps request, service and answer for itself: a thirtieth of
//! what the server does for a submitted move.

use std::convert::Infallible;
use std::task::{Context, Poll, ready};

use http::{Request, Response};
use tokio_util::either::Either;
use tonic::server::NamedService;

/// Leads the calls of a service straight to it.
#[derive(Clone)]
pub struct Straight<D>(pub D);

impl<D: Clone, S> tower::Layer<S> for Straight<D> {
    type Service = Forked<D, S>;

    fn layer(&self, others: S) -> Forked<D, S> {
        Forked {
            straight: self.0.clone(),
            others,
        }
    }
}

/// A service with its calls, and those behind it with all others.
#[derive(Clone)]
pub struct Forked<D, S> {
    straight: D,
    others: S,
}

impl<D, S, I, O> tower::Service<Request<I>> for Forked<D, S>
where
    D: NamedService + tower::Service<Request<I>, Response = Response<O>, Error = Infallible>,
    S: tower::Service<Request<I>, Response = Response<O>, Error = Infallible>,
{
    type Response = Response<O>;
    type Error = Infallible;
    type Future = Either<D::Future, S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        ready!(self.straight.poll_ready(cx))?;
        self.others.poll_ready(cx)
    }

    fn call(&mut self, request: Request<I>) -> Self::Future {
        match request.uri().path().split('/').nth(1) == Some(D::NAME) {
            true => Either::Left(self.straight.call(request)),
            false => Either::Right(self.others.call(request)),
        }
    }
}
