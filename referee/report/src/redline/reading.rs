//! The rulebook read clause by clause, with everything that was found beside it.

use interpreter::package::{Clause, Language};

use super::carried_out::CarriedOut;
use super::contents::{ClauseChange, Fact, Flag, Level, Redline};
use super::figures::{FigureChange, changed, same_numbers};
use super::marked::{Piece, marked, plain, stale};
use super::material::Material;
use super::renamed::Renamed;
use super::rule_changes::{Found, RuleChanges};
use super::watched::{Names, Shift, shifts};
use super::{evidence, names};
use crate::book::Labels;
use crate::diff::What;

fn other(language: Language) -> Language {
    match language {
        Language::English => Language::Polish,
        Language::Polish => Language::English,
    }
}

/// Makes a redline.
pub fn redline(material: &Material<'_>) -> Redline {
    let (before, after) = (&material.before.package, &material.after.package);
    let labels = Labels(material.language);
    let (old, new) = (
        CarriedOut::of(material.before, material.language),
        CarriedOut::of(material.after, material.language),
    );
    let mut rules = RuleChanges::between(&old, &new, material);
    let mut figures = changed(before, after, &new, material.language);
    let literals = rules.figures(before);
    let renamed = [Language::English, Language::Polish]
        .map(|language| Renamed::between(before, after, language));
    let mut clauses = Vec::new();
    let own = after.rulebook.clauses.iter();
    let gone = before.rulebook.clauses.iter();
    let gone = gone.filter(|clause| after.rulebook.clause(&clause.id.node).is_none());
    for clause in own.chain(gone) {
        let id = &clause.id.node;
        let pair = (before.rulebook.clause(id), after.rulebook.clause(id));
        let found = rules.of_clause(id);
        let all: Vec<&FigureChange> = figures.iter().chain(&literals).collect();
        let read = Reading {
            material,
            labels,
            clause,
            pair,
            found,
            figures: &all,
            renamed: &renamed,
        };
        clauses.extend(read.clause());
    }
    figures.extend(literals);
    let changed = clauses
        .iter()
        .filter(|clause: &&ClauseChange| clause.what.is_some() || !clause.rules.is_empty());
    let stated = figures.iter().filter_map(|figure| figure.clause.as_deref());
    let changed = changed.map(|clause| clause.id.as_str()).chain(stated);
    let scenarios = evidence::scenarios(material, &changed.collect());
    Redline {
        language: labels.code(),
        red: 0,
        to_be_read: 0,
        clauses,
        figures,
        other: evidence::other(material),
        rules: rules.of_none(),
        ties: evidence::ties(material),
        scenarios,
    }
    .counted()
}

/// One clause being read.
struct Reading<'a> {
    material: &'a Material<'a>,
    labels: Labels,
    /// As it is, or as it was last.
    clause: &'a Clause,
    pair: (Option<&'a Clause>, Option<&'a Clause>),
    found: Found,
    figures: &'a [&'a FigureChange],
    renamed: &'a [Renamed],
}

