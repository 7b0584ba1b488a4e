//! A match that was saved goes on as if it had never stopped, byte for byte.

use std::sync::Arc;

use interpreter::Ruleset;
use interpreter::play::{Match, NotRestored, Seat, Seed};
use referee_tests::games::{LONGEST, all_games, audiences, nth, some_games, walk};
use referee_tests::random::Random;

/// Holds two matches to be the same to everybody; events are compared from a place on.
fn same(name: &str, one: &Match, other: &Match, from: usize) {
    let players = one.ruleset().players();
    assert_eq!(one.state_hash(), other.state_hash(), "{name}");
    assert_eq!(one.waiting(), other.waiting(), "{name}");
    assert_eq!(one.happened(), other.happened(), "{name}");
    assert_eq!(one.outcome(), other.outcome(), "{name}");
    for seat in (0..players).map(Seat) {
        assert_eq!(one.question(seat), other.question(seat), "{name}");
    }
    for audience in audiences(players) {
        assert_eq!(one.view(audience), other.view(audience), "{name}");
        let (one, other) = (one.seen(audience, from), other.seen(audience, from));
        assert!(one.eq(other), "{name}: what {audience:?} saw");
    }
}

#[test]
fn a_saved_match_goes_on_as_if_it_had_never_stopped() {
    restored_matches_are_the_same(some_games());
}

#[test]
#[ignore = "slow"]
fn a_saved_match_of_every_game_goes_on_as_if_it_had_never_stopped() {
    restored_matches_are_the_same(all_games());
}

/// Saves a match of each game on its way, and holds the restored copies to be the same until they are over.
fn restored_matches_are_the_same(games: Vec<(String, Arc<Ruleset>)>) {
    for (name, ruleset) in games {
        let seed = Seed::from_number(4);
        for ask_forced in [true, false] {
            // The match is played once; copies of it are saved on the way and brought back, and go along.
            let mut random = Random::new(9);
            let mut played = Match::new(ruleset.clone(), seed, ask_forced).expect("it begins");
            let mut restored: Option<Match> = None;
            for n in 0..LONGEST {
                if n % 23 == 0 {
                    let again = Match::restore(ruleset.clone(), seed, &played.save());
                    let mut again = again.unwrap_or_else(|why| panic!("{name}, move {n}: {why}"));
                    again.set_ask_forced(ask_forced).expect("it goes on");
                    same(&name, &again, &played, 0);
                    assert_eq!(again.moves(), played.moves(), "{name}, move {n}");
                    assert_eq!(again.save(), played.save(), "{name}, move {n}");
                    restored = Some(again);
                }
                let Some(seat) = played.quickest(&mut || random.word()) else {
                    break;
                };
                let mv = played.sample(seat, &mut || random.word()).expect("a move");
                let before = played.happened();
                played.apply(seat, &mv).expect("it is legal");
                let again = restored.as_mut().expect("it was saved");
                again.apply(seat, &mv).expect("it is legal here, too");
                if n % 5 == 0 {
                    same(&name, again, &played, before);
                }
            }
            assert!(played.outcome().is_some(), "{name} ends");
            let again = restored.expect("it was saved");
            same(&name, &again, &played, 0);
            assert_eq!(again.record(), played.record(), "{name}");
        }
    }
}

#[test]
fn what_is_not_a_saved_match_of_these_rules_is_noticed() {
    let games = all_games();
    for (at, (name, ruleset)) in games.iter().enumerate() {
        let mut saved = Vec::new();
        let mut n = 0;
        walk(ruleset, 2, true, |played| {
            n += 1;
            if n == 30 * nth(name, 2) {
                saved = played.save();
            }
        });
        if saved.is_empty() {
            continue;
        }
        let seed = Seed::from_number(2);
        let (other, foreign) = &games[(at + 1) % games.len()];
        let refused = Match::restore(foreign.clone(), seed, &saved).err();
        assert_eq!(refused, Some(NotRestored::Foreign), "{name} as {other}");
        for at in (0..saved.len()).step_by(1 + saved.len() / 60) {
            let mut bent = saved.clone();
            bent[at] ^= 1 << (at % 8);
            for bytes in [&bent[..], &saved[..at]] {
                let refused = Match::restore(ruleset.clone(), seed, bytes).err();
                assert_eq!(refused, Some(NotRestored::Foreign), "{name}, byte {at}");
            }
        }
    }
}
