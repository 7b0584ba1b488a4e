//! Moves: parameters and their domains, conditions, effects, and what other rules extend them by.

use super::ir::{Addr, Ex, FuncId, Kind, Op2, Ty};
use super::model::*;
use super::visit::visit;
use super::{
    Bound, Checker, Group, LocalVar, MoveContext, PendingMove, Scope, Site, and, binary, constant,
    either, id, not, path_text,
};
use crate::diagnostic::{Diagnostic, did_you_mean};
use crate::source::Span;
use crate::syntax::ast::{self, MoveDomain, SpreadIndex};

/// Most registers of the parameters of one move.
const REGISTERS_OF_A_MOVE: u16 = 800;

impl<'a> Checker<'a> {
    /// The names that a move's rules may use: the asked seat, the phase around, its parameters.
    fn move_scope(&self, around: &MoveContext, bound: Option<&Bound>) -> Scope {
        let mut scope = Scope {
            vars: around.vars.clone(),
            phase: around.phase,
            in_move: true,
            next: 1,
            ..Scope::default()
        };
        let owner = bound.and_then(|b| b.owner.as_ref()).map(|o| o.node.clone());
        for name in around.alias.iter().chain(&owner) {
            scope.locals.push(LocalVar {
                name: name.clone(),
                register: 0,
                ty: Ty::Player,
                len: 1,
                used: super::used(),
            });
        }
        scope
    }

    /// Gives a move its number and its address; it is built when everything that extends it is known.
    pub(super) fn declare_move(
        &mut self,
        decl: &'a ast::MoveDecl,
        asks: &[usize],
        step: &str,
        around: MoveContext,
        bound: Option<&Bound>,
    ) {
        let address = format!("{step}.{}", decl.name.node);
        for &ask in asks {
            let step = &self.model.asks[ask].step;
            if self.model.asks[ask]
                .moves
                .iter()
                .any(|m| *self.model.moves[*m].name == *decl.name.node)
            {
                let message = format!("two moves of `{step}` are called `{}`", decl.name.node);
                self.error(575, decl.name.span, message);
                return;
            }
        }
        let mv = self.model.moves.len();
        for &ask in asks {
            self.model.asks[ask].moves.push(mv);
        }
        self.model.moves.push(MoveModel {
            name: id(&decl.name.node),
            address: id(&address),
            free: decl.free,
            params: Vec::new(),
            needs: Vec::new(),
            effects: Vec::new(),
            closes: false,
            bounded: None,
            goes_on: None,
            once: None,
            cite: None,
            registers: 1,
            any_time: false,
            under: None,
            span: decl.span,
        });
        self.pending.push(Some(PendingMove {
            decl,
            around,
            bound: bound.cloned(),
            extensions: Vec::new(),
            forbidden: Vec::new(),
            when: None,
            group: None,
        }));
    }

    /// Builds every move with what extends it, in the order in which they were declared.
    pub(super) fn build_moves(&mut self) {
        for (mv, pending) in std::mem::take(&mut self.pending).into_iter().enumerate() {
            self.building = Some(mv);
            if let Some(pending) = pending {
                self.build_move(mv, &pending);
            }
        }
        self.building = None;
    }

