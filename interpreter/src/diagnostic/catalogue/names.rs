//! 05xx: names and types.

use super::entry::{Entry, entry};

pub(super) const ENTRIES: &[Entry] = &[
    entry(
        501,
        "two rows of one name",
        "Row ids are unique in all tables of a ruleset, because rules use them as plain names. Rename one of \
         the two.",
    ),
    entry(
        502,
        "no value for this number of players",
        "A cell or figure is given by number of players, and the number of this match is missing.",
    ),
    entry(
        503,
        "unknown type",
        "A type is `int`, `bool`, `player`, the name of a table in the singular, or `option` and one of \
         these.",
    ),
    entry(
        504,
        "type that cannot be an index",
        "There is one place, counter or marker for each value of its indices, so an index is a player or a \
         row of a table.",
    ),
    entry(
        505,
        "name declared twice",
        "Places, counters and markers share one set of names; effects, endings, events and scores have a set each, a row is \
         played by one phase, and the winner is said once. A module that wants another one replaces or disables that of \
         the layers below, or gives its own another name.",
    ),
    entry(
        506,
        "unknown index in a visibility",
        "`seen by` and `counted by` name a player among the indices of the place itself.",
    ),
    entry(
        507,
        "unknown table",
        "A place holds pieces of a table of `components/`, named in the singular.",
    ),
    entry(
        508,
        "two phases of one name",
        "Phases are addressed by their names. Rename one, or `replace` its steps in a module.",
    ),
    entry(
        509,
        "unknown row in `plays`",
        "`plays role settler` names a table and one of its rows, for which the phase is what the component \
         does.",
    ),
    entry(
        510,
        "unknown clause",
        "Rules cite clauses of `rulebook.yaml` by their ids. There is no clause of this id; refusals could \
         not be explained.",
    ),
    entry(
        511,
        "two queries of one name",
        "Queries of one phase, and global queries, have names of their own. A module changes a query by \
         `modify`, `allow`, `forbid` or `replace`.",
    ),
    entry(
        512,
        "unknown phase",
        "The name of a phase is needed here: after `visit`, `after` of an ending, or `once per`.",
    ),
    entry(
        513,
        "unknown component",
        "The header of a component's rules names a table and one of its rows. There is no such row.",
    ),
    entry(
        514,
        "component of another table",
        "The row exists, but in another table than the header says.",
    ),
    entry(
        515,
        "counter that starts out of its bounds",
        "A counter is never less than 0 and never more than the bound that its declaration gives it; what it starts \
         with keeps to both.",
    ),
    entry(
        516,
        "tables that are not as required",
        "A sentence `require …` says what the tables and figures of a package must satisfy, also with a module laid \
         over them. It does not hold; where it goes through many things, the first that does not satisfy it is named.",
    ),
    entry(
        517,
        "requirement on the table",
        "What `require` says is judged when the package is compiled, before the match begins. It may read columns, \
         figures, options, the number of players, and queries that read nothing else; what must hold during play is \
         said of moves and endings.",
    ),
    entry(
        518,
        "several things where one can stand",
        "A bag or a record holds several values. It can be a parameter of a query, an effect or a phase, and what a \
         phase keeps; a query gives, a marker points at and an event carries a single value: a part of it.",
    ),
    entry(
        519,
        "unknown part of a record",
        "A part of a record is read by the name that stands in its declaration: `record deal(paid: int, …)`, `d.paid`.",
    ),
    entry(
        520,
        "wrong type",
        "An expression has one type and another is needed: a number where a condition stands, a row of one \
         table where one of another is expected.",
    ),
    entry(
        521,
        "number too large",
        "Numbers of rules have 32 bits with a sign. Rules hardly ever need larger ones.",
    ),
    entry(
        522,
        "expression that is not a value",
        "Ranges stand after `in`, and `each …` stands in a spread. Neither is a value of its own.",
    ),
    entry(
        523,
        "row that is not in play",
        "A row that is in play only with some numbers of players cannot be named by a rule that holds for \
         others. Reach it through its table, or give the phase that plays it.",
    ),
    entry(
        524,
        "set used as a value",
        "The plural of a table, and `players`, are sets: they stand after `in`.",
    ),
    entry(
        525,
        "unknown name",
        "Names come from headers (`p` of `each p from …`), parameters, `let`, tables and their rows, figures \
         and options, places, counters, markers and queries. None of them is called so.",
    ),
    entry(
        526,
        "unknown query",
        "`modify`, `allow` and `forbid` change a query by its name; a query of a phase is named \
         `phase.query`, inside the phase also without the phase.",
    ),
    entry(
        527,
        "wrong number of arguments",
        "A query, place, event, verb or phase takes as many arguments as its header says.",
    ),
    entry(
        528,
        "query of another phase",
        "A query that is written in a phase may read the phase's parameters, which have no value elsewhere. \
         Move the query out of the phase, or call it from inside.",
    ),
    entry(
        529,
        "effect in a condition",
        "Conditions and queries only look. What changes the table stands in `do { … }`.",
    ),
    entry(
        530,
        "event used as a value",
        "An event is raised by `raise(event(…))` and heard by `on event(…)`. It has no value.",
    ),
    entry(
        531,
        "not a place or a query",
        "A local or parameter is used as if it were a place or query. Only open parameters can be asked for a \
         row's count.",
    ),
    entry(
        532,
        "unknown place",
        "A place, counter or marker is needed here, and none is called so.",
    ),
    entry(
        533,
        "place used as a value",
        "A place is not a number. `size(stock(p))` says how many pieces lie there, `stock(p, corn)` how many \
         of a kind.",
    ),
    entry(
        535,
        "column of something that is no row",
        "A column gives a value for a row of its table: `cost(b)`, where `b` is a building.",
    ),
    entry(
        536,
        "unknown column",
        "The table of this row has no column of this name.",
    ),
    entry(
        537,
        "size of something that has none",
        "Only a place and an open parameter have a size.",
    ),
    entry(
        538,
        "comparison that can never hold",
        "Both sides of `is` and `==` must be of one kind: two numbers, two players, two rows of one table, or \
         an option and what it may be.",
    ),
    entry(
        539,
        "not a set",
        "What stands after `in` is the plural of a table, `players`, or a range such as `1 to 4`.",
    ),
    entry(
        540,
        "aggregate without a body",
        "`any`, `all`, `sum`, `max` and `min` need `: …` at their end: what is looked at for each.",
    ),
    entry(
        541,
        "aggregate with a body too many",
        "`count` and `first` take a condition after `where` and nothing after `:`.",
    ),
    entry(
        542,
        "`possible` outside of a move",
        "`possible(load)` asks whether the player asked could make another move of the same question. It has \
         a meaning only in a move's conditions.",
    ),
    entry(
        543,
        "unknown move in `possible`",
        "`possible` names a move that stands above it in the same question, so that no two moves wait for \
         each other.",
    ),
    entry(
        544,
        "hint that helps no hint",
        "A hint says what a position is worth to a player beside the score sheet, for players that need nobody: \
         in hundredths of a point: `hint money(p: player): int = 25 * coins(p)`. All hints are added.",
    ),
    entry(
        545,
        "rule that asks a hint",
        "Hints are for players that need nobody. A rule that asked one would make it part of the game: make it a \
         `query` instead. Hints may ask queries and each other.",
    ),
    entry(
        550,
        "nothing to keep",
        "`let` keeps a value, but what stands there gives none.",
    ),
    entry(
        551,
        "assignment to something that is no local",
        "Scripts assign only to names that they have introduced with `let`. The table is changed by verbs: \
         `gain`, `pay`, `set`, `move`.",
    ),
    entry(
        552,
        "place needed",
        "A verb that moves pieces takes places, not counters or markers.",
    ),
    entry(
        553,
        "pile needed",
        "`draw`, `take_out`, `shuffle` and `shuffle_into` work on piles: places declared as `pile of …`.",
    ),
    entry(
        554,
        "pile where pieces are counted",
        "`move`, `take` and bags work on places that hold pieces by count. A pile has an order: use `draw`, \
         `take_out` or `shuffle_into`.",
    ),
    entry(
        555,
        "places of two tables",
        "Pieces go between places of one table: goods do not become workers.",
    ),
    entry(
        556,
        "wrong kind of thing for a verb",
        "`gain` and `pay` change counters, `set` changes counters and markers. Pieces move by `move` and \
         `take`.",
    ),
    entry(
        557,
        "`arrange` without a spread",
        "`arrange(plan)` carries out a parameter that is a spread of pieces over places.",
    ),
    entry(
        558,
        "unknown event",
        "Events are declared: `event loaded(p: player, n: int)`. None is called so.",
    ),
    entry(
        559,
        "unknown ending",
        "`finish(name)` makes a declared ending due: `ending name after round`. None is called so.",
    ),
    entry(
        560,
        "first contents that depend on the table",
        "What lies where at first is known before anything happens, so `starts` reads only columns, figures \
         and options.",
    ),
    entry(
        561,
        "wrong kind of contribution",
        "Conditions are changed by `allow` and `forbid`, numbers by `modify … by`, `times`, `becomes`, `at \
         least`, `at most`.",
    ),
    entry(
        562,
        "owner who is nobody",
        "A component's rules hold for its owner, so a rule must name the owner where it names a player: among \
         the arguments of the query, the event, or as the player who is asked.",
    ),
    entry(
        563,
        "unknown condition of a component",
        "`when active` in a component's header names a query of a player and the component.",
    ),
    entry(
        564,
        "wrong query in a component's header",
        "The query after `when` takes the player and the component and gives a condition: `query active(p: \
         player, b: building): bool`.",
    ),
    entry(
        565,
        "no phase `game`",
        "A match begins with the phase `game`. It visits all others.",
    ),
    entry(
        566,
        "no winner",
        "The rules must say who wins: `winner most score(p)`, and what breaks a tie.",
    ),
    entry(
        567,
        "marker without a start",
        "A marker points somewhere from the first moment on: say `starts …`, or make it an `option`, which \
         starts with `none`.",
    ),
    entry(
        568,
        "turn of nobody",
        "`of p` names the player whose turn it is, but this step has no turns of players.",
    ),
    entry(
        570,
        "lap of something that is no cycle",
        "`until a lap without …` ends a `cycle` of players.",
    ),
    entry(
        571,
        "`play` without a component",
        "`play picked(p)` goes to the phase that plays a row of a table.",
    ),
    entry(
        572,
        "component that nothing plays",
        "Every row that may be played has a phase with `plays` and the row in its header.",
    ),
    entry(
        573,
        "phases with different parameters",
        "All phases that play rows of one table take the same arguments, because the step that plays them \
         does not know which row it will be.",
    ),
    entry(
        574,
        "unknown question",
        "`in captain.loading:` adds moves to a step that asks. There is no such step, or it does not ask.",
    ),
    entry(
        575,
        "two moves of one name",
        "Moves of one question have names of their own, also those that components and modules add.",
    ),
    entry(
        576,
        "parameter with too many values",
        "A parameter is a row, a player or a truth value, or a number in a range: `n: 1 to 3`.",
    ),
    entry(
        577,
        "place that a spread cannot fill",
        "A spread puts pieces of one table into places that hold such pieces by count.",
    ),
    entry(
        578,
        "wrong table in `each`",
        "`each building` runs through the values of that index of the place, so the table must be the \
         index's.",
    ),
    entry(
        579,
        "place without room in a spread",
        "A spread must know how many pieces fit into each place: declare `room …`.",
    ),
    entry(
        580,
        "unknown move",
        "`extend` names a move as `phase.move` or `phase.step.move`.",
    ),
    entry(
        581,
        "unknown step",
        "`before`, `after` and the like name a step as `phase.step`.",
    ),
    entry(
        582,
        "refilled place",
        "`refilled from discards` stands at a pile: when a draw finds it empty, what lies in the other place is \
         shuffled into it. The other place holds pieces of the same table and can run dry itself.",
    ),
    entry(
        583,
        "endless place",
        "An endless place is never counted: it has no first contents, its whole contents cannot be moved, and a pile \
         or a choice of pieces that has no greatest size cannot be filled from it.",
    ),
    entry(
        584,
        "parameter to stand before",
        "`extend … before payment` puts new parameters before one that the move has. The name is that of one of its \
         parameters.",
    ),
    entry(
        585,
        "two parameters of one name",
        "Parameters of a move have names of their own, also those that extensions add.",
    ),
    entry(
        586,
        "repetition that depends on a choice of many things",
        "What a parameter `same as …` must repeat is looked up before amounts, bags and spreads are chosen, so it \
         cannot depend on them. Write it in front of them.",
    ),
    entry(
        587,
        "query that counts nothing",
        "A bag may be chosen from what a query counts: it gives a number and its last parameter, which is left out, is \
         a row of a table.",
    ),
    entry(
        588,
        "`so_far` outside of a last line",
        "`so_far(p)` is the sum of all lines of the score sheet but the last ones. Only a line that says `last` may \
         read it.",
    ),
    entry(
        589,
        "order after something unknown",
        "`on built(p, c), after carpenter` names another trigger of the same event: by the component that brings it, or \
         by what it is called with `as …`.",
    ),
    entry(
        590,
        "triggers in a circle",
        "Triggers of one event say that each comes before the other, directly or through others.",
    ),
    entry(
        591,
        "order without an owner",
        "`owner orders` asks the player whose turn it is. Only moments of turns have one.",
    ),
    entry(
        592,
        "end of something that is not around",
        "`end captain.loading` ends a step or phase that is under way: one around this step, or a phase that visited \
         this one, or a step of it.",
    ),
    entry(
        593,
        "first contents of a place of a phase",
        "A place that is declared in a phase lasts as long as the phase. It is empty at first and must be empty again \
         when the phase ends.",
    ),
    entry(
        594,
        "die without faces",
        "A die shows numbers (`1 to 6`) or rows of a table, each on as many faces as the expression says, and has at least \
         one face.",
    ),
    entry(
        595,
        "roll of something that is no die",
        "`roll(…)` takes a die. What else chance decides is shuffled and drawn.",
    ),
    entry(
        596,
        "nothing to look into",
        "`x in …` asks whether a number lies in a range, a row or player in a set, or a bag within a place or another bag.",
    ),
    entry(
        597,
        "question to several seats that says no end",
        "A question to several seats is closed when everybody has answered (`all answer`), when somebody has (`first \
         answers`), or by certain moves (`until a move closes it`).",
    ),
    entry(
        598,
        "question without an end",
        "While a question waits for a move that closes it, answers may come again and again; `at most n changes` says \
         when only moves that close it are left.",
    ),
    entry(
        599,
        "more than the engine holds",
        "An event carries at most eight values, a table has at most a hundred thousand pieces, and the parameters of one \
         move take at most eight hundred counts. All that lies on the table, counters, markers and what phases remember \
         takes at most 262,144 numbers: a place has one for every row of its table, as often as its indices have values.",
    ),
];
