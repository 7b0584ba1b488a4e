//! What modules change in rules: the layers below them, by short names, and what is in force then.

use std::sync::Arc;

use interpreter::CompileRuleset as _;
use interpreter::Ruleset;
use interpreter::diagnostic::{Code, Style};
use interpreter::package::{Configuration, PackageTexts};
use referee_tests::{mini, root, texts};

const RULES: &str = "
phase game
  step going: repeat until the game ends
    step turns: each p from dealer
      ask p
        move act(n: 1 to 3)                                @act
          needs n < 3                                      @act.few
          do { gain(purse(p), n); }
        move pass
colour red for p when owned
  modify worth_of(p) by 1                                  @red
query owned(p: player, c: colour): bool = box(p, c) > 0
query worth_of(p: player): int = purse(p)
ending rich when any p in players: worth_of(p) > 20        @rich
ending poor after game                                     @poor
";

const RULEBOOK: &str = "
sections:
- id: all
  titles: {en: All, pl: Wszystko}
  clauses:
  - {id: act, en: A., pl: A.}
  - {id: act.few, en: A., pl: A.}
  - {id: red, en: A., pl: A.}
  - {id: rich, en: A., pl: A.}
  - {id: poor, en: A., pl: A.}
";

/// The mini table with a rulebook and a house rule of these rules; gives what is reported too.
fn with_house(rules: &str) -> (Option<Ruleset>, String) {
    let mut base = mini::package(RULES);
    for (path, text) in &mut base.files {
        if path == "ruleset.yaml" {
            text.push_str("  rulebook: rulebook.yaml\n");
        }
    }
    base.files.push(("rulebook.yaml".into(), RULEBOOK.into()));
    let manifest =
        "id: house\nextends: mini\ntitles: {en: House, pl: Dom}\nfiles: {rules: [house.rules]}\n";
    let house = PackageTexts::new(
        "house",
        vec![
            ("module.yaml".into(), manifest.into()),
            ("house.rules".into(), rules.into()),
        ],
    );
    let house = [("house".to_owned(), house)];
    match Ruleset::compile(&base, &house, &Configuration::base(2)) {
        Ok(ruleset) => {
            // The mini table's numbers have no names, which is warned of.
            let mut warnings = ruleset.warnings().clone();
            warnings
                .list
                .retain(|warning| warning.code != Code::UnnamedNumber);
            let shown = warnings.render(ruleset.sources(), Style::Plain);
            (std::sync::Arc::into_inner(ruleset), shown)
        }
        Err(rejected) => (
            None,
            rejected.diagnostics.render(&rejected.sources, Style::Plain),
        ),
    }
}

/// Asserts that nothing is reported but that a clause has lost its last rule.
#[track_caller]
fn assert_only_overruled(shown: &str, clause: &str) {
    let expected = format!("warning[RF0414]: nothing carries out the clause `{clause}` any more");
    assert!(shown.starts_with(&expected), "{shown}");
    assert_eq!(shown.matches("[RF").count(), 1, "{shown}");
}

#[test]
fn a_move_is_replaced_by_its_short_or_its_long_name() {
    for name in ["game.act", "game.turns.act"] {
        let rules = format!(
            "replace {name}                                @act\n  move act(n: 1 to 2)\n    do {{ gain(purse(p), 2 * n); }}\n"
        );
        let (ruleset, shown) = with_house(&rules);
        assert_only_overruled(&shown, "act.few");
        let ruleset = ruleset.expect("it checks");
        let act = ruleset.model().moves.iter().find(|m| &*m.name == "act");
        assert!(act.expect("a move").needs().next().is_none(), "{name}");
    }
}

#[test]
fn a_module_changes_what_lies_below_and_not_what_it_says_itself() {
    let (ruleset, shown) = with_house(
        "disable red\ncolour red for p when owned\n  modify worth_of(p) by 2                    @red\n",
    );
    assert_eq!(shown, "");
    assert!(ruleset.is_some());

    let (none, shown) = with_house("disable late\nending late after game\n");
    assert!(none.is_none());
    assert!(
        shown.contains("nothing to change is called `late`"),
        "{shown}"
    );
}

#[test]
fn a_clause_whose_rules_are_disabled_is_not_in_force() {
    let (_, shown) = with_house("disable poor\n");
    assert_only_overruled(&shown, "poor");
}

