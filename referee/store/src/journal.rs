//! The writers of a store.
//!
//! A flush of the disk costs as much for one append as for a hundred, so a writer takes whatever waits, writes it in one
//! transaction, and answers everybody after the flush. The busier the referee, the larger the groups. A store that can
//! write several groups at a time has several writers, and each match has its own among them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, oneshot, watch};

use super::outcomes::Outcomes;
use super::{Append, Appended, MatchId, Store, StoreError};
use crate::panics::caught;
use crate::threads::Threads;

/// Appends that wait for a writer at most; then callers wait for a place.
const QUEUE: usize = 1024;

/// Appends in one transaction at most.
const GROUP: usize = 256;

/// Time until an append is tried again whose match another referee was writing to, and how long that is tried.
const AGAIN: Duration = Duration::from_millis(2);
const BUSY: Duration = Duration::from_secs(5);

/// Longest time between two looks how long a group has been under way.
const LOOK: Duration = Duration::from_secs(1);

type Answer = oneshot::Sender<Result<Appended, StoreError>>;

/// What the writer is asked to do.
enum Work {
    /// Which may have been tried since then.
    Append(Box<Append>, Answer, Option<Instant>),
    /// To see whether anything can be written.
    Probe(oneshot::Sender<Condition>),
}

/// What became of the last thing that was to be written.
pub type Condition = Result<(), StoreError>;

/// The way to the writers. Clones lead to the same ones; when the last is dropped, they finish what
/// waits and stop.
#[derive(Clone)]
pub struct Journal {
    way: Way,
    written: Arc<Written>,
}

/// How writing goes.
struct Written {
    condition: watch::Sender<Condition>,
    /// Groups that were written, or not.
    groups: AtomicU64,
    under_way: Mutex<UnderWay>,
    outcomes: Outcomes,
    observer: OnceLock<Observer>,
}

/// What is being written.
struct UnderWay {
    /// Since when each writer writes a group, if it does.
    writers: Vec<Option<Instant>>,
    /// When a group was written last, whoever wrote it.
    written: Instant,
}

/// Is told of every group how long it took and what became of it.
type Observer = Box<dyn Fn(Duration, &Condition) + Send + Sync>;

impl Written {
    fn under_way(&self) -> MutexGuard<'_, UnderWay> {
        self.under_way
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// A writer begins with a group.
    fn begins(&self, writer: usize) {
        if let Some(place) = self.under_way().writers.get_mut(writer) {
            *place = Some(Instant::now());
        }
    }

    /// A writer has come to the end of its group.
    fn ends(&self, writer: usize, done: &Condition) {
        let mut under_way = self.under_way();
        if let Some(place) = under_way.writers.get_mut(writer) {
            *place = None;
        }
        if done.is_ok() {
            under_way.written = Instant::now();
        }
    }

    /// Since when something is written, if anybody wants to know.
    fn begin(&self) -> Option<Instant> {
        self.observer.get().map(|_| Instant::now())
    }

    fn note(&self, began: Option<Instant>, done: Condition) {
        if let (Some(observer), Some(began)) = (self.observer.get(), began) {
            observer(began.elapsed(), &done);
        }
        self.groups.fetch_add(1, Ordering::Relaxed);
        self.condition.send_if_modified(|condition| {
            let changed = *condition != done;
            *condition = done;
            changed
        });
    }
}

#[derive(Clone)]
enum Way {
    /// The store waits for nothing: there is nothing to be gained by waiting together.
    Straight(Arc<dyn Store>),
    /// One for each writer.
    Queues(Arc<[mpsc::Sender<Work>]>),
}

impl Journal {
    /// Starts the writers of a store: each a thread of its own, or a task that writes on threads which the caller brought.
    ///
    /// # Errors
    ///
    /// When the operating system gives no thread.
    pub fn start(store: Arc<dyn Store>, threads: &Threads) -> std::io::Result<Journal> {
        let written = Arc::new(Written {
            condition: watch::Sender::new(Ok(())),
            groups: AtomicU64::new(0),
            under_way: Mutex::new(UnderWay {
                writers: vec![None; store.lanes().max(1)],
                written: Instant::now(),
            }),
            outcomes: Outcomes::default(),
            observer: OnceLock::new(),
        });
        if store.is_instant() {
            let way = Way::Straight(store);
            return Ok(Journal { way, written });
        }
        let mut queues = Vec::new();
        for number in 0..store.lanes().max(1) {
            queues.push(writer(number, &store, &written, threads)?);
        }
        let way = Way::Queues(queues.into());
        Ok(Journal { way, written })
    }

