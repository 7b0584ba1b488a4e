//! Reads folders of rulesets from disk; the interpreter itself knows only texts.

use std::fs;
use std::path::{Path, PathBuf};

use interpreter::package::PackageTexts;

/// The root of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the crate lies in the repository")
        .to_owned()
}

/// All texts of a folder, called by a path of its own in messages.
pub fn package(folder: &Path, shown: &str) -> PackageTexts {
    let mut files = Vec::new();
    walk(folder, folder, &mut files);
    PackageTexts::new(shown, files)
}

fn walk(root: &Path, folder: &Path, files: &mut Vec<(String, String)>) {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("readable").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            walk(root, &path, files);
        } else {
            let name = path.strip_prefix(root).expect("below its root");
            let name = name
                .components()
                .map(|c| c.as_os_str().to_string_lossy())
                .collect::<Vec<_>>()
                .join("/");
            let text = fs::read_to_string(&path)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            files.push((name, text));
        }
    }
}
