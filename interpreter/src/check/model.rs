//! The checked ruleset: declarations with their cells, functions, phases, moves.
//!
//! Built by the checker, read by the compiler (graph, bytecode) and by play (domains, views).

use std::collections::BTreeMap;

use super::ir::{Addr, FuncId, Function, Local, Ty};
use crate::source::{Id, Span};

/// A checked ruleset in one configuration.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Number of players.
    pub players: u8,
    /// Tables with the rows that are in play.
    pub tables: Vec<TableModel>,
    /// Bundles of values that have a name.
    pub records: Vec<RecordModel>,
    /// Columns of all tables.
    pub columns: Vec<ColumnModel>,
    /// Places.
    pub places: Vec<PlaceModel>,
    /// Counters.
    pub counters: Vec<CounterModel>,
    /// Markers.
    pub markers: Vec<MarkerModel>,
    /// Dice.
    pub dice: Vec<DieModel>,
    /// Events that rules raise.
    pub events: Vec<EventModel>,
    /// Queries, conditions and effects.
    pub functions: Vec<Function>,
    /// Conditions that are watched.
    pub watches: Vec<WatchModel>,
    /// Cells of the [`agenda`]: their number in use first. None if no trigger asks or visits.
    pub agenda: Option<u32>,
    /// Phases; the first to run is `game`.
    pub phases: Vec<PhaseModel>,
    /// Phase that plays a row: by table, then by row.
    pub plays: BTreeMap<(usize, usize), usize>,
    /// What choices in visits must leave true.
    pub promises: Vec<PromiseModel>,
    /// Questions.
    pub asks: Vec<AskModel>,
    /// Moves of all questions.
    pub moves: Vec<MoveModel>,
    /// Spread parameters.
    pub spreads: Vec<SpreadModel>,
    /// Endings.
    pub endings: Vec<EndingModel>,
    /// Lines of the score sheet, in order.
    pub scores: Vec<ScoreModel>,
    /// Criteria for the winner: `true` is most.
    pub winner: Vec<(bool, FuncId)>,
    /// Clauses that rules cite, by the number used in [`Kind::Case`](super::ir::Kind::Case) and traces.
    pub clauses: Vec<Id>,
    /// Clauses of functions, by function.
    pub function_cites: BTreeMap<FuncId, usize>,
    /// What the tables must satisfy.
    pub requires: Vec<RequireModel>,
    /// Numbers of values of the parameters of queries whose parameters can all be listed.
    pub query_domains: BTreeMap<FuncId, Vec<u32>>,
    /// Number of cells of the state.
    pub cells: u32,
    /// Named effects and queries, by address.
    pub names: BTreeMap<String, FuncId>,
}

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
    pub table: usize,
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
    Holder(u32),
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
    pub base: u32,
    /// Cells of one instance: rows of the table, or one plus the capacity of a pile.
    pub width: u32,
    /// The table of its pieces.
    pub table: usize,
    /// Ordered.
    pub pile: bool,
    /// First of the cells, one for each instance of a pile, that count the words drawn by its shuffles.
    pub chance: u32,
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
    /// It lasts as long as this phase.
    pub phase: Option<usize>,
    /// It never runs dry: pieces are taken from it and put back without being counted.
    pub endless: bool,
    /// Where it was declared.
    pub span: Span,
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
    pub base: u32,
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
    pub base: u32,
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
    pub marker: usize,
    /// What stands on its faces, in order.
    pub faces: Vec<i64>,
    /// The cell that counts the words drawn by its rolls.
    pub chance: u32,
    /// What is rolled next if somebody has set it: how many faces, then the faces.
    pub next: u32,
}

/// How many rolls of a die can be set.
pub const ROLLS: u32 = 16;

/// An event that rules raise.
#[derive(Clone, Debug)]
pub struct EventModel {
    /// Its name.
    pub name: Id,
    /// What it carries.
    pub params: Vec<(Id, Ty)>,
    /// What follows, in order.
    pub triggers: Vec<TriggerModel>,
    /// Cells that are set to zero when it is raised (laps without it).
    pub resets: Vec<u32>,
}

