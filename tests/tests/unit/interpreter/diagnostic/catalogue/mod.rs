//! Holds the catalogue and what reports its mistakes together.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use interpreter::diagnostic::catalogue::{Entry, entries, explain};
use interpreter::diagnostic::{ADDED, Code, Diagnostic, Severity};

mod market;

/// Wrong examples that are not tried, and why.
const UNTRIED: &[(Code, &str)] = &[
    (Code::OversizedSentence, "it takes more than 4096 signs"),
    (Code::OversizedDocument, "it takes some mebibytes"),
    (Code::MissingSignature, "it takes a signature"),
    (Code::SignatureOfOtherText, "it takes a signature"),
    (Code::SignedByOther, "it takes a signature"),
    (Code::DigestEdited, "it takes a digest of what is there"),
    (Code::ProofGone, "it takes a digest of what is there"),
    (Code::OpenThing, "it takes a digest of what is there"),
    (Code::UnreadableSignature, "it takes a signature"),
    (
        Code::MissingValueForPlayers,
        "`MissingPlayerCount` is told of the same place first",
    ),
    (
        Code::QueryOutsidePhase,
        "the name alone is unknown elsewhere: `UnknownName`",
    ),
    (
        Code::AggregateWithoutBody,
        "the grammar refuses it first: `UnexpectedToken`",
    ),
    (
        Code::UnexpectedAggregateBody,
        "the grammar refuses it first: `UnexpectedToken`",
    ),
    (Code::ExcessiveCallDepth, "it takes more than 48 queries"),
    (Code::WorkLimitExceeded, "it takes a table of many rows"),
];

/// Mistakes from which another one follows wherever they are made.
const FOLLOWED: &[(Code, Code)] = &[(Code::ChainedComparison, Code::TypeMismatch)];

/// What an author is told of an example that should have this mistake and no other, if it is something else.
fn wrong(entry: &Entry) -> Option<String> {
    let told = market::told(entry.code, &entry.example.wrong);
    let is_told = told.iter().any(|d| d.code == entry.code);
    let errors = told.iter().filter(|d| d.severity == Severity::Error);
    let others =
        errors.filter(|d| d.code != entry.code && !FOLLOWED.contains(&(entry.code, d.code)));
    let others = shown(others);
    (!is_told || !others.is_empty()).then(|| {
        format!(
            "{}, wrong: reported: {is_told}; others: {others}",
            entry.code
        )
    })
}

/// What an author is told of an example that should be mended, if it is anything.
fn right(entry: &Entry) -> Option<String> {
    let told = market::told(entry.code, &entry.example.right);
    let left = told
        .iter()
        .filter(|d| d.severity == Severity::Error || d.code == entry.code);
    let left = shown(left);
    (!left.is_empty()).then(|| format!("{}, right: {left}", entry.code))
}

fn shown<'d>(diagnostics: impl Iterator<Item = &'d Diagnostic>) -> String {
    let listed = diagnostics.map(|d| format!("{} {}", d.code, d.message));
    listed.collect::<Vec<_>>().join("; ")
}

#[test]
fn every_example_shows_its_mistake_and_how_it_is_mended() {
    let is_tried = |entry: &&Entry| UNTRIED.iter().all(|(code, _)| *code != entry.code);
    let wrong = entries().filter(is_tried).filter_map(wrong);
    let failed: Vec<String> = wrong.chain(entries().filter_map(right)).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn what_is_not_tried_cannot_be() {
    let shown = UNTRIED
        .iter()
        .filter(|(code, _)| wrong(explain(*code)).is_none());
    let shown: Vec<_> = shown.collect();
    assert!(shown.is_empty(), "these can be tried: {shown:?}");
    assert!(UNTRIED.is_sorted() && UNTRIED.len() <= 15);
}

/// Every file below a folder, by its path from there.
fn files_in(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("readable").flatten() {
        let (path, name) = (entry.path(), entry.file_name().display().to_string());
        if path.is_dir() {
            let within = files_in(&path).into_iter();
            found.extend(within.map(|(inner, text)| (format!("{name}/{inner}"), text)));
        } else {
            found.insert(name, fs::read_to_string(path).expect("readable"));
        }
    }
    found
}

#[test]
fn every_code_is_reported() {
    let mut files = BTreeMap::new();
    // What is signed, the command looks at.
    for sources in [
        "interpreter/core/src",
        "interpreter/play/src",
        "interpreter/src",
        "interpreter/syntax/src",
        "referee/report/src",
        "referee/sandbox/src",
        "referee/server/src",
        "referee/src",
    ] {
        let found = files_in(&referee_tests::root().join(sources)).into_iter();
        files.extend(found.map(|(path, text)| (format!("{sources}/{path}"), text)));
    }
    let catalogue = "interpreter/core/src/diagnostic/";
    files.retain(|path, _| path.ends_with(".rs") && !path.starts_with(catalogue));
    let mut reported = BTreeSet::new();
    for text in files.values() {
        let text = text.split("#[cfg(test)]\nmod tests {").next();
        let named = text.unwrap_or_default().split("Code::").skip(1);
        let names = named.filter_map(|rest| rest.split(|c: char| !c.is_alphanumeric()).next());
        reported.extend(names.map(str::to_owned));
    }
    let mut idle = Code::ALL.to_vec();
    idle.retain(|code| !reported.contains(&format!("{code:?}")));
    assert!(idle.is_empty(), "nothing reports these any more: {idle:?}");
}

/// The document beside this file says what is decided, and how.
#[test]
fn of_every_mistake_it_is_decided_whether_a_match_suffers_by_it() {
    let decided = include_str!("decided.txt").lines();
    let decided: BTreeSet<&str> = decided.filter(|line| !line.starts_with('#')).collect();
    let now: BTreeSet<String> = Code::ALL
        .iter()
        .filter(|code| !ADDED.contains(code))
        .map(|code| format!("{code} {code:?}"))
        .collect();
    let mut new = now.clone();
    new.retain(|line| !decided.contains(&line[..]));
    let why = "new mistakes: see the head of `decided.txt`";
    assert!(new.is_empty(), "{why}: {new:#?}");
    let mut gone = decided;
    gone.retain(|line| !now.contains(*line));
    assert!(
        gone.is_empty(),
        "not told any more, or renumbered: {gone:?}"
    );
}

#[test]
fn every_code_has_an_entry_in_its_place_that_says_something() {
    assert!(Code::ALL.is_sorted());
    let explained: Vec<Code> = entries().map(|entry| entry.code).collect();
    assert_eq!(explained, Code::ALL);
    for entry in entries() {
        let (title, explanation) = (&entry.title, &entry.explanation);
        let is_title = !title.is_empty() && !title.ends_with('.');
        assert!(is_title, "{}: {title}", entry.code);
        assert!(explanation.ends_with(['.', '`']), "{}", entry.code);
    }
}
