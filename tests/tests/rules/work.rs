//! What random games cost, in numbers that are the same on every machine.
//!
//! Time belongs to the benchmarks. Here a change that makes play do more, or less, shows as a difference in
//! the snapshot, to be read and accepted.

use std::fmt::Write as _;
use std::sync::Arc;

use interpreter::Ruleset;
use interpreter::play::{Game, Seed, Work};
use referee_tests::games::{DUEL, EXPANSIONS, rivals, shipped};
use referee_tests::random::Random;

/// Games of each ruleset.
const GAMES: u64 = 3;

/// Plays at random and counts the decisions.
fn play(ruleset: &Arc<Ruleset>, seed: u64) -> u64 {
    let mut random = Random::new(seed);
    let mut game = Game::new(ruleset.clone(), Seed::from_number(seed), false, false).drawing();
    game.start().expect("it can be set up");
    let mut decisions = 0;
    while !game.is_over() {
        let played = game.play_random(&mut || random.word());
        played.unwrap_or_else(|fault| panic!("{fault:?}"));
        decisions += 1;
    }
    decisions
}

#[test]
fn what_random_games_cost() {
    let puerto_rico = |players, modules: &[&str]| shipped("puerto-rico", players, modules);
    let games = [
        ("puerto-rico, 3 players", puerto_rico(3, &[])),
        ("puerto-rico, 4 players", puerto_rico(4, &[])),
        ("puerto-rico, 5 players", puerto_rico(5, &[])),
        (
            "puerto-rico, 4 players, all expansions",
            puerto_rico(4, &EXPANSIONS),
        ),
        ("san-juan, 4 players", shipped("san-juan", 4, &[])),
        (
            "san-juan, 4 players, new buildings",
            shipped("san-juan", 4, &["new-buildings"]),
        ),
        ("catan-rivals", rivals(&[])),
        ("catan-rivals, duel", rivals(&DUEL)),
        ("genoa, 2 players", shipped("genoa", 2, &[])),
        ("genoa, 4 players", shipped("genoa", 4, &[])),
    ];
    let mut table = String::from(
        "game                                    decisions  instructions  evaluations  remembered\n",
    );
    for (name, ruleset) in games {
        let (decisions, work) = Work::of(|| (1..=GAMES).map(|seed| play(&ruleset, seed)).sum());
        let decisions: u64 = decisions;
        let each = |n: u64| n / decisions;
        let Work {
            evaluations,
            instructions,
            remembered,
        } = work;
        writeln!(
            table,
            "{name:<40}{:>9}{:>14}{:>13}{:>12}",
            decisions / GAMES,
            each(instructions),
            each(evaluations),
            each(remembered)
        )
        .expect("a string takes everything");
    }
    insta::assert_snapshot!(table);
}
