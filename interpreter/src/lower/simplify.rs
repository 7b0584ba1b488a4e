//! Constant folding and other trees that compute less and give the same.
//!
//! What is known when a ruleset is compiled (the options chosen, the row of a card that a rule names) is
//! computed then: constants are folded, branches that cannot be taken left out, small functions put where
//! they are asked when what they are given is a constant or a local. The value, the fuel and the faults of a
//! function stay what they were; what reports clauses as it runs is not simplified, so that no clause is
//! lost.

use super::query_plan::Plan;
use crate::analysis::rewrite::{each_mut, each_statement_mut};
use crate::numbers::At as _;
use crate::program::model::Model;
use crate::program::tree::{Ex, Function, Kind, Local, Op2, St};

/// A function that computes less and gives the same.
pub(super) fn simplified(model: &Model, plan: &Plan, mut function: Function) -> Function {
    function.body = simplified_body(model, plan, function.body);
    if let Some(result) = &mut function.result {
        each_mut(result, &mut |ex| fold(model, plan, ex));
    }
    function
}

/// Statements that compute less and do the same.
pub(super) fn simplified_body(model: &Model, plan: &Plan, mut body: Vec<St>) -> Vec<St> {
    each_statement_mut(&mut body, &mut |ex| fold(model, plan, ex));
    decided(body)
}

/// Statements without the branches that cannot be taken.
fn decided(body: Vec<St>) -> Vec<St> {
    let mut all = Vec::with_capacity(body.len());
    for st in body {
        match st {
            St::If(c, then, otherwise) => match constant(&c) {
                Some(0) => all.extend(decided(otherwise)),
                Some(_) => all.extend(decided(then)),
                None => all.push(St::If(c, decided(then), decided(otherwise))),
            },
            St::While(c, body) => all.push(St::While(c, decided(body))),
            St::For(var, bound, domain, body) => {
                all.push(St::For(var, bound, domain, decided(body)));
            }
            other => all.push(other),
        }
    }
    all
}

fn constant(ex: &Ex) -> Option<i64> {
    match ex.kind {
        Kind::Const(c) => Some(c),
        _ => None,
    }
}

fn is_local(ex: &Ex) -> Option<Local> {
    match ex.kind {
        Kind::Local(local) => Some(local),
        _ => None,
    }
}

/// `a + -b` as `a - b`, if the negation cannot fail.
pub(super) fn difference(ex: &Ex, can_be_negated: &dyn Fn(&Ex) -> bool) -> Option<Ex> {
    let Kind::Binary(Op2::Add, a, b) = &ex.kind else {
        return None;
    };
    let Kind::Minus(b) = &b.kind else {
        return None;
    };
    let kind = Kind::Binary(Op2::Sub, a.clone(), b.clone());
    let span = ex.span;
    can_be_negated(b).then_some(Ex { kind, span })
}

/// Whether a value lies in a cell, a column or a constant, or is one of several that do.
fn is_cell(ex: &Ex) -> bool {
    match &ex.kind {
        Kind::Const(_) | Kind::Load(_) | Kind::Column { .. } => true,
        Kind::Binary(Op2::Min | Op2::Max, a, b) | Kind::If(_, a, b) => is_cell(a) && is_cell(b),
        _ => false,
    }
}

/// Simplifies an expression whose parts are simple.
fn fold(model: &Model, plan: &Plan, ex: &mut Ex) {
    if let Some(simple) = simpler(model, plan, ex) {
        *ex = simple;
    }
}

fn simpler(model: &Model, plan: &Plan, ex: &Ex) -> Option<Ex> {
    let number = |c: i64| {
        let kind = Kind::Const(c);
        // Instructions hold constants of 32 bits.
        i32::try_from(c).is_ok().then_some(Ex {
            kind,
            span: ex.span,
        })
    };
    let binary = |op: Op2, a: &Ex, b: &Ex| {
        Kind::Binary(op, Box::new(a.clone()), Box::new(b.clone())).at(ex.span)
    };
    match &ex.kind {
        Kind::Not(a) => number(i64::from(constant(a)? == 0)),
        Kind::And(a, b) => match (constant(a), constant(b)) {
            (Some(0), _) => number(0),
            (Some(_), _) => Some((**b).clone()),
            (_, Some(b)) if b != 0 => Some((**a).clone()),
            _ => None,
        },
        Kind::Or(a, b) => match (constant(a), constant(b)) {
            (Some(0), _) => Some((**b).clone()),
            (Some(_), _) => number(1),
            (_, Some(0)) => Some((**a).clone()),
            _ => None,
        },
        Kind::If(c, a, b)
            if matches!(c.kind, Kind::Local(_))
                && constant(a).is_some()
                && constant(a) == constant(b) =>
        {
            Some((**a).clone())
        }
        Kind::If(c, a, b) => match (constant(c), constant(a), constant(b)) {
            (Some(0), ..) => Some((**b).clone()),
            (Some(_), ..) => Some((**a).clone()),
            (None, Some(0), Some(1)) => Some(Ex {
                kind: Kind::Not(c.clone()),
                span: ex.span,
            }),
            _ => None,
        },
        Kind::Case(_, inner) => Some((**inner).clone()),
        Kind::Minus(a) => number(constant(a)?.checked_neg()?),
        Kind::Column { column, row } => {
            let row = usize::try_from(constant(row)?).ok()?;
            number(*model.columns[*column].values.get(row)?)
        }
        Kind::Binary(op, a, b) if is_local(a).is_some() && is_local(a) == is_local(b) => match op {
            Op2::Eq | Op2::Le => number(1),
            Op2::Ne | Op2::Lt => number(0),
            Op2::Min | Op2::Max => Some((**a).clone()),
            _ => None,
        },
        Kind::Binary(op, a, b) => match (op, constant(a), constant(b)) {
            (_, Some(a), Some(b)) => number(op.of(a, b)?),
            (Op2::Add | Op2::Sub, _, Some(0)) | (Op2::Mul | Op2::Div, _, Some(1)) => {
                Some((**a).clone())
            }
            (Op2::Add, Some(0), _) | (Op2::Mul, Some(1), _) => Some((**b).clone()),
            (Op2::Max | Op2::Min, Some(_), None) => Some(binary(*op, b, a)),
            (Op2::Add, ..) => difference(ex, &is_cell),
            _ => None,
        },
        Kind::Call(f, args) if plan.inlined[*f] => {
            let function = &model.functions[*f];
            let plain = |arg: &Ex| matches!(arg.kind, Kind::Const(_) | Kind::Local(_));
            if !args.iter().all(plain) || function.locals > function.params {
                return None;
            }
            let mut result = function.result.clone()?;
            each_mut(&mut result, &mut |part| {
                if let Kind::Local(r) = part.kind
                    && let Some(arg) = args.get(r.at())
                {
                    part.kind = arg.kind.clone();
                }
                fold(model, plan, part);
            });
            Some(result)
        }
        _ => None,
    }
}
