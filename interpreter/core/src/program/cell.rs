//! The cells of a state, by their numbers.

use std::num::TryFromIntError;
use std::ops::{Add, AddAssign, Index, IndexMut, Sub};

use crate::numbers::At as _;

/// A cell of a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell(pub u32);

impl Cell {
    /// So many cells from this one on.
    pub fn run(self, len: u32) -> impl DoubleEndedIterator<Item = Cell> + use<> {
        (self.0..self.0 + len).map(Cell)
    }

    /// Where so many cells from this one on lie.
    #[inline]
    pub fn span(self, len: u32) -> std::ops::Range<usize> {
        self.at()..(self + len).at()
    }

    /// Its place in a state.
    #[inline(always)]
    pub fn at(self) -> usize {
        self.0.at()
    }
}

impl From<Cell> for i64 {
    fn from(cell: Cell) -> i64 {
        cell.0.into()
    }
}

impl TryFrom<i64> for Cell {
    type Error = TryFromIntError;

    #[inline]
    fn try_from(number: i64) -> Result<Cell, TryFromIntError> {
        u32::try_from(number).map(Cell)
    }
}

impl Add<u32> for Cell {
    type Output = Cell;

    #[inline]
    fn add(self, cells: u32) -> Cell {
        Cell(self.0 + cells)
    }
}

impl AddAssign<u32> for Cell {
    fn add_assign(&mut self, cells: u32) {
        self.0 += cells;
    }
}

/// How many cells lie between.
impl Sub for Cell {
    type Output = u32;

    #[inline]
    fn sub(self, first: Cell) -> u32 {
        self.0 - first.0
    }
}

impl Index<Cell> for [i32] {
    type Output = i32;

    #[inline(always)]
    fn index(&self, cell: Cell) -> &i32 {
        &self[cell.at()]
    }
}

impl IndexMut<Cell> for [i32] {
    #[inline(always)]
    fn index_mut(&mut self, cell: Cell) -> &mut i32 {
        &mut self[cell.at()]
    }
}
