//! How much each caller may have done at once: nobody takes what others wait for.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::store::Principal;
use crate::table::TableError;

/// One kind of thing, of which each caller may have so many done at once.
pub struct AtOnce {
    limit: &'static str,
    most: u32,
    running: Running,
}

type Running = Arc<Mutex<HashMap<Principal, u32>>>;

/// It is done until this is dropped.
#[derive(Debug)]
pub struct Entered {
    running: Running,
    who: Principal,
}

impl AtOnce {
    /// By the name of the limit, and how many.
    pub fn of(limit: &'static str, most: u32) -> AtOnce {
        AtOnce {
            limit,
            most,
            running: Running::default(),
        }
    }

    /// One more.
    ///
    /// # Errors
    ///
    /// When it is more than the caller may have at once.
    pub fn enter(&self, who: Principal) -> Result<Entered, TableError> {
        let mut running = lock(&self.running);
        let own = running.entry(who).or_default();
        if *own >= self.most {
            return Err(TableError::Limit(self.limit));
        }
        *own += 1;
        drop(running);
        Ok(Entered {
            running: self.running.clone(),
            who,
        })
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        let mut running = lock(&self.running);
        if let Some(own) = running.get_mut(&self.who) {
            *own -= 1;
            if *own == 0 {
                running.remove(&self.who);
            }
        }
    }
}

fn lock(running: &Running) -> MutexGuard<'_, HashMap<Principal, u32>> {
    running.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_caller_has_a_share_of_its_own_and_nobody_is_remembered() {
        let checks = AtOnce::of("package_checks", 2);
        let (one, other) = (Principal([1; 32]), Principal([2; 32]));
        let first = checks.enter(one).expect("the first");
        let second = checks.enter(one).expect("the second");
        assert!(matches!(
            checks.enter(one),
            Err(TableError::Limit("package_checks"))
        ));
        let others = checks.enter(other).expect("somebody else's");
        drop(first);
        let third = checks.enter(one).expect("one is done");
        drop((second, third, others));
        assert!(lock(&checks.running).is_empty());
    }
}
