//! Records of matches in files.

use interpreter::play::{Match, Seat, Seed};
use referee::record::{Kept, RecordError, keep};
use referee::report::transcript::random_game;
use referee_tests::games::every_game;

/// Whatever can be played can be kept and played again: every kind of argument is written and read.
#[test]
fn matches_of_every_game_are_kept_and_played_again() {
    for (name, ruleset) in every_game() {
        for seed in 1..=3 {
            let told = random_game(&ruleset, seed).expect("it can be set up");
            assert_eq!(told.fault, None, "{name}");
            let record = told.game.record();
            let text = keep(&ruleset, &record, &[Seat(0)]).write();
            let kept = Kept::read(&text).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
            assert_eq!(kept.seats(), [Seat(0)]);
            let again = kept
                .record(&ruleset)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(again.moves, record.moves, "{name}");
            let replayed = Match::replay(ruleset.clone(), &again)
                .unwrap_or_else(|error| panic!("{name}, seed {seed}: {error}"));
            assert_eq!(replayed.state_hash(), told.game.state_hash(), "{name}");
        }
    }
}

#[test]
fn what_is_wrong_with_a_record_is_said() {
    let ruleset = referee_tests::games::tea_house(2);
    let game = Match::new(ruleset.clone(), Seed::from_number(1), false).expect("no fault");
    let kept = keep(&ruleset, &game.record(), &[Seat(0)]);
    let text = kept.write();

    let other = referee_tests::games::tea_house(3);
    let wrong = kept.record(&other).expect_err("other rules");
    assert!(matches!(wrong, RecordError::Rules { .. }), "{wrong}");

    for (from, to, expected) in [
        (
            "referee.record/1",
            "referee.record/9",
            "its schema is `referee.record/9`",
        ),
        ("players: 2", "playerz: 2", "unknown field `playerz`"),
    ] {
        let error = Kept::read(&text.replace(from, to)).expect_err("it is wrong");
        assert!(error.to_string().contains(expected), "{error}");
    }
    for (moves, expected) in [
        (
            "- {seat: p9, at: turn.choosing, move: ring}",
            "move 1: there is no seat `p9`",
        ),
        (
            "- {seat: p1, at: turn.chosing, move: ring}",
            "move 1: no step `turn.chosing` asks",
        ),
        (
            "- {seat: p1, at: turn.choosing, move: rang}",
            "`turn.choosing` has no move `rang`",
        ),
        (
            "- {seat: p1, at: turn.choosing, move: ring, with: {c: small}}",
            "`ring` has no parameter `c`",
        ),
        (
            "- {seat: p1, at: turn.choosing, move: ring, with: {b: tiny}}",
            "is no `b`",
        ),
    ] {
        let head = text.split("moves:").next().expect("a head");
        let kept = Kept::read(&format!("{head}moves:\n{moves}\n")).expect("it can be read");
        let error = kept.record(&ruleset).expect_err("it is wrong");
        assert!(error.to_string().contains(expected), "{error}");
    }
}
