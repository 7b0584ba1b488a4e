//! Works out what the machine looks up at every step.

use crate::analysis::evaluate;
use crate::numbers::At as _;
use crate::program::lookup::{AskFacts, Lookup, MoveFacts, NONE, PlaceFacts, Room};
use crate::program::model::{
    AskModel, Cell, Model, MoveId, MoveModel, PlaceModel, index_values, instances,
};
use crate::program::regions::{REST, Regions};

/// Returns what the machine looks up in a model.
pub(super) fn lookup(model: &Model, regions: &Regions) -> Lookup {
    let cells = model.cells.at();
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
    let places = model.places.iter_enumerated();
    let places = places.map(|(number, place)| PlaceFacts {
        number,
        base: place.base,
        width: place.width,
        rows: model.rows(place.table),
        region: regions.find(place.base).unwrap_or(REST),
        pile: place.pile,
        endless: place.endless,
        room: room(model, place),
    });
    let moves = model.moves.map(move_facts);
    let ask = |ask: &AskModel| {
        let some = |holds: &dyn Fn(MoveId) -> bool| ask.moves.iter().any(|mv| holds(*mv));
        AskFacts {
            hidden: some(&|mv| moves[mv].hidden),
            searched: some(&|mv| model.moves[mv].searched),
            ensures: some(&|mv| model.moves[mv].promises().next().is_some()),
        }
    };
    Lookup {
        place_of,
        counter_of,
        marker_of,
        places: places.collect(),
        asks: model.asks.map(ask),
        moves,
    }
}

/// Returns the facts of a move.
fn move_facts(model: &MoveModel) -> MoveFacts {
    let mut params = model.params.iter();
    MoveFacts {
        closed: !params.clone().any(|param| param.is_open()),
        read: params.any(|param| param.read),
        hidden: model.gates.iter().any(|gate| gate.hidden),
    }
}

/// For each of so many cells which of these runs, each a first cell and a length, it belongs to.
fn numbers(cells: usize, runs: impl Iterator<Item = (Cell, u32)>) -> Vec<u16> {
    let mut numbers = vec![NONE; cells];
    for (number, (first, len)) in (0..).zip(runs) {
        numbers[first.span(len)].fill(number);
    }
    numbers
}

fn room(model: &Model, place: &PlaceModel) -> Room {
    let Some(room) = place.room else {
        return Room::Any;
    };
    let each = |i| evaluate::constant(model, room, &index_values(&place.index, i));
    let known: Option<Vec<i64>> = (0..instances(&place.index)).map(each).collect();
    known.map_or(Room::Asked(room), Room::Known)
}
