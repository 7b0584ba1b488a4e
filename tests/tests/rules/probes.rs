//! What a play-out says of a move that it tries is what a match says of it.

use interpreter::play::{ApplyError, Match, Seat, Seed};
use referee::players::Random;
use referee_tests::ruleset;

#[test]
fn a_probe_names_the_clause_that_a_refusal_names() {
    for players in 3..=5 {
        let ruleset = ruleset("puerto-rico", players);
        let mut refused = 0;
        for seed in 0..6 {
            let (mut player, mut prober) = (Random::new(seed, 0), Random::new(seed, 1));
            let mut game =
                Match::new(ruleset.clone(), Seed::from_number(seed), false).expect("set up");
            while let Some(Seat(seat)) = game.waiting().first().copied() {
                for _ in 0..3 {
                    if let Some(probe) = game.game().fork().probe(&mut || prober.word()) {
                        refused += 1;
                        let Err(ApplyError::Refused(refusal)) = game.check(Seat(seat), &probe.mv)
                        else {
                            panic!("{:?} is not refused", probe.mv);
                        };
                        assert_eq!(refusal.clause, probe.clause, "{:?}", probe.mv);
                    }
                }
                let mv = player.choose(&game, Seat(seat)).expect("a legal move");
                game.apply(Seat(seat), &mv).expect("legal");
            }
        }
        assert!(refused > 100, "{refused}");
    }
}
