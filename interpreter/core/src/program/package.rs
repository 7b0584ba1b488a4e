//! What a package says, once it is composed: names, tables, figures, clauses, and its rules as they were read.

use std::collections::BTreeMap;
use std::fmt;

use super::acceptance::Review;
use super::layout::Layout;
use super::print::{Excerpt, Print};
use crate::ast;
use crate::program::number_words::Stated;
use crate::program::sentence::Sentence;
use crate::source::{FileId, Span, Spanned};

pub use super::text::{Language, Text};

/// One ruleset, composed of its base and modules; everything in it knows where it was written.
#[derive(Clone, Debug)]
pub struct Package {
    /// `id` of `ruleset.yaml`.
    pub id: Spanned<String>,
    /// `version` of `ruleset.yaml`.
    pub version: String,
    /// `titles`.
    pub titles: Text,
    /// Numbers of players that the ruleset allows, smallest and greatest.
    pub players: (u8, u8),
    /// The same of the base alone: modules may allow others.
    pub players_of_base: (u8, u8),
    /// Modules laid over the base, in order.
    pub modules: Vec<String>,
    /// Modules that the package offers to be chosen.
    pub offered: Vec<OfferedModule>,
    /// Options.
    pub options: Vec<OptionDecl>,
    /// Tables of components, in file order.
    pub tables: Vec<Table>,
    /// Named numbers of `setup.yaml`.
    pub figures: Vec<Figure>,
    /// Names shown to people, by address (`place stock`, `move captain.load`, `phase captain`, …).
    pub names: BTreeMap<String, Spanned<Text>>,
    /// How more than one piece of a row is called, by address (`tile.indigo_plantation`).
    pub counted: BTreeMap<String, Spanned<Counted>>,
    /// Sentences in which people are told of moves and events, by address (`move captain.load`, `event loaded`).
    pub sentences: BTreeMap<String, SentencePair>,
    /// The clauses.
    pub rulebook: Rulebook,
    /// The rules, in the order of `ruleset.yaml`.
    pub rules: Vec<RulesFile>,
    /// How the table looks, if `table.yaml` of the base or of a module says it.
    pub layout: Option<Layout>,
    /// The files that say so: no part of any digest that a match is pinned to, as nothing in play hangs on them.
    pub layouts: Vec<FileId>,
    /// Who has accepted what, by layers: no part of any such digest either.
    pub reviews: Vec<Review>,
    /// The sentences of printed rulebooks, with the modules in whose folders they lie (none: the base): no part of any such
    /// digest either.
    pub prints: Vec<(Option<String>, Print)>,
    /// Scenario files of the base and of every module, parsed by `interpreter::scenario`.
    pub scenarios: Vec<FileId>,
    /// The modules that are laid over the base, in the order of [`modules`](Package::modules).
    pub layers: Vec<Layer>,
    /// What the layers changed in what lies below them, in the order in which they did.
    pub changes: Vec<Change>,
    /// Clauses that rows and figures cited before a module changed or removed them.
    pub overruled: Vec<Overruled>,
}

/// A clause that a row or figure cited before a module changed or removed it.
#[derive(Clone, Debug)]
pub struct Overruled {
    /// The clause.
    pub clause: String,
    /// What the row or figure cites now; `None` if it was removed.
    pub by: Option<String>,
    /// Where the module says so.
    pub at: Span,
}

/// A sentence with holes in every language.
#[derive(Clone, Debug)]
pub struct SentencePair {
    /// What it is for, where that is written.
    pub at: Span,
    /// In English.
    pub en: Spanned<Sentence>,
    /// In Polish.
    pub pl: Spanned<Sentence>,
}

impl SentencePair {
    /// In a language.
    pub fn get(&self, language: Language) -> &Sentence {
        match language {
            Language::English => &self.en.node,
            Language::Polish => &self.pl.node,
        }
    }
}

impl Package {
    /// What names or sentences say of a move of a step: of the step, of its phase, or else of a move that stands beside
    /// questions of other phases, which is known by its own name if no two have it.
    pub fn of_move<'p, T>(
        &self,
        all: &'p BTreeMap<String, T>,
        step: &str,
        name: &str,
    ) -> Option<&'p T> {
        let phase = step.split('.').next().unwrap_or(step);
        let elsewhere = || {
            let end = format!(".{name}");
            let mut found = all
                .iter()
                .filter(|(key, _)| key.starts_with("move ") && key.ends_with(&end));
            let (_, only) = found.next()?;
            found.next().is_none().then_some(only)
        };
        all.get(&format!("move {step}.{name}"))
            .or_else(|| all.get(&format!("move {phase}.{name}")))
            .or_else(elsewhere)
    }
}

