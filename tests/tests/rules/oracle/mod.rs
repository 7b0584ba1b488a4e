//! Bytecode means what Rhai's own evaluator says it means.
//!
//! Both work from the same typed tree and with the same verbs, so what is compared is evaluation:
//! lowering, the register machine, its faults with their places, its fuel. Explanations of refusals,
//! which walk the tree by themselves, are held to the same values.

#[cfg(feature = "native")]
mod native;

use std::sync::Arc;

use interpreter::Ruleset;
use interpreter::play::{ApplyError, Audience, Evaluated, Game, Listed, Match, Seed};
use interpreter::program::ids::{Idx as _, MoveId};
use proptest::prelude::*;
use referee_oracle::Oracle as _;
use referee_tests::functions::{arguments, bounds};
use referee_tests::games::{
    LONGEST, every_game, genoa, invented_games, night_market, puerto_rico, tea_house, walk,
};
use referee_tests::generated;
use referee_tests::mini;
use referee_tests::random::Random;
use referee_tests::sample::asked;
use rhai::packages::{BasicIteratorPackage, Package};

/// What no fault says of exhausted fuel and deep calls: bytecode notices them a little earlier or later.
fn kind(mut evaluated: Evaluated) -> Evaluated {
    if let Err(fault) = &mut evaluated.value
        && (fault.message.contains("million steps") || fault.message.contains("nested"))
    {
        fault.at.clear();
        evaluated.fuel = 0;
    }
    evaluated
}

/// Evaluates every function in a position on two evaluators; gives the number of evaluations, or the first
/// difference in what is `told` of them.
fn compare(
    game: &Game,
    rulesets: [&Ruleset; 2],
    told: fn(Evaluated) -> Evaluated,
    bounds: &[Vec<Option<u32>>],
    most: usize,
    random: &mut Random,
) -> Result<usize, String> {
    let mut compared = 0;
    for (id, function) in rulesets[0].model().functions.iter_enumerated() {
        for args in arguments(&bounds[id.index()], most, random) {
            let [a, b] = rulesets.map(|ruleset| told(game.evaluate(ruleset, id, &args)));
            let name = &function.name;
            if a != b {
                let (a, b) = (a.value, b.value);
                return Err(format!("{name} of {args:?}: bytecode {a:?}, other {b:?}"));
            }
            let fuel = kind(a.clone()).value.is_err_and(|f| f.at.is_empty());
            if function.body.is_empty() && function.result.is_some() && !fuel {
                let explained = game.explained(id, &args);
                let value = a.value.ok();
                if explained != value {
                    return Err(format!(
                        "{name} of {args:?} is {value:?}, but is explained as {explained:?}"
                    ));
                }
            }
            compared += 1;
        }
    }
    let model = rulesets[0].model();
    for target in model.spreads.iter().flat_map(|spread| &spread.targets) {
        let Some(room) = target.room else { continue };
        // The last of its arguments is the number of a place.
        for args in arguments(&bounds[room.index()], most, random) {
            let (args, places) = (&args[..args.len() - 1], target.offsets.len());
            let [a, b] = rulesets.map(|ruleset| game.each(ruleset, room, args, places));
            if a != b {
                let name = &model.functions[room].name;
                return Err(format!("{name} of all: bytecode {a:?}, other {b:?}"));
            }
            compared += places;
        }
    }
    for (mv, own) in model.moves.iter_enumerated() {
        for seat in 0..model.players {
            let start = random.word();
            let list = |most: usize, rotated: bool| {
                rulesets.map(|ruleset| {
                    let mut same = Random::new(start);
                    let mut word = || same.word();
                    game.listed(ruleset, (mv, seat), most, rotated.then_some(&mut word))
                })
            };
            let (all, drawn) = (list(usize::MAX, false), list(usize::MAX, true));
            for [a, b] in [&all, &drawn, &list(1, false), &list(1, true)] {
                if a != b {
                    let name = &own.address;
                    return Err(format!(
                        "{name} of seat {seat}: bytecode {a:?}, other {b:?}"
                    ));
                }
            }
            // In another order, but the same.
            let sorted = |listed: &Listed| {
                let mut moves = listed.moves.clone();
                moves.sort();
                moves
            };
            if all[0].enough.is_ok() && sorted(&all[0]) != sorted(&drawn[0]) {
                return Err(format!(
                    "{} of seat {seat}: drawn otherwise than listed",
                    own.address
                ));
            }
            compared += all[0].moves.len();
        }
    }
    Ok(compared)
}

