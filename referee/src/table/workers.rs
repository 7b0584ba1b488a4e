//! Where rules run: what takes long, a bounded number at a time and off the threads that serve.
//!
//! Most moves are judged in less time than it takes to hand them to another thread and back. A table makes such
//! moves where it is called; its [`Pace`] says whether they are such.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::TableError;
use crate::panics::caught;
use crate::threads::Threads;

/// Runs work that takes processor time.
#[derive(Clone)]
pub struct Workers {
    threads: Threads,
    permits: Arc<Semaphore>,
}

impl Workers {
    /// On these threads, as many pieces at a time as they are for.
    pub fn on(threads: &Threads) -> Workers {
        Workers {
            threads: threads.clone(),
            permits: Arc::new(Semaphore::new(threads.count())),
        }
    }

    /// Runs one piece of work and gives its result. Once begun it runs to its end, also when the
    /// caller goes away. A panic stays inside: it is an error of this piece of work and no other.
    ///
    /// # Errors
    ///
    /// [`TableError::Internal`] when the work panicked.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, TableError> {
        let permit = self.permits.clone().acquire_owned().await;
        let work = move || {
            let done = work();
            drop(permit);
            done
        };
        let done = self.threads.run(work).await;
        done.map_err(|why| TableError::Internal(format!("the rules stopped: {why}")))
    }
}

/// How quick the rules of a table are: whether they may run on a thread that serves others as well.
#[derive(Debug)]
pub(super) struct Pace {
    /// So many pieces of work are still handed over.
    apart: u32,
    /// For so many pieces of work it is still held against the rules that they took long before.
    held: u32,
}

impl Pace {
    /// Whatever takes longer is not done on a thread that serves: others wait for it. It is some ten times what a
    /// move of a large game takes.
    const LONG: Duration = Duration::from_micros(500);

    /// Pieces of work that are handed over when rules have taken long again, so that rules which are now quick and now
    /// slow hold others up no more than once in so many. Once alone may have been the operating system's doing, which
    /// takes threads away as it likes: it is forgotten after as many.
    const WARY: u32 = 256;

    /// Of a table whose rules are not known yet: nothing speaks for them.
    pub(super) fn unknown() -> Pace {
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
    pub(super) async fn run<T: Send + 'static>(
        &mut self,
        workers: &Workers,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, TableError> {
        let timed = move || {
            let began = Instant::now();
            (work(), began.elapsed())
        };
        let done = match self.apart {
            0 => guarded(timed),
            _ => workers.run(timed).await,
        };
        self.learn(done.as_ref().ok().map(|(_, took)| *took));
        done.map(|(done, _)| done)
    }

    /// Learns from a piece of work how long it took; none if it did not end well.
    fn learn(&mut self, took: Option<Duration>) {
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
    use super::*;

    fn one_at_a_time() -> Workers {
        Workers {
            threads: Threads::of_tokio(),
            permits: Arc::new(Semaphore::new(1)),
        }
    }

    #[tokio::test]
    async fn a_panic_is_an_error_and_gives_its_place_back() {
        let workers = one_at_a_time();
        for _ in 0..3 {
            let failed: Result<(), _> = workers.run(|| panic!("on purpose")).await;
            assert!(matches!(failed, Err(TableError::Internal(_))));
            let failed: Result<(), _> = guarded(|| panic!("on purpose"));
            assert!(matches!(failed, Err(TableError::Internal(_))));
        }
        assert_eq!(workers.run(|| 7).await.unwrap(), 7);
    }

    /// Learns of pieces of work that were quick, and gives how many of them were handed over.
    fn quick(pace: &mut Pace, pieces: u32) -> u32 {
        let one = |_| {
            let apart = pace.apart > 0;
            pace.learn(Some(Duration::ZERO));
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
            let done = pace.run(&workers, || std::thread::current().id()).await;
            assert_eq!(done.unwrap() == here, apart == 0);
        }
    }
}
