//! The sentences of a file, and those that hold others.

use super::changes::{Addition, Disable, Insertion, Replacement};
use super::decisions::{MoveParam, Need, Once};
use super::flow::{AnyTime, Ending, Keep, PlaysRow, Require, Score, Step, Trigger, Watch, Winner};
use super::functions::{Contribution, EffectDecl, Query, Script};
use super::table::{Counter, Die, EventDecl, Marker, Place, RecordDecl};
use super::words::{Cite, Name, Param, Path};
use crate::source::Span;
use std::collections::BTreeMap;

/// Everything one `.rules` file says.
#[derive(Clone, Debug, Default)]
pub struct File {
    /// The items in the order in which they are written.
    pub items: Vec<Item>,
    /// Every citation in it, also of sentences that could not be read.
    pub cites: Vec<Cite>,
    /// The numbers that the sentences of each citation write, by the place of the citation. To a citation belongs what
    /// stands below its sentence and cites nothing itself.
    pub numbers: BTreeMap<Span, Vec<i64>>,
    /// Where each sentence ends with all that stands below it, and what it cites itself, by where it begins.
    pub extents: BTreeMap<u32, (u32, Option<Cite>)>,
}

impl File {
    /// Returns what a sentence cites itself.
    pub fn own_cite(&self, sentence: Span) -> Option<&Cite> {
        self.extent(sentence)?.1.as_ref()
    }

    /// Returns what a sentence and all that stands below it cite.
    pub fn cites_of(&self, sentence: Span) -> impl Iterator<Item = &Cite> {
        let end = self.extent(sentence).map_or(0, |(end, _)| *end);
        let inside = sentence.start..end;
        let cites = self.cites.iter();
        cites.filter(move |cite| inside.contains(&cite.span.start))
    }

    fn extent(&self, sentence: Span) -> Option<&(u32, Option<Cite>)> {
        let (_, extent) = self.extents.range(..=sentence.start).next_back()?;
        Some(extent)
    }
}

/// One top-level sentence.
#[derive(Clone, Debug)]
pub enum Item {
    /// `place stock(p: player) of good …`
    Place(Place),
    /// `counter doubloons(p: player) …`
    Counter(Counter),
    /// `marker governor: player …`
    Marker(Marker),
    /// `event loaded(p: player, n: int)`
    Event(EventDecl),
    /// `query price(p: player, b: building): int …`
    Query(Query),
    /// `modify`, `allow`, `forbid`
    Contribution(Contribution),
    /// `on loaded(p, n): do { … }`
    Trigger(Trigger),
    /// `effect award(p: player, n: int): do { … }`
    Effect(EffectDecl),
    /// `phase captain(holder: player) …`
    Phase(Phase),
    /// `ending city_full …`
    Ending(Ending),
    /// `score chips for p: …`
    Score(Score),
    /// `winner most score(p), then most …`
    Winner(Winner),
    /// `require …`
    Require(Require),
    /// `building wharf for p when active` and what is indented below it
    Component(Component),
    /// `in captain.loading:` with the moves it adds
    Addition(Addition),
    /// `extend builder.build with helper: bool …`
    Extension(Extension),
    /// `before captain.storing:`, `after …`, `at start of …`, with steps or an effect
    Insertion(Insertion),
    /// `replace captain.storing:` with the new step
    Replacement(Replacement),
    /// `disable captain.storing`
    Disable(Disable),
    /// `record deal(payer: player, …)`
    Record(RecordDecl),
    /// `die production: 1 to 6`
    Die(Die),
    /// `when … becomes true for each p: …`
    Watch(Watch),
    /// `at any time` with the free moves it adds to every question
    AnyTime(AnyTime),
}

/// A phase and its steps.
#[derive(Clone, Debug)]
pub struct Phase {
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub params: Vec<Param>,
    /// `plays role settler, …`: the component rows whose `play` this is.
    pub plays: Vec<PlaysRow>,
    /// `at most 6 deep`: the bound of its recursion.
    pub depth: Option<i64>,
    /// What it remembers while it lasts.
    pub keeps: Vec<Keep>,
    /// Queries that read its parameters.
    pub queries: Vec<Query>,
    /// Contributions, triggers and watches written inside it, moves it offers at any time, and places that
    /// last as long as it does.
    pub items: Vec<Item>,
    /// Its steps, in order.
    pub steps: Vec<Step>,
    /// Its clause.
    pub cite: Option<Cite>,
    /// The header.
    pub span: Span,
}

/// Rules that a component brings: `building wharf for p when active`.
#[derive(Clone, Debug)]
pub struct Component {
    /// Its table.
    pub table: Name,
    /// Its row.
    pub row: Name,
    /// `for p when active`: the owner's name and the query that must hold of owner and row.
    pub owner: Option<(Name, Option<Name>)>,
    /// The rules.
    pub items: Vec<Item>,
    /// The clause of the whole.
    pub cite: Option<Cite>,
    /// The header.
    pub span: Span,
}

/// Parameters added to moves: `extend builder.build with helper: bool when …`.
#[derive(Clone, Debug)]
pub struct Extension {
    /// The moves.
    pub moves: Vec<Path>,
    /// What is added.
    pub params: Vec<MoveParam>,
    /// `before payment`: the parameter before which they are chosen; else after all others.
    pub before: Option<Name>,
    /// `once per round`: how often they may be used.
    pub once: Option<Once>,
    /// Contributions that count only while this move is made.
    pub items: Vec<Item>,
    /// Conditions that are added.
    pub needs: Vec<Need>,
    /// What must hold afterwards as well.
    pub ensures: Vec<Need>,
    /// Done after the move's own effect.
    pub effect: Option<Script>,
    /// Its clause.
    pub cite: Option<Cite>,
    /// The header.
    pub span: Span,
}
