//! `referee simulate`: policies, files, pages.

use referee_tests::command::{json, run};
use serde_json::Value;

use super::invented;

/// It does where points are made step by step; who saves cards for a great building in San Juan must not
/// be greedy.
#[test]
fn greed_pays() {
    let played = |policy: &str| {
        let found = json(format!(
            "simulate puerto-rico --games 6 --policy {policy} --format json"
        ));
        assert_eq!(
            (&found["policy"], &found["played"]),
            (&policy.into(), &6.into())
        );
        found["scores"]["all"]["mean"].as_f64().expect("a mean")
    };
    let (random, greedy) = (played("random"), played("greedy"));
    assert!(greedy > random, "{greedy} against {random}");
}

#[test]
fn every_game_stands_in_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let (csv, html) = (
        folder.path().join("games.csv"),
        folder.path().join("report.html"),
    );
    let tea = invented("tea-house");
    let files = format!("--csv {} --html {}", csv.display(), html.display());
    let games = format!("simulate {tea} --players 3 --games 25 --seed 5");
    let found = json(format!("{games} {files} --format json"));
    let text = std::fs::read_to_string(&csv).expect("a file");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[0],
        "seed,decisions,ending,score_p1,score_p2,score_p3,winners"
    );
    assert_eq!(lines.len(), 26);
    let column = |n: usize| {
        lines[1..]
            .iter()
            .map(move |line| line.split(',').nth(n).expect("a cell"))
    };
    let seeds: Vec<String> = (5..30).map(|seed| seed.to_string()).collect();
    assert_eq!(column(0).collect::<Vec<_>>(), seeds);
    let decisions: u64 = column(1).map(|n| n.parse::<u64>().expect("a number")).sum();
    assert_eq!(found["decisions"], decisions);
    let mean = column(3)
        .map(|n| n.parse::<f64>().expect("a number"))
        .sum::<f64>()
        / 25.0;
    let told = found["scores"]["by_seat"][0]["score"]["mean"]
        .as_f64()
        .expect("a mean");
    assert!((mean - told).abs() < 1e-9);

    let page = std::fs::read_to_string(&html).expect("a file");
    assert!(
        page.starts_with("<!DOCTYPE html>") && page.matches("<svg").count() >= 4,
        "{}",
        page.len()
    );
    for foreign in ["<script", "<link", "src=", "NaN"] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    // Whoever holds a row wins no more often than always, and holders are counted by seat.
    for row in found["uses"]["dish"].as_object().expect("rows").values() {
        let (holders, won) = (row["holders"].as_u64(), row["holders_won"].as_f64());
        assert!(
            holders.is_some_and(|n| n <= 75) && won.is_some_and(|part| (0.0..=1.0).contains(&part)),
            "{row}"
        );
    }
}

#[test]
fn a_game_that_fails_says_how_to_see_it_again() {
    let (_folder, path) = super::copied("tea-house");
    let dishes = path.join("rules/dishes.rules");
    let text = std::fs::read_to_string(&dishes).expect("readable");
    // Divided by nothing as soon as somebody has a pavilion at the end.
    std::fs::write(
        &dishes,
        text.replace("so_far(p) / praise_share", "so_far(p) / (praise_share - 4)"),
    )
    .expect("writable");
    let bells = path.join("rules/bells.rules");
    let text = std::fs::read_to_string(&bells).expect("readable");
    let broken = text.replace(
        "do { set(guests, n); }",
        "do { set(guests, 6 / (guests - guests)); }",
    );
    assert_ne!(broken, text);
    std::fs::write(&bells, broken).expect("writable");
    let ran = run(format!("simulate {} --games 3 --seed 2", path.display())).ends(1);
    ran.notes("the game of seed 2 failed: ")
        .notes("--players 2 --seed 2 --transcript");
    let again = run(format!(
        "simulate {} --players 2 --seed 2 --transcript",
        path.display()
    ))
    .ends(1);
    again.notes("the game failed here: ");
}

/// Tea house is played in rounds; who moves without a choice thinks no time.
#[test]
fn a_game_is_so_many_rounds_and_minutes_long() {
    let games = format!("simulate {} --players 2 --games 5", invented("tea-house"));
    let found = json(format!("{games} --pace 30 --format json"));
    let rounds = found["rounds"].as_array().expect("a list");
    assert_eq!(rounds, &["round"]);
    let round = &found["phases"]["round"];
    let mean = round["mean"].as_f64().expect("a mean");
    assert!(
        round["least"].as_f64() >= Some(2.0) && mean >= 2.0,
        "{round}"
    );
    let number = |key: &str| found[key].as_f64().expect("a number");
    let minutes = (number("decisions") - number("forced_moves")) * 30.0 / 60.0 / 5.0;
    assert!(
        (minutes - number("minutes_per_game")).abs() < 1e-9,
        "{minutes}"
    );
    let told = run(format!("{games} --pace 30")).ends(0);
    told.tells(&format!("; {minutes:.0} minutes at 30 s a decision"));
    let untold = json(format!("{games} --format json"));
    assert_eq!(untold["minutes_per_game"], Value::Null);
}

/// Whoever searches does so alike with any number of jobs, and better than chance.
#[test]
fn searching_pays_and_is_repeated() {
    let tea = invented("tea-house");
    let played = |more: &str| {
        let games = format!("simulate {tea} --players 2 --games 3 --format json {more}");
        let mut found = json(games);
        let told = found.as_object_mut().expect("an object");
        for key in [
            "jobs",
            "seconds",
            "games_per_second",
            "decisions_per_second",
        ] {
            told.remove(key);
        }
        found
    };
    let one = played("--policy search --iterations 30 --jobs 1");
    let two = played("--policy search --iterations 30 --jobs 2");
    assert_eq!(one, two);
    assert_eq!(
        (&one["policy"], &one["iterations"]),
        (&"search".into(), &30.into())
    );
    let mean = |found: &Value| found["scores"]["all"]["mean"].as_f64().expect("a mean");
    let random = played("");
    assert_eq!(random["iterations"], Value::Null);
    assert!(mean(&one) > mean(&random), "{one} against {random}");

    // Iterations say nothing to others.
    let wrong = run(format!("simulate {tea} --iterations 30")).ends(2);
    wrong.notes("--policy search");
}
