//! The `referee` command as a process: exit codes, streams, colours.

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin;

fn referee(words: &[&str]) -> Command {
    let mut command = Command::new(cargo_bin!("referee"));
    command.args(words);
    command.env_remove("REFEREE_RULESETS");
    command
}

#[test]
fn exit_codes_are_those_of_the_documentation() {
    referee(&["check", "puerto-rico", "--players", "4"])
        .assert()
        .code(0);
    referee(&["check", "no-such-ruleset"]).assert().code(2);
    referee(&["check", "puerto-rico", "--with", "none"])
        .assert()
        .code(2);
    referee(&["check"]).assert().code(2);
    referee(&["no-such-command"]).assert().code(2);
    referee(&["--help"]).assert().code(0);
}

#[test]
fn data_and_notes_go_to_streams_of_their_own() {
    let output = referee(&["show", "puerto-rico", "captain"])
        .output()
        .expect("it runs");
    let (data, notes) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(data.contains("phase captain(holder: player)"));
    assert!(notes.starts_with("note: "), "{notes}");
    let output = referee(&["check", "no-such-ruleset"])
        .output()
        .expect("it runs");
    assert!(output.stdout.is_empty());
}

#[test]
fn colours_are_left_out_when_nobody_sees_them_or_wants_them() {
    let words = ["show", "puerto-rico", "captain"];
    let coloured =
        |command: &mut Command| command.output().expect("it runs").stdout.contains(&0x1b);
    assert!(!coloured(&mut referee(&words)));
    assert!(coloured(referee(&words).env("CLICOLOR_FORCE", "1")));
    assert!(!coloured(referee(&words).env("NO_COLOR", "1")));
}

#[test]
fn every_example_of_the_help_is_read() {
    for command in [
        "new",
        "check",
        "show",
        "doc",
        "graph",
        "test",
        "coverage",
        "diff",
        "simulate",
        "play",
        "fmt",
        "watch",
        "snapshot",
        "schema",
        "completions",
        "explain",
        "serve",
    ] {
        let output = referee(&[command, "--help"]).output().expect("it runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let examples: Vec<&str> = text
            .lines()
            .filter_map(|line| line.trim().strip_prefix("referee "))
            .collect();
        assert!(!examples.is_empty(), "{command} shows no example");
        for example in examples {
            // Words after two spaces explain; the shell reads arrows and pipes.
            let words = ["  ", " > ", " < ", " | "]
                .iter()
                .fold(example, |words, end| {
                    words.split(end).next().unwrap_or(words)
                })
                .split_whitespace();
            let read = <referee::cli::Cli as clap::Parser>::try_parse_from(
                std::iter::once("referee").chain(words),
            );
            assert!(
                read.is_ok(),
                "`referee {example}`: {:?}",
                read.err().map(|error| error.to_string())
            );
        }
    }
}
