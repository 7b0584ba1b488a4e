//! The moves of a match: told from what happened, not kept a second time.

use crate::api::{Id, Move, Origin};
use crate::flow::Choice;
use crate::machine::Ruleset;
use crate::matches::history::History;
use crate::program::value::Seat;
use crate::state::MadeMove;

/// A move in a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedMove {
    /// Who moved.
    pub seat: Seat,
    /// The step that asked.
    pub step: Id,
    /// The move.
    pub mv: Move,
    /// Whether the player or the referee made it.
    pub origin: Origin,
}

/// The moves that were made in a match, forced ones included.
#[derive(Clone, Copy)]
pub struct Moves<'a> {
    history: &'a History,
    ruleset: &'a Ruleset,
}

impl<'a> Moves<'a> {
    pub(super) fn of(history: &'a History, ruleset: &'a Ruleset) -> Moves<'a> {
        Moves { history, ruleset }
    }

    /// How many there are.
    pub fn len(self) -> usize {
        self.history.moves()
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
        let made = self.history.moves_from(first);
        made.map(move |made| self.recorded(&made))
    }

    /// How many of them are among so many first things that happened.
    pub fn before(self, place: usize) -> usize {
        self.history.moves_before(place)
    }

    /// All with their places, the last first.
    pub fn backwards(self) -> impl Iterator<Item = (usize, RecordedMove)> {
        let made = self.history.moves_backwards();
        let recorded = made.map(move |made| self.recorded(&made));
        (0..self.len()).rev().zip(recorded)
    }

    fn recorded(self, made: &MadeMove) -> RecordedMove {
        let ruleset = self.ruleset;
        let choice = Choice {
            mv: made.mv,
            args: made.args.as_slice().into(),
        };
        RecordedMove {
            seat: Seat(made.seat),
            step: ruleset.model().asks[made.ask].step.clone(),
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
