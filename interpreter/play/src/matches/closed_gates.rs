//! Why a gate is closed to a move, in words: its clause, what it asks for, and what its condition compared.

use crate::analysis::evaluate::{self, Compared, Source, Trace};
use crate::api::{Bound, Chosen, Limit};
use crate::flow::{Choice, Game, Judged};
use crate::machine::choices::{Open, open_domain};
use crate::machine::open::{BagDomain, Exceeded, Misplaced, SpreadDomain};
use crate::machine::{Reader, read};
use crate::numbers::{At as _, Fit as _};
use crate::program::model::{
    BagSource, ClauseId, DomainModel, FuncId, Gate, GateKind, MoveId, ParamModel, PhaseId, SpreadId,
};
use crate::state::Registers;

/// Why a gate is closed.
pub(crate) struct Closed {
    /// The clause that says so, if it has one or a query has that decided.
    pub clause: Option<ClauseId>,
    /// The clause of the query that sets the limit that was passed, or that decided that nothing is offered.
    of_limit: Option<ClauseId>,
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
    /// Else the query that sets the limit says why, if it has a clause.
    pub(crate) fn why_closed(&self, gate: &Gate, choice: &Choice, seat: i64) -> Closed {
        self.why_closed_among(gate, choice, seat, &|_| true)
    }

