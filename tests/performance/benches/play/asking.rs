//! Single answers in the middle of a game.

use divan::Bencher;
use interpreter::play::Audience;

use crate::{GAMES, after, game};

/// How far the games have come.
const MOVES: usize = 60;

/// What a seat is asked, with everything a client is told of it.
#[divan::bench(args = GAMES)]
fn question(bencher: Bencher, name: &str) {
    let (played, seat) = after(game(name), MOVES);
    bencher.bench(|| played.question(seat));
}

/// One legality check of a submitted move.
#[divan::bench(args = GAMES)]
fn check(bencher: Bencher, name: &str) {
    let (played, seat) = after(game(name), MOVES);
    let mv = played.sample(seat, &mut || 7).expect("a move");
    bencher.bench(|| played.check(seat, &mv));
}

/// A move with all that follows from it, on a copy of the match.
#[divan::bench(args = GAMES)]
fn apply(bencher: Bencher, name: &str) {
    let (played, seat) = after(game(name), MOVES);
    let mv = played.sample(seat, &mut || 7).expect("a move");
    bencher
        .with_inputs(|| played.clone())
        .bench_values(|mut copy| copy.apply(seat, &mv).expect("it is legal"));
}

/// The table as a seat sees it.
#[divan::bench(args = GAMES)]
fn view(bencher: Bencher, name: &str) {
    let (played, seat) = after(game(name), MOVES);
    bencher.bench(|| played.view(Audience::Seat(seat)));
}

/// The hash of a state in its canonical form, as the log keeps one with every entry.
#[divan::bench(args = GAMES)]
fn state_hash(bencher: Bencher, name: &str) {
    let (played, _) = after(game(name), MOVES);
    bencher.bench(|| played.state_hash());
}

/// The hash that logs of the first format hold, of the cells as they lie: for comparison.
#[divan::bench(args = GAMES)]
fn cells_hash(bencher: Bencher, name: &str) {
    let (played, _) = after(game(name), MOVES);
    bencher.bench(|| played.cells_hash());
}

/// A copy for looking ahead.
#[divan::bench(args = GAMES)]
fn fork(bencher: Bencher, name: &str) {
    let (played, _) = after(game(name), MOVES);
    bencher.bench(|| played.game().fork());
}

/// The same far into a game: what has happened must not matter.
#[divan::bench(args = [20, 60, 120, 180])]
fn fork_by_length(bencher: Bencher, moves: usize) {
    let (played, _) = after(game("puerto-rico"), moves);
    bencher.bench(|| played.game().fork());
}
