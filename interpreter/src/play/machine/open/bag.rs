//! Some of what lies in a place: counted and drawn without listing, as far as limits allow.

use std::sync::OnceLock;

use super::ways::{Number, Ways};
use super::{MOST_STEPS, afford};
use crate::budget;
use crate::numbers::{At as _, Fit as _};
use crate::play::machine::trouble::TroubleKind;

/// Some of what lies in a place.
#[derive(Clone, Debug)]
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
    /// What counting found, for the draw that follows.
    pub counted: OnceLock<Result<Box<Counted>, TroubleKind>>,
}

/// The choices of a bag, counted.
#[derive(Clone, Debug)]
pub(crate) enum Counted {
    /// By the ways to go on.
    Table(Table),
    /// One after the other: how many there are, and the counts of the first [`KEPT`].
    Listed(u128, Vec<u32>),
}

/// How many choices that were counted one by one are kept.
const KEPT: usize = 64;

/// Which limit a choice of pieces is outside of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exceeded {
    /// Of this row there are not so many.
    Row(usize),
    /// These are too few or too many in all.
    Size(u64),
    /// These are too many kinds.
    Kinds(usize),
    /// These are too many outside the fullest kinds.
    Loose(u64),
}

impl BagDomain {
    /// Limits that say the same in fewer words: what is loose beyond no kind is everything.
    pub(crate) fn simplified(mut self) -> BagDomain {
        if let Some((loose, 0)) = self.loose_beyond {
            self.most = self.most.min(loose);
            self.loose_beyond = None;
            self.counted = OnceLock::new();
        }
        self
    }

    /// Whether a choice is within the limits.
    pub(crate) fn contains(&self, counts: &[u32]) -> bool {
        let size: u64 = counts.iter().copied().map(u64::from).sum();
        counts.len() == self.available.len()
            && counts.iter().zip(&self.available).all(|(c, a)| c <= a)
            && (self.least.into()..=self.most.into()).contains(&size)
            && self.beyond(counts).is_none()
    }

    /// The first limit that a choice is outside of.
    pub(crate) fn exceeded(&self, counts: &[u32]) -> Option<Exceeded> {
        let mut rows = counts.iter().zip(&self.available);
        if let Some(row) = rows.position(|(count, available)| count > available) {
            return Some(Exceeded::Row(row));
        }
        let size: u64 = counts.iter().copied().map(u64::from).sum();
        match (self.least.into()..=self.most.into()).contains(&size) {
            true => self.beyond(counts),
            false => Some(Exceeded::Size(size)),
        }
    }

    /// Which of the limits that can only be broken, never mended, by adding pieces is broken.
    fn beyond(&self, counts: &[u32]) -> Option<Exceeded> {
        let chosen = counts.iter().filter(|count| **count > 0).count();
        if self.kinds.is_some_and(|kinds| chosen > kinds.at()) {
            return Some(Exceeded::Kinds(chosen));
        }
        let (loose, beyond) = self.loose_beyond?;
        let left = loose_pieces(counts, beyond);
        (left > loose.into()).then_some(Exceeded::Loose(left))
    }

    /// Whether those limits hold.
    fn within(&self, counts: &[u32]) -> bool {
        self.beyond(counts).is_none()
    }

    /// Every choice in order; `true` stops. They may be too many to be gone through.
    pub(crate) fn each_choice(&self, f: &mut dyn FnMut(&[u32]) -> bool) -> Result<(), TroubleKind> {
        let mut walk = Walk {
            bag: self,
            counts: vec![0; self.available.len()],
            left: MOST_STEPS,
            found: f,
        };
        walk.from(0, 0).map(|_| ())
    }

    /// How many choices there are, unless they take too much to count.
    pub(crate) fn count(&self) -> Result<u128, TroubleKind> {
        Ok(match self.counted()? {
            Counted::Table(table) => table.ways.at(0),
            Counted::Listed(n, _) => *n,
        })
    }

    fn counted(&self) -> Result<&Counted, TroubleKind> {
        let counted = self.counted.get_or_init(|| {
            if self.loose_beyond.is_none() {
                return Ok(Box::new(Counted::Table(self.table()?)));
            }
            let (mut n, mut kept) = (0, Vec::new());
            self.each_choice(&mut |counts| {
                if n < KEPT.fit() {
                    kept.extend_from_slice(counts);
                }
                n += 1;
                false
            })?;
            Ok(Box::new(Counted::Listed(n, kept)))
        });
        counted.as_deref().map_err(|trouble| *trouble)
    }

