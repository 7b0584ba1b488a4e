//! Listed moves are exactly the accepted ones; what is refused changes nothing.

use std::collections::BTreeSet;
use std::sync::Arc;

use interpreter::Ruleset;
use interpreter::play::{
    ApplyError, Audience, Digest, Match, Move, Moves, Question, RefusalReason, Seat, Value, View,
};
use referee_tests::attempts::attempts;
use referee_tests::games::{every_game, genoa, nth, some_games, walk};
use referee_tests::random::Random;

/// Questions with more moves than this are looked at by their offers only.
const LISTED: usize = 600;

/// A move as text that is the same however its bags and spreads are ordered.
pub(super) fn canonical(mv: &Move) -> String {
    let mut mv = mv.clone();
    for (_, value) in &mut mv.args {
        match value {
            Value::Bag { counts, .. } => counts.sort(),
            Value::Spread(shares) => shares.sort_by_key(|share| format!("{share:?}")),
            _ => {}
        }
    }
    format!("{mv:?}")
}

/// State, questions, view, moves and number of events.
type Everything<'m> = (Digest, Vec<Option<Question>>, View, Moves<'m>, usize);

/// Everything that anybody can learn of a match.
fn everything(played: &Match) -> Everything<'_> {
    let seats = (0..played.ruleset().players()).map(Seat);
    let questions: Vec<_> = seats.map(|seat| played.question(seat)).collect();
    (
        played.state_hash(),
        questions,
        played.view(Audience::Referee),
        played.moves(),
        played.happened(),
    )
}

#[test]
fn listed_moves_are_exactly_those_accepted() {
    accepted_moves_are_listed(some_games());
}

#[test]
#[ignore = "slow"]
fn listed_moves_of_every_game_are_exactly_those_accepted() {
    accepted_moves_are_listed(every_game());
}

/// Tries moves of random games, and holds those that are accepted to be the listed ones.
fn accepted_moves_are_listed(games: Vec<(String, Arc<Ruleset>)>) {
    for (name, ruleset) in games {
        let (mut accepted, mut refused) = (0, 0);
        let nth = nth(&name, 4);
        for seed in 0..3 {
            let mut random = Random::new(seed);
            let mut n = 0;
            walk(&ruleset, seed, true, |played| {
                n += 1;
                let Some(&seat) = played.waiting().first() else {
                    return;
                };
                if n % nth != 0 {
                    return;
                }
                let question = played.question(seat).expect("whoever waits is asked");
                let counts = question.offers.iter().map(|o| o.completions);
                let Some(promised) = counts.sum::<Option<u128>>() else {
                    return;
                };
                if promised > LISTED as u128 {
                    return;
                }
                let listed = played.legal_moves(seat, LISTED + 1);
                let names: BTreeSet<String> = listed.iter().map(canonical).collect();
                assert_eq!(names.len() as u128, promised, "{name}: counted is listed");
                assert_eq!(names.len(), listed.len(), "{name}: nothing is listed twice");
                for mv in &listed {
                    assert_eq!(played.check(seat, mv), Ok(()), "{name}: listed {mv:?}");
                }
                for mv in attempts(ruleset.model(), &question, 150, &mut random) {
                    let mut tried = played.clone();
                    match tried.apply(seat, &mv) {
                        Ok(()) => {
                            accepted += 1;
                            // As recorded: without arguments that are not offered.
                            let made = tried.moves().get(played.moves().len());
                            let made = made.expect("the move was made").mv;
                            let listed = names.contains(&canonical(&made));
                            assert!(listed, "{name}, seed {seed}, move {n}: unlisted {mv:?}");
                        }
                        Err(ApplyError::Refused(refusal)) => {
                            refused += 1;
                            let listed = names.contains(&canonical(&mv));
                            assert!(
                                !listed,
                                "{name}, seed {seed}, move {n}: {mv:?}: {refusal:?}"
                            );
                            let forbidden = refusal.reason == RefusalReason::Forbidden;
                            let malformed = refusal.reason == RefusalReason::MalformedArgument;
                            assert!(forbidden || malformed, "{name}: {mv:?} {refusal:?}");
                            let why = refusal.condition.is_some();
                            assert!(why, "{name}: {mv:?} is refused without a condition");
                        }
                        Err(ApplyError::Fault(fault)) => panic!("{name}: {mv:?}: {fault}"),
                    }
                }
            });
        }
        assert!(
            accepted > 100 && refused > 1_000,
            "{name}: {accepted}, {refused}"
        );
    }
}

