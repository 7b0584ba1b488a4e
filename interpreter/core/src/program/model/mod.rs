//! The checked ruleset: declarations with their cells, functions, phases, moves.
//!
//! Built by the checker, read by the compiler (graph, bytecode) and by play (domains, views).

mod components;
mod decisions;
mod events;
mod phases;
mod storage;

use std::collections::BTreeMap;

use smallvec::{SmallVec, smallvec};

use super::tree::{Function, Ty};
use crate::numbers::Fit as _;
use crate::source::{Id, Span};

pub use super::cell::Cell;
pub use super::ids::*;
pub use components::*;
pub use decisions::*;
pub use events::*;
pub use phases::*;
pub use storage::*;

/// A checked ruleset in one configuration.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Number of players.
    pub players: u8,
    /// Tables with the rows that are in play.
    pub tables: IndexVec<TableId, TableModel>,
    /// Bundles of values that have a name.
    pub records: IndexVec<RecordId, RecordModel>,
    /// Columns of all tables.
    pub columns: IndexVec<ColumnId, ColumnModel>,
    /// Places.
    pub places: IndexVec<PlaceId, PlaceModel>,
    /// Counters.
    pub counters: IndexVec<CounterId, CounterModel>,
    /// Markers.
    pub markers: IndexVec<MarkerId, MarkerModel>,
    /// Dice.
    pub dice: IndexVec<DieId, DieModel>,
    /// Events that rules raise.
    pub events: IndexVec<EventId, EventModel>,
    /// Queries, conditions and effects.
    pub functions: IndexVec<FuncId, Function>,
    /// Conditions that are watched.
    pub watches: IndexVec<WatchId, WatchModel>,
    /// Cells of the [`agenda`]: their number in use first. None if no trigger asks or visits.
    pub agenda: Option<Cell>,
    /// Phases; the first to run is `game`.
    pub phases: IndexVec<PhaseId, PhaseModel>,
    /// Phase that plays a row: by table, then by row.
    pub plays: BTreeMap<(TableId, usize), PhaseId>,
    /// What choices in visits must leave true.
    pub promises: IndexVec<PromiseId, Gate>,
    /// Questions.
    pub asks: IndexVec<AskId, AskModel>,
    /// Moves of all questions.
    pub moves: IndexVec<MoveId, MoveModel>,
    /// Spread parameters.
    pub spreads: IndexVec<SpreadId, SpreadModel>,
    /// Endings.
    pub endings: IndexVec<EndingId, EndingModel>,
    /// Lines of the score sheet, in order.
    pub scores: Vec<ScoreModel>,
    /// What a position is worth to a player beside the score sheet, in hundredths of a point: functions of the
    /// player. For players that need nobody; no rule asks them.
    pub hints: Vec<FuncId>,
    /// Criteria for the winner: `true` is most.
    pub winner: Vec<(bool, FuncId)>,
    /// Clauses that rules cite, by the number used in [`Kind::Case`](super::tree::Kind::Case) and traces.
    pub clauses: IndexVec<ClauseId, Id>,
    /// Clauses of functions, by function.
    pub function_cites: BTreeMap<FuncId, ClauseId>,
    /// What the tables must satisfy.
    pub requires: Vec<RequireModel>,
    /// Numbers of values of the parameters of queries whose parameters can all be listed.
    pub query_domains: BTreeMap<FuncId, Vec<u32>>,
    /// Number of cells of the state.
    pub cells: u32,
    /// What the cells behind those of the [machine](control) hold, in the order of the texts.
    pub storage: Vec<Storage>,
    /// Named effects and queries, by address.
    pub names: BTreeMap<String, FuncId>,
    /// Queries by address.
    pub queries: BTreeMap<String, QueryModel>,
    /// Types of expressions, by where they are written: for explanations, which tell rows and seats from numbers by them.
    pub written: BTreeMap<Span, Ty>,
}

/// What can be asked of the table: `query`.
#[derive(Clone, Debug)]
pub struct QueryModel {
    /// Its function.
    pub function: FuncId,
    /// Types of its parameters.
    pub params: Vec<Ty>,
    /// What it gives.
    pub ty: Ty,
}

/// What the tables must satisfy: `require`.
#[derive(Clone, Debug)]
pub struct RequireModel {
    /// What is gone through, outermost first.
    pub each: Vec<EachModel>,
    /// What must hold of each; its parameters are those.
    pub condition: FuncId,
    /// Its clause.
    pub cite: Option<ClauseId>,
    /// Where it was written.
    pub span: Span,
}

