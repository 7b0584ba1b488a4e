//! A refusal names what forbids the move: near misses of every title, each refusal held against the gates of its move.

use std::sync::Arc;

use interpreter::CompileRuleset as _;
use interpreter::Ruleset;
use interpreter::package::{Configuration, PackageTexts};
use interpreter::play::{ApplyError, Match, Missed, RefusalReason, Seed, Wrong, near_misses};
use interpreter::program::model::{Gate, GateKind};
use referee_tests::games::{all_games, puerto_rico};
use referee_tests::random::Random;
use referee_tests::refusals::{Extent, Tally, refusals, titles};
use referee_tests::{root, texts};

use super::sentences::fault;

/// What `cargo test` looks at; the example `near_misses` looks at ten thousand.
const SAMPLE: Extent = Extent {
    refused: 2500,
    questions: 400,
    greedy: true,
};

fn of(rulesets: &[Arc<Ruleset>], extent: Extent) -> Tally {
    let pairs: Vec<_> = rulesets.iter().map(|r| (r.clone(), r.clone())).collect();
    refusals(&pairs, extent)
}

#[test]
fn a_refusal_names_what_forbids_the_move_and_reads_like_a_referee() {
    for (title, rulesets) in titles() {
        let tally = of(&rulesets, SAMPLE);
        assert!(tally.wrong.is_empty(), "{title}: {:#?}", tally.wrong);
        let (weighed, by_several) = tally.weighed;
        assert!(
            weighed > 1000 && by_several > 5,
            "{title}: {weighed}, {by_several}"
        );
        for missed in [Missed::Argument, Missed::Early, Missed::Seat] {
            let refused = tally.refused.get(&missed).copied().unwrap_or(0);
            assert!(refused > 200, "{title}: {missed:?}: {refused}");
        }
        for said in tally.texts.values() {
            for why in &said.why {
                assert!(!why.contains("unnamed"), "{title}: {why}");
                assert_eq!(fault(why), None, "{title}: {why}");
            }
        }
        let name = format!("refused_{}", title.replace('-', "_"));
        insta::assert_snapshot!(name, tally.told());
    }
}

#[test]
fn near_misses_are_the_same_from_the_same_seed() {
    let rulesets = [puerto_rico(3)];
    let extent = Extent {
        refused: 300,
        ..SAMPLE
    };
    let [first, second] = [(); 2].map(|()| format!("{:?}", of(&rulesets, extent)));
    assert_eq!(first, second);
}

/// A title with some lines of its rules changed.
fn changed(title: &str, players: u8, changes: &[(&str, &str, &str)]) -> Arc<Ruleset> {
    let mut texts: PackageTexts = texts(&root().join("rulesets").join(title));
    for (file, from, to) in changes {
        let mut files = texts.files.iter_mut();
        let (_, text) = files.find(|(path, _)| path == file).expect("the file");
        assert_eq!(text.matches(from).count(), 1, "{title}: {from}");
        *text = text.replace(from, to);
    }
    Ruleset::compile(&texts, &[], &Configuration::base(players)).expect("it compiles")
}

/// Two clauses exchanged, each in the condition of the other.
fn exchanged(
    title: &str,
    players: u8,
    file: &str,
    [(a, of_a), (b, of_b)]: [(&str, &str); 2],
) -> [Arc<Ruleset>; 2] {
    let original = changed(title, players, &[]);
    let path = root().join("rulesets").join(title).join(file);
    let text = std::fs::read_to_string(path).expect("the file");
    let line = |condition: &str, clause: &str| {
        let mut lines = text.lines().filter(|line| {
            line.contains(condition) && line.split_whitespace().last() == Some(clause)
        });
        let only = lines.next().expect("the condition").to_owned();
        assert_eq!(lines.next(), None, "{condition}");
        only
    };
    let (first, second) = (line(a, of_a), line(b, of_b));
    let changes = [
        (file, first.as_str(), first.replace(of_a, of_b)),
        (file, second.as_str(), second.replace(of_b, of_a)),
    ];
    let changes = changes
        .each_ref()
        .map(|(f, from, to)| (*f, *from, to.as_str()));
    [changed(title, players, &changes), original]
}

