//! What the reader of rules understands, and what it says of rules that it cannot read.
//!
//! `corpus/syntax` holds right rules beside the outlines of their trees; `corpus/diagnostics/syntax`
//! holds mistakes that people make beside what they are told. A snapshot holds its source too, so that
//! a reviewer reads both at once.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use interpreter::diagnostic::{Diagnostics, Style};
use interpreter::source::Sources;
use interpreter::syntax::{outline::outline, rules};

const SYNTAX: &str = "corpus/syntax";
const MISTAKES: &str = "corpus/diagnostics/syntax/cases";

/// The outline of a text and what was reported for it.
fn read(path: &str, text: &str) -> (String, String) {
    let mut sources = Sources::default();
    let file = sources.add(path, text);
    let mut diagnostics = Diagnostics::default();
    let tree = rules::parse(&sources, file, &mut diagnostics);
    (
        outline(&tree),
        diagnostics.sorted().render(&sources, Style::Plain),
    )
}

/// The texts of a folder of the corpus.
fn cases(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("readable")
        .map(|e| e.expect("readable").path())
        .filter(|p| p.extension().is_some_and(|e| e == "rules"))
        .collect();
    paths.sort();
    paths
}

fn pin(folder: &str, text: &str, result: &str) {
    insta::with_settings!({
        omit_expression => true,
        prepend_module_to_snapshot => false,
        snapshot_path => folder,
    }, {
        insta::assert_snapshot!(format!("{}\n────────\n{result}", text.trim_end()));
    });
}

#[test]
fn right_rules_are_understood() {
    insta::glob!("../../corpus/syntax", "*.rules", |path| {
        let text = std::fs::read_to_string(path).expect("readable");
        let (tree, reported) = read("a.rules", &text);
        assert!(reported.is_empty(), "{}: {reported}", path.display());
        pin("../../corpus/syntax/snapshots", &text, &tree);
    });
}

#[test]
fn mistakes_are_explained() {
    insta::glob!("../../corpus/diagnostics/syntax/cases", "*.rules", |path| {
        let text = std::fs::read_to_string(path).expect("readable");
        let (_, reported) = read("a.rules", &text);
        assert!(!reported.is_empty(), "{}: nothing is wrong", path.display());
        pin(
            "../../corpus/diagnostics/syntax/snapshots",
            &text,
            &reported,
        );
    });
}

#[test]
fn every_snapshot_has_its_case() {
    for folder in [SYNTAX, MISTAKES] {
        let names: BTreeSet<String> = cases(folder)
            .iter()
            .filter_map(|p| Some(p.file_name()?.to_str()?.to_owned()))
            .collect();
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let snapshots = match folder {
            SYNTAX => root.join("corpus/syntax/snapshots"),
            _ => root.join("corpus/diagnostics/syntax/snapshots"),
        };
        for entry in std::fs::read_dir(snapshots).expect("readable") {
            let name = entry
                .expect("readable")
                .file_name()
                .to_string_lossy()
                .into_owned();
            let case = name
                .split('@')
                .nth(1)
                .and_then(|n| n.strip_suffix(".snap"))
                .unwrap_or_default();
            assert!(names.contains(case), "`{name}` has no case");
        }
    }
}

#[test]
fn every_code_of_syntax_has_a_case() {
    let told: String = cases(MISTAKES)
        .iter()
        .map(|path| read("a.rules", &std::fs::read_to_string(path).expect("readable")).1)
        .collect();
    let missing: Vec<String> = interpreter::diagnostic::catalogue::entries()
        .filter(|entry| entry.code.number() / 100 <= 2)
        .map(|entry| entry.code.to_string())
        .filter(|code| !told.contains(code.as_str()))
        .collect();
    // Files and sentences that are too long are too long for a corpus.
    assert_eq!(
        missing,
        ["RF0108", "RF0203"],
        "no case of the corpus shows these"
    );
}

#[test]
fn the_examples_are_read() {
    let root = referee_tests::root().join("grammar/examples");
    let mut folders = vec![root];
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("readable") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rules") {
                let text = std::fs::read_to_string(&path).expect("readable");
                let (tree, reported) = read(&path.display().to_string(), &text);
                assert!(reported.is_empty(), "{reported}");
                assert!(!tree.is_empty(), "{} says nothing", path.display());
                seen += 1;
            }
        }
    }
    assert!(seen >= 6, "the examples have gone");
}
