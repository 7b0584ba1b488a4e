//! Whole games.

use std::sync::Arc;

use divan::Bencher;
use divan::counter::ItemsCount;
use interpreter::Ruleset;
use interpreter::play::{Audience, Game, Match, Seed};
use referee_oracle::Oracle as _;
use referee_tests::random::Random;

use crate::{GAMES, game, natively, play};

/// Different games that are played in turn.
const SEEDS: u64 = 16;

/// Plays random games in turn, showing each before every decision; items are games.
fn in_turn(bencher: Bencher, ruleset: &Arc<Ruleset>, before: fn(&Game)) {
    let mut seed = 0;
    bencher.counter(ItemsCount::new(1u32)).bench_local(|| {
        seed = (seed + 1) % SEEDS;
        play(ruleset, seed, before)
    });
}

fn nothing(_: &Game) {}

fn fork(game: &Game) {
    divan::black_box(game.fork());
}

/// A random game without history.
#[divan::bench(args = GAMES)]
fn play_out(bencher: Bencher, name: &str) {
    in_turn(bencher, &game(name), nothing);
}

/// The same with a fork before every decision, as search makes them.
#[divan::bench(args = GAMES)]
fn play_out_with_forks(bencher: Bencher, name: &str) {
    in_turn(bencher, &game(name), fork);
}

/// A random game by machine code.
#[divan::bench(args = GAMES)]
fn play_out_natively(bencher: Bencher, name: &str) {
    in_turn(bencher, &natively(name), nothing);
}

/// The same with a fork before every decision.
#[divan::bench(args = GAMES)]
fn play_out_natively_with_forks(bencher: Bencher, name: &str) {
    in_turn(bencher, &natively(name), fork);
}

/// By numbers of players.
#[divan::bench(args = [2, 3, 4, 5])]
fn play_out_by_players(bencher: Bencher, players: u8) {
    in_turn(
        bencher,
        &referee_tests::ruleset("puerto-rico", players),
        nothing,
    );
}

/// A random game with every query, condition and effect evaluated by Rhai instead of bytecode.
#[divan::bench(args = ["puerto-rico", "san-juan", "catan-rivals"], sample_count = 5, sample_size = 1)]
fn play_out_by_rhai(bencher: Bencher, name: &str) {
    in_turn(bencher, &game(name).with_oracle(false), nothing);
}

/// A random game as the service plays it: recorded, every question and view built.
#[divan::bench(args = ["puerto-rico", "san-juan", "catan-rivals"], sample_count = 20)]
fn refereed_match(bencher: Bencher, name: &str) {
    let ruleset = game(name);
    let mut seed = 0;
    bencher.bench_local(|| {
        seed = (seed + 1) % SEEDS;
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
