//! Rules that changed, each with the clauses that it serves and what is to be said of it.

use std::collections::{BTreeMap, BTreeSet};

use interpreter::package::{Clause, Package};
use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::carried_out::{CarriedOut, Rule};
use super::contents::{Fact, Flag, Level, RuleChange};
use super::figures::{FigureChange, within_a_rule};
use super::marked::plain;
use super::material::Material;
use super::names;
use crate::book::Labels;
use crate::diff::What;
use crate::words::Words;

/// What was found of a clause.
#[derive(Clone, Default)]
pub(super) struct Found {
    /// What is flagged.
    pub flags: Vec<Flag>,
    /// The rules behind it that changed.
    pub rules: Vec<RuleChange>,
}

/// A rule before and after.
struct Pair {
    before: Option<Rule>,
    after: Option<Rule>,
    name: String,
}

/// Rules that changed, by clause.
#[derive(Default)]
pub(super) struct RuleChanges {
    by_clause: BTreeMap<String, Found>,
    of_none: Vec<(RuleChange, Vec<Flag>)>,
    pairs: Vec<Pair>,
}

impl RuleChanges {
    /// What changed between the rules of two sides.
    pub fn between(old: &CarriedOut, new: &CarriedOut, material: &Material<'_>) -> RuleChanges {
        let mut all = RuleChanges::default();
        let labels = Labels(material.language);
        let (a, b) = (&material.before.package, &material.after.package);
        let (was, is) = (
            Words::new(a, material.language),
            Words::new(b, material.language),
        );
        let whole = |side: &CarriedOut| -> Vec<Rule> {
            let rules = side.all();
            rules.cloned().collect()
        };
        for (before, after) in pairs(&whole(old), &whole(new)) {
            let name = match (&after, &before) {
                (Some(rule), _) => names::rule(rule, (b, &is), labels),
                (None, Some(rule)) => names::rule(rule, (a, &was), labels),
                (None, None) => continue,
            };
            let pair = Pair {
                before,
                after,
                name,
            };
            all.settle(&pair, (a, b), labels);
            all.pairs.push(pair);
        }
        for rule in moved(&old.rules, &new.rules) {
            let name = names::rule(rule, (b, &is), labels);
            all.elsewhere(rule, &name, labels);
        }
        all.citations(a, b, labels);
        all
    }

    /// What is to be said of one of them.
    fn settle(&mut self, pair: &Pair, (a, b): (&Package, &Package), labels: Labels) {
        let own = |rule: &Option<Rule>| -> BTreeSet<String> {
            let rule = rule.as_ref();
            rule.map(|rule| match &rule.cite {
                Some(cite) => BTreeSet::from([cite.clone()]),
                None => rule.clauses.clone(),
            })
            .unwrap_or_default()
        };
        let (mine, theirs) = (own(&pair.before), own(&pair.after));
        let clauses: BTreeSet<String> = mine.union(&theirs).cloned().collect();
        let (what, rule) = match (&pair.before, &pair.after) {
            (Some(_), Some(rule)) => (What::Changed, rule),
            (Some(rule), None) => (What::Removed, rule),
            (None, Some(rule)) => (What::Added, rule),
            (None, None) => return,
        };
        let change = RuleChange {
            of: rule.what.clone(),
            name: pair.name.clone(),
            what,
            place: rule.place.clone(),
            before: pair.before.as_ref().map(|rule| rule.code.clone()),
            after: pair.after.as_ref().map(|rule| rule.code.clone()),
            clauses: clauses.iter().cloned().collect(),
        };
        let cites = |rule: &Option<Rule>| rule.as_ref().and_then(|rule| rule.cite.clone());
        let says = |rule: &Option<Rule>| rule.as_ref().map(|rule| rule.meaning.clone());
        let same = says(&pair.before) == says(&pair.after);
        if what == What::Changed && same {
            let (from, to) = (cites(&pair.before), cites(&pair.after));
            let flagged = relinked(&pair.name, (from, to), labels);
            self.add(&clauses, change, vec![flagged]);
            return;
        }
        let added =
            |id: &String| a.rulebook.clause(id).is_none() && b.rulebook.clause(id).is_some();
        let gone = |id: &String| a.rulebook.clause(id).is_some() && b.rulebook.clause(id).is_none();
        let changed: Vec<&String> = clauses
            .iter()
            .filter(|id| says_other(a.rulebook.clause(id), b.rulebook.clause(id)))
            .collect();
        // A rule that came or went with a clause is told with that clause.
        let told = match what {
            What::Added => clauses.iter().any(added),
            What::Removed => clauses.iter().any(gone),
            What::Changed => false,
        };
        let flags = match (told, clauses.is_empty(), changed.is_empty()) {
            (true, ..) => Vec::new(),
            (_, true, _) => vec![of_none(&pair.name, what, labels)],
            (_, _, false) => {
                let text = match labels.code() {
                    "en" => format!("{} changed as well: does the clause say so?", pair.name),
                    _ => format!(
                        "zmieniła się też reguła: {}; czy klauzula to mówi?",
                        pair.name
                    ),
                };
                vec![Flag::new(Level::Red, Fact::RuleWithClause, text)]
            }
            (_, _, true) => vec![silent(&pair.name, what, labels)],
        };
        // It is told with the clauses that changed, or else with all that it serves.
        let at: BTreeSet<String> = match changed.is_empty() {
            true => clauses,
            false => changed.into_iter().cloned().collect(),
        };
        self.add(&at, change, flags);
    }

