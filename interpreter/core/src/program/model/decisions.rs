//! What is asked: questions, their moves, the domains of the moves' parameters.

use crate::numbers::At as _;
use crate::program::cell::Cell;
use crate::program::ids::*;
use crate::program::tree::{Local, Ty};
use crate::source::{Id, Span};
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
    pub moves: Vec<MoveId>,
    /// Places that the asked seat is shown meanwhile: the place, and its first cell.
    pub sees: Vec<(PlaceId, FuncId)>,
    /// Its clause.
    pub cite: Option<ClauseId>,
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
    pub open: Cell,
    /// The cell that counts answers that did not close it.
    pub changes: Cell,
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
    /// What it must pass to be legal, in the order in which it is judged.
    pub gates: Vec<Gate>,
    /// Its effects: its own, then those of extensions.
    pub effects: Vec<MoveEffect>,
    /// It closes a question to several seats.
    pub closes: bool,
    /// The phase with which play goes on, and its arguments: functions of the seat and the parameters.
    pub goes_on: Option<(PhaseId, Vec<FuncId>)>,
    /// Its clause.
    pub cite: Option<ClauseId>,
    /// Registers of all parameters and the seat.
    pub registers: u16,
    /// It stands beside every question and keeps none of them open.
    pub any_time: bool,
    /// The clause of the sentence `at any time` below which it stands.
    pub heading: Option<ClauseId>,
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
    /// Its conditions, each with its gate.
    pub fn needs(&self) -> impl Iterator<Item = (&Gate, FuncId)> {
        self.gates.iter().filter_map(|gate| match gate.kind {
            GateKind::Need(condition) => Some((gate, condition)),
            _ => None,
        })
    }

    /// What it must leave true, each with its gate.
    pub fn promises(&self) -> impl Iterator<Item = (&Gate, FuncId)> {
        self.gates.iter().filter_map(|gate| match gate.kind {
            GateKind::Promise(condition) => Some((gate, condition)),
            _ => None,
        })
    }

    /// The first cell of its memory, by seat, if it may be made once.
    pub fn once(&self) -> Option<Cell> {
        let mut first = self.gates.iter().take_while(|gate| gate.is_first());
        first.find_map(|gate| match gate.kind {
            GateKind::Once { made, .. } => Some(made),
            _ => None,
        })
    }

    /// Types of the registers of its functions: the seat, then the parameters; numbers where one
    /// parameter has several.
    pub fn register_types(&self) -> Vec<Ty> {
        let mut types = vec![Ty::Int; self.registers.at()];
        types[0] = Ty::Player;
        for param in &self.params {
            if param.len == 1 && !matches!(param.ty, Ty::Bag(_) | Ty::Spread) {
                types[param.register.at()] = param.ty.clone();
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
    pub cite: Option<ClauseId>,
    /// How often that extension may be chosen. It is part of `when`.
    pub limit: Option<Limit>,
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

/// `once per round`, of an extension.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// The phase that forgets.
    pub phase: PhaseId,
    /// The clause that says so.
    pub cite: Option<ClauseId>,
    /// Where it was written.
    pub span: Span,
}

/// Who learns what was chosen for a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentAudience {
    /// Everybody.
    Everybody,
    /// The seats that see the pieces, counters or markers of which it speaks before or after the move.
    Witnesses,
    /// The mover.
    Mover,
}

impl ParamModel {
    /// It is a number, fixed, of which not everybody knows the bounds.
    pub fn is_secret_number(&self) -> bool {
        self.hidden && !self.is_open() && matches!(self.domain, DomainModel::Range(..))
    }

    /// A move that does not mention it chooses nothing: 0, no, `none`, an empty bag, or what is there.
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

    /// Whether these registers say that nothing is chosen for it.
    pub fn is_nothing(&self, given: &[i64]) -> bool {
        let mut numbers = given.iter();
        numbers.next() == Some(&self.ty.nothing()) && numbers.all(|n| *n == 0)
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
        table: TableId,
        source: BagSource,
        least: Option<FuncId>,
        most: Option<FuncId>,
        loose_beyond: Option<(FuncId, FuncId)>,
        kinds: Option<FuncId>,
        different: bool,
        without: Option<FuncId>,
    },
    /// Pieces over places.
    Spread(SpreadId),
}

/// What a bag is chosen from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BagSource {
    /// A place: its first cell.
    Cells(FuncId),
    /// A query: its value for each row, which is the function's last parameter.
    Counts(FuncId),
}

