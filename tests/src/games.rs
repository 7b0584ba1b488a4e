//! Matches that tests walk through.

use std::sync::Arc;

use interpreter::Ruleset;
use interpreter::package::Configuration;
use interpreter::play::{Audience, Match, Seat, Seed};

use crate::random::Random;
use crate::{compile, root, ruleset};

/// The most moves that a random game of a tested ruleset may take.
pub const LONGEST: usize = 5000;

/// Puerto Rico's base game.
pub fn puerto_rico(players: u8) -> Arc<Ruleset> {
    ruleset("puerto-rico", players)
}

/// San Juan.
pub fn san_juan(players: u8) -> Arc<Ruleset> {
    ruleset("san-juan", players)
}

/// The night market, an invented game of this crate, with some of its modules.
pub fn night_market(players: u8, modules: &[&str]) -> Arc<Ruleset> {
    let mut configuration = Configuration::base(players);
    configuration.modules = modules.iter().map(|m| (*m).to_owned()).collect();
    compile(&root().join("tests/rulesets/night-market"), &configuration)
}

/// The tea house, another invented game.
pub fn tea_house(players: u8) -> Arc<Ruleset> {
    compile(
        &root().join("tests/rulesets/tea-house"),
        &Configuration::base(players),
    )
}

/// A shipped ruleset with modules.
pub fn shipped(id: &str, players: u8, modules: &[&str]) -> Arc<Ruleset> {
    let mut configuration = Configuration::base(players);
    configuration.modules = modules.iter().map(|m| (*m).to_owned()).collect();
    compile(&root().join("rulesets").join(id), &configuration)
}

/// The modules of the Duel of the Princes.
pub const DUEL: [&str; 4] = ["era-of-gold", "era-of-turmoil", "era-of-progress", "duel"];

/// The Rivals for Catan with modules, so that players who play at random come to an end.
pub fn rivals(modules: &[&str]) -> Arc<Ruleset> {
    let mut configuration = Configuration::base(2);
    configuration.modules = modules.iter().map(|m| (*m).to_owned()).collect();
    configuration
        .options
        .insert("removal_when_full".to_owned(), 1);
    compile(&root().join("rulesets/catan-rivals"), &configuration)
}

/// All expansions of Puerto Rico.
pub const EXPANSIONS: [&str; 4] = ["new-buildings", "nobles", "corsair", "festival"];

/// Every ruleset and number of players that properties are tried on, each with a name.
pub fn every_game() -> Vec<(String, Arc<Ruleset>)> {
    let mut all = invented_games();
    for (id, players, modules) in [
        ("puerto-rico", 2, &[][..]),
        ("puerto-rico", 3, &[]),
        ("puerto-rico", 4, &[]),
        ("puerto-rico", 5, &[]),
        ("puerto-rico", 3, &EXPANSIONS),
        ("puerto-rico", 4, &["first-edition"]),
        ("san-juan", 2, &[]),
        ("san-juan", 3, &[]),
        ("san-juan", 4, &["new-buildings"]),
    ] {
        let name = format!("{id}/{players} {modules:?}");
        all.push((name, shipped(id, players, modules)));
    }
    all
}

/// The invented games, and two shipped ones: one for two players, whose rules differ then, and one of hidden hands with a
/// module. `cargo test` tries these where all games take long.
pub fn some_games() -> Vec<(String, Arc<Ruleset>)> {
    let mut some = invented_games();
    for (id, players, modules) in [
        ("puerto-rico", 2, &[][..]),
        ("san-juan", 4, &["new-buildings"]),
    ] {
        let name = format!("{id}/{players} {modules:?}");
        some.push((name, shipped(id, players, modules)));
    }
    some
}

/// Every game, and the games that take long: what is tried on them is cheap.
pub fn all_games() -> Vec<(String, Arc<Ruleset>)> {
    let mut all = every_game();
    all.push(("catan-rivals".to_owned(), rivals(&[])));
    all.push(("catan-rivals/duel".to_owned(), rivals(&DUEL)));
    all.push(("genoa".to_owned(), genoa(3)));
    all
}

/// A game of open bargaining: what it offers is too much to be looked at as often as the others are.
pub fn genoa(players: u8) -> Arc<Ruleset> {
    shipped("genoa", players, &[])
}

/// The games that were invented to use every construct, and are short.
pub fn invented_games() -> Vec<(String, Arc<Ruleset>)> {
    let mut all = Vec::new();
    for players in 2..=3 {
        for modules in [&[][..], &["rainy"]] {
            let name = format!("night-market/{players} {modules:?}");
            all.push((name, night_market(players, modules)));
        }
        all.push((format!("tea-house/{players}"), tea_house(players)));
    }
    all
}

/// In which positions a costly property is tried: in every one of a short game, every `long`th of others.
pub fn nth(name: &str, long: u32) -> u32 {
    if name.starts_with("night-market") || name.starts_with("tea-house") {
        1
    } else {
        long
    }
}

/// Everybody who may look at a match of so many players.
pub fn audiences(players: u8) -> Vec<Audience> {
    let mut all = vec![Audience::Spectator, Audience::Referee];
    all.extend((0..players).map(|s| Audience::Seat(Seat(s))));
    all
}

/// Begins a match and plays it at random, showing it before every move and when it is over.
///
/// # Panics
/// If a legal move cannot be made, or the game does not end.
pub fn walk(ruleset: &Arc<Ruleset>, seed: u64, ask_forced: bool, mut look: impl FnMut(&Match)) {
    let mut random = Random::new(seed);
    let mut played =
        Match::new(ruleset.clone(), Seed::from_number(seed), ask_forced).expect("the match begins");
    for _ in 0..LONGEST {
        look(&played);
        let Some(seat) = played.quickest(&mut || random.word()) else {
            assert!(
                played.outcome().is_some(),
                "nobody is asked, but it is not over"
            );
            return;
        };
        let mv = played
            .sample(seat, &mut || random.word())
            .expect("whoever is asked has a move");
        if let Err(error) = played.apply(seat, &mv) {
            panic!("{seat:?} {mv:?}: {error:?}");
        }
    }
    panic!("no end after {LONGEST} moves");
}
