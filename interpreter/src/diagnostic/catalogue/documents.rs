//! 03xx: documents, that is YAML files of a package.

use super::{Entry, entry};

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
    entry(308, "empty document", "The file contains nothing but blanks and comments. Fill it, or remove it."),
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
];
