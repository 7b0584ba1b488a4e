//! 07xx: the phase graph.

use super::entry::{Entry, entry};

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
    entry(
        705,
        "calls nested too deeply",
        "Queries and effects may ask others, which ask others in turn, but only so deep: evaluating them must \
         not exhaust the machine. The note shows the longest way. Rules that people can follow stay far below.",
    ),
    entry(
        706,
        "more work than is allowed",
        "What the making of a ruleset takes is counted: about a unit for every part of an expression, each time that \
         the compiler reads, writes or computes it. The largest games that are shipped take a small part of what is \
         allowed. More is asked for by tables of many thousand rows that are laid against each other, or by first \
         values that are summed up over such tables.",
    ),
];
