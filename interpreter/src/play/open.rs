//! Open parameters: amounts, bags and spreads, counted and drawn without listing.
//!
//! A domain counts its completions exactly and gives the one at an index in a stated order, so a
//! uniform draw of an index is a uniform draw of a completion.

use std::sync::OnceLock;

/// A number from one to another, in steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AmountDomain {
    /// The least.
    pub from: i64,
    /// No more than this.
    pub to: i64,
    /// At least 1.
    pub step: i64,
}

impl AmountDomain {
    /// Whether a number is one of them.
    pub(crate) fn contains(self, number: i64) -> bool {
        (self.from..=self.to).contains(&number) && (number - self.from) % self.step == 0
    }

    /// How many there are.
    pub(crate) fn count(self) -> u128 {
        match u128::try_from(self.to - self.from) {
            Ok(width) => width / self.step as u128 + 1,
            Err(_) => 0,
        }
    }

    /// The number at an index, from the least on.
    pub(crate) fn pick(self, index: u128) -> i64 {
        self.from + index as i64 * self.step
    }
}

/// Some of what lies in a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BagDomain {
    /// How many of each row can be chosen at most.
    pub available: Vec<u32>,
    /// Fewest pieces in all.
    pub least: u32,
    /// Most pieces in all.
    pub most: u32,
    /// Outside the `.1` fullest kinds at most `.0` pieces.
    pub loose_beyond: Option<(u32, u32)>,
    /// At most so many kinds.
    pub kinds: Option<u32>,
}

impl BagDomain {
    /// Whether a choice is within the limits.
    pub(crate) fn contains(&self, counts: &[u32]) -> bool {
        let size: u32 = counts.iter().sum();
        counts.len() == self.available.len()
            && counts.iter().zip(&self.available).all(|(c, a)| c <= a)
            && (self.least..=self.most).contains(&size)
            && self.within(counts)
    }

    /// The limits that can only be broken, never mended, by adding pieces.
    fn within(&self, counts: &[u32]) -> bool {
        if let Some(kinds) = self.kinds
            && counts.iter().filter(|c| **c > 0).count() > kinds as usize
        {
            return false;
        }
        if let Some((loose, beyond)) = self.loose_beyond {
            return loose_pieces(counts, beyond) <= loose;
        }
        true
    }

    /// Every choice in order; `true` stops.
    pub(crate) fn each_choice(&self, f: &mut dyn FnMut(&[u32]) -> bool) {
        self.each(&mut vec![0; self.available.len()], 0, 0, &mut |counts| {
            f(counts)
        });
    }

    /// How many choices there are.
    pub(crate) fn count(&self) -> u128 {
        if self.loose_beyond.is_none() {
            let ways = self.ways();
            return ways.all();
        }
        let mut n = 0;
        self.each_choice(&mut |_| {
            n += 1;
            false
        });
        n
    }

    /// The choice at an index.
    pub(crate) fn pick(&self, index: u128) -> Vec<u32> {
        if self.loose_beyond.is_none() {
            return self.pick_counted(index);
        }
        let mut left = index;
        let mut found = vec![0; self.available.len()];
        self.each_choice(&mut |counts| {
            if left == 0 {
                found = counts.to_vec();
                return true;
            }
            left -= 1;
            false
        });
        found
    }

    fn pick_counted(&self, index: u128) -> Vec<u32> {
        let ways = self.ways();
        let (mut left, mut size, mut kinds) = (index, 0, 0);
        let mut counts = vec![0; self.available.len()];
        for (row, count) in counts.iter_mut().enumerate() {
            for n in 0..=self.available[row] {
                let here = ways.at(row + 1, size + n, kinds + u32::from(n > 0));
                if left < here {
                    *count = n;
                    break;
                }
                left -= here;
            }
            size += *count;
            kinds += u32::from(*count > 0);
        }
        counts
    }

    /// For each row, and each number of pieces and kinds chosen before it, the number of ways to go on.
    fn ways(&self) -> Ways {
        let rows = self.available.len();
        let all = self
            .available
            .iter()
            .fold(0u32, |a, n| a.saturating_add(*n));
        let most = self.most.min(all) as usize;
        // Kinds are counted only if there is a limit.
        let kinds = self.kinds.map_or(0, |k| k.min(rows as u32) as usize);
        let limited = self.kinds.is_some();
        let (sizes, kinds) = (most + 1, kinds + 1);
        let mut ways = Ways {
            table: vec![0; (rows + 1) * sizes * kinds],
            sizes,
            kinds,
            limited,
        };
        for size in self.least as usize..sizes {
            for kind in 0..kinds {
                let at = ways.index(rows, size, kind);
                ways.table[at] = 1;
            }
        }
        for row in (0..rows).rev() {
            for size in 0..sizes {
                for kind in 0..kinds {
                    let mut sum = 0u128;
                    for n in 0..=self.available[row].min((most - size) as u32) {
                        let kind = kind as u32 + u32::from(n > 0);
                        sum = sum.saturating_add(ways.at(row + 1, size as u32 + n, kind));
                    }
                    let at = ways.index(row, size, kind);
                    ways.table[at] = sum;
                }
            }
        }
        ways
    }

