//! Streams of events: one task for each, which follows the match at its reader's own pace.
//!
//! A stream keeps a place in the history and reads on from there whenever a new snapshot is
//! published; nothing is queued for it but a few messages. A reader that lets those wait too long
//! loses its stream, not its place: the last token continues it. Nobody waits for a reader.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::pin::{Pin, pin};
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll};
use std::time::Duration;

use interpreter::package::Language;
use interpreter::play::{Audience, View};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use super::clocks::{clocks_out, presence_out};
use super::events;
use crate::Referee;
use crate::calls::auth::{Credential, opens_nothing};
use crate::calls::{Failure, place_tokens};
use crate::connections::accept::Arrived;
use referee_contract::catalog;
use referee_contract::convert::Outward;
use referee_contract::v1::{self, Reason};
use referee_store::numbers::to_usize;
use referee_store::{MatchId, MatchState};
use referee_table::{
    Cursor, GATHERED, Play, Queue, SeatClock, SeatPresence, Snapshot, Table, TableError, Watcher,
    decision_id,
};

/// Spectators are told at most once between two ticks of a clock that goes at this pace: they look on, and
/// whatever happens in the twinkling of an eye comes in one message. In microseconds.
const TICK: u64 = 20_000;

/// The clock of a match. Those who look at the same match are told the same at the same time, and it is made once;
/// the clocks of different matches tick at different times, so that players do not have to wait while the spectators
/// of all matches are told.
struct Clock {
    /// One of its ticks.
    first: Instant,
}

impl Clock {
    fn of(id: &MatchId) -> Clock {
        static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);
        let mut hasher = DefaultHasher::new();
        id.as_str().hash(&mut hasher);
        Clock {
            first: *BEGAN + Duration::from_micros(hasher.finish() % TICK),
        }
    }

    /// Its next tick: to the moment the same for all who ask between two.
    fn next(&self) -> Instant {
        let since = self.first.elapsed().as_micros();
        let ticks = u64::try_from(since).unwrap_or(0) / TICK;
        self.first + Duration::from_micros((ticks + 1) * TICK)
    }
}

/// What a stream is asked for.
pub struct Asked {
    /// The match.
    pub id: MatchId,
    /// Who looks.
    pub audience: Audience,
    /// Where it begins.
    pub start: Start,
    /// Events in one message; zero is the limit.
    pub max_batch: u32,
    /// Whether the table has names.
    pub names: bool,
    /// The language of a refusal.
    pub language: Language,
    /// When its connection began.
    pub arrived: Option<Arrived>,
    /// What the call was opened with; none if anybody may watch.
    pub credential: Option<Credential>,
}

/// Where a stream begins.
pub enum Start {
    /// With the first event.
    First,
    /// With the table as it is.
    Now,
    /// Behind what a resume token stands for.
    Behind(String),
}

/// One message of a stream.
pub struct Message {
    /// What it tells.
    pub item: Item,
    /// Continues after it.
    pub resume_token: String,
    /// The same place.
    pub after: Cursor,
    /// What its reader is asked, if that is something else than before.
    pub asked: Option<v1::Asked>,
    /// How seats' times stand, if that is otherwise than before.
    pub clocks: Vec<v1::SeatClock>,
    /// Who is at the table, if that is otherwise than before.
    pub presence: Vec<v1::SeatPresence>,
}

impl Message {
    /// Whether it says nothing but that the stream lives.
    pub fn is_empty(&self) -> bool {
        matches!(self.item, Item::Checkpoint(_))
            && self.asked.is_none()
            && self.clocks.is_empty()
            && self.presence.is_empty()
    }

    /// As a seat is told.
    pub fn of_seat(self) -> v1::WatchMatchResponse {
        use v1::watch_match_response::Item as Told;
        let item = match self.item {
            Item::Snapshot(view) => Told::Snapshot(view),
            Item::Events(events) => Told::Events(events),
            Item::Checkpoint(checkpoint) => Told::Checkpoint(checkpoint),
            Item::Closed(closed) => Told::Closed(closed),
        };
        v1::WatchMatchResponse {
            item: Some(item),
            resume_token: self.resume_token,
            asked: self.asked,
            clocks: self.clocks,
            presence: self.presence,
        }
    }
}

