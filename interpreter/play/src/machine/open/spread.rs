//! Pieces over places, as a player may spread them: counted with a table of ways to go on, drawn by walking it.

use std::ops::RangeInclusive;
use std::sync::OnceLock;

use smallvec::SmallVec;

use super::afford;
use super::ways::{Number, Ways};
use crate::machine::trouble::TroubleKind;
use crate::numbers::{At as _, Fit as _};

/// The distributions of pieces over places: all are placed, except for those that do not fit.
#[derive(Clone, Debug)]
pub struct SpreadDomain {
    /// Number of pieces of each row.
    pub pieces: Vec<u32>,
    /// Number of pieces that each place holds.
    pub rooms: Vec<u32>,
    /// What counting found, for the draw that follows.
    counted: OnceLock<Result<Box<Counted>, TroubleKind>>,
}

impl SpreadDomain {
    /// Creates the domain for the pieces of each row and the rooms of each place.
    pub fn new(pieces: Vec<u32>, rooms: Vec<u32>) -> SpreadDomain {
        SpreadDomain {
            pieces,
            rooms,
            counted: OnceLock::new(),
        }
    }

    /// Returns whether a plan (for each place, counts per row) is complete.
    pub fn contains(&self, plan: &[u32]) -> bool {
        plan.len() == self.pieces.len() * self.rooms.len() && self.misplaced(plan).is_none()
    }

    /// Returns what is wrong with a plan: rows are checked first, then places, then the total.
    ///
    /// Returns `None` if the plan is complete.
    pub fn misplaced(&self, plan: &[u32]) -> Option<Misplaced> {
        let rows = self.pieces.len();
        for (row, there) in self.pieces.iter().enumerate() {
            let asked = sum(plan.iter().skip(row).step_by(rows).copied());
            if asked > *there {
                return Some(Misplaced::Row { row, asked });
            }
        }
        for (place, (counts, room)) in plan.chunks(rows).zip(&self.rooms).enumerate() {
            let asked = sum(counts.iter().copied());
            if asked > *room {
                return Some(Misplaced::Place { place, asked });
            }
        }
        let all = sum(self.pieces.iter().copied());
        let due = all.min(sum(self.rooms.iter().copied()));
        let placed = sum(plan.iter().copied());
        (placed < due).then_some(Misplaced::Left { placed, due })
    }

    /// Returns the number of plans.
    ///
    /// # Errors
    ///
    /// There are too many plans to count, or the budget of this thread is spent.
    pub fn count(&self) -> Result<u128, TroubleKind> {
        let counted = self.counted()?;
        let first = counted.states - 1;
        Ok(counted.ways.at(first))
    }

    fn counted(&self) -> Result<&Counted, TroubleKind> {
        let counted = self
            .counted
            .get_or_init(|| Counted::new(self).map(Box::new));
        counted.as_deref().map_err(|trouble| *trouble)
    }

    /// Writes the plan at an index to `plan`.
    ///
    /// # Errors
    ///
    /// As [`count`](Self::count).
    pub fn pick(&self, index: u128, plan: &mut [i64]) -> Result<(), TroubleKind> {
        let counted = self.counted()?;
        match &counted.ways {
            // There are no more plans than that.
            Ways::Narrow(ways) => self.pick_by(counted, ways, index.fit(), plan),
            Ways::Wide(ways) => self.pick_by(counted, ways, index, plan),
        }
        Ok(())
    }

    fn pick_by<N: Number>(&self, counted: &Counted, ways: &[N], index: N, plan: &mut [i64]) {
        let rows = self.pieces.len();
        let plan = &mut plan[..self.rooms.len() * rows];
        plan.fill(0);
        let Some((first, others)) = counted.kinds.split_first() else {
            return;
        };
        let mut left = first.pieces;
        let others_left = others.iter().map(|kind| kind.pieces);
        let mut others_left: SmallVec<[u32; 4]> = others_left.collect();
        let (mut state, mut index) = (counted.states - 1, index);
        let places = self.rooms.iter().zip(plan.chunks_mut(rows));
        // What lies behind each place with room.
        let mut behind = 0;
        for (room, plan) in places.filter(|(room, _)| **room > 0) {
            behind += counted.states;
            let ways = &ways[behind..][..counted.states];
            let mut chosen = None;
            'takes: for n in 0..=left.min(*room) {
                for take in &counted.takes {
                    let fits = match counted.full {
                        true => n + take.size == *room,
                        false => n + take.size <= *room,
                    };
                    if !fits || !are_left(counted.counts_of(take), &others_left) {
                        continue;
                    }
                    let here = ways[state - n.at() - take.offset];
                    if index < here {
                        chosen = Some((n, take));
                        break 'takes;
                    }
                    index = index.minus(here);
                }
            }
            let Some((n, take)) = chosen else {
                continue;
            };
            let counts = counted.counts_of(take);
            plan[first.row] = i64::from(n);
            left -= n;
            for ((kind, count), left) in others.iter().zip(counts).zip(&mut others_left) {
                plan[kind.row] = i64::from(*count);
                *left -= count;
            }
            state -= n.at() + take.offset;
        }
    }
}

