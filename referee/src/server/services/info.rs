//! `ServerService`: versions and limits, for anybody.

use std::sync::Arc;
use std::time::Duration;

use tonic::{Request, Response, Status};

use crate::limits::{Limits, every_limit};
use crate::server::Referee;
use crate::wire::v1::{self, server_service_server::ServerService};

/// Answers what this referee is.
pub struct Info(pub Arc<Referee>);

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

#[tonic::async_trait]
impl ServerService for Info {
    async fn get_server_info(
        &self,
        _request: Request<v1::GetServerInfoRequest>,
    ) -> Result<Response<v1::GetServerInfoResponse>, Status> {
        Ok(Response::new(v1::GetServerInfoResponse {
            server_version: env!("CARGO_PKG_VERSION").into(),
            api_versions: vec!["referee.v1".into()],
            languages: vec!["en".into(), "pl".into()],
            limits: Some(limits_out(self.0.limits())),
            testing: self.0.testing,
            record_key: self.0.keys().signer().public().to_vec(),
        }))
    }
}
