//! A store that fails on purpose: for tests of everything that stands on a store.
//!
//! A failure *before* an operation means that it did not happen; a failure *after* it means that it
//! happened and nobody was told, which is what a lost connection or a killed process looks like.

use tokio::sync::broadcast;

use super::{
    Append, Appended, Change, ChannelRow, Connections, Hash, HeldRow, Kept, ListedRevision,
    ListedToken, MatchId, MatchRow, MatchState, NameRow, NoticeRow, Outage, OwnerRow, Principal,
    RequestRow, RevisionRow, Shared, Store, StoreError, StoredEntry, TokenRow, WakeUp, Wanted,
};
use crate::clock::Clock;

/// What a store was asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the methods of `Store` and `Shared`")]
pub enum Operation {
    Append,
    Probe,
    Alive,
    Outages,
    Read,
    Names,
    Offered,
    Find,
    Request,
    List,
    Lobbies,
    Every,
    Remembered,
    ForgetRequests,
    Due,
    Token,
    HeldIn,
    Held,
    Learn,
    Learned,
    Notices,
    SettleNotice,
    Revocations,
    Grant,
    Tokens,
    Settle,
    Change,
    Offer,
    Revisions,
    Channels,
    Owners,
    Yanked,
    PutSnapshot,
    Snapshot,
    DeleteSnapshot,
    PutContent,
    Content,
    Lengths,
    Claim,
    TakeNotice,
    Publications,
}

impl Operation {
    /// All that any store is asked; what only those are asked that are shared is not among it.
    pub const ALL: [Operation; 37] = [
        Operation::Append,
        Operation::Probe,
        Operation::Alive,
        Operation::Outages,
        Operation::Read,
        Operation::Names,
        Operation::Offered,
        Operation::Find,
        Operation::Request,
        Operation::List,
        Operation::Lobbies,
        Operation::Every,
        Operation::Remembered,
        Operation::ForgetRequests,
        Operation::Due,
        Operation::Token,
        Operation::HeldIn,
        Operation::Held,
        Operation::Learn,
        Operation::Learned,
        Operation::Notices,
        Operation::SettleNotice,
        Operation::Revocations,
        Operation::Grant,
        Operation::Tokens,
        Operation::Settle,
        Operation::Change,
        Operation::Offer,
        Operation::Revisions,
        Operation::Channels,
        Operation::Owners,
        Operation::Yanked,
        Operation::PutSnapshot,
        Operation::Snapshot,
        Operation::DeleteSnapshot,
        Operation::PutContent,
        Operation::Content,
    ];
}

/// When a fault strikes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Moment {
    /// Nothing has happened.
    Before,
    /// It has happened, and nobody is told.
    After,
}

type Hook = dyn Fn(Operation, Moment) -> Result<(), StoreError> + Send + Sync;

/// Asks a hook before and after every operation of another store; the hook may fail, wait, or count.
pub struct Faulty<S> {
    inner: S,
    hook: Box<Hook>,
    /// What is heard of others instead of what the store tells.
    heard: Option<broadcast::Sender<WakeUp>>,
    /// The clock instead of the store's.
    clock: Option<Clock>,
}

impl<S: Store> Faulty<S> {
    /// Puts a hook around a store.
    pub fn new(
        inner: S,
        hook: impl Fn(Operation, Moment) -> Result<(), StoreError> + Send + Sync + 'static,
    ) -> Faulty<S> {
        Faulty {
            inner,
            hook: Box::new(hook),
            heard: None,
            clock: None,
        }
    }

    /// Of what others do this is heard from now on, whatever the store tells.
    #[must_use]
    pub fn hearing(mut self, heard: broadcast::Sender<WakeUp>) -> Faulty<S> {
        self.heard = Some(heard);
        self
    }

    /// From now on it is as late as this says, whatever the store says.
    #[must_use]
    pub fn by_clock(mut self, clock: Clock) -> Faulty<S> {
        self.clock = Some(clock);
        self
    }

    fn with<T>(
        &self,
        operation: Operation,
        act: impl FnOnce(&S) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        (self.hook)(operation, Moment::Before)?;
        let done = act(&self.inner)?;
        (self.hook)(operation, Moment::After)?;
        Ok(done)
    }