/// What is wrong with a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misplaced {
    /// There are fewer pieces of this row.
    Row {
        /// Index of the row.
        row: usize,
        /// Number of pieces of the row in the plan.
        asked: u32,
    },
    /// This place has less room.
    Place {
        /// Index of the place.
        place: usize,
        /// Number of pieces that the plan puts there.
        asked: u32,
    },
    /// More could be placed.
    Left {
        /// Number of pieces in the plan.
        placed: u32,
        /// Number of pieces that must be placed.
        due: u32,
    },
}

/// How many pieces, or how much room; what is without limit stays so.
fn sum(numbers: impl IntoIterator<Item = u32>) -> u32 {
    numbers.into_iter().fold(0, u32::saturating_add)
}

/// Pieces of a row that are spread.
#[derive(Clone, Debug)]
struct Kind {
    row: usize,
    pieces: u32,
    /// What one of them counts in the number of a state.
    stride: usize,
}

/// What a place may take of all kinds but the first.
#[derive(Clone, Debug)]
struct Take {
    /// Where its counts are.
    at: usize,
    /// How many pieces they are.
    size: u32,
    /// By how much they lower the number of a state.
    offset: usize,
}

/// How many ways there are to go on, for each place with room (and the end) and each state.
///
/// A state is how many pieces are left of each kind of which there are any. States that differ in the first
/// kind alone lie side by side.
#[derive(Clone, Debug)]
struct Counted {
    kinds: SmallVec<[Kind; 1]>,
    /// How many states there are.
    states: usize,
    /// Everything is full when all is done.
    full: bool,
    /// What places may take of all kinds but the first, if they have room: by the second kind, then the third,
    /// and so on.
    takes: SmallVec<[Take; 1]>,
    counts: SmallVec<[u32; 4]>,
    ways: Ways,
}

impl Counted {
    fn new(domain: &SpreadDomain) -> Result<Counted, TroubleKind> {
        let numbers = domain.pieces.iter().fold(
            domain
                .rooms
                .iter()
                .filter(|room| **room > 0)
                .count()
                .fit::<u64>()
                + 1,
            |numbers, pieces| numbers.saturating_mul(u64::from(*pieces) + 1),
        );
        afford(numbers, 0)?;
        let mut states = 1;
        let pieces = domain.pieces.iter().copied().enumerate();
        let kinds = pieces.filter(|(_, pieces)| *pieces > 0);
        let kinds = kinds.map(|(row, pieces)| {
            let stride = states;
            states *= pieces.at() + 1;
            Kind {
                row,
                pieces,
                stride,
            }
        });
        // No place takes more than there is, and where there is no room nothing is chosen.
        let all = sum(domain.pieces.iter().copied());
        let rooms = domain.rooms.iter().filter(|room| **room > 0);
        let rooms: SmallVec<[u32; 32]> = rooms.map(|room| all.min(*room)).collect();
        let mut counted = Counted {
            kinds: kinds.collect(),
            states,
            full: all > sum(rooms.iter().copied()),
            takes: SmallVec::new(),
            counts: SmallVec::new(),
            ways: Ways::Narrow(vec![1]),
        };
        if let Some((first, others)) = counted.kinds.split_first() {
            let widest = rooms.iter().max().copied().unwrap_or(0);
            let mut counts = SmallVec::<[u32; 4]>::from_elem(0, others.len());
            let (takes, taken) = (&mut counted.takes, &mut counted.counts);
            collect(
                others,
                &mut counts,
                0,
                (0, 0),
                widest,
                &mut |take, counts| {
                    takes.push(Take {
                        at: taken.len(),
                        ..take
                    });
                    taken.extend_from_slice(counts);
                },
            );
            // In how many ways each place may take something, whatever the others take. Neighbours are often alike.
            let mut last = (0, 1u64);
            let mut additions = 0u64;
            let mut most = Some(1u64);
            for room in &rooms {
                if *room != last.0 {
                    let takes = counted.takes.iter().filter(|take| take.size <= *room);
                    let here = takes.map(|take| u64::from(first.pieces.min(room - take.size)) + 1);
                    last = (*room, here.sum());
                }
                additions = additions.saturating_add(last.1.saturating_mul(states.fit()));
                most = most.and_then(|most| most.checked_mul(last.1));
            }
            afford(numbers, additions)?;
            // No more ways than if every place took what it may.
            counted.ways = match most {
                Some(_) => Ways::Narrow(counted.count(all, &rooms)),
                None => Ways::Wide(counted.count(all, &rooms)),
            };
        }
        Ok(counted)
    }

