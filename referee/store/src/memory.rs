//! A store in memory: for tests and for a referee that shall forget. Nothing survives the process, in which several
//! referees may serve from one.

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ahash::HashMap;
use tokio::sync::broadcast;
use tokio::time::Instant;

use super::{
    Append, Appended, Change, ChannelRow, Connections, Erase, Grant, Hash, HeldRow, ListedRevision,
    ListedToken, MatchId, MatchRow, MatchState, NOTED, NameRow, NewMatch, NoticeRow, OUTAGES,
    Outage, OwnerRow, Principal, RequestRow, RevisionRow, STABLE, Shared, Store, StoreError,
    StoredEntry, TokenRow, WakeUp, Wanted, chain, wake_ups,
};
use crate::clock::Clock;
use crate::numbers::to_u64;

/// A store in memory.
#[derive(Debug, Default)]
pub struct Memory {
    state: Arc<Mutex<State>>,
    together: Option<Together>,
}

/// All that a memory had at a moment.
#[derive(Clone, Debug)]
pub struct Earlier(State);

/// How long somebody acts alone in a match who has not said so again.
const CLAIM: Duration = Duration::from_secs(10);

/// Wake-ups that somebody may be behind.
const WAKE_UPS: usize = 1024;

/// One of several referees that serve from the same memory.
#[derive(Debug)]
struct Together {
    /// Which.
    me: usize,
    /// How many there were.
    count: Arc<AtomicUsize>,
    clock: Clock,
    wake_ups: broadcast::Sender<WakeUp>,
    /// Who acts in a match, and until when.
    claims: Arc<Mutex<HashMap<MatchId, (usize, Instant)>>>,
}

#[derive(Clone, Debug, Default)]
struct State {
    matches: HashMap<MatchId, Kept>,
    /// How many matches were ever created.
    created: u64,
    /// Outside of any match.
    requests: Requests,
    tokens: Vec<ListedToken>,
    /// Where in that list a token is.
    places: HashMap<Hash, usize>,
    revocations: u64,
    publications: u64,
    revisions: Vec<ListedRevision>,
    /// By ruleset and channel.
    channels: BTreeMap<(String, String), Hash>,
    /// By ruleset.
    owners: BTreeMap<String, String>,
    contents: BTreeMap<Hash, Vec<u8>>,
    /// When it was noted last that there is a referee.
    alive_ms: Option<i64>,
    outages: Vec<Outage>,
    notices: Vec<NoticeRow>,
    learned: BTreeMap<String, Vec<u8>>,
}

#[derive(Clone, Debug)]
struct Kept {
    order: u64,
    new: NewMatch,
    state: MatchState,
    content: Option<Hash>,
    due_ms: Option<i64>,
    open: bool,
    log: Vec<StoredEntry>,
    names: BTreeMap<Hash, NameRow>,
    requests: Requests,
    snapshot: Option<Vec<u8>>,
}

/// By who asked and the request's id: many small trees, and no large table that has to grow.
#[derive(Clone, Debug, Default)]
struct Requests(BTreeMap<Principal, BTreeMap<String, Answered>>);

#[derive(Clone, Debug)]
struct Answered {
    digest: Hash,
    receipt: Vec<u8>,
}

impl Requests {
    fn get(&self, principal: Principal, id: &str) -> Option<RequestRow> {
        let (id, known) = self.0.get(&principal)?.get_key_value(id)?;
        Some(RequestRow {
            principal,
            request_id: id.clone(),
            digest: known.digest,
            receipt: known.receipt.clone(),
        })
    }

    fn keep(&mut self, row: RequestRow) {
        let answered = Answered {
            digest: row.digest,
            receipt: row.receipt,
        };
        let of_principal = self.0.entry(row.principal).or_default();
        of_principal.insert(row.request_id, answered);
    }
}

