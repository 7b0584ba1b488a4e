//! Expressions: names are resolved and types checked, the result is the typed tree.
//!
//! What is called by name is in [`calls`](super::calls), places, counters and columns are in
//! [`sites`](super::access).

use super::{Checker, Scope, bags_and_records, constant};
use crate::budget::spend;
use crate::diagnostic::{Code, did_you_mean};
use crate::numbers::Fit as _;
use crate::program::tree::{Aggregate, Arg, Domain, Ex, Kind, NONE, Op2, Ty, Verb};
use crate::source::Span;
use crate::syntax::ast::{AggregateOp, BinaryOp, Expr, ExprKind, Name, UnaryOp};

/// Greatest number that rules may use without a name.
const UNNAMED: i64 = 2;

impl Checker<'_> {
    /// An expression of a wanted type; anything else is reported.
    pub(super) fn expect(&mut self, e: &Expr, scope: &mut Scope, want: &Ty) -> Option<Ex> {
        let (ex, ty) = self.expr(e, scope)?;
        if fits(&ty, want) {
            return Some(self.adapted(ex, &ty, want));
        }
        let (is, should) = (self.ty_name(&ty), self.ty_name(want));
        let d = self.error(
            Code::TypeMismatch,
            e.span,
            format!("this is {is}, but {should} is needed"),
        );
        if *want == Ty::Bool && ty == Ty::Int {
            d.help = Some("compare it: `… > 0`".to_owned());
        } else if matches!(&ty, Ty::Option(inner) if fits(inner, want)) {
            d.help = Some("ask first whether it is there: `… is not none and …`".to_owned());
        }
        None
    }

    /// An expression and its type.
    pub(super) fn expr(&mut self, e: &Expr, scope: &mut Scope) -> Option<(Ex, Ty)> {
        spend(64, Some(e.span));
        let (ex, ty) = self.known_expr(e, scope)?;
        let written = self.model.written.entry(ex.span);
        written.or_insert_with(|| ty.clone());
        Some((ex, ty))
    }

    /// Any expression; what is known to be there is no longer optional.
    fn known_expr(&mut self, e: &Expr, scope: &mut Scope) -> Option<(Ex, Ty)> {
        match self.any_expr(e, scope)? {
            (ex, Ty::Option(inner)) if scope.is_known(e) => match self.is_wide(&inner) {
                true => Some((
                    bags_and_records::slice(&ex, 1, self.width(&inner), true),
                    *inner,
                )),
                false => Some((ex, *inner)),
            },
            found => Some(found),
        }
    }

    fn any_expr(&mut self, e: &Expr, scope: &mut Scope) -> Option<(Ex, Ty)> {
        let span = e.span;
        match &e.kind {
            ExprKind::Int(i) => {
                if i32::try_from(*i).is_err() {
                    self.error(Code::NumberOutOfRange, span, "this number is too large")
                        .help = Some("numbers have 32 bits".to_owned());
                    return None;
                }
                if *i > UNNAMED && !scope.hint {
                    self.report(
                        Code::UnnamedNumber.warning(span, format!("the number `{i}` has no name"))
                            .help("name it under `figures` in `setup.yaml`, so that a proofreader finds it in one place"),
                    );
                }
                Some((constant(*i, span), Ty::Int))
            }
            ExprKind::Bool(b) => Some((constant(i64::from(*b), span), Ty::Bool)),
            ExprKind::None => Some((constant(NONE, span), Ty::None)),
            ExprKind::Name(name) => self.name(name, span, scope),
            ExprKind::Call { name, args } => self.call(name, args, span, scope),
            ExprKind::Dot { base, name, args } => {
                self.dot(base, name, args.as_deref(), span, scope)
            }
            ExprKind::Unary(UnaryOp::Not, inner) => {
                let inner = self.expect(inner, scope, &Ty::Bool)?;
                Some((Kind::Not(Box::new(inner)).at(span), Ty::Bool))
            }
            ExprKind::Unary(UnaryOp::Minus, inner) => {
                let inner = self.expect(inner, scope, &Ty::Int)?;
                let kind = match inner.kind {
                    Kind::Const(c) => Kind::Const(-c),
                    _ => Kind::Minus(Box::new(inner)),
                };
                Some((Ex { kind, span }, Ty::Int))
            }
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, span, scope),
            ExprKind::Is {
                value,
                negated,
                other,
            } => self.same(value, other, *negated, span, scope),
            ExprKind::Aggregate {
                op,
                var,
                domain,
                filter,
                body,
            } => self.aggregate(
                *op,
                var,
                domain,
                filter.as_deref(),
                body.as_deref(),
                span,
                scope,
            ),
            ExprKind::If {
                condition,
                then,
                otherwise,
            } => {
                let test = self.expect(condition, scope, &Ty::Bool)?;
                let known = scope.learn(condition, true);
                let then = self.expr(then, scope);
                scope.forget(known);
                let (then, ty) = then?;
                let known = scope.learn(condition, false);
                let otherwise = self.expect(otherwise, scope, &ty);
                scope.forget(known);
                let (condition, otherwise) = (test, otherwise?);
                if self.is_wide(&ty) {
                    let either = bags_and_records::numbers(&then)
                        .into_iter()
                        .zip(bags_and_records::numbers(&otherwise));
                    let parts = either.map(|(then, otherwise)| {
                        Kind::If(
                            Box::new(condition.clone()),
                            Box::new(then),
                            Box::new(otherwise),
                        )
                        .at(span)
                    });
                    let kind = Kind::Together(parts.collect());
                    return Some((Ex { kind, span }, ty));
                }
                Some((
                    Kind::If(Box::new(condition), Box::new(then), Box::new(otherwise)).at(span),
                    ty,
                ))
            }
            ExprKind::Possible(path) => self.possible(path, span, scope),
            ExprKind::In {
                value,
                negated,
                domain,
            } => {
                let ex = self.within(value, domain, span, scope)?;
                let ex = if *negated { super::not(ex) } else { ex };
                Some((Ex { span, ..ex }, Ty::Bool))
            }
            ExprKind::Range { .. } => {
                self.error(Code::NotAValue, span, "a range is not a value")
                    .help = Some("ranges stand after `in`: `any n in 1 to 4: …`".to_owned());
                None
            }
            ExprKind::Each(name) => {
                self.error(
                    Code::NotAValue,
                    span,
                    format!("`each {}` stands only in a spread", name.node),
                );
                None
            }
        }
    }

    fn name(&mut self, name: &str, span: Span, scope: &mut Scope) -> Option<(Ex, Ty)> {
        if let Some(local) = scope.locals.iter().rev().find(|l| l.name == name) {
            local.used.set(true);
            let (base, len) = (local.register, local.len);
            let kind = match self.is_wide(&local.ty) || local.ty == Ty::Spread {
                true => Kind::Registers { base, len },
                false => Kind::Local(base),
            };
            return Some((Ex { kind, span }, local.ty.clone()));
        }
        if let Some(var) = scope
            .vars
            .iter()
            .rev()
            .find(|v| *v.name == *name && v.index.is_empty())
        {
            let kind = self.lying_at(var.addr(), &var.ty);
            return Some((Ex { kind, span }, var.ty.clone()));
        }
        if let Some((value, ty)) = self.constants.get(name) {
            return Some((constant(*value, span), ty.clone()));
        }
        if let Some(&(table, row)) = self.rows.get(name) {
            return match row {
                Some(row) => Some((constant(row.fit(), span), Ty::Row(table))),
                None => {
                    let players = self.configuration.players;
                    self.error(
                        Code::RowNotInPlay,
                        span,
                        format!("`{name}` is not in play with {players} players"),
                    )
                    .help = Some(
                        "rules that name a single row must hold for every number of players"
                            .to_owned(),
                    );
                    None
                }
            };
        }
        let call = Name {
            node: name.to_owned(),
            span,
        };
        if self.sites.contains_key(name) || self.query(name, scope).is_some() {
            return self.call(&call, &[], span, scope);
        }
        if self.plurals.contains_key(name) || name == "players" {
            self.error(
                Code::SetUsedAsValue,
                span,
                format!("`{name}` is a set, not a value"),
            )
            .help = Some("sets stand after `in`: `any x in …`".to_owned());
            return None;
        }
        self.unknown(name, span, scope);
        None
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        a: &Expr,
        b: &Expr,
        span: Span,
        scope: &mut Scope,
    ) -> Option<(Ex, Ty)> {
        match op {
            BinaryOp::And | BinaryOp::Or => {
                let first = self.expect(a, scope, &Ty::Bool);
                let known = scope.learn(a, op == BinaryOp::And);
                let b = self.expect(b, scope, &Ty::Bool);
                scope.forget(known);
                let (a, b) = (Box::new(first?), Box::new(b?));
                let kind = if op == BinaryOp::And {
                    Kind::And(a, b)
                } else {
                    Kind::Or(a, b)
                };
                Some((Ex { kind, span }, Ty::Bool))
            }
            BinaryOp::Equal => self.same(a, b, false, span, scope),
            BinaryOp::NotEqual => self.same(a, b, true, span, scope),
            _ => {
                let a = self.expect(a, scope, &Ty::Int);
                let b = self.expect(b, scope, &Ty::Int);
                let (a, b) = (a?, b?);
                let (op, a, b, ty) = match op {
                    BinaryOp::Add => (Op2::Add, a, b, Ty::Int),
                    BinaryOp::Subtract => (Op2::Sub, a, b, Ty::Int),
                    BinaryOp::Multiply => (Op2::Mul, a, b, Ty::Int),
                    BinaryOp::Divide => (Op2::Div, a, b, Ty::Int),
                    BinaryOp::Remainder => (Op2::Rem, a, b, Ty::Int),
                    BinaryOp::Less => (Op2::Lt, a, b, Ty::Bool),
                    BinaryOp::LessEqual => (Op2::Le, a, b, Ty::Bool),
                    BinaryOp::Greater => (Op2::Lt, b, a, Ty::Bool),
                    _ => (Op2::Le, b, a, Ty::Bool),
                };
                Some((Kind::Binary(op, Box::new(a), Box::new(b)).at(span), ty))
            }
        }
    }

    /// `x is y`, `x == y`: both sides of one kind.
    fn same(
        &mut self,
        a: &Expr,
        b: &Expr,
        negated: bool,
        span: Span,
        scope: &mut Scope,
    ) -> Option<(Ex, Ty)> {
        let a_typed = self.expr(a, scope);
        let b_typed = self.expr(b, scope);
        let ((a_ex, a_ty), (b_ex, b_ty)) = (a_typed?, b_typed?);
        if !fits(&a_ty, &b_ty) && !fits(&b_ty, &a_ty) {
            let (left, right) = (self.ty_name(&a_ty), self.ty_name(&b_ty));
            self.error(
                Code::IncomparableTypes,
                span,
                format!("{left} is never {right}"),
            )
            .help = Some("both sides must be of one kind".to_owned());
            return None;
        }
        let op = if negated { Op2::Ne } else { Op2::Eq };
        if self.is_wide(&a_ty) || self.is_wide(&b_ty) {
            let (whole, want) = match fits(&a_ty, &b_ty) {
                true => (&b_ex, &b_ty),
                false => (&a_ex, &a_ty),
            };
            let same = match (&a_ty, &b_ty, want) {
                (Ty::None, _, Ty::Option(_)) | (_, Ty::None, Ty::Option(_)) => {
                    super::not(Self::is_there(whole))
                }
                _ => {
                    let a = self.adapted(a_ex, &a_ty, want);
                    let b = self.adapted(b_ex, &b_ty, want);
                    self.same_numbers(&a, &b)
                }
            };
            let same = if negated { super::not(same) } else { same };
            return Some((Ex { span, ..same }, Ty::Bool));
        }
        Some((
            Kind::Binary(op, Box::new(a_ex), Box::new(b_ex)).at(span),
            Ty::Bool,
        ))
    }

    /// `x in S`: a number in a range, a row or player in a set, a bag within a place or another bag.
    fn within(&mut self, value: &Expr, domain: &Expr, span: Span, scope: &mut Scope) -> Option<Ex> {
        if let ExprKind::Range {
            from,
            to,
            inclusive,
        } = &domain.kind
        {
            let value = self.expect(value, scope, &Ty::Int);
            let from = self.expect(from, scope, &Ty::Int);
            let to = self.expect(to, scope, &Ty::Int);
            let (value, from, to) = (value?, from?, to?);
            let op = if *inclusive { Op2::Le } else { Op2::Lt };
            let above = super::binary(Op2::Le, from, value.clone());
            return Some(super::and(Some(above), super::binary(op, value, to)));
        }
        let set = match &domain.kind {
            ExprKind::Name(name) if name == "players" => Some(Ty::Player),
            ExprKind::Name(name) => self.plurals.get(name).map(|t| Ty::Row(*t)),
            _ => None,
        };
        if let Some(set) = set {
            let value = self.expect(value, scope, &Ty::Option(Box::new(set)))?;
            return Some(super::binary(Op2::Ne, value, constant(NONE, span)));
        }
        let (Some(Ty::Bag(table)), Some(called)) = (self.wide_type(value, scope), called(domain))
        else {
            self.error(
                Code::InvalidMembershipTest,
                domain.span,
                "this is not a range, a set or a place",
            )
            .help =
                Some("write `n in 1 to 3`, or `price in stock(p)` of a bag and a place".to_owned());
            return None;
        };
        let (bag, _) = self.expr(value, scope)?;
        // Of each row no more than there is.
        let depth = scope.locals.len();
        let acc = scope.fresh();
        let var = scope.local("a row of the bag", Ty::Row(table));
        scope.locals[depth].used.set(true);
        scope.fresh();
        let row = Expr {
            kind: ExprKind::Name("a row of the bag".to_owned()),
            span,
        };
        let has = self.call(&called.0, &[called.1, vec![row]].concat(), span, scope);
        scope.locals.truncate(depth);
        let (has, _) = has?;
        let rows = self.model.tables[table].rows.len().fit();
        Some(bags_and_records::all_within(
            &bag,
            rows,
            (var, acc),
            has,
            span,
        ))
    }

    /// What stands after `in`: a set of rows, the players, or a range.
    pub(super) fn domain(&mut self, e: &Expr, scope: &mut Scope) -> Option<(Domain, Ty)> {
        match &e.kind {
            ExprKind::Name(name) if name == "players" => {
                Some((Domain::Upto(u32::from(self.model.players)), Ty::Player))
            }
            ExprKind::Name(name) if self.plurals.contains_key(name) => {
                let table = self.plurals[name];
                Some((
                    Domain::Upto(self.model.tables[table].rows.len().fit()),
                    Ty::Row(table),
                ))
            }
            ExprKind::Range {
                from,
                to,
                inclusive,
            } => {
                let from = self.expect(from, scope, &Ty::Int);
                let to = self.expect(to, scope, &Ty::Int);
                let (from, mut to) = (from?, to?);
                if *inclusive {
                    let one = constant(1, to.span);
                    to = super::binary(Op2::Add, to, one);
                }
                Some((Domain::Range(Box::new(from), Box::new(to)), Ty::Int))
            }
            _ => {
                let mut names: Vec<&str> = self.plurals.keys().map(String::as_str).collect();
                names.push("players");
                let help = match &e.kind {
                    ExprKind::Name(name) => did_you_mean(name, names.iter().copied()),
                    _ => None,
                };
                let list = names
                    .iter()
                    .map(|n| format!("`{n}`"))
                    .collect::<Vec<_>>()
                    .join(", ");
                let help = help.unwrap_or_else(|| format!("sets are {list}, and ranges `1 to 4`"));
                self.report(Code::NotASet.error(e.span, "this is not a set").help(help));
                None
            }
        }
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of one sentence")]
    fn aggregate(
        &mut self,
        op: AggregateOp,
        var: &Name,
        domain: &Expr,
        filter: Option<&Expr>,
        body: Option<&Expr>,
        span: Span,
        scope: &mut Scope,
    ) -> Option<(Ex, Ty)> {
        let (domain, var_ty) = self.domain(domain, scope)?;
        let depth = scope.locals.len();
        let acc = scope.fresh();
        // The bound of a range lives beside the variable.
        let register = scope.local(&var.node, var_ty.clone());
        scope.fresh();
        if filter.is_none() && matches!(op, AggregateOp::Count) {
            // `count s in squares` is how many there are.
            scope.locals[depth].used.set(true);
        }
        let condition = filter;
        let filter = filter.map(|f| self.expect(f, scope, &Ty::Bool));
        let known = condition.map_or(scope.known.len(), |f| scope.learn(f, true));
        let (op, wants, ty) = match op {
            AggregateOp::Any => (Aggregate::Any, Some(Ty::Bool), Ty::Bool),
            AggregateOp::All => (Aggregate::All, Some(Ty::Bool), Ty::Bool),
            AggregateOp::Sum => (Aggregate::Sum, Some(Ty::Int), Ty::Int),
            AggregateOp::Max => (Aggregate::Max, Some(Ty::Int), Ty::Int),
            AggregateOp::Min => (Aggregate::Min, Some(Ty::Int), Ty::Int),
            AggregateOp::Count => (Aggregate::Count, None, Ty::Int),
            AggregateOp::First => (Aggregate::First, None, Ty::Option(Box::new(var_ty))),
        };
        let body = match (wants, body) {
            (Some(ty), Some(b)) => Some(self.expect(b, scope, &ty)),
            (Some(_), None) => {
                self.error(
                    Code::AggregateWithoutBody,
                    span,
                    "this needs `: …` at its end: what is looked at for each",
                );
                Some(None)
            }
            (None, Some(b)) => {
                self.error(
                    Code::UnexpectedAggregateBody,
                    b.span,
                    "`count` and `first` take a condition after `where`, nothing after `:`",
                );
                Some(None)
            }
            (None, None) => None,
        };
        scope.forget(known);
        let unused = scope
            .locals
            .iter()
            .skip(depth)
            .any(|l| l.name == var.node && !l.used.get());
        scope.locals.truncate(depth);
        if unused {
            self.report(Code::UnusedName.warning(var.span, format!("`{}` is not used", var.node)));
        }
        let filter = match filter {
            Some(f) => Some(Box::new(f?)),
            None => None,
        };
        let body = match body {
            Some(b) => Some(Box::new(b?)),
            None => None,
        };
        Some((
            Kind::Aggregate {
                op,
                var: register,
                acc,
                domain,
                filter,
                body,
            }
            .at(span),
            ty,
        ))
    }
}

/// What an expression calls, with its arguments.
fn called(e: &Expr) -> Option<(Name, Vec<Expr>)> {
    match &e.kind {
        ExprKind::Name(name) => Some((
            Name {
                node: name.clone(),
                span: e.span,
            },
            Vec::new(),
        )),
        ExprKind::Call { name, args } => Some((name.clone(), args.clone())),
        _ => None,
    }
}

/// Whether a value of the first type can stand where the second is wanted.
pub(super) fn fits(ty: &Ty, want: &Ty) -> bool {
    match (ty, want) {
        (a, b) if a == b => true,
        (Ty::None, Ty::Option(_) | Ty::Bag(_)) => true,
        (a, Ty::Option(inner)) => a == &**inner,
        _ => false,
    }
}

/// A verb's argument that is a value.
pub(super) fn value(ex: Ex) -> Arg {
    Arg::Value(ex)
}

/// The verb that needs no further checks.
pub(super) type VerbCall = (Verb, Vec<Arg>, Ty);