/// What follows an event.
#[derive(Clone, Debug)]
pub struct TriggerModel {
    /// Its condition: a function of what the event carries.
    pub when: Option<FuncId>,
    /// Once per phase: the cells that remember, and whether there is one for each seat.
    pub once: Option<(u32, bool)>,
    /// Only while this phase is under way.
    pub under: Option<usize>,
    /// What it does.
    pub body: TriggerBody,
    /// Its clause.
    pub cite: Option<usize>,
}

/// What a trigger does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TriggerBody {
    /// An effect: a function of what the event carries.
    Effect(FuncId),
    /// Something that asks or visits: a phase whose parameters are what the event carries.
    Phase(usize),
}

/// A condition that is looked at after each effect.
#[derive(Clone, Debug)]
pub struct WatchModel {
    /// The condition: a function of the player, if there is one.
    pub when: FuncId,
    /// For each player.
    pub each: bool,
    /// First cell that remembers whether it held.
    pub memory: u32,
    /// Only while this phase is under way.
    pub under: Option<usize>,
    /// That it became true may tell what not everybody sees.
    pub reveals: bool,
    /// What follows when it becomes true.
    pub trigger: TriggerModel,
}

/// Where events wait in the state while something that follows from one of them is asked.
pub mod agenda {
    /// Most entries.
    pub const MOST: u32 = 24;
    /// Cells of an entry: the event, the next trigger, what the event carries.
    pub const WIDTH: u32 = 10;
}

/// A variable of a phase: a parameter, something kept, a loop's variable.
#[derive(Clone, Debug)]
pub struct VarModel {
    /// Its name.
    pub name: Id,
    /// Types and sizes of its indices.
    pub index: Vec<(Ty, u32)>,
    /// Its type.
    pub ty: Ty,
    /// First cell.
    pub base: u32,
    /// Cells of one instance: more than one of a value that holds several things.
    pub width: u32,
    /// Cells in all.
    pub len: u32,
    /// Who sees it.
    pub sight: Sight,
}

