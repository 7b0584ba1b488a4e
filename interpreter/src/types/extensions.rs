//! What other rules add to moves: parameters, conditions, effects, and contributions that count only
//! while the move is made.
//!
//! A contribution of an extension reads the move's parameters, which the query that it changes does not
//! know. So for each such move the query, and everything between it and the move, exists once more with
//! further parameters: the registers of the move that the contributions read. Nothing of this is left
//! for play to do.

use std::collections::{BTreeMap, BTreeSet};

use super::parameters::functions_of;
use super::{Checker, LocalVar, MoveContext, PendingExtension, Scope, and, binary, constant, not};
use crate::analysis::registers_of;
use crate::analysis::rewrite::{each_mut, each_statement_mut, renumber, renumber_statements};
use crate::analysis::visit::{visit, visit_statements};
use crate::diagnostic::{Code, did_you_mean};
use crate::numbers::{At as _, Fit as _};
use crate::program::model::*;
use crate::program::tree::{Addr, Arg, Ex, Kind, Local, NONE, Op2, St, Ty, Verb};
use crate::resolve::{Bound, Contributed, path_text};
use crate::source::Span;
use crate::syntax::ast::{self, Item, Layer};

/// A contribution that counts while a move is made. Its expressions know the query's parameters, then
/// the move's registers.
pub(super) struct Extra {
    query: FuncId,
    /// Number of the query's parameters.
    params: u16,
    layer: Layer,
    /// Whether the extension applies: judged as before the move.
    guard: Option<Ex>,
    condition: Option<Ex>,
    amount: Ex,
    span: Span,
    /// How many parameters must be chosen before it counts.
    level: usize,
}

/// `phase.move` of `phase.step.move`.
fn without_steps(address: &str) -> String {
    let (phase, rest) = address.split_once('.').unwrap_or(("", address));
    let mv = rest.rsplit('.').next().unwrap_or(rest);
    format!("{phase}.{mv}")
}

impl<'a> Checker<'a> {
    /// The moves that a path names: `phase.move` or `phase.step.move`.
    fn moves_named(&self, path: &str) -> Vec<MoveId> {
        let moves = self.model.moves.ids();
        let is_named = |address: &str| address == path || without_steps(address) == path;
        moves
            .filter(|mv| is_named(&self.model.moves[*mv].address))
            .collect()
    }

    /// What [`Self::moves_named`] understands, the shorter names first.
    fn names_of_moves(&self) -> Vec<String> {
        let moves = || self.model.moves.iter().map(|mv| &*mv.address);
        let short = moves().map(without_steps);
        short.chain(moves().map(str::to_owned)).collect()
    }

    pub(super) fn extend(&mut self, extension: &'a ast::Extension, bound: Option<&Bound>) {
        let extended = extension.moves.first().map(path_text).unwrap_or_default();
        let by = bound.map_or("rule", |b| &b.name.node);
        let what = format!("{by}.extend {extended}");
        let once = extension
            .once
            .as_ref()
            .and_then(|once| self.once(&once.phase, true, &what));
        let pending = PendingExtension {
            item: extension,
            bound: bound.cloned(),
            once,
        };
        for path in &extension.moves {
            let wanted = path_text(path);
            let found = self.moves_named(&wanted);
            if found.is_empty() {
                let names = self.names_of_moves();
                let help =
                    did_you_mean(&wanted, names.iter().map(String::as_str)).unwrap_or_else(|| {
                        "name a move as `phase.move` or `phase.step.move`".to_owned()
                    });
                self.report(
                    Code::UnknownMove
                        .error(path.span, format!("no move is called `{wanted}`"))
                        .help(help),
                );
            }
            for mv in found {
                if let Some(mv) = &mut self.pending[mv] {
                    mv.extensions.push(pending.clone());
                }
            }
        }
    }

