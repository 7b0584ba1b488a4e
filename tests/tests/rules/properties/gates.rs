//! A move is legal if all of its gates are open: what is listed, checked and explained agrees on that, just inside and
//! just outside of every limit, as the referee knows it and as its mover may.

use std::collections::BTreeSet;
use std::sync::Arc;

use interpreter::Ruleset;
use interpreter::play::{
    ApplyError, Audience, Match, Move, OpenDomain, Question, Refusal, RefusalReason, Seat, Seed,
    Value,
};
use interpreter::program::model::{GateKind, Model};
use referee_tests::attempts::attempts;
use referee_tests::games::{every_game, genoa, nth, some_games, walk};
use referee_tests::mini;
use referee_tests::random::Random;

use super::moves::canonical;

/// Moves that are looked at of a question.
const LOOKED_AT: usize = 40;

/// A move with one argument changed: a number or a bag by the least that there is, both ways, a row to each other one.
fn neighbours(model: &Model, mv: &Move) -> Vec<Move> {
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
            Value::Row { table, .. } => {
                let tables = &model.tables;
                let of_table = tables.iter().find(|model| model.name == *table);
                for row in of_table.into_iter().flat_map(|model| &model.rows) {
                    with(Value::Row {
                        table: table.clone(),
                        row: row.clone(),
                    });
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
    listed_is_accepted_at_limits(some_games());
}

#[test]
#[ignore = "slow"]
fn what_is_listed_of_every_game_is_accepted_on_both_sides_of_every_limit() {
    listed_is_accepted_at_limits(every_game());
}

/// Tries the neighbours of listed moves, and moves at the limits of their parameters.
fn listed_is_accepted_at_limits(games: Vec<(String, Arc<Ruleset>)>) {
    for (name, ruleset) in games {
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
                for near in neighbours(ruleset.model(), mv)
                    .into_iter()
                    .chain(at_limits(&question, mv))
                {
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
    legal_moves_tell_no_secret(some_games());
}

#[test]
#[ignore = "slow"]
fn a_mover_of_any_game_learns_no_secret_by_what_is_legal_but_where_rules_say_so() {
    let mut games = every_game();
    games.push(("genoa".to_owned(), genoa(3)));
    legal_moves_tell_no_secret(games);
}

/// Compares which moves are legal when everything that their mover does not see is different.
fn legal_moves_tell_no_secret(games: Vec<(String, Arc<Ruleset>)>) {
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

/// One move for each kind of gate, and one whose promise faults.
const GATES: &str = "
phase game
  step going: repeat until the game ends
    step turns: each p from dealer
      step first: ask p
        move act(n: 1 to 3)
          needs purse(p) < 9
          do { gain(purse(p), n); }
        free move grab once per game
          do { gain(purse(p), 1); }
        move give(some: bag of box(p), at most 2)
          ensures 6 / purse(p) > 0
          do { pay(purse(p), purse(p)); }
        move keep
          ensures purse(p) > 9
      step inside: visit trip(p)
phase trip(t: player)
  step there: ask t
    move nod
    move rest
  at any time for each p
    free move wave
ending rich when any p in players: purse(p) > 20
";

#[test]
fn a_refusal_names_the_gate_that_is_closed_and_a_fault_is_no_yes() {
    let mut played = Match::new(mini::ruleset(GATES), Seed::from_number(1), true).expect("begun");
    let seat = played.waiting()[0];
    let mv = |name: &str, args: &[(&str, Value)]| Move {
        name: name.into(),
        args: args
            .iter()
            .map(|(name, value)| ((*name).into(), value.clone()))
            .collect(),
    };
    let why = |played: &Match, seat: Seat, mv: &Move| match played.check(seat, mv) {
        Err(ApplyError::Refused(refusal)) => refusal.condition.expect("a condition"),
        other => panic!("{mv:?}: {other:?}"),
    };
    let act = |n| mv("act", &[("n", Value::Int(n))]);
    assert_eq!(
        why(&played, seat, &mv("wave", &[])),
        "only while `trip` is under way"
    );
    assert_eq!(
        why(&played, seat, &act(4)),
        "`n`: this choice is outside of its limits: 4 asked for, 1 to 3 allowed"
    );
    assert_eq!(why(&played, seat, &mv("keep", &[])), "purse(p) > 9");
    played.apply(seat, &mv("grab", &[])).expect("legal once");
    assert_eq!(why(&played, seat, &mv("grab", &[])), "once per game");
    let give = mv(
        "give",
        &[(
            "some",
            Value::Bag {
                table: "colour".into(),
                counts: vec![],
            },
        )],
    );
    let checked = played.check(seat, &give);
    assert!(matches!(checked, Err(ApplyError::Fault(_))), "{checked:?}");
    let made = played.apply(seat, &give);
    assert_eq!(made, checked, "a check says what making the move would");
    // Until nobody has little enough any more.
    for _ in 0..40 {
        let asked = played.waiting()[0];
        let tried = [mv("rest", &[]), act(3)];
        let Some(legal) = tried.into_iter().find(|mv| played.check(asked, mv).is_ok()) else {
            break;
        };
        played.apply(asked, &legal).expect("legal");
    }
    let seat = played.waiting()[0];
    assert_eq!(why(&played, seat, &act(3)), "purse(p) < 9");
}

#[test]
fn what_a_condition_reads_is_within_its_limits_before_it_is_judged() {
    let mut kinds = BTreeSet::new();
    let mut games = every_game();
    games.push(("genoa".to_owned(), genoa(3)));
    games.push(("one of each".to_owned(), mini::ruleset(GATES)));
    for (_, ruleset) in games {
        for mv in &ruleset.model().moves {
            let mut bound = 0;
            for gate in &mv.gates {
                kinds.insert(match gate.kind {
                    GateKind::Under(_) => "under",
                    GateKind::Once { .. } => "once",
                    GateKind::AtMost { .. } => "at most",
                    GateKind::Domain(_) => "domain",
                    GateKind::Need(_) => "need",
                    GateKind::Promise(_) => "promise",
                });
                if let GateKind::Domain(param) = gate.kind {
                    assert_eq!(param, bound, "{}", mv.address);
                    bound += 1;
                }
                assert!(gate.after <= bound, "{}: {gate:?}", mv.address);
            }
            assert_eq!(bound, mv.params.len(), "{}", mv.address);
        }
    }
    assert_eq!(kinds.len(), 6, "{kinds:?}");
}
