//! What a question offers: legal moves found, counted, drawn, and judged one by one.

use super::limits::{bounded, unless_spent};
use super::{Args, Choice, Game, OfferRow};
use crate::budget;
use crate::machine::choices::{completed, completions, drawn, listed, open_domain};
use crate::machine::legal::{each_fixed, each_fixed_drawn, publicly_possible};
use crate::machine::open::below;
use crate::machine::{Judged, Reader, Ruleset, Trouble, TroubleKind};
use crate::numbers::{At as _, Fit as _};
use crate::program::model::{AskId, Cell, DomainModel, control};
use crate::state::Registers;

/// Units of [work](crate::budget) that an offer takes beside finding it: it takes room.
const OFFER: u64 = 64;

/// How often a move is drawn before there is taken to be none.
const DRAWN: u32 = 1000;

impl Game {
    /// Puts a move's arguments into the registers.
    pub(crate) fn bind(&mut self, choice: &Choice, seat: i32) {
        self.registers[0] = i64::from(seat);
        self.registers[1..1 + choice.args.len()].copy_from_slice(&choice.args);
    }

    /// Whether everybody can see that this is the only legal move. If only its player can, that the
    /// referee makes it would tell the others why.
    pub(crate) fn publicly_forced(
        &mut self,
        ruleset: &Ruleset,
        ask: AskId,
        only: OfferRow,
        seat: i64,
    ) -> Result<bool, Trouble> {
        let moves = &ruleset.model().moves;
        let promised = self.promised();
        let mut promises = promised.iter().map(|p| &ruleset.model().promises[*p]);
        let secret = promises.any(|promise| promise.hidden);
        if !secret && !ruleset.program.lookup.of_ask(ask).hidden {
            return Ok(true);
        }
        if moves[only.mv]
            .params
            .iter()
            .any(|p| p.hidden && p.is_open())
        {
            return Ok(false);
        }
        let mut reader = Reader {
            memory: Some(&mut self.memory),
            ..Reader::new(ruleset, &self.position.cells)
        };
        let mut found = 0;
        for mv in &ruleset.model().asks[ask].moves {
            let registers = &mut self.registers;
            found += publicly_possible(&mut reader, *mv, seat, registers, 2 - found)?;
            if found > 1 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a question stands: some offer is more than a move that is possible at any time, or was one
    /// until a promise forbade it, which what is possible at any time may help to keep.
    pub(crate) fn answerable(&self) -> bool {
        let moves = &self.ruleset.model().moves;
        let mut offers = self.offers.iter();
        match self.held_back {
            true => offers.next().is_some(),
            false => offers.any(|o| !moves[o.mv].any_time),
        }
    }

    /// First cells of the places of a spread argument, so that they can be named.
    pub(crate) fn plan_of(&self, choice: &Choice, seat: i32) -> Result<Vec<Cell>, Trouble> {
        let mv = &self.ruleset.model().moves[choice.mv];
        let mut cells = Vec::new();
        for param in &mv.params {
            if let DomainModel::Spread(s) = param.domain {
                for target in &self.ruleset.model().spreads[s].targets {
                    let mut registers = Registers::of(&[i64::from(seat)]);
                    registers[1..1 + choice.args.len()].copy_from_slice(&choice.args);
                    let state = &self.position.cells;
                    let mut reader = Reader::new(&self.ruleset, state);
                    let base = reader.cell(&mut registers, target.cells)?;
                    cells.extend(target.offsets.iter().map(|o| base + *o));
                }
            }
        }
        Ok(cells)
    }

    /// The completion of an offer at an index.
    pub(crate) fn completion(&mut self, offer: OfferRow, index: u128) -> Result<Choice, Trouble> {
        let (ruleset, mut left) = (self.ruleset.clone(), index);
        self.complete_with(&ruleset, offer, &mut |count| {
            let here = left % count.max(1);
            left /= count.max(1);
            here
        })
    }

    /// Finds the offers of the waiting question again.
    pub(crate) fn refresh(&mut self) -> Result<(), Trouble> {
        if let Some(ask) = self.ask() {
            let ruleset = self.ruleset.clone();
            self.look_for_waiting(&ruleset, ask)?;
            let seat = i64::from(self.cell(control::SEAT));
            bounded(|| self.find_offers(&ruleset, ask, seat))?;
        }
        Ok(())
    }

    pub(crate) fn find_offers(
        &mut self,
        ruleset: &Ruleset,
        ask: AskId,
        seat: i64,
    ) -> Result<(), Trouble> {
        self.clear_offers();
        let (offers, arena, opens) = (&mut self.offers, &mut self.arena, &mut self.opens);
        let mut reader = Reader {
            memory: Some(&mut self.memory),
            judged: Some(Judged::new(seat, &ruleset.model().asks[ask].moves)),
            ..Reader::new(ruleset, &self.position.cells)
        };
        for mv in &ruleset.model().asks[ask].moves {
            let known = offers.len();
            let mut keep = |args: &[i64], completions: Option<u128>, open: Option<u32>| {
                budget::charge(OFFER);
                offers.push(OfferRow {
                    mv: *mv,
                    at: arena.len().fit(),
                    len: args.len().fit(),
                    completions,
                    open,
                });
                // Most are few: no call to copy them.
                match args {
                    [] => {}
                    [one] => arena.push(*one),
                    [one, other] => arena.extend([*one, *other]),
                    _ => arena.extend_from_slice(args),
                }
            };
            let registers = &mut self.registers;
            // Most moves are complete as they are found: to ask what completes each would cost more than to find it.
            if ruleset.program.lookup.of_move(*mv).closed {
                each_fixed(&mut reader, *mv, seat, registers, &mut |_, found| {
                    keep(found.args(), Some(1), None);
                    Ok(budget::is_spent())
                })?;
            } else {
                each_fixed(
                    &mut reader,
                    *mv,
                    seat,
                    registers,
                    &mut |reader, mut found| {
                        let completed = completions(reader, *mv, found.registers())?;
                        if completed.count != Some(0) {
                            let open = completed.only.map(|only| {
                                opens.push(only);
                                opens.len().fit::<u32>() - 1
                            });
                            keep(found.args(), completed.count, open);
                        }
                        Ok(budget::is_spent())
                    },
                )?;
            }
            if let Some(judged) = &mut reader.judged {
                judged.note(offers.len() > known);
            }
            unless_spent(ruleset.start_of(ruleset.program.bytecode.listings[*mv].ascending))?;
        }
        self.held_back = false;
        if self.is_promised(ask) {
            let before = self.answerable();
            self.keep_promising(ruleset)?;
            self.held_back = before && !self.answerable();
        }
        Ok(())
    }

    /// Drops the offers that would break a promise. Of those with open parameters only what is chosen
    /// tells.
    fn keep_promising(&mut self, ruleset: &Ruleset) -> Result<(), Trouble> {
        for offer in std::mem::take(&mut self.offers) {
            unless_spent(ruleset.start_of(ruleset.program.bytecode.listings[offer.mv].ascending))?;
            let kept = !ruleset.program.lookup.of_move(offer.mv).closed || {
                let args = self.offer_args(offer).into();
                let choice = Choice { mv: offer.mv, args };
                self.breaks(&choice)?.is_none()
            };
            if kept {
                self.offers.push(offer);
            }
        }
        Ok(())
    }

    pub(crate) fn offer_args(&self, offer: OfferRow) -> &[i64] {
        &self.arena[offer.at.at()..offer.at.at() + offer.len.at()]
    }

    /// Draws the open arguments of an offer.
    pub(crate) fn complete(
        &mut self,
        ruleset: &Ruleset,
        offer: OfferRow,
        random: &mut dyn FnMut() -> u64,
    ) -> Result<Choice, Trouble> {
        self.complete_with(ruleset, offer, &mut |count| below(count, random))
    }

    fn complete_with(
        &mut self,
        ruleset: &Ruleset,
        offer: OfferRow,
        index: &mut dyn FnMut(u128) -> u128,
    ) -> Result<Choice, Trouble> {
        let mut args = Args::from_slice(self.offer_args(offer));
        let facts = ruleset.program.lookup.of_move(offer.mv);
        if facts.closed {
            return Ok(Choice { mv: offer.mv, args });
        }
        let model = &ruleset.model().moves[offer.mv];
        if let Some(open) = offer.open.and_then(|open| self.opens.get(open.at())) {
            let only = model.params.iter().find(|p| p.is_open());
            let at = only.map_or(0, |param| param.register.at() - 1);
            let count = offer.completions.unwrap_or(0);
            open.pick(index(count), &mut args[at..])?;
            return Ok(Choice { mv: offer.mv, args });
        }
        let seat = i64::from(self.cell(control::SEAT));
        if facts.read {
            self.registers[0] = seat;
            self.registers[1..1 + args.len()].copy_from_slice(&args);
            let mut reader = Reader::new(ruleset, &self.position.cells);
            let (mv, registers) = (offer.mv, &mut self.registers);
            match offer.completions {
                Some(count) => completed(&mut reader, mv, registers, index(count))?,
                None if drawn(&mut reader, mv, registers, index)? => {}
                None => {
                    return Err(TroubleKind::TooManyChoices.nowhere());
                }
            }
            let args = self.registers[1..1 + args.len()].into();
            return Ok(Choice { mv: offer.mv, args });
        }
        for param in model.params.iter().filter(|p| p.is_open()) {
            let at = param.register.at() - 1;
            let load = |registers: &mut [i64], args: &[i64]| {
                registers[0] = seat;
                registers[1..1 + args.len()].copy_from_slice(args);
            };
            if let Some(when) = param.when {
                load(&mut self.registers, &args);
                if self.pure(when)? == 0 {
                    args[at] = param.ty.nothing();
                    continue;
                }
            }
            load(&mut self.registers, &args);
            let mut reader = Reader::new(ruleset, &self.position.cells);
            if let Some(open) = open_domain(&mut reader, param, &mut self.registers)? {
                open.pick(index(open.count()?), &mut args[at..])?;
            }
        }
        Ok(Choice { mv: offer.mv, args })
    }

    /// Completions of an offer, at most so many.
    pub(crate) fn complete_all(
        &mut self,
        offer: OfferRow,
        limit: usize,
    ) -> Result<Vec<Choice>, Trouble> {
        let args = self.offer_args(offer).to_vec();
        let ruleset = self.ruleset.clone();
        self.registers[0] = i64::from(self.cell(control::SEAT));
        self.registers[1..1 + args.len()].copy_from_slice(&args);
        let mut reader = Reader::new(&ruleset, &self.position.cells);
        let all = listed(&mut reader, offer.mv, &mut self.registers, limit)?;
        let choices = all.into_iter().map(|registers| Choice {
            mv: offer.mv,
            args: registers[1..].into(),
        });
        Ok(choices.collect())
    }

    /// Whether the choices of a question are drawn, not listed, in this game.
    pub(crate) fn is_drawn(&self, ask: AskId) -> bool {
        self.draws && self.ruleset.program.lookup.of_ask(ask).searched
    }

    /// Whether a seat has a move that is more than one that is possible at any time.
    pub(crate) fn can_answer(
        &mut self,
        ruleset: &Ruleset,
        ask: AskId,
        seat: i64,
    ) -> Result<bool, Trouble> {
        let moves = &ruleset.model().asks[ask].moves;
        if self.is_promised(ask) {
            self.set(control::SEAT, seat);
            self.find_offers(ruleset, ask, seat)?;
            return Ok(self.answerable());
        }
        // What is found fastest comes first.
        let mut order = moves.clone();
        order.sort_by_key(|mv| {
            let model = &ruleset.model().moves[*mv];
            (model.searched, model.params.len())
        });
        let mut reader = Reader {
            memory: Some(&mut self.memory),
            ..Reader::new(ruleset, &self.position.cells)
        };
        for mv in order {
            let possible = !ruleset.model().moves[mv].any_time
                && reader.is_possible(mv, seat, &mut self.registers)?;
            if possible {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Draws a legal move without listing any: a move, then its parameters one after the other.
    fn draw(
        &mut self,
        ruleset: &Ruleset,
        ask: AskId,
        random: &mut dyn FnMut() -> u64,
    ) -> Result<Choice, Trouble> {
        let seat = i64::from(self.cell(control::SEAT));
        let mut moves = ruleset.model().asks[ask].moves.clone();
        while !moves.is_empty() {
            let mv = moves.swap_remove(below(moves.len(), random));
            let mut reader = Reader {
                memory: Some(&mut self.memory),
                ..Reader::new(ruleset, &self.position.cells)
            };
            let random = std::cell::RefCell::new(&mut *random);
            let mut draw = |count: u128| below(count, &mut **random.borrow_mut());
            let mut args = None;
            each_fixed_drawn(
                &mut reader,
                mv,
                seat,
                &mut self.registers,
                &mut || (**random.borrow_mut())(),
                &mut |reader, mut found| {
                    let len = found.args().len();
                    let registers = found.registers();
                    let found = drawn(reader, mv, registers, &mut draw)?;
                    args = found.then(|| Args::from_slice(&registers[1..=len]));
                    Ok(found)
                },
            )?;
            if let Some(args) = args {
                let choice = Choice { mv, args };
                if self.breaks(&choice)?.is_none() {
                    return Ok(choice);
                }
            }
        }
        Err(TroubleKind::NoWayOn.nowhere())
    }

    /// Draws a legal move: uniformly among offers, then uniformly among completions, if they are counted.
    pub(crate) fn sample(&mut self, random: &mut dyn FnMut() -> u64) -> Result<Choice, Trouble> {
        self.sample_by(&self.ruleset.clone(), random)
    }

    /// The same for a caller that holds the ruleset already.
    pub(crate) fn sample_by(
        &mut self,
        ruleset: &Ruleset,
        random: &mut dyn FnMut() -> u64,
    ) -> Result<Choice, Trouble> {
        if let Some(ask) = self.ask()
            && self.is_drawn(ask)
        {
            return self.draw(ruleset, ask, random);
        }
        let nothing = TroubleKind::NoWayOn.nowhere();
        // What is drawn for an open parameter may break a promise, or not be found at all.
        for _ in 0..DRAWN {
            let index = below(self.offers.len(), random);
            let Some(&offer) = self.offers.get(index) else {
                return Err(nothing);
            };
            let choice = match self.complete(ruleset, offer, random) {
                Err(trouble) if trouble.kind == TroubleKind::TooManyChoices => continue,
                choice => choice?,
            };
            let closed = ruleset.program.lookup.of_move(offer.mv).closed;
            if closed || self.breaks(&choice)?.is_none() {
                return Ok(choice);
            }
        }
        Err(nothing)
    }
}
