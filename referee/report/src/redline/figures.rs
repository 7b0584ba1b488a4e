//! Figures that changed, and the clauses whose words still state what they were.

use std::collections::BTreeSet;

use interpreter::package::{Cell, Clause, Datum, Language, Package};
use serde::Serialize;

use super::carried_out::CarriedOut;
use super::watched::{Class, Names, inflects, numbers, stem, watched, words};

/// A figure that changed.
#[derive(Clone, Debug, Serialize)]
pub struct FigureChange {
    /// Where it is written: `figure island_spaces`, `building wharf cost`, `query captain.loose_goods`.
    pub of: String,
    /// What it is called.
    pub name: String,
    /// What it was.
    pub before: String,
    /// What it is.
    pub after: String,
    /// The clause that states it, if one is named.
    pub clause: Option<String>,
    /// Its old and new numbers.
    #[serde(skip)]
    pub(super) numbers: Vec<(i64, i64)>,
    /// Clauses whose rules read it.
    #[serde(skip)]
    pub(super) readers: BTreeSet<String>,
    /// Whether it is written within a rule.
    #[serde(skip)]
    within_a_rule: bool,
    /// What it is about, by words in both languages.
    #[serde(skip)]
    topic: Topic,
}

/// What a figure is about: stems of words, for each language.
#[derive(Clone, Debug, Default)]
struct Topic {
    /// Of which a sentence about it has one: the thing that has the figure. Empty if the figure is nobody's.
    thing: [Vec<String>; 2],
    /// Of which it has some.
    about: [Vec<String>; 2],
}

const LANGUAGES: [Language; 2] = [Language::English, Language::Polish];

/// Words around a number that may say of what it is the number.
const NEAR: usize = 5;

/// Words around it that surely do.
const NEXT: usize = 3;

/// Words that say nothing of what a sentence is about.
const IDLE: &[&str] = &[
    "from", "here", "into", "such", "than", "that", "their", "them", "there", "these", "they",
    "this", "those", "what", "when", "where", "which", "with", "jego", "jemu", "jest", "którą",
    "która", "które", "który", "nich", "niego", "oraz", "przez", "tego", "temu", "tych", "tylu",
];

fn index(language: Language) -> usize {
    match language {
        Language::English => 0,
        Language::Polish => 1,
    }
}

/// The stems of words that say what something is about, rather than how many or when.
fn stems(text: &str, language: Language) -> Vec<String> {
    let mut watched_at = BTreeSet::new();
    let watched = watched(text, language, &Names::default());
    // What is kept or open is a matter of its own.
    for word in watched.iter().filter(|word| word.class != Class::Opposite) {
        watched_at.extend(word.at..word.at + words(&word.written).len());
    }
    let all = words(text).into_iter().enumerate();
    all.filter(|(at, word)| !watched_at.contains(at) && word.chars().count() >= 4)
        .filter(|(_, word)| !IDLE.contains(&word.as_str()))
        .map(|(_, word)| stem(&word))
        .collect()
}

/// How many of the stems a text has.
fn shared(stems: &[String], words: &[String]) -> usize {
    let mut found: Vec<&String> = stems
        .iter()
        .filter(|stem| words.iter().any(|word| inflects(stem, word)))
        .collect();
    found.sort();
    found.dedup();
    found.len()
}

fn near(words: &[String], at: usize, far: usize) -> &[String] {
    &words[at.saturating_sub(far)..words.len().min(at + far + 1)]
}

impl FigureChange {
    /// Whether it stands in a table or among the figures, rather than within a rule.
    pub(super) fn has_a_name(&self) -> bool {
        !self.within_a_rule
    }

    /// Whether it is a figure of one thing, such as a price, rather than one of the rules.
    pub fn of_a_thing(&self) -> bool {
        self.topic.thing.iter().any(|stems| !stems.is_empty())
    }

