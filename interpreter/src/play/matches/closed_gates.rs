//! Why a gate is closed to a move, in words: its clause, what it asks for, and what its condition compared.

use crate::analysis::evaluate::{self, Compared, Source, Trace};
use crate::numbers::At as _;
use crate::play::api::{Chosen, Limit};
use crate::play::flow::{Choice, Game};
use crate::play::machine::choices::{Open, open_domain};
use crate::play::machine::{Reader, read};
use crate::play::state::Registers;
use crate::program::model::{
    ClauseId, DomainModel, FuncId, Gate, GateKind, MoveId, ParamModel, PhaseId,
};

/// Why a gate is closed.
pub(crate) struct Closed {
    /// The clause that says so, if it has one or a query has that decided.
    pub clause: Option<ClauseId>,
    /// What it asks for, as it is written.
    pub condition: String,
    /// The same where it is no condition of the ruleset's own.
    pub limit: Option<Limit>,
    /// What a condition compared; nothing where that would tell the mover a secret.
    pub values: Vec<Compared>,
    /// What was chosen outside of what can be, if one number says it.
    pub chosen: Option<Chosen>,
}

impl Game {
    /// Why a gate is closed to a choice, for people.
    ///
    /// A limit without a clause says what can be chosen, and not why: where a condition on the same choice is
    /// closed too, that condition is the reason. (It is not judged before the limit, outside of which it may fault.)
    pub(crate) fn why_closed(&self, gate: &Gate, choice: &Choice, seat: i64) -> Closed {
        if let (GateKind::Domain(param), None) = (gate.kind, gate.cite) {
            let model = &self.ruleset.model().moves[choice.mv];
            let closed = model.gates.iter().filter(|other| match other.kind {
                GateKind::Need(need) if other.reads >> param & 1 == 1 && !other.reveals => {
                    self.read_for(choice, seat, need) == Some(0)
                }
                _ => false,
            });
            let mut reasons = closed.map(|need| self.why_gate(need, choice, seat));
            if let Some(reason) = reasons.find(|reason| reason.clause.is_some()) {
                return reason;
            }
        }
        self.why_gate(gate, choice, seat)
    }

    /// Why this very gate is closed.
    fn why_gate(&self, gate: &Gate, choice: &Choice, seat: i64) -> Closed {
        let ruleset = &self.ruleset;
        let model = &ruleset.model().moves[choice.mv];
        let phase = |phase: PhaseId| ruleset.model().phases[phase].name.clone();
        let mut closed = Closed {
            clause: gate.cite,
            condition: String::new(),
            limit: None,
            values: Vec::new(),
            chosen: None,
        };
        closed.limit = match gate.kind {
            GateKind::Under(under) => Some(Limit::Under {
                phase: phase(under),
            }),
            GateKind::Once { phase: of, .. } => Some(Limit::Once {
                phase: phase(of),
                choice: None,
            }),
            GateKind::AtMost { most, .. } => Some(Limit::Answers {
                most: self.read_for(choice, seat, most).unwrap_or_default(),
            }),
            GateKind::Domain(param) => {
                let param = &model.params[param];
                let registers = &choice.args[param.register.at() - 1..][..param.len.at()];
                let chosen = Chosen {
                    name: param.name.clone(),
                    value: ruleset.whole(&param.ty, registers),
                };
                Some(match self.why_not_offered(param, choice, seat) {
                    Some(trace) => {
                        if !gate.reveals && !param.hidden {
                            // Names say nothing: the condition is not shown.
                            let values = trace.values.into_iter();
                            closed.values = values.filter(|v| v.source != Source::Name).collect();
                        }
                        match param.limit {
                            Some(limit) if trace.failed == Some(limit.span) => {
                                closed.clause = limit.cite;
                                Limit::Once {
                                    phase: phase(limit.phase),
                                    choice: Some(chosen),
                                }
                            }
                            _ => Limit::NotOffered(chosen),
                        }
                    }
                    None => self.why_outside(param, choice, seat)(chosen),
                })
            }
            GateKind::Need(_) | GateKind::Promise(_) => None,
        };
        closed.condition = match &closed.limit {
            Some(limit) => limit.to_string(),
            None => ruleset.sources().text(gate.span).to_owned(),
        };
        if let GateKind::Domain(param) = gate.kind
            && model.params[param].len == 1
        {
            // So that the name that the condition begins with says what it stands for.
            let param = &model.params[param];
            let at = param.register.at() - 1;
            closed.chosen = Some(Chosen {
                name: param.name.clone(),
                value: ruleset.whole(&param.ty, &choice.args[at..=at]),
            });
        }
        if let GateKind::Need(condition) = gate.kind {
            let (_, trace) = self.explain(condition, choice, seat);
            closed.clause = closed.clause.or(trace.clauses.last().copied());
            // The mover may not see what such a condition compares.
            if !gate.reveals {
                closed.values = trace.values;
            }
        }
        closed
    }

    /// The value of a condition of a move, and what decided it.
    fn explain(&self, condition: FuncId, choice: &Choice, seat: i64) -> (Option<i64>, Trace) {
        let (ruleset, cells) = (&self.ruleset, &self.position.cells);
        let can = |mv: MoveId, seat: i64| {
            let mut registers = Registers::default();
            Reader::new(ruleset, cells)
                .is_possible(mv, seat, &mut registers)
                .unwrap_or(false)
        };
        let mut args = vec![seat];
        args.extend(&choice.args);
        let types = ruleset.model().moves[choice.mv].register_types();
        evaluate::explain(ruleset.model(), cells, &can, condition, &args, &types)
    }

    /// Why a parameter is not offered at all; none if it is.
    fn why_not_offered(&self, param: &ParamModel, choice: &Choice, seat: i64) -> Option<Trace> {
        let (value, trace) = self.explain(param.when?, choice, seat);
        (value == Some(0)).then_some(trace)
    }

    /// What a function of a move gives for a choice; none if it faults.
    fn read_for(&self, choice: &Choice, seat: i64, function: FuncId) -> Option<i64> {
        let mut registers = Registers::of(&[seat]);
        registers[1..1 + choice.args.len()].copy_from_slice(&choice.args);
        read(
            &self.ruleset,
            &self.position.cells,
            &mut registers,
            function,
        )
        .ok()
    }

    /// What is wrong with a choice for a parameter that is offered.
    fn why_outside(&self, param: &ParamModel, choice: &Choice, seat: i64) -> fn(Chosen) -> Limit {
        let mut registers = Registers::of(&[seat]);
        registers[1..1 + choice.args.len()].copy_from_slice(&choice.args);
        let mut reader = Reader::new(&self.ruleset, &self.position.cells);
        match (
            &param.domain,
            open_domain(&mut reader, param, &mut registers),
        ) {
            (DomainModel::Same { .. }, _) => Limit::NotThere,
            (_, Ok(Some(Open::Spread(_)))) => Limit::Unplaced,
            _ => Limit::Outside,
        }
    }
}
