//! What the machine asks of a ruleset at every step, laid out so that it is quickly read.
//!
//! The [model](crate::check::model) says all there is to know of a place, a move or a question. Here is what has
//! to be known to move a piece and to look for moves, worked out once.

use crate::check::explain;
use crate::check::ir::FuncId;
use crate::check::model::{AskModel, Model, MoveModel, PlaceModel, index_values, instances};
use crate::check::regions::{REST, Region, Regions};

/// No place, no counter, no marker.
const NONE: u16 = u16::MAX;

/// The facts of a ruleset.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    /// The place to which each cell belongs.
    place_of: Vec<u16>,
    /// The counter at each cell.
    counter_of: Vec<u16>,
    /// The marker at each cell.
    marker_of: Vec<u16>,
    places: Vec<PlaceFacts>,
    moves: Vec<MoveFacts>,
    asks: Vec<AskFacts>,
}

/// What moving pieces asks of a place.
#[derive(Clone, Debug)]
pub(crate) struct PlaceFacts {
    /// Its number in the model.
    pub number: usize,
    /// Its first cell.
    pub base: u32,
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
pub(crate) enum Room {
    /// Any number.
    Any,
    /// So many, by instance: they do not depend on the table.
    Known(Vec<i64>),
    /// What this function gives.
    Asked(FuncId),
}

/// What looking for moves asks of a move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MoveFacts {
    /// No parameter is open.
    pub closed: bool,
    /// Something depends on what is chosen for an open parameter.
    pub read: bool,
    /// What can be chosen depends on what not everybody sees.
    hidden: bool,
}

/// What looking for moves asks of a question.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AskFacts {
    /// Whether some move can be made depends on what not everybody sees.
    pub hidden: bool,
    /// The choices of some move are too many to count.
    pub searched: bool,
    /// Some move must leave something true.
    pub ensures: bool,
}

impl Facts {
    /// The facts of a model.
    pub(crate) fn new(model: &Model, regions: &Regions) -> Facts {
        let cells = model.cells as usize;
        let places = model.places.iter();
        let places = places.map(|p| (p.base, instances(&p.index) * p.width));
        let counters = model.counters.iter();
        let counters = counters.map(|c| (c.base, instances(&c.index)));
        let markers = model.markers.iter();
        let markers = markers.map(|m| (m.base, instances(&m.index)));
        let (place_of, counter_of, marker_of) = (
            numbers(cells, places),
            numbers(cells, counters),
            numbers(cells, markers),
        );
        let places = model.places.iter().enumerate();
        let places = places.map(|(number, place)| PlaceFacts {
            number,
            base: place.base,
            width: place.width,
            rows: model.tables[place.table].rows.len() as u32,
            region: regions.find(place.base).unwrap_or(REST),
            pile: place.pile,
            endless: place.endless,
            room: room(model, place),
        });
        let moves: Vec<MoveFacts> = model.moves.iter().map(MoveFacts::new).collect();
        let ask = |ask: &AskModel| {
            let some = |holds: &dyn Fn(usize) -> bool| ask.moves.iter().any(|mv| holds(*mv));
            AskFacts {
                hidden: some(&|mv| moves[mv].hidden),
                searched: some(&|mv| model.moves[mv].searched),
                ensures: some(&|mv| !model.moves[mv].ensures.is_empty()),
            }
        };
        Facts {
            place_of,
            counter_of,
            marker_of,
            places: places.collect(),
            asks: model.asks.iter().map(ask).collect(),
            moves,
        }
    }

    /// The place to which a cell belongs, if it belongs to one.
    #[inline]
    pub(crate) fn place(&self, cell: u32) -> Option<&PlaceFacts> {
        let place = *self.place_of.get(cell as usize)?;
        self.places.get(usize::from(place))
    }

    /// The number of the counter at a cell, if it is one.
    #[inline]
    pub(crate) fn counter(&self, cell: u32) -> Option<usize> {
        let counter = *self.counter_of.get(cell as usize)?;
        (counter != NONE).then_some(usize::from(counter))
    }

    /// The number of the marker at a cell, if it is one.
    pub(crate) fn marker(&self, cell: u32) -> Option<usize> {
        let marker = *self.marker_of.get(cell as usize)?;
        (marker != NONE).then_some(usize::from(marker))
    }

    /// Of a move.
    #[inline]
    pub(crate) fn of_move(&self, mv: usize) -> MoveFacts {
        self.moves[mv]
    }

    /// Of a question.
    #[inline]
    pub(crate) fn of_ask(&self, ask: usize) -> AskFacts {
        self.asks[ask]
    }
}

impl MoveFacts {
    fn new(model: &MoveModel) -> MoveFacts {
        let mut params = model.params.iter();
        MoveFacts {
            closed: !params.clone().any(|param| param.is_open()),
            read: params.clone().any(|param| param.read),
            hidden: params.any(|param| param.hidden)
                || model.needs.iter().any(|need| need.hidden)
                || model.ensures.iter().any(|promise| promise.hidden),
        }
    }
}

/// For each of so many cells which of these runs, each a first cell and a length, it belongs to.
fn numbers(cells: usize, runs: impl Iterator<Item = (u32, u32)>) -> Vec<u16> {
    let mut numbers = vec![NONE; cells];
    for (number, (first, len)) in (0..).zip(runs) {
        numbers[first as usize..(first + len) as usize].fill(number);
    }
    numbers
}

fn room(model: &Model, place: &PlaceModel) -> Room {
    let Some(room) = place.room else {
        return Room::Any;
    };
    let each = |i| explain::constant(model, room, &index_values(&place.index, i));
    let known: Option<Vec<i64>> = (0..instances(&place.index)).map(each).collect();
    known.map_or(Room::Asked(room), Room::Known)
}
