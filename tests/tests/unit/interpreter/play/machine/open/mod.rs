mod bag;
mod spread;

use interpreter::play::machine::open::below;

#[test]
fn draws_below_a_bound_are_even() {
    let mut state = 1u64;
    let mut random = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        state ^ state >> 33
    };
    let mut seen = [0; 5];
    for _ in 0..5000 {
        seen[below(5, &mut random) as usize] += 1;
    }
    assert!(seen.iter().all(|n| (800..1200).contains(n)), "{seen:?}");
}
