//! 10xx: scenarios.

macro_rules! scenarios {
    ($next:ident $($further:ident)*; $($rows:tt)*) => { $next! { $($further)*; $($rows)*

        UnknownSeat = 1001, "nobody at this table",
            "Players are called `p1`, `p2` and so on, clockwise, as many as `game:` says. `p1` is the first seat.",
            wrong: "\
then: {asked: p9}
",
            right: "\
then: {asked: p1}
";

        InvalidScenarioStep = 1002, "not one move",
            "Under `when:` every item is one move of one player (`- p1: pass`, `- p1: {load: {g: corn, s: \
             ship_5}}`), one refusal (`- refused: {p1: pass}` with `by:` and a clause) or one expectation (`- \
             expect: …`).",
            wrong: "\
when:
  - {p1: pass, p2: pass}
",
            right: "\
when:
  - p1: pass
  - p2: pass
";

        UnknownStateName = 1003, "unknown place, counter or marker",
            "The rules declare no place, counter or marker of this name, or it does not belong to a player. What \
             belongs to a player stands under `p1:`, everything else under `table:` or by itself.",
            wrong: "\
given: {p1: {coin: 4}}
then: {asked: p1}
",
            right: "\
given: {p1: {coins: 4}}
then: {asked: p1}
";

        UnknownClauseInScenario = 1004, "unknown clause",
            "The scenario cites a clause that the rulebook does not have.",
            wrong: "\
cites: [purse.begin]
then: {p1: {coins: 2}}
",
            right: "\
cites: [purse.start]
then: {p1: {coins: 2}}
";

        UnknownRowInScenario = 1005, "unknown component or index",
            "The name is no row of the table that is meant here. Places are written with their index, each level \
             further in: `hold: {ship_6: {corn: 3}}`.",
            wrong: "\
given: {supply: {aple: 1}}
then: {asked: p1}
",
            right: "\
given: {supply: {apple: 1}}
then: {asked: p1}
";

        ImpossiblePosition = 1006, "position that cannot be set",
            "What stands under `given:` cannot be set up: a pile holds no more, a phase lacks an argument or a \
             piece to be drawn is not in the pile.",
            wrong: "\
given: {draws: {deck: [apple, apple, apple]}}   # two lie in the pile
then: {asked: p1}
",
            right: "\
given: {draws: {deck: [apple, apple]}}
then: {asked: p1}
";

        UnknownMoveInScenario = 1007, "unknown move",
            "The rules have no move of this name, or the move has no parameter of this name.",
            wrong: "\
when:
  - p1: rest
",
            right: "\
when:
  - p1: pass
";

        ScenarioOfOtherRuleset = 1008, "scenario of another ruleset",
            "`game:` names the ruleset for which the scenario was written, and it was run with another one.",
            wrong: "\
game: {ruleset: bazaar, players: 2}
when:
  - p1: pass
",
            right: "\
game: {ruleset: market, players: 2}
when:
  - p1: pass
";

        RulesetFault = 1009, "the ruleset is faulty",
            "The rules came to a fault while this scenario was played: a number overflowed, something was divided \
             by zero, or play had no way on. The note says where.",
            wrong: "\
# rules/game.rules
phase game
  step sharing: repeat until the game ends
    ask leader
      move share
        do { gain(coins(leader), 2 / taxes); }
      move pass
# scenarios/sharing.yaml
when:
  - p1: share
",
            right: "\
# rules/game.rules
phase game
  step sharing: repeat until the game ends
    ask leader
      move share
        do { gain(coins(leader), 2 / max(1, taxes)); }
      move pass
# scenarios/sharing.yaml
when:
  - p1: share
";

        UnexpectedState = 1010, "not as expected on the table",
            "A place, counter or marker is not what the scenario expects. Either the rules are wrong, or the \
             scenario is.",
            wrong: "\
then: {p1: {coins: 3}}   # everybody begins with two
",
            right: "\
then: {p1: {coins: 2}}
";

        UnexpectedPlayerAsked = 1011, "somebody else is asked",
            "`asked:` names the players who are to move, or `nobody`.",
            wrong: "\
when:
  - p1: pass
then: {asked: p1}
",
            right: "\
when:
  - p1: pass
then: {asked: p2}
";

        MoveRefused = 1012, "move refused",
            "The scenario makes a move that the rules refuse; the note says which condition failed and what would \
             be legal. What follows in the scenario was not looked at.",
            wrong: "\
when:
  - p2: pass   # p1 begins
",
            right: "\
when:
  - p1: pass
";

        MoveNotRefused = 1013, "move not refused",
            "The scenario says that a move is refused, and the rules allow it.",
            wrong: "\
when:
  - refused: {p1: pass}
",
            right: "\
when:
  - refused: {p2: pass}
    reason: not_asked
";

        RefusedForOtherReason = 1014, "refused for another reason",
            "The move is refused, but not by the clause or for the reason that the scenario names. The first \
             condition that fails decides, in the order in which the rules write them.",
            wrong: "\
when:
  - refused: {p2: pass}
    reason: forbidden
",
            right: "\
when:
  - refused: {p2: pass}
    reason: not_asked
";

        UnexpectedLegalMoves = 1015, "legal moves differ",
            "The moves that a player may make are not those that the scenario expects. A move written without some \
             of its arguments stands for all moves that have the others.",
            wrong: "\
then: {legal: {p1: {exactly: [pass]}}}
",
            right: "\
then: {legal: {p1: {exactly: [pass, buy]}}}
";

        UnexpectedEvents = 1016, "events differ",
            "The events under `events:` were not raised in this order since the last expectation. Other events may \
             lie between them; arguments that are left out may have any value.",
            wrong: "\
when:
  - p1: pass
then: {events: [sold: {p: p1}]}
",
            right: "\
when:
  - p1: pass
then: {events: []}
";

        UnexpectedScore = 1017, "score differs",
            "The score of a player, or one of its lines, is not what the scenario expects.",
            wrong: "\
given: {p1: {coins: 9}}
when:
  - p1: pass
then: {scores: {p1: {total: 8}}}
",
            right: "\
given: {p1: {coins: 9}}
when:
  - p1: pass
then: {scores: {p1: {total: 9}}}
";

        UnexpectedEnd = 1018, "end differs",
            "The game has or has not ended, ended by another ending or was won by somebody else than the scenario \
             expects.",
            wrong: "\
when:
  - p1: pass
then: {over: true}
",
            right: "\
when:
  - p1: pass
then: {over: false}
";

        DuplicateScenario = 1020, "two scenarios of one name",
            "Scenarios are reported by their names, so no two of a package have the same.",
            wrong: "\
scenarios:
  - {scenario: nothing is bought, when: [p1: pass]}
  - {scenario: nothing is bought, when: [p1: pass, p2: pass]}
",
            right: "\
scenarios:
  - {scenario: one passes, when: [p1: pass]}
  - {scenario: two pass, when: [p1: pass, p2: pass]}
";

        ScenarioWithoutExpectation = 1021, "scenario that cannot fail",
            "A scenario shows something: that a move is legal or refused, or what is true. One that says nothing \
             of the kind would pass whatever the rules are, and would seem to prove the clauses that it cites.",
            wrong: "\
given: {p1: {coins: 4}}
",
            right: "\
given: {p1: {coins: 4}}
then: {asked: p1}
";
    } };
}
