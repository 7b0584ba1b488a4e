//! Why a submitted move is refused, and what would be legal instead.

use smallvec::smallvec;

use super::{ApplyError, Match};
use crate::analysis::evaluate;
use crate::play::api::*;
use crate::play::flow::{Choice, OfferRow};
use crate::play::machine::choices::{Open, open_domain};
use crate::play::machine::legal::standing;
use crate::play::machine::{Reader, read};
use crate::play::state::Registers;
use crate::program::model::{DomainModel, MoveModel, ParamModel};
use crate::program::tree::NONE;

impl Match {
    /// A submitted move as the machine's choice, legal or not, and the number of its kind.
    pub(super) fn read(&self, seat: Seat, mv: &Move) -> Result<(usize, Choice), ApplyError> {
        let refused = |refusal| ApplyError::Refused(Box::new(refusal));
        let bare = |reason, condition: Option<String>| Refusal {
            reason,
            clause: None,
            condition,
            values: Vec::new(),
            alternatives: Vec::new(),
        };
        let plain = |reason, condition| refused(bare(reason, condition));
        let ruleset = &self.game.ruleset;
        let Some(ask) = self.game.ask() else {
            return Err(plain(RefusalReason::MatchOver, None));
        };
        if self.game.seat() != Some(seat.0) {
            return Err(plain(RefusalReason::NotAsked, None));
        }
        let moves = &ruleset.model().asks[ask].moves;
        let Some(&number) = moves
            .iter()
            .find(|m| ruleset.model().moves[**m].name == mv.name)
        else {
            let mut refusal = bare(RefusalReason::UnknownMove, None);
            refusal.alternatives = self.alternatives(None);
            return Err(refused(refusal));
        };
        let model = &ruleset.model().moves[number];
        let blank = Choice {
            mv: number as u32,
            args: smallvec![0; model.registers as usize - 1],
        };
        let plan = self
            .game
            .plan_of(&blank, i32::from(seat.0))
            .unwrap_or_default();
        let args = match ruleset.arguments(model, mv, &plan) {
            Ok(args) => args,
            Err(why) => return Err(plain(RefusalReason::MalformedArgument, Some(why))),
        };
        let args = self.with_what_is_there(seat, model, mv, args);
        let choice = Choice {
            mv: number as u32,
            args: args.into(),
        };
        Ok((number, choice))
    }

    /// The arguments of a move, what must be repeated filled in where the move leaves it out.
    pub(super) fn with_what_is_there(
        &self,
        seat: Seat,
        model: &MoveModel,
        mv: &Move,
        mut args: Vec<i64>,
    ) -> Vec<i64> {
        for param in &model.params {
            let given = mv.args.iter().any(|(name, _)| *name == param.name);
            if let (DomainModel::Same { cells, optional }, false) = (&param.domain, given) {
                let mut registers = self.registers(seat, &args);
                let mut reader = Reader::new(&self.game.ruleset, &self.game.position.cells);
                let there = standing(&mut reader, *cells, *optional, param.len, &mut registers);
                if let Ok(Some(there)) = there {
                    let at = param.register as usize - 1;
                    args[at..at + there.len()].copy_from_slice(&there);
                }
            }
        }
        args
    }

