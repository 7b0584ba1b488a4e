//! What a store in PostgreSQL is, and how anything is done with one of its connections.

use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use ahash::HashMap;
use deadpool_postgres::Object;
use tokio::sync::{broadcast, mpsc, oneshot};
use uuid::Uuid;

use super::address::Address;
use super::connection::Way;
use super::database_clock::DatabaseClock;
use super::fitness::explained;
use super::matches::{self, Listed};
use super::plans::{self, Plan};
use super::values::get;
use super::{schema, wake_ups};
use crate::seals::Seals;
use crate::secrets::Keys;
use crate::{Append, Hash, MatchId, MatchRow, StoreError, WakeUp};

/// How long somebody acts alone in a match who has not said so again.
pub(super) const CLAIM: &str = "10 s";

/// Wake-ups that somebody may be behind.
const WAKE_UPS: usize = 4096;

/// A store in PostgreSQL.
pub struct Postgres {
    pub(super) way: Way,
    pub(super) seals: Seals,
    /// Which of all referees this is.
    pub(super) me: Uuid,
    pub(super) tell: mpsc::UnboundedSender<WakeUp>,
    pub(super) heard: broadcast::Sender<WakeUp>,
    pub(super) clock: Arc<DatabaseClock>,
    /// Matches in which this one acts by itself, and when that was said last.
    pub(super) claims: Mutex<HashMap<MatchId, Instant>>,
}

impl Postgres {
    /// Opens a store, or makes it. Its rows are sealed with the key that belongs to it.
    ///
    /// # Errors
    ///
    /// When it cannot be reached, does not keep what it says, or was written by a referee of a later version.
    pub fn open(address: &Address, keys: &Keys) -> Result<Postgres, StoreError> {
        let way = Way::to(address)?;
        let within = way.clone();
        let opened = way.wait(async move { within.client().await.map_err(explained) });
        let mut client = opened?;
        let within = way.clone();
        // A large store takes its time to be made one of this version.
        let clock = way.wait_long(async move {
            schema::prepare(&mut client).await?;
            let old = "DELETE FROM claims WHERE until < now() - interval '1 day'";
            client.execute(old, &[]).await?;
            drop(client);
            DatabaseClock::ask_first(&within).await
        })?;
        let me = Uuid::new_v4();
        let (tell, told) = mpsc::unbounded_channel();
        let heard = broadcast::Sender::new(WAKE_UPS);
        way.start(wake_ups::tell(way.unowned(), me, told));
        let (begun, hears) = oneshot::channel();
        way.start(wake_ups::hear(way.unowned(), me, heard.clone(), begun));
        // An open engine hears whatever is written from now on.
        way.wait_long(async move { hears.await.map_err(|_| StoreError::Closed) })?;
        way.start(clock.clone().ask_on(way.unowned()));
        Ok(Postgres {
            way,
            seals: Seals::of(keys),
            me,
            tell,
            heard,
            clock,
            claims: Mutex::default(),
        })
    }

    /// Does something with a connection, and waits for it.
    pub(super) fn with<T, F>(
        &self,
        act: impl FnOnce(Object, Seals) -> F + Send + 'static,
    ) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, StoreError>> + Send,
    {
        let (way, seals) = (self.way.unowned(), self.seals.clone());
        self.way
            .wait(async move { act(way.client().await?, seals).await })
    }

    /// The same, where something is written that must be safe.
    pub(super) fn write<T, F>(
        &self,
        act: impl FnOnce(Object, Seals) -> F + Send + 'static,
    ) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, StoreError>> + Send,
    {
        let way = self.way.unowned();
        self.with(move |client, seals| async move {
            let since = way.warnings();
            let done = act(client, seals).await?;
            way.without_warning(since)?;
            Ok(done)
        })
    }

    /// Reads with a connection what may take however long it does.
    pub(super) fn at_length<T, F>(
        &self,
        act: impl FnOnce(Object) -> F + Send + 'static,
    ) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, StoreError>> + Send,
    {
        let way = self.way.unowned();
        self.way
            .wait_long(async move { act(way.client().await?).await })
    }

    /// What a store knows its key by; none if it has none yet.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn key_mark(&self) -> Result<Option<i64>, StoreError> {
        self.with(async |client: Object, _| {
            let sql = "SELECT value FROM meta WHERE key = 'key_mark'";
            let row = client.query_opt(sql, &[]).await?;
            row.map(|row| get(&row, 0)).transpose()
        })
    }

    /// Remembers by its mark which key the store is written with, if it has none yet.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn mark_key(&self, mark: i64) -> Result<(), StoreError> {
        self.write(async move |client: Object, _| {
            let sql = "INSERT INTO meta VALUES ('key_mark', $1) ON CONFLICT DO NOTHING";
            client.execute(sql, &[&mark]).await?;
            Ok(())
        })
    }

    /// Forgets every snapshot; gives how many there were. Matches are rebuilt from their logs.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn drop_snapshots(&self) -> Result<u64, StoreError> {
        self.write(async |client: Object, _| {
            Ok(client.execute("DELETE FROM snapshots", &[]).await?)
        })
    }

    /// The plans of every statement on the way of a move, by this append, of its match; what they write is written.
    ///
    /// # Errors
    ///
    /// When the server refuses one.
    pub fn plans(&self, append: Append, token: Hash) -> Result<Vec<Plan>, StoreError> {
        self.with(async move |client: Object, seals| {
            plans::plans(&client, &seals, append, token).await
        })
    }

    pub(super) fn listed(
        &self,
        wanted: Listed,
        order: (bool, i64),
        limit: usize,
    ) -> Result<Vec<MatchRow>, StoreError> {
        self.with(async move |client: Object, _| matches::list(&client, wanted, order, limit).await)
    }
}
