//! What follows by itself: triggers of events, watches, and free moves at any time.

use std::collections::BTreeMap;

use super::{Checker, MoveContext, Ordered, Scope, and};
use crate::diagnostic::{Code, counted, did_you_mean};
use crate::numbers::At as _;
use crate::program::model::*;
use crate::program::tree::Ty;
use crate::resolve::{Bound, id, path_text};
use crate::source::Span;
use crate::syntax::ast::{self, Body};

impl<'a> Checker<'a> {
    pub(super) fn build_trigger(
        &mut self,
        trigger: &'a ast::Trigger,
        bound: Option<&Bound>,
        phase: Option<PhaseId>,
    ) {
        let name = path_text(&trigger.event);
        let short = name.rsplit('.').next().unwrap_or(&name);
        let Some(&event) = self.events.get(short) else {
            let help = did_you_mean(short, self.events.keys().map(String::as_str))
                .unwrap_or_else(|| "declare it: `event name(p: player)`".to_owned());
            self.report(
                Code::UnknownEvent
                    .error(trigger.event.span, format!("no event is called `{name}`"))
                    .help(help),
            );
            return;
        };
        let params = self.model.events[event].params.clone();
        if params.len() != trigger.args.len() {
            let message = format!(
                "`{short}` carries {}, not {}",
                counted(params.len(), "value"),
                trigger.args.len()
            );
            self.error(Code::WrongArgumentCount, trigger.event.span, message);
            return;
        }
        let mut scope = self.phase_scope(phase);
        for (name, (_, ty)) in trigger.args.iter().zip(&params) {
            let register = scope.local(&name.node, ty.clone());
            scope.locals[register.at()].used.set(true);
        }
        let label = format!("{}.on {short}", bound.map_or("rule", |b| &b.name.node));
        let Some(when) = self.condition(&label, trigger.when.as_ref(), bound, &scope, trigger.span)
        else {
            return;
        };
        let by_seat = params.first().is_some_and(|(_, ty)| *ty == Ty::Player);
        let once = trigger
            .once
            .as_ref()
            .and_then(|path| self.once(path, by_seat, &label))
            .map(|(base, _)| (base, by_seat));
        let cite = self
            .cite(&trigger.cite)
            .or_else(|| bound.and_then(|b| self.cite(&b.cite)));
        let called = trigger
            .name
            .as_ref()
            .or(bound.map(|b| &b.name))
            .map(|n| n.node.clone());
        let args: Vec<(String, Ty)> = trigger
            .args
            .iter()
            .zip(&params)
            .map(|(name, (_, ty))| (name.node.clone(), ty.clone()))
            .collect();
        let what = Consequence {
            label,
            called: called.clone().unwrap_or_else(|| format!("after_{short}")),
            args,
            cite,
            span: trigger.span,
        };
        let Some(body) = self.consequence(&trigger.body, what, &scope, phase) else {
            return;
        };
        let order = trigger
            .order
            .iter()
            .map(|(before, path)| {
                let name = path.parts.last().map_or("", |p| p.node.as_str());
                (*before, name.to_owned(), path.span)
            })
            .collect();
        let name = called.clone().unwrap_or_else(|| short.to_owned());
        self.ordered.push(Ordered {
            event,
            trigger: self.model.events[event].triggers.len(),
            name: called,
            order,
            span: trigger.span,
        });
        self.model.events[event].triggers.push(TriggerModel {
            name: id(&name),
            when,
            once,
            under: phase,
            body,
            cite,
        });
    }

    /// The condition of what belongs to a component, as a function of the scope's registers. The outer
    /// `None` is a mistake.
    fn condition(
        &mut self,
        label: &str,
        when: Option<&ast::Expr>,
        bound: Option<&Bound>,
        scope: &Scope,
        span: Span,
    ) -> Option<Option<FuncId>> {
        let mut inner = scope.clone();
        let mut all = match bound {
            Some(bound) => Some(self.bound_condition(bound, &mut inner)?),
            None => None,
        };
        if let Some(e) = when {
            let ex = self.expect(e, &mut inner, &Ty::Bool)?;
            all = Some(and(all, ex));
        }
        let Some(ex) = all else { return Some(None) };
        let name = format!("{label}.when");
        let function = self.function(name, scope.next, &inner, Vec::new(), Some(ex), span);
        Some(Some(function))
    }

