//! What can be accepted of a composed package, with everything that an acceptance holds for.
//!
//! In: a composed package and what its scenarios say. Out: its clauses, the paragraphs of the print, and what no clause
//! claims. Nothing here depends on how a text is laid out: rules are words and signs, scenarios are values.

use std::collections::{BTreeMap, BTreeSet};

use interpreter::package::{
    Cell, Clause, ClauseKind, Language, Package, Part, Reviewed, Row, SourceParagraph, Table, Text,
    Unclaimed,
};
use interpreter::source::Span;

use super::printed::Place;
use super::scenarios::{Names, Said};
use crate::diff::Composed;
use crate::redline::{CarriedOut, Rule, inflects, stem, words};
use referee_store::hashing::Context;
use referee_store::numbers::to_u64;

static PARTS: Context = Context::new("referee review: a part of what was accepted, 1");
static WHOLE: Context = Context::new("referee review: what was accepted, 1");

/// Digits of the digest of a part as it is written: enough to tell which one has changed.
const SHORT: usize = 8;

/// Something that can be accepted.
#[derive(Clone, Debug)]
pub struct Thing {
    /// What it is.
    pub what: Reviewed,
    /// The chapters to which it belongs: their ids and titles.
    pub chapters: Vec<(String, Text)>,
    /// The phases in which its rules stand.
    pub phases: BTreeSet<String>,
    /// The clauses of which it speaks.
    pub clauses: Vec<String>,
    /// Where it is written, if it stands in one place.
    pub at: Option<Span>,
    /// What is accepted with it, in parts, each a list of what it consists of. An empty part is left out.
    pub parts: BTreeMap<Part, Vec<String>>,
    /// The rules that carry it out, as people read them.
    pub rules: Vec<Written>,
    /// The names of the scenarios that prove it.
    pub scenarios: Vec<String>,
    /// What these say, in sentences.
    pub prose: Vec<Vec<String>>,
    /// The places of the print that are said to say it, for whoever has its text.
    pub places: Vec<Place>,
}

/// A rule as people read it.
#[derive(Clone, Debug)]
pub struct Written {
    /// What it is.
    pub what: String,
    /// Where it stands.
    pub place: String,
    /// As it is written.
    pub code: String,
}

impl Thing {
    /// The short digests of its parts.
    pub fn marks(&self) -> BTreeMap<Part, String> {
        let parts = self.parts.iter();
        let parts = parts.map(|(part, said)| (*part, mark(*part, said)));
        parts.collect()
    }

    /// The digest over all of it.
    pub fn digest(&self) -> String {
        let mut hasher = WHOLE.hasher();
        let mut add = |text: &str| {
            hasher.update(&to_u64(text.len()).to_le_bytes());
            hasher.update(text.as_bytes());
        };
        let (kind, name) = key(&self.what);
        add(kind);
        add(name);
        for (part, said) in &self.parts {
            add(part.name());
            add(&part_digest(*part, said));
        }
        hasher.finalize().to_hex().to_string()
    }
}

/// The short digest of a part.
pub fn mark(part: Part, said: &[String]) -> String {
    part_digest(part, said)[..SHORT].to_owned()
}