/// Compares every function in these positions.
fn difference(
    bytecode: &Arc<Ruleset>,
    other: &Arc<Ruleset>,
    told: fn(Evaluated) -> Evaluated,
    positions: &[Game],
    most: usize,
) -> Result<usize, String> {
    let bounds = bounds(bytecode.model());
    let mut random = Random::new(5);
    let mut compared = 0;
    for (n, game) in positions.iter().enumerate() {
        compared += compare(game, [bytecode, other], told, &bounds, most, &mut random)
            .map_err(|different| format!("in position {n}, {different}"))?;
    }
    Ok(compared)
}

/// Every `nth` position of a random game.
fn positions(ruleset: &Arc<Ruleset>, seed: u64, nth: usize) -> Vec<Game> {
    let mut all = Vec::new();
    let mut n = 0;
    walk(ruleset, seed, true, |played| {
        if n % nth == 0 {
            all.push(played.game().fork());
        }
        n += 1;
    });
    all
}

#[test]
fn every_function_means_the_same_in_positions_of_invented_games() {
    let games = vec![
        ("night-market/3 [rainy]".into(), night_market(3, &["rainy"])),
        ("tea-house/2".into(), tea_house(2)),
    ];
    compare_positions(games, 9);
}

#[test]
#[ignore = "slow"]
fn every_function_means_the_same_in_positions_of_play() {
    compare_positions(every_game(), 6);
}

/// Compares every function in every `nth` position of random games by bytecode and by the oracle.
fn compare_positions(games: Vec<(String, Arc<Ruleset>)>, nth: usize) {
    for (name, ruleset) in games {
        let oracle = ruleset.with_oracle(false);
        let nth = if name.starts_with("puerto") {
            4 * nth
        } else {
            nth
        };
        for seed in 0..asked("REFEREE_ORACLE_GAMES").unwrap_or(1) {
            let positions = positions(&ruleset, seed, nth);
            match difference(&ruleset, &oracle, kind, &positions, 30) {
                Ok(compared) => assert!(compared > 5_000, "{name}: only {compared}"),
                Err(different) => panic!("{name}, game {seed}: {different}"),
            }
        }
    }
}

#[test]
#[ignore = "slow"]
fn bags_and_records_mean_the_same() {
    let ruleset = genoa(2);
    let oracle = ruleset.with_oracle(false);
    let mut positions = positions(&ruleset, 1, 40);
    positions.truncate(6);
    match difference(&ruleset, &oracle, kind, &positions, 6) {
        Ok(compared) => assert!(compared > 5_000, "only {compared}"),
        Err(different) => panic!("{different}"),
    }
}

/// Plays random matches on two evaluators side by side.
fn same_matches(name: &str, rulesets: [&Arc<Ruleset>; 2], seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let begin = |ruleset: &Arc<Ruleset>| {
            Match::new(ruleset.clone(), Seed::from_number(seed), false).expect("it begins")
        };
        let [mut a, mut b] = rulesets.map(begin);
        let mut random = Random::new(seed);
        for n in 0.. {
            assert!(n < LONGEST, "{name} does not end");
            assert_eq!(
                a.state_hash(),
                b.state_hash(),
                "{name}, game {seed}, move {n}"
            );
            let Some(&seat) = a.waiting().first() else {
                break;
            };
            assert_eq!(
                a.question(seat),
                b.question(seat),
                "{name}, game {seed}, move {n}"
            );
            let mv = a.sample(seat, &mut || random.word()).expect("a legal move");
            a.apply(seat, &mv).expect("it is legal");
            b.apply(seat, &mv).expect("it is legal");
        }
        assert_eq!(a.outcome(), b.outcome(), "{name}, game {seed}");
        let everything = |m: &Match| m.events(Audience::Referee, 0);
        assert_eq!(everything(&a), everything(&b), "{name}, game {seed}");
        assert_eq!(a.moves(), b.moves(), "{name}, game {seed}");
    }
}

#[test]
fn whole_matches_of_invented_games_are_the_same_state_by_state() {
    for (name, bytecode) in invented_games() {
        same_matches(&name, [&bytecode, &bytecode.with_oracle(true)], 0..1);
    }
}

#[test]
#[ignore = "slow"]
fn whole_matches_are_the_same_state_by_state() {
    for (name, bytecode) in every_game() {
        same_matches(&name, [&bytecode, &bytecode.with_oracle(true)], 0..4);
    }
}

/// A game of these rules at its first question, and the same rules on the oracle.
fn tried(rules: &str) -> (Game, Arc<Ruleset>, Arc<Ruleset>) {
    let bytecode = mini::ruleset(&format!("{rules}{}", mini::GAME));
    let oracle = bytecode.with_oracle(true);
    let mut game = Game::new(bytecode.clone(), Seed::from_number(1), true, false);
    game.start().expect("it begins");
    (game, bytecode, oracle)
}

