//! The way to one match: every change takes its turn here.
//!
//! Turns are taken one after the other, in the order in which they were asked for. A turn begins in the call that
//! asked for it and ends there if it never has to wait; one that has to goes on in a task of its own, so that a
//! caller that goes away does not stop what it has begun. Between turns a clock has the [`Arbiter`] move in the place
//! of bots, of players who have resigned, and of those whose time is up.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::task::Poll;
use std::time::Duration;

use interpreter::play::{Audience, Seat};
use tokio::sync::{Mutex, OwnedMutexGuard, watch};
use tracing::Instrument as _;

use super::arbiter::Arbiter;
use super::bots;
use super::presence::{Presence, SeatPresence};
use super::requests::{Act, Acted, Submission, Submitted};
use super::watchers::{Watcher, Watchers};
use crate::alive;
use crate::replay::restore::Restored;
use crate::scheduling::workers;
use crate::state::Due;
use crate::{Cursor, Metric, Parts, Payers, Queue, Request, Snapshot, SpectatorDelay, TableError};
use referee_store::clock::Clock;
use referee_store::log::v1::Maker;
use referee_store::panics::caught;
use referee_store::{Principal, StoreError};

/// The way to one match.
pub struct Table {
    /// Who has it has the turn. There is none when the last write is in doubt.
    arbiter: Arc<Mutex<Option<Box<Arbiter>>>>,
    snapshots: watch::Receiver<Arc<Snapshot>>,
    host: Principal,
    watchers: Watchers,
    presence: Presence,
    spectator_delay: Option<Arc<SpectatorDelay>>,
    /// Entries of the log that are known.
    known: Arc<AtomicU64>,
    parts: Arc<Parts>,
}

impl Table {
    /// Opens the table of a match, and starts its clock.
    pub(crate) fn open(parts: Arc<Parts>, restored: Restored) -> Arc<Table> {
        let spectator_delay = SpectatorDelay::of(&restored.snapshot.info).map(Arc::new);
        let watchers = Watchers::of(&parts.limits);
        let presence = Presence::of(restored.snapshot.info.seats.len());
        let host = restored.snapshot.info.host;
        let (arbiter, snapshots, due) = Arbiter::of(parts.clone(), restored);
        let table = Arc::new(Table {
            known: arbiter.known(),
            arbiter: Arc::new(Mutex::new(Some(Box::new(arbiter)))),
            snapshots,
            host,
            watchers,
            presence,
            spectator_delay,
            parts,
        });
        let clock = table.parts.clock.clone();
        tokio::spawn(keep_time(Arc::downgrade(&table), due, clock));
        table
    }

    /// Whose match it is.
    pub fn host(&self) -> Principal {
        self.host
    }

    /// What spectators see, if it is not the match as it is.
    pub fn spectator_delay(&self) -> Option<&Arc<SpectatorDelay>> {
        self.spectator_delay.as_ref()
    }