/// What a message tells.
pub enum Item {
    /// The table.
    Snapshot(Box<v1::View>),
    /// What happened.
    Events(v1::EventBatch),
    /// Nothing happened.
    Checkpoint(v1::Checkpoint),
    /// The match is over.
    Closed(Box<v1::MatchClosed>),
}

/// The messages of a stream, as its [`Wrap`] makes them. A queue keeps places for 32, however few wait in it, and a message is
/// large, so that it stands beside its place.
pub struct Messages<T>(ReceiverStream<Result<Box<T>, Status>>);

impl<T> Messages<T> {
    /// Those that come out of a queue.
    pub(super) fn from_queue(queue: mpsc::Receiver<Result<Box<T>, Status>>) -> Messages<T> {
        Messages(ReceiverStream::new(queue))
    }
}

impl<T> Stream for Messages<T> {
    type Item = Result<T, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let message = Pin::new(&mut self.0).poll_next(context);
        message.map(|message| message.map(|told| told.map(|told| *told)))
    }
}

/// Makes an item of a stream of what is told, or of why it ends, in the language of its reader.
pub type Wrap<T> = fn(Result<Message, Failure>, Language) -> Result<T, Status>;

/// Opens a stream.
///
/// # Errors
///
/// When its token is of another match or audience, or too many watch already.
pub async fn open<T: Send + 'static>(
    referee: Arc<Referee>,
    table: Arc<Table>,
    asked: Asked,
    wrap: Wrap<T>,
) -> Result<Messages<T>, Failure> {
    let token = match &asked.start {
        Start::First | Start::Now => "",
        Start::Behind(token) => token,
    };
    let cursor = place_tokens::resumed(referee.keys(), &asked.id, asked.audience, token)?;
    reached(&referee, &table, asked.audience, cursor).await?;
    let (mut snapshots, watcher) = table.watch(asked.audience)?;
    let lap = snapshots.borrow().lap(asked.audience);
    let limits = referee.limits();
    let batch = match asked.max_batch {
        0 => limits.max_event_batch,
        n => n.min(limits.max_event_batch),
    };
    // One place more than the queue: it is reserved for the last word.
    let (queue, messages) = mpsc::channel(to_usize(limits.stream_queue) + 1);
    let last_word = queue
        .clone()
        .try_reserve_owned()
        .map_err(|_| Failure::internal("a new queue is full"))?;
    let mut feed = Feed {
        _one: referee.streams.clone(),
        referee,
        table,
        told: Instant::now(),
        clock: Clock::of(&asked.id),
        lap,
        table_due: matches!(asked.start, Start::Now),
        request: asked,
        cursor,
        batch: to_usize(batch),
        queue,
        question: None,
        asked: None,
        clocks: (0, Vec::new()),
        clocks_due: false,
        presence: Vec::new(),
        presence_due: false,
        looked: None,
        wrap,
        _watcher: watcher,
    };
    tokio::spawn(async move {
        let language = feed.request.language;
        if let Some(failure) = feed.run(&mut snapshots).await {
            last_word.send(wrap(Err(failure), language).map(Box::new));
        }
    });
    Ok(Messages::from_queue(messages))
}

/// Waits until an audience sees as much of a match as a place in its history stands for. Another referee may have told it who
/// has heard of more than this one, or by a clock that is ahead of this one's.
async fn reached(
    referee: &Referee,
    table: &Arc<Table>,
    audience: Audience,
    place: Cursor,
) -> Result<(), Failure> {
    let is_before = |snapshot: &Snapshot| match snapshot.visible() {
        Ok(play) => place.number > play.end(audience).number,
        // That it has begun is seen late, too.
        Err(TableError::NotStarted) => place.number > 0,
        Err(_) => false,
    };
    let until = Instant::now() + referee.limits().at_least_wait;
    let mut has_read = false;
    loop {
        let live = table.snapshot();
        if !is_before(&live) {
            let (seen, more) = referee.seen(table, live, audience).await?;
            if !is_before(&seen) {
                return Ok(());
            }
            let next = more.map_or(until, |more| Instant::now() + more);
            if next >= until {
                let why = "what this resume token stands for has not come here yet; ask again";
                return Err(Failure::new(Reason::NotCaughtUp, why));
            }
            tokio::time::sleep_until(next).await;
        } else if has_read {
            return Err(Failure::new(
                Reason::ResumeTokenInvalid,
                "this resume token is from the future",
            ));
        } else {
            table.read_on().await?;
            has_read = true;
        }
    }
}