    /// Every choice, by counts of the first row, then the second, and so on; `true` stops.
    fn each(
        &self,
        counts: &mut Vec<u32>,
        row: usize,
        size: u32,
        f: &mut impl FnMut(&[u32]) -> bool,
    ) -> bool {
        if row == self.available.len() {
            return size >= self.least && f(counts);
        }
        let rest: u32 = self.available[row + 1..].iter().sum();
        for n in 0..=self.available[row].min(self.most.saturating_sub(size)) {
            counts[row] = n;
            if size + n + rest < self.least {
                continue;
            }
            if !self.within(counts) {
                break;
            }
            if self.each(counts, row + 1, size + n, f) {
                return true;
            }
        }
        counts[row] = 0;
        false
    }
}

/// How many ways there are to go on choosing.
struct Ways {
    table: Vec<u128>,
    sizes: usize,
    kinds: usize,
    limited: bool,
}

impl Ways {
    fn index(&self, row: usize, size: usize, kind: usize) -> usize {
        (row * self.sizes + size) * self.kinds + kind
    }

    fn at(&self, row: usize, size: u32, kinds: u32) -> u128 {
        let kinds = if self.limited { kinds as usize } else { 0 };
        if size as usize >= self.sizes || kinds >= self.kinds {
            return 0;
        }
        self.table[self.index(row, size as usize, kinds)]
    }

    fn all(&self) -> u128 {
        self.at(0, 0, 0)
    }
}

/// Pieces outside the `beyond` fullest kinds.
fn loose_pieces(counts: &[u32], beyond: u32) -> u32 {
    let mut all: u32 = counts.iter().sum();
    // Kinds are few: the fullest ones are found one after the other, without a list.
    let mut last = (u32::MAX, usize::MAX);
    for _ in 0..beyond {
        let next = counts
            .iter()
            .enumerate()
            .map(|(i, n)| (*n, usize::MAX - i))
            .filter(|k| *k < last)
            .max();
        let Some(next) = next else { break };
        all -= next.0;
        last = next;
    }
    all
}

/// Pieces over places: all must be placed, except for those that do not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SpreadDomain {
    /// How many pieces of each row there are.
    pub pieces: Vec<u32>,
    /// How many pieces each place holds.
    pub rooms: Vec<u32>,
    /// What counting found, for the draw that follows.
    ways: OnceLock<Vec<u128>>,
}

impl SpreadDomain {
    /// So many pieces of each row over places that hold so many.
    pub(crate) fn new(pieces: Vec<u32>, rooms: Vec<u32>) -> SpreadDomain {
        SpreadDomain {
            pieces,
            rooms,
            ways: OnceLock::new(),
        }
    }

    /// Whether everything is full and some pieces are left over.
    fn overflows(&self) -> bool {
        self.pieces.iter().sum::<u32>() > self.rooms.iter().sum::<u32>()
    }

    /// Whether a plan (for each place, counts per row) is complete.
    pub(crate) fn contains(&self, plan: &[u32]) -> bool {
        let rows = self.pieces.len();
        if plan.len() != rows * self.rooms.len() {
            return false;
        }
        let full = self.overflows();
        let rooms = plan.chunks(rows).zip(&self.rooms).all(|(counts, room)| {
            let size: u32 = counts.iter().sum();
            if full { size == *room } else { size <= *room }
        });
        let pieces = (0..rows).all(|r| {
            let placed: u32 = plan.iter().skip(r).step_by(rows).sum();
            if full {
                placed <= self.pieces[r]
            } else {
                placed == self.pieces[r]
            }
        });
        rooms && pieces
    }

    /// How many plans there are.
    pub(crate) fn count(&self) -> u128 {
        self.ways()[self.states() - 1]
    }

    /// The rows of which there are pieces.
    fn kinds(&self) -> Vec<SpreadKind> {
        let mut stride = 1;
        let pieces = self.pieces.iter().copied().enumerate();
        let kinds = pieces.filter(|(_, pieces)| *pieces > 0);
        kinds
            .map(|(row, pieces)| {
                let kind = SpreadKind {
                    row,
                    pieces,
                    stride,
                };
                stride *= pieces as usize + 1;
                kind
            })
            .collect()
    }

