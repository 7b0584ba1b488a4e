//! What happened in a match, all of it: a list that only grows, of which copies share everything.
//!
//! All but the latest is packed: a match that waits for its next move is mostly its history. What happened last is
//! never packed, however much it is: all who follow the match are about to read it.

use std::borrow::Cow;
use std::sync::Arc;

use smallvec::SmallVec;

use super::history_encoding::{Reader, Writer, pack, unpack};
use crate::numbers::Fit as _;
use crate::play::state::{Happened, MadeMove, Raw};

/// Things that are packed together.
const TOGETHER: usize = 32;

/// What happened. A copy costs the same however long it is, and so does growing one of two copies.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    /// The first of it, [`TOGETHER`] on each.
    pages: Arc<Vec<Page>>,
    /// The rest, in pieces as it came: the last of them.
    recent: Option<Arc<Piece>>,
    /// How many of all of it are moves.
    moves: usize,
}

#[derive(Clone, Debug)]
struct Page {
    packed: Arc<[u8]>,
    /// Moves up to its end.
    moves: usize,
}

/// What came together, and what came before it: a copy of a history shares all pieces by sharing the last.
#[derive(Debug)]
struct Piece {
    happened: Arc<[Happened]>,
    before: Option<Arc<Piece>>,
    /// How much is in it and in those before.
    length: usize,
}

impl Page {
    fn open(&self) -> Vec<Happened> {
        unpack(&self.packed).expect("a page holds what was packed")
    }
}

impl History {
    /// How much has happened.
    pub(crate) fn len(&self) -> usize {
        self.packed() + self.unpacked()
    }

    /// How many moves were made.
    pub(crate) fn moves(&self) -> usize {
        self.moves
    }

    /// How much is on pages.
    fn packed(&self) -> usize {
        self.pages.len() * TOGETHER
    }

    /// How much is on none.
    fn unpacked(&self) -> usize {
        self.recent.as_ref().map_or(0, |last| last.length)
    }

    /// The pieces of what is recent, the last first.
    fn pieces(&self) -> impl Iterator<Item = &Arc<[Happened]>> {
        let pieces = std::iter::successors(self.recent.as_ref(), |piece| piece.before.as_ref());
        pieces.map(|piece| &piece.happened)
    }

    /// What is recent from a place in it on, in order.
    fn recent(&self, first: usize) -> impl Iterator<Item = &Happened> {
        let mut left = self.unpacked().saturating_sub(first);
        let mut parts: SmallVec<[&[Happened]; TOGETHER]> = SmallVec::new();
        for piece in self.pieces() {
            if left == 0 {
                break;
            }
            let taken = left.min(piece.len());
            parts.push(&piece[piece.len() - taken..]);
            left -= taken;
        }
        parts.into_iter().rev().flatten()
    }

    fn push(&mut self, happened: Arc<[Happened]>) {
        if !happened.is_empty() {
            self.recent = Some(Arc::new(Piece {
                length: self.unpacked() + happened.len(),
                happened,
                before: self.recent.take(),
            }));
        }
    }

    /// Packs what fills pages.
    fn pack(&mut self) {
        let whole = self.unpacked() / TOGETHER * TOGETHER;
        if whole == 0 {
            return;
        }
        let mut moves = self.pages.last().map_or(0, |page| page.moves);
        let full: Vec<&Happened> = self.recent(0).take(whole).collect();
        let full = full.chunks(TOGETHER).map(|page| {
            moves += page.iter().filter(|raw| is_move(raw)).count();
            Page {
                packed: pack(page.iter().copied()).into(),
                moves,
            }
        });
        let full: Vec<Page> = full.collect();
        Arc::make_mut(&mut self.pages).extend(full);
        self.forget(whole);
    }

    /// Drops the first so many of the recent.
    fn forget(&mut self, count: usize) {
        let mut left = self.unpacked().saturating_sub(count);
        let mut kept: SmallVec<[Arc<[Happened]>; TOGETHER]> = SmallVec::new();
        for piece in self.pieces() {
            if left < piece.len() {
                kept.push(piece[piece.len() - left..].into());
                break;
            }
            kept.push(piece.clone());
            left -= piece.len();
        }
        self.recent = None;
        kept.into_iter().rev().for_each(|piece| self.push(piece));
    }

