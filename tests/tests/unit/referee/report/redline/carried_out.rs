//! Tests of the module `report::redline::carried_out`.

use std::collections::BTreeMap;

use interpreter::package::Language;
use interpreter::syntax::Trees;
use referee::report::diff::Side;
use referee::report::redline::carried_out::{CarriedOut, part_of, tokens};
use referee_tests::root;

#[test]
fn layout_and_comments_are_no_part_of_a_rule() {
    let a =
        "query f(p: player): int = 1   @a.b  # why\n  do { g(1); // so\n h(\"a  b\"); /* x */ }";
    let b = "query f( p : player ) : int\n  = 1 @c\n do {\n g(1);h(\"a  b\");\n}";
    assert_eq!(tokens(a), tokens(b));
    assert_ne!(tokens("a = 1"), tokens("a = 2"));
    assert_ne!(tokens("\"a b\""), tokens("\"a  b\""));
}

#[test]
fn parts_know_what_they_are_parts_of() {
    assert!(part_of("condition of move a.b.c", "move a.b.c"));
    assert!(part_of("script of a.b", "step a.b"));
    assert!(part_of(
        "script of a.b",
        "insertion at a.b of building wharf"
    ));
    assert!(part_of("query a.f", "phase a"));
    assert!(!part_of("query a.f", "phase b"));
}

/// Of two phases with a query `price` each, the rules of the one serve no clause of the other.
#[test]
fn namesakes_of_two_phases_are_told_apart() {
    let side = Side {
        called: "san-juan".to_owned(),
        base: referee_tests::texts(&root().join("rulesets/san-juan")),
        house: Vec::new(),
        modules: Vec::new(),
        options: BTreeMap::new(),
        trees: Trees::growing(),
    };
    let composed = side
        .composed(None)
        .unwrap_or_else(|_| panic!("it is right"));
    let rules = CarriedOut::of(&composed, Language::English);
    let serving = |id: &str| -> Vec<&str> {
        let own = rules.all().filter(|rule| rule.clauses.contains(id));
        own.map(|rule| rule.what.as_str()).collect()
    };
    let (built, sold) = (serving("builder.price"), serving("trader.price"));
    assert!(
        built.contains(&"query builder.price") && !built.contains(&"query trader.price"),
        "{built:?}"
    );
    assert!(
        sold.contains(&"query trader.price") && !sold.contains(&"query builder.price"),
        "{sold:?}"
    );
    // Another phase that names the query of this one is served by it.
    assert!(
        serving("smithy").contains(&"query builder.price"),
        "{:?}",
        serving("smithy")
    );
}
