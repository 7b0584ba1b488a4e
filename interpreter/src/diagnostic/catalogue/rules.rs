//! 01xx: the syntax of `.rules` files.

use super::entry::{Entry, entry};

pub(super) const ENTRIES: &[Entry] = &[
    entry(
        101,
        "tab in the indentation",
        "Indentation says what belongs to what, and a tab is as wide as the editor likes. Indent with spaces, two for \
         each level; most editors can be told to type spaces for the tab key.",
    ),
    entry(
        102,
        "uneven indentation",
        "Sentences that stand below the same sentence are indented alike. This line is deeper than one neighbour and \
         less deep than another, so it is not clear what it belongs to.",
    ),
    entry(
        103,
        "bracket never closed",
        "A bracket or brace was opened and the next sentence began before it was closed. A sentence may go on over \
         several lines within brackets, but each line must then be indented deeper than the sentence.",
    ),
    entry(
        104,
        "citation in the middle",
        "`@clause` names the clause of the rulebook that a sentence follows and is the last thing on its line: \
         `needs stock(p, g) > 0   @captain.own-good`. Only a comment may come after it.",
    ),
    entry(
        105,
        "several clauses cited",
        "A sentence cites one clause, so that a refusal can name it. If a sentence follows two clauses it probably \
         says two things: divide it. If two clauses say the same thing, cite the one with the more exact words.",
    ),
    entry(
        106,
        "citation behind a script",
        "A citation belongs to the sentence and is looked for at its end, not behind a script that goes on over \
         several lines. Write the sentence and its citation on one line and `do {` on a line of its own below it. \
         Behind a script of one line a citation is fine: `step gold: do { gain(purse(p), 1); }   @gold`.",
    ),
    entry(
        107,
        "nested too deeply",
        "Brackets, operations or sentences are nested more deeply than a reader can follow and than the engine \
         allows. Give a part a name: a query for a value, a phase for steps.",
    ),
    entry(
        108,
        "too long",
        "A sentence or a file is longer than the engine reads. Divide it; names of all files of a package are known \
         in all of them.",
    ),
    entry(
        110,
        "something else was expected",
        "A sentence began well and then went on in a way that it cannot. The message names what could have stood at \
         the marked place. Only this sentence is left out; those around it have been read.",
    ),
    entry(
        111,
        "unknown sentence",
        "A line begins with a word that opens no sentence here. Every sentence of a `.rules` file begins with a word \
         that says what it is, such as `place`, `query`, `phase`, `step`, `move` or `needs`; rules of a component \
         begin with its table and its row, such as `building wharf for p when active`.",
    ),
    entry(
        112,
        "sentence in the wrong place",
        "A sentence stands below one to which it cannot belong, for example `needs` below a phase instead of below a \
         move. Most often the indentation is wrong or a line between the two is missing.",
    ),
    entry(
        113,
        "`and` and `or` without parentheses",
        "`a and b or c` means different things to different readers, so parentheses must say which is meant: \
         `(a and b) or c`, or `a and (b or c)`.",
    ),
    entry(
        114,
        "two comparisons in a row",
        "`a < b < c` compares the answer of one comparison with a number, which is never meant. Write \
         `a < b and b < c`.",
    ),
    entry(
        115,
        "number too large",
        "Numbers are whole and fit into 64 bits. No board game needs larger ones; probably a digit was typed twice.",
    ),
    entry(
        116,
        "condition of `any` or `all` goes on",
        "Behind `any x in S: a and b` it is not clear whether `b` belongs to each `x` or stands beside the whole. \
         Write `any x in S: (a and b)` or `(any x in S: a) and b`.",
    ),
    entry(
        117,
        "unfinished sentence",
        "A sentence can be read but lacks what makes it a rule: a step that does nothing, a query without a value \
         for every case, a component without rules.",
    ),
    entry(
        118,
        "written twice",
        "Something that can be said once is said twice: two steps of a phase with the same name, two effects of a \
         move, two ways to close a question. Remove one of them or give it another name.",
    ),
    entry(
        119,
        "word that cannot be a name",
        "Rules and scripts share their names, and scripts keep some words for themselves, such as `if`, `new` or \
         `match`. Choose another name.",
    ),
];