    /// Takes back so much of what was said last.
    pub(crate) fn retract(&mut self, count: usize) {
        if count == 0 {
            return;
        }
        if let Some(latest) = self.recent.take() {
            self.recent.clone_from(&latest.before);
            let kept = latest.happened.len().saturating_sub(count);
            self.push(latest.happened[..kept].into());
        }
    }

    /// What happened from a place on, in order.
    pub(crate) fn from(&self, first: usize) -> impl Iterator<Item = Cow<'_, Happened>> {
        let pages = self.pages.get(first / TOGETHER..).unwrap_or(&[]);
        let within = if pages.is_empty() {
            0
        } else {
            first % TOGETHER
        };
        let packed = pages.iter().flat_map(Page::open).skip(within);
        let recent = self.recent(first.saturating_sub(self.packed()));
        packed.map(Cow::Owned).chain(recent.map(Cow::Borrowed))
    }

    /// The moves from one on (from zero), in order.
    pub(crate) fn moves_from(&self, first: usize) -> impl Iterator<Item = Cow<'_, MadeMove>> {
        let page = self.pages.partition_point(|page| page.moves <= first);
        let before = page.checked_sub(1).map_or(0, |page| self.pages[page].moves);
        self.from(page * TOGETHER)
            .filter_map(made)
            .skip(first - before)
    }

    /// Where a move stands (from zero) among all that happened.
    pub(crate) fn place_of_move(&self, number: usize) -> Option<usize> {
        let page = self.pages.partition_point(|page| page.moves <= number);
        let before = page.checked_sub(1).map_or(0, |page| self.pages[page].moves);
        let first = page * TOGETHER;
        let moves = (first..)
            .zip(self.from(first))
            .filter(|(_, raw)| is_move(raw));
        let mut moves = moves.map(|(at, _)| at);
        moves.nth(number.checked_sub(before)?)
    }

    /// How many of the first so many things are moves.
    pub(crate) fn moves_before(&self, place: usize) -> usize {
        let page = (place / TOGETHER).min(self.pages.len());
        let before = page.checked_sub(1).map_or(0, |page| self.pages[page].moves);
        let first = page * TOGETHER;
        let rest = self.from(first).take(place.saturating_sub(first));
        before + rest.filter(|raw| is_move(raw)).count()
    }

    /// The moves, the last first.
    pub(crate) fn moves_backwards(&self) -> impl Iterator<Item = Cow<'_, MadeMove>> {
        let recent = self.pieces().flat_map(|piece| piece.iter().rev());
        let recent = recent.map(Cow::Borrowed);
        let packed = self.pages.iter().rev();
        let packed = packed.flat_map(|page| page.open().into_iter().rev());
        recent.chain(packed.map(Cow::Owned)).filter_map(made)
    }

    /// Writes all of it.
    pub(crate) fn save(&self, out: &mut Writer) {
        out.number(self.len().fit());
        let mut all = self.clone();
        all.pack();
        let last = pack(all.recent(0));
        let pages = all.pages.iter().map(|page| &*page.packed);
        for page in pages.chain([&last[..]]) {
            out.number(page.len().fit());
            out.0.extend_from_slice(page);
        }
    }

    /// Reads what was written, if each thing is one that can have happened.
    pub(crate) fn restore(
        from: &mut Reader<'_>,
        can_happen: impl Fn(&Happened) -> bool,
    ) -> Option<History> {
        let length = usize::try_from(from.number()?).ok()?;
        let mut history = History::default();
        loop {
            let size = usize::try_from(from.number()?).ok()?;
            let packed = from.bytes(size)?;
            let raws = unpack(packed)?;
            if raws.len() > TOGETHER || !raws.iter().all(&can_happen) {
                return None;
            }
            let is_last = raws.len() < TOGETHER;
            history.extend(raws);
            if is_last {
                return (history.len() == length).then_some(history);
            }
        }
    }
}

impl Extend<Happened> for History {
    fn extend<I: IntoIterator<Item = Happened>>(&mut self, happened: I) {
        let latest: Arc<[Happened]> = happened.into_iter().collect();
        if !latest.is_empty() {
            self.pack();
            self.moves += latest.iter().filter(|raw| is_move(raw)).count();
            self.push(latest);
        }
    }
}