/// What the tables must satisfy: `require`.
#[derive(Clone, Debug)]
pub struct RequireModel {
    /// What is gone through, outermost first.
    pub each: Vec<EachModel>,
    /// What must hold of each; its parameters are those.
    pub condition: FuncId,
    /// Its clause.
    pub cite: Option<usize>,
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

/// A phase.
#[derive(Clone, Debug)]
pub struct PhaseModel {
    /// Its name.
    pub name: Id,
    /// Its parameters, in order.
    pub params: Vec<VarModel>,
    /// What it keeps while it lasts.
    pub keeps: Vec<VarModel>,
    /// Cells that are reset when it begins: first and number, and the value.
    pub resets: Vec<(u32, u32, i32)>,
    /// Its steps.
    pub steps: Vec<StepModel>,
    /// Done at its end, also when it is ended from within.
    pub ends: Vec<StepModel>,
    /// How often it may be under way at once, if it says so.
    pub depth: Option<i64>,
    /// Its own cells: first and number.
    pub own: Vec<(u32, u32)>,
    /// Where its own cells are kept while it is visited again: the first cell, and for how many visits.
    pub saved: Option<(u32, u32)>,
    /// Its clause.
    pub cite: Option<usize>,
    /// Endings that are due after it.
    pub endings: Vec<usize>,
    /// It plays rows of a table, which need not be in play with every number of players.
    pub plays_rows: bool,
    /// Where it was written.
    pub span: Span,
}

/// A step.
#[derive(Clone, Debug)]
pub struct StepModel {
    /// Its address: `captain.loading`.
    pub name: Id,
    /// Else it is passed over.
    pub when: Option<FuncId>,
    /// How often and for whom.
    pub over: OverModel,
    /// What it does.
    pub body: BodyModel,
    /// Done when the step begins.
    pub at_start: Vec<StepModel>,
    /// Done when the step is over.
    pub at_end: Vec<StepModel>,
    /// Done before each turn (or before the step, if it has no turns).
    pub before_turn: Vec<StepModel>,
    /// Done after each turn.
    pub after_turn: Vec<StepModel>,
    /// The cells that remember who had a turn, and the cell of the player; only if somebody asks.
    pub had_turn: Option<(u32, u32)>,
    /// Its clause.
    pub cite: Option<usize>,
    /// Where it was written.
    pub span: Span,
}

impl StepModel {
    /// A step that happens once and does nothing.
    pub fn plain(name: Id, span: Span) -> StepModel {
        StepModel {
            name,
            when: None,
            over: OverModel::Once,
            body: BodyModel::Steps(Vec::new()),
            at_start: Vec::new(),
            at_end: Vec::new(),
            before_turn: Vec::new(),
            after_turn: Vec::new(),
            had_turn: None,
            cite: None,
            span,
        }
    }
}

/// How often a step happens and for whom.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "a variant's text explains its fields")]
pub enum OverModel {
    /// Once.
    Once,
    /// Each player one turn: cells of the player and of the turns left.
    EachPlayer {
        var: u32,
        left: u32,
        from: FuncId,
        filter: Option<FuncId>,
    },
    /// Clockwise again and again.
    Cycle {
        var: u32,
        since: u32,
        from: FuncId,
        until: UntilModel,
    },
    /// Each row.
    EachRow {
        var: u32,
        rows: u32,
        filter: Option<FuncId>,
    },
    /// Each number from the first to the second, which the cell `last` keeps while it lasts.
    EachNumber {
        var: u32,
        last: u32,
        from: FuncId,
        to: FuncId,
        filter: Option<FuncId>,
    },
    /// Again and again.
    Repeat { until: UntilModel },
}

/// When a cycle ends.
#[derive(Clone, Debug)]
pub enum UntilModel {
    /// When everybody had a turn since the event, whose raising resets the cell `since`.
    Lap,
    /// When this holds, judged before each turn.
    Condition(FuncId),
    /// When an ending does.
    Forever,
}

/// What a step does.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "a variant's text explains its fields")]
pub enum BodyModel {
    /// An effect.
    Effect(FuncId),
    /// A question.
    Ask(usize),
    /// Another phase.
    Visit {
        phase: usize,
        args: Vec<FuncId>,
        promise: Option<usize>,
    },
    /// The phase that plays a row.
    Play {
        table: usize,
        row: FuncId,
        args: Vec<FuncId>,
    },
    /// Steps.
    Steps(Vec<StepModel>),
    /// An enclosing step or phase ends: its address, and its phase.
    End { address: Id, phase: usize },
}

/// A question.
#[derive(Clone, Debug)]
pub struct AskModel {
    /// The step that asks.
    pub step: Id,
    /// Who is asked.
    pub seat: FuncId,
    /// It is asked of several seats.
    pub several: Option<SeveralModel>,
    /// Its moves.
    pub moves: Vec<usize>,
    /// Places that whoever is asked is shown meanwhile: the place, and its first cell.
    pub sees: Vec<(usize, FuncId)>,
    /// Its clause.
    pub cite: Option<usize>,
    /// Where it was written.
    pub span: Span,
}

/// What a choice must leave true: `ensures`.
#[derive(Clone, Debug)]
pub struct PromiseModel {
    /// The condition: of a move a function of the seat and the parameters.
    pub condition: FuncId,
    /// It reads what not everybody sees.
    pub hidden: bool,
    /// Its clause.
    pub cite: Option<usize>,
    /// Where it was written.
    pub span: Span,
}

/// A question to several seats, who may answer in any order.
#[derive(Clone, Debug)]
pub struct SeveralModel {
    /// Which seats: a function of the seat; none is all.
    pub filter: Option<FuncId>,
    /// When it is closed.
    pub until: Answers,
    /// First cell, by seat, of whether somebody is still asked.
    pub open: u32,
    /// The cell that counts answers that did not close it.
    pub changes: u32,
    /// How many of those there may be.
    pub most: Option<FuncId>,
}

/// When a question to several seats is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answers {
    /// When everybody has answered, each once.
    All,
    /// When the first has.
    First,
    /// When somebody makes a move that closes it.
    UntilClosed,
}

