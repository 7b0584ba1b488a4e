//! What a ruleset costs: `cargo bench -p referee-tests --locked`.
//!
//! Compare within one run only: machines differ, and so do their moods. Random play draws from the
//! same seeds each time, so that every sample does the same work.

use std::sync::Arc;

use divan::Bencher;
use divan::counter::ItemsCount;
use interpreter::Ruleset;
use interpreter::package::Configuration;
use interpreter::play::{Audience, Game, Match, Seat, Seed};
use referee_tests::random::Random;
use referee_tests::{root, ruleset, texts};

const PLAYERS: [u8; 3] = [3, 4, 5];

fn main() {
    divan::main();
}

/// Reads nothing from disk: composes, checks and compiles texts.
#[divan::bench(args = PLAYERS)]
fn load_and_check(bencher: Bencher, players: u8) {
    let texts = texts(&root().join("rulesets/puerto-rico"));
    let configuration = Configuration::base(players);
    bencher.bench(|| Ruleset::compile(&texts, &[], &configuration).expect("it checks"));
}

/// A whole random game without history.
#[divan::bench(args = PLAYERS)]
fn play_out(bencher: Bencher, players: u8) {
    let ruleset = ruleset("puerto-rico", players);
    let mut seed = 0;
    bencher.counter(ItemsCount::new(1u32)).bench_local(|| {
        seed = (seed + 1) % 64;
        play(&ruleset, seed, |_| {})
    });
}

/// The same with a fork before every decision, as search makes them.
#[divan::bench(args = PLAYERS)]
fn play_out_with_forks(bencher: Bencher, players: u8) {
    let ruleset = ruleset("puerto-rico", players);
    let mut seed = 0;
    bencher.counter(ItemsCount::new(1u32)).bench_local(|| {
        seed = (seed + 1) % 64;
        play(&ruleset, seed, |game| {
            divan::black_box(game.fork());
        })
    });
}

/// A whole random game as the service plays it: recorded, every question and view built.
#[divan::bench(args = PLAYERS)]
fn refereed_match(bencher: Bencher, players: u8) {
    let ruleset = ruleset("puerto-rico", players);
    let mut seed = 0;
    bencher.bench_local(|| {
        seed = (seed + 1) % 16;
        let mut random = Random::new(seed);
        let mut played =
            Match::new(ruleset.clone(), Seed::from_number(seed), false).expect("it begins");
        while let Some(&seat) = played.waiting().first() {
            divan::black_box(played.question(seat));
            divan::black_box(played.view(Audience::Seat(seat)));
            let mv = played.sample(seat, &mut || random.word());
            played
                .apply(seat, &mv.expect("whoever is asked has a move"))
                .expect("it is legal");
        }
        played.moves().len()
    });
}

/// The position in the middle of a random game.
fn middle(players: u8) -> (Match, Seat) {
    let ruleset = ruleset("puerto-rico", players);
    let mut random = Random::new(1);
    let mut played = Match::new(ruleset, Seed::from_number(1), false).expect("it begins");
    for _ in 0..120 {
        let seat = played.waiting()[0];
        let mv = played.sample(seat, &mut || random.word()).expect("a move");
        played.apply(seat, &mv).expect("it is legal");
    }
    let seat = played.waiting()[0];
    (played, seat)
}

/// What a seat is asked, with everything a client is told of it.
#[divan::bench(args = PLAYERS)]
fn question(bencher: Bencher, players: u8) {
    let (played, seat) = middle(players);
    bencher.bench(|| played.question(seat));
}

/// One legality check of a submitted move.
#[divan::bench(args = PLAYERS)]
fn check(bencher: Bencher, players: u8) {
    let (played, seat) = middle(players);
    let mv = played.sample(seat, &mut || 7).expect("a move");
    bencher.bench(|| played.check(seat, &mv));
}

/// The table as a seat sees it.
#[divan::bench(args = PLAYERS)]
fn view(bencher: Bencher, players: u8) {
    let (played, seat) = middle(players);
    bencher.bench(|| played.view(Audience::Seat(seat)));
}

/// A copy for looking ahead.
#[divan::bench(args = PLAYERS)]
fn fork(bencher: Bencher, players: u8) {
    let (played, _) = middle(players);
    bencher.bench(|| played.game().fork());
}

fn play(ruleset: &Arc<Ruleset>, seed: u64, mut before: impl FnMut(&Game)) -> bool {
    let mut random = Random::new(seed);
    let mut game = Game::new(ruleset.clone(), Seed::from_number(seed), false, false);
    game.start().expect("it begins");
    while !game.is_over() {
        before(&game);
        game.play_random(&mut || random.word()).expect("no fault");
    }
    game.is_over()
}