    /// What follows: an effect of the registers, or a phase whose parameters are what they hold.
    fn consequence(
        &mut self,
        body: &'a Body,
        what: Consequence,
        scope: &Scope,
        phase: Option<PhaseId>,
    ) -> Option<TriggerBody> {
        if let Body::Do(script) = body {
            let mut inner = scope.clone();
            let statements = self.script(script, &mut inner);
            let effect = self.function(
                what.label,
                scope.next,
                &inner,
                statements,
                None,
                script.span,
            );
            if let Some(cite) = what.cite {
                self.model.function_cites.insert(effect, cite);
            }
            return Some(TriggerBody::Effect(effect));
        }
        if self.model.agenda.is_none() {
            let cells = 1 + agenda::MOST * agenda::WIDTH;
            self.model.agenda = Some(self.allocate(cells, Holds::Agenda));
        }
        let index = self.model.phases.next_id();
        let mut name = what.called;
        while self.model.phases.iter().any(|p| *p.name == *name) {
            name.push('_');
        }
        let mut vars = phase.map_or(Vec::new(), |p| self.phase_vars[p].clone());
        let mut params = Vec::new();
        for (name, ty) in what.args {
            let name = id(&name);
            let holds = Holds::Variable {
                phase: index,
                name: name.clone(),
            };
            let base = self.allocate(1, holds);
            params.push(VarModel {
                name,
                index: Vec::new(),
                ty,
                base,
                width: 1,
                len: 1,
                sight: Sight::Everybody,
            });
        }
        vars.extend(params.iter().cloned());
        self.phase_vars.push(vars);
        self.model.phases.push(PhaseModel {
            name: id(&name),
            params,
            keeps: Vec::new(),
            resets: Vec::new(),
            steps: Vec::new(),
            ends: Vec::new(),
            depth: None,
            own: Vec::new(),
            saved: None,
            cite: what.cite,
            endings: Vec::new(),
            plays_rows: true,
            span: what.span,
        });
        if let Some(phase) = phase {
            self.phase_parents.insert(index, phase);
        }
        let scope = self.phase_scope(Some(index));
        let steps = match body {
            Body::Steps(steps) => self.steps(steps, &scope),
            _ => {
                let body = self.body(body, &scope, &name)?;
                vec![StepModel {
                    body,
                    cite: what.cite,
                    ..StepModel::plain(id(&name), what.span)
                }]
            }
        };
        self.model.phases[index].steps = steps;
        Some(TriggerBody::Phase(index))
    }

    /// `when … becomes true`
    pub(super) fn build_watch(
        &mut self,
        watch: &'a ast::Watch,
        bound: Option<&Bound>,
        phase: Option<PhaseId>,
    ) {
        let player = watch
            .player
            .as_ref()
            .or_else(|| bound.and_then(|b| b.owner.as_ref()));
        let mut scope = self.phase_scope(phase);
        if let Some(player) = player {
            let register = scope.local(&player.node, Ty::Player);
            scope.locals[register.at()].used.set(true);
        }
        let called = watch
            .name
            .as_ref()
            .or(bound.map(|b| &b.name))
            .map_or_else(|| "watch".to_owned(), |n| n.node.clone());
        let label = format!("{called}.watch");
        let name = id(&called);
        let condition = Some(&watch.condition);
        let Some(Some(when)) = self.condition(&label, condition, bound, &scope, watch.span) else {
            return;
        };
        let cite = self
            .cite(&watch.cite)
            .or_else(|| bound.and_then(|b| self.cite(&b.cite)));
        let args = player.map(|p| (p.node.clone(), Ty::Player));
        let what = Consequence {
            label,
            called,
            args: args.into_iter().collect(),
            cite,
            span: watch.span,
        };
        let Some(body) = self.consequence(&watch.body, what, &scope, phase) else {
            return;
        };
        let each = player.is_some();
        let cells = if each {
            u32::from(self.model.players)
        } else {
            1
        };
        let number = self.model.watches.next_id();
        let memory = self.allocate(cells, Holds::Watch(number));
        self.model.watches.push(WatchModel {
            name: name.clone(),
            when,
            each,
            memory,
            under: phase,
            reveals: watch.reveals,
            trigger: TriggerModel {
                name,
                when: None,
                once: None,
                under: None,
                body,
                cite,
            },
        });
    }

