//! Where commands find rulesets.

use std::path::PathBuf;

use clap::Args;

use referee_library::{Library, LibraryError};

/// Where rulesets are found.
#[derive(Clone, Debug, Args)]
pub struct LibraryOptions {
    /// A folder of rulesets and house rules, or of one; may be given several times, later ones win over
    /// earlier ones and all of them over the rulesets in this program
    #[arg(
        long = "rulesets",
        value_name = "DIR",
        env = "REFEREE_RULESETS",
        value_delimiter = ':'
    )]
    pub rulesets: Vec<PathBuf>,
}

impl LibraryOptions {
    /// The rulesets in this program, and those of the folders.
    ///
    /// # Errors
    ///
    /// When a folder cannot be read or holds no ruleset.
    pub fn library(&self) -> Result<Library, LibraryError> {
        let mut library = Library::embedded()?;
        for folder in &self.rulesets {
            library.add_folder(folder)?;
        }
        Ok(library)
    }
}