    fn build_move(&mut self, mv: usize, pending: &PendingMove<'a>) {
        let decl = pending.decl;
        let bound = pending.bound.as_ref();
        let address = self.model.moves[mv].address.to_string();
        if !decl.ensures.is_empty() {
            self.not_playable(decl.span, "`ensures`");
        }
        // The move's own names first, then those of each extension.
        let mut scopes = vec![self.move_scope(&pending.around, bound)];
        let (mut offered, mut guards) = (vec![None], vec![None]);
        for extension in &pending.extensions {
            let bound = extension.bound.as_ref();
            scopes.push(self.move_scope(&pending.around, bound));
            let guard = self.extension_guard(extension, &pending.around);
            let (now, before) = guard.unzip();
            offered.push(now);
            guards.push(before);
        }
        let mut params = Vec::new();
        let mut owners = Vec::new();
        let mut such_that = Vec::new();
        for (owner, param) in self.ordered_params(pending) {
            let at = scopes[0].next;
            let before = self.diagnostics.list.len();
            let guard = offered[owner].clone();
            let scope = &mut scopes[owner];
            if scope.locals.iter().any(|l| l.name == param.name.node)
                || params
                    .iter()
                    .any(|p: &ParamModel| *p.name == *param.name.node)
            {
                let name = &param.name.node;
                self.error(
                    585,
                    param.name.span,
                    format!("`{address}` has a parameter `{name}` already"),
                );
                continue;
            }
            let Some((mut built, conditions)) = self.move_param(param, scope, &address, guard)
            else {
                debug_assert!(self.diagnostics.list.len() > before);
                continue;
            };
            if let Some(extension) = owner.checked_sub(1).map(|e| &pending.extensions[e]) {
                built.cite = self.extension_cite(extension);
            }
            let local = scopes[owner].locals.last().cloned();
            let next = scopes[owner].next;
            for (other, scope) in scopes.iter_mut().enumerate() {
                scope.next = next;
                if owner == 0 && other != 0 {
                    scope.locals.extend(local.clone());
                }
            }
            such_that.extend(conditions.into_iter().map(|c| (owner, c)));
            debug_assert_eq!(built.register, at);
            owners.push(owner);
            params.push(built);
        }
        let registers = scopes[0].next;
        if registers > REGISTERS_OF_A_MOVE {
            let message = format!("`{address}` has too many things to choose from at once");
            self.error(599, decl.span, message).help = Some(format!(
                "bags have a place for each row, spreads for each row in each place; together at most {REGISTERS_OF_A_MOVE}"
            ));
            return;
        }
        let mut needs = Vec::new();
        if let Some(bound) = bound
            && let Some(ex) = self.bound_condition(bound, &mut scopes[0].clone())
        {
            let cite = self.cite(&bound.cite);
            let f = self.function(
                format!("{address}.when"),
                registers,
                &scopes[0],
                Vec::new(),
                Some(ex),
                bound.name.span,
            );
            needs.push(NeedModel {
                condition: f,
                after: 0,
                open: false,
                hidden: false,
                cite,
                span: bound.name.span,
            });
        }
        let group = match &pending.group {
            Some(Group::Where(e)) => self.expect(e, &mut scopes[0].clone(), &Ty::Bool),
            Some(Group::Seat(e)) => {
                self.expect(e, &mut scopes[0].clone(), &Ty::Player)
                    .map(|seat| {
                        let span = seat.span;
                        let asked = Ex {
                            kind: Kind::Local(0),
                            span,
                        };
                        binary(Op2::Eq, asked, seat)
                    })
            }
            None => None,
        };
        if let Some(ex) = group {
            let span = ex.span;
            let condition = self.function(
                format!("{address}.for"),
                registers,
                &scopes[0],
                Vec::new(),
                Some(ex),
                span,
            );
            needs.push(NeedModel {
                condition,
                after: 0,
                open: false,
                hidden: false,
                cite: None,
                span,
            });
        }
        if let Some(when) = pending.when {
            let need = ast::Need {
                condition: when.clone(),
                reveals: false,
                secretly: false,
                cite: None,
                span: when.span,
            };
            needs.extend(self.need(&need, &scopes[0], None, &address));
        }
        for need in &decl.needs {
            needs.extend(self.need(need, &scopes[0], None, &address));
        }
        for (owner, condition) in such_that {
            let need = ast::Need {
                span: condition.span,
                condition,
                reveals: false,
                secretly: false,
                cite: None,
            };
            needs.extend(self.need(&need, &scopes[owner], None, &address));
        }
        for contributed in &pending.forbidden {
            needs.extend(self.forbidden(contributed, &scopes[0], &pending.around, &address));
        }
        let mut effects = Vec::new();
        if let Some(script) = &decl.effect {
            let mut scope = scopes[0].clone();
            let body = self.script(script, &mut scope);
            let effect = self.function(address.clone(), registers, &scope, body, None, script.span);
            effects.push(MoveEffect { when: None, effect });
        }
        let mut extras = Vec::new();
        for (e, extension) in pending.extensions.iter().enumerate() {
            let scope = scopes[e + 1].clone();
            let guard = guards[e + 1].clone();
            for need in &extension.item.needs {
                needs.extend(self.need(need, &scope, guard.as_ref(), &address));
            }
            let own: Vec<&ParamModel> = params
                .iter()
                .zip(&owners)
                .filter(|(_, owner)| **owner == e + 1)
                .map(|(p, _)| p)
                .collect();
            effects.extend(self.extension_effect(
                extension,
                &scope,
                &own,
                guard.as_ref(),
                &address,
            ));
            extras.extend(self.extension_extras(extension, &scope, &own, guard.as_ref()));
        }
        // One memory for a move that stands in several questions.
        let once = match (self.memories.get(&decl.span), &decl.once) {
            (Some(once), _) => Some(*once),
            (None, Some(path)) => self.once(path, true),
            (None, None) => None,
        };
        if let Some(once) = once {
            self.memories.insert(decl.span, once);
        }
        let once = once.map(|(base, phase)| (base, Some(phase)));
        let cite = self
            .cite(&decl.cite)
            .or_else(|| bound.and_then(|b| self.cite(&b.cite)));
        for local in scopes[0].locals.iter().filter(|l| !l.used.get()) {
            let span = decl
                .params
                .iter()
                .find(|p| p.name.node == local.name)
                .map_or(decl.span, |p| p.name.span);
            self.diagnostics.push(Diagnostic::warning(
                802,
                span,
                format!("`{}` is not used", local.name),
            ));
        }
        let closes = decl.closes.is_some();
        let window = self
            .model
            .asks
            .iter()
            .filter(|a| a.moves.contains(&mv))
            .find_map(|a| a.several.clone());
        let any_time = self.model.moves[mv].any_time;
        let bounded = match window {
            Some(several) if !closes && !any_time => {
                several.most.map(|most| (several.changes, most))
            }
            _ => None,
        };
        let goes_on = match &decl.closes {
            Some(Some((path, args))) => self.goes_on(path, args, &scopes[0], &address),
            _ => None,
        };
        let model = &mut self.model.moves[mv];
        model.closes = closes;
        model.bounded = bounded;
        model.goes_on = goes_on;
        model.params = params;
        model.needs = needs;
        model.effects = effects;
        model.once = once;
        model.cite = cite;
        model.registers = registers;
        self.contribute_to_move(mv, &extras);
        self.order_of_judging(mv);
    }

