//! Which scenarios come out otherwise: those of the first, run under the rules of both.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use interpreter::Ruleset;
use interpreter::diagnostic::Code;
use interpreter::play::Rejected;
use interpreter::scenario::{Scenario, Setup, Suite, not_created, run};
use rayon::prelude::*;
use serde::Serialize;

use super::Side;
use super::said::{self, Said};

/// What came of a scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "came", content = "why")]
pub enum Came {
    /// Everything is as it says.
    Passed,
    /// The first thing that is not.
    Failed(String),
    /// Its game cannot be set up with these rules.
    NotPlayable(String),
}

/// A scenario that comes out otherwise.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// Its name.
    pub name: String,
    /// Where it is written.
    pub place: String,
    /// The clauses it cites.
    pub cites: Vec<String>,
    /// What comes of it under the first rules.
    pub before: Came,
    /// Under the second.
    pub after: Came,
    /// Whether it comes out as before if the second has the figures and components of the first: they are the cause.
    pub by_figures: bool,
    /// Which diagnostic says why it fails under the second.
    #[serde(skip)]
    pub code: Option<Code>,
}

/// A scenario that says other things.
#[derive(Clone, Debug, Serialize)]
pub struct Rewritten {
    /// Its name.
    pub name: String,
    /// The clauses that it cites in the first.
    pub cites: Vec<String>,
    /// What it says otherwise.
    pub said: Vec<Said>,
}

/// What came of all scenarios.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Scenarios {
    /// How many were run under both rules.
    pub run: usize,
    /// Those that come out otherwise.
    pub changed: Vec<Outcome>,
    /// Names of scenarios that only the second has.
    pub added: Vec<String>,
    /// Names of scenarios that only the first has.
    pub removed: Vec<String>,
    /// Names of scenarios that both have and that say other things.
    pub rewritten: Vec<String>,
    /// What those say otherwise.
    pub differences: Vec<Rewritten>,
    /// Scenarios that say the same under another name: the first, the second.
    pub renamed: Vec<(String, String)>,
}

/// Runs the scenarios of the first under the rules of both, and compares what both sides' say.
pub fn compare(before: &Side, after: &Side) -> Scenarios {
    let suite = Suite::read(&before.base, &before.house);
    let (first, second) = (came(&suite, before), came(&suite, after));
    let mut all = written(before, after);
    all.run = suite.scenarios.len();
    for ((scenario, (first, _)), (second, code)) in suite.scenarios.iter().zip(first).zip(second) {
        let verdict = |came: &Came| std::mem::discriminant(came);
        if verdict(&first) != verdict(&second) {
            let span = scenario.name.span;
            all.changed.push(Outcome {
                name: scenario.name.node.clone(),
                place: format!(
                    "{}:{}",
                    suite.sources.file(span.file).path,
                    suite.sources.line_column(span).line
                ),
                cites: scenario
                    .cites
                    .iter()
                    .map(|cite| cite.node.clone())
                    .collect(),
                before: first,
                after: second,
                by_figures: false,
                code,
            });
        }
    }
    if !all.changed.is_empty() {
        caused_by_figures(&mut all.changed, &suite, before, after);
    }
    all
}

/// Compares what the scenarios of both sides say; none is run.
pub fn written(before: &Side, after: &Side) -> Scenarios {
    let suite = Suite::read(&before.base, &before.house);
    let other = Suite::read(&after.base, &after.house);
    let (mine, theirs) = (said(&suite, &other), said(&other, &suite));
    let mut all = Scenarios::default();
    for (name, says) in &mine {
        match theirs.get(name) {
            None => all.removed.push(name.clone()),
            Some(other) => {
                let said = said::compare(says, other);
                if !said.is_empty() {
                    all.rewritten.push(name.clone());
                    all.differences.push(Rewritten {
                        name: name.clone(),
                        cites: cites(&suite, name),
                        said,
                    });
                }
            }
        }
    }
    all.added = theirs
        .keys()
        .filter(|name| !mine.contains_key(*name))
        .cloned()
        .collect();
    for name in &all.removed {
        let same = all
            .added
            .iter()
            .find(|other| theirs.get(*other) == mine.get(name));
        all.renamed
            .extend(same.map(|other| (name.clone(), other.clone())));
    }
    all
}