    /// The match as it was after its last durable entry.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshots.borrow().clone()
    }

    /// Sees every snapshot from now on, or at least the last one. The receiver ends when the table closes.
    ///
    /// # Errors
    ///
    /// When too many watch already.
    pub fn watch(
        &self,
        audience: Audience,
    ) -> Result<(watch::Receiver<Arc<Snapshot>>, Watcher), TableError> {
        let watcher = self.watchers.enter(audience)?;
        Ok((self.snapshots.clone(), watcher))
    }

    /// Somebody with this seat's token is there.
    pub fn note_presence(&self, seat: Seat, now_ms: i64) {
        self.presence.note(seat, now_ms);
    }

    /// Who is at the table; empty where that is told to nobody.
    pub fn presence(&self, now_ms: i64) -> Vec<SeatPresence> {
        if self.snapshots.borrow().info.terms.hides_presence {
            return Vec::new();
        }
        let is_watched = |seat| self.watchers.has(Audience::Seat(seat));
        self.presence.told(now_ms, is_watched)
    }

    /// Whether the table has closed because its last write was in doubt. Open it anew.
    pub fn is_closed(&self) -> bool {
        self.snapshots.has_changed().is_err()
    }

    /// The match once an audience has seen as much of it as this place in its history; none if that does not come to
    /// be in this time. Spectators who are behind may have to wait longer than this says.
    pub async fn once_seen(
        &self,
        audience: Audience,
        place: Cursor,
        patience: Duration,
    ) -> Option<Arc<Snapshot>> {
        let mut snapshots = self.snapshots.clone();
        let reached = snapshots.wait_for(|snapshot| snapshot.has_shown(audience, place));
        let reached = tokio::time::timeout(patience, reached).await.ok()?;
        reached.ok().map(|snapshot| snapshot.clone())
    }

    /// Does something that is no move. When this returns, it is durable.
    ///
    /// # Errors
    ///
    /// When it cannot be done now, the ruleset fails, or the store does not confirm.
    pub async fn act(self: &Arc<Self>, act: Act, request: Request) -> Result<Acted, TableError> {
        let mut turn = self.turn().await?;
        let turn = Box::pin(async move {
            let acted = turn.arbiter.act(act, request).await;
            turn.end();
            acted
        });
        to_its_end(turn).await
    }

    /// As [`act`](Self::act), where nobody asks for it but the referee itself.
    ///
    /// # Errors
    ///
    /// As [`act`](Self::act).
    pub async fn act_unasked(self: &Arc<Self>, act: Act) -> Result<(), TableError> {
        let mut turn = self.turn().await?;
        let turn = Box::pin(async move {
            let acted = turn.arbiter.act_unasked(act).await;
            turn.end();
            acted
        });
        to_its_end(turn).await
    }

    /// Starts the match, if nothing is missing and its host wanted that.
    pub(crate) async fn start_if_full(self: &Arc<Self>) {
        // Most have started long ago: they need no turn for it.
        if !self.snapshot().info.starts_by_itself() {
            return;
        }
        let Ok(mut turn) = self.turn().await else {
            return;
        };
        turn.arbiter.start_if_full().await;
        turn.end();
    }

    /// Makes a move, or several. When this returns, they are durable.
    ///
    /// # Errors
    ///
    /// When the move is stale or refused, the ruleset fails, or the store does not confirm.
    pub async fn submit(self: &Arc<Self>, submission: Submission) -> Result<Submitted, TableError> {
        let mut turn = self.turn().await?;
        let turn = Box::pin(async move {
            let submitted = turn.arbiter.submit(submission).await;
            turn.end();
            submitted
        });
        to_its_end(turn).await
    }

    /// Whether less of the log is known than there is.
    pub(crate) fn is_behind(&self, length: u64) -> bool {
        self.known.load(Ordering::Acquire) < length
    }

    /// Reads on what another referee may have written, whether or not anything was heard of it.
    ///
    /// # Errors
    ///
    /// When the store fails, or there is no match any more.
    pub async fn read_on(self: &Arc<Self>) -> Result<(), TableError> {
        let mut turn = self.turn().await?;
        let turn = Box::pin(async move {
            let read = turn.arbiter.catch_up().await;
            turn.end();
            read
        });
        to_its_end(turn).await.map(drop)
    }

    /// Reads on what another referee has written. What goes wrong is in the referee's log, and noticed again by whoever acts
    /// next.
    pub(crate) async fn catch_up(self: &Arc<Self>, length: u64) {
        let Ok(mut turn) = self.turn().await else {
            return;
        };
        if !self.is_behind(length) {
            turn.end();
            return;
        }
        let turn = Box::pin(async move {
            let caught_up = turn.arbiter.catch_up().await;
            turn.end();
            caught_up
        });
        if let Err(error) = to_its_end(turn).await {
            tracing::warn!(?error, "what another referee has written could not be read");
        }
    }

    /// Reckons anew when somebody's time is up, once times without a referee have become known.
    pub(crate) async fn recount(self: &Arc<Self>) {
        // Most have no clock.
        if self.snapshot().info.question_ms == 0 {
            return;
        }
        if let Ok(mut turn) = self.turn().await {
            turn.arbiter.recount();
            turn.end();
        }
    }

    /// Whether somebody's time is up also if there was no referee meanwhile that could write, which others may have noted.
    async fn is_up(self: &Arc<Self>, due: Due) -> bool {
        if due.maker != Maker::Timeout || self.parts.store.shared().is_none() {
            return true;
        }
        if let Err(error) = alive::know(&self.parts).await {
            tracing::warn!(%error, "nobody knows whether a time is up");
            return false;
        }
        let Ok(mut turn) = self.turn().await else {
            return false;
        };
        turn.arbiter.recount();
        let is_up = turn.arbiter.due() == Some(due);
        turn.end();
        is_up
    }

    /// Whether it is for this referee to act in this match by itself.
    async fn is_ours(&self) -> bool {
        let id = self.snapshots.borrow().info.id.clone();
        let store = self.parts.store.clone();
        if store.shared().is_none() {
            return true;
        }
        let claim = move || match store.shared() {
            Some(shared) => shared.claim(&id),
            None => Ok(true),
        };
        match workers::blocking(&self.parts.threads, claim).await {
            Ok(Ok(ours)) => {
                let whose = if ours {
                    Metric::ClaimOurs
                } else {
                    Metric::ClaimOthers
                };
                self.parts.metrics.count(whose);
                ours
            }
            Ok(Err(error)) => {
                tracing::warn!(%error, "nobody knows who acts in a match");
                false
            }
            Err(_) => false,
        }
    }

    /// Moves in a player's place, if it is still time for that. While it is thought about, others have their turns; if one
    /// of them moves, it is thought about again.
    async fn move_in_place_of(self: &Arc<Self>, due: Due) {
        let seen = self.snapshot();
        let Ok(play) = seen.playing().cloned() else {
            return;
        };
        let info = &seen.info;
        let bot = info.seat(due.seat).and_then(|seat| seat.bot);
        let payers = Payers::at_table(info.host, &info.id);
        let thought = move || bots::choose(&play, due, bot);
        let workers = &self.parts.workers;
        let chosen = workers.run_for(Queue::Bots, payers, thought).await;
        // A table that has closed is opened anew when it is next needed.
        let Ok(mut turn) = self.turn().await else {
            return;
        };
        if turn.arbiter.due() == Some(due) && turn.arbiter.is_as_far_as(&seen) {
            turn.arbiter.move_in_place_of(due, chosen).await;
        }
        turn.end();
    }

    /// Waits for a turn.
    ///
    /// # Errors
    ///
    /// When the table has closed.
    async fn turn(self: &Arc<Self>) -> Result<Turn, TableError> {
        let mut place = self.arbiter.clone().lock_owned().await;
        let arbiter = place.take().ok_or(StoreError::Closed)?;
        Ok(Turn {
            arbiter,
            place,
            _table: self.clone(),
        })
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        // A turn holds the table as well, so none is under way.
        if let Ok(mut place) = self.arbiter.try_lock()
            && let Some(arbiter) = place.as_mut()
        {
            arbiter.let_go();
        }
    }
}

