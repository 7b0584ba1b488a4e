//! Walks over the typed tree.

use crate::budget::spend;
use crate::program::tree::{Addr, Arg, Domain, Ex, Kind, St};

/// Calls a function for an expression and everything in it, the whole before its parts.
pub fn visit(ex: &Ex, f: &mut dyn FnMut(&Ex)) {
    spend(2, Some(ex.span));
    f(ex);
    parts(ex, &mut |part| visit(part, f));
}

/// Calls a function for the expressions that an expression consists of.
pub fn parts(ex: &Ex, f: &mut dyn FnMut(&Ex)) {
    let addr = |a: &Addr, f: &mut dyn FnMut(&Ex)| a.index.iter().for_each(|(e, _)| f(e));
    match &ex.kind {
        Kind::Const(_)
        | Kind::Local(_)
        | Kind::SumLocals { .. }
        | Kind::Registers { .. }
        | Kind::Offer { .. } => {}
        Kind::Together(parts) => parts.iter().for_each(f),
        Kind::Load(a) | Kind::SumCells { addr: a, .. } | Kind::Cells { addr: a, .. } => addr(a, f),
        Kind::CountIn { addr: a, row } => {
            addr(a, f);
            f(row);
        }
        Kind::LocalAt { index: a, .. }
        | Kind::Column { row: a, .. }
        | Kind::Minus(a)
        | Kind::Not(a)
        | Kind::Case(_, a)
        | Kind::Possible { seat: a, .. }
        | Kind::Standing { first: a, .. } => f(a),
        Kind::Binary(_, a, b) | Kind::And(a, b) | Kind::Or(a, b) => {
            f(a);
            f(b);
        }
        Kind::If(a, b, c) => {
            f(a);
            f(b);
            f(c);
        }
        Kind::Call(_, args) => args.iter().for_each(f),
        Kind::Aggregate {
            domain,
            filter,
            body,
            ..
        } => {
            if let Domain::Range(a, b) = domain {
                f(a);
                f(b);
            }
            filter.iter().chain(body).for_each(|part| f(part));
        }
        Kind::Verb(_, args) => {
            for arg in args {
                match arg {
                    Arg::Value(e) => f(e),
                    Arg::Cells(a) => addr(a, f),
                    Arg::Window(_) => {}
                }
            }
        }
    }
}

/// Calls a function for every expression of statements.
pub fn visit_statements(body: &[St], f: &mut dyn FnMut(&Ex)) {
    for st in body {
        match st {
            St::Set(_, e) | St::Do(e) | St::Return(e) => visit(e, f),
            St::If(c, a, b) => {
                visit(c, f);
                visit_statements(a, f);
                visit_statements(b, f);
            }
            St::While(c, b) => {
                visit(c, f);
                visit_statements(b, f);
            }
            St::For(_, _, domain, b) => {
                if let Domain::Range(x, y) = domain {
                    visit(x, f);
                    visit(y, f);
                }
                visit_statements(b, f);
            }
            St::Break | St::Continue => {}
        }
    }
}
