//! Composition of small invented packages; what is wrong with packages is in the corpus of the crate `tests`.

use interpreter::CompileRuleset as _;
use interpreter::Ruleset;
use interpreter::diagnostic::{Diagnostics, Style};
use interpreter::package::{
    Cell, ClauseKind, Configuration, Datum, Language, Package, PackageTexts, load,
};
use interpreter::source::Sources;

const RULESET: &str = "\
id: market
version: '1'
language: 1
titles: {en: Market, pl: Targ}
players: {from: 2, to: 3}
modules: [fair, feast]
options: {open: {names: {en: open, pl: jawne}, default: true}, bound: {names: {en: bound, pl: granica}, default: 3, at_least: 1, at_most: 9}}
files: {components: [goods.yaml], setup: setup.yaml, names: names.yaml}
";

const GOODS: &str = "\
table: good
plural: goods
names: {en: good, pl: towar}
columns: {price: int, fresh: bool, instead: option good}
rows:
  apple: {names: {en: apple, pl: jabłko}, price: {2: 1, 3: 2}, fresh: true}
  bread: {names: {en: bread, pl: chleb}, price: 2, instead: apple, players: [3]}
";

fn base() -> PackageTexts {
    let files = [
        ("ruleset.yaml", RULESET),
        ("goods.yaml", GOODS),
        ("setup.yaml", "figures: {purse: {2: 5, 3: 4}, rounds: 6}\n"),
        (
            "names.yaml",
            "places: {stock: {en: goods, pl: towary}}\n\
             counted:\n  good.apple: {en: apples, pl: [jabłka, jabłek]}\n  good.bread: {en: loaves, pl: bochenków}\n",
        ),
        (
            "modules/fair/module.yaml",
            "id: fair\nextends: market\ntitles: {en: Fair, pl: Jarmark}\nfiles: {components: [more.yaml], names: names.yaml}\n\
             patch: {good: {apple: {price: 4}}, figures: {rounds: 7}}\n",
        ),
        (
            "modules/fair/more.yaml",
            "table: good\ncolumns: {weight: {type: int, default: 1}}\nrows: {honey: {names: {en: honey, pl: miód}, price: 3, weight: 2}}\n",
        ),
        (
            "modules/fair/names.yaml",
            "places: {stock: {en: wares, pl: produkty}}\n\
             counted: {good.bread: {en: breads, pl: [chleby, chlebów]}, good.honey: {en: jars, pl: [słoiki, słoików]}}\n",
        ),
        (
            "modules/feast/module.yaml",
            "id: feast\nextends: market\ntitles: {en: Feast, pl: Uczta}\nafter: [fair]\n\
             patch: {good: {apple: {price: 5, players: [2]}}}\nremove: {good: [honey]}\n",
        ),
    ];
    PackageTexts::new(
        "",
        files
            .map(|(path, text)| (path.to_owned(), text.to_owned()))
            .to_vec(),
    )
}

fn composed(modules: &[&str], house: &[(String, PackageTexts)]) -> (Package, Sources, String) {
    let mut configuration = Configuration::base(3);
    configuration.modules = modules.iter().map(|m| (*m).to_owned()).collect();
    let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::default());
    let package = load(
        &mut sources,
        &base(),
        house,
        &configuration,
        &mut diagnostics,
    )
    .expect("it can be read");
    let rendered = diagnostics.render(&sources, Style::Plain);
    (package, sources, rendered)
}

/// Ids of the rows of the only table, and one column of each.
fn cells(package: &Package, column: &str) -> Vec<(String, Cell)> {
    let table = &package.tables[0];
    let index = table
        .columns
        .iter()
        .position(|c| c.name.node == column)
        .expect("a column");
    table
        .rows
        .iter()
        .map(|row| (row.id.node.clone(), row.cells[index].node.clone()))
        .collect()
}

