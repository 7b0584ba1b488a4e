//! Who is asked: one seat, or several who may answer in any order.
//!
//! A question to several seats keeps in the state who is still asked. The machine always has the offers
//! of one of them, who plays in play-outs; [`Game::turn_to`] turns it to another.

use smallvec::SmallVec;

use super::limits::bounded;
use super::{Asked, Game};
use crate::machine::{Ruleset, Trouble, TroubleKind};
use crate::program::model::{Answers, AskId, MoveId, SeveralModel, control};

impl Game {
    /// Puts a question to all seats whom it concerns.
    pub(crate) fn open_ask(&mut self, ruleset: &Ruleset, ask: AskId) -> Result<(), Trouble> {
        let Some(several) = &ruleset.model().asks[ask].several else {
            return Ok(());
        };
        self.set(several.changes, 0);
        for seat in 0..ruleset.model().players {
            let asked = match several.filter {
                Some(filter) => {
                    self.registers[0] = i64::from(seat);
                    self.pure(filter)? != 0
                }
                None => true,
            };
            self.set(several.open + u32::from(seat), i64::from(asked));
        }
        Ok(())
    }

    /// The seat that is asked, or from which several are. In a state that others have made it may be nobody.
    fn first_asked(&mut self, ruleset: &Ruleset, ask: AskId) -> Result<u8, Trouble> {
        let seat = self.pure(ruleset.model().asks[ask].seat)?;
        let seat = u8::try_from(seat).ok();
        let seat = seat.filter(|seat| *seat < ruleset.model().players);
        seat.ok_or(TroubleKind::OutOfBounds.nowhere())
    }

    /// Asks: finds who waits, and what the machine's seat may do.
    pub(crate) fn ask_seats(&mut self, ruleset: &Ruleset, ask: AskId) -> Result<Asked, Trouble> {
        let from = self.first_asked(ruleset, ask)?;
        let Some(several) = &ruleset.model().asks[ask].several else {
            self.waiting.clear();
            return self.ask_seat(ruleset, ask, from, true);
        };
        self.waiting.clear();
        let players = ruleset.model().players;
        for k in 0..players {
            let seat = (from + k) % players;
            if self.cell(several.open + u32::from(seat)) == 0 {
                continue;
            }
            if several.until != Answers::All {
                // Of those who race or bargain nobody must answer.
                if self.can_answer(ruleset, ask, seat.into())? {
                    self.waiting.push(seat);
                }
                continue;
            }
            // A seat without a choice answers at once.
            match self.ask_seat(ruleset, ask, seat, true)? {
                Asked::Waits => self.waiting.push(seat),
                Asked::Nobody => self.set(several.open + u32::from(seat), 0),
                forced => return Ok(forced),
            }
        }
        match self.waiting.first().copied() {
            Some(first) => self.ask_seat(ruleset, ask, first, false),
            None => Ok(Asked::Nobody),
        }
    }

    fn ask_seat(
        &mut self,
        ruleset: &Ruleset,
        ask: AskId,
        asked: u8,
        force: bool,
    ) -> Result<Asked, Trouble> {
        let seat = i64::from(asked);
        self.set_control(control::SEAT, seat);
        if self.is_drawn(ask) {
            self.clear_offers();
            return Ok(match self.can_answer(ruleset, ask, seat)? {
                true => Asked::Waits,
                false => Asked::Nobody,
            });
        }
        self.find_offers(ruleset, ask, seat)?;
        if !self.answerable() {
            return Ok(Asked::Nobody);
        }
        if let [only] = self.offers[..]
            && only.completions == Some(1)
            && force
            && !self.ask_forced
            && self.publicly_forced(ruleset, ask, only, seat)?
        {
            let choice = self.complete(ruleset, only, &mut || 0)?;
            return Ok(Asked::Forced(asked, choice));
        }
        Ok(Asked::Waits)
    }

    /// Finds again who waits, without deciding anything.
    pub(crate) fn look_for_waiting(
        &mut self,
        ruleset: &Ruleset,
        ask: AskId,
    ) -> Result<(), Trouble> {
        let Some(several) = &ruleset.model().asks[ask].several else {
            return Ok(());
        };
        let current = i64::from(self.cell(control::SEAT));
        let from = self.first_asked(ruleset, ask)?;
        let players = ruleset.model().players;
        self.waiting.clear();
        for k in 0..players {
            let seat = (from + k) % players;
            if self.cell(several.open + u32::from(seat)) != 0
                && self.can_answer(ruleset, ask, seat.into())?
            {
                self.waiting.push(seat);
            }
        }
        self.set_control(control::SEAT, current);
        Ok(())
    }

    /// Whether a question stands again after a move, which is counted.
    pub(crate) fn keeps_asking(
        &mut self,
        ruleset: &Ruleset,
        ask: AskId,
        mv: MoveId,
        seat: u32,
    ) -> bool {
        let mv = &ruleset.model().moves[mv];
        if mv.free {
            return true;
        }
        let Some(SeveralModel {
            until,
            open,
            changes,
            ..
        }) = ruleset.model().asks[ask].several
        else {
            return false;
        };
        match until {
            Answers::All => {
                self.set(open + seat, 0);
                let players = u32::from(ruleset.model().players);
                !mv.closes && (0..players).any(|seat| self.cell(open + seat) != 0)
            }
            Answers::First => false,
            Answers::UntilClosed if mv.closes => false,
            Answers::UntilClosed => {
                self.set(changes, i64::from(self.cell(changes)) + 1);
                true
            }
        }
    }

    /// Seats that are asked something.
    pub(crate) fn seats(&self) -> SmallVec<[u8; 8]> {
        match self.ask() {
            Some(ask) if self.ruleset.model().asks[ask].several.is_some() => {
                SmallVec::from_slice(&self.waiting)
            }
            _ => self.seat().into_iter().collect(),
        }
    }

    /// Turns the machine to another seat that is asked.
    pub(crate) fn turn_to(&mut self, seat: u8) -> Result<(), Trouble> {
        if let Some(ask) = self.ask()
            && self.seat() != Some(seat)
            && self.seats().contains(&seat)
        {
            self.set_control(control::SEAT, i64::from(seat));
            if !self.is_drawn(ask) {
                let ruleset = self.ruleset.clone();
                bounded(|| self.find_offers(&ruleset, ask, i64::from(seat)))?;
            }
        }
        Ok(())
    }
}
