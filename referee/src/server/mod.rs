//! The service: gRPC over the tables.
//!
//! Each service is a short file of short methods: who calls ([`auth`]), what is asked (read by
//! [`convert`](crate::wire::convert)), what the table says, as a message or as a status
//! ([`status`], the only place that chooses codes). Rules never run on the threads that serve.

mod auth;
mod feed;
mod info;
mod matches;
mod play;
mod rulesets;
mod spectators;
mod start;
pub mod status;
mod tokens;

use std::sync::Arc;

use interpreter::package::Language;
use prost::Message;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status};

use crate::limits::Limits;
use crate::secrets::Keys;
use crate::store::{MatchId, Principal};
use crate::table::{Hall, Table, Workers};
use auth::Auth;
use status::Failure;

pub use start::{Config, Running, StartError, StoreChoice, start};

/// What every service needs.
pub struct Referee {
    hall: Hall,
    auth: Auth,
    testing: bool,
    stop: CancellationToken,
}

impl Referee {
    fn limits(&self) -> &Limits {
        &self.hall.parts().limits
    }

    fn keys(&self) -> &Keys {
        &self.hall.parts().keys
    }

    fn workers(&self) -> &Workers {
        &self.hall.parts().workers
    }

    /// Ends when the referee shuts down.
    async fn stopping(&self) {
        self.stop.cancelled().await;
    }

    /// The table of a match.
    async fn table(&self, id: &MatchId) -> Result<Arc<Table>, Failure> {
        self.hall.open(id).await?.ok_or_else(Failure::not_found)
    }

    /// The table of a match of this host.
    async fn hosted(&self, id: &MatchId, host: Principal) -> Result<Arc<Table>, Failure> {
        let table = self.table(id).await?;
        if table.snapshot().info.host == host {
            Ok(table)
        } else {
            Err(Failure::not_found())
        }
    }

    fn page_size(&self, asked: i32) -> Result<usize, Failure> {
        self.limits()
            .page(asked)
            .ok_or_else(|| Failure::field("page_size", "is negative"))
    }
}

/// The language that a call asks for.
fn language<T>(request: &Request<T>) -> Language {
    status::language(request.metadata())
}

/// An answer in the caller's language.
fn answer<T>(language: Language, result: Result<T, Failure>) -> Result<Response<T>, Status> {
    result
        .map(Response::new)
        .map_err(|failure| failure.status(language))
}

/// A request that changes something: its id must be a UUID, its digest is of everything else in it.
fn request(
    principal: Principal,
    method: &str,
    request_id: &str,
    rest: &impl Message,
) -> Result<crate::table::Request, Failure> {
    let id = uuid::Uuid::try_parse(request_id)
        .map_err(|_| Failure::field("request_id", "is not a UUID"))?;
    let mut digest = blake3::Hasher::new_derive_key("referee 2026-11 request digest v1");
    digest.update(method.as_bytes());
    digest.update(b"\n");
    digest.update(&rest.encode_to_vec());
    Ok(crate::table::Request {
        principal,
        id: id.to_string(),
        digest: *digest.finalize().as_bytes(),
    })
}
