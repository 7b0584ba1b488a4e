//! A tiny table on which tests try single rules.

use std::sync::Arc;

use interpreter::CompileRuleset as _;
use interpreter::Ruleset;
use interpreter::diagnostic::Style;
use interpreter::package::{Configuration, PackageTexts};

const MANIFEST: &str = "\
id: mini
version: \"0.1.0\"
language: 1
titles: {en: Mini, pl: Mini}
players: {from: 2, to: 3}
files:
  components: [colours.yaml]
  rules: [table.rules, tried.rules]
";

const COLOURS: &str = "\
table: colour
plural: colours
names: {en: colour, pl: kolor}
columns: {weight: int, warm: bool, near: option colour, twin: colour}
rows:
  red: {names: {en: red, pl: czerwony}, weight: 3, warm: true, near: green, twin: blue}
  green: {names: {en: green, pl: zielony}, weight: 2, near: blue, twin: green}
  blue: {names: {en: blue, pl: niebieski}, weight: -1, twin: red}
";

const TABLE: &str = "\
place box(p: player): colour     starts each c with 2
place shelf: colour              starts each c with max(0, weight(c))
place heap: pile of colour       face down  starts each c with 2
place pocket(p: player): colour  seen by p
counter purse(p: player)         starts 3
counter jar                      at most 9
counter told(c: colour)
marker mark: option colour
marker dealer: player            starts first_player
marker friend(p: player): option player
event noted(p: player, n: int)
event done
query tell_told(c: colour): int = told(c)
winner p with most purse(p)
";

/// The phase of [`package`] when the rules under test bring none.
pub const GAME: &str = "
phase game
  step going: repeat until the game ends
    step turns: each p from dealer
      ask p
        move act(n: 0 to 3, c: colour)
          do { gain(purse(p), n); }
        move pass
ending rich when any p in players: purse(p) > 20
";

/// The texts of a package with these rules; `tried.rules` holds them.
pub fn package(rules: &str) -> PackageTexts {
    on(TABLE, rules)
}

fn on(table: &str, rules: &str) -> PackageTexts {
    let files = [
        ("ruleset.yaml", MANIFEST),
        ("colours.yaml", COLOURS),
        ("table.rules", table),
        ("tried.rules", rules),
    ];
    PackageTexts::new(
        "mini",
        files
            .map(|(path, text)| (path.to_owned(), text.to_owned()))
            .to_vec(),
    )
}

/// The ruleset of these rules for two players, on a table of which nothing is hidden.
///
/// # Panics
/// With every diagnostic, if they do not check.
pub fn in_the_open(rules: &str) -> Arc<Ruleset> {
    let hidden = ["place heap", "place pocket"];
    let is_open = |line: &&str| !hidden.iter().any(|name| line.starts_with(name));
    let open: Vec<&str> = TABLE.lines().filter(is_open).collect();
    let texts = on(&open.join("\n"), rules);
    Ruleset::compile(&texts, &[], &Configuration::base(2)).unwrap_or_else(|rejected| {
        panic!(
            "{}",
            rejected.diagnostics.render(&rejected.sources, Style::Plain)
        )
    })
}

/// The ruleset of these rules, or every diagnostic as text.
///
/// # Errors
/// If the rules do not check.
pub fn compile(rules: &str, players: u8) -> Result<Arc<Ruleset>, String> {
    Ruleset::compile(&package(rules), &[], &Configuration::base(players))
        .map_err(|rejected| rejected.diagnostics.render(&rejected.sources, Style::Plain))
}

/// The ruleset of these rules for two players.
///
/// # Panics
/// With every diagnostic, if they do not check.
pub fn ruleset(rules: &str) -> Arc<Ruleset> {
    compile(rules, 2).unwrap_or_else(|shown| panic!("{shown}\n{rules}"))
}
