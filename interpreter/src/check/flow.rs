//! Phases, steps and questions.

use super::ir::{Domain, FuncId, Ty};
use super::model::*;
use super::{Bound, Checker, Scope, and, id, path_text, similar};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::{self, Body, Over, Until};

impl<'a> Checker<'a> {
    pub(super) fn build_phase(&mut self, phase: &'a ast::Phase) {
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

    pub(super) fn add_moves(&mut self, addition: &'a ast::Addition, bound: Option<&Bound>) {
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

    pub(super) fn leftover_insertions(&mut self) {
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