fn is_move(happened: &Happened) -> bool {
    matches!(happened.raw, Raw::Move(_))
}

/// The move, if it is one.
fn made(happened: Cow<'_, Happened>) -> Option<Cow<'_, MadeMove>> {
    match happened {
        Cow::Borrowed(Happened {
            raw: Raw::Move(made),
            ..
        }) => Some(Cow::Borrowed(made)),
        Cow::Owned(Happened {
            raw: Raw::Move(made),
            ..
        }) => Some(Cow::Owned(*made)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::api::Origin;
    use crate::program::ids::{AskId, CauseId, EndingId, MoveId};

    /// The `n`th thing: every third is a move.
    fn nth(n: u32) -> Happened {
        let raw = match n % 3 {
            0 => Raw::Move(Box::new(MadeMove {
                seat: 0,
                ask: AskId(n),
                mv: MoveId(0),
                args: vec![0, n.into()],
                plan: Vec::new(),
                seen: Vec::new(),
                origin: Origin::Player,
            })),
            _ => Raw::Due {
                ending: EndingId(n),
            },
        };
        let cause = CauseId(n % 5);
        Happened { raw, cause }
    }

    fn over() -> Happened {
        Happened {
            raw: Raw::Over,
            cause: CauseId::NONE,
        }
    }

    #[test]
    fn copies_grow_apart_and_are_read_from_anywhere() {
        let mut first = History::default();
        for n in 0..200 {
            let before = first.clone();
            let mut other = first.clone();
            first.extend([nth(n)]);
            other.extend([over()]);
            let length = n as usize;
            assert_eq!(before.len(), length);
            assert_eq!((first.len(), other.len()), (length + 1, length + 1));
            assert_eq!(other.from(length).next().as_deref(), Some(&over()));
            assert!(before.from(length).next().is_none());
            for from in [0, n / 2, n, n + 1] {
                let read = first.from(from as usize).map(Cow::into_owned);
                assert!(read.eq((from..=n).map(nth)), "{from} of {n}");
            }
            let asked = |made: Cow<'_, MadeMove>| made.ask;
            let all: Vec<AskId> = (0..=n).step_by(3).map(AskId).collect();
            assert_eq!(first.moves(), all.len());
            for place in [0, length / 2, length, length + 1] {
                assert_eq!(first.moves_before(place), place.div_ceil(3), "{place}");
            }
            for from in [0, all.len() / 2, all.len()] {
                assert!(first.moves_from(from).map(asked).eq(all[from..].to_vec()));
            }
            assert!(first.moves_backwards().map(asked).eq(all.into_iter().rev()));
        }
    }

    #[test]
    fn what_comes_together_is_packed_when_more_comes() {
        for size in [1, 5, 31, 32, 33, 100] {
            let mut history = History::default();
            for first in (0..10).map(|piece| piece * size) {
                history.extend((first..first + size).map(nth));
                let length = (first + size) as usize;
                assert_eq!(
                    (history.len(), history.moves()),
                    (length, length.div_ceil(3))
                );
                assert!(
                    history.packed() <= first as usize,
                    "the latest is not packed"
                );
                assert!(first as usize - history.packed() < TOGETHER);
                for from in [0, first, first + size - 1, first + size] {
                    let read = history.from(from as usize).map(Cow::into_owned);
                    assert!(read.eq((from..first + size).map(nth)), "{from} of {length}");
                }
            }
        }
    }

    #[test]
    fn what_is_saved_is_restored_and_goes_on() {
        for length in [0, 1, 31, 32, 33, 64, 100] {
            let mut history = History::default();
            history.extend((0..length).map(nth));
            let mut saved = Writer::default();
            history.save(&mut saved);
            let restored = History::restore(&mut Reader(&saved.0), |_| true);
            let mut restored = restored.expect("it was saved");
            restored.extend([nth(length)]);
            let read = restored.from(0).map(Cow::into_owned);
            assert!(read.eq((0..=length).map(nth)), "{length}");
            assert!(History::restore(&mut Reader(&saved.0), |_| false).is_none() || length == 0);
        }
    }
}