/// Whether what a planted ruleset says contradicts the original: in which ways.
fn contradictions([planted, original]: [Arc<Ruleset>; 2]) -> String {
    let extent = Extent {
        refused: 2500,
        greedy: false,
        ..SAMPLE
    };
    let tally = refusals(&[(planted, original)], extent);
    let wrong: Vec<String> = tally.wrong.into_keys().collect();
    wrong.join("\n")
}

#[test]
fn two_clauses_that_are_exchanged_are_found() {
    let original = puerto_rico_pair(&[]);
    assert_eq!(contradictions(original), "", "nothing is planted");
    let planted = [
        (
            "puerto-rico",
            "rules/roles.rules",
            [
                ("needs market(b) > 0", "@builder.sold-out"),
                ("needs doubloons(p) + credit(p)", "@builder.afford"),
            ],
        ),
        (
            "puerto-rico",
            "rules/roles.rules",
            [
                ("needs made(holder, g) > 0", "@craftsman.privilege-kind"),
                ("needs supply(g) > 0", "@craftsman.exhausted"),
            ],
        ),
        (
            "genoa",
            "rules/bargaining.rules",
            [
                ("needs offered(p) is not none", "@bargaining.one-offer"),
                ("needs not spoken(p)", "@bargaining.settled"),
            ],
        ),
    ];
    for (title, file, clauses) in planted {
        let found = contradictions(exchanged(title, 3, file, clauses));
        let named = clauses.iter().any(|(_, clause)| found.contains(clause));
        assert!(named, "{title}: {clauses:?}: {found}");
    }
}

fn puerto_rico_pair(changes: &[(&str, &str, &str)]) -> [Arc<Ruleset>; 2] {
    [
        changed("puerto-rico", 3, changes),
        changed("puerto-rico", 3, &[]),
    ]
}

#[test]
fn conditions_in_another_order_are_found() {
    let [own, fits] = [
        "        needs stock(p, g) > 0                                               @captain.own-good\n",
        "        needs fits(p, s, g) > 0\n",
    ];
    let (before, after) = (format!("{own}{fits}"), format!("{fits}{own}"));
    let changes = [("rules/roles.rules", before.as_str(), after.as_str())];
    let found = contradictions(puerto_rico_pair(&changes));
    assert!(found.contains(&Wrong::Order.to_string()), "{found}");
}

#[test]
fn a_clause_that_does_not_forbid_is_told_from_one_that_does() {
    let mut random = Random::new(5);
    let mut told = 0;
    let mut look = |played: &Match, near: &interpreter::play::NearMiss| {
        let Err(ApplyError::Refused(mut refusal)) = played.check(near.seat, &near.mv) else {
            return true;
        };
        if refusal.reason == RefusalReason::Forbidden {
            let weighed = played.weigh(near.seat, &near.mv, &refusal);
            assert_eq!(weighed.expect("by gates").wrong, None, "{near:?}");
            refusal.clause = Some("nowhere".into());
            let weighed = played.weigh(near.seat, &near.mv, &refusal);
            assert_eq!(weighed.expect("by gates").wrong, Some(Wrong::Alone));
            told += 1;
        }
        told < 50
    };
    let (ruleset, seed) = (puerto_rico(3), Seed::from_number(5));
    near_misses(
        &ruleset,
        seed,
        false,
        (200, 6),
        &mut || random.word(),
        &mut look,
    )
    .expect("no fault");
    assert_eq!(told, 50);
}

#[test]
fn gates_stand_in_the_order_that_is_documented() {
    let mut several = 0;
    for (name, ruleset) in all_games() {
        for mv in &ruleset.model().moves {
            let rank = |gate: &Gate| match gate.kind {
                GateKind::Under(_) => Some(0),
                GateKind::Once { .. } => Some(1),
                GateKind::AtMost { .. } => Some(2),
                // A limit stands before the first condition that reads it.
                GateKind::Domain(_) => None,
                GateKind::Need(_) => Some(3),
                GateKind::Promise(_) => Some(4),
            };
            let ranks: Vec<i32> = mv.gates.iter().filter_map(rank).collect();
            assert!(ranks.is_sorted(), "{name}: {}: {ranks:?}", mv.address);
            several += usize::from(ranks.len() > 1);
        }
    }
    assert!(several > 100, "{several}");
}
