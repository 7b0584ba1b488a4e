//! Whole files are read as they ship.

use super::rules::parse;
use crate::diagnostic::{Diagnostics, Style};
use crate::source::Sources;
use std::path::Path;

/// Reads every `.rules` file of a folder and gives what was reported.
fn reported(folder: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .join(folder);
    let mut paths: Vec<_> = std::fs::read_dir(&root)
        .expect("readable")
        .flatten()
        .map(|e| e.path())
        .collect();
    paths.sort();
    let mut sources = Sources::default();
    let mut diagnostics = Diagnostics::default();
    for path in paths
        .iter()
        .filter(|p| p.extension().is_some_and(|e| e == "rules"))
    {
        let text = std::fs::read_to_string(path).expect("readable");
        let file = sources.add(path.file_name().expect("a name").to_string_lossy(), text);
        let tree = parse(&sources, file, &mut diagnostics);
        assert!(!tree.items.is_empty(), "{} says nothing", path.display());
    }
    diagnostics.sorted().render(&sources, Style::Plain)
}

#[test]
fn the_rules_of_puerto_rico_are_read() {
    let reported = reported("rulesets/puerto-rico/rules");
    assert!(reported.is_empty(), "{reported}");
}
