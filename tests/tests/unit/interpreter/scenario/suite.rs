//! Suites and setups; what scenarios can say and what is wrong with them is in the corpus of the
//! crate `tests`.

use interpreter::diagnostic::Style;
use interpreter::scenario::{Suite, run};
use interpreter::source::PackageTexts;
use interpreter::syntax::Trees;

const RULESET: &str = "\
id: coin
version: '1'
language: 1
titles: {en: Coin, pl: Moneta}
players: {from: 1, to: 2}
modules: [rich]
options: {generous: {names: {en: generous, pl: hojny}, default: false}}
files: {rules: [coin.rules], setup: setup.yaml}
";

const RULES: &str = "\
counter coins(p: player)  starts purse
phase game
  step turns: repeat until the game ends
    ask first_player
      move stop
        do { finish(stopped); }
      move wait
ending stopped
score coins for p: coins(p)
winner p with most score(p)
";

fn texts(files: &[(&str, &str)]) -> PackageTexts {
    let files = files
        .iter()
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
    PackageTexts::new("", files.collect())
}

fn module(id: &str, purse: u32) -> String {
    format!(
        "id: {id}\nextends: coin\ntitles: {{en: x, pl: x}}\npatch: {{figures: {{purse: {purse}}}}}\n"
    )
}

fn scenario(name: &str, game: &str, coins: u32) -> String {
    format!("scenario: {name}\ngame: {game}\nthen: {{p1: {{coins: {coins}}}}}\n")
}

#[test]
fn every_scenario_is_played_with_what_it_names() {
    let base = texts(&[
        ("ruleset.yaml", RULESET),
        ("coin.rules", RULES),
        ("setup.yaml", "figures: {purse: 2}\n"),
        ("modules/rich/module.yaml", &module("rich", 9)),
        (
            "modules/rich/scenarios/a.yaml",
            &scenario("rich", "{players: 1, modules: [rich]}", 9),
        ),
        (
            "scenarios/deep/b.yaml",
            &scenario("base", "{players: 1}", 2),
        ),
        (
            "scenarios/c.yaml",
            &scenario("two", "{players: 2, options: {generous: true}}", 2),
        ),
        (
            "scenarios/d.yaml",
            &scenario("house", "{players: 1, modules: [poor]}", 1),
        ),
    ]);
    let house = [(
        "poor".to_owned(),
        texts(&[
            ("module.yaml", &module("poor", 1)),
            ("scenarios/e.yaml", &scenario("own", "{players: 1}", 1)),
        ]),
    )];
    let suite = Suite::read(&base, &house);
    assert_eq!(suite.diagnostics.render(&suite.sources, Style::Plain), "");
    let names: Vec<_> = suite
        .scenarios
        .iter()
        .map(|s| s.name.node.as_str())
        .collect();
    assert_eq!(names, ["rich", "two", "house", "base", "own"]);
    assert_eq!(suite.setups().len(), 4, "two of them need the same");
    for scenario in &suite.scenarios {
        let compiled = scenario.setup.compile(&base, &house, &Trees::default());
        let compiled = compiled
            .map_err(|r| r.diagnostics.render(&r.sources, Style::Plain))
            .expect("it compiles");
        let report = run(scenario, &compiled);
        assert_eq!(report.diagnostics.render(&suite.sources, Style::Plain), "");
    }
}
