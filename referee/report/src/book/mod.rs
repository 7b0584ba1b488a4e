//! A ruleset as a book: what a publisher reads to see what the machine believes.
//!
//! [`Book`] holds everything that is said, in one language and in order: clauses with the rules that
//! carry them out and the scenarios that prove them, components with their figures, set-up tables,
//! phases with their graphs, words, an index. [`markdown`] and [`html`] only set it in type, for editors with proofs and rules
//! beside the clauses; [`readers`] sets of it what players read.

mod contents;
mod html;
mod labels;
mod markdown;
mod readers;
pub mod words;

use std::collections::BTreeMap;

use interpreter::Ruleset;
use interpreter::package::{Cell, ClauseKind, ColumnType, Datum, Language, Package, Row, Table};
use interpreter::syntax::ast::Item;

use super::coverage::{self, Coverage};
use super::graph::{Detail, Draftsman, mermaid, svg};
use super::proofs::Proofs;
use super::rules::Rules;
use super::rules::phase::Part;
use super::rules::sheet::{Mark, Sheet};
pub use labels::Labels;

pub use contents::{
    Book, ClauseEntry, FigureEntry, Graph, IndexEntry, Line, OptionEntry, PhaseEntry, RowEntry,
    RuleEntry, Section, TableEntry, Word,
};

/// Scenarios that are named where none means to prove a clause.
const BY_THE_WAY: usize = 3;
/// What a book is made of.
pub struct Material<'a> {
    /// The composed package, as rules.
    pub rules: &'a Rules<'a>,
    /// Its compiled form, for the graph.
    pub ruleset: &'a Ruleset,
    /// What proves what, and the scenarios behind it; none if those were not run.
    pub proven: Option<(&'a Coverage, &'a Proofs)>,
    /// The language of the book.
    pub language: Language,
}

/// Writes the book.
pub fn book(material: &Material<'_>) -> Book {
    Writer {
        package: material.rules.package,
        rules: material.rules,
        material,
        labels: Labels(material.language),
    }
    .book()
}

/// For whom a book is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Edition {
    /// Whoever answers for the rules: proofs and rules stand beside each clause.
    #[default]
    Editors,
    /// Players: the clauses, chapter by chapter, set-up, components, an index.
    Readers,
}

/// As Markdown.
pub fn to_markdown(book: &Book, edition: Edition, language: Language) -> String {
    match edition {
        Edition::Editors => markdown::markdown(book, Labels(language)),
        Edition::Readers => readers::markdown(book, Labels(language)),
    }
}

/// As one page of HTML that needs nothing else.
pub fn to_html(book: &Book, edition: Edition, language: Language) -> String {
    match edition {
        Edition::Editors => html::html(book, Labels(language)),
        Edition::Readers => readers::html(book, Labels(language)),
    }
}

struct Writer<'a> {
    package: &'a Package,
    rules: &'a Rules<'a>,
    material: &'a Material<'a>,
    labels: Labels,
}

