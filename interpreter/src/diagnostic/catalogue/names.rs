//! 05xx: names and types.

macro_rules! names {
    ($next:ident $($further:ident)*; $($rows:tt)*) => { $next! { $($further)*; $($rows)*

        DuplicateRow = 501, "two rows of one name",
            "Row ids are unique in all tables of a ruleset, because rules use them as plain names. Rename one of \
             the two.",
            wrong: "\
# components/coins.yaml
table: coin
plural: coins
names: {en: coin, pl: moneta}
rows:
  apple: {names: {en: golden apple, pl: złote jabłko}}   # a good is called so
",
            right: "\
# components/coins.yaml
table: coin
plural: coins
names: {en: coin, pl: moneta}
rows:
  golden_apple: {names: {en: golden apple, pl: złote jabłko}}
";

        MissingValueForPlayers = 502, "no value for this number of players",
            "A cell or figure is given by number of players, and the number of this match is missing. What the \
             documents say is looked at first, which finds it as `RF0331`.",
            wrong: "\
# referee check market --players 4
# setup.yaml
figures:
  rounds: {value: {2: 6, 3: 5}}
  most_taxes: 9
",
            right: "\
# referee check market --players 4
# setup.yaml
figures:
  rounds: {value: {2: 6, 3: 5, 4: 4}}
  most_taxes: 9
";

        UnknownType = 503, "unknown type",
            "A type is `int`, `bool`, `player`, the name of a table in the singular, or `option` and one of these.",
            wrong: "\
query is_few(n: number): bool = n < 2
",
            right: "\
query is_few(n: int): bool = n < 2
";

        InvalidIndexType = 504, "type that cannot be an index",
            "There is one place, counter or marker for each value of its indices, so an index is a player or a row \
             of a table.",
            wrong: "\
counter sales(n: int)
",
            right: "\
counter sales(g: good)
";

        DuplicateDeclaration = 505, "name declared twice",
            "Places, counters and markers share one set of names; effects, endings, events, records and scores have \
             a set each, a row is played by one phase, and the winner is said once. A module that wants another one \
             replaces or disables that of the layers below, or gives its own another name.",
            wrong: "\
counter debts(p: player)
counter debts
",
            right: "\
counter debts(p: player)
counter all_debts
";

        UnknownVisibilityIndex = 506, "unknown index in a visibility",
            "`seen by` and `counted by` name a player among the indices of the place itself.",
            wrong: "\
place secret(p: player): good  seen by q
",
            right: "\
place secret(p: player): good  seen by p
";

        UnknownTable = 507, "unknown table",
            "A place holds pieces of a table of `components/`, a bag or spread is of one, and a die may show its \
             rows. Tables are named in the singular.",
            wrong: "\
place shelf: goods
",
            right: "\
place shelf: good
";

        DuplicatePhase = 508, "two phases of one name",
            "Phases are addressed by their names. Rename one, or `replace` its steps in a module.",
            wrong: "\
phase game
  step opening: visit day
phase day
  step rain: do { gain(taxes, 1); }
phase day
  step sun: do { set(taxes, 0); }
",
            right: "\
phase game
  step opening: visit day
phase day
  step rain: do { gain(taxes, 1); }
  step sun: do { set(taxes, 0); }
";

        UnknownPlayedRow = 509, "unknown row in `plays`",
            "`plays role settler` names a table and one of its rows, for which the phase is what the component \
             does.",
            wrong: "\
phase cooking  plays job cok
  step soup: do { gain(taxes, 1); }
",
            right: "\
phase cooking  plays job cook
  step soup: do { gain(taxes, 1); }
";

        UnknownClauseInRules = 510, "unknown clause",
            "Rules cite clauses of `rulebook.yaml` by their ids. There is no clause of this id; refusals could not \
             be explained.",
            wrong: "\
ending ruin when taxes == most_taxes   @end.ruin
",
            right: "\
ending ruin when taxes == most_taxes   @end
";

        DuplicateQuery = 511, "two queries of one name",
            "Queries of one phase, and global queries, have names of their own. A module changes a query by \
             `modify`, `allow`, `forbid` or `replace`.",
            wrong: "\
query value(g: good): int = price(g)
query value(g: good): int = 2 * price(g)
",
            right: "\
query value(g: good): int = price(g)
query double_value(g: good): int = 2 * price(g)
";

        UnknownPhase = 512, "unknown phase",
            "The name of a phase is needed here: after `visit`, `closes ->`, `after` of an ending, or `once per`.",
            wrong: "\
phase game
  step opening: visit dya
phase day
  step rain: do { gain(taxes, 1); }
",
            right: "\
phase game
  step opening: visit day
phase day
  step rain: do { gain(taxes, 1); }
";

        UnknownComponent = 513, "unknown component",
            "The header of a component's rules names a table and one of its rows. There is no such row.",
            wrong: "\
stall bakry for p when owns
  score: 2
",
            right: "\
stall bakery for p when owns
  score: 2
";

        ComponentOfOtherTable = 514, "component of another table",
            "The row exists, but in another table than the header says.",
            wrong: "\
good bakery for p when owns
  score: 2
",
            right: "\
stall bakery for p when owns
  score: 2
";

        CounterOutOfBounds = 515, "counter that starts out of its bounds",
            "A counter is never less than 0 and never more than the bound that its declaration gives it; what it \
             starts with keeps to both.",
            wrong: "\
counter debts  at most 2  starts 3
",
            right: "\
counter debts  at most 3  starts 3
";

        UnmetRequirement = 516, "tables that are not as required",
            "A sentence `require …` says what the tables and figures of a package must satisfy, also with a module \
             laid over them. It does not hold; where it goes through many things, the first that does not satisfy \
             it is named.",
            wrong: "\
require all g in goods: price(g) > 1   # an apple costs 1
",
            right: "\
require all g in goods: price(g) > 0
";

        RequirementReadsTable = 517, "requirement on the table",
            "What `require` says is judged when the package is compiled, before the match begins. It may read \
             columns, figures, options, the number of players, and queries that read nothing else; what must hold \
             during play is said of moves and endings.",
            wrong: "\
require size(supply) > 0
",
            right: "\
require (count g in goods) > 0
";

        CompositeWhereSingleValue = 518, "several things where one can stand",
            "A bag or a record holds several values. It can be a parameter of a query, an effect or a phase, and \
             what a phase keeps; a query gives, a marker points at and an event carries a single value: a part of \
             it.",
            wrong: "\
record offer(of: good, coins: int)
marker last: option offer
",
            right: "\
record offer(of: good, coins: int)
marker last: option good
";

        UnknownRecordField = 519, "unknown part of a record",
            "A part of a record is read by the name that stands in its declaration: `record deal(paid: int, …)`, \
             `d.paid`.",
            wrong: "\
record offer(of: good, paid: int)
query generous(o: offer): bool = o.price > 2
",
            right: "\
record offer(of: good, paid: int)
query generous(o: offer): bool = o.paid > 2
";

        TypeMismatch = 520, "wrong type",
            "An expression has one type and another is needed: a number where a condition stands, a row of one \
             table where one of another is expected.",
            wrong: "\
query can_pay(p: player): bool = coins(p)
",
            right: "\
query can_pay(p: player): bool = coins(p) > 0
";

        NumberOutOfRange = 521, "number too large",
            "Numbers of rules have 32 bits with a sign. Rules hardly ever need larger ones.",
            wrong: "\
query all_money: int = 9_999_999_999
",
            right: "\
query all_money: int = 999_999_999
";

        NotAValue = 522, "expression that is not a value",
            "Ranges stand after `in`, and `each …` stands in a spread. Neither is a value of its own.",
            wrong: "\
query in_carts: int = size(cart(each stall))
",
            right: "\
query in_carts: int = sum s in stalls: size(cart(s))
";

        RowNotInPlay = 523, "row that is not in play",
            "A row that is in play only with some numbers of players cannot be named by a rule that holds for \
             others. Reach it through its table, or give the phase that plays it.",
            wrong: "\
query dearest: int = rent(hall)   # for three or four players
",
            right: "\
query dearest: int = max s in stalls: rent(s)
";

        SetUsedAsValue = 524, "set used as a value",
            "The plural of a table, and `players`, are sets: they stand after `in`.",
            wrong: "\
query kinds: int = goods
",
            right: "\
query kinds: int = count g in goods
";

        UnknownName = 525, "unknown name",
            "Names come from headers (`p` of `each p from …`), parameters, `let`, tables and their rows, figures \
             and options, places, counters, markers and queries. None of them is called so.",
            wrong: "\
query poor(p: player): bool = coins(q) == 0
",
            right: "\
query poor(p: player): bool = coins(p) == 0
";

        UnknownQuery = 526, "unknown query",
            "`modify`, `allow` and `forbid` change a query by its name; a query of a phase is named `phase.query`, \
             inside the phase also without the phase.",
            wrong: "\
modify worht(g) by 1
",
            right: "\
modify worth(g) by 1
";

        WrongArgumentCount = 527, "wrong number of arguments",
            "A query, place, event, verb or phase takes as many arguments as its header says.",
            wrong: "\
query twice(g: good): int = worth(g, 2)
",
            right: "\
query twice(g: good): int = 2 * worth(g)
";

        QueryOutsidePhase = 528, "query of another phase",
            "A query that is written in a phase may read the phase's parameters, which have no value elsewhere. \
             Move the query out of the phase, or call it from inside.",
            wrong: "\
phase game
  step opening: visit day(leader)
phase day(p: player)
  query purse: int = coins(p)
  step rain: do { set(taxes, purse()); }
query spent: int = 2 - purse()
",
            right: "\
phase game
  step opening: visit day(leader)
phase day(p: player)
  step rain: do { set(taxes, purse(p)); }
query purse(p: player): int = coins(p)
query spent(p: player): int = 2 - purse(p)
";

        EffectInCondition = 529, "effect in a condition",
            "Conditions and queries only look. What changes the table stands in `do { … }`.",
            wrong: "\
query paid(p: player): bool = pay(coins(p), 1) > 0
",
            right: "\
query can_pay(p: player): bool = coins(p) > 0
effect paying(p: player): do { pay(coins(p), 1); }
";

        EventAsValue = 530, "event used as a value",
            "An event is raised by `raise(event(…))` and heard by `on event(…)`. It has no value.",
            wrong: "\
query sales(p: player): int = sold(p, 1)
",
            right: "\
effect sell(p: player): do { raise(sold(p, 1)); }
";

        NotCallable = 531, "not a place or a query",
            "A local or parameter is used as if it were a place or query. Only open parameters can be asked for a \
             row's count.",
            wrong: "\
query owned(p: player, g: good): int = g(p)
",
            right: "\
query owned(p: player, g: good): int = stock(p, g)
";

        UnknownPlace = 532, "unknown place",
            "A place, counter or marker is needed here, and none is called so.",
            wrong: "\
query left: int = size(suply)
",
            right: "\
query left: int = size(supply)
";

        PlaceUsedAsValue = 533, "place used as a value",
            "A place is not a number. `size(stock(p))` says how many pieces lie there, `stock(p, corn)` how many \
             of a kind.",
            wrong: "\
query left: int = supply
",
            right: "\
query left: int = size(supply)
";

        ColumnOfNonRow = 535, "column of something that is no row",
            "A column gives a value for a row of its table: `cost(b)`, where `b` is a building.",
            wrong: "\
query cost(p: player): int = price(p)
",
            right: "\
query cost(g: good): int = price(g)
";

        UnknownColumn = 536, "unknown column",
            "The table of this row has no column of this name.",
            wrong: "\
query cost(s: stall): int = price(s)   # only goods have a price
",
            right: "\
query cost(s: stall): int = rent(s)
";

        SizeOfUnsized = 537, "size of something that has none",
            "Only a place and an open parameter have a size.",
            wrong: "\
query owned(p: player): int = size(coins(p))
",
            right: "\
query owned(p: player): int = size(stock(p))
";

        IncomparableTypes = 538, "comparison that can never hold",
            "Both sides of `is` and `==` must be of one kind: two numbers, two players, two rows of one table, or \
             an option and what it may be.",
            wrong: "\
query leads(p: player, g: good): bool = p is g
",
            right: "\
query leads(p: player): bool = p is leader
";

        NotASet = 539, "not a set",
            "What stands after `in` is the plural of a table, `players`, or a range such as `1 to 4`.",
            wrong: "\
query any_left: bool = any g in supply: supply(g) > 0
",
            right: "\
query any_left: bool = any g in goods: supply(g) > 0
";

        AggregateWithoutBody = 540, "aggregate without a body",
            "`any`, `all`, `sum`, `max` and `min` need `: …` at their end: what is looked at for each.",
            wrong: "\
query total: int = sum g in goods
",
            right: "\
query total: int = sum g in goods: price(g)
";

        UnexpectedAggregateBody = 541, "aggregate with a body too many",
            "`count` and `first` take a condition after `where` and nothing after `:`.",
            wrong: "\
query cheap: int = count g in goods: price(g) < 2
",
            right: "\
query cheap: int = count g in goods where price(g) < 2
";

        PossibleOutsideMove = 542, "`possible` outside of a move",
            "`possible(load)` asks whether the player asked could make another move of the same question. It has a \
             meaning only in a move's conditions.",
            wrong: "\
query must_pass: bool = not possible(buy)
",
            right: "\
in game.turns
  move rest
    needs not possible(buy)
";

        UnknownPossibleMove = 543, "unknown move in `possible`",
            "`possible` names a move that stands above it in the same question, so that no two moves wait for each \
             other.",
            wrong: "\
in game.turns
  move rest
    needs not possible(by)
",
            right: "\
in game.turns
  move rest
    needs not possible(buy)
";

        UnusedHint = 544, "hint that helps no hint",
            "A hint says what a position is worth to a player beside the score sheet, for players that need \
             nobody: in hundredths of a point: `hint money(p: player): int = 25 * coins(p)`. All hints are added.",
            wrong: "\
hint idle(p: player): bool = size(stock(p)) == 0
",
            right: "\
hint goods_at_hand(p: player): int = 50 * size(stock(p))
";

        HintUsedInRules = 545, "rule that asks a hint",
            "Hints are for players that need nobody. A rule that asked one would make it part of the game: make it \
             a `query` instead. Hints may ask queries and each other.",
            wrong: "\
hint wealth(p: player): int = 50 * coins(p)
score wealth for p: wealth(p)
",
            right: "\
query wealth(p: player): int = 2 * coins(p)
score wealth for p: wealth(p)
";

        LetWithoutValue = 550, "nothing to keep",
            "`let` keeps a value, but what stands there gives none.",
            wrong: "\
effect forgive: do { let due = set(taxes, 0); }
",
            right: "\
effect forgive: do { let due = taxes; set(taxes, 0); gain(coins(leader), due); }
";

        AssignmentToNonLocal = 551, "assignment to something that is no local",
            "Scripts assign only to names that they have introduced with `let`. The table is changed by verbs: \
             `gain`, `pay`, `set`, `move`.",
            wrong: "\
effect forgive: do { taxes = 0; }
",
            right: "\
effect forgive: do { set(taxes, 0); }
";

        PlaceExpected = 552, "place needed",
            "What moves, holds, shows or refills pieces is a place, not a counter or marker. What a parameter is the \
             `same as` lies on the table, too.",
            wrong: "\
effect clear: do { move_all(taxes, supply); }
",
            right: "\
effect clear: do { move_all(stock(leader), supply); }
";

        PileExpected = 553, "pile needed",
            "`draw`, `take_out`, `shuffle` and `shuffle_into` work on piles: places declared as `pile of …`.",
            wrong: "\
effect mix: do { shuffle(supply); }
",
            right: "\
effect mix: do { shuffle(deck); }
";

        UnexpectedPile = 554, "pile where pieces are counted",
            "`move`, `take` and bags work on places that hold pieces by count. A pile has an order: use `draw`, \
             `take_out` or `shuffle_into`.",
            wrong: "\
effect find: do { take(1, apple, deck, supply); }
",
            right: "\
effect find: do { take_out(1, apple, deck, supply); }
";

        PlacesOfDifferentTables = 555, "places of two tables",
            "Pieces go between places of one table: goods do not become workers.",
            wrong: "\
place empty: stall
effect clear: do { move_all(supply, empty); }
",
            right: "\
place empty: good
effect clear: do { move_all(supply, empty); }
";

        WrongVerbTarget = 556, "wrong kind of thing for a verb",
            "`gain` and `pay` change counters, `set` changes counters and markers. Pieces move by `move` and \
             `take`.",
            wrong: "\
effect grow: do { gain(supply, 1); }
",
            right: "\
effect grow: do { gain(taxes, 1); }
";

        SpreadExpected = 557, "`arrange` without a spread",
            "`arrange(plan)` carries out a parameter that is a spread of pieces over places.",
            wrong: "\
phase game
  step filling: ask leader
    move fill(g: good)
      do { arrange(g); }
",
            right: "\
phase game
  step filling: ask leader
    move fill(plan: spread of good over cart(each stall), overflow stock(leader))
      do { arrange(plan); }
";

        UnknownEvent = 558, "unknown event",
            "Events are declared: `event loaded(p: player, n: int)`. None is called so.",
            wrong: "\
effect sell: do { raise(sale(leader, 1)); }
",
            right: "\
effect sell: do { raise(sold(leader, 1)); }
";

        UnknownEnding = 559, "unknown ending",
            "`finish(name)` makes a declared ending due: `ending name after round`. None is called so.",
            wrong: "\
effect stop: do { finish(ruin); }
",
            right: "\
ending ruin
effect stop: do { finish(ruin); }
";

        StartDependsOnTable = 560, "first contents that depend on the table",
            "What lies where at first is known before anything happens, so `starts` reads only columns, figures \
             and options.",
            wrong: "\
place shelf: good  starts each g with taxes
",
            right: "\
place shelf: good  starts each g with price(g)
";

        WrongContributionKind = 561, "wrong kind of contribution",
            "Conditions are changed by `allow` and `forbid`, numbers by `modify … by`, `times`, `becomes`, `at \
             least`, `at most`. A move can only be forbidden.",
            wrong: "\
allow worth(g) when fresh(g)
",
            right: "\
modify worth(g) by 1 when fresh(g)
";

        UnnamedOwner = 562, "owner who is nobody",
            "A component's rules hold for its owner, so a rule must name the owner where it names a player: among \
             the arguments of the query, the event, or as the player who is asked.",
            wrong: "\
stall bakery for p when owns
  modify worth(g) by 1
",
            right: "\
query worth_to(p: player, g: good): int = worth(g)
stall bakery for p when owns
  modify worth_to(p, g) by 1
";

        UnknownComponentCondition = 563, "unknown condition of a component",
            "`when active` in a component's header names a query of a player and the component.",
            wrong: "\
stall bakery for p when ownes
  score: 2
",
            right: "\
stall bakery for p when owns
  score: 2
";

        WrongComponentCondition = 564, "wrong query in a component's header",
            "The query after `when` takes the player and the component and gives a condition: `query active(p: \
             player, b: building): bool`.",
            wrong: "\
query is_full(s: stall): bool = size(cart(s)) == 2
stall bakery for p when is_full
  score: 2
",
            right: "\
query is_full(p: player, s: stall): bool = owns(p, s) and size(cart(s)) == 2
stall bakery for p when is_full
  score: 2
";

        MissingGamePhase = 565, "no phase `game`",
            "A match begins with the phase `game`. It visits all others.",
            wrong: "\
# rules/game.rules
phase market
  step opening: do { gain(taxes, 1); }
",
            right: "\
# rules/game.rules
phase game
  step opening: do { gain(taxes, 1); }
";

        MissingWinner = 566, "no winner",
            "The rules must say who wins: `winner most score(p)`, and what breaks a tie.",
            wrong: "\
# rules/end.rules
ending rich when any p in players: coins(p) > rounds   @end
",
            right: "\
# rules/end.rules
ending rich when any p in players: coins(p) > rounds   @end
winner p with most coins(p)
";

        MarkerWithoutStart = 567, "marker without a start",
            "A marker points somewhere from the first moment on: say `starts …`, or make it an `option`, which \
             starts with `none`.",
            wrong: "\
marker host: player
",
            right: "\
marker host: player  starts first_player
";

        MomentWithoutPlayer = 568, "turn of nobody",
            "`of p` names the player whose turn it is, but this step has no turns of players.",
            wrong: "\
before first turn of p in game.days: do { gain(coins(p), 1); }
",
            right: "\
before first turn of p in game.turns: do { gain(coins(p), 1); }
";

        LapOfNonCycle = 570, "lap of something that is no cycle",
            "`until a lap without …` ends a `cycle` of players.",
            wrong: "\
phase game
  step selling: repeat until a lap without sold
    do { raise(sold(leader, 1)); }
",
            right: "\
phase game
  step selling: cycle p from leader until a lap without sold
    do { raise(sold(p, 1)); }
";

        PlayOfNonComponent = 571, "`play` without a component",
            "`play picked(p)` goes to the phase that plays a row of a table.",
            wrong: "\
phase game
  step working: play taxes
phase cooking  plays job cook
  step soup: do { gain(taxes, 1); }
phase guarding  plays job guard
  step round: do { set(taxes, 0); }
",
            right: "\
phase game
  step working: play cook
phase cooking  plays job cook
  step soup: do { gain(taxes, 1); }
phase guarding  plays job guard
  step round: do { set(taxes, 0); }
";

        UnplayedComponent = 572, "component that nothing plays",
            "Every row that may be played has a phase with `plays` and the row in its header.",
            wrong: "\
phase game
  step working: play cook
phase cooking  plays job cook
  step soup: do { gain(taxes, 1); }
",
            right: "\
phase game
  step working: play cook
phase cooking  plays job cook
  step soup: do { gain(taxes, 1); }
phase guarding  plays job guard
  step round: do { set(taxes, 0); }
";

        MismatchedPhaseParameters = 573, "phases with different parameters",
            "All phases that play rows of one table take the same arguments, because the step that plays them does \
             not know which row it will be.",
            wrong: "\
phase game
  step working: play cook with leader
phase cooking(p: player)  plays job cook
  step soup: do { gain(coins(p), 1); }
phase guarding  plays job guard
  step round: do { set(taxes, 0); }
",
            right: "\
phase game
  step working: play cook with leader
phase cooking(p: player)  plays job cook
  step soup: do { gain(coins(p), 1); }
phase guarding(p: player)  plays job guard
  step round: do { pay(coins(p), 1); }
";

        UnknownQuestion = 574, "unknown question",
            "`in captain.loading:` adds moves to a step that asks. There is no such step, or it does not ask.",
            wrong: "\
in game.turn
  move rest
",
            right: "\
in game.turns
  move rest
";

        DuplicateMove = 575, "two moves of one name",
            "Moves of one question have names of their own, also those that components and modules add.",
            wrong: "\
in game.turns
  move pass
",
            right: "\
in game.turns
  move rest
";

        UnboundedParameter = 576, "parameter with too many values",
            "A parameter is a row, a player or a truth value, or a number in a range: `n: 1 to 3`.",
            wrong: "\
extend game.buy with tip: int
",
            right: "\
extend game.buy with tip: 0 to 2
";

        InvalidSpreadPlace = 577, "place that a spread cannot fill",
            "A spread puts pieces of one table into places that hold such pieces by count.",
            wrong: "\
phase game
  step filling: ask leader
    move fill(plan: spread of good over deck, overflow stock(leader))
",
            right: "\
phase game
  step filling: ask leader
    move fill(plan: spread of good over cart(each stall), overflow stock(leader))
";

        WrongEachTable = 578, "wrong table in `each`",
            "`each building` runs through the values of that index of the place, so the table must be the index's.",
            wrong: "\
phase game
  step filling: ask leader
    move fill(plan: spread of good over cart(each job), overflow stock(leader))
",
            right: "\
phase game
  step filling: ask leader
    move fill(plan: spread of good over cart(each stall), overflow stock(leader))
";

        SpreadWithoutRoom = 579, "place without room in a spread",
            "A spread must know how many pieces fit into each place: declare `room …`.",
            wrong: "\
place tray(s: stall): good
phase game
  step filling: ask leader
    move fill(plan: spread of good over tray(each stall), overflow stock(leader))
",
            right: "\
place tray(s: stall): good  room 2
phase game
  step filling: ask leader
    move fill(plan: spread of good over tray(each stall), overflow stock(leader))
";

        UnknownMove = 580, "unknown move",
            "`extend` names a move as `phase.move` or `phase.step.move`.",
            wrong: "\
extend game.by with gift: bool
",
            right: "\
extend game.buy with gift: bool
";

        UnknownStep = 581, "unknown step",
            "`before`, `after` and the like name a step as `phase.step`, or a phase.",
            wrong: "\
before game.turn: do { gain(taxes, 1); }
",
            right: "\
before game.turns: do { gain(taxes, 1); }
";

        InvalidRefill = 582, "refilled place",
            "`refilled from discards` stands at a pile: when a draw finds it empty, what lies in the other place \
             is shuffled into it. The other place holds pieces of the same table and can run dry itself.",
            wrong: "\
place spare: good  refilled from supply
",
            right: "\
place spare: pile of good  refilled from supply
";

        EndlessPlaceCounted = 583, "endless place",
            "An endless place is never counted: it has no first contents, its whole contents cannot be moved, and \
             a pile or a choice of pieces that has no greatest size cannot be filled from it.",
            wrong: "\
place town: job  endless  starts each j with 2
",
            right: "\
place town: job  endless
";

        UnknownParameter = 584, "parameter to stand before",
            "`extend … before payment` puts new parameters before one that the move has. The name is that of one \
             of its parameters.",
            wrong: "\
extend game.buy with gift: bool  before good
",
            right: "\
extend game.buy with gift: bool  before g
";

        DuplicateParameter = 585, "two parameters of one name",
            "Parameters of a move have names of their own, also those that extensions add.",
            wrong: "\
extend game.buy with g: good
",
            right: "\
extend game.buy with gift: good
";

        RepeatedOpenChoice = 586, "repetition that depends on a choice of many things",
            "What a parameter `same as …` must repeat is looked up before amounts, bags and spreads are chosen, so \
             it cannot depend on them. Write it in front of them.",
            wrong: "\
counter asked(g: good)
phase game
  step haggling: ask leader
    move agree(n: amount 0 to 2, g: good when n > 1, again: same as asked(g))
",
            right: "\
counter asked(g: good)
phase game
  step haggling: ask leader
    move agree(g: good, again: same as asked(g), n: amount 0 to 2)
";

        UncountableBag = 587, "query that counts nothing",
            "A bag may be chosen from what a query counts: it gives a number and its last parameter, which is left \
             out, is a row of a table.",
            wrong: "\
query is_cheap(g: good): bool = price(g) < 2
extend game.buy with gifts: bag of is_cheap
",
            right: "\
query gift_count(g: good): int = 2 / price(g)
extend game.buy with gifts: bag of gift_count, at most 1
";

        SoFarOutsideLastLine = 588, "`so_far` outside of a last line",
            "`so_far(p)` is the sum of all lines of the score sheet but the last ones. Only a line that says \
             `last` may read it.",
            wrong: "\
score half for p: so_far(p) / 2
",
            right: "\
score half for p, last: so_far(p) / 2
";

        UnknownTriggerOrder = 589, "order after something unknown",
            "`on built(p, c), after carpenter` names another trigger of the same event: by the component that \
             brings it, or by what it is called with `as …`.",
            wrong: "\
on sold(p, n), after customs: do { gain(coins(p), n); }
",
            right: "\
on sold(p, n) as customs: do { gain(taxes, n); }
on sold(p, n), after customs: do { gain(coins(p), n); }
";

        CyclicTriggerOrder = 590, "triggers in a circle",
            "Triggers of one event say that each comes before the other, directly or through others.",
            wrong: "\
on sold(p, n), after wages as customs: do { gain(taxes, n); }
on sold(p, n), after customs as wages: do { gain(coins(p), n); }
",
            right: "\
on sold(p, n) as customs: do { gain(taxes, n); }
on sold(p, n), after customs as wages: do { gain(coins(p), n); }
";

        OrderWithoutOwner = 591, "order without an owner",
            "`owner orders` asks the player whose turn it is. Only moments of turns have one.",
            wrong: "\
before game.turns, owner orders as customs: do { gain(taxes, 1); }
before game.turns, owner orders as pardon: do { set(taxes, 0); }
",
            right: "\
before game.turns as customs: do { gain(taxes, 1); }
before game.turns as pardon: do { set(taxes, 0); }
";

        EndOfUnenclosingStep = 592, "end of something that is not around",
            "`end captain.loading` ends a step or phase that is under way: one around this step, or a phase that \
             visited this one, or a step of it.",
            wrong: "\
phase game
  step opening
    step rain: do { gain(taxes, 1); }
    step stopping when taxes > 0: end game.closing
  step closing: do { set(taxes, 0); }
",
            right: "\
phase game
  step opening
    step rain: do { gain(taxes, 1); }
    step stopping when taxes > 0: end game.opening
  step closing: do { set(taxes, 0); }
";

        FilledPhasePlace = 593, "first contents of a place of a phase",
            "A place that is declared in a phase lasts as long as the phase. It is empty at first and must be \
             empty again when the phase ends.",
            wrong: "\
phase game
  place tray: good  starts each g with 1
  step opening: do { gain(taxes, 1); }
",
            right: "\
phase game
  place tray: good
  step opening: do { gain(taxes, 1); }
";

        DieWithoutFaces = 594, "die without faces",
            "A die shows numbers (`1 to 6`) or rows of a table, each on as many faces as the expression says, and \
             has at least one face.",
            wrong: "\
die weather: 2 to 1
",
            right: "\
die weather: 1 to 2
";

        NotADie = 595, "roll of something that is no die",
            "`roll(…)` takes a die. What else chance decides is shuffled and drawn.",
            wrong: "\
effect rain: do { roll(taxes); }
",
            right: "\
die weather: 1 to 2
effect rain: do { roll(weather); }
";

        InvalidMembershipTest = 596, "nothing to look into",
            "`x in …` asks whether a number lies in a range, a row or player in a set, or a bag within a place or \
             another bag.",
            wrong: "\
query few(n: int): bool = n in taxes
",
            right: "\
query few(n: int): bool = n in 0 to taxes
";

        UnspecifiedQuestionEnd = 597, "question to several seats that says no end",
            "A question to several seats is closed when everybody has answered (`all answer`), when somebody has \
             (`first answers`), or by certain moves (`until a move closes it`).",
            wrong: "\
phase game
  step voting: ask players
    move agree
",
            right: "\
phase game
  step voting: ask players, all answer
    move agree
";

        UnboundedQuestion = 598, "question without an end",
            "While a question waits for a move that closes it, answers may come again and again; `at most n \
             changes` says when only moves that close it are left.",
            wrong: "\
phase game
  step bargaining: ask players until a move closes it
    move offer(n: 0 to 2)
    move stop
      closes
",
            right: "\
phase game
  step bargaining: ask players until a move closes it, at most 2 changes
    move offer(n: 0 to 2)
    move stop
      closes
";

        CapacityExceeded = 599, "more than the engine holds",
            "An event carries at most eight values, a table has at most a hundred thousand pieces, and the \
             parameters of one move take at most eight hundred counts. All that lies on the table, counters, \
             markers and what phases remember takes at most 262,144 numbers: a place has one for every row of its \
             table, as often as its indices have values.",
            wrong: "\
event counted(a: int, b: int, c: int, d: int, e: int, f: int, g: int, h: int, i: int)
",
            right: "\
event counted(a: int, b: int, c: int, d: int)
event counted_more(e: int, f: int, g: int, h: int, i: int)
";
    } };
}
