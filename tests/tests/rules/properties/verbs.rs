//! The verbs of effects: the language's whole list, each used by the invented games.

use std::collections::BTreeSet;

use referee_tests::functions::verbs;
use referee_tests::games::{night_market, tea_house};
use referee_tests::root;

/// Every verb there is. A verb more is a change of the language: it needs a game that uses it, a
/// line of the reference, and this list.
const VERBS: [&str; 18] = [
    "arrange",
    "draw",
    "finish",
    "gain",
    "move",
    "move_all",
    "move_under",
    "pay",
    "put_on",
    "put_under",
    "raise",
    "roll",
    "set",
    "shuffle",
    "shuffle_into",
    "take",
    "take_either",
    "take_out",
];

/// `TakeEither` as `take_either`.
fn written(verb: &str) -> String {
    let mut out = String::new();
    for c in verb.chars() {
        if c.is_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

#[test]
fn the_invented_games_use_every_verb() {
    let mut used = verbs(night_market(3, &[]).model());
    used.extend(verbs(tea_house(3).model()));
    let used: BTreeSet<String> = used.iter().map(|verb| written(verb)).collect();
    let all: BTreeSet<String> = VERBS.iter().map(|v| (*v).to_owned()).collect();
    assert_eq!(used, all);
}

#[test]
fn the_reference_explains_every_verb() {
    let reference =
        std::fs::read_to_string(root().join("grammar/README.md")).expect("the reference");
    let (_, after) = reference
        .split_once("The verbs:")
        .expect("a table of verbs");
    let table = after.lines().skip_while(|line| !line.starts_with('|'));
    let table = table
        .take_while(|line| line.starts_with('|'))
        .collect::<Vec<_>>();
    let explained: BTreeSet<&str> = table
        .iter()
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .filter_map(|call| call.split_once('(').map(|(verb, _)| verb))
        .collect();
    assert_eq!(explained, BTreeSet::from(VERBS));
}
