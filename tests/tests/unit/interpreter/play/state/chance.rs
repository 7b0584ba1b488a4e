use interpreter::play::state::chance::{Draws, Seed};

#[test]
fn draws_stay_below_their_bound_and_continue_where_they_stopped() {
    let seed = Seed::from_number(7);
    let mut all = Draws::new(&seed, 3, 0);
    let first: Vec<u32> = (0..20).map(|_| all.below(6)).collect();
    assert!(first.iter().all(|d| *d < 6));
    let mut part = Draws::new(&seed, 3, 0);
    let _: Vec<u32> = (0..10).map(|_| part.below(6)).collect();
    let mut rest = Draws::new(&seed, 3, part.used());
    let second: Vec<u32> = (0..10).map(|_| rest.below(6)).collect();
    assert_eq!(first[10..], second[..]);
}