    /// What became of the last thing that was to be written, whenever that changes.
    pub fn condition(&self) -> watch::Receiver<Condition> {
        self.written.condition.subscribe()
    }

    /// Tells somebody of every group from now on how long it took and what became of it. The first one to ask is told.
    pub fn observe(&self, observer: impl Fn(Duration, &Condition) + Send + Sync + 'static) {
        let _ = self.written.observer.set(Box::new(observer));
    }

    /// How many appends wait to be written.
    pub fn waiting(&self) -> usize {
        match &self.way {
            Way::Straight(_) => 0,
            Way::Queues(queues) => {
                let waiting = queues.iter();
                waiting
                    .map(|queue| queue.max_capacity() - queue.capacity())
                    .sum()
            }
        }
    }

    /// How often something was to be written.
    pub fn groups(&self) -> u64 {
        self.written.groups.load(Ordering::Relaxed)
    }

    /// What became of appends so far.
    pub fn outcomes(&self) -> &Outcomes {
        &self.written.outcomes
    }

    /// Writes, and returns when it is durable. If the caller goes away meanwhile, it is written all the same.
    ///
    /// # Errors
    ///
    /// When the outcome is unknown.
    pub async fn append(&self, append: Append) -> Result<Appended, StoreError> {
        let queue = match &self.way {
            Way::Straight(store) => {
                let began = self.written.begin();
                let done = store.append(vec![append]);
                let condition = done.as_ref().map(drop).map_err(StoreError::clone);
                self.written.note(began, condition);
                let answer = done.and_then(|mut done| done.pop().ok_or(StoreError::Closed));
                self.written.outcomes.count(&answer);
                return answer;
            }
            Way::Queues(queues) => &queues[lane(&append.id, queues.len())],
        };
        let (answer, answered) = oneshot::channel();
        queue
            .send(Work::Append(Box::new(append), answer, None))
            .await
            .map_err(|_| self.closed())?;
        answered.await.map_err(|_| self.closed())?
    }

    /// Writes something that means nothing, by the same way as everything else, to see whether that can be done.
    ///
    /// # Errors
    ///
    /// When it cannot.
    pub async fn probe(&self) -> Condition {
        let queue = match &self.way {
            Way::Straight(store) => {
                let began = self.written.begin();
                let done = store.probe();
                self.written.note(began, done.clone());
                return done;
            }
            Way::Queues(queues) => &queues[0],
        };
        let (answer, answered) = oneshot::channel();
        let sent = queue.send(Work::Probe(answer)).await;
        sent.map_err(|_| self.closed())?;
        answered.await.map_err(|_| self.closed())?
    }

    /// The same, where something is wrong, too, if that takes longer: whoever commits may wait for another machine.
    ///
    /// # Errors
    ///
    /// When it cannot, or not in time.
    pub async fn probe_within(&self, time: Duration) -> Condition {
        let tried = tokio::time::timeout(time, self.probe()).await;
        tried.unwrap_or_else(|_| self.is_late(time))
    }

    /// Returns once a group has been under way for this time, and none was written meanwhile.
    pub async fn slow(&self, time: Duration) {
        loop {
            let since = {
                let under_way = self.written.under_way();
                let longest = under_way.writers.iter().flatten().min();
                longest.map(|since| *since.max(&under_way.written))
            };
            match since.map(|since| time.saturating_sub(since.elapsed())) {
                Some(Duration::ZERO) => return,
                Some(left) => tokio::time::sleep(left.min(LOOK)).await,
                None => tokio::time::sleep(time.min(LOOK)).await,
            }
        }
    }

    fn is_late(&self, time: Duration) -> Condition {
        let why = format!("nothing was committed for {} s", time.as_secs());
        let late = Err(StoreError::Engine(why));
        self.written.note(None, late.clone());
        late
    }

    /// The writer is no more.
    fn closed(&self) -> StoreError {
        self.written.note(None, Err(StoreError::Closed));
        StoreError::Closed
    }
}

/// Which of so many writers a match has.
fn lane(id: &MatchId, lanes: usize) -> usize {
    let [.., last] = id.bytes();
    usize::from(last) % lanes
}

