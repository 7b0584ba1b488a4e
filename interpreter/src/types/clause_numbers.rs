//! The numbers that clauses state, compared with what `rulebook.yaml` ties them to.
//!
//! A figure is an expression of the rules that reads columns, figures, options and queries alone, in which `@clause` is the
//! number that the sentences write that cite this clause; `rule` is such a number of the clause itself, and `free` no
//! figure at all. Where a layer above, such as a house rule, does not ask for ties and makes a clause of a lower layer false, the
//! author of that layer cannot mend the clause: this is a warning.

use std::collections::BTreeMap;
use std::ops::Range;

use super::{Checker, Scope};
use crate::analysis::evaluate;
use crate::budget::spend;
use crate::diagnostic::Code;
use crate::numbers::{At as _, Fit as _};
use crate::program::number_words::{Stated, stated};
use crate::program::package::{Clause, Language, Occurrences, Tie};
use crate::program::tree::Ty;
use crate::source::{FileId, Span, Spanned};
use crate::syntax::ast::Expr;
use crate::syntax::rules::parse_figures;

const LANGUAGES: [(Language, &str); 2] =
    [(Language::English, "English"), (Language::Polish, "Polish")];

/// The numbers of the words of a clause with their places in its document: English, Polish.
type Found = [Vec<(Stated, Span)>; 2];

/// A figure, and where numbers stand for it: in English, in Polish.
struct Tied<'c> {
    figure: &'c Spanned<String>,
    places: [Vec<Span>; 2],
}

/// What a tie leads to.
enum Figure {
    /// Nothing to compare: the number is free, or the tie does not hold in this configuration.
    Nothing,
    /// Number of times that the rules write the tied number.
    Written(usize),
    /// Values, with how they are written.
    Values(Vec<(String, i64)>),
}

/// The numbers that rules write, by the clause that they cite; nothing, if only sentences do that are replaced or disabled.
type Written<'p> = BTreeMap<&'p str, Option<Vec<i64>>>;

