//! Tests of the module `report::redline::local_names`.

use referee::report::redline::carried_out::tokens;
use referee::report::redline::local_names::unnamed;

fn same(a: &str, b: &str) -> bool {
    unnamed(&tokens(a)) == unnamed(&tokens(b))
}

#[test]
fn what_a_name_is_called_that_a_sentence_binds_says_nothing() {
    for (a, b) in [
        (
            "query f(p: player): int = sum b in buildings where utility(b): city(p, b) * value(b)",
            "query f(p: player): int = sum x in buildings where utility(x): city(p, x) * value(x)",
        ),
        (
            "when any o in ships where o is not s: hold(o, g) > 0 -> 0",
            "when any other in ships where other is not s: hold(other, g) > 0 -> 0",
        ),
        (
            "query f: bool = all a in as: any b in bs: g(a, b)",
            "query f: bool = all c in as: any a in bs: g(c, a)",
        ),
        (
            "do { let n = take(1); for g in goods { if n > 0 { give(g, n); } } }",
            "do { let m = take(1); for x in goods { if m > 0 { give(x, m); } } }",
        ),
    ] {
        assert!(same(a, b), "{a} / {b}");
    }
}

#[test]
fn another_name_is_another_thing() {
    for (a, b) in [
        // What is bound outside.
        ("query f: int = stock(p)", "query f: int = stock(q)"),
        (
            "query f: int = (sum b in bs: g(b)) + h(b)",
            "query f: int = (sum c in bs: g(c)) + h(c)",
        ),
        (
            "query f: int = sum b in bs: g(b) > h(b)",
            "query f: int = sum c in bs: g(c) > h(c)",
        ),
        (
            "query f: int = sum b in of(b): g(b)",
            "query f: int = sum c in of(c): g(c)",
        ),
        // Captured by the new name.
        (
            "query f: int = sum b in bs: g(b, c)",
            "query f: int = sum c in bs: g(c, c)",
        ),
        (
            "query f: int = all a in as: any b in bs: g(a, b)",
            "query f: int = all a in as: any b in bs: g(b, a)",
        ),
        ("do { let n = 1; pay(n); } ", "do { let n = 1; pay(m); }"),
        (
            "do { let a = 1; let b = 2; pay(a); gain(b); }",
            "do { let a = 1; let b = 2; pay(b); gain(a); }",
        ),
        (
            "do { if x { let n = 1; pay(n); } gain(n); }",
            "do { if x { let m = 1; pay(m); } gain(m); }",
        ),
        (
            "do { let n = n + 1; pay(n); }",
            "do { let m = m + 1; pay(m); }",
        ),
        ("do { let n = d.n; pay(n); }", "do { let m = d.m; pay(m); }"),
    ] {
        assert!(!same(a, b), "{a} / {b}");
    }
}
