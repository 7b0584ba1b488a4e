//! 03xx: documents, that is YAML files of a package.

macro_rules! documents {
    ($next:ident $($further:ident)*; $($rows:tt)*) => { $next! { $($further)*; $($rows)*

        MalformedYaml = 301, "not YAML",
            "The file cannot be read as YAML from this place on, so nothing after it has been looked at. Most \
             often a line is indented differently from its neighbours, a tab stands where spaces belong, a bracket \
             or quote is not closed, or a text contains a colon followed by a space. When in doubt put a text in \
             double quotes.",
            wrong: "\
# setup.yaml
figures:
  rounds: 6
   most_taxes: 9
",
            right: "\
# setup.yaml
figures:
  rounds: 6
  most_taxes: 9
";

        DuplicateKey = 302, "key written twice",
            "A map may have each key once. YAML readers silently keep one of the two values and drop the other, so \
             this is always an error here. Remove one of them, or give one of the rows another id.",
            wrong: "\
# setup.yaml
figures:
  rounds: 6
  most_taxes: 9
  rounds: 7
",
            right: "\
# setup.yaml
figures:
  rounds: 7
  most_taxes: 9
";

        AnchorOrAlias = 303, "anchor or alias",
            "`&name` and `*name` let one part of a YAML file stand for another. Packages do not use them, because \
             a reader should see every value where it stands. Write the value out; if the text itself begins with \
             `&` or `*`, put it in quotes.",
            wrong: "\
# setup.yaml
figures:
  rounds: &many 9
  most_taxes: *many
",
            right: "\
# setup.yaml
figures:
  rounds: 9
  most_taxes: 9
";

        TaggedValue = 304, "tag",
            "`!name` and `!!int` tell a YAML reader what type a value has. Here the place of a value decides its \
             type, so tags are errors. Remove the tag; if the text itself begins with `!`, put it in quotes.",
            wrong: "\
# setup.yaml
figures: {rounds: !!int 6, most_taxes: 9}
",
            right: "\
# setup.yaml
figures: {rounds: 6, most_taxes: 9}
";

        MergeKey = 305, "merge",
            "`<<:` brings the keys of another map into this one. Packages do not use it, because a reader should \
             see every value where it stands. A module changes the rows of its base with `patch:` instead.",
            wrong: "\
# setup.yaml
figures:
  rounds: 6
  <<: {most_taxes: 9}
",
            right: "\
# setup.yaml
figures:
  rounds: 6
  most_taxes: 9
";

        ComplexKey = 306, "key that is not a word",
            "A key is a single word or number followed by a colon and a space. Brackets or braces in front of a \
             colon make a list or a map the key, which nothing here can use; usually a text needs quotes.",
            wrong: "\
# setup.yaml
figures:
  [rounds, most_taxes]: 9
",
            right: "\
# setup.yaml
figures:
  rounds: 9
  most_taxes: 9
";

        SecondDocument = 307, "second document",
            "A line of three hyphens begins another YAML document. Every file of a package is one document; move \
             the rest to a file of its own.",
            wrong: "\
# setup.yaml
figures: {rounds: 6, most_taxes: 9}
---
figures: {fee: 1}
",
            right: "\
# setup.yaml
figures: {rounds: 6, most_taxes: 9, fee: 1}
";

        EmptyDocument = 308, "empty document",
            "The file contains nothing but blanks and comments. Fill it, or remove it.",
            wrong: "\
# setup.yaml
# (to be written)
",
            right: "\
# setup.yaml
figures: {rounds: 6, most_taxes: 9}
";

        UnknownKey = 309, "unknown key",
            "Nothing reads this key here. Keys are read strictly, because a misspelt key would otherwise be \
             ignored without a word. If the key is spelt right, look whether it belongs one level further in or \
             out.",
            wrong: "\
# setup.yaml
figures:
  rounds: {value: 6, clause: purse.start}
",
            right: "\
# setup.yaml
figures:
  rounds: {value: 6, cite: purse.start}
";

        MissingKey = 310, "missing key",
            "The thing described here cannot do without this key. `rulesets/README.md` lists the keys of every \
             document.",
            wrong: "\
# setup.yaml
figures:
  rounds: {cite: purse.start}
",
            right: "\
# setup.yaml
figures:
  rounds: {value: 6, cite: purse.start}
";

        WrongNodeKind = 311, "wrong kind of value",
            "A map (`key: value` lines, or `{key: value}`), a list (lines that begin with a hyphen, or `[a, b]`) \
             or a single value stands where another of the three is expected. A key without anything after its \
             colon has no value at all.",
            wrong: "\
# sources.yaml
paragraphs:
  - {at: preparation 1, clauses: purse.start}
",
            right: "\
# sources.yaml
paragraphs:
  - {at: preparation 1, clauses: [purse.start]}
";

        InvalidNumber = 312, "not a number",
            "A whole number is expected: digits, with `-` in front if it is negative, without quotes, separators, \
             decimals or leading zeros, and within the bounds that the message names.",
            wrong: "\
# setup.yaml
figures: {rounds: six}
",
            right: "\
# setup.yaml
figures: {rounds: 6}
";

        InvalidBoolean = 313, "not a truth value",
            "`true` or `false` is expected. Other words, such as `yes` or `on`, mean different things to different \
             readers of YAML and are not accepted.",
            wrong: "\
# ruleset.yaml
options:
  open_purses: {names: {en: open purses, pl: jawne sakiewki}, default: yes}
",
            right: "\
# ruleset.yaml
options:
  open_purses: {names: {en: open purses, pl: jawne sakiewki}, default: true}
";

        AmbiguousWord = 314, "word that surprises",
            "Some readers of YAML take words such as `yes`, `no`, `on`, `off`, `null` and `~` for something other \
             than a text. If the word itself is meant, put it in quotes.",
            wrong: "\
# names.yaml
markers:
  leader: {en: on, pl: prowadzi}
",
            right: "\
# names.yaml
markers:
  leader: {en: \"on\", pl: prowadzi}
";

        UnknownKeyword = 315, "not one of the words allowed here",
            "Only a few words are possible at this place; the help lists them or names the one that was probably \
             meant.",
            wrong: "\
# rulebook.yaml
sections:
  - id: purse
    titles: {en: Purses, pl: Sakiewki}
    clauses:
      - {id: purse.open, kind: optional, en: Purses lie open., pl: Sakiewki leżą otwarte.}
",
            right: "\
# rulebook.yaml
sections:
  - id: purse
    titles: {en: Purses, pl: Sakiewki}
    clauses:
      - {id: purse.open, kind: option, en: Purses lie open., pl: Sakiewki leżą otwarte.}
";

        InvalidIdentifier = 316, "not a name",
            "Ids of tables, rows, columns, figures and options are used in rules as names, so they are made of \
             small letters, digits and `_` and begin with a letter: `small_indigo_plant`. Ids of clauses are such \
             names joined by dots, in which hyphens may stand: `captain.must-load`. What people read stands under \
             `names` and may be anything.",
            wrong: "\
# setup.yaml
figures: {Most-Rounds: 6}
",
            right: "\
# setup.yaml
figures: {most_rounds: 6}
";

        OversizedDocument = 317, "document too long",
            "Documents of a package have a greatest length, so that nobody's server can be filled with one. Split \
             the table or the rulebook into several files.",
            wrong: "\
# components/coins.yaml
table: coin
plural: coins
names: {en: coin, pl: moneta}
rows:
  penny: {names: {en: penny, pl: grosz}}
  # … and some MiB of further rows
",
            right: "\
# components/coins.yaml
table: coin
plural: coins
names: {en: coin, pl: moneta}
rows:
  penny: {names: {en: penny, pl: grosz}}
# components/more_coins.yaml
table: coin
rows:
  ducat: {names: {en: ducat, pl: dukat}}
";

        InvalidUtf8 = 318, "text that is not UTF-8",
            "Every file of a package is saved as UTF-8, so that Polish letters and other signs mean the same \
             everywhere. This one was saved in another encoding, or is no text at all. Editors say which one a \
             file has in their status line or under “Save as”.",
            wrong: "\
# setup.yaml
figures:
  rounds: {value: 6, names: {en: days, pl: sze�ć dni}}
",
            right: "\
# setup.yaml
figures:
  rounds: {value: 6, names: {en: days, pl: sześć dni}}
";

        MissingFile = 320, "listed file is missing",
            "The manifest lists a file that is not in the folder. Paths are written relative to the manifest, with \
             forward slashes, and capital letters count. A module that is offered lies in `modules` in a folder of \
             its id.",
            wrong: "\
# ruleset.yaml
files:
  components: [components/good.yaml]
",
            right: "\
# ruleset.yaml
files:
  components: [components/goods.yaml]
";

        UnlistedFile = 321, "file that nothing reads",
            "This file lies in the folder of a package but the manifest does not list it, so it has no effect. Add \
             it to `files` in the manifest, or remove it. Scenarios, snapshots, `.md` files and licences need not be \
             listed.",
            wrong: "\
# referee check market --with fair
# modules/fair/module.yaml
id: fair
# modules/fair/prices.yaml
figures: {fee: 1}
",
            right: "\
# referee check market --with fair
# modules/fair/module.yaml
id: fair
files: {setup: prices.yaml}
# modules/fair/prices.yaml
figures: {fee: 1}
";

        DuplicateFileEntry = 322, "file listed twice",
            "The manifest lists the same file twice. Remove one of the two lines.",
            wrong: "\
# ruleset.yaml
files:
  components: [components/goods.yaml, components/goods.yaml]
",
            right: "\
# ruleset.yaml
files:
  components: [components/goods.yaml]
";

        MissingManifest = 323, "no manifest",
            "A ruleset is a folder with a `ruleset.yaml`, and a module is a folder with a `module.yaml`; \
             everything else is found through it.",
            wrong: "\
# ruleset.yaml is missing
",
            right: "\
# ruleset.yaml
id: market
version: \"0.1.0\"
";

        UnsupportedLanguageVersion = 324, "unknown version of the language",
            "`language` in the manifest says for which version of the language the package was written. This \
             engine does not know that version: it is either too old for the package, or the number is wrong.",
            wrong: "\
# ruleset.yaml
language: 7
",
            right: "\
# ruleset.yaml
language: 1
";

        InvalidPlayerRange = 325, "impossible range of players",
            "`players` says with how many players the ruleset can be played, `from` the smallest number `to` the \
             greatest.",
            wrong: "\
# ruleset.yaml
players: {from: 4, to: 2}
",
            right: "\
# ruleset.yaml
players: {from: 2, to: 4}
";

        MissingTranslation = 326, "text missing in a language",
            "Titles, names and clauses are shown to people in English and in Polish, so both `en` and `pl` are \
             needed wherever either is.",
            wrong: "\
# ruleset.yaml
titles: {en: Market day}
",
            right: "\
# ruleset.yaml
titles: {en: Market day, pl: Dzień targowy}
";

        DuplicateId = 327, "id taken twice",
            "Two things of the same sort have the same id, so nobody could say which of them is meant. Give one of \
             them another id.",
            wrong: "\
# rulebook.yaml
sections:
  - id: purse
    titles: {en: Purses, pl: Sakiewki}
    clauses:
      - {id: purse.open, en: Purses lie open., pl: Sakiewki leżą otwarte.}
      - {id: purse.open, en: A purse holds ten coins., pl: W sakiewce mieści się dziesięć monet.}
",
            right: "\
# rulebook.yaml
sections:
  - id: purse
    titles: {en: Purses, pl: Sakiewki}
    clauses:
      - {id: purse.open, en: Purses lie open., pl: Sakiewki leżą otwarte.}
      - {id: purse.size, en: A purse holds ten coins., pl: W sakiewce mieści się dziesięć monet.}
";

        UnknownClauseInDocument = 328, "unknown clause",
            "A document cites a clause that the rulebook does not have. Every citation is checked, because \
             refusals, coverage and the printed rulebook are made of them. Correct the id, or add the clause to \
             the rulebook.",
            wrong: "\
# setup.yaml
figures:
  rounds: {value: 6, cite: purse.begin}
",
            right: "\
# setup.yaml
figures:
  rounds: {value: 6, cite: purse.start}
";

        MissingCell = 329, "missing cell",
            "Every row of a table has a value in every column. Only columns of type `bool` may be left out, \
             meaning `false`, and columns of an `option` type, meaning none; any other column may be given a \
             `default`.",
            wrong: "\
# components/coins.yaml
table: coin
plural: coins
names: {en: coin, pl: moneta}
columns: {value: int}
rows:
  penny: {names: {en: penny, pl: grosz}}
",
            right: "\
# components/coins.yaml
table: coin
plural: coins
names: {en: coin, pl: moneta}
columns: {value: int}
rows:
  penny: {names: {en: penny, pl: grosz}, value: 1}
";

        MissingPlayerCount = 331, "no value for some number of players",
            "A value that depends on the number of players is a map such as `{3: 2, 4: 3, 5: 4}`. It needs a value \
             for every number of players with which the ruleset, or this row, is in play.",
            wrong: "\
# setup.yaml
figures:
  rounds: {value: {2: 6, 3: 5}}
",
            right: "\
# setup.yaml
figures:
  rounds: {value: {2: 6, 3: 5, 4: 4}}
";

        UnknownRow = 332, "unknown row",
            "The column holds rows of a table, and the table has no row of this id. Write the id of a row, not its \
             name for people.",
            wrong: "\
# components/coins.yaml
table: coin
plural: coins
names: {en: coin, pl: moneta}
columns: {buys: good}
rows:
  penny: {names: {en: penny, pl: grosz}, buys: Apple}
",
            right: "\
# components/coins.yaml
table: coin
plural: coins
names: {en: coin, pl: moneta}
columns: {buys: good}
rows:
  penny: {names: {en: penny, pl: grosz}, buys: apple}
";

        InvalidPlayerCount = 333, "not a number of players",
            "A map in place of a number gives one value for each number of players, so its keys are numbers: `{3: \
             2, 4: 3, 5: 4}`.",
            wrong: "\
# setup.yaml
figures:
  rounds: {value: {two: 6, 3: 5, 4: 4}}
",
            right: "\
# setup.yaml
figures:
  rounds: {value: {2: 6, 3: 5, 4: 4}}
";

        UnknownColumnType = 334, "unknown type of column",
            "A column is of type `int`, `bool`, a table (it then holds the id of one of its rows), or `option` and \
             a table (it may then be empty). Tables are named in the singular.",
            wrong: "\
# components/coins.yaml
table: coin
plural: coins
names: {en: coin, pl: moneta}
columns: {value: number}
rows:
  penny: {names: {en: penny, pl: grosz}, value: 1}
",
            right: "\
# components/coins.yaml
table: coin
plural: coins
names: {en: coin, pl: moneta}
columns: {value: int}
rows:
  penny: {names: {en: penny, pl: grosz}, value: 1}
";

        ImpossiblePlayerCount = 335, "number of players that never occurs",
            "Something is said for a number of players with which the ruleset cannot be played. Remove it, or \
             widen `players` in the manifest.",
            wrong: "\
# setup.yaml
figures:
  rounds: {value: {2: 6, 3: 5, 4: 4, 5: 3}}
",
            right: "\
# setup.yaml
figures:
  rounds: {value: {2: 6, 3: 5, 4: 4}}
";

        UnexplainedParagraph = 336, "paragraph without clauses or reason",
            "`sources.yaml` accounts for every paragraph of the printed rulebook: either the clauses that say it \
             in our words, or the reason why nothing follows from it, and never both.",
            wrong: "\
# sources.yaml
paragraphs:
  - {at: preparation 1}
",
            right: "\
# sources.yaml
paragraphs:
  - {at: preparation 1, clauses: [purse.start]}
  - {at: preparation 2, none: a remark on the artwork}
";

        InvalidTableHeader = 337, "new table, or addition to one",
            "A file of components with `plural` and `names` describes a new table. Without them it adds columns \
             and rows to a table that exists. The plural is the word for all rows and must differ from the name of \
             the table.",
            wrong: "\
# components/coins.yaml
table: coin
names: {en: coin, pl: moneta}
rows:
  penny: {names: {en: penny, pl: grosz}}
",
            right: "\
# components/coins.yaml
table: coin
plural: coins
names: {en: coin, pl: moneta}
rows:
  penny: {names: {en: penny, pl: grosz}}
";

        ReservedName = 338, "name that means something else here",
            "Every row may have the keys `names` and `players` whatever its table, so no column can be called \
             that; and modules change figures under `figures`, so no table can be called that.",
            wrong: "\
# components/coins.yaml
table: coin
plural: coins
names: {en: coin, pl: moneta}
columns: {players: int}
rows: {}
",
            right: "\
# components/coins.yaml
table: coin
plural: coins
names: {en: coin, pl: moneta}
columns: {owners: int}
rows: {}
";
    } };
}
