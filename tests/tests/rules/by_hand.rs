//! What is written by hand to be measured against means the same as the rules.

use referee_tests::by_hand::{Loading, offered};
use referee_tests::games::{puerto_rico, walk};

#[test]
fn loading_by_hand_is_loading_by_the_rules() {
    let (mut compared, mut loads) = (0, 0);
    for players in [3, 4, 5] {
        for seed in 0..4 {
            walk(&puerto_rico(players), seed, true, |played| {
                let Some(seat) = played.waiting().first().copied() else {
                    return;
                };
                if played
                    .question(seat)
                    .is_none_or(|q| &*q.step != "captain.loading")
                {
                    return;
                }
                let by_hand = Loading::of(played, seat).named(played);
                let by_rules = offered(played, seat);
                assert_eq!(by_hand, by_rules, "{players} players, seed {seed}");
                compared += 1;
                loads += by_rules.len();
            });
        }
    }
    assert!(
        compared > 100 && loads > 100,
        "{compared} questions, {loads} loads"
    );
}
