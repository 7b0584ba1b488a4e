//! Tests of the module `report::prose`.

use referee::report::prose::{listed, wrapped};

#[test]
fn words_are_listed() {
    assert_eq!(listed(&["a"], "and"), "a");
    assert_eq!(listed(&["a", "b", "c"], "or"), "a, b or c");
}

#[test]
fn lines_are_broken_between_words() {
    assert_eq!(wrapped("a bb  ccc dddd", 6), ["a bb", "ccc", "dddd"]);
    assert_eq!(wrapped("żółć gęśl", 4), ["żółć", "gęśl"]);
    assert_eq!(wrapped("", 4), [""]);
}
