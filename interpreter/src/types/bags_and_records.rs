//! Values that hold several things: bags and records.
//!
//! Such a value lies in neighbouring registers or cells: a bag has a number for each row of its
//! table, a record has its parts one after the other, and a record that may be `none` begins with a
//! number that is 1 if it is there (all others are 0 if it is not). Expressions speak of the value as a
//! whole ([`Kind::Registers`], [`Kind::Cells`], [`Kind::Together`]); what the checker hands on speaks
//! only of its numbers.

use super::{Checker, Scope, and, binary, constant};
use crate::diagnostic::{Code, did_you_mean};
use crate::numbers::{At as _, Fit as _};
use crate::program::ids::RecordId;
use crate::program::tree::{Addr, Aggregate, Domain, Ex, Kind, Op2, St, Ty};
use crate::source::Span;
use crate::syntax::ast::{Expr, ExprKind, Name};

impl Checker<'_> {
    /// A value that fits a wanted type, as that type has it.
    pub(super) fn adapted(&self, ex: Ex, ty: &Ty, want: &Ty) -> Ex {
        let span = ex.span;
        let together = |parts: Vec<Ex>| Kind::Together(parts).at(span);
        match (ty, want) {
            (Ty::None, want) if self.is_wide(want) => {
                together(vec![constant(0, span); self.width(want).at()])
            }
            (Ty::Record(_), Ty::Option(_)) => together(vec![constant(1, span), ex]),
            _ => ex,
        }
    }

    /// The type of an expression that holds several things, if it is one. Reports nothing.
    pub(super) fn wide_type(&self, e: &Expr, scope: &Scope) -> Option<Ty> {
        let known = |ty: Ty| match ty {
            Ty::Option(inner) if scope.is_known(e) => *inner,
            ty => ty,
        };
        let wide = |ty: &Ty| self.is_wide(ty).then(|| known(ty.clone()));
        let (name, args) = match &e.kind {
            ExprKind::Name(name) => (name, 0),
            ExprKind::Call { name, args } => (&name.node, args.len()),
            ExprKind::Dot { base, name, args } => {
                let given = args.as_ref().map_or(0, Vec::len);
                if let ExprKind::Name(phase) = &base.kind
                    && let Some(var) = self.kept_by(phase, &name.node)
                {
                    return wide(&var.ty).filter(|_| var.index.len() == given);
                }
                let Ty::Record(record) = self.wide_type(base, scope)? else {
                    return None;
                };
                let parts = &self.model.records[record].parts;
                let part = parts.iter().find(|(part, _)| **part == *name.node)?;
                return wide(&part.1).filter(|_| given == 0);
            }
            _ => return None,
        };
        if let Some(local) = scope.locals.iter().rev().find(|l| l.name == *name) {
            return wide(&local.ty).filter(|_| args == 0);
        }
        if let Some(var) = scope.vars.iter().rev().find(|v| *v.name == **name) {
            return wide(&var.ty).filter(|_| args == var.index.len());
        }
        let record = self.records.get(name)?;
        Some(Ty::Record(*record))
    }

    /// `deal(to, acts, paid)`: a record, its parts in order.
    pub(super) fn record(
        &mut self,
        record: RecordId,
        args: &[Expr],
        span: Span,
        scope: &mut Scope,
    ) -> Option<(Ex, Ty)> {
        let model = self.model.records[record].clone();
        if model.parts.len() != args.len() {
            let types: Vec<Ty> = model.parts.iter().map(|(_, ty)| ty.clone()).collect();
            let wrong = self.wrong_arguments(span, &model.name, &types, args.len());
            self.report(wrong.also(model.span, "declared here"));
            return None;
        }
        let parts: Vec<Option<Ex>> = args
            .iter()
            .zip(&model.parts)
            .map(|(arg, (_, ty))| self.expect(arg, scope, ty))
            .collect();
        let parts: Option<Vec<Ex>> = parts.into_iter().collect();
        let kind = Kind::Together(parts?);
        Some((Ex { kind, span }, Ty::Record(record)))
    }

    /// `d.paid`, `d.given(w)`: a part of a record. `None` if the expression is no record, or if it has no
    /// such part and something else may be meant.
    pub(super) fn part(
        &mut self,
        base: &Expr,
        name: &Name,
        args: Option<&[Expr]>,
        span: Span,
        scope: &mut Scope,
    ) -> Option<Option<(Ex, Ty)>> {
        let record = match self.wide_type(base, scope)? {
            Ty::Record(record) => record,
            Ty::Option(inner) if matches!(*inner, Ty::Record(_)) => {
                let text = super::definite::key(base).unwrap_or_else(|| "…".to_owned());
                self.error(
                    Code::TypeMismatch,
                    base.span,
                    "this may be `none`, which has no parts",
                )
                .help = Some(format!(
                    "ask first whether it is there: `{text} is not none and …`"
                ));
                return Some(None);
            }
            _ => return None,
        };
        let model = &self.model.records[record];
        let Some(part) = model.parts.iter().position(|(n, _)| **n == *name.node) else {
            if args.is_some() || self.query(&name.node, scope).is_some() {
                return None;
            }
            let parts = model.parts.iter().map(|(n, _)| &**n);
            let help = did_you_mean(&name.node, parts.clone()).unwrap_or_else(|| {
                format!("its parts are {}", parts.collect::<Vec<_>>().join(", "))
            });
            let message = format!("`{}` has no part `{}`", model.name, name.node);
            self.report(
                Code::UnknownRecordField
                    .error(name.span, message)
                    .help(help),
            );
            return Some(None);
        };
        let ty = model.parts[part].1.clone();
        let before: Vec<Ty> = model.parts[..part]
            .iter()
            .map(|(_, ty)| ty.clone())
            .collect();
        let (at, len) = (self.widths(&before), self.width(&ty));
        let Some((whole, _)) = self.expr(base, scope) else {
            return Some(None);
        };
        let ex = slice(&whole, at, len, self.is_wide(&ty));
        Some(match (&ty, args) {
            (_, None) => Some((ex, ty)),
            (Ty::Bag(table), Some([row])) => self
                .expect(row, scope, &Ty::Row(*table))
                .map(|row| (count_at(&ex, row, span), Ty::Int)),
            (_, Some(args)) => {
                let wants: Vec<Ty> = match ty {
                    Ty::Bag(table) => vec![Ty::Row(table)],
                    _ => Vec::new(),
                };
                let wrong = self.wrong_arguments(span, &name.node, &wants, args.len());
                self.report(wrong);
                None
            }
        })
    }

    /// Whether two values of one type are the same, number by number.
    pub(super) fn same_numbers(&self, a: &Ex, b: &Ex) -> Ex {
        let mut all = None;
        for (a, b) in numbers(a).into_iter().zip(numbers(b)) {
            all = Some(and(all, binary(Op2::Eq, a, b)));
        }
        all.unwrap_or_else(|| constant(1, a.span))
    }

    /// Whether an optional record is there.
    pub(super) fn is_there(ex: &Ex) -> Ex {
        slice(ex, 0, 1, false)
    }

    /// `set(offered(p), deal(…))`: every number of a value that holds several things. The numbers are taken
    /// before any of them is set.
    pub(super) fn set_wide(&mut self, args: &[Expr], scope: &mut Scope) -> Option<Vec<St>> {
        let ty = self.var_type(&args[0], scope)?;
        let target = self.site_ref(&args[0], scope);
        let value = self.expect(&args[1], scope, &ty);
        let ((_, target), value) = (target?, value?);
        let span = args[1].span;
        let values = numbers(&value);
        let mut out = Vec::new();
        let values: Vec<Ex> = match value.kind {
            Kind::Registers { .. } => values,
            _ => values
                .into_iter()
                .map(|number| match number.kind {
                    Kind::Const(_) | Kind::Local(_) => number,
                    _ => {
                        let register = scope.fresh();
                        out.push(St::Set(register, number));
                        Kind::Local(register).at(span)
                    }
                })
                .collect(),
        };
        for (k, value) in values.into_iter().enumerate() {
            let cell = Addr {
                base: target.base + k.fit::<u32>(),
                index: target.index.clone(),
            };
            let args = vec![
                crate::program::tree::Arg::Cells(cell),
                crate::program::tree::Arg::Value(value),
            ];
            out.push(St::Do(
                Kind::Verb(crate::program::tree::Verb::Set, args).at(span),
            ));
        }
        Some(out)
    }

    /// The type of what a phase keeps, named as a whole, if that holds several things; also where it is
    /// known not to be `none`.
    pub(super) fn var_type(&self, e: &Expr, scope: &Scope) -> Option<Ty> {
        let (var, args) = self.variable(e, scope)?;
        (self.is_wide(&var.ty) && args.len() == var.index.len()).then_some(var.ty)
    }

    /// The numbers of a value, kept in registers of their own.
    pub(super) fn keep_wide(&mut self, name: &str, ex: &Ex, ty: Ty, scope: &mut Scope) -> Vec<St> {
        let values = numbers(ex);
        let base = scope.window(name, ty, values.len().fit());
        let registers = base..;
        registers
            .zip(values)
            .map(|(r, ex)| St::Set(r, ex))
            .collect()
    }
}

