//! Tests of the module `words::phrases`.

use std::collections::BTreeSet;

use interpreter::package::Language;
use referee::words::{phrase, phrases};

#[test]
fn each_is_said_once_with_the_same_holes_in_every_language() {
    let ids: BTreeSet<&str> = phrases().map(|(id, _)| id).collect();
    assert_eq!(ids.len(), phrases().count());
    for id in ids {
        let [en, pl] = [Language::English, Language::Polish].map(|language| phrase(id, language));
        assert_eq!(en.holes(), pl.holes(), "{id}");
    }
}