    /// `forbid builder.build when …`: contributions that name moves. Others name nothing.
    pub(super) fn contributions_to_moves(&mut self) {
        let left = std::mem::take(&mut self.contributions);
        for (address, list) in left {
            let moves = self.moves_named(&address);
            for contributed in list {
                let span = contributed.item.query.span;
                if moves.is_empty() {
                    let moves = self.names_of_moves();
                    let names = self.queries.keys().chain(&moves).map(String::as_str);
                    let help = did_you_mean(&address, names)
                        .unwrap_or_else(|| "a query of a phase is named `phase.query`".to_owned());
                    self.report(
                        Code::UnknownQuery
                            .error(span, format!("no query is called `{address}`"))
                            .help(help),
                    );
                    continue;
                }
                if !matches!(contributed.item.layer, Layer::Forbid) {
                    self.error(Code::WrongContributionKind, span, format!("`{address}` is a move")).help =
                        Some("a move can be forbidden; to allow it, `allow` a query that its conditions ask".to_owned());
                    continue;
                }
                for &mv in &moves {
                    if let Some(mv) = &mut self.pending[mv] {
                        mv.forbidden.push(contributed.clone());
                    }
                }
            }
        }
    }

    /// The condition that a `forbid` adds to a move.
    pub(super) fn forbidden(
        &mut self,
        contributed: &Contributed<'a>,
        scope: &Scope,
        around: &MoveContext,
        address: &str,
    ) -> Option<Gate> {
        let item = contributed.item;
        if !item.args.is_empty() {
            self.error(
                Code::WrongArgumentCount,
                item.span,
                format!("`{address}` is a move"),
            )
            .help = Some("its parameters are known by their own names".to_owned());
            return None;
        }
        let mut inner = scope.clone();
        inner.phase = contributed.phase.or(around.phase);
        let mut holds = None;
        if let Some(bound) = &contributed.bound {
            if let Some(owner) = &bound.owner {
                inner.locals.push(LocalVar {
                    name: owner.node.clone(),
                    register: 0,
                    ty: Ty::Player,
                    len: 1,
                    used: super::scope::used(),
                });
            }
            holds = Some(self.bound_condition(bound, &mut inner)?);
        }
        if let Some(when) = &item.when {
            let when = self.expect(when, &mut inner, &Ty::Bool)?;
            holds = Some(and(holds, when));
        }
        let ex = not(holds.unwrap_or_else(|| constant(1, item.span)));
        let bound = contributed.bound.as_ref();
        let cite = self
            .cite(&item.cite)
            .or_else(|| bound.and_then(|b| self.cite(&b.cite)));
        let condition = self.function(
            format!("{address}.forbidden"),
            scope.next,
            &inner,
            Vec::new(),
            Some(ex),
            item.span,
        );
        Some(Gate::new(GateKind::Need(condition), cite, item.span))
    }

    /// Whether an extension applies to the mover: as it is, for the offer of its parameters, and as
    /// it was before the move, for everything else.
    pub(super) fn extension_guard(
        &mut self,
        extension: &PendingExtension<'a>,
        around: &MoveContext,
    ) -> Option<(Ex, Ex)> {
        let mut guard = None;
        if let Some(bound) = &extension.bound {
            let mut scope = Scope {
                vars: around.vars.clone(),
                phase: around.phase,
                next: 1,
                ..Scope::default()
            };
            if let Some(owner) = &bound.owner {
                scope.locals.push(LocalVar {
                    name: owner.node.clone(),
                    register: 0,
                    ty: Ty::Player,
                    len: 1,
                    used: super::scope::used(),
                });
                guard = self.bound_condition(bound, &mut scope);
            }
        }
        if let (Some((base, _)), Some(once)) = (extension.once, &extension.item.once) {
            // By this place an explanation knows the limit from other parts of the condition.
            let span = once.phase.span;
            let used = Kind::Load(memory(base, span)).at(span);
            guard = Some(and(guard, not(used)));
        }
        // A function of its own, which no contribution changes: it is judged as before the move.
        let guard = guard?;
        let span = extension.item.span;
        let scope = Scope {
            next: 1,
            ..Scope::default()
        };
        let now = guard.clone();
        let applies = self.function(
            "extension.applies",
            1,
            &scope,
            Vec::new(),
            Some(guard),
            span,
        );
        self.guards.insert(applies);
        let seat = Kind::Local(0).at(span);
        let before = Kind::Call(applies, vec![seat]).at(span);
        Some((now, before))
    }