    /// A rule that says what it said and stands in another place among those whose order matters.
    fn elsewhere(&mut self, rule: &Rule, name: &str, labels: Labels) {
        let (fact, text) = match (rule.clauses.is_empty(), labels.code()) {
            (false, "en") => (
                Fact::RuleWithoutClause,
                format!("the rules come in another order, and this clause is as it was: {name}"),
            ),
            (false, _) => (
                Fact::RuleWithoutClause,
                format!("reguły stoją w innej kolejności, a ta klauzula jest bez zmian: {name}"),
            ),
            (true, "en") => (
                Fact::RuleOfNoClause,
                format!("{name} stands elsewhere now, and no clause stands behind it"),
            ),
            (true, _) => (
                Fact::RuleOfNoClause,
                format!("{name}: inne miejsce wśród reguł, bez klauzuli"),
            ),
        };
        let change = RuleChange {
            of: rule.what.clone(),
            name: name.to_owned(),
            what: What::Changed,
            place: rule.place.clone(),
            before: Some(rule.code.clone()),
            after: Some(rule.code.clone()),
            clauses: rule.clauses.iter().cloned().collect(),
        };
        self.add(
            &rule.clauses,
            change,
            vec![Flag::new(Level::Red, fact, text)],
        );
    }

    /// Flags stand at the first three of the clauses at most; a query may serve many.
    fn add(&mut self, clauses: &BTreeSet<String>, change: RuleChange, flags: Vec<Flag>) {
        if clauses.is_empty() {
            self.of_none.push((change, flags));
            return;
        }
        for id in clauses.iter().take(3) {
            let found = self.by_clause.entry(id.clone()).or_default();
            for flag in &flags {
                if !found.flags.contains(flag) {
                    found.flags.push(flag.clone());
                }
            }
            found.rules.push(change.clone());
        }
    }

    /// Rows, figures and options that cite another clause than they did, and options with another default.
    fn citations(&mut self, a: &Package, b: &Package, labels: Labels) {
        let (mine, theirs) = (citations(a), citations(b));
        for (of, (name, from)) in &mine {
            let Some((_, to)) = theirs.get(of).filter(|(_, to)| to != from) else {
                continue;
            };
            let flagged = relinked(name, (from.clone(), to.clone()), labels);
            for id in from.iter().chain(to) {
                let found = self.by_clause.entry(id.clone()).or_default();
                found.flags.push(flagged.clone());
            }
        }
    }

