//! That there is a referee is noted now and then; where several serve from one store, each learns so from all of their notes
//! when there was none.

use std::sync::Arc;

use super::parts::Parts;
use super::scheduling::workers;
use referee_store::{NOTED, StoreError};

/// How old the last note of this referee may be, in milliseconds, when a turn is ended by the clock: no time without a referee
/// is so short.
const RECENT: i64 = NOTED / 3;

/// Notes that there is a referee; times without one may become known by that.
///
/// # Errors
///
/// When the store fails.
pub async fn note(parts: &Arc<Parts>) -> Result<(), StoreError> {
    let of = parts.clone();
    let work = move || {
        let now_ms = of.clock.now_ms();
        of.store.alive(now_ms, false)?;
        // Where it is alone nobody else notes any.
        if of.store.shared().is_some() {
            of.outages.learn(of.store.outages()?);
            of.outages.noted(now_ms);
        }
        Ok(())
    };
    let done = workers::blocking(&parts.threads, work).await;
    done.unwrap_or_else(|error| Err(StoreError::Engine(format!("{error:?}"))))
}

/// Sees to it that every time without a referee is known that is over.
///
/// # Errors
///
/// When the store fails.
pub async fn know(parts: &Arc<Parts>) -> Result<(), StoreError> {
    let known =
        parts.store.shared().is_none() || parts.outages.are_known(parts.clock.now_ms(), RECENT);
    match known {
        true => Ok(()),
        false => note(parts).await,
    }
}