    /// How often an extension may be chosen, with its clause: its own, or the extension's.
    pub(super) fn extension_limit(&mut self, extension: &PendingExtension<'a>) -> Option<Limit> {
        let (_, phase) = extension.once?;
        let once = extension.item.once.as_ref()?;
        Some(Limit {
            phase,
            cite: self
                .cite(&once.cite)
                .or_else(|| self.extension_cite(extension)),
            span: once.phase.span,
        })
    }

    pub(super) fn extension_cite(&mut self, extension: &PendingExtension<'a>) -> Option<ClauseId> {
        self.cite(&extension.item.cite)
            .or_else(|| extension.bound.as_ref().and_then(|b| self.cite(&b.cite)))
    }

    /// What an extension does after the move's own effect, and its memory.
    pub(super) fn extension_effect(
        &mut self,
        extension: &PendingExtension<'a>,
        scope: &Scope,
        own: &[&ParamModel],
        guard: Option<&Ex>,
        address: &str,
    ) -> Option<MoveEffect> {
        let item = extension.item;
        let cite = self.extension_cite(extension);
        let registers = scope.next;
        let mut inner = scope.clone();
        let mut body = match &item.effect {
            Some(script) => self.script(script, &mut inner),
            None if extension.once.is_some() => Vec::new(),
            None => return None,
        };
        if let Some((base, _)) = extension.once {
            let span = item.span;
            let remember = Kind::Verb(
                Verb::Set,
                vec![
                    Arg::Cells(memory(base, span)),
                    Arg::Value(constant(1, span)),
                ],
            )
            .at(span);
            body.push(St::If(used(own, span), vec![St::Do(remember)], Vec::new()));
        }
        let span = item.effect.as_ref().map_or(item.span, |s| s.span);
        let name = format!("{address}.extended");
        let effect = self.function(name.clone(), registers, &inner, body, None, span);
        if let Some(cite) = cite {
            self.model.function_cites.insert(effect, cite);
        }
        let when = guard.map(|guard| {
            self.function(
                format!("{name}.when"),
                registers,
                scope,
                Vec::new(),
                Some(guard.clone()),
                span,
            )
        });
        Some(MoveEffect { when, effect })
    }

    /// The contributions below an extension.
    pub(super) fn extension_extras(
        &mut self,
        extension: &PendingExtension<'a>,
        scope: &Scope,
        own: &[&ParamModel],
        guard: Option<&Ex>,
    ) -> Vec<Extra> {
        let mut extras = Vec::new();
        for item in &extension.item.items {
            let Item::Contribution(item) = item else {
                continue;
            };
            extras.extend(self.extra(extension, item, scope, own, guard));
        }
        extras
    }

