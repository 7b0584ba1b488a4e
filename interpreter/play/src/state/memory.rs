//! Memoized values of queries, and which regions of the state were written since when.
//!
//! Time is counted in writes to the state. A remembered value counts as long as nothing was written
//! since to any region that its query reads; an ending or a watch is looked at when something was that it reads. A
//! match is the same with and without this memory: what it gives, and what fuel it costs.

use crate::numbers::{At as _, Fit as _};
use crate::program::bytecode::{Bytecode, Memo};
use crate::program::regions::{Reads, Region};

/// A moment, in writes to the state.
pub type Moment = u64;

/// The memory of one game.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    now: Moment,
    /// The last write to each region.
    regions: Vec<Written>,
    /// The lookers for whom something was written since they looked, as bits.
    stirred: u8,
    /// Lookers that have not looked yet in this turn.
    first: u8,
    /// Units of work that fuel does not stand for, of everything that was computed.
    pub worked: u64,
    /// When each looker looked last.
    looked: [Moment; 2],
    /// When what a query reads was written last, as far as that was looked up; nothing before the first lookup.
    queries: Vec<Freshness>,
    slots: Vec<Slot>,
    /// Whether every remembered value is computed again and compared.
    doubt: Doubt,
}

/// A region.
#[derive(Clone, Copy, Debug)]
struct Written {
    /// When it was written last.
    last: Moment,
    /// The lookers who read it, as bits.
    readers: u8,
}

/// A group of conditions that are evaluated again after a write to a region that one of them reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looker {
    /// The conditions of endings.
    Endings,
    /// The conditions of watches.
    Watches,
}

impl Looker {
    fn at(self) -> usize {
        match self {
            Looker::Endings => 0,
            Looker::Watches => 1,
        }
    }

    fn bit(self) -> u8 {
        1 << self.at()
    }
}

/// Whether what is remembered is compared with what would be computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Doubt {
    /// Not at all.
    #[default]
    None,
    /// From the next lookup on.
    Waiting,
    /// A value is being computed again; nothing is remembered meanwhile.
    Computing,
}

#[derive(Clone, Copy, Debug, Default)]
struct Freshness {
    looked: Moment,
    written: Moment,
}

/// What a query gave for some arguments.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    since: Moment,
    value: i64,
    price: Price,
}

/// What it took to work out what a query gives; finding it remembered costs the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Price {
    /// Fuel.
    pub fuel: u32,
    /// Units of work that fuel does not stand for.
    pub work: u32,
}

impl Memory {
    /// Creates the memory of a state with this number of regions.
    ///
    /// The state is new to the endings; the watches count as evaluated.
    pub fn new(regions: usize, endings: &[Reads], watches: &[Reads]) -> Memory {
        let of = |region: usize| {
            let reads = |reads: &Reads| match reads {
                Reads::Some(regions) => regions.iter().any(|r| usize::from(*r) == region),
                Reads::Everything => true,
            };
            let bit = |some, looker: Looker| if some { looker.bit() } else { 0 };
            Written {
                last: 1,
                readers: bit(endings.iter().any(reads), Looker::Endings)
                    | bit(watches.iter().any(reads), Looker::Watches),
            }
        };
        let mut memory = Memory {
            now: 1,
            regions: (0..regions).map(of).collect(),
            ..Memory::default()
        };
        memory.renew(Looker::Endings);
        memory.settle(Looker::Watches);
        memory
    }

    /// From now on every remembered value is compared with what is computed.
    pub(crate) fn set_doubted(&mut self) {
        self.doubt = Doubt::Waiting;
    }

    /// Whether a value that was found must be computed again; until [`convinced`](Self::convinced)
    /// nothing is remembered.
    #[inline]
    pub(crate) fn doubts(&mut self) -> bool {
        let doubts = self.doubt == Doubt::Waiting;
        if doubts {
            self.doubt = Doubt::Computing;
        }
        doubts
    }

    /// A value was computed again.
    pub(crate) fn convinced(&mut self) {
        self.doubt = Doubt::Waiting;
    }

