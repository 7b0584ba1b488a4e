//! What is added at a moment of a step or phase.
//!
//! An addition is a step of its own. What belongs to a component and names no turn happens for each
//! owner in turn order; what stands at the moment of a turn happens for the player whose turn it is.

use super::{Checker, Scope, and, binary, constant, either, not, of_seat};
use crate::diagnostic::Code;
use crate::numbers::Fit as _;
use crate::program::model::*;
use crate::program::tree::{Addr, Arg, Ex, Kind, Op2, St, Ty, Verb};
use crate::resolve::{Added, Bound, id};
use crate::source::Span;
use crate::syntax::ast::{self, Moment};

/// A turn: the cell of its player, and the cells that remember who had one.
#[derive(Clone, Copy)]
pub(super) struct Turns {
    pub player: Cell,
    pub had: Cell,
}

impl<'a> Checker<'a> {
    /// Everything that is added at a moment, in order.
    pub(super) fn added(
        &mut self,
        all: &[Added<'a>],
        moment: Moment,
        scope: &Scope,
        target: &str,
        turns: Option<Turns>,
    ) -> Vec<StepModel> {
        let here: Vec<&Added<'a>> = all.iter().filter(|(i, _)| i.moment == moment).collect();
        let mut steps = Vec::new();
        let mut together = Vec::new();
        for (insertion, bound) in here {
            let built = self.insertion(insertion, bound.as_ref(), scope, target, turns);
            match built {
                Some(step) if insertion.owner_orders => together.push((step, insertion.span)),
                built => steps.extend(built),
            }
        }
        match (together.len(), turns) {
            (0, _) => {}
            (1, _) => steps.extend(together.into_iter().map(|(step, _)| step)),
            (_, Some(turns)) => steps.push(self.owner_orders(together, scope, target, turns)),
            (_, None) => {
                self.error(
                    Code::OrderWithoutOwner,
                    together[0].1,
                    "nobody owns a moment that is not a player's turn",
                )
                .help = Some(
                    "`owner orders` stands at `before first turn of p in …` and the like"
                        .to_owned(),
                );
            }
        }
        steps
    }

    fn insertion(
        &mut self,
        insertion: &'a ast::Insertion,
        bound: Option<&Bound>,
        scope: &Scope,
        target: &str,
        turns: Option<Turns>,
    ) -> Option<StepModel> {
        let mut scope = scope.clone();
        let base = match (&insertion.name, bound) {
            (Some(name), _) => name.node.clone(),
            (None, Some(bound)) => bound.name.node.clone(),
            (None, None) => format!("{}_inserted", target.rsplit('.').next().unwrap_or(target)),
        };
        let mut address = self.address(scope.phase, &base);
        let mut number = 2;
        while !self.inserted.insert(address.clone()) {
            address = self.address(scope.phase, &format!("{base}_{number}"));
            number += 1;
        }
        let turn = scope
            .vars
            .iter()
            .rev()
            .find(|v| v.ty == Ty::Player && v.index.is_empty())
            .cloned();
        if let Some(player) = &insertion.player {
            let Some(turn) = turn.clone().filter(|_| turns.is_some()) else {
                self.error(
                    Code::MomentWithoutPlayer,
                    player.span,
                    format!("`{target}` has no turns of players"),
                );
                return None;
            };
            scope.vars.push(VarModel {
                name: id(&player.node),
                ..turn
            });
        }
        let owner = bound.and_then(|b| b.owner.as_ref());
        let known = |owner: &ast::Name| {
            insertion
                .player
                .as_ref()
                .is_some_and(|p| p.node == owner.node)
        };
        let mut over = OverModel::Once;
        if let Some(owner) = owner.filter(|o| !known(o)) {
            // Each owner, from the one whose turn or phase it is.
            let span = insertion.span;
            let from = match &turn {
                Some(turn) => Ex {
                    kind: Kind::Load(turn.addr()),
                    span,
                },
                None => constant(0, span),
            };
            let from = self.function(
                format!("{address}.from"),
                0,
                &Scope::default(),
                Vec::new(),
                Some(from),
                span,
            );
            let of = (scope.phase, address.as_str());
            let left = self.remembered(of, StepPart::Left, 1);
            let var = self.remembered(of, StepPart::Turn(Ty::Player), 1);
            scope.vars.push(VarModel {
                name: id(&owner.node),
                index: Vec::new(),
                ty: Ty::Player,
                base: var,
                width: 1,
                len: 1,
                sight: Sight::Everybody,
            });
            over = OverModel::EachPlayer {
                var,
                left,
                from,
                filter: None,
            };
        }
        let mut inner = scope.clone();
        let mut when = match bound {
            Some(bound) if bound.owner.is_some() => Some(self.bound_condition(bound, &mut inner)?),
            _ => None,
        };
        if let Some(condition) = &insertion.when {
            let condition = self.expect(condition, &mut inner, &Ty::Bool)?;
            when = Some(and(when, condition));
        }
        if let (Moment::BeforeFirstTurn | Moment::AfterFirstTurn, Some(turns)) =
            (insertion.moment, turns)
        {
            let seat = load(turns.player, insertion.span);
            let first = not(of_seat(turns.had, seat));
            when = Some(match when {
                Some(when) => and(Some(first), when),
                None => first,
            });
        }
        let when = when.map(|ex| {
            self.function(
                format!("{address}.when"),
                0,
                &inner,
                Vec::new(),
                Some(ex),
                insertion.span,
            )
        });
        let body = self.body(&insertion.body, &scope, &address)?;
        let cite = self
            .cite(&insertion.cite)
            .or_else(|| bound.and_then(|b| self.cite(&b.cite)));
        if let (BodyModel::Effect(func), Some(cite)) = (&body, cite) {
            self.model.function_cites.insert(*func, cite);
        }
        let (when, over) = match over {
            OverModel::EachPlayer {
                var, left, from, ..
            } => {
                let filter = when;
                (
                    None,
                    OverModel::EachPlayer {
                        var,
                        left,
                        from,
                        filter,
                    },
                )
            }
            over => (when, over),
        };
        Some(StepModel {
            when,
            over,
            body,
            cite,
            ..StepModel::plain(id(&address), insertion.span)
        })
    }

    /// Several additions at one moment of a player: that player says which comes next.
    fn owner_orders(
        &mut self,
        together: Vec<(StepModel, Span)>,
        scope: &Scope,
        target: &str,
        turns: Turns,
    ) -> StepModel {
        let span = together[0].1;
        let short = target.rsplit('.').next().unwrap_or(target);
        let address = self.address(scope.phase, &format!("{short}_ordered"));
        let count = together.len().fit();
        let of = (scope.phase, address.as_str());
        let done = self.remembered(of, StepPart::Done, count);
        let chosen = self.remembered(of, StepPart::Chosen, 1);
        // What still waits: it applies and was not done.
        let waits: Vec<Ex> = together
            .iter()
            .enumerate()
            .map(|(i, (step, span))| {
                let open = not(load(done + i.fit::<u32>(), *span));
                match step.when {
                    Some(when) => {
                        let applies = Kind::Call(when, Vec::new()).at(*span);
                        and(Some(open), applies)
                    }
                    None => open,
                }
            })
            .collect();
        let any = waits.iter().cloned().reduce(either);
        let finished = not(any.unwrap_or_else(|| constant(0, span)));
        let until = self.pure(format!("{address}.until"), 0, finished, span);
        let reset = done.run(count).map(|cell| set(cell, constant(0, span)));
        let reset = self.act(format!("{address}.reset"), 0, reset.collect(), span);
        let seat = self.pure(format!("{address}.asks"), 0, load(turns.player, span), span);
        let ask = self.model.asks.push(AskModel {
            step: id(&address),
            seat,
            several: None,
            moves: Vec::new(),
            sees: Vec::new(),
            cite: None,
            span,
        });
        self.ask_context.push(super::MoveContext {
            phase: scope.phase,
            alias: None,
            vars: scope.vars.clone(),
        });
        let mut steps = Vec::new();
        for (i, ((step, span), waits)) in together.into_iter().zip(waits).enumerate() {
            let name = step
                .name
                .rsplit('.')
                .next()
                .unwrap_or(&step.name)
                .to_owned();
            let condition = self.pure(format!("{address}.{name}.needs"), 1, waits, span);
            let choose = vec![
                set(done + i.fit::<u32>(), constant(1, span)),
                set(chosen, constant(i.fit(), span)),
            ];
            let effect = self.act(format!("{address}.{name}"), 1, choose, span);
            self.pending.push(None);
            let mv = self.model.moves.push(MoveModel {
                name: id(&name),
                address: id(&format!("{address}.{name}")),
                free: false,
                params: Vec::new(),
                searched: false,
                gates: vec![Gate::new(GateKind::Need(condition), step.cite, span)],
                effects: vec![MoveEffect { when: None, effect }],
                closes: false,
                goes_on: None,
                cite: step.cite,
                registers: 1,
                any_time: false,
                heading: None,
                span,
            });
            self.model.asks[ask].moves.push(mv);
            let this = binary(Op2::Eq, load(chosen, span), constant(i.fit(), span));
            let this = self.pure(format!("{address}.{name}.chosen"), 0, this, span);
            steps.push(StepModel {
                when: Some(this),
                body: BodyModel::Steps(vec![step.clone()]),
                ..StepModel::plain(step.name.clone(), span)
            });
        }
        let asking = StepModel {
            body: BodyModel::Ask(ask),
            ..StepModel::plain(id(&address), span)
        };
        steps.insert(0, asking);
        let choosing = StepModel {
            over: OverModel::Repeat {
                until: UntilModel::Condition(until),
            },
            body: BodyModel::Steps(steps),
            ..StepModel::plain(id(&address), span)
        };
        let resetting = StepModel {
            body: BodyModel::Effect(reset),
            ..StepModel::plain(id(&address), span)
        };
        StepModel {
            body: BodyModel::Steps(vec![resetting, choosing]),
            ..StepModel::plain(id(&address), span)
        }
    }

    fn pure(&mut self, name: String, params: u16, ex: Ex, span: Span) -> FuncId {
        let scope = Scope {
            next: params,
            ..Scope::default()
        };
        self.function(name, params, &scope, Vec::new(), Some(ex), span)
    }

    fn act(&mut self, name: String, params: u16, body: Vec<St>, span: Span) -> FuncId {
        let scope = Scope {
            next: params,
            ..Scope::default()
        };
        self.function(name, params, &scope, body, None, span)
    }
}

fn load(cell: Cell, span: Span) -> Ex {
    let addr = Addr {
        base: cell,
        index: Vec::new(),
    };
    Kind::Load(addr).at(span)
}

fn set(cell: Cell, value: Ex) -> St {
    let span = value.span;
    let addr = Addr {
        base: cell,
        index: Vec::new(),
    };
    St::Do(Kind::Verb(Verb::Set, vec![Arg::Cells(addr), Arg::Value(value)]).at(span))
}
