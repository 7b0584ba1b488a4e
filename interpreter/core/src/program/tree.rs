//! The typed tree: what the type checker hands to the compiler, and what explanations of refusals evaluate.
//!
//! Every name is resolved to a local, a cell of the state, a column, a function or a verb; every
//! node has passed the type check. Queries, conditions and effects are all [`Function`]s.

use super::cell::Cell;
use super::ids::{
    ClauseId, ColumnId, DieId, EndingId, EventId, MoveId, RecordId, SpreadId, TableId,
};
use crate::source::Span;

pub use super::ids::FuncId;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "a variant's text explains its fields")]
pub enum Ty {
    /// A number.
    Int,
    /// Yes or no.
    Bool,
    /// A player, by seat.
    Player,
    /// A row of a table.
    Row(TableId),
    /// A player or row, or `none`.
    Option(Box<Ty>),
    /// The literal `none`.
    None,
    /// Counts per row of a table.
    Bag(TableId),
    /// A declared bundle of values.
    Record(RecordId),
    /// Pieces of a table over places: an open parameter.
    Spread,
    /// Nothing: a verb called for its effect.
    Unit,
}

impl Ty {
    /// The number of what is not chosen: `none` of an option, else 0.
    pub fn nothing(&self) -> i64 {
        match self {
            Ty::Option(_) => NONE,
            _ => 0,
        }
    }
}

/// `none` of an option.
pub const NONE: i64 = -1;

/// A number of a register of a function.
pub type Local = u16;

/// A query, condition or effect.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its address, for people: `captain.fits`, `captain.loading.load.needs`.
    pub name: String,
    /// Registers of its parameters: the first ones.
    pub params: u16,
    /// Registers in all, parameters and locals.
    pub locals: u16,
    /// What it does before it gives its result.
    pub body: Vec<St>,
    /// What it gives.
    pub result: Option<Ex>,
    /// Where it was written.
    pub span: Span,
}

/// Cells of the state: a base, and index values with their strides.
#[derive(Clone, Debug, PartialEq)]
pub struct Addr {
    /// The first cell.
    pub base: Cell,
    /// Index expressions and how many cells each step is.
    pub index: Vec<(Ex, u32)>,
}

/// An expression with its place.
#[derive(Clone, Debug)]
pub struct Ex {
    /// What it is.
    pub kind: Kind,
    /// Where it was written.
    pub span: Span,
}

/// Expressions are equal if they compute the same in the same way, wherever they were written.
impl PartialEq for Ex {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

/// Kinds of expression.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "a variant's text explains its fields")]
pub enum Kind {
    /// A constant: number, truth value, row, seat, or [`NONE`].
    Const(i64),
    /// A register.
    Local(Local),
    /// A register of a window, by index (an open parameter's count of a row).
    LocalAt {
        base: Local,
        len: u16,
        index: Box<Ex>,
    },
    /// Neighbouring registers that are one value. Only while an expression is checked.
    Registers { base: Local, len: u16 },
    /// Neighbouring cells that are one value. Only while an expression is checked.
    Cells { addr: Addr, len: u32 },
    /// Values that are one together. Only while an expression is checked.
    Together(Vec<Ex>),
    /// The sum of a window of registers.
    SumLocals { base: Local, len: u16 },
    /// A cell.
    Load(Addr),
    /// The sum of `len` cells (the number of pieces in a place).
    SumCells { addr: Addr, len: u32 },
    /// How many pieces of a row lie in a pile.
    CountIn { addr: Addr, row: Box<Ex> },
    /// A value of a column of a table.
    Column { column: ColumnId, row: Box<Ex> },
    /// Negation of a number.
    Minus(Box<Ex>),
    /// Negation of a truth value.
    Not(Box<Ex>),
    /// A binary operation.
    Binary(Op2, Box<Ex>, Box<Ex>),
    /// Both, the second only if the first.
    And(Box<Ex>, Box<Ex>),
    /// Either, the second only if not the first.
    Or(Box<Ex>, Box<Ex>),
    /// One or the other.
    If(Box<Ex>, Box<Ex>, Box<Ex>),
    /// A query or a named effect called.
    Call(FuncId, Vec<Ex>),
    /// An aggregate: `var` runs through the domain.
    Aggregate {
        op: Aggregate,
        var: Local,
        acc: Local,
        domain: Domain,
        filter: Option<Box<Ex>>,
        body: Option<Box<Ex>>,
    },
    /// Whether some move is legal for a seat.
    Possible { mv: MoveId, seat: Box<Ex> },
    /// Tells the sink of a listing of the legal move in the first registers: whether that
    /// is enough. Only in what the compiler writes.
    Offer { mv: MoveId },
    /// Whether something stands in `len` cells, which the registers from `at` on then hold. They begin at
    /// the first cell or, if that cell tells whether something stands there, behind it (`optional`). Only in
    /// what the compiler writes.
    Standing {
        first: Box<Ex>,
        at: Local,
        len: u16,
        optional: bool,
    },
    /// A verb; only in effects.
    Verb(Verb, Vec<Arg>),
    /// The case of a query that decided, for explanations: the clause and the value.
    Case(Option<ClauseId>, Box<Ex>),
}

impl Kind {
    /// As an expression that stands there.
    pub fn at(self, span: Span) -> Ex {
        Ex { kind: self, span }
    }
}

/// Binary operations on numbers; comparisons give 1 or 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Op2 {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Eq,
    Ne,
    Lt,
    Le,
    Min,
    Max,
}

