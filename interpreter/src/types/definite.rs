//! Definite values: what is known not to be `none`.
//!
//! An option may stand where a row or player is needed if it was asked before whether it is `none`:
//! `over is none or city(p, over) > 0`, `if over != none { … }`, `… by -cost(over) when over is not none`.

use super::Scope;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, UnaryOp};

/// A name or call as text, by which it is recognized.
pub(super) fn key(e: &Expr) -> Option<String> {
    let list = |args: &[Expr]| -> Option<String> {
        let args: Option<Vec<String>> = args.iter().map(key).collect();
        Some(args?.join(","))
    };
    Some(match &e.kind {
        ExprKind::Int(i) => i.to_string(),
        ExprKind::Name(name) => name.clone(),
        ExprKind::Call { name, args } => format!("{}({})", name.node, list(args)?),
        ExprKind::Dot { base, name, args } => {
            let args = match args {
                Some(args) => format!("({})", list(args)?),
                None => String::new(),
            };
            format!("{}.{}{args}", key(base)?, name.node)
        }
        _ => return None,
    })
}

/// What is known not to be `none` if a condition is true, or if it is false.
fn implied(e: &Expr, truth: bool, found: &mut Vec<String>) {
    let none = |e: &Expr| matches!(e.kind, ExprKind::None);
    match &e.kind {
        ExprKind::Is {
            value,
            negated,
            other,
        } if none(other) && *negated == truth => found.extend(key(value)),
        ExprKind::Binary(op @ (BinaryOp::Equal | BinaryOp::NotEqual), a, b)
            if none(b) && (*op == BinaryOp::NotEqual) == truth =>
        {
            found.extend(key(a));
        }
        ExprKind::Binary(BinaryOp::And, a, b) if truth => {
            implied(a, true, found);
            implied(b, true, found);
        }
        ExprKind::Binary(BinaryOp::Or, a, b) if !truth => {
            implied(a, false, found);
            implied(b, false, found);
        }
        ExprKind::Unary(UnaryOp::Not, a) => implied(a, !truth, found),
        _ => {}
    }
}

impl Scope {
    /// Learns what a condition tells; gives what [`forget`](Self::forget) takes.
    pub(super) fn learn(&mut self, condition: &Expr, truth: bool) -> usize {
        let before = self.known.len();
        implied(condition, truth, &mut self.known);
        before
    }

    pub(super) fn forget(&mut self, before: usize) {
        self.known.truncate(before);
    }

    /// Whether this is known not to be `none`.
    pub(super) fn is_known(&self, e: &Expr) -> bool {
        !self.known.is_empty() && key(e).is_some_and(|key| self.known.contains(&key))
    }
}
