//! The second pass in order, and what attaches to what was built: first contents and bounds, triggers,
//! score lines, endings.

use super::{Checker, Scope, and, binary, constant};
use crate::analysis::evaluate;
use crate::diagnostic::Code;
use crate::program::model::*;
use crate::program::tree::{Kind, Op2, Ty};
use crate::resolve::{Bound, Site, id};
use crate::source::Span;
use crate::syntax::ast::{self, Item};

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
        for item in items {
            match item {
                Item::Effect(effect) => self.build_effect(effect),
                Item::Place(place) => self.build_place(place),
                Item::Phase(phase) => {
                    for item in &phase.items {
                        if let Item::Place(place) = item {
                            self.build_place(place);
                        }
                    }
                }
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
        self.order_triggers();
        self.contributions_to_moves();
        self.build_moves();
        self.build_score_totals();
        self.leftover_insertions();
        self.check_ends();
        self.keep_visited_again();
        if !self.phases.contains_key("game") {
            let span = self.package.span();
            self.error(Code::MissingGamePhase, span, "no phase is called `game`")
                .help = Some("the match begins with `phase game`".to_owned());
        }
        if self.model.winner.is_empty() {
            let span = self.package.span();
            self.error(Code::MissingWinner, span, "the rules do not say who wins")
                .help = Some("add `winner p with most score(p)`".to_owned());
        }
    }

    fn attach(
        &mut self,
        item: &'a Item,
        bound: Option<&Bound>,
        phase: Option<PhaseId>,
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
            Item::AnyTime(any) if extensions => self.add_at_any_time(any, bound, phase),
            _ if extensions => {}
            Item::Addition(addition) => self.add_moves(addition, bound),
            Item::Trigger(trigger) => self.build_trigger(trigger, bound, phase),
            Item::Watch(watch) => self.build_watch(watch, bound, phase),
            Item::Score(score) => self.build_score(score, bound),
            Item::Winner(winner) => self.build_winner(winner),
            Item::Require(require) => self.build_require(require),
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
            scope.window(&param.name.node, ty.clone(), self.width(ty));
        }
        let body = self.script(&effect.script, &mut scope);
        if let Some(cite) = self.cite(&effect.cite) {
            self.model.function_cites.insert(callable.func, cite);
        }
        self.define(callable.func, &scope, body, None);
    }

    /// A function of the index values of a place, counter or marker.
    pub(super) fn index_function(
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
        if let (Some(room), None) = (&place.room, self.model.places[i].room) {
            let name = format!("{}.room", place.name.node);
            self.model.places[i].room = self.index_function(&name, &place.index, room, &Ty::Int);
        }
        if let Some(from) = &place.refilled {
            self.model.places[i].refill = self.refill(i, place, from);
        }
        if let Some(under) = &place.lies_on {
            self.model.places[i].lies_on = self.lies_on(i, place, under);
        }
        if let (true, Some((_, starts))) = (place.endless, &place.starts) {
            let message = format!("`{}` is endless", place.name.node);
            self.error(Code::EndlessPlaceCounted, starts.span, message)
                .help = Some("an endless place is never counted: leave out `starts`".to_owned());
        }
    }

    /// On a piece of which place the pieces of a place lie: its indices, and the piece, are indices of this one.
    fn lies_on(
        &mut self,
        number: PlaceId,
        place: &ast::Place,
        under: &ast::Expr,
    ) -> Option<LiesOn> {
        let mut scope = Scope::default();
        for param in &place.index {
            let ty = self.ty(&param.ty)?;
            scope.local(&param.name.node, ty);
        }
        let (site, addr) = self.site_ref(under, &mut scope)?;
        let Some(Site::Place(below)) = site else {
            self.error(
                Code::PlaceExpected,
                under.span,
                "a place is needed here, not a counter or marker",
            );
            return None;
        };
        let given = addr.index.iter().map(|(index, _)| match index.kind {
            Kind::Local(register) => Some(usize::from(register)),
            _ => None,
        });
        let given: Option<Vec<usize>> = given.collect();
        let table = self.model.places[below].table;
        let index = &self.model.places[number].index;
        let others = |given: &[usize]| -> Vec<usize> {
            let row = |n: &usize| index[*n].0 == Ty::Row(table) && !given.contains(n);
            (0..index.len()).filter(row).collect()
        };
        match given.map(|given| (others(&given), given)) {
            Some((others, given)) if others.len() == 1 && below != number => Some(LiesOn {
                place: below,
                piece: others[0],
                index: given,
            }),
            _ => {
                let (name, table) = (&place.name.node, self.model.tables[table].name.clone());
                let help = format!(
                    "write it with the names in the brackets behind `{name}`, of which one more is the {table} that lies there: \
                     `place staff(p: player, b: building): person  on city(p)`"
                );
                let message = format!("no piece of this place is named by what `{name}` is of");
                self.error(Code::InvalidNesting, under.span, message).help = Some(help);
                None
            }
        }
    }

    /// The first cell of the place that a pile is refilled from, a function of the pile's index.
    fn refill(&mut self, pile: PlaceId, place: &ast::Place, from: &ast::Expr) -> Option<FuncId> {
        let name = &place.name.node;
        if !place.pile {
            self.error(
                Code::InvalidRefill,
                from.span,
                format!("`{name}` is not a pile"),
            )
            .help = Some("declare it `pile of …`: only a pile is drawn from".to_owned());
            return None;
        }
        let mut scope = Scope::default();
        for param in &place.index {
            let ty = self.ty(&param.ty)?;
            scope.local(&param.name.node, ty);
        }
        let params = scope.next;
        let (site, addr) = self.site_ref(from, &mut scope)?;
        let source = match site {
            Some(Site::Place(source)) => source,
            _ => {
                self.error(
                    Code::PlaceExpected,
                    from.span,
                    "a place is needed here, not a counter or marker",
                );
                return None;
            }
        };
        let (same, endless) = {
            let (pile, source) = (&self.model.places[pile], &self.model.places[source]);
            (pile.table == source.table, source.endless)
        };
        if source == pile || !same || endless {
            self.error(
                Code::InvalidRefill,
                from.span,
                format!("`{name}` cannot be refilled from this"),
            )
            .help = Some(
                "name another place that holds pieces of the same table, as many as there are"
                    .to_owned(),
            );
            return None;
        }
        let ex = super::parameters::address_value(addr, from.span);
        Some(self.function(
            format!("{name}.refilled"),
            params,
            &scope,
            Vec::new(),
            Some(ex),
            from.span,
        ))
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
            self.first_value(i, starts.span);
        }
    }

    /// A counter starts at no less than zero and at no more than its own bound.
    fn first_value(&mut self, counter: CounterId, span: Span) {
        let CounterModel {
            index,
            most,
            starts: Some(starts),
            ..
        } = &self.model.counters[counter]
        else {
            return;
        };
        let values: Vec<_> = (0..instances(index))
            .map(|instance| {
                let args = index_values(index, instance);
                let known = |f| evaluate::constant(&self.model, f, &args);
                (known(*starts), most.and_then(known))
            })
            .collect();
        let wrong = values.into_iter().find_map(|(value, most)| match value? {
            value if value < 0 => Some((value, "a counter is never less than 0".to_owned())),
            value if i32::try_from(value).is_err() => {
                Some((value, format!("a counter is at most {}", i32::MAX)))
            }
            value if most.is_some_and(|most| value > most) => Some((
                value,
                format!("its own bound is {}", most.unwrap_or_default()),
            )),
            _ => None,
        });
        if let Some((value, why)) = wrong {
            self.report(
                Code::CounterOutOfBounds
                    .error(span, format!("the counter would start at {value}"))
                    .label(why),
            );
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
                    Code::MarkerWithoutStart,
                    marker.span,
                    format!("where does `{}` start?", marker.name.node),
                )
                .help = Some("say `starts …`, or make it an `option`".to_owned());
            }
            None => {}
        }
    }

    fn build_score(&mut self, score: &ast::Score, bound: Option<&Bound>) {
        let name = match bound {
            Some(bound) if score.name.node.is_empty() => bound.name.node.clone(),
            _ => score.name.node.clone(),
        };
        let player = match bound.and_then(|b| b.owner.as_ref()) {
            Some(owner) if score.player.node.is_empty() => owner.node.clone(),
            _ => score.player.node.clone(),
        };
        if !self.first_of("score", &name, score.span) {
            return;
        }
        let mut scope = Scope {
            last_score: score.last,
            ..Scope::default()
        };
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
            public: false,
            last: score.last,
            cite,
        });
    }

    /// `score(p)` is the sum of all lines, `so_far(p)` that of those which are not the last.
    fn build_score_totals(&mut self) {
        self.model.scores.sort_by_key(|line| line.last);
        for (name, last) in [("score", true), ("so_far", false)] {
            self.build_score_total(name, last);
        }
    }

    fn build_score_total(&mut self, name: &str, last: bool) {
        let Some(&total) = self.model.names.get(name) else {
            return;
        };
        let span = self.package.span();
        let mut scope = Scope::default();
        scope.local("p", Ty::Player);
        let p = || Kind::Local(0).at(span);
        let mut sum = constant(0, span);
        for line in self.model.scores.clone() {
            if line.last && !last {
                continue;
            }
            let mut value = Kind::Call(line.value, vec![p()]).at(span);
            if let Some(when) = line.when {
                let when = Kind::Call(when, vec![p()]).at(span);
                value =
                    Kind::If(Box::new(when), Box::new(value), Box::new(constant(0, span))).at(span);
            }
            sum = binary(Op2::Add, sum, value);
        }
        self.define(total, &scope, Vec::new(), Some(sum));
    }

    fn build_winner(&mut self, winner: &ast::Winner) {
        if !self.first_of("sentence", "winner", winner.span) {
            return;
        }
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
