//! Whatever somebody is told stays the same when everything that they do not see is different.

use std::collections::BTreeMap;
use std::sync::Arc;

use interpreter::Ruleset;
use interpreter::budget::{Budget, within};
use interpreter::play::{Audience, Event, Happening, Match, Seat, Value};
use referee_tests::attempts::attempts;
use referee_tests::games::{audiences, every_game, genoa, nth, some_games, walk};
use referee_tests::random::Random;

/// All that the service tells this audience from a match.
fn told(played: &Match, audience: Audience) -> String {
    let mut told = format!("{:?}", played.view(audience));
    told += &format!("{:?} {:?}", played.waiting(), played.events(audience, 0));
    if let Audience::Seat(seat) = audience
        && let Some(question) = played.question(seat)
    {
        told += &format!("{question:?}");
        for mv in attempts(played.ruleset().model(), &question, 8, &mut Random::new(3)) {
            told += &format!("{:?}", played.check(seat, &mv));
        }
    }
    told
}

/// Whether somebody's offer stands, which tells everybody that it can be paid.
fn an_offer_stands(played: &Match) -> bool {
    let kept = played.view(Audience::Referee).kept;
    let mut values = kept.iter().filter_map(|(_, value)| value.as_ref());
    values.any(|value| matches!(value, Value::Record { .. }))
}

#[test]
fn nobody_is_told_what_they_do_not_see() {
    nothing_hidden_is_told(some_games(), 1);
}

#[test]
#[ignore = "slow"]
fn nobody_is_told_what_they_do_not_see_in_any_game() {
    nothing_hidden_is_told(every_game(), 2);
    nothing_hidden_is_told(vec![("genoa".to_owned(), genoa(3))], 1);
}

/// Compares what is told in random games when everything that somebody does not see is different.
fn nothing_hidden_is_told(games: Vec<(String, Arc<Ruleset>)>, seeds: u64) {
    for (name, ruleset) in games {
        let nth = nth(&name, 13);
        let (mut compared, mut different) = (0, 0);
        for seed in 0..seeds {
            let mut random = Random::new(seed);
            let mut n = 0;
            walk(&ruleset, seed, true, |played| {
                n += 1;
                // The final scores tell everybody what was hidden.
                if n % nth != 0 || played.outcome().is_some() || an_offer_stands(played) {
                    return;
                }
                for audience in audiences(ruleset.players()) {
                    if audience == Audience::Referee {
                        continue;
                    }
                    let other = played.with_other_secrets(audience, &mut || random.word());
                    compared += 1;
                    different += usize::from(other.state_hash() != played.state_hash());
                    assert_eq!(
                        told(&other, audience),
                        told(played, audience),
                        "{name}, seed {seed}, move {n}, {audience:?}"
                    );
                }
            });
        }
        assert!(compared > 30, "{name}: {compared}");
        assert!(
            different * 2 > compared,
            "{name}: only {different} of {compared} deals were different"
        );
    }
}

/// Hides the parts of an event that another audience does not see in the same event.
fn hide_as(mut event: Event, theirs: &Event) -> Event {
    match (&mut event, theirs) {
        (Event::Moved { mv, .. }, Event::Moved { mv: theirs, .. }) => {
            for ((_, value), (_, theirs)) in mv.args.iter_mut().zip(&theirs.args) {
                match (&mut *value, theirs) {
                    (Value::Hidden { count }, Value::Hidden { count: None }) => *count = None,
                    (Value::Hidden { .. }, _) => {}
                    (_, Value::Hidden { .. }) => *value = theirs.clone(),
                    _ => {}
                }
            }
        }
        (Event::Kept { to, .. }, Event::Kept { to: None, .. })
        | (Event::Marker { to, .. }, Event::Marker { to: None, .. }) => *to = None,
        (Event::Counter { from, to, .. }, Event::Counter { from: f, to: t, .. }) => {
            *from = from.filter(|_| f.is_some());
            *to = to.filter(|_| t.is_some());
        }
        (
            Event::Pieces { row, count, .. },
            Event::Pieces {
                row: None,
                count: all,
                ..
            },
        ) => {
            // An audience that does not see the kinds gets one count of all of them.
            *row = None;
            *count = count.and(*all);
        }
        _ => {}
    }
    event
}

#[test]
fn every_seat_sees_what_spectators_see() {
    let mut hidden = 0;
    for (name, ruleset) in some_games() {
        walk(&ruleset, 3, true, |played| {
            if played.outcome().is_none() {
                return;
            }
            let told: Vec<_> = played.happenings(Audience::Spectator, 0).collect();
            for seat in (0..ruleset.players()).map(Seat) {
                let theirs = played.happenings(Audience::Seat(seat), 0);
                let theirs: BTreeMap<_, _> = theirs.map(|one| (one.at, one.event)).collect();
                for Happening { at, event, .. } in &told {
                    let seen = theirs.get(at).cloned();
                    let seen = seen.unwrap_or_else(|| panic!("{name}: {seat:?} lacks {event:?}"));
                    hidden += usize::from(seen != *event);
                    assert_eq!(hide_as(seen, event), *event, "{name}, {seat:?}");
                }
            }
        });
    }
    assert!(hidden > 100, "{hidden}");
}

/// Returns the units of work that a function spends; with the feature `native`, also the instructions, evaluations and
/// remembered values.
fn work_of<T>(f: impl FnOnce() -> T) -> Vec<u64> {
    let f = || within(&Budget::of(u64::MAX / 2), f).1;
    #[cfg(feature = "native")]
    {
        let (units, work) = interpreter::play::Work::of(f);
        vec![units, work.instructions, work.evaluations, work.remembered]
    }
    #[cfg(not(feature = "native"))]
    vec![f()]
}

/// Time would tell too: what somebody else hides must not change how much is done for an answer.
#[test]
fn answers_take_the_same_work_whatever_others_hide() {
    answers_take_the_same_work(some_games());
}

#[test]
#[ignore = "slow"]
fn answers_of_every_game_take_the_same_work_whatever_others_hide() {
    answers_take_the_same_work(every_game());
}

/// Counts the work of answers when everything that somebody does not see is different.
fn answers_take_the_same_work(games: Vec<(String, Arc<Ruleset>)>) {
    for (name, ruleset) in games {
        let nth = nth(&name, 29);
        let mut random = Random::new(11);
        let (mut n, mut compared) = (0, 0);
        walk(&ruleset, 5, true, |played| {
            n += 1;
            if n % nth != 0 || played.outcome().is_some() {
                return;
            }
            for audience in audiences(ruleset.players()) {
                if audience == Audience::Referee {
                    continue;
                }
                let mut work = || {
                    let other = played.with_other_secrets(audience, &mut || random.word());
                    work_of(|| told(&other, audience))
                };
                let (one, another) = (work(), work());
                compared += usize::from(one[0] > 0);
                assert_eq!(one, another, "{name}, move {n}, {audience:?}");
            }
        });
        assert!(compared > 5, "{name}: {compared}");
    }
}

#[test]
fn a_deliberate_leak_is_noticed() {
    // Whoever looks with another's eyes is told other things.
    let mut noticed = 0;
    for (_, ruleset) in some_games() {
        let mut random = Random::new(9);
        walk(&ruleset, 4, true, |played| {
            let (mine, theirs) = (Audience::Seat(Seat(0)), Audience::Seat(Seat(1)));
            let other = played.with_other_secrets(mine, &mut || random.word());
            noticed += usize::from(other.view(theirs) != played.view(theirs));
        });
    }
    assert!(noticed > 100, "{noticed}");
}
