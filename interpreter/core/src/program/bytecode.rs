//! The instructions that play runs: a register machine over the flat state.
//!
//! A function has a window of registers, its parameters first. A call places the callee's window
//! over the caller's argument registers, so that nothing is copied. Registers hold 64 bits, cells of
//! the state 32; a store checks the range. Every instruction knows where it was written.

use super::ids::{ClauseId, FuncId, IndexVec, MoveId};
use super::regions::Region;
use super::tree::Verb;
use crate::numbers::{At as _, Fit as _};
use crate::source::Span;

/// Deepest nesting of calls: the checker allows no more.
pub const DEPTH: u32 = 48;

/// A register, relative to its function's window.
pub type Reg = u16;

/// An instruction. `d` is the destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "operands are named alike everywhere")]
pub enum Op {
    /// `d = v`
    Const { d: Reg, v: i32 },
    /// `d..d + len = constants[first..first + len]`
    Consts { d: Reg, first: u32, len: u16 },
    /// `d = s`
    Copy { d: Reg, s: Reg },
    /// `d..d + len = s..s + len`
    CopyAll { d: Reg, s: Reg, len: u16 },
    /// `d = a + b`, checked
    Add { d: Reg, a: Reg, b: Reg },
    /// `d = a + v`, checked
    AddConst { d: Reg, a: Reg, v: i32 },
    /// `d = a - b`, checked
    Sub { d: Reg, a: Reg, b: Reg },
    /// `d = v - a`, checked
    SubFrom { d: Reg, v: i32, a: Reg },
    /// `d = a * b`, checked
    Mul { d: Reg, a: Reg, b: Reg },
    /// `d = a / b`, a fault if `b` is zero
    Div { d: Reg, a: Reg, b: Reg },
    /// `d = a % b`, a fault if `b` is zero
    Rem { d: Reg, a: Reg, b: Reg },
    /// `d = a == b`
    Eq { d: Reg, a: Reg, b: Reg },
    /// `d = a != b`
    Ne { d: Reg, a: Reg, b: Reg },
    /// `d = a < b`
    Lt { d: Reg, a: Reg, b: Reg },
    /// `d = a <= b`
    Le { d: Reg, a: Reg, b: Reg },
    /// `d = a == v`
    Is { d: Reg, a: Reg, v: i32 },
    /// `d = a != v`
    IsNot { d: Reg, a: Reg, v: i32 },
    /// `d = a < v`
    IsBelow { d: Reg, a: Reg, v: i32 },
    /// `d = a >= v`
    IsNotBelow { d: Reg, a: Reg, v: i32 },
    /// `d = min(a, b)`
    Min { d: Reg, a: Reg, b: Reg },
    /// `d = max(a, b)`
    Max { d: Reg, a: Reg, b: Reg },
    /// `d = min(a, v)`
    MinConst { d: Reg, a: Reg, v: i32 },
    /// `d = max(a, v)`
    MaxConst { d: Reg, a: Reg, v: i32 },
    /// `acc = s` if `seen` is zero or `s` is greater, or less unless `is_max`; `seen = 1`
    Extreme {
        acc: Reg,
        seen: Reg,
        s: Reg,
        is_max: bool,
    },
    /// `d = yes` if `c` is not zero, else `no`
    Choose { d: Reg, c: Reg, yes: i16, no: i16 },
    /// `d = -a`
    Neg { d: Reg, a: Reg },
    /// `d = a == 0`
    Not { d: Reg, a: Reg },
    /// Goes on at `to`.
    Jump { to: u32 },
    /// Goes on at `to`, which is earlier: costs fuel.
    Back { to: u32 },
    /// Goes on at `to` if `c` is not zero.
    JumpIf { c: Reg, to: u32 },
    /// Goes on at `to` if `c` is zero.
    JumpUnless { c: Reg, to: u32 },
    /// Goes on at `to` if `a < b`.
    JumpIfLess { a: Reg, b: Reg, to: u32 },
    /// Goes on at `to` unless `a < b`.
    JumpUnlessLess { a: Reg, b: Reg, to: u32 },
    /// Goes on at `to` if `a < v`.
    JumpIfBelow { a: Reg, v: i32, to: u32 },
    /// Goes on at `to` unless `a < v`.
    JumpUnlessBelow { a: Reg, v: i32, to: u32 },
    /// Goes on at `to` if `a == b`.
    JumpIfEqual { a: Reg, b: Reg, to: u32 },
    /// Goes on at `to` unless `a == b`.
    JumpUnlessEqual { a: Reg, b: Reg, to: u32 },
    /// Goes on at `to` if `a == v`.
    JumpIfIs { a: Reg, v: i32, to: u32 },
    /// Goes on at `to` unless `a == v`.
    JumpUnlessIs { a: Reg, v: i32, to: u32 },
    /// `var = var + 1`; goes on at `to`, which is earlier, if `var < bound`: costs fuel.
    Next { var: Reg, bound: Reg, to: u32 },
    /// `var = var + 1`; goes on at `to`, which is earlier, if `var < rows`: costs fuel.
    NextRow { var: Reg, rows: u32, to: u32 },
    /// Sets the variable of a scan to the next row that passes its tests; goes on at `to` if there is
    /// none. Costs the fuel of a turn for each row that is skipped.
    Scan { scan: u32, to: u32 },
    /// `var = var + 1`, then sets it likewise; goes on at `to`, which is earlier, if there is such a row.
    /// Costs the fuel of one turn more.
    ScanNext { scan: u32, to: u32 },
    /// `d = ` the sum over all rows; costs the fuel of a turn for each.
    Total { d: Reg, total: u32 },
    /// `d = cells[cell]`
    Load { d: Reg, cell: u32 },
    /// `d = cells[base + i]`
    LoadAt { d: Reg, base: u32, i: Reg },
    /// `d = cells[base + i * by]`
    LoadScaled { d: Reg, base: u32, i: Reg, by: u16 },
    /// `d = cells[base + i * by + j * step]`
    LoadPair {
        d: Reg,
        base: u16,
        i: Reg,
        by: u16,
        j: Reg,
        step: u8,
    },
    /// `d = base + i * by`: the number of a cell
    Cell { d: Reg, base: u32, i: Reg, by: u16 },
    /// `d = base + i * by + j * step`: the number of a cell
    CellPair {
        d: Reg,
        base: u16,
        i: Reg,
        by: u16,
        j: Reg,
        step: u8,
    },
    /// `d = i * by`: an index and its stride
    Scale { d: Reg, i: Reg, by: u32 },
    /// `d = i * by + j * step`
    ScalePair {
        d: Reg,
        i: Reg,
        by: u16,
        j: Reg,
        step: u16,
    },
    /// `d = a + i * by`
    AddScaled { d: Reg, a: Reg, i: Reg, by: u16 },
    /// `d = sum of cells[base..base + len]`
    Sum { d: Reg, base: u32, len: u16 },
    /// `d = sum of cells[base + i..base + i + len]`
    SumAt { d: Reg, base: u32, i: Reg, len: u16 },
    /// `d = sum of cells[base + i * by..base + i * by + len]`
    SumScaled {
        d: Reg,
        base: u32,
        i: Reg,
        by: u16,
        len: u8,
    },
    /// `d = how many of the cells[cell] cells behind it hold row`: pieces of a pile
    CountIn { d: Reg, cell: Reg, row: Reg },
    /// `d = columns[base + i]`; a fault if `i` is not below `len`
    Column { d: Reg, base: u32, i: Reg, len: u16 },
    /// `d = registers[base + i]`; a fault if `i` is not below `len`
    RegisterAt { d: Reg, base: Reg, i: Reg, len: u16 },
    /// `d = sum of registers[base..base + len]`
    SumRegisters { d: Reg, base: Reg, len: u16 },
    /// Calls a function; its arguments are the registers from `at`, its result goes to `d`.
    Call { d: Reg, function: FuncId, at: Reg },
    /// Gives the value of `s` to the caller.
    Return { s: Reg },
    /// Gives a constant to the caller.
    ReturnConst { v: i32 },
    /// A verb; its arguments are the registers from `at`, its result goes to `d`.
    Verb { d: Reg, verb: u16, at: Reg },
    /// Whether a move is legal for the seat in `seat`.
    Possible { d: Reg, mv: MoveId, seat: Reg },
    /// Tells the sink of the listing of a legal move with the arguments in the first registers; goes on at `to` unless
    /// that is enough.
    Offer { mv: MoveId, to: u32 },
    /// `d = whether something stands` in the cells from `cells[first]` on, which the registers from `at` on
    /// then hold; if it is `optional`, that cell tells so and they lie behind it.
    Standing {
        d: Reg,
        first: Reg,
        at: Reg,
        len: u16,
        optional: bool,
    },
    /// A rule that cites this clause ran; only in traced rulesets.
    Cite { clause: ClauseId },
    /// A long stretch of instructions follows: costs so many units of [work](crate::budget), and no fuel.
    Work { units: u32 },
}

