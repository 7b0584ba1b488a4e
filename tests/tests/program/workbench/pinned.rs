//! Accepted games: what a check says when a rule changes, and that the order in which moves are listed changes nothing.

use std::path::Path;

use interpreter::package::Configuration;
use referee::report::snapshots::{Games, Shown, games};
use referee_tests::command::run;
use referee_tests::root;

use super::copied;

/// The tea house with a game that is accepted, of a seed in which everything changed below is seen.
fn accepted() -> (tempfile::TempDir, std::path::PathBuf) {
    let (folder, path) = copied("tea-house");
    add(&path, "game");
    (folder, path)
}

fn add(path: &Path, name: &str) {
    let folder = path.display();
    run(format!("snapshot add {folder} {name} --players 2 --seed 4")).ends(0);
}

/// The texts of a list.
fn strings(list: &serde_json::Value) -> Vec<String> {
    let list = list.as_array().expect("a list").iter();
    list.map(|one| one.as_str().expect("a text").to_owned())
        .collect()
}

/// Changes a text of a ruleset.
fn change(path: &Path, file: &str, from: &str, to: &str) {
    let file = path.join(file);
    let text = std::fs::read_to_string(&file).expect("readable");
    assert!(text.contains(from), "{from}");
    std::fs::write(file, text.replace(from, to)).expect("writable");
}

fn list(path: &Path) -> Games {
    games(path).expect("a list")
}

/// The moves of a game of the list.
fn moves(path: &Path, name: &str) -> Vec<String> {
    let listed = list(path).games;
    let game = listed.iter().find(|game| game.name == name);
    let played = game.and_then(|game| game.played.as_ref());
    played.expect("it is pinned").moves.clone()
}

/// What a check tells programs of the only game.
fn checked(path: &Path) -> serde_json::Value {
    let ran = run(format!("snapshot check {} --format json", path.display()));
    let told = ran.json();
    let game = told["games"][0].clone();
    assert_eq!(ran.code == 0, game["state"] == "same", "{told}");
    game
}

