//! What every service needs: the registry of open matches, what is published, and the limits.

use std::collections::{BTreeSet, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwap;
use interpreter::play::{Audience, Seat};
use tokio_util::sync::CancellationToken;

use tonic::metadata::MetadataMap;

use super::calls::auth::{Auth, match_id, presented};
use super::calls::host_code::HostCode;
use super::calls::place_tokens;
use super::calls::status::Failure;
use super::published::artifact_cache::ArtifactCache;
use super::published::channels::Channels;
use super::published::owners::Owners;
use super::retention::Retention;
use referee_contract::v1::Reason;
use referee_library::Library;
use referee_sandbox::limits::Limits;
use referee_store::log::v1::Maker;
use referee_store::secrets::{Keys, token_hash};
use referee_store::threads::Threads;
use referee_store::{Hash, MatchId, Outage, Principal, StoreError};
use referee_table::at_once::AtOnce;
use referee_table::outside::notices::Allowed;
use referee_table::{
    Payer, Payers, Queue, Registry, Snapshot, Table, TableError, Workers, note_alive,
};

/// What every service needs.
pub struct Referee {
    pub(super) registry: Registry,
    pub(super) auth: Auth,
    pub(super) testing: bool,
    pub(super) stop: CancellationToken,
    /// Opens a host's token to a browser on this machine.
    pub(super) host_code: HostCode,
    /// Packages that are checked.
    pub(super) checks: AtOnce<Principal>,
    /// Records that are imported.
    pub(super) imports: AtOnce<Principal>,
    /// What was made of rulesets lately.
    pub(super) artifacts: ArtifactCache,
    /// Names for revisions.
    pub(super) channels: ArcSwap<Channels>,
    /// Whose rulesets are.
    pub(super) owners: ArcSwap<Owners>,
    /// Texts with which nothing new begins.
    pub(super) yanked: ArcSwap<BTreeSet<Hash>>,
    /// Revisions that are known to have been published: they stay so.
    pub(super) published: Mutex<HashSet<(String, Hash)>>,
    /// Held while somebody tidies up.
    pub(super) tidying: tokio::sync::Mutex<()>,
    /// Those who follow what is listed for everybody.
    pub(super) lobby_watchers: AtOnce<Option<Payer>>,
    /// Servers on which hosts may be told whose turn it is.
    pub(super) webhooks: Allowed,
    /// Those who follow all of their own matches, by player.
    pub(super) own_watchers: AtOnce<Hash>,
    /// How long matches are kept; none is for ever.
    pub(super) retention: Option<Retention>,
    /// What is published changes in the store and in memory in the same order.
    pub(super) publishing: Arc<tokio::sync::Mutex<()>>,
    /// Held by every stream that watches a match: how often it is held is how many there are.
    pub(super) streams: Arc<()>,
}

impl Referee {
    pub(super) fn limits(&self) -> &Limits {
        &self.registry.parts().limits
    }

    pub(super) fn keys(&self) -> &Keys {
        &self.registry.parts().keys
    }

    pub(super) fn workers(&self) -> &Workers {
        &self.registry.parts().workers
    }

    /// Where the disk is waited for.
    pub(super) fn threads(&self) -> &Threads {
        &self.registry.parts().threads
    }

    /// What time it is.
    pub(super) fn now_ms(&self) -> i64 {
        self.registry.parts().clock.now_ms()
    }

    /// Rulesets as they are offered now.
    pub(super) fn library(&self) -> Arc<Library> {
        self.registry.parts().library.load_full()
    }

    /// Notes that there is a referee; says whether that could be noted. Where others serve, too, it is learned by that when
    /// there was none.
    pub(super) async fn note_alive(&self) -> bool {
        match note_alive(self.registry.parts()).await {
            Ok(()) => {
                self.tell_of_outages();
                true
            }
            Err(error) => {
                tracing::debug!(%error, "it was not noted that there is a referee");
                false
            }
        }
    }

    /// Others have noted when there was no referee.
    pub(super) fn learn_outages(&self, outages: Vec<Outage>) {
        self.registry.parts().outages.learn(outages);
        self.tell_of_outages();
    }

    /// Whoever waits for a clock waits longer, if times without a referee have become known.
    fn tell_of_outages(&self) {
        if self.registry.parts().outages.take_news() {
            self.registry.recount();
        }
    }

    /// Reads from the store, off the threads that serve.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Failure> {
        let read = self.threads().run(work).await;
        Ok(read.map_err(|error| Failure::internal(&error.to_string()))??)
    }

    /// Whether texts were ever published here as a ruleset.
    pub(super) async fn is_published(&self, ruleset: &str, content: Hash) -> Result<bool, Failure> {
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
    pub(super) async fn has_answered(
        &self,
        within: Option<MatchId>,
        request: &referee_table::Request,
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

    /// A token as it was given when it was asked for first: an earlier version gave one that does not tell its match.
    pub(super) async fn as_given(
        &self,
        id: &MatchId,
        token: String,
        replayed: bool,
        earlier: impl FnOnce() -> String,
    ) -> Result<String, Failure> {
        if !replayed {
            return Ok(token);
        }
        let (earlier, store) = (earlier(), self.registry.parts().store.clone());
        let (hash, of) = (token_hash(&earlier), id.clone());
        let kept = self.read(move || store.token(&hash, Some(&of))).await?;
        Ok(if kept.is_some() { earlier } else { token })
    }

    /// When the referee moves in a seat's place because its time is up, in milliseconds of Unix time.
    pub(super) fn deadline(&self, snapshot: &Snapshot, seat: Seat) -> Option<i64> {
        let due = snapshot
            .info
            .due(&[seat], &self.registry.parts().outages)
            .filter(|due| due.maker == Maker::Timeout)?;
        Some(due.at_ms)
    }

    /// Ends when the referee shuts down.
    pub(super) async fn stopping(&self) {
        self.stop.cancelled().await;
    }

    /// The table of a match.
    pub(super) async fn table(&self, id: &MatchId) -> Result<Arc<Table>, Failure> {
        let table = self
            .registry
            .open(id)
            .await?
            .ok_or_else(Failure::not_found)?;
        Payers::caller_is_of(table.host());
        Ok(table)
    }

    /// The table of a match of this host.
    pub(super) async fn hosted(
        &self,
        id: &MatchId,
        host: Principal,
    ) -> Result<Arc<Table>, Failure> {
        let table = self.table(id).await?;
        if table.snapshot().info.host == host {
            Ok(table)
        } else {
            Err(Failure::not_found())
        }
    }

    /// The table of this name, if anybody may watch it and the caller has no token to say who it is.
    ///
    /// # Errors
    ///
    /// When the name has not the form of one.
    pub(super) async fn watched_by_anybody(
        &self,
        metadata: &MetadataMap,
        name: &str,
    ) -> Result<Option<Arc<Table>>, Failure> {
        if presented(metadata).is_some() {
            return Ok(None);
        }
        self.public(name).await
    }

    /// The table of this name, if anybody may watch it. Whether there is no such match or it is not for everybody is not told.
    ///
    /// # Errors
    ///
    /// When the name has not the form of one.
    pub(super) async fn public(&self, name: &str) -> Result<Option<Arc<Table>>, Failure> {
        let table = self.registry.open(&match_id(name)?).await?;
        Ok(table.filter(|table| table.snapshot().info.terms.public))
    }

    /// The match once it shows an audience at least what a resume token stands for; at once if that is empty.
    pub(super) async fn at_least(
        &self,
        table: &Table,
        id: &MatchId,
        audience: Audience,
        token: &str,
    ) -> Result<Arc<Snapshot>, Failure> {
        if token.is_empty() {
            return Ok(table.snapshot());
        }
        let place = place_tokens::seen(self.keys(), id, audience, token, "at_least")?;
        let reached = table.once_seen(audience, place, self.limits().at_least_wait);
        reached.await.ok_or_else(|| {
            let why = "what `at_least` stands for has not come here yet; ask again, or without it";
            Failure::new(Reason::NotCaughtUp, why)
        })
    }

    /// A match as an audience may see it now, and how long until it sees more of it though nothing happens.
    pub(super) async fn seen(
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
        let (snapshot, more) = self.workers().run(Queue::Table, look).await??;
        let more = more.map(|at| u64::try_from(at.saturating_sub(self.now_ms())).unwrap_or(0));
        Ok((snapshot, more.map(Duration::from_millis)))
    }

    pub(super) fn page_size(&self, asked: i32) -> Result<usize, Failure> {
        self.limits()
            .page(asked)
            .ok_or_else(|| Failure::field("page_size", "is negative"))
    }
}
