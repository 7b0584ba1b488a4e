//! The task that owns one match, and the way to it.
//!
//! Whatever changes a match passes through its task, one thing after the other: judge, have it
//! written, publish. A caller that goes away does not stop what it has begun. Between commands the task
//! moves in the place of bots, of players who have resigned, and of those whose time is up.

use std::sync::Arc;
use std::time::Duration;

use interpreter::play::{Audience, Match, Move, RecordedMove, Seat, Seed};
use prost::Message as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot, watch};
use tracing::{Instrument as _, Span, info_span};

use super::acts::{Act, Acted, closed};
use super::hall::Parts;
use super::history::Cursor;
use super::info::Due;
use super::lag::Lag;
use super::restore::Restored;
use super::snapshot::{Play, Snapshot};
use super::workers::Pace;
use super::{Request, TableError, chain, chooser, decision_id, log, now_ms, saved, workers};
use crate::store::{Append, Appended, MatchId, MatchState, RequestRow, StoreError, TokenRow};
use crate::traces::SPANS;
use crate::wire::log::v1::{self as wire, Maker, entry::Body, receipt};
use crate::wire::v1::{ProposalEnd, ProposalKind};

/// Commands that wait at one table; then callers wait for a place.
const QUEUE: usize = 64;

/// The way to the task of one match.
pub struct Table {
    commands: mpsc::Sender<(Command, Span)>,
    snapshots: watch::Receiver<Arc<Snapshot>>,
    watchers: Arc<Semaphore>,
    lag: Option<Arc<Lag>>,
}

/// Moves as a seat submits them: one, or several of which all are made or none.
#[derive(Clone, Debug)]
pub struct Submission {
    /// Whose.
    pub seat: Seat,
    /// The decision that the first answers.
    pub decision: String,
    /// The moves.
    pub moves: Vec<Move>,
    /// The request.
    pub request: Request,
}

/// What became of submitted moves.
#[derive(Clone)]
pub struct Submitted {
    /// The first event that the seat saw of it.
    pub from: Cursor,
    /// Behind the last event that the seat saw of it.
    pub until: Cursor,
    /// How many moves were made.
    pub made: u32,
    /// Whether they were made before, by an earlier request with the same id.
    pub replayed: bool,
    /// The match now.
    pub snapshot: Arc<Snapshot>,
}

type Reply<T> = oneshot::Sender<Result<T, TableError>>;

enum Command {
    Act {
        act: Box<Act>,
        request: Request,
        reply: Reply<Acted>,
    },
    Submit {
        submission: Box<Submission>,
        reply: Reply<Submitted>,
    },
}

impl Table {
    /// Starts the task of a match, on the threads that serve.
    pub(super) fn open(parts: Arc<Parts>, restored: Restored) -> Table {
        let Restored {
            snapshot,
            length,
            seed,
            spared,
        } = restored;
        let lag = Lag::of(&snapshot.info).map(Arc::new);
        let live = Arc::new(snapshot);
        let (commands, waiting) = mpsc::channel(QUEUE);
        let (publish, snapshots) = watch::channel(live.clone());
        let watchers = Arc::new(Semaphore::new(parts.limits.watchers_per_match as usize));
        let actor = Actor {
            parts,
            live,
            length,
            seed,
            saved: spared,
            publish,
            doubtful: false,
            stuck: false,
            pace: Pace::unknown(),
        };
        tokio::spawn(actor.run(waiting));
        Table {
            commands,
            snapshots,
            watchers,
            lag,
        }
    }

    /// What spectators see, if it is not the match as it is.
    pub fn lag(&self) -> Option<&Arc<Lag>> {
        self.lag.as_ref()
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
    ) -> Result<(watch::Receiver<Arc<Snapshot>>, OwnedSemaphorePermit), TableError> {
        let permit = self
            .watchers
            .clone()
            .try_acquire_owned()
            .map_err(|_| TableError::Limit("watchers_per_match"))?;
        Ok((self.snapshots.clone(), permit))
    }

    /// Whether the table has closed because its last write was in doubt. Open it anew.
    pub fn is_closed(&self) -> bool {
        self.commands.is_closed()
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
    pub async fn act(&self, act: Act, request: Request) -> Result<Acted, TableError> {
        self.ask(|reply| Command::Act {
            act: Box::new(act),
            request,
            reply,
        })
        .await
    }

    /// Makes a move, or several. When this returns, they are durable.
    ///
    /// # Errors
    ///
    /// When the move is stale or refused, the ruleset fails, or the store does not confirm.
    pub async fn submit(&self, submission: Submission) -> Result<Submitted, TableError> {
        self.ask(|reply| Command::Submit {
            submission: Box::new(submission),
            reply,
        })
        .await
    }

    async fn ask<T>(&self, command: impl FnOnce(Reply<T>) -> Command) -> Result<T, TableError> {
        let (reply, answer) = oneshot::channel();
        let closed = |()| TableError::Store(StoreError::Closed);
        self.commands
            .send((command(reply), Span::current()))
            .await
            .map_err(|_| closed(()))?;
        answer.await.map_err(|_| closed(()))?
    }
}

impl Snapshot {
    /// The game, if it can be played.
    ///
    /// # Errors
    ///
    /// Says why it cannot.
    pub fn playing(&self) -> Result<&Arc<Play>, TableError> {
        match self.info.state {
            MatchState::Lobby => Err(TableError::NotStarted),
            MatchState::Finished => Err(TableError::Over),
            MatchState::Suspended => Err(self.suspension()),
            MatchState::Running => self.play.as_ref().ok_or(TableError::NotStarted),
        }
    }

