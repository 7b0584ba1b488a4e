//! What the checker says of rules that can be read and are wrong.
//!
//! `corpus/diagnostics/rules` holds such rules over the table of [`mini`](referee_tests::mini), each beside what its
//! author is told. Warnings, of which the table itself has some, are left out.

use interpreter::Ruleset;
use interpreter::diagnostic::{Severity, Style};
use interpreter::package::Configuration;
use referee_tests::mini;

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