    /// Writes down the choice at an index: counts by row.
    pub(crate) fn pick(&self, index: u128, counts: &mut [i64]) -> Result<(), TroubleKind> {
        let counts = &mut counts[..self.available.len()];
        counts.fill(0);
        let mut write = |found: &[u32]| {
            for (count, found) in counts.iter_mut().zip(found) {
                *count = i64::from(*found);
            }
        };
        match self.counted()? {
            Counted::Table(table) => match &table.ways {
                // There are no more choices than that.
                Ways::Narrow(ways) => self.pick_by(table, ways, index.fit(), counts),
                Ways::Wide(ways) => self.pick_by(table, ways, index, counts),
            },
            Counted::Listed(_, kept) => {
                let rows = self.available.len();
                let at = usize::try_from(index).unwrap_or(usize::MAX);
                if let Some(found) = kept.chunks(rows.max(1)).nth(at) {
                    write(found);
                    return Ok(());
                }
                let mut left = index;
                self.each_choice(&mut |found| {
                    if left == 0 {
                        write(found);
                        return true;
                    }
                    left -= 1;
                    false
                })?;
            }
        }
        Ok(())
    }

    fn pick_by<N: Number>(&self, table: &Table, ways: &[N], index: N, counts: &mut [i64]) {
        let (mut left, mut size, mut kinds) = (index, 0, 0);
        for (row, count) in counts.iter_mut().enumerate() {
            let mut chosen = 0;
            for n in 0..=self.available[row] {
                let here = table.at(ways, row + 1, size + n, kinds + u32::from(n > 0));
                if left < here {
                    chosen = n;
                    break;
                }
                left = left.minus(here);
            }
            *count = i64::from(chosen);
            size += chosen;
            kinds += u32::from(chosen > 0);
        }
    }

    fn table(&self) -> Result<Table, TroubleKind> {
        let mut available = self.available.iter();
        let all = available.clone().fold(0u32, |a, n| a.saturating_add(*n));
        let most = self.most.min(all).at();
        // Kinds are counted only if there is a limit.
        let kinds = self
            .kinds
            .map_or(0, |k| k.min(self.available.len().fit()).at());
        let mut table = Table {
            ways: Ways::Narrow(Vec::new()),
            sizes: most + 1,
            kinds: kinds + 1,
            limited: self.kinds.is_some(),
        };
        let layer = (table.sizes.fit::<u64>()).saturating_mul(table.kinds.fit());
        let rows = self.available.iter();
        let longest = rows.map(|n| (*n).min(most.fit())).max().unwrap_or(0);
        let numbers = layer.saturating_mul(self.available.len().fit::<u64>() + 1);
        afford(numbers, numbers.saturating_mul(u64::from(longest) + 1))?;
        // No more ways than without limits.
        let narrow = available.try_fold(1u64, |ways, n| ways.checked_mul(u64::from(*n) + 1));
        table.ways = match narrow {
            Some(_) => Ways::Narrow(self.ways(&table)),
            None => Ways::Wide(self.ways(&table)),
        };
        Ok(table)
    }

    /// The ways of a table.
    fn ways<N: Number>(&self, table: &Table) -> Vec<N> {
        let rows = self.available.len();
        let (sizes, kinds) = (table.sizes, table.kinds);
        let mut ways = vec![N::from(0); (rows + 1) * sizes * kinds];
        for size in self.least.at()..sizes {
            let at = table.index(rows, size, 0);
            ways[at..at + kinds].fill(N::from(1));
        }
        let layer = sizes * kinds;
        for row in (0..rows).rev() {
            let (here, behind) = ways[row * layer..].split_at_mut(layer);
            let behind = &behind[..layer];
            let most = self.available[row].at().min(sizes - 1);
            if !table.limited {
                for n in 0..=most {
                    add(&mut here[..sizes - n], &behind[n..]);
                }
                continue;
            }
            // None of this row; then one and more, which are another kind.
            add(here, behind);
            for n in 1..=most {
                let behind = &behind[n * kinds..];
                for (here, behind) in here.chunks_mut(kinds).zip(behind.chunks(kinds)) {
                    add(&mut here[..kinds - 1], &behind[1..]);
                }
            }
        }
        ways
    }
}

/// A walk through the choices: by counts of the first row, then the second, and so on.
struct Walk<'a> {
    bag: &'a BagDomain,
    counts: Vec<u32>,
    /// How many more steps it may take.
    left: u64,
    found: &'a mut dyn FnMut(&[u32]) -> bool,
}

