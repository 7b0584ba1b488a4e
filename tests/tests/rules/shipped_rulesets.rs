//! The rulesets of the repository are right, for every number of players that they allow, alone and
//! with each of their modules.

use std::collections::BTreeSet;

use interpreter::CompileRuleset as _;
use interpreter::Ruleset;
use interpreter::diagnostic::{Diagnostics, Style};
use interpreter::package::{Configuration, load};
use interpreter::source::Sources;
use referee_tests::{root, texts};

use super::tied_figures::in_play;

#[test]
fn every_ruleset_checks_without_a_warning() {
    let mut checked = 0;
    for entry in std::fs::read_dir(root().join("rulesets")).expect("the rulesets") {
        let folder = entry.expect("readable").path();
        if !folder.join("ruleset.yaml").is_file() {
            continue;
        }
        let base = texts(&folder);
        let package = load(
            &mut Sources::default(),
            &base,
            &[],
            &Configuration::base(0),
            &mut Diagnostics::default(),
        )
        .expect("it can be read");
        // Each module with those that it needs, and what joins some with all of them.
        let files = base.files.iter();
        let laid: BTreeSet<_> = files.map(|(path, _)| in_play(&base, path)).collect();
        for modules in laid {
            let (least, most) = package.players;
            for players in least..=most {
                let mut configuration = Configuration::base(players);
                configuration.modules = modules.clone();
                let shown = match Ruleset::compile(&base, &[], &configuration) {
                    Ok(ruleset) => ruleset.warnings().render(ruleset.sources(), Style::Plain),
                    Err(wrong) => wrong.diagnostics.render(&wrong.sources, Style::Plain),
                };
                // A module may be for fewer players.
                let not_so = shown.contains("RF0410");
                if !not_so {
                    assert_eq!(shown, "", "{} {modules:?} {players}", folder.display());
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 30, "{checked}");
}