/// A module that is laid over a base.
#[derive(Clone, Debug)]
pub struct Layer {
    /// Its id.
    pub id: Spanned<String>,
    /// Its titles.
    pub titles: Text,
    /// Numbers of players that this layer and those below it allow.
    pub players: (u8, u8),
    /// Modules after which it says it comes: where both change the same thing, this one is right.
    pub after: Vec<String>,
    /// Its files.
    pub files: Vec<FileId>,
}

/// Something of a lower layer that a module changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What: `building factory cost`, `building factory` (a row that was removed), `figure row_size`.
    pub address: String,
    /// The module.
    pub module: String,
    /// Where the lower layer says it.
    pub was: Option<Span>,
    /// Where the module says otherwise.
    pub now: Span,
    /// Whether it was removed rather than changed.
    pub removed: bool,
}

/// A module that a package offers.
#[derive(Clone, Debug)]
pub struct OfferedModule {
    /// Its id: the name of its folder.
    pub id: String,
    /// Its titles.
    pub titles: Text,
}

/// A switch of the ruleset, read in rules by its name.
#[derive(Clone, Debug)]
pub struct OptionDecl {
    /// Its name.
    pub id: Spanned<String>,
    /// What it is called.
    pub names: Text,
    /// `true`/`false` as 1 and 0, or a number.
    pub default: i64,
    /// Whether it is a number (`int`) or a switch (`bool`).
    pub is_int: bool,
    /// Of a number: what it may be at least.
    pub at_least: Option<i64>,
    /// Of a number: what it may be at most.
    pub at_most: Option<i64>,
    /// The clause that says so.
    pub cite: Option<Spanned<String>>,
}

impl OptionDecl {
    /// Whether it may have this value.
    pub fn allows(&self, value: i64) -> bool {
        let (least, most) = match self.is_int {
            true => (self.at_least, self.at_most),
            false => (Some(0), Some(1)),
        };
        least.is_none_or(|least| least <= value) && most.is_none_or(|most| value <= most)
    }

    /// What it may be, in words.
    pub fn range(&self) -> String {
        match (self.is_int, self.at_least, self.at_most) {
            (false, ..) => "on or off".into(),
            (true, Some(least), Some(most)) => format!("from {least} to {most}"),
            (true, Some(least), None) => format!("at least {least}"),
            (true, None, Some(most)) => format!("at most {most}"),
            (true, None, None) => "any number".into(),
        }
    }
}

/// A table of components: one row for each kind.
#[derive(Clone, Debug)]
pub struct Table {
    /// Singular: the type's name (`good`).
    pub name: Spanned<String>,
    /// Plural: the set of all rows (`goods`).
    pub plural: Spanned<String>,
    /// What it is called.
    pub names: Text,
    /// Its rows are the cells of a board.
    pub board: Option<Board>,
    /// Its columns, in order.
    pub columns: Vec<Column>,
    /// Its rows, in order.
    pub rows: Vec<Row>,
}

/// Where the cells of a board lie. Nothing in play hangs on it: it is for whoever looks at the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    /// How they lie to each other.
    pub shape: BoardShape,
    /// The column that says how far to the right; along a track, how far from its beginning.
    pub x: Spanned<String>,
    /// The column that says how far down; a track has none.
    pub y: Option<Spanned<String>>,
}

/// How the cells of a board lie to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardShape {
    /// Squares: `x` to the right, `y` down.
    Grid,
    /// Hexagons, in axial coordinates: `x` to the right, `y` down and half a cell to the right.
    Hex,
    /// One behind the other.
    Track,
    /// Anywhere: `x` to the right, `y` down, in a unit of the author's own.
    Map,
}

impl BoardShape {
    /// All of them, as they are written.
    pub const ALL: [(&'static str, BoardShape); 4] = [
        ("grid", BoardShape::Grid),
        ("hex", BoardShape::Hex),
        ("track", BoardShape::Track),
        ("map", BoardShape::Map),
    ];
}

/// A column of a table: a function of the row in rules (`cost(b)`).
#[derive(Clone, Debug)]
pub struct Column {
    /// Its name.
    pub name: Spanned<String>,
    /// The type of its cells.
    pub ty: ColumnType,
    /// What it is called.
    pub names: Text,
}

/// The type of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// `int`
    Int,
    /// `bool`
    Bool,
    /// A row of a table; `true`: may be `none`.
    Row(String, bool),
}

/// A row of a table.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its id.
    pub id: Spanned<String>,
    /// What it is called.
    pub names: Text,
    /// Numbers of players with which it is in play; empty: with every number.
    pub players: Vec<u8>,
    /// The clause that it carries out by its columns alone.
    pub cite: Option<Spanned<String>>,
    /// One cell for each column.
    pub cells: Vec<Spanned<Cell>>,
}

