//! The writer of one match: judges what is asked, has it written, and publishes it.
//!
//! An arbiter does one thing after the other; [`table`](super::table) sees to that, and knows when it acts unasked: in
//! the place of bots, of players who have resigned, and of those whose time is up.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use interpreter::play::{Audience, Move, Seat, Seed};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tracing::{Instrument as _, info_span};

use super::acts::{Decided, Decider};
use super::chain;
use super::change::{Change, Made, closed};
use super::requests::{Act, Acted, Submission, Submitted};
use crate::outside::notices;
use crate::replay::checkpoint;
use crate::replay::follow::{self, Known, Read};
use crate::replay::restore::Restored;
use crate::request::{answered, request_row};
use crate::scheduling::workers::{self, Pace};
use crate::state::Due;
use crate::traces::SPANS;
use crate::{Cursor, MatchInfo, Parts, Payers, Play, Queue, Request, Snapshot, TableError};
use referee_store::log;
use referee_store::log::v1::{self, Maker, ProposalEnd, ProposalKind, entry::Body, receipt};
use referee_store::numbers::{to_u64, to_usize};
use referee_store::{
    Append, Appended, Hash, MatchState, NoticeRow, RequestRow, StoreError, chain as links,
};

/// Decides about one match.
pub(super) struct Arbiter {
    parts: Arc<Parts>,
    pub(super) live: Arc<Snapshot>,
    /// Entries of the log.
    length: u64,
    /// The same, for whoever has no turn.
    known: Arc<AtomicU64>,
    /// The hash of the last of them, if others may write to this match, too: it is found in the store where nobody does.
    head: Option<Hash>,
    /// None of a match whose record is damaged.
    seed: Option<Seed>,
    /// Moves that were made when it was saved last; zero if it was not.
    saved: usize,
    publish: watch::Sender<Arc<Snapshot>>,
    /// When it moves in somebody's place.
    due: Option<Due>,
    /// The same, as it was last said to the clock.
    clock: watch::Sender<Option<Due>>,
    /// The outcome of a write is unknown: what is in memory may not be what is in the log.
    doubtful: bool,
    /// It could not move in a player's place; it does not try again until somebody does something.
    stuck: bool,
    /// How often each seat proposed to take back what cannot be, since the match was opened.
    refused: BTreeMap<Seat, u32>,
    pace: Pace,
    /// Where a match is saved that is let go.
    runtime: Handle,
}

/// How often something is tried again because another referee was there first.
const OVERTAKEN: usize = 16;

/// What is written of moves of a seat, one after the other, and how many were made.
fn moved(play: &Play, seat: Seat, moves: &[Move]) -> Result<(Change, u32), TableError> {
    let games = chain::make(play, seat, moves)?;
    let mut all = Change::default();
    let mut count = 0;
    for game in games {
        let before = all.play.as_deref().unwrap_or(play);
        let change = Made::after(before, game, Maker::Unspecified).moved(Maker::Unspecified);
        all.entries.extend(change.entries);
        all.play = change.play;
        count += 1;
    }
    Ok((all, count))
}

/// Whether the list of matches for everybody says something else of a match after a change than before.
fn changes_listing(before: &MatchInfo, now: &MatchInfo) -> bool {
    let said = |info: &MatchInfo| (info.is_listed(), info.state);
    let (was, is) = (said(before), said(now));
    (was.0 || is.0) && (was != is || before.seats != now.seats)
}

impl Arbiter {
    /// The arbiter of a match, what it publishes, and when it acts by itself.
    pub(super) fn of(
        parts: Arc<Parts>,
        restored: Restored,
    ) -> (
        Arbiter,
        watch::Receiver<Arc<Snapshot>>,
        watch::Receiver<Option<Due>>,
    ) {
        let Restored {
            snapshot,
            length,
            head,
            seed,
            spared,
        } = restored;
        let is_shared = parts.store.shared().is_some();
        let waiting = snapshot.waiting();
        let due = snapshot.info.due(&waiting, &parts.outages);
        let live = Arc::new(snapshot);
        let (publish, snapshots) = watch::channel(live.clone());
        let (clock, told) = watch::channel(due);
        let arbiter = Arbiter {
            parts,
            live,
            length,
            known: Arc::new(AtomicU64::new(length)),
            head: is_shared.then_some(head),
            seed,
            saved: spared,
            publish,
            due,
            clock,
            doubtful: false,
            stuck: false,
            refused: BTreeMap::new(),
            pace: Pace::unknown(),
            runtime: Handle::current(),
        };
        (arbiter, snapshots, told)
    }

