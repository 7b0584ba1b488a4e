//! Layouts: what a whole ruleset makes of `table.yaml`.

use std::collections::BTreeMap;

use interpreter::CompileRuleset as _;
use interpreter::diagnostic::{Code, Style};
use interpreter::package::{Configuration, PackageTexts};
use interpreter::play::Ruleset;
use interpreter::program::layout::{Area, Flow, Fold, Part};

const TABLE: &str = "table: good
plural: goods
names: {en: good, pl: towar}
columns: {price: int}
rows:
  apple: {names: {en: apple, pl: jabłko}, price: 1}
  bread: {names: {en: bread, pl: chleb}, price: 2}
";

const RULES: &str = "place supply: good  starts each g with 2
place stock(p: player): good
place cart(g: good): good
counter coins(p: player)
counter taxes
counter stamps(g: good)
marker leader: player  starts first_player
marker stands(p: player): good  starts apple
phase game
  keeps asked: int
  place tray: good
  step turns: each p from leader
    ask p
      move pass
ending over when taxes > 3
score wealth for p: coins(p)
winner p with most coins(p)
";

/// The market with these further files, and what modules say.
fn market(files: &[(&str, &str)]) -> PackageTexts {
    let manifest = "id: market\nversion: \"1\"\nlanguage: 1\ntitles: {en: Market, pl: Targ}\nplayers: {from: 2, to: 3}\nmodules: [one, two]\nfiles: {components: [goods.yaml], rules: [market.rules]}\n";
    let mut all = BTreeMap::from([
        ("ruleset.yaml", manifest),
        ("goods.yaml", TABLE),
        ("market.rules", RULES),
        (
            "modules/one/module.yaml",
            "id: one\nextends: market\ntitles: {en: One, pl: Jeden}\n",
        ),
        (
            "modules/two/module.yaml",
            "id: two\nextends: market\ntitles: {en: Two, pl: Dwa}\n",
        ),
    ]);
    all.extend(files.iter().copied());
    let all = all.iter().map(|(p, t)| ((*p).to_owned(), (*t).to_owned()));
    PackageTexts::new("market", all.collect())
}

fn compiled(files: &[(&str, &str)], modules: &[&str]) -> Result<std::sync::Arc<Ruleset>, String> {
    let configuration = Configuration {
        modules: modules.iter().map(|m| (*m).to_owned()).collect(),
        ..Configuration::base(2)
    };
    Ruleset::compile(&market(files), &[], &configuration)
        .map_err(|rejected| rejected.diagnostics.render(&rejected.sources, Style::Plain))
}

/// What is said of a layout.
fn told(layout: &str) -> String {
    compiled(&[("table.yaml", layout)], &[])
        .err()
        .unwrap_or_default()
}

fn drawn(area: &Area) -> String {
    let parts = area.shows.iter().map(|part| match part {
        Part::Area(area) => drawn(area),
        Part::Thing(thing) => thing.name.node.clone(),
        Part::Board(board) => format!("board {}", board.table.node),
        Part::Track(track) => {
            let names: Vec<&str> = track.shows.iter().map(|name| name.node.as_str()).collect();
            format!("track {} {}..{}", names.join(","), track.from, track.to)
        }
    });
    let id = area.id.as_ref().map_or("", |id| id.node.as_str());
    format!("{id}[{}]", parts.collect::<Vec<_>>().join(" "))
}

