//! The service: gRPC over the tables.
//!
//! Each service is a short file of short methods: who calls ([`auth`]), what is asked (read by
//! [`convert`](crate::wire::convert)), what the table says, as a message or as a status
//! ([`status`], the only place that chooses codes). Rules that were found to take long do not run on
//! the threads that serve.

mod admin;
mod artifacts;
mod auth;
mod channels;
mod differences;
mod entrance;
mod expiry;
mod feed;
mod gate;
mod hosting;
mod info;
pub mod issuing;
mod matches;
mod offers;
mod opening;
mod oversight;
mod owners;
mod pieces;
mod play;
mod probes;
mod publishing;
mod records;
mod retention;
mod rulesets;
mod spectators;
mod start;
pub mod status;
mod talk;
mod tokens;
mod told;
mod traced;
mod transport;
mod upkeep;
mod watching;

use std::collections::{BTreeSet, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwap;
use interpreter::package::Language;
use interpreter::play::{Audience, Seat};
use prost::Message;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status};

use crate::at_once::AtOnce;
use crate::hashing::Context;
use crate::library::Library;
use crate::limits::Limits;
use crate::log::v1::Maker;
use crate::secrets::Keys;
use crate::store::{Hash, MatchId, Principal, StoreError};
use crate::table::{Line, Payers, Registry, Snapshot, Table, TableError, Workers};
use crate::threads::Threads;
use crate::wire::v1::Reason;
use artifacts::Artifacts;
use auth::Auth;
use channels::Channels;
use owners::Owners;
use status::Failure;

pub use entrance::{Connection, Connections, Pem, Tls};
pub use opening::{OpenError, StoreChoice};
pub use retention::{Retention, Tidied};
pub use start::{Config, Running, StartError, runtime, start};
pub use traced::CALLS;
pub use upkeep::{Carried, carry_over, check_store};
pub use watching::Folders;

/// What every service needs.
pub struct Referee {
    registry: Registry,
    auth: Auth,
    testing: bool,
    stop: CancellationToken,
    /// Packages that are checked.
    checks: AtOnce<Principal>,
    /// Records that are imported.
    imports: AtOnce<Principal>,
    /// What was made of rulesets lately.
    artifacts: Artifacts,
    /// Names for revisions.
    channels: ArcSwap<Channels>,
    /// Whose rulesets are.
    owners: ArcSwap<Owners>,
    /// Texts with which nothing new begins.
    yanked: ArcSwap<BTreeSet<Hash>>,
    /// Revisions that are known to have been published: they stay so.
    published: Mutex<HashSet<(String, Hash)>>,
    /// Held while somebody tidies up.
    tidying: tokio::sync::Mutex<()>,
    /// How long matches are kept; none is for ever.
    retention: Option<Retention>,
    /// What is published changes in the store and in memory in the same order.
    publishing: tokio::sync::Mutex<()>,
    /// Held by every stream that watches a match: how often it is held is how many there are.
    streams: Arc<()>,
}

impl Referee {
    fn limits(&self) -> &Limits {
        &self.registry.parts().limits
    }

    fn keys(&self) -> &Keys {
        &self.registry.parts().keys
    }

    fn workers(&self) -> &Workers {
        &self.registry.parts().workers
    }

    /// Where the disk is waited for.
    fn threads(&self) -> &Threads {
        &self.registry.parts().threads
    }

    /// What time it is.
    fn now_ms(&self) -> i64 {
        self.registry.parts().clock.now_ms()
    }

    /// Rulesets as they are offered now.
    fn library(&self) -> Arc<Library> {
        self.registry.parts().library.load_full()
    }

    /// Reads from the store, off the threads that serve.
    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Failure> {
        let read = self.threads().run(work).await;
        Ok(read.map_err(|error| Failure::internal(&error.to_string()))??)
    }