/// What the pieces of a row are called behind a number that is not one: the plural forms of the language, as Unicode's CLDR
/// divides them. Behind one stands the name of the row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    /// English: `workers`.
    pub en: [String; 1],
    /// Polish: behind 2 to 4, 22 to 24, … (`plantacje`), and behind all others (`plantacji`).
    pub pl: [String; 2],
}

impl Counted {
    /// Returns the form behind a number that is not one: in Polish `plantacje` behind 24, `plantacji` behind 12.
    pub fn form(&self, language: Language, number: i64) -> &str {
        let (ten, hundred) = (number.unsigned_abs() % 10, number.unsigned_abs() % 100);
        let few = matches!(ten, 2..=4) && !matches!(hundred, 12..=14);
        match language {
            Language::English => &self.en[0],
            Language::Polish if few => &self.pl[0],
            Language::Polish => &self.pl[1],
        }
    }

    /// All forms of a language.
    pub fn forms(&self, language: Language) -> &[String] {
        match language {
            Language::English => &self.en,
            Language::Polish => &self.pl,
        }
    }
}

/// A cell: the same for everyone, or by number of players.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// With every number of players.
    Always(Datum),
    /// By number of players.
    ByPlayers(BTreeMap<u8, Datum>),
}

impl Cell {
    /// The value with this number of players.
    pub fn with_players(&self, players: u8) -> Option<&Datum> {
        match self {
            Cell::Always(datum) => Some(datum),
            Cell::ByPlayers(map) => map.get(&players),
        }
    }
}

/// A value in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Datum {
    /// A number.
    Int(i64),
    /// `true`, `false`
    Bool(bool),
    /// The id of a row.
    Row(String),
    /// `none`
    None,
}

/// As it is written in a document.
impl fmt::Display for Datum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Datum::Int(number) => write!(f, "{number}"),
            Datum::Bool(truth) => write!(f, "{truth}"),
            Datum::Row(row) => f.write_str(row),
            Datum::None => f.write_str("none"),
        }
    }
}

/// A named number, read in rules by its name.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Its name.
    pub name: Spanned<String>,
    /// What it is called, if anything.
    pub names: Text,
    /// Its value.
    pub value: Spanned<Cell>,
    /// The clause that states it.
    pub cite: Option<Spanned<String>>,
}

/// The clauses of the rules, and where the printed rulebook says them.
#[derive(Clone, Debug, Default)]
pub struct Rulebook {
    /// The sections, in order.
    pub sections: Vec<Section>,
    /// The clauses, in order.
    pub clauses: Vec<Clause>,
    /// Paragraphs of the printed rulebook, in order.
    pub sources: Vec<SourceParagraph>,
    /// The documents that want every number of their clauses tied.
    pub tied: Vec<FileId>,
    /// The documents of modules that want every clause that they overrule to be replaced.
    pub replacing: Vec<FileId>,
}

impl Rulebook {
    /// The clause with this id.
    pub fn clause(&self, id: &str) -> Option<&Clause> {
        self.clauses.iter().find(|c| c.id.node == id)
    }

    /// The paragraphs of the print that a clause says, or of which it decides what they leave open.
    pub fn printed<'r>(&'r self, clause: &str) -> impl Iterator<Item = &'r SourceParagraph> {
        let says =
            move |paragraph: &&SourceParagraph| paragraph.clauses.iter().any(|c| c.node == clause);
        self.sources.iter().filter(says)
    }
}

/// A section of the rulebook.
#[derive(Clone, Debug)]
pub struct Section {
    /// Its id.
    pub id: Spanned<String>,
    /// Its titles.
    pub titles: Text,
}

/// One clause.
#[derive(Clone, Debug)]
pub struct Clause {
    /// Its id, such as `captain.must-load`.
    pub id: Spanned<String>,
    /// The section it belongs to.
    pub section: String,
    /// What it says, in our own words.
    pub text: Text,
    /// `rule`, `ruling` (where the rulebook is silent), `option`, `note` (nothing to enforce).
    pub kind: ClauseKind,
    /// Whether some rule has to carry it out: it is no note, and no ruling that says `enforced: false`.
    pub is_enforced: bool,
    /// Where its words stand: English, Polish.
    pub words: [Span; 2],
    /// What its numbers are figures of.
    pub numbers: Vec<Tie>,
    /// The clauses of lower layers that it replaces, as its author says.
    pub replaces: Vec<Spanned<String>>,
    /// The clauses of lower layers that it restricts, as its author says.
    pub restricts: Vec<Spanned<String>>,
}

/// What a number that a clause states is a figure of.
#[derive(Clone, Debug)]
pub struct Tie {
    /// The number.
    pub number: Spanned<Stated>,
    /// What each of its occurrences is: in English, in Polish.
    pub stands_for: [Occurrences; 2],
}