    /// The last write.
    pub(crate) fn now(&self) -> Moment {
        self.now
    }

    /// Records a write to a region.
    #[inline]
    pub fn touch(&mut self, region: Region) {
        self.now += 1;
        let written = &mut self.regions[region.at()];
        written.last = self.now;
        self.stirred |= written.readers;
    }

    /// Records that the whole state was replaced.
    pub fn forget(&mut self) {
        self.now += 1;
        for written in &mut self.regions {
            written.last = self.now;
        }
        self.stirred = u8::MAX;
    }

    /// Begins a turn. What is new when somebody looks for the first time in it depends on what was remembered before;
    /// what is from then on does not.
    pub fn begin(&mut self) {
        self.first = Looker::Endings.bit() | Looker::Watches.bit();
    }

    /// Returns the moment since which something is new to a looker, and marks everything as seen by it.
    ///
    /// The moment is `None` if nothing is new. The second value is whether the looker looks for the first time in a turn
    /// that has [begun](Self::begin).
    #[inline]
    pub fn look(&mut self, looker: Looker) -> (Option<Moment>, bool) {
        let is_first = self.first & looker.bit() != 0;
        self.first &= !looker.bit();
        let stirred = self.stirred & looker.bit() != 0;
        let since = stirred.then(|| {
            let since = self.looked[looker.at()];
            self.settle(looker);
            since
        });
        (since, is_first)
    }

    /// Marks everything as new to a looker.
    pub fn renew(&mut self, looker: Looker) {
        self.stirred |= looker.bit();
        self.looked[looker.at()] = 0;
    }

    /// Marks everything as seen by a looker.
    pub fn settle(&mut self, looker: Looker) {
        self.stirred &= !looker.bit();
        self.looked[looker.at()] = self.now;
    }

    /// Gives back the room of what is remembered.
    pub(crate) fn release(&mut self) {
        self.slots = Vec::new();
    }

    /// Returns whether one of the regions that are read was written after a moment.
    pub fn is_new(&self, reads: &Reads, since: Moment) -> bool {
        match reads {
            Reads::Some(regions) => regions.iter().any(|r| self.last(*r) > since),
            Reads::Everything => self.now > since,
        }
    }

    /// When a region was written last.
    #[inline]
    pub(crate) fn last(&self, region: Region) -> Moment {
        self.regions[region.at()].last
    }

    /// Regions that were written after a moment.
    pub(crate) fn written_since(&self, since: Moment) -> Vec<Region> {
        let regions = self.regions.iter().enumerate();
        let written = regions.filter(|(_, written)| written.last > since);
        written.map(|(region, _)| region.fit()).collect()
    }

    /// What a query gave, and what that took.
    #[inline]
    pub(crate) fn get(
        &mut self,
        program: &Bytecode,
        memo: &Memo,
        slot: u32,
    ) -> Option<(i64, Price)> {
        if self.doubt == Doubt::Computing {
            return None;
        }
        let Slot {
            since,
            value,
            price,
        } = *self.slots.get(slot.at())?;
        if self.queries.is_empty() {
            self.queries.resize(program.queries, Freshness::default());
        }
        let query = &mut self.queries[memo.query.at()];
        if query.looked < self.now {
            let (first, len) = memo.reads;
            let regions = &program.reads[first.at()..first.at() + len.at()];
            let last = |r: &Region| self.regions[r.at()].last;
            query.written = regions.iter().map(last).max().unwrap_or(0);
            query.looked = self.now;
        }
        (since > 0 && since >= query.written).then_some((value, price))
    }

    /// Remembers what a query gave.
    pub(crate) fn put(&mut self, slot: u32, value: i64, fuel: u64, work: u64) {
        let (Ok(fuel), Ok(work)) = (u32::try_from(fuel), u32::try_from(work)) else {
            return;
        };
        if self.slots.len() <= slot.at() {
            self.slots.resize(slot.at() + 1, Slot::default());
        }
        self.slots[slot.at()] = Slot {
            since: self.now,
            value,
            price: Price { fuel, work },
        };
    }
}
