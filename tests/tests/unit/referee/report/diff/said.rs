//! Tests of the module `report::diff::said`.

use referee::report::diff::said::{Said, compare};

fn said(before: &str, after: &str) -> Vec<Said> {
    let value = |text: &str| serde_yaml::from_str(text).unwrap();
    compare(&value(before), &value(after))
}

#[test]
fn layout_says_nothing() {
    let a = "then: {p1: {stock: {corn: 1, indigo: 2}}}";
    let b = "# why\nthen:\n  p1:\n    stock: {indigo: 2, corn: 1}  # so";
    assert_eq!(said(a, b), []);
}

#[test]
fn what_is_expected_no_more_is_weaker() {
    let before = "cites: [a, b]\nwhen:\n- refused: {p1: {load: {g: corn}}}\n- p1: pass\nthen: {p1: {doubloons: 3, points: 1}}";
    let after =
        "cites: [a]\nwhen:\n- p1: {load: {g: corn}}\n- p1: pass\nthen: {p1: {doubloons: 4}}";
    let found = said(before, after);
    let weaker: Vec<&str> = found
        .iter()
        .filter(|s| s.weaker())
        .map(|s| s.at.as_str())
        .collect();
    assert_eq!(weaker, ["cites", "when", "then.p1.points"]);
    let changed = found.iter().find(|s| s.at == "then.p1.doubloons").unwrap();
    assert_eq!(
        (changed.before.as_deref(), changed.after.as_deref()),
        (Some("3"), Some("4"))
    );
}

#[test]
fn moves_in_another_order_are_told() {
    let found = said("when: [{p1: a}, {p2: b}]", "when: [{p2: b}, {p1: a}]");
    assert_eq!(found.len(), 1);
}

#[test]
fn a_list_that_need_not_be_all_is_weaker() {
    let found = said(
        "then: {legal: {p1: {exactly: [pass]}}}",
        "then: {legal: {p1: {includes: [pass]}}}",
    );
    assert!(found.iter().any(Said::weaker), "{found:?}");
}
