//! How often each of many does something at once: so that nobody takes what others wait for.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Who does it now, and how often. Copies count together.
pub struct AtOnce<K: Eq + Hash>(Arc<Mutex<HashMap<K, u32>>>);

/// It is done until this is dropped.
pub struct Entered<K: Clone + Eq + Hash> {
    all: AtOnce<K>,
    who: K,
}

/// Why nobody more is let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    /// Whoever asks does it as often as they may.
    Own,
    /// All together do.
    All,
}

impl<K: Eq + Hash> AtOnce<K> {
    fn lock(&self) -> MutexGuard<'_, HashMap<K, u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether somebody does it.
    pub fn has(&self, who: &K) -> bool {
        self.lock().contains_key(who)
    }

    /// Whether nobody does it.
    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }
}

impl<K: Clone + Eq + Hash> AtOnce<K> {
    /// Once more for somebody who may do it so often; none if that is often enough.
    pub fn enter(&self, who: K, most: u32) -> Option<Entered<K>> {
        self.enter_among(who, most, None).ok()
    }

    /// The same where all together may do it so often, if that is limited.
    ///
    /// # Errors
    ///
    /// Says which is reached.
    pub fn enter_among(&self, who: K, most: u32, of_all: Option<u32>) -> Result<Entered<K>, Full> {
        let mut there = self.lock();
        if of_all.is_some_and(|of_all| there.values().sum::<u32>() >= of_all) {
            return Err(Full::All);
        }
        let own = there.get(&who).copied().unwrap_or(0);
        if own >= most {
            return Err(Full::Own);
        }
        there.insert(who.clone(), own + 1);
        drop(there);
        Ok(Entered {
            all: self.clone(),
            who,
        })
    }
}

impl<K: Eq + Hash> Clone for AtOnce<K> {
    fn clone(&self) -> Self {
        AtOnce(self.0.clone())
    }
}

impl<K: Eq + Hash> Default for AtOnce<K> {
    fn default() -> Self {
        AtOnce(Arc::default())
    }
}

impl<K: Clone + Eq + Hash> Drop for Entered<K> {
    fn drop(&mut self) {
        let mut there = self.all.lock();
        if let Some(own) = there.get_mut(&self.who) {
            *own -= 1;
            if *own == 0 {
                there.remove(&self.who);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_a_share_of_its_own_and_nobody_is_remembered() {
        let checks = AtOnce::default();
        let first = checks.enter("one", 2).expect("the first");
        let second = checks.enter("one", 2).expect("the second");
        assert!(checks.enter("one", 2).is_none());
        let others = checks.enter("other", 2).expect("somebody else's");
        let full = |who, of_all| checks.enter_among(who, 2, Some(of_all)).err();
        assert_eq!(full("other", 3), Some(Full::All));
        assert_eq!(full("one", 4), Some(Full::Own));
        drop(first);
        let third = checks.enter("one", 2).expect("one is done");
        drop((second, third, others));
        assert!(checks.is_empty());
    }
}