    /// How many states there are: numbers of pieces left of each kind.
    fn states(&self) -> usize {
        self.pieces.iter().map(|p| *p as usize + 1).product()
    }

    /// For each place with room (and the end) and each state of pieces left, the number of ways to go on: one
    /// list, places one after the other.
    fn ways(&self) -> &[u128] {
        self.ways.get_or_init(|| self.count_ways())
    }

    fn count_ways(&self) -> Vec<u128> {
        let (kinds, states, full) = (self.kinds(), self.states(), self.overflows());
        let rooms = self.rooms.iter().copied().filter(|room| *room > 0);
        let rooms: Vec<u32> = rooms.collect();
        let end = rooms.len() * states;
        let mut ways = vec![0u128; end + states];
        for (state, way) in ways[end..].iter_mut().enumerate() {
            *way = u128::from(full || state == 0);
        }
        let Some((first, others)) = kinds.split_first() else {
            ways.fill(1);
            return ways;
        };
        let pieces: u32 = self.pieces.iter().sum();
        let mut before: u32 = rooms.iter().sum();
        let mut from_here = 0;
        let mut left = vec![0; others.len()];
        let mut takes = TakesOfRooms::default();
        for (i, room) in rooms.into_iter().enumerate().rev() {
            before -= room;
            from_here += room;
            // How many pieces can be left here: at least what does not fit before, and no more than fits from here
            // on. If everything is full, what was taken before is known.
            let fewest = pieces.saturating_sub(before);
            let most = if full { fewest } else { pieces.min(from_here) };
            let (here, behind) = ways.split_at_mut((i + 1) * states);
            let here = &mut here[i * states..];
            let takes = takes.of(&kinds, room, full);
            // States that differ in the first kind alone lie side by side, and are done together.
            let side = first.pieces as usize + 1;
            for base in (0..states).step_by(side) {
                let others_left: u32 = left.iter().sum();
                let end = (first.pieces + 1).min((most + 1).saturating_sub(others_left)) as usize;
                for (counts, offset) in takes.each() {
                    let start = counts[0].max(fewest.saturating_sub(others_left)) as usize;
                    if are_left(&counts[1..], &left) && start < end {
                        let behind = &behind[base + start - offset..base + end - offset];
                        for (here, behind) in here[base + start..base + end].iter_mut().zip(behind)
                        {
                            *here = here.saturating_add(*behind);
                        }
                    }
                }
                for (left, kind) in left.iter_mut().zip(others) {
                    *left += 1;
                    if *left <= kind.pieces {
                        break;
                    }
                    *left = 0;
                }
            }
        }
        ways
    }

    /// The plan at an index.
    pub(crate) fn pick(&self, index: u128) -> Vec<u32> {
        let (kinds, states, full) = (self.kinds(), self.states(), self.overflows());
        let mut left: Vec<u32> = kinds.iter().map(|kind| kind.pieces).collect();
        let (mut state, mut index) = (states - 1, index);
        let rows = self.pieces.len();
        let mut plan = vec![0; self.rooms.len() * rows];
        if kinds.is_empty() {
            return plan;
        }
        let places = self.rooms.iter().zip(plan.chunks_mut(rows));
        // What lies behind each place with room.
        let behind = self.ways().chunks(states).skip(1);
        let places = places.filter(|(room, _)| **room > 0).zip(behind);
        let mut takes = TakesOfRooms::default();
        for ((room, plan), behind) in places {
            let takes = takes.of(&kinds, *room, full);
            let chosen = takes.each().find(|(counts, offset)| {
                let here = match are_left(counts, &left) {
                    true => behind[state - offset],
                    false => 0,
                };
                let found = index < here;
                if !found {
                    index -= here;
                }
                found
            });
            let Some((counts, offset)) = chosen else {
                continue;
            };
            for (kind, count) in kinds.iter().zip(counts) {
                plan[kind.row] = *count;
            }
            left.iter_mut()
                .zip(counts)
                .for_each(|(left, count)| *left -= count);
            state -= offset;
        }
        plan
    }
}

/// Pieces of a row that are spread.
struct SpreadKind {
    row: usize,
    pieces: u32,
    /// What one of them counts in the number of a state.
    stride: usize,
}

/// Whether there are so many pieces of each kind.
fn are_left(counts: &[u32], left: &[u32]) -> bool {
    counts.iter().zip(left).all(|(count, left)| count <= left)
}

/// What places may take, as far as that was asked.
#[derive(Default)]
struct TakesOfRooms(Vec<Takes>);

