//! Whole games of the shipped rulesets: their pinned moves are made again, and what came of them is what was accepted.
//!
//! What is accepted lies with the rules, in `rulesets/<game>/snapshots`: `games.json` pins every move, hashes of the
//! states and the outcome of every game; of some there is a text as well, so that whoever changes a rule reads in the
//! difference what the change does to play.

use interpreter::CompileRuleset as _;
use interpreter::package::Language;
use referee::players::PlayedBy;
use referee::report::snapshots::replay::replay;
use referee::report::snapshots::{Pinned, Shown, Spoken, games, snapshot};
use referee::report::transcript::{Tables, random_game, transcript};
use referee_tests::games::{DUEL, EXPANSIONS, night_market, shipped, tea_house};
use referee_tests::{root, texts, trees};

/// A game of a shipped ruleset's list.
fn listed(id: &str, name: &str) -> Pinned {
    let listed = games(&root().join("rulesets").join(id)).expect("a list");
    let found = listed.games.into_iter().find(|game| game.name == name);
    found.unwrap_or_else(|| panic!("no game `{name}` is listed"))
}

/// Makes the pinned moves of a game again, and gives its text, if it has one. The text is for `insta` to compare.
fn told(id: &str, name: &str, players: u8, modules: &[&str], seed: u64) -> Option<String> {
    let pinned = listed(id, name);
    assert_eq!((pinned.players, pinned.seed), (players, seed));
    assert_eq!(pinned.modules, modules);
    assert!(pinned.played.is_some(), "nothing is pinned");
    let folder = root().join("rulesets").join(id);
    let snapshot = snapshot(&folder, &texts(&folder), &trees(&folder), &pinned, None)
        .unwrap_or_else(|error| panic!("{error}"));
    let mut differences = snapshot.differences.iter();
    if let Some(differs) = differences.find(|difference| difference.what != "text") {
        panic!(
            "{}\n`referee snapshot review rulesets/{id} --filter {name}` shows more",
            differs.message.join("\n")
        );
    }
    assert_eq!(snapshot.played, snapshot.pinned);
    let text = snapshot.told.expect("it is played to its end");
    assert_eq!(text.is_some(), pinned.text != Shown::None);
    text
}

macro_rules! accepted {
    ($id:literal, $name:literal, $text:expr) => {
        insta::with_settings!({
            omit_expression => true,
            prepend_module_to_snapshot => false,
            snapshot_path => concat!("../../../rulesets/", $id, "/snapshots"),
        }, {
            insta::assert_snapshot!($name, $text);
        });
    };
}

/// Checks a pinned game: of a ruleset, under a name, with so many players, modules, and a seed.
macro_rules! games {
    ($($test:ident: $id:literal, $name:literal, $players:literal, $modules:expr, $seed:literal;)*) => {
        $(#[test]
        fn $test() {
            if let Some(text) = told($id, $name, $players, $modules, $seed) {
                accepted!($id, $name, text);
            }
        })*
    };
}

