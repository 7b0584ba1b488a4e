//! Pieces over places, as a player may spread them: counted with a table of ways to go on, drawn by walking it.

use std::ops::RangeInclusive;
use std::sync::OnceLock;

use smallvec::SmallVec;

use super::afford;
use super::ways::{Number, Ways};
use crate::numbers::{At as _, Fit as _};
use crate::play::machine::trouble::TroubleKind;

/// Pieces over places: all must be placed, except for those that do not fit.
#[derive(Clone, Debug)]
pub(crate) struct SpreadDomain {
    /// How many pieces of each row there are.
    pub pieces: Vec<u32>,
    /// How many pieces each place holds.
    pub rooms: Vec<u32>,
    /// What counting found, for the draw that follows.
    counted: OnceLock<Result<Box<Counted>, TroubleKind>>,
}

impl SpreadDomain {
    /// So many pieces of each row over places that hold so many.
    pub(crate) fn new(pieces: Vec<u32>, rooms: Vec<u32>) -> SpreadDomain {
        SpreadDomain {
            pieces,
            rooms,
            counted: OnceLock::new(),
        }
    }

    /// Whether a plan (for each place, counts per row) is complete.
    pub(crate) fn contains(&self, plan: &[u32]) -> bool {
        plan.len() == self.pieces.len() * self.rooms.len() && self.misplaced(plan).is_none()
    }

    /// What is wrong with a plan, if anything is: kinds first, then places, then how many are placed.
    pub(crate) fn misplaced(&self, plan: &[u32]) -> Option<Misplaced> {
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

    /// How many plans there are, unless they take too much to count.
    pub(crate) fn count(&self) -> Result<u128, TroubleKind> {
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

    /// Writes down the plan at an index.
    pub(crate) fn pick(&self, index: u128, plan: &mut [i64]) -> Result<(), TroubleKind> {
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
pub(crate) enum Misplaced {
    /// There are fewer pieces of this row.
    Row { row: usize, asked: u32 },
    /// This place has less room.
    Place { place: usize, asked: u32 },
    /// More could be placed.
    Left { placed: u32, due: u32 },
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

#[cfg(test)]
mod tests {
    use super::*;

    fn picked(domain: &SpreadDomain) -> Vec<Vec<u32>> {
        let indices = 0..domain.count().unwrap();
        let plans = indices.map(|index| {
            let mut plan = vec![-1; domain.rooms.len() * domain.pieces.len()];
            domain.pick(index, &mut plan).unwrap();
            plan.into_iter().map(|n| n as u32).collect()
        });
        plans.collect()
    }

    #[test]
    fn counts_beyond_counting_are_no_plan() {
        let domain = SpreadDomain::new(vec![2], vec![u32::MAX, u32::MAX]);
        assert!(!domain.contains(&[u32::MAX, 3]));
        assert!(domain.contains(&[1, 1]));
    }

    #[test]
    fn what_is_wrong_with_a_plan_is_told_with_its_number() {
        // Two rows over two places that hold one and two.
        let domain = SpreadDomain::new(vec![2, 1], vec![1, 2]);
        for (plan, wrong) in [
            ([1, 0, 1, 1], None),
            ([1, 0, 0, 2], Some(Misplaced::Row { row: 1, asked: 2 })),
            ([1, 1, 1, 0], Some(Misplaced::Place { place: 0, asked: 2 })),
            ([0, 0, 2, 0], Some(Misplaced::Left { placed: 2, due: 3 })),
        ] {
            assert_eq!(domain.misplaced(&plan), wrong, "{plan:?}");
        }
        // What does not fit is left.
        let crowded = SpreadDomain::new(vec![5], vec![1, 2]);
        assert_eq!(crowded.misplaced(&[1, 2]), None);
        let left = Misplaced::Left { placed: 2, due: 3 };
        assert_eq!(crowded.misplaced(&[0, 2]), Some(left));
    }

    #[test]
    fn what_takes_too_much_to_count_is_refused_at_once() {
        let most = u32::MAX;
        for (pieces, rooms) in [
            (vec![most], vec![1, 2]),
            (vec![1 << 31, 1 << 31, 0], vec![most]),
            (vec![100; 4], vec![1]),
            (vec![1 << 20], vec![1 << 20; 2]),
            (vec![3; 9], vec![9; 9]),
        ] {
            let domain = SpreadDomain::new(pieces, rooms);
            assert_eq!(domain.count(), Err(TroubleKind::TooManyChoices));
            assert!(domain.pick(0, &mut [0; 81]).is_err());
        }
    }

    #[test]
    fn spreads_are_counted_as_they_are_picked() {
        for (pieces, rooms) in [
            (vec![3], vec![1, 2, 0, 3]),
            (vec![9], vec![1, 2, 3]),
            (vec![2, 3], vec![1, 1, 2, 3]),
            (vec![4, 2], vec![1, 2]),
            (vec![0, 3, 0], vec![2, 1, 0, 2]),
            (vec![0, 7], vec![2, 1, 0, 2]),
            (vec![0, 0], vec![2, 1]),
            (vec![2, 1, 2], vec![1, 2, 3]),
            (vec![3, 0, 2, 2], vec![2, 1, 2]),
            (vec![2, 2], vec![]),
            (vec![2, 1], vec![u32::MAX, 1, u32::MAX]),
        ] {
            let domain = SpreadDomain::new(pieces, rooms);
            let mut plans = picked(&domain);
            assert!(plans.iter().all(|p| domain.contains(p)), "{domain:?}");
            let all = plans.len();
            plans.sort();
            plans.dedup();
            assert_eq!(plans.len(), all, "no plan twice");
            // Every complete plan is among them: count by brute force.
            let cells = domain.rooms.len() * domain.pieces.len();
            let most = sum(domain.pieces.iter().copied());
            let mut brute = vec![vec![]];
            for i in 0..cells {
                let most = most.min(domain.rooms[i / domain.pieces.len()]);
                brute = brute
                    .into_iter()
                    .flat_map(|c| (0..=most).map(move |n| [c.clone(), vec![n]].concat()))
                    .collect();
            }
            brute.retain(|p| domain.contains(p));
            assert_eq!(brute.len(), all);
        }
    }

    /// More ways than 64 bits can tell: of 80 places that hold one piece each, which 40 get one.
    #[test]
    fn many_ways_are_counted_too() {
        let domain = SpreadDomain::new(vec![40], vec![1; 80]);
        let binomial = (1..=40u128).fold(1, |ways, k| ways * (40 + k) / k);
        assert_eq!(domain.count(), Ok(binomial));
        let mut plan = vec![0; 80];
        for (index, first) in [(0, 0), (binomial - 1, 1)] {
            domain.pick(index, &mut plan).unwrap();
            assert_eq!(plan.iter().sum::<i64>(), 40);
            assert_eq!(plan[0], first);
        }
    }
}