    /// Whether texts were ever published here as a ruleset.
    async fn is_published(&self, ruleset: &str, content: Hash) -> Result<bool, Failure> {
        let known = || {
            self.published
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        let revision = (ruleset.to_owned(), content);
        if known().contains(&revision) {
            return Ok(true);
        }
        let (store, ruleset) = (self.registry.parts().store.clone(), ruleset.to_owned());
        let published = self.read(move || store.offered(&ruleset, &content)).await?;
        if published {
            known().insert(revision);
        }
        Ok(published)
    }

    /// Whether this very request was answered before, in a match or outside of any.
    async fn has_answered(
        &self,
        within: Option<MatchId>,
        request: &crate::table::Request,
    ) -> Result<bool, Failure> {
        let store = self.registry.parts().store.clone();
        let asked = request.clone();
        let look = move || store.request(within.as_ref(), asked.principal, &asked.id);
        match self.read(look).await? {
            None => Ok(false),
            Some(row) if row.digest == request.digest => Ok(true),
            Some(_) => Err(TableError::RequestIdReused.into()),
        }
    }

    /// When the referee moves in a seat's place because its time is up, in milliseconds of Unix time.
    fn deadline(&self, snapshot: &Snapshot, seat: Seat) -> Option<i64> {
        let due = snapshot
            .info
            .due(&[seat], self.registry.parts().started_ms)
            .filter(|due| due.maker == Maker::Timeout)?;
        Some(due.at_ms)
    }

    /// Ends when the referee shuts down.
    async fn stopping(&self) {
        self.stop.cancelled().await;
    }

    /// The table of a match.
    async fn table(&self, id: &MatchId) -> Result<Arc<Table>, Failure> {
        let table = self
            .registry
            .open(id)
            .await?
            .ok_or_else(Failure::not_found)?;
        Payers::caller_is_of(table.host());
        Ok(table)
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

    /// The match once it shows an audience at least what a resume token stands for; at once if that is empty.
    async fn at_least(
        &self,
        table: &Table,
        id: &MatchId,
        audience: Audience,
        token: &str,
    ) -> Result<Arc<Snapshot>, Failure> {
        if token.is_empty() {
            return Ok(table.snapshot());
        }
        let place = tokens::seen(self.keys(), id, audience, token, "at_least")?;
        let reached = table.once_seen(audience, place, self.limits().at_least);
        reached.await.ok_or_else(|| {
            let why = "what `at_least` stands for has not come here yet; ask again, or without it";
            Failure::new(Reason::NotCaughtUp, why)
        })
    }

    /// A match as an audience may see it now, and how long until it sees more of it though nothing happens.
    async fn seen(
        &self,
        table: &Table,
        live: Arc<Snapshot>,
        audience: Audience,
    ) -> Result<(Arc<Snapshot>, Option<Duration>), Failure> {
        let delay = table
            .spectator_delay()
            .filter(|_| audience == Audience::Spectator);
        let Some(delay) = delay.cloned() else {
            return Ok((live, None));
        };
        let parts = self.registry.parts().clone();
        let look = move || delay.look(&parts, &live, parts.clock.now_ms());
        let (snapshot, more) = self.workers().run(Line::Table, look).await??;
        let more = more.map(|at| u64::try_from(at.saturating_sub(self.now_ms())).unwrap_or(0));
        Ok((snapshot, more.map(Duration::from_millis)))
    }

    fn page_size(&self, asked: i32) -> Result<usize, Failure> {
        self.limits()
            .page(asked)
            .ok_or_else(|| Failure::field("page_size", "is negative"))
    }
}

/// A unary method: an answer in the caller's language.
macro_rules! unary {
    ($service:ident, $request:ident, $method:ident) => {{
        let (metadata, _, asked) = $request.into_parts();
        let language = $crate::server::status::language(&metadata);
        $crate::server::answer(language, $service.$method(&metadata, asked).await)
    }};
}
use unary;

/// A request of a client with a new id in it, and everything else of it to tell repetitions from others.
macro_rules! once {
    ($principal:expr, $method:literal, $asked:expr) => {{
        let mut rest = $asked.clone();
        let id = std::mem::take(&mut rest.request_id);
        $crate::server::request($principal, $method, &id, &rest)
    }};
}
use once;

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
    static CONTEXT: Context = Context::new("referee 2026-11 request digest v1");
    let mut digest = CONTEXT.hasher();
    digest.update(method.as_bytes());
    digest.update(b"\n");
    digest.update(&rest.encode_to_vec());
    Ok(crate::table::Request {
        principal,
        id: id.to_string(),
        digest: *digest.finalize().as_bytes(),
    })
}