/// The numbers that a value is made of, in order.
pub(super) fn numbers(ex: &Ex) -> Vec<Ex> {
    let span = ex.span;
    match &ex.kind {
        Kind::Registers { base, len } => (*base..base + len)
            .map(|r| Kind::Local(r).at(span))
            .collect(),
        Kind::Cells { addr, len } => (0..*len)
            .map(|k| {
                Kind::Load(Addr {
                    base: addr.base + k,
                    index: addr.index.clone(),
                })
                .at(span)
            })
            .collect(),
        Kind::Together(parts) => parts.iter().flat_map(numbers).collect(),
        _ => vec![ex.clone()],
    }
}

/// Some of the numbers of a value: one of them, or several that belong together.
pub(super) fn slice(ex: &Ex, at: u16, len: u16, wide: bool) -> Ex {
    let span = ex.span;
    let kind = match &ex.kind {
        Kind::Registers { base, .. } if wide => Kind::Registers {
            base: base + at,
            len,
        },
        Kind::Cells { addr, .. } if wide => Kind::Cells {
            addr: Addr {
                base: addr.base + u32::from(at),
                index: addr.index.clone(),
            },
            len: u32::from(len),
        },
        _ => {
            let mut some = numbers(ex);
            some.drain(..at.at());
            some.truncate(len.at());
            match some.len() {
                1 if !wide => return some.remove(0),
                _ => Kind::Together(some),
            }
        }
    };
    Ex { kind, span }
}

