//! A player for any game who looks one move ahead: of a few legal moves drawn at random it makes the one
//! after which its prospects are best.
//!
//! Prospects are what the score sheets would say now and what the ruleset's hints add. Like the player who
//! [searches](super::search) it imagines what its seat cannot see: one such game for each decision, in which
//! every move that it considers is tried.

use super::playout::Played;
use crate::api::{Move, Origin};
use crate::budget;
use crate::flow::{Choice, Game};
use crate::machine::{Fault, Trouble};
use crate::matches::one_match::Match;
use crate::numbers::Fit as _;
use crate::program::model::control;
use crate::program::value::Seat;

type Random<'a> = &'a mut dyn FnMut() -> u64;

/// How many moves a greedy player draws and considers, unless told otherwise.
pub const CONSIDERED: u32 = 8;

impl Game {
    /// What this position is worth to each seat, in hundredths of a point: its score sheet as if the game
    /// ended now, and what the ruleset's hints add.
    pub fn prospects(&mut self) -> Vec<i64> {
        let ruleset = self.ruleset.clone();
        let model = ruleset.model();
        let worth = (0..model.players).map(|seat| {
            // What fails says nothing.
            let mut ask = |function| {
                self.registers[0] = i64::from(seat);
                self.pure(function).unwrap_or(0)
            };
            let mut points = 0;
            for line in &model.scores {
                if line.when.is_none_or(|when| ask(when) != 0) {
                    points += ask(line.value);
                }
            }
            let hints = model.hints.iter().map(|hint| ask(*hint));
            100 * points + hints.sum::<i64>()
        });
        worth.collect()
    }

    /// How far a seat's prospects lead those of the best of the others.
    fn lead(&mut self, seat: u8) -> i64 {
        let mut prospects = self.prospects();
        let own = prospects.remove(usize::from(seat));
        own - prospects.into_iter().max().unwrap_or(0)
    }

    /// The move of so many drawn ones that the seat whose turn it is likes best; the first of equals.
    pub(crate) fn greedy(&self, considered: u32, random: Random<'_>) -> Result<Choice, Trouble> {
        let liked = self.weigh(considered, random)?.into_iter().next();
        Ok(liked.expect("a seat that is asked has a move").0)
    }

    /// So many drawn moves of the seat whose turn it is, from the one that it likes best; with each how much
    /// more the seat leads after it than if it made none.
    fn weigh(&self, considered: u32, random: Random<'_>) -> Result<Vec<(Choice, i64)>, Trouble> {
        let seat = self.cell(control::SEAT).fit();
        let mut real = self.fork();
        let mut next = real.sample(random)?;
        // Rules that cannot live with what was imagined say nothing about the moves.
        let Ok(mut imagined) = self.imagined(seat, random) else {
            return Ok(vec![(next, 0)]);
        };
        let before = imagined.lead(seat);
        let mut ahead = imagined.fork();
        let mut tried: Vec<(Choice, i64)> = Vec::new();
        loop {
            budget::rest();
            ahead.return_to(&imagined);
            // A move that fails is only made if there is no other.
            let gain = match ahead.play(&next, Origin::Player) {
                Ok(()) => ahead.lead(seat) - before,
                Err(_) => i64::MIN,
            };
            tried.push((next, gain));
            let left = tried.len().fit()..considered;
            let mut drawn = left.map(|_| real.sample(random));
            let new = drawn.find(|drawn| match drawn {
                Ok(choice) => tried.iter().all(|(known, _)| known != choice),
                Err(_) => true,
            });
            match new {
                Some(choice) => next = choice?,
                None => break,
            }
        }
        // The first of equals stays the first.
        tried.sort_by_key(|(_, gain)| std::cmp::Reverse(*gain));
        Ok(tried)
    }

    /// Turns the machine to a seat that wants to move, and gives its move. Where answers race, a seat that would
    /// only lose by saying something waits for the others. If all do, somebody closes the question: the seat that
    /// loses least by it.
    fn eager(&mut self, considered: u32, random: Random<'_>) -> Result<Choice, Trouble> {
        let Some(first) = self.quickest(random) else {
            return self.greedy(considered, random);
        };
        let mut seats = self.seats();
        let at = seats.iter().position(|seat| *seat == first);
        seats.rotate_left(at.unwrap_or(0));
        let ruleset = self.ruleset.clone();
        let mut best: Option<((bool, i64), u8, Choice)> = None;
        for seat in seats {
            self.turn_to(seat)?;
            for (choice, gain) in self.weigh(considered, random)? {
                if gain >= 0 {
                    return Ok(choice);
                }
                let closes = ruleset.model().moves[choice.mv].closes;
                if best
                    .as_ref()
                    .is_none_or(|(most, ..)| (closes, gain) > *most)
                {
                    best = Some(((closes, gain), seat, choice));
                }
            }
        }
        match best {
            Some((_, seat, choice)) => {
                self.turn_to(seat)?;
                Ok(choice)
            }
            None => self.greedy(considered, random),
        }
    }

    /// As [`play_random_seen`](Self::play_random_seen), but the move is the one of so many drawn ones that
    /// the seat likes best. It looks only at what its seat sees.
    ///
    /// # Errors
    /// A fault of the ruleset.
    pub fn play_greedy_seen(
        &mut self,
        considered: u32,
        random: &mut dyn FnMut() -> u64,
        seen: &mut dyn FnMut(Played<'_>),
    ) -> Result<(), Fault> {
        self.show_forced(seen);
        let choice = self.eager(considered, random);
        let choice = choice.map_err(|trouble| self.fault(trouble))?;
        self.play_seen(&choice, seen)
    }
}

impl Match {
    /// The move that a seat which is asked likes best of so many drawn at random. It looks only at what the
    /// seat sees: whatever is hidden from it, the same random numbers find the same move.
    pub fn greedy(
        &self,
        seat: Seat,
        considered: u32,
        random: &mut dyn FnMut() -> u64,
    ) -> Option<Move> {
        self.choose(seat, &mut |game| game.greedy(considered, random).ok())
    }
}