impl Memory {
    /// One memory for so many referees, which go by this clock.
    pub fn shared(referees: usize, clock: &Clock) -> Vec<Memory> {
        let first = Memory {
            state: Arc::default(),
            together: Some(Together {
                me: 0,
                count: Arc::new(AtomicUsize::new(1)),
                clock: clock.clone(),
                wake_ups: broadcast::Sender::new(WAKE_UPS),
                claims: Arc::default(),
            }),
        };
        let others: Vec<Memory> = (1..referees).map(|_| first.beside()).collect();
        let first = (referees > 0).then_some(first);
        first.into_iter().chain(others).collect()
    }

    /// The same memory for one referee more, such as one that begins again; if it is [shared](Memory::shared).
    pub fn beside(&self) -> Memory {
        let one_more = |together: &Together| Together {
            me: together.count.fetch_add(1, Ordering::Relaxed),
            count: Arc::clone(&together.count),
            clock: together.clock.clone(),
            wake_ups: together.wake_ups.clone(),
            claims: Arc::clone(&together.claims),
        };
        Memory {
            state: Arc::clone(&self.state),
            together: self.together.as_ref().map(one_more),
        }
    }

    /// All that it has now.
    pub fn now(&self) -> Earlier {
        Earlier(self.state().clone())
    }

    /// It is again what it was: so a standby is promoted that never had what came since.
    pub fn back_to(&self, earlier: &Earlier) {
        *self.state() = earlier.0.clone();
    }

    /// From now on this one neither hears what the others do nor tells what it does.
    pub fn without_wake_ups(mut self) -> Memory {
        if let Some(together) = &mut self.together {
            together.wake_ups = broadcast::Sender::new(WAKE_UPS);
        }
        self
    }

