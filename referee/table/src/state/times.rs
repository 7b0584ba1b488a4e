//! When moves were made, and when anything else happened at the table.
//!
//! Every entry of a log makes another [`MatchInfo`](super::MatchInfo), which adds one time to those of the one before: the
//! two share them, so that a move of a long match costs what one of a short match does.

use std::sync::Arc;

use referee_store::numbers::to_u64;

/// When entries of moves and of changes at the table were written, in milliseconds of Unix time, in their order.
#[derive(Clone, Debug, Default)]
pub struct Times {
    /// The number of each entry's first move, from 1; moves that were taken back count.
    moves: Growing<(u64, i64)>,
    /// Moves in all.
    made: u64,
    changes: Growing<i64>,
}

impl Times {
    /// Notes that an entry with a number of moves was written.
    pub fn moved(&mut self, at: i64, moves: usize) {
        if moves > 0 {
            self.moves.push((self.made + 1, at));
            self.made += to_u64(moves);
        }
    }

    /// Notes that the table changed without a move.
    pub fn changed(&mut self, at: i64) {
        self.changes.push(at);
    }

    /// When a move was made, by its number from 1.
    pub fn of_move(&self, number: u64) -> Option<i64> {
        let (_, at) = self.moves.last_where(|(first, _)| *first <= number)?;
        Some(*at)
    }

    /// When something happened at the table, by how many such things happened before it.
    pub fn of_change(&self, before: u64) -> Option<i64> {
        self.changes.get(usize::try_from(before).ok()?).copied()
    }
}

/// How many entries of a [`Growing`] list stand together.
const TOGETHER: usize = 32;

/// A list that only grows. A copy costs the same however long it is; adding to a copy copies less than [`TOGETHER`]
/// entries, and of what stands before them a pointer for each [`TOGETHER`] of them, once in so many times.
#[derive(Clone, Debug)]
struct Growing<T> {
    /// [`TOGETHER`] entries in each.
    full: Arc<[Arc<[T]>]>,
    /// Fewer.
    rest: Arc<[T]>,
}

impl<T> Default for Growing<T> {
    fn default() -> Self {
        Growing {
            full: Arc::default(),
            rest: Arc::default(),
        }
    }
}

impl<T: Copy> Growing<T> {
    fn push(&mut self, entry: T) {
        self.rest = with(&self.rest, entry);
        if self.rest.len() == TOGETHER {
            self.full = with(&self.full, std::mem::take(&mut self.rest));
        }
    }

    fn get(&self, index: usize) -> Option<&T> {
        let page = self.full.get(index / TOGETHER).unwrap_or(&self.rest);
        let passed = self.full.len().min(index / TOGETHER) * TOGETHER;
        page.get(index - passed)
    }

    /// The last entry of which something is true that is true of all before it.
    fn last_where(&self, is_so: impl Fn(&T) -> bool) -> Option<&T> {
        let last_of = |page: &[T]| page.partition_point(&is_so).checked_sub(1);
        let page = self.full.partition_point(|page| is_so(&page[0]));
        let page_before = || page.checked_sub(1).map(|page| &self.full[page]);
        match last_of(&self.rest) {
            Some(last) if page == self.full.len() => self.rest.get(last),
            _ => page_before().and_then(|page| page.get(last_of(page)?)),
        }
    }
}

/// A list with an entry more.
fn with<T: Clone>(entries: &[T], entry: T) -> Arc<[T]> {
    entries.iter().cloned().chain([entry]).collect()
}
