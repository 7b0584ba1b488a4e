//! Walks over the typed tree.

use super::ir::{Addr, Domain, Ex, Kind, St};

/// Calls a function for an expression and everything in it.
pub(crate) fn visit(ex: &Ex, f: &mut impl FnMut(&Ex)) {
    f(ex);
    let addr = |a: &Addr, f: &mut dyn FnMut(&Ex)| {
        for (e, _) in &a.index {
            f(e);
        }
    };
    let mut inner: Vec<Ex> = Vec::new();
    match &ex.kind {
        Kind::Const(_)
        | Kind::Local(_)
        | Kind::SumLocals { .. }
        | Kind::Registers { .. }
        | Kind::Offer { .. } => {}
        Kind::Together(parts) => inner.extend(parts.iter().cloned()),
        Kind::LocalAt { index, .. } => inner.push((**index).clone()),
        Kind::Load(a) | Kind::SumCells { addr: a, .. } | Kind::Cells { addr: a, .. } => {
            addr(a, &mut |e| inner.push(e.clone()))
        }
        Kind::CountIn { addr: a, row } => {
            addr(a, &mut |e| inner.push(e.clone()));
            inner.push((**row).clone());
        }
        Kind::Column { row, .. } => inner.push((**row).clone()),
        Kind::Minus(a) | Kind::Not(a) | Kind::Case(_, a) => inner.push((**a).clone()),
        Kind::Binary(_, a, b) | Kind::And(a, b) | Kind::Or(a, b) => {
            inner.push((**a).clone());
            inner.push((**b).clone());
        }
        Kind::If(a, b, c) => inner.extend([(**a).clone(), (**b).clone(), (**c).clone()]),
        Kind::Call(_, args) => inner.extend(args.iter().cloned()),
        Kind::Aggregate {
            domain,
            filter,
            body,
            ..
        } => {
            if let Domain::Range(a, b) = domain {
                inner.push((**a).clone());
                inner.push((**b).clone());
            }
            inner.extend(filter.iter().map(|e| (**e).clone()));
            inner.extend(body.iter().map(|e| (**e).clone()));
        }
        Kind::Possible { seat: a, .. } | Kind::Standing { first: a, .. } => {
            inner.push((**a).clone());
        }
        Kind::Verb(_, args) => {
            for arg in args {
                match arg {
                    super::ir::Arg::Value(e) => inner.push(e.clone()),
                    super::ir::Arg::Cells(a) => addr(a, &mut |e| inner.push(e.clone())),
                    super::ir::Arg::Window(_) => {}
                }
            }
        }
    }
    for e in &inner {
        visit(e, f);
    }
}

/// Calls a function for every expression of statements.
pub(crate) fn visit_statements(body: &[St], f: &mut impl FnMut(&Ex)) {
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