    /// The same where only some of the move's gates are looked at.
    pub(crate) fn why_closed_among(
        &self,
        gate: &Gate,
        choice: &Choice,
        seat: i64,
        judged: Judged<'_>,
    ) -> Closed {
        let mut own = self.why_gate(gate, choice, seat);
        if let (GateKind::Domain(param), None) = (gate.kind, own.clause) {
            let model = &self.ruleset.model().moves[choice.mv];
            let others = model.gates.iter().filter(|other| judged(other));
            let closed = others.filter(|other| match other.kind {
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
        own.clause = own.clause.or(own.of_limit);
        own
    }

    /// Why this very gate is closed; of a limit only what it says of itself.
    pub(crate) fn why_gate(&self, gate: &Gate, choice: &Choice, seat: i64) -> Closed {
        let ruleset = &self.ruleset;
        let model = &ruleset.model().moves[choice.mv];
        let phase = |phase: PhaseId| ruleset.model().phases[phase].name.clone();
        let mut closed = Closed {
            clause: gate.cite,
            of_limit: None,
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
                            _ => {
                                closed.of_limit = trace.clauses.last().copied();
                                Limit::NotOffered(chosen)
                            }
                        }
                    }
                    None => {
                        let (limit, set_by) = self.why_outside(param, choice, seat, chosen);
                        closed.of_limit =
                            set_by.and_then(|set_by| self.clause_of(set_by, choice, seat));
                        limit
                    }
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
    pub(crate) fn explain(
        &self,
        condition: FuncId,
        choice: &Choice,
        seat: i64,
    ) -> (Option<i64>, Trace) {
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

    /// The clause of the query that gave a number.
    fn clause_of(&self, set_by: SetBy, choice: &Choice, seat: i64) -> Option<ClauseId> {
        let model = self.ruleset.model();
        let mut args = vec![seat];
        args.extend(&choice.args);
        if let Some(row) = set_by.row {
            let each = model.functions[set_by.function].params.at() - 1;
            args.resize(args.len().max(each + 1), 0);
            args[each] = row.fit();
        }
        evaluate::clause_of(model, &self.position.cells, set_by.function, &args)
    }

    /// What is wrong with a choice for a parameter that is offered, and what sets the limit that it passes.
    fn why_outside(
        &self,
        param: &ParamModel,
        choice: &Choice,
        seat: i64,
        chosen: Chosen,
    ) -> (Limit, Option<SetBy>) {
        let mut registers = Registers::of(&[seat]);
        registers[1..1 + choice.args.len()].copy_from_slice(&choice.args);
        let mut reader = Reader::new(&self.ruleset, &self.position.cells);
        let given = &choice.args[param.register.at() - 1..][..param.len.at()];
        let number = |asked: i64, (from, to): (i64, i64), step: i64| Bound::Number {
            asked,
            from,
            to,
            step,
        };
        let end = |asked: i64, least: i64, from: FuncId, to: FuncId| {
            let function = if asked < least { from } else { to };
            SetBy::number(function)
        };
        let outside = match (
            &param.domain,
            open_domain(&mut reader, param, &mut registers),
        ) {
            (DomainModel::Same { .. }, _) => return (Limit::NotThere(chosen), None),
            (DomainModel::Spread(id), Ok(Some(Open::Spread(spread)))) => {
                self.bound_of_spread(*id, &spread, choice, seat, given)
            }
            (
                DomainModel::Amount { from, to, .. } | DomainModel::Range(from, to),
                Ok(Some(Open::Amount(amount))),
            ) => {
                let bound = number(given[0], (amount.from, amount.to), amount.step);
                Some((bound, Some(end(given[0], amount.from, *from, *to))))
            }
            (domain @ DomainModel::Bag { .. }, Ok(Some(Open::Bag(bag)))) => {
                self.bound_of_bag(domain, &bag, given)
            }
            (DomainModel::Range(from, to), _) => {
                let ends = (
                    self.read_for(choice, seat, *from),
                    self.read_for(choice, seat, *to),
                );
                match ends {
                    (Some(least), Some(most)) => {
                        let bound = number(given[0], (least, most), 1);
                        Some((bound, Some(end(given[0], least, *from, *to))))
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        match outside {
            Some((bound, set_by)) => (Limit::Outside(chosen, Some(bound)), set_by),
            None => (Limit::Outside(chosen, None), None),
        }
    }

    /// Which bound of a spread a plan is outside of, and what sets it.
    fn bound_of_spread(
        &self,
        spread: SpreadId,
        domain: &SpreadDomain,
        choice: &Choice,
        seat: i64,
        given: &[i64],
    ) -> Option<(Bound, Option<SetBy>)> {
        let model = &self.ruleset.model().spreads[spread];
        Some(match domain.misplaced(&counts(given))? {
            Misplaced::Row { row, asked } => {
                let bound = Bound::Kind {
                    of: self.ruleset.row_ref(model.table, row),
                    asked,
                    available: domain.pieces[row],
                };
                (bound, None)
            }
            Misplaced::Place { place, asked } => {
                let plan = self.plan_of(choice, seat.fit()).ok()?;
                let bound = Bound::Room {
                    place: self.ruleset.place_at(*plan.get(place)?),
                    asked,
                    room: domain.rooms[place],
                };
                (bound, None)
            }
            Misplaced::Left { placed, due } => (Bound::Unplaced { placed, due }, None),
        })
    }

    /// Which bound of a bag a choice is outside of, and what sets it.
    fn bound_of_bag(
        &self,
        domain: &DomainModel,
        bag: &BagDomain,
        given: &[i64],
    ) -> Option<(Bound, Option<SetBy>)> {
        let DomainModel::Bag {
            table,
            source,
            least,
            most,
            loose_beyond,
            kinds,
            ..
        } = domain
        else {
            return None;
        };
        let counts = counts(given);
        let (bound, set_by) = match bag.exceeded(&counts)? {
            Exceeded::Row(row) => {
                let bound = Bound::Kind {
                    of: self.ruleset.row_ref(*table, row),
                    asked: counts[row],
                    available: bag.available[row],
                };
                let set_by = match source {
                    // What lies in a place needs no rule.
                    BagSource::Cells(_) => None,
                    BagSource::Counts(function) => Some(SetBy {
                        function: *function,
                        row: Some(row),
                    }),
                };
                (bound, set_by)
            }
            Exceeded::Size(asked) => {
                let bound = Bound::Pieces {
                    asked,
                    least: bag.least,
                    most: (bag.most < u32::MAX).then_some(bag.most),
                };
                let set_by = if asked < bag.least.into() {
                    least
                } else {
                    most
                };
                (bound, set_by.map(SetBy::number))
            }
            Exceeded::Kinds(asked) => {
                let bound = Bound::Kinds {
                    asked: asked.fit(),
                    most: bag.kinds.unwrap_or_default(),
                };
                (bound, kinds.map(SetBy::number))
            }
            Exceeded::Loose(asked) => {
                let (most, kinds) = bag.loose_beyond.unwrap_or_default();
                let set_by = loose_beyond.map(|(loose, _)| SetBy::number(loose));
                (Bound::Loose { asked, most, kinds }, set_by)
            }
        };
        Some((bound, set_by))
    }
}

/// Numbers of pieces. What is no such number, as one below zero, counts as more than there can be.
fn counts(given: &[i64]) -> Vec<u32> {
    let counts = given.iter().map(|n| u32::try_from(*n));
    counts.map(|n| n.unwrap_or(u32::MAX)).collect()
}

/// What gives a limit: a function of the move, and the row for which it gives it.
#[derive(Clone, Copy)]
struct SetBy {
    function: FuncId,
    row: Option<usize>,
}

impl SetBy {
    fn number(function: FuncId) -> SetBy {
        SetBy {
            function,
            row: None,
        }
    }
}
