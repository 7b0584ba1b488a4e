//! What a seat is asked: the offers of the waiting question, by their names, and the question's number.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::Match;
use crate::analysis::counted::counted;
use crate::api::*;
use crate::flow::{Choice, OfferRow};
use crate::machine::choices::{Open, open_domain};
use crate::machine::open::AmountDomain;
use crate::machine::{Reader, read};
use crate::numbers::{At as _, Fit as _};
use crate::program::model::{
    Answers, AskId, AskModel, BagSource, Cell, DomainModel, MoveModel, ParamModel,
};
use crate::state::{MadeMove, Registers};

impl Match {
    /// What this seat is asked.
    pub fn question(&self, seat: Seat) -> Option<Question> {
        if let Some(turned) = self.turned(seat) {
            return turned.question(seat);
        }
        let ask = self.game.ask()?;
        if self.game.seat() != Some(seat.0) {
            return None;
        }
        let ruleset = &self.game.ruleset;
        let model = &ruleset.model().asks[ask];
        let offers: Vec<Offer> = self
            .game
            .offers
            .iter()
            .map(|o| self.offer(*o, seat))
            .collect();
        Some(Question {
            number: self.number(ask, seat, &offers),
            seat,
            step: model.step.clone(),
            cite: ruleset.clause(model.cite),
            offers,
        })
    }

    /// The number of what this seat is asked: that of its [`question`](Self::question), without making it
    /// where the number does not depend on what is offered.
    pub fn question_number(&self, seat: Seat) -> Option<u64> {
        let ask = self.game.ask()?;
        match &self.game.ruleset.model().asks[ask].several {
            Some(several) if several.until != Answers::All => Some(self.question(seat)?.number),
            _ if self.game.seats().contains(&seat.0) => Some(self.number(ask, seat, &[])),
            _ => None,
        }
    }

    /// The step that asks.
    pub fn asking_step(&self) -> Option<Id> {
        self.game.asking_step()
    }

    /// This match with the machine turned to another seat that is asked.
    pub(super) fn turned(&self, seat: Seat) -> Option<Match> {
        if self.game.seat() == Some(seat.0) || !self.game.seats().contains(&seat.0) {
            return None;
        }
        let mut other = self.clone();
        other.game.turn_to(seat.0).ok()?;
        Some(other)
    }

    /// The number of the question that waits for a seat: answers of others to the same question leave it as
    /// it is, unless they change what this seat can answer.
    pub(super) fn number(&self, ask: AskId, seat: Seat, offers: &[Offer]) -> u64 {
        let model = &self.game.ruleset.model().asks[ask];
        let made = self.history.moves();
        match &model.several {
            None => made.fit::<u64>() + 1,
            Some(several) if several.until == Answers::All => {
                let others = self.history.moves_backwards();
                let others =
                    others.take_while(|m| self.asked(m).step == model.step && m.seat != seat.0);
                (made - others.count()).fit::<u64>() + 1
            }
            Some(several) => {
                // A player who thinks while others bargain is not interrupted by what does not concern them.
                let mut hasher = DefaultHasher::new();
                let changes = self.game.cell(several.changes);
                (self.opened(ask, changes), offers).hash(&mut hasher);
                hasher.finish()
            }
        }
    }

    /// How many moves were made when a question was put that so many answers have not closed.
    pub(super) fn opened(&self, ask: AskId, changes: i32) -> usize {
        let model = self.game.ruleset.model();
        let asked = &model.asks[ask];
        let mut left = changes;
        let mut opened = self.history.moves();
        for made in self.history.moves_backwards() {
            if left == 0 || self.asked(&made).step != asked.step {
                break;
            }
            opened -= 1;
            left -= i32::from(!model.moves[made.mv].free);
        }
        opened
    }

    /// The question that a move answered.
    fn asked(&self, made: &MadeMove) -> &AskModel {
        &self.game.ruleset.model().asks[made.ask]
    }

    pub(super) fn offer(&self, row: OfferRow, seat: Seat) -> Offer {
        let ruleset = &self.game.ruleset;
        let model = &ruleset.model().moves[row.mv];
        let args = self.game.offer_args(row);
        let mut fixed = Vec::new();
        let mut open = Vec::new();
        for param in &model.params {
            let at = param.register.at() - 1;
            let given = &args[at..at + param.len.at()];
            let offered = self.is_offered(model, at, seat, args);
            if !param.is_open() {
                let absent = param.is_left_out() && given[0] == param.ty.nothing();
                if !absent || offered {
                    fixed.push((param.name.clone(), ruleset.whole(&param.ty, given)));
                }
                continue;
            }
            // Whether it is offered at all may depend on what else is chosen.
            if !offered && !param.depends {
                continue;
            }
            let mut registers = self.registers(seat, args);
            let mut reader = Reader::new(ruleset, &self.game.position.cells);
            if let Ok(Some(domain)) = open_domain(&mut reader, param, &mut registers) {
                let choice = Choice {
                    mv: row.mv,
                    args: args.into(),
                };
                let plan = self.game.plan_of(&choice, i32::from(seat.0));
                let plan = plan.unwrap_or_default();
                open.push(OpenParameter {
                    name: param.name.clone(),
                    domain: self.open(domain, param, &plan, seat, args),
                    depends: param.depends,
                });
            }
        }
        Offer {
            name: model.name.clone(),
            cite: ruleset.clause(model.cite),
            fixed,
            open,
            completions: row.completions,
            free: model.free,
        }
    }

