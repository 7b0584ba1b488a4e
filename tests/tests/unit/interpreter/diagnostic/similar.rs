use interpreter::diagnostic::similar;

#[test]
fn finds_what_was_meant() {
    let known = ["indigo", "sugar", "corn", "tobacco", "coffee"];
    assert_eq!(similar("indgo", known), Some("indigo"));
    assert_eq!(similar("Coffee", known), Some("coffee"));
    assert_eq!(similar(&"corn".repeat(50_000), known), None);
    assert_eq!(similar("wood", known), None);
    assert_eq!(similar("one_ship", ["one-ship"]), Some("one-ship"));
    assert_eq!(similar("capt", ["builder", "captain"]), Some("captain"));
    assert_eq!(similar("xy", ["ab"]), None);
}
