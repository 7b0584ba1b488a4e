//! Who judges what is to become of one match, has it written, and publishes it.
//!
//! An arbiter does one thing after the other; [`turns`](super::turns) sees to that, and knows when it acts unasked: in
//! the place of bots, of players who have resigned, and of those whose time is up.

use std::collections::BTreeMap;
use std::sync::Arc;

use interpreter::play::{Audience, Match, Move, RecordedMove, Seat, Seed};
use prost::Message as _;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tracing::{Instrument as _, info_span};

use super::acts::{Act, Acted, closed};
use super::hall::Parts;
use super::history::Cursor;
use super::info::Due;
use super::restore::Restored;
use super::snapshot::{Play, Snapshot};
use super::turns::{Submission, Submitted};
use super::workers::Pace;
use super::{Payers, Request, TableError, chain, decision_id, saved, workers};
use crate::log;
use crate::log::v1::{self as wire, Maker, ProposalEnd, ProposalKind, entry::Body, receipt};
use crate::store::{
    Append, Appended, Erase, MatchId, MatchState, NameRow, RequestRow, StoreError, TokenRow,
};
use crate::traces::SPANS;

impl Play {
    /// Whether this decision, of this match and lap, waits for this seat. Takes its time: not for async threads.
    ///
    /// # Errors
    ///
    /// [`TableError::Superseded`] with the one that does.
    pub fn waits(
        &self,
        parts: &Parts,
        (id, laps): (&MatchId, u64),
        seat: Seat,
        decision: &str,
    ) -> Result<(), TableError> {
        let current = self
            .question_number(seat)
            .map(|number| decision_id(&parts.keys, id, seat, number, laps));
        if current.as_deref() == Some(decision) {
            Ok(())
        } else {
            Err(TableError::Superseded(current))
        }
    }

    /// Whether moves would be made. Takes its time: not for async threads.
    ///
    /// # Errors
    ///
    /// As [`Table::submit`](super::Table::submit).
    pub fn judge(
        &self,
        parts: &Parts,
        lap: (&MatchId, u64),
        seat: Seat,
        decision: &str,
        moves: &[Move],
    ) -> Result<(), TableError> {
        self.waits(parts, lap, seat, decision)?;
        chain::judge(self, seat, moves)
    }
}

/// Decides about one match.
pub(super) struct Arbiter {
    pub(super) parts: Arc<Parts>,
    pub(super) live: Arc<Snapshot>,
    /// Entries of the log.
    length: u64,
    /// None of a match whose record is damaged.
    pub(super) seed: Option<Seed>,
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
    /// How often each seat proposed to take back what cannot be, since the match was opened: finding that out is work.
    pub(super) refused: BTreeMap<Seat, u32>,
    pace: Pace,
    /// Where a match is saved that is let go.
    runtime: Handle,
}

/// What becomes of a match in one turn.
#[derive(Default)]
pub(super) struct Change {
    /// What is written.
    pub entries: Vec<Body>,
    /// The game after it, if it is another.
    pub play: Option<Arc<Play>>,
    /// Tokens that become valid.
    pub tokens: Vec<TokenRow>,
    /// What players are called whose digests stand in the entries.
    pub names: Vec<NameRow>,
    /// A seat whose earlier tokens open nothing any more.
    pub revoke_seat: Option<u8>,
    /// What the match is after it, only the store can tell: it is opened again from there.
    pub reopens: bool,
    /// What is erased of what was kept before.
    pub erase: Option<Erase>,
}

/// A move that was made, with those that followed from it.
pub(super) struct Made {
    play: Play,
    /// The moves that are new, the seat's own and those that followed from it.
    moves: Vec<RecordedMove>,
    state_hash: [u8; 32],
    ending: Option<String>,
}

impl Made {
    /// A game that begins.
    pub(super) fn begun(game: Match) -> Made {
        Made::of(game, 0, Play::begun)
    }

    fn of(game: Match, known_moves: usize, play: impl FnOnce(Match) -> Play) -> Made {
        let moves = game.moves().from(known_moves).collect();
        let state_hash = game.state_hash().0;
        let ending = game.outcome().map(|outcome| outcome.ending.to_string());
        Made {
            play: play(game),
            moves,
            state_hash,
            ending,
        }
    }

