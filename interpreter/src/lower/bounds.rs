//! What an expression's value can be, and whether computing it can fail.
//!
//! A pass that computes something earlier than it was written ([`hoist`](super::hoist), [`share`](super::common_subexpressions)) may
//! do so in turns in which it would not have been asked. That is the same only of what cannot fail: nothing that
//! could overflow, divide by zero, or find `none` where a row must be.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::numbers::At as _;
use crate::program::model::{FuncId, Model};
use crate::program::tree::{Addr, Aggregate, Domain, Ex, Kind, Local, Op2};

/// Deepest nesting of queries that are looked through.
const NESTED: u32 = 8;
/// Bits of what is read from a cell or a column, with its sign.
const CELL: u32 = 32;
/// Bits of what is computed, with its sign.
const WORD: u32 = 64;

/// What is known of values: bounds on their bits.
pub(super) struct Bounds<'m> {
    pub model: &'m Model,
    /// Bits of what the compiler put into locals.
    pub known: BTreeMap<Local, u32>,
    /// What was found of calls: of a function, given rows for these parameters, so deep.
    calls: RefCell<BTreeMap<Call, Option<u32>>>,
}

/// A function, which of its parameters are rows, and how deep it is called.
type Call = (FuncId, Vec<bool>, u32);

impl<'m> Bounds<'m> {
    /// Nothing is known yet.
    pub fn new(model: &'m Model) -> Bounds<'m> {
        Bounds {
            model,
            known: BTreeMap::new(),
            calls: RefCell::default(),
        }
    }

    /// How many bits an expression's value has at most, if it can be computed without a fault wherever its
    /// locals are set. `is_row` says of a local that it is a row or a seat, never `none`.
    pub fn bits(&self, ex: &Ex, is_row: &dyn Fn(Local) -> bool, depth: u32) -> Option<u32> {
        let bits = |ex: &Ex| self.bits(ex, is_row, depth);
        let index = |ex: &Ex| match ex.kind {
            Kind::Const(c) => c >= 0,
            Kind::Local(l) => is_row(l),
            _ => false,
        };
        let there = |addr: &Addr| addr.index.iter().all(|(ex, _)| index(ex));
        match &ex.kind {
            Kind::Const(c) => Some(width(*c)),
            Kind::Local(l) if is_row(*l) => Some(CELL),
            // The locals of what is called are others.
            Kind::Local(_) if depth > 0 => Some(WORD),
            Kind::Local(l) => Some(self.known.get(l).copied().unwrap_or(WORD)),
            Kind::Load(addr) => there(addr).then_some(CELL),
            Kind::SumCells { addr, .. } => there(addr).then_some(CELL + 16),
            Kind::CountIn { addr, row } => (there(addr) && index(row)).then_some(CELL),
            Kind::Column { column, row } => {
                let values = self.model.columns[*column].values.iter();
                index(row).then_some(values.map(|v| width(*v)).max().unwrap_or(1))
            }
            Kind::Minus(a) => bits(a).filter(|a| *a < WORD),
            Kind::Not(a) => bits(a).map(|_| 2),
            Kind::And(a, b) | Kind::Or(a, b) => bits(a).and(bits(b)).map(|_| 2),
            Kind::If(c, a, b) => bits(c).and(Some(bits(a)?.max(bits(b)?))),
            Kind::Case(_, a) => bits(a),
            Kind::Binary(op, a, b) => {
                let (x, y) = (bits(a)?, bits(b)?);
                let all = match op {
                    Op2::Add | Op2::Sub => x.max(y) + 1,
                    Op2::Mul => x + y - 1,
                    Op2::Div | Op2::Rem => match b.kind {
                        Kind::Const(by) if by > 0 => x,
                        _ => return None,
                    },
                    Op2::Min | Op2::Max => return Some(x.max(y)),
                    Op2::Eq | Op2::Ne | Op2::Lt | Op2::Le => return Some(2),
                };
                (all < WORD).then_some(all)
            }
            Kind::Call(f, args) if depth < NESTED => self.bits_of_call(*f, args, is_row, depth),
            Kind::Aggregate {
                op,
                var,
                domain: Domain::Upto(rows),
                filter,
                body,
                ..
            } => {
                let is_row = |local: Local| local == *var || is_row(local);
                let mut most = 0;
                for part in filter.iter().chain(body) {
                    most = most.max(self.bits(part, &is_row, depth)?);
                }
                match op {
                    Aggregate::Any | Aggregate::All => Some(2),
                    Aggregate::Count | Aggregate::First => Some(CELL),
                    Aggregate::Sum => {
                        Some(most + width(i64::from(*rows))).filter(|all| *all < WORD)
                    }
                    // Of nothing it is 0.
                    Aggregate::Max | Aggregate::Min => Some(most.max(1)),
                }
            }
            _ => None,
        }
    }

    fn bits_of_call(
        &self,
        f: FuncId,
        args: &[Ex],
        is_row: &dyn Fn(Local) -> bool,
        depth: u32,
    ) -> Option<u32> {
        let function = &self.model.functions[f];
        for arg in args {
            self.bits(arg, is_row, depth)?;
        }
        let result = function
            .result
            .as_ref()
            .filter(|_| function.body.is_empty())?;
        let rows = args.iter().map(|arg| match &arg.kind {
            Kind::Const(c) => *c >= 0,
            Kind::Local(l) => is_row(*l),
            _ => false,
        });
        let call = (f, rows.collect::<Vec<bool>>(), depth);
        if let Some(known) = self.calls.borrow().get(&call) {
            return *known;
        }
        let given = |local: Local| call.1.get(local.at()) == Some(&true);
        let bits = self.bits(result, &given, depth + 1);
        self.calls.borrow_mut().insert(call, bits);
        bits
    }
}

/// Bits of a number, with its sign.
fn width(number: i64) -> u32 {
    WORD + 1 - number.unsigned_abs().leading_zeros()
}
