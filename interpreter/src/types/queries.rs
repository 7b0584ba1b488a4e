//! Queries: their cases, and what other rules contribute to them, in fixed layers.
//!
//! For numbers: base, `becomes`, `by`, `times`, `at least`, `at most`, then the query's own bounds.
//! For conditions: base, `allow`, `forbid`; forbid beats allow. Within a layer contributions apply
//! in package order, which cannot matter (sums, products, extremes, disjunctions), except for two
//! `becomes`, where the later one wins.

use super::{Checker, Part, QueryParts, Scope, and, constant};
use crate::diagnostic::{Code, did_you_mean};
use crate::numbers::Fit as _;
use crate::program::ids::{ClauseId, PhaseId};
use crate::program::tree::{Ex, Kind, Op2, Ty};
use crate::resolve::{Bound, Contributed};
use crate::syntax::ast::{self, Layer, Query};

/// Stands for "no bound" and "nothing" where a contribution does not apply.
impl<'a> Checker<'a> {
    /// Reports two modules that both say, without a condition, what a query becomes.
    fn rival_values(&mut self, contributions: &[Contributed<'a>], address: &str) {
        let package = self.package;
        let mut first: Option<(&ast::Contribution, Option<&str>)> = None;
        for contribution in contributions {
            let item = contribution.item;
            let always = item.when.is_none() && contribution.bound.is_none();
            if !always || !matches!(item.layer, Layer::Becomes(_)) {
                continue;
            }
            let module = package.origin(item.span);
            if let Some((earlier, other)) = first
                && let (Some(module), Some(other)) = (module, other)
                && module != other
            {
                let layer = package.layers.iter().find(|layer| layer.id.node == module);
                if !layer.is_some_and(|layer| layer.after.iter().any(|id| id == other)) {
                    self.report(
                        Code::ConflictingChanges.error(item.span,
                            format!("`{other}` and `{module}` both say what `{address}` becomes"),
                        )
                        .also(earlier.span, format!("said by `{other}`"))
                        .help(format!(
                            "let one of them say `after: [{other}]`, or let it exclude the other"
                        )),
                    );
                }
            }
            first = Some((item, module));
        }
    }

    pub(super) fn build_query(&mut self, query: &Query, phase: Option<PhaseId>) {
        let address = self.address(phase, &query.name.node);
        let Some(callable) = self.queries.get(&address).cloned() else {
            return;
        };
        let mut scope = self.phase_scope(phase);
        scope.hint = query.hint;
        for (param, ty) in query.params.iter().zip(&callable.params) {
            scope.window(&param.name.node, ty.clone(), self.width(ty));
        }
        let query_cite = self.cite(&query.cite);
        let contributions = self.contributions.remove(&address).unwrap_or_default();
        let value = self.cases(query, &mut scope, &callable.ty, query_cite);
        let sound = value.is_some();
        let mut parts = QueryParts {
            // Contributions to a query with a mistake are still read for mistakes of their own.
            base: value.unwrap_or_else(|| constant(0, query.name.span)),
            parts: Vec::new(),
            bounds: Vec::new(),
        };
        self.rival_values(&contributions, &address);
        for contribution in &contributions {
            if let Some((condition, amount)) =
                self.contribution(contribution, &mut scope, &callable, &address, &[])
            {
                parts.parts.push(Part {
                    layer: contribution.item.layer.clone(),
                    guard: None,
                    condition,
                    amount,
                    span: contribution.item.span,
                });
            }
        }
        for (bound, op) in [(&query.least, Op2::Max), (&query.most, Op2::Min)] {
            if let Some((bound, cite)) = bound {
                let cite = self.cite(cite);
                let Some(mut ex) = self.expect(bound, &mut scope, &Ty::Int) else {
                    continue;
                };
                // A bound is cited where it decides: see how `Max` and `Min` of a case are lowered.
                if cite.is_some() {
                    let span = ex.span;
                    ex = Kind::Case(cite, Box::new(ex)).at(span);
                }
                parts.bounds.push((op, ex));
            }
        }
        if !sound {
            return;
        }
        let value = parts.value();
        self.query_parts.insert(callable.func, parts);
        if let Some(cite) = query_cite {
            self.model.function_cites.insert(callable.func, cite);
        }
        self.define(callable.func, &scope, Vec::new(), Some(value));
    }

    pub(super) fn phase_scope(&self, phase: Option<PhaseId>) -> Scope {
        let vars = phase
            .map(|p| self.phase_vars[p].clone())
            .unwrap_or_default();
        Scope {
            vars,
            phase,
            ..Scope::default()
        }
    }

    /// The cases as a chain; each remembers its clause for explanations.
    fn cases(
        &mut self,
        query: &Query,
        scope: &mut Scope,
        ty: &Ty,
        whole: Option<ClauseId>,
    ) -> Option<Ex> {
        let mut built = Vec::new();
        let mut sound = true;
        let before = scope.known.len();
        for case in &query.cases {
            let when = match &case.when {
                Some(when) => self.expect(when, scope, &Ty::Bool),
                None => None,
            };
            let known = scope.known.len();
            if let Some(when) = &case.when {
                scope.learn(when, true);
            }
            let value = self.expect(&case.value, scope, ty);
            scope.forget(known);
            // Later cases know that this one does not hold.
            if let Some(when) = &case.when {
                scope.learn(when, false);
            }
            let cite = self.cite(&case.cite);
            match (when, value) {
                (Some(when), Some(value)) => built.push((when, value, cite)),
                _ => sound = false,
            }
        }
        let last = self.expect(&query.otherwise.value, scope, ty);
        scope.forget(before);
        let cite = self.cite(&query.otherwise.cite);
        let (last, true) = (last?, sound) else {
            return None;
        };
        let wrap = |ex: Ex, cite: Option<ClauseId>| {
            let span = ex.span;
            match cite.or(whole) {
                Some(cite) => Ex {
                    kind: Kind::Case(Some(cite), Box::new(ex)),
                    span,
                },
                None => ex,
            }
        };
        let mut value = wrap(last, cite);
        for (when, then, cite) in built.into_iter().rev() {
            let span = when.span;
            value = Kind::If(Box::new(when), Box::new(wrap(then, cite)), Box::new(value)).at(span);
        }
        Some(value)
    }

    /// A contribution's condition and amount. `around` are names that it knows beside the query's parameters.
    pub(super) fn contribution(
        &mut self,
        contributed: &Contributed<'a>,
        query_scope: &mut Scope,
        callable: &crate::resolve::Callable,
        address: &str,
        around: &[super::LocalVar],
    ) -> Option<(Option<Ex>, Ex)> {
        let item = contributed.item;
        if item.args.len() != callable.params.len() {
            let wrong = self.wrong_arguments(item.span, address, &callable.params, item.args.len());
            self.report(wrong.also(callable.span, "declared here"));
            return None;
        }
        if matches!(item.layer, Layer::Allow | Layer::Forbid) != (callable.ty == Ty::Bool) {
            let what = if callable.ty == Ty::Bool {
                "a condition"
            } else {
                "not a condition"
            };
            self.error(
                Code::WrongContributionKind,
                item.span,
                format!("`{address}` is {what}"),
            )
            .help = Some(
                "conditions are changed by `allow` and `forbid`, numbers by `modify`".to_owned(),
            );
            return None;
        }
        let mut scope = Scope {
            next: query_scope.next,
            ..self.phase_scope(callable.phase.or(contributed.phase))
        };
        scope.vars.extend(query_scope.vars.iter().cloned());
        scope.locals.extend(around.iter().cloned());
        let mut register = 0;
        for (name, ty) in item.args.iter().zip(&callable.params) {
            let len = self.width(ty);
            scope.locals.push(super::LocalVar {
                name: name.node.clone(),
                register,
                ty: ty.clone(),
                len,
                used: super::scope::used(),
            });
            register += len;
        }
        let cite = self.cite(&item.cite);
        let mut condition = match &contributed.bound {
            Some(bound) => {
                self.cite(&bound.cite);
                Some(self.bound_condition(bound, &mut scope)?)
            }
            None => None,
        };
        if let Some(when) = &item.when {
            let holds = self.expect(when, &mut scope, &Ty::Bool)?;
            condition = Some(and(condition, holds));
            scope.learn(when, true);
        }
        let amount = match &item.layer {
            Layer::Becomes(e) => self.expect(e, &mut scope, &callable.ty)?,
            Layer::By(e) | Layer::Times(e) | Layer::AtLeast(e) | Layer::AtMost(e) => {
                self.expect(e, &mut scope, &Ty::Int)?
            }
            Layer::Allow | Layer::Forbid => constant(1, item.span),
        };
        query_scope.next = scope.next;
        let cite = cite.or_else(|| contributed.bound.as_ref().and_then(|b| self.cite(&b.cite)));
        let amount = match cite {
            Some(cite) => Ex {
                span: amount.span,
                kind: Kind::Case(Some(cite), Box::new(amount)),
            },
            None => amount,
        };
        Some((condition, amount))
    }

    /// The condition under which a component's rules hold for the player named in its header.
    pub(super) fn bound_condition(&mut self, bound: &Bound, scope: &mut Scope) -> Option<Ex> {
        let always = constant(1, bound.name.span);
        let Some(owner) = &bound.owner else {
            return Some(always);
        };
        let Some(when) = &bound.when else {
            return Some(always);
        };
        let known = scope.locals.iter().any(|l| l.name == owner.node)
            || scope
                .vars
                .iter()
                .any(|v| *v.name == *owner.node && v.index.is_empty());
        if !known {
            self.error(Code::UnnamedOwner, owner.span, format!("`{}` is nobody in this rule", owner.node)).help = Some(
                "use the owner's name where the rule names a player: `modify price(p, b) …`, `on loaded(p, n): …`"
                    .to_owned(),
            );
            return None;
        }
        let table = bound.table;
        let Some(callable) = self.queries.get(&when.node).cloned() else {
            let help = did_you_mean(&when.node, self.queries.keys().map(String::as_str));
            self.error(
                Code::UnknownComponentCondition,
                when.span,
                format!("no query is called `{}`", when.node),
            )
            .help = help;
            return None;
        };
        if callable.params != [Ty::Player, Ty::Row(table)] || callable.ty != Ty::Bool {
            let name = self.model.tables[table].name.clone();
            self.report(
                Code::WrongComponentCondition
                    .error(
                        when.span,
                        format!("`{}` does not ask about a player and a {name}", when.node),
                    )
                    .also(callable.span, "declared here")
                    .help(format!(
                        "it must be `query {}(p: player, c: {name}): bool`",
                        when.node
                    )),
            );
            return None;
        }
        let who = ast::Expr {
            kind: ast::ExprKind::Name(owner.node.clone()),
            span: owner.span,
        };
        let who = self.expect(&who, scope, &Ty::Player)?;
        let row = constant(bound.row.fit(), bound.name.span);
        Some(Ex {
            kind: Kind::Call(callable.func, vec![who, row]),
            span: bound.name.span,
        })
    }
}
