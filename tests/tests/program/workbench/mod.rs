//! The author's workbench: what reads, draws, compares and writes rulesets.

mod begin;
mod book;
mod difference;
mod files;
mod graph;
mod pinned;
mod previews;
mod print;
mod proving;
mod record;
mod redline;
mod seeded;
mod sign_off;
mod simulation;

use std::path::Path;
use std::process::Command;

use referee_tests::root;

/// Compares with an accepted text below `tests/program/workbench/accepted`.
macro_rules! shows {
    ($name:literal, $text:expr) => {
        insta::with_settings!({
            omit_expression => true,
            prepend_module_to_snapshot => false,
            snapshot_path => "accepted",
        }, {
            insta::assert_snapshot!($name, $text);
        });
    };
}
pub(crate) use shows;

/// Rulesets that are shipped and can be played.
const SHIPPED: [&str; 3] = ["puerto-rico", "san-juan", "catan-rivals"];

/// The folder of an invented ruleset.
fn invented(name: &str) -> String {
    root()
        .join("tests/rulesets")
        .join(name)
        .display()
        .to_string()
}

/// Writes files below a folder.
fn write(folder: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().expect("a folder above")).expect("writable");
        std::fs::write(path, text).expect("writable");
    }
}

/// A copy of an invented ruleset in a folder of its own.
fn copied(name: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    for (file, text) in referee_tests::texts(&root().join("tests/rulesets").join(name)).files {
        write(&path, &[(file.as_str(), text.as_str())]);
    }
    (folder, path)
}

fn shown(path: &Path) -> &str {
    path.to_str().expect("a path of text")
}

/// Makes a repository of a folder, with all that lies in it as its first commit.
fn committed(folder: &Path) {
    let git = |arguments: &[&str]| {
        let output = Command::new("git")
            .arg("-C")
            .arg(folder)
            .args([
                "-c",
                "user.name=t",
                "-c",
                "user.email=t@example.org",
                "-c",
                "commit.gpgsign=false",
            ])
            .args(arguments)
            .output()
            .expect("git runs");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "first"]);
}
