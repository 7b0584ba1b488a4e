//! Why a gate is closed to a move, in words: its clause, what it asks for, and what its condition compared.

use crate::analysis::evaluate::{self, Compared, Source};
use crate::numbers::At as _;
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
    /// What it asks for, for people.
    pub condition: String,
    /// What a condition compared; nothing where that would tell the mover a secret.
    pub values: Vec<Compared>,
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
        let phase = |phase: PhaseId| &ruleset.model().phases[phase].name;
        let mut closed = Closed {
            clause: gate.cite,
            condition: String::new(),
            values: Vec::new(),
        };
        closed.condition = match gate.kind {
            GateKind::Under(under) => format!("only while `{}` is under way", phase(under)),
            GateKind::Once { phase: of, .. } => format!("once per {}", phase(of)),
            GateKind::AtMost { most, .. } => {
                let most = self.read_for(choice, seat, most);
                format!("at most {} changes", most.unwrap_or_default())
            }
            GateKind::Domain(param) => {
                let param = &model.params[param];
                format!(
                    "`{}`: {}",
                    param.name,
                    self.why_outside(param, choice, seat)
                )
            }
            GateKind::Need(_) | GateKind::Promise(_) => {
                ruleset.sources().text(gate.span).to_owned()
            }
        };
        if let GateKind::Domain(param) = gate.kind
            && model.params[param].len == 1
        {
            // What was chosen, so that the name that the condition begins with says what it stands for.
            let param = &model.params[param];
            closed.values.push(Compared {
                span: gate.span,
                value: choice.args[param.register.at() - 1],
                ty: param.ty.clone(),
                source: Source::Name,
                own: true,
            });
        }
        if let GateKind::Need(condition) = gate.kind {
            let cells = &self.position.cells;
            let can = |mv: MoveId, seat: i64| {
                let mut registers = Registers::default();
                Reader::new(ruleset, cells)
                    .is_possible(mv, seat, &mut registers)
                    .unwrap_or(false)
            };
            let mut args = vec![seat];
            args.extend(&choice.args);
            let types = model.register_types();
            let (_, trace) =
                evaluate::explain(ruleset.model(), cells, &can, condition, &args, &types);
            closed.clause = closed.clause.or(trace.clauses.last().copied());
            // The mover may not see what such a condition compares.
            if !gate.reveals {
                closed.values = trace.values;
            }
        }
        closed
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

    /// What is wrong with a choice for a parameter.
    fn why_outside(&self, param: &ParamModel, choice: &Choice, seat: i64) -> &'static str {
        let offered = |when| self.read_for(choice, seat, when) != Some(0);
        if !param.when.is_none_or(offered) {
            return "this choice is not offered now";
        }
        let mut registers = Registers::of(&[seat]);
        registers[1..1 + choice.args.len()].copy_from_slice(&choice.args);
        let mut reader = Reader::new(&self.ruleset, &self.position.cells);
        match (
            &param.domain,
            open_domain(&mut reader, param, &mut registers),
        ) {
            (DomainModel::Same { .. }, _) => "this is not what is there now",
            (_, Ok(Some(Open::Bag(_)))) => "this bag is outside of its limits",
            (_, Ok(Some(Open::Spread(_)))) => "every piece must be placed while there is room",
            _ => "this choice is outside of its limits",
        }
    }
}