impl Op {
    /// Where it goes on, if it is a jump.
    pub fn target(&mut self) -> Option<&mut u32> {
        match self {
            Op::Jump { to }
            | Op::Back { to }
            | Op::Next { to, .. }
            | Op::NextRow { to, .. }
            | Op::JumpIf { to, .. }
            | Op::JumpUnless { to, .. }
            | Op::JumpIfLess { to, .. }
            | Op::JumpUnlessLess { to, .. }
            | Op::JumpIfBelow { to, .. }
            | Op::JumpUnlessBelow { to, .. }
            | Op::JumpIfEqual { to, .. }
            | Op::JumpUnlessEqual { to, .. }
            | Op::JumpIfIs { to, .. }
            | Op::JumpUnlessIs { to, .. }
            | Op::Scan { to, .. }
            | Op::ScanNext { to, .. }
            | Op::Offer { to, .. } => Some(to),
            _ => None,
        }
    }
}

/// Units of [work](crate::budget) of going once through a stretch of so many instructions, cells or registers, beside
/// what a turn of fuel stands for.
#[inline]
pub fn work_of(stretch: usize) -> u32 {
    (stretch / 128).fit::<u32>() * 8
}

/// A loop's variable, its rows, and the tests that a row must pass.
#[derive(Clone, Debug)]
pub struct Scan {
    /// The variable: a row, by number.
    pub var: Reg,
    /// The number of rows.
    pub rows: u32,
    /// The tests, in order.
    pub tests: Vec<Test>,
}