    /// The game, if a move can be made now.
    ///
    /// # Errors
    ///
    /// Says why not.
    pub fn moving(&self) -> Result<&Arc<Play>, TableError> {
        if self.info.paused {
            return Err(TableError::Paused);
        }
        self.playing()
    }

    /// The game, if there is one to look at.
    ///
    /// # Errors
    ///
    /// Says why there is none.
    pub fn visible(&self) -> Result<&Arc<Play>, TableError> {
        match (&self.play, self.info.state) {
            (Some(play), _) => Ok(play),
            (None, MatchState::Suspended) => Err(self.suspension()),
            (None, MatchState::Finished) => Err(TableError::Over),
            (None, _) => Err(TableError::NotStarted),
        }
    }

    pub(super) fn suspension(&self) -> TableError {
        match &self.info.suspended {
            Some(reason) if self.info.damaged => TableError::Damaged(reason.clone()),
            _ => TableError::Suspended,
        }
    }
}

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
    /// As [`Table::submit`].
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

pub(super) struct Actor {
    pub(super) parts: Arc<Parts>,
    pub(super) live: Arc<Snapshot>,
    /// Entries of the log.
    length: u64,
    /// None of a match whose record is damaged.
    pub(super) seed: Option<Seed>,
    /// Moves that were made when it was saved last; zero if it was not.
    saved: usize,
    publish: watch::Sender<Arc<Snapshot>>,
    /// The outcome of a write is unknown: what is in memory may not be what is in the log.
    doubtful: bool,
    /// The referee could not move in a player's place; it does not try again until somebody does something.
    stuck: bool,
    pace: Pace,
}

/// What becomes of a match by one command.
#[derive(Default)]
pub(super) struct Change {
    /// What is written.
    pub entries: Vec<Body>,
    /// The game after it, if it is another.
    pub play: Option<Arc<Play>>,
    /// Tokens that become valid.
    pub tokens: Vec<TokenRow>,
    /// A seat whose earlier tokens open nothing any more.
    pub revoke_seat: Option<u8>,
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

impl Actor {
    async fn run(mut self, mut waiting: mpsc::Receiver<(Command, Span)>) {
        loop {
            let command = match self.due() {
                None => waiting.recv().await,
                Some(due) => {
                    let left = u64::try_from(due.at_ms.saturating_sub(now_ms())).unwrap_or(0);
                    let left = std::time::Duration::from_millis(left);
                    tokio::select! {
                        biased;
                        command = waiting.recv() => command,
                        () = tokio::time::sleep(left) => {
                            self.move_in_place_of(due).await;
                            if self.doubtful {
                                break;
                            }
                            continue;
                        }
                    }
                }
            };
            let Some((command, asking)) = command else {
                self.save_after(saved::WORTH);
                return;
            };
            self.stuck = false;
            match command {
                Command::Act {
                    act,
                    request,
                    reply,
                } => {
                    let answer = self.act(*act, request).instrument(asking).await;
                    self.give(answer, reply, &mut waiting);
                }
                Command::Submit { submission, reply } => {
                    let answer = self.submit(*submission).instrument(asking).await;
                    self.give(answer, reply, &mut waiting);
                }
            }
            if self.doubtful {
                break;
            }
        }
        tracing::warn!(id = %self.live.info.id, "a table closes: its last write is in doubt");
    }

    /// Answers. Whoever hears of a doubtful write may ask again at once, and shall not find this table any more.
    fn give<T>(
        &self,
        answer: Result<T, TableError>,
        reply: Reply<T>,
        waiting: &mut mpsc::Receiver<(Command, Span)>,
    ) {
        if self.doubtful {
            waiting.close();
        }
        // A caller that has gone away does not need its answer.
        let _ = reply.send(answer);
    }

    /// When the referee moves in somebody's place.
    fn due(&self) -> Option<Due> {
        let play = self.live.play.as_ref().filter(|_| !self.stuck)?;
        self.live
            .info
            .due(&play.game().waiting(), self.parts.started_ms)
    }