impl TakesOfRooms {
    /// Of a place with so much room, all of which is filled if everything is full.
    fn of(&mut self, kinds: &[SpreadKind], room: u32, full: bool) -> &Takes {
        let known = self.0.iter().position(|takes| takes.room == room);
        let at = known.unwrap_or_else(|| {
            let mut takes = Takes {
                room,
                kinds: kinds.len(),
                counts: Vec::new(),
                offsets: Vec::new(),
            };
            let mut counts = vec![0; kinds.len()];
            takes.collect(kinds, &mut counts, 0, room, full);
            self.0.push(takes);
            self.0.len() - 1
        });
        &self.0[at]
    }
}

/// What a place may take: counts of each kind, by the first kind, then the second, and so on.
struct Takes {
    /// Of which room.
    room: u32,
    kinds: usize,
    /// The counts, take by take.
    counts: Vec<u32>,
    /// By how much each lowers the number of a state.
    offsets: Vec<usize>,
}

impl Takes {
    fn collect(
        &mut self,
        kinds: &[SpreadKind],
        counts: &mut Vec<u32>,
        at: usize,
        room: u32,
        full: bool,
    ) {
        let Some(kind) = kinds.get(at) else {
            if !full || room == 0 {
                self.counts.extend_from_slice(counts);
                let each = kinds.iter().zip(counts);
                self.offsets.push(
                    each.map(|(kind, count)| kind.stride * *count as usize)
                        .sum(),
                );
            }
            return;
        };
        for n in 0..=kind.pieces.min(room) {
            counts[at] = n;
            self.collect(kinds, counts, at + 1, room - n, full);
        }
    }

    /// The counts of each, and by how much they lower the number of a state.
    fn each(&self) -> impl Iterator<Item = (&[u32], usize)> {
        let counts = self.counts.chunks_exact(self.kinds);
        counts.zip(self.offsets.iter().copied())
    }
}

/// A number below `n` from a source of random words, without bias.
pub(crate) fn below(n: u128, random: &mut dyn FnMut() -> u64) -> u128 {
    if n <= 1 {
        return 0;
    }
    if let Ok(n) = u64::try_from(n) {
        let limit = u64::MAX - (u64::MAX % n + 1) % n;
        loop {
            let word = random();
            if word <= limit {
                return u128::from(word % n);
            }
        }
    }
    let limit = u128::MAX - (u128::MAX % n + 1) % n;
    loop {
        let word = u128::from(random()) << 64 | u128::from(random());
        if word <= limit {
            return word % n;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed_bags(domain: &BagDomain) -> Vec<Vec<u32>> {
        let mut all = vec![vec![]];
        for a in &domain.available {
            all = all
                .into_iter()
                .flat_map(|c| (0..=*a).map(move |n| [c.clone(), vec![n]].concat()))
                .collect();
        }
        all.retain(|c| domain.contains(c));
        all
    }

    #[test]
    fn bags_are_counted_as_they_are_listed() {
        for loose_beyond in [None, Some((1, 0)), Some((1, 1)), Some((4, 2)), Some((0, 3))] {
            for kinds in [None, Some(2)] {
                let domain = BagDomain {
                    available: vec![3, 0, 2, 4, 1],
                    least: 0,
                    most: 6,
                    loose_beyond,
                    kinds,
                };
                let listed = listed_bags(&domain);
                assert_eq!(domain.count(), listed.len() as u128);
                let mut picked: Vec<_> = (0..domain.count()).map(|i| domain.pick(i)).collect();
                picked.sort();
                picked.dedup();
                assert_eq!(picked.len(), listed.len());
                assert!(picked.iter().all(|p| listed.contains(p)));
            }
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
        ] {
            let domain = SpreadDomain::new(pieces, rooms);
            let mut plans: Vec<_> = (0..domain.count()).map(|i| domain.pick(i)).collect();
            assert!(plans.iter().all(|p| domain.contains(p)), "{domain:?}");
            let all = plans.len();
            plans.sort();
            plans.dedup();
            assert_eq!(plans.len(), all, "no plan twice");
            // Every complete plan is among them: count by brute force.
            let cells = domain.rooms.len() * domain.pieces.len();
            let mut brute = vec![vec![]];
            for i in 0..cells {
                let most = domain.rooms[i / domain.pieces.len()];
                brute = brute
                    .into_iter()
                    .flat_map(|c| (0..=most).map(move |n| [c.clone(), vec![n]].concat()))
                    .collect();
            }
            brute.retain(|p| domain.contains(p));
            assert_eq!(brute.len(), all);
        }
    }

    #[test]
    fn draws_below_a_bound_are_even() {
        let mut state = 1u64;
        let mut random = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            state ^ state >> 33
        };
        let mut seen = [0; 5];
        for _ in 0..5000 {
            seen[below(5, &mut random) as usize] += 1;
        }
        assert!(seen.iter().all(|n| (800..1200).contains(n)), "{seen:?}");
    }
}