games! {
    genoa_with_two_players: "genoa", "annotated_game", 2, &[], 2;
    genoa_with_three_players: "genoa", "random_game_3_players", 3, &[], 3;
    genoa_with_four_players: "genoa", "random_game_4_players", 4, &[], 4;
    genoa_with_five_players: "genoa", "random_game_5_players", 5, &[], 5;
    puerto_rico_with_two_players: "puerto-rico", "random_game_2_players", 2, &[], 2;
    puerto_rico_with_three_players: "puerto-rico", "annotated_game", 3, &[], 3;
    puerto_rico_with_four_players: "puerto-rico", "random_game_4_players", 4, &[], 4;
    puerto_rico_with_five_players: "puerto-rico", "random_game_5_players", 5, &[], 5;
    puerto_rico_with_new_buildings: "puerto-rico", "annotated_new_buildings", 2, &["new-buildings"], 1;
    puerto_rico_with_new_buildings_for_three: "puerto-rico", "random_game_new_buildings_3_players", 3, &["new-buildings"], 1;
    puerto_rico_with_new_buildings_for_four: "puerto-rico", "random_game_new_buildings_4_players", 4, &["new-buildings"], 1;
    puerto_rico_with_new_buildings_for_five: "puerto-rico", "random_game_new_buildings_5_players", 5, &["new-buildings"], 1;
    puerto_rico_with_nobles: "puerto-rico", "annotated_nobles", 3, &["nobles"], 1;
    puerto_rico_with_nobles_for_two: "puerto-rico", "random_game_nobles_2_players", 2, &["nobles"], 1;
    puerto_rico_with_nobles_for_four: "puerto-rico", "random_game_nobles_4_players", 4, &["nobles"], 1;
    puerto_rico_with_nobles_for_five: "puerto-rico", "random_game_nobles_5_players", 5, &["nobles"], 1;
    puerto_rico_with_the_corsair: "puerto-rico", "annotated_corsair", 4, &["corsair"], 1;
    puerto_rico_with_the_corsair_for_two: "puerto-rico", "random_game_corsair_2_players", 2, &["corsair"], 1;
    puerto_rico_with_the_corsair_for_three: "puerto-rico", "random_game_corsair_3_players", 3, &["corsair"], 1;
    puerto_rico_with_the_corsair_for_five: "puerto-rico", "random_game_corsair_5_players", 5, &["corsair"], 1;
    puerto_rico_with_the_festival: "puerto-rico", "annotated_festival", 5, &["festival"], 1;
    puerto_rico_with_the_festival_for_two: "puerto-rico", "random_game_festival_2_players", 2, &["festival"], 1;
    puerto_rico_with_the_festival_for_three: "puerto-rico", "random_game_festival_3_players", 3, &["festival"], 1;
    puerto_rico_with_the_festival_for_four: "puerto-rico", "random_game_festival_4_players", 4, &["festival"], 1;
    puerto_rico_with_everything: "puerto-rico", "annotated_everything", 4, &EXPANSIONS, 1;
    puerto_rico_with_everything_for_two: "puerto-rico", "random_game_everything_2_players", 2, &EXPANSIONS, 1;
    puerto_rico_with_everything_for_three: "puerto-rico", "random_game_everything_3_players", 3, &EXPANSIONS, 1;
    puerto_rico_with_everything_for_five: "puerto-rico", "random_game_everything_5_players", 5, &EXPANSIONS, 1;
    puerto_rico_as_it_was_first: "puerto-rico", "annotated_first_edition", 4, &["first-edition"], 1;
    san_juan_with_two_players: "san-juan", "annotated_game", 2, &[], 2;
    san_juan_with_three_players: "san-juan", "random_game_3_players", 3, &[], 3;
    san_juan_with_four_players: "san-juan", "random_game_4_players", 4, &[], 4;
    san_juan_with_new_buildings_for_two: "san-juan", "random_game_new_buildings_2_players", 2, &["new-buildings"], 2;
    san_juan_with_new_buildings_for_three: "san-juan", "annotated_new_buildings", 3, &["new-buildings"], 3;
    san_juan_with_new_buildings_for_four: "san-juan", "random_game_new_buildings_4_players", 4, &["new-buildings"], 4;
    rivals_introductory: "catan-rivals", "annotated_game", 2, &[], 2;
    rivals_of_gold: "catan-rivals", "annotated_era_of_gold", 2, &["era-of-gold"], 11;
    rivals_of_turmoil: "catan-rivals", "annotated_era_of_turmoil", 2, &["era-of-turmoil"], 7;
    rivals_of_progress: "catan-rivals", "annotated_era_of_progress", 2, &["era-of-progress"], 11;
    rivals_in_a_duel: "catan-rivals", "annotated_duel", 2, &DUEL, 5;
}

/// What is pinned hangs on the names that the rules give, not on where the compiler keeps things.
#[test]
fn another_layout_of_the_state_rewrites_nothing() {
    for (id, name, players) in [
        ("puerto-rico", "annotated_game", 3),
        ("san-juan", "annotated_game", 2),
        ("genoa", "annotated_game", 2),
    ] {
        let pinned = listed(id, name);
        let played = pinned.played.expect("it is pinned");
        let ruleset = shipped(id, players, &[]);
        let otherwise = ruleset.laid_out_otherwise(7);
        let replayed = replay(&otherwise, pinned.seed, &played, None).expect("it can be set up");
        assert_eq!(replayed.differences, [], "{id}");
        assert_eq!(replayed.played.as_ref(), Some(&played), "{id}");
        let here = replay(&ruleset, pinned.seed, &played, None).expect("it can be set up");
        assert_ne!(
            replayed.game.cells_hash(),
            here.game.cells_hash(),
            "{id}: it is the same layout"
        );
    }
}

