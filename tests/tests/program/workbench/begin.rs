//! `referee new`: what it writes checks clean, stands as `fmt` writes it, and plays.

use referee_tests::command::{Ran, run};

use super::{SHIPPED, invented, shown};

fn clean(line: impl AsRef<str>) -> String {
    let Ran { code, data, notes } = run(&line);
    assert_eq!((code, notes.as_str()), (0, ""), "{}: {data}", line.as_ref());
    data
}

#[test]
fn whoever_does_not_say_what_to_begin_is_told_what_to_write() {
    for line in ["new my-game", "new rulset my-game"] {
        let Ran { code, data, notes } = run(line);
        assert_eq!((code, data.as_str()), (2, ""));
        assert!(notes.contains("`referee new ruleset my-game`"), "{notes}");
    }
}

#[test]
fn a_new_ruleset_is_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("my-game");
    let path = shown(&path);
    let told = clean(format!("new ruleset {path}"));
    assert!(
        told.contains("ruleset.yaml\n") && told.contains("  referee check "),
        "{told}"
    );
    let checked = clean(format!("check {path} --fail-on-warn"));
    assert_eq!(
        checked,
        "my-game 0.1.0, for 2, 3 and 4 players: no errors\n"
    );
    clean(format!("test {path}"));
    clean(format!("coverage {path} --touched 100"));
    for players in ["2", "3", "4"] {
        clean(format!(
            "simulate {path} --players {players} --games 40 --verify"
        ));
    }
    let overview = run(format!("show {path}"));
    assert!(overview.code == 0 && overview.data.contains("My game"));
    assert!(clean(format!("doc {path} --lang pl")).starts_with("# My game\n"));
    let written = run(format!("fmt --check {path}"));
    assert_eq!(
        (written.code, written.data.as_str()),
        (0, ""),
        "{}",
        written.notes
    );
}

/// Begins a module for a ruleset and tries all that its author would.
fn a_new_module_fits(base: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let name = base.rsplit('/').next().expect("a name");
    let path = folder.path().join(format!("{name}-lucky-start"));
    let path = shown(&path);
    clean(format!("new module {path} --extends {base}"));
    clean(format!("check {base} --with {path} --fail-on-warn"));
    run(format!("fmt --check {path}")).ends(0);
    let tested = clean(format!(
        "test {base} --with {path} --filter 'begins with a token'"
    ));
    assert!(tested.contains("ok  "), "{tested}");
    let json = run(format!("coverage {base} --with {path} --format json")).json();
    let clauses = json["clauses"].as_array().expect("clauses");
    let tokens = clauses
        .iter()
        .find(|c| c["id"] == format!("{name}-lucky-start.tokens"));
    let tokens = tokens.expect("the module's clause");
    assert_eq!(tokens["gaps"], serde_json::json!([]), "{tokens}");
    clean(format!("simulate {base} --with {path} --games 10 --verify"));
}

#[test]
fn a_new_module_fits_a_small_ruleset() {
    a_new_module_fits(&invented("tea-house"));
}

#[test]
#[ignore = "slow"]
fn a_new_module_fits_every_shipped_ruleset() {
    SHIPPED.into_iter().for_each(a_new_module_fits);
}

#[test]
fn what_is_there_is_not_overwritten() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("mine.txt"), "mine").expect("writable");
    let taken = folder.path().join("taken");
    std::fs::create_dir(&taken).expect("writable");
    std::fs::write(taken.join("mine.txt"), "mine").expect("writable");
    let wrong = folder.path().join("My Game");
    let fine = folder.path().join("fine");
    for (line, expected) in [
        (
            format!("new ruleset {}", taken.display()),
            "is there already and not empty",
        ),
        (
            format!("new ruleset '{}'", wrong.display()),
            "`My Game` is no id: it consists of small letters, digits and single hyphens and begins with a letter; call the folder `my-game`",
        ),
        (
            format!("new module {} --extends puerto-rica", fine.display()),
            "did you mean `puerto-rico`?",
        ),
    ] {
        let Ran { code, data, notes } = run(&line);
        assert_eq!((code, data.as_str()), (2, ""), "{line}");
        assert!(notes.contains(expected), "{notes}");
    }
    assert!(!fine.exists() && !wrong.exists());
}