    fn extra(
        &mut self,
        extension: &PendingExtension<'a>,
        item: &'a ast::Contribution,
        scope: &Scope,
        own: &[&ParamModel],
        guard: Option<&Ex>,
    ) -> Option<Extra> {
        let mut address = path_text(&item.query);
        let local = self.address(scope.phase, &address);
        if self.queries.contains_key(&local) {
            address = local;
        }
        let Some(callable) = self.queries.get(&address).cloned() else {
            let help = did_you_mean(&address, self.queries.keys().map(String::as_str))
                .unwrap_or_else(|| "a query of a phase is named `phase.query`".to_owned());
            self.report(
                Code::UnknownQuery
                    .error(item.query.span, format!("no query is called `{address}`"))
                    .help(help),
            );
            return None;
        };
        let params = callable.params.len().fit();
        // The move's names, behind the query's parameters.
        let around: Vec<LocalVar> = scope
            .locals
            .iter()
            .map(|l| LocalVar {
                register: l.register + params,
                ..l.clone()
            })
            .collect();
        let contributed = Contributed {
            item,
            bound: None,
            phase: scope.phase,
        };
        let mut inner = Scope {
            next: params + scope.next,
            vars: scope.vars.clone(),
            ..Scope::default()
        };
        let (condition, amount) =
            self.contribution(&contributed, &mut inner, &callable, &address, &around)?;
        // A name that stands for the mover still does if it stands for a parameter of the query.
        let mut condition = condition;
        for (i, name) in item.args.iter().enumerate() {
            let mover = scope
                .locals
                .iter()
                .any(|l| l.name == name.node && l.register == 0);
            if mover && callable.params[i] == Ty::Player {
                let local = |register| Kind::Local(register).at(name.span);
                let same = binary(Op2::Eq, local(i.fit()), local(params));
                condition = Some(match condition {
                    Some(condition) => and(Some(same), condition),
                    None => same,
                });
            }
        }
        let mut guard = guard.cloned();
        if let Some(guard) = &mut guard {
            renumber(guard, &|r| r + params);
        }
        let amount = match (&amount.kind, self.extension_cite(extension)) {
            (Kind::Case(..), _) | (_, None) => amount,
            (_, Some(cite)) => Ex {
                span: amount.span,
                kind: Kind::Case(Some(cite), Box::new(amount)),
            },
        };
        let last = own.last().map(|p| p.register);
        Some(Extra {
            query: callable.func,
            params,
            layer: item.layer.clone(),
            guard,
            condition,
            amount,
            span: item.span,
            // The register of the last own parameter, until all parameters are known.
            level: last.map_or(0, usize::from),
        })
    }

    /// Lets contributions count in a move that is built.
    pub(super) fn contribute_to_move(&mut self, mv: MoveId, extras: &[Extra]) {
        if extras.is_empty() {
            return;
        }
        let model = self.model.moves[mv].clone();
        // Which registers of the move are handed on.
        let mut used = vec![false; model.registers.at()];
        let mut levels = Vec::new();
        for extra in extras {
            let mut last = extra.level.fit::<u16>();
            let parts = [&extra.guard, &extra.condition, &Some(extra.amount.clone())];
            for ex in parts.into_iter().flatten() {
                visit(ex, &mut |e| {
                    let Some((r, len)) = registers_of(e) else {
                        return;
                    };
                    let end = extra.params + model.registers;
                    if (extra.params..end).contains(&r) {
                        used[(r - extra.params).at()..(r - extra.params + len).at()].fill(true);
                        last = last.max(r - extra.params);
                    }
                });
            }
            let level = model
                .params
                .iter()
                .rposition(|p| p.register <= last)
                .map_or(0, |i| i + 1);
            levels.push(level);
        }
        let handed: Vec<u16> = (0..model.registers).filter(|r| used[r.at()]).collect();
        let mut special = Specializing {
            extras,
            name: model.address.to_string(),
            registers: model.registers,
            handed,
            done: BTreeMap::new(),
            redirected: BTreeSet::new(),
        };
        let active = |level: usize| -> Vec<usize> {
            (0..extras.len()).filter(|e| levels[*e] <= level).collect()
        };
        for (i, param) in model.params.iter().enumerate() {
            let mut functions = functions_of(param);
            if let DomainModel::Spread(s) = param.domain {
                let spread = &self.model.spreads[s];
                functions.extend(spread.targets.iter().flat_map(|t| t.room));
            }
            for f in functions {
                special.in_place(self, f, &active(i));
            }
        }
        let all = active(usize::MAX);
        let effects = model.effects.iter().map(|e| e.effect);
        for f in model.needs().map(|(_, condition)| condition).chain(effects) {
            special.in_place(self, f, &all);
        }
    }
}

