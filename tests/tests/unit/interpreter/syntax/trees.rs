//! Tests of the module `syntax::trees`.

use interpreter::diagnostic::Diagnostics;
use interpreter::package::{Configuration, load, load_again};
use interpreter::source::{FileId, Sources};
use interpreter::syntax::{Trees, document};
use interpreter::{budget, play::PackageTexts};
use referee_tests::{root, texts};

/// Reads a document with shared trees: the tree and the messages of what was reported.
fn read(trees: &Trees, text: &str) -> (Option<document::Node>, Vec<String>) {
    let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::default());
    let file: FileId = sources.add("a.yaml", text);
    let tree = trees.document(&sources, file, &mut diagnostics);
    let messages = diagnostics.list.into_iter().map(|found| found.message);
    (tree, messages.collect())
}

#[test]
fn a_text_in_the_place_of_another_has_its_own_tree() {
    let trees = Trees::growing();
    for text in ["a: 1\n", "a: 2\n", "a: 1\na: 2\n", "a: 1\n", "a: 1\na: 2\n"] {
        assert_eq!(read(&trees, text), read(&Trees::default(), text), "{text}");
    }
    let (_, twice) = read(&trees, "a: 1\na: 2\n");
    assert!(!twice.is_empty(), "a mistake is reported each time");
}

#[test]
fn a_package_takes_the_same_work_with_shared_trees() {
    let base: PackageTexts = texts(&root().join("rulesets/san-juan"));
    let configuration = Configuration::base(2);
    let trees = Trees::growing();
    let (_, alone) = budget::counted(|| {
        let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::default());
        load(&mut sources, &base, &[], &configuration, &mut diagnostics)
    });
    for time in 1..=2 {
        let (_, shared) = budget::counted(|| {
            let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::default());
            load_again(
                &mut sources,
                &trees,
                &base,
                &[],
                &configuration,
                &mut diagnostics,
            )
        });
        assert_eq!(shared, alone, "time {time}");
    }
}
