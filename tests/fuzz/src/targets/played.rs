//! What must be true of every game, whoever wrote its rules: the properties of `tests/rules/properties` in short, for
//! rules that may also fail while they are played.

use std::sync::Arc;

use interpreter::Ruleset;
use interpreter::play::{ApplyError, Audience, Game, Match, Move, RefusalReason, Seat, Seed};
use referee_oracle::Oracle as _;
use referee_tests::attempts::attempts;
use referee_tests::games::audiences;
use referee_tests::random::Random;

/// Questions with more moves than this are looked at by their offers only.
const LISTED: u128 = 200;

/// A few moves, looked at from every side.
pub fn shortly(ruleset: &Arc<Ruleset>, seed: u64) {
    walk(ruleset, seed, 12, 3);
}

/// Many moves, looked at now and then.
pub fn at_length(ruleset: &Arc<Ruleset>, seed: u64) {
    walk(ruleset, seed, 80, 4);
}

/// Plays at random until the end, a fault of the rules, or so many moves; looks at every `nth` position.
fn walk(ruleset: &Arc<Ruleset>, seed: u64, most: usize, nth: usize) {
    let mut random = Random::new(seed);
    let ask_forced = seed.is_multiple_of(2);
    // Rules may fail before anybody is asked.
    let Ok(mut played) = Match::new(ruleset.clone(), Seed::from_number(seed), ask_forced) else {
        return;
    };
    // These take long to be made.
    let compared = seed.is_multiple_of(4);
    let oracle = compared.then(|| ruleset.with_oracle(false));
    let native = compared.then(|| ruleset.natively().ok()).flatten();
    for n in 0..most {
        if n % nth == 0 {
            look(&played, &mut random);
            evaluators(&played, [oracle.as_ref(), native.as_ref()], &mut random);
        }
        let Some(seat) = played.quickest(&mut || random.word()) else {
            assert!(
                played.outcome().is_some(),
                "nobody is asked, but it is not over"
            );
            break;
        };
        let Some(mv) = played.sample(seat, &mut || random.word()) else {
            // What a promise forbids is tried, and may fail.
            assert!(
                fails(&played, seat, &mut random),
                "{seat:?} is asked and has no move"
            );
            break;
        };
        let before = played.state_hash();
        match played.apply(seat, &mv) {
            Ok(()) => {}
            Err(ApplyError::Refused(refusal)) => panic!("{seat:?} {mv:?} was offered: {refusal:?}"),
            Err(ApplyError::Fault(fault)) => {
                assert_eq!(played.state_hash(), before, "after the fault {fault}");
                break;
            }
        }
    }
    replayed(&played);
}

/// Whether some move of a question is a fault of the rules.
fn fails(played: &Match, seat: Seat, random: &mut Random) -> bool {
    let Some(question) = played.question(seat) else {
        return false;
    };
    // It may be one bag in hundreds, and each time some dozen are tried.
    (0..100).any(|_| {
        let mut tries = attempts(played.ruleset().model(), &question, 100, random).into_iter();
        tries.any(|mv| matches!(played.clone().apply(seat, &mv), Err(ApplyError::Fault(_))))
    })
}

/// A record leads to the same, also when only its beginning is played (as taking back does).
fn replayed(played: &Match) {
    let record = played.record();
    match Match::replay(played.ruleset().clone(), &record) {
        Ok(again) => {
            assert_eq!(again.state_hash(), played.state_hash(), "replayed");
            assert_eq!(again.outcome(), played.outcome(), "replayed");
        }
        Err(why) => panic!("what was played cannot be played again: {}", why.in_full()),
    }
    let mut fewer = record;
    fewer.moves.truncate(fewer.moves.len() / 2);
    if let Err(why) = Match::replay(played.ruleset().clone(), &fewer) {
        panic!("its beginning cannot be played again: {}", why.in_full());
    }
}

/// All that the service tells this audience.
fn told(played: &Match, audience: Audience) -> String {
    let mut told = format!(
        "{:?} {:?}",
        played.view(audience),
        played.events(audience, 0)
    );
    if let Audience::Seat(seat) = audience {
        told += &format!("{:?}", played.question(seat));
    }
    told
}

/// A move as text that is the same however its bags are ordered.
fn canonical(mv: &Move) -> String {
    let mut mv = mv.clone();
    for (_, value) in &mut mv.args {
        match value {
            interpreter::play::Value::Bag { counts, .. } => counts.sort(),
            interpreter::play::Value::Spread(shares) => {
                shares.sort_by_key(|share| format!("{share:?}"))
            }
            _ => {}
        }
    }
    format!("{mv:?}")
}

