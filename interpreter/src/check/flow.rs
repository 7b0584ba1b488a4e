//! Phases, steps, questions and moves, and what other rules add to them.

use super::ir::{Addr, Domain, Ex, FuncId, Kind, Op2, St, Ty};
use super::model::*;
use super::{Bound, Checker, LocalVar, Scope, Site, and, binary, constant, id, path_text, similar};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::{self, Body, Item, MoveDomain, Over, SpreadIndex, Until};

impl<'a> Checker<'a> {
    pub(super) fn build(&mut self, items: &'a [Item]) {
        for item in items {
            match item {
                Item::Query(query) => self.build_query(query, None),
                Item::Phase(phase) => {
                    let Some(&index) = self.phases.get(&phase.name.node) else {
                        continue;
                    };
                    for query in &phase.queries {
                        self.build_query(query, Some(index));
                    }
                }
                _ => {}
            }
        }
        self.leftover_contributions();
        for item in items {
            match item {
                Item::Effect(effect) => self.build_effect(effect),
                Item::Place(place) => self.build_place(place),
                Item::Counter(counter) => self.build_counter(counter),
                Item::Marker(marker) => self.build_marker(marker),
                _ => {}
            }
        }
        for item in items {
            if let Item::Phase(phase) = item {
                self.build_phase(phase);
            }
        }
        for item in items {
            self.attach(item, None, None, false);
        }
        // Extensions come last: they add to moves that other rules add.
        for item in items {
            self.attach(item, None, None, true);
        }
        self.build_score_total();
        self.leftover_insertions();
        if !self.phases.contains_key("game") {
            let span = self.package.span();
            self.error(565, span, "no phase is called `game`").help =
                Some("the match begins with `phase game`".to_owned());
        }
        if self.model.winner.is_empty() {
            let span = self.package.span();
            self.error(566, span, "the rules do not say who wins").help =
                Some("add `winner most score(p)`".to_owned());
        }
    }

    fn attach(
        &mut self,
        item: &'a Item,
        bound: Option<&Bound>,
        phase: Option<usize>,
        extensions: bool,
    ) {
        match item {
            Item::Component(component) => {
                self.cite(&component.cite);
                // Unknown components were reported when they were declared.
                let Some(bound) = self.known_bind(component) else {
                    return;
                };
                for item in &component.items {
                    self.attach(item, Some(&bound), None, extensions);
                }
            }
            Item::Phase(p) => {
                let index = self.phases.get(&p.name.node).copied();
                for item in &p.items {
                    self.attach(item, None, index, extensions);
                }
            }
            Item::Extension(extension) if extensions => self.extend(extension, bound),
            _ if extensions => {}
            Item::Addition(addition) => self.add_moves(addition, bound),
            Item::Trigger(trigger) => self.build_trigger(trigger, bound, phase),
            Item::Score(score) => self.build_score(score, bound),
            Item::Winner(winner) => self.build_winner(winner),
            Item::Ending(ending) => self.build_ending(ending),
            _ => {}
        }
    }

    fn known_bind(&mut self, component: &ast::Component) -> Option<Bound> {
        let before = self.diagnostics.list.len();
        let bound = self.bind(component);
        self.diagnostics.list.truncate(before);
        bound
    }

    fn build_effect(&mut self, effect: &ast::EffectDecl) {
        let Some(callable) = self.effects.get(&effect.name.node).cloned() else {
            return;
        };
        let mut scope = Scope::default();
        for (param, ty) in effect.params.iter().zip(&callable.params) {
            scope.local(&param.name.node, ty.clone());
        }
        let body = self.script(&effect.script, &mut scope);
        if let Some(cite) = self.cite(&effect.cite) {
            self.model.function_cites.insert(callable.func, cite);
        }
        self.define(callable.func, &scope, body, None);
    }

    /// A function of the index values of a place, counter or marker.
    fn index_function(
        &mut self,
        name: &str,
        params: &[ast::Param],
        e: &ast::Expr,
        want: &Ty,
    ) -> Option<FuncId> {
        let mut scope = Scope::default();
        for param in params {
            let ty = self.ty(&param.ty)?;
            scope.local(&param.name.node, ty);
        }
        self.expression_function(name.to_owned(), e, &scope, want)
    }

    fn build_place(&mut self, place: &ast::Place) {
        let Some(Site::Place(i)) = self.sites.get(&place.name.node).copied() else {
            return;
        };
        if let Some(room) = &place.room {
            let name = format!("{}.room", place.name.node);
            self.model.places[i].room = self.index_function(&name, &place.index, room, &Ty::Int);
        }
    }

    fn build_counter(&mut self, counter: &ast::Counter) {
        let Some(Site::Counter(i)) = self.sites.get(&counter.name.node).copied() else {
            return;
        };
        if let Some(most) = &counter.most {
            let name = format!("{}.most", counter.name.node);
            self.model.counters[i].most =
                self.index_function(&name, &counter.index, most, &Ty::Int);
        }
        if let Some(starts) = &counter.starts {
            let name = format!("{}.starts", counter.name.node);
            self.model.counters[i].starts =
                self.index_function(&name, &counter.index, starts, &Ty::Int);
        }
    }