/// A figure, a score, a condition, a name, a text: each shows, and what differs first is told first.
#[test]
fn what_a_change_of_the_rules_does_to_a_game_is_told() {
    let table = "rules/table.rules";
    for (file, from, to, state, expected) in [
        (
            table,
            "score calm for p: calm(p) ",
            "score calm for p: 2 * calm(p) ",
            "differs",
            &[
                r#"{"what": "outcome", "message": ["the score of p1: calm 2, not 1; total 5, not 4"]}"#,
            ][..],
        ),
        (
            "setup.yaml",
            "most_bid: {value: 3",
            "most_bid: {value: 1",
            "stuck",
            &[
                r#"{"what": "move", "number": 23, "move": "p1 bid {n: 2}", "clause": "evening.bids"}"#,
            ],
        ),
        (
            "setup.yaml",
            "start_hand: {value: {2: 4",
            "start_hand: {value: {2: 5",
            "stuck",
            &[
                r#"{"what": "state", "number": 6}"#,
                r#"{"what": "move", "number": 16, "clause": "kitchen.pay"}"#,
            ],
        ),
        (
            table,
            "free move nod ",
            "free move bow ",
            "stuck",
            &[r#"{"what": "move", "number": 21, "message":
                ["move 21 of 136, `p1 nod`, is unknown to these rules: `round.gifts` has no move `nod`"]}"#],
        ),
        (
            table,
            "rounds >= most_rounds, after round",
            "rounds >= 2, after round",
            "stuck",
            &[r#"{"what": "state"}"#, r#"{"what": "move"}"#],
        ),
        (
            "components/dishes.yaml",
            "en: Gong",
            "en: Great gong",
            "differs",
            &[r#"{"what": "text", "message": ["its text is another one"]}"#],
        ),
    ] {
        let (_folder, path) = accepted();
        assert_eq!(checked(&path)["state"], "same");
        change(&path, file, from, to);
        let game = checked(&path);
        assert_eq!(game["state"], state, "{to}: {game}");
        let differences = game["differences"].as_array().expect("a list");
        assert_eq!(differences.len(), expected.len(), "{to}: {game}");
        for (differs, expected) in differences.iter().zip(expected) {
            let expected: serde_json::Value = serde_json::from_str(expected).expect("it is JSON");
            for (key, value) in expected.as_object().expect("keys") {
                assert_eq!(&differs[key], value, "{to}: {differs}");
            }
        }
    }
}

/// The refusal is told to people as to whoever submits a move: the clause, what it says, the condition.
#[test]
fn a_move_that_is_no_longer_legal_is_told_with_its_clause() {
    let (_folder, path) = accepted();
    let own = "needs hand(p, d) > 0 ";
    change(&path, "rules/bells.rules", own, "needs hand(p, d) > 1 ");
    let ran = run(format!("snapshot check {}", path.display())).ends(1);
    assert_eq!(
        ran.data,
        "\
stuck    game
         move 16 of 136, `p1 set_out {d: barter, payment: {almanac: 1, terrace: 1}}`, is no longer legal:
           @kitchen.own forbids it
         Only a dish of the own hand can be set out.
         `hand(p, d) > 1` does not hold: hand (p1, Barter table) = 1, p (player) = p1, d (dish) = Barter
           table
1 game: 0 not accepted, 1 not playable
"
    );
}

/// Random players choose by the place of a move among those that are listed. What is accepted does not depend on it.
#[test]
fn another_order_of_listing_rewrites_nothing() {
    let (_folder, path) = accepted();
    let files = || {
        let read = |file: &str| std::fs::read_to_string(path.join(file)).expect("readable");
        (read("snapshots/games.json"), read("snapshots/game.snap"))
    };
    let before = files();
    let rules = path.join("rules/table.rules");
    let text = std::fs::read_to_string(&rules).expect("readable");
    // The two moves of `inviting` change places.
    let (above, rest) = text.split_once("    move invite").expect("the one");
    let (invite, rest) = rest.split_once("    move leave").expect("the other");
    let (leave, below) = rest.split_once("  # Each remembers").expect("the end");
    let swapped =
        format!("{above}    move leave{leave}    move invite{invite}  # Each remembers{below}");
    std::fs::write(&rules, swapped).expect("writable");

    assert_eq!(checked(&path)["state"], "same");
    assert_eq!(run(format!("snapshot accept {}", path.display())).code, 0);
    assert_eq!(files(), before);
    add(&path, "by_seed");
    assert_ne!(
        moves(&path, "by_seed"),
        moves(&path, "game"),
        "the seed alone would have pinned another game"
    );
}

#[test]
fn a_game_that_is_stuck_is_recorded_again_from_there_or_from_its_first_move() {
    let (_folder, path) = accepted();
    let before = moves(&path, "game");
    change(
        &path,
        "setup.yaml",
        "most_bid: {value: 3",
        "most_bid: {value: 1",
    );
    let accept = |more: &str| run(format!("snapshot accept {} {more}", path.display())).code;
    assert_eq!(accept(""), 1, "nothing can be accepted");
    assert_eq!(moves(&path, "game"), before);

    assert_eq!(accept("--anew rest"), 0);
    let rest = moves(&path, "game");
    assert_eq!(checked(&path)["state"], "same");
    assert_eq!(rest[0], before[0], "the first twenty moves stay");
    // Move 23 is the first that is another one.
    let kept = before[1]
        .split("p1 bid {n: 2}")
        .next()
        .expect("moves before");
    assert!(
        rest[1].starts_with(kept) && rest[1] != before[1],
        "{kept}\n{}",
        rest[1]
    );

    assert_eq!(accept("--anew whole"), 0);
    assert_eq!(checked(&path)["state"], "same");
    add(&path, "by_seed");
    assert_eq!(moves(&path, "game"), moves(&path, "by_seed"));
    assert_ne!(moves(&path, "game"), rest);
}

/// Who played is kept, told in the head of the text, and who plays the rest.
#[test]
fn a_game_is_played_on_by_whoever_played_it() {
    let (_folder, path) = copied("tea-house");
    let folder = path.display();
    run(format!(
        "snapshot add {folder} game --players 2 --seed 4 --policy search --iterations 3 --horizon 8"
    ))
    .ends(0);
    let by = "search, 3 games a move, judged after 8";
    let played_by = || list(&path).games[0].played_by.to_string();
    assert_eq!(played_by(), by);
    let text = std::fs::read_to_string(path.join("snapshots/game.snap")).expect("a text");
    assert!(
        text.contains(&format!(", 2 players; played by {by}\n")),
        "{text}"
    );
    assert_eq!(checked(&path)["state"], "same");
    add(&path, "by_chance");
    assert_ne!(moves(&path, "game"), moves(&path, "by_chance"));

    // What is stuck goes on by search: as one that is recorded so from its first move goes on from there.
    let before = moves(&path, "game");
    let at = bid(&before);
    change(
        &path,
        "setup.yaml",
        "most_bid: {value: 3",
        "most_bid: {value: 1",
    );
    let accept = |more: &str| run(format!("snapshot accept {folder} --filter game {more}"));
    accept("--anew rest").ends(0);
    assert_eq!(played_by(), by);
    assert_eq!(moves(&path, "game")[..at], before[..at]);
    assert_ne!(moves(&path, "game")[at..], before[at..]);
    accept("--anew whole").ends(0);
    assert_eq!(played_by(), by);
    accept("--anew whole --policy random").ends(0);
    assert_eq!(played_by(), "random");
    add(&path, "by_seed");
    assert_eq!(moves(&path, "game"), moves(&path, "by_seed"));
}

/// The line of moves in which somebody first bids more than one.
fn bid(moves: &[String]) -> usize {
    let more = |line: &&String| line.contains("bid {n: 2}") || line.contains("bid {n: 3}");
    let found = moves.iter().position(|line| more(&line));
    found.expect("somebody bids more than one")
}

#[test]
fn players_are_asked_for_as_they_can_play() {
    let (_folder, path) = accepted();
    let folder = path.display();
    for (asked, expected) in [
        (
            "add F other --players 2 --seconds 1",
            "add `--policy search`",
        ),
        (
            "add F other --players 2 --policy greedy --iterations 3",
            "add `--policy search`",
        ),
        (
            "accept F --policy search --iterations 3",
            "add `--anew whole`",
        ),
        ("accept F --anew rest --policy greedy", "add `--anew whole`"),
        ("show F other", "there is no game `other`"),
    ] {
        let asked = asked.replace('F', &folder.to_string());
        run(format!("snapshot {asked}")).ends(2).notes(expected);
    }
    assert_eq!(list(&path).games.len(), 1);
}

/// A text is kept in one language and can be had in the other, and of a game without one.
#[test]
fn a_game_is_shown_in_either_language() {
    let (_folder, path) = accepted();
    let show = |lang: &str| {
        let shown = run(format!("snapshot show {} game {lang}", path.display()));
        shown.ends(0).data
    };
    let kept = std::fs::read_to_string(path.join("snapshots/game.snap")).expect("a text");
    assert!(kept.ends_with(&show("")), "{kept}");
    let polish = show("--lang pl");
    assert!(
        polish.contains("════ koniec ════") && polish.contains("──────── strona 2 · "),
        "{polish}"
    );
    assert_eq!(checked(&path)["state"], "same");
    // The rules are others now.
    change(
        &path,
        "setup.yaml",
        "most_bid: {value: 3",
        "most_bid: {value: 1",
    );
    let shown = run(format!("snapshot show {} game", path.display())).ends(1);
    shown.notes("move 23 of 136, `p1 bid {n: 2}`, is no longer legal");
}

/// A check says what no game meets; a game that has no text meets rules of which nobody reads.
#[test]
fn what_no_game_meets_is_told() {
    let (_folder, path) = accepted();
    let check = || {
        let ran = run(format!("snapshot check {} --format json", path.display())).ends(0);
        ran.json()["not_met"][0].clone()
    };
    let before = check();
    let (clauses, unmet) = (before["clauses"].as_u64(), strings(&before["unmet"]));
    let met = clauses.expect("a number") - unmet.len() as u64;
    assert!(met > 10, "{before}");
    assert_eq!(strings(&before["met_elsewhere"]), [""; 0]);
    // Nobody can have this dish: nothing brings it into play.
    change(
        &path,
        "components/dishes.yaml",
        "rows:\n",
        "rows:\n  porridge: {names: {en: Porridge, pl: Owsianka}, copies: 0, cost: 1, points: 1}\n",
    );
    let after = check();
    assert!(
        strings(&after["unused"]).contains(&"dish porridge".to_owned()),
        "{after}"
    );
    assert!(!strings(&before["unused"]).contains(&"dish porridge".to_owned()));
    // Nobody reads the game.
    change(
        &path,
        "snapshots/games.json",
        "\"seed\": 4,",
        "\"seed\": 4, \"text\": \"none\",",
    );
    let unread = check();
    assert_eq!(
        unread["unmet"].as_array().map(Vec::len),
        clauses.map(|n| n as usize)
    );
    assert_eq!(strings(&unread["met_elsewhere"]).len() as u64, met);
    let told = run(format!("snapshot check {}", path.display())).ends(0);
    told.tells("components that no game uses: ");
    told.tells("rules that only games without a text meet: @");
}

/// Games are added until no further one of those that are played would meet anything; then there is nothing to add.
#[test]
fn games_are_added_that_meet_what_none_does() {
    let (_folder, path) = copied("tea-house");
    let cover = |more: &str| {
        let folder = path.display();
        run(format!("snapshot cover {folder} --games 40 {more}"))
    };
    assert!(
        cover("").ends(2).notes.contains("referee snapshot add"),
        "without a game there is no number of players"
    );
    add(&path, "game");
    let before = std::fs::read_to_string(path.join("snapshots/games.json")).expect("readable");
    let proposed = cover("--dry-run --format json").json();
    let unchanged = std::fs::read_to_string(path.join("snapshots/games.json")).expect("readable");
    assert_eq!(unchanged, before);
    let added = cover("--format json").json();
    assert_eq!(added, proposed, "the same games are chosen again");
    let games = added["added"].as_array().expect("games");
    assert!(!games.is_empty(), "{added}");
    let (mut met, mut names) = (Vec::new(), Vec::new());
    for game in games {
        let meets = game["meets"].as_array().expect("what it meets");
        assert!(!meets.is_empty(), "{game}");
        met.extend(meets.clone());
        names.push(game["name"].as_str().expect("a name"));
    }
    let left = added["left"].as_array().expect("what is left");
    assert!(met.iter().all(|what| !left.contains(what)), "{added}");
    // They are listed, are played again as they were, and meet what was said of them.
    let checked = run(format!("snapshot check {} --format json", path.display()));
    let told = checked.json();
    assert_eq!(
        (checked.code, list(&path).games.len()),
        (0, 1 + names.len())
    );
    let missing = &told["not_met"][0];
    let nowhere = |key: &str| strings(&missing[key]);
    let elsewhere = nowhere("met_elsewhere");
    let unmet = nowhere("unmet").into_iter();
    let mut missed: Vec<String> = unmet
        .filter(|clause| !elsewhere.contains(clause))
        .map(|clause| format!("@{clause}"))
        .chain(nowhere("unused"))
        .collect();
    missed.sort_unstable();
    let mut left: Vec<String> = strings(&added["left"]);
    left.sort_unstable();
    assert_eq!(missed, left);
    let again = cover("--format json").json();
    assert_eq!(again["added"], serde_json::json!([]));
    assert_eq!(again["left"], added["left"]);
    cover("").ends(0).tells("0 added");
}

/// Under other rules the games of both sides are played by the same moves, and each cause for which they part is told once.
#[test]
fn accepted_games_part_once_for_each_cause() {
    let (_folder, path) = accepted();
    let folder = path.display();
    run(format!(
        "snapshot add {folder} other --players 2 --seed 5 --text none"
    ))
    .ends(0);
    let compare = |changed: &Path, rest: &str| {
        let changed = changed.display();
        run(format!("diff {folder} {changed} --games 1 {rest}")).ends(0)
    };
    let parted = |file: &str, from: &str, to: &str| {
        let (changed_folder, changed) = copied("tea-house");
        change(&changed, file, from, to);
        let told = compare(&changed, "--format json").json()["accepted"].clone();
        (told, changed_folder, changed)
    };
    for (file, from, to, how, clause, second) in [
        // A limit: the moves above it are not offered.
        (
            "setup.yaml",
            "most_bid: {value: 3",
            "most_bid: {value: 1",
            "offered",
            "evening.bids",
            None,
        ),
        // A figure of the set-up: what is dealt.
        (
            "setup.yaml",
            "start_hand: {value: {2: 4",
            "start_hand: {value: {2: 5",
            "happens",
            "set_up.hands",
            Some("deck → hand (p1)"),
        ),
        // A line of the score sheet.
        (
            "rules/table.rules",
            "score calm for p: calm(p) ",
            "score calm for p: 2 * calm(p) ",
            "happens",
            "parlour.guests",
            None,
        ),
    ] {
        let (told, _folder, changed) = parted(file, from, to);
        assert_eq!(told["games"], 2, "{told}");
        let causes = told["causes"].as_array().expect("causes");
        let [cause] = &causes[..] else {
            panic!("{to}: one cause: {told}");
        };
        assert_eq!(cause["how"], how, "{to}: {told}");
        assert_eq!(cause["clause"], clause, "{to}: {told}");
        assert_eq!(strings(&cause["games"]), ["game", "other"], "{to}");
        if let Some(second) = second {
            let text = cause["second"].as_str().expect("a text");
            assert!(text.contains(second), "{to}: {told}");
        }
        // Texts are made of what is told, which is the same for all causes.
        if second.is_none() {
            continue;
        }
        let terminal = compare(&changed, "").data;
        assert!(
            terminal.contains("accepted games: 0 of 2 go the same way to the end"),
            "{terminal}"
        );
        assert!(terminal.contains(&format!("@{clause} · ")), "{terminal}");
        let page = compare(&changed, "--lang pl --format html").data;
        assert!(
            page.contains("Przyjęte partie") && page.contains("partie: 2"),
            "{page}"
        );
    }
    // What is called otherwise is played the same.
    let (told, _folder, changed) = parted("components/dishes.yaml", "en: Gong", "en: Great gong");
    assert_eq!(
        (&told["same"], &told["causes"]),
        (&serde_json::json!(2), &serde_json::json!([]))
    );
    compare(&changed, "").tells("accepted games: 2 of 2");
    // With a move that the second does not have nothing is guessed.
    let (told, ..) = parted("rules/table.rules", "free move nod ", "free move bow ");
    assert_eq!(told["causes"][0]["how"], "offered", "{told}");
}

/// A list of before moves were pinned is read: its games are new until they are accepted.
#[test]
fn a_game_that_is_only_listed_is_new() {
    let (_folder, path) = copied("tea-house");
    std::fs::create_dir_all(path.join("snapshots")).expect("writable");
    let only = r#"{"games": [{"name": "game", "players": 2, "seed": 4, "text": "none"}]}"#;
    std::fs::write(path.join("snapshots/games.json"), only).expect("writable");
    assert_eq!(checked(&path)["state"], "new");
    assert_eq!(run(format!("snapshot accept {}", path.display())).code, 0);
    assert_eq!(checked(&path)["state"], "same");
    assert!(
        !path.join("snapshots/game.snap").exists(),
        "no text was wanted"
    );
    assert!(moves(&path, "game").len() > 1);
}

#[test]
fn what_is_wrong_with_a_list_is_said() {
    let line = "\"21 ";
    for (from, to, expected) in [
        (line, "\"22 ", "the first of them is move 21, not 22"),
        (
            "p1 ring",
            "p1 ring ring",
            "a move is a seat, a name, and arguments",
        ),
        (
            "\"states\": [",
            "\"states\": [\"x y\",",
            "`x` is no number of moves",
        ),
        ("\"moves\"", "\"movez\"", "unknown field `movez`"),
    ] {
        let (_folder, path) = accepted();
        change(&path, "snapshots/games.json", from, to);
        let ran = run(format!("snapshot check {}", path.display())).ends(2);
        assert!(
            ran.notes.contains("games.json") && ran.notes.contains(expected),
            "{}",
            ran.notes
        );
    }
    // Whoever writes a hash or a score by hand is told so.
    for (from, to, expected) in [
        (" 20 ", " 20 00", "the state after move 20 is another one"),
        ("\"total\": 4,", "\"total\": 5,", "total 4, not 5"),
    ] {
        let (_folder, path) = accepted();
        change(&path, "snapshots/games.json", from, to);
        let ran = run(format!("snapshot check {}", path.display())).ends(1);
        ran.tells(expected);
    }
}

/// What a module brings is told in an excerpt: its rows, not the whole game.
#[test]
fn an_excerpt_tells_what_modules_bring() {
    let folder = root().join("rulesets/puerto-rico");
    let corsair = std::fs::read_to_string(folder.join("snapshots/annotated_corsair.snap"));
    let corsair = corsair.expect("a text");
    let listed = list(&folder).games;
    let game = listed.iter().find(|game| game.name == "annotated_corsair");
    let game = game.expect("it is listed");
    let captured = "capture the role craftsman";
    assert!(corsair.contains(captured) && corsair.contains("[…]"));
    assert_eq!(
        game.configuration(),
        Configuration {
            modules: vec!["corsair".to_owned()],
            ..Configuration::base(4)
        }
    );
    assert!(
        corsair.matches("choose the role corsair").count()
            > corsair.matches("choose the role mayor").count(),
        "{corsair}"
    );
}

/// What is accepted of the shipped rulesets can be read: of a title one game, of others what modules bring.
#[test]
fn accepted_games_stay_short() {
    let mut all = 0;
    for id in ["puerto-rico", "san-juan", "catan-rivals", "genoa"] {
        let folder = root().join("rulesets").join(id);
        for entry in std::fs::read_dir(folder.join("snapshots")).expect("readable") {
            let text = std::fs::read_to_string(entry.expect("readable").path());
            all += text.expect("a text").lines().count();
        }
        let listed = list(&folder).games;
        let whole = listed.iter().filter(|game| game.text == Shown::Whole);
        let whole: Vec<_> = whole.collect();
        assert!(
            whole.len() == 1 && whole[0].modules.is_empty(),
            "one whole game of {id}"
        );
        for game in listed.iter().filter(|game| game.text == Shown::Excerpt) {
            let file = folder.join(format!("snapshots/{}.snap", game.name));
            let lines = std::fs::read_to_string(file)
                .expect("a text")
                .lines()
                .count();
            assert!(lines <= 290, "{id} {}: {lines}", game.name);
        }
    }
    assert!(all <= 15_000, "{all} lines");
}
