//! What is called by name: queries, effects, verbs, and the functions of the language itself.

use super::{Checker, Scope, bags_and_records, constant};
use crate::diagnostic::{Code, Diagnostic, did_you_mean};
use crate::numbers::Fit as _;
use crate::program::model::{MoveId, VarModel};
use crate::program::tree::{Addr, Ex, Kind, Op2, Ty};
use crate::resolve::{Callable, Site, path_text};
use crate::source::Span;
use crate::syntax::ast::{Expr, ExprKind, Name};

/// Functions of the language itself.
const BUILTINS: [&str; 7] = ["min", "max", "size", "next", "position", "score", "so_far"];

impl Checker<'_> {
    /// Reports a name that means nothing here, with the nearest one that does.
    pub(super) fn unknown(&mut self, name: &str, span: Span, scope: &Scope) {
        let mut names: Vec<&str> = scope.locals.iter().map(|l| l.name.as_str()).collect();
        names.extend(scope.vars.iter().map(|v| &*v.name));
        names.extend(self.constants.keys().map(String::as_str));
        names.extend(self.rows.keys().map(String::as_str));
        names.extend(self.sites.keys().map(String::as_str));
        names.extend(self.plurals.keys().map(String::as_str));
        names.extend(self.effects.keys().map(String::as_str));
        names.extend(self.model.columns.iter().map(|c| &*c.name));
        names.extend(self.queries.keys().map(String::as_str));
        let prefix = scope
            .phase
            .map(|p| format!("{}.", self.model.phases[p].name))
            .unwrap_or_default();
        names.extend(
            self.queries
                .keys()
                .filter_map(|q| q.strip_prefix(prefix.as_str())),
        );
        names.extend(BUILTINS);
        names.extend(super::scripts::VERBS.iter().map(|v| v.0));
        let help = did_you_mean(name, names).unwrap_or_else(|| wished(name).to_owned());
        self.report(
            Code::UnknownName
                .error(span, format!("unknown name `{name}`"))
                .help(help),
        );
    }

    /// The query that a name means in this scope: of the phase, else global.
    pub(super) fn query(&self, name: &str, scope: &Scope) -> Option<&Callable> {
        let mut phase = scope.phase;
        let mut local = None;
        while let (Some(p), None) = (phase, local) {
            let address = format!("{}.{name}", self.model.phases[p].name);
            local = self.queries.get(&address);
            phase = self.phase_parents.get(&p).copied();
        }
        local.or_else(|| self.queries.get(name))
    }

    pub(super) fn dot(
        &mut self,
        base: &Expr,
        name: &Name,
        args: Option<&[Expr]>,
        span: Span,
        scope: &mut Scope,
    ) -> Option<(Ex, Ty)> {
        if let ExprKind::Name(first) = &base.kind
            && !scope.locals.iter().any(|l| l.name == *first)
        {
            if self.tables.contains_key(first) && args.is_none() {
                let table = self.tables[first];
                if let Some(&(t, row)) = self.rows.get(&name.node)
                    && t == table
                {
                    return row.map(|r| (constant(r.fit(), span), Ty::Row(t)));
                }
            }
            let address = format!("{first}.{}", name.node);
            if let Some(var) = self.kept_by(first, &name.node) {
                return self.kept(&var, name, args.unwrap_or(&[]), span, scope);
            }
            if self.is_tray(first, &name.node) {
                return self.call(name, args.unwrap_or(&[]), span, scope);
            }
            if self.phases.contains_key(first) {
                if let Some(callable) = self.queries.get(&address).cloned() {
                    return self.apply(callable, &address, args.unwrap_or(&[]), span, scope);
                }
                let help = did_you_mean(&address, self.queries.keys().map(String::as_str));
                self.error(
                    Code::UnknownQuery,
                    name.span,
                    format!("no query is called `{address}`"),
                )
                .help = help;
                return None;
            }
        }
        if let Some(part) = self.part(base, name, args, span, scope) {
            return part;
        }
        let mut all = vec![base.clone()];
        all.extend(args.unwrap_or(&[]).iter().cloned());
        self.call(name, &all, span, scope)
    }

    /// What a phase keeps, with its index; of a bag also with a row.
    fn kept(
        &mut self,
        var: &VarModel,
        name: &Name,
        args: &[Expr],
        span: Span,
        scope: &mut Scope,
    ) -> Option<(Ex, Ty)> {
        let row = match (&var.ty, args.split_last()) {
            (Ty::Bag(table), Some((row, index))) if index.len() == var.index.len() => {
                Some((*table, row, index))
            }
            _ => None,
        };
        let args = row.map_or(args, |(_, _, index)| index);
        let addr = self.var_addr(var, &name.node, args, span, scope)?;
        let kind = self.lying_at(addr, &var.ty);
        let whole = Ex { kind, span };
        match row {
            Some((table, row, _)) => {
                let row = self.expect(row, scope, &Ty::Row(table))?;
                Some((bags_and_records::count_at(&whole, row, span), Ty::Int))
            }
            None => Some((whole, var.ty.clone())),
        }
    }

    /// What lies at an address, as a value of a type.
    pub(super) fn lying_at(&self, addr: Addr, ty: &Ty) -> Kind {
        match self.is_wide(ty) {
            true => Kind::Cells {
                addr,
                len: self.model.width(ty),
            },
            false => Kind::Load(addr),
        }
    }

    /// A parameter of a phase or what it keeps, by name: `turn.picked`.
    pub(super) fn kept_by(&self, phase: &str, name: &str) -> Option<VarModel> {
        let phase = *self.phases.get(phase)?;
        self.phase_vars[phase]
            .iter()
            .find(|v| *v.name == *name)
            .cloned()
    }

    /// Whether a place lasts as long as a phase: `prospector.revealed`.
    pub(super) fn is_tray(&self, phase: &str, name: &str) -> bool {
        match (self.phases.get(phase), self.sites.get(name)) {
            (Some(phase), Some(Site::Place(place))) => {
                self.model.places[*place].phase == Some(*phase)
            }
            _ => false,
        }
    }

    /// The variable of a phase that an expression names, with its index.
    pub(super) fn variable(&self, e: &Expr, scope: &Scope) -> Option<(VarModel, Vec<Expr>)> {
        let (name, args) = match &e.kind {
            ExprKind::Name(name) => (name.as_str(), Vec::new()),
            ExprKind::Call { name, args } => (name.node.as_str(), args.clone()),
            ExprKind::Dot { base, name, args } => {
                let args = args.clone().unwrap_or_default();
                if let ExprKind::Name(phase) = &base.kind
                    && let Some(var) = self.kept_by(phase, &name.node)
                {
                    return Some((var, args));
                }
                let mut all = vec![(**base).clone()];
                all.extend(args);
                (name.node.as_str(), all)
            }
            _ => return None,
        };
        let var = scope.vars.iter().rev().find(|v| *v.name == *name)?;
        Some((var.clone(), args))
    }

    /// So many arguments are too few or too many.
    pub(super) fn wrong_arguments(
        &self,
        span: Span,
        name: &str,
        wants: &[Ty],
        has: usize,
    ) -> Diagnostic {
        let list: Vec<String> = wants.iter().map(|ty| self.ty_name(ty)).collect();
        let wanted = match &list[..] {
            [] => "no arguments".to_owned(),
            [one] => format!("one argument ({one})"),
            many => format!("{} arguments ({})", many.len(), many.join(", ")),
        };
        let has = match has {
            0 => "none".to_owned(),
            n => n.to_string(),
        };
        let mistake =
            Code::WrongArgumentCount.error(span, format!("`{name}` takes {wanted}, not {has}"));
        match wants {
            [] => mistake.help(format!("write `{name}` alone")),
            [one] => mistake.help(format!("write `{name}({})`", example(one))),
            _ => mistake,
        }
    }

    fn apply(
        &mut self,
        callable: Callable,
        name: &str,
        args: &[Expr],
        span: Span,
        scope: &mut Scope,
    ) -> Option<(Ex, Ty)> {
        if args.len() != callable.params.len() {
            let wrong = self.wrong_arguments(span, name, &callable.params, args.len());
            self.report(wrong.also(callable.span, "declared here"));
            return None;
        }
        if let Some(phase) = callable.phase
            && !self.model.phases[phase].params.is_empty()
            && scope.phase != Some(phase)
            && scope.phase.and_then(|p| self.phase_parents.get(&p)) != Some(&phase)
            && !name.contains('.')
        {
            self.error(
                Code::QueryOutsidePhase,
                span,
                format!("`{name}` reads the parameters of a phase that is not under way here"),
            );
            return None;
        }
        let mut values = Vec::new();
        for (arg, ty) in args.iter().zip(&callable.params) {
            values.push(self.expect(arg, scope, ty));
        }
        let values: Option<Vec<Ex>> = values.into_iter().collect();
        let values = values?.iter().flat_map(bags_and_records::numbers).collect();
        let kind = Kind::Call(callable.func, values);
        Some((Ex { kind, span }, callable.ty))
    }

    /// Refuses what changes the table where that may not be.
    fn may_change(&mut self, scope: &Scope, name: &str, span: Span) -> Option<()> {
        if !scope.effects {
            let why = format!("`{name}` changes the table, which a condition or query may not");
            self.error(Code::EffectInCondition, span, why);
        }
        scope.effects.then_some(())
    }

    pub(super) fn call(
        &mut self,
        name: &Name,
        args: &[Expr],
        span: Span,
        scope: &mut Scope,
    ) -> Option<(Ex, Ty)> {
        if let Some(local) = scope.locals.iter().rev().find(|l| l.name == name.node) {
            local.used.set(true);
            let local = local.clone();
            return self.window_count(&local, args, span, scope);
        }
        if let Some(var) = scope
            .vars
            .iter()
            .rev()
            .find(|v| *v.name == *name.node)
            .cloned()
        {
            return self.kept(&var, name, args, span, scope);
        }
        if let Some(callable) = self.query(&name.node, scope).cloned() {
            return self.apply(callable, &name.node, args, span, scope);
        }
        if let Some(callable) = self.effects.get(&name.node).cloned() {
            self.may_change(scope, &name.node, span)?;
            return self.apply(callable, &name.node, args, span, scope);
        }
        if let Some(&record) = self.records.get(&name.node) {
            return self.record(record, args, span, scope);
        }
        if let Some(&site) = self.sites.get(&name.node) {
            return self.site_value(site, name, args, span, scope);
        }
        if let Some(found) = self.builtin(name, args, span, scope) {
            return found;
        }
        if super::scripts::VERBS.iter().any(|v| v.0 == name.node) {
            self.may_change(scope, &name.node, span)?;
            return self.verb(name, args, span, scope);
        }
        if self.model.columns.iter().any(|c| *c.name == *name.node) {
            return self.column(name, args, span, scope);
        }
        if self.events.contains_key(&name.node) {
            self.error(
                Code::EventAsValue,
                span,
                format!("`{}` is an event", name.node),
            )
            .help = Some(format!("raise it: `raise({}(…))`", name.node));
            return None;
        }
        self.unknown(&name.node, name.span, scope);
        None
    }

    /// Functions of the language itself; `None` if the name is none of them.
    fn builtin(
        &mut self,
        name: &Name,
        args: &[Expr],
        span: Span,
        scope: &mut Scope,
    ) -> Option<Option<(Ex, Ty)>> {
        let arity = match name.node.as_str() {
            "so_far" if !scope.last_score => {
                self.error(Code::SoFarOutsideLastLine, span, "`so_far` is the sum of the score lines before the last")
                    .help = Some("it stands in a line that says `last`: `score palace for p, last: so_far(p) / 4`".to_owned());
                return Some(None);
            }
            "size" | "next" | "score" | "so_far" => 1,
            "min" | "max" | "position" => 2,
            _ => return None,
        };
        if args.len() != arity {
            self.error(
                Code::WrongArgumentCount,
                span,
                format!(
                    "`{}` takes {arity} arguments, not {}",
                    name.node,
                    args.len()
                ),
            );
            return Some(None);
        }
        Some(match name.node.as_str() {
            "min" | "max" => (|| {
                let a = self.expect(&args[0], scope, &Ty::Int)?;
                let b = self.expect(&args[1], scope, &Ty::Int)?;
                let op = if name.node == "min" {
                    Op2::Min
                } else {
                    Op2::Max
                };
                Some((Kind::Binary(op, Box::new(a), Box::new(b)).at(span), Ty::Int))
            })(),
            "next" => (|| {
                let p = self.expect(&args[0], scope, &Ty::Player)?;
                let plus = super::binary(Op2::Add, p, constant(1, span));
                let n = constant(i64::from(self.model.players), span);
                Some((super::binary(Op2::Rem, plus, n), Ty::Player))
            })(),
            "position" => (|| {
                // Seats clockwise from the second to the first.
                let p = self.expect(&args[0], scope, &Ty::Player)?;
                let from = self.expect(&args[1], scope, &Ty::Player)?;
                let n = constant(i64::from(self.model.players), span);
                let shifted = super::binary(Op2::Add, p, n.clone());
                let distance = super::binary(Op2::Sub, shifted, from);
                Some((super::binary(Op2::Rem, distance, n), Ty::Int))
            })(),
            "score" | "so_far" => (|| {
                let p = self.expect(&args[0], scope, &Ty::Player)?;
                let total = self.model.names.get(name.node.as_str()).copied()?;
                Some((Kind::Call(total, vec![p]).at(span), Ty::Int))
            })(),
            _ => self.size(&args[0], span, scope),
        })
    }

    pub(super) fn possible(
        &mut self,
        path: &crate::syntax::ast::Path,
        span: Span,
        scope: &mut Scope,
    ) -> Option<(Ex, Ty)> {
        if !scope.in_move {
            self.error(
                Code::PossibleOutsideMove,
                span,
                "`possible(…)` asks about another move of the same question",
            )
            .help = Some("it stands in a move's `needs`".to_owned());
            return None;
        }
        let wanted = path_text(path);
        // Of the same question, and above: so that no two ask each other.
        let above: Vec<MoveId> = self
            .model
            .asks
            .iter()
            .filter(|a| self.building.is_some_and(|mv| a.moves.contains(&mv)))
            .flat_map(|a| a.moves.iter().copied())
            .filter(|mv| self.building.is_some_and(|building| *mv < building))
            .collect();
        let found = above
            .iter()
            .copied()
            .find(|mv| *self.model.moves[*mv].name == *wanted);
        let Some(mv) = found else {
            let names: Vec<String> = above
                .iter()
                .map(|mv| self.model.moves[*mv].name.to_string())
                .collect();
            let help =
                did_you_mean(&wanted, names.iter().map(String::as_str)).unwrap_or_else(|| {
                    "name a move that stands above this one in the same question".to_owned()
                });
            self.report(
                Code::UnknownPossibleMove
                    .error(path.span, format!("no move `{wanted}` above this one"))
                    .help(help),
            );
            return None;
        };
        let seat = Kind::Local(0).at(span);
        Some((
            Kind::Possible {
                mv,
                seat: Box::new(seat),
            }
            .at(span),
            Ty::Bool,
        ))
    }

    /// A verb with its arguments.
    fn verb(
        &mut self,
        name: &Name,
        args: &[Expr],
        span: Span,
        scope: &mut Scope,
    ) -> Option<(Ex, Ty)> {
        self.verb_call(name, args, span, scope)
            .map(|(verb, args, ty)| (Kind::Verb(verb, args).at(span), ty))
    }
}

/// What an argument of a type might be called.
fn example(ty: &Ty) -> &'static str {
    match ty {
        Ty::Player => "p",
        Ty::Int => "n",
        Ty::Bool => "yes",
        _ => "x",
    }
}

/// How to say what other languages have a function for.
fn wished(name: &str) -> &'static str {
    match name {
        "random" | "rand" | "roll" | "dice" | "chance" => {
            "chance comes from dice (`die production: 1 to 6`, then `roll(production)`), from shuffled piles and from `draw`"
        }
        "sort" | "order" | "sorted" | "reverse" => {
            "what lies in a place has no order, and a pile keeps its own; who comes first is said by `most` and `fewest`"
        }
        "print" | "log" | "debug" => {
            "nothing is printed: `raise(…)` an event that `names.yaml` has a sentence for"
        }
        _ => "names come from headers, tables, `setup.yaml`, places and queries",
    }
}