    /// The same where the store is one that several serve from.
    fn with_shared<T>(
        &self,
        operation: Operation,
        act: impl FnOnce(&dyn Shared) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.with(operation, |s| {
            let shared = s.shared().ok_or(StoreError::Closed)?;
            act(shared)
        })
    }
}

impl<S: Store> Store for Faulty<S> {
    fn lanes(&self) -> usize {
        self.inner.lanes()
    }
    fn shared(&self) -> Option<&dyn Shared> {
        let faulty: &dyn Shared = self;
        self.inner.shared().map(|_| faulty)
    }
    fn append(&self, group: Vec<Append>) -> Result<Vec<Appended>, StoreError> {
        self.with(Operation::Append, |s| s.append(group))
    }
    fn probe(&self) -> Result<(), StoreError> {
        self.with(Operation::Probe, Store::probe)
    }
    fn alive(&self, now_ms: i64, begins: bool) -> Result<(), StoreError> {
        self.with(Operation::Alive, |s| s.alive(now_ms, begins))
    }
    fn outages(&self) -> Result<Vec<Outage>, StoreError> {
        self.with(Operation::Outages, Store::outages)
    }
    fn read(&self, id: &MatchId, from: u64, limit: usize) -> Result<Vec<StoredEntry>, StoreError> {
        self.with(Operation::Read, |s| s.read(id, from, limit))
    }
    fn names(&self, id: &MatchId) -> Result<Vec<NameRow>, StoreError> {
        self.with(Operation::Names, |s| s.names(id))
    }
    fn find(&self, id: &MatchId) -> Result<Option<Kept>, StoreError> {
        self.with(Operation::Find, |s| s.find(id))
    }
    fn request(
        &self,
        of: Option<&MatchId>,
        principal: Principal,
        request_id: &str,
    ) -> Result<Option<RequestRow>, StoreError> {
        self.with(Operation::Request, |s| s.request(of, principal, request_id))
    }
    fn list(
        &self,
        wanted: Wanted<'_>,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<MatchRow>, StoreError> {
        self.with(Operation::List, |s| s.list(wanted, before, limit))
    }
    fn listed(
        &self,
        state: MatchState,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<MatchRow>, StoreError> {
        self.with(Operation::Lobbies, |s| s.listed(state, before, limit))
    }
    fn every(
        &self,
        state: Option<MatchState>,
        after: u64,
        limit: usize,
    ) -> Result<Vec<MatchRow>, StoreError> {
        self.with(Operation::Every, |s| s.every(state, after, limit))
    }
    fn due(&self, now_ms: i64, limit: usize) -> Result<Vec<MatchId>, StoreError> {
        self.with(Operation::Due, |s| s.due(now_ms, limit))
    }
    fn token(&self, hash: &Hash, of: Option<&MatchId>) -> Result<Option<TokenRow>, StoreError> {
        self.with(Operation::Token, |s| s.token(hash, of))
    }
    fn held_in(&self, holder: &str, id: &MatchId) -> Result<Option<TokenRow>, StoreError> {
        self.with(Operation::HeldIn, |s| s.held_in(holder, id))
    }
    fn held(
        &self,
        holder: &str,
        state: Option<MatchState>,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<HeldRow>, StoreError> {
        self.with(Operation::Held, |s| s.held(holder, state, before, limit))
    }
    fn learn(&self, key: &str, value: &[u8]) -> Result<(), StoreError> {
        self.with(Operation::Learn, |s| s.learn(key, value))
    }
    fn learned(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.with(Operation::Learned, |s| s.learned(key))
    }
    fn notices(&self, until_ms: i64, limit: usize) -> Result<Vec<NoticeRow>, StoreError> {
        self.with(Operation::Notices, |s| s.notices(until_ms, limit))
    }
    fn settle_notice(&self, notice: &NoticeRow, again_ms: Option<i64>) -> Result<(), StoreError> {
        self.with(Operation::SettleNotice, |s| {
            s.settle_notice(notice, again_ms)
        })
    }
    fn revocations(&self) -> Result<u64, StoreError> {
        self.with(Operation::Revocations, |s| s.revocations())
    }
    fn tokens(&self, before: Option<u64>, limit: usize) -> Result<Vec<ListedToken>, StoreError> {
        self.with(Operation::Tokens, |s| s.tokens(before, limit))
    }
    fn settle_by(
        &self,
        publisher: Option<&str>,
        change: &Change,
        request: &RequestRow,
    ) -> Result<Appended, StoreError> {
        self.with(Operation::Settle, |s| {
            s.settle_by(publisher, change, request)
        })
    }
    fn change(&self, change: &Change) -> Result<(), StoreError> {
        self.with(Operation::Change, |s| s.change(change))
    }
    fn offer(&self, revision: &RevisionRow) -> Result<(), StoreError> {
        self.with(Operation::Offer, |s| s.offer(revision))
    }
    fn offered(&self, ruleset: &str, digest: &Hash) -> Result<bool, StoreError> {
        self.with(Operation::Offered, |s| s.offered(ruleset, digest))
    }
    fn revisions(
        &self,
        ruleset: &str,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<ListedRevision>, StoreError> {
        self.with(Operation::Revisions, |s| {
            s.revisions(ruleset, before, limit)
        })
    }
    fn channels(&self) -> Result<Vec<ChannelRow>, StoreError> {
        self.with(Operation::Channels, |s| s.channels())
    }
    fn owners(&self) -> Result<Vec<OwnerRow>, StoreError> {
        self.with(Operation::Owners, |s| s.owners())
    }
    fn yanked(&self) -> Result<Vec<RevisionRow>, StoreError> {
        self.with(Operation::Yanked, |s| s.yanked())
    }
    fn grant(&self, token: &TokenRow) -> Result<(), StoreError> {
        self.with(Operation::Grant, |s| s.grant(token))
    }
    fn put_snapshot(&self, id: &MatchId, snapshot: &[u8]) -> Result<(), StoreError> {
        self.with(Operation::PutSnapshot, |s| s.put_snapshot(id, snapshot))
    }
    fn snapshot(&self, id: &MatchId) -> Result<Option<Vec<u8>>, StoreError> {
        self.with(Operation::Snapshot, |s| s.snapshot(id))
    }
    fn remembered(&self, after: u64, limit: usize) -> Result<Vec<MatchRow>, StoreError> {
        self.with(Operation::Remembered, |s| s.remembered(after, limit))
    }
    fn forget_requests(&self, id: &MatchId) -> Result<(), StoreError> {
        self.with(Operation::ForgetRequests, |s| s.forget_requests(id))
    }
    fn delete_snapshot(&self, id: &MatchId) -> Result<(), StoreError> {
        self.with(Operation::DeleteSnapshot, |s| s.delete_snapshot(id))
    }
    fn put_content(&self, digest: &Hash, content: &[u8]) -> Result<(), StoreError> {
        self.with(Operation::PutContent, |s| s.put_content(digest, content))
    }
    fn content(&self, digest: &Hash) -> Result<Option<Vec<u8>>, StoreError> {
        self.with(Operation::Content, |s| s.content(digest))
    }
}

impl<S: Store> Shared for Faulty<S> {
    fn clock(&self) -> Clock {
        let stores = || self.inner.shared().map(Shared::clock);
        self.clock.clone().or_else(stores).unwrap_or_default()
    }
    fn wake_ups(&self) -> broadcast::Receiver<WakeUp> {
        let heard = self.heard.as_ref().map(broadcast::Sender::subscribe);
        let stores = || self.inner.shared().map(Shared::wake_ups);
        heard
            .or_else(stores)
            .unwrap_or_else(|| broadcast::Sender::new(1).subscribe())
    }
    fn lengths(&self, ids: &[MatchId]) -> Result<Vec<(MatchId, u64)>, StoreError> {
        self.with_shared(Operation::Lengths, |s| s.lengths(ids))
    }
    fn claim(&self, id: &MatchId) -> Result<bool, StoreError> {
        self.with_shared(Operation::Claim, |s| s.claim(id))
    }
    fn take_notice(&self, notice: &NoticeRow, until_ms: i64) -> Result<bool, StoreError> {
        self.with_shared(Operation::TakeNotice, |s| s.take_notice(notice, until_ms))
    }
    fn connections(&self) -> Connections {
        let shared = self.inner.shared();
        shared.map(Shared::connections).unwrap_or_default()
    }
    fn publications(&self) -> Result<u64, StoreError> {
        self.with_shared(Operation::Publications, |s| s.publications())
    }
}