    /// How many entries of the log are known, as it will be, too.
    pub(super) fn known(&self) -> Arc<AtomicU64> {
        self.known.clone()
    }

    /// Whether the outcome of the last write is unknown.
    pub(super) fn is_doubtful(&self) -> bool {
        self.doubtful
    }

    /// When it moves in somebody's place.
    pub(super) fn due(&self) -> Option<Due> {
        self.due.filter(|_| !self.stuck)
    }

    /// Tells the clock when that is.
    pub(super) fn set_clock(&self) {
        let due = self.due();
        self.clock
            .send_if_modified(|told| std::mem::replace(told, due) != due);
    }

    /// Reckons anew when it moves in somebody's place, once times without a referee have become known. Those who watch are told.
    pub(super) fn recount(&mut self) {
        let waiting = self.live.waiting();
        let due = self.live.info.due(&waiting, &self.parts.outages);
        if due != self.due {
            self.due = due;
            self.publish.send_replace(self.live.clone());
        }
    }

    /// Reads on what another referee has written; says whether one has.
    ///
    /// # Errors
    ///
    /// When the store fails, or there is no match any more.
    pub(super) async fn catch_up(&mut self) -> Result<bool, TableError> {
        let Some(head) = self.head else {
            return Ok(false);
        };
        let (parts, live) = (self.parts.clone(), self.live.clone());
        let (length, seed) = (self.length, self.seed);
        let work = move || {
            let known = Known {
                snapshot: &live,
                length,
                head,
                seed,
            };
            follow::read_on(&parts, &known)
        };
        let read = self.parts.workers.run(Queue::Opening, work).await?;
        let restored = match read? {
            Read::Nothing => return Ok(false),
            Read::More(restored) => restored,
            Read::Gone => {
                self.doubtful = true;
                return Err(StoreError::Overtaken.into());
            }
        };
        self.length = restored.length;
        self.known.store(self.length, Ordering::Release);
        self.head = Some(restored.head);
        self.seed = restored.seed;
        self.stuck = false;
        self.live = Arc::new(restored.snapshot);
        let waiting = self.live.waiting();
        self.due = self.live.info.due(&waiting, &self.parts.outages);
        self.publish.send_replace(self.live.clone());
        Ok(true)
    }

    /// Whether what was asked for was judged by a match that has gone on elsewhere: then it is judged again. That may be where it
    /// was refused, or where another referee has answered it.
    async fn was_behind<T>(
        &mut self,
        done: &Result<T, TableError>,
        replayed: impl FnOnce(&T) -> bool,
    ) -> Result<bool, TableError> {
        match done {
            Ok(done) if !replayed(done) => Ok(false),
            _ => self.catch_up().await,
        }
    }

    /// Lets go of the match.
    pub(super) fn let_go(&mut self) {
        self.save_after(checkpoint::WORTH);
    }

    /// Whether nobody has moved since.
    pub(super) fn is_as_far_as(&self, seen: &Snapshot) -> bool {
        let (live, seen) = (self.live.playing(), seen.playing());
        live.is_ok_and(|live| seen.is_ok_and(|seen| live.is_as_far_as(seen)))
    }

    /// Makes the move that was chosen in a player's place. What goes wrong is in the referee's log: nobody has asked for
    /// it.
    pub(super) async fn move_in_place_of(
        &mut self,
        due: Due,
        chosen: Result<Option<Move>, TableError>,
    ) {
        let Ok(play) = self.live.playing().cloned() else {
            return;
        };
        let full = play.game().moves().len() >= to_usize(self.parts.limits.moves_per_match);
        let work = move |mv: Move| {
            let game = chain::applied(&play, play.game(), due.seat, &mv);
            game.map(|game| Made::after(&play, game, due.maker))
        };
        let info = &self.live.info;
        let payers = || Payers::at_table(info.host, &info.id);
        let played = match chosen {
            Ok(Some(mv)) if !full => {
                let judged = self.pace.run(&self.parts.workers, payers, move || work(mv));
                judged.await.flatten()
            }
            Ok(_) => Err(TableError::Limit("moves_per_match")),
            Err(error) => Err(error),
        };
        let change = match self.unless_failed(played).await {
            Ok(made) => made.moved(due.maker),
            Err(error) => {
                tracing::warn!(id = %self.live.info.id, ?error, "the referee could not move in a player's place");
                self.stuck = true;
                return;
            }
        };
        let change = self.lapsed(change);
        let done = self.commit(change, None).await;
        match self.was_behind(&done, |_| false).await {
            // Whoever was there first has moved, or somebody else is asked now.
            Ok(true) => {}
            caught_up => {
                if let Some(error) = done.err().or(caught_up.err()) {
                    tracing::warn!(id = %self.live.info.id, ?error, "a move of the referee was not kept");
                }
            }
        }
    }

