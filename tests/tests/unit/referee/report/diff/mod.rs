//! Tests of the module `report::diff` and its parts.

mod games;
mod said;

use std::collections::BTreeMap;

use referee::report::diff::{What, between};

#[test]
fn what_is_equal_is_no_difference() {
    let map = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
        let pairs = pairs.iter();
        pairs
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect()
    };
    let all = between(
        "x",
        &map(&[("a", "1"), ("b", "2"), ("c", "3")]),
        &map(&[("b", "2"), ("c", "4"), ("d", "5")]),
    );
    let shown: Vec<(&str, What)> = all.iter().map(|d| (d.of.as_str(), d.what)).collect();
    assert_eq!(
        shown,
        [
            ("x a", What::Removed),
            ("x c", What::Changed),
            ("x d", What::Added)
        ]
    );
}