impl Op2 {
    /// What it gives of two numbers, unless that is a fault.
    pub fn of(self, a: i64, b: i64) -> Option<i64> {
        Some(match self {
            Op2::Add => a.checked_add(b)?,
            Op2::Sub => a.checked_sub(b)?,
            Op2::Mul => a.checked_mul(b)?,
            Op2::Div => a.checked_div(b)?,
            Op2::Rem => a.checked_rem(b)?,
            Op2::Eq => i64::from(a == b),
            Op2::Ne => i64::from(a != b),
            Op2::Lt => i64::from(a < b),
            Op2::Le => i64::from(a <= b),
            Op2::Min => a.min(b),
            Op2::Max => a.max(b),
        })
    }
}

/// Aggregates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Aggregate {
    Any,
    All,
    Sum,
    Count,
    Max,
    Min,
    First,
}

/// What a loop or an aggregate runs through, in this order.
#[derive(Clone, Debug, PartialEq)]
pub enum Domain {
    /// `from..to`
    Range(Box<Ex>, Box<Ex>),
    /// All rows of a table, or all seats.
    Upto(u32),
}

/// An argument of a verb.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    /// A value.
    Value(Ex),
    /// A place, counter or marker: its first cell.
    Cells(Addr),
    /// A window of registers (a spread or bag parameter).
    Window(Local),
}

/// The verbs of effects. General: none belongs to a game; the list is pinned by a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verb {
    /// `move(n, row, from, to)`: exactly so many; a fault if they are not there.
    Move,
    /// `take(n, row, from, to)`: as many as there are, at most `n`; gives how many.
    Take,
    /// `take_either(n, row, first, second, to)`: from the first, what is missing from the second; gives how many.
    TakeEither,
    /// `move_all(from, to)`: everything, a pile from its top; gives how many.
    MoveAll,
    /// `move_under(from, pile)`: everything below what lies in the pile; gives how many.
    MoveUnder,
    /// `draw(n, pile, to)`: from the top, as many as there are, refilling the pile where it says so;
    /// gives how many.
    Draw,
    /// `take_out(n, row, pile, to)`: pieces of a kind out of a pile; a fault if they are not there.
    TakeOut,
    /// `put_on(n, row, from, pile)`: pieces of a kind onto a pile; a fault if they are not there.
    PutOn,
    /// `put_under(n, row, from, pile)`: pieces of a kind below a pile; a fault if they are not there.
    PutUnder,
    /// `shuffle(pile)`
    Shuffle,
    /// `shuffle_into(from, pile)`: everything shuffled and put below what lies in the pile.
    ShuffleInto,
    /// `gain(counter, n)`
    Gain,
    /// `pay(counter, n)`: a fault if it does not suffice.
    Pay,
    /// `set(counter or marker, value)`
    Set,
    /// `arrange(plan)`: puts the pieces of a spread parameter where the plan says.
    Arrange(SpreadId),
    /// `roll(die)`: gives the face.
    Roll(DieId),
    /// `raise(event(…))`
    Raise(EventId),
    /// `finish(ending)`
    Finish(EndingId),
}

/// A statement.
#[derive(Clone, Debug)]
pub enum St {
    /// A register is set.
    Set(Local, Ex),
    /// One or the other.
    If(Ex, Vec<St>, Vec<St>),
    /// As long as.
    While(Ex, Vec<St>),
    /// For each of a domain; the second register holds the bound.
    For(Local, Local, Domain, Vec<St>),
    /// Leaves the innermost loop.
    Break,
    /// Goes on with the innermost loop.
    Continue,
    /// Done for its effect.
    Do(Ex),
    /// Ends the function with a value. Only in what the compiler writes.
    Return(Ex),
}
