//! Tests of the module `report::sign_off::scenarios`.

use std::collections::BTreeMap;

use interpreter::syntax::Trees;
use referee::report::diff::Side;
use referee::report::sign_off::scenarios::{Names, canonical, scenarios};
use referee_tests::root;

fn text(says: &str) -> String {
    canonical(&serde_yaml::from_str(says).expect("YAML"))
}

#[test]
fn layout_and_comments_say_nothing() {
    let a = "then: {p1: {stock: {corn: 1, indigo: 2}}}";
    let b = "# why\nthen:\n  p1:\n    stock: {indigo: 2, corn: 1}  # so";
    assert_eq!(text(a), text(b));
}

#[test]
fn values_and_the_order_of_moves_say_something() {
    assert_ne!(text("then: {p1: 1}"), text("then: {p1: 2}"));
    assert_ne!(text("then: {p1: 1}"), text("then: {p1: '1'}"));
    assert_ne!(
        text("when: [{p1: a}, {p2: b}]"),
        text("when: [{p2: b}, {p1: a}]")
    );
}

#[test]
fn scenarios_are_told_in_sentences() {
    let side = Side {
        called: "two-fairs".to_owned(),
        base: referee_tests::texts(&root().join("tests/rulesets/two-fairs")),
        house: Vec::new(),
        modules: Vec::new(),
        options: BTreeMap::new(),
        trees: Trees::growing(),
    };
    let composed = side
        .composed(None)
        .unwrap_or_else(|_| panic!("it is right"));
    let names = Names::of(&composed.package);
    let all = scenarios(&side.base, &[], &[]);
    let half = all
        .iter()
        .find(|said| said.name.starts_with("half of the worth"))
        .expect("there");
    let lines = half.prose(&names);
    for told in [
        "Refused: p1: sell (Salt), by @east.own.",
        "p2: sell (Salt).",
    ] {
        assert!(lines.iter().any(|line| line == told), "{told}: {lines:#?}");
    }
    assert!(
        lines.iter().all(|line| !line.contains(['{', '"'])),
        "{lines:#?}"
    );
}