/// A phase that no step visits, because a trigger begins it, is told as well.
#[test]
fn the_invented_games_are_told() {
    for game in [tea_house(2), night_market(3, &[])] {
        let told = random_game(&game, 1).expect("it can be set up");
        assert_eq!(told.fault, None);
        let by = PlayedBy::default();
        let text = transcript(&told.game, by, Language::English, Tables::News);
        let moves = told.game.record().moves.len();
        assert!(text.lines().count() > moves, "{text}");
    }
}

/// The tree keeps the texts in one language. The other is made of the same moves: as many of them on the same table.
#[test]
fn annotated_games_are_told_in_polish() {
    for id in ["puerto-rico", "san-juan", "catan-rivals", "genoa"] {
        let folder = root().join("rulesets").join(id);
        let (texts, pinned) = (texts(&folder), listed(id, "annotated_game"));
        assert_eq!(pinned.lang, Spoken::En, "{id}");
        let text = |lang| {
            let spoken = Pinned {
                lang,
                text: Shown::Whole,
                ..pinned.clone()
            };
            let told = snapshot(&folder, &texts, &trees(&folder), &spoken, None);
            let told = told.unwrap_or_else(|error| panic!("{error}")).told;
            told.expect("it is played to its end").expect("a text")
        };
        let (english, polish) = (text(Spoken::En), text(Spoken::Pl));
        let count = |text: &str, of: &str| text.matches(of).count();
        for mark in ["════", " @", "p1: ", "p2: "] {
            assert!(count(&english, mark) > 0, "{id}: {mark}");
        }
        assert_eq!(count(&english, "════"), count(&polish, "════"), "{id}");
        for (said, meant) in [
            ("──────── page 2 · ", "──────── strona 2 · "),
            ("the end ════", "koniec ════"),
            ("winner", "zwycięzc"),
            (
                "played by search, 1 s a move",
                "grane przez przeszukiwanie, 1 s na ruch",
            ),
        ] {
            assert!(
                english.contains(said) && !english.contains(meant),
                "{id}: {said}"
            );
            assert!(
                polish.contains(meant) && !polish.contains(said),
                "{id}: {meant}"
            );
        }
    }
}

/// Who opens the text of a game at some page reads where that is, and beside a move what rule it is. A game that is called
/// annotated is played by search.
#[test]
fn annotated_games_are_played_by_search_and_lie_on_pages_of_forty_lines() {
    for id in ["puerto-rico", "san-juan", "catan-rivals", "genoa"] {
        let folder = root().join("rulesets").join(id);
        assert_eq!(listed(id, "annotated_game").text, Shown::Whole);
        for pinned in games(&folder).expect("a list").games {
            let (name, by) = (&pinned.name, pinned.played_by.to_string());
            let (expected, told) = match name.starts_with("annotated_") {
                true => ("search, 1 s a move", "played by search, 1 s a move"),
                false => ("random", "played at random"),
            };
            if pinned.text == Shown::None {
                continue;
            }
            assert_eq!(by, expected, "{id} {name}");
            let file = folder.join("snapshots").join(format!("{name}.snap"));
            let text = std::fs::read_to_string(file).expect("a text");
            let (_, text) = text.split_once("\n---\n").expect("a head");
            let title = text.lines().next().unwrap_or_default();
            assert!(title.ends_with(told), "{id} {name}: {title}");
            for (at, page) in text.split("\n──────── page ").enumerate() {
                let lines = page.lines().count() + usize::from(at > 0);
                assert!(lines <= 40, "{id} {name}, page {}: {lines}", at + 1);
                // The end is told with its clause behind it.
                let played = page.split("════ the end").next().unwrap_or_default();
                let (cited, said) = (played.contains(" @"), played.contains("§ "));
                assert_eq!(cited, said, "{id} {name}, page {}", at + 1);
            }
        }
    }
}
