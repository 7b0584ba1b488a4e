//! 01xx: the syntax of `.rules` files.

macro_rules! rules {
    ($next:ident $($further:ident)*; $($rows:tt)*) => { $next! { $($further)*; $($rows)*

        TabInIndentation = 101, "tab in the indentation",
            "Indentation says what belongs to what, and a tab is as wide as the editor likes. Indent with spaces, \
             two for each level; most editors can be told to type spaces for the tab key.",
            wrong: "\
phase game
	step opening: do { gain(taxes, 1); }
",
            right: "\
phase game
  step opening: do { gain(taxes, 1); }
";

        UnevenIndentation = 102, "uneven indentation",
            "Sentences that stand below the same sentence are indented alike. This line is deeper than one \
             neighbour and less deep than another, so it is not clear what it belongs to.",
            wrong: "\
phase game
    step opening: do { gain(taxes, 1); }
  step closing: do { set(taxes, 0); }
",
            right: "\
phase game
  step opening: do { gain(taxes, 1); }
  step closing: do { set(taxes, 0); }
";

        UnclosedBracket = 103, "bracket never closed",
            "A bracket or brace was opened and the next sentence began before it was closed. A sentence may go on \
             over several lines within brackets, but each line must then be indented deeper than the sentence.",
            wrong: "\
query twice(g: good: int = 2 * price(g)
counter debts
",
            right: "\
query twice(g: good): int = 2 * price(g)
counter debts
";

        MisplacedCitation = 104, "citation in the middle",
            "`@clause` names the clause of the rulebook that a sentence follows and is the last thing on its line: \
             `needs stock(p, g) > 0   @captain.own-good`. Only a comment may come after it.",
            wrong: "\
ending ruin @end when taxes == most_taxes
",
            right: "\
ending ruin when taxes == most_taxes   @end
";

        RepeatedCitation = 105, "several clauses cited",
            "A sentence cites one clause, so that a refusal can name it. If a sentence follows two clauses it \
             probably says two things: divide it. If two clauses say the same thing, cite the one with the more \
             exact words.",
            wrong: "\
ending ruin when taxes == most_taxes   @end @purse.start
",
            right: "\
ending ruin when taxes == most_taxes   @end
";

        CitationBehindScript = 106, "citation behind a script",
            "A citation belongs to the sentence and is looked for at its end, not behind a script that goes on \
             over several lines. Write the sentence and its citation on one line and `do {` on a line of its own \
             below it. Behind a script of one line a citation is fine: `step gold: do { gain(purse(p), 1); }   \
             @gold`.",
            wrong: "\
phase game
  step opening: do {
    gain(taxes, 1);
  }   @purse.start
",
            right: "\
phase game
  step opening   @purse.start
    do {
      gain(taxes, 1);
    }
";

        ExcessiveNesting = 107, "nested too deeply",
            "Brackets, operations or sentences are nested more deeply than a reader can follow and than the engine \
             allows. Give a part a name: a query for a value, a phase for steps.",
            wrong: "\
query one: int = ((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))
",
            right: "\
query one: int = 1
";

        OversizedSentence = 108, "too long",
            "A sentence or a file is longer than the engine reads. Divide it; names of all files of a package are \
             known in all of them.",
            wrong: "\
# A sentence of more than 20,000 characters:
query income(p: player): int = stock(p, apple) + stock(p, bread) + …
",
            right: "\
query income(p: player): int = sum g in goods: stock(p, g)
";

        UnexpectedToken = 110, "something else was expected",
            "A sentence began well and then went on in a way that it cannot. The message names what could have \
             stood at the marked place. Only this sentence is left out; those around it have been read.",
            wrong: "\
place shelf good
",
            right: "\
place shelf: good
";

        UnknownSentence = 111, "unknown sentence",
            "A line begins with a word that opens no sentence here. Every sentence of a `.rules` file begins with \
             a word that says what it is, such as `place`, `query`, `phase`, `step`, `move` or `needs`; rules of a \
             component begin with its table and its row, such as `building wharf for p when active`.",
            wrong: "\
plcae shelf: good
",
            right: "\
place shelf: good
";

        MisplacedSentence = 112, "sentence in the wrong place",
            "A sentence stands below one to which it cannot belong, for example `needs` below a phase instead of \
             below a move. Most often the indentation is wrong or a line between the two is missing. A case behind \
             `otherwise` is never reached.",
            wrong: "\
phase game
  needs taxes > 0
  step opening: do { set(taxes, 0); }
",
            right: "\
phase game
  step opening when taxes > 0: do { set(taxes, 0); }
";

        MixedLogicalOperators = 113, "`and` and `or` without parentheses",
            "`a and b or c` means different things to different readers, so parentheses must say which is meant: \
             `(a and b) or c`, or `a and (b or c)`.",
            wrong: "\
query may_rest(p: player): bool = taxes > 0 and coins(p) > 0 or p is leader
",
            right: "\
query may_rest(p: player): bool = (taxes > 0 and coins(p) > 0) or p is leader
";

        ChainedComparison = 114, "two comparisons in a row",
            "`a < b < c` compares the answer of one comparison with a number, which is never meant. Write `a < b \
             and b < c`.",
            wrong: "\
query few(n: int): bool = 1 <= n <= 2
",
            right: "\
query few(n: int): bool = 1 <= n and n <= 2
";

        LiteralOverflow = 115, "number too large",
            "Numbers are whole and fit into 64 bits. No board game needs larger ones; probably a digit was typed \
             twice.",
            wrong: "\
counter debts  starts 99_999_999_999_999_999_999
",
            right: "\
counter debts  starts 99
";

        AmbiguousAggregateBody = 116, "condition of `any` or `all` goes on",
            "Behind `any x in S: a and b` it is not clear whether `b` belongs to each `x` or stands beside the \
             whole. Write `any x in S: (a and b)` or `(any x in S: a) and b`.",
            wrong: "\
query can_bake(p: player): bool = any g in goods: fresh(g) and coins(p) > 0
",
            right: "\
query can_bake(p: player): bool = (any g in goods: fresh(g)) and coins(p) > 0
";

        IncompleteSentence = 117, "unfinished sentence",
            "A sentence can be read but lacks what makes it a rule: a step that does nothing, a query without a \
             value for every case, a component without rules.",
            wrong: "\
effect tax(p: player)
",
            right: "\
effect tax(p: player): do { pay(coins(p), 1); }
";

        RepeatedElement = 118, "written twice",
            "Something that can be said once is said twice: two steps of a phase with the same name, two effects \
             of a move, two ways to close a question. Remove one of them or give it another name.",
            wrong: "\
phase game
  step opening: do { gain(taxes, 1); }
  step opening: do { set(taxes, 0); }
",
            right: "\
phase game
  step opening: do { gain(taxes, 1); }
  step closing: do { set(taxes, 0); }
";

        ReservedWord = 119, "word that cannot be a name",
            "Rules and scripts share their names, and scripts keep some words for themselves, such as `if`, `new` \
             or `match`. Choose another name.",
            wrong: "\
counter new(p: player)
",
            right: "\
counter new_coins(p: player)
";
    } };
}
