//! Scenarios: read, and played.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use interpreter::Ruleset;
use interpreter::package::PackageTexts;
use interpreter::scenario::{Setup, Suite, run as play};
use interpreter::syntax::Trees;
use referee_tests::random::Random;

use super::diagnosed::sound;
use crate::mutate::text;
use crate::{Target, shelf};

/// Texts of scenarios, behind a line that names their package.
pub const TARGET: Target = Target {
    name: "scenarios",
    about: "scenarios of small rulesets: read twice the same, diagnostics point into the file, played without a panic",
    run,
    mutate,
    seeds,
    longest: 1 << 15,
};

/// Small enough to be compiled for a setup that nobody has asked for before.
const PACKAGES: [&str; 6] = [
    "tests/rulesets/tea-house",
    "tests/rulesets/night-market",
    "grammar/examples/puerto-rico-captain",
    "grammar/examples/san-juan-builder",
    "grammar/examples/rivals-roll-and-events",
    "grammar/examples/genoa-bargaining",
];

fn seeds() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for folder in PACKAGES {
        let files = shelf::package(folder)
            .iter()
            .flat_map(|package| &package.files)
            .collect::<Vec<_>>();
        for (path, text) in files {
            if path.contains("scenarios/") {
                all.push(format!("{folder}\n{text}").into_bytes());
            }
        }
    }
    all
}

fn mutate(input: &[u8], random: &mut Random) -> Vec<u8> {
    let whole = String::from_utf8_lossy(input);
    let (folder, scenarios) = whole.split_once('\n').unwrap_or((PACKAGES[0], &whole));
    format!(
        "{folder}\n{}",
        text::mutate(scenarios, &shelf::YAML, random)
    )
    .into_bytes()
}

/// What a package is in a setup.
type Compiled = HashMap<(String, String), Option<Arc<Ruleset>>>;
static COMPILED: LazyLock<Mutex<Compiled>> = LazyLock::new(Mutex::default);

fn compiled(folder: &str, texts: &PackageTexts, setup: &Setup) -> Option<Arc<Ruleset>> {
    let mut all = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    if all.len() > 64 {
        all.clear();
    }
    let key = (folder.to_owned(), format!("{setup:?}"));
    let known = all
        .entry(key)
        .or_insert_with(|| setup.compile(texts, &[], &Trees::default()).ok());
    known.clone()
}

fn run(input: &[u8]) {
    let whole = String::from_utf8_lossy(input);
    let Some((folder, text)) = whole.split_once('\n') else {
        return;
    };
    let Some(package) = PACKAGES
        .contains(&folder)
        .then(|| shelf::package(folder))
        .flatten()
    else {
        return;
    };
    let mut texts = package.clone();
    texts.files.retain(|(path, _)| !path.contains("scenarios/"));
    texts
        .files
        .push(("scenarios/fuzzed.yaml".to_owned(), text.to_owned()));
    let suite = Suite::read(&texts, &[]);
    sound(&suite.sources, &suite.diagnostics);
    let again = Suite::read(&texts, &[]);
    assert_eq!(
        suite.diagnostics.list, again.diagnostics.list,
        "read twice, diagnosed otherwise"
    );
    for scenario in suite.scenarios.iter().take(4) {
        if let Some(ruleset) = compiled(folder, &texts, &scenario.setup) {
            let report = play(scenario, &ruleset);
            sound(&suite.sources, &report.diagnostics);
        }
    }
}