impl Checker<'_> {
    /// Compares the numbers of all clauses that are in force.
    pub(super) fn clause_numbers(&mut self) {
        if self.diagnostics.tolerated.contains(&Code::FalseNumber) {
            return;
        }
        let package = self.package;
        let mut written = Written::new();
        for file in &package.rules {
            for cite in &file.tree.cites {
                let numbers = written.entry(&cite.node).or_default();
                if self.cited.contains(&cite.span) {
                    let own = file.tree.numbers.get(&cite.span).into_iter().flatten();
                    numbers.get_or_insert_default().extend(own);
                }
            }
        }
        for clause in &package.rulebook.clauses {
            let id = clause.id.node.as_str();
            let is_void = written.get(id).is_some_and(Option::is_none);
            let is_replaced = !self.relations.replaced_by(id).is_empty();
            if !is_replaced && (!is_void || package.documents_cite(id)) {
                self.numbers_of(clause, &written);
            }
        }
    }

    fn numbers_of(&mut self, clause: &Clause, written: &Written) {
        let found: Found = [0, 1].map(|index| {
            let (language, _) = LANGUAGES[index];
            let text = clause.text.get(language);
            spend(text.len().fit(), Some(clause.words[index]));
            let numbers = stated(text, language).into_iter();
            let placed =
                numbers.map(|(number, at)| (number, within(clause.words[index], text, at)));
            placed.collect()
        });
        let pairs = found.iter().flatten().count() * clause.numbers.len();
        spend(pairs.fit(), Some(clause.id.span));
        if self.package.rulebook.tied.contains(&clause.words[0].file) {
            self.untied(clause, &found);
        }
        let mut by_rules: BTreeMap<i64, ([usize; 2], [Vec<Span>; 2])> = BTreeMap::new();
        for tie in &clause.numbers {
            self.is_stated(tie, &found);
            let number = tie.number.node;
            for Tied { figure, places } in tied(tie, &found) {
                match self.figure(figure, written) {
                    Figure::Nothing => {}
                    Figure::Written(times) => {
                        let (sums, all) = by_rules.entry(number.value()).or_default();
                        for index in [0, 1] {
                            sums[index] += times * usize::from(!places[index].is_empty());
                            all[index].extend(&places[index]);
                        }
                    }
                    Figure::Values(values) => {
                        let is_other = |(_, value): &(String, i64)| *value != number.value();
                        let Some((text, value)) = values.into_iter().find(is_other) else {
                            continue;
                        };
                        let instead = match number {
                            Stated::Number(_) => value.to_string(),
                            Stated::Half => "how it is divided now".to_owned(),
                        };
                        let mend = format!(
                            "write {instead} in both languages and under `numbers`, or mend the figure"
                        );
                        let says = (format!("`{text}` is {value}"), mend);
                        self.is_false(clause, number, &places, says, Some(figure.span));
                    }
                }
            }
        }
        let own = written.get(clause.id.node.as_str()).cloned().flatten();
        let own = own.unwrap_or_default();
        for (number, (sums, places)) in by_rules {
            let times = own.iter().filter(|other| **other == number).count();
            if sums.iter().any(|sum| *sum > 0 && *sum != times) {
                let says = match times {
                    0 => format!("the rules that cite it write {}", listed(&own)),
                    1 => format!("the rules that cite it write {number} only once"),
                    _ => format!("the rules that cite it write {number} {times} times"),
                };
                let mend = "write in both languages what the rules do, or mend the rules; `rule 2` stands for a number that they \
                            write twice";
                let says = (says, mend.to_owned());
                self.is_false(clause, Stated::Number(number), &places, says, None);
            }
        }
    }

    /// Reports the numbers of which nothing is said.
    fn untied(&mut self, clause: &Clause, found: &Found) {
        for (number, place) in found.iter().flatten() {
            if clause.numbers.iter().all(|tie| tie.number.node != *number) {
                let wrong = format!("nothing says of what `{number}` is the number");
                let help = format!(
                    "write `numbers: {{{number}: …}}` below the clause, with a figure, a cell, a count or a sum; `rule` if the \
                     rules that cite the clause write the number; `free` if it is no figure of the ruleset"
                );
                self.report(Code::UntiedNumber.error(*place, wrong).help(help));
            }
        }
    }

    /// Reports a tie of a number that the clause does not state, or not so often.
    fn is_stated(&mut self, tie: &Tie, found: &Found) {
        let number = tie.number.node;
        let counts = [0, 1].map(|index| of_number(number, &found[index]).len());
        for index in [0, 1] {
            let (count, (_, language)) = (counts[index], LANGUAGES[index]);
            let wrong = match &tie.stands_for[index] {
                Occurrences::All(_) if counts == [0, 0] && index == 0 => {
                    format!("the clause does not state `{number}`")
                }
                Occurrences::Each(figures) if figures.len() != count => format!(
                    "the {language} text states `{number}` {count} times, and {} figures are listed",
                    figures.len()
                ),
                _ => continue,
            };
            let help = "list one figure for each occurrence, in order, or by language: `{en: [a, free], pl: a}`; one figure \
                        without a list stands for all of them";
            let mistake = Code::UnstatedNumber.error(tie.number.span, wrong);
            self.report(mistake.help(help));
        }
    }

    /// Reports that a clause states something else than what is so.
    fn is_false(
        &mut self,
        clause: &Clause,
        number: Stated,
        places: &[Vec<Span>; 2],
        (says, mend): (String, String),
        figure: Option<Span>,
    ) {
        let mut places = places.iter().flatten();
        let Some(first) = places.next() else { return };
        let wrong = format!(
            "the clause `{}` states {number}, but {says}",
            clause.id.node
        );
        let mut diagnostic = match self.is_overlaid(clause.words[0].file) {
            true => Code::FalseNumber.warning(*first, wrong),
            false => Code::FalseNumber.error(*first, wrong),
        };
        for place in places {
            diagnostic = diagnostic.also(*place, "here, too");
        }
        let diagnostic = diagnostic.maybe_also(figure, "what it stands for");
        self.report(diagnostic.help(mend));
    }

    /// Whether rules that do not ask for ties are laid over those of a document.
    fn is_overlaid(&self, file: FileId) -> bool {
        let (layers, tied) = (&self.package.layers, &self.package.rulebook.tied);
        let own = layers.iter().position(|layer| layer.files.contains(&file));
        let mut above = layers[own.map_or(0, |own| own + 1)..].iter();
        above.any(|layer| !layer.files.iter().any(|file| tied.contains(file)))
    }

    /// What a tie leads to; nothing if it is wrong, which is reported.
    fn figure(&mut self, text: &Spanned<String>, written: &Written) -> Figure {
        match text.node.split_once(' ').unwrap_or((&text.node, "1")) {
            ("free", "1") => return Figure::Nothing,
            ("rule", times) if times.parse::<u8>().is_ok() => {
                return Figure::Written(times.parse().unwrap_or(1));
            }
            _ => {}
        }
        let Some(numbered) = self.with_numbers_of_rules(text, written) else {
            return Figure::Nothing;
        };
        let Some((figures, when)) = parse_figures(&numbered, self.diagnostics) else {
            return Figure::Nothing;
        };
        if let Some(when) = &when
            && self.value(when, &Ty::Bool) != Some(1)
        {
            return Figure::Nothing;
        }
        let offset = |expr: &Expr| (expr.span.start - figures[0].span.start).at();
        let mut values = Vec::new();
        for (index, figure) in figures.iter().enumerate() {
            let next = figures.get(index + 1).or(when.as_ref());
            let shown = &text.node[offset(figure)..next.map_or(text.node.len(), offset)];
            let shown = shown.trim_end_matches(' ').trim_end_matches("when");
            let shown = shown.trim_end_matches([' ', ',']).to_owned();
            values.extend(self.value(figure, &Ty::Int).map(|value| (shown, value)));
        }
        Figure::Values(values)
    }

    /// The text of a figure with numbers in place of the clauses that it cites, letter for letter at the same place.
    fn with_numbers_of_rules(
        &mut self,
        text: &Spanned<String>,
        written: &Written,
    ) -> Option<Spanned<String>> {
        let mut text = text.clone();
        spend(text.node.len().fit(), Some(text.span));
        while let Some(at) = text.node.find('@') {
            let rest = &text.node[at + 1..];
            let is_id = |c: char| c.is_alphanumeric() || "-_.".contains(c);
            let end = rest.find(|c| !is_id(c)).unwrap_or(rest.len());
            let id = rest[..end].to_owned();
            let mut numbers = match written.get(id.as_str()) {
                Some(numbers) => numbers.clone()?,
                None => Vec::new(),
            };
            // Whether there is something at all is no figure.
            numbers.retain(|number| *number != 0);
            numbers.sort_unstable();
            numbers.dedup();
            let &[number] = numbers.as_slice() else {
                let wrong = format!("the rules that cite `{id}` write {}", listed(&numbers));
                let help = "only a clause whose rules write one number, 0 apart, can stand for it";
                self.report(Code::UnstatedNumber.error(text.span, wrong).help(help));
                return None;
            };
            let width = end + 1;
            text.node
                .replace_range(at..=at + end, &format!("{number:<width$}"));
        }
        Some(text)
    }

    /// The value of an expression that reads nothing of the table.
    fn value(&mut self, expr: &Expr, ty: &Ty) -> Option<i64> {
        let scope = Scope {
            hint: true,
            ..Scope::default()
        };
        let functions = self.model.functions.len();
        let function = self.expression_function("figure".to_owned(), expr, &scope, ty)?;
        let value = evaluate::constant(&self.model, function, &[]);
        self.model.functions.truncate(functions);
        if value.is_none() {
            let wrong = "this cannot be computed before there is a table";
            let help = "a number of a clause may stand for columns, figures, options and queries that read nothing else";
            self.report(
                Code::RequirementReadsTable
                    .error(expr.span, wrong)
                    .help(help),
            );
        }
        value
    }
}