/// A turn at a table. The arbiter is put back in its place only when the turn has come to its end: if it does not, the
/// match in memory may not be what is in the log, and the table has closed.
struct Turn {
    arbiter: Box<Arbiter>,
    place: OwnedMutexGuard<Option<Box<Arbiter>>>,
    /// The registry takes a table that is held by nobody for idle.
    _table: Arc<Table>,
}

impl Turn {
    /// Ends the turn, and closes the table if what the match is now is known to the store alone. This comes before the
    /// answer, because a client that asks again at once must not find this table any more.
    fn end(mut self) {
        if self.arbiter.is_doubtful() {
            let id = &self.arbiter.live.info.id;
            tracing::info!(%id, "a table closes, to be opened again from the store");
        } else {
            self.arbiter.set_clock();
            *self.place = Some(self.arbiter);
        }
    }
}

/// Runs a turn to its end, even if the caller goes away meanwhile.
///
/// One that panics closes its table, as a turn that never ends, and is an error of this call and no other. Its state is
/// large: boxed where it is made, it is not moved again, nor has the call room for it.
///
/// # Errors
///
/// Those of the turn, and [`TableError::Internal`] when it panics.
pub async fn to_its_end<T: Send + 'static>(
    mut turn: Pin<Box<impl Future<Output = Result<T, TableError>> + Send + 'static>>,
) -> Result<T, TableError> {
    let stopped = |why: String| TableError::Internal(format!("a turn stopped: {why}"));
    let begun = poll_fn(|context| Poll::Ready(caught(|| turn.as_mut().poll(context))));
    match begun.await.map_err(stopped)? {
        Poll::Ready(done) => done,
        Poll::Pending => tokio::spawn(turn.in_current_span())
            .await
            .map_err(|error| stopped(error.to_string()))?,
    }
}

/// Time until it is asked again whether the one who acts in a match still does.
const OTHERS: Duration = Duration::from_secs(1);

/// Waits until a clock shows a time; the clock may stop for a moment or be set back meanwhile.
pub async fn until(clock: &Clock, at_ms: i64) {
    loop {
        let left = at_ms.saturating_sub(clock.now_ms());
        match u64::try_from(left) {
            Ok(left) if left > 0 => tokio::time::sleep(Duration::from_millis(left)).await,
            _ => return,
        }
    }
}

/// Has the arbiter of a table act when it is time, until the table is gone.
async fn keep_time(table: Weak<Table>, mut due: watch::Receiver<Option<Due>>, clock: Clock) {
    // It may have become full just before there was no referee.
    if let Some(table) = table.upgrade() {
        table.start_if_full().await;
    }
    loop {
        let next = *due.borrow_and_update();
        let time = async {
            match next {
                // Nobody who has gone, and no bot, waits for a clock that was set back.
                Some(next) if next.maker != Maker::Timeout => next,
                Some(next) => {
                    until(&clock, next.at_ms).await;
                    next
                }
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            changed = due.changed() => if changed.is_err() {
                return;
            },
            next = time => match table.upgrade() {
                Some(table) if table.is_ours().await && table.is_up(next).await => {
                    table.move_in_place_of(next).await;
                }
                Some(table) => {
                    drop(table);
                    tokio::time::sleep(OTHERS).await;
                }
                None => return,
            },
        }
    }
}
