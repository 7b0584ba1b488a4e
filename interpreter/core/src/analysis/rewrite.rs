//! Changes of the typed tree in place.

use crate::budget::spend;
use crate::program::tree::{Addr, Arg, Domain, Ex, Kind, Local, St};

/// Calls a function for every expression of an expression, the parts before the whole.
pub fn each_mut(ex: &mut Ex, f: &mut dyn FnMut(&mut Ex)) {
    spend(4, Some(ex.span));
    parts_mut(ex, &mut |part| each_mut(part, f));
    f(ex);
}

/// Calls a function for the expressions that an expression consists of.
pub fn parts_mut(ex: &mut Ex, f: &mut dyn FnMut(&mut Ex)) {
    match &mut ex.kind {
        Kind::Const(_)
        | Kind::Local(_)
        | Kind::SumLocals { .. }
        | Kind::Registers { .. }
        | Kind::Offer { .. } => {}
        Kind::Together(parts) => parts.iter_mut().for_each(f),
        Kind::LocalAt { index: a, .. }
        | Kind::Column { row: a, .. }
        | Kind::Minus(a)
        | Kind::Not(a)
        | Kind::Case(_, a)
        | Kind::Standing { first: a, .. }
        | Kind::Possible { seat: a, .. } => f(a),
        Kind::CountIn { addr, row } => {
            address(addr, f);
            f(row);
        }
        Kind::Load(addr) | Kind::SumCells { addr, .. } | Kind::Cells { addr, .. } => {
            address(addr, f)
        }
        Kind::Binary(_, a, b) | Kind::And(a, b) | Kind::Or(a, b) => {
            f(a);
            f(b);
        }
        Kind::If(a, b, c) => {
            f(a);
            f(b);
            f(c);
        }
        Kind::Call(_, args) => args.iter_mut().for_each(f),
        Kind::Aggregate {
            domain,
            filter,
            body,
            ..
        } => {
            over(domain, f);
            filter.iter_mut().chain(body).for_each(|part| f(part));
        }
        Kind::Verb(_, args) => {
            for arg in args {
                match arg {
                    Arg::Value(e) => f(e),
                    Arg::Cells(addr) => address(addr, f),
                    Arg::Window(_) => {}
                }
            }
        }
    }
}

fn address(addr: &mut Addr, f: &mut dyn FnMut(&mut Ex)) {
    addr.index.iter_mut().for_each(|(ex, _)| f(ex));
}

fn over(domain: &mut Domain, f: &mut dyn FnMut(&mut Ex)) {
    if let Domain::Range(from, to) = domain {
        f(from);
        f(to);
    }
}

/// Calls a function for every expression of statements.
pub fn each_statement_mut(body: &mut [St], f: &mut dyn FnMut(&mut Ex)) {
    for st in body {
        match st {
            St::Set(_, e) | St::Do(e) | St::Return(e) => each_mut(e, f),
            St::If(c, then, otherwise) => {
                each_mut(c, f);
                each_statement_mut(then, f);
                each_statement_mut(otherwise, f);
            }
            St::While(c, body) => {
                each_mut(c, f);
                each_statement_mut(body, f);
            }
            St::For(_, _, domain, body) => {
                over(domain, &mut |ex| each_mut(ex, f));
                each_statement_mut(body, f);
            }
            St::Break | St::Continue => {}
        }
    }
}

/// Gives every register of an expression another number.
pub fn renumber(ex: &mut Ex, number: &dyn Fn(Local) -> Local) {
    each_mut(ex, &mut |e| match &mut e.kind {
        Kind::Local(r) => *r = number(*r),
        Kind::LocalAt { base, .. }
        | Kind::SumLocals { base, .. }
        | Kind::Registers { base, .. }
        | Kind::Standing { at: base, .. } => *base = number(*base),
        Kind::Aggregate { var, acc, .. } => {
            *var = number(*var);
            *acc = number(*acc);
        }
        Kind::Verb(_, args) => {
            for arg in args {
                if let Arg::Window(w) = arg {
                    *w = number(*w);
                }
            }
        }
        _ => {}
    });
}

/// Gives every register of statements another number.
pub fn renumber_statements(body: &mut [St], number: &dyn Fn(Local) -> Local) {
    for st in body {
        match st {
            St::Set(r, e) => {
                *r = number(*r);
                renumber(e, number);
            }
            St::Do(e) | St::Return(e) => renumber(e, number),
            St::If(c, then, otherwise) => {
                renumber(c, number);
                renumber_statements(then, number);
                renumber_statements(otherwise, number);
            }
            St::While(c, body) => {
                renumber(c, number);
                renumber_statements(body, number);
            }
            St::For(var, bound, domain, body) => {
                *var = number(*var);
                *bound = number(*bound);
                if let Domain::Range(from, to) = domain {
                    renumber(from, number);
                    renumber(to, number);
                }
                renumber_statements(body, number);
            }
            St::Break | St::Continue => {}
        }
    }
}