impl Walk<'_> {
    /// The choices of the rows from one on, of which so many pieces lie before it; whether it was stopped.
    fn from(&mut self, row: usize, size: u32) -> Result<bool, TroubleKind> {
        let bag = self.bag;
        let Some(available) = bag.available.get(row) else {
            return Ok(size >= bag.least && (self.found)(&self.counts));
        };
        let rest = bag.available[row + 1..].iter();
        let rest = rest.fold(size, |rest, n| rest.saturating_add(*n));
        let fewest = bag.least.saturating_sub(rest);
        for n in fewest..=(*available).min(bag.most.saturating_sub(size)) {
            self.left = self
                .left
                .checked_sub(1)
                .ok_or(TroubleKind::TooManyChoices)?;
            if !budget::affords(1) {
                return Err(TroubleKind::TooMuchWork);
            }
            self.counts[row] = n;
            if !bag.within(&self.counts) {
                break;
            }
            if self.from(row + 1, size + n)? {
                return Ok(true);
            }
        }
        self.counts[row] = 0;
        Ok(false)
    }
}

/// How many ways there are to go on choosing: for each row, and each number of pieces and kinds chosen before it.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    ways: Ways,
    sizes: usize,
    kinds: usize,
    limited: bool,
}

impl Table {
    fn index(&self, row: usize, size: usize, kind: usize) -> usize {
        (row * self.sizes + size) * self.kinds + kind
    }

    fn at<N: Number>(&self, ways: &[N], row: usize, size: u32, kinds: u32) -> N {
        let kinds = if self.limited { kinds.at() } else { 0 };
        if size.at() >= self.sizes || kinds >= self.kinds {
            return N::from(0);
        }
        ways[self.index(row, size.at(), kinds)]
    }
}

/// Adds numbers of ways to as many others.
#[inline]
fn add<N: Number>(to: &mut [N], from: &[N]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = to.plus(*from);
    }
}

/// Pieces outside the `beyond` fullest kinds.
fn loose_pieces(counts: &[u32], beyond: u32) -> u64 {
    let mut all: u64 = counts.iter().copied().map(u64::from).sum();
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
        all -= u64::from(next.0);
        last = next;
    }
    all
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
    fn counts_beyond_counting_are_no_choice() {
        let domain = |available, loose_beyond| BagDomain {
            available,
            least: 0,
            most: 6,
            loose_beyond,
            kinds: None,
            counted: OnceLock::new(),
        };
        let most = u32::MAX;
        for loose_beyond in [None, Some((1, 1))] {
            let few = domain(vec![3, 4], loose_beyond);
            assert!(!few.contains(&[most, most]));
            // Of what is endless.
            let endless = domain(vec![most, most], loose_beyond);
            assert!(!endless.contains(&[most, most]));
            assert!(endless.contains(&[1, 1]));
            let mut seen = 0;
            endless
                .each_choice(&mut |_| {
                    seen += 1;
                    seen == 10
                })
                .unwrap();
            assert_eq!(seen, 10);
        }
    }

    #[test]
    fn what_takes_too_much_to_count_is_refused_at_once() {
        let most = u32::MAX;
        for (available, least, loose_beyond, kinds) in [
            (vec![most], 0, None, None),
            (vec![1 << 31, 1 << 31], 0, None, Some(1)),
            (vec![most], 1 << 31, Some((most, 2)), None),
            (vec![100, 100, 100, 100], 0, Some((400, 1)), None),
        ] {
            let domain = BagDomain {
                available,
                least,
                most,
                loose_beyond,
                kinds,
                counted: OnceLock::new(),
            };
            assert_eq!(domain.count(), Err(TroubleKind::TooManyChoices));
            assert!(domain.pick(0, &mut [0; 4]).is_err());
        }
        // Few choices of many pieces.
        let domain = BagDomain {
            available: vec![most, 2],
            least: most,
            most,
            loose_beyond: Some((most, 2)),
            kinds: None,
            counted: OnceLock::new(),
        };
        assert_eq!(domain.count(), Ok(3));
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
                    counted: OnceLock::new(),
                };
                let listed = listed_bags(&domain);
                assert_eq!(domain.count(), Ok(listed.len() as u128));
                let picked = (0..listed.len() as u128).map(|index| {
                    let mut counts = vec![-1; domain.available.len()];
                    domain.pick(index, &mut counts).unwrap();
                    counts.into_iter().map(|n| n as u32).collect::<Vec<_>>()
                });
                let mut picked: Vec<_> = picked.collect();
                picked.sort();
                picked.dedup();
                assert_eq!(picked.len(), listed.len());
                assert!(picked.iter().all(|p| listed.contains(p)));
                let in_order = |domain: &BagDomain| {
                    let mut all = Vec::new();
                    domain
                        .each_choice(&mut |counts| {
                            all.push(counts.to_vec());
                            false
                        })
                        .unwrap();
                    all
                };
                let simplified = domain.clone().simplified();
                assert_eq!(in_order(&simplified), in_order(&domain));
                assert_eq!(simplified.count(), domain.count());
            }
        }
    }
}
