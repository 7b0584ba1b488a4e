//! What happened in a match, all of it: a list that only grows, of which copies share everything but its end.
//!
//! All but the latest is packed: a match that waits for its next move is mostly its past.

use std::borrow::Cow;
use std::sync::Arc;

use super::log::{MadeMove, Raw};
use super::packed::{Reader, Writer, pack, unpack};

/// Things that are packed together.
const TOGETHER: usize = 32;

/// What happened. A copy costs the same however long it is, and so does growing one of two copies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Past {
    /// All but the last, [`TOGETHER`] on each.
    pages: Arc<Vec<Page>>,
    /// Fewer than [`TOGETHER`].
    last: Arc<Vec<Raw>>,
    /// How many of them are moves.
    moves: usize,
}

#[derive(Clone, Debug)]
struct Page {
    packed: Arc<[u8]>,
    /// Moves up to its end.
    moves: usize,
}

impl Page {
    fn open(&self) -> Vec<Raw> {
        unpack(&self.packed).expect("a page holds what was packed")
    }
}

impl Past {
    /// How much has happened.
    pub(crate) fn len(&self) -> usize {
        self.pages.len() * TOGETHER + self.last.len()
    }

    /// How many moves were made.
    pub(crate) fn moves(&self) -> usize {
        self.moves
    }

    /// Adds one at the end.
    fn push(&mut self, raw: Raw) {
        self.moves += usize::from(matches!(raw, Raw::Move(_)));
        let last = Arc::make_mut(&mut self.last);
        last.push(raw);
        if last.len() == TOGETHER {
            Arc::make_mut(&mut self.pages).push(Page {
                packed: pack(last).into(),
                moves: self.moves,
            });
            self.last = Arc::default();
        }
    }

    /// What happened from a place on, in order.
    pub(crate) fn from(&self, first: usize) -> impl Iterator<Item = Cow<'_, Raw>> {
        let pages = self.pages.get(first / TOGETHER..).unwrap_or(&[]);
        let within = if pages.is_empty() {
            0
        } else {
            first % TOGETHER
        };
        let packed = pages.iter().flat_map(Page::open).skip(within);
        let first = first.saturating_sub(self.pages.len() * TOGETHER);
        let last = self.last.get(first..).unwrap_or(&[]);
        packed.map(Cow::Owned).chain(last.iter().map(Cow::Borrowed))
    }

    /// The moves from one on (from zero), in order.
    pub(crate) fn moves_from(&self, first: usize) -> impl Iterator<Item = Cow<'_, MadeMove>> {
        let page = self.pages.partition_point(|page| page.moves <= first);
        let before = page.checked_sub(1).map_or(0, |page| self.pages[page].moves);
        self.from(page * TOGETHER)
            .filter_map(made)
            .skip(first - before)
    }

    /// The moves, the last first.
    pub(crate) fn moves_backwards(&self) -> impl Iterator<Item = Cow<'_, MadeMove>> {
        let last = self.last.iter().rev().map(Cow::Borrowed);
        let packed = self.pages.iter().rev();
        let packed = packed.flat_map(|page| page.open().into_iter().rev());
        last.chain(packed.map(Cow::Owned)).filter_map(made)
    }

    /// Writes all of it.
    pub(crate) fn save(&self, out: &mut Writer) {
        out.number(self.len() as u64);
        let last = pack(&self.last);
        let pages = self.pages.iter().map(|page| &*page.packed);
        for page in pages.chain([&last[..]]) {
            out.number(page.len() as u64);
            out.0.extend_from_slice(page);
        }
    }

    /// Reads what was written, if each thing is one that can have happened.
    pub(crate) fn restore(
        from: &mut Reader<'_>,
        can_happen: impl Fn(&Raw) -> bool,
    ) -> Option<Past> {
        let length = usize::try_from(from.number()?).ok()?;
        let mut past = Past::default();
        loop {
            let size = usize::try_from(from.number()?).ok()?;
            let packed = from.bytes(size)?;
            let raws = unpack(packed)?;
            if raws.len() > TOGETHER || !raws.iter().all(&can_happen) {
                return None;
            }
            let is_last = raws.len() < TOGETHER;
            raws.into_iter().for_each(|raw| past.push(raw));
            if is_last {
                return (past.len() == length).then_some(past);
            }
        }
    }
}

impl Extend<Raw> for Past {
    fn extend<I: IntoIterator<Item = Raw>>(&mut self, raws: I) {
        for raw in raws {
            self.push(raw);
        }
    }
}

/// The move, if it is one.
fn made(raw: Cow<'_, Raw>) -> Option<Cow<'_, MadeMove>> {
    match raw {
        Cow::Borrowed(Raw::Move(made)) => Some(Cow::Borrowed(made)),
        Cow::Owned(Raw::Move(made)) => Some(Cow::Owned(*made)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::api::Origin;

    /// The `n`th thing: every third is a move.
    fn nth(n: u32) -> Raw {
        match n % 3 {
            0 => Raw::Move(Box::new(MadeMove {
                seat: 0,
                ask: n,
                mv: 0,
                args: vec![0, n.into()],
                plan: Vec::new(),
                seen: Vec::new(),
                origin: Origin::Player,
            })),
            _ => Raw::Due { ending: n },
        }
    }

    #[test]
    fn copies_grow_apart_and_are_read_from_anywhere() {
        let mut first = Past::default();
        for n in 0..200 {
            let before = first.clone();
            let mut other = first.clone();
            first.extend([nth(n)]);
            other.extend([Raw::Over]);
            let length = n as usize;
            assert_eq!(before.len(), length);
            assert_eq!((first.len(), other.len()), (length + 1, length + 1));
            assert_eq!(other.from(length).next().as_deref(), Some(&Raw::Over));
            assert!(before.from(length).next().is_none());
            for from in [0, n / 2, n, n + 1] {
                let read = first.from(from as usize).map(Cow::into_owned);
                assert!(read.eq((from..=n).map(nth)), "{from} of {n}");
            }
            let asked = |made: Cow<'_, MadeMove>| made.ask;
            let all: Vec<u32> = (0..=n).filter(|n| n % 3 == 0).collect();
            assert_eq!(first.moves(), all.len());
            for from in [0, all.len() / 2, all.len()] {
                assert!(first.moves_from(from).map(asked).eq(all[from..].to_vec()));
            }
            assert!(first.moves_backwards().map(asked).eq(all.into_iter().rev()));
        }
    }

    #[test]
    fn what_is_saved_is_restored_and_goes_on() {
        for length in [0, 1, 31, 32, 33, 64, 100] {
            let mut past = Past::default();
            past.extend((0..length).map(nth));
            let mut saved = Writer::default();
            past.save(&mut saved);
            let restored = Past::restore(&mut Reader(&saved.0), |_| true);
            let mut restored = restored.expect("it was saved");
            restored.extend([nth(length)]);
            let read = restored.from(0).map(Cow::into_owned);
            assert!(read.eq((0..=length).map(nth)), "{length}");
            assert!(Past::restore(&mut Reader(&saved.0), |_| false).is_none() || length == 0);
        }
    }
}
