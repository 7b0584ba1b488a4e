//! Tests of the module `report::redline::carried_out`.

use referee::report::redline::carried_out::{part_of, tokens};

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
