//! Tests of the module `report::graph::mermaid`.

#[test]
fn nothing_breaks_out_of_a_label() {
    assert_eq!(
        referee::report::graph::mermaid::escaped("a \"b\" <c>"),
        "a #34;b#34; #60;c#62;"
    );
}