#[test]
fn reads_the_base() {
    let (package, _, rendered) = composed(&[], &[]);
    assert_eq!(rendered, "");
    assert_eq!(package.players, (2, 3));
    let by_players = Cell::ByPlayers([(2, Datum::Int(1)), (3, Datum::Int(2))].into());
    assert_eq!(
        cells(&package, "price"),
        [
            ("apple".to_owned(), by_players),
            ("bread".to_owned(), Cell::Always(Datum::Int(2)))
        ]
    );
    assert_eq!(
        cells(&package, "fresh")[1].1,
        Cell::Always(Datum::Bool(false))
    );
    assert_eq!(cells(&package, "instead")[0].1, Cell::Always(Datum::None));
    assert_eq!(
        cells(&package, "instead")[1].1,
        Cell::Always(Datum::Row("apple".to_owned()))
    );
    assert_eq!(package.tables[0].rows[1].players, [3]);
    assert_eq!(
        package
            .options
            .iter()
            .map(|o| (o.default, o.is_int))
            .collect::<Vec<_>>(),
        [(1, false), (3, true)]
    );
    assert_eq!(package.names["place stock"].node.pl, "towary");
    let offered: Vec<_> = package
        .offered
        .iter()
        .map(|m| (m.id.as_str(), m.titles.en.as_str()))
        .collect();
    assert_eq!(offered, [("fair", "Fair"), ("feast", "Feast")]);
}

/// What stands behind numbers of a row's pieces, in Polish.
fn counted(package: &Package, row: &str) -> Vec<String> {
    let forms = &package.counted[&format!("good.{row}")].node;
    let numbers = [2, 5, 12, 22];
    numbers
        .map(|n| forms.form(Language::Polish, n).to_owned())
        .to_vec()
}

#[test]
fn pieces_are_counted_by_the_forms_of_the_uppermost_layer() {
    let (package, ..) = composed(&[], &[]);
    assert_eq!(
        counted(&package, "apple"),
        ["jabłka", "jabłek", "jabłek", "jabłka"]
    );
    assert_eq!(counted(&package, "bread"), ["bochenków"; 4]);
    let (package, _, rendered) = composed(&["fair"], &[]);
    assert_eq!(rendered, "");
    assert_eq!(
        counted(&package, "bread"),
        ["chleby", "chlebów", "chlebów", "chleby"]
    );
    assert_eq!(
        package.counted["good.honey"]
            .node
            .form(Language::English, 3),
        "jars"
    );
    // A row that a module takes out may have been counted.
    let (package, _, rendered) = composed(&["fair", "feast"], &[]);
    assert!(
        rendered.is_empty() || !rendered.contains("counted"),
        "{rendered}"
    );
    assert!(package.counted.contains_key("good.honey"));
}

#[test]
fn a_module_adds_and_patches() {
    let (package, sources, rendered) = composed(&["fair"], &[]);
    assert_eq!(rendered, "");
    let prices: Vec<_> = cells(&package, "price")
        .into_iter()
        .map(|(_, cell)| cell)
        .collect();
    assert_eq!(prices, [4, 2, 3].map(|n| Cell::Always(Datum::Int(n))));
    let weights: Vec<_> = cells(&package, "weight")
        .into_iter()
        .map(|(_, cell)| cell)
        .collect();
    assert_eq!(weights, [1, 1, 2].map(|n| Cell::Always(Datum::Int(n))));
    assert_eq!(package.names["place stock"].node.en, "wares");
    assert_eq!(package.figures[1].value.node, Cell::Always(Datum::Int(7)));
    let row = &package.tables[0].rows[2];
    assert_eq!(package.origin(row.id.span), Some("fair"));
    assert_eq!(
        package.origin(package.tables[0].rows[0].cells[0].span),
        Some("fair")
    );
    assert_eq!(package.origin(package.tables[0].rows[0].id.span), None);
    let changes: Vec<_> = package
        .changes
        .iter()
        .map(|c| {
            (
                c.address.as_str(),
                c.was.map(|s| sources.text(s)),
                sources.text(c.now),
            )
        })
        .collect();
    assert_eq!(
        changes,
        [
            ("name of place stock", Some("stock"), "stock"),
            ("forms of good.bread", Some("good.bread"), "good.bread"),
            ("good apple price", Some("{2: 1, 3: 2}"), "4"),
            ("figure rounds", Some("6"), "7"),
        ]
    );
}

#[test]
fn after_decides_whatever_the_order_chosen() {
    for chosen in [["fair", "feast"], ["feast", "fair"]] {
        let (package, _, rendered) = composed(&chosen, &[]);
        assert_eq!(rendered, "");
        assert_eq!(package.modules, ["fair", "feast"]);
        assert_eq!(cells(&package, "price")[0].1, Cell::Always(Datum::Int(5)));
        assert_eq!(package.tables[0].rows[0].players, [2]);
        assert_eq!(package.tables[0].rows.len(), 2, "honey is removed");
    }
}