/// A test of a row.
#[derive(Clone, Debug)]
pub enum Test {
    /// What does not depend on the table: for each row the first one from there on that passes.
    Next(Vec<u32>),
    /// The value of a column is so related to what lies in a register.
    Column {
        /// Where the column begins.
        base: u32,
        /// How.
        is: Relation,
        /// The register.
        value: Reg,
    },
    /// A cell is greater than zero. No scan has two of these: it stands where this one's cell does, of
    /// which alone a fault can come.
    Cell {
        /// The first cell.
        base: u32,
        /// Cells from one row to the next.
        stride: u32,
        /// Registers that say which instance, each with its stride.
        terms: Vec<(Reg, u32)>,
    },
}

/// How one number is related to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Relation {
    Equal,
    Below,
    AtMost,
    Above,
    AtLeast,
}

/// Registers that say which instance, each with its stride.
pub type Indices = Vec<(Reg, u32)>;

/// A sum over the rows of a table.
#[derive(Clone, Debug)]
pub struct Total {
    /// The number of rows.
    pub rows: u32,
    /// What is added for each row.
    pub terms: Vec<Term>,
}

/// What is added for a row: a cell or the sum of some, perhaps times the value of a column.
#[derive(Clone, Debug)]
pub struct Term {
    /// The first cell of the first row.
    pub base: u32,
    /// How many cells of a row there are, side by side.
    pub len: u32,
    /// Cells from one row to the next.
    pub stride: u32,
    /// Registers that say which instance, each with its stride.
    pub indices: Indices,
    /// Where the column begins.
    pub column: Option<u32>,
    /// It is taken away instead.
    pub negative: bool,
}

