//! The `referee` command as its users meet it: `demo` and `serve`.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::command::{self, ran};

fn referee(folder: &Path, line: &str) -> Command {
    let mut command = command::referee(line);
    command.env("XDG_DATA_HOME", folder);
    command
}

/// What a game of one number tells.
fn demo(folder: &Path) -> String {
    ran(&mut referee(folder, "demo --seed 3")).ends(0).data
}

#[test]
fn the_demo_plays_a_whole_game_and_explains_a_refusal() {
    let folder = tempfile::tempdir().expect("a folder");
    let began = Instant::now();
    let told = demo(folder.path());
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

    // The record is where it says.
    let [kept] = &records(folder.path())[..] else {
        panic!("one record: {told}");
    };
    assert!(told.contains(kept), "{kept}");
}

/// The names of the records that games have left.
fn records(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder.join("referee")).expect("the data folder");
    let names = files.map(|file| file.expect("a file").file_name().into_string());
    let names = names.map(|name| name.expect("a name"));
    names.filter(|name| name.ends_with(".sqlite")).collect()
}

/// The same number is the same game, told alike but for what is new each time.
#[test]
#[ignore = "slow"]
fn the_demo_of_a_number_is_always_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let (told, again) = (demo(folder.path()), demo(folder.path()));
    let game = |told: &str| {
        let begin = told.find("Round 1").expect("a game");
        let end = told
            .find("seed     ")
            .and_then(|_| told.find("\n\n  seed "))
            .expect("its end");
        told[begin..end].to_owned()
    };
    assert_eq!(game(&again), game(&told));
    assert_eq!(
        records(folder.path()).len(),
        2,
        "another game does not disturb it"
    );
}

#[test]
fn wrong_usage_is_explained_and_ends_with_two() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = folder.path().join("missing");
    let empty = folder.path().join("empty");
    std::fs::create_dir(&empty).expect("a folder");
    let notes = folder.path().join("notes.sqlite");
    std::fs::write(&notes, "no database ".repeat(100)).expect("a file");
    for (line, said) in [
        (
            "serve --memory --listen 0.0.0.0:0",
            "nothing would be encrypted",
        ),
        ("serve --memory --listen nowhere", "invalid value 'nowhere'"),
        (
            &format!("serve --memory --rulesets {}", missing.display()),
            "cannot be read",
        ),
        (
            &format!("serve --memory --rulesets {}", empty.display()),
            "holds no ruleset",
        ),
        (
            &format!("serve --listen 127.0.0.1:0 --store {}", notes.display()),
            "cannot open the store",
        ),
        ("demo --players 9", "9 is not in 2..=5"),
        ("dance", "unrecognized subcommand"),
    ] {
        let ran = ran(&mut referee(folder.path(), line)).ends(2);
        assert_eq!(ran.data, "", "{line}");
        ran.notes(said);
    }
}

#[cfg(unix)]
#[test]
fn serve_says_where_it_listens_and_stops_when_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut serving = referee(folder.path(), "serve --listen 127.0.0.1:0")
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
