//! What has changed since when, and what queries gave.
//!
//! Time is counted in writes to the state. A remembered value counts as long as nothing was written
//! since to any region that its query reads. A match is the same with and without this memory: what
//! it gives, and what fuel it costs.

use crate::check::regions::{Reads, Region, Regions};
use crate::compile::bytecode::{Memo, Program};

/// A moment, in writes to the state.
pub(crate) type Moment = u64;

/// The memory of one game.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    now: Moment,
    /// When each region was written last.
    written: Vec<Moment>,
    /// When what a query reads was written last, as far as that was looked up; nothing before the first lookup.
    queries: Vec<Freshness>,
    slots: Vec<Slot>,
    /// Tests have every remembered value computed again.
    #[cfg(feature = "oracle")]
    doubt: Doubt,
}

/// Whether what is remembered is compared with what would be computed.
#[cfg(feature = "oracle")]
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
    fuel: u32,
}

impl Memory {
    /// The memory of a state of which everything is new.
    pub(crate) fn new(regions: &Regions) -> Memory {
        Memory {
            now: 1,
            written: vec![1; regions.count()],
            ..Memory::default()
        }
    }

    /// From now on every remembered value is compared with what is computed.
    #[cfg(feature = "oracle")]
    pub(crate) fn set_doubted(&mut self) {
        self.doubt = Doubt::Waiting;
    }

    /// Whether a value that was found must be computed again; until [`convinced`](Self::convinced)
    /// nothing is remembered.
    #[cfg(feature = "oracle")]
    pub(crate) fn doubts(&mut self) -> bool {
        let doubts = self.doubt == Doubt::Waiting;
        if doubts {
            self.doubt = Doubt::Computing;
        }
        doubts
    }

    /// A value was computed again.
    #[cfg(feature = "oracle")]
    pub(crate) fn convinced(&mut self) {
        self.doubt = Doubt::Waiting;
    }

    /// The last write.
    pub(crate) fn now(&self) -> Moment {
        self.now
    }

    /// Something is written to a region.
    #[inline]
    pub(crate) fn touch(&mut self, region: Region) {
        self.now += 1;
        self.written[region as usize] = self.now;
    }

    /// The state is another one.
    pub(crate) fn forget(&mut self) {
        self.now += 1;
        self.written.fill(self.now);
    }

    /// Gives back the room of what is remembered.
    pub(crate) fn release(&mut self) {
        self.slots = Vec::new();
    }

    /// Whether something of what is read was written after a moment.
    pub(crate) fn is_new(&self, reads: &Reads, since: Moment) -> bool {
        match reads {
            Reads::Some(regions) => regions.iter().any(|r| self.written[*r as usize] > since),
            Reads::Everything => self.now > since,
        }
    }

    /// Regions that were written after a moment.
    #[cfg(feature = "oracle")]
    pub(crate) fn written_since(&self, since: Moment) -> Vec<Region> {
        let regions = self.written.iter().enumerate();
        let written = regions.filter(|(_, written)| **written > since);
        written.map(|(region, _)| region as Region).collect()
    }

    /// What a query gave, and the fuel that it took.
    #[inline]
    pub(crate) fn get(&mut self, program: &Program, memo: &Memo, slot: u32) -> Option<(i64, u64)> {
        #[cfg(feature = "oracle")]
        if self.doubt == Doubt::Computing {
            return None;
        }
        let Slot { since, value, fuel } = *self.slots.get(slot as usize)?;
        if self.queries.is_empty() {
            self.queries.resize(program.queries, Freshness::default());
        }
        let query = &mut self.queries[memo.query as usize];
        if query.looked < self.now {
            let (first, len) = memo.reads;
            let regions = &program.reads[first as usize..first as usize + len as usize];
            let written = regions.iter().map(|r| self.written[*r as usize]);
            query.written = written.max().unwrap_or(0);
            query.looked = self.now;
        }
        (since > 0 && since >= query.written).then_some((value, u64::from(fuel)))
    }

    /// Remembers what a query gave.
    pub(crate) fn put(&mut self, slot: u32, value: i64, fuel: u64) {
        let Ok(fuel) = u32::try_from(fuel) else {
            return;
        };
        if self.slots.len() <= slot as usize {
            self.slots.resize(slot as usize + 1, Slot::default());
        }
        self.slots[slot as usize] = Slot {
            since: self.now,
            value,
            fuel,
        };
    }
}
