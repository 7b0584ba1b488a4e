//! The task that owns one match, and the way to it.
//!
//! Whatever changes a match passes through its task, one thing after the other: judge, have it
//! written, publish. A caller that goes away does not stop what it has begun.

use std::sync::Arc;

use interpreter::play::{ApplyError, Audience, Match, Move, RecordedMove, Seat, Seed};
use prost::Message as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot, watch};

use super::hall::Parts;
use super::history::Cursor;
use super::snapshot::{Play, Snapshot};
use super::{Request, TableError, decision_id, log, now_ms, workers};
use crate::store::{
    Append, Appended, Grant, Hash, MatchId, MatchState, RequestRow, StoreError, TokenRow,
};
use crate::wire::log::v1::{self as wire, entry::Body, receipt};

/// Commands that wait at one table; then callers wait for a place.
const QUEUE: usize = 64;

/// The way to the task of one match.
pub struct Table {
    commands: mpsc::Sender<Command>,
    snapshots: watch::Receiver<Arc<Snapshot>>,
    watchers: Arc<Semaphore>,
}

/// A move as a seat submits it.
#[derive(Clone, Debug)]
pub struct Submission {
    /// Whose.
    pub seat: Seat,
    /// The decision that it answers.
    pub decision: String,
    /// The move.
    pub mv: Move,
    /// The request.
    pub request: Request,
}

/// What became of a submitted move.
#[derive(Clone)]
pub struct Submitted {
    /// The first event that the seat saw of it.
    pub from: Cursor,
    /// Behind the last event that the seat saw of it.
    pub until: Cursor,
    /// Whether it was made before, by an earlier request with the same id.
    pub replayed: bool,
    /// The match now.
    pub snapshot: Arc<Snapshot>,
}

type Reply<T> = oneshot::Sender<Result<T, TableError>>;

enum Command {
    Claim {
        seat: Seat,
        player: String,
        token: Hash,
        request: Request,
        reply: Reply<bool>,
    },
    Start {
        request: Request,
        reply: Reply<bool>,
    },
    Submit {
        submission: Box<Submission>,
        reply: Reply<Submitted>,
    },
}

impl Table {
    /// Starts the task of a match.
    pub(super) fn open(
        parts: Arc<Parts>,
        snapshot: Snapshot,
        length: u64,
        seed: Option<Seed>,
    ) -> Table {
        let live = Arc::new(snapshot);
        let (commands, waiting) = mpsc::channel(QUEUE);
        let (publish, snapshots) = watch::channel(live.clone());
        let watchers = Arc::new(Semaphore::new(parts.limits.watchers_per_match as usize));
        let actor = Actor {
            parts,
            live,
            length,
            seed,
            publish,
            doubtful: false,
        };
        tokio::spawn(actor.run(waiting));
        Table {
            commands,
            snapshots,
            watchers,
        }
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

    /// Claims a seat; `token` is the hash of the token that opens it. Tells whether it was claimed
    /// before by the same request.
    ///
    /// # Errors
    ///
    /// When the seat is taken, or the store does not confirm.
    pub async fn claim(
        &self,
        seat: Seat,
        player: String,
        token: Hash,
        request: Request,
    ) -> Result<bool, TableError> {
        self.ask(|reply| Command::Claim {
            seat,
            player,
            token,
            request,
            reply,
        })
        .await
    }

    /// Starts the match. Tells whether it was started before by the same request.
    ///
    /// # Errors
    ///
    /// When seats are open or the match has started, the ruleset fails, or the store does not confirm.
    pub async fn start(&self, request: Request) -> Result<bool, TableError> {
        self.ask(|reply| Command::Start { request, reply }).await
    }

    /// Makes a move. When this returns, it is durable.
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
            .send(command(reply))
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

    /// The game, if there is one to look at.
    ///
    /// # Errors
    ///
    /// Says why there is none.
    pub fn visible(&self) -> Result<&Arc<Play>, TableError> {
        match (&self.play, self.info.state) {
            (Some(play), _) => Ok(play),
            (None, MatchState::Suspended) => Err(self.suspension()),
            (None, _) => Err(TableError::NotStarted),
        }
    }

    fn suspension(&self) -> TableError {
        match &self.info.suspended {
            Some(reason) if self.info.damaged => TableError::Damaged(reason.clone()),
            _ => TableError::Suspended,
        }
    }
}

impl Play {
    /// Whether this decision waits for this seat. Takes its time: not for async threads.
    ///
    /// # Errors
    ///
    /// [`TableError::Superseded`] with the one that does.
    pub fn waits(
        &self,
        parts: &Parts,
        id: &MatchId,
        seat: Seat,
        decision: &str,
    ) -> Result<(), TableError> {
        let current = self
            .question(seat)
            .map(|question| decision_id(&parts.keys, id, seat, question.number));
        if current.as_deref() == Some(decision) {
            Ok(())
        } else {
            Err(TableError::Superseded(current))
        }
    }