impl Reading<'_> {
    fn clause(self) -> Option<ClauseChange> {
        let language = self.material.language;
        let mut flags = self.found.flags.clone();
        let (what, mut text, mut second) = match self.pair {
            (Some(a), Some(b)) => {
                let what = self.words(a, b, &mut flags);
                let both = |language| marked(a.text.get(language), b.text.get(language));
                (what, both(language), both(other(language)))
            }
            (None, Some(b)) => {
                let text = self.labels.say("a new clause", "nowa klauzula");
                flags.push(Flag::new(Level::ToBeRead, Fact::ClauseAdded, text));
                let new = |language| marked("", b.text.get(language));
                (Some(What::Added), new(language), new(other(language)))
            }
            (Some(a), None) => {
                let text = self.labels.say("the clause is gone", "klauzula znikła");
                flags.push(Flag::new(Level::Red, Fact::ClauseRemoved, text));
                let gone = |language| marked(a.text.get(language), "");
                (Some(What::Removed), gone(language), gone(other(language)))
            }
            (None, None) => return None,
        };
        if let (Some(a), Some(b)) = self.pair {
            self.figures(a, b, (&mut text, &mut second), &mut flags);
        }
        if let Some(b) = self.pair.1 {
            let renamed = self.renamed.iter();
            flags.extend(renamed.flat_map(|renamed| renamed.flags(b, self.labels)));
        }
        if flags.is_empty() && self.found.rules.is_empty() && what.is_none() {
            return None;
        }
        flags.sort_by_key(|flag| std::cmp::Reverse(flag.level));
        let marks = |pieces: &[Piece]| !pieces.iter().all(|p| matches!(p, Piece::Same(_)));
        let package = match self.pair.1 {
            Some(_) => &self.material.after.package,
            None => &self.material.before.package,
        };
        let sections = package.rulebook.sections.iter();
        let section = sections
            .filter(|section| section.id.node == self.clause.section)
            .map(|section| section.titles.get(language).to_owned())
            .next();
        Some(ClauseChange {
            id: self.clause.id.node.clone(),
            section: section.unwrap_or_default(),
            kind: self.clause.kind.word(),
            what,
            other: marks(&second).then_some(second),
            text,
            flags,
            rules: self.found.rules,
        })
    }

    /// What changed of its words and its kind.
    fn words(&self, a: &Clause, b: &Clause, flags: &mut Vec<Flag>) -> Option<What> {
        let labels = self.labels;
        let mut what = None;
        let kind = |clause: &Clause| (clause.kind, clause.is_enforced);
        if kind(a) != kind(b) {
            what = Some(What::Changed);
            let named = |clause: &Clause| names::kind(clause, labels);
            let text = match labels.0 {
                Language::English => format!("was {}, is {}", named(a), named(b)),
                Language::Polish => format!("rodzaj klauzuli: {} → {}", named(a), named(b)),
            };
            flags.push(Flag::new(Level::Red, Fact::Kind, text));
        }
        let differs = |language| plain(a.text.get(language)) != plain(b.text.get(language));
        let languages = [Language::English, Language::Polish].map(|l| (l, differs(l)));
        let mut weighty = false;
        // Nothing enforces a note, so its words may stand in another order.
        let note = !a.is_enforced && !b.is_enforced;
        for (language, _) in languages.iter().filter(|(_, differs)| *differs) {
            let known = Names::of(&self.material.after.package, *language);
            let found = shifts(
                a.text.get(*language),
                b.text.get(*language),
                *language,
                &known,
            );
            for shift in found {
                let text = names::shift(&shift, *language, labels);
                let follows = self.follows_a_figure(&shift, a, *language);
                let level = match follows || (note && shift.moved) {
                    true => Level::ToBeRead,
                    false => Level::Red,
                };
                weighty |= level == Level::Red;
                flags.push(Flag::new(level, Fact::WatchedWords, text));
            }
        }
        let changed: Vec<Language> = languages
            .iter()
            .filter(|(_, differs)| *differs)
            .map(|(language, _)| *language)
            .collect();
        if changed.is_empty() {
            return what;
        }
        if let [only] = changed[..] {
            let text = match only {
                Language::English => labels.say(
                    "the English changed, and the Polish did not",
                    "zmienił się tekst angielski, a polski nie",
                ),
                Language::Polish => labels.say(
                    "the Polish changed, and the English did not",
                    "zmienił się tekst polski, a angielski nie",
                ),
            };
            flags.push(Flag::new(Level::ToBeRead, Fact::OneLanguage, text));
        }
        if self.found.rules.is_empty() {
            let level = match weighty {
                true => Level::Red,
                false => Level::ToBeRead,
            };
            let text = labels.say(
                "the clause changed, and no rule did",
                "klauzula się zmieniła, a żadna reguła nie",
            );
            flags.push(Flag::new(level, Fact::ClauseWithoutRule, text));
        }
        Some(What::Changed)
    }

    /// Whether numbers changed as figures did that the clause stated.
    fn follows_a_figure(&self, shift: &Shift, was: &Clause, language: Language) -> bool {
        let package = &self.material.before.package;
        let figures = self.figures.iter().filter(|figure| figure.has_a_name());
        let stated: Vec<(usize, String)> = figures
            .flat_map(|figure| figure.stated(was, language, package).words)
            .collect();
        !shift.numbers.is_empty() && shift.numbers.iter().all(|pair| stated.contains(pair))
    }

    /// Figures that its words state as they were. Where words changed, the numbers that are new have been written with
    /// the change in mind.
    fn figures(
        &self,
        a: &Clause,
        b: &Clause,
        (text, second): (&mut Vec<Piece>, &mut Vec<Piece>),
        flags: &mut Vec<Flag>,
    ) {
        let own = self.material.language;
        for (language, pieces) in [(own, text), (other(own), second)] {
            let (was, is) = (a.text.get(language), b.text.get(language));
            if !same_numbers(was, is, language) {
                continue;
            }
            let mut words = Vec::new();
            for figure in self.figures {
                let stated = figure.stated(b, language, &self.material.after.package);
                if stated.words.is_empty() {
                    continue;
                }
                let level = match stated.sure {
                    true => Level::Red,
                    false => Level::ToBeRead,
                };
                let text = names::stale(figure, language, self.labels);
                if !flags.iter().any(|known| known.text == text) {
                    flags.push(Flag::new(level, Fact::StaleFigure, text));
                }
                words.extend(stated.words);
            }
            if !words.is_empty() && plain(was) == plain(is) {
                *pieces = stale(is, &words);
            }
        }
    }
}