    /// Does something that is no move, as [`Table::act`](crate::Table::act).
    pub(super) async fn act(&mut self, act: Act, request: Request) -> Result<Acted, TableError> {
        for _ in 0..OVERTAKEN {
            let done = self.act_once(act.clone(), &request).await;
            if !self.was_behind(&done, |acted| acted.replayed).await? {
                return done;
            }
        }
        self.act_once(act, &request).await
    }

    async fn act_once(&mut self, act: Act, request: &Request) -> Result<Acted, TableError> {
        self.stuck = false;
        let decided = match self.decide(act).await {
            Ok(decided) => decided,
            Err(error) => {
                let row = self.unless_answered(request, error).await?;
                return self.acted_before(&row, request);
            }
        };
        if decided.only_looked {
            return Ok(Acted::of(
                self.live.clone(),
                decided.receipt,
                decided.difference,
            ));
        }
        let receipt = decided.receipt.clone();
        let answered = self
            .commit(
                decided.change,
                Some((request, receipt::Kind::Done(receipt.clone()))),
            )
            .await?;
        match answered {
            None => {
                self.start_if_full().await;
                Ok(Acted::of(self.live.clone(), receipt, decided.difference))
            }
            Some(row) => self.acted_before(&row, request),
        }
    }

    /// Starts the match, if nothing is missing and its host wanted that. What goes wrong is in the referee's log: nobody has
    /// asked for it, and its host can.
    pub(super) async fn start_if_full(&mut self) {
        if self.live.info.starts_by_itself()
            && let Err(error) = self.act_unasked(Act::Start).await
        {
            tracing::warn!(id = %self.live.info.id, ?error, "a match did not start by itself");
        }
    }

    /// As [`act`](Self::act), where nobody asks for it.
    pub(super) async fn act_unasked(&mut self, act: Act) -> Result<(), TableError> {
        let decided = self.decide(act).await?;
        let done = self.commit(decided.change, None).await;
        match self.was_behind(&done, |_| false).await? {
            // It is as if it had been asked for a moment later.
            true => Err(TableError::Store(StoreError::Overtaken)),
            false => done.map(drop),
        }
    }

    /// What an act comes to now; a match whose ruleset fails as it begins is suspended.
    async fn decide(&mut self, act: Act) -> Result<Decided, TableError> {
        let begins = matches!(act, Act::Start);
        let mut decider = Decider {
            parts: &self.parts,
            live: &self.live,
            seed: self.seed,
            refused: &mut self.refused,
        };
        let decided = decider.decide(act).await;
        match begins {
            true => self.unless_failed(decided).await,
            false => decided,
        }
    }

    fn acted_before(&self, row: &RequestRow, request: &Request) -> Result<Acted, TableError> {
        let done = match answered(row, request)? {
            Some(receipt::Kind::Done(done)) => done,
            // Written before there were other acts.
            Some(receipt::Kind::Claimed(_) | receipt::Kind::Started(_)) => Default::default(),
            _ => return Err(TableError::RequestIdReused),
        };
        Ok(Acted {
            replayed: true,
            ..Acted::of(self.live.clone(), done, None)
        })
    }

    /// Makes moves, as [`Table::submit`](crate::Table::submit).
    pub(super) async fn submit(&mut self, submission: Submission) -> Result<Submitted, TableError> {
        if self.head.is_none() {
            return self.submit_once(submission).await;
        }
        for _ in 0..OVERTAKEN {
            let done = self.submit_once(submission.clone()).await;
            if !self.was_behind(&done, |made| made.replayed).await? {
                return done;
            }
        }
        self.submit_once(submission).await
    }

