//! What happened in a match, all of it: a list that only grows, of which copies share everything.
//!
//! All but the latest is packed: a match that waits for its next move is mostly its history. What happened last is
//! never packed, however much it is: all who follow the match are about to read it.

use std::borrow::Cow;
use std::sync::Arc;

use smallvec::SmallVec;

use super::history_encoding::{Reader, Writer, pack, unpack};
use crate::numbers::Fit as _;
use crate::state::{Happened, MadeMove, Raw};

/// Number of events that are packed together.
pub const TOGETHER: usize = 32;

/// The list of everything that happened in a match.
///
/// A copy costs the same however long it is, and so does growing one of two copies.
#[derive(Clone, Debug, Default)]
pub struct History {
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
    /// Returns whether nothing has happened.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of events.
    pub fn len(&self) -> usize {
        self.packed() + self.unpacked()
    }

    /// Returns the number of moves that were made.
    pub fn moves(&self) -> usize {
        self.moves
    }

    /// Returns the number of events that are packed.
    pub fn packed(&self) -> usize {
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

    /// Removes this number of events from the last addition.
    pub fn retract(&mut self, count: usize) {
        if count == 0 {
            return;
        }
        if let Some(latest) = self.recent.take() {
            self.recent.clone_from(&latest.before);
            let kept = latest.happened.len().saturating_sub(count);
            self.push(latest.happened[..kept].into());
        }
    }

    /// Iterates over the events from an index on, in order.
    pub fn from(&self, first: usize) -> impl Iterator<Item = Cow<'_, Happened>> {
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

    /// Iterates over the moves from the move with a number (from zero) on, in order.
    pub fn moves_from(&self, first: usize) -> impl Iterator<Item = Cow<'_, MadeMove>> {
        let page = self.pages.partition_point(|page| page.moves <= first);
        let before = page.checked_sub(1).map_or(0, |page| self.pages[page].moves);
        self.from(page * TOGETHER)
            .filter_map(made)
            .skip(first - before)
    }

    /// Returns the index of a move, given by its number (from zero), among all events.
    pub fn place_of_move(&self, number: usize) -> Option<usize> {
        let page = self.pages.partition_point(|page| page.moves <= number);
        let before = page.checked_sub(1).map_or(0, |page| self.pages[page].moves);
        let first = page * TOGETHER;
        let moves = (first..)
            .zip(self.from(first))
            .filter(|(_, raw)| is_move(raw));
        let mut moves = moves.map(|(at, _)| at);
        moves.nth(number.checked_sub(before)?)
    }

    /// Returns the number of moves among the first `place` events.
    pub fn moves_before(&self, place: usize) -> usize {
        let page = (place / TOGETHER).min(self.pages.len());
        let before = page.checked_sub(1).map_or(0, |page| self.pages[page].moves);
        let first = page * TOGETHER;
        let rest = self.from(first).take(place.saturating_sub(first));
        before + rest.filter(|raw| is_move(raw)).count()
    }

    /// Iterates over the moves, the last first.
    pub fn moves_backwards(&self) -> impl Iterator<Item = Cow<'_, MadeMove>> {
        let recent = self.pieces().flat_map(|piece| piece.iter().rev());
        let recent = recent.map(Cow::Borrowed);
        let packed = self.pages.iter().rev();
        let packed = packed.flat_map(|page| page.open().into_iter().rev());
        recent.chain(packed.map(Cow::Owned)).filter_map(made)
    }

    /// Writes the whole history.
    pub fn save(&self, out: &mut Writer) {
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

    /// Reads a history that was [saved](Self::save).
    ///
    /// Returns `None` if the bytes are anything else, or if `can_happen` rejects an event.
    pub fn restore(
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
