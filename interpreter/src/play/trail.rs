//! A list that only grows, of which copies share everything but its very end.

use std::ops::Index;
use std::sync::Arc;

/// Elements that are shared together.
const TOGETHER: usize = 16;

/// A list that only grows. A copy costs the same however long it is, and so does growing one of two copies.
pub struct Trail<T> {
    /// All but the last, [`TOGETHER`] in each.
    full: Arc<Vec<Arc<[T]>>>,
    /// Fewer than [`TOGETHER`].
    last: Arc<Vec<T>>,
}

impl<T> Trail<T> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.full.len() * TOGETHER + self.last.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The one at a place, from zero.
    pub fn get(&self, at: usize) -> Option<&T> {
        match self.full.get(at / TOGETHER) {
            Some(together) => together.get(at % TOGETHER),
            None => self.last.get(at - self.full.len() * TOGETHER),
        }
    }

    /// All, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> + ExactSizeIterator + Clone {
        self.from(0)
    }

    /// Those from a place on, in order.
    pub fn from(
        &self,
        first: usize,
    ) -> impl DoubleEndedIterator<Item = &T> + ExactSizeIterator + Clone {
        let len = self.len();
        (first.min(len)..len).map(|at| &self[at])
    }
}

impl<T: Clone> Trail<T> {
    /// Adds one at the end.
    pub fn push(&mut self, element: T) {
        let last = Arc::make_mut(&mut self.last);
        last.push(element);
        if last.len() == TOGETHER {
            Arc::make_mut(&mut self.full).push(std::mem::take(last).into());
        }
    }
}

impl<T: Clone> Extend<T> for Trail<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, elements: I) {
        for element in elements {
            self.push(element);
        }
    }
}

impl<T> Index<usize> for Trail<T> {
    type Output = T;

    fn index(&self, at: usize) -> &T {
        self.get(at).expect("an index lies within the list")
    }
}

impl<T> Default for Trail<T> {
    fn default() -> Self {
        Trail {
            full: Arc::default(),
            last: Arc::default(),
        }
    }
}

impl<T> Clone for Trail<T> {
    fn clone(&self) -> Self {
        Trail {
            full: self.full.clone(),
            last: self.last.clone(),
        }
    }
}

impl<T: PartialEq> PartialEq for Trail<T> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl<T: Eq> Eq for Trail<T> {}

impl<T: std::fmt::Debug> std::fmt::Debug for Trail<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_grow_apart() {
        let mut first: Trail<usize> = Trail::default();
        for n in 0..100 {
            let before = first.clone();
            let mut other = first.clone();
            first.push(n);
            other.push(1000 + n);
            assert_eq!((before.len(), first.len(), other.len()), (n, n + 1, n + 1));
            assert_eq!((first[n], other[n], before.get(n)), (n, 1000 + n, None));
            assert_ne!(first, other);
            assert!(first.iter().copied().eq(0..=n));
            assert!(first.iter().rev().copied().eq((0..=n).rev()));
            assert!(first.from(n / 2).copied().eq(n / 2..=n));
        }
        assert_eq!(first.from(200).count(), 0);
    }
}
