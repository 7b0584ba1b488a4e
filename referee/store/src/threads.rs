//! Threads for work that blocks: rules that take long, and the disk.
//!
//! Whoever starts a referee says where that is done (`Config::threads` of `referee-server`): on threads
//! that tokio has for it, or by means of the caller's own. A simulation does it on its one thread, whenever its seed
//! says so.

use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::panics::caught;

/// Work that runs once, and gives what tells whoever waits for it that it is done.
pub type Job = Box<dyn FnOnce() -> Telling + Send>;

/// Tells that work is done. Where it takes a while until that is heard, it may be called later; without it nobody hears.
pub type Telling = Box<dyn FnOnce() + Send>;

/// Threads that may be held up. Copies are the same threads.
#[derive(Clone)]
pub struct Threads(Kind);

#[derive(Clone)]
enum Kind {
    Tokio,
    Own {
        count: usize,
        run: Arc<dyn Fn(Job) + Send + Sync>,
    },
}

/// Work came to no end: it panicked, or whoever was to do it is no more.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Stopped(String);

impl Threads {
    /// Those that tokio's runtime has for it.
    pub fn of_tokio() -> Threads {
        Threads(Kind::Tokio)
    }

    /// The caller's own: as many as `count` pieces of work that need the processor are given at a time. `run` is given
    /// each, must not do it before it returns, and has to do it some time after.
    pub fn own(count: usize, run: impl Fn(Job) + Send + Sync + 'static) -> Threads {
        let run = Arc::new(run);
        Threads(Kind::Own { count, run })
    }

    /// Whether the caller brought them.
    pub fn are_own(&self) -> bool {
        matches!(self.0, Kind::Own { .. })
    }

    /// How many pieces of work should need the processor at a time.
    pub fn count(&self) -> usize {
        match self.0 {
            Kind::Tokio => std::thread::available_parallelism().map_or(1, usize::from),
            Kind::Own { count, .. } => count,
        }
    }

    /// Does a piece of work and gives its result. Once begun it is done to its end, also if the caller goes away.
    ///
    /// # Errors
    ///
    /// When it panics.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Stopped> {
        let Kind::Own { run, .. } = &self.0 else {
            let done = tokio::task::spawn_blocking(work).await;
            return done.map_err(|error| Stopped(error.to_string()));
        };
        let (answer, answered) = oneshot::channel();
        run(Box::new(move || {
            let done = caught(work);
            // The caller may have gone away.
            Box::new(move || drop(answer.send(done)))
        }));
        let done = answered.await;
        done.unwrap_or_else(|_| Err("nobody did it".into()))
            .map_err(Stopped)
    }

    /// Has a piece of work done for which nobody waits, also where no task of the runtime runs.
    pub fn start(&self, runtime: &Handle, work: impl FnOnce() + Send + 'static) {
        match &self.0 {
            Kind::Tokio => drop(runtime.spawn_blocking(work)),
            Kind::Own { run, .. } => run(Box::new(move || {
                work();
                Box::new(|| {})
            })),
        }
    }
}

impl Default for Threads {
    fn default() -> Threads {
        Threads::of_tokio()
    }
}
