//! The same ruleset, configuration, seed and moves give the same match, byte for byte.

use interpreter::play::{Audience, Event, Match, Origin, Seed};
use referee_tests::games::{every_game, nth, walk};

/// Events without what says who made a forced move.
fn told(played: &Match) -> Vec<Event> {
    let mut events = played.events(Audience::Referee, 0);
    for event in &mut events {
        if let Event::Moved { origin, .. } = event {
            *origin = Origin::Player;
        }
    }
    events
}

#[test]
fn a_record_replays_to_the_same_state() {
    for (name, ruleset) in every_game() {
        for (seed, ask_forced) in [(1, true), (2, false)] {
            let mut played = None;
            walk(&ruleset, seed, ask_forced, |now| {
                if now.outcome().is_some() {
                    played = Some(now.clone());
                }
            });
            let played = played.expect("it ended");
            let record = played.record();
            // On another thread, from a ruleset compiled anew.
            let again = std::thread::scope(|scope| {
                let replaying = scope.spawn(|| {
                    let (_, anew) = every_game()
                        .into_iter()
                        .find(|(other, _)| *other == name)
                        .expect("the same game");
                    assert_eq!(anew.digest(), ruleset.digest());
                    Match::replay(anew, &record)
                });
                replaying.join().expect("no panic")
            });
            let again = again.unwrap_or_else(|why| panic!("{name}: {why}"));
            assert_eq!(again.state_hash(), played.state_hash(), "{name}");
            assert_eq!(again.outcome(), played.outcome(), "{name}");
            assert_eq!(told(&again), told(&played), "{name}");
        }
    }
}

#[test]
fn asking_for_forced_moves_changes_only_who_makes_them() {
    let mut forced = 0;
    for (name, ruleset) in every_game() {
        let mut asked = None;
        walk(&ruleset, 5, true, |now| asked = Some(now.clone()));
        let asked = asked.expect("a game");
        let mut skipped =
            Match::new(ruleset.clone(), Seed::from_number(5), false).expect("it begins");
        for (n, recorded) in asked.moves().iter().enumerate() {
            match skipped.moves().get(n) {
                Some(made) => assert_eq!((made.seat, made.mv), (recorded.seat, recorded.mv)),
                None => skipped
                    .apply(recorded.seat, &recorded.mv)
                    .expect("it is legal"),
            }
        }
        assert_eq!(skipped.state_hash(), asked.state_hash(), "{name}");
        // Where nobody is asked, it is not told who is.
        let happened = |game: &Match| {
            let at_rest = |event: &Event| matches!(event, Event::Asked { .. } | Event::Kept { .. });
            let told = told(game).into_iter();
            told.filter(|event| !at_rest(event)).collect::<Vec<_>>()
        };
        assert_eq!(happened(&skipped), happened(&asked), "{name}");
        assert!(told(&skipped).len() <= told(&asked).len(), "{name}");
        let by_referee = skipped.moves().iter();
        forced += by_referee.filter(|m| m.origin == Origin::Forced).count();
    }
    assert!(forced > 50, "{forced}");
}

#[test]
fn another_seed_deals_another_game() {
    for (name, ruleset) in every_game() {
        // What is dealt may show only after some moves: a set-up may begin with questions.
        let course = |seed| {
            let new = Match::new(ruleset.clone(), Seed::from_number(seed), true);
            let mut played = new.expect("it begins");
            for _ in 0..40 {
                let Some(&seat) = played.waiting().first() else {
                    break;
                };
                let first = played.legal_moves(seat, 1).remove(0);
                played.apply(seat, &first).expect("it is legal");
            }
            played.state_hash().to_string()
        };
        let courses: std::collections::BTreeSet<String> = (0..20).map(course).collect();
        assert!(courses.len() > 15, "{name}: {}", courses.len());
    }
}

#[test]
fn what_is_told_is_the_same_wherever_a_match_was_played_again_or_restored() {
    for (name, ruleset) in every_game() {
        let nth = nth(&name, 12);
        let mut n = 0;
        walk(&ruleset, 11, false, |now| {
            n += 1;
            if n % nth != 0 {
                return;
            }
            let record = now.record();
            let mut again = Match::replay(ruleset.clone(), &record).expect("it was played");
            again.set_ask_forced(false).expect("it rests there");
            assert_eq!(again.happened(), now.happened(), "{name}, at {n}");
            let mut restored =
                Match::restore(ruleset.clone(), record.seed, &now.save()).expect("it was saved");
            restored.set_ask_forced(false).expect("it rests there");
            assert_eq!(
                restored.happened(),
                now.happened(),
                "{name}, at {n}: restored"
            );
            let Some(seat) = now.waiting().first().copied() else {
                return;
            };
            let Some(mv) = now.legal_moves(seat, 1).pop() else {
                return;
            };
            let mut on = now.clone();
            on.apply(seat, &mv).expect("it is legal");
            restored.apply(seat, &mv).expect("it is legal");
            let all = |game: &Match| game.events(Audience::Referee, 0);
            assert_eq!(all(&restored), all(&on), "{name}, at {n}: goes on");
        });
    }
}
