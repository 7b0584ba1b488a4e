//! Due work: finds the matches in which the referee itself is to move, and opens their tables.
//!
//! A match that is not in memory has no clock; the store knows when its time is up. An open table acts
//! by itself, so opening it is all that is needed.

use std::sync::{Arc, Weak};
use std::time::Duration;

use super::registry::Registry;
use super::scheduling::workers;

/// Time between two looks.
const PAUSE: Duration = Duration::from_secs(1);

/// Matches that are opened in one look.
const MOST: usize = 1024;

/// Opens matches when they are due, until the holder of the registry is gone.
pub async fn open_due<T: Send + Sync + 'static>(holder: Weak<T>, registry: fn(&T) -> &Registry) {
    loop {
        let Some(held) = holder.upgrade() else { return };
        look(registry(&held)).await;
        drop(held);
        tokio::time::sleep(PAUSE).await;
    }
}

async fn look(registry: &Registry) {
    let parts = Arc::clone(registry.parts());
    let threads = parts.threads.clone();
    let due = move || parts.store.due(parts.clock.now_ms(), MOST);
    let due = workers::blocking(&threads, due).await;
    let due = match due {
        Ok(Ok(due)) => due,
        Ok(Err(error)) => return tracing::warn!(%error, "the store does not say what is due"),
        Err(error) => return tracing::warn!(?error, "the store does not say what is due"),
    };
    for id in due {
        if let Err(error) = registry.open(&id).await {
            tracing::warn!(%id, ?error, "a match whose time is up cannot be opened");
        }
    }
}
