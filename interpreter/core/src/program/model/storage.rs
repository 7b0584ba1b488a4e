//! What every cell of the state holds, and what that is called.
//!
//! What lays out the state says here what each run of cells is for. What a state *is* (`canonical`) is read off
//! this list, so that it does not depend on where the cells lie.

use crate::program::cell::Cell;
use crate::program::ids::*;
use crate::program::tree::Ty;
use crate::source::Id;

/// A run of cells, and what it holds.
#[derive(Clone, Debug)]
pub struct Storage {
    /// First cell.
    pub base: Cell,
    /// Number of cells.
    pub len: u32,
    /// What they hold.
    pub holds: Holds,
}

/// What a run of cells holds. Numbers are those of the model's lists.
#[derive(Clone, Debug)]
pub enum Holds {
    /// The pieces of a place.
    Place(PlaceId),
    /// How many words the shuffles of a pile have drawn, by instance.
    Shuffles(PlaceId),
    /// A counter.
    Counter(CounterId),
    /// A marker.
    Marker(MarkerId),
    /// How many words the rolls of a die have drawn.
    Rolls(DieId),
    /// What a die shows next, if somebody has set it: how many faces, then the faces.
    NextRolls(DieId),
    /// A parameter of a phase, or something that it keeps.
    Variable {
        /// The phase.
        phase: PhaseId,
        /// Its name.
        name: Id,
    },
    /// Something that a step remembers while it is under way.
    Step {
        /// The phase of the step.
        phase: PhaseId,
        /// The step's address.
        step: Id,
        /// What.
        part: StepPart,
    },
    /// Whether something that is done once has been done.
    Once {
        /// The phase that begins anew with it.
        phase: PhaseId,
        /// What is done.
        what: Id,
        /// It is remembered for each seat.
        by_seat: bool,
    },
    /// Whether a watched condition held when it was looked at, for each player if it is watched for each.
    Watch(WatchId),
    /// What is a phase's own while it is visited again: of one visit after the other.
    Saved(PhaseId),
    /// Events of which something still follows.
    Agenda,
}

/// Something that a step remembers while it is under way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepPart {
    /// The player, row or number whose turn it is.
    Turn(Ty),
    /// How many turns are left.
    Left,
    /// How many turns were taken since the event that the cycle waits for.
    Since,
    /// The last number.
    Last,
    /// Who has had a turn, by seat.
    HadTurn,
    /// Which of several additions, whose owner orders them, are done.
    Done,
    /// Which of them was chosen last.
    Chosen,
    /// Whether a question to several seats still stands open, by seat.
    Open(AskId),
    /// How many answers to it did not close it.
    Answers(AskId),
}
