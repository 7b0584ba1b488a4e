//! What is written: manifest, figures, rows, rules, clauses.

use std::collections::BTreeMap;

use interpreter::package::{Cell, ClauseKind, Counted, Language, Package};
use interpreter::source::{Sources, Span};
use serde::Serialize;

use super::{Composed, Difference, between};
use crate::rules::{Rules, composed};
use referee_store::numbers::{to_u32, to_usize};

/// Differences of what is written.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Texts {
    /// Of the manifest: version, players, modules, options.
    pub manifest: Vec<Difference>,
    /// Of figures.
    pub figures: Vec<Difference>,
    /// Of rows and their cells.
    pub rows: Vec<Difference>,
    /// Of sentences of the rules.
    pub rules: Vec<Difference>,
    /// Of clauses.
    pub clauses: Vec<Difference>,
    /// Of names.
    pub names: Vec<Difference>,
}

impl Texts {
    /// How many there are.
    pub fn count(&self) -> usize {
        [
            &self.manifest,
            &self.figures,
            &self.rows,
            &self.rules,
            &self.clauses,
            &self.names,
        ]
        .iter()
        .map(|all| all.len())
        .sum()
    }
}

/// Compares two composed packages.
pub fn compare(before: &Composed, after: &Composed) -> Texts {
    let (a, b) = (&before.package, &after.package);
    Texts {
        manifest: between("", &manifest(a), &manifest(b)),
        figures: between("figure", &figures(a), &figures(b)),
        rows: between("", &rows(a), &rows(b)),
        rules: between("", &rules(a, &before.sources), &rules(b, &after.sources)),
        clauses: between("clause", &clauses(a), &clauses(b)),
        names: between("", &names(a), &names(b)),
    }
}

fn manifest(package: &Package) -> BTreeMap<String, String> {
    let mut all = BTreeMap::from([
        ("id".to_owned(), package.id.node.clone()),
        ("version".to_owned(), package.version.clone()),
        (
            "title".to_owned(),
            format!("{} / {}", package.titles.en, package.titles.pl),
        ),
        (
            "players".to_owned(),
            format!("{} to {}", package.players.0, package.players.1),
        ),
    ]);
    for module in &package.offered {
        let titles = format!("{} / {}", module.titles.en, module.titles.pl);
        all.insert(format!("offered module {}", module.id), titles);
    }
    for module in &package.modules {
        all.insert(format!("module {module}"), "laid over it".to_owned());
    }
    for layer in &package.layers {
        all.insert(
            format!("module {}", layer.id.node),
            "laid over it".to_owned(),
        );
    }
    for option in &package.options {
        let default = match (option.is_int, option.default) {
            (true, number) => number.to_string(),
            (false, truth) => (truth != 0).to_string(),
        };
        all.insert(format!("option {}", option.id.node), default);
    }
    all
}

fn cell(cell: &Cell) -> String {
    match cell {
        Cell::Always(value) => value.to_string(),
        Cell::ByPlayers(values) => {
            let each: Vec<String> = values
                .iter()
                .map(|(players, value)| format!("{players}: {value}"))
                .collect();
            format!("{{{}}}", each.join(", "))
        }
    }
}

fn figures(package: &Package) -> BTreeMap<String, String> {
    let figures = package.figures.iter();
    figures
        .map(|figure| (figure.name.node.clone(), cell(&figure.value.node)))
        .collect()
}

/// Rows by `building wharf`, their cells by `building wharf cost`. The cells of a row that only one of the
/// two has are told with the row.
fn rows(package: &Package) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for table in &package.tables {
        for row in &table.rows {
            let address = format!("{} {}", table.name.node, row.id.node);
            let players: Vec<String> = row.players.iter().map(u8::to_string).collect();
            let with = match players.is_empty() {
                true => String::new(),
                false => format!(", only with {} players", players.join(", ")),
            };
            all.insert(
                address.clone(),
                format!("{} / {}{with}", row.names.en, row.names.pl),
            );
            for (column, value) in table.columns.iter().zip(&row.cells) {
                all.insert(format!("{address} {}", column.name.node), cell(&value.node));
            }
        }
    }
    all
}

/// Sentences by what they are; several of one kind are told apart by their number only if they must be.
fn rules(package: &Package, sources: &Sources) -> BTreeMap<String, String> {
    let items = composed(package);
    let rules = Rules::new(package, sources, &items, Language::English);
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    // Where a sentence of a kind stands that is no part of another.
    let mut told: BTreeMap<String, Span> = BTreeMap::new();
    for sentence in rules.sentences() {
        // The cases of a query are parts of it.
        let known = told.get(&sentence.what).copied();
        let again = known.is_some_and(|span| {
            span.file == sentence.span.file
                && span.start <= sentence.span.start
                && sentence.span.end <= span.end
        });
        let cite = sentence.cite.map(|cite| format!("  @{cite}"));
        if again && cite.is_none() {
            continue;
        }
        let mut span = sentence.span;
        if again || known.is_some() && sentence.what.starts_with("query ") {
            // `when full() -> 3` and `at most 3` rather than what stands behind their words.
            let before = &sources.file(span.file).text[..to_usize(span.start)];
            let line = before.rfind('\n').map_or(before, |at| &before[at + 1..]);
            span.start -= to_u32(line.trim_start().len());
        }
        let text = rules.sentence(span, None).join("\n");
        let text = format!("{text}{}", cite.unwrap_or_default());
        all.entry(sentence.what.clone()).or_default().push(text);
        if !again {
            told.insert(sentence.what, sentence.span);
        }
    }
    let mut by_name = BTreeMap::new();
    for (what, mut texts) in all {
        texts.dedup();
        // Scripts at one place are several things, those of modules behind those of the base.
        if what.starts_with("script of ") {
            for (i, text) in texts.into_iter().enumerate() {
                let number = match i {
                    0 => String::new(),
                    _ => format!(" ({})", i + 1),
                };
                by_name.insert(format!("{what}{number}"), text);
            }
        } else {
            by_name.insert(what, texts.join("\n"));
        }
    }
    by_name
}

fn clauses(package: &Package) -> BTreeMap<String, String> {
    let clauses = package.rulebook.clauses.iter().map(|clause| {
        let kind = match clause.kind {
            ClauseKind::Rule => "",
            ClauseKind::Ruling if !clause.is_enforced => "(ruling, not enforced) ",
            ClauseKind::Ruling => "(ruling) ",
            ClauseKind::Option => "(option) ",
            ClauseKind::Note => "(note) ",
        };
        (
            clause.id.node.clone(),
            format!("{kind}{}\n{}", clause.text.en.trim(), clause.text.pl.trim()),
        )
    });
    clauses.collect()
}

fn names(package: &Package) -> BTreeMap<String, String> {
    let sentences = package.sentences.iter().map(|(address, sentence)| {
        (
            format!("sentence of {address}"),
            format!("{} / {}", sentence.en.node, sentence.pl.node),
        )
    });
    let counted = package.counted.iter().map(|(address, forms)| {
        let Counted { en, pl } = &forms.node;
        (
            format!("forms of {address}"),
            format!("{} / {}", en.join(", "), pl.join(", ")),
        )
    });
    let names = package.names.iter();
    names
        .map(|(address, name)| {
            (
                format!("name of {address}"),
                format!("{} / {}", name.node.en, name.node.pl),
            )
        })
        .chain(counted)
        .chain(sentences)
        .collect()
}
