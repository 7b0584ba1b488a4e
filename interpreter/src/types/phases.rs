//! Phases, steps and questions.

use super::insertions::Turns;
use super::{Checker, Scope};
use crate::diagnostic::{Code, did_you_mean};
use crate::program::model::*;
use crate::program::tree::{Domain, Ty};
use crate::resolve::{Added, Bound, id, path_text};
use crate::source::Span;
use crate::syntax::ast::{self, Body, Moment, Over, Until};

impl<'a> Checker<'a> {
    pub(super) fn build_phase(&mut self, phase: &'a ast::Phase) {
        let Some(&index) = self.phases.get(&phase.name.node) else {
            return;
        };
        let given = self.model.storage.len();
        let scope = self.phase_scope(Some(index));
        let address = phase.name.node.as_str();
        let added = self.insertions.remove(address).unwrap_or_default();
        let mut moment = |moment| self.added(&added, moment, &scope, address, None);
        let mut steps = moment(Moment::Before);
        steps.extend(moment(Moment::AtStart));
        let mut ends = moment(Moment::AtEnd);
        ends.extend(moment(Moment::After));
        for (insertion, _) in &added {
            if insertion.player.is_some() {
                let message = format!("`{address}` has no turns of players");
                self.error(Code::MomentWithoutPlayer, insertion.target.span, message)
                    .help = Some("name one of its steps: `phase.step`".to_owned());
            }
        }
        self.enclosing.push(address.to_owned());
        steps.extend(self.steps(&phase.steps, &scope));
        self.enclosing.pop();
        self.model.phases[index].steps = steps;
        self.model.phases[index].ends = ends;
        let own = self.given_since(given);
        self.model.phases[index].own.extend(own);
        if phase.steps.is_empty() {
            self.error(
                Code::EmptyPhase,
                phase.span,
                format!("the phase `{}` has no steps", phase.name.node),
            );
        }
    }

    pub(super) fn steps(&mut self, steps: &'a [ast::Step], scope: &Scope) -> Vec<StepModel> {
        let mut out = Vec::new();
        for step in steps {
            let address = self.address(scope.phase, &step.name.node);
            let added = self.insertions.remove(&address).unwrap_or_default();
            out.extend(self.added(&added, Moment::Before, scope, &address, None));
            if let Some(built) = self.step(step, scope, &address, &added) {
                out.push(built);
            }
            out.extend(self.added(&added, Moment::After, scope, &address, None));
        }
        out
    }

    /// Gives something that a step remembers while it is under way its cells.
    pub(super) fn remembered(
        &mut self,
        (phase, address): (Option<PhaseId>, &str),
        part: StepPart,
        cells: u32,
    ) -> Cell {
        let holds = Holds::Step {
            phase: phase.unwrap_or_default(),
            step: id(address),
            part,
        };
        self.allocate(cells, holds)
    }

    fn turn_var(&mut self, name: &str, scope: &mut Scope, address: &str) -> Cell {
        let of = (scope.phase, address);
        let base = self.remembered(of, StepPart::Turn(Ty::Player), 1);
        scope.vars.push(VarModel {
            name: id(name),
            index: Vec::new(),
            ty: Ty::Player,
            base,
            width: 1,
            len: 1,
            sight: Sight::Everybody,
        });
        base
    }

