//! Bytecode means what Rhai says it means.

use interpreter::play::{Match, Seed};
use referee_tests::ruleset;

#[test]
fn smoke() {
    let bytecode = ruleset("puerto-rico", 3);
    let oracle = bytecode.with_oracle();
    let t = std::time::Instant::now();
    let mut a = Match::new(bytecode, Seed::from_number(1), false).unwrap();
    let mut b = Match::new(oracle, Seed::from_number(1), false).unwrap();
    let mut state = 7u64;
    let mut random = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        state ^ (state >> 33)
    };
    let mut n = 0;
    while a.outcome().is_none() {
        assert_eq!(a.state_hash(), b.state_hash(), "move {n}");
        let seat = a.waiting()[0];
        let mv = a.sample(seat, &mut random).unwrap();
        a.apply(seat, &mv).unwrap();
        b.apply(seat, &mv).unwrap();
        n += 1;
    }
    assert_eq!(a.state_hash(), b.state_hash());
    assert_eq!(a.outcome(), b.outcome());
    println!("{n} moves {:?}", t.elapsed());
}