    async fn submit_once(&mut self, submission: Submission) -> Result<Submitted, TableError> {
        self.stuck = false;
        let Submission {
            seat,
            decision,
            moves,
            request,
        } = submission;
        let play = match self.live.moving() {
            Ok(play) => play.clone(),
            Err(error) => return self.replayed(seat, &request, error).await,
        };
        let most = to_usize(self.parts.limits.moves_per_match);
        if play.game().moves().len() + moves.len() > most {
            let full = TableError::Limit("moves_per_match");
            return self.replayed(seat, &request, full).await;
        }
        let before = play.end(Audience::Seat(seat));
        let (parts, id, laps) = (
            self.parts.clone(),
            self.live.info.id.clone(),
            self.live.info.laps,
        );
        let judging = info_span!(target: SPANS, "judge");
        let work = move || {
            play.waits(&parts, (&id, laps), seat, &decision)?;
            moved(&play, seat, &moves)
        };
        let info = &self.live.info;
        let payers = || Payers::at_table(info.host, &info.id);
        let judged = self.pace.run(&self.parts.workers, payers, work);
        let played = judged.instrument(judging).await;
        let (change, made) = match self.unless_failed(played.flatten()).await {
            Ok(moved) => moved,
            Err(
                error @ (TableError::Superseded(_)
                | TableError::Refused(..)
                | TableError::InChain(..)),
            ) => {
                return self.replayed(seat, &request, error).await;
            }
            Err(error) => return Err(error),
        };
        let change = self.lapsed(change);
        let until = change
            .play
            .as_ref()
            .map_or(before, |play| play.end(Audience::Seat(seat)));
        let place = |play: Option<&Arc<Play>>| play.map(|play| play.told());
        let receipt = receipt::Kind::Moved(v1::MovedReceipt {
            moves: made,
            before: place(self.live.play.as_ref()),
            after: place(change.play.as_ref()),
            ..v1::MovedReceipt::default()
        });
        match self.commit(change, Some((&request, receipt))).await? {
            None => Ok(Submitted {
                from: before,
                until,
                made,
                replayed: false,
                snapshot: self.live.clone(),
            }),
            Some(row) => self.submitted_before(seat, &row, &request),
        }
    }

    /// A change after which a proposal to take moves back means nothing, if one is open: it is closed.
    fn lapsed(&self, mut change: Change) -> Change {
        let undo = self
            .live
            .info
            .proposal
            .as_ref()
            .filter(|proposal| proposal.kind == ProposalKind::Undo);
        let over = change
            .entries
            .iter()
            .any(|entry| matches!(entry, Body::Finished(_)));
        let proposal = undo.or(self.live.info.proposal.as_ref().filter(|_| over));
        if let (Some(proposal), Some(play)) = (proposal, &change.play) {
            let (entry, play) = closed(play, &proposal.id, ProposalEnd::Lapsed);
            let before_the_end = change.entries.len() - usize::from(over);
            change.entries.insert(before_the_end, entry);
            change.play = Some(play);
        }
        change
    }

    /// Says in entries of moves whose clocks go on: those of seats that are asked what they were asked before. What others
    /// answer to the same question must not be told by a clock that begins again.
    fn go_on_with_clocks(&self, change: &mut Change) {
        let (Some(before), Some(after)) = (&self.live.play, &change.play) else {
            return;
        };
        if self.live.info.question_ms == 0 {
            return;
        }
        let still = |seat: &Seat| {
            after.asks(*seat) && before.question_number(*seat) == after.question_number(*seat)
        };
        let waiting = before.game().waiting();
        let still = waiting.iter().filter(|seat| still(seat));
        let still: Vec<u32> = still.map(|seat| u32::from(seat.0)).collect();
        for entry in &mut change.entries {
            if let Body::Moved(moved) = entry {
                moved.still_asked.clone_from(&still);
            }
        }
    }

