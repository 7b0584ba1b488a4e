//! What play-outs want to know of a bare game: which move was drawn, what would be refused, what
//! lies where, which clauses ran.
//!
//! Everything is in the machine's own numbers, which index the [`Model`](crate::program::model::Model):
//! a play-out that counts must not be slowed down by names.

use std::sync::Arc;

use crate::api::{Id, Move, Origin, Outcome};
use crate::flow::{Choice, Game};
use crate::machine::choices::{Open, open_domain};
use crate::machine::legal::standing;
use crate::machine::open::below;
use crate::machine::{Fault, Reader, Ruleset, Trouble, read};
use crate::matches::views;
use crate::numbers::{At as _, Fit as _};
use crate::program::model::{ClauseId, DomainModel, MoveId, PlaceId, control};
use crate::state::{Registers, Seed};

/// A move that was made in a play-out.
#[derive(Clone, Copy, Debug)]
pub struct Played<'a> {
    /// Who made it.
    pub seat: u8,
    /// The move, by its number in the model.
    pub mv: MoveId,
    /// Its registers after the seat: a parameter with register `r` begins at `r - 1`.
    pub args: &'a [i64],
    /// Whether it was the only legal one.
    pub forced: bool,
}

/// A well-formed move that is not legal.
#[derive(Clone, Debug)]
pub struct Probe {
    /// The move.
    pub mv: Move,
    /// Its number in the model.
    pub number: MoveId,
    /// The clause that a refusal would name.
    pub clause: Option<Id>,
}

impl Game {
    /// A game before its first step that remembers which clauses ran; for a traced ruleset.
    pub fn traced(ruleset: Arc<Ruleset>, seed: Seed) -> Game {
        let mut game = Game::new(ruleset, seed, false, false);
        game.seen = Some(game.ruleset.model().clauses.map(|_| false));
        game
    }

    /// Whether each clause of the model ran so far; empty unless the game is [`traced`](Self::traced).
    pub fn exercised(&self) -> &[bool] {
        self.seen.as_deref().unwrap_or(&[])
    }

