//! The folders of a crate are layers: a file uses those of its own layer and of earlier ones, never of later ones.

use std::collections::BTreeSet;
use std::path::Path;

use super::uses::Uses;

/// What breaks an order of layers, a line each: uses of later layers, uses of the second by the first of what is kept
/// `apart` whatever the order, files of no layer, and layers without files. A layer names folders or files, separated by
/// spaces, from the folder of `root` on; a file belongs to the longest name that fits.
pub fn broken(root: &Path, layers: &[&str], apart: &[(&str, &str)]) -> Vec<String> {
    let folder = root.parent().unwrap_or(root);
    let uses = Uses::of(root);
    let by_file = uses.by_file();
    let inner = |file: &Path| file.strip_prefix(folder).unwrap_or(file).to_owned();
    let names: Vec<(usize, &str)> = (0..)
        .zip(layers)
        .flat_map(|(layer, names)| names.split(' ').map(move |name| (layer, name)))
        .collect();
    let place = |file: &Path| {
        let fitting = names.iter().filter(|(_, name)| file.starts_with(name));
        fitting.max_by_key(|(_, name)| name.len())
    };
    let mut broken = Vec::new();
    let mut found = BTreeSet::new();
    for (file, used) in &by_file {
        let file = inner(file);
        let Some((layer, name)) = place(&file) else {
            broken.push(format!("{} is of no layer", file.display()));
            continue;
        };
        found.insert(name);
        for other in used.iter().map(|other| inner(other)) {
            let later = place(&other).is_some_and(|(its, _)| its > layer);
            let apart = apart.iter();
            let mut apart = apart.map(|(a, b)| file.starts_with(a) && other.starts_with(b));
            if later || apart.any(|are| are) {
                broken.push(format!("{} uses {}", file.display(), other.display()));
            }
        }
    }
    let empty = names.iter().filter(|(_, name)| !found.contains(name));
    broken.extend(empty.map(|(_, name)| format!("{name} has no file")));
    broken
}

/// Layers of `referee/src`, the lowest first.
pub const REFEREE: [&str; 26] = [
    "at_once.rs clock.rs hashing.rs memory.rs numbers.rs panics.rs random.rs ruleset_files.rs traces.rs",
    "limits.rs secrets.rs threads.rs",
    "store",
    "log",
    "library.rs record.rs",
    "players wire",
    "report sandbox",
    "table/error.rs table/metrics.rs table/request.rs table/seed.rs",
    "table/scheduling",
    "table/parts.rs",
    "table/state",
    "table/replay",
    "table/turns",
    "table/archive",
    "table/registry.rs",
    "table",
    "server/calls",
    "server/connections",
    "server/published server/retention.rs",
    "server/referee.rs",
    "server/services",
    "server/lifecycle",
    "server",
    "client",
    "cli",
    "lib.rs",
];

/// What a match is and becomes is said without the contract's messages.
const REFEREE_APART: [(&str, &str); 1] = [("table", "wire")];

#[test]
fn folders_of_the_referee_use_only_those_beneath_them() {
    let root = referee_tests::root().join("referee/src/lib.rs");
    assert_eq!(broken(&root, &REFEREE, &REFEREE_APART), [""; 0]);
}

#[test]
fn planted_uses_of_later_layers_are_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let planted = |low: &str| {
        for (name, text) in [
            ("lib.rs", "mod low;\nmod high;\nmod loose;\n"),
            ("low.rs", low),
            ("high/mod.rs", "mod inner;\npub use inner::High;\n"),
            (
                "high/inner.rs",
                "use crate::low::Low;\npub struct High(Low);\n",
            ),
            ("loose.rs", ""),
        ] {
            let file = folder.path().join(name);
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            std::fs::write(file, text).expect("a file");
        }
        folder.path().join("lib.rs")
    };
    let root = planted("pub struct Low;\n");
    let layers = ["low.rs", "high lib.rs loose.rs"];
    assert_eq!(broken(&root, &layers, &[]), [""; 0]);
    let kept_apart = broken(&root, &layers, &[("high", "low.rs")]);
    assert_eq!(kept_apart, ["high/inner.rs uses low.rs"]);
    let unknown = broken(&root, &["low.rs gone", "high lib.rs"], &[]);
    assert_eq!(unknown, ["loose.rs is of no layer", "gone has no file"]);
    let root = planted("pub struct Low;\nfn f(_: crate::high::High) {}\n");
    let upward = broken(&root, &layers, &[]);
    assert_eq!(upward, ["low.rs uses high/inner.rs"]);
}