/// Holds a position to everything that must be true of it.
fn look(played: &Match, random: &mut Random) {
    let ruleset = played.ruleset();
    let seed = played.record().seed;
    let hash = played.state_hash();

    // A state is rebuilt, a saved match restored, to the same.
    let state = played.canonical();
    match Match::rebuilt(ruleset.clone(), seed, &state) {
        Ok(again) => {
            assert_eq!(again.canonical(), state, "rebuilt");
            assert_eq!(again.waiting(), played.waiting(), "rebuilt");
            for audience in audiences(ruleset.players()) {
                assert_eq!(
                    again.view(audience),
                    played.view(audience),
                    "rebuilt, seen by {audience:?}"
                );
            }
        }
        Err(why) => panic!("no match from its own state: {why}"),
    }
    let saved = played.save();
    match Match::restore(ruleset.clone(), seed, &saved) {
        Ok(again) => {
            assert_eq!(again.state_hash(), hash, "restored");
            assert_eq!(again.save(), saved, "restored");
        }
        Err(why) => panic!("no match from what it saved: {why}"),
    }
    assert_eq!(played.verify(), Ok(()), "pieces");

    // What somebody is told stays the same when what they do not see is different. Final scores tell everything, and
    // a record that stands as an offer tells that it can be paid.
    let kept = played.view(Audience::Referee).kept;
    let offered = kept
        .iter()
        .any(|(_, value)| matches!(value, Some(interpreter::play::Value::Record { .. })));
    if played.outcome().is_none() && !offered {
        for audience in audiences(ruleset.players()) {
            if audience != Audience::Referee {
                let other = played.with_other_secrets(audience, &mut || random.word());
                assert_eq!(
                    told(&other, audience),
                    told(played, audience),
                    "{audience:?} is told what is hidden"
                );
            }
        }
    }

    // What is listed is accepted, what is not listed is refused, with a reason and without a trace.
    for seat in played.waiting() {
        let Some(question) = played.question(seat) else {
            panic!("{seat:?} waits and is asked nothing");
        };
        let counted = question
            .offers
            .iter()
            .map(|offer| offer.completions)
            .sum::<Option<u128>>();
        let listed = played.legal_moves(seat, LISTED as usize + 1);
        for mv in &listed {
            match played.check(seat, mv) {
                Ok(()) => {}
                // What a promise says of a choice that is open is found out when it is made.
                Err(fault @ ApplyError::Fault(_)) => {
                    let made = played.clone().apply(seat, mv);
                    assert_eq!(made, Err(fault), "checked and made {mv:?}");
                }
                Err(ApplyError::Refused(refusal)) => panic!("listed {mv:?}: {refusal:?}"),
            }
        }
        let names: Vec<String> = listed.iter().map(canonical).collect();
        let whole = counted.filter(|counted| *counted <= LISTED);
        if let Some(counted) = whole {
            assert_eq!(listed.len() as u128, counted, "counted is listed");
        }
        for mv in attempts(ruleset.model(), &question, 20, random) {
            let mut tried = played.clone();
            match tried.apply(seat, &mv) {
                Ok(()) => {
                    let made = tried.moves().get(played.moves().len());
                    let Some(made) = made else {
                        panic!("{mv:?} was accepted and not made");
                    };
                    assert!(
                        whole.is_none() || names.contains(&canonical(&made.mv)),
                        "accepted, not listed: {mv:?}"
                    );
                }
                Err(ApplyError::Refused(refusal)) => {
                    assert_eq!(
                        tried.state_hash(),
                        hash,
                        "a refusal changed something: {mv:?}"
                    );
                    assert!(
                        !names.contains(&canonical(&mv)),
                        "listed, refused: {mv:?} {refusal:?}"
                    );
                    let forbidden = refusal.reason == RefusalReason::Forbidden;
                    assert!(
                        !forbidden || refusal.condition.is_some(),
                        "refused without a condition: {mv:?} {refusal:?}"
                    );
                }
                // A move may fail that is not sampled; the state is as it was.
                Err(ApplyError::Fault(_)) => {
                    assert_eq!(tried.state_hash(), hash, "a fault changed something")
                }
            }
        }
        let nobody = Seat(200);
        if let Some(mv) = listed.first() {
            assert!(played.check(nobody, mv).is_err(), "nobody moves");
        }
    }
    assert_eq!(played.state_hash(), hash, "looking changed something");
}

/// Bytecode, machine code and Rhai's own evaluator list the same moves.
fn evaluators(played: &Match, others: [Option<&Arc<Ruleset>>; 2], random: &mut Random) {
    let ruleset = played.ruleset();
    let game: &Game = played.game();
    for (number, model) in ruleset.model().moves.iter_enumerated().take(40) {
        let seat = random.below(u64::from(ruleset.players())) as u8;
        let list = |ruleset: &Ruleset| game.listed(ruleset, (number, seat), 60, None);
        let ours = list(ruleset);
        for other in others.into_iter().flatten() {
            let theirs = list(other);
            // Fuel and depth are noticed a little earlier or later.
            let differ = |fault: &interpreter::play::Fault| {
                fault.message.contains("million steps") || fault.message.contains("nested")
            };
            let excused = [&ours, &theirs]
                .iter()
                .any(|listed| listed.enough.as_ref().is_err_and(differ));
            assert!(
                excused || ours == theirs,
                "{} of seat {seat}: bytecode {ours:?}, other {theirs:?}",
                model.address
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use referee_tests::games::tea_house;

    use super::*;

    /// An evaluator that is wrong in one instruction is noticed.
    #[test]
    fn another_evaluator_is_noticed() {
        let ruleset = tea_house(2);
        let mut random = Random::new(1);
        let mut played = Match::new(ruleset.clone(), Seed::from_number(1), true).expect("begun");
        for _ in 0..10 {
            let seat = played.quickest(&mut || random.word()).expect("asked");
            let mv = played.sample(seat, &mut || random.word()).expect("a move");
            played.apply(seat, &mv).expect("legal");
        }
        let others = (0..ruleset.instructions()).filter_map(|at| ruleset.mutated(at));
        let noticed = others.filter(|other| {
            let compared = || evaluators(&played, [Some(other), None], &mut Random::new(2));
            catch_unwind(AssertUnwindSafe(compared)).is_err()
        });
        assert!(noticed.count() > 20);
        evaluators(&played, [Some(&ruleset), None], &mut Random::new(2));
    }
}
