//! Conditions and values.

use super::super::mutant::Edit;
use super::super::{Operator, near, snippet};
use super::Planter;
use crate::source::Span;
use crate::syntax::ast::{AggregateOp, BinaryOp, Expr, ExprKind, UnaryOp};

impl Planter<'_> {
    /// A condition: each of its parts is left out and turned round.
    pub(super) fn condition(&mut self, expr: &Expr) {
        self.part(expr, BinaryOp::And);
        self.value(expr);
    }

    /// A part of a condition that stands on both sides of `and` or of `or`.
    fn part(&mut self, expr: &Expr, joined: BinaryOp) {
        if let ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) = &expr.kind {
            self.part(left, *op);
            self.part(right, *op);
            return;
        }
        let shown = self.shown(expr.span);
        if let ExprKind::Bool(value) = expr.kind {
            return self.replaced(Operator::ConditionNegated, expr.span, (!value).to_string());
        }
        // An alternative that is left out never holds, any other condition always does.
        let never = joined == BinaryOp::Or;
        let says = match never {
            false => (
                format!("`{shown}` is left out: it always holds"),
                format!("pominięte `{shown}`: zawsze spełnione"),
            ),
            true => (
                format!("the alternative `{shown}` is left out"),
                format!("pominięta możliwość `{shown}`"),
            ),
        };
        let edit = Edit {
            span: expr.span,
            text: (!never).to_string(),
        };
        self.plant(Operator::ConditionDropped, vec![edit], says);
        let text = match (&expr.kind, self.is_script) {
            (ExprKind::Unary(UnaryOp::Not, inner), _) => self.at(inner.span).to_owned(),
            (_, true) => format!("!({})", self.at(expr.span)),
            (_, false) => format!("(not ({}))", self.at(expr.span)),
        };
        self.replaced(Operator::ConditionNegated, expr.span, text);
    }

    /// What stands inside of an expression.
    pub(super) fn value(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Int(number) => self.number(expr.span, *number),
            ExprKind::Bool(_)
            | ExprKind::None
            | ExprKind::Name(_)
            | ExprKind::Possible(_)
            | ExprKind::Each(_) => {}
            ExprKind::Call { name, args } => {
                self.call(expr.span, &name.node, name.span, args);
                args.iter().for_each(|arg| self.value(arg));
            }
            ExprKind::Dot { base, name, args } => {
                self.value(base);
                let args = args.as_deref().unwrap_or_default();
                self.call(expr.span, &name.node, name.span, args);
                args.iter().for_each(|arg| self.value(arg));
            }
            ExprKind::Unary(_, inner) => self.value(inner),
            ExprKind::Binary(op, left, right) => {
                self.compared(*op, left, right);
                if *op == BinaryOp::Divide {
                    let (a, b) = (self.at(left.span), self.at(right.span));
                    let text = format!("(({a}) + ({b}) - 1) / ({b})");
                    self.replaced(Operator::RoundingChanged, left.span.to(right.span), text);
                }
                for side in [left, right] {
                    // A number that is compared is off by one if the comparison is.
                    if !(is_comparison(*op) && matches!(side.kind, ExprKind::Int(_))) {
                        self.value(side);
                    }
                }
            }
            ExprKind::In { value, domain, .. } => {
                self.value(value);
                self.value(domain);
            }
            ExprKind::Is { value, other, .. } => {
                self.value(value);
                self.value(other);
            }
            ExprKind::Aggregate {
                op,
                domain,
                filter,
                body,
                ..
            } => {
                self.aggregate(expr.span, *op);
                self.value(domain);
                if let Some(filter) = filter {
                    self.condition(filter);
                }
                match (op, body) {
                    (AggregateOp::Any | AggregateOp::All, Some(body)) => self.condition(body),
                    (_, Some(body)) => self.value(body),
                    (_, None) => {}
                }
            }
            ExprKind::If {
                condition,
                then,
                otherwise,
            } => {
                self.condition(condition);
                self.value(then);
                self.value(otherwise);
            }
            ExprKind::Range { from, to, .. } => {
                self.value(from);
                self.value(to);
            }
        }
    }

    fn number(&mut self, span: Span, number: i64) {
        for near in near(number) {
            let text = match near < 0 {
                true => format!("({near})"),
                false => near.to_string(),
            };
            let says = (
                format!("{near} instead of {number}"),
                format!("{near} zamiast {number}"),
            );
            self.plant(Operator::NumberChanged, vec![Edit { span, text }], says);
        }
    }

    /// A comparison of numbers has its limit one lower or higher, or another sign.
    fn compared(&mut self, op: BinaryOp, left: &Expr, right: &Expr) {
        let span = left.span.to(right.span);
        let (a, b) = (
            self.at(left.span).to_owned(),
            self.at(right.span).to_owned(),
        );
        let is_zero = matches!(right.kind, ExprKind::Int(0));
        for &(sign, by) in neighbours(op) {
            // Nothing that is counted is below zero, so that these cannot differ, or say no more than a condition left out.
            if is_zero && (by < 0 || is_same_of_counts(op, sign) && by == 0) {
                continue;
            }
            let bound = match (&right.kind, by) {
                (_, 0) => b.clone(),
                (ExprKind::Int(n), by) => n.saturating_add(by).to_string(),
                (_, 1) => format!("({b}) + 1"),
                _ => format!("({b}) - 1"),
            };
            self.replaced(
                Operator::ComparisonShifted,
                span,
                format!("{a} {sign} {bound}"),
            );
        }
    }

    fn call(&mut self, whole: Span, name: &str, at: Span, args: &[Expr]) {
        let other = match name {
            "min" => Some((Operator::ExtremeExchanged, "max")),
            "max" => Some((Operator::ExtremeExchanged, "min")),
            "gain" => Some((Operator::EndsExchanged, "pay")),
            "pay" => Some((Operator::EndsExchanged, "gain")),
            _ => None,
        };
        if let Some((operator, other)) = other {
            self.replaced(operator, at, other.to_owned());
        }
        if let ("next", [player]) = (name, args) {
            let player = self.at(player.span).to_owned();
            self.replaced(
                Operator::TurnOrderChanged,
                whole,
                format!("next(next({player}))"),
            );
            self.replaced(Operator::TurnOrderChanged, whole, format!("({player})"));
        }
        const MOVING: [&str; 7] = [
            "move",
            "move_all",
            "take",
            "take_out",
            "draw",
            "shuffle_into",
            "take_either",
        ];
        if let (true, [.., from, to]) = (MOVING.contains(&name), args) {
            let edits = vec![
                Edit {
                    span: from.span,
                    text: self.at(to.span).to_owned(),
                },
                Edit {
                    span: to.span,
                    text: self.at(from.span).to_owned(),
                },
            ];
            let (whole, a, b) = (
                self.shown(whole),
                snippet(self.at(from.span)),
                snippet(self.at(to.span)),
            );
            let says = (
                format!("`{whole}` from `{b}` to `{a}`"),
                format!("`{whole}` z `{b}` do `{a}`"),
            );
            self.plant(Operator::EndsExchanged, edits, says);
        }
    }

    fn aggregate(&mut self, span: Span, op: AggregateOp) {
        let (operator, word, other) = match op {
            AggregateOp::Any => (Operator::EachExchanged, "any", "all"),
            AggregateOp::All => (Operator::EachExchanged, "all", "any"),
            AggregateOp::Max => (Operator::ExtremeExchanged, "max", "min"),
            AggregateOp::Min => (Operator::ExtremeExchanged, "min", "max"),
            _ => return,
        };
        if let Some(at) = self.word_in(span, word) {
            self.replaced(operator, at, other.to_owned());
        }
    }
}