    fn counts_of(&self, take: &Take) -> &[u32] {
        &self.counts[take.at..take.at + self.kinds.len() - 1]
    }

    /// The numbers of ways for so many pieces and these rooms, of which none is empty.
    fn count<N: Number>(&self, pieces: u32, rooms: &[u32]) -> Vec<N> {
        let (states, full) = (self.states, self.full);
        let (first, others) = (&self.kinds[0], &self.kinds[1..]);
        let mut at = rooms.len() * states;
        let mut ways = vec![N::from(0); at + states];
        for (state, way) in ways[at..].iter_mut().enumerate() {
            *way = N::from(u8::from(full || state == 0));
        }
        let (mut before, mut from_here) = (sum(rooms.iter().copied()), 0u32);
        let side = first.pieces.at() + 1;
        let mut left = SmallVec::<[u32; 4]>::from_elem(0, others.len());
        for room in rooms.iter().copied().rev() {
            before -= room;
            from_here = from_here.saturating_add(room);
            // How many pieces can be left here: at least what does not fit before, and no more than fits from here
            // on. If everything is full, what was taken before is known.
            let fewest = pieces.saturating_sub(before);
            let most = if full { fewest } else { pieces.min(from_here) };
            let (here, behind) = ways.split_at_mut(at);
            at -= states;
            let here = &mut here[at..];
            let mut others_left = 0;
            for base in (0..states).step_by(side) {
                let start = fewest.saturating_sub(others_left).at();
                let end = side.min((most + 1).saturating_sub(others_left).at());
                // Here nothing is counted unless some states can be.
                let takes = match start < end {
                    true => &self.takes[..],
                    false => &[],
                };
                for take in takes {
                    if take.size > room || !are_left(self.counts_of(take), &left) {
                        continue;
                    }
                    // Of the first kind: all that there is room for if everything is full, else up to that.
                    let most = (room - take.size).at();
                    let fewest = if full { most } else { 0 };
                    let behind = &behind[base - take.offset..][..end];
                    add_taken(&mut here[base..base + end], behind, start, fewest..=most);
                }
                for (left, kind) in left.iter_mut().zip(others) {
                    *left += 1;
                    others_left += 1;
                    if *left <= kind.pieces {
                        break;
                    }
                    others_left -= *left;
                    *left = 0;
                }
            }
        }
        ways
    }
}

/// Collects what a place with so much room may take of these kinds, from the one at an index on.
fn collect(
    kinds: &[Kind],
    counts: &mut [u32],
    at: usize,
    (size, offset): (u32, usize),
    room: u32,
    found: &mut impl FnMut(Take, &[u32]),
) {
    let Some(kind) = kinds.get(at) else {
        let at = 0;
        return found(Take { at, size, offset }, counts);
    };
    for n in 0..=kind.pieces.min(room) {
        counts[at] = n;
        let taken = (size + n, offset + kind.stride * n.at());
        collect(kinds, counts, at + 1, taken, room - n, found);
    }
}

/// Whether there are so many pieces of each kind.
fn are_left(counts: &[u32], left: &[u32]) -> bool {
    counts.iter().zip(left).all(|(count, left)| count <= left)
}

/// Adds to the number of each state, from one on, those of the states that lie so many before it.
#[inline]
fn add_taken<N: Number>(to: &mut [N], from: &[N], start: usize, taken: RangeInclusive<usize>) {
    // Most places take one piece or none.
    if taken == (0..=1) && start > 0 {
        let pairs = from[start - 1..].windows(2);
        for (to, pair) in to[start..].iter_mut().zip(pairs) {
            *to = to.plus(pair[0].plus(pair[1]));
        }
        return;
    }
    for n in taken {
        let start = start.max(n);
        if start < to.len() {
            for (to, from) in to[start..].iter_mut().zip(&from[start - n..]) {
                *to = to.plus(*from);
            }
        }
    }
}