    /// Numbers within rules that changed and nothing else of them did.
    pub fn figures(&self, package: &Package) -> Vec<FigureChange> {
        let all = self.pairs.iter().filter_map(|pair| {
            let (before, after) = (pair.before.as_ref()?, pair.after.as_ref()?);
            let tokens = (&before.tokens[..], &after.tokens[..]);
            within_a_rule(&after.what, &pair.name, tokens, &after.clauses, package)
        });
        all.filter(|figure| figure.before != figure.after).collect()
    }

    /// What was found of a clause.
    pub fn of_clause(&mut self, id: &str) -> Found {
        self.by_clause.remove(id).unwrap_or_default()
    }

    /// Rules behind which no clause stands.
    pub fn of_none(self) -> Vec<(RuleChange, Vec<Flag>)> {
        self.of_none
    }
}

/// Whether a clause has other words, or is not in both.
fn says_other(a: Option<&Clause>, b: Option<&Clause>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => {
            plain(&a.text.en) != plain(&b.text.en) || plain(&a.text.pl) != plain(&b.text.pl)
        }
        (None, None) => false,
        _ => true,
    }
}

/// Rules that are not the same on both sides, those that are the same thing side by side.
fn pairs(old: &[Rule], new: &[Rule]) -> Vec<(Option<Rule>, Option<Rule>)> {
    let mut whats: Vec<&String> = Vec::new();
    for rule in new.iter().chain(old) {
        if !whats.contains(&&rule.what) {
            whats.push(&rule.what);
        }
    }
    let mut all = Vec::new();
    for what in whats {
        let of = |rules: &[Rule]| -> Vec<Rule> {
            rules
                .iter()
                .filter(|rule| rule.what == *what)
                .cloned()
                .collect()
        };
        let (mut gone, mut left) = (of(old), Vec::new());
        for rule in of(new) {
            let same = |other: &Rule| (&other.meaning, &other.cite) == (&rule.meaning, &rule.cite);
            match gone.iter().position(same) {
                Some(at) => {
                    gone.remove(at);
                }
                None => left.push(rule),
            }
        }
        // Those that say the same with another citation belong together, then those that cite the same clause.
        let mut paired = Vec::new();
        type Alike = fn(&Rule, &Rule) -> bool;
        let alike: [Alike; 3] = [
            |a, b| a.meaning == b.meaning,
            |a, b| a.cite == b.cite,
            |_, _| true,
        ];
        for alike in alike {
            let mut rest = Vec::new();
            for rule in left {
                match gone.iter().position(|other| alike(other, &rule)) {
                    Some(at) => paired.push((Some(gone.remove(at)), Some(rule))),
                    None => rest.push(rule),
                }
            }
            left = rest;
        }
        all.extend(paired);
        all.extend(gone.into_iter().map(|rule| (Some(rule), None)));
        all.extend(left.into_iter().map(|rule| (None, Some(rule))));
    }
    all
}

/// Among what the order of a sentence matters: the cases of its query, the steps, moves and conditions of its phase, or
/// whatever comes to things from elsewhere. Declarations say the same wherever they stand.
fn among(what: &str) -> Option<&str> {
    let (kind, address) = what.split_once(' ').unwrap_or((what, ""));
    match kind {
        "query" => Some(what),
        "place" | "counter" | "marker" | "die" | "event" | "record" | "effect" | "requirement"
        | "phase" | "ending" => None,
        "what" if what.ends_with(" keeps") => None,
        _ => {
            let last = address.rsplit(' ').next().unwrap_or_default();
            Some(last.split_once('.').map_or("", |(phase, _)| phase))
        }
    }
}