    /// Moves in a player's place. What goes wrong is in the referee's log: nobody has asked for it.
    async fn move_in_place_of(&mut self, due: Due) {
        let Ok(play) = self.live.playing().cloned() else {
            return;
        };
        let full = play.game().moves().len() >= self.parts.limits.moves_per_match as usize;
        let bot = self.live.info.seat(due.seat).and_then(|seat| seat.bot);
        let work = move || match chooser::choose(&play, due, bot) {
            Some(mv) if !full => chain::applied(&play, play.game(), due.seat, &mv)
                .map(|game| made(&play, game, due.maker)),
            _ => Err(TableError::Limit("moves_per_match")),
        };
        let played = self.parts.workers.run(work).await.flatten();
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

    async fn act(&mut self, act: Act, request: Request) -> Result<Acted, TableError> {
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

    async fn submit(&mut self, submission: Submission) -> Result<Submitted, TableError> {
        let Submission {
            seat,
            decision,
            moves,
            request,
        } = submission;
        let play = match self.live.moving() {
            Ok(play) => play.clone(),
            Err(error) => return self.replayed(&request, error).await,
        };
        let most = self.parts.limits.moves_per_match as usize;
        if play.game().moves().len() + moves.len() > most {
            let full = TableError::Limit("moves_per_match");
            return self.replayed(&request, full).await;
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
        let judged = self.pace.run(&self.parts.workers, work);
        let played = judged.instrument(judging).await;
        let (change, made) = match self.unless_failed(played.flatten()).await {
            Ok(moved) => moved,
            Err(
                error @ (TableError::Superseded(_)
                | TableError::Refused(..)
                | TableError::InChain(..)),
            ) => {
                return self.replayed(&request, error).await;
            }
            Err(error) => return Err(error),
        };
        let change = self.lapsed(change);
        let until = change
            .play
            .as_ref()
            .map_or(before, |play| play.end(Audience::Seat(seat)));
        let receipt = receipt::Kind::Moved(wire::MovedReceipt {
            from_number: before.number,
            from_happened: before.happened,
            until_number: until.number,
            until_happened: until.happened,
            moves: made,
        });
        match self.commit(change, Some((&request, receipt))).await? {
            None => Ok(Submitted {
                from: before,
                until,
                made,
                replayed: false,
                snapshot: self.live.clone(),
            }),
            Some(row) => self.submitted_before(&row, &request),
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
        let at = now_ms();
        let mut info = self.live.info.clone();
        for entry in &change.entries {
            info.tell(at, entry);
        }
        if info.state == MatchState::Finished {
            info.revealed = self.seed;
        }
        let play = change.play.or_else(|| self.live.play.clone());
        let waiting = play.as_ref().map(|play| play.game().waiting());
        let due = info.due(&waiting.unwrap_or_default(), 0);
        let entries: Vec<Vec<u8>> = change
            .entries
            .into_iter()
            .map(|body| log::encode(at, body))
            .collect();
        let count = entries.len() as u64;
        let append = Append {
            id: self.live.info.id.clone(),
            expected: self.length,
            create: None,
            entries,
            state: info.state,
            request: request.map(|(request, kind)| request_row(request, kind)),
            tokens: change.tokens,
            revoke_seat: change.revoke_seat,
            due_ms: due.map(|due| due.at_ms),
            open: info.is_open(),
        };
        let appending = info_span!(target: SPANS, "append");
        let appended = self.parts.journal.append(append).instrument(appending);
        match appended.await {
            Ok(Appended::Done) => {
                self.length += count;
                self.live = Arc::new(Snapshot { info, play });
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

    /// Has the game saved if so many moves were made since it was last. Nothing waits for that.
    fn save_after(&mut self, moves: usize) {
        let Some(play) = self.live.play.clone() else {
            return;
        };
        let made = play.game().moves().len();
        if made.abs_diff(self.saved) >= moves {
            self.saved = made;
            let (parts, id) = (self.parts.clone(), self.live.info.id.clone());
            tokio::task::spawn_blocking(move || saved::save(&parts, &id, play.game()));
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
        let (store, principal, id) = (
            self.parts.store.clone(),
            request.principal,
            request.id.clone(),
        );
        match workers::blocking(move || store.request(principal, &id)).await?? {
            Some(row) => same_request(&row, request).map(|()| row),
            None => Err(error),
        }
    }

    async fn replayed(
        &self,
        request: &Request,
        error: TableError,
    ) -> Result<Submitted, TableError> {
        let row = self.unless_answered(request, error).await?;
        self.submitted_before(&row, request)
    }

    fn submitted_before(
        &self,
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
        Ok(Submitted {
            from: Cursor {
                happened: moved.from_happened,
                number: moved.from_number,
            },
            until: Cursor {
                happened: moved.until_happened,
                number: moved.until_number,
            },
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