/// A move.
#[derive(Clone, Debug)]
pub struct MoveModel {
    /// Its name in its question.
    pub name: Id,
    /// Its address: `captain.loading.load`.
    pub address: Id,
    /// The question stays open after it.
    pub free: bool,
    /// Its parameters. Register 0 of its functions is the seat, then the parameters in order.
    pub params: Vec<ParamModel>,
    /// The choices of its open parameters are too many to count: one that is allowed is looked for.
    pub searched: bool,
    /// Its conditions, each with the number of parameters it needs.
    pub needs: Vec<NeedModel>,
    /// What it must leave true.
    pub ensures: Vec<PromiseModel>,
    /// Its effects: its own, then those of extensions.
    pub effects: Vec<MoveEffect>,
    /// It closes a question to several seats.
    pub closes: bool,
    /// The cell that counts the answers to its question, and how many there may be: then only moves that
    /// close it are left.
    pub bounded: Option<(u32, FuncId)>,
    /// The phase with which play goes on, and its arguments: functions of the seat and the parameters.
    pub goes_on: Option<(usize, Vec<FuncId>)>,
    /// First cell of the memory of `once per`, by seat.
    pub once: Option<(u32, Option<usize>)>,
    /// Its clause.
    pub cite: Option<usize>,
    /// Registers of all parameters and the seat.
    pub registers: u16,
    /// It stands beside every question and keeps none of them open.
    pub any_time: bool,
    /// The clause of the sentence `at any time` below which it stands.
    pub heading: Option<usize>,
    /// Only while this phase is under way.
    pub under: Option<usize>,
    /// Where it was written.
    pub span: Span,
}

/// Something that a move does.
#[derive(Clone, Copy, Debug)]
pub struct MoveEffect {
    /// Whether it is done: judged before any effect of the move.
    pub when: Option<FuncId>,
    /// What is done.
    pub effect: FuncId,
}

impl MoveModel {
    /// Types of the registers of its functions: the seat, then the parameters; numbers where one
    /// parameter has several.
    pub fn register_types(&self) -> Vec<Ty> {
        let mut types = vec![Ty::Int; self.registers as usize];
        types[0] = Ty::Player;
        for param in &self.params {
            if param.len == 1 && !matches!(param.ty, Ty::Bag(_) | Ty::Spread) {
                types[param.register as usize] = param.ty.clone();
            }
        }
        types
    }
}

/// A parameter of a move.
#[derive(Clone, Debug)]
pub struct ParamModel {
    /// Its name.
    pub name: Id,
    /// Its type.
    pub ty: Ty,
    /// First register.
    pub register: Local,
    /// Registers.
    pub len: u16,
    /// What may be chosen.
    pub domain: DomainModel,
    /// Offered only then; else false, none or nothing.
    pub when: Option<FuncId>,
    /// An open parameter that a condition or a later parameter reads: its choices are tried one by one.
    pub read: bool,
    /// The clause of the extension that adds it.
    pub cite: Option<usize>,
    /// Who learns what was chosen.
    pub audience: ArgumentAudience,
    /// Who learns it in any case: a function of the seat and the parameters.
    pub shown: Option<FuncId>,
    /// What can be chosen depends on what not everybody sees.
    pub hidden: bool,
    /// What can be chosen depends on what is chosen for an open parameter before it.
    pub depends: bool,
    /// The parameters of the move that its condition and its domain read: a bit for each.
    pub reads: u64,
}

/// Who learns what was chosen for a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentAudience {
    /// Everybody.
    Everybody,
    /// Whoever sees the pieces, counters or markers of which it speaks before or after the move.
    Witnesses,
    /// The mover.
    Mover,
}

