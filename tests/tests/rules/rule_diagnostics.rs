//! What the checker says of rules that can be read and are wrong.
//!
//! `corpus/diagnostics/rules` holds such rules over the table of [`mini`](referee_tests::mini), each beside what its
//! author is told. Warnings, of which the table itself has some, are left out.
//! `corpus/diagnostics/cascades` holds single mistakes in a whole game, the tea house, on which much
//! else depends: what only follows from the mistake is not told.

use interpreter::CompileRuleset as _;
use interpreter::Ruleset;
use interpreter::diagnostic::{Severity, Style};
use interpreter::package::Configuration;
use referee_tests::case::Case;
use referee_tests::{mini, root, texts};

#[test]
fn mistakes_in_rules_are_explained() {
    insta::glob!("../../corpus/diagnostics/rules/cases", "*.rules", |path| {
        let text = std::fs::read_to_string(path).expect("readable");
        let package = mini::package(&format!("{text}{}", mini::GAME));
        let mut rejected = Ruleset::compile(&package, &[], &Configuration::base(2))
            .err()
            .unwrap_or_else(|| panic!("{} is right", path.display()));
        let mistakes = &mut rejected.diagnostics.list;
        mistakes.retain(|d| d.severity == Severity::Error);
        let told = rejected.diagnostics.render(&rejected.sources, Style::Plain);
        insta::with_settings!({
            omit_expression => true,
            prepend_module_to_snapshot => false,
            snapshot_path => "../../corpus/diagnostics/rules/snapshots",
        }, {
            insta::assert_snapshot!(format!("{}\n────────\n{told}", text.trim_end()));
        });
    });
}

#[test]
fn one_mistake_is_told_once() {
    let right = texts(&root().join("tests/rulesets/tea-house"));
    insta::glob!(
        "../../corpus/diagnostics/cascades/cases",
        "*.case",
        |path| {
            let text = std::fs::read_to_string(path).expect("readable");
            let case = Case::new(&right, &text);
            let rejected = Ruleset::compile(&case.base, &case.house, &case.configuration)
                .err()
                .unwrap_or_else(|| panic!("{} is right", path.display()));
            let told = rejected.diagnostics.render(&rejected.sources, Style::Plain);
            insta::with_settings!({
                omit_expression => true,
                prepend_module_to_snapshot => false,
                snapshot_path => "../../corpus/diagnostics/cascades/snapshots",
            }, {
                insta::assert_snapshot!(format!("{}\n────────\n{told}", text.trim_end()));
            });
        }
    );
}