struct Feed<T> {
    referee: Arc<Referee>,
    /// Holding the table keeps it in the registry.
    table: Arc<Table>,
    /// When the last message was queued.
    told: Instant,
    clock: Clock,
    request: Asked,
    /// How often its seat had been released when it was opened.
    lap: Option<u32>,
    /// After the last message that was queued.
    cursor: Cursor,
    batch: usize,
    queue: mpsc::Sender<Result<Box<T>, Status>>,
    /// Whether it begins with the table, and has not told it yet.
    table_due: bool,
    /// What the reader is asked, as it was found out last; nothing before it was looked at.
    question: Option<Option<QuestionKey>>,
    /// What the reader is to be told of it, with the message after which it has heard so many events.
    asked: Option<(u64, v1::Asked)>,
    /// How seats' times stand, after so many events that the reader has heard.
    clocks: (u64, Vec<SeatClock>),
    /// Whether the reader is still to be told.
    clocks_due: bool,
    /// Who is at the table, as it was found out last, and whether the reader is still to be told.
    presence: Vec<SeatPresence>,
    presence_due: bool,
    /// When that was.
    looked: Option<Instant>,
    wrap: Wrap<T>,
    _watcher: Watcher,
    _one: Arc<()>,
}

/// What tells questions of a seat apart, as [`decision_id`] does: its number, and the lap of the match.
type QuestionKey = (u64, u64);

/// Why a stream does not go on.
pub(super) enum End {
    /// Its reader has gone away, or has had everything.
    Quiet,
    /// Something happened that the reader must know.
    Failed(Failure),
}

impl From<Failure> for End {
    fn from(failure: Failure) -> End {
        End::Failed(failure)
    }
}

