//! Parts of the state that change together: each place, counter, marker, and what a phase remembers.
//!
//! What was computed from the state stays right as long as nothing was written to the regions that it
//! reads. So a query's value can be remembered from one question to the next, and an ending's condition
//! need not be looked at after a move that cannot have changed it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::ir::{Ex, FuncId, Kind};
use super::model::{Model, instances};
use super::visit::{visit, visit_statements};
use crate::budget::spend;

/// A region, by number.
pub type Region = u16;

/// The region of everything that has none of its own: the machine's registers, its stack, memories of
/// "once" and of laps, how often chance was asked.
pub const REST: Region = 0;

/// Which cell belongs to which region.
#[derive(Clone, Debug, Default)]
pub struct Regions {
    of_cell: Vec<Region>,
    count: Region,
}

/// What a function reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reads {
    /// These regions, in order.
    Some(Vec<Region>),
    /// It asks whether a move is possible, which may depend on anything.
    Everything,
}

impl Regions {
    /// The regions of a model.
    pub fn new(model: &Model) -> Regions {
        let mut regions = Regions {
            of_cell: vec![REST; model.cells as usize],
            count: REST + 1,
        };
        for place in &model.places {
            regions.add([(place.base, instances(&place.index) * place.width)]);
        }
        let counters = model.counters.iter().map(|c| (c.base, &c.index));
        let markers = model.markers.iter().map(|m| (m.base, &m.index));
        for (base, index) in counters.chain(markers) {
            regions.add([(base, instances(index))]);
        }
        for phase in &model.phases {
            // Places that last as long as the phase keep their own.
            let params = phase.params.iter().map(|p| (p.base, p.len));
            regions.add(phase.own.iter().copied().chain(params));
        }
        regions
    }

    /// So many regions, for tests.
    #[cfg(test)]
    pub(crate) fn of_count(count: Region) -> Regions {
        Regions {
            of_cell: Vec::new(),
            count,
        }
    }

    fn add(&mut self, cells: impl IntoIterator<Item = (u32, u32)>) {
        for (base, len) in cells {
            for region in &mut self.of_cell[base as usize..(base + len) as usize] {
                if *region == REST {
                    *region = self.count;
                }
            }
        }
        self.count += 1;
    }

    /// The region of a cell.
    #[inline]
    pub fn of(&self, cell: u32) -> Region {
        self.of_cell[cell as usize]
    }

    /// The regions of some cells.
    #[inline]
    pub fn of_all(&self, cells: Range<usize>) -> &[Region] {
        &self.of_cell[cells]
    }

    /// The region of a cell, if there is such a cell.
    pub fn find(&self, cell: u32) -> Option<Region> {
        self.of_cell.get(cell as usize).copied()
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count as usize
    }

    /// What a function reads, also through the functions that it calls.
    pub fn reads(&self, model: &Model, function: FuncId) -> Reads {
        self.reads_among(model, function, &mut BTreeMap::new())
    }

    /// As [`reads`](Self::reads); what is found of functions on the way is remembered among those that are `known`.
    pub fn reads_among(
        &self,
        model: &Model,
        function: FuncId,
        known: &mut BTreeMap<FuncId, Reads>,
    ) -> Reads {
        if let Some(known) = known.get(&function) {
            return known.clone();
        }
        let mut found = Some(BTreeSet::new());
        let mut called = BTreeSet::new();
        let mut look = |ex: &Ex| match &ex.kind {
            Kind::Load(addr) | Kind::SumCells { addr, .. } | Kind::CountIn { addr, .. } => {
                if let Some(found) = &mut found {
                    found.insert(self.of(addr.base));
                }
            }
            Kind::Possible { .. } => found = None,
            Kind::Call(callee, _) => {
                called.insert(*callee);
            }
            _ => {}
        };
        let f = &model.functions[function.0 as usize];
        visit_statements(&f.body, &mut look);
        if let Some(result) = &f.result {
            visit(result, &mut look);
        }
        for callee in called {
            match self.reads_among(model, callee, known) {
                Reads::Everything => found = None,
                Reads::Some(regions) => {
                    if let Some(found) = &mut found {
                        spend(regions.len() as u64, None);
                        found.extend(regions);
                    }
                }
            }
        }
        let reads = match found {
            Some(regions) => Reads::Some(regions.into_iter().collect()),
            None => Reads::Everything,
        };
        known.insert(function, reads.clone());
        reads
    }
}
