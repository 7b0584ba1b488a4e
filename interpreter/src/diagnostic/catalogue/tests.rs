//! Holds the catalogue and what reports its mistakes together.

use std::collections::BTreeSet;
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

#[test]
fn every_code_is_reported() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    files.retain(|path| !path.starts_with(root.join("diagnostic")));
    let mut reported = BTreeSet::new();
    for path in files {
        let text = fs::read_to_string(&path).expect("readable");
        let text = text.split("#[cfg(test)]\nmod tests {").next();
        let named = text.unwrap_or_default().split("Code::").skip(1);
        let names = named.filter_map(|rest| rest.split(|c: char| !c.is_alphanumeric()).next());
        reported.extend(names.map(str::to_owned));
    }
    let idle = entries().filter(|entry| !reported.contains(&format!("{:?}", entry.code)));
    let idle: Vec<Code> = idle.map(|entry| entry.code).collect();
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
