//! What authors read when a scenario is wrong, or the rules are.
//!
//! Every file of `corpus/diagnostics/scenarios/cases` is played with the invented game beside it.
//! Those whose names begin with `right` pass; the snapshot of any other holds its text and the
//! messages together, so that a reviewer reads both.

use interpreter::diagnostic::Style;
use interpreter::scenario::{Suite, not_created, run, updated};
use interpreter::syntax::Trees;
use referee_tests::{root, texts};

#[test]
fn every_case() {
    let base = texts(&root().join("tests/corpus/diagnostics/scenarios/base"));
    insta::glob!(
        "../../corpus/diagnostics/scenarios/cases",
        "*.yaml",
        |path| {
            let text = std::fs::read_to_string(path).expect("readable");
            let name = path
                .file_name()
                .expect("a file")
                .to_string_lossy()
                .into_owned();
            let mut texts = base.clone();
            texts
                .files
                .push((format!("scenarios/{name}"), text.clone()));
            let suite = Suite::read(&texts, &[]);
            let mut shown = suite.diagnostics.render(&suite.sources, Style::Plain);
            for scenario in &suite.scenarios {
                let report = match scenario.setup.compile(&texts, &[], &Trees::default()) {
                    Ok(ruleset) => run(scenario, &ruleset),
                    Err(rejected) => not_created(scenario, &rejected).unwrap_or_else(|| {
                        panic!(
                            "{}",
                            rejected.diagnostics.render(&rejected.sources, Style::Plain)
                        )
                    }),
                };
                shown += &report.diagnostics.render(&suite.sources, Style::Plain);
            }
            if name.starts_with("right") {
                assert!(shown.is_empty(), "{name}\n{shown}");
                return;
            }
            assert!(!shown.is_empty(), "{name}: nothing is wrong");
            insta::with_settings!({
                omit_expression => true,
                prepend_module_to_snapshot => false,
                snapshot_path => "../../corpus/diagnostics/scenarios/snapshots",
            }, {
                insta::assert_snapshot!(format!("{}\n────────\n{shown}", text.trim_end()));
            });
        }
    );
}

/// What is written in place of legal moves that are not said exactly says them exactly.
#[test]
fn what_mends_loose_moves_is_exact() {
    let folder = root().join("tests/corpus/diagnostics/scenarios");
    let base = texts(&folder.join("base"));
    let path = "scenarios/loosely.yaml";
    let text = std::fs::read_to_string(folder.join("cases/legal_loosely.yaml")).expect("readable");
    let differences = |text: String| {
        let mut texts = base.clone();
        texts.files.push((path.to_owned(), text));
        let suite = Suite::read(&texts, &[]);
        let played = suite.scenarios.iter().map(|scenario| {
            let ruleset = scenario
                .setup
                .compile(&texts, &[], &Trees::default())
                .expect("it compiles");
            run(scenario, &ruleset).differences
        });
        let differences: Vec<_> = played.flatten().collect();
        let mended = updated(&suite.sources, &differences).into_values().next();
        (differences.len(), mended)
    };
    let (found, mended) = differences(text);
    assert_eq!(found, 5);
    let (left, _) = differences(mended.expect("something differs"));
    assert_eq!(left, 0);
}

#[test]
fn damaged_scenarios_are_reported_and_never_panic() {
    damage_every(4);
}

#[test]
#[ignore = "slow"]
fn scenarios_damaged_anywhere_are_reported_and_never_panic() {
    damage_every(1);
}

/// Runs a file of scenarios with one of so many places damaged at a time.
fn damage_every(nth: usize) {
    let base = texts(&root().join("tests/corpus/diagnostics/scenarios/base"));
    let right = root().join("tests/corpus/diagnostics/scenarios/cases/right.yaml");
    let right = std::fs::read_to_string(right).expect("readable");
    let mut compiled = Vec::new();
    for (at, sign) in right
        .char_indices()
        .filter(|(_, sign)| !sign.is_alphanumeric())
        .step_by(nth)
    {
        for text in [
            right[..at].to_owned(),
            format!("{}{}", &right[..at], &right[at + sign.len_utf8()..]),
        ] {
            let mut texts = base.clone();
            texts
                .files
                .push(("scenarios/damaged.yaml".to_owned(), text));
            let suite = Suite::read(&texts, &[]);
            suite.diagnostics.render(&suite.sources, Style::Plain);
            for scenario in &suite.scenarios {
                if !compiled.iter().any(|(setup, _)| *setup == scenario.setup) {
                    compiled.push((
                        scenario.setup.clone(),
                        scenario.setup.compile(&base, &[], &Trees::default()),
                    ));
                }
                let found = compiled.iter().find(|(setup, _)| *setup == scenario.setup);
                if let Some((_, Ok(ruleset))) = found {
                    run(scenario, ruleset)
                        .diagnostics
                        .render(&suite.sources, Style::Plain);
                }
            }
        }
    }
}
