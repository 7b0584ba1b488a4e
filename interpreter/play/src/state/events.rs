//! Events in the machine's own numbers; [`visible_events`](crate::matches::visible_events) shows them to an audience.

use crate::api::Origin;
use crate::program::cell::Cell;
use crate::program::ids::{AskId, CauseId, EndingId, EventId, MoveId, PhaseId};

/// A move that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeMove {
    /// The seat that made it.
    pub seat: u8,
    /// The question that it answered.
    pub ask: AskId,
    /// The move.
    pub mv: MoveId,
    /// The values of its parameters.
    pub args: Vec<i64>,
    /// The first cells of the places that a spread parameter names.
    pub plan: Vec<Cell>,
    /// For each parameter, who learns what was chosen: seats as bits, the last for everybody.
    pub seen: Vec<u32>,
    /// Whether a player or the referee made it.
    pub origin: Origin,
}

/// Something that happened, and the rule that brought it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Happened {
    /// What happened.
    pub raw: Raw,
    /// The rule that brought it.
    pub cause: CauseId,
}

/// What happened, of a stretch of play, in which [`Raw::By`] says what brings what follows it.
pub(crate) fn with_causes(log: impl Iterator<Item = Raw>) -> impl Iterator<Item = Happened> {
    let mut cause = CauseId::NONE;
    log.filter_map(move |raw| match raw {
        Raw::By(by) => {
            cause = by;
            None
        }
        raw => Some(Happened { raw, cause }),
    })
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Raw {
    /// What follows, up to the next of its kind, is brought by this rule: only in the log of a game, where nobody is told
    /// of it.
    By(CauseId),
    /// A phase began.
    Phase {
        /// The phase.
        phase: PhaseId,
        /// The values of its parameters.
        args: Vec<i64>,
    },
    /// A phase ended.
    Ended {
        /// The phase.
        phase: PhaseId,
    },
    /// What a phase keeps is something else when somebody is asked again.
    Kept(Box<Kept>),
    /// Others are asked, or by another step.
    Asked {
        /// The question.
        ask: AskId,
        /// The seats that are asked, as bits.
        seats: u16,
    },
    /// A move was made. Moves are few among many: boxed, so that the others take less room.
    Move(Box<MadeMove>),
    /// Pieces were moved.
    Pieces {
        /// The first cell of the place that they left.
        from: Cell,
        /// The first cell of the place that they came to.
        to: Cell,
        /// Their row.
        row: u16,
        /// Their number.
        count: i32,
        /// Number of pieces of any row that the same effect moved the same way, at the first of them; else zero.
        /// An audience that does not see the rows is told of them once.
        total: i32,
        /// Seats that see the pieces besides those who see either place, as bits.
        shown: u16,
    },
    /// A counter changed.
    Counter {
        /// The cell of the counter.
        cell: Cell,
        /// The value before.
        from: i32,
        /// The value after.
        to: i32,
    },
    /// A marker was set.
    Marker {
        /// The cell of the marker.
        cell: Cell,
        /// The value after.
        to: i32,
    },
    /// A pile was shuffled.
    Shuffled {
        /// The first cell of the pile.
        cell: Cell,
        /// The rows of its pieces in their new order.
        order: Vec<i32>,
    },
    /// An event was raised.
    Raised {
        /// The event.
        event: EventId,
        /// The values of its parameters.
        args: Vec<i64>,
    },
    /// An ending became due.
    Due {
        /// The ending.
        ending: EndingId,
    },
    /// The game ended.
    Over,
}

/// A new value of a variable that a phase keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The phase.
    pub phase: PhaseId,
    /// Index of the variable.
    pub var: u16,
    /// The instance of the variable.
    pub instance: u32,
    /// The value.
    pub value: Vec<i32>,
    /// Who sees it: seats as bits, the last for everybody.
    pub seen: u32,
}

/// An event that was raised and waits for what follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Raised {
    pub event: EventId,
    pub args: [i64; 8],
}

/// An event under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Following {
    pub raised: Raised,
    /// The trigger that comes next.
    pub next: usize,
}
