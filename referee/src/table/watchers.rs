//! Who watches a match: nobody so often that others cannot.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use interpreter::play::Audience;

use super::TableError;
use crate::limits::Limits;

/// Those who watch one match.
pub(super) struct Watchers {
    most: usize,
    most_of_seat: usize,
    there: Mutex<HashMap<Audience, usize>>,
}

/// Somebody who watches, until this is dropped.
pub struct Watcher {
    watchers: Arc<Watchers>,
    audience: Audience,
}

impl Watchers {
    /// Nobody watches yet.
    pub(super) fn of(limits: &Limits) -> Arc<Watchers> {
        Arc::new(Watchers {
            most: limits.watchers_per_match as usize,
            most_of_seat: limits.watchers_per_seat as usize,
            there: Mutex::default(),
        })
    }

    /// Somebody begins to watch.
    ///
    /// # Errors
    ///
    /// When too many watch already.
    pub(super) fn enter(self: &Arc<Self>, audience: Audience) -> Result<Watcher, TableError> {
        let mut there = self.there();
        let all: usize = there.values().sum();
        let own = there.get(&audience).copied().unwrap_or(0);
        let (most, limit) = match audience {
            Audience::Seat(_) => (self.most_of_seat, "watchers_per_seat"),
            Audience::Spectator | Audience::Referee => {
                (self.most.div_ceil(2), "watchers_per_match")
            }
        };
        if all >= self.most {
            return Err(TableError::Limit("watchers_per_match"));
        }
        if own >= most {
            return Err(TableError::Limit(limit));
        }
        *there.entry(audience).or_default() += 1;
        Ok(Watcher {
            watchers: self.clone(),
            audience,
        })
    }

    fn there(&self) -> MutexGuard<'_, HashMap<Audience, usize>> {
        self.there.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let mut there = self.watchers.there();
        if let Some(own) = there.get_mut(&self.audience) {
            *own -= 1;
            if *own == 0 {
                there.remove(&self.audience);
            }
        }
    }
}
