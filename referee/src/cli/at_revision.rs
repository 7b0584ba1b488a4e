//! A folder as it was at a revision of git.
//!
//! In: a folder and a revision. Out: the texts of the ruleset that lay there, read through git.

use std::path::{Path, PathBuf};
use std::process::Command;

use interpreter::package::PackageTexts;

use super::outcome::Failure;

/// The texts of a folder at a revision.
///
/// # Errors
///
/// When git does not know them, or they are no ruleset.
pub(super) fn at_revision(folder: &str, revision: &str) -> Result<PackageTexts, Failure> {
    let tree = Tree::of(folder, revision)?;
    let mut files = Vec::new();
    for path in tree.paths()? {
        let hidden = path.split('/').any(|part| part.starts_with('.'));
        if referee_library::ruleset_files::belongs(&path) && !hidden {
            let text = tree.text(&path)?;
            files.push((path, text));
        }
    }
    if !files.iter().any(|(path, _)| path == "ruleset.yaml") {
        return Err(tree.wrong("it is no ruleset: it has no `ruleset.yaml`".to_owned()));
    }
    files.sort();
    Ok(PackageTexts::new(format!("{folder}@{revision}"), files))
}

/// The text of a file in a folder at a revision; none if it was not there.
///
/// # Errors
///
/// When git cannot tell.
pub(super) fn file_at_revision(
    folder: &str,
    revision: &str,
    path: &str,
) -> Result<Option<String>, Failure> {
    let tree = Tree::of(folder, revision)?;
    match tree.paths()?.iter().any(|known| known == path) {
        true => tree.text(path).map(Some),
        false => Ok(None),
    }
}

/// A folder at a revision.
struct Tree {
    called: String,
    revision: String,
    /// A folder that is there today, from which git is asked: the one that is meant may be gone.
    there: PathBuf,
    /// The path of the one that is meant in the repository; empty if it is the whole.
    inside: String,
}

impl Tree {
    fn of(folder: &str, revision: &str) -> Result<Tree, Failure> {
        let absolute = std::path::absolute(folder)?;
        let mut tree = Tree {
            called: format!("{folder}@{revision}"),
            revision: revision.to_owned(),
            there: absolute.clone(),
            inside: String::new(),
        };
        while !tree.there.is_dir() {
            let above = tree.there.parent().map(Path::to_owned);
            tree.there = above.ok_or_else(|| tree.wrong("there is no such folder".to_owned()))?;
        }
        let top = tree.git(&["rev-parse", "--show-toplevel"])?;
        let top = std::fs::canonicalize(top.trim())?;
        // What of the path is there no more.
        let gone = absolute.strip_prefix(&tree.there).unwrap_or(Path::new(""));
        let inside: Vec<String> = std::fs::canonicalize(&tree.there)?
            .strip_prefix(&top)
            .map_err(|_| tree.wrong("it lies outside of the repository".to_owned()))?
            .components()
            .chain(gone.components())
            .map(|part| part.as_os_str().to_string_lossy().into_owned())
            .collect();
        tree.inside = inside.join("/");
        Ok(tree)
    }

    fn wrong(&self, why: String) -> Failure {
        Failure::Usage(format!("`{}`: {why}", self.called))
    }

    fn git(&self, arguments: &[&str]) -> Result<String, Failure> {
        let output = Command::new("git")
            .arg("-C")
            .arg(&self.there)
            .args(arguments)
            .output()
            .map_err(|error| self.wrong(format!("git cannot be run: {error}")))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(self.wrong(said.trim().to_owned()));
        }
        String::from_utf8(output.stdout).map_err(|_| self.wrong("a file is no text".to_owned()))
    }

    /// The paths of its files, from the folder on.
    fn paths(&self) -> Result<Vec<String>, Failure> {
        let tree = match self.inside.as_str() {
            "" => self.revision.clone(),
            inside => format!("{}:{inside}", self.revision),
        };
        let listed = self.git(&["ls-tree", "--full-tree", "-r", "-z", "--name-only", &tree])?;
        let paths = listed.split('\0').filter(|path| !path.is_empty());
        Ok(paths.map(str::to_owned).collect())
    }

    fn text(&self, path: &str) -> Result<String, Failure> {
        let blob = match self.inside.as_str() {
            "" => format!("{}:{path}", self.revision),
            inside => format!("{}:{inside}/{path}", self.revision),
        };
        self.git(&["show", &blob])
    }
}