    /// A panic elsewhere does not make maps inconsistent: every append below is a few insertions.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn append(&mut self, append: Append) -> Appended {
        let request = append.request.as_ref();
        let known =
            request.and_then(|row| self.request(Some(&append.id), row.principal, &row.request_id));
        if let Some(known) = known {
            return Appended::Duplicate(known);
        }
        let creates = append.create.is_some();
        if let Some(new) = append.create {
            if append.expected != 0 || self.matches.contains_key(&append.id) {
                return Appended::Conflict;
            }
            self.created += 1;
            let begun = Kept {
                order: self.created,
                new,
                state: append.state,
                content: None,
                due_ms: None,
                open: false,
                log: Vec::new(),
                names: BTreeMap::new(),
                requests: Requests::default(),
                snapshot: None,
            };
            self.matches.insert(append.id.clone(), begun);
        }
        let kept = match self.matches.get_mut(&append.id) {
            Some(kept) if to_u64(kept.log.len()) == append.expected => kept,
            _ => return Appended::Conflict,
        };
        let mut previous = kept
            .log
            .last()
            .map_or_else(|| chain::start(&append.id), |entry| entry.chain);
        if append.head.is_some_and(|head| head != previous) {
            return Appended::Conflict;
        }
        for body in append.entries {
            let sequence = to_u64(kept.log.len());
            previous = chain::link(&previous, sequence, &body);
            kept.log.push(StoredEntry {
                sequence,
                body,
                chain: previous,
            });
        }
        let names = append.names.into_iter();
        kept.names.extend(names.map(|row| (row.digest, row)));
        kept.state = append.state;
        kept.content = append.content.or(kept.content);
        kept.due_ms = append.due_ms;
        kept.open = append.open;
        if let Some(gone) = append.revoke_seat {
            self.revocations += 1;
            for token in &mut self.tokens {
                let of_seat = Grant::Seat {
                    id: append.id.clone(),
                    seat: gone,
                };
                token.revoked |= token.row.grant == of_seat;
            }
        }
        match &append.erase {
            None => {}
            Some(Erase::Names(digests)) => self.erase_names(&append.id, digests),
            Some(Erase::Match { archive }) => {
                self.erase(&append.id);
                if let Some(archive) = archive {
                    self.contents.remove(archive);
                }
            }
        }
        if let Some(row) = append.request {
            match self.matches.get_mut(&append.id).filter(|_| !creates) {
                Some(kept) => kept.requests.keep(row),
                None => self.requests.keep(row),
            }
        }
        for token in &append.tokens {
            self.grant(token);
        }
        for notice in append.notices {
            if self.notices.iter().all(|row| row.id != notice.id) {
                self.notices.push(notice);
            }
        }
        Appended::Done
    }

    fn erase_names(&mut self, id: &MatchId, digests: &[Hash]) {
        if let Some(kept) = self.matches.get_mut(id) {
            kept.names.retain(|digest, _| !digests.contains(digest));
            let host = kept.new.host;
            let has_token = |who: &Principal| self.places.contains_key(&who.0);
            kept.requests
                .0
                .retain(|who, _| *who == host || has_token(who));
        }
    }

    fn erase(&mut self, id: &MatchId) {
        self.matches.remove(id);
        self.notices.retain(|row| row.of != *id);
        self.revocations += 1;
        self.tokens.retain(|token| match &token.row.grant {
            Grant::Seat { id: of, .. } | Grant::Spectator { id: of } => of != id,
            Grant::Host | Grant::Publisher | Grant::Admin | Grant::Creator | Grant::Player => true,
        });
        let places = self.tokens.iter().enumerate();
        self.places = places.map(|(at, token)| (token.row.hash, at)).collect();
    }

    fn request(&self, of: Option<&MatchId>, who: Principal, id: &str) -> Option<RequestRow> {
        let kept = of.and_then(|of| self.matches.get(of));
        let within = kept.and_then(|kept| kept.requests.get(who, id));
        within.or_else(|| self.requests.get(who, id))
    }

    fn grant(&mut self, row: &TokenRow) {
        if let Entry::Vacant(place) = self.places.entry(row.hash) {
            place.insert(self.tokens.len());
            self.tokens.push(ListedToken {
                order: self.tokens.last().map_or(1, |last| last.order + 1),
                row: row.clone(),
                revoked: false,
            });
        }
    }

    fn offer(&mut self, row: &RevisionRow) {
        let known = |kept: &ListedRevision| {
            (&kept.row.ruleset, kept.row.digest) == (&row.ruleset, row.digest)
        };
        if !self.revisions.iter().any(known) {
            self.revisions.push(ListedRevision {
                order: to_u64(self.revisions.len()) + 1,
                row: row.clone(),
                yanked: None,
            });
        }
    }

    fn settle(&mut self, by: Option<&str>, change: &Change, request: &RequestRow) -> Appended {
        if let Some(known) = self.requests.get(request.principal, &request.request_id) {
            return Appended::Duplicate(known);
        }
        let owner = change.ruleset().and_then(|id| self.owners.get(id));
        if by.is_some_and(|by| owner.is_some_and(|owner| owner != by)) {
            return Appended::Conflict;
        }
        self.change(change);
        self.requests.keep(request.clone());
        Appended::Done
    }

    fn change(&mut self, change: &Change) {
        match change {
            Change::Grant(row) => self.grant(row),
            Change::Revoke(hash) => {
                self.revocations += 1;
                for token in &mut self.tokens {
                    token.revoked |= token.row.hash == *hash;
                }
            }
            Change::Point {
                revision,
                channel,
                owner,
            } => {
                self.publications += 1;
                self.offer(revision);
                if let Some(owner) = owner {
                    let owners = self.owners.entry(revision.ruleset.clone());
                    owners.or_insert_with(|| owner.clone());
                }
                let key = (revision.ruleset.clone(), channel.clone());
                self.channels.insert(key, revision.digest);
            }
            Change::RemoveChannel { ruleset, channel } => {
                self.publications += 1;
                self.channels.remove(&(ruleset.clone(), channel.clone()));
            }
            Change::Yank { revision, reason } => {
                self.publications += 1;
                self.offer(revision);
                for kept in &mut self.revisions {
                    if (&kept.row.ruleset, kept.row.digest) == (&revision.ruleset, revision.digest)
                    {
                        kept.yanked.clone_from(reason);
                    }
                }
                let points = |(ruleset, channel): &(String, String), digest: &Hash| {
                    *ruleset == revision.ruleset && *digest == revision.digest && channel != STABLE
                };
                if reason.is_some() {
                    self.channels.retain(|key, digest| !points(key, digest));
                }
            }
            Change::Own(row) => {
                self.publications += 1;
                self.owners.insert(row.ruleset.clone(), row.owner.clone());
            }
        }
    }

    fn rows(&self, wanted: impl Fn(&Kept) -> bool) -> Vec<MatchRow> {
        let kept = self.matches.iter().filter(|(_, kept)| wanted(kept));
        let mut rows: Vec<MatchRow> = kept.map(row_of).collect();
        rows.sort_by_key(|row| row.order);
        rows
    }

    /// Tokens, not revoked, by which a player holds seats, with their matches and seats.
    fn held_by<'a>(
        &'a self,
        holder: &'a str,
    ) -> impl Iterator<Item = (&'a ListedToken, &'a MatchId, u8)> {
        let good = move |token: &&ListedToken| {
            !holder.is_empty() && !token.revoked && token.row.label == holder
        };
        let tokens = self.tokens.iter().filter(good);
        tokens.filter_map(|token| match &token.row.grant {
            Grant::Seat { id, seat } => Some((token, id, *seat)),
            _ => None,
        })
    }
}