    pub(super) fn is_offered(
        &self,
        model: &MoveModel,
        at: usize,
        seat: Seat,
        args: &[i64],
    ) -> bool {
        let Some(param) = model.params.iter().find(|p| p.register.at() == at + 1) else {
            return false;
        };
        let Some(when) = param.when else { return true };
        let mut registers = self.registers(seat, args);
        read(
            &self.game.ruleset,
            &self.game.position.cells,
            &mut registers,
            when,
        )
        .unwrap_or(0)
            != 0
    }

    pub(super) fn registers(&self, seat: Seat, args: &[i64]) -> Registers {
        let mut registers = Registers::of(&[i64::from(seat.0)]);
        registers[1..1 + args.len()].copy_from_slice(args);
        registers
    }

    pub(super) fn open(
        &self,
        open: Open,
        param: &ParamModel,
        plan: &[Cell],
        seat: Seat,
        args: &[i64],
    ) -> OpenDomain {
        let ruleset = &self.game.ruleset;
        match (open, &param.domain) {
            (Open::Amount(AmountDomain { from, to, step }), _) => {
                OpenDomain::Amount { from, to, step }
            }
            (Open::Values(from, to), _) => {
                let values = (from..to).map(|n| ruleset.value(&param.ty, n));
                OpenDomain::Values(values.collect())
            }
            (Open::Bag(bag), DomainModel::Bag { table, source, .. }) => {
                let sources = self.sources(*source, &bag.available, seat, args);
                let model = &ruleset.model().tables[*table];
                let available = bag.available.iter();
                let all = available.fold(0u32, |all, n| all.saturating_add(*n));
                let available = model
                    .rows
                    .iter()
                    .zip(&bag.available)
                    .filter(|(_, n)| **n > 0);
                OpenDomain::Bag {
                    table: model.name.clone(),
                    available: available.map(|(r, n)| (r.clone(), *n)).collect(),
                    size: (bag.least, bag.most.min(all)),
                    loose_beyond: bag.loose_beyond,
                    kinds: bag.kinds,
                    sources,
                }
            }
            (Open::Spread(spread), DomainModel::Spread(s)) => {
                let model = &ruleset.model().spreads[*s];
                let mut registers = self.registers(seat, args);
                let cells = &self.game.position.cells;
                let overflow = Reader::new(ruleset, cells).cell(&mut registers, model.overflow);
                let pieces = spread.pieces.iter().enumerate().filter(|(_, n)| **n > 0);
                let rooms = plan
                    .iter()
                    .zip(&spread.rooms)
                    .filter(|(_, room)| **room > 0);
                OpenDomain::Spread {
                    pieces: pieces
                        .map(|(row, n)| (ruleset.row_ref(model.table, row), *n))
                        .collect(),
                    over: rooms
                        .map(|(cell, room)| (ruleset.place_at(*cell), *room))
                        .collect(),
                    overflow: ruleset.place_at(overflow.unwrap_or_default()),
                }
            }
            (Open::Bag(_) | Open::Spread(_) | Open::Nothing(_), _) => OpenDomain::Bag {
                table: Id::from(""),
                available: Vec::new(),
                size: (0, 0),
                loose_beyond: None,
                kinds: None,
                sources: Vec::new(),
            },
        }
    }

    /// The places from which the pieces of a bag come.
    fn sources(
        &self,
        source: BagSource,
        available: &[u32],
        seat: Seat,
        args: &[i64],
    ) -> Vec<PlaceRef> {
        let (ruleset, cells) = (&self.game.ruleset, &self.game.position.cells);
        let mut registers = self.registers(seat, args);
        match source {
            BagSource::Cells(first) => {
                let first = Reader::new(ruleset, cells).cell(&mut registers, first);
                first
                    .map(|cell| ruleset.place_at(cell))
                    .into_iter()
                    .collect()
            }
            BagSource::Counts(counts) => {
                let each = ruleset.model().functions[counts].params.at() - 1;
                let mut places: Vec<PlaceRef> = Vec::new();
                for (row, _) in available.iter().enumerate().filter(|(_, n)| **n > 0) {
                    registers[each] = row.fit();
                    let args = &registers[..=each];
                    for cell in counted(ruleset.model(), cells, counts, args) {
                        if ruleset.program.lookup.place(cell).is_some() {
                            let place = ruleset.place_at(cell);
                            if !places.contains(&place) {
                                places.push(place);
                            }
                        }
                    }
                }
                places
            }
        }
    }
}