    fn step(
        &mut self,
        step: &'a ast::Step,
        outer: &Scope,
        address: &str,
        added: &[Added<'a>],
    ) -> Option<StepModel> {
        let mut scope = outer.clone();
        let when = match &step.when {
            Some(e) => {
                Some(self.expression_function(format!("{address}.when"), e, &scope, &Ty::Bool)?)
            }
            None => None,
        };
        let at_start = self.added(added, Moment::AtStart, &scope, address, None);
        let at_end = self.added(added, Moment::AtEnd, &scope, address, None);
        let over = self.over(&step.over, &mut scope, address)?;
        let first = added
            .iter()
            .any(|(i, _)| matches!(i.moment, Moment::BeforeFirstTurn | Moment::AfterFirstTurn));
        let turns = match over {
            OverModel::EachPlayer { var, .. } | OverModel::Cycle { var, .. } => Some(Turns {
                player: var,
                had: if first {
                    let players = u32::from(self.model.players);
                    self.remembered((scope.phase, address), StepPart::HadTurn, players)
                } else {
                    Cell(0)
                },
            }),
            _ => None,
        };
        let mut moment = |moment| self.added(added, moment, &scope, address, turns);
        let mut before_turn = moment(Moment::BeforeFirstTurn);
        before_turn.extend(moment(Moment::BeforeTurn));
        let mut after_turn = moment(Moment::AfterTurn);
        after_turn.extend(moment(Moment::AfterFirstTurn));
        let cite = self.cite(&step.cite);
        self.enclosing.push(address.to_owned());
        let body = self.body(&step.body, &scope, address);
        self.enclosing.pop();
        let body = body?;
        match (&body, cite) {
            (BodyModel::Effect(func), Some(cite)) => {
                self.model.function_cites.insert(*func, cite);
            }
            (BodyModel::Ask(ask), Some(_)) => {
                let ask = &mut self.model.asks[*ask];
                ask.cite = ask.cite.or(cite);
            }
            _ => {}
        }
        Some(StepModel {
            name: id(address),
            when,
            over,
            body,
            at_start,
            at_end,
            before_turn,
            after_turn,
            had_turn: turns.filter(|_| first).map(|t| (t.had, t.player)),
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
                let left = self.remembered((scope.phase, address), StepPart::Left, 1);
                let var = self.turn_var(&var.node, scope, address);
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
                let since = self.remembered((scope.phase, address), StepPart::Since, 1);
                let var = self.turn_var(&var.node, scope, address);
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
                let range = match &domain.kind {
                    ast::ExprKind::Range { from, to, .. } => {
                        let from = self.expression_function(
                            format!("{address}.from"),
                            from,
                            scope,
                            &Ty::Int,
                        )?;
                        let to =
                            self.expression_function(format!("{address}.to"), to, scope, &Ty::Int)?;
                        Some((from, to))
                    }
                    _ => None,
                };
                let (domain, ty) = match range {
                    Some(_) => (Domain::Upto(0), Ty::Int),
                    None => self.domain(domain, scope)?,
                };
                let Domain::Upto(rows) = domain else {
                    return None;
                };
                let of = (scope.phase, address);
                let base = self.remembered(of, StepPart::Turn(ty.clone()), 1);
                scope.vars.push(VarModel {
                    name: id(&var.node),
                    index: Vec::new(),
                    ty,
                    base,
                    width: 1,
                    len: 1,
                    sight: Sight::Everybody,
                });
                let last = range.map(|_| self.remembered(of, StepPart::Last, 1));
                let filter = match filter {
                    Some(f) => Some(self.expression_function(
                        format!("{address}.where"),
                        f,
                        scope,
                        &Ty::Bool,
                    )?),
                    None => None,
                };
                match (range, last) {
                    (Some((from, to)), Some(last)) => OverModel::EachNumber {
                        var: base,
                        last,
                        from,
                        to,
                        filter,
                    },
                    _ => OverModel::EachRow {
                        var: base,
                        rows,
                        filter,
                    },
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
        since: Option<Cell>,
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
                    let help = did_you_mean(&name, self.events.keys().map(String::as_str));
                    self.error(
                        Code::UnknownEvent,
                        path.span,
                        format!("no event is called `{name}`"),
                    )
                    .help = help;
                    return None;
                };
                let Some(since) = since else {
                    self.error(
                        Code::LapOfNonCycle,
                        path.span,
                        "only a `cycle` of players has laps",
                    );
                    return None;
                };
                self.model.events[event].resets.push(since);
                UntilModel::Lap
            }
        })
    }

