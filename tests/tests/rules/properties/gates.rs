//! A move is legal if all of its gates are open: what is listed, checked and explained agrees on that, just inside and
//! just outside of every limit, as the referee knows it and as its mover may.

use std::collections::BTreeSet;

use interpreter::play::{
    ApplyError, Audience, Match, Move, OpenDomain, Question, Refusal, RefusalReason, Value,
};
use interpreter::program::model::GateKind;
use referee_tests::attempts::attempts;
use referee_tests::games::{every_game, genoa, nth, walk};
use referee_tests::random::Random;

use super::moves::canonical;

/// Moves that are looked at of a question.
const LOOKED_AT: usize = 40;

/// A move with one argument changed by the least that there is, both ways where there are two.
fn neighbours(mv: &Move) -> Vec<Move> {
    let mut all = Vec::new();
    for (at, (_, value)) in mv.args.iter().enumerate() {
        let mut with = |value: Value| {
            let mut other = mv.clone();
            other.args[at].1 = value;
            all.push(other);
        };
        match value {
            Value::Int(n) => {
                with(Value::Int(n - 1));
                with(Value::Int(n + 1));
            }
            Value::Bag { table, counts } => {
                for row in 0..counts.len() {
                    for change in [-1, 1] {
                        let mut counts = counts.clone();
                        let Some(count) = counts[row].1.checked_add_signed(change) else {
                            continue;
                        };
                        counts[row].1 = count;
                        counts.retain(|(_, count)| *count > 0);
                        with(Value::Bag {
                            table: table.clone(),
                            counts,
                        });
                    }
                }
            }
            _ => {}
        }
    }
    all
}

/// Moves on both sides of each limit that a question's open parameters have, as variants of a move that has them.
fn at_limits(question: &Question, mv: &Move) -> Vec<Move> {
    let offers = question.offers.iter().filter(|offer| offer.name == mv.name);
    let open = offers.flat_map(|offer| &offer.open);
    let mut all = Vec::new();
    for open in open {
        let OpenDomain::Amount { from, to, step } = open.domain else {
            continue;
        };
        let Some(at) = mv.args.iter().position(|(name, _)| *name == open.name) else {
            continue;
        };
        for value in [
            from - step,
            from,
            from + step,
            to - step,
            to,
            to + step,
            from + 1,
        ] {
            let mut other = mv.clone();
            other.args[at].1 = Value::Int(value);
            all.push(other);
        }
    }
    all
}

/// What a refusal of a well-formed move must say: what is asked for, and the clause where rules have one.
fn says_why(played: &Match, mv: &Move, refusal: &Refusal) {
    if refusal.reason != RefusalReason::Forbidden {
        assert_eq!(refusal.reason, RefusalReason::MalformedArgument, "{mv:?}");
        return;
    }
    assert!(
        refusal.condition.is_some(),
        "{mv:?} is refused without a condition"
    );
    let model = played.ruleset().model();
    let step = played
        .waiting()
        .first()
        .and_then(|seat| played.question(*seat))
        .map(|q| q.step);
    let ask = model
        .asks
        .iter()
        .find(|ask| Some(&ask.step) == step.as_ref());
    let cited = ask.is_some_and(|ask| {
        let of_move = ask
            .moves
            .iter()
            .map(|mv| &model.moves[*mv])
            .find(|m| m.name == mv.name);
        ask.cite.is_some() || of_move.is_some_and(|mv| mv.cite.is_some())
    });
    assert!(
        refusal.clause.is_some() || !cited,
        "{mv:?}: {refusal:?} has no clause"
    );
}

/// Whether a refusal is by a condition that may tell its mover a secret.
fn is_revealing(played: &Match, mv: &Move, refusal: &Refusal) -> bool {
    let ruleset = played.ruleset();
    let mut moves = ruleset
        .model()
        .moves
        .iter()
        .filter(|model| model.name == mv.name);
    moves.any(|model| {
        model.gates.iter().any(|gate| {
            let text = ruleset.sources().text(gate.span);
            gate.reveals && refusal.condition.as_deref() == Some(text)
        })
    })
}

