//! `referee play` with its input from a pipe.

use std::path::Path;

use super::command::{Ran, referee, typed};

/// Plays with these lines.
fn played(line: &str, lines: &str, folder: &Path) -> Ran {
    let mut command = referee(format!("play {line}"));
    typed(command.current_dir(folder), lines)
}

#[test]
#[ignore = "slow"]
fn a_whole_match_is_played_through_a_pipe() {
    let folder = tempfile::tempdir().expect("a folder");
    for game in [
        "puerto-rico --players 3",
        "san-juan --players 2",
        "catan-rivals --players 2",
    ] {
        let lines = "auto\n".repeat(3000);
        let ran = played(&format!("{game} --seed 4"), &lines, folder.path()).ends(0);
        ran.tells("\nThe end\n").tells("\nwinner");
        assert!(
            !ran.data.contains('\u{1b}'),
            "no colours where nobody sees them"
        );
    }
}

#[test]
fn the_table_the_moves_and_what_they_do_are_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = played(
        "puerto-rico --players 3 --seed 1",
        "why not choose prospector\nhelp\n@roles.optional\n@rolls\nnonsense\n77\n1\nquit\n",
        folder.path(),
    );
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
        ran.tells(part);
    }
}

#[test]
fn a_refusal_names_its_clause() {
    let folder = tempfile::tempdir().expect("a folder");
    // The builder is the second role card; a wharf is dear.
    let ran = played(
        "puerto-rico --players 3 --seed 1",
        "choose builder\nwhy not build wharf\nwhy not build indigo plant\nwhy not build\nbuild wharf\nquit\n",
        folder.path(),
    );
    ran.tells("@builder.afford")
        .tells("now: price (p1, Wharf) = 8, doubloons (p1)")
        .tells("there is no such legal move: `build wharf`");
}

#[test]
fn what_is_chosen_freely_is_said_in_words() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = played(
        "san-juan --players 2 --seed 2",
        "choose producer\nwhy not produce 2 indigo\nwhy not produce 3 wharfs\nproduce 1 indigo\nquit\n",
        folder.path(),
    );
    ran.tells("@goods.one-each")
        .tells("indigo: 2 asked for, 1 to choose from")
        .tells("this means nothing here: `wharfs`")
        .tells("p1: produce goods: 1 indigo");
}

/// What has to be repeated is what lies on the table.
#[test]
fn what_must_be_repeated_need_not_be_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = played(
        "genoa --players 2 --seed 3",
        "why not accept\nquit\n",
        folder.path(),
    );
    ran.tells("@accept.no-offer")
        .tells("@bargaining.with-the-trader");
}

#[test]
fn pieces_are_meant_by_what_they_are_called_behind_a_number() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = played(
        "genoa --players 2 --seed 3",
        "1\n5\n0\n0\nno\n0\nnone\nnone\n2 ownership markets\n2 ownership markers\n",
        folder.path(),
    );
    ran.tells("this cannot be chosen: `ownership`");
    let refused = ran.data.matches("this cannot be chosen").count();
    assert_eq!(refused, 1, "{}", ran.data);
}

#[test]
fn a_move_is_taken_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = played(
        "puerto-rico --players 3 --seed 1 --record match.yaml",
        "undo\n1\nundo\nquit\n",
        folder.path(),
    );
    ran.tells("there is nothing to take back");
    let kept = std::fs::read_to_string(folder.path().join("match.yaml")).expect("a record");
    assert!(kept.contains("moves: []"), "{kept}");
}

#[test]
fn a_match_is_gone_on_with_where_it_ended() {
    let folder = tempfile::tempdir().expect("a folder");
    let auto = |line: &str, moves: usize| played(line, &"auto\n".repeat(moves), folder.path());
    let file = folder.path().join("m.yaml");
    let begin = "san-juan --players 3 --seat p2 --seed 5 --record m.yaml";
    auto(begin, 30).ends(0);
    let whole = std::fs::read_to_string(&file).expect("a record");
    std::fs::remove_file(&file).expect("a record");

    // The same in two sittings; the second knows everything from the file.
    auto(begin, 12);
    auto("san-juan --record m.yaml", 18).ends(0);
    assert_eq!(std::fs::read_to_string(&file).expect("a record"), whole);

    let other = played("puerto-rico --record m.yaml", "quit\n", folder.path()).ends(2);
    assert!(other.notes.starts_with("error: "), "{}", other.notes);
}

#[test]
fn polish_is_spoken() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = played(
        "san-juan --lang pl --seed 2 --seat p1,p2",
        "pomoc\nruchy\nsam\nsam\ncofnij\nkoniec\n",
        folder.path(),
    );
    for part in ["czemu nie <ruch>", "teraz kolej na: p2", "ręka (p1)"] {
        ran.tells(part);
    }
    ran.ends(0);
}

#[test]
fn wrong_usage_is_answered() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("no.yaml"), "hello: 1\n").expect("writable");
    for (line, expected) in [
        ("puerto-rico --seat p7", "there is no seat `p7`"),
        ("puerto-rico --players 9", "is for 2 to 5 players, not 9"),
        (
            "puerto-rico --record no.yaml",
            "`no.yaml`: this is no record",
        ),
    ] {
        played(line, "", folder.path()).ends(2).notes(expected);
    }
}