impl Writer<'_> {
    fn book(&self) -> Book {
        let package = self.package;
        let words = &self.rules.words;
        let title = |text| words.text(text);
        let draftsman =
            Draftsman::new(self.material.ruleset, self.material.language, Detail::Steps);
        let overview = draftsman.overview();
        let tables: Vec<TableEntry> = package.tables.iter().map(|t| self.table(t)).collect();
        let glossary = self.glossary();
        let phases: Vec<PhaseEntry> = self.phases(&draftsman);
        let index = self.index(&tables, &phases, &glossary);
        Book {
            language: self.labels.code(),
            ruleset: package.id.node.clone(),
            version: package.version.clone(),
            title: title(&package.titles),
            players: package.players,
            modules: package
                .layers
                .iter()
                .map(|layer| (layer.id.node.clone(), title(&layer.titles)))
                .collect(),
            offered: package
                .offered
                .iter()
                .filter(|module| !package.modules.contains(&module.id))
                .map(|module| (module.id.clone(), title(&module.titles)))
                .collect(),
            options: package
                .options
                .iter()
                .map(|option| OptionEntry {
                    id: option.id.node.clone(),
                    name: title(&option.names),
                    default: match (option.is_int, option.default) {
                        (true, number) => number.to_string(),
                        (false, truth) => self.labels.truth(truth != 0).to_owned(),
                    },
                    clause: option.cite.as_ref().map(|cite| cite.node.clone()),
                })
                .collect(),
            sections: self.sections(),
            setup: self.figures(),
            by_players: self.cells_by_players(),
            tables,
            overview: Graph {
                svg: svg(&overview),
                mermaid: mermaid(&overview),
            },
            phases,
            glossary,
            index,
            proven: (self.material.proven)
                .map(|(coverage, _)| (coverage.proven, coverage.enforceable)),
            touched: self.material.proven.map(|(coverage, _)| coverage.touched),
        }
    }

    fn sections(&self) -> Vec<Section> {
        let mut citing: BTreeMap<String, Vec<RuleEntry>> = BTreeMap::new();
        for citation in self.rules.citations() {
            let declared = ["figure ", "option ", "row "]
                .iter()
                .any(|kind| citation.what.starts_with(kind));
            let lines = match declared {
                // What it says stands in a table of this book.
                true => Vec::new(),
                false => self.rules.sentence(citation.span, None),
            };
            citing.entry(citation.clause).or_default().push(RuleEntry {
                place: self.rules.place(citation.span),
                what: citation.what,
                lines,
            });
        }
        let (package, relations) = (self.package, &self.rules.relations);
        let all = &package.rulebook.clauses;
        let lower = |id: &String| -> Vec<String> {
            let ids = all.iter().map(|clause| &clause.id.node);
            let lower = ids.filter(|lower| relations.replaced_by(lower).contains(id));
            lower.cloned().collect()
        };
        // A clause stands in the place of the first that it replaces.
        let place = |clause: &interpreter::package::Clause| {
            let first = lower(&clause.id.node).into_iter().next();
            let at = |id: &String| all.iter().position(|clause| clause.id.node == *id);
            at(first.as_ref().unwrap_or(&clause.id.node))
        };
        let in_force = all
            .iter()
            .filter(|clause| relations.replaced_by(&clause.id.node).is_empty());
        let mut in_force: Vec<_> = in_force.map(|clause| (place(clause), clause)).collect();
        in_force.sort_by_key(|(place, _)| *place);
        let clause = |clause: &interpreter::package::Clause| {
            let id = &clause.id.node;
            let covered = self.material.proven.and_then(|(coverage, proofs)| {
                let clause = coverage.clauses.iter().find(|c| c.id == *id)?;
                Some((clause, proofs))
            });
            let proven = covered.map(|(clause, proofs)| self.proven_by(clause, proofs));
            let (scenarios, others) = proven.unwrap_or_default();
            let sources = package.rulebook.sources.iter();
            let tied: Vec<String> = sources
                .filter(|paragraph| paragraph.clauses.iter().any(|c| c.node == *id))
                .map(|paragraph| paragraph.at.node.clone())
                .collect();
            // A ruling is tied to what it decides upon, which does not say it.
            let (printed, decides) = match clause.kind {
                ClauseKind::Ruling => (Vec::new(), tied),
                ClauseKind::Rule | ClauseKind::Option | ClauseKind::Note => (tied, Vec::new()),
            };
            ClauseEntry {
                id: id.clone(),
                text: self.rules.words.text(&clause.text),
                kind: clause.kind.word(),
                is_enforced: clause.is_enforced,
                module: package.origin(clause.id.span).map(str::to_owned),
                printed,
                decides,
                replaces: lower(id),
                stands_for: all
                    .iter()
                    .map(|clause| &clause.id.node)
                    .filter(|lower| *lower != id && relations.in_force(lower) == id)
                    .cloned()
                    .collect(),
                restricted_by: relations.restricted_by(id).to_vec(),
                rules: citing.get(id).cloned().unwrap_or_default(),
                scenarios,
                others,
                gap: covered.is_some_and(|(clause, _)| !clause.gaps.is_empty()),
                standing: covered.and_then(|(clause, _)| clause.standing),
                missing: covered.map_or_else(Vec::new, |(clause, _)| {
                    let missing = clause.missing.iter();
                    missing.map(|m| m.words(self.material.language)).collect()
                }),
            }
        };
        let sections = package.rulebook.sections.iter().map(|section| Section {
            id: section.id.node.clone(),
            title: self.rules.words.text(&section.titles),
            clauses: in_force
                .iter()
                .filter(|(place, _)| place.is_some_and(|at| all[at].section == section.id.node))
                .map(|(_, in_force)| clause(in_force))
                .collect(),
        });
        sections
            .filter(|section| !section.clauses.is_empty())
            .collect()
    }

    /// Scenarios that mean to prove a clause, those of the rules of this book first, and how many prove it by
    /// the way.
    fn proven_by(&self, clause: &coverage::Clause, proofs: &Proofs) -> (Vec<String>, usize) {
        let suite = &proofs.suite.scenarios;
        let layers = &self.package.layers;
        let elsewhere = |name: &String| {
            let mut all = suite.iter().filter(|scenario| scenario.name.node == *name);
            !all.any(|scenario| {
                let setup = &scenario.setup;
                let mut modules = setup.configuration.modules.iter().chain(&setup.house);
                modules.all(|module| layers.iter().any(|layer| layer.id.node == *module))
            })
        };
        let cites = |name: &String| {
            let mut all = suite.iter().filter(|scenario| scenario.name.node == *name);
            all.any(|scenario| scenario.cites.iter().any(|cite| cite.node == clause.id))
        };
        let (mut meant, mut others): (Vec<String>, Vec<String>) =
            clause.scenarios.iter().cloned().partition(cites);
        if meant.is_empty() {
            let rest = others.split_off(others.len().min(BY_THE_WAY));
            meant = std::mem::replace(&mut others, rest);
        }
        meant.sort_by_cached_key(elsewhere);
        (meant, others.len())
    }

    fn numbers(&self) -> std::ops::RangeInclusive<u8> {
        self.package.players.0..=self.package.players.1
    }

    fn figures(&self) -> Vec<FigureEntry> {
        let figures = self.package.figures.iter().map(|figure| FigureEntry {
            id: figure.name.node.clone(),
            name: self.rules.words.text(&figure.names),
            values: self
                .numbers()
                .map(|n| figure.value.node.with_players(n))
                .map(|value| value.map(|value| self.datum(None, value)))
                .collect(),
            clause: figure.cite.as_ref().map(|cite| cite.node.clone()),
        });
        figures.collect()
    }

    /// Figures of components that are not the same with every number of players.
    fn cells_by_players(&self) -> Vec<FigureEntry> {
        let mut all = Vec::new();
        for table in &self.package.tables {
            for row in &table.rows {
                let inside = |n: u8| row.players.is_empty() || row.players.contains(&n);
                let name = self.rules.words.text(&row.names);
                let mut told = false;
                for (column, cell) in table.columns.iter().zip(&row.cells) {
                    if !matches!(cell.node, Cell::ByPlayers(_)) {
                        continue;
                    }
                    told = true;
                    let of = self.heading(column);
                    all.push(FigureEntry {
                        id: format!("{} {} {}", table.name.node, row.id.node, column.name.node),
                        name: format!("{name}: {of}"),
                        values: self
                            .numbers()
                            .map(|n| cell.node.with_players(n).filter(|_| inside(n)))
                            .map(|value| value.map(|v| self.datum(table_of(&column.ty), v)))
                            .collect(),
                        clause: row.cite.as_ref().map(|cite| cite.node.clone()),
                    });
                }
                if !told && !row.players.is_empty() {
                    all.push(FigureEntry {
                        id: format!("{} {}", table.name.node, row.id.node),
                        name,
                        values: self
                            .numbers()
                            .map(|n| inside(n).then(|| self.labels.truth(true).to_owned()))
                            .collect(),
                        clause: row.cite.as_ref().map(|cite| cite.node.clone()),
                    });
                }
            }
        }
        all
    }

    fn heading(&self, column: &interpreter::package::Column) -> String {
        match self.rules.words.text(&column.names) {
            name if name.is_empty() => column.name.node.clone(),
            name => name,
        }
    }

    fn datum(&self, table: Option<&str>, datum: &Datum) -> String {
        match datum {
            Datum::Int(number) => number.to_string(),
            Datum::Bool(truth) => self.labels.truth(*truth).to_owned(),
            Datum::None => "–".to_owned(),
            Datum::Row(row) => match table {
                Some(table) => self.rules.words.row(table, row),
                None => row.clone(),
            },
        }
    }

    fn table(&self, table: &Table) -> TableEntry {
        let rows = table.rows.iter().map(|row| {
            let cells = table.columns.iter().zip(&row.cells);
            RowEntry {
                id: row.id.node.clone(),
                name: self.rules.words.text(&row.names),
                cells: cells
                    .map(|(column, cell)| self.cell(table_of(&column.ty), &cell.node))
                    .collect(),
                clause: row.cite.as_ref().map(|cite| cite.node.clone()),
                rules: self.brought(table, row),
                changed: self.changed(table, row),
            }
        });
        TableEntry {
            id: table.name.node.clone(),
            name: self.rules.words.text(&table.names),
            columns: table.columns.iter().map(|c| self.heading(c)).collect(),
            rows: rows.collect(),
        }
    }

    fn cell(&self, table: Option<&str>, cell: &Cell) -> String {
        match cell {
            Cell::Always(datum) => self.datum(table, datum),
            Cell::ByPlayers(values) => {
                let each: Vec<String> = values.values().map(|v| self.datum(table, v)).collect();
                each.join(" / ")
            }
        }
    }

    fn changed(&self, table: &Table, row: &Row) -> Vec<String> {
        let prefix = format!("{} {}", table.name.node, row.id.node);
        let changes = self.package.changes.iter().filter(|change| {
            change.address == prefix || change.address.starts_with(&format!("{prefix} "))
        });
        changes
            .map(|change| format!("{} ({})", change.address, change.module))
            .collect()
    }

    /// The rules that a component brings.
    fn brought(&self, table: &Table, row: &Row) -> Vec<Line> {
        let sheet = self.rules.component_sheet(table, row);
        let end = sheet.aside.unwrap_or(sheet.lines.len());
        let first = sheet.lines[..end]
            .iter()
            .position(|line| line.mark == Mark::Heading);
        let Some(first) = first else {
            return Vec::new();
        };
        let mut lines = self.lines(&sheet, first + 1, end);
        for line in &mut lines {
            line.depth = line.depth.saturating_sub(1);
        }
        lines
    }

    fn lines(&self, sheet: &Sheet, from: usize, to: usize) -> Vec<Line> {
        let mut lines: Vec<Line> = sheet.lines[from..to]
            .iter()
            .map(|line| Line {
                depth: line.depth,
                mark: match line.mark {
                    Mark::Own | Mark::Remark => ' ',
                    Mark::Added => '+',
                    Mark::Replaced => '~',
                    Mark::Gone => '-',
                    Mark::Heading => '#',
                },
                text: match line.mark {
                    Mark::Heading => self.labels.heading(&line.text).to_owned(),
                    _ => line.text.clone(),
                },
                cites: line.cites.clone(),
            })
            .collect();
        while lines.last().is_some_and(|line| line.text.is_empty()) {
            lines.pop();
        }
        lines
    }

    fn phases(&self, draftsman: &Draftsman<'_>) -> Vec<PhaseEntry> {
        let known = self.rules.phases().filter_map(|phase| {
            let name = &phase.name.node;
            let drawing = draftsman.phase(name)?;
            let sheet = self.rules.phase_sheet(phase, Part::default());
            let end = sheet.aside.unwrap_or(sheet.lines.len());
            Some(PhaseEntry {
                id: name.clone(),
                name: self.rules.words.phase(name),
                clause: phase.cite.as_ref().map(|cite| cite.node.clone()),
                graph: Graph {
                    svg: svg(&drawing),
                    mermaid: mermaid(&drawing),
                },
                rules: self.lines(&sheet, 0, end),
            })
        });
        known.collect()
    }

    fn glossary(&self) -> Vec<Word> {
        let other = match self.material.language {
            Language::English => Language::Polish,
            Language::Polish => Language::English,
        };
        let mut declared: BTreeMap<(&str, String), (String, Option<String>)> = BTreeMap::new();
        for said in self.rules.said() {
            let (kind, name, span, cite) = match said.item {
                Item::Place(it) => ("place", &it.name, it.span, &it.cite),
                Item::Counter(it) => ("counter", &it.name, it.span, &it.cite),
                Item::Marker(it) => ("marker", &it.name, it.span, &it.cite),
                Item::Die(it) => ("die", &it.name, it.span, &it.cite),
                Item::Event(it) => ("event", &it.name, it.span, &it.cite),
                Item::Ending(it) => ("ending", &it.name, it.span, &it.cite),
                Item::Score(it) => ("score", &it.name, it.span, &it.cite),
                _ => continue,
            };
            let sentence = self.rules.first_line(span);
            let cite = cite.as_ref().map(|cite| cite.node.clone());
            declared.insert((kind, name.node.clone()), (sentence, cite));
        }
        let mut all: Vec<Word> = Vec::new();
        for (address, name) in &self.package.names {
            let Some((kind, id)) = address.split_once(' ') else {
                continue;
            };
            let Some(kind) = words::KINDS.iter().find(|known| **known == kind) else {
                continue;
            };
            // Dice are named as markers are.
            let found = declared
                .remove(&(*kind, id.to_owned()))
                .or_else(|| declared.remove(&("die", id.to_owned())));
            let (said, clause) = match found {
                Some((said, clause)) => (Some(said), clause),
                None => (None, None),
            };
            all.push(Word {
                kind,
                id: id.to_owned(),
                name: self.rules.words.text(&name.node),
                other: name.node.get(other).to_owned(),
                said,
                clause,
            });
        }
        for ((kind, id), (said, clause)) in declared {
            if kind != "score" {
                let name = id.replace('_', " ");
                all.push(Word {
                    kind,
                    other: String::new(),
                    said: Some(said),
                    clause,
                    id,
                    name,
                });
            }
        }
        all.sort_by_cached_key(|word| (words::collated(&word.name), word.kind, word.id.clone()));
        all
    }

    fn index(
        &self,
        tables: &[TableEntry],
        phases: &[PhaseEntry],
        glossary: &[Word],
    ) -> Vec<IndexEntry> {
        let mut all: BTreeMap<(String, String), Vec<(String, String)>> = BTreeMap::new();
        let mut add = |name: &str, text: String, anchor: String| {
            let places = all
                .entry((words::collated(name), name.to_owned()))
                .or_default();
            if !places.iter().any(|(_, known)| *known == anchor) {
                places.push((text, anchor));
            }
        };
        let citations = self.rules.citations();
        for table in tables {
            for row in &table.rows {
                let brought = format!("{} {}", table.id, row.id);
                add(
                    &row.name,
                    table.name.clone(),
                    format!("{}-{}", table.id, row.id),
                );
                for citation in citations.iter().filter(|citation| {
                    citation.what == brought || citation.what.ends_with(&format!(" of {brought}"))
                }) {
                    let clause = &citation.clause;
                    add(&row.name, format!("@{clause}"), format!("clause-{clause}"));
                }
            }
        }
        for phase in phases {
            add(
                &phase.name,
                self.labels.say("phase", "faza").to_owned(),
                format!("phase-{}", phase.id),
            );
            if let Some(clause) = &phase.clause {
                add(
                    &phase.name,
                    format!("@{clause}"),
                    format!("clause-{clause}"),
                );
            }
        }
        for word in glossary.iter().filter(|word| word.kind != "phase") {
            add(
                &word.name,
                self.labels.kind(word.kind).to_owned(),
                format!("word-{}-{}", word.kind, word.id),
            );
            if let Some(clause) = &word.clause {
                add(&word.name, format!("@{clause}"), format!("clause-{clause}"));
            }
        }
        all.into_iter()
            .map(|((_, name), at)| IndexEntry { name, at })
            .collect()
    }
}

fn table_of(ty: &ColumnType) -> Option<&str> {
    match ty {
        ColumnType::Row(table, _) => Some(table),
        ColumnType::Int | ColumnType::Bool => None,
    }
}