fn is_comparison(op: BinaryOp) -> bool {
    !neighbours(op).is_empty()
}

/// The comparisons next to one: the sign, and how much is added to its right side.
fn neighbours(op: BinaryOp) -> &'static [(&'static str, i64)] {
    match op {
        BinaryOp::Less => &[("<=", 0), ("<", -1), ("!=", 0)],
        BinaryOp::LessEqual => &[("<", 0), ("<=", 1), ("==", 0)],
        BinaryOp::Greater => &[(">=", 0), (">", 1), ("!=", 0)],
        BinaryOp::GreaterEqual => &[(">", 0), (">=", -1), ("==", 0)],
        BinaryOp::Equal => &[
            ("==", 1),
            ("==", -1),
            ("<=", 0),
            ("<=", 1),
            ("<=", -1),
            (">=", 0),
            (">=", 1),
            (">=", -1),
        ],
        BinaryOp::NotEqual => &[("!=", 1), ("!=", -1)],
        _ => &[],
    }
}

/// Returns whether `n op 0` and `n sign 0` are the same of every count `n`, or the second always holds.
fn is_same_of_counts(op: BinaryOp, sign: &str) -> bool {
    matches!(
        (op, sign),
        (BinaryOp::Equal, "<=" | ">=") | (BinaryOp::LessEqual, "==") | (BinaryOp::Greater, "!=")
    )
}
