//! Tests of the module `report::snapshots` and its parts.

mod moves;

use referee::report::snapshots::split;

#[test]
fn heads_are_told_from_texts() {
    let text = "---\nsource: a.rs\n---\nOne\n---\nTwo\n";
    assert_eq!(
        split(text),
        Some(("---\nsource: a.rs\n---\n", "One\n---\nTwo\n"))
    );
    assert_eq!(split("One\n"), None);
}
