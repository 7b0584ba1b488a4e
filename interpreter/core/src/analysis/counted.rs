//! Which cells a counting function counts.
//!
//! In: a function of the typed tree, its arguments, a state. Out: the cells in which what it gives lies, so that people can be
//! shown where.

use super::evaluate::Walk;
use crate::numbers::{At as _, Fit as _};
use crate::program::model::{Cell, FuncId, Model};
use crate::program::tree::{Ex, Kind, Op2};

/// The cells whose numbers a function gives, or the first of those whose sum it gives, as far as they count anything; of
/// several that are added, all.
pub fn counted(model: &Model, cells: &[i32], function: FuncId, args: &[i64]) -> Vec<Cell> {
    let mut found = Vec::new();
    by_function(&mut Walk::of(model, cells), function, args, &mut found);
    found
}

fn by_function(walk: &mut Walk<'_>, function: FuncId, args: &[i64], found: &mut Vec<Cell>) {
    let f = &walk.model.functions[function];
    if let (Some(result), true) = (&f.result, f.body.is_empty()) {
        let mut registers = args.to_vec();
        registers.resize(f.locals.max(f.params).at(), 0);
        by_expression(walk, result, &registers, found);
    }
}

fn by_expression(walk: &mut Walk<'_>, ex: &Ex, registers: &[i64], found: &mut Vec<Cell>) {
    match &ex.kind {
        Kind::Load(addr) | Kind::SumCells { addr, .. } => {
            let cell = walk.cell(addr, &mut registers.to_vec());
            if let (Some(cell), Some(1..)) = (cell, walk.quietly(ex, registers)) {
                found.push(cell.fit::<i64>().fit());
            }
        }
        Kind::Case(_, inner) => by_expression(walk, inner, registers, found),
        Kind::If(condition, yes, no) => match walk.quietly(condition, registers) {
            Some(0) => by_expression(walk, no, registers, found),
            Some(_) => by_expression(walk, yes, registers, found),
            None => {}
        },
        Kind::Binary(Op2::Add, a, b) => {
            by_expression(walk, a, registers, found);
            by_expression(walk, b, registers, found);
        }
        // What is taken off lies somewhere else.
        Kind::Binary(Op2::Sub, a, _) => by_expression(walk, a, registers, found),
        Kind::Call(f, args) => {
            let values: Option<Vec<i64>> = args
                .iter()
                .map(|arg| walk.quietly(arg, registers))
                .collect();
            if let (Some(values), Some(left)) = (values, walk.fuel.checked_sub(1)) {
                walk.fuel = left;
                by_function(walk, *f, &values, found);
            }
        }
        _ => {}
    }
}