/// The cell of the mover in a memory of `once per`.
fn memory(base: Cell, span: Span) -> Addr {
    let seat = Kind::Local(0).at(span);
    Addr {
        base,
        index: vec![(seat, 1)],
    }
}

/// Whether any of these parameters was made use of.
fn used(own: &[&ParamModel], span: Span) -> Ex {
    let mut any: Option<Ex> = None;
    for param in own {
        let value = Kind::Local(param.register).at(span);
        let used = match &param.ty {
            Ty::Option(_) => binary(Op2::Ne, value, constant(NONE, span)),
            Ty::Bag(_) | Ty::Spread => {
                let sum = Kind::SumLocals {
                    base: param.register,
                    len: param.len,
                }
                .at(span);
                binary(Op2::Lt, constant(0, span), sum)
            }
            Ty::Bool | Ty::Int => binary(Op2::Ne, value, constant(0, span)),
            _ => constant(1, span),
        };
        any = Some(match any {
            Some(any) => super::either(any, used),
            None => used,
        });
    }
    any.unwrap_or_else(|| constant(1, span))
}

/// Functions once more, for one move.
struct Specializing<'e> {
    extras: &'e [Extra],
    name: String,
    /// Registers of the move.
    registers: u16,
    /// Those that are handed on, in order.
    handed: Vec<u16>,
    /// By function and the contributions that count.
    done: BTreeMap<(FuncId, Vec<usize>), Option<FuncId>>,
    /// Functions of the move that call special functions now.
    redirected: BTreeSet<FuncId>,
}

