//! Sums over all rows of a table, computed at once.
//!
//! What fills a city, what a hand is worth: many sums of rules add, for every row, how many pieces of it lie
//! somewhere, whatever their kind, perhaps times a number of the row. Such a loop is lowered to a [`Total`](crate::program::bytecode::Total), which
//! reads the cells and the column side by side without an instruction for each row. Its value, its faults and its fuel are
//! those of the loop.

use super::row_tests::is;
use crate::numbers::At as _;
use crate::program::bytecode::Reg;
use crate::program::bytecode::{Indices, Term};
use crate::program::model::{ColumnId, IndexVec, Model};
use crate::program::tree::{Addr, Ex, Kind, Op2};
use crate::source::Span;

/// The terms of a sum over a variable, and where their faults are; none if there is anything else in it.
pub(super) fn terms(
    model: &Model,
    body: &Ex,
    (var, rows): (Reg, u32),
    column_bases: &IndexVec<ColumnId, u32>,
    register: &dyn Fn(Reg) -> Reg,
) -> Option<(Vec<Term>, Span)> {
    let mut terms = Vec::new();
    let mut place = None;
    // What a row adds at most, in the greatest values of a cell.
    let mut greatest = 0u64;
    collect(body, false, &mut |ex, negative| {
        let (cell, column) = match &ex.kind {
            Kind::Binary(Op2::Mul, a, b) => match (&a.kind, &b.kind) {
                (Kind::Column { column, row }, _) if is(row, var) => (&**b, Some(*column)),
                (_, Kind::Column { column, row }) if is(row, var) => (&**a, Some(*column)),
                _ => return None,
            },
            _ => (ex, None),
        };
        let (addr, len) = match &cell.kind {
            Kind::Load(addr) => (addr, 1),
            Kind::SumCells { addr, len } => (addr, *len),
            _ => return None,
        };
        let (base, stride, indices) = cells(addr, var, register)?;
        if rows == 0 || !(1..=stride).contains(&len) {
            return None;
        }
        // One place for all: what can go wrong is that an index is none, which is the same in each of them
        // if they have the same indices.
        let known: &mut (Indices, Span) = place.get_or_insert((indices.clone(), cell.span));
        let same = known
            .0
            .iter()
            .map(|(r, _)| r)
            .eq(indices.iter().map(|(r, _)| r));
        let most = match column {
            None => 1,
            Some(column) => {
                let values = model.columns[column].values.get(..rows.at())?.iter();
                values.map(|value| value.unsigned_abs()).max().unwrap_or(0)
            }
        };
        greatest = greatest.checked_add(most.checked_mul(u64::from(len))?)?;
        terms.push(Term {
            base,
            len,
            stride,
            indices,
            column: column.map(|column| column_bases[column]),
            negative,
        });
        same.then_some(())
    })?;
    // No part of the sum can leave 64 bits.
    let fits = greatest.checked_mul(u64::from(rows))? < 1 << 31;
    let (_, span) = place.filter(|_| fits)?;
    Some((terms, span))
}

/// Calls a function with everything that is added or taken away.
fn collect(ex: &Ex, negative: bool, f: &mut dyn FnMut(&Ex, bool) -> Option<()>) -> Option<()> {
    match &ex.kind {
        Kind::Binary(Op2::Add, a, b) => {
            collect(a, negative, f)?;
            collect(b, negative, f)
        }
        Kind::Binary(Op2::Sub, a, b) => {
            collect(a, negative, f)?;
            collect(b, !negative, f)
        }
        _ => f(ex, negative),
    }
}

/// The cell of the first row, how far it is to that of the next, and the other indices, if the variable is one.
fn cells(addr: &Addr, var: Reg, register: &dyn Fn(Reg) -> Reg) -> Option<(u32, u32, Indices)> {
    let (mut base, mut stride, mut indices) = (addr.base, None, Vec::new());
    for (ex, by) in &addr.index {
        match &ex.kind {
            Kind::Const(c) => base += u32::try_from(*c).ok()? * by,
            Kind::Local(r) if *r == var && stride.is_none() => stride = Some(*by),
            Kind::Local(r) if *r != var => indices.push((register(*r), *by)),
            _ => return None,
        }
    }
    Some((base.0, stride?, indices))
}
