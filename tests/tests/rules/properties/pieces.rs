//! No piece is made or lost, and places hold what they may, after every move.

use std::collections::BTreeMap;

use interpreter::play::{Audience, View};
use referee_tests::games::{every_game, walk};

/// How many pieces of each row lie on the table, counted in what the referee sees; pieces of which there are
/// endlessly many are not counted.
fn counted(view: &View) -> BTreeMap<(String, String), u32> {
    let mut all = BTreeMap::new();
    let endless = |table| view.places.iter().any(|p| p.endless && p.table == table);
    for place in view.places.iter().filter(|p| !endless(p.table.clone())) {
        for (row, n) in place.contents.iter().flatten() {
            let key = (place.table.to_string(), row.to_string());
            *all.entry(key).or_insert(0) += n;
        }
    }
    all
}

#[test]
fn pieces_are_conserved() {
    for (name, ruleset) in every_game() {
        for seed in 0..4 {
            let mut first = None;
            walk(&ruleset, seed, true, |played| {
                assert_eq!(played.verify(), Ok(()), "{name}, seed {seed}");
                let now = counted(&played.view(Audience::Referee));
                let first = first.get_or_insert_with(|| now.clone());
                assert_eq!(*first, now, "{name}, seed {seed}");
            });
        }
    }
}