/// What a list says of a match.
fn row_of((id, kept): (&MatchId, &Kept)) -> MatchRow {
    MatchRow {
        order: kept.order,
        id: id.clone(),
        host: kept.new.host,
        ruleset: kept.new.ruleset.clone(),
        created_ms: kept.new.created_ms,
        state: kept.state,
        content: kept.content,
    }
}

/// The newest before a place.
fn newest<T>(mut rows: Vec<T>, order: fn(&T) -> u64, before: Option<u64>, limit: usize) -> Vec<T> {
    rows.retain(|row| before.is_none_or(|before| order(row) < before));
    rows.reverse();
    rows.truncate(limit);
    rows
}

impl Store for Memory {
    fn is_instant(&self) -> bool {
        true
    }

    fn append(&self, group: Vec<Append>) -> Result<Vec<Appended>, StoreError> {
        let told: Vec<Vec<WakeUp>> = match &self.together {
            Some(_) => group.iter().map(wake_ups).collect(),
            None => Vec::new(),
        };
        let mut state = self.state();
        let group = group.into_iter();
        let done: Vec<Appended> = group.map(|append| state.append(append)).collect();
        drop(state);
        if let Some(together) = &self.together {
            let written = told.into_iter().zip(&done);
            let written = written.filter(|(_, done)| **done == Appended::Done);
            for wake_up in written.flat_map(|(told, _)| told) {
                // Nobody may listen.
                let _ = together.wake_ups.send(wake_up);
            }
        }
        Ok(done)
    }

    fn shared(&self) -> Option<&dyn Shared> {
        self.together.is_some().then_some(self)
    }