    fn build_marker(&mut self, marker: &ast::Marker) {
        let Some(Site::Marker(i)) = self.sites.get(&marker.name.node).copied() else {
            return;
        };
        let ty = self.model.markers[i].ty.clone();
        match &marker.starts {
            Some(starts) => {
                let name = format!("{}.starts", marker.name.node);
                self.model.markers[i].starts =
                    self.index_function(&name, &marker.index, starts, &ty);
            }
            None if !matches!(ty, Ty::Option(_)) => {
                self.error(
                    567,
                    marker.span,
                    format!("where does `{}` start?", marker.name.node),
                )
                .help = Some("say `starts …`, or make it an `option`".to_owned());
            }
            None => {}
        }
    }

    fn build_phase(&mut self, phase: &'a ast::Phase) {
        let Some(&index) = self.phases.get(&phase.name.node) else {
            return;
        };
        let scope = self.phase_scope(Some(index));
        let steps = self.steps(&phase.steps, &scope);
        self.model.phases[index].steps = steps;
        if phase.steps.is_empty() {
            self.error(
                701,
                phase.span,
                format!("the phase `{}` has no steps", phase.name.node),
            );
        }
    }

    fn steps(&mut self, steps: &'a [ast::Step], scope: &Scope) -> Vec<StepModel> {
        let mut out = Vec::new();
        for step in steps {
            let address = self.address(scope.phase, &step.name.node);
            let insertions = self.insertions.remove(&address).unwrap_or_default();
            let (before, after): (Vec<_>, Vec<_>) = insertions
                .iter()
                .filter(|(i, _)| matches!(i.moment, ast::Moment::Before | ast::Moment::After))
                .partition(|(i, _)| i.moment == ast::Moment::Before);
            for (insertion, bound) in before {
                out.extend(self.insertion(insertion, bound.as_ref(), scope, &address));
            }
            if let Some(built) = self.step(step, scope, &address, &insertions) {
                out.push(built);
            }
            for (insertion, bound) in after {
                out.extend(self.insertion(insertion, bound.as_ref(), scope, &address));
            }
        }
        out
    }

    fn insertion(
        &mut self,
        insertion: &'a ast::Insertion,
        bound: Option<&Bound>,
        scope: &Scope,
        target: &str,
    ) -> Option<StepModel> {
        if insertion.owner_orders {
            self.not_playable(insertion.span, "simultaneous rules that their owner orders");
            return None;
        }
        let mut scope = scope.clone();
        let name = match (&insertion.name, bound) {
            (Some(name), _) => name.node.clone(),
            (None, Some(bound)) => bound.name.node.clone(),
            (None, None) => format!("{}_inserted", target.rsplit('.').next().unwrap_or(target)),
        };
        if let Some(player) = &insertion.player {
            match scope
                .vars
                .iter()
                .rev()
                .find(|v| v.ty == Ty::Player && v.index.is_empty())
                .cloned()
            {
                Some(turn) => scope.vars.push(VarModel {
                    name: id(&player.node),
                    ..turn
                }),
                None => {
                    self.error(
                        568,
                        player.span,
                        format!("`{target}` has no turns of players"),
                    );
                    return None;
                }
            }
        } else if let Some(owner) = bound.and_then(|b| b.owner.as_ref())
            && let Some(turn) = scope
                .vars
                .iter()
                .rev()
                .find(|v| v.ty == Ty::Player && v.index.is_empty())
                .cloned()
        {
            scope.vars.push(VarModel {
                name: id(&owner.node),
                ..turn
            });
        }
        let mut when = match bound {
            Some(bound) => Some(self.bound_condition(bound, &mut scope)?),
            None => None,
        };
        if let Some(condition) = &insertion.when {
            let condition = self.expect(condition, &mut scope, &Ty::Bool)?;
            when = Some(and(when, condition));
        }
        let address = self.address(scope.phase, &name);
        let when = when.map(|ex| {
            self.function(
                format!("{address}.when"),
                0,
                &scope,
                Vec::new(),
                Some(ex),
                insertion.span,
            )
        });
        let body = self.body(&insertion.body, &scope, &address, insertion.span)?;
        let cite = self.cite(&insertion.cite);
        Some(StepModel {
            name: id(&address),
            when,
            over: OverModel::Once,
            body,
            before_turn: Vec::new(),
            after_turn: Vec::new(),
            cite,
            span: insertion.span,
        })
    }

    fn turn_var(&mut self, name: &str, scope: &mut Scope) -> u32 {
        let base = self.allocate(1);
        scope.vars.push(VarModel {
            name: id(name),
            index: Vec::new(),
            ty: Ty::Player,
            base,
            len: 1,
        });
        base
    }

