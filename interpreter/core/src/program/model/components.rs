//! What lies on the table: tables and their rows, places, counters, markers, dice.

use super::instances;
use crate::program::cell::Cell;
use crate::program::ids::{FuncId, MarkerId, PhaseId, PlaceId, TableId};
use crate::program::tree::Ty;
use crate::source::{Id, Span};
/// A table.
#[derive(Clone, Debug)]
pub struct TableModel {
    /// Its name.
    pub name: Id,
    /// The plural.
    pub plural: Id,
    /// Ids of the rows in play.
    pub rows: Vec<Id>,
}

/// A bundle of values.
#[derive(Clone, Debug)]
pub struct RecordModel {
    /// Its name.
    pub name: Id,
    /// Its parts, in order.
    pub parts: Vec<(Id, Ty)>,
    /// Where it was declared.
    pub span: Span,
}

/// A column.
#[derive(Clone, Debug)]
pub struct ColumnModel {
    /// Its name.
    pub name: Id,
    /// Its table.
    pub table: TableId,
    /// Its type.
    pub ty: Ty,
    /// One value for each row in play.
    pub values: Vec<i64>,
}

/// Who sees; `Only(i)` is the player at index `i` of the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// Everybody.
    Everybody,
    /// One player.
    Only(usize),
    /// The player in this cell: a parameter of the phase.
    Holder(Cell),
    /// Nobody.
    Nobody,
}

/// A place: counts per row, or a pile.
#[derive(Clone, Debug)]
pub struct PlaceModel {
    /// Its name.
    pub name: Id,
    /// Types and sizes of its indices.
    pub index: Vec<(Ty, u32)>,
    /// First cell.
    pub base: Cell,
    /// Cells of one instance: rows of the table, or one plus the capacity of a pile.
    pub width: u32,
    /// The table of its pieces.
    pub table: TableId,
    /// Ordered.
    pub pile: bool,
    /// First of the cells, one for each instance of a pile, that count the words drawn by its shuffles.
    pub chance: Cell,
    /// Who sees the faces.
    pub faces: Sight,
    /// Who sees the number.
    pub count: Sight,
    /// How many pieces fit: a function of the index.
    pub room: Option<FuncId>,
    /// How many of a row lie here at first: a function of the row.
    pub starts: Option<FuncId>,
    /// What is shuffled in when a draw finds this pile empty: the first cell of that place, a function
    /// of the index.
    pub refill: Option<FuncId>,
    /// Its pieces lie on a piece of another place.
    pub lies_on: Option<LiesOn>,
    /// It lasts as long as this phase.
    pub phase: Option<PhaseId>,
    /// It never runs dry: pieces are taken from it and put back without being counted.
    pub endless: bool,
    /// Where it was declared.
    pub span: Span,
}

/// That the pieces of a place lie on a piece of another one, such as workers on a building of a city. Nothing in play
/// hangs on it: it is for whoever looks at the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiesOn {
    /// The other place.
    pub place: PlaceId,
    /// Which index is the piece.
    pub piece: usize,
    /// For each index of the other place, which index of this one gives it.
    pub index: Vec<usize>,
}

impl PlaceModel {
    /// The first cell of one of its instances.
    pub fn first(&self, instance: u32) -> Cell {
        self.base + instance * self.width
    }

    /// The instance that begins at a cell.
    pub fn instance(&self, first: Cell) -> u32 {
        (first - self.base) / self.width
    }

    /// Where the cells of all its instances lie.
    pub fn span(&self) -> std::ops::Range<usize> {
        self.base.span(instances(&self.index) * self.width)
    }

    /// The cells of all its instances.
    pub fn cells(&self) -> std::ops::Range<Cell> {
        self.base..self.base + instances(&self.index) * self.width
    }
}

/// How many pieces of each row an endless place seems to hold.
pub const ENDLESS: i32 = 1_000_000;

/// A counter.
#[derive(Clone, Debug)]
pub struct CounterModel {
    /// Its name.
    pub name: Id,
    /// Types and sizes of its indices.
    pub index: Vec<(Ty, u32)>,
    /// First cell.
    pub base: Cell,
    /// Who sees it.
    pub sight: Sight,
    /// Greatest value: excess is lost. A function of the index.
    pub most: Option<FuncId>,
    /// Initial value: a function of the index.
    pub starts: Option<FuncId>,
    /// Where it was declared.
    pub span: Span,
}

/// A marker.
#[derive(Clone, Debug)]
pub struct MarkerModel {
    /// Its name.
    pub name: Id,
    /// Types and sizes of its indices.
    pub index: Vec<(Ty, u32)>,
    /// First cell.
    pub base: Cell,
    /// What it points at.
    pub ty: Ty,
    /// Who sees it.
    pub sight: Sight,
    /// Initial value: a function of the index.
    pub starts: Option<FuncId>,
    /// Where it was declared.
    pub span: Span,
}

/// A die: a marker that shows one of its faces.
#[derive(Clone, Debug)]
pub struct DieModel {
    /// The marker.
    pub marker: MarkerId,
    /// What stands on its faces, in order.
    pub faces: Vec<i64>,
    /// The cell that counts the words drawn by its rolls.
    pub chance: Cell,
    /// What is rolled next if somebody has set it: how many faces, then the faces.
    pub next: Cell,
}

/// How many rolls of a die can be set.
pub const ROLLS: u32 = 16;