    /// Says in entries of moves how long their seats had been asked, where there is a clock: what is missing from the time
    /// between two entries is when there was no referee, so that the log alone tells that no turn ended early.
    fn count_time(&self, change: &mut Change, now: i64) {
        let info = &self.live.info;
        if info.question_ms == 0 {
            return;
        }
        // Of several moves that are made at once the first took all of the time.
        let moved = change.entries.iter_mut().find_map(|entry| match entry {
            Body::Moved(moved) => Some(moved),
            _ => None,
        });
        if let Some(moved) = moved
            && let Some(first) = moved.moves.first()
        {
            let seat = Seat(u8::try_from(first.seat).unwrap_or(u8::MAX));
            moved.thought_ms = info.thought_ms(seat, now, &self.parts.outages);
        }
    }

    /// Has a change written, and publishes it; gives the row if the request was answered before.
    async fn commit(
        &mut self,
        change: Change,
        request: Option<(&Request, receipt::Kind)>,
    ) -> Result<Option<RequestRow>, TableError> {
        // No log goes back in time, though another referee's clock was ahead, or this one was set back.
        // What begins now has not begun before, whatever this referee knows of the time.
        let at = self.parts.clock.latest_ms().max(self.live.info.latest_ms);
        let mut info = self.live.info.clone();
        let mut change = change;
        self.go_on_with_clocks(&mut change);
        self.count_time(&mut change, at);
        for entry in &change.entries {
            info.tell(at, entry);
        }
        let mover = change.entries.iter().find_map(|entry| match entry {
            Body::Moved(moved) => moved.moves.first().map(|first| first.seat),
            _ => None,
        });
        if info.state == MatchState::Finished {
            info.revealed = self.seed;
        }
        let play = change.play.or_else(|| self.live.play.clone());
        let snapshot = Snapshot { info, play };
        let (info, waiting) = (&snapshot.info, snapshot.waiting());
        // Clocks stand still while there is no referee: opening the match adds what comes of that later.
        let due = info.due(&waiting, &self.parts.outages);
        let entries: Vec<Vec<u8>> = change
            .entries
            .into_iter()
            .map(|body| log::encode(at, body))
            .collect::<Result<_, _>>()?;
        let count = to_u64(entries.len());
        let head = self
            .head
            .map(|head| links::linked(head, self.length, &entries));
        let notices = self.turns(&snapshot, mover, at);
        let is_told = !notices.is_empty();
        let holders = change.tokens.iter().filter(|row| !row.label.is_empty());
        let holders: Vec<String> = holders.map(|row| row.label.clone()).collect();
        let listing = changes_listing(&self.live.info, info);
        let append = Append {
            head: self.head,
            listing,
            entries,
            content: (info.content != self.live.info.content).then_some(info.content),
            request: request.map(|(request, kind)| request_row(request, kind)),
            tokens: change.tokens,
            names: change.names,
            revoke_seat: change.revoke_seat,
            notices,
            due_ms: due.map(|due| due.at_ms),
            open: info.is_listed(),
            erase: change.erase,
            ..Append::to(self.live.info.id.clone(), self.length, info.state)
        };
        let appending = info_span!(target: SPANS, "append");
        let appended = self.parts.journal.append(append).instrument(appending);
        match appended.await {
            Ok(Appended::Done) => {
                self.length += count;
                self.known.store(self.length, Ordering::Release);
                self.head = head;
                self.doubtful |= change.reopens;
                self.live = Arc::new(snapshot);
                if listing {
                    self.parts.listing.send_modify(|count| *count += 1);
                }
                if is_told {
                    self.parts.notices.notify_one();
                }
                for holder in holders {
                    // Nobody may listen.
                    let _ = self.parts.holders.send(holder.into());
                }
                self.due = due;
                self.publish.send_replace(self.live.clone());
                // A store that forgets is never reopened.
                if !self.parts.store.is_instant() {
                    self.save_after(checkpoint::EVERY);
                }
                Ok(None)
            }
            Ok(Appended::Duplicate(row)) => Ok(Some(row)),
            Ok(Appended::Conflict | Appended::Busy(_)) => {
                // Whoever is not alone reads on and goes on.
                self.doubtful |= self.head.is_none();
                Err(TableError::Store(StoreError::Overtaken))
            }
            Err(error) => {
                self.doubtful = true;
                Err(error.into())
            }
        }
    }