    /// Whether a move would be made. Takes its time: not for async threads.
    ///
    /// # Errors
    ///
    /// As [`Table::submit`].
    pub fn judge(
        &self,
        parts: &Parts,
        id: &MatchId,
        seat: Seat,
        decision: &str,
        mv: &Move,
    ) -> Result<(), TableError> {
        self.waits(parts, id, seat, decision)?;
        let refused = |refusal| TableError::Refused(Box::new(refusal), self.ruleset().clone());
        self.game().check(seat, mv).map_err(refused)
    }
}

struct Actor {
    parts: Arc<Parts>,
    live: Arc<Snapshot>,
    /// Entries of the log.
    length: u64,
    /// None of a match whose record is damaged.
    seed: Option<Seed>,
    publish: watch::Sender<Arc<Snapshot>>,
    /// The outcome of a write is unknown: what is in memory may not be what is in the log.
    doubtful: bool,
}

/// What became of a piece of work on the game.
enum Played {
    Made(Box<Made>),
    Failed(TableError),
}

struct Made {
    play: Play,
    /// The moves that are new, the seat's own and those that followed from it.
    moves: Vec<RecordedMove>,
    state_hash: [u8; 32],
    ending: Option<String>,
}

impl Made {
    /// Looks at a game after a move, or at its start.
    fn of(game: Match, known_moves: usize, before: Option<&Play>) -> Made {
        let moves = game.moves().get(known_moves..).unwrap_or_default().to_vec();
        let state_hash = game.state_hash().0;
        let ending = game.outcome().map(|outcome| outcome.ending.to_string());
        let play = Play::new(
            game,
            &before.map(|play| play.ends().clone()).unwrap_or_default(),
        );
        Made {
            play,
            moves,
            state_hash,
            ending,
        }
    }
}

impl Actor {
    async fn run(mut self, mut waiting: mpsc::Receiver<Command>) {
        while let Some(command) = waiting.recv().await {
            // A caller that has gone away does not need its answer.
            match command {
                Command::Claim {
                    seat,
                    player,
                    token,
                    request,
                    reply,
                } => {
                    let _ = reply.send(self.claim(seat, player, token, request).await);
                }
                Command::Start { request, reply } => {
                    let _ = reply.send(self.start(request).await);
                }
                Command::Submit { submission, reply } => {
                    let _ = reply.send(self.submit(*submission).await);
                }
            }
            if self.doubtful {
                tracing::warn!(id = %self.live.info.id, "a table closes: its last write is in doubt");
                return;
            }
        }
    }

