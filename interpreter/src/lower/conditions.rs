//! Conditions: jumps that are taken or not, and the tests with which a turn of a loop begins.

use super::Lowering;
use super::row_tests::{Surroundings, conjuncts};
use crate::analysis::rewrite::each_mut;
use crate::numbers::Fit as _;
use crate::program::bytecode::Scan;
use crate::program::bytecode::{Op, Reg};
use crate::program::tree::{Aggregate, Domain, Ex, Kind, Op2};
use crate::source::Span;

/// How a turn of a loop begins and ends.
pub(super) struct Turn {
    /// Jumps out of the loop, to be patched.
    pub exits: Vec<u32>,
    /// Jumps to the next turn, to be patched.
    pub again: Vec<u32>,
    /// The end of a turn: goes on to the next one, if there is one.
    pub next: Op,
    /// Where it was written.
    pub span: Span,
}

/// How something is compared with a constant.
pub(super) enum Against {
    Is(i32),
    IsNot(i32),
    IsBelow(i32),
    IsNotBelow(i32),
}

/// What is compared with a constant, and how, if that is what an operation does.
pub(super) fn against_constant<'e>(op: Op2, a: &'e Ex, b: &'e Ex) -> Option<(&'e Ex, Against)> {
    let constant = |ex: &Ex| match ex.kind {
        // One more must have room, too.
        Kind::Const(c) => i32::try_from(c).ok().filter(|c| *c < i32::MAX),
        _ => None,
    };
    Some(match (op, constant(a), constant(b)) {
        (Op2::Lt, _, Some(v)) => (a, Against::IsBelow(v)),
        (Op2::Le, _, Some(v)) => (a, Against::IsBelow(v + 1)),
        (Op2::Lt, Some(v), _) => (b, Against::IsNotBelow(v + 1)),
        (Op2::Le, Some(v), _) => (b, Against::IsNotBelow(v)),
        (Op2::Eq, _, Some(v)) => (a, Against::Is(v)),
        (Op2::Ne, _, Some(v)) => (a, Against::IsNot(v)),
        (Op2::Eq, Some(v), _) => (b, Against::Is(v)),
        (Op2::Ne, Some(v), _) => (b, Against::IsNot(v)),
        _ => return None,
    })
}