    fn probe(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn alive(&self, now_ms: i64, begins: bool) -> Result<(), StoreError> {
        let mut state = self.state();
        let last = state.alive_ms.replace(now_ms);
        let is_outage = |last: &i64| match self.together {
            Some(_) => now_ms.saturating_sub(*last) >= NOTED,
            None => begins && *last < now_ms,
        };
        if let Some(from_ms) = last.filter(is_outage) {
            state.outages.push(Outage {
                from_ms,
                to_ms: now_ms,
            });
            let forgotten = state.outages.len().saturating_sub(OUTAGES);
            state.outages.drain(..forgotten);
        }
        Ok(())
    }

    fn outages(&self) -> Result<Vec<Outage>, StoreError> {
        Ok(self.state().outages.clone())
    }

    fn read(&self, id: &MatchId, from: u64, limit: usize) -> Result<Vec<StoredEntry>, StoreError> {
        let state = self.state();
        let log = state.matches.get(id).map_or(&[][..], |kept| &kept.log);
        let from = usize::try_from(from).unwrap_or(usize::MAX);
        Ok(log.iter().skip(from).take(limit).cloned().collect())
    }

    fn names(&self, id: &MatchId) -> Result<Vec<NameRow>, StoreError> {
        let state = self.state();
        let kept = state.matches.get(id).into_iter();
        Ok(kept.flat_map(|kept| kept.names.values().cloned()).collect())
    }

    fn find(&self, id: &MatchId) -> Result<Option<super::Kept>, StoreError> {
        let state = self.state();
        Ok(state.matches.get(id).map(|kept| super::Kept {
            new: kept.new.clone(),
            state: kept.state,
            length: to_u64(kept.log.len()),
            chain: kept
                .log
                .last()
                .map_or_else(|| chain::start(id), |entry| entry.chain),
        }))
    }

    fn request(
        &self,
        of: Option<&MatchId>,
        principal: Principal,
        request_id: &str,
    ) -> Result<Option<RequestRow>, StoreError> {
        Ok(self.state().request(of, principal, request_id))
    }

    fn list(
        &self,
        wanted: Wanted<'_>,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<MatchRow>, StoreError> {
        let rows = self.state().rows(|kept| {
            wanted.host.is_none_or(|host| kept.new.host == host)
                && wanted.state.is_none_or(|state| kept.state == state)
                && wanted
                    .player
                    .is_none_or(|name| kept.names.values().any(|row| row.name == name))
        });
        Ok(newest(rows, |row| row.order, before, limit))
    }

    fn listed(
        &self,
        state: MatchState,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<MatchRow>, StoreError> {
        let open = |kept: &Kept| kept.open && kept.state == state;
        let rows = self.state().rows(open);
        Ok(newest(rows, |row| row.order, before, limit))
    }

    fn every(
        &self,
        state: Option<MatchState>,
        after: u64,
        limit: usize,
    ) -> Result<Vec<MatchRow>, StoreError> {
        let wanted = |kept: &Kept| state.is_none_or(|state| kept.state == state);
        let mut rows = self.state().rows(|kept| kept.order > after && wanted(kept));
        rows.truncate(limit);
        Ok(rows)
    }

    fn remembered(&self, after: u64, limit: usize) -> Result<Vec<MatchRow>, StoreError> {
        let remembered = |kept: &Kept| {
            kept.state == MatchState::Finished
                && !(kept.requests.0.is_empty() && kept.snapshot.is_none())
        };
        let mut rows = self
            .state()
            .rows(|kept| kept.order > after && remembered(kept));
        rows.truncate(limit);
        Ok(rows)
    }

    fn forget_requests(&self, id: &MatchId) -> Result<(), StoreError> {
        if let Some(kept) = self.state().matches.get_mut(id) {
            kept.requests = Requests::default();
            kept.snapshot = None;
        }
        Ok(())
    }

    fn due(&self, now_ms: i64, limit: usize) -> Result<Vec<MatchId>, StoreError> {
        let state = self.state();
        let mut due: Vec<(i64, &MatchId)> = state
            .matches
            .iter()
            .filter_map(|(id, kept)| Some((kept.due_ms.filter(|due| *due <= now_ms)?, id)))
            .collect();
        due.sort();
        due.truncate(limit);
        Ok(due.into_iter().map(|(_, id)| id.clone()).collect())
    }

    fn token(&self, hash: &Hash, _of: Option<&MatchId>) -> Result<Option<TokenRow>, StoreError> {
        let state = self.state();
        let known = state.places.get(hash).map(|place| &state.tokens[*place]);
        let valid = known.filter(|token| !token.revoked);
        Ok(valid.map(|token| token.row.clone()))
    }

    fn held_in(&self, holder: &str, id: &MatchId) -> Result<Option<TokenRow>, StoreError> {
        let state = self.state();
        let mut held = state.held_by(holder);
        let found = held.find(|(_, of, _)| *of == id);
        Ok(found.map(|(token, ..)| token.row.clone()))
    }

    fn held(
        &self,
        holder: &str,
        wanted: Option<MatchState>,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<HeldRow>, StoreError> {
        let state = self.state();
        let mut held = Vec::new();
        for (token, id, seat) in state.held_by(holder) {
            let row = state.matches.get_key_value(id).map(row_of);
            let row = row.filter(|row| wanted.is_none_or(|wanted| row.state == wanted));
            held.extend(row.map(|row| HeldRow {
                order: token.order,
                seat,
                row,
            }));
        }
        Ok(newest(held, |row| row.order, before, limit))
    }

    fn learn(&self, key: &str, value: &[u8]) -> Result<(), StoreError> {
        let learned = &mut self.state().learned;
        learned.insert(key.to_owned(), value.to_vec());
        Ok(())
    }

    fn learned(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.state().learned.get(key).cloned())
    }

    fn notices(&self, until_ms: i64, limit: usize) -> Result<Vec<NoticeRow>, StoreError> {
        let state = self.state();
        let due = state.notices.iter().filter(|row| row.due_ms <= until_ms);
        let mut due: Vec<_> = due.cloned().collect();
        due.sort_by_key(|row| row.due_ms);
        due.truncate(limit);
        Ok(due)
    }

    fn settle_notice(&self, notice: &NoticeRow, again_ms: Option<i64>) -> Result<(), StoreError> {
        let notices = &mut self.state().notices;
        let is_it = |row: &NoticeRow| (&row.of, row.id) == (&notice.of, notice.id);
        match again_ms {
            None => notices.retain(|row| !is_it(row)),
            Some(again_ms) => {
                let since = |row: &&mut NoticeRow| is_it(row) && row.tries == notice.tries;
                for row in notices.iter_mut().filter(since) {
                    row.due_ms = again_ms;
                    row.tries += 1;
                }
            }
        }
        Ok(())
    }

    fn revocations(&self) -> Result<u64, StoreError> {
        Ok(self.state().revocations)
    }

    fn grant(&self, token: &TokenRow) -> Result<(), StoreError> {
        self.state().grant(token);
        Ok(())
    }

    fn tokens(&self, before: Option<u64>, limit: usize) -> Result<Vec<ListedToken>, StoreError> {
        let state = self.state();
        let people = state.tokens.iter().filter(|token| {
            matches!(
                token.row.grant,
                Grant::Host | Grant::Publisher | Grant::Admin | Grant::Creator | Grant::Player
            )
        });
        Ok(newest(
            people.cloned().collect(),
            |token| token.order,
            before,
            limit,
        ))
    }

    fn settle_by(
        &self,
        publisher: Option<&str>,
        change: &Change,
        request: &RequestRow,
    ) -> Result<Appended, StoreError> {
        Ok(self.state().settle(publisher, change, request))
    }

    fn change(&self, change: &Change) -> Result<(), StoreError> {
        self.state().change(change);
        Ok(())
    }

    fn offer(&self, revision: &RevisionRow) -> Result<(), StoreError> {
        self.state().offer(revision);
        Ok(())
    }

    fn offered(&self, ruleset: &str, digest: &Hash) -> Result<bool, StoreError> {
        let state = self.state();
        let mut known = state.revisions.iter();
        Ok(known.any(|kept| (&kept.row.ruleset[..], &kept.row.digest) == (ruleset, digest)))
    }

    fn revisions(
        &self,
        ruleset: &str,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<ListedRevision>, StoreError> {
        let state = self.state();
        let of_it = state
            .revisions
            .iter()
            .filter(|kept| kept.row.ruleset == ruleset);
        Ok(newest(
            of_it.cloned().collect(),
            |kept| kept.order,
            before,
            limit,
        ))
    }

    fn channels(&self) -> Result<Vec<ChannelRow>, StoreError> {
        let state = self.state();
        let channels = state.channels.iter();
        let rows = channels.map(|((ruleset, channel), digest)| ChannelRow {
            ruleset: ruleset.clone(),
            channel: channel.clone(),
            digest: *digest,
        });
        Ok(rows.collect())
    }

    fn owners(&self) -> Result<Vec<OwnerRow>, StoreError> {
        let state = self.state();
        let rows = state.owners.iter().map(|(ruleset, owner)| OwnerRow {
            ruleset: ruleset.clone(),
            owner: owner.clone(),
        });
        Ok(rows.collect())
    }

    fn yanked(&self) -> Result<Vec<RevisionRow>, StoreError> {
        let state = self.state();
        let yanked = state.revisions.iter().filter(|kept| kept.yanked.is_some());
        Ok(yanked.map(|kept| kept.row.clone()).collect())
    }

    fn put_snapshot(&self, id: &MatchId, snapshot: &[u8]) -> Result<(), StoreError> {
        if let Some(kept) = self.state().matches.get_mut(id) {
            kept.snapshot = Some(snapshot.to_vec());
        }
        Ok(())
    }

    fn snapshot(&self, id: &MatchId) -> Result<Option<Vec<u8>>, StoreError> {
        let state = self.state();
        Ok(state.matches.get(id).and_then(|kept| kept.snapshot.clone()))
    }

    fn delete_snapshot(&self, id: &MatchId) -> Result<(), StoreError> {
        if let Some(kept) = self.state().matches.get_mut(id) {
            kept.snapshot = None;
        }
        Ok(())
    }

    fn put_content(&self, digest: &Hash, content: &[u8]) -> Result<(), StoreError> {
        self.state()
            .contents
            .entry(*digest)
            .or_insert_with(|| content.to_vec());
        Ok(())
    }

    fn content(&self, digest: &Hash) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.state().contents.get(digest).cloned())
    }
}

impl Shared for Memory {
    fn clock(&self) -> Clock {
        let together = self.together.as_ref();
        together.map_or_else(Clock::system, |together| together.clock.clone())
    }

