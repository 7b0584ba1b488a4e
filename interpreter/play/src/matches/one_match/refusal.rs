//! Why a submitted move is refused, and what would be legal instead.

use smallvec::smallvec;

use super::{ApplyError, Match};
use crate::api::*;
use crate::flow::{Choice, Judged, OfferRow};
use crate::machine::Reader;
use crate::machine::legal::standing;
use crate::numbers::At as _;
use crate::program::model::{AskId, ClauseId, DomainModel, Gate, MoveId, MoveModel, ParamModel};

impl Match {
    /// A submitted move as the machine's choice, legal or not.
    pub(super) fn read(&self, seat: Seat, mv: &Move) -> Result<Choice, ApplyError> {
        let refused = |refusal| ApplyError::Refused(Box::new(refusal));
        let bare = |reason, condition: Option<String>| Refusal {
            reason,
            clause: None,
            condition,
            limit: None,
            values: Vec::new(),
            alternatives: Vec::new(),
        };
        let plain = |reason, condition| refused(bare(reason, condition));
        let ruleset = &self.game.ruleset;
        let Some(ask) = self.game.ask() else {
            return Err(plain(RefusalReason::MatchOver, None));
        };
        let moves = &ruleset.model().asks[ask].moves;
        let mut known = moves.iter().copied();
        let known = known.find(|m| ruleset.model().moves[*m].name == mv.name);
        if self.game.seat() != Some(seat.0) {
            let mut refusal = bare(RefusalReason::NotAsked, None);
            let when = match known {
                Some(number) => self.asked_by(ask, number),
                None => self.elsewhere(&mv.name).and_then(|(_, clause)| clause),
            };
            refusal.clause = ruleset.clause(when);
            return Err(refused(refusal));
        }
        let Some(number) = known else {
            let mut refusal = bare(RefusalReason::UnknownMove, None);
            if let Some((step, clause)) = self.elsewhere(&mv.name) {
                refusal.clause = ruleset.clause(clause);
                let limit = step.map(|step| Limit::Elsewhere { step });
                refusal.condition = limit.as_ref().map(Limit::to_string);
                refusal.limit = limit;
            }
            refusal.alternatives = self.alternatives(None);
            return Err(refused(refusal));
        };
        let model = &ruleset.model().moves[number];
        let blank = Choice {
            mv: number,
            args: smallvec![0; model.registers.at() - 1],
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
        Ok(Choice {
            mv: number,
            args: args.into(),
        })
    }

    /// The clause that says when a question is asked for a move: the question's own, or that of the move.
    fn asked_by(&self, ask: AskId, mv: MoveId) -> Option<ClauseId> {
        let model = self.game.ruleset.model();
        model.asks[ask].cite.or(model.moves[mv].cite)
    }

    /// Which step asks for a move of a name and which clause says when, where all questions that have one agree on it;
    /// none if no question has one.
    fn elsewhere(&self, name: &Id) -> Option<(Option<Id>, Option<ClauseId>)> {
        let asks = self.game.ruleset.model().asks.iter_enumerated();
        let moves = &self.game.ruleset.model().moves;
        let found = asks.flat_map(|(ask, asked)| {
            let named = asked.moves.iter().filter(|mv| moves[**mv].name == *name);
            named.map(move |mv| (asked.step.clone(), self.asked_by(ask, *mv)))
        });
        let mut found = found.map(|(step, clause)| (Some(step), clause));
        let first = found.next()?;
        Some(found.fold(first, |(step, clause), (other, by)| {
            (
                step.filter(|step| Some(step) == other.as_ref()),
                clause.filter(|clause| Some(*clause) == by),
            )
        }))
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
                    let at = param.register.at() - 1;
                    args[at..at + there.len()].copy_from_slice(&there);
                }
            }
        }
        args
    }

    /// What is said of a well-formed move to which a gate is closed.
    pub(super) fn refusal(&self, seat: Seat, choice: &Choice, gate: &Gate) -> Refusal {
        Refusal {
            alternatives: self.alternatives(Some(choice)),
            ..self.reason(seat, choice, gate)
        }
    }

    /// The same without the legal moves nearby.
    pub(super) fn reason(&self, seat: Seat, choice: &Choice, gate: &Gate) -> Refusal {
        self.reason_among(seat, choice, gate, &|_| true)
    }

    /// The same where only some of the move's gates are looked at.
    pub(super) fn reason_among(
        &self,
        seat: Seat,
        choice: &Choice,
        gate: &Gate,
        judged: Judged<'_>,
    ) -> Refusal {
        let ruleset = &self.game.ruleset;
        let seat = i64::from(seat.0);
        let closed = self.game.why_closed_among(gate, choice, seat, judged);
        let model = ruleset.model();
        // Where neither gate nor move has a clause of its own, that of the question.
        let asked = self.game.ask().and_then(|ask| model.asks[ask].cite);
        let of_move = model.moves[choice.mv].cite;
        // Each thing has one value: a name that is used twice is told once.
        let mut values: Vec<Compared> = Vec::new();
        let read = closed.values.iter();
        let read = read.map(|compared| ruleset.compared(compared));
        let chosen = closed.chosen.map(|chosen| Compared {
            expression: chosen.name.to_string(),
            subject: Subject::Name(chosen.name),
            value: chosen.value,
        });
        for compared in read.chain(chosen) {
            let is_known = values.iter().any(|known| {
                known.expression == compared.expression
                    || (known.subject == compared.subject && known.value == compared.value)
            });
            if !is_known {
                values.push(compared);
            }
        }
        Refusal {
            reason: RefusalReason::Forbidden,
            clause: ruleset.clause(closed.clause.or(of_move).or(asked)),
            condition: Some(closed.condition),
            limit: closed.limit,
            values,
            alternatives: Vec::new(),
        }
    }

    /// Some legal moves, those nearest to a move first: of the same name, with the fewest other fixed
    /// arguments.
    pub(super) fn alternatives(&self, near: Option<&Choice>) -> Vec<Move> {
        let mut rows: Vec<OfferRow> = self.game.offers.clone();
        rows.sort_by_cached_key(|row| match near {
            Some(near) if near.mv == row.mv => self.fixed_otherwise(row, near),
            _ => usize::MAX,
        });
        let nearest = rows.into_iter().take(5);
        nearest.filter_map(|row| self.first_of(row)).collect()
    }

    /// A move of an offer: the first that can be chosen for its open parameters.
    fn first_of(&self, row: OfferRow) -> Option<Move> {
        let mut game = self.game.fork();
        let choice = game.complete(&self.game.ruleset, row, &mut || 0).ok()?;
        let seat = i32::from(self.game.seat().unwrap_or(0));
        let plan = self.game.plan_of(&choice, seat).unwrap_or_default();
        Some(self.game.ruleset.move_of(&choice, &plan))
    }

    /// A move of each of these offers of what a seat is asked, and whether it is one of several.
    pub(in crate::matches) fn offered_moves(
        &self,
        seat: Seat,
        offers: &[usize],
    ) -> Vec<Option<(Move, bool)>> {
        if let Some(turned) = self.turned(seat) {
            return turned.offered_moves(seat, offers);
        }
        let moves = offers.iter().map(|at| {
            let row = *self.game.offers.get(*at)?;
            Some((self.first_of(row)?, row.completions != Some(1)))
        });
        moves.collect()
    }

    /// How many fixed parameters of a move differ between an offer and a choice.
    pub(super) fn fixed_otherwise(&self, row: &OfferRow, choice: &Choice) -> usize {
        let offered = &self.game.arena[row.at.at()..][..row.len.at()];
        let params = &self.game.ruleset.model().moves[choice.mv].params;
        let differs = |param: &&ParamModel| {
            let at = param.register.at() - 1;
            let registers = at..at + param.len.at();
            !param.is_open() && offered.get(registers.clone()) != choice.args.get(registers)
        };
        params.iter().filter(differs).count()
    }
}