#[test]
fn what_is_refused_changes_nothing() {
    refused_moves_change_nothing(some_games());
}

#[test]
#[ignore = "slow"]
fn what_is_refused_of_every_game_changes_nothing() {
    refused_moves_change_nothing(every_game());
}

/// Tries moves that are wrong in random games.
fn refused_moves_change_nothing(games: Vec<(String, Arc<Ruleset>)>) {
    for (name, ruleset) in games {
        let mut refused = 0;
        let mut random = Random::new(7);
        let mut n = 0;
        walk(&ruleset, 11, true, |played| {
            n += 1;
            let Some(&seat) = played.waiting().first() else {
                return;
            };
            if n % 3 != 0 {
                return;
            }
            let before = everything(played);
            let question = played.question(seat).expect("whoever waits is asked");
            let mut tries: Vec<(Seat, Move)> =
                attempts(ruleset.model(), &question, 12, &mut random)
                    .into_iter()
                    .map(|mv| (seat, mv))
                    .collect();
            // Somebody else, nobody at all, an unknown move, a strange argument.
            let listed = played.legal_moves(seat, 1).remove(0);
            tries.push((Seat((seat.0 + 1) % ruleset.players()), listed.clone()));
            tries.push((Seat(200), listed.clone()));
            let mut unknown = listed.clone();
            unknown.name = "dance".into();
            tries.push((seat, unknown));
            let mut strange = listed;
            strange.args.push(("colour".into(), Value::Int(7)));
            tries.push((seat, strange));
            for (seat, mv) in tries {
                let mut tried = played.clone();
                match tried.apply(seat, &mv) {
                    Ok(()) => {}
                    Err(ApplyError::Refused(refusal)) => {
                        refused += 1;
                        let checked = Err(ApplyError::Refused(refusal));
                        assert_eq!(played.check(seat, &mv), checked, "{name}: {mv:?}");
                        assert_eq!(everything(&tried), before, "{name}: {mv:?}");
                    }
                    Err(ApplyError::Fault(fault)) => panic!("{name}: {mv:?}: {fault}"),
                }
            }
        });
        assert!(refused > 60, "{name}: {refused}");
    }
}

#[test]
fn moves_that_are_too_many_to_count_are_drawn_and_listed_right() {
    let ruleset = genoa(3);
    let (mut drawn, mut uncounted, mut n) = (0, 0, 0);
    walk(&ruleset, 3, true, |played| {
        n += 1;
        if n % 17 != 0 {
            return;
        }
        let mut random = Random::new(n);
        for seat in played.waiting() {
            let question = played.question(seat).expect("whoever waits is asked");
            let counts = question.offers.iter().map(|offer| offer.completions);
            uncounted += counts.filter(Option::is_none).count();
            // As a play-out draws them, and as a list has them.
            let unlisted = played.clone().drawing();
            for played in [played, &unlisted] {
                for _ in 0..5 {
                    let mv = played.sample(seat, &mut || random.word()).expect("a move");
                    assert_eq!(played.check(seat, &mv), Ok(()), "move {n}: {mv:?}");
                    drawn += 1;
                }
            }
            for mv in played.legal_moves(seat, 40) {
                assert_eq!(played.check(seat, &mv), Ok(()), "move {n}: listed {mv:?}");
            }
        }
    });
    assert!(drawn > 200, "{drawn}");
    assert!(uncounted > 50, "{uncounted}");
}