    async fn claim(
        &mut self,
        seat: Seat,
        player: String,
        token: Hash,
        request: Request,
    ) -> Result<bool, TableError> {
        let Some(known) = self.live.info.seats.get(usize::from(seat.0)) else {
            return Err(TableError::NoSeat);
        };
        if self.live.info.state != MatchState::Lobby || known.player.is_some() {
            return self
                .unless_answered(&request, TableError::SeatTaken)
                .await
                .map(|_| true);
        }
        let at = now_ms();
        let entry = Body::SeatClaimed(wire::SeatClaimed {
            seat: u32::from(seat.0),
            display_name: player.clone(),
        });
        let grant = Grant::Seat {
            id: self.live.info.id.clone(),
            seat: seat.0,
        };
        let receipt = receipt::Kind::Claimed(wire::ClaimedReceipt {});
        let tokens = vec![TokenRow { hash: token, grant }];
        let answered = self
            .append(
                at,
                vec![entry],
                MatchState::Lobby,
                Some((&request, receipt)),
                tokens,
            )
            .await?;
        if let Some(row) = answered {
            return same_request(&row, &request).map(|()| true);
        }
        let mut info = self.live.info.clone();
        info.seats[usize::from(seat.0)].player = Some(player);
        self.publish(Snapshot {
            info,
            play: self.live.play.clone(),
        });
        Ok(false)
    }

    async fn start(&mut self, request: Request) -> Result<bool, TableError> {
        match self.live.info.state {
            MatchState::Lobby => {}
            MatchState::Suspended => {
                return Err(self.live.playing().err().unwrap_or(TableError::Suspended));
            }
            MatchState::Running | MatchState::Finished => {
                return self
                    .unless_answered(&request, TableError::AlreadyStarted)
                    .await
                    .map(|_| true);
            }
        }
        let seats = self.live.info.seats.iter().enumerate();
        let open: Vec<Seat> = seats
            .filter(|(_, seat)| seat.player.is_none())
            .map(|(i, _)| Seat(u8::try_from(i).unwrap_or(u8::MAX)))
            .collect();
        if !open.is_empty() {
            return Err(TableError::SeatsOpen(open));
        }
        let Some(seed) = self.seed else {
            return Err(TableError::Damaged("the seed is lost".into()));
        };
        let (parts, live) = (self.parts.clone(), self.live.clone());
        let played = self
            .parts
            .workers
            .run(move || {
                let ruleset = match super::restore::ruleset(&parts, &live.info) {
                    Ok(ruleset) => ruleset,
                    Err(error) => return Played::Failed(error),
                };
                match Match::new(ruleset, seed, live.info.ask_forced) {
                    Ok(game) => Played::Made(Box::new(Made::of(game, 0, None))),
                    Err(fault) => Played::Failed(TableError::Fault(fault)),
                }
            })
            .await;
        let made = self.unless_failed(played).await?;
        let at = now_ms();
        let entry = Body::Started(wire::Started {
            state_hash: made.state_hash.to_vec(),
            moves: log::moves_out(&made.moves),
        });
        let receipt = receipt::Kind::Started(wire::StartedReceipt {});
        let answered = self
            .commit(at, entry, *made, Some((&request, receipt)))
            .await?;
        answered.map_or(Ok(false), |row| same_request(&row, &request).map(|()| true))
    }

    async fn submit(&mut self, submission: Submission) -> Result<Submitted, TableError> {
        let Submission {
            seat,
            decision,
            mv,
            request,
        } = submission;
        let play = match self.live.playing() {
            Ok(play) => play.clone(),
            Err(error) => return self.replayed(&request, error).await,
        };
        if play.game().moves().len() >= self.parts.limits.moves_per_match as usize {
            let full = TableError::Limit("moves_per_match");
            return self.replayed(&request, full).await;
        }
        let before = play.end(Audience::Seat(seat));
        let (parts, id) = (self.parts.clone(), self.live.info.id.clone());
        let played = self
            .parts
            .workers
            .run(move || {
                if let Err(error) = play.waits(&parts, &id, seat, &decision) {
                    return Played::Failed(error);
                }
                let mut game = play.game().clone();
                match game.apply(seat, &mv) {
                    Ok(()) => {
                        let known = play.game().moves().len();
                        Played::Made(Box::new(Made::of(game, known, Some(&play))))
                    }
                    Err(ApplyError::Refused(refusal)) => {
                        Played::Failed(TableError::Refused(refusal, play.ruleset().clone()))
                    }
                    Err(ApplyError::Fault(fault)) => Played::Failed(TableError::Fault(fault)),
                }
            })
            .await;
        let made = match self.unless_failed(played).await {
            Ok(made) => made,
            Err(error @ (TableError::Superseded(_) | TableError::Refused(..))) => {
                return self.replayed(&request, error).await;
            }
            Err(error) => return Err(error),
        };
        let until = made.play.end(Audience::Seat(seat));
        let entry = Body::Moved(wire::Moved {
            moves: log::moves_out(&made.moves),
            state_hash: made.state_hash.to_vec(),
        });
        let receipt = receipt::Kind::Moved(wire::MovedReceipt {
            from_number: before.number,
            from_happened: before.happened,
            until_number: until.number,
            until_happened: until.happened,
        });
        match self
            .commit(now_ms(), entry, *made, Some((&request, receipt)))
            .await?
        {
            None => Ok(Submitted {
                from: before,
                until,
                replayed: false,
                snapshot: self.live.clone(),
            }),
            Some(row) => self.submitted_before(&row, &request),
        }
    }

