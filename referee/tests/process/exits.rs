//! The `referee` command as a process: exit codes, streams, colours.

use super::command::{ran, referee, run};

#[test]
fn exit_codes_are_those_of_the_documentation() {
    for (line, code) in [
        ("check puerto-rico --players 4", 0),
        ("check no-such-ruleset", 2),
        ("check puerto-rico --with none", 2),
        ("check", 2),
        ("no-such-command", 2),
        ("--help", 0),
    ] {
        run(line).ends(code);
    }
}

#[test]
fn what_only_a_file_of_matches_has_is_refused_of_a_database_before_it_is_called() {
    for flag in ["--take-over", "--new-key"] {
        let line = format!("serve --store postgres://ada@127.0.0.1:1/league --key none.key {flag}");
        let refused = run(line);
        refused.notes(&format!("{flag} is for a file of matches"));
    }
}

#[test]
fn data_and_notes_go_to_streams_of_their_own() {
    let shown = run("show puerto-rico captain");
    shown.tells("phase captain(holder: player)");
    assert!(shown.notes.starts_with("note: "), "{}", shown.notes);
    assert_eq!(run("check no-such-ruleset").data, "");
}

#[test]
fn colours_are_left_out_when_nobody_sees_them_or_wants_them() {
    let coloured = |setting: Option<&str>| {
        let mut command = referee("show puerto-rico captain");
        command.envs(setting.map(|name| (name, "1")));
        ran(&mut command).data.contains('\u{1b}')
    };
    assert!(!coloured(None));
    assert!(coloured(Some("CLICOLOR_FORCE")));
    assert!(!coloured(Some("NO_COLOR")));
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
        let text = run(format!("{command} --help")).data;
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