    /// Why a well-formed move is not legal.
    pub(super) fn refusal(&self, seat: Seat, number: usize, choice: &Choice) -> Refusal {
        let ruleset = &self.game.ruleset;
        let model = &ruleset.model().moves[number];
        // Where the move has no clause of its own, that of the question.
        let asked = self
            .game
            .ask()
            .and_then(|ask| ruleset.model().asks[ask].cite);
        let mut refusal = Refusal {
            reason: RefusalReason::Forbidden,
            clause: ruleset.clause(model.cite.or(asked)),
            condition: None,
            values: Vec::new(),
            alternatives: self.alternatives(Some(choice)),
        };
        if let Some((base, Some(phase))) = model.once
            && self.game.cell(base + u32::from(seat.0)) != 0
        {
            refusal.condition = Some(format!("once per {}", ruleset.model().phases[phase].name));
            return refusal;
        }
        if let Some((changes, most)) = model.bounded
            && let mut registers = self.registers(seat, &[])
            && let Ok(most) = read(ruleset, &self.game.position.cells, &mut registers, most)
            && i64::from(self.game.cell(changes)) >= most
        {
            refusal.condition = Some(format!("at most {most} changes"));
            let ask = self.game.ask().and_then(|a| ruleset.model().asks[a].cite);
            refusal.clause = ruleset.clause(ask).or(refusal.clause);
            return refusal;
        }
        let mut args = vec![i64::from(seat.0)];
        args.extend(&choice.args);
        let cells = &self.game.position.cells;
        let can = |mv: usize, seat: i64| {
            let mut registers = Registers::default();
            Reader::new(ruleset, cells)
                .is_possible(mv, seat, &mut registers)
                .unwrap_or(false)
        };
        let types = model.register_types();
        for need in &model.needs {
            let (value, trace) =
                evaluate::explain(ruleset.model(), cells, &can, need.condition, &args, &types);
            if value == Some(0) || value.is_none() {
                refusal.clause = ruleset
                    .clause(need.cite)
                    .or_else(|| trace.clauses.last().and_then(|c| ruleset.clause(Some(*c))))
                    .or(refusal.clause);
                refusal.condition = Some(ruleset.sources().text(need.span).to_owned());
                // The mover may not see what such a condition compares.
                if need.reveals {
                    return refusal;
                }
                refusal.values = trace
                    .values
                    .into_iter()
                    .map(|(span, value, ty)| {
                        let text = ruleset.sources().text(span).to_owned();
                        (text, ruleset.value(&ty, value))
                    })
                    .collect();
                return refusal;
            }
        }
        // No condition failed: an argument is outside of its domain.
        for param in &model.params {
            let at = param.register as usize - 1;
            let mut registers = self.registers(seat, &choice.args);
            let given = &choice.args[at..at + param.len as usize];
            let nothing = given[0] == param.ty.nothing() && given[1..].iter().all(|n| *n == 0);
            let offered = self.is_offered(model, at, seat, &choice.args);
            let mut reader = Reader::new(ruleset, cells);
            let mut bound = |f| reader.read(&mut self.registers(seat, &choice.args), f);
            let outside = match &param.domain {
                DomainModel::Upto(n) => !(0..i64::from(*n)).contains(&given[0]),
                DomainModel::OptionUpto(n) => !(NONE..i64::from(*n)).contains(&given[0]),
                DomainModel::Range(from, to) => match (bound(*from), bound(*to)) {
                    (Ok(from), Ok(to)) => !(from..=to).contains(&given[0]),
                    _ => false,
                },
                _ => false,
            };
            let condition = match (
                &param.domain,
                open_domain(&mut reader, param, &mut registers),
            ) {
                _ if !offered && nothing => continue,
                _ if !offered => "this choice is not offered now",
                _ if outside => "this choice is outside of its limits",
                (DomainModel::Same { cells, optional }, _) => {
                    let len = param.len;
                    match standing(&mut reader, *cells, *optional, len, &mut registers) {
                        Ok(there) if there.as_deref() != Some(given) => {
                            "this is not what is there now"
                        }
                        _ => continue,
                    }
                }
                (_, Ok(Some(open))) if !open.contains(given) => match open {
                    Open::Bag(_) => "this bag is outside of its limits",
                    Open::Spread(_) => "every piece must be placed while there is room",
                    _ => "this choice is outside of its limits",
                },
                _ => continue,
            };
            refusal.clause = ruleset.clause(param.cite).or(refusal.clause);
            refusal.condition = Some(format!("`{}`: {condition}", param.name));
            return refusal;
        }
        if let Ok(Some(promise)) = self.game.breaks(choice) {
            refusal.clause = ruleset.clause(promise.cite).or(refusal.clause);
            refusal.condition = Some(ruleset.sources().text(promise.span).to_owned());
        }
        refusal
    }

    /// Some legal moves, those nearest to a move first: of the same name, with the fewest other fixed
    /// arguments.
    pub(super) fn alternatives(&self, near: Option<&Choice>) -> Vec<Move> {
        let mut rows: Vec<OfferRow> = self.game.offers.clone();
        rows.sort_by_cached_key(|row| match near {
            Some(near) if near.mv == row.mv => self.fixed_otherwise(row, near),
            _ => usize::MAX,
        });
        let mut out = Vec::new();
        for row in rows.into_iter().take(5) {
            let mut game = self.game.fork();
            let Ok(choice) = game.complete(&self.game.ruleset, row, &mut || 0) else {
                continue;
            };
            let seat = i32::from(self.game.seat().unwrap_or(0));
            let plan = self.game.plan_of(&choice, seat).unwrap_or_default();
            out.push(self.game.ruleset.move_of(&choice, &plan));
        }
        out
    }

    /// How many fixed parameters of a move differ between an offer and a choice.
    pub(super) fn fixed_otherwise(&self, row: &OfferRow, choice: &Choice) -> usize {
        let offered = &self.game.arena[row.at as usize..][..row.len as usize];
        let params = &self.game.ruleset.model().moves[choice.mv as usize].params;
        let differs = |param: &&ParamModel| {
            let at = param.register as usize - 1;
            let registers = at..at + param.len as usize;
            !param.is_open() && offered.get(registers.clone()) != choice.args.get(registers)
        };
        params.iter().filter(differs).count()
    }
}
