//! Scenarios: everything that those of the shipped rulesets, of the language's examples and of the
//! invented games say is so.

use std::collections::BTreeSet;
use std::path::Path;

use interpreter::diagnostic::{Code, Style};
use interpreter::package::PackageTexts;
use interpreter::scenario::{Suite, not_created, run};
use interpreter::syntax::Trees;
use referee_tests::{root, texts};

#[test]
fn puerto_rico() {
    holds("rulesets/puerto-rico", &[]);
}

#[test]
fn san_juan() {
    holds("rulesets/san-juan", &[]);
}

#[test]
fn the_rivals_for_catan() {
    holds("rulesets/catan-rivals", &[]);
}

#[test]
fn the_traders_of_genoa() {
    holds("rulesets/genoa", &[]);
}

#[test]
fn the_tea_house() {
    holds("tests/rulesets/tea-house", &[]);
}

#[test]
fn the_house_rule_of_the_examples() {
    let folder = "grammar/examples/house-rule";
    let house = [("house-rule".to_owned(), package(folder))];
    holds("rulesets/puerto-rico", &house);
}

/// Examples that use what the engine does not play yet say so and are played as soon as it does; what
/// they still wait for is pinned.
#[test]
fn the_examples_of_the_language() {
    let mut state = String::new();
    let folder = root().join("grammar/examples");
    let entries = std::fs::read_dir(&folder).expect("the examples");
    let names: BTreeSet<String> = entries
        .map(|entry| {
            entry
                .expect("readable")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .filter(|name| folder.join(name).join("ruleset.yaml").is_file())
        .collect();
    assert!(names.len() >= 5, "the examples have gone");
    for name in names {
        let path = format!("grammar/examples/{name}");
        let waits = waits_for(&package(&path));
        state += &name;
        state += ":\n";
        if waits.is_empty() {
            state += "  is played\n";
            holds(&path, &[]);
        }
        for construct in waits {
            state += &format!("  waits for {construct}\n");
        }
    }
    insta::assert_snapshot!(state);
}

/// What the engine cannot play of a package.
fn waits_for(base: &PackageTexts) -> BTreeSet<String> {
    let (trees, mut waits) = (Trees::growing(), BTreeSet::new());
    for setup in Suite::read(base, &[]).setups() {
        if let Err(rejected) = setup.compile(base, &[], &trees) {
            let unplayable = rejected
                .diagnostics
                .list
                .iter()
                .filter(|d| d.code == Code::UnplayableConstruct);
            waits.extend(unplayable.map(|d| d.message.replace("not yet playable: ", "")));
        }
    }
    waits
}

fn package(path: &str) -> PackageTexts {
    let mut package = texts(&root().join(Path::new(path)));
    package.path = path.to_owned();
    package
}

fn holds(path: &str, house: &[(String, PackageTexts)]) {
    let base = package(path);
    let suite = Suite::read(&base, house);
    let mut wrong = suite.diagnostics.render(&suite.sources, Style::Plain);
    let mut failed = suite.unread;
    let trees = Trees::growing();
    for setup in suite.setups() {
        let compiled = setup.compile(&base, house, &trees);
        for scenario in suite.scenarios.iter().filter(|s| s.setup == *setup) {
            let report = match &compiled {
                Ok(ruleset) => run(scenario, ruleset),
                Err(rejected) => not_created(scenario, rejected).unwrap_or_else(|| {
                    panic!(
                        "{}",
                        rejected.diagnostics.render(&rejected.sources, Style::Plain)
                    )
                }),
            };
            if !report.diagnostics.list.is_empty() {
                failed += usize::from(!report.passed());
                wrong += &format!("──── {}\n", report.name.node);
                wrong += &report.diagnostics.render(&suite.sources, Style::Plain);
            }
        }
    }
    assert!(!suite.scenarios.is_empty(), "{path} has no scenarios");
    assert!(
        wrong.is_empty(),
        "{failed} of {} scenarios fail\n{wrong}",
        suite.scenarios.len()
    );
}
