//! `ServerService`: versions and limits, for anybody; a host's token for whoever sees the referee's terminal.

use std::sync::Arc;
use std::time::Duration;

use tonic::{Request, Response, Status};

use crate::Referee;
use crate::calls::issuing::issue;
use crate::calls::{Failure, answer, serves, status};
use crate::connections::accept::Arrived;
use referee_contract::convert::timestamp;
use referee_contract::v1::{self, Reason, server_service_server::ServerService};
use referee_sandbox::every_limit;
use referee_sandbox::limits::Limits;
use referee_store::Grant;

/// Answers what this referee is.
pub struct Info(pub Arc<Referee>);

/// How long the token opens that a code is good for.
const HOSTS_FOR: Duration = Duration::from_secs(30 * 24 * 3600);

/// Its label in lists of tokens.
const LABEL: &str = "browser on the referee's machine";

impl Info {
    async fn claim(
        &self,
        arrived: Option<Arrived>,
        is_forwarded: bool,
        asked: v1::ClaimHostRequest,
    ) -> Result<v1::ClaimHostResponse, Failure> {
        let referee = &self.0;
        let now_ms = referee.now_ms();
        let from = arrived.and_then(|arrived| arrived.from);
        let is_near = from.is_some_and(|from| from.to_canonical().is_loopback()) && !is_forwarded;
        if !is_near || !referee.host_code.open(&asked.code, now_ms) {
            let why =
                "this code opens nothing here: it does so once, soon, on the referee's own machine";
            return Err(referee
                .auth
                .failed(Failure::new(Reason::ClaimCodeInvalid, why)));
        }
        let store = referee.registry.parts().store.clone();
        let issue = move || issue(&*store, Grant::Host, LABEL, now_ms, Some(HOSTS_FOR));
        let lifetime = i64::try_from(HOSTS_FOR.as_millis()).unwrap_or(i64::MAX);
        Ok(v1::ClaimHostResponse {
            host_token: referee.read(issue).await?,
            expire_time: Some(timestamp(now_ms.saturating_add(lifetime))),
        })
    }
}

/// A limit as messages write it.
trait Told {
    type Message;
    fn told(&self) -> Self::Message;
}

impl Told for u32 {
    type Message = u32;

    fn told(&self) -> u32 {
        *self
    }
}

impl Told for Duration {
    type Message = Option<prost_types::Duration>;

    fn told(&self) -> Self::Message {
        prost_types::Duration::try_from(*self).ok()
    }
}

macro_rules! limits_out {
    ($($(#[$about:meta])* $name:ident: $of:ty = $usual:expr,)*) => {
        fn limits_out(limits: &Limits) -> v1::Limits {
            v1::Limits { $($name: limits.$name.told(),)* }
        }
    };
}

every_limit!(limits_out);

serves! {
    ServerService for Info {}
    whole {
        get_server_info(GetServerInfoRequest) -> v1::GetServerInfoResponse = get_server_info;
        claim_host(ClaimHostRequest) -> v1::ClaimHostResponse = claim_host;
    }
}

impl Info {
    async fn get_server_info(
        &self,
        _request: Request<v1::GetServerInfoRequest>,
    ) -> Result<Response<v1::GetServerInfoResponse>, Status> {
        let provider = self.0.auth.provider();
        Ok(Response::new(v1::GetServerInfoResponse {
            server_version: env!("CARGO_PKG_VERSION").into(),
            api_versions: vec!["referee.v1".into()],
            languages: vec!["en".into(), "pl".into()],
            limits: Some(limits_out(self.0.limits())),
            testing: self.0.testing,
            record_key: self.0.keys().signer().public().to_vec(),
            identity_issuer: provider.map_or_else(String::new, |provider| provider.issuer.clone()),
            identity_audience: provider
                .map_or_else(String::new, |provider| provider.audience.clone()),
        }))
    }

    async fn claim_host(
        &self,
        request: Request<v1::ClaimHostRequest>,
    ) -> Result<Response<v1::ClaimHostResponse>, Status> {
        let (metadata, extensions, asked) = request.into_parts();
        let arrived = extensions.get().copied();
        // Whoever is behind a proxy is not on this machine, wherever the proxy is.
        let is_forwarded =
            metadata.contains_key("x-forwarded-for") || metadata.contains_key("forwarded");
        let language = status::language(&metadata);
        answer(language, self.claim(arrived, is_forwarded, asked).await)
    }
}
