//! One phase by the rules, by Rhai, and written by hand: the yardstick of the other figures.

use divan::Bencher;
use interpreter::play::{Match, Seat, Seed};
use referee_oracle::Oracle as _;
use referee_tests::by_hand::{Loading, offered};
use referee_tests::random::Random;

use crate::{game, natively};

/// A captain's question with several loads to choose from.
fn loading() -> (Match, Seat) {
    let ruleset = game("puerto-rico");
    for seed in 0.. {
        let mut random = Random::new(seed);
        let mut played =
            Match::new(ruleset.clone(), Seed::from_number(seed), false).expect("it begins");
        while let Some(&seat) = played.waiting().first() {
            if offered(&played, seat).len() > 3 {
                return (played, seat);
            }
            let mv = played.sample(seat, &mut || random.word()).expect("a move");
            played.apply(seat, &mv).expect("it is legal");
        }
    }
    unreachable!("some game has such a question")
}

/// Written by hand for this game.
#[divan::bench]
fn loading_by_hand(bencher: Bencher) {
    let (played, seat) = loading();
    let loading = Loading::of(&played, seat);
    bencher.bench(|| divan::black_box(&loading).legal());
}

/// By the compiled rules, nothing remembered from before.
#[divan::bench]
fn loading_by_the_rules(bencher: Bencher) {
    let (played, _) = loading();
    let mut game = played.game().fork();
    bencher.bench_local(|| game.look_again().expect("no fault"));
}

/// By the same rules as machine code.
#[divan::bench]
fn loading_by_machine_code(bencher: Bencher) {
    let (played, _) = loading();
    let mut game = played.game().by(&natively("puerto-rico"));
    bencher.bench_local(|| game.look_again().expect("no fault"));
}

/// By the same rules, evaluated by Rhai.
#[divan::bench]
fn loading_by_rhai(bencher: Bencher) {
    let (played, _) = loading();
    let mut game = played.game().by(&game("puerto-rico").with_oracle(false));
    bencher.bench_local(|| game.look_again().expect("no fault"));
}