    fn step(
        &mut self,
        step: &'a ast::Step,
        outer: &Scope,
        address: &str,
        insertions: &[(&'a ast::Insertion, Option<Bound>)],
    ) -> Option<StepModel> {
        let mut scope = outer.clone();
        let when = match &step.when {
            Some(e) => {
                Some(self.expression_function(format!("{address}.when"), e, &scope, &Ty::Bool)?)
            }
            None => None,
        };
        let over = self.over(&step.over, &mut scope, address)?;
        let mut before_turn = Vec::new();
        let mut after_turn = Vec::new();
        for (insertion, bound) in insertions {
            match insertion.moment {
                ast::Moment::BeforeTurn => {
                    before_turn.extend(self.insertion(insertion, bound.as_ref(), &scope, address))
                }
                ast::Moment::AfterTurn => {
                    after_turn.extend(self.insertion(insertion, bound.as_ref(), &scope, address))
                }
                ast::Moment::BeforeFirstTurn => {
                    self.not_playable(insertion.span, "rules before a player's first turn")
                }
                _ => {}
            }
        }
        let cite = self.cite(&step.cite);
        let body = self.body(&step.body, &scope, address, step.span)?;
        if let (BodyModel::Effect(func), Some(cite)) = (&body, cite) {
            self.model.function_cites.insert(*func, cite);
        }
        Some(StepModel {
            name: id(address),
            when,
            over,
            body,
            before_turn,
            after_turn,
            cite,
            span: step.span,
        })
    }

    fn over(&mut self, over: &'a Over, scope: &mut Scope, address: &str) -> Option<OverModel> {
        Some(match over {
            Over::Once => OverModel::Once,
            Over::EachPlayer { var, from, filter } => {
                let from =
                    self.expression_function(format!("{address}.from"), from, scope, &Ty::Player)?;
                let left = self.allocate(1);
                let var = self.turn_var(&var.node, scope);
                let filter = match filter {
                    Some(f) => Some(self.expression_function(
                        format!("{address}.where"),
                        f,
                        scope,
                        &Ty::Bool,
                    )?),
                    None => None,
                };
                OverModel::EachPlayer {
                    var,
                    left,
                    from,
                    filter,
                }
            }
            Over::Cycle { var, from, until } => {
                let from =
                    self.expression_function(format!("{address}.from"), from, scope, &Ty::Player)?;
                let since = self.allocate(1);
                let var = self.turn_var(&var.node, scope);
                let until = self.until(until, scope, address, Some(since))?;
                OverModel::Cycle {
                    var,
                    since,
                    from,
                    until,
                }
            }
            Over::EachRow {
                var,
                domain,
                filter,
            } => {
                let span = domain.span;
                let (domain, ty) = self.domain(domain, scope)?;
                let Domain::Upto(rows) = domain else {
                    self.error(569, span, "a step runs through the rows of a table");
                    return None;
                };
                let base = self.allocate(1);
                scope.vars.push(VarModel {
                    name: id(&var.node),
                    index: Vec::new(),
                    ty,
                    base,
                    len: 1,
                });
                let filter = match filter {
                    Some(f) => Some(self.expression_function(
                        format!("{address}.where"),
                        f,
                        scope,
                        &Ty::Bool,
                    )?),
                    None => None,
                };
                OverModel::EachRow {
                    var: base,
                    rows,
                    filter,
                }
            }
            Over::Repeat { until } => OverModel::Repeat {
                until: self.until(until, scope, address, None)?,
            },
        })
    }

    fn until(
        &mut self,
        until: &Until,
        scope: &Scope,
        address: &str,
        since: Option<u32>,
    ) -> Option<UntilModel> {
        Some(match until {
            Until::Forever => UntilModel::Forever,
            Until::Condition(e) => UntilModel::Condition(self.expression_function(
                format!("{address}.until"),
                e,
                scope,
                &Ty::Bool,
            )?),
            Until::LapWithout(path) => {
                let name = path_text(path);
                let Some(&event) = self.events.get(&name) else {
                    let help = similar(&name, self.events.keys().map(String::as_str));
                    self.error(558, path.span, format!("no event is called `{name}`"))
                        .help = help;
                    return None;
                };
                let Some(since) = since else {
                    self.error(570, path.span, "only a `cycle` of players has laps");
                    return None;
                };
                self.model.events[event].resets.push(since);
                UntilModel::Lap
            }
        })
    }

    fn body(
        &mut self,
        body: &'a Body,
        scope: &Scope,
        address: &str,
        span: Span,
    ) -> Option<BodyModel> {
        Some(match body {
            Body::Do(script) => {
                let mut scope = scope.clone();
                let statements = self.script(script, &mut scope);
                BodyModel::Effect(self.function(address, 0, &scope, statements, None, script.span))
            }
            Body::Ask(ask) => BodyModel::Ask(self.ask(ask, scope, address)?),
            Body::Visit {
                phase,
                args,
                ensures,
                span,
            } => {
                if ensures.is_some() {
                    self.not_playable(*span, "`ensures`");
                }
                let name = path_text(phase);
                let Some(&index) = self.phases.get(&name) else {
                    let help = similar(&name, self.phases.keys().map(String::as_str));
                    self.error(512, phase.span, format!("no phase is called `{name}`"))
                        .help = help;
                    return None;
                };
                let args = self.phase_args(index, args, scope, address, *span)?;
                BodyModel::Visit { phase: index, args }
            }
            Body::Play { row, args, span } => {
                let mut typed = scope.clone();
                let (ex, ty) = self.expr(row, &mut typed)?;
                let Ty::Row(table) = ty else {
                    let is = self.ty_name(&ty);
                    self.error(
                        571,
                        row.span,
                        format!("`play` takes a component, but this is {is}"),
                    );
                    return None;
                };
                let row = self.function(
                    format!("{address}.play"),
                    0,
                    &typed,
                    Vec::new(),
                    Some(ex),
                    row.span,
                );
                let played: Vec<usize> = (0..self.model.tables[table].rows.len())
                    .filter_map(|r| {
                        let phase = self.model.plays.get(&(table, r)).copied();
                        if phase.is_none() {
                            let (t, r) = (
                                &self.model.tables[table],
                                self.model.tables[table].rows[r].clone(),
                            );
                            let message = format!("nothing plays the {} `{r}`", t.name);
                            let help =
                                format!("say `plays {} {r}` in the header of a phase", t.name);
                            self.diagnostics
                                .push(Diagnostic::error(572, *span, message).help(help));
                        }
                        phase
                    })
                    .collect();
                let first = *played.first()?;
                let wanted = |c: &Self, p: usize| {
                    c.model.phases[p]
                        .params
                        .iter()
                        .map(|v| v.ty.clone())
                        .collect::<Vec<_>>()
                };
                for &phase in &played {
                    if wanted(self, phase) != wanted(self, first) {
                        let name = self.model.phases[phase].name.clone();
                        self.error(
                            573,
                            *span,
                            format!("the phase `{name}` takes other arguments than its siblings"),
                        );
                        return None;
                    }
                }
                let args = self.phase_args(first, args, scope, address, *span)?;
                BodyModel::Play { table, row, args }
            }
            Body::Steps(steps) => BodyModel::Steps(self.steps(steps, scope)),
            Body::End { .. } => {
                self.not_playable(span, "ending an enclosing step");
                return None;
            }
            #[allow(unreachable_patterns, reason = "the tree grows before the engine does")]
            _ => {
                self.not_playable(span, "this kind of step");
                return None;
            }
        })
    }

    fn phase_args(
        &mut self,
        phase: usize,
        args: &[ast::Expr],
        scope: &Scope,
        address: &str,
        span: Span,
    ) -> Option<Vec<FuncId>> {
        let params: Vec<Ty> = self.model.phases[phase]
            .params
            .iter()
            .map(|v| v.ty.clone())
            .collect();
        if params.len() != args.len() {
            let name = self.model.phases[phase].name.clone();
            self.error(
                527,
                span,
                format!(
                    "the phase `{name}` takes {} arguments, not {}",
                    params.len(),
                    args.len()
                ),
            );
            return None;
        }
        let mut out = Vec::new();
        for (arg, ty) in args.iter().zip(&params) {
            out.push(self.expression_function(format!("{address}.argument"), arg, scope, ty)?);
        }
        Some(out)
    }

    fn ask(&mut self, ask: &'a ast::Ask, scope: &Scope, address: &str) -> Option<usize> {
        if ask.mode != ast::AskMode::One || ask.sealed || ask.bound.is_some() {
            self.not_playable(ask.span, "questions to several seats at once");
            return None;
        }
        let seat =
            self.expression_function(format!("{address}.asks"), &ask.seats, scope, &Ty::Player)?;
        let alias = match &ask.seats.kind {
            ast::ExprKind::Name(name) => Some(name.clone()),
            _ => None,
        };
        let cite = self.cite(&ask.cite);
        let index = self.model.asks.len();
        self.model.asks.push(AskModel {
            step: id(address),
            seat,
            moves: Vec::new(),
            cite,
            span: ask.span,
        });
        self.ask_context
            .push((scope.phase.unwrap_or(0), alias, scope.vars.clone()));
        self.asks_by_step.insert(address.to_owned(), index);
        for group in &ask.groups {
            if group.who.is_some() {
                self.not_playable(ask.span, "moves for some of the seats asked");
                continue;
            }
            for decl in &group.moves {
                self.build_move(decl, index, None);
            }
        }
        Some(index)
    }

    fn add_moves(&mut self, addition: &'a ast::Addition, bound: Option<&Bound>) {
        let step = path_text(&addition.step);
        let Some(&ask) = self.asks_by_step.get(&step) else {
            let help = similar(&step, self.asks_by_step.keys().map(String::as_str))
                .unwrap_or_else(|| "name a step that asks as `phase.step`".to_owned());
            self.report(
                Diagnostic::error(574, addition.step.span, format!("no question at `{step}`"))
                    .help(help),
            );
            return;
        };
        for decl in &addition.moves {
            self.build_move(decl, ask, bound);
        }
    }

    /// The names that a move's rules may use: the asked seat, the phase around, its parameters.
    fn move_scope(&self, ask: usize, bound: Option<&Bound>) -> Scope {
        let (phase, alias, vars) = &self.ask_context[ask];
        let mut scope = Scope {
            vars: vars.clone(),
            phase: Some(*phase),
            in_move: true,
            next: 1,
            ..Scope::default()
        };
        let owner = bound.and_then(|b| b.owner.as_ref()).map(|o| o.node.clone());
        for name in alias.iter().chain(&owner) {
            scope.locals.push(LocalVar {
                name: name.clone(),
                register: 0,
                ty: Ty::Player,
                len: 1,
                used: true,
            });
        }
        scope
    }

    fn build_move(&mut self, decl: &'a ast::MoveDecl, ask: usize, bound: Option<&Bound>) {
        let step = self.model.asks[ask].step.clone();
        let address = format!("{step}.{}", decl.name.node);
        if self.model.asks[ask]
            .moves
            .iter()
            .any(|m| *self.model.moves[*m].name == *decl.name.node)
        {
            self.error(
                575,
                decl.name.span,
                format!("two moves of `{step}` are called `{}`", decl.name.node),
            );
            return;
        }
        if !decl.ensures.is_empty() {
            self.not_playable(decl.span, "`ensures`");
        }
        if decl.closes.is_some() {
            self.not_playable(decl.span, "moves that close a question to several seats");
        }
        let mut scope = self.move_scope(ask, bound);
        let mut params = Vec::new();
        for param in &decl.params {
            if let Some(built) = self.move_param(param, &mut scope, &address, None) {
                params.push(built);
            }
        }
        let registers = scope.next;
        let mut needs = Vec::new();
        if let Some(bound) = bound
            && let Some(ex) = self.bound_condition(bound, &mut scope)
        {
            let cite = self.cite(&bound.cite);
            let f = self.function(
                format!("{address}.when"),
                registers,
                &scope,
                Vec::new(),
                Some(ex),
                bound.name.span,
            );
            needs.push(NeedModel {
                condition: f,
                after: 0,
                cite,
                span: bound.name.span,
            });
        }
        for need in &decl.needs {
            needs.extend(self.need(need, &scope, &params, &address));
        }
        let mut effects = Vec::new();
        if let Some(script) = &decl.effect {
            let mut scope = scope.clone();
            let body = self.script(script, &mut scope);
            effects.push(self.function(
                address.clone(),
                registers,
                &scope,
                body,
                None,
                script.span,
            ));
        }
        let phase = self.ask_context[ask].0;
        let once = decl
            .once
            .as_ref()
            .and_then(|path| self.once(path, phase, true));
        let cite = self
            .cite(&decl.cite)
            .or_else(|| bound.and_then(|b| self.cite(&b.cite)));
        for local in scope.locals.iter().filter(|l| !l.used) {
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
        self.model.asks[ask].moves.push(self.model.moves.len());
        self.model.moves.push(MoveModel {
            name: id(&decl.name.node),
            address: id(&address),
            free: decl.free,
            params,
            needs,
            effects,
            once,
            cite,
            registers,
            span: decl.span,
        });
    }

    /// The memory of `once per phase`: cells that the phase resets.
    fn once(
        &mut self,
        path: &ast::Path,
        _inside: usize,
        by_seat: bool,
    ) -> Option<(u32, Option<usize>)> {
        let name = path_text(path);
        let Some(&phase) = self.phases.get(&name) else {
            let help = similar(&name, self.phases.keys().map(String::as_str));
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
        Some((base, Some(phase)))
    }

    fn need(
        &mut self,
        need: &ast::Need,
        scope: &Scope,
        params: &[ParamModel],
        address: &str,
    ) -> Option<NeedModel> {
        let mut inner = scope.clone();
        let ex = self.expect(&need.condition, &mut inner, &Ty::Bool);
        let cite = self.cite(&need.cite);
        let ex = ex?;
        let after = parameters_needed(&ex, params, scope.next);
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
            after,
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
    ) -> Option<ParamModel> {
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
        let (ty, domain, len) = match &param.domain {
            MoveDomain::Type(ty) => {
                let span = param.span;
                let ty = self.ty(ty)?;
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
            MoveDomain::BagOf { place, limits } => self.bag(place, limits, scope, address, name)?,
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
        Some(ParamModel {
            name: id(name),
            ty,
            register,
            domain,
            when,
        })
    }

    fn cells_function(&mut self, name: String, addr: Addr, scope: &Scope, span: Span) -> FuncId {
        let ex = address_value(addr, span);
        self.function(name, scope.next, scope, Vec::new(), Some(ex), span)
    }

    fn bag(
        &mut self,
        place: &ast::Expr,
        limits: &[ast::BagLimit],
        scope: &Scope,
        address: &str,
        name: &str,
    ) -> Option<(Ty, DomainModel, u16)> {
        let mut inner = scope.clone();
        let (site, addr) = self.site_ref(place, &mut inner)?;
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
        let table = self.model.places[index].table;
        let cells = {
            let ex = address_value(addr, place.span);
            self.function(
                format!("{address}.{name}.of"),
                scope.next,
                &inner,
                Vec::new(),
                Some(ex),
                place.span,
            )
        };
        let (mut least, mut most, mut loose_beyond, mut max_kinds) = (None, None, None, None);
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
                ast::BagLimit::Kinds(e) => max_kinds = number(self, e),
                ast::BagLimit::LooseBeyond { loose, kinds } => {
                    loose_beyond = number(self, loose).zip(number(self, kinds));
                }
                #[allow(unreachable_patterns, reason = "the tree grows before the engine does")]
                _ => self.not_playable(place.span, "this limit of a bag"),
            }
        }
        let rows = self.model.tables[table].rows.len() as u16;
        let domain = DomainModel::Bag {
            table,
            cells,
            least,
            most,
            loose_beyond,
            kinds: max_kinds,
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
            let help = similar(&pieces.node, self.tables.keys().map(String::as_str));
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
        let domain = DomainModel::Spread(self.model.spreads.len() - 1);
        Some((Ty::Spread, domain, (instances * rows) as u16))
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
            let help = similar(&target.place.node, self.sites.keys().map(String::as_str));
            self.error(
                532,
                target.place.span,
                format!("no place is called `{}`", target.place.node),
            )
            .help = help;
            return None;
        };
        let model = self.model.places[place].clone();
        if model.table != table || model.pile {
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

    fn extend(&mut self, extension: &'a ast::Extension, bound: Option<&Bound>) {
        for path in &extension.moves {
            let wanted = path_text(path);
            let parts: Vec<&str> = wanted.split('.').collect();
            let found: Vec<usize> = (0..self.model.moves.len())
                .filter(|m| {
                    let address: Vec<&str> = self.model.moves[*m].address.split('.').collect();
                    address == parts
                        || (parts.len() == 2
                            && address[0] == parts[0]
                            && address.last() == parts.last())
                })
                .collect();
            if found.is_empty() {
                let names: Vec<String> = self
                    .model
                    .moves
                    .iter()
                    .map(|m| m.address.to_string())
                    .collect();
                let help =
                    similar(&wanted, names.iter().map(String::as_str)).unwrap_or_else(|| {
                        "name a move as `phase.move` or `phase.step.move`".to_owned()
                    });
                self.report(
                    Diagnostic::error(580, path.span, format!("no move is called `{wanted}`"))
                        .help(help),
                );
            }
            for mv in found {
                self.extend_move(mv, extension, bound);
            }
        }
    }

    fn extend_move(&mut self, mv: usize, extension: &'a ast::Extension, bound: Option<&Bound>) {
        let Some(ask) = self.model.asks.iter().position(|a| a.moves.contains(&mv)) else {
            return;
        };
        let mut scope = self.move_scope(ask, bound);
        let address = self.model.moves[mv].address.to_string();
        let mut params = self.model.moves[mv].params.clone();
        for (i, param) in params.iter().enumerate() {
            let next = params
                .get(i + 1)
                .map_or(self.model.moves[mv].registers, |p| p.register);
            scope.locals.push(LocalVar {
                name: param.name.to_string(),
                register: param.register,
                ty: param.ty.clone(),
                len: next - param.register,
                used: true,
            });
        }
        scope.next = self.model.moves[mv].registers;
        for param in &extension.params {
            let condition = match bound {
                Some(bound) => match self.bound_condition(bound, &mut scope.clone()) {
                    Some(ex) => Some(ex),
                    None => return,
                },
                None => None,
            };
            if let Some(built) = self.move_param(param, &mut scope, &address, condition) {
                params.push(built);
            }
        }
        let registers = scope.next;
        let mut needs = Vec::new();
        for need in &extension.needs {
            needs.extend(self.need(need, &scope, &params, &address));
        }
        let cite = self
            .cite(&extension.cite)
            .or_else(|| bound.and_then(|b| self.cite(&b.cite)));
        let effect = extension.effect.as_ref().map(|script| {
            let mut scope = scope.clone();
            let body = self.script(script, &mut scope);
            let f = self.function(
                format!("{address}.extended"),
                registers,
                &scope,
                body,
                None,
                script.span,
            );
            if let Some(cite) = cite {
                self.model.function_cites.insert(f, cite);
            }
            f
        });
        let model = &mut self.model.moves[mv];
        model.params = params;
        model.registers = registers;
        model.needs.extend(needs);
        model.effects.extend(effect);
    }

    fn build_trigger(
        &mut self,
        trigger: &'a ast::Trigger,
        bound: Option<&Bound>,
        phase: Option<usize>,
    ) {
        let name = path_text(&trigger.event);
        let short = name.rsplit('.').next().unwrap_or(&name);
        let Some(&event) = self.events.get(short) else {
            let help = similar(short, self.events.keys().map(String::as_str))
                .unwrap_or_else(|| "declare it: `event name(p: player)`".to_owned());
            self.report(
                Diagnostic::error(
                    558,
                    trigger.event.span,
                    format!("no event is called `{name}`"),
                )
                .help(help),
            );
            return;
        };
        let params = self.model.events[event].params.clone();
        if params.len() != trigger.args.len() {
            let message = format!(
                "`{short}` carries {} values, not {}",
                params.len(),
                trigger.args.len()
            );
            self.error(527, trigger.event.span, message);
            return;
        }
        let mut scope = self.phase_scope(phase);
        for (name, (_, ty)) in trigger.args.iter().zip(&params) {
            let register = scope.local(&name.node, ty.clone());
            scope.locals[register as usize].used = true;
        }
        let registers = scope.next;
        let mut when = match bound {
            Some(bound) => match self.bound_condition(bound, &mut scope) {
                Some(ex) => Some(ex),
                None => return,
            },
            None => None,
        };
        if let Some(e) = &trigger.when {
            let Some(ex) = self.expect(e, &mut scope, &Ty::Bool) else {
                return;
            };
            when = Some(and(when, ex));
        }
        let label = format!("{}.on {short}", bound.map_or("rule", |b| &b.name.node));
        let when = when.map(|ex| {
            self.function(
                format!("{label}.when"),
                registers,
                &scope,
                Vec::new(),
                Some(ex),
                trigger.span,
            )
        });
        let cite = self
            .cite(&trigger.cite)
            .or_else(|| bound.and_then(|b| self.cite(&b.cite)));
        let by_seat = params.first().is_some_and(|(_, ty)| *ty == Ty::Player);
        let once = trigger
            .once
            .as_ref()
            .and_then(|path| self.once(path, 0, by_seat))
            .map(|(base, _)| base);
        let Body::Do(script) = &trigger.body else {
            self.not_playable(trigger.span, "questions that follow an event");
            return;
        };
        let body = self.script(script, &mut scope);
        let effect = self.function(label, registers, &scope, body, None, script.span);
        if let Some(cite) = cite {
            self.model.function_cites.insert(effect, cite);
        }
        self.model.events[event].triggers.push(TriggerModel {
            when,
            once,
            effect,
            cite,
        });
    }

    fn build_score(&mut self, score: &ast::Score, bound: Option<&Bound>) {
        if score.last {
            self.not_playable(score.span, "score lines that count the others");
            return;
        }
        let name = match bound {
            Some(bound) if score.name.node.is_empty() => bound.name.node.clone(),
            _ => score.name.node.clone(),
        };
        let player = match bound.and_then(|b| b.owner.as_ref()) {
            Some(owner) if score.player.node.is_empty() => owner.node.clone(),
            _ => score.player.node.clone(),
        };
        let mut scope = Scope::default();
        scope.local(&player, Ty::Player);
        scope.locals[0].used = true;
        let mut when = match bound {
            Some(bound) => match self.bound_condition(bound, &mut scope) {
                Some(ex) => Some(ex),
                None => return,
            },
            None => None,
        };
        if let Some(e) = &score.when {
            let Some(ex) = self.expect(e, &mut scope, &Ty::Bool) else {
                return;
            };
            when = Some(and(when, ex));
        }
        let when = when.map(|ex| {
            self.function(
                format!("score {name}.when"),
                1,
                &scope,
                Vec::new(),
                Some(ex),
                score.span,
            )
        });
        let Some(value) = self.expect(&score.value, &mut scope, &Ty::Int) else {
            return;
        };
        let value = self.function(
            format!("score {name}"),
            1,
            &scope,
            Vec::new(),
            Some(value),
            score.span,
        );
        let cite = self
            .cite(&score.cite)
            .or_else(|| bound.and_then(|b| self.cite(&b.cite)));
        if let Some(cite) = cite {
            self.model.function_cites.insert(value, cite);
        }
        self.model.scores.push(ScoreModel {
            name: id(&name),
            when,
            value,
            cite,
        });
    }

    /// `score(p)`: the sum of all lines.
    fn build_score_total(&mut self) {
        let Some(&total) = self.model.names.get("score") else {
            return;
        };
        let span = self.package.span();
        let mut scope = Scope::default();
        scope.local("p", Ty::Player);
        let p = || Ex {
            kind: Kind::Local(0),
            span,
        };
        let mut sum = constant(0, span);
        for line in self.model.scores.clone() {
            let mut value = Ex {
                kind: Kind::Call(line.value, vec![p()]),
                span,
            };
            if let Some(when) = line.when {
                let when = Ex {
                    kind: Kind::Call(when, vec![p()]),
                    span,
                };
                value = Ex {
                    kind: Kind::If(Box::new(when), Box::new(value), Box::new(constant(0, span))),
                    span,
                };
            }
            sum = binary(Op2::Add, sum, value);
        }
        self.define(total, &scope, Vec::new(), Some(sum));
    }

    fn build_winner(&mut self, winner: &ast::Winner) {
        for (most, e, cite) in &winner.criteria {
            let mut scope = Scope::default();
            let player = if winner.player.node.is_empty() {
                "p"
            } else {
                &winner.player.node
            };
            scope.local(player, Ty::Player);
            let cite = self.cite(cite);
            if let Some(f) = self.expression_function("winner".to_owned(), e, &scope, &Ty::Int) {
                if let Some(cite) = cite {
                    self.model.function_cites.insert(f, cite);
                }
                self.model.winner.push((*most, f));
            }
        }
    }

    fn build_ending(&mut self, ending: &ast::Ending) {
        let Some(&index) = self.endings.get(&ending.name.node) else {
            return;
        };
        if let Some(when) = &ending.when {
            let name = format!("ending {}", ending.name.node);
            self.model.endings[index].when =
                self.expression_function(name, when, &Scope::default(), &Ty::Bool);
        }
    }

    fn leftover_insertions(&mut self) {
        let left = std::mem::take(&mut self.insertions);
        for (target, list) in left {
            for (insertion, _) in list {
                let names: Vec<String> = self.asks_by_step.keys().cloned().collect();
                let help = similar(&target, names.iter().map(String::as_str))
                    .unwrap_or_else(|| "name a step as `phase.step`".to_owned());
                let d = Diagnostic::error(
                    581,
                    insertion.target.span,
                    format!("no step is called `{target}`"),
                );
                self.report(d.help(help));
            }
        }
    }
}

/// The number of a cell.
fn address_value(addr: Addr, span: Span) -> Ex {
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

/// How many parameters must be bound before an expression can be judged.
fn parameters_needed(ex: &Ex, params: &[ParamModel], end: u16) -> usize {
    let mut needed = 0;
    visit(ex, &mut |e| {
        let register = match &e.kind {
            Kind::Local(r) => Some(*r),
            Kind::LocalAt { base, .. } | Kind::SumLocals { base, .. } => Some(*base),
            _ => None,
        };
        if let Some(r) = register
            && r < end
            && let Some(i) = params.iter().rposition(|p| p.register <= r)
        {
            needed = needed.max(i + 1);
        }
    });
    needed
}

/// Calls a function for an expression and everything in it.
pub(super) fn visit(ex: &Ex, f: &mut impl FnMut(&Ex)) {
    f(ex);
    let addr = |a: &Addr, f: &mut dyn FnMut(&Ex)| {
        for (e, _) in &a.index {
            f(e);
        }
    };
    let mut inner: Vec<Ex> = Vec::new();
    match &ex.kind {
        Kind::Const(_) | Kind::Local(_) | Kind::SumLocals { .. } => {}
        Kind::LocalAt { index, .. } => inner.push((**index).clone()),
        Kind::Load(a) | Kind::SumCells { addr: a, .. } => addr(a, &mut |e| inner.push(e.clone())),
        Kind::Column { row, .. } => inner.push((**row).clone()),
        Kind::Minus(a) | Kind::Not(a) | Kind::Case(_, a) => inner.push((**a).clone()),
        Kind::Binary(_, a, b) | Kind::And(a, b) | Kind::Or(a, b) => {
            inner.push((**a).clone());
            inner.push((**b).clone());
        }
        Kind::If(a, b, c) => inner.extend([(**a).clone(), (**b).clone(), (**c).clone()]),
        Kind::Call(_, args) => inner.extend(args.iter().cloned()),
        Kind::Aggregate {
            domain,
            filter,
            body,
            ..
        } => {
            if let Domain::Range(a, b) = domain {
                inner.push((**a).clone());
                inner.push((**b).clone());
            }
            inner.extend(filter.iter().map(|e| (**e).clone()));
            inner.extend(body.iter().map(|e| (**e).clone()));
        }
        Kind::Possible { seat, .. } => inner.push((**seat).clone()),
        Kind::Verb(_, args) => {
            for arg in args {
                match arg {
                    super::ir::Arg::Value(e) => inner.push(e.clone()),
                    super::ir::Arg::Cells(a) => addr(a, &mut |e| inner.push(e.clone())),
                    super::ir::Arg::Window(_) => {}
                }
            }
        }
    }
    for e in &inner {
        visit(e, f);
    }
}

/// Calls a function for every expression of statements.
#[allow(dead_code, reason = "used by the audience check")]
pub(super) fn visit_statements(body: &[St], f: &mut impl FnMut(&Ex)) {
    for st in body {
        match st {
            St::Set(_, e) | St::Do(e) => visit(e, f),
            St::If(c, a, b) => {
                visit(c, f);
                visit_statements(a, f);
                visit_statements(b, f);
            }
            St::While(c, b) => {
                visit(c, f);
                visit_statements(b, f);
            }
            St::For(_, _, domain, b) => {
                if let Domain::Range(x, y) = domain {
                    visit(x, f);
                    visit(y, f);
                }
                visit_statements(b, f);
            }
            St::Break | St::Continue => {}
        }
    }
}