fn part_digest(part: Part, said: &[String]) -> String {
    let mut hasher = PARTS.hasher();
    for text in std::iter::once(part.name()).chain(said.iter().map(String::as_str)) {
        hasher.update(&to_u64(text.len()).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

/// The key under which a thing is written, and its name there.
pub fn key(what: &Reviewed) -> (&'static str, &str) {
    match what {
        Reviewed::Clause(id) => ("clause", id),
        Reviewed::Paragraph(at) => ("paragraph", at),
        Reviewed::Unclaimed(what) => ("unclaimed", what.name()),
    }
}

/// What a thing is called by people: `@captain.load`, `captain 3`, `unclaimed rules`.
pub fn called(what: &Reviewed) -> String {
    match what {
        Reviewed::Clause(id) => format!("@{id}"),
        Reviewed::Paragraph(at) => at.clone(),
        Reviewed::Unclaimed(what) => format!("unclaimed {}", what.name()),
    }
}

/// Everything that can be accepted of a package, in the order of its rulebook.
pub fn things(composed: &Composed, scenarios: &[Said]) -> Vec<Thing> {
    let package = &composed.package;
    let rules = CarriedOut::of(composed, Language::English);
    let phases: BTreeSet<&str> = rules
        .rules
        .iter()
        .filter_map(|rule| rule.what.strip_prefix("phase "))
        .collect();
    let figures = Figures::of(package);
    let names = Names::of(package);
    let mut claimed: BTreeSet<usize> = BTreeSet::new();
    let mut all = Vec::new();
    for clause in &package.rulebook.clauses {
        let id = &clause.id.node;
        let own: Vec<&Rule> = rules
            .all()
            .filter(|rule| rule.clauses.contains(id))
            .collect();
        let used = figures.of_clause(clause, &own);
        let mut thing = Thing {
            what: Reviewed::Clause(id.clone()),
            chapters: chapter(package, clause).into_iter().collect(),
            phases: phases_of(&own, &phases),
            clauses: vec![id.clone()],
            at: Some(clause.id.span),
            parts: BTreeMap::new(),
            rules: written(&own),
            scenarios: Vec::new(),
            prose: Vec::new(),
            places: Vec::new(),
        };
        thing.part(Part::English, vec![clause.text.en.clone()]);
        thing.part(Part::Polish, vec![clause.text.pl.clone()]);
        let kind = match clause.kind {
            ClauseKind::Ruling if !clause.is_enforced => "ruling, not enforced",
            kind => kind.word(),
        };
        thing.part(Part::Kind, vec![kind.to_owned()]);
        thing.part(Part::Rules, own.iter().map(|rule| tokens(rule)).collect());
        thing.part(Part::Figures, figures.lines(&used));
        let print = package.rulebook.sources.iter();
        let print = print.filter(|paragraph| paragraph.clauses.iter().any(|c| c.node == *id));
        thing.places = print.map(place).collect();
        let tied = thing.places.iter().map(|place| place.at.clone());
        thing.part(Part::Print, tied.collect());
        let proof = scenarios.iter().filter(|said| said.cites.contains(id));
        let proof: Vec<&Said> = proof.collect();
        thing.scenarios = proof.iter().map(|said| said.name.clone()).collect();
        thing.prose = proof.iter().map(|said| said.prose(&names)).collect();
        let mut proof: Vec<String> = proof.iter().map(|said| said.text()).collect();
        proof.sort();
        thing.part(Part::Scenarios, proof);
        claimed.extend(used);
        all.push(thing);
    }
    all.extend(paragraphs(package, &all));
    all.extend(unclaimed(package, &rules, &figures, &claimed));
    all
}

impl Thing {
    fn part(&mut self, part: Part, said: Vec<String>) {
        if !said.is_empty() {
            self.parts.insert(part, said);
        }
    }
}

/// The paragraphs of the print: each is accepted with the words of its clauses, since they are what it is said to say.
fn paragraphs(package: &Package, clauses: &[Thing]) -> Vec<Thing> {
    let mut all = Vec::new();
    for paragraph in &package.rulebook.sources {
        let ids: Vec<String> = paragraph.clauses.iter().map(|c| c.node.clone()).collect();
        let own: Vec<&Thing> = clauses
            .iter()
            .filter(|thing| thing.clauses.iter().any(|id| ids.contains(id)))
            .collect();
        let mut chapters: Vec<(String, Text)> = Vec::new();
        for (id, titles) in own.iter().flat_map(|thing| &thing.chapters) {
            if chapters.iter().all(|(known, _)| known != id) {
                chapters.push((id.clone(), titles.clone()));
            }
        }
        let mut thing = Thing {
            what: Reviewed::Paragraph(paragraph.at.node.clone()),
            chapters,
            phases: own.iter().flat_map(|thing| thing.phases.clone()).collect(),
            // In the order of their words.
            clauses: own.iter().flat_map(|thing| thing.clauses.clone()).collect(),
            at: Some(paragraph.at.span),
            parts: BTreeMap::new(),
            rules: Vec::new(),
            scenarios: Vec::new(),
            prose: Vec::new(),
            places: vec![place(paragraph)],
        };
        for part in [Part::English, Part::Polish, Part::Kind] {
            let said = own.iter().filter_map(|thing| thing.parts.get(&part));
            thing.part(part, said.flatten().cloned().collect());
        }
        let mut tie = match &paragraph.why_none {
            Some(why) => vec![format!("no clause: {why}")],
            None => ids.iter().map(|id| format!("@{id}")).collect(),
        };
        // What was printed there when it was accepted.
        tie.extend(
            paragraph
                .printed
                .iter()
                .map(|digest| format!("sentence {digest}")),
        );
        thing.part(Part::Print, tie);
        all.push(thing);
    }
    all
}

/// What no clause claims, so that nothing changes behind the back of whoever signs.
fn unclaimed(
    package: &Package,
    rules: &CarriedOut,
    figures: &Figures,
    claimed: &BTreeSet<usize>,
) -> Vec<Thing> {
    let empty = |what| Thing {
        what: Reviewed::Unclaimed(what),
        chapters: Vec::new(),
        phases: BTreeSet::new(),
        clauses: Vec::new(),
        at: None,
        parts: BTreeMap::new(),
        rules: Vec::new(),
        scenarios: Vec::new(),
        prose: Vec::new(),
        places: Vec::new(),
    };
    let known: BTreeSet<&String> = package
        .rulebook
        .clauses
        .iter()
        .map(|clause| &clause.id.node)
        .collect();
    let idle: Vec<&Rule> = rules
        .all()
        .filter(|rule| !rule.clauses.iter().any(|id| known.contains(id)))
        .collect();
    let mut of_rules = empty(Unclaimed::Rules);
    of_rules.rules = written(&idle);
    of_rules.part(Part::Rules, idle.iter().map(|rule| tokens(rule)).collect());
    let mut of_figures = empty(Unclaimed::Figures);
    let rest: BTreeSet<usize> = (0..figures.all.len())
        .filter(|figure| !claimed.contains(figure))
        .collect();
    of_figures.part(Part::Figures, figures.lines(&rest));
    let all = [of_rules, of_figures].into_iter();
    all.filter(|thing| !thing.parts.is_empty()).collect()
}

fn place(paragraph: &SourceParagraph) -> Place {
    let excerpts = paragraph.print.iter();
    Place {
        at: paragraph.at.node.clone(),
        excerpts: excerpts.map(|excerpt| excerpt.node).collect(),
        pinned: paragraph.printed.clone(),
    }
}

fn chapter(package: &Package, clause: &Clause) -> Option<(String, Text)> {
    let mut sections = package.rulebook.sections.iter();
    let section = sections.find(|section| section.id.node == clause.section)?;
    Some((section.id.node.clone(), section.titles.clone()))
}

/// The phases in whose rules these stand: by their addresses, `move captain.loading.load`.
fn phases_of(rules: &[&Rule], known: &BTreeSet<&str>) -> BTreeSet<String> {
    let words = rules.iter().flat_map(|rule| rule.what.split([' ', ',']));
    let firsts = words.filter_map(|word| word.split('.').next());
    firsts
        .filter(|word| known.contains(word))
        .map(str::to_owned)
        .collect()
}

/// Rules as they are shown, in order.
fn written(rules: &[&Rule]) -> Vec<Written> {
    let mut all: Vec<Written> = Vec::new();
    for rule in rules {
        // Sentences on one line are shown as that line, which is said once.
        let known = |known: &Written| known.place == rule.place && known.code == rule.code;
        if !all.iter().any(known) {
            all.push(Written {
                what: rule.what.clone(),
                place: rule.place.clone(),
                code: rule.code.clone(),
            });
        }
    }
    all
}

/// A rule without layout, comments and citations.
fn tokens(rule: &Rule) -> String {
    format!("{}: {}", rule.what, rule.tokens.join(" "))
}

/// Every figure of a package: of the set-up, of components, of options.
struct Figures {
    all: Vec<Figure>,
}

struct Figure {
    /// `figure island_spaces = 12`
    line: String,
    /// The clause that it cites, itself or by its row.
    cite: Option<String>,
    /// Names by which rules use it: its own, that of its column, that of its row.
    names: Vec<String>,
    /// What the piece is called of which it says that.
    called: Option<Text>,
}

impl Figures {
    fn of(package: &Package) -> Figures {
        let mut all = vec![Figure {
            line: format!("players {} to {}", package.players.0, package.players.1),
            cite: None,
            names: Vec::new(),
            called: None,
        }];
        for option in &package.options {
            let default = option.default;
            all.push(Figure {
                line: format!("option {} = {default}, {}", option.id.node, option.range()),
                cite: option.cite.as_ref().map(|cite| cite.node.clone()),
                names: vec![option.id.node.clone()],
                called: None,
            });
        }
        for figure in &package.figures {
            all.push(Figure {
                line: format!("figure {} = {}", figure.name.node, cell(&figure.value.node)),
                cite: figure.cite.as_ref().map(|cite| cite.node.clone()),
                names: vec![figure.name.node.clone()],
                called: None,
            });
        }
        for table in &package.tables {
            for row in &table.rows {
                all.extend(of_row(table, row));
            }
        }
        Figures { all }
    }

    /// Those that a clause states or its rules use, and the names that it says.
    fn of_clause(&self, clause: &Clause, rules: &[&Rule]) -> BTreeSet<usize> {
        let id = &clause.id.node;
        let words: BTreeSet<&str> = rules
            .iter()
            .flat_map(|rule| &rule.tokens)
            .map(String::as_str)
            .collect();
        let uses = |figure: &Figure| {
            figure.cite.as_ref() == Some(id)
                || figure
                    .called
                    .as_ref()
                    .is_some_and(|name| speaks(&clause.text, name))
                || figure
                    .names
                    .iter()
                    .any(|name| words.contains(name.as_str()))
        };
        let all = self.all.iter().enumerate();
        all.filter(|(_, figure)| uses(figure))
            .map(|(index, _)| index)
            .collect()
    }

    fn lines(&self, wanted: &BTreeSet<usize>) -> Vec<String> {
        let lines = wanted.iter().filter_map(|index| self.all.get(*index));
        lines.map(|figure| figure.line.clone()).collect()
    }
}

/// Whether a text says a name, in either language and in any of its forms.
fn speaks(text: &Text, name: &Text) -> bool {
    [(&text.en, &name.en), (&text.pl, &name.pl)]
        .into_iter()
        .any(|(text, name)| {
            let text = words(text);
            let name: Vec<String> = words(name).iter().map(|word| stem(word)).collect();
            let fits = |said: &[String]| name.iter().zip(said).all(|(n, word)| inflects(n, word));
            !name.is_empty() && text.windows(name.len()).any(fits)
        })
}

/// With which numbers of players a row is in play, and each of its cells.
fn of_row(table: &Table, row: &Row) -> Vec<Figure> {
    let (name, id) = (&table.name.node, &row.id.node);
    let cite = row.cite.as_ref().map(|cite| cite.node.clone());
    let with: Vec<String> = row.players.iter().map(u8::to_string).collect();
    let with = match with.is_empty() {
        true => "any number of".to_owned(),
        false => with.join(", "),
    };
    let mut all = vec![Figure {
        line: format!("{name} {id}: with {with} players"),
        cite: cite.clone(),
        names: vec![id.clone(), table.plural.node.clone()],
        called: None,
    }];
    // What is printed on a tile or card is signed with what speaks of that piece.
    all.push(Figure {
        line: format!("{name} {id}: called {} / {}", row.names.en, row.names.pl),
        cite: cite.clone(),
        names: vec![id.clone()],
        called: Some(row.names.clone()),
    });
    for (column, value) in table.columns.iter().zip(&row.cells) {
        all.push(Figure {
            line: format!("{name} {id} {} = {}", column.name.node, cell(&value.node)),
            cite: cite.clone(),
            names: vec![id.clone(), column.name.node.clone()],
            called: None,
        });
    }
    all
}

fn cell(cell: &Cell) -> String {
    match cell {
        Cell::Always(value) => value.to_string(),
        Cell::ByPlayers(values) => {
            let each = values.iter();
            let each = each.map(|(players, value)| format!("{players}: {value}"));
            format!("{{{}}}", each.collect::<Vec<_>>().join(", "))
        }
    }
}
