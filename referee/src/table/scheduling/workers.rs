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
use crate::panics::caught;
use crate::table::TableError;
use crate::threads::Threads;

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
        Workers {
            threads: threads.clone(),
            queues: Arc::new(Queues::of(threads.count())),
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
pub(in crate::table) struct Pace {
    /// So many pieces of work are still handed over.
    apart: u32,
    /// For so many pieces of work it is still held against the rules that they took long before.
    held: u32,
}

impl Pace {
    /// Whatever takes more units of [work](interpreter::budget) is not done on a thread that serves: others wait for it.
    /// It is some half a millisecond. No clock is asked: the operating system takes threads away as it likes.
    const LONG: u64 = 60_000;

    /// Pieces of work that are handed over when rules have taken long again, so that rules which are now quick and now
    /// slow hold others up no more than once in so many. Once alone is forgotten after as many.
    const WARY: u32 = 256;

    /// Of a table whose rules are not known yet: nothing speaks for them.
    pub(in crate::table) fn unknown() -> Pace {
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
    pub(in crate::table) async fn run<T: Send + 'static>(
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

    /// Learns from a piece of work how many units it took; none if it did not end well.
    fn learn(&mut self, took: Option<u64>) {
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

/// Runs a piece of work at once. A panic is an error of this piece of work and no other.
///
/// # Errors
///
/// [`TableError::Internal`] when the work panicked.
fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, TableError> {
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::table::SLICE;

    fn one_at_a_time() -> Workers {
        Workers {
            queues: Arc::new(Queues::of(1)),
            ..Workers::on(&Threads::of_tokio())
        }
    }

    #[tokio::test]
    async fn a_panic_is_an_error_and_gives_its_place_back() {
        let workers = one_at_a_time();
        for queue in Queue::ALL {
            for _ in 0..3 {
                let failed: Result<(), _> = workers.run(queue, || panic!("on purpose")).await;
                assert!(matches!(failed, Err(TableError::Internal(_))));
                let failed: Result<(), _> = guarded(|| panic!("on purpose"));
                assert!(matches!(failed, Err(TableError::Internal(_))));
            }
            assert_eq!(workers.run(queue, || 7).await.unwrap(), 7);
        }
    }

    /// Work that comes to no end by itself.
    fn endless() {
        loop {
            budget::spend(1, None);
        }
    }

    #[tokio::test]
    async fn what_nobody_waits_for_is_given_up_and_so_is_everything_when_the_referee_stops() {
        let workers = one_at_a_time();
        let gone = tokio::time::timeout(
            Duration::from_millis(50),
            workers.run(Queue::Making, endless),
        );
        assert!(gone.await.is_err());
        assert_eq!(workers.run(Queue::Making, || 7).await.unwrap(), 7);
        let (running, stopping) = (workers.clone(), workers.clone());
        let running = tokio::spawn(async move { running.run(Queue::Making, endless).await });
        tokio::task::yield_now().await;
        stopping.stop();
        let stopped = running.await.unwrap();
        assert!(matches!(stopped, Err(TableError::Stopping)), "{stopped:?}");
        // Moves are made all the same: who has sent one is told what became of it.
        let moved = workers.run(Queue::Table, || {
            (0..100_000).for_each(|_| budget::spend(1, None))
        });
        assert!(moved.await.is_ok());
    }

    #[tokio::test]
    async fn long_work_gives_way_between_slices_to_whoever_has_cost_less() {
        use std::sync::atomic::{AtomicBool, Ordering};
        let workers = one_at_a_time();
        let payer = |n| Payer::Token([n; 32]);
        for queue in Queue::ALL.into_iter().filter(|queue| queue.gives_way()) {
            let enough = Arc::new(AtomicBool::new(false));
            let long = |n| {
                let (workers, enough) = (workers.clone(), enough.clone());
                tokio::spawn(async move {
                    let until_enough = move || {
                        while !enough.load(Ordering::Relaxed) {
                            budget::spend(SLICE / 4, None);
                            budget::rest();
                        }
                    };
                    let payers = Payers::of([payer(n)]);
                    workers.run_for(queue, payers, until_enough).await
                })
            };
            let long = [long(1), long(1), long(2)];
            for _ in 0..3 {
                tokio::task::yield_now().await;
                let quick = workers.run_for(queue, Payers::of([payer(3)]), || 7);
                let quick = tokio::time::timeout(Duration::from_secs(60), quick).await;
                assert_eq!(quick.expect("it has its turn").unwrap(), 7, "{queue:?}");
            }
            let waited = workers.longest_wait(queue, payer(3));
            assert!(waited <= 2 * SLICE, "{queue:?}: {waited}");
            enough.store(true, Ordering::Relaxed);
            for one in long {
                one.await.expect("no panic").expect("it ends");
            }
            assert_eq!(workers.run(queue, || 8).await.unwrap(), 8);
        }
    }

    /// Learns of pieces of work that were quick, and gives how many of them were handed over.
    fn quick(pace: &mut Pace, pieces: u32) -> u32 {
        let one = |_| {
            let apart = pace.apart > 0;
            pace.learn(Some(0));
            u32::from(apart)
        };
        (0..pieces).map(one).sum()
    }

    #[test]
    fn rules_that_take_long_again_are_kept_apart_for_a_while() {
        let mut pace = Pace::unknown();
        assert_eq!(quick(&mut pace, 1000), 1, "nothing is known of the first");
        pace.learn(Some(Pace::LONG));
        assert_eq!(quick(&mut pace, 100), 1, "long once");
        for _ in 0..3 {
            pace.learn(Some(Pace::LONG));
            assert_eq!(quick(&mut pace, Pace::WARY + 100), Pace::WARY, "long again");
        }
        assert_eq!(quick(&mut pace, Pace::WARY), 0);
        pace.learn(Some(Pace::LONG));
        assert_eq!(quick(&mut pace, 100), 1, "the last time is forgotten");
    }

    #[test]
    fn rules_that_have_never_been_quick_or_panic_are_kept_apart_at_once() {
        for bad in [Some(Pace::LONG), None] {
            let mut pace = Pace::unknown();
            pace.learn(bad);
            assert_eq!(quick(&mut pace, 1000), Pace::WARY, "{bad:?}");
            pace.learn(None);
            assert_eq!(quick(&mut pace, 1000), Pace::WARY, "a panic");
        }
    }

    #[tokio::test]
    async fn work_is_done_here_only_where_it_is_quick() {
        let workers = one_at_a_time();
        let here = std::thread::current().id();
        for apart in [0, 1] {
            let mut pace = Pace { apart, held: 0 };
            let done = pace
                .run(&workers, Payers::calling, || std::thread::current().id())
                .await;
            assert_eq!(done.unwrap() == here, apart == 0);
        }
    }
}