/// A compiled function.
#[derive(Clone, Copy, Debug)]
pub struct Code {
    /// Its first instruction.
    pub start: u32,
    /// Registers of its window.
    pub registers: u16,
    /// Registers of its parameters.
    pub params: u16,
    /// It gives what its first instruction computes, which is a constant or lies in a cell.
    pub is_at_hand: bool,
    /// Where what it gave is remembered while what it reads stays as it is, if that is worth while.
    pub memo: Option<Memo>,
}

/// The slots of a query: one for each combination of arguments.
#[derive(Clone, Copy, Debug)]
pub struct Memo {
    /// The query, by number among those that are remembered.
    pub query: u32,
    /// The first slot.
    pub base: u32,
    /// Numbers of values of its parameters; unused ones are one.
    pub sizes: [u16; 3],
    /// Number of parameters.
    pub params: u8,
    /// What it reads: the first of [`Bytecode::reads`], and how many.
    pub reads: (u32, u16),
    /// About how many instructions it runs.
    pub cost: u32,
}

impl Memo {
    /// The slot of these arguments; none if one of them is out of range.
    #[inline]
    pub fn slot(&self, args: &[i64]) -> Option<u32> {
        let mut slot = 0;
        for (arg, size) in args[..usize::from(self.params)].iter().zip(&self.sizes) {
            let size = u32::from(*size);
            let arg = u32::try_from(*arg).ok().filter(|a| *a < size)?;
            slot = slot * size + arg;
        }
        Some(self.base + slot)
    }
}

/// The functions that go through the legal moves of a kind.
#[derive(Clone, Copy, Debug)]
pub struct Listing {
    /// In ascending order.
    pub ascending: FuncId,
    /// From given values on and around; if random players draw them so.
    pub rotated: Option<FuncId>,
    /// As far as everybody can see; unless that is everything.
    pub public: Option<FuncId>,
}

/// All compiled functions.
#[derive(Clone, Debug, Default)]
pub struct Bytecode {
    /// Instructions of all functions.
    pub ops: Vec<Op>,
    /// Where each instruction was written.
    pub spans: Vec<Span>,
    /// Functions, by number: first those of the model.
    pub functions: IndexVec<FuncId, Code>,
    /// The functions that go through the legal moves, by move.
    pub listings: IndexVec<MoveId, Listing>,
    /// Queries whose last parameter is the number of a place, and functions that leave what they give for each
    /// place in the registers from that parameter on.
    pub together: Vec<(FuncId, FuncId)>,
    /// Values of all columns, one after the other.
    pub columns: Vec<i32>,
    /// Constants that are loaded together.
    pub constants: Vec<i64>,
    /// Loops that skip rows.
    pub scans: Vec<Scan>,
    /// Sums over all rows.
    pub totals: Vec<Total>,
    /// Number of queries that are remembered.
    pub queries: usize,
    /// The regions that they read.
    pub reads: Vec<Region>,
    /// Verbs with their fixed operands.
    pub verbs: Vec<Verb>,
}

impl Bytecode {
    /// The function that gives what a query does for all places, if there is one.
    pub fn together(&self, query: FuncId) -> Option<FuncId> {
        let together = self.together.iter().find(|(one, _)| *one == query);
        together.map(|(_, function)| *function)
    }

    /// What a function gives that has it at hand.
    #[inline]
    pub fn at_hand(&self, code: &Code, cells: &[i32]) -> Option<i64> {
        if !code.is_at_hand {
            return None;
        }
        match self.ops[code.start.at()] {
            Op::ReturnConst { v } => Some(i64::from(v)),
            Op::Load { cell, .. } => Some(i64::from(cells[cell.at()])),
            _ => None,
        }
    }
}
