//! Which files of a folder are a ruleset's. Shared with the build script, which embeds the shipped ones.

/// Kinds of file that belong to a ruleset; everything else in its folder is its author's own.
const EXTENSIONS: [&str; 4] = ["yaml", "yml", "rules", "rhai"];

/// Whether a file belongs to a ruleset, by its name.
pub fn belongs(path: &str) -> bool {
    path.rsplit_once('.')
        .is_some_and(|(_, extension)| EXTENSIONS.contains(&extension))
}
