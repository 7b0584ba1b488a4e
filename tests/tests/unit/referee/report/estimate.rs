//! Tests of the module `report::estimate`.

use referee::report::estimate::Estimate;

#[test]
fn few_games_say_little_and_many_say_much() {
    // The figures of Newcombe (1998), table I, for Wilson's score without correction.
    let seen = Estimate::of(81.0 / 263.0, 263);
    assert!((seen.least - 0.2553).abs() < 1e-4, "{seen:?}");
    assert!((seen.most - 0.3662).abs() < 1e-4, "{seen:?}");
    let none = Estimate::of(0.0, 20);
    assert_eq!((none.least, none.is_weak), (0.0, true));
    assert!((none.most - 0.1611).abs() < 1e-4, "{none:?}");
    assert_eq!(Estimate::of(1.0 / 3.0, 300).to_string(), "33.3 % (28–39)");
}