/// Starts a writer.
fn writer(
    number: usize,
    store: &Arc<dyn Store>,
    written: &Arc<Written>,
    threads: &Threads,
) -> std::io::Result<mpsc::Sender<Work>> {
    let (queue, mut waiting) = mpsc::channel(QUEUE);
    let (store, noted) = (store.clone(), written.clone());
    if threads.are_own() {
        let threads = threads.clone();
        tokio::spawn(async move {
            let mut again = Vec::new();
            loop {
                let first = match again.is_empty() {
                    true => waiting.recv().await,
                    false => {
                        tokio::time::sleep(AGAIN).await;
                        again.pop()
                    }
                };
                let Some(first) = first else { return };
                let group = Group::of(first, std::mem::take(&mut again), &mut waiting);
                let (store, noted) = (store.clone(), noted.clone());
                // A panic is told to whoever waits.
                let work = move || group.write(number, &*store, &noted);
                let written = threads.run(work).await;
                again = written.unwrap_or_default();
            }
        });
    } else {
        let write = move || {
            let mut again = Vec::new();
            loop {
                let first = match again.is_empty() {
                    true => waiting.blocking_recv(),
                    false => {
                        std::thread::sleep(AGAIN);
                        again.pop()
                    }
                };
                let Some(first) = first else { return };
                let group = Group::of(first, std::mem::take(&mut again), &mut waiting);
                again = group.write(number, &*store, &noted);
            }
        };
        std::thread::Builder::new()
            .name("referee-journal".into())
            .spawn(write)?;
    }
    Ok(queue)
}

/// What is written together.
#[derive(Default)]
struct Group {
    appends: Vec<Append>,
    answers: Vec<(Answer, Option<Instant>)>,
    probes: Vec<oneshot::Sender<Condition>>,
}

impl Group {
    /// The first that waits, those that are tried again, and what waits behind them.
    fn of(first: Work, again: Vec<Work>, waiting: &mut mpsc::Receiver<Work>) -> Group {
        let mut group = Group::default();
        let mut again = again.into_iter();
        let mut next = Some(first);
        while let Some(work) = next {
            match work {
                Work::Append(append, answer, since) => {
                    group.appends.push(*append);
                    group.answers.push((answer, since));
                }
                Work::Probe(answer) => group.probes.push(answer),
            }
            let room = group.appends.len() < GROUP;
            next = again
                .next()
                .or_else(|| room.then(|| waiting.try_recv().ok()).flatten());
        }
        group
    }

    /// Writes it in one transaction, and answers everybody but those that are to be tried again.
    fn write(self, writer: usize, store: &dyn Store, written: &Written) -> Vec<Work> {
        let Group {
            appends: group,
            answers,
            probes,
        } = self;
        let appends = group.len();
        let began = written.begin();
        written.begins(writer);
        // Nobody could write any more if the writer stopped.
        let done = caught(|| match appends {
            0 => store.probe().map(|()| Vec::new()),
            _ => store.append(group),
        });
        let done = done
            .unwrap_or_else(|why| Err(StoreError::Engine(format!("the writer panicked: {why}"))));
        let condition = done.as_ref().map(drop).map_err(StoreError::clone);
        written.ends(writer, &condition);
        written.note(began, condition.clone());
        // A caller that has gone away does not need its answer.
        for answer in probes {
            let _ = answer.send(condition.clone());
        }
        match done {
            Ok(done) => {
                assert_eq!(done.len(), appends);
                let mut again = Vec::new();
                for ((answer, since), done) in answers.into_iter().zip(done) {
                    let since = since.unwrap_or_else(Instant::now);
                    let done = match done {
                        Appended::Busy(_) if since.elapsed() >= BUSY => Err(StoreError::Overtaken),
                        done => Ok(done),
                    };
                    written.outcomes.count(&done);
                    match done {
                        Ok(Appended::Busy(append)) => {
                            again.push(Work::Append(append, answer, Some(since)));
                        }
                        done => drop(answer.send(done)),
                    }
                }
                again
            }
            Err(error) => {
                tracing::error!(%error, appends, "nothing can be written");
                for (answer, _) in answers {
                    let failed = Err(error.clone());
                    written.outcomes.count(&failed);
                    let _ = answer.send(failed);
                }
                Vec::new()
            }
        }
    }
}