    /// The numbers of a clause's words that state what it was, and what they would have to state. Whether they surely
    /// speak of it is told by `sure`: the clause is the figure's own, or rules that read the figure carry it out.
    pub(super) fn stated(&self, clause: &Clause, language: Language, package: &Package) -> Stated {
        let id = &clause.id.node;
        let own = self.clause.as_ref() == Some(id);
        let read = self.readers.contains(id);
        let text = clause.text.get(language);
        let all = words(text);
        let (thing, about) = (
            &self.topic.thing[index(language)],
            &self.topic.about[index(language)],
        );
        let close = |at: usize| shared(about, near(&all, at, NEAR));
        let speaks = |at: usize| match thing.is_empty() {
            true => own || read || (close(at) > 0 && shared(about, &all) >= 2),
            false => (own || shared(thing, &all) == thing.len()) && close(at) > 0,
        };
        let found = numbers(text, language)
            .into_iter()
            .filter_map(|(number, at)| {
                let (_, now) = self.numbers.iter().find(|(before, _)| *before == number)?;
                let free = own || !self.claimed(id, number, package);
                (free && speaks(at)).then(|| (at, now.to_string()))
            });
        Stated {
            words: found.collect(),
            sure: own || thing.is_empty(),
        }
    }

    /// Whether a number of a clause is that of another figure, which says that the clause states it.
    fn claimed(&self, clause: &str, number: i64, package: &Package) -> bool {
        package.figures.iter().any(|figure| {
            let here = figure.cite.as_ref().is_some_and(|cite| cite.node == clause);
            let values = match &figure.value.node {
                Cell::Always(value) => vec![value],
                Cell::ByPlayers(values) => values.values().collect(),
            };
            here && values.contains(&&Datum::Int(number))
                && self.of != format!("figure {}", figure.name.node)
        })
    }
}

/// What a clause states of a figure that changed.
pub(super) struct Stated {
    /// Words by their number, and what they would have to say.
    pub words: Vec<(usize, String)>,
    /// Whether they surely speak of the figure.
    pub sure: bool,
}

fn datum(datum: &Datum) -> String {
    match datum {
        Datum::Int(number) => number.to_string(),
        Datum::Bool(truth) => truth.to_string(),
        Datum::Row(row) => row.clone(),
        Datum::None => "–".to_owned(),
    }
}

fn cell(cell: &Cell) -> String {
    match cell {
        Cell::Always(value) => datum(value),
        Cell::ByPlayers(values) => {
            let each: Vec<String> = values.values().map(datum).collect();
            each.join(" / ")
        }
    }
}

/// Numbers that differ, with whatever number of players.
fn differing(before: &Cell, after: &Cell) -> Vec<(i64, i64)> {
    let mut all: Vec<(i64, i64)> = (0..=u8::MAX)
        .filter_map(
            |players| match (before.with_players(players)?, after.with_players(players)?) {
                (Datum::Int(a), Datum::Int(b)) if a != b => Some((*a, *b)),
                _ => None,
            },
        )
        .collect();
    all.dedup();
    all
}

