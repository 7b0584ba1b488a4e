use interpreter::mutation::{Operator, Over, mutants};
use interpreter::source::PackageTexts;

const RULESET: &str = "\
id: test
version: '1'
language: 1
titles: {en: Test, pl: Test}
players: {from: 2, to: 3}
modules: [cheap]
files: {components: [table.yaml], rules: [test.rules], setup: setup.yaml}
";

const TABLE_PATH: &str = "table.yaml";
const SETUP_PATH: &str = "setup.yaml";
const MODULE_PATH: &str = "modules/cheap/module.yaml";

/// Returns the new lines of all mutants that an operator makes of the document at a path.
fn changes(path: &str, text: &str, operator: Operator) -> Vec<String> {
    changes_with(path, text, "", operator)
}

/// Returns the same for a package that also has rules.
fn changes_with(path: &str, text: &str, rules: &str, operator: Operator) -> Vec<String> {
    let files = [
        ("ruleset.yaml", RULESET),
        (path, text),
        ("test.rules", rules),
    ];
    let files = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
    let texts = PackageTexts::new("", files.into());
    let mut over = Over::default();
    if path == MODULE_PATH {
        over.modules.push("cheap".to_owned());
    }
    let planted = mutants(&texts, &[], &over).expect("the manifest can be read");
    let all = planted.mutants.into_iter();
    let all = all.filter(|mutant| mutant.path == path && mutant.operator == operator);
    all.map(|mutant| {
        let after = mutant.applied(text);
        let new = after
            .lines()
            .filter(|line| !text.lines().any(|old| old == *line));
        new.map(str::trim).collect::<Vec<_>>().join(" | ")
    })
    .collect()
}

const TABLE: &str = "\
table: dish
columns:
  cost: int
  hot: bool
  pieces: {type: int, default: {2: 1, 3: 2}}
rows:
  soup: {names: {en: Soup, pl: Zupa}, cost: 2, hot: true}
  salad: {names: {en: Salad, pl: Sałatka}, cost: 2, pieces: 4}
  tea:
    names: {en: Tea, pl: Herbata}
    cost: 0
";

#[test]
fn cells_are_off_by_one() {
    assert_eq!(
        changes(TABLE_PATH, TABLE, Operator::CellChanged),
        [
            "pieces: {type: int, default: {2: 2, 3: 2}}",
            "pieces: {type: int, default: {2: 0, 3: 2}}",
            "pieces: {type: int, default: {2: 1, 3: 3}}",
            "pieces: {type: int, default: {2: 1, 3: 1}}",
            "soup: {names: {en: Soup, pl: Zupa}, cost: 3, hot: true}",
            "soup: {names: {en: Soup, pl: Zupa}, cost: 1, hot: true}",
            "salad: {names: {en: Salad, pl: Sałatka}, cost: 3, pieces: 4}",
            "salad: {names: {en: Salad, pl: Sałatka}, cost: 1, pieces: 4}",
            "salad: {names: {en: Salad, pl: Sałatka}, cost: 2, pieces: 5}",
            "salad: {names: {en: Salad, pl: Sałatka}, cost: 2, pieces: 3}",
            "cost: 1",
        ]
    );
}

#[test]
fn rows_exchange_what_differs() {
    let exchanged = changes(TABLE_PATH, TABLE, Operator::RowsExchanged);
    assert_eq!(
        exchanged,
        [
            "soup: {names: {en: Soup, pl: Zupa}, cost: 0, hot: true} | cost: 2",
            "salad: {names: {en: Salad, pl: Sałatka}, cost: 0, pieces: 4} | cost: 2",
            "soup: {names: {en: Soup, pl: Zupa}, cost: 2, hot: false} \
             | salad: {names: {en: Salad, pl: Sałatka}, cost: 2, pieces: 4, hot: true}",
            "soup: {names: {en: Soup, pl: Zupa}, cost: 2, hot: false} | hot: true",
            "soup: {names: {en: Soup, pl: Zupa}, cost: 2, hot: true, pieces: 4} \
             | salad: {names: {en: Salad, pl: Sałatka}, cost: 2, pieces: {2: 1, 3: 2}}",
            "salad: {names: {en: Salad, pl: Sałatka}, cost: 2, pieces: {2: 1, 3: 2}} | pieces: 4",
        ]
    );
}

const BOARD: &str = "\
table: square
plural: squares
columns: {x: int, y: int, of: option square}
rows:
  a: {x: 1, y: 1}
  b: {x: 2, y: 1}
  c: {x: 2, y: 3}
";

#[test]
fn rows_that_nothing_tells_apart_exchange_nothing() {
    let counted = "query wide(n: int): int = count s in squares where x(s) == n\n";
    let exchanged =
        |rules: &str| changes_with(TABLE_PATH, BOARD, rules, Operator::RowsExchanged).len();
    // `a` and `b` differ in `x` alone, `b` and `c` in `y`; `a` and `c` in both.
    let all = exchanged("marker here: square\n");
    assert_eq!(all, 4);
    assert_eq!(exchanged(counted), 2);
    for rules in [
        "place lying: square\n",
        "counter heat(s: square)\n",
        "query corner: option square = first s in squares where x(s) == 2\n",
        "query same(s: square): bool = s is a or s is b or s is c\n",
        "phase tour\n  step going: for s in squares: do { gain(heat, x(s)); }\n",
        "phase tour\n  step going: ask p\n    move go(s: square)\n",
    ] {
        assert_eq!(exchanged(rules), all, "{rules}");
    }
}

#[test]
fn figures_are_off_by_one_for_each_number_of_players() {
    let setup = "figures:\n  hand: {value: {2: 4, 3: 0}, cite: set_up}\n  house: 5\n";
    assert_eq!(
        changes(SETUP_PATH, setup, Operator::FigureChanged),
        [
            "hand: {value: {2: 5, 3: 0}, cite: set_up}",
            "hand: {value: {2: 3, 3: 0}, cite: set_up}",
            "hand: {value: {2: 4, 3: 1}, cite: set_up}",
            "house: 6",
            "house: 4",
        ]
    );
    let module = "id: cheap\npatch:\n  dish: {soup: {cost: 3}}\n  figures: {hand: 2}\n";
    assert_eq!(
        changes(MODULE_PATH, module, Operator::CellChanged),
        ["dish: {soup: {cost: 4}}", "dish: {soup: {cost: 2}}"]
    );
    assert_eq!(
        changes(MODULE_PATH, module, Operator::FigureChanged),
        ["figures: {hand: 3}", "figures: {hand: 1}"]
    );
}