impl Specializing<'_> {
    /// Lets a function of the move call special functions.
    fn in_place(&mut self, checker: &mut Checker<'_>, function: FuncId, active: &[usize]) {
        if active.is_empty() || !self.redirected.insert(function) {
            return;
        }
        let model = checker.model.functions[function].clone();
        let (mut body, mut result) = (model.body, model.result);
        let params = model.params;
        let handed = self.handed.clone();
        let args = |span: Span| -> Vec<Ex> {
            let arg = |r: &u16| {
                if *r < params {
                    Kind::Local(*r).at(span)
                } else {
                    constant(0, span)
                }
            };
            handed.iter().map(arg).collect()
        };
        self.redirect(checker, &mut body, &mut result, active, &args);
        let f = &mut checker.model.functions[function];
        (f.body, f.result) = (body, result);
    }

    fn redirect(
        &mut self,
        checker: &mut Checker<'_>,
        body: &mut [St],
        result: &mut Option<Ex>,
        active: &[usize],
        args: &dyn Fn(Span) -> Vec<Ex>,
    ) {
        let mut change = |ex: &mut Ex| {
            let span = ex.span;
            if let Kind::Call(callee, given) = &mut ex.kind
                && let Some(special) = self.special(checker, *callee, active)
            {
                *callee = special;
                given.extend(args(span));
            }
        };
        each_statement_mut(body, &mut change);
        if let Some(result) = result {
            each_mut(result, &mut change);
        }
    }

    /// The function that knows of the move; `None` if it is the same.
    fn special(
        &mut self,
        checker: &mut Checker<'_>,
        function: FuncId,
        active: &[usize],
    ) -> Option<FuncId> {
        if checker.guards.contains(&function) {
            return None;
        }
        let key = (function, active.to_vec());
        if let Some(done) = self.done.get(&key) {
            return *done;
        }
        let targets: BTreeSet<FuncId> = active.iter().map(|e| self.extras[*e].query).collect();
        if !reaches(&checker.model, function, &targets, &mut BTreeSet::new()) {
            self.done.insert(key, None);
            return None;
        }
        let model = checker.model.functions[function].clone();
        let (params, width) = (model.params, self.handed.len().fit::<u16>());
        let name = format!("{} in {}", model.name, self.name);
        let new = checker.reserve(name, params + width, model.span);
        self.done.insert(key, Some(new));
        if let Some(cite) = checker.model.function_cites.get(&function).copied() {
            checker.model.function_cites.insert(new, cite);
        }
        // What is the function's own beyond its parameters makes room for the move's registers.
        let further = |r: Local| if r < params { r } else { r + width };
        let mut body = model.body;
        renumber_statements(&mut body, &further);
        let mut locals = model.locals.max(params) + width;
        let mine = active
            .iter()
            .filter(|e| self.extras[**e].query == function)
            .copied()
            .collect::<Vec<_>>();
        let mut result = if mine.is_empty() {
            let mut result = model.result;
            if let Some(result) = &mut result {
                renumber(result, &further);
            }
            result
        } else {
            let Some(mut parts) = checker.query_parts.get(&function).cloned() else {
                // The query has a mistake of its own.
                return Some(new);
            };
            parts.each_mut(&mut |ex| renumber(ex, &further));
            for e in mine {
                let extra = &self.extras[e];
                let handed = self.handed.clone();
                let (end, registers) = (params + self.registers, self.registers);
                let number = move |r: Local| {
                    if r < params {
                        r
                    } else if r < end {
                        let at = handed.iter().position(|h| *h == r - params);
                        params + at.unwrap_or(0).fit::<u16>()
                    } else {
                        r - registers + width
                    }
                };
                let (mut guard, mut condition) = (extra.guard.clone(), extra.condition.clone());
                let mut amount = extra.amount.clone();
                for ex in guard.iter_mut().chain(&mut condition).chain([&mut amount]) {
                    renumber(ex, &number);
                    visit(ex, &mut |e| {
                        if let Kind::Aggregate { var, acc, .. } = e.kind {
                            locals = locals.max(var + 2).max(acc + 1);
                        }
                    });
                }
                parts.parts.push(super::Part {
                    layer: extra.layer.clone(),
                    guard,
                    condition,
                    amount,
                    span: extra.span,
                });
            }
            let at = params;
            let args = move |span: Span| handed_on(at, width, span);
            let mut each = |ex: &mut Ex| {
                let mut whole = Some(ex.clone());
                self.redirect(checker, &mut [], &mut whole, active, &args);
                if let Some(whole) = whole {
                    *ex = whole;
                }
            };
            parts.each_mut(&mut each);
            let f = &mut checker.model.functions[new];
            f.locals = locals;
            f.result = Some(parts.value());
            return Some(new);
        };
        let args = move |span: Span| handed_on(params, width, span);
        self.redirect(checker, &mut body, &mut result, active, &args);
        let f = &mut checker.model.functions[new];
        f.locals = locals;
        f.body = body;
        f.result = result;
        Some(new)
    }
}

/// A special function's own registers of the move, as arguments.
fn handed_on(first: u16, width: u16, span: Span) -> Vec<Ex> {
    (first..first + width)
        .map(|r| Kind::Local(r).at(span))
        .collect()
}

/// Whether a function is one of these, or calls one of them.
fn reaches(
    model: &Model,
    function: FuncId,
    targets: &BTreeSet<FuncId>,
    seen: &mut BTreeSet<FuncId>,
) -> bool {
    if targets.contains(&function) {
        return true;
    }
    if !seen.insert(function) {
        return false;
    }
    let f = &model.functions[function];
    let mut called = BTreeSet::new();
    let mut look = |ex: &Ex| {
        if let Kind::Call(callee, _) = ex.kind {
            called.insert(callee);
        }
    };
    visit_statements(&f.body, &mut look);
    if let Some(result) = &f.result {
        visit(result, &mut look);
    }
    called
        .into_iter()
        .any(|callee| reaches(model, callee, targets, seen))
}
