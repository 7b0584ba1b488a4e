//! Lookup tables: what the machine asks of a ruleset at every step.
//!
//! The [model](super::model) says all there is to know of a place, a move or a question. Here is what has
//! to be known to move a piece and to look for moves, worked out once.

use super::cell::Cell;
use super::ids::*;
use super::regions::Region;

/// No place, no counter, no marker.
pub const NONE: u16 = u16::MAX;

/// Tables of a ruleset, by cell, place, move and question.
#[derive(Clone, Debug)]
pub struct Lookup {
    /// The place to which each cell belongs.
    pub place_of: Vec<u16>,
    /// The counter at each cell.
    pub counter_of: Vec<u16>,
    /// The marker at each cell.
    pub marker_of: Vec<u16>,
    /// Facts of places by number.
    pub places: IndexVec<PlaceId, PlaceFacts>,
    /// Facts of moves by number.
    pub moves: IndexVec<MoveId, MoveFacts>,
    /// Facts of questions by number.
    pub asks: IndexVec<AskId, AskFacts>,
}

/// What moving pieces asks of a place.
#[derive(Clone, Debug)]
pub struct PlaceFacts {
    /// Its number in the model.
    pub number: PlaceId,
    /// Its first cell.
    pub base: Cell,
    /// Cells of each instance.
    pub width: u32,
    /// Kinds of pieces.
    pub rows: u32,
    /// What changes when something moves here.
    pub region: Region,
    /// Pieces lie one on another.
    pub pile: bool,
    /// It never runs dry: nothing is counted.
    pub endless: bool,
    /// How many pieces it holds.
    pub room: Room,
}

/// How many pieces a place holds.
#[derive(Clone, Debug)]
pub enum Room {
    /// Any number.
    Any,
    /// So many, by instance: they do not depend on the table.
    Known(Vec<i64>),
    /// What this function gives.
    Asked(FuncId),
}

/// What looking for moves asks of a move.
#[derive(Clone, Copy, Debug)]
pub struct MoveFacts {
    /// No parameter is open.
    pub closed: bool,
    /// Something depends on what is chosen for an open parameter.
    pub read: bool,
    /// What can be chosen depends on what not everybody sees.
    pub hidden: bool,
}

/// What looking for moves asks of a question.
#[derive(Clone, Copy, Debug)]
pub struct AskFacts {
    /// Whether some move can be made depends on what not everybody sees.
    pub hidden: bool,
    /// The choices of some move are too many to count.
    pub searched: bool,
    /// Some move must leave something true.
    pub ensures: bool,
}

impl Lookup {
    /// The place to which a cell belongs, if it belongs to one.
    #[inline]
    pub fn place(&self, cell: Cell) -> Option<&PlaceFacts> {
        let place = *self.place_of.get(cell.at())?;
        self.places.get(PlaceId(place.into()))
    }

    /// The number of the counter at a cell, if it is one.
    #[inline]
    pub fn counter(&self, cell: Cell) -> Option<CounterId> {
        let counter = *self.counter_of.get(cell.at())?;
        (counter != NONE).then_some(CounterId(counter.into()))
    }

    /// The number of the marker at a cell, if it is one.
    pub fn marker(&self, cell: Cell) -> Option<MarkerId> {
        let marker = *self.marker_of.get(cell.at())?;
        (marker != NONE).then_some(MarkerId(marker.into()))
    }

    /// Of a move.
    #[inline]
    pub fn of_move(&self, mv: MoveId) -> MoveFacts {
        self.moves[mv]
    }

    /// Of a question.
    #[inline]
    pub fn of_ask(&self, ask: AskId) -> AskFacts {
        self.asks[ask]
    }
}
