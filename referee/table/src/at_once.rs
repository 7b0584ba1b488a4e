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

    /// Returns whether nothing is being done.
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
