//! Loops over the rows of a table that skip the rows that their condition rules out.
//!
//! Most loops of rules go through all rows of a table and look only at a few: the cards that stand
//! somewhere, the regions of one kind. Where a condition begins with such a test, the loop is lowered
//! to a [`Scan`](crate::program::bytecode::Scan), which goes on to the next row that passes without an instruction for each row.
//! A scan tests in the order in which the condition does, and says of itself how many rows it has
//! skipped, so that neither faults nor fuel differ from the loop as it was written.

use crate::analysis::evaluate;
use crate::analysis::visit::visit;
use crate::numbers::{At as _, Fit as _};
use crate::program::bytecode::Reg;
use crate::program::bytecode::{Relation, Test};
use crate::program::model::{ColumnId, FuncId, IndexVec, Model};
use crate::program::tree::{Addr, Ex, Kind, Op2};
use crate::source::Span;

/// What is known where a scan is lowered.
pub(super) struct Surroundings<'a> {
    pub model: &'a Model,
    /// Functions whose calls cost no fuel.
    pub inlined: &'a IndexVec<FuncId, bool>,
    pub column_bases: &'a IndexVec<ColumnId, u32>,
    /// Where a local of the tree lies.
    pub register: &'a dyn Fn(Reg) -> Reg,
    /// Rules report their clauses as they run, so that what cites may not be passed over.
    pub traced: bool,
    /// Number of rows.
    pub rows: u32,
}

impl Surroundings<'_> {
    /// The tests that the first of some conditions on a variable are, and where a fault of them is.
    pub(super) fn tests(&self, conditions: &[&Ex], var: Reg) -> (Vec<Test>, Option<Span>) {
        let (mut tests, mut place) = (Vec::new(), None);
        for condition in conditions {
            let pure = self.fixed(condition, var);
            if let Some(test) = pure.or_else(|| self.column(condition, var)) {
                tests.push(test);
            } else if let (None, Some((test, span))) = (place, self.occupied(condition, var)) {
                tests.push(test);
                place = Some(span);
            } else {
                break;
            }
        }
        (tests, place)
    }

    /// A condition on nothing but the variable and columns.
    fn fixed(&self, condition: &Ex, var: Reg) -> Option<Test> {
        let mut rows = Vec::with_capacity(self.rows.at() + 1);
        for row in 0..self.rows {
            rows.push(self.value(condition, var, i64::from(row))? != 0);
        }
        let mut next = vec![self.rows; self.rows.at()];
        let mut passing = self.rows;
        for row in (0..rows.len()).rev() {
            if rows[row] {
                passing = row.fit();
            }
            next[row] = passing;
        }
        Some(Test::Next(next))
    }

    /// The value of an expression for a row, if it does not depend on the table.
    fn value(&self, ex: &Ex, var: Reg, row: i64) -> Option<i64> {
        let truth = |ex: &Ex| Some(self.value(ex, var, row)? != 0);
        Some(match &ex.kind {
            Kind::Const(c) => *c,
            Kind::Local(r) if *r == var => row,
            Kind::Column { column, row: of } => {
                let of = usize::try_from(self.value(of, var, row)?).ok()?;
                *self.model.columns[*column].values.get(of)?
            }
            Kind::Not(a) => i64::from(!truth(a)?),
            Kind::And(a, b) => i64::from(truth(a)? && truth(b)?),
            Kind::Or(a, b) => i64::from(truth(a)? || truth(b)?),
            Kind::Binary(op, a, b) => op.of(self.value(a, var, row)?, self.value(b, var, row)?)?,
            Kind::Case(_, inner) if !self.traced => self.value(inner, var, row)?,
            Kind::Call(function, args) if !self.traced && self.is_fixed(*function) => {
                let args: Option<Vec<i64>> = args.iter().map(|a| self.value(a, var, row)).collect();
                evaluate::constant(self.model, *function, &args?)?
            }
            _ => return None,
        })
    }

    /// Whether a function reads nothing of the table and costs nothing.
    fn is_fixed(&self, function: FuncId) -> bool {
        let mut fixed = self.inlined[function];
        let Some(result) = &self.model.functions[function].result else {
            return false;
        };
        visit(result, &mut |ex| {
            fixed &= match &ex.kind {
                Kind::Load(_)
                | Kind::SumCells { .. }
                | Kind::CountIn { .. }
                | Kind::Possible { .. }
                | Kind::Offer { .. }
                | Kind::Standing { .. }
                | Kind::Verb(..) => false,
                Kind::Call(callee, _) => self.is_fixed(*callee),
                _ => true,
            };
        });
        fixed
    }

    /// `column(row) is local`, or less, or more
    fn column(&self, condition: &Ex, var: Reg) -> Option<Test> {
        let Kind::Binary(op, a, b) = &condition.kind else {
            return None;
        };
        let (column, local, is) = match (&a.kind, &b.kind) {
            (Kind::Column { column, row }, Kind::Local(r)) if is(row, var) => {
                let is = match op {
                    Op2::Eq => Relation::Equal,
                    Op2::Lt => Relation::Below,
                    Op2::Le => Relation::AtMost,
                    _ => return None,
                };
                (*column, *r, is)
            }
            (Kind::Local(r), Kind::Column { column, row }) if is(row, var) => {
                let is = match op {
                    Op2::Eq => Relation::Equal,
                    Op2::Lt => Relation::Above,
                    Op2::Le => Relation::AtLeast,
                    _ => return None,
                };
                (*column, *r, is)
            }
            _ => return None,
        };
        let rows = self.model.columns[column].values.len();
        (local != var && rows >= self.rows.at()).then(|| Test::Column {
            base: self.column_bases[column],
            is,
            value: (self.register)(local),
        })
    }

    /// `cell > 0`
    fn occupied(&self, condition: &Ex, var: Reg) -> Option<(Test, Span)> {
        let cell = match &condition.kind {
            Kind::Binary(Op2::Lt, zero, cell) if matches!(zero.kind, Kind::Const(0)) => cell,
            Kind::Binary(Op2::Le, one, cell) if matches!(one.kind, Kind::Const(1)) => cell,
            _ => return None,
        };
        let Kind::Load(Addr { base, index }) = &cell.kind else {
            return None;
        };
        let (mut base, mut stride, mut terms) = (*base, 0, Vec::new());
        for (ex, by) in index {
            match &ex.kind {
                Kind::Const(c) => base += u32::try_from(*c).ok()? * by,
                Kind::Local(r) if *r == var && stride == 0 => stride = *by,
                Kind::Local(r) if *r != var => terms.push(((self.register)(*r), *by)),
                _ => return None,
            }
        }
        let test = Test::Cell {
            base: base.0,
            stride,
            terms,
        };
        (stride > 0).then_some((test, cell.span))
    }
}

/// What must hold, one after the other.
pub(super) fn conjuncts<'a>(condition: &'a Ex, into: &mut Vec<&'a Ex>) {
    match &condition.kind {
        Kind::And(a, b) => {
            conjuncts(a, into);
            conjuncts(b, into);
        }
        _ => into.push(condition),
    }
}

/// Whether an expression is a local.
pub(super) fn is(ex: &Ex, var: Reg) -> bool {
    matches!(ex.kind, Kind::Local(r) if r == var)
}

/// What must hold, one after the other, as one condition.
pub(super) fn together(conditions: impl Iterator<Item = Ex>) -> Option<Ex> {
    conditions.reduce(|a, b| Ex {
        span: a.span,
        kind: Kind::And(Box::new(a), Box::new(b)),
    })
}
