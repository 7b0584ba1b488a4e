//! Whole games of the shipped rulesets, played at random from a seed and told move by move.
//!
//! The accepted texts lie with the rules, in `rulesets/<game>/snapshots`: whoever changes a rule
//! reads in the difference what the change does to play.

use interpreter::package::Language;
use referee::report::transcript::{random_game, transcript};
use referee_tests::ruleset;

fn told(players: u8, seed: u64, language: Language) -> String {
    let told = random_game(&ruleset("puerto-rico", players), seed).expect("it can be set up");
    assert_eq!(told.fault, None);
    assert!(told.game.outcome().is_some());
    transcript(&told.game, language)
}

macro_rules! accepted {
    ($name:literal, $text:expr) => {
        insta::with_settings!({
            omit_expression => true,
            prepend_module_to_snapshot => false,
            snapshot_path => "../../../rulesets/puerto-rico/snapshots",
        }, {
            insta::assert_snapshot!($name, $text);
        });
    };
}

#[test]
fn puerto_rico_with_two_players() {
    accepted!("random_game_2_players", told(2, 2, Language::English));
}

#[test]
fn puerto_rico_with_three_players() {
    accepted!("random_game_3_players", told(3, 3, Language::English));
}

#[test]
fn puerto_rico_with_four_players() {
    accepted!("random_game_4_players", told(4, 4, Language::English));
}

#[test]
fn puerto_rico_with_five_players() {
    accepted!("random_game_5_players", told(5, 5, Language::English));
}

#[test]
fn puerto_rico_in_polish() {
    // The first round and the end are enough to see every sort of sentence.
    let text = told(3, 3, Language::Polish);
    let second = text.find("════ runda 2").expect("a second round");
    let end = text.find("════ koniec").expect("an end");
    let text = format!("{}[…]\n\n{}", &text[..second], &text[end..]);
    accepted!("random_game_3_players_pl", text);
}
