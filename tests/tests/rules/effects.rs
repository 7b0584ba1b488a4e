//! What a move does when much is laid over it.

use interpreter::CompileRuleset as _;
use interpreter::Ruleset;
use interpreter::diagnostic::Style;
use interpreter::package::Configuration;
use interpreter::play::{Audience, Match, Move, Seed, Value};
use referee_tests::mini;

const EXTENSIONS: usize = 200;

#[test]
fn two_hundred_effects_of_a_move_are_done_each_by_its_own_condition() {
    let of_rows = |line: &dyn Fn(usize) -> String| (0..EXTENSIONS).map(line).collect::<String>();
    let extensions = of_rows(&|i| {
        format!(
            "colour r{i} for p when counted:\n  extend game.act\n    do {{ gain(told(r{i}), 1); }}\n"
        )
    });
    let counted = "query counted(p: player, c: colour): bool = weight(c) > 0\n";
    let mut package = mini::package(&format!("{counted}{extensions}{}", mini::GAME));
    package.files[1].1 += &of_rows(&|i| {
        // One of three is counted, also among those beyond the 64th.
        let weight = i32::from(i % 3 == 0);
        format!("  r{i}: {{names: {{en: r, pl: r}}, weight: {weight}, twin: blue}}\n")
    });
    let compiled = Ruleset::compile(&package, &[], &Configuration::base(2));
    let ruleset = compiled.unwrap_or_else(|rejected| {
        panic!(
            "{}",
            rejected.diagnostics.render(&rejected.sources, Style::Plain)
        )
    });
    let mut played = Match::new(ruleset, Seed::from_number(1), false).expect("it begins");
    let seat = played.waiting()[0];
    let moves = played.legal_moves(seat, 1);
    let act: &Move = moves.first().expect("a move");
    played.apply(seat, act).expect("it is legal");
    let view = played.view(Audience::Referee);
    for i in 0..EXTENSIONS {
        let name = format!("r{i}");
        let (table, row) = ("colour".into(), name.as_str().into());
        let index = [Value::Row { table, row }];
        let mut counters = view.counters.iter();
        let told = counters.find(|(told, _)| &*told.name == "told" && told.index[..] == index);
        let (_, value) = told.expect("a counter of each row");
        assert_eq!(*value, Some(i64::from(i % 3 == 0)), "{name}");
    }
}

#[test]
fn a_seat_whose_score_cannot_be_worked_out_has_no_running_score() {
    let scores = "score coins for p: purse(p)\nscore share for p: 12 / (3 - purse(p))\n";
    let ruleset = mini::ruleset(&format!("{}{scores}", mini::GAME));
    let mut played = Match::new(ruleset, Seed::from_number(1), false).expect("it begins");
    let running = |played: &Match| -> Vec<(u8, i64)> {
        let view = played.view(Audience::Spectator);
        let sheets = view.scores.iter();
        sheets.map(|sheet| (sheet.seat.0, sheet.total)).collect()
    };
    // Both have 3 coins, and nothing is divided by zero.
    assert_eq!(running(&played), []);
    let seat = played.waiting()[0];
    let mut moves = played.legal_moves(seat, 100).into_iter();
    let gain = moves.find(|mv| mv.args.first().is_some_and(|(_, n)| *n == Value::Int(1)));
    played
        .apply(seat, &gain.expect("a move"))
        .expect("it is legal");
    assert_eq!(running(&played), [(seat.0, 4 - 12)]);
}
