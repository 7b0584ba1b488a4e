//! The README tells the truth: its house rule is built from the text as printed, checked and played.

use std::collections::BTreeMap;

use interpreter::CompileRuleset as _;
use interpreter::Ruleset;
use interpreter::diagnostic::Style;
use interpreter::package::{Configuration, PackageTexts};
use interpreter::play::{Game, Seed};
use referee_tests::{root, texts};

/// Every file that the README prints whole: a line that names it in backticks at its start, then a fenced block.
fn printed_files(readme: &str) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let mut named: Option<String> = None;
    let mut open: Option<(String, String)> = None;
    for line in readme.lines() {
        if let Some((path, text)) = &mut open {
            if line.starts_with("```") {
                files.insert(std::mem::take(path), std::mem::take(text));
                open = None;
            } else {
                text.push_str(line);
                text.push('\n');
            }
        } else if line.starts_with("```") {
            open = named.take().map(|path| (path, String::new()));
        } else if let Some(rest) = line.strip_prefix('`')
            && let Some((path, _)) = rest.split_once('`')
            && path.contains('/')
        {
            named = Some(path.to_owned());
        }
    }
    files
}

fn house_rule() -> PackageTexts {
    let readme = std::fs::read_to_string(root().join("README.md")).expect("the README is there");
    let mut house = PackageTexts::default();
    for (path, text) in printed_files(&readme) {
        if let Some(inside) = path.strip_prefix("tournament/") {
            house.files.push((inside.to_owned(), text));
        }
    }
    assert_eq!(house.files.len(), 3, "the README prints three files");
    house
}

#[test]
fn the_house_rule_of_the_readme_checks_without_a_warning_and_plays() {
    let base = texts(&root().join("rulesets/puerto-rico"));
    let house = [("tournament".to_owned(), house_rule())];
    let ruleset = match Ruleset::compile(&base, &house, &Configuration::base(4)) {
        Ok(ruleset) => ruleset,
        Err(rejected) => panic!(
            "{}",
            rejected.diagnostics.render(&rejected.sources, Style::Plain)
        ),
    };
    let warnings = ruleset.warnings().render(ruleset.sources(), Style::Plain);
    assert_eq!(warnings, "");
    let cost = |row: &str| {
        let model = ruleset.model();
        let buildings = model
            .tables
            .position(|t| &*t.name == "building")
            .expect("a table of buildings");
        let row = model.tables[buildings]
            .rows
            .iter()
            .position(|r| &**r == row)
            .expect("a building");
        let column = model
            .columns
            .iter()
            .find(|c| c.table == buildings && &*c.name == "cost")
            .expect("a column");
        column.values[row]
    };
    assert_eq!(
        (cost("factory"), cost("university")),
        (8, 7),
        "the prices are swapped"
    );
    let mut game = Game::new(ruleset, Seed::from_number(1), false, false);
    game.start().expect("no fault");
    let mut word = 1u64;
    while !game.is_over() {
        game.play_random(&mut || {
            word = word
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            word >> 7
        })
        .expect("no fault");
    }
}
