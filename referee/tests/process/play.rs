//! `referee play` with its input from a pipe.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Plays with these lines.
fn played(arguments: &[&str], lines: &str, folder: &Path) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_referee"))
        .arg("play")
        .args(arguments)
        .current_dir(folder)
        .env_remove("REFEREE_RULESETS")
        .env_remove("NO_COLOR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    // Whoever has left reads no more.
    let _ = stdin.write_all(lines.as_bytes());
    drop(stdin);
    child.wait_with_output().expect("it ends")
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn notes(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

#[test]
fn a_whole_match_is_played_through_a_pipe() {
    let folder = tempfile::tempdir().expect("a folder");
    for (ruleset, players) in [
        ("puerto-rico", "3"),
        ("san-juan", "2"),
        ("catan-rivals", "2"),
    ] {
        let lines = "auto\n".repeat(3000);
        let output = played(
            &[ruleset, "--players", players, "--seed", "4"],
            &lines,
            folder.path(),
        );
        let told = text(&output);
        assert!(output.status.success(), "{}", notes(&output));
        assert!(
            told.contains("\nThe end\n") && told.contains("\nwinner"),
            "{ruleset}"
        );
        assert!(
            !told.contains('\u{1b}'),
            "no colours where nobody sees them"
        );
    }
}

#[test]
fn the_table_the_moves_and_what_they_do_are_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = played(
        &["puerto-rico", "--players", "3", "--seed", "1"],
        "why not choose prospector\nhelp\n@roles.optional\n@rolls\nnonsense\n77\n1\nquit\n",
        folder.path(),
    );
    let told = text(&output);
    for part in [
        "you are p1; bots are p2, p3",
        "» p1 «?",
        "doubloons",
        "p1: choosing a role",
        "   1  ",
        "why not <move>",
        "@roles.optional Nobody has to carry out",
        "there is no clause `rolls`; did you mean `roles`?",
        "the moves here are `choose`; write a number, or one of these and what it takes",
        "there are the moves 1 to ",
    ] {
        assert!(told.contains(part), "`{part}` is missing in:\n{told}");
    }
}

#[test]
fn a_refusal_names_its_clause() {
    let folder = tempfile::tempdir().expect("a folder");
    // The builder is the second role card; a wharf is dear.
    let output = played(
        &["puerto-rico", "--players", "3", "--seed", "1"],
        "choose builder\nwhy not build wharf\nwhy not build indigo plant\nwhy not build\nbuild wharf\nquit\n",
        folder.path(),
    );
    let told = text(&output);
    assert!(told.contains("@builder.afford"), "{told}");
    assert!(
        told.contains("needs doubloons(p) + credit(p) >= price(p, b)"),
        "{told}"
    );
    assert!(
        told.contains("there is no such legal move: `build wharf`"),
        "{told}"
    );
}

#[test]
fn a_move_is_taken_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = played(
        &[
            "puerto-rico",
            "--players",
            "3",
            "--seed",
            "1",
            "--record",
            "match.yaml",
        ],
        "undo\n1\nundo\nquit\n",
        folder.path(),
    );
    assert!(text(&output).contains("there is nothing to take back"));
    let kept = std::fs::read_to_string(folder.path().join("match.yaml")).expect("a record");
    assert!(kept.contains("moves: []"), "{kept}");
}

#[test]
fn a_match_is_gone_on_with_where_it_ended() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = [
        "san-juan",
        "--players",
        "3",
        "--seat",
        "p2",
        "--seed",
        "5",
        "--record",
        "m.yaml",
    ];
    let all = played(&arguments, &"auto\n".repeat(30), folder.path());
    assert!(all.status.success(), "{}", notes(&all));
    let whole = std::fs::read_to_string(folder.path().join("m.yaml")).expect("a record");
    std::fs::remove_file(folder.path().join("m.yaml")).expect("a record");

    // The same in two sittings; the second knows everything from the file.
    played(&arguments, &"auto\n".repeat(12), folder.path());
    let again = played(
        &["san-juan", "--record", "m.yaml"],
        &"auto\n".repeat(18),
        folder.path(),
    );
    assert!(again.status.success(), "{}", notes(&again));
    let kept = std::fs::read_to_string(folder.path().join("m.yaml")).expect("a record");
    assert_eq!(kept, whole);

    let other = played(
        &["puerto-rico", "--record", "m.yaml"],
        "quit\n",
        folder.path(),
    );
    assert_eq!(other.status.code(), Some(2));
    assert!(notes(&other).starts_with("error: "), "{}", notes(&other));
}

#[test]
fn polish_is_spoken() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = played(
        &["san-juan", "--lang", "pl", "--seed", "2", "--seat", "p1,p2"],
        "pomoc\nruchy\nsam\nsam\ncofnij\nkoniec\n",
        folder.path(),
    );
    let told = text(&output);
    for part in ["czemu nie <ruch>", "teraz kolej na: p2", "ręka (p1)"] {
        assert!(told.contains(part), "`{part}` is missing in:\n{told}");
    }
    assert!(output.status.success());
}

#[test]
fn wrong_usage_is_answered() {
    let folder = tempfile::tempdir().expect("a folder");
    for (arguments, expected) in [
        (
            &["puerto-rico", "--seat", "p7"][..],
            "there is no seat `p7`",
        ),
        (
            &["puerto-rico", "--players", "9"],
            "is for 2 to 5 players, not 9",
        ),
    ] {
        let output = played(arguments, "", folder.path());
        assert_eq!(output.status.code(), Some(2));
        assert!(notes(&output).contains(expected), "{}", notes(&output));
    }
    std::fs::write(folder.path().join("no.yaml"), "hello: 1\n").expect("writable");
    let output = played(&["puerto-rico", "--record", "no.yaml"], "", folder.path());
    assert_eq!(output.status.code(), Some(2));
    assert!(
        notes(&output).contains("`no.yaml`: this is no record"),
        "{}",
        notes(&output)
    );
}