    /// Has a step of the game written, and publishes it; gives the row if the request was answered before.
    async fn commit(
        &mut self,
        at: i64,
        entry: Body,
        made: Made,
        request: Option<(&Request, receipt::Kind)>,
    ) -> Result<Option<RequestRow>, TableError> {
        let mut entries = vec![entry];
        let mut info = self.live.info.clone();
        info.state = MatchState::Running;
        info.started_ms = info.started_ms.or(Some(at));
        if let Some(ending) = made.ending {
            entries.push(Body::Finished(wire::Finished { ending }));
            info.state = MatchState::Finished;
            info.ended_ms = Some(at);
            info.revealed = self.seed;
        }
        let answered = self
            .append(at, entries, info.state, request, Vec::new())
            .await?;
        if answered.is_none() {
            self.publish(Snapshot {
                info,
                play: Some(Arc::new(made.play)),
            });
        }
        Ok(answered)
    }

    /// Writes entries. If the request was answered before, nothing is written and its row comes back.
    async fn append(
        &mut self,
        at: i64,
        entries: Vec<Body>,
        state: MatchState,
        request: Option<(&Request, receipt::Kind)>,
        tokens: Vec<TokenRow>,
    ) -> Result<Option<RequestRow>, TableError> {
        let entries: Vec<Vec<u8>> = entries
            .into_iter()
            .map(|body| log::encode(at, body))
            .collect();
        let count = entries.len() as u64;
        let request = request.map(|(request, kind)| request_row(request, kind));
        let append = Append {
            id: self.live.info.id.clone(),
            expected: self.length,
            create: None,
            entries,
            state,
            request,
            tokens,
        };
        match self.parts.journal.append(append).await {
            Ok(Appended::Done) => {
                self.length += count;
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

    fn publish(&mut self, snapshot: Snapshot) {
        self.live = Arc::new(snapshot);
        self.publish.send_replace(self.live.clone());
    }

    /// Takes the result of work on the game. A ruleset that fails, or rules that panic, suspend the
    /// match: the suspension is recorded, the move is not.
    async fn unless_failed(
        &mut self,
        played: Result<Played, TableError>,
    ) -> Result<Box<Made>, TableError> {
        let error = match played {
            Ok(Played::Made(made)) => return Ok(made),
            Ok(Played::Failed(error)) | Err(error) => error,
        };
        let reason = match &error {
            TableError::Fault(fault) => {
                format!("the ruleset failed: {} at {}", fault.message, fault.at)
            }
            TableError::Internal(what) => what.clone(),
            _ => return Err(error),
        };
        tracing::error!(id = %self.live.info.id, %reason, "a match is suspended");
        let entry = Body::Suspended(wire::Suspended {
            reason: reason.clone(),
        });
        self.append(
            now_ms(),
            vec![entry],
            MatchState::Suspended,
            None,
            Vec::new(),
        )
        .await?;
        let mut info = self.live.info.clone();
        info.state = MatchState::Suspended;
        info.suspended = Some(reason);
        self.publish(Snapshot {
            info,
            play: self.live.play.clone(),
        });
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
