//! Holds the catalogue and the code that reports together.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use crate::diagnostic::{Diagnostic, Severity};

mod market;

/// Wrong examples that are not tried, and why.
const UNTRIED: &[(Code, &str)] = &[
    (Code::OversizedSentence, "it takes more than 4096 signs"),
    (Code::OversizedDocument, "it takes some mebibytes"),
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
    let told = market::told(entry.code, entry.wrong);
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
    let told = market::told(entry.code, entry.right);
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

/// Every `.rs` file below a folder.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .expect("readable")
        .flatten()
        .map(|e| e.path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// Codes that the interpreter reports outside its tests, with one place of each.
fn reported() -> BTreeMap<u16, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut codes = BTreeMap::new();
    for path in files {
        let text = fs::read_to_string(&path).expect("readable");
        let text = text
            .split("#[cfg(test)]\nmod tests {")
            .next()
            .unwrap_or_default();
        if path.ends_with("codes.rs") {
            codes.extend(listed(text).map(|code| (code, path.display().to_string())));
        }
        for call in ["error(", "warning(", "without_place(", "differs(", "code: "] {
            for (at, _) in text.match_indices(call) {
                let argument = text[at + call.len()..].trim_start();
                let digits: String = argument.chars().take_while(char::is_ascii_digit).collect();
                if let Some(code) = digits
                    .parse()
                    .ok()
                    .filter(|code| (101..1100).contains(code))
                {
                    let line = text[..at].lines().count();
                    codes
                        .entry(code)
                        .or_insert_with(|| format!("{}:{line}", path.display()));
                }
            }
        }
    }
    codes
}

/// The codes of a list of constants, such as that of the syntax of rules.
fn listed(text: &str) -> impl Iterator<Item = u16> {
    let values = text
        .lines()
        .filter_map(|line| line.split_once(": u16 = ")?.1.strip_suffix(';'));
    values.filter_map(|value| value.parse().ok())
}

#[test]
fn every_reported_code_is_explained() {
    let missing: Vec<_> = reported()
        .into_iter()
        .filter(|(code, _)| entries().all(|entry| entry.code.number() != *code))
        .collect();
    assert!(
        missing.is_empty(),
        "add these codes to `diagnostic/catalogue`: {missing:#?}"
    );
}

#[test]
fn every_explained_code_is_reported() {
    let reported = reported();
    let idle: Vec<_> = entries()
        .filter(|e| !reported.contains_key(&e.code.number()))
        .map(|e| e.code.to_string())
        .collect();
    assert!(idle.is_empty(), "nothing reports these any more: {idle:?}");
}

#[test]
fn entries_are_in_order_and_say_something() {
    let mut last = 0;
    for entry in entries() {
        assert!(
            entry.code.number() > last,
            "{} is out of order or doubled",
            entry.code
        );
        last = entry.code.number();
        assert!(
            !entry.title.is_empty() && !entry.title.ends_with('.'),
            "{}: {}",
            entry.code,
            entry.title
        );
        assert!(
            entry.explanation.ends_with('.') || entry.explanation.ends_with('`'),
            "{}",
            entry.code
        );
    }
}
