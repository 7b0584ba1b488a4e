//! Numbers that clauses state, and what is told of those that are tied to something else.

use std::fmt::Write as _;

use interpreter::diagnostic::{Diagnostics, Severity};
use interpreter::package::{Configuration, PackageTexts, load_again};
use interpreter::source::Sources;
use interpreter::syntax::Trees;
use interpreter::types;
use referee_tests::mini;

/// What the check of a package in a configuration finds, and in which texts.
pub(super) fn found(
    trees: &Trees,
    base: &PackageTexts,
    house: &[(String, PackageTexts)],
    configuration: &Configuration,
) -> (Sources, Diagnostics) {
    let (mut sources, mut found) = (Sources::default(), Diagnostics::default());
    let package = load_again(&mut sources, trees, base, house, configuration, &mut found);
    if let Some(package) = package.filter(|_| !found.has_errors()) {
        types::check(&package, configuration, &mut found);
    }
    (sources, found)
}

/// `error RF0365 rulebook.yaml:7:32 the clause `end` states 21, but …`, in the order of places.
fn told(base: &PackageTexts, house: &[(String, PackageTexts)]) -> Vec<String> {
    let configuration = Configuration::base(2);
    let (sources, found) = found(&Trees::default(), base, house, &configuration);
    let shown = found.sorted().list.into_iter().filter_map(|one| {
        let at = one.labels[0].span;
        let place = sources.line_column(at);
        let severity = match one.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let path = &sources.file(at.file).path;
        let (line, column) = (place.line, place.column);
        let told = format!(
            "{severity} {} {path}:{line}:{column} {}",
            one.code, one.message
        );
        path.ends_with("rulebook.yaml").then_some(told)
    });
    shown.collect()
}

const RULES: &str = "
phase game
  step going: repeat until the game ends
    step turns: each p from dealer
      ask p
        move act(n: 0 to 3, c: colour)                     @act
          do { gain(purse(p), n + 1); gain(jar, 2); }
        move pass
query worth(n: int): int = n * most                        @worth
ending rich when any p in players: purse(p) > 20           @rich
";

/// The mini table with clauses; `top` stands above their sections.
fn with_clauses(top: &str, clauses: &str) -> PackageTexts {
    let mut base = mini::package(RULES);
    for (path, text) in &mut base.files {
        if path == "ruleset.yaml" {
            text.push_str("  rulebook: rulebook.yaml\n  setup: setup.yaml\n");
        }
    }
    let sections = "sections:\n- id: all\n  titles: {en: All, pl: Wszystko}\n  clauses:";
    base.files
        .push(("rulebook.yaml".into(), format!("{top}{sections}{clauses}")));
    let figures = "figures: {most: {2: 4, 3: 5}, share: 2}\n";
    base.files.push(("setup.yaml".into(), figures.into()));
    base
}

const RIGHT: &str = r#"
  - {id: act, en: One coin and two for the jar., pl: Jedna moneta i dwie do słoja., numbers: {1: rule, 2: rule}}
  - {id: rich, en: Twenty or 20., pl: Dwadzieścia., numbers: {20: {en: [free, rule], pl: rule}}}
  - id: worth
    en: Four of them for two players, 5 for three, each half of its weight, in all 8; red weighs three.
    pl: Cztery w grze dwuosobowej, 5 w trzyosobowej, każdy wart połowę wagi, razem 8; czerwony waży trzy.
    numbers: {4: most when player_count == 2, 2: free, 5: most when player_count == 3, half: share, 3: [free, "weight(red), max c in colours: weight(c)"], 8: worth(2)}
"#;

#[test]
fn a_true_clause_is_quiet_with_every_number_of_players() {
    assert_eq!(told(&with_clauses("numbers: tied\n", RIGHT), &[]), [""; 0]);
}

#[test]
fn only_a_rulebook_that_asks_for_ties_needs_them() {
    let untied = "\n  - {id: act, en: Two., pl: Dwie.}\n  - {id: rich, en: A., pl: A.}\n  - {id: worth, en: A., pl: A.}\n";
    assert_eq!(told(&with_clauses("", untied), &[]), [""; 0]);
    assert_eq!(
        told(&with_clauses("numbers: tied\n", untied), &[]),
        [
            "error RF0364 mini/rulebook.yaml:6:19 nothing says of what `2` is the number",
            "error RF0364 mini/rulebook.yaml:6:29 nothing says of what `2` is the number",
        ]
    );
}

#[test]
fn a_false_number_is_told_where_the_clause_states_it() {
    let changes = [
        ("Four of them", "Five of them"),
        ("{4: most", "{4: most + 1"),
        ("half: share", "half: most"),
        ("weight(red), max", "weight(green), max"),
        ("{1: rule, 2: rule}", "{1: rule 2, 2: rule}"),
        ("2: rule}", "2: free}"),
        ("8: worth(2)", "8: \"2 * @rich\""),
        ("8: worth(2)", "8: \"@act\""),
        ("8: worth(2)", "8: purse(first_player)"),
        ("8: worth(2)", "8: wort(2)"),
        ("8: worth(2)", "8: worth of 2"),
        ("half: share", "9: share, half: share"),
        ("half: share", "halves: share"),
        ("[free, rule]", "[rule]"),
        ("n + 1)", "n + 2)"),
        ("share: 2", "share: 3"),
    ];
    let mut shown = String::new();
    for (from, to) in changes {
        let mut base = with_clauses("", RIGHT);
        let changed = base
            .files
            .iter_mut()
            .filter(|(_, text)| text.contains(from));
        for (_, text) in changed {
            *text = text.replace(from, to);
        }
        _ = writeln!(
            shown,
            "{from} → {to}\n    {}",
            told(&base, &[]).join("\n    ")
        );
    }
    insta::assert_snapshot!(shown);
}

/// A house rule over the mini table: other figures, and a rulebook.
fn house(rulebook: &str) -> [(String, PackageTexts); 1] {
    let manifest =
        "id: house\nextends: mini\ntitles: {en: House, pl: Dom}\npatch: {figures: {most: 6}}\n";
    let mut files = vec![("module.yaml".to_owned(), manifest.to_owned())];
    if !rulebook.is_empty() {
        files[0].1.push_str("files: {rulebook: rulebook.yaml}\n");
        files.push(("rulebook.yaml".to_owned(), rulebook.to_owned()));
    }
    [("house".to_owned(), PackageTexts::new("house", files))]
}

#[test]
fn a_house_rule_of_one_sentence_is_warned_and_a_strict_one_is_refused() {
    let base = with_clauses("numbers: tied\n", RIGHT);
    let severities = |rulebook| {
        let told = told(&base, &house(rulebook));
        told.iter()
            .map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" "))
            .collect::<Vec<_>>()
    };
    assert_eq!(severities(""), ["warning RF0365", "warning RF0365"]);
    let strict = "numbers: tied\npatch: {}\n";
    assert_eq!(severities(strict), ["error RF0365", "error RF0365"]);
    let said = "numbers: tied\npatch: {worth: {en: Six., pl: Sześć., numbers: {6: most}}}\n";
    assert_eq!(severities(said), [""; 0]);
    let only_numbers =
        "patch: {worth: {numbers: {4: free, 2: free, 5: free, half: free, 3: free, 8: free}}}\n";
    assert_eq!(severities(only_numbers), [""; 0]);
    let untied = "numbers: tied\npatch: {worth: {en: Six., pl: Sześć.}}\n";
    assert_eq!(severities(untied), ["error RF0364", "error RF0364"]);
}
