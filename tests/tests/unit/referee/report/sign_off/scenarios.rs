//! Tests of the module `report::sign_off::scenarios`.

use referee::report::sign_off::scenarios::canonical;

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