    /// As [`play_random`](Self::play_random); every move made is shown to a function, forced ones
    /// after the one that was drawn.
    ///
    /// # Errors
    /// A fault of the ruleset.
    pub fn play_random_seen(
        &mut self,
        random: &mut dyn FnMut() -> u64,
        seen: &mut dyn FnMut(Played<'_>),
    ) -> Result<(), Fault> {
        self.show_forced(seen);
        let picked = self.pick_seat(random);
        let choice = picked.and_then(|()| self.sample(random));
        let choice = choice.map_err(|t| self.fault(t))?;
        self.play_seen(&choice, seen)
    }

    /// Makes a move of the seat whose turn it is; it and forced ones are shown to a function.
    pub(crate) fn play_seen(
        &mut self,
        choice: &Choice,
        seen: &mut dyn FnMut(Played<'_>),
    ) -> Result<(), Fault> {
        self.show_forced(seen);
        seen(Played {
            seat: self.cell(control::SEAT).fit(),
            mv: choice.mv,
            args: &choice.args,
            forced: false,
        });
        let made = self.play(choice, Origin::Player);
        self.show_forced(seen);
        made.map_err(|t| self.fault(t))
    }

    pub(crate) fn show_forced(&mut self, seen: &mut dyn FnMut(Played<'_>)) {
        for forced in &self.forced {
            seen(Played {
                seat: forced.seat,
                mv: forced.choice.mv,
                args: &forced.choice.args,
                forced: true,
            });
        }
        self.forced.clear();
    }

    /// Finds the legal moves of the waiting question once more, nothing remembered; gives how many offers there
    /// are.
    ///
    /// # Errors
    /// A fault of the ruleset.
    pub fn look_again(&mut self) -> Result<usize, Fault> {
        self.memory.forget();
        self.refresh().map_err(|t| self.fault(t))?;
        Ok(self.offers.len())
    }

    /// The outcome, once the game is over.
    pub fn outcome(&self) -> Option<Outcome> {
        self.is_over()
            .then(|| views::outcome(&self.ruleset, &self.position.cells))
    }

    /// What lies in one instance of a place: counts by row, or the size of a pile and its rows from
    /// the bottom.
    pub fn cells_of(&self, place: PlaceId, instance: u32) -> &[i32] {
        let place = &self.ruleset.model().places[place];
        &self.position.cells[place.first(instance).span(place.width)]
    }

    /// Guesses a well-formed move of the waiting question; if it is not legal, says which clause
    /// forbids it. `None` if it is legal, or nobody is asked.
    pub fn probe(&mut self, random: &mut dyn FnMut() -> u64) -> Option<Probe> {
        let choice = self.guess(random).ok()??;
        let seat = self.cell(control::SEAT);
        let clause = self.forbidding(&choice, i64::from(seat)).ok()??;
        let plan = self.plan_of(&choice, seat).ok()?;
        Some(Probe {
            mv: self.ruleset.move_of(&choice, &plan),
            number: choice.mv,
            clause: self.ruleset.clause(clause),
        })
    }

    /// A move of the waiting question with arguments that have the right types.
    fn guess(&mut self, random: &mut dyn FnMut() -> u64) -> Result<Option<Choice>, Trouble> {
        let Some(ask) = self.ask() else {
            return Ok(None);
        };
        let ruleset = self.ruleset.clone();
        let moves = &ruleset.model().asks[ask].moves;
        let mv = moves[below(moves.len(), random)];
        let model = &ruleset.model().moves[mv];
        let mut args = vec![0; model.registers.at() - 1];
        let mut registers = Registers::default();
        registers[0] = i64::from(self.cell(control::SEAT));
        for param in &model.params {
            let at = param.register.at() - 1;
            registers[1..1 + args.len()].copy_from_slice(&args);
            if let Some(when) = param.when
                && read(&ruleset, &self.position.cells, &mut registers, when)? == 0
            {
                args[at] = param.ty.nothing();
                continue;
            }
            registers[1..1 + args.len()].copy_from_slice(&args);
            let mut read = |f| read(&ruleset, &self.position.cells, &mut registers, f);
            match &param.domain {
                DomainModel::Upto(n) => args[at] = below(i64::from(*n), random),
                DomainModel::OptionUpto(n) => {
                    args[at] = below(i64::from(*n) + 1, random) - 1;
                }
                DomainModel::Range(from, to) => {
                    let from = read(*from)?;
                    let width = (read(*to)? - from + 1).max(1);
                    args[at] = from + below(width, random);
                }
                DomainModel::Same { cells, optional } => {
                    let mut reader = Reader::new(&ruleset, &self.position.cells);
                    let there =
                        standing(&mut reader, *cells, *optional, param.len, &mut registers)?;
                    let there = there.unwrap_or_default();
                    args[at..at + there.len()].copy_from_slice(&there);
                }
                DomainModel::Amount { from, to, .. } => {
                    let from = read(*from)?;
                    let width = (read(*to)? - from + 1).max(1);
                    args[at] = from + below(width, random);
                }
                DomainModel::Bag { .. } | DomainModel::Spread(_) => {
                    let mut reader = Reader::new(&ruleset, &self.position.cells);
                    // Nothing of a spread is placed: wrong whenever there is something to place.
                    if let Some(Open::Bag(bag)) = open_domain(&mut reader, param, &mut registers)? {
                        for (arg, most) in args[at..].iter_mut().zip(&bag.available) {
                            *arg = below(i64::from(*most) + 1, random);
                        }
                    }
                }
            }
        }
        Ok(Some(Choice {
            mv,
            args: args.into(),
        }))
    }

    /// The clause that forbids a choice; `None` if it is legal.
    fn forbidding(
        &mut self,
        choice: &Choice,
        seat: i64,
    ) -> Result<Option<Option<ClauseId>>, Trouble> {
        let Some(gate) = self.closed_gate(choice, seat)? else {
            return Ok(None);
        };
        let clause = self.why_closed(&gate, choice, seat).clause;
        let of_move = self.ruleset.model().moves[choice.mv].cite;
        Ok(Some(clause.or(of_move)))
    }
}