/// Something that a move must pass to be legal. Moves are listed, counted, checked and explained by the same gates in
/// the same order.
#[derive(Clone, Copy, Debug)]
pub struct Gate {
    /// What it asks for.
    pub kind: GateKind,
    /// How many parameters must be bound before it can be judged.
    pub after: usize,
    /// It reads an open parameter.
    pub open: bool,
    /// The parameters of the move that it reads: a bit for each.
    pub reads: u64,
    /// It reads what not everybody sees.
    pub hidden: bool,
    /// Whether it is open may tell the mover what the mover does not see.
    pub reveals: bool,
    /// Its clause.
    pub cite: Option<ClauseId>,
    /// Where it was written.
    pub span: Span,
}

/// What a [`Gate`] asks for. Functions are of the seat and the parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateKind {
    /// This phase is under way.
    Under(PhaseId),
    /// The seat has not made the move since the phase began: `once per`.
    Once {
        /// First cell of the memory, by seat.
        made: Cell,
        /// The phase that forgets.
        phase: PhaseId,
    },
    /// The question was answered less often: then only moves that close it are left.
    AtMost {
        /// The cell that counts the answers.
        changes: Cell,
        /// How many there may be.
        most: FuncId,
    },
    /// What is chosen for this parameter is in its domain, and offered.
    Domain(usize),
    /// A condition: `needs`.
    Need(FuncId),
    /// A condition on what the move leaves: `ensures`.
    Promise(FuncId),
}

impl Gate {
    /// A gate that reads no parameter and no secret, as far as is known.
    pub fn new(kind: GateKind, cite: Option<ClauseId>, span: Span) -> Gate {
        Gate {
            kind,
            after: 0,
            open: false,
            reads: 0,
            hidden: false,
            reveals: false,
            cite,
            span,
        }
    }

    /// The condition that it judges, if it has one.
    pub fn condition(&self) -> Option<FuncId> {
        match self.kind {
            GateKind::Need(condition) | GateKind::Promise(condition) => Some(condition),
            _ => None,
        }
    }

    /// Whether it is judged before anything is chosen, by the state alone.
    pub fn is_first(&self) -> bool {
        use GateKind::{AtMost, Once, Under};
        matches!(self.kind, Under(_) | Once { .. } | AtMost { .. })
    }
}

/// A spread: pieces of a table over places.
#[derive(Clone, Debug)]
pub struct SpreadModel {
    /// The table of the pieces.
    pub table: TableId,
    /// The places: indices whose values are fixed by the seat are functions, others run.
    pub targets: Vec<SpreadTargetModel>,
    /// First cell of the overflow, as a function of the seat.
    pub overflow: FuncId,
    /// The place of the overflow.
    pub overflow_place: PlaceId,
    /// Instances in all targets; registers are instances times rows of the table.
    pub instances: u32,
}

/// One family of places of a spread.
#[derive(Clone, Debug)]
pub struct SpreadTargetModel {
    /// The place.
    pub place: PlaceId,
    /// First cell with all running indices at zero, as a function of the seat and earlier parameters.
    pub cells: FuncId,
    /// Cell offset of each instance from the first.
    pub offsets: Vec<u32>,
    /// The room of each instance: a function of the seat and the instance's running index.
    pub room: Option<FuncId>,
}
