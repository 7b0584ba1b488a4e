//! Rules run here: a bounded number at a time, and never on the threads that serve connections.

use std::sync::Arc;

use tokio::sync::Semaphore;

use super::TableError;

/// Runs work that takes processor time.
#[derive(Clone, Debug)]
pub struct Workers {
    permits: Arc<Semaphore>,
}

impl Workers {
    /// As many at a time as there are processors.
    pub fn new() -> Workers {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Workers {
            permits: Arc::new(Semaphore::new(processors)),
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

impl Default for Workers {
    fn default() -> Self {
        Workers::new()
    }
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
        let workers = Workers {
            permits: Arc::new(Semaphore::new(1)),
        };
        for _ in 0..3 {
            let failed: Result<(), _> = workers.run(|| panic!("on purpose")).await;
            assert!(matches!(failed, Err(TableError::Internal(_))));
        }
        assert_eq!(workers.run(|| 7).await.unwrap(), 7);
    }
}