#[test]
fn a_house_rule_lies_on_top() {
    let manifest = "id: cheap\nextends: market\ntitles: {en: Cheap, pl: Tanio}\npatch: {good: {bread: {price: 1}}}\n";
    let house = PackageTexts::new("", vec![("module.yaml".to_owned(), manifest.to_owned())]);
    let (package, sources, rendered) = composed(&["fair"], &[("cheap".to_owned(), house)]);
    assert_eq!(rendered, "");
    assert_eq!(package.modules, ["fair", "cheap"]);
    let cell = &package.tables[0].rows[1].cells[0];
    assert_eq!(cell.node, Cell::Always(Datum::Int(1)));
    assert_eq!(sources.file(cell.span.file).path, "cheap/module.yaml");
}

#[test]
fn modules_that_agree_do_not_conflict() {
    let manifest = |id: &str| {
        let text = format!(
            "id: {id}\nextends: market\ntitles: {{en: x, pl: x}}\npatch: {{good: {{bread: {{price: 1}}}}}}\nremove: {{good: [apple]}}\n"
        );
        (
            id.to_owned(),
            PackageTexts::new("", vec![("module.yaml".to_owned(), text)]),
        )
    };
    let (package, _, rendered) = composed(&[], &[manifest("a"), manifest("b")]);
    // Bread names apple as what it can be replaced with, which is a mistake of its own.
    assert_eq!(rendered.matches("error[").count(), 1, "{rendered}");
    assert!(rendered.contains("there is no good `apple`"), "{rendered}");
    assert_eq!(package.tables[0].rows.len(), 1);
}

#[test]
fn a_ruleset_is_the_same_wherever_its_folder_lies() {
    let texts = |path: &str| {
        let files = [
            (
                "ruleset.yaml",
                "id: tiny\nversion: '1'\nlanguage: 1\ntitles: {en: Tiny, pl: Mała}\nplayers: {from: 1, to: 1}\n\
                 files: {rules: [tiny.rules]}\n",
            ),
            (
                "tiny.rules",
                "phase game\n  step only: ask first_player\n    move pass\n      do { finish(done); }\n\
                 ending done\nwinner p with most 0\n",
            ),
        ];
        PackageTexts::new(
            path,
            files
                .map(|(path, text)| (path.to_owned(), text.to_owned()))
                .to_vec(),
        )
    };
    let digest = |path: &str| {
        let compiled = Ruleset::compile(&texts(path), &[], &Configuration::base(1));
        compiled
            .map_err(|r| r.diagnostics.render(&r.sources, Style::Plain))
            .expect("it compiles")
            .digest()
    };
    assert_eq!(digest(""), digest("somewhere/else/"));
}

/// A house rule of these files.
fn house(files: &[(&str, &str)]) -> Vec<(String, PackageTexts)> {
    let texts = files
        .iter()
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
        .collect();
    vec![("house".to_owned(), PackageTexts::new("", texts))]
}

/// The base with a rulebook and a module that completes the other two.
fn with_rulebook() -> PackageTexts {
    let mut base = base();
    for (path, text) in &mut base.files {
        if path == "ruleset.yaml" {
            *text = text
                .replace("[fair, feast]", "[fair, feast, fair-feast]")
                .replace(
                    "names: names.yaml}",
                    "names: names.yaml, rulebook: rulebook.yaml, sources: sources.yaml}",
                );
        }
    }
    let more = [
        (
            "rulebook.yaml",
            "sections:\n- id: buying\n  titles: {en: Buying, pl: Kupno}\n  clauses:\n  - {id: buying.price, kind: note, en: Pay., pl: Płać.}\n",
        ),
        (
            "sources.yaml",
            "paragraphs: [{at: page 1, clauses: [buying.price]}]\n",
        ),
        (
            "modules/fair-feast/module.yaml",
            "id: fair-feast\nextends: market\ntitles: {en: Both, pl: Oba}\njoins: [fair, feast]\n\
             files: {rulebook: rulebook.yaml, sources: sources.yaml}\npatch: {good: {apple: {price: 9}}}\n",
        ),
        (
            "modules/fair-feast/rulebook.yaml",
            "patch: {buying.price: {en: Pay twice., pl: Płać podwójnie.}}\n",
        ),
        (
            "modules/fair-feast/sources.yaml",
            "instead: true\nparagraphs: [{at: leaflet, clauses: [buying.price]}]\n",
        ),
    ];
    base.files
        .extend(more.map(|(path, text)| (path.to_owned(), text.to_owned())));
    base
}

