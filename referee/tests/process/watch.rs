//! `referee watch` and interrupted runs, as processes.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use super::command::{referee, run};

fn begun(line: impl AsRef<str>) -> Child {
    let mut command = referee(line);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the command runs")
}

/// Lines until one contains a text.
fn until(lines: &mut BufReader<ChildStdout>, text: &str) -> String {
    let mut all = String::new();
    loop {
        let mut line = String::new();
        let read = lines.read_line(&mut line).expect("UTF-8");
        assert!(read > 0, "`{text}` does not come:\n{all}");
        all.push_str(&line);
        if line.contains(text) {
            return all;
        }
    }
}

/// A skeleton of a ruleset, and the folder that goes with it when the test does.
fn new_game() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let game = folder.path().join("my-game");
    run(format!("new ruleset {}", game.display())).ends(0);
    (folder, game)
}

#[test]
fn a_save_is_noticed_checked_and_tested() {
    let (_folder, game) = new_game();
    let mut child = begun(format!("watch {} --rounds 3", game.display()));
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe"));
    let first = until(&mut lines, "waiting for a save");
    assert!(
        first.contains("no errors") && first.contains("6 passed, 0 failed"),
        "{first}"
    );

    let rules = game.join("rules/game.rules");
    let right = std::fs::read_to_string(&rules).expect("readable");
    std::fs::write(&rules, right.replace("size(mine) == 0", "size(mime) == 0")).expect("writable");
    let second = until(&mut lines, "waiting for a save");
    assert!(
        second.contains("rules/game.rules") && second.contains("`mime`"),
        "{second}"
    );

    std::fs::write(&rules, right).expect("writable");
    let third = until(&mut lines, "waiting for a save");
    assert!(third.contains("6 passed, 0 failed"), "{third}");
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn programs_read_a_line_for_each_look() {
    let (_folder, game) = new_game();
    let watch = format!("watch {} --rounds 2 --format json", game.display());
    let mut child = begun(watch);
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut look = || {
        let mut line = String::new();
        lines.read_line(&mut line).expect("UTF-8");
        serde_json::from_str::<serde_json::Value>(&line).expect("a line of JSON")
    };
    let first = look();
    assert_eq!(first["schema"], "referee.watch/1");
    assert_eq!(first["changed"], serde_json::json!([]));
    assert_eq!(first["check"]["errors"], 0);
    assert_eq!(first["test"]["passed"], 6);

    let rules = game.join("rules/game.rules");
    let right = std::fs::read_to_string(&rules).expect("readable");
    std::fs::write(&rules, right.replace("size(mine) == 0", "size(mime) == 0")).expect("writable");
    let second = look();
    assert_eq!(
        second["changed"][0],
        rules.to_str().expect("a path of text")
    );
    assert_eq!(second["check"]["errors"], 1);
    assert!(second["test"].is_null(), "{second}");
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn what_is_shipped_cannot_be_watched() {
    let ran = run("watch puerto-rico").ends(2);
    ran.notes("there is nothing to watch");
}

/// Waits until a process has a handler for SIGINT, which would end it at once before.
#[cfg(unix)]
fn heeds_interrupts(process: u32) {
    const SIGINT: u64 = 1 << 1;
    let status = format!("/proc/{process}/status");
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(60) {
        let Ok(status) = std::fs::read_to_string(&status) else {
            // Elsewhere than under Linux nobody says so.
            std::thread::sleep(Duration::from_secs(10));
            return;
        };
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        if caught.is_some_and(|mask| mask & SIGINT != 0) {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("it does not heed interrupts after a minute");
}

/// An interrupted run tells what was played.
#[cfg(unix)]
#[test]
fn an_interrupted_simulation_keeps_what_was_done() {
    let child = begun("simulate puerto-rico --players 4 --games 10000000 --format json");
    heeds_interrupts(child.id());
    std::thread::sleep(Duration::from_secs(1));
    let began = Instant::now();
    let killed = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .expect("kill runs");
    assert!(killed.success());
    let output = child.wait_with_output().expect("it ends");
    assert!(
        began.elapsed() < Duration::from_secs(60),
        "{:?}",
        began.elapsed()
    );
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(told["interrupted"], true);
    let played = told["played"].as_u64().expect("a number");
    assert!(played > 0 && played < 10_000_000, "{played}");
}
