//! Tests of the module `report::graph::dot`.

#[test]
fn nothing_breaks_out_of_a_string() {
    assert_eq!(
        referee::report::graph::dot::quoted("a \"b\" \\ c\nd"),
        r#""a \"b\" \\ c\nd""#
    );
}
