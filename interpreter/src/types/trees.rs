//! Constructors of small typed trees.

use crate::program::cell::Cell;
use crate::program::tree::{Addr, Ex, Kind, Op2};
use crate::source::Span;

pub(super) fn constant(value: i64, span: Span) -> Ex {
    Kind::Const(value).at(span)
}

pub(super) fn binary(op: Op2, a: Ex, b: Ex) -> Ex {
    let span = a.span;
    Kind::Binary(op, Box::new(a), Box::new(b)).at(span)
}

pub(super) fn not(ex: Ex) -> Ex {
    let span = ex.span;
    Kind::Not(Box::new(ex)).at(span)
}

pub(super) fn either(a: Ex, b: Ex) -> Ex {
    let span = b.span;
    Kind::Or(Box::new(a), Box::new(b)).at(span)
}

pub(super) fn and(a: Option<Ex>, b: Ex) -> Ex {
    match a {
        Some(a) => {
            let span = a.span;
            Kind::And(Box::new(a), Box::new(b)).at(span)
        }
        None => b,
    }
}

/// A cell of a family by seat.
pub(super) fn of_seat(base: Cell, seat: Ex) -> Ex {
    let span = seat.span;
    let addr = Addr {
        base,
        index: vec![(seat, 1)],
    };
    Kind::Load(addr).at(span)
}