fn loaded(
    base: &PackageTexts,
    modules: &[&str],
    house: &[(String, PackageTexts)],
) -> (Package, String) {
    let mut configuration = Configuration::base(3);
    configuration.modules = modules.iter().map(|m| (*m).to_owned()).collect();
    let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::default());
    let package = load(&mut sources, base, house, &configuration, &mut diagnostics);
    let rendered = diagnostics.render(&sources, Style::Plain);
    (package.expect("it can be read"), rendered)
}

#[test]
fn a_module_that_joins_others_is_laid_of_itself() {
    let base = with_rulebook();
    let (alone, rendered) = loaded(&base, &["feast"], &[]);
    assert!(rendered.contains("there is no good `honey`"), "{rendered}");
    assert_eq!(alone.modules, ["feast"]);
    assert_eq!(alone.offered.len(), 2, "{:?}", alone.offered);

    let (both, rendered) = loaded(&base, &["feast", "fair"], &[]);
    assert_eq!(rendered, "");
    assert_eq!(both.modules, ["fair", "feast", "fair-feast"]);
    assert_eq!(
        cells(&both, "price")[0],
        ("apple".to_owned(), Cell::Always(Datum::Int(9)))
    );
    assert_eq!(both.rulebook.clauses[0].text.en, "Pay twice.");
    assert_eq!(both.rulebook.clauses[0].kind, ClauseKind::Note);
    assert!(!both.rulebook.clauses[0].is_enforced);
    let at: Vec<&str> = both
        .rulebook
        .sources
        .iter()
        .map(|p| p.at.node.as_str())
        .collect();
    assert_eq!(at, ["leaflet"]);
}

#[test]
fn two_modules_with_other_words_for_a_clause_are_a_mistake() {
    let manifest = "id: house\nextends: market\ntitles: {en: House, pl: Dom}\nfiles: {rulebook: rulebook.yaml}\n";
    let house = house(&[
        ("module.yaml", manifest),
        (
            "rulebook.yaml",
            "patch: {buying.price: {en: Do not pay., pl: Nie płać.}, buying.prize: {kind: note}}\n",
        ),
    ]);
    let (_, rendered) = loaded(&with_rulebook(), &["fair", "feast"], &house);
    assert!(
        rendered.contains("`fair-feast` and `house` both change the clause `buying.price`"),
        "{rendered}"
    );
    assert!(
        rendered.contains("there is no clause `buying.prize` to patch"),
        "{rendered}"
    );
}

#[test]
fn numbers_of_players_are_judged_by_the_layer_that_speaks_of_them() {
    let manifest = "id: house\nextends: market\ntitles: {en: House, pl: Dom}\nplayers: {from: 3, to: 3}\npatch: {figures: {purse: {2: 1, 3: 2}}}\n";
    let (package, rendered) = loaded(&base(), &[], &house(&[("module.yaml", manifest)]));
    assert_eq!(package.players, (3, 3));
    assert_eq!(rendered.matches("RF0335").count(), 1, "{rendered}");
    assert!(rendered.contains("2 players never play this"), "{rendered}");
}

#[test]
fn an_option_stays_within_its_bounds() {
    for (option, value, is_good) in [
        ("bound", 1, true),
        ("bound", 9, true),
        ("bound", 0, false),
        ("bound", 10, false),
        ("open", 1, true),
        ("open", 2, false),
    ] {
        let mut configuration = Configuration::base(3);
        configuration.options.insert(option.into(), value);
        let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::default());
        load(&mut sources, &base(), &[], &configuration, &mut diagnostics);
        let rendered = diagnostics.render(&sources, Style::Plain);
        let refused = format!("the option `{option}` cannot be {value}");
        assert_eq!(rendered.contains(&refused), !is_good, "{rendered}");
    }
}