/// What the occurrences of a number in a text stand for.
#[derive(Clone, Debug)]
pub enum Occurrences {
    /// All of them, however many there are, for the same.
    All(Spanned<String>),
    /// Each for one of these, in order.
    Each(Vec<Spanned<String>>),
}

impl Occurrences {
    /// What they stand for, as it is written.
    pub fn figures(&self) -> &[Spanned<String>] {
        match self {
            Occurrences::All(figure) => std::slice::from_ref(figure),
            Occurrences::Each(figures) => figures,
        }
    }
}

/// What a clause is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClauseKind {
    /// Said by the rulebook.
    Rule,
    /// Decided by us where the rulebook is silent or contradicts itself.
    Ruling,
    /// True only when an option says so.
    Option,
    /// Nothing a machine can enforce.
    Note,
}

impl ClauseKind {
    /// As it is written in `rulebook.yaml`.
    pub fn word(self) -> &'static str {
        match self {
            ClauseKind::Rule => "rule",
            ClauseKind::Ruling => "ruling",
            ClauseKind::Option => "option",
            ClauseKind::Note => "note",
        }
    }
}

/// One paragraph of the printed rulebook.
#[derive(Clone, Debug)]
pub struct SourceParagraph {
    /// Where it stands: heading and ordinal, such as `captain/loading 3`.
    pub at: Spanned<String>,
    /// Its clauses.
    pub clauses: Vec<Spanned<String>>,
    /// Why it has none.
    pub why_none: Option<String>,
    /// The places of the [print](super::print) that it stands for.
    pub print: Vec<Spanned<Excerpt>>,
    /// The digests of the sentences there, in order.
    pub printed: Vec<String>,
}

impl SourceParagraph {
    /// Where it stands, for people: its heading and ordinal, and the places of the print, if they are known:
    /// `bargaining item 4 (p1.107)`.
    pub fn place(&self) -> String {
        self.with_print(&self.at.node)
    }

    /// A text about it with the places of the print behind, if they are known.
    pub fn with_print(&self, text: &str) -> String {
        let print = self.print.iter().map(|place| place.node.to_string());
        let print: Vec<String> = print.collect();
        match print.is_empty() {
            true => text.to_owned(),
            false => format!("{text} ({})", print.join(", ")),
        }
    }
}

/// A `.rules` file of a package.
#[derive(Clone, Debug)]
pub struct RulesFile {
    /// The text.
    pub file: FileId,
    /// The module it comes from; none for the base.
    pub module: Option<String>,
    /// What it says.
    pub tree: ast::File,
}

/// What a match is configured with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// Number of players.
    pub players: u8,
    /// Modules, in order.
    pub modules: Vec<String>,
    /// Options that differ from their defaults.
    pub options: BTreeMap<String, i64>,
}

impl Configuration {
    /// The base game for a number of players.
    pub fn base(players: u8) -> Self {
        Configuration {
            players,
            modules: Vec::new(),
            options: BTreeMap::new(),
        }
    }
}

/// The span of a package as a whole: its `id`.
impl Package {
    /// Where the package says its id.
    pub fn span(&self) -> Span {
        self.id.span
    }

    /// Whether any sentence, row, figure or option cites a clause, also one that a module replaced,
    /// changed or disabled.
    pub fn cites(&self, clause: &str) -> bool {
        let mut rules = self.rules.iter().flat_map(|file| &file.tree.cites);
        rules.any(|c| c.node == clause)
            || self.documents_cite(clause)
            || self.overruled.iter().any(|one| one.clause == clause)
    }

    /// Whether a row, figure or option cites a clause.
    pub fn documents_cite(&self, clause: &str) -> bool {
        self.document_cites().any(|cite| cite.node == clause)
    }

    /// Returns what rows, figures and options cite.
    pub fn document_cites(&self) -> impl Iterator<Item = &Spanned<String>> {
        let figures = self.figures.iter().filter_map(|f| f.cite.as_ref());
        let options = self.options.iter().filter_map(|o| o.cite.as_ref());
        let rows = self.tables.iter().flat_map(|table| &table.rows);
        let rows = rows.filter_map(|row| row.cite.as_ref());
        figures.chain(options).chain(rows)
    }

    /// Returns the layer in which something is written: 0 is the base, 1 the first module.
    pub fn layer(&self, file: FileId) -> usize {
        let found = self
            .layers
            .iter()
            .position(|layer| layer.files.contains(&file));
        found.map_or(0, |at| at + 1)
    }

    /// The module in which something is written; none for the base.
    pub fn origin(&self, span: Span) -> Option<&str> {
        self.layers
            .iter()
            .find(|layer| layer.files.contains(&span.file))
            .map(|layer| layer.id.node.as_str())
    }
}