/// The figures of a tie, each once.
fn tied<'c>(tie: &'c Tie, found: &Found) -> Vec<Tied<'c>> {
    let mut all: Vec<Tied<'c>> = Vec::new();
    for index in [0, 1] {
        let places = of_number(tie.number.node, &found[index]);
        let figures: Vec<(&Spanned<String>, &[Span])> = match &tie.stands_for[index] {
            Occurrences::All(figure) => vec![(figure, &places)],
            Occurrences::Each(figures) => figures.iter().zip(places.chunks(1)).collect(),
        };
        for (figure, places) in figures {
            let known = all
                .iter()
                .position(|known| known.figure.span == figure.span);
            let known = known.unwrap_or_else(|| {
                let places = [Vec::new(), Vec::new()];
                all.push(Tied { figure, places });
                all.len() - 1
            });
            all[known].places[index].extend(places);
        }
    }
    all
}

fn of_number(number: Stated, found: &[(Stated, Span)]) -> Vec<Span> {
    let same = found.iter().filter(|(other, _)| *other == number);
    same.map(|(_, place)| *place).collect()
}

/// A part of a text in its document: all of the text, if it is not written there letter by letter.
fn within(whole: Span, text: &str, part: Range<usize>) -> Span {
    let quotes = u64::from(whole.end - whole.start).checked_sub(text.len().fit());
    let quote: u32 = match quotes {
        Some(0) => 0,
        Some(2) => 1,
        _ => return whole,
    };
    let offset = |at: usize| whole.start + quote + at.fit::<u32>();
    Span {
        start: offset(part.start),
        end: offset(part.end),
        ..whole
    }
}

/// `1, 2 and 2`
fn listed(numbers: &[i64]) -> String {
    let words: Vec<String> = numbers.iter().map(i64::to_string).collect();
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        Some((last, _)) => last.clone(),
        None => "no number".to_owned(),
    }
}