/// Fuel of the oracle where a rule would use up all: Rhai takes long for a million steps.
const LITTLE: u64 = 20_000;

/// Rules with a fault in `tried`, of one: what it is called, and where it is if all evaluators know.
const FAULTS: [(&str, &str, &str); 13] = [
    (
        "query tried(n: int): int = 7 / (n - n)",
        "a division by zero",
        "1:28",
    ),
    (
        "query tried(n: int): int = 7 % (n - n)",
        "a division by zero",
        "1:28",
    ),
    (
        "query tried(n: int): int = n * 2147483647 * 2147483647 * 2147483647",
        "a number left its range",
        "1:28",
    ),
    (
        "query tried(n: int): int = sum i in 1 to 3: 2147483647 * 2147483647 * n",
        "a number left its range",
        "",
    ),
    (
        "effect tried(n: int): do { while n > 0 { n += 1; } }",
        "did not end within a million steps",
        "",
    ),
    (
        "effect tried(n: int): do { for i in 0..2000000 { n = i; } }",
        "did not end within a million steps",
        "",
    ),
    (
        "query tried(n: int): int = sum i in 1 to 2000: sum j in 1 to 2000: 1 + 0 * (i + j + n)",
        "did not end within a million steps",
        "",
    ),
    (
        "effect tried(n: int): do { move(n + 9, red, shelf, pocket(dealer)); }",
        "pieces were moved that are not there",
        "1:28",
    ),
    (
        "effect tried(n: int): do { take(0 - n, red, shelf, pocket(dealer)); }",
        "a negative number of pieces was moved",
        "1:28",
    ),
    (
        "effect tried(n: int): do { pay(jar, n); }",
        "a counter would fall below zero",
        "1:28",
    ),
    (
        "effect tried(n: int): do { set(purse(dealer), n * 2147483647 * 4); }",
        "a number left its range",
        "1:28",
    ),
    (
        "effect tried(n: int): do { gain(purse(dealer), n * 2147483000); gain(purse(dealer), n * 2147483000); }",
        "a number left its range",
        "1:65",
    ),
    (
        "effect tried(n: int): do { take_out(n + 2, red, heap, shelf); }",
        "pieces were moved that are not there",
        "1:28",
    ),
];

#[test]
fn faults_are_the_same_and_in_the_same_place() {
    same_faults(LITTLE);
}

#[test]
#[ignore = "slow"]
fn faults_are_the_same_with_all_fuel() {
    same_faults(u64::MAX);
}

/// Compares each of the faults; the oracle has at most so much fuel for those that use up all.
fn same_faults(fuel: u64) {
    for (rules, message, at) in FAULTS {
        let (game, bytecode, mut oracle) = tried(rules);
        if message.contains("million steps") {
            oracle = bytecode.with_oracle_within(true, fuel);
        }
        let id = bytecode.model().names["tried"];
        let a = game.evaluate(&bytecode, id, &[1]);
        let b = game.evaluate(&oracle, id, &[1]);
        let fault = a.value.clone().expect_err(rules);
        assert!(fault.message.contains(message), "{rules}: {fault}");
        if !at.is_empty() {
            assert_eq!(fault.at, format!("mini/tried.rules:{at}"), "{rules}");
        }
        assert_eq!(kind(a), kind(b), "{rules}");
    }
}

#[test]
fn what_can_fail_stays_where_it_is_guarded() {
    // Each guard is false at the beginning; what it guards is the same for every colour.
    for guarded in [
        "jar > 0 and 10 / jar > weight(c)",
        "jar > 0 and 10 % jar > weight(c)",
        "mark is not none and weight(mark) > weight(c)",
        "friend(p) is not none and purse(friend(p)) > weight(c)",
        "jar > 0 and (purse(p) + 2147483647) * 2147483647 * 2147483647 > weight(c)",
    ] {
        let rules = format!(
            "phase game
  step going: repeat until the game ends
    step turns: each p from dealer
      ask p
        move guarded(c: colour)
          needs weight(c) > 100 or ({guarded})
          do {{ gain(purse(p), 1); }}
        move pass
ending rich when any p in players: purse(p) > 20
"
        );
        let bytecode = mini::ruleset(&rules);
        let oracle = bytecode.with_oracle(true);
        let mut game = Game::new(bytecode.clone(), Seed::from_number(1), true, false);
        game.start().expect(guarded);
        let listed = [&bytecode, &oracle]
            .map(|ruleset| game.listed(ruleset, (MoveId(0), 0), usize::MAX, None));
        assert_eq!(listed[0], listed[1], "{guarded}");
        assert_eq!(
            (&listed[0].enough, listed[0].moves.len()),
            (&Ok(false), 0),
            "{guarded}"
        );
    }
}

