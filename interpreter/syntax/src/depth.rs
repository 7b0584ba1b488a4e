//! How deeply expressions may be nested, in rules and in scripts.
//!
//! Every later stage walks expressions by recursion, so their depth is bounded here, by what is
//! written and not by the stack that happens to be there.

use super::ast::{Expr, ExprKind};

/// How deeply an expression may be nested.
pub const DEPTH: usize = 64;

/// How deeply an expression is nested.
pub fn depth(expr: &Expr) -> usize {
    let all = |exprs: &[Expr]| exprs.iter().map(depth).max().unwrap_or(0);
    1 + match &expr.kind {
        ExprKind::Int(_)
        | ExprKind::Bool(_)
        | ExprKind::None
        | ExprKind::Name(_)
        | ExprKind::Possible(_)
        | ExprKind::Each(_) => 0,
        ExprKind::Call { args, .. } => all(args),
        ExprKind::Dot { base, args, .. } => depth(base).max(args.as_deref().map_or(0, all)),
        ExprKind::Unary(_, inner) => depth(inner),
        ExprKind::Binary(_, left, right) => depth(left).max(depth(right)),
        ExprKind::Is { value, other, .. } => depth(value).max(depth(other)),
        ExprKind::In { value, domain, .. } => depth(value).max(depth(domain)),
        ExprKind::Aggregate {
            domain,
            filter,
            body,
            ..
        } => depth(domain)
            .max(filter.as_deref().map_or(0, depth))
            .max(body.as_deref().map_or(0, depth)),
        ExprKind::If {
            condition,
            then,
            otherwise,
        } => depth(condition).max(depth(then)).max(depth(otherwise)),
        ExprKind::Range { from, to, .. } => depth(from).max(depth(to)),
    }
}
