//! What a query is put together of: its cases, what other rules contribute, its bounds.

use super::{and, binary, constant};
use crate::program::tree::{Ex, Kind, Op2};
use crate::source::Span;
use crate::syntax::ast::Layer;

const LOWEST: i64 = -(1 << 31);
const GREATEST: i64 = (1 << 31) - 1;

/// What a query is put together of.
#[derive(Clone, Debug)]
pub(super) struct QueryParts {
    /// Its cases.
    pub base: Ex,
    /// What other rules contribute.
    pub parts: Vec<Part>,
    /// Its own bounds.
    pub bounds: Vec<(Op2, Ex)>,
}

/// A contribution, resolved.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub layer: Layer,
    /// Whether what it belongs to applies at all.
    pub guard: Option<Ex>,
    pub condition: Option<Ex>,
    pub amount: Ex,
    pub span: Span,
}

impl QueryParts {
    /// Everything laid over the base, in the order of the layers.
    pub(super) fn value(&self) -> Ex {
        let mut value = self.base.clone();
        for layer in 0..7 {
            for part in self.parts.iter().filter(|p| rank(&p.layer) == layer) {
                let condition = match (&part.guard, &part.condition) {
                    (Some(guard), Some(condition)) => {
                        Some(and(Some(guard.clone()), condition.clone()))
                    }
                    (guard, condition) => guard.clone().or(condition.clone()),
                };
                value = apply(
                    &part.layer,
                    value,
                    condition,
                    part.amount.clone(),
                    part.span,
                );
            }
        }
        for (op, bound) in &self.bounds {
            value = binary(*op, value, bound.clone());
        }
        value
    }

    /// Calls a function for each of its expressions, guards left out.
    pub(super) fn each_mut(&mut self, f: &mut dyn FnMut(&mut Ex)) {
        f(&mut self.base);
        for part in &mut self.parts {
            if let Some(condition) = &mut part.condition {
                f(condition);
            }
            f(&mut part.amount);
        }
        for (_, bound) in &mut self.bounds {
            f(bound);
        }
    }
}

fn rank(layer: &Layer) -> usize {
    match layer {
        Layer::Becomes(_) => 0,
        Layer::By(_) => 1,
        Layer::Times(_) => 2,
        Layer::AtLeast(_) => 3,
        Layer::AtMost(_) => 4,
        Layer::Allow => 5,
        Layer::Forbid => 6,
    }
}

fn choose(condition: Option<Ex>, then: Ex, otherwise: Ex) -> Ex {
    match condition {
        None => then,
        Some(condition) => {
            let span = condition.span;
            Kind::If(Box::new(condition), Box::new(then), Box::new(otherwise)).at(span)
        }
    }
}

/// A contribution over the value of the layers below it.
fn apply(layer: &Layer, value: Ex, condition: Option<Ex>, amount: Ex, span: Span) -> Ex {
    match layer {
        Layer::Becomes(_) => choose(condition, amount, value),
        Layer::By(_) => binary(
            Op2::Add,
            value,
            choose(condition, amount, constant(0, span)),
        ),
        Layer::Times(_) => binary(
            Op2::Mul,
            value,
            choose(condition, amount, constant(1, span)),
        ),
        Layer::AtLeast(_) => binary(
            Op2::Max,
            value,
            choose(condition, amount, constant(LOWEST, span)),
        ),
        Layer::AtMost(_) => binary(
            Op2::Min,
            value,
            choose(condition, amount, constant(GREATEST, span)),
        ),
        Layer::Allow => {
            let holds = choose(condition, amount, constant(0, span));
            Kind::Or(Box::new(value), Box::new(holds)).at(span)
        }
        Layer::Forbid => {
            let holds = choose(condition, amount, constant(0, span));
            let not = Kind::Not(Box::new(holds)).at(span);
            Kind::And(Box::new(value), Box::new(not)).at(span)
        }
    }
}