#[test]
fn a_second_declaration_of_anything_is_shown_with_the_first() {
    for (rules, said) in [
        (
            "effect pay_out(p: player): do { gain(purse(p), 1); }\neffect pay_out(p: player): do { }\n",
            "the effect `pay_out` is declared twice",
        ),
        (
            "ending rich after game\n",
            "the ending `rich` is declared twice",
        ),
        (
            "event noted(p: player)\n",
            "the event `noted` is declared twice",
        ),
        (
            "winner p with fewest purse(p)\n",
            "the sentence `winner` is declared twice",
        ),
        (
            "counter jar\n",
            "the place, counter or marker `jar` is declared twice",
        ),
    ] {
        let (none, shown) = with_house(rules);
        assert!(none.is_none(), "{rules}");
        assert!(shown.contains(said), "{rules}: {shown}");
        assert!(shown.contains("first declared here"), "{rules}: {shown}");
    }
}

/// The mini table with names, and a house rule with names of its own over it.
fn with_names(base: &str, house: &str) -> Result<Arc<Ruleset>, String> {
    let mut package = mini::package(RULES);
    for (path, text) in &mut package.files {
        if path == "ruleset.yaml" {
            text.push_str("  rulebook: rulebook.yaml\n  names: names.yaml\n");
        }
    }
    package
        .files
        .push(("rulebook.yaml".into(), RULEBOOK.into()));
    package.files.push(("names.yaml".into(), base.into()));
    let manifest = "id: house\nextends: mini\ntitles: {en: House, pl: Dom}\nfiles: {names: names.yaml, rules: [house.rules]}\n";
    let house = PackageTexts::new(
        "house",
        vec![
            ("module.yaml".into(), manifest.into()),
            (
                "house.rules".into(),
                "extend game.act with twice: bool\n".into(),
            ),
            ("names.yaml".into(), house.into()),
        ],
    );
    let house = [("house".to_owned(), house)];
    let compiled = Ruleset::compile(&package, &house, &Configuration::base(2));
    compiled.map_err(|rejected| rejected.diagnostics.render(&rejected.sources, Style::Plain))
}

#[test]
fn a_module_says_a_move_of_a_lower_layer_in_a_sentence_of_its_own() {
    let base = "sentences:\n  moves:\n    game.act: {en: \"take {n}\", pl: \"weź: {n}\"}\n";
    let house = "sentences:\n  moves:\n    game.act: {en: \"take {n}[, {twice}]\", pl: \"weź: {n}[, {twice}]\"}\n";
    let said = |names: &str| {
        let ruleset = with_names(base, names).unwrap_or_else(|told| panic!("{told}"));
        ruleset.package().sentences["move game.act"]
            .en
            .node
            .to_string()
    };
    assert_eq!(said("params:\n  n: {en: coins, pl: monety}\n"), "take {n}");
    assert_eq!(said(house), "take {n}[, {twice}]");
    // A hole that only another module would fill is none here.
    let told = with_names(base, &house.replace("twice", "thrice")).err();
    let told = told.expect("a mistake");
    assert!(
        told.contains("error[RF0547]: the move `game.turns.act` has no `thrice`"),
        "{told}"
    );
}

/// What a component adds to a move can go with it; the base's sentence speaks of it in a part.
#[test]
fn a_sentence_stands_without_what_a_component_adds_to_its_move() {
    let base = texts(&root().join("rulesets/puerto-rico"));
    let manifest = "id: alone\nextends: puerto-rico\ntitles: {en: Alone, pl: Sami}\nfiles: {rules: [alone.rules]}\n";
    let house = PackageTexts::new(
        "alone",
        vec![
            ("module.yaml".into(), manifest.into()),
            (
                "alone.rules".into(),
                "disable hospice\ndisable university\n".into(),
            ),
        ],
    );
    let house = [("alone".to_owned(), house)];
    let compiled = Ruleset::compile(&base, &house, &Configuration::base(3));
    let ruleset = compiled.unwrap_or_else(|rejected| {
        panic!(
            "{}",
            rejected.diagnostics.render(&rejected.sources, Style::Plain)
        )
    });
    let model = ruleset.model();
    let take = model
        .moves
        .iter()
        .find(|mv| &*mv.address == "settler.picking.take");
    assert_eq!(take.expect("a move").params.len(), 1);
}
