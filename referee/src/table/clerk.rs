//! The clerk: looks which matches wait for the referee itself, and opens their tables.
//!
//! A match that is not in memory has no clock; the store knows when its time is up. An open table acts
//! by itself, so opening it is all that is needed.

use std::sync::{Arc, Weak};
use std::time::Duration;

use super::hall::Hall;
use super::workers;

/// Time between two looks.
const PAUSE: Duration = Duration::from_secs(1);

/// Matches that are opened in one look.
const MOST: usize = 1024;

/// Attends to matches until the hall is gone. `hall` finds it in whoever holds it.
pub async fn attend<T: Send + Sync + 'static>(holder: Weak<T>, hall: fn(&T) -> &Hall) {
    loop {
        let Some(held) = holder.upgrade() else { return };
        look(hall(&held)).await;
        drop(held);
        tokio::time::sleep(PAUSE).await;
    }
}

async fn look(hall: &Hall) {
    let parts = Arc::clone(hall.parts());
    let threads = parts.threads.clone();
    let due = move || parts.store.due(parts.clock.now_ms(), MOST);
    let due = workers::blocking(&threads, due).await;
    let due = match due {
        Ok(Ok(due)) => due,
        Ok(Err(error)) => return tracing::warn!(%error, "the store does not say what is due"),
        Err(error) => return tracing::warn!(?error, "the store does not say what is due"),
    };
    for id in due {
        if let Err(error) = hall.open(&id).await {
            tracing::warn!(%id, ?error, "a match whose time is up cannot be opened");
        }
    }
}
