//! Runs what takes processor time: a bounded number of pieces at a time, off the threads that serve.
//!
//! Each kind of work has a [queue](Queue) of its own, so that no move waits for a compilation or a bot; within a queue the
//! order is fair ([`queue`](super::queue)). Work whose caller has gone away is stopped where it can be: between two slices,
//! or where a budget is [spent](interpreter::budget).
//!
//! Most moves are judged in less time than it takes to hand them to another thread and back. A table makes such
//! moves where it is called; its [`Pace`] says whether they are such.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use interpreter::budget::{self, Budget, Ended, Stop};

use super::queue::{Payer, Payers, Place, Queue, Queues};
use crate::TableError;
use referee_store::panics::caught;
use referee_store::threads::Threads;

/// Runs work that takes processor time.
#[derive(Clone)]
pub struct Workers {
    threads: Threads,
    queues: Arc<Queues>,
    /// Ends everything that can be ended.
    stop: Stop,
}

/// Ends work when its caller goes away.
struct Waiting(Option<Stop>);

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(stop) = &self.0 {
            stop.stop();
        }
    }
}

impl Workers {
    /// On these threads.
    pub fn on(threads: &Threads) -> Workers {
        Workers::with_processors(threads, threads.count())
    }

    /// Creates workers on these threads, with places for so many processors.
    pub fn with_processors(threads: &Threads, processors: usize) -> Workers {
        Workers {
            threads: threads.clone(),
            queues: Arc::new(Queues::of(processors)),
            stop: Stop::default(),
        }
    }

    /// Ends all work that may be given up, and what is given to them from now on.
    pub fn stop(&self) {
        self.stop.stop();
    }

    /// The most work, in units, that others had done in a queue between the arrival of work on somebody's account and its
    /// turn.
    pub fn longest_wait(&self, queue: Queue, who: Payer) -> u64 {
        self.queues.longest_wait(queue, who)
    }

    /// Waits for a place on the caller's account, for what is done in several pieces.
    pub async fn place(&self, queue: Queue) -> Place {
        self.queues.place(queue, Payers::calling()).await
    }

    /// Runs one piece of work on the caller's account, and gives its result.
    ///
    /// # Errors
    ///
    /// As [`run_for`](Self::run_for).
    pub async fn run<T: Send + 'static>(
        &self,
        queue: Queue,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, TableError> {
        self.run_for(queue, Payers::calling(), work).await
    }

    /// Runs one piece of work on somebody's account, and gives its result. A panic stays inside: it is an error of this
    /// piece of work and no other. What may be [given up](Queue::may_be_given_up) ends soon after the caller goes away;
    /// everything else runs to its end once begun.
    ///
    /// # Errors
    ///
    /// [`TableError::Internal`] when the work panicked, [`TableError::Stopping`] when it was given up because the
    /// referee stops.
    pub async fn run_for<T: Send + 'static>(
        &self,
        queue: Queue,
        payers: Payers,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, TableError> {
        let place = self.queues.place(queue, payers).await;
        let caller = Stop::default();
        let stops = queue
            .may_be_given_up()
            .then(|| [self.stop.clone(), caller.clone()]);
        let waiting = Waiting(stops.is_some().then_some(caller));
        // Threads that a program brings of its own are one only.
        let gives_way = queue.gives_way() && !self.threads.are_own();
        let work = move || {
            let work = || match &stops {
                None => Ok(work()),
                Some([all, own]) => {
                    let within = || budget::within(&Budget::until(own), work).0;
                    budget::within(&Budget::until(all), within).0.flatten()
                }
            };
            let place = Rc::new(RefCell::new(place));
            let (done, units) = match gives_way {
                true => {
                    let place = place.clone();
                    let at_rest = move |units| place.borrow_mut().rest(units);
                    budget::resting(at_rest, || caught(work))
                }
                false => budget::counted(|| caught(work)),
            };
            if let Ok(place) = Rc::try_unwrap(place) {
                place.into_inner().leave(units);
            }
            done
        };
        let done = self.threads.run(work).await;
        drop(waiting);
        let panicked = |why: String| TableError::Internal(format!("the rules stopped: {why}"));
        match done.map_err(|why| panicked(why.to_string()))? {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(Ended::Stopped | Ended::Spent(_))) => Err(TableError::Stopping),
            Err(why) => Err(panicked(why)),
        }
    }
}

/// How quick the rules of a table are: whether they may run on a thread that serves others as well.
#[derive(Debug)]
pub struct Pace {
    /// Number of pieces of work that are still handed over.
    pub apart: u32,
    /// Number of pieces of work for which it is still held against the rules that they took long before.
    pub held: u32,
}

impl Pace {
    /// Whatever takes more units of [work](interpreter::budget) is not done on a thread that serves: others wait for it.
    /// It is some half a millisecond. No clock is asked: the operating system takes threads away as it likes.
    pub const LONG: u64 = 60_000;

    /// Pieces of work that are handed over when rules have taken long again, so that rules which are now quick and now
    /// slow hold others up no more than once in so many. Once alone is forgotten after as many.
    pub const WARY: u32 = 256;

    /// Creates the pace of a table whose rules are not known yet: nothing speaks for them.
    pub fn unknown() -> Pace {
        Pace {
            apart: 1,
            held: Pace::WARY,
        }
    }

    /// Runs a piece of work: at once if those before were quick, else apart from the threads that serve.
    ///
    /// # Errors
    ///
    /// [`TableError::Internal`] when the work panicked.
    pub async fn run<T: Send + 'static>(
        &mut self,
        workers: &Workers,
        payers: impl FnOnce() -> Payers,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, TableError> {
        let counted = move || budget::counted(work);
        let done = match self.apart {
            0 => guarded(counted),
            _ => workers.run_for(Queue::Table, payers(), counted).await,
        };
        self.learn(done.as_ref().ok().map(|(_, took)| *took));
        done.map(|(done, _)| done)
    }

    /// Learns from a piece of work how many units it took; `None` if it failed.
    pub fn learn(&mut self, took: Option<u64>) {
        self.apart = self.apart.saturating_sub(1);
        self.held = self.held.saturating_sub(1);
        if took.is_some_and(|took| took < Pace::LONG) {
            return;
        }
        self.apart = match (took, self.held) {
            (Some(_), 0) => 1,
            _ => Pace::WARY,
        };
        self.held = self.apart + Pace::WARY;
    }
}

/// Runs a piece of work on this thread. A panic is an error of this piece of work and no other.
///
/// # Errors
///
/// [`TableError::Internal`] when the work panicked.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, TableError> {
    caught(work).map_err(|words| TableError::Internal(format!("the rules stopped: {words}")))
}

/// Runs something that waits for the disk.
pub async fn blocking<T: Send + 'static>(
    threads: &Threads,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, TableError> {
    let done = threads.run(work).await;
    done.map_err(|why| TableError::Internal(format!("a read stopped: {why}")))
}