#[test]
fn what_is_listed_is_accepted_on_both_sides_of_every_limit() {
    for (name, ruleset) in every_game() {
        let (mut inside, mut outside) = (0, 0);
        let nth = nth(&name, 6);
        let mut n = 0;
        walk(&ruleset, 21, true, |played| {
            n += 1;
            let Some(&seat) = played.waiting().first() else {
                return;
            };
            if n % nth != 0 {
                return;
            }
            let question = played.question(seat).expect("whoever waits is asked");
            let listed = played.legal_moves(seat, LOOKED_AT);
            let all: Option<u128> = question.offers.iter().map(|offer| offer.completions).sum();
            let complete = all.is_some_and(|all| all == listed.len() as u128);
            let names: BTreeSet<String> = listed.iter().map(canonical).collect();
            for mv in &listed {
                for near in neighbours(mv).into_iter().chain(at_limits(&question, mv)) {
                    let mut tried = played.clone();
                    match tried.apply(seat, &near) {
                        Ok(()) => {
                            inside += 1;
                            // As recorded: without arguments that are not offered.
                            let made = tried.moves().get(played.moves().len());
                            let made = canonical(&made.expect("the move was made").mv);
                            assert!(
                                !complete || names.contains(&made),
                                "{name}: unlisted {near:?}"
                            );
                        }
                        Err(ApplyError::Refused(refusal)) => {
                            outside += 1;
                            assert!(
                                !names.contains(&canonical(&near)),
                                "{name}: {near:?}: {refusal:?}"
                            );
                            says_why(played, &near, &refusal);
                        }
                        Err(ApplyError::Fault(fault)) => panic!("{name}: {near:?}: {fault}"),
                    }
                }
            }
        });
        println!("{name}: {inside} inside, {outside} outside");
        assert!(outside > 0, "{name}");
    }
}

#[test]
fn a_mover_learns_no_secret_by_what_is_legal_but_where_rules_say_so() {
    let mut games = every_game();
    games.push(("genoa".to_owned(), genoa(3)));
    for (name, ruleset) in games {
        let nth = nth(&name, 17);
        let mut random = Random::new(31);
        let (mut n, mut compared, mut revealed) = (0, 0, 0);
        walk(&ruleset, 31, true, |played| {
            n += 1;
            let Some(&seat) = played.waiting().first() else {
                return;
            };
            if n % nth != 0 {
                return;
            }
            let question = played.question(seat).expect("whoever waits is asked");
            let mut tried = played.legal_moves(seat, LOOKED_AT);
            tried.extend(attempts(
                ruleset.model(),
                &question,
                LOOKED_AT as u64,
                &mut random,
            ));
            let audience = Audience::Seat(seat);
            for _ in 0..2 {
                let other = played.with_other_secrets(audience, &mut || random.word());
                for mv in &tried {
                    compared += 1;
                    match (played.check(seat, mv), other.check(seat, mv)) {
                        (Ok(()), Err(ApplyError::Refused(refusal))) => {
                            revealed += 1;
                            assert!(
                                is_revealing(&other, mv, &refusal),
                                "{name}: {mv:?}: {refusal:?}"
                            );
                        }
                        (Err(ApplyError::Refused(refusal)), Ok(())) => {
                            revealed += 1;
                            assert!(
                                is_revealing(played, mv, &refusal),
                                "{name}: {mv:?}: {refusal:?}"
                            );
                        }
                        (here, there) => assert_eq!(here.is_ok(), there.is_ok(), "{name}: {mv:?}"),
                    }
                }
            }
        });
        println!("{name}: {compared} compared, {revealed} revealed");
        assert!(compared > 100, "{name}: {compared}");
    }
}

#[test]
fn every_kind_of_gate_is_met() {
    let mut kinds = BTreeSet::new();
    for (_, ruleset) in every_game() {
        for mv in &ruleset.model().moves {
            kinds.extend(mv.gates.iter().map(|gate| match gate.kind {
                GateKind::Under(_) => "under",
                GateKind::Once { .. } => "once",
                GateKind::AtMost { .. } => "at most",
                GateKind::Domain(_) => "domain",
                GateKind::Need(_) => "need",
                GateKind::Promise(_) => "promise",
            }));
            // What is judged stands in the order in which it can be.
            assert!(
                mv.gates.is_sorted_by_key(|gate| gate.after),
                "{}",
                mv.address
            );
        }
    }
    assert_eq!(kinds.len(), 6, "{kinds:?}");
}