/// Figures and cells of both packages that are not the same.
pub(super) fn changed(
    before: &Package,
    after: &Package,
    rules: &CarriedOut,
    language: Language,
) -> Vec<FigureChange> {
    let mut all = Vec::new();
    for figure in &after.figures {
        let was = before
            .figures
            .iter()
            .find(|other| other.name.node == figure.name.node);
        let Some(was) = was.filter(|was| was.value.node != figure.value.node) else {
            continue;
        };
        let about = LANGUAGES.map(|language| {
            let mut about = stems(figure.names.get(language), language);
            // The clause that states it says better what it is about.
            let clause = figure.cite.as_ref().or(was.cite.as_ref());
            let clause = clause.and_then(|cite| before.rulebook.clause(&cite.node));
            if let Some(clause) = clause {
                let olds: Vec<i64> = differing(&was.value.node, &figure.value.node)
                    .iter()
                    .map(|(old, _)| *old)
                    .collect();
                about.extend(around(clause.text.get(language), language, &olds));
            }
            about
        });
        let name = match figure.names.get(language) {
            "" => figure.name.node.replace('_', " "),
            name => name.to_owned(),
        };
        all.push(FigureChange {
            of: format!("figure {}", figure.name.node),
            name,
            before: cell(&was.value.node),
            after: cell(&figure.value.node),
            clause: figure.cite.as_ref().map(|cite| cite.node.clone()),
            numbers: differing(&was.value.node, &figure.value.node),
            readers: rules.readers(&figure.name.node),
            within_a_rule: false,
            topic: Topic {
                thing: Default::default(),
                about,
            },
        });
    }
    for table in &after.tables {
        let Some(old) = before
            .tables
            .iter()
            .find(|t| t.name.node == table.name.node)
        else {
            continue;
        };
        for row in &table.rows {
            let Some(was) = old.rows.iter().find(|other| other.id.node == row.id.node) else {
                continue;
            };
            for (column, value) in table.columns.iter().zip(&row.cells) {
                let at = old
                    .columns
                    .iter()
                    .position(|c| c.name.node == column.name.node);
                let Some(was) = at.and_then(|at| was.cells.get(at)) else {
                    continue;
                };
                if was.node == value.node {
                    continue;
                }
                let heading = match column.names.get(language) {
                    "" => column.name.node.replace('_', " "),
                    heading => heading.to_owned(),
                };
                all.push(FigureChange {
                    of: format!("{} {} {}", table.name.node, row.id.node, column.name.node),
                    name: format!("{}: {heading}", row.names.get(language)),
                    before: cell(&was.node),
                    after: cell(&value.node),
                    clause: row.cite.as_ref().map(|cite| cite.node.clone()),
                    numbers: differing(&was.node, &value.node),
                    readers: rules.readers(&column.name.node),
                    within_a_rule: false,
                    topic: Topic {
                        thing: LANGUAGES.map(|language| stems(row.names.get(language), language)),
                        about: LANGUAGES
                            .map(|language| stems(column.names.get(language), language)),
                    },
                });
            }
        }
    }
    all
}

/// Stems of what stands around some numbers of a text.
fn around(text: &str, language: Language, olds: &[i64]) -> Vec<String> {
    let all = words(text);
    let found = numbers(text, language)
        .into_iter()
        .filter(|(number, _)| olds.contains(number));
    found
        .flat_map(|(_, at)| stems(&near(&all, at, NEXT).join(" "), language))
        .collect()
}

/// The numbers within a rule that changed, if nothing else of it did: a figure that has no name.
pub(super) fn within_a_rule(
    what: &str,
    name: &str,
    (before, after): (&[String], &[String]),
    clauses: &BTreeSet<String>,
    package: &Package,
) -> Option<FigureChange> {
    if before.len() != after.len() {
        return None;
    }
    let mut numbers = Vec::new();
    for (a, b) in before.iter().zip(after) {
        if a != b {
            numbers.push((a.parse().ok()?, b.parse().ok()?));
        }
    }
    let olds: Vec<i64> = numbers.iter().map(|(old, _)| *old).collect();
    let about = LANGUAGES.map(|language| {
        let texts = clauses.iter().filter_map(|id| package.rulebook.clause(id));
        texts
            .flat_map(|clause| around(clause.text.get(language), language, &olds))
            .collect()
    });
    let said = |pick: fn(&(i64, i64)) -> i64| -> String {
        let each: Vec<String> = numbers.iter().map(|pair| pick(pair).to_string()).collect();
        each.join(", ")
    };
    Some(FigureChange {
        of: what.to_owned(),
        name: name.to_owned(),
        before: said(|pair| pair.0),
        after: said(|pair| pair.1),
        clause: None,
        readers: clauses.clone(),
        within_a_rule: true,
        topic: Topic {
            thing: Default::default(),
            about,
        },
        numbers,
    })
}

/// Whether two texts state the same numbers.
pub(super) fn same_numbers(before: &str, after: &str, language: Language) -> bool {
    let stated = |text: &str| -> Vec<String> {
        watched(text, language, &Names::default())
            .into_iter()
            .filter(|word| word.class == Class::Number)
            .map(|word| word.meaning)
            .collect()
    };
    before == after || stated(before) == stated(after)
}