/// One `all … in …:` of a requirement.
#[derive(Clone, Debug)]
pub struct EachModel {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Ty,
    /// The first value: a function of those before it.
    pub from: FuncId,
    /// Behind the last value.
    pub to: FuncId,
    /// Which of them: also a function of itself.
    pub filter: Option<FuncId>,
}

/// An ending.
#[derive(Clone, Debug)]
pub struct EndingModel {
    /// Its name.
    pub name: Id,
    /// When it becomes due by itself.
    pub when: Option<FuncId>,
    /// The phase after which the match is over; none is at once.
    pub after: Option<PhaseId>,
    /// Its clause.
    pub cite: Option<ClauseId>,
}

/// A line of the score sheet.
#[derive(Clone, Debug)]
pub struct ScoreModel {
    /// Its name.
    pub name: Id,
    /// Whether it applies: a function of the player.
    pub when: Option<FuncId>,
    /// Its points: a function of the player.
    pub value: FuncId,
    /// After all others, whose sum it may read.
    pub last: bool,
    /// It hangs on nothing that anybody may not see.
    pub public: bool,
    /// Its clause.
    pub cite: Option<ClauseId>,
}

impl Model {
    /// How many rows of a table are in play.
    pub fn rows(&self, table: TableId) -> u32 {
        self.tables[table].rows.len().fit()
    }

    /// How many numbers a value of a type is made of.
    pub fn width(&self, ty: &Ty) -> u32 {
        match ty {
            Ty::Bag(table) => self.rows(*table),
            Ty::Record(record) => {
                let parts = self.records[*record].parts.iter();
                parts.map(|(_, ty)| self.width(ty)).sum()
            }
            // Whether it is there, then what it is.
            Ty::Option(inner) if matches!(**inner, Ty::Record(_) | Ty::Bag(_)) => {
                1 + self.width(inner)
            }
            _ => 1,
        }
    }

    /// What a phase keeps, by its address: `bargaining.offered`.
    pub fn kept(&self, address: &str) -> Option<&VarModel> {
        let (phase, name) = address.split_once('.')?;
        let phase = self.phases.iter().find(|p| *p.name == *phase)?;
        phase.keeps.iter().find(|var| *var.name == *name)
    }

    /// The event that a watched condition becomes true.
    pub fn watched(&self, watch: WatchId) -> EventId {
        EventId::new(self.events.len() + watch.index())
    }

    /// What follows an event, in order; events beyond the last are watches.
    pub fn following(&self, event: EventId) -> &[TriggerModel] {
        match event.index().checked_sub(self.events.len()) {
            None => &self.events[event].triggers,
            Some(watch) => self
                .watches
                .get(WatchId::new(watch))
                .map_or(&[], |w| std::slice::from_ref(&w.trigger)),
        }
    }

    /// The cell that counts the words drawn by the shuffles of a pile.
    pub fn chance_cell(&self, place: PlaceId, pile: Cell) -> Cell {
        let place = &self.places[place];
        place.chance + place.instance(pile)
    }
}

/// How many pieces of a row lie in the pile at a cell, and how many in all.
pub fn count_in(cells: &[i32], cell: i64, row: i64) -> Option<(i64, usize)> {
    let first = usize::try_from(cell).ok()?;
    let size = usize::try_from(*cells.get(first)?).ok()?;
    let pieces = cells.get(first + 1..first + 1 + size)?;
    let count = pieces.iter().filter(|p| i64::from(**p) == row).count();
    Some((count.fit(), size))
}

/// How many instances an index has.
pub fn instances(index: &[(Ty, u32)]) -> u32 {
    index.iter().map(|(_, n)| n).product()
}

/// Index values of an instance by its number: the last index runs fastest.
pub fn index_values(index: &[(Ty, u32)], mut instance: u32) -> SmallVec<[i64; 4]> {
    let mut values = smallvec![0; index.len()];
    for (i, (_, size)) in index.iter().enumerate().rev() {
        values[i] = i64::from(instance % size);
        instance /= size;
    }
    values
}

/// The control cells at the start of every state.
pub mod control {
    use super::Cell;

    /// The node the machine stands on.
    pub const NODE: Cell = Cell(0);
    /// The ending that is due, plus one.
    pub const DUE: Cell = Cell(1);
    /// Whether the match is over.
    pub const OVER: Cell = Cell(2);
    /// The seat that is asked, while a question waits.
    pub const SEAT: Cell = Cell(3);
    /// Number of frames on the stack.
    pub const DEPTH: Cell = Cell(4);
    /// First frame.
    pub const STACK: Cell = Cell(5);
    /// Most frames.
    pub const FRAMES: u32 = 32;
    /// First cell of the ruleset.
    pub const FIRST: Cell = Cell(STACK.0 + FRAMES);
}