    /// That it is the turn of those who are asked something now and were not before, if the host is told: nobody is told that a
    /// player who has just moved goes on alone.
    fn turns(&self, after: &Snapshot, mover: Option<u32>, now_ms: i64) -> Vec<NoticeRow> {
        let address = &after.info.terms.turn_webhook;
        if address.is_empty() {
            return Vec::new();
        }
        let Ok(play) = after.moving() else {
            return Vec::new();
        };
        let before = self.live.moving().ok();
        let waiting = play.game().waiting();
        let goes_on = waiting.len() == 1;
        let turn = |seat: &Seat| {
            let knew = before.is_some_and(|before| {
                before.asks(*seat) && before.asking_step() == play.asking_step()
            });
            let has_moved = goes_on && mover == Some(u32::from(seat.0));
            let is_person = after.info.people().any(|person| person == *seat);
            is_person && !knew && !has_moved
        };
        let id = &after.info.id;
        let turns = waiting.iter().filter(|seat| turn(seat));
        let notice =
            |seat: &Seat| notices::turn(id, log::seat_number(*seat), self.length, address, now_ms);
        turns.map(notice).collect()
    }

    /// Has the game saved if so many moves were made since it was last. Nothing waits for that. One that is over is seldom
    /// opened.
    fn save_after(&mut self, moves: usize) {
        let Some(play) = self.live.play.clone() else {
            return;
        };
        let made = play.game().moves().len();
        if self.live.info.state == MatchState::Finished {
            return;
        }
        if made.abs_diff(self.saved) >= moves {
            self.saved = made;
            let (parts, id) = (self.parts.clone(), self.live.info.id.clone());
            let length = self.length;
            let threads = self.parts.threads.clone();
            threads.start(&self.runtime, move || {
                checkpoint::save(&parts, &id, length, play.game());
            });
        }
    }

    /// Takes the result of work on the game. A ruleset that fails, or rules that panic, suspend the
    /// match: the suspension is recorded, the move is not.
    async fn unless_failed<T>(&mut self, played: Result<T, TableError>) -> Result<T, TableError> {
        let error = match played {
            Ok(made) => return Ok(made),
            Err(error) => error,
        };
        let reason = match &error {
            TableError::Fault(fault) => {
                format!("the ruleset failed: {} at {}", fault.message, fault.at)
            }
            TableError::Internal(what) => what.clone(),
            _ => return Err(error),
        };
        tracing::error!(id = %self.live.info.id, %reason, "a match is suspended");
        let change = Change {
            entries: vec![Body::Suspended(v1::Suspended { reason })],
            ..Change::default()
        };
        self.commit(change, None).await?;
        Err(error)
    }

    /// The row of a request that was answered before; else the error that it gets now. Only what
    /// cannot be done now needs to look: what can be done meets its own row when it is written.
    async fn unless_answered(
        &self,
        request: &Request,
        error: TableError,
    ) -> Result<RequestRow, TableError> {
        let (store, asked) = (self.parts.store.clone(), request.clone());
        let within = self.live.info.id.clone();
        let look = move || store.request(Some(&within), asked.principal, &asked.id);
        match workers::blocking(&self.parts.threads, look).await?? {
            Some(row) => answered(&row, request).map(|_| row),
            None => Err(error),
        }
    }

    async fn replayed(
        &self,
        seat: Seat,
        request: &Request,
        error: TableError,
    ) -> Result<Submitted, TableError> {
        let row = self.unless_answered(request, error).await?;
        self.submitted_before(seat, &row, request)
    }

    fn submitted_before(
        &self,
        seat: Seat,
        row: &RequestRow,
        request: &Request,
    ) -> Result<Submitted, TableError> {
        let Some(receipt::Kind::Moved(moved)) = answered(row, request)? else {
            return Err(TableError::RequestIdReused);
        };
        let play = self
            .live
            .play
            .as_ref()
            .ok_or_else(|| self.live.suspension())?;
        let cursor = |place: Option<v1::Place>, happened, number| match place {
            Some(place) => play.cursor(Audience::Seat(seat), place),
            // Of the first format; places were counted in events.
            None => Cursor { happened, number },
        };
        Ok(Submitted {
            from: cursor(moved.before, moved.from_happened, moved.from_number),
            until: cursor(moved.after, moved.until_happened, moved.until_number),
            made: moved.moves.max(1),
            replayed: true,
            snapshot: self.live.clone(),
        })
    }
}
