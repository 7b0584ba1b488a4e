//! What happened, in the machine's own numbers; projected for an audience in [`project`](super::project).

use super::api::Origin;

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Raw {
    Phase {
        phase: u32,
        args: Vec<i64>,
    },
    Move {
        seat: u8,
        ask: u32,
        mv: u32,
        args: Vec<i64>,
        plan: Vec<u32>,
        /// For each parameter, who learns what was chosen: seats as bits, the last for everybody.
        seen: Vec<u32>,
        origin: Origin,
    },
    Pieces {
        from: u32,
        to: u32,
        row: u16,
        count: i32,
        /// How many pieces of any row the same effect moved the same way, at the first of them; else zero.
        /// Whoever does not see the rows is told of them once.
        total: i32,
        /// Seats that see the pieces besides those who see either place, as bits.
        shown: u16,
    },
    Counter {
        cell: u32,
        from: i32,
        to: i32,
    },
    Marker {
        cell: u32,
        to: i32,
    },
    Shuffled {
        cell: u32,
        order: Vec<i32>,
    },
    Raised {
        event: u32,
        args: Vec<i64>,
    },
    Due {
        ending: u32,
    },
    Over,
}
