//! The moves of a match: told from what happened, not kept a second time.

use super::{Match, RecordedMove};
use crate::play::api::Seat;
use crate::play::game::Choice;
use crate::play::log::MadeMove;

/// The moves that were made in a match, forced ones included.
#[derive(Clone, Copy)]
pub struct Moves<'a>(&'a Match);

impl<'a> Moves<'a> {
    pub(super) fn of(of: &'a Match) -> Moves<'a> {
        Moves(of)
    }

    /// How many there are.
    pub fn len(self) -> usize {
        self.0.past.moves()
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The one at a place, from zero.
    pub fn get(self, at: usize) -> Option<RecordedMove> {
        self.from(at).next()
    }

    /// All, in order.
    pub fn iter(self) -> impl Iterator<Item = RecordedMove> {
        self.from(0)
    }

    /// Those from a place on, in order.
    pub fn from(self, first: usize) -> impl Iterator<Item = RecordedMove> {
        let made = self.0.past.moves_from(first);
        made.map(move |made| self.recorded(&made))
    }

    /// All with their places, the last first.
    pub fn backwards(self) -> impl Iterator<Item = (usize, RecordedMove)> {
        let made = self.0.past.moves_backwards();
        let recorded = made.map(move |made| self.recorded(&made));
        (0..self.len()).rev().zip(recorded)
    }

    fn recorded(self, made: &MadeMove) -> RecordedMove {
        let ruleset = self.0.ruleset();
        let choice = Choice {
            mv: made.mv,
            args: made.args.as_slice().into(),
        };
        RecordedMove {
            seat: Seat(made.seat),
            step: ruleset.model.asks[made.ask as usize].step.clone(),
            mv: ruleset.move_of(&choice, &made.plan),
            origin: made.origin,
        }
    }
}

impl PartialEq for Moves<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl std::fmt::Debug for Moves<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