impl Lowering<'_> {
    /// Begins a turn of a loop over a variable and its bound. `unwanted` is what must not hold.
    pub(super) fn turn(
        &mut self,
        local: Reg,
        (var, bound): (Reg, Reg),
        domain: &Domain,
        condition: Option<&Ex>,
        unwanted: Option<&Ex>,
        span: Span,
    ) -> Turn {
        let mut conditions = Vec::new();
        if let Some(condition) = condition {
            conjuncts(condition, &mut conditions);
        }
        let (tests, place) = match domain {
            Domain::Upto(rows) => Surroundings {
                model: self.model,
                inlined: &self.plan.inlined,
                column_bases: self.column_bases,
                register: &|local| self.local(local),
                traced: self.traced,
                rows: *rows,
            }
            .tests(&conditions, local),
            Domain::Range(..) => (Vec::new(), None),
        };
        let rest = conditions.split_off(tests.len());
        let span = place.unwrap_or(span);
        let mut exits = Vec::new();
        let next = match domain {
            Domain::Upto(rows) if tests.is_empty() => {
                let rows = *rows;
                if rows == 0 {
                    exits.push(self.emit(Op::Jump { to: 0 }, span));
                }
                let to = self.here();
                Op::NextRow { var, rows, to }
            }
            Domain::Upto(rows) => {
                let rows = *rows;
                self.program.scans.push(Scan { var, rows, tests });
                let scan = self.program.scans.len().fit::<u32>() - 1;
                exits.push(self.emit(Op::Scan { scan, to: 0 }, span));
                let to = self.here();
                Op::ScanNext { scan, to }
            }
            Domain::Range(from, until) => {
                if !has_turns(from, until) {
                    let (a, b) = (var, bound);
                    exits.push(self.emit(Op::JumpUnlessLess { a, b, to: 0 }, span));
                }
                let to = self.here();
                Op::Next { var, bound, to }
            }
        };
        let mut again = Vec::new();
        for condition in rest {
            again.extend(self.unless(condition));
        }
        if let Some(unwanted) = unwanted {
            again.extend(self.when(unwanted));
        }
        Turn {
            exits,
            again,
            next,
            span,
        }
    }

    /// A condition of a loop in which columns of the function's own rows (`cost(k) == cost(b)`) are read before
    /// the loop, so that comparing with them is a test of a scan. They cannot fail: the rows are there.
    pub(super) fn prepared(&mut self, mut condition: Ex, var: Reg) -> Ex {
        if !self.frame.params.is_empty() || self.traced {
            return condition;
        }
        let is_column = |ex: &Ex, of: &dyn Fn(Reg) -> bool| match &ex.kind {
            Kind::Column { row, .. } => matches!(row.kind, Kind::Local(r) if of(r)),
            _ => false,
        };
        each_mut(&mut condition, &mut |part| {
            let Kind::Binary(Op2::Eq | Op2::Lt | Op2::Le, a, b) = &mut part.kind else {
                return;
            };
            let own = |r: Reg| r != var && r < self.rows;
            let given = match (is_column(a, &|r| r == var), is_column(b, &|r| r == var)) {
                (true, false) if is_column(b, &own) => b,
                (false, true) if is_column(a, &own) => a,
                _ => return,
            };
            let register = self.value(given);
            given.kind = Kind::Local(register - self.frame.base);
        });
        condition
    }

    /// Jumps to be patched that are taken when a condition does not hold.
    pub(super) fn unless(&mut self, c: &Ex) -> Vec<u32> {
        self.branch(c, false)
    }

    /// Jumps to be patched that are taken when a condition holds.
    pub(super) fn when(&mut self, c: &Ex) -> Vec<u32> {
        self.branch(c, true)
    }

    /// Jumps to be patched that are taken when a condition is what is said.
    fn branch(&mut self, c: &Ex, holds: bool) -> Vec<u32> {
        match &c.kind {
            Kind::And(a, b) => self.decided((a, false), !holds, b, holds),
            Kind::Or(a, b) => self.decided((a, true), holds, b, holds),
            Kind::Not(a) => self.branch(a, !holds),
            Kind::Const(value) => match (*value != 0) == holds {
                true => vec![self.emit(Op::Jump { to: 0 }, c.span)],
                false => vec![],
            },
            Kind::Offer { mv } => {
                let (mv, to) = (*mv, 0);
                let not_enough = self.emit(Op::Offer { mv, to }, c.span);
                match holds {
                    false => vec![not_enough],
                    true => {
                        let enough = self.emit(Op::Jump { to: 0 }, c.span);
                        self.land(not_enough);
                        vec![enough]
                    }
                }
            }
            Kind::If(condition, then, otherwise) => match (&then.kind, &otherwise.kind) {
                (Kind::Const(a), Kind::Const(b)) if (*a == 0) != (*b == 0) => {
                    self.branch(condition, (*a != 0) == holds)
                }
                (Kind::Const(value), _) => {
                    self.decided((condition, true), (*value != 0) == holds, otherwise, holds)
                }
                (_, Kind::Const(value)) => {
                    self.decided((condition, false), (*value != 0) == holds, then, holds)
                }
                _ => {
                    let no = self.branch(condition, false);
                    let mut jumps = self.branch(then, holds);
                    let end = self.emit(Op::Jump { to: 0 }, c.span);
                    self.patch(&no);
                    jumps.extend(self.branch(otherwise, holds));
                    self.land(end);
                    jumps
                }
            },
            Kind::Call(f, args) if self.plan.inlined[*f] => {
                let free = self.next;
                let jumps = self.inlined(*f, args, |this, result| match result {
                    Some(result) => this.branch(result, holds),
                    None => vec![],
                });
                self.next = free;
                jumps
            }
            Kind::Binary(op, a, b) => {
                let free = self.next;
                let jump = self.comparison(*op, a, b, holds);
                self.next = free;
                match jump {
                    Some(jump) => vec![self.emit(jump, c.span)],
                    None => self.truth(c, holds),
                }
            }
            Kind::Aggregate {
                op: op @ (Aggregate::Any | Aggregate::All),
                var,
                domain,
                filter,
                body: Some(body),
                ..
            } => {
                let tested = (filter.as_deref(), Some(&**body));
                self.quantified(*op, *var, domain, tested, holds, c.span)
            }
            _ => self.truth(c, holds),
        }
    }

    /// If a condition is what is said, that decides for or against the jump (`taken`); else another one does,
    /// if it is what is said.
    fn decided(
        &mut self,
        (condition, decides): (&Ex, bool),
        taken: bool,
        other: &Ex,
        holds: bool,
    ) -> Vec<u32> {
        let mut decided = self.branch(condition, decides);
        let mut jumps = self.branch(other, holds);
        match taken {
            true => jumps.append(&mut decided),
            false => self.patch(&decided),
        }
        jumps
    }

    /// A jump by a value that is true or false.
    fn truth(&mut self, c: &Ex, holds: bool) -> Vec<u32> {
        let free = self.next;
        let r = self.value(c);
        self.next = free;
        let jump = match holds {
            true => Op::JumpIf { c: r, to: 0 },
            false => Op::JumpUnless { c: r, to: 0 },
        };
        vec![self.emit(jump, c.span)]
    }

    /// A jump that is taken when a comparison gives what is said; none of another operation.
    fn comparison(&mut self, op: Op2, a: &Ex, b: &Ex, holds: bool) -> Option<Op> {
        if let Some((a, against)) = against_constant(op, a, b) {
            let a = self.value(a);
            return Some(match (against, holds) {
                (Against::Is(v), true) | (Against::IsNot(v), false) => Op::JumpIfIs { a, v, to: 0 },
                (Against::Is(v), false) | (Against::IsNot(v), true) => {
                    Op::JumpUnlessIs { a, v, to: 0 }
                }
                (Against::IsBelow(v), true) | (Against::IsNotBelow(v), false) => {
                    Op::JumpIfBelow { a, v, to: 0 }
                }
                (Against::IsBelow(v), false) | (Against::IsNotBelow(v), true) => {
                    Op::JumpUnlessBelow { a, v, to: 0 }
                }
            });
        }
        let less = |a: Reg, b: Reg, holds: bool| match holds {
            true => Op::JumpIfLess { a, b, to: 0 },
            false => Op::JumpUnlessLess { a, b, to: 0 },
        };
        let equal = |a: Reg, b: Reg, holds: bool| match holds {
            true => Op::JumpIfEqual { a, b, to: 0 },
            false => Op::JumpUnlessEqual { a, b, to: 0 },
        };
        if !matches!(op, Op2::Lt | Op2::Le | Op2::Eq | Op2::Ne) {
            return None;
        }
        let (a, b) = (self.value(a), self.value(b));
        Some(match op {
            Op2::Lt => less(a, b, holds),
            Op2::Le => less(b, a, !holds),
            Op2::Eq => equal(a, b, holds),
            _ => equal(a, b, !holds),
        })
    }
}

/// Whether a loop from one value to another has a turn, whatever conditions decide.
fn has_turns(from: &Ex, to: &Ex) -> bool {
    /// The least and the greatest value, if only conditions decide.
    fn among(ex: &Ex) -> Option<(i64, i64)> {
        match &ex.kind {
            Kind::Const(c) => Some((*c, *c)),
            Kind::If(_, a, b) => {
                let ((a, b), (c, d)) = (among(a)?, among(b)?);
                Some((a.min(c), b.max(d)))
            }
            _ => None,
        }
    }
    match (among(from), among(to)) {
        (Some((_, from)), Some((to, _))) => from < to,
        _ => false,
    }
}