#[test]
fn what_is_moved_before_a_loop_keeps_its_own_loops_apart() {
    // The same for every colour: loops within a loop, none of them a plain sum.
    let rules = "phase game
  step going: repeat until the game ends
    step turns: each p from dealer
      ask p
        move tried(c: colour)
          needs weight(c) < 4 * (max d in colours: (count q in players where purse(q) > weight(d) + (min e in colours: told(e))))
          do { gain(purse(p), 1); }
        move pass
ending rich when any p in players: purse(p) > 20
";
    let bytecode = mini::ruleset(rules);
    let oracle = bytecode.with_oracle(true);
    let mut game = Game::new(bytecode.clone(), Seed::from_number(1), true, false);
    game.start().expect("it begins");
    let listed =
        [&bytecode, &oracle].map(|ruleset| game.listed(ruleset, (MoveId(0), 0), usize::MAX, None));
    assert_eq!(listed[0], listed[1]);
    assert_eq!((&listed[0].enough, listed[0].moves.len()), (&Ok(false), 3));
}

/// So many cases in every run of the tests; `PROPTEST_CASES` asks for more.
fn config(cases: u32) -> ProptestConfig {
    let mut config = ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = cases;
    }
    config
}

/// Compares generated rules by bytecode and by others.
fn compare_generated(rules: &generated::Rules, seed: u64) -> Result<(), TestCaseError> {
    let text = rules.text();
    let bytecode = match mini::compile(&text, 2) {
        Ok(ruleset) => ruleset,
        Err(shown) => return Err(TestCaseError::fail(format!("{shown}\n{text}"))),
    };
    let oracle = bytecode.with_oracle(true);
    let mut others = vec![(oracle, kind as fn(_) -> _)];
    if cfg!(feature = "native") {
        let native = bytecode.natively().expect("this machine has a translator");
        others.push((native, std::convert::identity));
    }
    let mut random = Random::new(seed);
    let mut game = Game::new(bytecode.clone(), Seed::from_number(seed), true, false);
    game.start().expect("it begins");
    // From position to position by what the effects do.
    for _ in 0..4 {
        let bounds = bounds(bytecode.model());
        for (other, told) in &others {
            let rulesets = [&*bytecode, &**other];
            if let Err(different) = compare(&game, rulesets, *told, &bounds, 8, &mut random) {
                let printed = bytecode.oracle_text();
                return Err(TestCaseError::fail(format!(
                    "{different}\n{text}\n{printed}"
                )));
            }
        }
        for name in ["e0", "e1", "e2"] {
            let args = [
                random.below(2) as i64,
                random.below(3) as i64,
                random.below(4) as i64,
            ];
            let after = game.evaluate(&bytecode, bytecode.model().names[name], &args);
            if after.value.is_ok() {
                game = game.at(after.position);
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(16))]

    #[test]
    fn generated_rules_mean_the_same(rules in generated::rules(), seed in any::<u64>()) {
        compare_generated(&rules, seed)?;
    }
}

proptest! {
    #![proptest_config(config(64))]

    #[test]
    #[ignore = "slow"]
    fn more_generated_rules_mean_the_same(rules in generated::rules(), seed in any::<u64>()) {
        compare_generated(&rules, seed)?;
    }

    /// Scripts are Rhai: the author's own text, run by Rhai as it stands, gives the same numbers.
    #[test]
    fn scripts_mean_what_rhai_says(body in generated::statements(3, true), n in -3..4i64) {
        let mut scope = generated::Scope {
            script: true,
            numbers: vec!["a".to_owned(), "b".to_owned(), "n".to_owned()],
            ..generated::Scope::default()
        };
        let mut script = "let a = 1;\nlet b = 2;\n".to_owned();
        scope.block(&body, &mut script);
        let (game, bytecode, _) = tried(&format!(
            "phase scratch\n  keeps result(c: colour): int\n  query shown(c: colour): int = result(c)\n  \
             step nothing: do {{ gain(jar, 1); }}\n\
             effect tried(n: int): do {{\n{script}set(scratch.result(red), a); set(scratch.result(green), b);\n}}\n"
        ));
        let ours = game.evaluate(&bytecode, bytecode.model().names["tried"], &[n]);

        let mut engine = rhai::Engine::new_raw();
        engine.register_global_module(BasicIteratorPackage::new().as_shared_module());
        engine.set_optimization_level(rhai::OptimizationLevel::None);
        engine.set_max_expr_depths(0, 0);
        engine.register_fn("min", |a: i64, b: i64| a.min(b));
        engine.register_fn("max", |a: i64, b: i64| a.max(b));
        let mut names = rhai::Scope::new();
        names.push("n", n);
        let theirs = engine.eval_with_scope::<rhai::Array>(&mut names, &format!("{script}[a, b]"));
        match (ours.value, theirs) {
            (Ok(_), Ok(theirs)) => {
                let told = |row: i64| {
                    let read = bytecode.model().names["scratch.shown"];
                    game.at(ours.position.clone()).evaluate(&bytecode, read, &[row]).value
                };
                let theirs: Vec<i64> = theirs.iter().map(|v| v.as_int().expect("a number")).collect();
                prop_assert_eq!(vec![told(0), told(1)], vec![Ok(theirs[0]), Ok(theirs[1])], "{}", script);
            }
            (Err(fault), Ok(theirs)) => {
                // Rhai has no counters, whose numbers have 32 bits.
                let long = theirs.iter().any(|v| v.as_int().is_ok_and(|v| i32::try_from(v).is_err()));
                prop_assert!(long && fault.message.contains("left its range"), "{}: {}", fault, script);
            }
            (Err(fault), Err(error)) => {
                let error = error.to_string();
                let zero = error.contains("by zero") && error.contains(" 0 ");
                prop_assert_eq!(fault.message.contains("division by zero"), zero, "{} {}", fault, error);
            }
            (Ok(_), Err(error)) => prop_assert!(false, "{}: {}", error, script),
        }
    }
}

#[test]
fn the_comparison_notices_changed_instructions() {
    notices_changes(&puerto_rico(3), 4, 20);
}

#[test]
#[ignore = "slow"]
fn the_comparison_notices_changed_instructions_of_a_long_game() {
    notices_changes(&puerto_rico(3), 12, 60);
}

/// Changes so many instructions, and compares the functions in positions of so many games: nine of ten are noticed.
fn notices_changes(ruleset: &Arc<Ruleset>, games: u64, changes: usize) {
    // The bytecode stands in for the slow reference, to which it is the same: one is asked for each change here.
    let positions: Vec<Game> = (0..games)
        .flat_map(|seed| positions(ruleset, seed, 18))
        .collect();
    let mut random = Random::new(3);
    let (mut changed, mut noticed) = (0, 0);
    let mut missed = Vec::new();
    while changed < changes {
        let instruction = random.below(ruleset.instructions() as u64) as usize;
        let Some(mutant) = ruleset.mutated(instruction) else {
            continue;
        };
        changed += 1;
        // A changed instruction may also panic, which is noticing it.
        let compared =
            std::panic::catch_unwind(|| difference(&mutant, ruleset, kind, &positions, 40));
        match compared {
            Ok(Ok(_)) => missed.push(ruleset.instruction(instruction)),
            _ => noticed += 1,
        }
    }
    assert!(
        noticed * 10 >= changed * 9,
        "{noticed} of {changed}; missed {missed:#?}"
    );
}

/// Rules with a move that can fail after it has done something.
const FAULTY: &str = "
phase game
  step going: repeat until the game ends
    step turns: each p from dealer
      ask p
        move act(n: 0 to 3)
          do {
            gain(purse(p), 1);
            move(1, red, shelf, pocket(p));
            set(jar, 6 / n);
          }
        move pass
ending rich when any p in players: purse(p) > 20
";

fn undoes_faults(ruleset: Arc<Ruleset>) {
    let mut played = Match::new(ruleset, Seed::from_number(1), true).expect("it begins");
    let seat = played.waiting()[0];
    let before = (played.state_hash(), played.events(Audience::Referee, 0));
    let moves = played.legal_moves(seat, 100);
    let ApplyError::Fault(fault) = played.apply(seat, &moves[0]).expect_err("6 / 0") else {
        panic!("a fault, not a refusal");
    };
    assert_eq!(
        fault.to_string(),
        "a division by zero: ask first whether there is anything to divide by at mini/tried.rules:10:22"
    );
    assert_eq!(
        before,
        (played.state_hash(), played.events(Audience::Referee, 0))
    );
    played.apply(seat, &moves[1]).expect("6 / 1");
}

#[test]
fn a_match_on_the_oracle_undoes_faults_too() {
    let bytecode = mini::ruleset(FAULTY);
    undoes_faults(bytecode.clone());
    undoes_faults(bytecode.with_oracle(true));
}
