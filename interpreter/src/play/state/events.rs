//! Events in the machine's own numbers; [`visible_events`](crate::play::matches::visible_events) shows them to an audience.

use crate::play::api::Origin;
use crate::program::cell::Cell;
use crate::program::ids::{AskId, CauseId, EndingId, EventId, MoveId, PhaseId};

/// A move that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MadeMove {
    pub seat: u8,
    pub ask: AskId,
    pub mv: MoveId,
    pub args: Vec<i64>,
    pub plan: Vec<Cell>,
    /// For each parameter, who learns what was chosen: seats as bits, the last for everybody.
    pub seen: Vec<u32>,
    pub origin: Origin,
}

/// Something that happened, and the rule that brought it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Happened {
    pub raw: Raw,
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
pub(crate) enum Raw {
    /// What follows, up to the next of its kind, is brought by this rule: only in the log of a game, where nobody is told
    /// of it.
    By(CauseId),
    Phase {
        phase: PhaseId,
        args: Vec<i64>,
    },
    /// A phase ended.
    Ended {
        phase: PhaseId,
    },
    /// What a phase keeps is something else when somebody is asked again.
    Kept(Box<Kept>),
    /// Others are asked, or by another step.
    Asked {
        ask: AskId,
        /// As bits.
        seats: u16,
    },
    /// Few among many: kept apart, so that the others take less room.
    Move(Box<MadeMove>),
    Pieces {
        from: Cell,
        to: Cell,
        row: u16,
        count: i32,
        /// How many pieces of any row the same effect moved the same way, at the first of them; else zero.
        /// An audience that does not see the rows is told of them once.
        total: i32,
        /// Seats that see the pieces besides those who see either place, as bits.
        shown: u16,
    },
    Counter {
        cell: Cell,
        from: i32,
        to: i32,
    },
    Marker {
        cell: Cell,
        to: i32,
    },
    Shuffled {
        cell: Cell,
        order: Vec<i32>,
    },
    Raised {
        event: EventId,
        args: Vec<i64>,
    },
    Due {
        ending: EndingId,
    },
    Over,
}

/// What a phase keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    pub phase: PhaseId,
    /// Which of its variables.
    pub var: u16,
    pub instance: u32,
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