impl ParamModel {
    /// Whoever does not mention it chooses nothing: 0, no, `none`, an empty bag, or what is there.
    pub fn may_be_left_out(&self) -> bool {
        match self.domain {
            DomainModel::OptionUpto(_)
            | DomainModel::Amount { .. }
            | DomainModel::Same { .. }
            | DomainModel::Bag { .. } => true,
            DomainModel::Upto(_) => self.ty == Ty::Bool || self.when.is_some(),
            DomainModel::Range(..) | DomainModel::Spread(_) => self.when.is_some(),
        }
    }

    /// Left out of a move when nothing is chosen for it.
    pub fn is_left_out(&self) -> bool {
        let optional = matches!(
            self.domain,
            DomainModel::OptionUpto(_) | DomainModel::Amount { .. }
        );
        optional || self.when.is_some()
    }

    /// Chosen freely within limits, not one of a few values.
    pub fn is_open(&self) -> bool {
        self.depends
            || matches!(
                self.domain,
                DomainModel::Amount { .. } | DomainModel::Bag { .. } | DomainModel::Spread(_)
            )
    }
}

/// What may be chosen for a parameter.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "a variant's text explains its fields")]
pub enum DomainModel {
    /// Values from zero: rows, seats, false and true.
    Upto(u32),
    /// None, or values from zero.
    OptionUpto(u32),
    /// From the first to the second, inclusive.
    Range(FuncId, FuncId),
    /// From the first to the second, inclusive, in steps of the third: chosen freely.
    Amount {
        from: FuncId,
        to: FuncId,
        step: Option<FuncId>,
    },
    /// What lies there now and nothing else, from this cell on; with `optional` the cell tells whether it is
    /// there, and it lies behind it.
    Same { cells: FuncId, optional: bool },
    /// Some of what lies in a place or of what a query counts; limits as functions.
    Bag {
        table: usize,
        source: BagSource,
        least: Option<FuncId>,
        most: Option<FuncId>,
        loose_beyond: Option<(FuncId, FuncId)>,
        kinds: Option<FuncId>,
        different: bool,
        without: Option<FuncId>,
    },
    /// Pieces over places.
    Spread(usize),
}

/// What a bag is chosen from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BagSource {
    /// A place: its first cell.
    Cells(FuncId),
    /// A query: its value for each row, which is the function's last parameter.
    Counts(FuncId),
}

/// A condition of a move.
#[derive(Clone, Debug)]
pub struct NeedModel {
    /// The condition: a function of the seat and the parameters.
    pub condition: FuncId,
    /// How many parameters must be bound before it can be judged.
    pub after: usize,
    /// It reads an open parameter.
    pub open: bool,
    /// The parameters of the move that it reads: a bit for each.
    pub reads: u64,
    /// It reads what not everybody sees.
    pub hidden: bool,
    /// Whether it holds may tell the mover what the mover does not see.
    pub reveals: bool,
    /// Its clause.
    pub cite: Option<usize>,
    /// Where it was written.
    pub span: Span,
}

/// A spread: pieces of a table over places.
#[derive(Clone, Debug)]
pub struct SpreadModel {
    /// The table of the pieces.
    pub table: usize,
    /// The places: indices whose values are fixed by the seat are functions, others run.
    pub targets: Vec<SpreadTargetModel>,
    /// First cell of the overflow, as a function of the seat.
    pub overflow: FuncId,
    /// The place of the overflow.
    pub overflow_place: usize,
    /// Instances in all targets; registers are instances times rows of the table.
    pub instances: u32,
}

/// One family of places of a spread.
#[derive(Clone, Debug)]
pub struct SpreadTargetModel {
    /// The place.
    pub place: usize,
    /// First cell with all running indices at zero, as a function of the seat and earlier parameters.
    pub cells: FuncId,
    /// Cell offset of each instance from the first.
    pub offsets: Vec<u32>,
    /// The room of each instance: a function of the seat and the instance's running index.
    pub room: Option<FuncId>,
}