    pub(super) fn body(
        &mut self,
        body: &'a Body,
        scope: &Scope,
        address: &str,
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
                let name = path_text(phase);
                let Some(&index) = self.phases.get(&name) else {
                    let help = did_you_mean(&name, self.phases.keys().map(String::as_str));
                    self.error(
                        Code::UnknownPhase,
                        phase.span,
                        format!("no phase is called `{name}`"),
                    )
                    .help = help;
                    return None;
                };
                let args = self.phase_args(index, args, scope, address, *span)?;
                let promise = match ensures {
                    Some(ensures) => Some(self.promise_of_visit(ensures, &args, scope, address)?),
                    None => None,
                };
                BodyModel::Visit {
                    phase: index,
                    args,
                    promise,
                }
            }
            Body::Play { row, args, span } => {
                let mut typed = scope.clone();
                let (ex, ty) = self.expr(row, &mut typed)?;
                let Ty::Row(table) = ty else {
                    let is = self.ty_name(&ty);
                    self.error(
                        Code::PlayOfNonComponent,
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
                let played: Vec<PhaseId> = (0..self.model.tables[table].rows.len())
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
                                .push(Code::UnplayedComponent.error(*span, message).help(help));
                        }
                        phase
                    })
                    .collect();
                let first = *played.first()?;
                let wanted = |c: &Self, p: PhaseId| {
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
                            Code::MismatchedPhaseParameters,
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
            Body::End { target, span } => {
                let wanted = path_text(target);
                let short = scope.phase.map(|p| self.address(Some(p), &wanted));
                let known = |c: &Self, name: &str| c.enclosing.iter().any(|e| e == name);
                let address = match short {
                    Some(short) if known(self, &short) => short,
                    _ => wanted,
                };
                let first = address.split('.').next().unwrap_or_default();
                let Some(&phase) = self.phases.get(first) else {
                    let help = did_you_mean(&address, self.enclosing.iter().map(String::as_str));
                    self.error(
                        Code::EndOfUnenclosingStep,
                        target.span,
                        format!("nothing around this step is called `{address}`"),
                    )
                    .help = help.or_else(|| {
                        Some("name an enclosing step as `phase.step`, or a phase".to_owned())
                    });
                    return None;
                };
                // Within its own phase it must stand around; another phase may have visited this one.
                let own = scope.phase == Some(phase);
                if own && !known(self, &address) {
                    let help = did_you_mean(&address, self.enclosing.iter().map(String::as_str));
                    self.error(
                        Code::EndOfUnenclosingStep,
                        *span,
                        format!("`{address}` is not around this step"),
                    )
                    .help = help;
                    return None;
                }
                self.ends.push((address.clone(), target.span));
                BodyModel::End {
                    address: id(&address),
                    phase,
                }
            }
        })
    }

    pub(super) fn phase_args(
        &mut self,
        phase: PhaseId,
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
            let wrong = self.wrong_arguments(span, &name, &params, args.len());
            let at = self.model.phases[phase].span;
            self.report(wrong.also(at, "the phase"));
            return None;
        }
        let mut out = Vec::new();
        for (arg, ty) in args.iter().zip(&params) {
            let mut inner = scope.clone();
            let whole = self.expect(arg, &mut inner, ty)?;
            for number in super::bags_and_records::numbers(&whole) {
                let name = format!("{address}.argument");
                let result = Some(number);
                out.push(self.function(name, scope.next, &inner, Vec::new(), result, arg.span));
            }
        }
        Some(out)
    }

    fn ask(&mut self, ask: &'a ast::Ask, scope: &Scope, address: &str) -> Option<AskId> {
        let everybody = matches!(&ask.seats.kind, ast::ExprKind::Name(n) if n == "players");
        let until = match ask.mode {
            ast::AskMode::One => None,
            ast::AskMode::AllAnswer => Some(Answers::All),
            ast::AskMode::FirstAnswers => Some(Answers::First),
            ast::AskMode::UntilClosed => Some(Answers::UntilClosed),
        };
        if until.is_none() && (everybody || ask.each.is_some()) {
            self.error(
                Code::UnspecifiedQuestionEnd,
                ask.span,
                "when is this question closed?",
            )
            .help =
                Some("say `all answer`, `first answers` or `until a move closes it`".to_owned());
            return None;
        }
        let seat = if everybody {
            let first = super::constant(0, ask.seats.span);
            self.function(
                format!("{address}.asks"),
                0,
                &Scope::default(),
                Vec::new(),
                Some(first),
                ask.seats.span,
            )
        } else {
            self.expression_function(format!("{address}.asks"), &ask.seats, scope, &Ty::Player)?
        };
        let alias = match (&ask.each, &ask.seats.kind) {
            (Some(each), _) => Some(each.var.node.clone()),
            (None, ast::ExprKind::Name(name)) if !everybody => Some(name.clone()),
            _ => None,
        };
        let several = match until {
            None => None,
            Some(until) => {
                let mut inner = scope.clone();
                inner.next = inner.next.max(1);
                let filter = match &ask.each {
                    Some(each) => {
                        inner.locals.push(super::LocalVar {
                            name: each.var.node.clone(),
                            register: 0,
                            ty: Ty::Player,
                            len: 1,
                            used: super::scope::used(),
                        });
                        match &each.filter {
                            Some(f) => Some(self.expression_function(
                                format!("{address}.where"),
                                f,
                                &inner,
                                &Ty::Bool,
                            )?),
                            None => None,
                        }
                    }
                    // One seat is named: only that one.
                    None if !everybody => {
                        let one = self.expect(&ask.seats, &mut inner, &Ty::Player)?;
                        let span = one.span;
                        let this = crate::program::tree::Ex {
                            kind: crate::program::tree::Kind::Local(0),
                            span,
                        };
                        let same = super::binary(crate::program::tree::Op2::Eq, this, one);
                        let name = format!("{address}.where");
                        Some(self.function(name, 1, &inner, Vec::new(), Some(same), span))
                    }
                    None => None,
                };
                let most = match &ask.bound {
                    Some((e, cite)) => {
                        self.cite(cite);
                        let name = format!("{address}.changes");
                        Some(self.expression_function(name, e, scope, &Ty::Int)?)
                    }
                    None => None,
                };
                if until == Answers::UntilClosed && most.is_none() {
                    self.error(
                        Code::UnboundedQuestion,
                        ask.span,
                        "this question need never be closed",
                    )
                    .help = Some(
                        "say `at most n changes`: then only moves that close it are left"
                            .to_owned(),
                    );
                }
                let ask = self.model.asks.next_id();
                let (of, players) = ((scope.phase, address), u32::from(self.model.players));
                let open = self.remembered(of, StepPart::Open(ask), players);
                let changes = self.remembered(of, StepPart::Answers(ask), 1);
                Some(SeveralModel {
                    filter,
                    until,
                    open,
                    changes,
                    most,
                })
            }
        };
        let cite = self.cite(&ask.cite);
        let index = self.model.asks.push(AskModel {
            step: id(address),
            seat,
            several,
            moves: Vec::new(),
            sees: Vec::new(),
            cite,
            span: ask.span,
        });
        let around = super::MoveContext {
            phase: scope.phase,
            alias,
            vars: scope.vars.clone(),
        };
        self.ask_context.push(around.clone());
        self.asks_by_step.insert(address.to_owned(), index);
        for place in &ask.sees {
            let mut inner = scope.clone();
            let Some((site, addr)) = self.site_ref(place, &mut inner) else {
                continue;
            };
            let Some(crate::resolve::Site::Place(shown)) = site else {
                self.error(
                    Code::PlaceExpected,
                    place.span,
                    "a place is needed here, not a counter or marker",
                );
                continue;
            };
            let ex = super::parameters::address_value(addr, place.span);
            let cells = self.function(
                format!("{address}.sees"),
                0,
                &inner,
                Vec::new(),
                Some(ex),
                place.span,
            );
            self.model.asks[index].sees.push((shown, cells));
        }
        for group in &ask.groups {
            let mut around = around.clone();
            if let Some((name, _)) = &group.who {
                around.alias = Some(name.node.clone());
            }
            for decl in &group.moves {
                let declared = self.declare_move(decl, &[index], address, around.clone(), None);
                if let Some(pending) = declared.and_then(|mv| self.pending[mv].as_mut()) {
                    pending.group = match (&group.who, &group.seat) {
                        (Some((_, Some(filter))), _) => Some(super::Group::Where(filter)),
                        (_, Some(seat)) => Some(super::Group::Seat(seat)),
                        _ => None,
                    };
                }
            }
        }
        Some(index)
    }

    pub(super) fn add_moves(&mut self, addition: &'a ast::Addition, bound: Option<&Bound>) {
        for path in std::iter::once(&addition.step).chain(&addition.also) {
            let step = path_text(path);
            let Some(&ask) = self.asks_by_step.get(&step) else {
                let help = did_you_mean(&step, self.asks_by_step.keys().map(String::as_str))
                    .unwrap_or_else(|| "name a step that asks as `phase.step`".to_owned());
                self.report(
                    Code::UnknownQuestion
                        .error(path.span, format!("no question at `{step}`"))
                        .help(help),
                );
                continue;
            };
            let around = self.ask_context[ask].clone();
            for decl in &addition.moves {
                self.declare_move(decl, &[ask], &step, around.clone(), bound);
            }
        }
    }

    /// Phases that visit themselves, directly or through others, keep what is their own while they do.
    pub(super) fn keep_visited_again(&mut self) {
        let visits = self.model.phases.map(|phase| {
            let mut visits = Vec::new();
            visited(&self.model, &phase.steps, &mut visits);
            visited(&self.model, &phase.ends, &mut visits);
            visits
        });
        // Which phases each one leads to.
        let reach = |from: &Vec<PhaseId>| {
            let mut seen = std::collections::BTreeSet::new();
            let mut next = from.clone();
            while let Some(phase) = next.pop() {
                if seen.insert(phase) {
                    next.extend(&visits[phase]);
                }
            }
            seen
        };
        let reached = visits.map(reach);
        for (phase, leads) in reached.iter_enumerated() {
            if !leads.contains(&phase) {
                continue;
            }
            let circle = leads.iter().filter(|p| reached[**p].contains(&phase));
            let depth = circle.filter_map(|p| self.model.phases[*p].depth).max();
            let Some(depth) = depth else { continue };
            let cells: u32 = self.model.phases[phase].own.iter().map(|(_, n)| n).sum();
            let visits = u32::try_from(depth.max(1)).unwrap_or(1);
            let base = self.allocate(cells.saturating_mul(visits), Holds::Saved(phase));
            self.model.phases[phase].saved = Some((base, visits));
        }
    }

    /// Steps end steps and phases that there are.
    pub(super) fn check_ends(&mut self) {
        let mut names: Vec<String> = self
            .model
            .phases
            .iter()
            .map(|p| p.name.to_string())
            .collect();
        for phase in &self.model.phases {
            addresses(&phase.steps, &mut names);
        }
        for (address, span) in std::mem::take(&mut self.ends) {
            if !names.contains(&address) {
                let help = did_you_mean(&address, names.iter().map(String::as_str));
                self.error(
                    Code::EndOfUnenclosingStep,
                    span,
                    format!("no step is called `{address}`"),
                )
                .help = help;
            }
        }
    }

    pub(super) fn leftover_insertions(&mut self) {
        let left = std::mem::take(&mut self.insertions);
        for (target, list) in left {
            for (insertion, _) in list {
                let mut names: Vec<String> = self.phases.keys().cloned().collect();
                for phase in &self.model.phases {
                    addresses(&phase.steps, &mut names);
                }
                let help = did_you_mean(&target, names.iter().map(String::as_str))
                    .unwrap_or_else(|| "name a step as `phase.step`".to_owned());
                let d = Code::UnknownStep.error(
                    insertion.target.span,
                    format!("no step or phase is called `{target}`"),
                );
                self.report(d.help(help));
            }
        }
    }
}

/// Addresses of steps and of those below them.
fn addresses(steps: &[StepModel], names: &mut Vec<String>) {
    for step in steps {
        names.push(step.name.to_string());
        if let BodyModel::Steps(inner) = &step.body {
            addresses(inner, names);
        }
    }
}

/// Phases that steps visit.
fn visited(model: &Model, steps: &[StepModel], out: &mut Vec<PhaseId>) {
    for step in steps {
        for inner in [
            &step.at_start,
            &step.at_end,
            &step.before_turn,
            &step.after_turn,
        ] {
            visited(model, inner, out);
        }
        match &step.body {
            BodyModel::Visit { phase, .. } => out.push(*phase),
            BodyModel::Play { table, .. } => {
                let plays = model.plays.iter().filter(|((t, _), _)| t == table);
                out.extend(plays.map(|(_, phase)| *phase));
            }
            BodyModel::Ask(ask) => {
                let moves = model.asks[*ask].moves.iter();
                out.extend(moves.filter_map(|mv| Some(model.moves[*mv].goes_on.as_ref()?.0)));
            }
            BodyModel::Steps(inner) => visited(model, inner, out),
            BodyModel::Effect(_) | BodyModel::End { .. } => {}
        }
    }
}
