//! A folder as it was at a revision of git.
//!
//! In: a folder and a revision. Out: the texts of the ruleset that lay there, read through git.

use std::path::Path;
use std::process::Command;

use interpreter::package::PackageTexts;

use super::outcome::Failure;

/// The texts of a folder at a revision.
///
/// # Errors
///
/// When git does not know them, or they are no ruleset.
pub(super) fn at_revision(folder: &str, revision: &str) -> Result<PackageTexts, Failure> {
    let wrong = |why: String| Failure::Usage(format!("`{folder}@{revision}`: {why}"));
    // The folder may be gone today: git is asked from the nearest one that is there.
    let absolute = std::path::absolute(folder)?;
    let mut there = absolute.as_path();
    while !there.is_dir() {
        there = there
            .parent()
            .ok_or_else(|| wrong("there is no such folder".to_owned()))?;
    }
    let git = |arguments: &[&str]| -> Result<Vec<u8>, Failure> {
        let output = Command::new("git")
            .arg("-C")
            .arg(there)
            .args(arguments)
            .output()
            .map_err(|error| wrong(format!("git cannot be run: {error}")))?;
        match output.status.success() {
            true => Ok(output.stdout),
            false => Err(wrong(
                String::from_utf8_lossy(&output.stderr).trim().to_owned(),
            )),
        }
    };
    let text = |bytes: Vec<u8>| {
        String::from_utf8(bytes).map_err(|_| wrong("a file is no text".to_owned()))
    };
    let top = text(git(&["rev-parse", "--show-toplevel"])?)?;
    let top = std::fs::canonicalize(top.trim())?;
    // What of the path is there no more.
    let gone = absolute.strip_prefix(there).unwrap_or(Path::new(""));
    let inside: Vec<String> = std::fs::canonicalize(there)?
        .strip_prefix(&top)
        .map_err(|_| wrong("it lies outside of the repository".to_owned()))?
        .components()
        .chain(gone.components())
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    let inside = inside.join("/");
    let tree = match inside.as_str() {
        "" => revision.to_owned(),
        inside => format!("{revision}:{inside}"),
    };
    let listed = text(git(&[
        "ls-tree",
        "--full-tree",
        "-r",
        "-z",
        "--name-only",
        &tree,
    ])?)?;
    let mut files = Vec::new();
    for path in listed.split('\0').filter(|path| !path.is_empty()) {
        let hidden = path.split('/').any(|part| part.starts_with('.'));
        if crate::ruleset_files::belongs(path) && !hidden {
            let blob = match inside.as_str() {
                "" => format!("{revision}:{path}"),
                inside => format!("{revision}:{inside}/{path}"),
            };
            files.push((path.to_owned(), text(git(&["show", &blob])?)?));
        }
    }
    if !files.iter().any(|(path, _)| path == "ruleset.yaml") {
        return Err(wrong(
            "it is no ruleset: it has no `ruleset.yaml`".to_owned(),
        ));
    }
    files.sort();
    Ok(PackageTexts::new(format!("{folder}@{revision}"), files))
}
