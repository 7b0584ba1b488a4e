//! The second pass in order, and what attaches to what was built: first contents and bounds, triggers,
//! score lines, endings.

use super::ir::{Ex, FuncId, Kind, Op2, Ty};
use super::model::*;
use super::{Bound, Checker, Scope, Site, and, binary, constant, id, path_text, similar};
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{self, Body, Item};

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
                Some("add `winner p with most score(p)`".to_owned());
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
            scope.locals[register as usize].used.set(true);
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
        scope.locals[0].used.set(true);
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
}
