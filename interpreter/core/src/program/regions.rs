//! Parts of the state that change together: each place, counter, marker, and what a phase remembers.
//!
//! What was computed from the state stays right as long as nothing was written to the regions that it
//! reads. So a query's value can be remembered from one question to the next, and an ending's condition
//! need not be looked at after a move that cannot have changed it.

use std::ops::Range;

use super::cell::Cell;
use super::model::{Model, instances};
use crate::numbers::At as _;

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
            of_cell: vec![REST; model.cells.at()],
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

    fn add(&mut self, cells: impl IntoIterator<Item = (Cell, u32)>) {
        for (base, len) in cells {
            for region in &mut self.of_cell[base.span(len)] {
                if *region == REST {
                    *region = self.count;
                }
            }
        }
        self.count += 1;
    }

    /// The region of a cell.
    #[inline]
    pub fn of(&self, cell: Cell) -> Region {
        self.of_cell[cell.at()]
    }

    /// The regions of some cells.
    #[inline]
    pub fn of_all(&self, cells: Range<usize>) -> &[Region] {
        &self.of_cell[cells]
    }

    /// The region of a cell, if there is such a cell.
    pub fn find(&self, cell: Cell) -> Option<Region> {
        self.of_cell.get(cell.at()).copied()
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count.at()
    }
}
