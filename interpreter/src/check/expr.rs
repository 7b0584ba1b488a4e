//! Expressions: names are resolved and types checked, the result is the typed tree.

use super::ir::{Addr, Aggregate, Arg, Domain, Ex, Kind, NONE, Op2, Ty, Verb};
use super::{Checker, LocalVar, Scope, Site, constant, path_text, similar};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::{AggregateOp, BinaryOp, Expr, ExprKind, Name, UnaryOp};

/// Greatest number that rules may use without a name.
const UNNAMED: i64 = 2;

/// Functions of the language itself.
const BUILTINS: [&str; 6] = ["min", "max", "size", "next", "position", "score"];

impl Checker<'_> {
    /// An expression of a wanted type; anything else is reported.
    pub(super) fn expect(&mut self, e: &Expr, scope: &mut Scope, want: &Ty) -> Option<Ex> {
        let (ex, ty) = self.expr(e, scope)?;
        if fits(&ty, want) {
            return Some(ex);
        }
        let (is, should) = (self.ty_name(&ty), self.ty_name(want));
        let d = self.error(520, e.span, format!("this is {is}, but {should} is needed"));
        if *want == Ty::Bool && ty == Ty::Int {
            d.help = Some("compare it: `… > 0`".to_owned());
        }
        None
    }

    /// What a type is called in messages.
    pub(super) fn ty_name(&self, ty: &Ty) -> String {
        match ty {
            Ty::Int => "a number".to_owned(),
            Ty::Bool => "a condition".to_owned(),
            Ty::Player => "a player".to_owned(),
            Ty::Row(t) => format!("a row of `{}`", self.model.tables[*t].plural),
            Ty::Option(inner) => format!("{} or `none`", self.ty_name(inner)),
            Ty::None => "`none`".to_owned(),
            Ty::Bag(t) => format!("a bag of `{}`", self.model.tables[*t].plural),
            Ty::Spread => "a spread".to_owned(),
            Ty::Unit => "an effect without a value".to_owned(),
        }
    }

    /// An expression and its type.
    pub(super) fn expr(&mut self, e: &Expr, scope: &mut Scope) -> Option<(Ex, Ty)> {
        let span = e.span;
        match &e.kind {
            ExprKind::Int(i) => {
                if i32::try_from(*i).is_err() {
                    self.error(521, span, "this number is too large").help =
                        Some("numbers have 32 bits".to_owned());
                    return None;
                }
                if *i > UNNAMED {
                    self.report(
                        Diagnostic::warning(804, span, format!("the number `{i}` has no name"))
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
                Some((
                    Ex {
                        kind: Kind::Not(Box::new(inner)),
                        span,
                    },
                    Ty::Bool,
                ))
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
                let condition = self.expect(condition, scope, &Ty::Bool)?;
                let (then, ty) = self.expr(then, scope)?;
                let otherwise = self.expect(otherwise, scope, &ty)?;
                Some((
                    Ex {
                        kind: Kind::If(Box::new(condition), Box::new(then), Box::new(otherwise)),
                        span,
                    },
                    ty,
                ))
            }
            ExprKind::Possible(path) => self.possible(path, span, scope),
            ExprKind::Range { .. } => {
                self.error(522, span, "a range is not a value").help =
                    Some("ranges stand after `in`: `any n in 1 to 4: …`".to_owned());
                None
            }
            ExprKind::Each(name) => {
                self.error(
                    522,
                    span,
                    format!("`each {}` stands only in a spread", name.node),
                );
                None
            }
            #[allow(unreachable_patterns, reason = "the tree grows before the engine does")]
            _ => {
                self.not_playable(span, "this expression");
                None
            }
        }
    }

    fn name(&mut self, name: &str, span: Span, scope: &mut Scope) -> Option<(Ex, Ty)> {
        if let Some(local) = scope.locals.iter().rev().find(|l| l.name == name) {
            local.used.set(true);
            return Some((
                Ex {
                    kind: Kind::Local(local.register),
                    span,
                },
                local.ty.clone(),
            ));
        }
        if let Some(var) = scope
            .vars
            .iter()
            .rev()
            .find(|v| *v.name == *name && v.index.is_empty())
        {
            return Some((
                Ex {
                    kind: Kind::Load(var.addr()),
                    span,
                },
                var.ty.clone(),
            ));
        }
        if let Some((value, ty)) = self.constants.get(name) {
            return Some((constant(*value, span), ty.clone()));
        }
        if let Some(&(table, row)) = self.rows.get(name) {
            return match row {
                Some(row) => Some((constant(row as i64, span), Ty::Row(table))),
                None => {
                    let players = self.configuration.players;
                    self.error(
                        523,
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
            self.error(524, span, format!("`{name}` is a set, not a value"))
                .help = Some("sets stand after `in`: `any x in …`".to_owned());
            return None;
        }
        self.unknown(name, span, scope);
        None
    }

    /// Reports a name that means nothing here, with the nearest one that does.
    fn unknown(&mut self, name: &str, span: Span, scope: &Scope) {
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
        names.extend(super::script::VERBS.iter().map(|v| v.0));
        let help = similar(name, names).unwrap_or_else(|| {
            "names come from headers, tables, `setup.yaml`, places and queries".to_owned()
        });
        self.report(Diagnostic::error(525, span, format!("unknown name `{name}`")).help(help));
    }

    /// The query that a name means in this scope: of the phase, else global.
    fn query(&self, name: &str, scope: &Scope) -> Option<&super::Callable> {
        let local = scope.phase.and_then(|p| {
            self.queries
                .get(&format!("{}.{name}", self.model.phases[p].name))
        });
        local.or_else(|| self.queries.get(name))
    }

    fn dot(
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
                    return row.map(|r| (constant(r as i64, span), Ty::Row(t)));
                }
            }
            let address = format!("{first}.{}", name.node);
            if self.phases.contains_key(first) {
                if let Some(callable) = self.queries.get(&address).cloned() {
                    return self.apply(callable, &address, args.unwrap_or(&[]), span, scope);
                }
                let help = similar(&address, self.queries.keys().map(String::as_str));
                self.error(526, name.span, format!("no query is called `{address}`"))
                    .help = help;
                return None;
            }
        }
        let mut all = vec![base.clone()];
        all.extend(args.unwrap_or(&[]).iter().cloned());
        self.call(name, &all, span, scope)
    }

    fn apply(
        &mut self,
        callable: super::Callable,
        name: &str,
        args: &[Expr],
        span: Span,
        scope: &mut Scope,
    ) -> Option<(Ex, Ty)> {
        if args.len() != callable.params.len() {
            let (has, wants) = (args.len(), callable.params.len());
            self.report(
                Diagnostic::error(
                    527,
                    span,
                    format!("`{name}` takes {wants} arguments, not {has}"),
                )
                .also(callable.span, "declared here"),
            );
            return None;
        }
        if let Some(phase) = callable.phase
            && !self.model.phases[phase].params.is_empty()
            && scope.phase != Some(phase)
            && !name.contains('.')
        {
            self.error(
                528,
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
        Some((
            Ex {
                kind: Kind::Call(callable.func, values?),
                span,
            },
            callable.ty,
        ))
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
            let index = self.indices(&name.node, &var.index, args, span, scope)?;
            return Some((
                Ex {
                    kind: Kind::Load(Addr {
                        base: var.base,
                        index,
                    }),
                    span,
                },
                var.ty,
            ));
        }
        if let Some(callable) = self.query(&name.node, scope).cloned() {
            return self.apply(callable, &name.node, args, span, scope);
        }
        if let Some(callable) = self.effects.get(&name.node).cloned() {
            if !scope.effects {
                self.error(
                    529,
                    span,
                    format!(
                        "`{}` changes the table, which a condition or query may not",
                        name.node
                    ),
                );
                return None;
            }
            return self.apply(callable, &name.node, args, span, scope);
        }
        if let Some(&site) = self.sites.get(&name.node) {
            return self.site_value(site, name, args, span, scope);
        }
        if let Some(found) = self.builtin(name, args, span, scope) {
            return found;
        }
        if super::script::VERBS.iter().any(|v| v.0 == name.node) {
            if !scope.effects {
                self.error(
                    529,
                    span,
                    format!(
                        "`{}` changes the table, which a condition or query may not",
                        name.node
                    ),
                );
                return None;
            }
            return self.verb(name, args, span, scope);
        }
        if self.model.columns.iter().any(|c| *c.name == *name.node) {
            return self.column(name, args, span, scope);
        }
        if self.events.contains_key(&name.node) {
            self.error(530, span, format!("`{}` is an event", name.node))
                .help = Some(format!("raise it: `raise({}(…))`", name.node));
            return None;
        }
        self.unknown(&name.node, name.span, scope);
        None
    }

    /// `left(g)`: how many of a row are in an open parameter.
    fn window_count(
        &mut self,
        local: &LocalVar,
        args: &[Expr],
        span: Span,
        scope: &mut Scope,
    ) -> Option<(Ex, Ty)> {
        let Ty::Bag(table) = local.ty else {
            self.error(
                531,
                span,
                format!("`{}` is not a place or a query", local.name),
            );
            return None;
        };
        let [arg] = args else {
            self.error(
                527,
                span,
                format!("`{}` takes one argument: a row", local.name),
            );
            return None;
        };
        let index = self.expect(arg, scope, &Ty::Row(table))?;
        let kind = Kind::LocalAt {
            base: local.register,
            len: local.len,
            index: Box::new(index),
        };
        Some((Ex { kind, span }, Ty::Int))
    }

    fn indices(
        &mut self,
        name: &str,
        index: &[(Ty, u32)],
        args: &[Expr],
        span: Span,
        scope: &mut Scope,
    ) -> Option<Vec<(Ex, u32)>> {
        if args.len() != index.len() {
            let wants = index.len();
            self.error(
                527,
                span,
                format!("`{name}` takes {wants} arguments, not {}", args.len()),
            );
            return None;
        }
        let mut out = Vec::new();
        for (i, (arg, (ty, _))) in args.iter().zip(index).enumerate() {
            let stride = index[i + 1..].iter().map(|(_, n)| n).product();
            out.push((self.expect(arg, scope, ty)?, stride));
        }
        Some(out)
    }

    /// The cells of a place, counter or marker that an expression names; its declaration.
    pub(super) fn site_ref(&mut self, e: &Expr, scope: &mut Scope) -> Option<(Site, Addr)> {
        let (name, args): (Name, Vec<Expr>) = match &e.kind {
            ExprKind::Name(n) => (
                Name {
                    node: n.clone(),
                    span: e.span,
                },
                Vec::new(),
            ),
            ExprKind::Call { name, args } => (name.clone(), args.clone()),
            ExprKind::Dot { base, name, args } => {
                let mut all = vec![(**base).clone()];
                all.extend(args.clone().unwrap_or_default());
                (name.clone(), all)
            }
            _ => {
                self.error(532, e.span, "a place, counter or marker is needed here");
                return None;
            }
        };
        let local = scope
            .vars
            .iter()
            .rev()
            .find(|v| *v.name == *name.node)
            .cloned();
        if let Some(var) = local {
            let index = self.indices(&name.node, &var.index, &args, e.span, scope)?;
            // A variable of a phase behaves like a marker that only the phase sees.
            return Some((
                Site::Marker(usize::MAX),
                Addr {
                    base: var.base,
                    index,
                },
            ));
        }
        let Some(&site) = self.sites.get(&name.node) else {
            let help = similar(&name.node, self.sites.keys().map(String::as_str));
            self.error(
                532,
                name.span,
                format!("no place, counter or marker is called `{}`", name.node),
            )
            .help = help;
            return None;
        };
        let (index, base, width) = match site {
            Site::Place(i) => {
                let p = &self.model.places[i];
                (p.index.clone(), p.base, p.width)
            }
            Site::Counter(i) => (
                self.model.counters[i].index.clone(),
                self.model.counters[i].base,
                1,
            ),
            Site::Marker(i) => (
                self.model.markers[i].index.clone(),
                self.model.markers[i].base,
                1,
            ),
        };
        let mut indices = self.indices(&name.node, &index, &args, e.span, scope)?;
        for (_, stride) in &mut indices {
            *stride *= width;
        }
        Some((
            site,
            Addr {
                base,
                index: indices,
            },
        ))
    }

    /// A place, counter or marker as a value: a count of a row, a number, what it points at.
    fn site_value(
        &mut self,
        site: Site,
        name: &Name,
        args: &[Expr],
        span: Span,
        scope: &mut Scope,
    ) -> Option<(Ex, Ty)> {
        match site {
            Site::Place(i) => {
                let (wants, table, pile) = {
                    let p = &self.model.places[i];
                    (p.index.len(), p.table, p.pile)
                };
                if args.len() == wants {
                    self.error(
                        533,
                        span,
                        format!("`{}` is a place, not a value", name.node),
                    )
                    .help = Some(format!(
                        "ask how many lie there: `size({})`, or how many of a kind: one more argument",
                        self.site_text(name, args)
                    ));
                    return None;
                }
                if args.len() != wants + 1 {
                    let message = format!(
                        "`{}` takes {wants} arguments, and a row to count it",
                        name.node
                    );
                    self.error(527, span, message);
                    return None;
                }
                if pile {
                    self.error(
                        534,
                        span,
                        format!(
                            "`{}` is a pile: what lies in it is not counted by kind",
                            name.node
                        ),
                    );
                    return None;
                }
                let row = self.expect(&args[wants], scope, &Ty::Row(table))?;
                let place = Expr {
                    kind: ExprKind::Call {
                        name: name.clone(),
                        args: args[..wants].to_vec(),
                    },
                    span,
                };
                let (_, mut addr) = self.site_ref(&place, scope)?;
                addr.index.push((row, 1));
                Some((
                    Ex {
                        kind: Kind::Load(addr),
                        span,
                    },
                    Ty::Int,
                ))
            }
            Site::Counter(_) | Site::Marker(_) => {
                let place = Expr {
                    kind: ExprKind::Call {
                        name: name.clone(),
                        args: args.to_vec(),
                    },
                    span,
                };
                let (site, addr) = self.site_ref(&place, scope)?;
                let ty = match site {
                    Site::Marker(i) => self.model.markers[i].ty.clone(),
                    _ => Ty::Int,
                };
                Some((
                    Ex {
                        kind: Kind::Load(addr),
                        span,
                    },
                    ty,
                ))
            }
        }
    }

    fn site_text(&self, name: &Name, args: &[Expr]) -> String {
        if args.is_empty() {
            name.node.clone()
        } else {
            format!("{}(…)", name.node)
        }
    }

    fn column(
        &mut self,
        name: &Name,
        args: &[Expr],
        span: Span,
        scope: &mut Scope,
    ) -> Option<(Ex, Ty)> {
        let [arg] = args else {
            self.error(
                527,
                span,
                format!("`{}` is a column: it takes one row", name.node),
            );
            return None;
        };
        let (row, ty) = self.expr(arg, scope)?;
        let Ty::Row(table) = ty else {
            let is = self.ty_name(&ty);
            self.error(
                535,
                arg.span,
                format!("`{}` is a column of a table, but this is {is}", name.node),
            );
            return None;
        };
        let Some(column) = self
            .model
            .columns
            .iter()
            .position(|c| c.table == table && *c.name == *name.node)
        else {
            let plural = self.model.tables[table].plural.clone();
            let owned = self
                .model
                .columns
                .iter()
                .filter(|c| c.table == table)
                .map(|c| &*c.name);
            let help = similar(&name.node, owned);
            self.error(
                536,
                name.span,
                format!("the table `{plural}` has no column `{}`", name.node),
            )
            .help = help;
            return None;
        };
        let ty = self.model.columns[column].ty.clone();
        let kind = match row.kind {
            Kind::Const(r) => Kind::Const(self.model.columns[column].values[r as usize]),
            _ => Kind::Column {
                column,
                row: Box::new(row),
            },
        };
        Some((Ex { kind, span }, ty))
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
            "size" | "next" | "score" => 1,
            "min" | "max" | "position" => 2,
            _ => return None,
        };
        if args.len() != arity {
            self.error(
                527,
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
                Some((
                    Ex {
                        kind: Kind::Binary(op, Box::new(a), Box::new(b)),
                        span,
                    },
                    Ty::Int,
                ))
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
            "score" => (|| {
                let p = self.expect(&args[0], scope, &Ty::Player)?;
                let total = self.model.names.get("score").copied()?;
                Some((
                    Ex {
                        kind: Kind::Call(total, vec![p]),
                        span,
                    },
                    Ty::Int,
                ))
            })(),
            _ => self.size(&args[0], span, scope),
        })
    }

    fn size(&mut self, arg: &Expr, span: Span, scope: &mut Scope) -> Option<(Ex, Ty)> {
        if let ExprKind::Name(name) = &arg.kind
            && let Some(local) = scope.locals.iter().rev().find(|l| l.name == *name)
        {
            local.used.set(true);
            if matches!(local.ty, Ty::Bag(_) | Ty::Spread) {
                let kind = Kind::SumLocals {
                    base: local.register,
                    len: local.len,
                };
                return Some((Ex { kind, span }, Ty::Int));
            }
        }
        let (site, addr) = self.site_ref(arg, scope)?;
        let Site::Place(i) = site else {
            self.error(
                537,
                arg.span,
                "only a place or an open parameter has a size",
            );
            return None;
        };
        let place = &self.model.places[i];
        let kind = if place.pile || place.width == 1 {
            Kind::Load(addr)
        } else {
            Kind::SumCells {
                addr,
                len: place.width,
            }
        };
        Some((Ex { kind, span }, Ty::Int))
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
                let a = self.expect(a, scope, &Ty::Bool);
                let b = self.expect(b, scope, &Ty::Bool);
                let (a, b) = (Box::new(a?), Box::new(b?));
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
                Some((
                    Ex {
                        kind: Kind::Binary(op, Box::new(a), Box::new(b)),
                        span,
                    },
                    ty,
                ))
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
            self.error(538, span, format!("{left} is never {right}"))
                .help = Some("both sides must be of one kind".to_owned());
            return None;
        }
        let op = if negated { Op2::Ne } else { Op2::Eq };
        Some((
            Ex {
                kind: Kind::Binary(op, Box::new(a_ex), Box::new(b_ex)),
                span,
            },
            Ty::Bool,
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
                    Domain::Upto(self.model.tables[table].rows.len() as u32),
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
                    ExprKind::Name(name) => similar(name, names.iter().copied()),
                    _ => None,
                };
                let list = names
                    .iter()
                    .map(|n| format!("`{n}`"))
                    .collect::<Vec<_>>()
                    .join(", ");
                let help = help.unwrap_or_else(|| format!("sets are {list}, and ranges `1 to 4`"));
                self.report(Diagnostic::error(539, e.span, "this is not a set").help(help));
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
        let filter = match filter {
            Some(f) => Some(self.expect(f, scope, &Ty::Bool)),
            None => None,
        };
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
                    540,
                    span,
                    "this needs `: …` at its end: what is looked at for each",
                );
                Some(None)
            }
            (None, Some(b)) => {
                self.error(
                    541,
                    b.span,
                    "`count` and `first` take a condition after `where`, nothing after `:`",
                );
                Some(None)
            }
            (None, None) => None,
        };
        let unused = scope
            .locals
            .iter()
            .skip(depth)
            .any(|l| l.name == var.node && !l.used.get());
        scope.locals.truncate(depth);
        if unused {
            self.report(Diagnostic::warning(
                802,
                var.span,
                format!("`{}` is not used", var.node),
            ));
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
            Ex {
                kind: Kind::Aggregate {
                    op,
                    var: register,
                    acc,
                    domain,
                    filter,
                    body,
                },
                span,
            },
            ty,
        ))
    }

    fn possible(
        &mut self,
        path: &crate::syntax::ast::Path,
        span: Span,
        scope: &mut Scope,
    ) -> Option<(Ex, Ty)> {
        if !scope.in_move {
            self.error(
                542,
                span,
                "`possible(…)` asks about another move of the same question",
            )
            .help = Some("it stands in a move's `needs`".to_owned());
            return None;
        }
        let wanted = path_text(path);
        // Moves of the question under construction are numbered from here on.
        let found = self.model.moves.iter().rposition(|m| *m.name == *wanted);
        let Some(mv) = found else {
            let names: Vec<String> = self
                .model
                .moves
                .iter()
                .map(|m| m.name.to_string())
                .collect();
            let help = similar(&wanted, names.iter().map(String::as_str)).unwrap_or_else(|| {
                "name a move that stands above this one in the same question".to_owned()
            });
            self.report(
                Diagnostic::error(543, path.span, format!("no move `{wanted}` above this one"))
                    .help(help),
            );
            return None;
        };
        let seat = Ex {
            kind: Kind::Local(0),
            span,
        };
        Some((
            Ex {
                kind: Kind::Possible {
                    mv,
                    seat: Box::new(seat),
                },
                span,
            },
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
            .map(|(verb, args, ty)| {
                (
                    Ex {
                        kind: Kind::Verb(verb, args),
                        span,
                    },
                    ty,
                )
            })
    }
}

/// Whether a value of the first type can stand where the second is wanted.
pub(super) fn fits(ty: &Ty, want: &Ty) -> bool {
    match (ty, want) {
        (a, b) if a == b => true,
        (Ty::None, Ty::Option(_)) => true,
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
