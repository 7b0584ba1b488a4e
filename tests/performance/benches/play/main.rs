//! What rulesets cost: `cargo bench -p referee-performance --locked`.
//!
//! Compare within one run only: machines differ, and so do their moods. Random play draws from the
//! same seeds each time, so that every sample does the same work; what that work is, in instructions,
//! `tests/rules/work.rs` pins.

mod asking;
mod loading;
mod playing;
mod yardstick;

use std::sync::Arc;

use interpreter::Ruleset;
use interpreter::play::{Game, Match, Seat, Seed};
use referee_tests::games::{DUEL, EXPANSIONS, rivals, shipped};
use referee_tests::random::Random;

/// Every title, bare and with all that can be laid over it.
const GAMES: [&str; 8] = [
    "puerto-rico",
    "puerto-rico, all expansions",
    "san-juan",
    "san-juan, new buildings",
    "catan-rivals",
    "catan-rivals, duel",
    "genoa, 2 players",
    "genoa",
];

fn main() {
    divan::main();
}

/// One of [`GAMES`], for four players where it is for so many and not said otherwise.
fn game(name: &str) -> Arc<Ruleset> {
    match name {
        "puerto-rico" => shipped("puerto-rico", 4, &[]),
        "puerto-rico, all expansions" => shipped("puerto-rico", 4, &EXPANSIONS),
        "san-juan" => shipped("san-juan", 4, &[]),
        "san-juan, new buildings" => shipped("san-juan", 4, &["new-buildings"]),
        "catan-rivals" => rivals(&[]),
        "catan-rivals, duel" => rivals(&DUEL),
        "genoa, 2 players" => shipped("genoa", 2, &[]),
        "genoa" => shipped("genoa", 4, &[]),
        _ => unreachable!("{name} is none of the games"),
    }
}

/// The same as machine code.
fn natively(name: &str) -> Arc<Ruleset> {
    let native = game(name).natively();
    native.expect("this machine has a translator")
}

/// The position after so many random moves, and a seat that is asked.
fn after(ruleset: Arc<Ruleset>, moves: usize) -> (Match, Seat) {
    let mut random = Random::new(1);
    let played = Match::new(ruleset, Seed::from_number(1), false);
    let mut played = played.expect("it begins").drawing();
    for _ in 0..moves {
        let seat = played.quickest(&mut || random.word()).expect("it goes on");
        let mv = played.sample(seat, &mut || random.word()).expect("a move");
        played.apply(seat, &mv).expect("it is legal");
    }
    let seat = played.quickest(&mut || random.word()).expect("it goes on");
    (played, seat)
}

/// Plays a random game, showing it before each decision; how many there were.
fn play(ruleset: &Arc<Ruleset>, seed: u64, mut before: impl FnMut(&Game)) -> usize {
    let mut random = Random::new(seed);
    let mut game = Game::new(ruleset.clone(), Seed::from_number(seed), false, false).drawing();
    game.start().expect("it begins");
    let mut decisions = 0;
    while !game.is_over() {
        before(&game);
        game.play_random(&mut || random.word()).expect("no fault");
        decisions += 1;
    }
    decisions
}
