//! The folder whose accepted games are meant.

use std::path::Path;

use interpreter::package::PackageTexts;

use crate::cli::outcome::Failure;
use referee_library::read_folder;

/// The texts of a ruleset's folder.
///
/// # Errors
///
/// When it is none, or cannot be read.
pub(super) fn ruleset(folder: &Path) -> Result<PackageTexts, Failure> {
    if !folder.join("ruleset.yaml").is_file() {
        return Err(Failure::Usage(format!(
            "`{}` is no folder of a ruleset: it has no `ruleset.yaml`",
            folder.display()
        )));
    }
    Ok(read_folder(folder)?)
}
