//! Rules run here: a bounded number at a time, and never on the threads that serve connections.
//!
//! Tables have threads of their own, on which they judge moves: most take less time than to hand them over
//! would. What takes long is handed over, so that it holds up no table but its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tokio::runtime::{Builder, Runtime};

use tokio::sync::Semaphore;

use super::TableError;

/// Runs work that takes processor time.
#[derive(Clone, Debug)]
pub struct Workers {
    permits: Arc<Semaphore>,
    tables: Arc<Tables>,
}

/// The threads of the tables.
#[derive(Debug)]
struct Tables(Option<Runtime>);

impl Drop for Tables {
    fn drop(&mut self) {
        // Whoever drops it last may be async, or a table itself: nobody waits here.
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

impl Workers {
    /// As many at a time as there are processors.
    ///
    /// # Errors
    ///
    /// When the operating system gives no threads.
    pub fn new() -> std::io::Result<Workers> {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Workers::of(processors)
    }

    fn of(threads: usize) -> std::io::Result<Workers> {
        let tables = Builder::new_multi_thread()
            .worker_threads(threads)
            .thread_name("referee-tables")
            .enable_time()
            .build()?;
        Ok(Workers {
            permits: Arc::new(Semaphore::new(threads)),
            tables: Arc::new(Tables(Some(tables))),
        })
    }

    /// Runs a table until it ends by itself, on the threads of the tables.
    pub(super) fn spawn(&self, table: impl Future<Output = ()> + Send + 'static) {
        if let Some(tables) = &self.tables.0 {
            tables.spawn(table);
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
        let task = tokio::task::spawn_blocking(move || {
            let done = work();
            drop(permit);
            done
        });
        task.await
            .map_err(|error| TableError::Internal(format!("the rules stopped: {error}")))
    }
}

/// Runs a piece of work at once: only for tables, on their own threads. A panic is an error of this piece of
/// work and no other.
///
/// # Errors
///
/// [`TableError::Internal`] when the work panicked.
pub(super) fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, TableError> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let words = panic.downcast_ref::<String>().map(String::as_str);
        let words = words.or_else(|| panic.downcast_ref::<&str>().copied());
        let words = words.unwrap_or("without a word");
        TableError::Internal(format!("the rules stopped: {words}"))
    })
}

/// Runs something that waits for the disk.
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, TableError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| TableError::Internal(format!("a read stopped: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_an_error_and_gives_its_place_back() {
        let workers = Workers::of(1).unwrap();
        for _ in 0..3 {
            let failed: Result<(), _> = workers.run(|| panic!("on purpose")).await;
            assert!(matches!(failed, Err(TableError::Internal(_))));
            let failed: Result<(), _> = guarded(|| panic!("on purpose"));
            assert!(matches!(failed, Err(TableError::Internal(_))));
        }
        assert_eq!(workers.run(|| 7).await.unwrap(), 7);
    }
}
