//! The scenarios of the shipped rulesets: everything that they say is so.

use interpreter::diagnostic::Style;
use interpreter::scenario::{Suite, run};
use referee_tests::{root, texts};

#[test]
fn puerto_rico() {
    holds("puerto-rico");
}

fn holds(ruleset: &str) {
    let mut base = texts(&root().join("rulesets").join(ruleset));
    base.path = format!("rulesets/{ruleset}");
    let suite = Suite::read(&base, &[]);
    let mut wrong = suite.diagnostics.render(&suite.sources, Style::Plain);
    let mut failed = 0;
    for setup in suite.setups() {
        let compiled = match setup.compile(&base, &[]) {
            Ok(compiled) => compiled,
            Err(rejected) => panic!(
                "{}",
                rejected.diagnostics.render(&rejected.sources, Style::Plain)
            ),
        };
        for scenario in suite.scenarios.iter().filter(|s| s.setup == *setup) {
            let report = run(scenario, &compiled);
            if !report.diagnostics.list.is_empty() {
                failed += usize::from(!report.passed());
                wrong += &format!("──── {}\n", report.name.node);
                wrong += &report.diagnostics.render(&suite.sources, Style::Plain);
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{failed} of {} scenarios fail\n{wrong}",
        suite.scenarios.len()
    );
}