    /// Brings the triggers of each event into their stated order; otherwise they stay as they are written.
    pub(super) fn order_triggers(&mut self) {
        let ordered = std::mem::take(&mut self.ordered);
        for event in self.model.events.ids() {
            let here: Vec<&Ordered> = ordered.iter().filter(|o| o.event == event).collect();
            if here.iter().all(|o| o.order.is_empty()) {
                continue;
            }
            // For each trigger, those that come before it.
            let mut earlier: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
            for one in &here {
                for (before, name, span) in &one.order {
                    let others: Vec<usize> = here
                        .iter()
                        .filter(|o| o.name.as_ref() == Some(name) && o.trigger != one.trigger)
                        .map(|o| o.trigger)
                        .collect();
                    if others.is_empty() {
                        // A component or rule that this table lacks orders nothing.
                        if self.rows.contains_key(name) {
                            continue;
                        }
                        let names = here.iter().filter_map(|o| o.name.as_deref());
                        let help = did_you_mean(name, names).unwrap_or_else(|| {
                            "name the component of another trigger, or what it is called by `as …`"
                                .to_owned()
                        });
                        self.error(
                            Code::UnknownTriggerOrder,
                            *span,
                            format!("no trigger of this event is called `{name}`"),
                        )
                        .help = Some(help);
                    }
                    for other in others {
                        let (first, second) = if *before {
                            (one.trigger, other)
                        } else {
                            (other, one.trigger)
                        };
                        earlier.entry(second).or_default().push(first);
                    }
                }
            }
            let mut left: Vec<usize> = here.iter().map(|o| o.trigger).collect();
            let mut order = Vec::new();
            while !left.is_empty() {
                let free = left.iter().position(|t| {
                    earlier
                        .get(t)
                        .is_none_or(|before| before.iter().all(|b| order.contains(b)))
                });
                let Some(at) = free else {
                    let spans: Vec<Span> = here
                        .iter()
                        .filter(|o| left.contains(&o.trigger) && !o.order.is_empty())
                        .map(|o| o.span)
                        .collect();
                    let message = "these triggers come before each other in a circle";
                    let mut d = Code::CyclicTriggerOrder.error(spans[0], message);
                    for span in &spans[1..] {
                        d = d.also(*span, "and this one");
                    }
                    self.report(d);
                    break;
                };
                order.push(left.remove(at));
            }
            let triggers = self.model.events[event].triggers.clone();
            if order.len() == triggers.len() {
                self.model.events[event].triggers =
                    order.into_iter().map(|t| triggers[t].clone()).collect();
            }
        }
    }

    /// Free moves beside every question: of everybody, or while a phase is under way.
    pub(super) fn add_at_any_time(
        &mut self,
        any: &'a ast::AnyTime,
        bound: Option<&Bound>,
        phase: Option<PhaseId>,
    ) {
        let heading = self.cite(&any.cite);
        let vars = phase.map_or(Vec::new(), |p| self.phase_vars[p].clone());
        let around = MoveContext {
            phase,
            alias: any.player.as_ref().map(|p| p.node.clone()),
            vars,
        };
        let asks: Vec<AskId> = self.model.asks.ids().collect();
        let address = match (phase, bound) {
            (_, Some(bound)) => bound.name.node.clone(),
            (Some(phase), None) => self.model.phases[phase].name.to_string(),
            (None, None) => "any_time".to_owned(),
        };
        for decl in &any.moves {
            let declared = self.declare_move(decl, &asks, &address, around.clone(), bound);
            let Some(number) = declared else { continue };
            let mv = &mut self.model.moves[number];
            mv.any_time = true;
            mv.heading = heading;
            let under = phase.map(|phase| Gate::new(GateKind::Under(phase), heading, any.span));
            mv.gates.extend(under);
            if let Some(pending) = &mut self.pending[number] {
                pending.when = any.when.as_ref();
            }
        }
    }
}

/// What follows something, and what it is called.
struct Consequence {
    label: String,
    called: String,
    args: Vec<(String, Ty)>,
    cite: Option<ClauseId>,
    span: Span,
}