impl<T: Send + 'static> Feed<T> {
    /// Follows the match to its end; gives the reason if the stream ends before that.
    async fn run(&mut self, snapshots: &mut watch::Receiver<Arc<Snapshot>>) -> Option<Failure> {
        let failure = match self.follow(snapshots).await {
            Ok(()) | Err(End::Quiet) => return None,
            Err(End::Failed(failure)) => failure,
        };
        // Whatever ended the stream, the reader can continue it.
        let token = self.token(self.cursor).unwrap_or_default();
        Some(failure.with("resume_token", token))
    }

    async fn follow(&mut self, snapshots: &mut watch::Receiver<Arc<Snapshot>>) -> Result<(), End> {
        let (referee, queue) = (self.referee.clone(), self.queue.clone());
        let credential = self.request.credential.clone();
        let (aged, expires) = ends(&referee, self.request.arrived, credential.as_ref());
        let mut revocations = referee.auth.revocations();
        let mut stopping = pin!(referee.stopping());
        let mut aged = pin!(until(aged));
        let mut expired = pin!(until(expires));
        let mut gone = pin!(queue.closed());
        loop {
            // What telling needs room for is let go while the stream waits, as most streams do most of the time.
            let wake = Box::pin(self.tell(snapshots)).await?;
            let heartbeat = self.told + self.referee.limits().heartbeat;
            tokio::select! {
                biased;
                () = &mut stopping => {
                    return Err(Failure::stopping().into());
                }
                () = &mut aged => return Err(too_old().into()),
                () = &mut gone => return Err(End::Quiet),
                () = &mut expired => return Err(opens_nothing().into()),
                revoked = revocations.changed(), if credential.is_some() => {
                    if let (Ok(()), Some(credential)) = (revoked, &credential) {
                        Box::pin(referee.auth.still(credential)).await?;
                    }
                },
                changed = snapshots.changed() => if changed.is_err() {
                    let why = "the table closed; continue with the resume token";
                    return Err(Failure::new(Reason::StoreUnavailable, why).into());
                },
                () = tokio::time::sleep_until(wake.min(heartbeat)) => if heartbeat <= wake {
                    // It may have been revoked as the stream was opened.
                    if let Some(credential) = &credential {
                        Box::pin(referee.auth.still(credential)).await?;
                    }
                    Box::pin(self.send(Item::Checkpoint(v1::Checkpoint {}), self.cursor)).await?;
                }
            }
        }
    }

    /// Tells what is new; gives when there is something to look at again.
    async fn tell(
        &mut self,
        snapshots: &mut watch::Receiver<Arc<Snapshot>>,
    ) -> Result<Instant, End> {
        let live = snapshots.borrow_and_update().clone();
        if live.lap(self.request.audience) != self.lap {
            return Err(opens_nothing().into());
        }
        let seen = self.referee.seen(&self.table, live, self.request.audience);
        let (snapshot, more) = seen.await?;
        let told = self.told;
        self.look_what_is_asked(&snapshot).await?;
        self.look_at_clocks(&snapshot);
        let look = self.look_who_is_there();
        if let Some(play) = &snapshot.play {
            if std::mem::take(&mut self.table_due) {
                self.send_table(play).await?;
            }
            self.send_events(&snapshot, play).await?;
        }
        match snapshot.info.state {
            MatchState::Finished => {
                self.close(snapshot).await?;
                return Err(End::Quiet);
            }
            MatchState::Suspended => {
                let why = snapshot.playing().err().unwrap_or(TableError::Suspended);
                return Err(End::Failed(why.into()));
            }
            MatchState::Lobby | MatchState::Running => {}
        }
        // A question may change, or a connection begin, without anything that happens.
        if self.asked.is_some() || self.clocks_due || self.presence_due {
            let nothing = Item::Checkpoint(v1::Checkpoint {});
            self.send(nothing, self.cursor).await?;
        }
        // What has been told is held no longer.
        drop(snapshot);
        if self.told != told && self.request.audience == Audience::Spectator {
            tokio::time::sleep_until(self.clock.next()).await;
        }
        // What an audience does not see yet is not told by a pause either.
        let heartbeat = self.told + self.referee.limits().heartbeat;
        let more = more.map_or(heartbeat, |more| Instant::now() + more);
        Ok(look.map_or(more, |look| more.min(look)))
    }

    /// Notes what the reader is to be told of what it is asked, if it has a seat and that is something else than before.
    async fn look_what_is_asked(&mut self, snapshot: &Snapshot) -> Result<(), End> {
        let audience = self.request.audience;
        let Audience::Seat(seat) = audience else {
            return Ok(());
        };
        let laps = snapshot.info.laps;
        // As long as the match is paused nothing can be answered; then it is asked again.
        let playing = snapshot.moving().ok().filter(|play| play.asks(seat));
        let number = match playing.cloned() {
            Some(play) => {
                let work = move || play.question_number(seat);
                let found = self.referee.workers().run(Queue::Table, work).await;
                found.map_err(Failure::from)?
            }
            None => None,
        };
        let question = number.map(|number| (number, laps));
        if self.question == Some(question) {
            return Ok(());
        }
        self.question = Some(question);
        let step = playing.and_then(|play| play.asking_step());
        let waiting = number.zip(step).map(|(number, step)| v1::WaitingQuestion {
            decision_id: decision_id(self.referee.keys(), &self.request.id, seat, number, laps),
            step,
        });
        let questions = waiting.into_iter().collect();
        let play = snapshot.play.as_ref();
        let events = play.map_or(0, |play| play.end(audience).number);
        self.asked = Some((events, v1::Asked { questions }));
        Ok(())
    }

    /// Finds out how seats' times stand, and whether the reader is to be told.
    fn look_at_clocks(&mut self, snapshot: &Snapshot) {
        let outages = &self.referee.registry.parts().outages;
        let clocks = match snapshot.info.question_ms {
            0 => return,
            _ => snapshot.info.clocks(&snapshot.waiting(), outages),
        };
        if clocks != self.clocks.1 {
            let play = snapshot.play.as_ref();
            let told = play.map_or(0, |play| play.end(self.request.audience).number);
            self.clocks = (told, clocks);
            self.clocks_due = true;
        }
    }

    /// Finds out now and then who is at the table, and whether the reader is to be told; gives when to look again. Spectators
    /// are told nothing, so that it does not tell them of what they do not see yet.
    fn look_who_is_there(&mut self) -> Option<Instant> {
        let Audience::Seat(seat) = self.request.audience else {
            return None;
        };
        let (now, now_ms) = (Instant::now(), self.referee.now_ms());
        self.table.note_presence(seat, now_ms);
        if let Some(next) = self.looked.map(|looked| looked + GATHERED)
            && next > now
        {
            return Some(next);
        }
        self.looked = Some(now);
        let presence = self.table.presence(now_ms);
        if presence != self.presence {
            self.presence = presence;
            self.presence_due = true;
        }
        Some(now + GATHERED)
    }

    async fn send_table(&mut self, play: &Arc<Play>) -> Result<(), End> {
        let (audience, work) = (self.request.audience, play.clone());
        let names = self.request.names.then_some(catalog::STREAM_NAMES);
        let view = self
            .referee
            .workers()
            .run(Queue::Table, move || view(&work, audience, names))
            .await;
        let view = view.map_err(Failure::from)?;
        self.send(Item::Snapshot(Box::new(view)), play.end(audience))
            .await
    }

    async fn send_events(&mut self, snapshot: &Snapshot, play: &Arc<Play>) -> Result<(), End> {
        let audience = self.request.audience;
        // All streams that have come as far share the same bytes.
        let times = &snapshot.info.times;
        let write = || events::events(play, times, audience, self.cursor, self.batch).0;
        let news = play.news(audience, self.cursor, self.batch, || {
            write().bytes().clone()
        });
        if let Some(news) = news {
            let next = play.end(audience);
            if news.written.is_empty() {
                self.cursor = next;
                return Ok(());
            }
            let token = match news.resume_token.get() {
                Some(token) => token.clone(),
                None => {
                    let token = self.token(next)?;
                    news.resume_token.get_or_init(|| token).clone()
                }
            };
            let events = v1::EventBatch::written(news.written.clone());
            return self.send_with(Item::Events(events), next, token).await;
        }
        loop {
            let (events, next) = events::events(play, times, audience, self.cursor, self.batch);
            if events.is_empty() {
                self.cursor = next;
                return Ok(());
            }
            self.send(Item::Events(events), next).await?;
        }
    }

    async fn close(&mut self, snapshot: Arc<Snapshot>) -> Result<(), End> {
        let conclusion = v1::Conclusion::from(snapshot.info.conclusion).into();
        let work = move || {
            let play = snapshot.play.as_ref()?;
            play.outcome()
                .map(|outcome| Outward::new(play.ruleset().package()).outcome(&outcome))
        };
        let outcome = self
            .referee
            .workers()
            .run(Queue::Table, work)
            .await
            .map_err(Failure::from)?;
        let closed = v1::MatchClosed {
            outcome,
            conclusion,
        };
        self.send(Item::Closed(Box::new(closed)), self.cursor).await
    }

    fn token(&self, cursor: Cursor) -> Result<String, Failure> {
        place_tokens::resume(
            self.referee.keys(),
            &self.request.id,
            self.request.audience,
            cursor,
        )
    }

    /// Queues a message, after which the reader is at `after`.
    async fn send(&mut self, item: Item, after: Cursor) -> Result<(), End> {
        let token = self.token(after)?;
        self.send_with(item, after, token).await
    }

    async fn send_with(&mut self, item: Item, after: Cursor, token: String) -> Result<(), End> {
        let due = self.asked.take_if(|(events, _)| after.number >= *events);
        let asked = due.map(|(_, asked)| asked);
        let mut clocks = Vec::new();
        if self.clocks_due && after.number >= self.clocks.0 {
            self.clocks_due = false;
            clocks = clocks_out(&self.clocks.1);
        }
        let presence = match std::mem::take(&mut self.presence_due) {
            true => presence_out(&self.presence),
            false => Vec::new(),
        };
        let message = Message {
            item,
            resume_token: token,
            after,
            asked,
            clocks,
            presence,
        };
        let stall = self.referee.limits().stream_stall;
        let wrapped = (self.wrap)(Ok(message), self.request.language);
        match tokio::time::timeout(stall, self.queue.send(wrapped.map(Box::new))).await {
            Ok(Ok(())) => {
                self.told = Instant::now();
                self.cursor = after;
                Ok(())
            }
            Ok(Err(_)) => Err(End::Quiet),
            Err(_) => {
                let why = "the stream was not read; continue with the resume token";
                Err(Failure::new(Reason::ReaderTooSlow, why).into())
            }
        }
    }
}

