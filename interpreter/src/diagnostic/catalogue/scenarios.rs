//! 10xx: scenarios.

use super::entry::{Entry, entry};

pub(super) const ENTRIES: &[Entry] = &[
    entry(
        1001,
        "nobody at this table",
        "Players are called `p1`, `p2` and so on, clockwise, as many as `game:` says. `p1` is the first seat.",
    ),
    entry(
        1002,
        "not one move",
        "Under `when:` every item is one move of one player (`- p1: pass`, `- p1: {load: {g: corn, s: ship_5}}`), one \
         refusal (`- refused: {p1: pass}` with `by:` and a clause) or one expectation (`- expect: …`).",
    ),
    entry(
        1003,
        "unknown place, counter or marker",
        "The rules declare no place, counter or marker of this name, or it does not belong to a player. What belongs to \
         a player stands under `p1:`, everything else under `table:` or by itself.",
    ),
    entry(
        1004,
        "unknown clause",
        "The scenario cites a clause that the rulebook does not have.",
    ),
    entry(
        1005,
        "unknown component or index",
        "The name is no row of the table that is meant here. Places are written with their index, each level further \
         in: `hold: {ship_6: {corn: 3}}`.",
    ),
    entry(
        1006,
        "position that cannot be set",
        "What stands under `given:` cannot be set up: a pile holds no more, a phase lacks an argument or a piece to be \
         drawn is not in the pile.",
    ),
    entry(
        1007,
        "unknown move",
        "The rules have no move of this name, or the move has no parameter of this name.",
    ),
    entry(
        1008,
        "scenario of another ruleset",
        "`game:` names the ruleset for which the scenario was written, and it was run with another one.",
    ),
    entry(
        1009,
        "the ruleset is faulty",
        "The rules came to a fault while this scenario was played: a number overflowed, something was divided by zero, \
         or play had no way on. The note says where.",
    ),
    entry(
        1010,
        "not as expected on the table",
        "A place, counter or marker is not what the scenario expects. Either the rules are wrong, or the scenario is.",
    ),
    entry(
        1011,
        "somebody else is asked",
        "`asked:` names the players who are to move, or `nobody`.",
    ),
    entry(
        1012,
        "move refused",
        "The scenario makes a move that the rules refuse; the note says which condition failed and what would be \
         legal. What follows in the scenario was not looked at.",
    ),
    entry(
        1013,
        "move not refused",
        "The scenario says that a move is refused, and the rules allow it.",
    ),
    entry(
        1014,
        "refused for another reason",
        "The move is refused, but not by the clause or for the reason that the scenario names. The first condition that \
         fails decides, in the order in which the rules write them.",
    ),
    entry(
        1015,
        "legal moves differ",
        "The moves that a player may make are not those that the scenario expects. A move written without some of its \
         arguments stands for all moves that have the others.",
    ),
    entry(
        1016,
        "events differ",
        "The events under `events:` were not raised in this order since the last expectation. Other events may lie \
         between them; arguments that are left out may have any value.",
    ),
    entry(
        1017,
        "score differs",
        "The score of a player, or one of its lines, is not what the scenario expects.",
    ),
    entry(
        1018,
        "end differs",
        "The game has or has not ended, ended by another ending or was won by somebody else than the scenario expects.",
    ),
    entry(
        1020,
        "two scenarios of one name",
        "Scenarios are reported by their names, so no two of a package have the same.",
    ),
    entry(
        1021,
        "scenario that cannot fail",
        "A scenario shows something: that a move is legal or refused, or what is true. One that says nothing of the kind \
         would pass whatever the rules are, and would seem to prove the clauses that it cites.",
    ),
];
