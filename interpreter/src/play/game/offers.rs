//! What a question offers: legal moves found, counted, drawn, and judged one by one.

use super::{Choice, Game, OfferRow};
use crate::check::ir::NONE;
use crate::check::model::{DomainModel, control};
use crate::play::legal::{
    Open, completed, completions, default, each_fixed, numbers, open_domain, publicly_possible,
};
use crate::play::open::below;
use crate::play::table::{Reader, read};
use crate::play::vm::{REGISTERS, Trouble, TroubleKind};

impl Game {
    /// Puts a move's arguments into the registers.
    pub(in crate::play) fn bind(&mut self, choice: &Choice, seat: i32) {
        self.registers[0] = i64::from(seat);
        self.registers[1..1 + choice.args.len()].copy_from_slice(&choice.args);
    }

    /// Whether everybody can see that this is the only legal move. If only its player can, that the
    /// referee makes it would tell the others why.
    pub(in crate::play) fn publicly_forced(
        &mut self,
        ask: usize,
        only: OfferRow,
        seat: i64,
    ) -> Result<bool, Trouble> {
        let ruleset = self.ruleset.clone();
        let moves = &ruleset.model.moves;
        let hides = |mv: usize| {
            let model = &moves[mv];
            model.needs.iter().any(|n| n.hidden) || model.params.iter().any(|p| p.hidden)
        };
        if !ruleset.model.asks[ask].moves.iter().any(|mv| hides(*mv)) {
            return Ok(true);
        }
        if moves[only.mv as usize]
            .params
            .iter()
            .any(|p| p.hidden && p.is_open())
        {
            return Ok(false);
        }
        let mut eyes = Reader::new(&ruleset, &self.position.cells);
        let mut found = 0;
        for mv in &ruleset.model.asks[ask].moves {
            let registers = &mut self.registers;
            found += publicly_possible(&mut eyes, *mv, seat, registers, 2 - found)?;
            if found > 1 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether some offer is more than a move that is possible at any time.
    pub(in crate::play) fn answerable(&self) -> bool {
        let moves = &self.ruleset.model.moves;
        self.offers.iter().any(|o| !moves[o.mv as usize].any_time)
    }

    /// First cells of the places of a spread argument, so that they can be named.
    pub(crate) fn plan_of(&self, choice: &Choice, seat: i32) -> Result<Vec<u32>, Trouble> {
        let mv = &self.ruleset.model.moves[choice.mv as usize];
        let mut cells = Vec::new();
        for param in &mv.params {
            if let DomainModel::Spread(s) = param.domain {
                for target in &self.ruleset.model.spreads[s].targets {
                    let mut registers = vec![0; REGISTERS / 8];
                    registers[0] = i64::from(seat);
                    registers[1..1 + choice.args.len()].copy_from_slice(&choice.args);
                    let base = read(
                        &self.ruleset,
                        &self.position.cells,
                        &mut registers,
                        target.cells,
                    )? as u32;
                    cells.extend(target.offsets.iter().map(|o| base + o));
                }
            }
        }
        Ok(cells)
    }

    /// The completion of an offer at an index.
    pub(crate) fn completion(&mut self, offer: OfferRow, index: u128) -> Result<Choice, Trouble> {
        let mut left = index;
        self.complete_with(offer, &mut |count| {
            let here = left % count.max(1);
            left /= count.max(1);
            here
        })
    }

    /// Finds the offers of the waiting question again.
    pub(crate) fn refresh(&mut self) -> Result<(), Trouble> {
        if let Some(ask) = self.ask() {
            self.look_for_waiting(ask)?;
            let seat = i64::from(self.cell(control::SEAT));
            self.find_offers(ask, seat)?;
        }
        Ok(())
    }

    pub(in crate::play) fn find_offers(&mut self, ask: usize, seat: i64) -> Result<(), Trouble> {
        self.offers.clear();
        self.arena.clear();
        let ruleset = self.ruleset.clone();
        self.cache.forget();
        let (offers, arena) = (&mut self.offers, &mut self.arena);
        let mut eyes = Reader {
            ruleset: &ruleset,
            cells: &self.position.cells,
            seen: None,
            cache: Some(&mut self.cache),
        };
        for mv in &ruleset.model.asks[ask].moves {
            let model = &ruleset.model.moves[*mv];
            let len = model.registers - 1;
            each_fixed(
                &mut eyes,
                *mv,
                seat,
                &mut self.registers,
                &mut |eyes, registers| {
                    let at = arena.len();
                    arena.extend_from_slice(&registers[1..=len as usize]);
                    let completions = completions(eyes, *mv, registers)?;
                    if completions > 0 {
                        offers.push(OfferRow {
                            mv: *mv as u32,
                            at: at as u32,
                            len,
                            completions,
                        });
                    } else {
                        arena.truncate(at);
                    }
                    Ok(false)
                },
            )?;
        }
        Ok(())
    }

    pub(crate) fn offer_args(&self, offer: OfferRow) -> &[i64] {
        &self.arena[offer.at as usize..offer.at as usize + offer.len as usize]
    }

    /// Draws the open arguments of an offer.
    pub(crate) fn complete(
        &mut self,
        offer: OfferRow,
        random: &mut dyn FnMut() -> u64,
    ) -> Result<Choice, Trouble> {
        self.complete_with(offer, &mut |count| below(count, random))
    }

    fn complete_with(
        &mut self,
        offer: OfferRow,
        index: &mut dyn FnMut(u128) -> u128,
    ) -> Result<Choice, Trouble> {
        let mut args = self.offer_args(offer).to_vec();
        let ruleset = self.ruleset.clone();
        let model = &ruleset.model.moves[offer.mv as usize];
        let seat = i64::from(self.cell(control::SEAT));
        if model.params.iter().any(|p| p.read) {
            self.registers[0] = seat;
            self.registers[1..1 + args.len()].copy_from_slice(&args);
            let mut eyes = Reader::new(&ruleset, &self.position.cells);
            let index = index(offer.completions);
            completed(&mut eyes, offer.mv as usize, &mut self.registers, index)?;
            let args = self.registers[1..1 + args.len()].to_vec();
            return Ok(Choice { mv: offer.mv, args });
        }
        for param in &model.params {
            let at = param.register as usize - 1;
            if let (true, Some(when)) = (param.is_open(), param.when) {
                self.registers[0] = seat;
                self.registers[1..1 + args.len()].copy_from_slice(&args);
                if self.pure(when)? == 0 {
                    continue;
                }
            }
            self.registers[0] = seat;
            self.registers[1..1 + args.len()].copy_from_slice(&args);
            match open_domain(
                &mut Reader::new(&ruleset, &self.position.cells),
                &param.domain,
                &mut self.registers,
            )? {
                None | Some(Open::Nothing(_)) => {}
                Some(Open::Bag(bag)) => {
                    let counts = bag.pick(index(bag.count()));
                    for (arg, n) in args[at..].iter_mut().zip(counts) {
                        *arg = i64::from(n);
                    }
                }
                Some(Open::Spread(spread)) => {
                    let plan = spread.pick(index(spread.count()));
                    for (arg, n) in args[at..].iter_mut().zip(plan) {
                        *arg = i64::from(n);
                    }
                }
            }
        }
        Ok(Choice { mv: offer.mv, args })
    }

    /// Draws a legal move: uniformly among offers, then uniformly among completions.
    pub(crate) fn sample(&mut self, random: &mut dyn FnMut() -> u64) -> Result<Choice, Trouble> {
        let index = below(self.offers.len() as u128, random) as usize;
        match self.offers.get(index) {
            Some(&offer) => self.complete(offer, random),
            None => Err(Trouble {
                kind: TroubleKind::NoWayOn,
                op: 0,
            }),
        }
    }

    /// Whether a complete choice is legal, without looking at the offers.
    pub(crate) fn is_legal(&mut self, choice: &Choice, seat: i64) -> Result<bool, Trouble> {
        let Some(ask) = self.ask() else {
            return Ok(false);
        };
        let ruleset = self.ruleset.clone();
        if !ruleset.model.asks[ask]
            .moves
            .contains(&(choice.mv as usize))
        {
            return Ok(false);
        }
        let model = &ruleset.model.moves[choice.mv as usize];
        if let Some((base, _)) = model.once
            && self.cell(base + seat as u32) != 0
        {
            return Ok(false);
        }
        if let Some((changes, most)) = model.bounded
            && i64::from(self.cell(changes)) >= self.pure(most)?
        {
            return Ok(false);
        }
        if model.under.is_some_and(|phase| !self.is_under_way(phase)) {
            return Ok(false);
        }
        let load = |registers: &mut Vec<i64>| {
            registers[0] = seat;
            registers[1..1 + choice.args.len()].copy_from_slice(&choice.args);
        };
        for param in &model.params {
            let at = param.register as usize - 1;
            load(&mut self.registers);
            let offered = match param.when {
                Some(when) => self.pure(when)? != 0,
                None => true,
            };
            load(&mut self.registers);
            let value = choice.args[at];
            let fits = match &param.domain {
                _ if !offered && param.is_open() => choice.args[at..at + param.len as usize]
                    .iter()
                    .all(|n| *n == 0),
                _ if !offered => value == default(&param.ty),
                DomainModel::Upto(n) => (0..i64::from(*n)).contains(&value),
                DomainModel::OptionUpto(n) => (NONE..i64::from(*n)).contains(&value),
                DomainModel::Range(from, to) => {
                    let from = self.pure(*from)?;
                    load(&mut self.registers);
                    (from..=self.pure(*to)?).contains(&value)
                }
                open => {
                    match open_domain(
                        &mut Reader::new(&ruleset, &self.position.cells),
                        open,
                        &mut self.registers,
                    )? {
                        Some(Open::Bag(bag)) => {
                            bag.contains(&numbers(&choice.args[at..at + bag.available.len()]))
                        }
                        Some(Open::Spread(spread)) => {
                            let len = spread.rooms.len() * spread.pieces.len();
                            spread.contains(&numbers(&choice.args[at..at + len]))
                        }
                        Some(Open::Nothing(_)) | None => false,
                    }
                }
            };
            if !fits {
                return Ok(false);
            }
        }
        for need in &model.needs {
            load(&mut self.registers);
            if self.pure(need.condition)? == 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