/// When the connection of a stream is as old as connections get, and when its token opens nothing any more.
pub(super) fn ends(
    referee: &Referee,
    arrived: Option<Arrived>,
    credential: Option<&Credential>,
) -> (Option<Instant>, Option<Instant>) {
    let aged = arrived.map(|arrived| arrived.at + referee.limits().connection_age);
    let expires = credential.and_then(|credential| credential.expires_ms);
    let left = expires.map(|at| u64::try_from(at - referee.now_ms()).unwrap_or(0));
    let expires = left.map(|left| Instant::now() + Duration::from_millis(left));
    (aged, expires)
}

/// A connection is as old as connections get.
pub(super) fn too_old() -> Failure {
    let why = "this connection is as old as connections get; connect anew and continue with the resume token";
    Failure::new(Reason::ConnectionAged, why)
}

/// Ends at a time, if there is one.
pub(super) async fn until(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time).await,
        None => std::future::pending().await,
    }
}

/// The table as an audience sees it. Takes its time: not for async threads.
pub fn view(play: &Play, audience: Audience, names: Option<&[v1::NameKind]>) -> v1::View {
    let seen = play.view(audience);
    message(play, &seen, play.end(audience).number, names)
}

/// The table as an audience sees it, or saw it when it had been told of so many events, and the place in its history where
/// that is.
///
/// # Errors
///
/// `MALFORMED_REQUEST` when not so many have been told yet.
pub async fn seen(
    referee: &Referee,
    play: Arc<Play>,
    audience: Audience,
    at_event: Option<u64>,
    names: Option<&'static [v1::NameKind]>,
) -> Result<(v1::View, Cursor), Failure> {
    let end = play.end(audience);
    let Some(number) = at_event.filter(|number| *number != end.number) else {
        let now = move || view(&play, audience, names);
        return Ok((referee.workers().run(Queue::Table, now).await?, end));
    };
    if number > end.number {
        let why = format!("is {number}, and {} events have been told", end.number);
        return Err(Failure::field("at_event", &why));
    }
    let then = move || {
        let (seen, place) = play.view_at(audience, number)?;
        Ok((message(&play, &seen, place.number, names), place))
    };
    // As long as to open the match: its moves are made again.
    let found: Result<_, TableError> = referee.workers().run(Queue::Opening, then).await?;
    Ok(found?)
}

/// A view as a message, after so many events. Takes its time: not for async threads.
pub fn message(play: &Play, seen: &View, events: u64, names: Option<&[v1::NameKind]>) -> v1::View {
    let outward = Outward::new(play.ruleset().package());
    let mut view = outward.view(seen, events);
    if let Some(kinds) = names {
        let ended = view.outcome.iter();
        let lines = ended.clone().flat_map(|ended| &ended.scores);
        let lines = lines
            .chain(&view.scores)
            .flat_map(|sheet| &sheet.lines)
            .map(|line| &line.clause);
        let cited = ended.map(|ended| &ended.clause).chain(lines);
        let cited = cited.map(String::as_str).collect();
        view.glossary = Some(catalog::glossary(play.ruleset(), kinds, cited));
    }
    view
}