    /// What is written of it: `entry` says how it came about.
    pub(super) fn change(
        self,
        entry: impl FnOnce(Vec<wire::RecordedMove>, Vec<u8>) -> Body,
        maker: Maker,
    ) -> Change {
        let play = Some(Arc::new(self.play));
        let mut moves = log::moves_out(&self.moves);
        if let Some(first) = moves.first_mut() {
            first.maker = maker.into();
        }
        let mut entries = vec![entry(moves, self.state_hash.to_vec())];
        if let Some(ending) = self.ending {
            entries.push(Body::Finished(wire::Finished { ending }));
        }
        Change {
            entries,
            play,
            ..Change::default()
        }
    }

    /// What is written of a move: an entry of its own.
    fn moved(self, maker: Maker) -> Change {
        let entry = |moves, state_hash| Body::Moved(wire::Moved { moves, state_hash });
        self.change(entry, maker)
    }
}

/// A game in which a move was made, as what comes after `play`.
fn made(play: &Play, game: Match, maker: Maker) -> Made {
    let known = play.game().moves().len();
    Made::of(game, known, |game| play.moved(game, maker))
}

/// What is written of moves of a seat, one after the other, and how many were made.
fn moved(play: &Play, seat: Seat, moves: &[Move]) -> Result<(Change, u32), TableError> {
    let games = chain::make(play, seat, moves)?;
    let mut all = Change::default();
    let mut count = 0;
    for game in games {
        let before = all.play.as_deref().unwrap_or(play);
        let change = made(before, game, Maker::Unspecified).moved(Maker::Unspecified);
        all.entries.extend(change.entries);
        all.play = change.play;
        count += 1;
    }
    Ok((all, count))
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
            seed,
            spared,
        } = restored;
        let waiting = snapshot.waiting();
        let due = snapshot.info.due(&waiting, parts.started_ms);
        let live = Arc::new(snapshot);
        let (publish, snapshots) = watch::channel(live.clone());
        let (clock, told) = watch::channel(due);
        let arbiter = Arbiter {
            parts,
            live,
            length,
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

    /// Lets go of the match.
    pub(super) fn let_go(&mut self) {
        self.save_after(saved::WORTH);
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
        let full = play.game().moves().len() >= self.parts.limits.moves_per_match as usize;
        let work = move |mv: Move| {
            let game = chain::applied(&play, play.game(), due.seat, &mv);
            game.map(|game| made(&play, game, due.maker))
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
        if let Err(error) = self.commit(change, None).await {
            tracing::warn!(id = %self.live.info.id, ?error, "a move of the referee was not kept");
        }
    }

    /// Does something that is no move, as [`Table::act`](super::Table::act).
    pub(super) async fn act(&mut self, act: Act, request: Request) -> Result<Acted, TableError> {
        self.stuck = false;
        let decided = match self.decide(act).await {
            Ok(decided) => decided,
            Err(error) => {
                let row = self.unless_answered(&request, error).await?;
                return self.acted_before(&row, &request);
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
                Some((&request, receipt::Kind::Done(receipt.clone()))),
            )
            .await?;
        match answered {
            None => Ok(Acted::of(self.live.clone(), receipt, decided.difference)),
            Some(row) => self.acted_before(&row, &request),
        }
    }

    /// As [`act`](Self::act), where nobody asks for it.
    pub(super) async fn act_unasked(&mut self, act: Act) -> Result<(), TableError> {
        let decided = self.decide(act).await?;
        self.commit(decided.change, None).await.map(drop)
    }

    fn acted_before(&self, row: &RequestRow, request: &Request) -> Result<Acted, TableError> {
        same_request(row, request)?;
        let receipt = wire::Receipt::decode(&row.receipt[..])
            .ok()
            .and_then(|receipt| receipt.kind);
        let done = match receipt {
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

    /// Makes moves, as [`Table::submit`](super::Table::submit).
    pub(super) async fn submit(&mut self, submission: Submission) -> Result<Submitted, TableError> {
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
        let most = self.parts.limits.moves_per_match as usize;
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
        let receipt = receipt::Kind::Moved(wire::MovedReceipt {
            moves: made,
            before: place(self.live.play.as_ref()),
            after: place(change.play.as_ref()),
            ..wire::MovedReceipt::default()
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

    /// Has a change written, and publishes it; gives the row if the request was answered before.
    pub(super) async fn commit(
        &mut self,
        change: Change,
        request: Option<(&Request, receipt::Kind)>,
    ) -> Result<Option<RequestRow>, TableError> {
        let at = self.parts.clock.now_ms();
        let mut info = self.live.info.clone();
        for entry in &change.entries {
            info.tell(at, entry);
        }
        if info.state == MatchState::Finished {
            info.revealed = self.seed;
        }
        let play = change.play.or_else(|| self.live.play.clone());
        let snapshot = Snapshot { info, play };
        let (info, waiting) = (&snapshot.info, snapshot.waiting());
        let due = info.due(&waiting, self.parts.started_ms);
        // While there was no referee, no time was lost: that is known to whoever opens the match.
        let recorded = info.due(&waiting, 0);
        let entries: Vec<Vec<u8>> = change
            .entries
            .into_iter()
            .map(|body| log::encode(at, body))
            .collect::<Result<_, _>>()?;
        let count = entries.len() as u64;
        let append = Append {
            entries,
            content: (info.content != self.live.info.content).then_some(info.content),
            request: request.map(|(request, kind)| request_row(request, kind)),
            tokens: change.tokens,
            names: change.names,
            revoke_seat: change.revoke_seat,
            due_ms: recorded.map(|due| due.at_ms),
            open: info.is_open(),
            erase: change.erase,
            ..Append::to(self.live.info.id.clone(), self.length, info.state)
        };
        let appending = info_span!(target: SPANS, "append");
        let appended = self.parts.journal.append(append).instrument(appending);
        match appended.await {
            Ok(Appended::Done) => {
                self.length += count;
                self.doubtful |= change.reopens;
                self.live = Arc::new(snapshot);
                self.due = due;
                self.publish.send_replace(self.live.clone());
                // A store that forgets is never reopened.
                if !self.parts.store.is_instant() {
                    self.save_after(saved::EVERY);
                }
                Ok(None)
            }
            Ok(Appended::Duplicate(row)) => Ok(Some(row)),
            Ok(Appended::Conflict) => {
                self.doubtful = true;
                Err(TableError::Store(StoreError::Engine(
                    "somebody else has written to this match".into(),
                )))
            }
            Err(error) => {
                self.doubtful = true;
                Err(error.into())
            }
        }
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
                saved::save(&parts, &id, length, play.game());
            });
        }
    }

    /// Takes the result of work on the game. A ruleset that fails, or rules that panic, suspend the
    /// match: the suspension is recorded, the move is not.
    pub(super) async fn unless_failed<T>(
        &mut self,
        played: Result<T, TableError>,
    ) -> Result<T, TableError> {
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
            entries: vec![Body::Suspended(wire::Suspended { reason })],
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
            Some(row) => same_request(&row, request).map(|()| row),
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
        same_request(row, request)?;
        let receipt = wire::Receipt::decode(&row.receipt[..])
            .ok()
            .and_then(|receipt| receipt.kind);
        let Some(receipt::Kind::Moved(moved)) = receipt else {
            return Err(TableError::RequestIdReused);
        };
        let play = self
            .live
            .play
            .as_ref()
            .ok_or_else(|| self.live.suspension())?;
        let cursor = |place: Option<wire::Place>, happened, number| match place {
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

/// The row under which a request's answer is kept.
pub(super) fn request_row(request: &Request, kind: receipt::Kind) -> RequestRow {
    RequestRow {
        principal: request.principal,
        request_id: request.id.clone(),
        digest: request.digest,
        receipt: wire::Receipt { kind: Some(kind) }.encode_to_vec(),
    }
}

/// Whether a row is of this very request, or of another that had the same id.
pub(super) fn same_request(row: &RequestRow, request: &Request) -> Result<(), TableError> {
    if row.digest == request.digest {
        Ok(())
    } else {
        Err(TableError::RequestIdReused)
    }
}
