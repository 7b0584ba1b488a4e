//! 07xx: the phase graph.

use super::{Entry, entry};

pub(super) const ENTRIES: &[Entry] = &[
    entry(
        701,
        "phase without steps",
        "A phase does something: it has at least one step.",
    ),
    entry(
        702,
        "phase that nothing visits",
        "No step visits this phase or plays a row that it plays, so it never happens.",
    ),
    entry(
        703,
        "phase that visits itself",
        "A phase that visits itself, directly or through others, needs not end. Repeat a step instead.",
    ),
    entry(
        704,
        "query or effect that asks itself",
        "Asking this query, or calling this effect, asks it again, directly or through others (a `possible(…)` asks \
         all conditions of the move). Such a call need not end. Aggregates go through many things \
         (`sum`, `count`, `most`, `least`, `any`, `all`), and scripts repeat with `while` and `for`.",
    ),
];