/// How many of a row are in a bag.
pub(super) fn count_at(bag: &Ex, row: Ex, span: Span) -> Ex {
    let kind = match &bag.kind {
        Kind::Registers { base, len } => Kind::LocalAt {
            base: *base,
            len: *len,
            index: Box::new(row),
        },
        Kind::Cells { addr, .. } => {
            let mut addr = addr.clone();
            addr.index.push((row, 1));
            Kind::Load(addr)
        }
        _ => {
            let mut value = constant(0, span);
            for (k, count) in numbers(bag).into_iter().enumerate().rev() {
                if !matches!(count.kind, Kind::Const(0)) {
                    let this = binary(Op2::Eq, row.clone(), constant(k.fit(), span));
                    value = Kind::If(Box::new(this), Box::new(count), Box::new(value)).at(span);
                }
            }
            return value;
        }
    };
    Ex { kind, span }
}

/// How many pieces are in a bag.
pub(super) fn size_of(bag: &Ex, span: Span) -> Ex {
    let kind = match &bag.kind {
        Kind::Registers { base, len } => Kind::SumLocals {
            base: *base,
            len: *len,
        },
        Kind::Cells { addr, len } => Kind::SumCells {
            addr: addr.clone(),
            len: *len,
        },
        _ => {
            let counts = numbers(bag).into_iter();
            return counts
                .filter(|n| !matches!(n.kind, Kind::Const(0)))
                .reduce(|a, b| binary(Op2::Add, a, b))
                .unwrap_or_else(|| constant(0, span));
        }
    };
    Ex { kind, span }
}

/// For each row no more in the bag than there is: `has` tells how many of the row in a register there are.
pub(super) fn all_within(bag: &Ex, rows: u32, (var, acc): (u16, u16), has: Ex, span: Span) -> Ex {
    let row = Kind::Local(var).at(span);
    let enough = binary(Op2::Le, count_at(bag, row, span), has);
    Kind::Aggregate {
        op: Aggregate::All,
        var,
        acc,
        domain: Domain::Upto(rows),
        filter: None,
        body: Some(Box::new(enough)),
    }
    .at(span)
}
