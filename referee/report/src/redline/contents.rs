//! What a redline says, before it is written in some form.

use serde::Serialize;

use super::figures::FigureChange;
use super::marked::Piece;
use crate::diff::What;

/// How much a flag weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Somebody should read it.
    ToBeRead,
    /// Nobody should sign before it is settled.
    Red,
}

/// What a flag is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fact {
    /// A rule changed, and its clause did not.
    RuleWithoutClause,
    /// A rule changed, and so did its clause: do they still say the same?
    RuleWithClause,
    /// A rule, a row or a figure cites another clause.
    CitesAnother,
    /// A rule changed behind which no clause stands.
    RuleOfNoClause,
    /// A clause changed, and no rule did.
    ClauseWithoutRule,
    /// Words of obligation, permission, number, negation or time changed.
    WatchedWords,
    /// One language changed, and the other did not.
    OneLanguage,
    /// A clause became a rule, a ruling, an option or a note.
    Kind,
    /// A clause that is new.
    ClauseAdded,
    /// A clause that is gone.
    ClauseRemoved,
    /// The clause states a figure as it was.
    StaleFigure,
    /// The clause says a name that something had before.
    StaleName,
    /// A component is new.
    RowAdded,
    /// A component is gone.
    RowRemoved,
    /// Options, numbers of players, or the id of the ruleset changed.
    Manifest,
    /// Something is called otherwise.
    Names,
    /// Something is called what another thing was called.
    NamesExchanged,
    /// A paragraph of the printed rulebook is tied to other clauses, or to none.
    TieChanged,
    /// A paragraph of the printed rulebook is gone.
    TieRemoved,
    /// A paragraph of the printed rulebook is new, or gives another reason to have no clause.
    TieAdded,
    /// A scenario is gone.
    ScenarioRemoved,
    /// A scenario has another name.
    ScenarioRenamed,
    /// A scenario expects less.
    ScenarioWeakened,
    /// A scenario says other things.
    ScenarioRewritten,
    /// A scenario of the first fails under the rules of the second.
    ScenarioFails,
    /// A mistake is newly marked as one that nobody could notice, or for another reason.
    MarkAdded,
    /// A module that is not laid over either was changed.
    ModuleUnread,
}

/// A flag.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Flag {
    /// How much it weighs.
    pub level: Level,
    /// What it is about.
    pub fact: Fact,
    /// In a sentence.
    pub text: String,
}

impl Flag {
    /// A flag.
    pub(super) fn new(level: Level, fact: Fact, text: impl Into<String>) -> Flag {
        Flag {
            level,
            fact,
            text: text.into(),
        }
    }
}

/// A rule that changed.
#[derive(Clone, Debug, Serialize)]
pub struct RuleChange {
    /// What it is: `move captain.loading.load`.
    pub of: String,
    /// The same in words.
    pub name: String,
    /// What happened to it.
    pub what: What,
    /// Where it is written: in the second, or else in the first.
    pub place: String,
    /// Its code in the first.
    pub before: Option<String>,
    /// Its code in the second.
    pub after: Option<String>,
    /// The clauses that it serves.
    pub clauses: Vec<String>,
}

/// A clause that changed, or of which something is to be said.
#[derive(Clone, Debug, Serialize)]
pub struct ClauseChange {
    /// Its id.
    pub id: String,
    /// The section that it belongs to.
    pub section: String,
    /// `rule`, `ruling`, `option`, `note`, as it is or was last.
    pub kind: &'static str,
    /// What happened to its words or its kind; none if they are as they were.
    pub what: Option<What>,
    /// Its words in the language of the redline.
    pub text: Vec<Piece>,
    /// Its words in the other language, if something of them is marked.
    pub other: Option<Vec<Piece>>,
    /// What is flagged.
    pub flags: Vec<Flag>,
    /// The rules behind it that changed.
    pub rules: Vec<RuleChange>,
}

/// Something besides the clauses that changed.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    /// What: a paragraph, a scenario, a component.
    pub of: String,
    /// What it was, and what it is, line by line.
    pub lines: Vec<(Option<String>, Option<String>)>,
    /// What else is to be known of it.
    pub about: Vec<String>,
    /// What is flagged.
    pub flags: Vec<Flag>,
}

/// What two rulesets differ in, as somebody reads it who signs it.
#[derive(Clone, Debug, Serialize)]
pub struct Redline {
    /// `en`, `pl`
    pub language: &'static str,
    /// How many flags are red.
    pub red: usize,
    /// How many are to be read.
    pub to_be_read: usize,
    /// Clauses, in the order of the rulebook; those that are gone stand last.
    pub clauses: Vec<ClauseChange>,
    /// Figures and cells.
    pub figures: Vec<FigureChange>,
    /// Components, options and names.
    pub other: Vec<Entry>,
    /// Rules behind which no clause stands.
    pub rules: Vec<(RuleChange, Vec<Flag>)>,
    /// Ties to the printed rulebook.
    pub ties: Vec<Entry>,
    /// Scenarios.
    pub scenarios: Vec<Entry>,
}

impl Redline {
    /// Every flag.
    pub fn flags(&self) -> impl Iterator<Item = &Flag> {
        let entries = self.other.iter().chain(&self.ties).chain(&self.scenarios);
        self.clauses
            .iter()
            .flat_map(|clause| &clause.flags)
            .chain(entries.flat_map(|entry| &entry.flags))
            .chain(self.rules.iter().flat_map(|(_, flags)| flags))
    }

    /// The weight of the heaviest flag. A figure that changed is to be read.
    pub fn level(&self) -> Option<Level> {
        let figures = (!self.figures.is_empty()).then_some(Level::ToBeRead);
        self.flags().map(|flag| flag.level).max().max(figures)
    }

    /// Whether nothing is to be said.
    pub fn is_empty(&self) -> bool {
        self.clauses.is_empty()
            && self.figures.is_empty()
            && self.other.is_empty()
            && self.rules.is_empty()
            && self.ties.is_empty()
            && self.scenarios.is_empty()
    }

    /// Counts the flags anew.
    pub(super) fn counted(mut self) -> Redline {
        let red = self.flags().filter(|flag| flag.level == Level::Red).count();
        self.to_be_read = self.flags().count() - red + self.figures.len();
        self.red = red;
        self
    }
}