/// Rules that say what they said and stand in another order.
fn moved<'r>(old: &[Rule], new: &'r [Rule]) -> Vec<&'r Rule> {
    let mut groups: Vec<&str> = new.iter().filter_map(|rule| among(&rule.what)).collect();
    groups.sort_unstable();
    groups.dedup();
    let mut all = Vec::new();
    for group in groups {
        let here = |rule: &&Rule| among(&rule.what) == Some(group);
        let key = |rule: &Rule| (rule.what.clone(), rule.meaning.clone());
        let (a, b): (Vec<&Rule>, Vec<&Rule>) = (
            old.iter().filter(here).collect(),
            new.iter().filter(here).collect(),
        );
        // What is only in one of them is told as a change.
        let common = |mine: &[&'_ Rule], theirs: &[&'_ Rule]| -> Vec<usize> {
            let mut left: Vec<_> = theirs.iter().map(|rule| key(rule)).collect();
            let mut kept = Vec::new();
            for (i, rule) in mine.iter().enumerate() {
                if let Some(at) = left.iter().position(|other| *other == key(rule)) {
                    left.swap_remove(at);
                    kept.push(i);
                }
            }
            kept
        };
        let (mine, theirs) = (common(&a, &b), common(&b, &a));
        let keys = |rules: &[&Rule], kept: &[usize]| -> Vec<_> {
            kept.iter().map(|at| key(rules[*at])).collect()
        };
        let ops = capture_diff_slices(Algorithm::Myers, &keys(&a, &mine), &keys(&b, &theirs));
        let new = ops
            .iter()
            .filter(|op| !matches!(op, DiffOp::Equal { .. }))
            .flat_map(DiffOp::new_range);
        all.extend(new.map(|at| b[theirs[at]]));
    }
    all
}

/// What rows, figures and options cite, by what they are; with what they are called.
fn citations(package: &Package) -> BTreeMap<String, (String, Option<String>)> {
    let mut all = BTreeMap::new();
    for table in &package.tables {
        for row in &table.rows {
            let of = format!("{} {}", table.name.node, row.id.node);
            let cite = row.cite.as_ref().map(|cite| cite.node.clone());
            all.insert(of.clone(), (of, cite));
        }
    }
    for figure in &package.figures {
        let of = format!("figure {}", figure.name.node);
        let cite = figure.cite.as_ref().map(|cite| cite.node.clone());
        all.insert(of.clone(), (of, cite));
    }
    for option in &package.options {
        let of = format!("option {}", option.id.node);
        let cite = option.cite.as_ref().map(|cite| cite.node.clone());
        all.insert(of.clone(), (of, cite));
    }
    all
}

fn relinked(name: &str, (from, to): (Option<String>, Option<String>), labels: Labels) -> Flag {
    let said = |cite: Option<String>| match cite {
        Some(cite) => format!("@{cite}"),
        None => labels.say("no clause", "żadna klauzula").to_owned(),
    };
    let (from, to) = (said(from), said(to));
    let text = match labels.code() {
        "en" => format!("{name} carried out {from} and carries out {to} now"),
        _ => format!("{name}: klauzula {from} → {to}"),
    };
    Flag::new(Level::Red, Fact::CitesAnother, text)
}

/// A rule that changed while its clause did not.
fn silent(name: &str, what: What, labels: Labels) -> Flag {
    let text = match (labels.code(), what) {
        ("en", What::Changed) => format!("the rule changed, and this clause did not: {name}"),
        ("en", What::Added) => format!("a rule is new, and this clause is as it was: {name}"),
        ("en", What::Removed) => format!("a rule is gone, and this clause is as it was: {name}"),
        (_, What::Changed) => format!("reguła się zmieniła, a ta klauzula nie: {name}"),
        (_, What::Added) => format!("doszła reguła, a ta klauzula jest bez zmian: {name}"),
        (_, What::Removed) => format!("znikła reguła, a ta klauzula jest bez zmian: {name}"),
    };
    Flag::new(Level::Red, Fact::RuleWithoutClause, text)
}

/// A rule that changed and behind which no clause stands.
fn of_none(name: &str, what: What, labels: Labels) -> Flag {
    let text = match (labels.code(), what) {
        ("en", What::Changed) => format!("{name} changed, and no clause stands behind it"),
        ("en", What::Added) => format!("{name} is new, and no clause stands behind it"),
        ("en", What::Removed) => format!("{name} is gone, and no clause stood behind it"),
        (_, What::Changed) => format!("{name}: zmiana bez klauzuli"),
        (_, What::Added) => format!("{name}: nowa reguła bez klauzuli"),
        (_, What::Removed) => format!("{name}: znikła reguła bez klauzuli"),
    };
    Flag::new(Level::Red, Fact::RuleOfNoClause, text)
}