/// The clauses that the scenario of this name cites.
fn cites(suite: &Suite, name: &str) -> Vec<String> {
    let mut named = suite
        .scenarios
        .iter()
        .filter(|scenario| scenario.name.node == name);
    let cites = named
        .next()
        .map(|scenario| scenario.cites.iter().map(|cite| cite.node.clone()));
    cites.into_iter().flatten().collect()
}

/// Finds out which of the outcomes are as before under the new rules with the old figures.
fn caused_by_figures(changed: &mut [Outcome], suite: &Suite, before: &Side, after: &Side) {
    let mixed = after.with_figures_of(before);
    if mixed.base == after.base {
        return;
    }
    let mut some = suite.clone();
    let named = |name: &str| changed.iter().any(|outcome| outcome.name == name);
    some.scenarios.retain(|scenario| named(&scenario.name.node));
    let outcomes = came(&some, &mixed);
    for (scenario, (came, _)) in some.scenarios.iter().zip(outcomes) {
        for outcome in changed
            .iter_mut()
            .filter(|outcome| outcome.name == scenario.name.node)
        {
            outcome.by_figures = came == outcome.before;
        }
    }
}

/// Each scenario by its name, with all that its file says of it; those of files that another suite has, too, are left out.
fn said(suite: &Suite, other: &Suite) -> BTreeMap<String, serde_yaml::Value> {
    let theirs = other.sources.iter().map(|(_, file)| file.text.as_str());
    let theirs: BTreeSet<&str> = theirs.collect();
    suite
        .sources
        .iter()
        .filter(|(_, file)| !theirs.contains(file.text.as_str()))
        .flat_map(|(_, file)| said::of_file(&file.text))
        .collect()
}

/// Runs every scenario of a suite with the rules of a side; each with the code of what fails.
fn came(suite: &Suite, side: &Side) -> Vec<(Came, Option<Code>)> {
    let setups: Vec<Setup> = suite
        .scenarios
        .iter()
        .map(|scenario| laid(scenario, side))
        .collect();
    let mut needed: Vec<&Setup> = Vec::new();
    for setup in &setups {
        if !needed.contains(&setup) {
            needed.push(setup);
        }
    }
    let compiled: Vec<(&Setup, Result<Arc<Ruleset>, Rejected>)> = needed
        .into_par_iter()
        .map(|setup| (setup, setup.compile(&side.base, &side.house, &side.trees)))
        .collect();
    suite
        .scenarios
        .par_iter()
        .zip(&setups)
        .map(|(scenario, setup)| {
            let found = compiled.iter().find(|(known, _)| *known == setup);
            match found.map(|(_, made)| made) {
                Some(Ok(ruleset)) => {
                    let report = run(scenario, ruleset);
                    let first = report.diagnostics.list.first();
                    match report.passed() {
                        true => (Came::Passed, None),
                        false => (
                            Came::Failed(first.map(|d| d.message.clone()).unwrap_or_default()),
                            first.map(|d| d.code),
                        ),
                    }
                }
                Some(Err(rejected)) => match not_created(scenario, rejected) {
                    Some(report) if report.passed() => (Came::Passed, None),
                    _ => {
                        let first = rejected
                            .diagnostics
                            .clone()
                            .sorted()
                            .list
                            .into_iter()
                            .next();
                        let why = first.map_or_else(String::new, |d| d.message);
                        (Came::NotPlayable(why), None)
                    }
                },
                None => (Came::NotPlayable(String::new()), None),
            }
        })
        .collect()
}

/// What a scenario is played with, under what is laid over a side.
fn laid(scenario: &Scenario, side: &Side) -> Setup {
    let mut setup = scenario.setup.clone();
    for module in &side.modules {
        if !setup.configuration.modules.contains(module) {
            setup.configuration.modules.push(module.clone());
        }
    }
    for (name, _) in &side.house {
        if !setup.house.contains(name) {
            setup.house.push(name.clone());
        }
    }
    for (name, value) in &side.options {
        // What a scenario says itself, it means.
        setup
            .configuration
            .options
            .entry(name.clone())
            .or_insert(*value);
    }
    setup
}