    fn wake_ups(&self) -> broadcast::Receiver<WakeUp> {
        let together = self.together.as_ref();
        together.map_or_else(
            || broadcast::Sender::new(1).subscribe(),
            |together| together.wake_ups.subscribe(),
        )
    }

    fn lengths(&self, ids: &[MatchId]) -> Result<Vec<(MatchId, u64)>, StoreError> {
        let state = self.state();
        let kept = ids.iter().filter_map(|id| state.matches.get_key_value(id));
        let lengths = kept.map(|(id, kept)| (id.clone(), to_u64(kept.log.len())));
        Ok(lengths.collect())
    }

    fn claim(&self, id: &MatchId) -> Result<bool, StoreError> {
        let Some(together) = &self.together else {
            return Ok(true);
        };
        let mut claims = together
            .claims
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let claim = claims.entry(id.clone()).or_insert((together.me, now));
        let ours = claim.0 == together.me || claim.1 <= now;
        if ours {
            *claim = (together.me, now + CLAIM);
        }
        Ok(ours)
    }

    fn take_notice(&self, notice: &NoticeRow, until_ms: i64) -> Result<bool, StoreError> {
        let mut state = self.state();
        let mut notices = state.notices.iter_mut();
        let found = notices.find(|row| (&row.of, row.id) == (&notice.of, notice.id));
        let found = found.filter(|row| row.due_ms == notice.due_ms);
        let ours = found.is_some();
        if let Some(row) = found {
            row.due_ms = until_ms;
        }
        Ok(ours)
    }

    fn connections(&self) -> Connections {
        Connections::default()
    }

    fn publications(&self) -> Result<u64, StoreError> {
        Ok(self.state().publications)
    }
}
