//! The half hour of `rulesets/README.md`, followed word for word: files are written as printed, commands typed, and
//! what they say is compared with what is printed. A line `…` stands for any lines, `…` within a line for anything.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

/// What the walk-through says, in order.
pub enum Part {
    /// A paragraph.
    Said(String),
    /// A file, or what is added to one.
    File(String),
    /// What is typed and what is read.
    Console(Vec<String>),
}

pub fn parts(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut said = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(language) = line.strip_prefix("```") else {
            said.push_str(line);
            said.push('\n');
            continue;
        };
        parts.push(Part::Said(std::mem::take(&mut said)));
        let block: Vec<String> = lines
            .by_ref()
            .take_while(|line| !line.starts_with("```"))
            .map(str::to_owned)
            .collect();
        parts.push(match language {
            "console" => Part::Console(block),
            _ => Part::File(block.join("\n") + "\n"),
        });
    }
    parts
}

/// Whether a text is as printed, where `…` stands for anything.
fn alike(printed: &str, found: &str) -> bool {
    let mut pieces = printed.trim_end().split('…');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = found.trim_end().strip_prefix(first) else {
        return false;
    };
    let pieces: Vec<&str> = pieces.collect();
    for (i, piece) in pieces.iter().enumerate() {
        if i + 1 == pieces.len() {
            return rest.ends_with(piece);
        }
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.is_empty()
}

/// Where lines differ from what is printed; none if they do not.
pub fn difference(printed: &[String], found: &[&str]) -> Option<String> {
    match printed {
        [] if found.is_empty() => None,
        [] => Some(format!("not printed: {}", found[0])),
        [gap] if gap == "…" => None,
        [gap, rest @ ..] if gap == "…" => {
            let begins = |at: &usize| alike(&rest[0], found[*at]);
            let mut all = (0..found.len())
                .filter(begins)
                .map(|at| difference(rest, &found[at..]));
            let first = all.next();
            match first {
                None => Some(format!("never said: {}", rest[0])),
                Some(None) => None,
                Some(first) => all.all(|other| other.is_some()).then_some(first).flatten(),
            }
        }
        [line, rest @ ..] => match found {
            [first, others @ ..] if alike(line, first) => difference(rest, others),
            [first, ..] => Some(format!("printed: {line}\n  found: {first}")),
            [] => Some(format!("never said: {line}")),
        },
    }
}

/// How fast it went, and where it listens, differs from machine to machine.
fn comparable(line: &str) -> String {
    for told in ["  listens on", "  page"] {
        if line.starts_with(&format!("{told} ")) {
            return told.to_owned();
        }
    }
    match line.split_once(" games/s") {
        Some((_, rest)) => rest
            .split_once("; ")
            .map_or("", |(_, rest)| rest)
            .to_owned(),
        None => line.to_owned(),
    }
}

fn referee(words: &str, folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_referee"));
    command
        .args(words.split_whitespace())
        .current_dir(folder)
        .env_remove("REFEREE_RULESETS")
        .env("REFEREE_LISTEN", "127.0.0.1:0")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// A referee that serves in the first terminal while others are used.
struct Serving {
    child: Child,
    /// What it said when it began.
    said: Vec<String>,
    /// What else it says is not read, but has somewhere to go.
    _notes: BufReader<ChildStderr>,
}

impl Serving {
    /// Begins, and reads so many lines.
    fn start(words: &str, lines: usize, folder: &Path) -> Serving {
        let mut child = referee(words, folder).spawn().expect("the command runs");
        let mut notes = BufReader::new(child.stderr.take().expect("a pipe"));
        let said = notes.by_ref().lines().take(lines);
        let said = said.map(|line| line.expect("text")).collect();
        Serving {
            child,
            said,
            _notes: notes,
        }
    }

    /// The last word of the line that begins so.
    fn word(&self, begins: &str) -> &str {
        let mut lines = self.said.iter();
        let line = lines.find(|line| line.trim_start().starts_with(begins));
        let word = line.and_then(|line| line.split_whitespace().last());
        word.expect("the referee says so")
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a command says, to its end.
fn said(words: &str, typed: &[&str], folder: &Path) -> Vec<String> {
    let mut child = referee(words, folder).spawn().expect("the command runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    for line in typed {
        let _ = writeln!(stdin, "{line}");
    }
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8(text).expect("text");
    text.lines().map(str::to_owned).collect()
}

/// Types a command and compares what is read.
fn follow(console: &[String], folder: &Path, serving: &mut Option<Serving>) {
    let Some(command) = console[0].strip_prefix("$ referee ") else {
        // Other programs are not ours to try.
        return;
    };
    let (words, tail) = match command.split_once(" | tail -n ") {
        Some((words, lines)) => (words, Some(lines.parse::<usize>().expect("a number"))),
        None => (command, None),
    };
    let printed: Vec<String> = console[1..].iter().map(|line| comparable(line)).collect();
    let typed: Vec<&str> = printed
        .iter()
        .filter_map(|line| line.strip_prefix("p1> "))
        .collect();
    let mut found = if words.starts_with("serve") {
        let started = Serving::start(words, printed.len(), folder);
        let said = started.said.clone();
        *serving = Some(started);
        said
    } else if let (true, Some(serving)) = (words.starts_with("publish"), serving) {
        // Printed is the address that nobody need say, and no token.
        let words = words.replace("rfp_…", serving.word("publisher"));
        let server = serving.word("listens on");
        said(&format!("{words} --server {server}"), &typed, folder)
    } else {
        said(words, &typed, folder)
    };
    if let Some(tail) = tail {
        found.drain(..found.len().saturating_sub(tail));
    }
    let found: Vec<String> = found.iter().map(|line| comparable(line)).collect();
    let lines: Vec<&str> = found.iter().map(String::as_str).collect();
    if let Some(difference) = difference(&printed, &lines) {
        panic!("{command}\n{difference}\n\n{}", found.join("\n"));
    }
}

/// What a paragraph says to do: `Mend a to b`, both in backticks.
fn mend(said: &str, folder: &Path) {
    for (at, _) in said.match_indices("end `") {
        let words: Vec<&str> = said[at..].splitn(5, '`').map(str::trim).collect();
        let [_, old, "to", new, _] = words[..] else {
            panic!("mend what? {said}");
        };
        let mut mended = 0;
        for file in ["counting_house.rules", "scenarios/counting_house.yaml"] {
            let path = folder.join("counting-house").join(file);
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            if text.contains(old) {
                std::fs::write(&path, text.replace(old, new)).expect("writable");
                mended += 1;
            }
        }
        assert_eq!(mended, 1, "`{old}` stands in one file");
    }
}

#[test]
#[ignore = "slow"]
fn the_half_hour_goes_as_printed() {
    let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/../rulesets/README.md");
    let readme = std::fs::read_to_string(readme).expect("the README is there");
    let (_, half_hour) = readme
        .split_once("\n## Half an hour")
        .expect("the walk-through");
    let folder = tempfile::tempdir().expect("a folder");
    let mut before = String::new();
    let (mut files, mut commands) = (0, 0);
    let mut serving = None;
    for part in parts(half_hour) {
        match part {
            Part::Said(said) => {
                mend(&said, folder.path());
                before = said;
            }
            Part::File(text) => {
                let named = before.split('`').skip(1).step_by(2);
                let path = named
                    .filter(|name| name.starts_with("counting-house/") && name.contains('.'))
                    .last()
                    .expect("a file that is named");
                let path = folder.path().join(path);
                std::fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
                let old = match before.contains("Add to") {
                    true => std::fs::read_to_string(&path).expect("a file"),
                    false => String::new(),
                };
                std::fs::write(&path, old + text.as_str()).expect("writable");
                files += 1;
            }
            Part::Console(console) => {
                follow(&console, folder.path(), &mut serving);
                commands += 1;
            }
        }
    }
    assert!(
        files >= 8 && commands >= 15 && serving.is_some(),
        "{files} files, {commands} commands"
    );
}

#[test]
fn what_is_not_as_printed_is_found() {
    let printed = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let differs = |a: &str, b: &str| difference(&printed(a), &b.lines().collect::<Vec<_>>());
    assert_eq!(differs("a\n…\nc … e", "a\nb\nb\nc d e"), None);
    assert_eq!(differs("a", "b"), Some("printed: a\n  found: b".to_owned()));
    assert_eq!(differs("a\n…\nc", "a\nb"), Some("never said: c".to_owned()));
    assert_eq!(differs("a", "a\nb"), Some("not printed: b".to_owned()));
    assert_eq!(differs("a\nb", "a"), Some("never said: b".to_owned()));
}