#[test]
fn a_layout_is_read_as_it_is_written() {
    let layout = "
table:
  flow: row
  shows:
    - supply
    - {area: market, titles: {en: Market, pl: Targ}, flow: tabs, fold: closed, shows: [{board: good, shows: [cart]}, taxes]}
mat: [{show: stock, as: pieces, empty: hide, order: price, group: price}]
aside: [leader, tray]
looks:
  good: {form: token, printed: [price], colour: green, rows: {apple: {shape: circle, colour: \"#FF0080\", icon: apple-core, label: A}}}
";
    let ruleset = compiled(&[("table.yaml", layout)], &[]).expect("it is right");
    let layout = ruleset.package().layout.as_ref().expect("it has one");
    assert_eq!(drawn(&layout.table), "[supply market[board good taxes]]");
    assert_eq!(layout.table.flow, Flow::Row);
    let Part::Area(market) = &layout.table.shows[1] else {
        panic!("an area");
    };
    assert_eq!((market.flow, market.fold), (Flow::Tabs, Fold::Closed));
    assert_eq!(market.titles.pl, "Targ");
    let look = &layout.looks[0];
    assert_eq!(
        look.look.colour.map(|c| c.hex()).as_deref(),
        Some("#3c7d45")
    );
    assert_eq!(
        look.rows[0].1.colour.map(|c| c.hex()).as_deref(),
        Some("#ff0080")
    );
    assert!(
        ruleset
            .warnings()
            .list
            .iter()
            .all(|d| d.code != Code::UnlistedFile)
    );
}

/// What all share: counters of every seat on a track, and where each seat stands on a board.
#[test]
fn tracks_and_boards_in_the_middle_show_what_is_each_players() {
    let layout = "table: [{track: [coins, taxes], from: 5, to: -1}, {track: [], to: 199}, {board: good, shows: [stands]}]\n";
    let ruleset = compiled(&[("table.yaml", layout)], &[]).expect("it is right");
    let layout = ruleset.package().layout.as_ref().expect("it has one");
    assert_eq!(
        drawn(&layout.table),
        "[track coins,taxes 5..-1 track  0..199 board good]"
    );
}

#[test]
fn nothing_in_a_layout_changes_the_digest() {
    let digest = |files: &[(&str, &str)], modules: &[&str]| {
        compiled(files, modules).expect("it is right").digest().0
    };
    let without = digest(&[], &[]);
    assert_eq!(digest(&[("table.yaml", "table: [supply]\n")], &[]), without);
    assert_eq!(digest(&[("table.yaml", "mat: [stock]\n")], &[]), without);
    let plain = digest(&[], &["one"]);
    let laid = digest(&[("modules/one/table.yaml", "aside: [taxes]\n")], &["one"]);
    assert_eq!(laid, plain);
    // Planted: a comment in a file that matters.
    let rules = format!("# a comment\n{RULES}");
    assert_ne!(digest(&[("market.rules", rules.as_str())], &[]), without);
}

#[test]
fn names_are_looked_up() {
    for (layout, said) in [
        (
            "table: [suply]\n",
            "no place, counter or marker is called `suply`",
        ),
        ("table: [suply]\n", "did you mean `supply`?"),
        (
            "table: [game.asked]\n",
            "shown by itself while the phase lasts",
        ),
        ("table: [{board: goods}]\n", "did you mean `good`?"),
        (
            "table: [{show: supply, order: prise}]\n",
            "has no column `prise`",
        ),
        (
            "table: [{show: taxes, order: price}]\n",
            "only the pieces of a place",
        ),
        ("table: [{track: [taxs], to: 3}]\n", "did you mean `taxes`?"),
        ("table: [{track: [taxes]}]\n", "a track needs the key `to`"),
        (
            "table: [{track: [taxes], to: price}]\n",
            "expected the number of a step",
        ),
        (
            "table: [{track: [stamps], to: 3}]\n",
            "of the counter `stamps` there are several",
        ),
        (
            "table: [{track: [leader], to: 3}]\n",
            "the marker `leader` is no counter",
        ),
        (
            "table: [{track: [taxes, taxes], to: 3}]\n",
            "`taxes` stands here twice",
        ),
        ("mat: [{track: [coins], to: 3}]\n", "a track belongs to all"),
        ("mat: [{board: good, shows: [cart]}]\n", "nobody's own"),
        ("looks: {god: {}}\n", "no table is called `god`"),
        ("looks: {good: {printed: [cost]}}\n", "has no column `cost`"),
        (
            "looks: {good: {rows: {aple: {}}}}\n",
            "did you mean `apple`?",
        ),
        ("table: [supply, supply]\n", "`supply` stands here twice"),
        (
            "table: [supply]\naside: [supply]\n",
            "`supply` stands here twice",
        ),
        (
            "table: [{board: good}, {board: good}]\n",
            "board of `good` is shown twice",
        ),
        ("table: [stock]\n", "each player's own"),
        ("mat: [supply]\n", "nobody's own"),
        (
            "table: [{board: good, shows: [supply]}]\n",
            "lies on no good",
        ),
        (
            "table: [{area: a, shows: []}, {area: a, shows: []}]\n",
            "two areas called `a`",
        ),
        ("table: [{shows: [supply]}]\n", "expected what is shown"),
        ("tabel: []\n", "unknown key `tabel`"),
        ("table: {flow: sideways}\n", "`sideways` is not"),
        ("looks: {good: {shape: blob}}\n", "`blob` is not a shape"),
    ] {
        let told = told(layout);
        assert!(told.contains(said), "{layout}: {told}");
    }
}

/// Strangers write layouts: nothing that could be more than a name, a colour or a few letters is read.
#[test]
fn hostile_layouts_are_refused() {
    let area = |inner: &str| format!("{{area: a, shows: [{inner}]}}");
    let many: String = (0..300)
        .map(|i| format!("  - {{area: a{i}, shows: []}}\n"))
        .collect();
    let very_many = "  - {area: a, shows: []}\n".repeat(100_000);
    let deep = (0..40).fold(String::from("supply"), |inner, _| area(&inner));
    let rows: String = (0..5_000).map(|i| format!("x{i}: {{}}, ")).collect();
    let long = "x".repeat(100_000);
    for (layout, code) in [
        (
            "looks: {good: {colour: \"url(http://example.com)\"}}\n".to_owned(),
            "RF0353",
        ),
        (
            "looks: {good: {colour: \"red; background: url(x)\"}}\n".to_owned(),
            "RF0353",
        ),
        ("looks: {good: {colour: \"#12345\"}}\n".to_owned(), "RF0353"),
        (
            "looks: {good: {icon: \"../../x.svg\"}}\n".to_owned(),
            "RF0353",
        ),
        (format!("looks: {{good: {{icon: {long}}}}}\n"), "RF0353"),
        (format!("looks: {{good: {{label: {long}}}}}\n"), "RF0353"),
        (
            format!("looks: {{good: {{label: {{en: {long}, pl: x}}}}}}\n"),
            "RF0352",
        ),
        (
            format!("table: [{{area: a, titles: {{en: {long}, pl: x}}, shows: []}}]\n"),
            "RF0352",
        ),
        (format!("table:\n{many}"), "RF0352"),
        (format!("table:\n{very_many}"), "RF0352"),
        (format!("table: [{deep}]\n"), "RF0352"),
        ("table: [{track: [taxes], to: 200}]\n".to_owned(), "RF0352"),
        (
            format!(
                "table: [{{track: [taxes], from: {}, to: {}}}]\n",
                i64::MIN + 1,
                i64::MAX
            ),
            "RF0352",
        ),
        (format!("looks: {{good: {{rows: {{{rows}}}}}}}\n"), "RF0352"),
    ] {
        let told = told(&layout);
        let shown: String = layout.chars().take(80).collect();
        assert!(
            told.contains(code),
            "{shown}: {}",
            told.chars().take(400).collect::<String>()
        );
        assert!(told.len() < 10_000, "{shown}: {} signs", told.len());
    }
}

#[test]
fn modules_add_to_areas_and_change_looks() {
    let base = "table: [{area: market, titles: {en: Market, pl: Targ}, shows: [supply]}]\nlooks: {good: {colour: green}}\n";
    let one = "table: [{area: market, shows: [taxes]}, {area: own, shows: [leader]}]\nlooks: {good: {colour: red, form: card}}\n";
    let two = "table: [{area: market, shows: [{area: inner, shows: [cart]}]}]\nlooks: {good: {form: card, shape: square}}\n";
    let files = [
        ("table.yaml", base),
        ("modules/one/table.yaml", one),
        ("modules/two/table.yaml", two),
    ];
    let ruleset = compiled(&files, &["one", "two"]).expect("they agree");
    let layout = ruleset.package().layout.as_ref().expect("there is one");
    assert_eq!(
        drawn(&layout.table),
        "[market[supply taxes inner[cart]] own[leader]]"
    );
    let look = &layout.looks[0];
    assert_eq!(
        look.look.colour.map(|c| c.hex()).as_deref(),
        Some("#b53632")
    );
    assert!(look.form.is_some() && look.look.shape.is_some());
    // A module that is not chosen says nothing.
    let ruleset = compiled(&files, &["two"]).expect("it is right");
    let layout = ruleset.package().layout.as_ref().expect("there is one");
    assert_eq!(drawn(&layout.table), "[market[supply inner[cart]]]");
}

#[test]
fn modules_that_do_not_agree_are_told() {
    let said = |one, two| {
        let files = [
            (
                "table.yaml",
                "table: [{area: market, titles: {en: M, pl: T}, shows: [supply]}]\n",
            ),
            ("modules/one/table.yaml", one),
            ("modules/two/table.yaml", two),
        ];
        compiled(&files, &["one", "two"]).err().unwrap_or_default()
    };
    let colours = said(
        "looks: {good: {colour: red}}\n",
        "looks: {good: {colour: blue}}\n",
    );
    assert!(colours.contains("RF0405"), "{colours}");
    assert!(
        colours.contains("both change the `colour` in the look of the table `good`"),
        "{colours}"
    );
    let rows = said(
        "looks: {good: {rows: {apple: {icon: a}}}}\n",
        "looks: {good: {rows: {apple: {icon: b}}}}\n",
    );
    assert!(rows.contains("look of the good `apple`"), "{rows}");
    let twice = said("table: [taxes]\n", "aside: [taxes]\n");
    assert!(twice.contains("RF0351"), "{twice}");
    let again = said("table: [{area: market, flow: row, shows: []}]\n", "{}\n");
    assert!(
        again.contains("the area `market` exists already"),
        "{again}"
    );
}
