//! 03xx: documents, that is YAML files of a package.

use super::entry::{Entry, entry};

pub(super) const ENTRIES: &[Entry] = &[
    entry(
        301,
        "not YAML",
        "The file cannot be read as YAML from this place on, so nothing after it has been looked at. Most often a \
         line is indented differently from its neighbours, a tab stands where spaces belong, a bracket or quote is \
         not closed, or a text contains a colon followed by a space. When in doubt put a text in double quotes.",
    ),
    entry(
        302,
        "key written twice",
        "A map may have each key once. YAML readers silently keep one of the two values and drop the other, so this \
         is always an error here. Remove one of them, or give one of the rows another id.",
    ),
    entry(
        303,
        "anchor or alias",
        "`&name` and `*name` let one part of a YAML file stand for another. Packages do not use them, because a \
         reader should see every value where it stands. Write the value out; if the text itself begins with `&` or \
         `*`, put it in quotes.",
    ),
    entry(
        304,
        "tag",
        "`!name` and `!!int` tell a YAML reader what type a value has. Here the place of a value decides its type, \
         so tags are errors. Remove the tag; if the text itself begins with `!`, put it in quotes.",
    ),
    entry(
        305,
        "merge",
        "`<<:` brings the keys of another map into this one. Packages do not use it, because a reader should see \
         every value where it stands. A module changes the rows of its base with `patch:` instead.",
    ),
    entry(
        306,
        "key that is not a word",
        "A key is a single word or number followed by a colon and a space. Brackets or braces in front of a colon \
         make a list or a map the key, which nothing here can use; usually a text needs quotes.",
    ),
    entry(
        307,
        "second document",
        "A line of three hyphens begins another YAML document. Every file of a package is one document; move the \
         rest to a file of its own.",
    ),
    entry(
        308,
        "empty document",
        "The file contains nothing but blanks and comments. Fill it, or remove it.",
    ),
    entry(
        309,
        "unknown key",
        "Nothing reads this key here. Keys are read strictly, because a misspelt key would otherwise be ignored \
         without a word. If the key is spelt right, look whether it belongs one level further in or out.",
    ),
    entry(
        310,
        "missing key",
        "The thing described here cannot do without this key. `rulesets/README.md` lists the keys of every document.",
    ),
    entry(
        311,
        "wrong kind of value",
        "A map (`key: value` lines, or `{key: value}`), a list (lines that begin with a hyphen, or `[a, b]`) or a \
         single value stands where another of the three is expected. A key without anything after its colon has no \
         value at all.",
    ),
    entry(
        312,
        "not a number",
        "A whole number is expected: digits, with `-` in front if it is negative, without quotes, separators, \
         decimals or leading zeros, and within the bounds that the message names.",
    ),
    entry(
        313,
        "not a truth value",
        "`true` or `false` is expected. Other words, such as `yes` or `on`, mean different things to different \
         readers of YAML and are not accepted.",
    ),
    entry(
        314,
        "word that surprises",
        "Some readers of YAML take words such as `yes`, `no`, `on`, `off`, `null` and `~` for something other than a \
         text. If the word itself is meant, put it in quotes.",
    ),
    entry(
        315,
        "not one of the words allowed here",
        "Only a few words are possible at this place; the help lists them or names the one that was probably meant.",
    ),
    entry(
        316,
        "not a name",
        "Ids of tables, rows, columns, figures and options are used in rules as names, so they are made of small \
         letters, digits and `_` and begin with a letter: `small_indigo_plant`. Ids of clauses are such names joined \
         by dots, in which hyphens may stand: `captain.must-load`. What people read stands under `names` and may be \
         anything.",
    ),
    entry(
        317,
        "document too long",
        "Documents of a package have a greatest length, so that nobody's server can be filled with one. Split the \
         table or the rulebook into several files.",
    ),
    entry(
        318,
        "text that is not UTF-8",
        "Every file of a package is saved as UTF-8, so that Polish letters and other signs mean the same everywhere. \
         This one was saved in another encoding, or is no text at all. Editors say which one a file has in their \
         status line or under “Save as”.",
    ),
    entry(
        320,
        "listed file is missing",
        "The manifest lists a file that is not in the folder. Paths are written relative to the manifest, with \
         forward slashes, and capital letters count.",
    ),
    entry(
        321,
        "file that nothing reads",
        "This file lies in the folder of a package but the manifest does not list it, so it has no effect. Add it to \
         `files` in the manifest, or remove it. Scenarios, snapshots and `.md` files need not be listed.",
    ),
    entry(
        322,
        "file listed twice",
        "The manifest lists the same file twice. Remove one of the two lines.",
    ),
    entry(
        323,
        "no manifest",
        "A ruleset is a folder with a `ruleset.yaml`, and a module is a folder with a `module.yaml`; everything else \
         is found through it.",
    ),
    entry(
        324,
        "unknown version of the language",
        "`language` in the manifest says for which version of the language the package was written. This engine does \
         not know that version: it is either too old for the package, or the number is wrong.",
    ),
    entry(
        325,
        "impossible range of players",
        "`players` says with how many players the ruleset can be played, `from` the smallest number `to` the \
         greatest.",
    ),
    entry(
        326,
        "text missing in a language",
        "Titles, names and clauses are shown to people in English and in Polish, so both `en` and `pl` are needed \
         wherever either is.",
    ),
    entry(
        327,
        "id taken twice",
        "Two things of the same sort have the same id, so nobody could say which of them is meant. Give one of them \
         another id.",
    ),
    entry(
        328,
        "unknown clause",
        "A document cites a clause that the rulebook does not have. Every citation is checked, because refusals, \
         coverage and the printed rulebook are made of them. Correct the id, or add the clause to the rulebook.",
    ),
    entry(
        329,
        "missing cell",
        "Every row of a table has a value in every column. Only columns of type `bool` may be left out, meaning \
         `false`, and columns of an `option` type, meaning none; any other column may be given a `default`.",
    ),
    entry(
        331,
        "no value for some number of players",
        "A value that depends on the number of players is a map such as `{3: 2, 4: 3, 5: 4}`. It needs a value for \
         every number of players with which the ruleset, or this row, is in play.",
    ),
    entry(
        332,
        "unknown row",
        "The column holds rows of a table, and the table has no row of this id. Write the id of a row, not its name \
         for people.",
    ),
    entry(
        333,
        "not a number of players",
        "A map in place of a number gives one value for each number of players, so its keys are numbers: \
         `{3: 2, 4: 3, 5: 4}`.",
    ),
    entry(
        334,
        "unknown type of column",
        "A column is of type `int`, `bool`, a table (it then holds the id of one of its rows), or `option` and a \
         table (it may then be empty). Tables are named in the singular.",
    ),
    entry(
        335,
        "number of players that never occurs",
        "Something is said for a number of players with which the ruleset cannot be played. Remove it, or widen \
         `players` in the manifest.",
    ),
    entry(
        336,
        "paragraph without clauses or reason",
        "`sources.yaml` accounts for every paragraph of the printed rulebook: either the clauses that say it in our \
         words, or the reason why nothing follows from it, and never both.",
    ),
    entry(
        337,
        "new table, or addition to one",
        "A file of components with `plural` and `names` describes a new table. Without them it adds columns and rows \
         to a table that exists. The plural is the word for all rows and must differ from the name of the table.",
    ),
    entry(
        338,
        "name that means something else here",
        "Every row may have the keys `names` and `players` whatever its table, so no column can be called that; and \
         modules change figures under `figures`, so no table can be called that.",
    ),
];