    /// `closes -> fulfil(deal)`
    fn goes_on(
        &mut self,
        path: &ast::Path,
        args: &[ast::Expr],
        scope: &Scope,
        address: &str,
    ) -> Option<(usize, Vec<FuncId>)> {
        let name = path_text(path);
        let Some(&phase) = self.phases.get(&name) else {
            let help = did_you_mean(&name, self.phases.keys().map(String::as_str));
            self.error(512, path.span, format!("no phase is called `{name}`"))
                .help = help;
            return None;
        };
        let args = self.phase_args(phase, args, scope, address, path.span)?;
        Some((phase, args))
    }

    /// Parameters in the order in which they are chosen, each with what brings it: 0 is the move itself.
    fn ordered_params(&mut self, pending: &PendingMove<'a>) -> Vec<(usize, &'a ast::MoveParam)> {
        let mut ordered: Vec<(usize, &'a ast::MoveParam)> =
            pending.decl.params.iter().map(|p| (0, p)).collect();
        for (e, extension) in pending.extensions.iter().enumerate() {
            let new = extension.item.params.iter().map(|p| (e + 1, p));
            let at = match &extension.item.before {
                None => ordered.len(),
                Some(before) => {
                    match ordered.iter().position(|(_, p)| p.name.node == before.node) {
                        Some(at) => at,
                        None => {
                            let names = pending.decl.params.iter().map(|p| p.name.node.as_str());
                            let help = did_you_mean(&before.node, names);
                            let message = format!("the move has no parameter `{}`", before.node);
                            self.error(584, before.span, message).help = help;
                            ordered.len()
                        }
                    }
                }
            };
            ordered.splice(at..at, new);
        }
        ordered
    }

    /// When each condition can be judged, and which open parameters must be tried one by one.
    fn order_of_judging(&mut self, mv: usize) {
        let params = self.model.moves[mv].params.clone();
        let reads = |c: &Self, function: FuncId, param: &ParamModel| {
            let f = &c.model.functions[function.0 as usize];
            let end = f.params;
            let mut reads = false;
            if let Some(result) = &f.result {
                visit(result, &mut |e| {
                    reads |= registers_of(e).is_some_and(|(r, len)| {
                        r < end && r < param.register + param.len && param.register < r + len
                    });
                });
            }
            reads
        };
        let mut needs = std::mem::take(&mut self.model.moves[mv].needs);
        let mut read = vec![false; params.len()];
        for need in &mut needs {
            need.after = 0;
            need.open = false;
            for (i, param) in params.iter().enumerate() {
                if reads(self, need.condition, param) {
                    need.after = i + 1;
                    need.open |= param.is_open();
                    read[i] |= param.is_open();
                }
            }
        }
        self.model.moves[mv].needs = needs;
        for (later, param) in params.iter().enumerate() {
            let mut functions = functions_of(param);
            if let DomainModel::Spread(s) = param.domain {
                let rooms = self.model.spreads[s].targets.iter().flat_map(|t| t.room);
                functions.extend(rooms);
            }
            for function in functions {
                for (i, earlier) in params[..later].iter().enumerate() {
                    if !earlier.is_open() || !reads(self, function, earlier) {
                        continue;
                    }
                    if !param.is_open() {
                        let span = self.model.functions[function.0 as usize].span;
                        let message = format!(
                            "`{}` depends on `{}`, which is a choice of many things",
                            param.name, earlier.name
                        );
                        self.error(586, span, message).help = Some(format!(
                            "choose `{}` first, or make it depend on something else",
                            param.name
                        ));
                    }
                    read[i] = true;
                }
            }
        }
        for (param, read) in self.model.moves[mv].params.iter_mut().zip(read) {
            param.read = read;
        }
    }

    /// The memory of `once per phase`: cells that the phase resets.
    pub(super) fn once(&mut self, path: &ast::Path, by_seat: bool) -> Option<(u32, usize)> {
        let name = path_text(path);
        let Some(&phase) = self.phases.get(&name) else {
            let help = did_you_mean(&name, self.phases.keys().map(String::as_str));
            self.error(512, path.span, format!("no phase is called `{name}`"))
                .help = help.or_else(|| Some("`once per` is followed by a phase".to_owned()));
            return None;
        };
        let len = if by_seat {
            u32::from(self.model.players)
        } else {
            1
        };
        let base = self.allocate(len);
        self.model.phases[phase].resets.push((base, len, 0));
        Some((base, phase))
    }

    /// A condition; with a guard it must hold only if the guard does.
    fn need(
        &mut self,
        need: &ast::Need,
        scope: &Scope,
        guard: Option<&Ex>,
        address: &str,
    ) -> Option<NeedModel> {
        let mut inner = scope.clone();
        let ex = self.expect(&need.condition, &mut inner, &Ty::Bool);
        let cite = self.cite(&need.cite);
        let mut ex = ex?;
        if let Some(guard) = guard {
            ex = either(not(guard.clone()), ex);
        }
        let f = self.function(
            format!("{address}.needs"),
            scope.next,
            &inner,
            Vec::new(),
            Some(ex),
            need.condition.span,
        );
        Some(NeedModel {
            condition: f,
            after: 0,
            open: false,
            hidden: false,
            cite,
            span: need.condition.span,
        })
    }

    fn move_param(
        &mut self,
        param: &ast::MoveParam,
        scope: &mut Scope,
        address: &str,
        condition: Option<Ex>,
    ) -> Option<(ParamModel, Vec<ast::Expr>)> {
        let name = param.name.node.as_str();
        let mut when_scope = scope.clone();
        let mut when = condition;
        if let Some(e) = &param.when {
            let ex = self.expect(e, &mut when_scope, &Ty::Bool)?;
            when = Some(and(when, ex));
        }
        let registers = scope.next;
        let when = when.map(|ex| {
            self.function(
                format!("{address}.{name}.when"),
                registers,
                &when_scope,
                Vec::new(),
                Some(ex),
                param.span,
            )
        });
        let shown = match &param.shown {
            Some(e) => Some(self.expression_function(
                format!("{address}.{name}.shown"),
                e,
                scope,
                &Ty::Player,
            )?),
            None => None,
        };
        let mut such_that = Vec::new();
        let (ty, domain, len) = match &param.domain {
            MoveDomain::Type(ty) => {
                let span = param.span;
                let ty = self.ty(ty)?;
                if let Ty::Option(inner) = &ty
                    && let Some(size) = self.domain_size(inner)
                {
                    let register = scope.window(name, ty.clone(), 1);
                    let built = ParamModel {
                        name: id(name),
                        ty,
                        register,
                        len: 1,
                        domain: DomainModel::OptionUpto(size),
                        when,
                        read: false,
                        cite: None,
                        audience: audience(param),
                        shown,
                        hidden: false,
                    };
                    return Some((built, such_that));
                }
                let Some(size) = self.domain_size(&ty) else {
                    self.error(
                        576,
                        span,
                        format!("`{name}` has too many values to choose from"),
                    )
                    .help = Some("say a range: `n: 1 to 3`".to_owned());
                    return None;
                };
                (ty, DomainModel::Upto(size), 1)
            }
            MoveDomain::Range(from, to) => {
                let from = self.expression_function(
                    format!("{address}.{name}.from"),
                    from,
                    scope,
                    &Ty::Int,
                )?;
                let to =
                    self.expression_function(format!("{address}.{name}.to"), to, scope, &Ty::Int)?;
                (Ty::Int, DomainModel::Range(from, to), 1)
            }
            MoveDomain::BagOf { place, limits } | MoveDomain::SetOf { place, limits } => {
                such_that.extend(limits.iter().filter_map(|limit| match limit {
                    ast::BagLimit::SuchThat(e) => Some(e.clone()),
                    _ => None,
                }));
                let (ty, mut domain, len) = self.bag(place, limits, scope, address, name)?;
                if let (MoveDomain::SetOf { .. }, DomainModel::Bag { different, .. }) =
                    (&param.domain, &mut domain)
                {
                    *different = true;
                }
                (ty, domain, len)
            }
            MoveDomain::Spread {
                pieces,
                over,
                overflow,
            } => self.spread(pieces, over, overflow, scope, address, name, param.span)?,
            #[allow(unreachable_patterns, reason = "the tree grows before the engine does")]
            _ => {
                self.not_playable(param.span, "this kind of parameter");
                return None;
            }
        };
        let register = scope.window(name, ty.clone(), len);
        let built = ParamModel {
            name: id(name),
            ty,
            register,
            len,
            domain,
            when,
            read: false,
            cite: None,
            audience: audience(param),
            shown,
            hidden: false,
        };
        Some((built, such_that))
    }

    fn cells_function(&mut self, name: String, addr: Addr, scope: &Scope, span: Span) -> FuncId {
        let ex = address_value(addr, span);
        self.function(name, scope.next, scope, Vec::new(), Some(ex), span)
    }

    /// What a bag is chosen from: a place, or a query with one more parameter.
    fn bag_source(
        &mut self,
        place: &ast::Expr,
        scope: &Scope,
        address: &str,
    ) -> Option<(usize, BagSource, bool)> {
        let mut inner = scope.clone();
        let (called, args) = match &place.kind {
            ast::ExprKind::Name(name) => (name.clone(), Vec::new()),
            ast::ExprKind::Call { name, args } => (name.node.clone(), args.clone()),
            ast::ExprKind::Dot { base, name, args } => match &base.kind {
                ast::ExprKind::Name(phase) if self.phases.contains_key(phase) => (
                    format!("{phase}.{}", name.node),
                    args.clone().unwrap_or_default(),
                ),
                _ => (String::new(), Vec::new()),
            },
            _ => (String::new(), Vec::new()),
        };
        let callable = self.query(&called, scope).cloned();
        if let Some(callable) = callable
            && !self.sites.contains_key(&called)
        {
            let table = match callable.params.last() {
                Some(Ty::Row(table))
                    if callable.ty == Ty::Int && callable.params.len() == args.len() + 1 =>
                {
                    *table
                }
                _ => {
                    self.report(
                        Diagnostic::error(
                            587,
                            place.span,
                            format!("`{called}` does not count rows of a table here"),
                        )
                        .also(callable.span, "declared here")
                        .help("a bag is chosen from a place, or from a query that gives a number and has one more parameter, a row"),
                    );
                    return None;
                }
            };
            let each = inner.fresh();
            let mut values = Vec::new();
            for (arg, ty) in args.iter().zip(&callable.params) {
                values.push(self.expect(arg, &mut inner, ty)?);
            }
            values.push(Ex {
                kind: Kind::Local(each),
                span: place.span,
            });
            let ex = Ex {
                kind: Kind::Call(callable.func, values),
                span: place.span,
            };
            let counts = self.function(
                format!("{address}.of"),
                each + 1,
                &inner,
                Vec::new(),
                Some(ex),
                place.span,
            );
            return Some((table, BagSource::Counts(counts), false));
        }
        let (site, addr) = self.site_ref(place, &mut inner)?;
        if let Some((var, args)) = self.variable(place, scope)
            && let Some(table) = var.bag
            && args.len() + 1 == var.index.len()
        {
            let ex = address_value(addr, place.span);
            let cells = self.function(
                format!("{address}.of"),
                scope.next,
                &inner,
                Vec::new(),
                Some(ex),
                place.span,
            );
            return Some((table, BagSource::Cells(cells), false));
        }
        let Site::Place(index) = site else {
            self.error(
                552,
                place.span,
                "a place is needed here, not a counter or marker",
            );
            return None;
        };
        if self.model.places[index].pile {
            self.error(554, place.span, "pieces of a pile have an order");
            return None;
        }
        let (table, endless) = {
            let place = &self.model.places[index];
            (place.table, place.endless)
        };
        let ex = address_value(addr, place.span);
        let cells = self.function(
            format!("{address}.of"),
            scope.next,
            &inner,
            Vec::new(),
            Some(ex),
            place.span,
        );
        Some((table, BagSource::Cells(cells), endless))
    }

    fn bag(
        &mut self,
        place: &ast::Expr,
        limits: &[ast::BagLimit],
        scope: &Scope,
        address: &str,
        name: &str,
    ) -> Option<(Ty, DomainModel, u16)> {
        let (table, source, endless) =
            self.bag_source(place, scope, &format!("{address}.{name}"))?;
        let (mut least, mut most, mut loose_beyond, mut kinds) = (None, None, None, None);
        let (mut different, mut without) = (false, None);
        for limit in limits {
            let number = |c: &mut Self, e: &ast::Expr| {
                c.expression_function(format!("{address}.{name}.limit"), e, scope, &Ty::Int)
            };
            match limit {
                ast::BagLimit::AtLeast(e) => least = number(self, e),
                ast::BagLimit::AtMost(e) => most = number(self, e),
                ast::BagLimit::Exactly(e) => {
                    least = number(self, e);
                    most = least;
                }
                ast::BagLimit::Kinds(e) => kinds = number(self, e),
                ast::BagLimit::LooseBeyond { loose, kinds } => {
                    loose_beyond = number(self, loose).zip(number(self, kinds));
                }
                ast::BagLimit::AllDifferent => different = true,
                ast::BagLimit::Without(e) => {
                    without = self.expression_function(
                        format!("{address}.{name}.without"),
                        e,
                        scope,
                        &Ty::Option(Box::new(Ty::Row(table))),
                    );
                }
                // Judged as a condition of the move.
                ast::BagLimit::SuchThat(_) => {}
            }
        }
        if endless && most.is_none() && !different {
            self.error(583, place.span, "without a limit this choice has no end")
                .help = Some("say `at most …`, `exactly …` or `all different`".to_owned());
        }
        let rows = self.model.tables[table].rows.len() as u16;
        let domain = DomainModel::Bag {
            table,
            source,
            least,
            most,
            loose_beyond,
            kinds,
            different,
            without,
        };
        Some((Ty::Bag(table), domain, rows))
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of one sentence")]
    fn spread(
        &mut self,
        pieces: &ast::Name,
        over: &[ast::SpreadTarget],
        overflow: &ast::Expr,
        scope: &Scope,
        address: &str,
        name: &str,
        span: Span,
    ) -> Option<(Ty, DomainModel, u16)> {
        let Some(&table) = self.tables.get(&pieces.node) else {
            let help = did_you_mean(&pieces.node, self.tables.keys().map(String::as_str));
            self.error(
                507,
                pieces.span,
                format!("no table is called `{}`", pieces.node),
            )
            .help = help;
            return None;
        };
        let mut targets = Vec::new();
        let mut instances = 0;
        for target in over {
            let built = self.spread_target(target, table, scope, address, name)?;
            instances += built.offsets.len() as u32;
            targets.push(built);
        }
        let mut inner = scope.clone();
        let (site, addr) = self.site_ref(overflow, &mut inner)?;
        let Site::Place(overflow_place) = site else {
            self.error(
                552,
                overflow.span,
                "a place is needed here, not a counter or marker",
            );
            return None;
        };
        let overflow =
            self.cells_function(format!("{address}.{name}.overflow"), addr, &inner, span);
        let rows = self.model.tables[table].rows.len() as u32;
        self.model.spreads.push(SpreadModel {
            table,
            targets,
            overflow,
            overflow_place,
            instances,
        });
        let spread = self.model.spreads.len() - 1;
        let domain = DomainModel::Spread(spread);
        self.spreads.insert((self.building, scope.next), spread);
        let cells = (instances * rows).min(u32::from(REGISTERS_OF_A_MOVE) + 1);
        Some((Ty::Spread, domain, cells as u16))
    }

    fn spread_target(
        &mut self,
        target: &ast::SpreadTarget,
        table: usize,
        scope: &Scope,
        address: &str,
        name: &str,
    ) -> Option<SpreadTargetModel> {
        let Some(Site::Place(place)) = self.sites.get(&target.place.node).copied() else {
            let help = did_you_mean(&target.place.node, self.sites.keys().map(String::as_str));
            self.error(
                532,
                target.place.span,
                format!("no place is called `{}`", target.place.node),
            )
            .help = help;
            return None;
        };
        let model = self.model.places[place].clone();
        if model.table != table || model.pile || model.endless {
            self.error(
                577,
                target.span,
                format!("`{}` does not hold such pieces by count", model.name),
            );
            return None;
        }
        if model.index.len() != target.index.len() {
            let wants = model.index.len();
            self.error(
                527,
                target.span,
                format!(
                    "`{}` takes {wants} arguments, not {}",
                    model.name,
                    target.index.len()
                ),
            );
            return None;
        }
        let mut inner = scope.clone();
        let mut fixed = Vec::new();
        let mut offsets = vec![0u32];
        let mut room_args: Vec<Option<Ex>> = Vec::new();
        let mut running = 0;
        for (i, (index, (ty, size))) in target.index.iter().zip(&model.index).enumerate() {
            let stride = model.index[i + 1..].iter().map(|(_, n)| n).product::<u32>() * model.width;
            match index {
                SpreadIndex::One(e) => {
                    let ex = self.expect(e, &mut inner, ty)?;
                    room_args.push(Some(ex.clone()));
                    fixed.push((ex, stride));
                }
                SpreadIndex::Each(each) => {
                    if self.tables.get(&each.node).map(|t| Ty::Row(*t)).as_ref() != Some(ty) {
                        let wants = self.ty_name(ty);
                        self.error(578, each.span, format!("this index is {wants}"));
                        return None;
                    }
                    running += 1;
                    room_args.push(None);
                    offsets = offsets
                        .iter()
                        .flat_map(|o| (0..*size).map(move |k| o + k * stride))
                        .collect();
                }
            }
        }
        if running > 1 {
            self.not_playable(target.span, "a spread over places with two running indices");
            return None;
        }
        let cells = {
            let ex = address_value(
                Addr {
                    base: model.base,
                    index: fixed,
                },
                target.span,
            );
            self.function(
                format!("{address}.{name}.over"),
                scope.next,
                &inner,
                Vec::new(),
                Some(ex),
                target.span,
            )
        };
        // The room of an instance: the place's own query, with the running index as a last argument.
        let room = self.model.places[place].room;
        let room = match room {
            Some(room) => {
                let mut scope = Scope {
                    next: scope.next,
                    ..inner.clone()
                };
                let each = scope.fresh();
                let args = room_args
                    .into_iter()
                    .map(|a| {
                        a.unwrap_or(Ex {
                            kind: Kind::Local(each),
                            span: target.span,
                        })
                    })
                    .collect();
                let ex = Ex {
                    kind: Kind::Call(room, args),
                    span: target.span,
                };
                let f = self.function(
                    format!("{address}.{name}.room"),
                    each + 1,
                    &scope,
                    Vec::new(),
                    Some(ex),
                    target.span,
                );
                Some(f)
            }
            None => {
                self.error(579, target.span, format!("`{}` has no `room`", model.name))
                    .help =
                    Some("a spread needs to know how many pieces fit: `place … room …`".to_owned());
                None
            }
        };
        Some(SpreadTargetModel {
            place,
            cells,
            offsets,
            room,
        })
    }
}

/// The number of a cell.
pub(super) fn address_value(addr: Addr, span: Span) -> Ex {
    let mut value = constant(i64::from(addr.base), span);
    for (ex, stride) in addr.index {
        let step = if stride == 1 {
            ex
        } else {
            binary(Op2::Mul, ex, constant(i64::from(stride), span))
        };
        value = binary(Op2::Add, value, step);
    }
    value
}

/// The registers that an expression itself reads: the first and their number.
pub(super) fn registers_of(ex: &Ex) -> Option<(u16, u16)> {
    match ex.kind {
        Kind::Local(r) => Some((r, 1)),
        Kind::LocalAt { base, len, .. } | Kind::SumLocals { base, len } => Some((base, len)),
        _ => None,
    }
}

/// Who learns an argument, as far as that is written.
fn audience(param: &ast::MoveParam) -> ArgumentAudience {
    match param.openly {
        Some(true) => ArgumentAudience::Everybody,
        Some(false) => ArgumentAudience::Mover,
        None => ArgumentAudience::Witnesses,
    }
}

/// The functions of a parameter: its condition, its domain and its limits.
pub(super) fn functions_of(param: &ParamModel) -> Vec<FuncId> {
    let mut all: Vec<FuncId> = param.when.into_iter().collect();
    match &param.domain {
        DomainModel::Range(from, to) => all.extend([*from, *to]),
        DomainModel::Bag {
            source: BagSource::Cells(source) | BagSource::Counts(source),
            least,
            most,
            loose_beyond,
            kinds,
            without,
            ..
        } => {
            all.push(*source);
            all.extend([least, most, kinds, without].into_iter().flatten());
            all.extend(loose_beyond.iter().flat_map(|(a, b)| [*a, *b]));
        }
        DomainModel::Upto(_) | DomainModel::OptionUpto(_) | DomainModel::Spread(_) => {}
    }
    all
}
