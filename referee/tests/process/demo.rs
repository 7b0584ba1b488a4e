//! The `referee` command as its users meet it: `demo` and `serve`.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn referee(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_referee"));
    command
        .env("XDG_DATA_HOME", folder)
        .env_remove("REFEREE_RULESETS")
        .env_remove("NO_COLOR");
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    referee(folder)
        .args(arguments)
        .output()
        .expect("the command runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

#[test]
fn the_demo_plays_a_whole_game_and_explains_a_refusal() {
    let folder = tempfile::tempdir().expect("a folder");
    let began = Instant::now();
    let output = run(folder.path(), &["demo", "--seed", "3"]);
    let told = text(&output.stdout);
    assert!(output.status.success(), "{told}\n{}", text(&output.stderr));
    assert!(
        began.elapsed() < Duration::from_secs(40),
        "{:?}",
        began.elapsed()
    );
    for part in [
        "Puerto Rico, played by 4 bots over gRPC",
        "Round 1, ",
        "✗ Bruno tries to build",
        "refused by builder.",
        "because this fails: ",
        "allowed would be: ",
        "The end is near: ",
        "Final scores",
        "The game ended because ",
        "as promised",
        "What next",
    ] {
        assert!(told.contains(part), "`{part}` is missing in:\n{told}");
    }
    assert!(
        !told.contains('\u{1b}'),
        "no colours where nobody sees them"
    );

    // The record is where it says, and another game does not disturb it.
    let kept = || {
        let files = std::fs::read_dir(folder.path().join("referee")).expect("the data folder");
        let names = files.map(|file| {
            file.expect("a file")
                .file_name()
                .into_string()
                .expect("a name")
        });
        names
            .filter(|name| name.ends_with(".sqlite"))
            .collect::<Vec<_>>()
    };
    let first = kept();
    assert_eq!(first.len(), 1);
    assert!(told.contains(&first[0]), "{first:?}");

    // The same number is the same game, told alike but for what is new each time.
    let again = text(&run(folder.path(), &["demo", "--seed", "3"]).stdout);
    let game = |told: &str| {
        let begin = told.find("Round 1").expect("a game");
        let end = told
            .find("seed     ")
            .and_then(|_| told.find("\n\n  seed "))
            .expect("its end");
        told[begin..end].to_owned()
    };
    assert_eq!(game(&again), game(&told));
    assert_eq!(kept().len(), 2);
}

#[test]
fn wrong_usage_is_explained_and_ends_with_two() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = folder.path().join("missing");
    let empty = folder.path().join("empty");
    std::fs::create_dir(&empty).expect("a folder");
    let notes = folder.path().join("notes.sqlite");
    std::fs::write(&notes, "no database ".repeat(100)).expect("a file");
    for (arguments, said) in [
        (
            vec!["serve", "--memory", "--listen", "0.0.0.0:0"],
            "nothing would be encrypted",
        ),
        (
            vec!["serve", "--memory", "--listen", "nowhere"],
            "invalid value 'nowhere'",
        ),
        (
            vec![
                "serve",
                "--memory",
                "--rulesets",
                missing.to_str().expect("a path"),
            ],
            "cannot be read",
        ),
        (
            vec![
                "serve",
                "--memory",
                "--rulesets",
                empty.to_str().expect("a path"),
            ],
            "holds no ruleset",
        ),
        (
            vec![
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--store",
                notes.to_str().expect("a path"),
            ],
            "cannot open the store",
        ),
        (vec!["demo", "--players", "9"], "9 is not in 2..=5"),
        (vec!["dance"], "unrecognized subcommand"),
    ] {
        let output = run(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(
            text(&output.stderr).contains(said),
            "{arguments:?}: {}",
            text(&output.stderr)
        );
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
}

#[cfg(unix)]
#[test]
fn serve_says_where_it_listens_and_stops_when_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut serving = referee(folder.path())
        .args(["serve", "--listen", "127.0.0.1:0"])
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command runs");
    let mut lines = BufReader::new(serving.stderr.take().expect("its words")).lines();
    let mut said = Vec::new();
    while said
        .iter()
        .all(|line: &String| !line.contains("interrupt to stop"))
    {
        said.push(lines.next().expect("more is said").expect("UTF-8"));
    }
    let said = said.join("\n");
    let key = folder.path().join("referee/referee.sqlite.key");
    assert!(key.is_file());
    let stopped = Command::new("kill")
        .arg(serving.id().to_string())
        .status()
        .expect("kill");
    assert!(stopped.success());
    assert!(
        serving.wait().expect("it ends").success(),
        "a graceful end is a good end"
    );
    for word in ["http://127.0.0.1:", "nobody has one yet", "puerto-rico"] {
        assert!(said.contains(word), "{word}: {said}");
    }
}
