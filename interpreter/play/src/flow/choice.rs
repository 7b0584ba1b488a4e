//! Moves as the machine executes them, in its own numbers.

use smallvec::SmallVec;

use crate::program::ids::MoveId;

/// A legal move with its fixed arguments; in the arena of a [`Game`](super::Game).
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfferRow {
    pub mv: MoveId,
    /// Its registers after the seat, in the arena.
    pub at: u32,
    pub len: u16,
    /// `None` is some, too many to count.
    pub completions: Option<u128>,
    /// What may be chosen for its only open parameter, in `Game::opens`; if it has one that nothing depends
    /// on.
    pub open: Option<u32>,
}

/// The arguments of a move: most have few.
pub(crate) type Args = SmallVec<[i64; 8]>;

/// A move with every argument: what the machine executes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    pub mv: MoveId,
    /// Registers after the seat.
    pub args: Args,
}

/// A move that the referee made.
#[derive(Clone, Debug)]
pub(crate) struct Forced {
    pub seat: u8,
    pub choice: Choice,
}

/// What comes of a question.
pub(crate) enum Asked {
    /// Somebody is asked.
    Waits,
    /// Nobody has a move.
    Nobody,
    /// A seat has only this move.
    Forced(u8, Choice),
}
