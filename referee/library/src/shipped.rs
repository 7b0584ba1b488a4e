//! Files that ship with the program: the rulesets and the page.
//!
//! The build script embeds them in the `release` profile. In the `dev` profile they are read from the source tree, so that
//! a changed rule or a changed file of the page needs no new build.

use std::borrow::Cow;
use std::path::Path;

use walkdir::WalkDir;

// `RULESETS` and `PAGE`, each a `Folder`.
include!(concat!(env!("OUT_DIR"), "/shipped.rs"));

/// Folder whose files ship with the program.
enum Folder {
    /// Paths in the folder, with `/`, and contents.
    #[allow(dead_code, reason = "constructed in the `release` profile only")]
    Embedded(&'static [(&'static str, &'static [u8])]),
    /// Absolute path of the folder in the source tree.
    #[allow(dead_code, reason = "constructed in the `dev` profile only")]
    Source(&'static str),
}

/// File that ships with the program.
pub struct ShippedFile {
    /// Path in its folder, with `/`.
    pub path: Cow<'static, str>,
    /// Contents.
    pub bytes: Cow<'static, [u8]>,
}

/// Returns the files of the shipped ruleset in the folder `id`, or of all of them, sorted by path. Paths begin with the
/// ruleset's folder.
pub fn ruleset_files(id: Option<&str>) -> std::io::Result<Vec<ShippedFile>> {
    files(&RULESETS, id, crate::ruleset_files::belongs)
}

/// Returns the files of the page, sorted by path.
pub fn page_files() -> std::io::Result<Vec<ShippedFile>> {
    files(&PAGE, None, |_| true)
}

/// Returns the files of a folder that lie in its subfolder `inside`, if that is given, and whose paths pass `is_wanted`.
fn files(
    folder: &Folder,
    inside: Option<&str>,
    is_wanted: fn(&str) -> bool,
) -> std::io::Result<Vec<ShippedFile>> {
    match folder {
        Folder::Embedded(files) => Ok(files
            .iter()
            .filter(|(path, _)| inside.is_none_or(|inside| is_inside(path, inside)))
            .map(|(path, bytes)| ShippedFile {
                path: Cow::Borrowed(path),
                bytes: Cow::Borrowed(bytes),
            })
            .collect()),
        Folder::Source(root) => {
            let root = Path::new(root);
            let start = inside.map_or(root.to_owned(), |inside| root.join(inside));
            if !start.is_dir() {
                return Ok(Vec::new());
            }
            let mut found = Vec::new();
            for entry in WalkDir::new(start) {
                let entry = entry?;
                let path = entry.path().strip_prefix(root).unwrap_or(entry.path());
                let path = path.to_string_lossy().replace('\\', "/");
                if entry.file_type().is_file() && is_wanted(&path) {
                    found.push(ShippedFile {
                        path: Cow::Owned(path),
                        bytes: Cow::Owned(std::fs::read(entry.path())?),
                    });
                }
            }
            found.sort_by(|a, b| a.path.cmp(&b.path));
            Ok(found)
        }
    }
}

/// Returns whether a path lies in a folder.
fn is_inside(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder)
        .is_some_and(|rest| rest.starts_with('/'))
}
