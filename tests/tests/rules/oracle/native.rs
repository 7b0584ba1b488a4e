//! Machine code means what bytecode means: values, faults with their places, and fuel to the last unit.
//!
//! Rules that nobody would write are compared with it [too](super).

use std::convert::identity;

use interpreter::CompileRuleset as _;
use interpreter::package::Configuration;
use interpreter::play::{CompileOptions, NativeError};

use super::*;

fn natively(ruleset: &Ruleset) -> Arc<Ruleset> {
    ruleset.natively().expect("this machine has a translator")
}

#[test]
fn every_function_means_the_same_in_positions_of_play() {
    let mut games = every_game();
    games.push(("genoa/3".to_owned(), genoa(3)));
    for (name, ruleset) in games {
        let native = natively(&ruleset);
        let mut positions = positions(&ruleset, 7, 25);
        positions.truncate(12);
        match difference(&ruleset, &native, identity, &positions, 30) {
            Ok(compared) => assert!(compared > 2_000, "{name}: only {compared}"),
            Err(different) => panic!("{name}: {different}"),
        }
    }
}

#[test]
fn whole_matches_are_the_same_state_by_state() {
    for (name, bytecode) in every_game() {
        same_matches(&name, [&bytecode, &natively(&bytecode)], 10..14);
    }
}

#[test]
fn faults_are_the_same_in_the_same_place_at_the_same_price() {
    for (rules, message, _) in FAULTS {
        let (game, bytecode, _) = tried(rules);
        let id = bytecode.model().names["tried"];
        let interpreted = game.evaluate(&bytecode, id, &[1]);
        let fault = interpreted.value.clone().expect_err(rules);
        assert!(fault.message.contains(message), "{rules}: {fault}");
        assert_eq!(
            interpreted,
            game.evaluate(&natively(&bytecode), id, &[1]),
            "{rules}"
        );
    }
}

#[test]
fn the_comparison_notices_changed_instructions() {
    let ruleset = puerto_rico(3);
    let positions: Vec<Game> = (0..6)
        .flat_map(|seed| positions(&ruleset, seed, 18))
        .collect();
    let mut random = Random::new(4);
    let (mut changed, mut noticed) = (0, 0);
    while changed < 20 {
        let instruction = random.below(ruleset.instructions() as u64) as usize;
        let Some(mutant) = ruleset.mutated(instruction) else {
            continue;
        };
        changed += 1;
        let mutant = natively(&mutant);
        let compared =
            std::panic::catch_unwind(|| difference(&ruleset, &mutant, identity, &positions, 40));
        noticed += usize::from(!matches!(compared, Ok(Ok(_))));
    }
    assert!(noticed * 10 >= changed * 8, "{noticed} of {changed}");
}

#[test]
fn a_match_on_machine_code_undoes_faults_too() {
    let ruleset = natively(&mini::ruleset(FAULTY));
    undoes_faults(ruleset);
}

#[test]
fn several_threads_play_the_same_code() {
    let ruleset = natively(&puerto_rico(4));
    let outcome = |seed| {
        let mut random = Random::new(seed);
        let mut game = Game::new(ruleset.clone(), Seed::from_number(seed), false, false);
        game.start().expect("no fault");
        while !game.is_over() {
            game.play_random(&mut || random.word()).expect("no fault");
        }
        game.outcome()
    };
    let alone: Vec<_> = (0..40).map(outcome).collect();
    let together = std::thread::scope(|scope| {
        let threads = (0..4).map(|_| scope.spawn(|| (0..40).map(outcome).collect::<Vec<_>>()));
        let threads: Vec<_> = threads.collect();
        let ended = threads.into_iter().map(|thread| thread.join());
        ended.map(|all| all.expect("no panic")).collect::<Vec<_>>()
    });
    assert!(together.iter().all(|all| *all == alone));
}

#[test]
fn a_traced_ruleset_is_interpreted() {
    let texts = mini::package(mini::GAME);
    let options = CompileOptions {
        traced: true,
        ..CompileOptions::default()
    };
    let traced = Ruleset::compile_with(&texts, &[], &Configuration::base(2), options);
    let traced = traced.expect("it compiles");
    assert!(matches!(traced.natively(), Err(NativeError::Traced)));
}