/// An ending.
#[derive(Clone, Debug)]
pub struct EndingModel {
    /// Its name.
    pub name: Id,
    /// When it becomes due by itself.
    pub when: Option<FuncId>,
    /// The phase after which the match is over; none is at once.
    pub after: Option<usize>,
    /// Its clause.
    pub cite: Option<usize>,
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
    /// Its clause.
    pub cite: Option<usize>,
}

impl PhaseModel {
    /// The cells of its parameters, in order: one for each argument.
    pub fn param_cells(&self) -> impl Iterator<Item = u32> {
        self.params.iter().flat_map(|p| p.base..p.base + p.width)
    }
}

impl Model {
    /// How many numbers a value of a type is made of.
    pub fn width(&self, ty: &Ty) -> u32 {
        match ty {
            Ty::Bag(table) => self.tables[*table].rows.len() as u32,
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

    /// What follows an event, in order; events beyond the last are watches.
    pub fn following(&self, event: usize) -> &[TriggerModel] {
        match event.checked_sub(self.events.len()) {
            None => &self.events[event].triggers,
            Some(watch) => self
                .watches
                .get(watch)
                .map_or(&[], |w| std::slice::from_ref(&w.trigger)),
        }
    }

    /// The cell that counts the words drawn by the shuffles of a pile.
    pub fn chance_cell(&self, place: usize, pile: u32) -> u32 {
        let place = &self.places[place];
        place.chance + (pile - place.base) / place.width
    }

    /// Whether a cell is a counter.
    pub fn is_counter(&self, cell: u32) -> bool {
        self.counters
            .iter()
            .any(|c| (c.base..c.base + instances(&c.index)).contains(&cell))
    }

    /// Whether a cell is a marker.
    pub fn is_marker(&self, cell: u32) -> bool {
        self.markers
            .iter()
            .any(|m| (m.base..m.base + instances(&m.index)).contains(&cell))
    }

    /// The greatest value of a counter, as a function, and the index values of the cell.
    pub fn counter_most(&self, cell: u32) -> Option<(FuncId, Vec<i64>)> {
        let counter = self
            .counters
            .iter()
            .find(|c| (c.base..c.base + instances(&c.index)).contains(&cell))?;
        Some((
            counter.most?,
            index_values(&counter.index, cell - counter.base),
        ))
    }
}

/// How many pieces of a row lie in the pile at a cell.
pub(crate) fn count_in(cells: &[i32], cell: i64, row: i64) -> Option<i64> {
    let first = usize::try_from(cell).ok()?;
    let size = usize::try_from(*cells.get(first)?).ok()?;
    let pieces = cells.get(first + 1..first + 1 + size)?;
    Some(pieces.iter().filter(|p| i64::from(**p) == row).count() as i64)
}

/// How many instances an index has.
pub fn instances(index: &[(Ty, u32)]) -> u32 {
    index.iter().map(|(_, n)| n).product()
}

/// Index values of an instance by its number: the last index runs fastest.
pub fn index_values(index: &[(Ty, u32)], mut instance: u32) -> Vec<i64> {
    let mut values = vec![0; index.len()];
    for (i, (_, size)) in index.iter().enumerate().rev() {
        values[i] = i64::from(instance % size);
        instance /= size;
    }
    values
}

/// Cells of a variable, as an address without index.
impl VarModel {
    /// The address of its first cell.
    pub fn addr(&self) -> Addr {
        Addr {
            base: self.base,
            index: Vec::new(),
        }
    }
}

/// The control cells at the start of every state.
pub mod control {
    /// The node the machine stands on.
    pub const NODE: u32 = 0;
    /// The ending that is due, plus one.
    pub const DUE: u32 = 1;
    /// Whether the match is over.
    pub const OVER: u32 = 2;
    /// The seat that is asked, while a question waits.
    pub const SEAT: u32 = 3;
    /// Number of frames on the stack.
    pub const DEPTH: u32 = 4;
    /// First frame.
    pub const STACK: u32 = 5;
    /// Most frames.
    pub const FRAMES: u32 = 32;
    /// First cell of the ruleset.
    pub const FIRST: u32 = STACK + FRAMES;
}
