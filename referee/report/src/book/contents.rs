//! What a book says, before it is written in some form.

use serde::Serialize;

use crate::coverage::Standing;

/// Scenarios that are named at once.
pub(super) const NAMED: usize = 5;

/// A book.
#[derive(Clone, Debug, Serialize)]
pub struct Book {
    /// `en`, `pl`
    pub language: &'static str,
    /// The ruleset's id.
    pub ruleset: String,
    /// Its version.
    pub version: String,
    /// Its title.
    pub title: String,
    /// Smallest and greatest number of players.
    pub players: (u8, u8),
    /// Modules that are laid over the base: id and title.
    pub modules: Vec<(String, String)>,
    /// Modules that it offers besides.
    pub offered: Vec<(String, String)>,
    /// Switches: id, name, default, clause.
    pub options: Vec<OptionEntry>,
    /// Parts of the rulebook.
    pub sections: Vec<Section>,
    /// Figures by number of players.
    pub setup: Vec<FigureEntry>,
    /// Cells of components that differ by number of players.
    pub by_players: Vec<FigureEntry>,
    /// Tables of components.
    pub tables: Vec<TableEntry>,
    /// Which phase visits which.
    pub overview: Graph,
    /// The phases.
    pub phases: Vec<PhaseEntry>,
    /// What lies on the table, and what things are called.
    pub glossary: Vec<Word>,
    /// Every name with the places where it is said.
    pub index: Vec<IndexEntry>,
    /// How many clauses are proven, and how many are enforceable; none in a book whose scenarios were not run.
    pub proven: Option<(usize, usize)>,
    /// How many are touched or proven.
    pub touched: Option<usize>,
}

/// A switch.
#[derive(Clone, Debug, Serialize)]
pub struct OptionEntry {
    /// Its id.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// What holds if nobody says otherwise.
    pub default: String,
    /// Its clause.
    pub clause: Option<String>,
}

/// A part of the rulebook.
#[derive(Clone, Debug, Serialize)]
pub struct Section {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its clauses.
    pub clauses: Vec<ClauseEntry>,
}

/// A clause.
#[derive(Clone, Debug, Serialize)]
pub struct ClauseEntry {
    /// Its id.
    pub id: String,
    /// What it says.
    pub text: String,
    /// `rule`, `ruling`, `option`, `note`
    pub kind: &'static str,
    /// Whether some rule has to carry it out.
    pub is_enforced: bool,
    /// The module that adds it or says it anew.
    pub module: Option<String>,
    /// Where the printed rulebook says it; never of a ruling.
    pub printed: Vec<String>,
    /// Of a ruling, where the printed rulebook leaves it open.
    pub decides: Vec<String>,
    /// The clauses of lower layers in whose place it stands.
    pub replaces: Vec<String>,
    /// All clauses that are left out and to be found here.
    pub stands_for: Vec<String>,
    /// Clauses of modules that make an exception to it.
    pub restricted_by: Vec<String>,
    /// The rules that carry it out.
    pub rules: Vec<RuleEntry>,
    /// Scenarios that cite it and in which such a rule ran or refused; if none cites it, some of the rest.
    pub scenarios: Vec<String>,
    /// In how many other scenarios such a rule ran or refused.
    pub others: usize,
    /// What is missing: nobody carries it out, or no scenario sees that.
    pub gap: bool,
    /// `proven`, `touched` or `gap`; none of notes, and in a book whose scenarios were not run.
    pub standing: Option<Standing>,
    /// What is missing so that it is proven, in words, if it is touched.
    pub missing: Vec<String>,
}

/// A sentence of the rules.
#[derive(Clone, Debug, Serialize)]
pub struct RuleEntry {
    /// What it is: `move captain.loading.load`.
    pub what: String,
    /// Where it is written.
    pub place: String,
    /// The sentence.
    pub lines: Vec<String>,
}

/// A figure.
#[derive(Clone, Debug, Serialize)]
pub struct FigureEntry {
    /// Its id.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// A value for each number of players; none where it is not in play.
    pub values: Vec<Option<String>>,
    /// Its clause.
    pub clause: Option<String>,
}

/// A table of components.
#[derive(Clone, Debug, Serialize)]
pub struct TableEntry {
    /// Its name in the rules.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// Names of its columns.
    pub columns: Vec<String>,
    /// Its rows.
    pub rows: Vec<RowEntry>,
}

/// A component.
#[derive(Clone, Debug, Serialize)]
pub struct RowEntry {
    /// Its id.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// Its figures.
    pub cells: Vec<String>,
    /// Its clause.
    pub clause: Option<String>,
    /// The rules that it brings.
    pub rules: Vec<Line>,
    /// Figures that a module changed.
    pub changed: Vec<String>,
}

/// A line of rules.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// How deep it is indented.
    pub depth: usize,
    /// ` `, `+` (said elsewhere), `~` (in place of another), `-` (taken out), `#` (a heading).
    pub mark: char,
    /// What it says.
    pub text: String,
    /// Clauses that it cites.
    pub cites: Vec<String>,
}

/// A drawn graph.
#[derive(Clone, Debug, Serialize)]
pub struct Graph {
    /// A picture.
    pub svg: String,
    /// The same for Mermaid.
    pub mermaid: String,
}

/// A phase.
#[derive(Clone, Debug, Serialize)]
pub struct PhaseEntry {
    /// Its name in the rules.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// Its clause.
    pub clause: Option<String>,
    /// Its graph.
    pub graph: Graph,
    /// Its rules, with everything that components and modules add.
    pub rules: Vec<Line>,
}

/// A word.
#[derive(Clone, Debug, Serialize)]
pub struct Word {
    /// What it is: `place`, `counter`, `move`, …
    pub kind: &'static str,
    /// Its name in the rules.
    pub id: String,
    /// What it is called in the language of the book.
    pub name: String,
    /// What it is called in the other language.
    pub other: String,
    /// The sentence that declares it, if one does.
    pub said: Option<String>,
    /// Its clause.
    pub clause: Option<String>,
}

/// A name in the index.
#[derive(Clone, Debug, Serialize)]
pub struct IndexEntry {
    /// The name.
    pub name: String,
    /// What to follow: a text and an anchor of the book.
    pub at: Vec<(String, String)>,
}
