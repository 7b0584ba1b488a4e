//! No piece is made or lost, and places hold what they may, after every move.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use interpreter::Ruleset;
use interpreter::play::{Audience, View};
use referee_tests::games::{every_game, some_games, walk};

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
    conserved_in(some_games(), 0..1);
}

#[test]
#[ignore = "slow"]
fn pieces_are_conserved_in_every_game() {
    conserved_in(every_game(), 0..4);
}

/// Counts the pieces after every move of random games.
fn conserved_in(games: Vec<(String, Arc<Ruleset>)>, seeds: Range<u64>) {
    for (name, ruleset) in games {
        for seed in seeds.clone() {
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
