//! Holds the catalogue and the code that reports together.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::*;

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
        .filter(|(code, _)| explain(Code(*code)).is_none())
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
        .filter(|e| !reported.contains_key(&e.code.0))
        .map(|e| e.code.to_string())
        .collect();
    assert!(idle.is_empty(), "nothing reports these any more: {idle:?}");
}

#[test]
fn entries_are_in_order_and_say_something() {
    let mut last = 0;
    for entry in entries() {
        assert!(
            entry.code.0 > last,
            "{} is out of order or doubled",
            entry.code
        );
        last = entry.code.0;
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
