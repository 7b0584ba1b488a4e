//! How long matches are kept, and the folder that their archives are written to.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// How long matches are kept that are over, and where their archives go.
#[derive(Clone, Debug)]
pub struct Retention {
    /// Days after which one is deleted.
    pub days: u32,
    /// The folder of the archives, one file for each match. They hold what players were called.
    pub archives: PathBuf,
}

impl Retention {
    /// Makes the folder, and sees whether anything can be written there.
    ///
    /// # Errors
    ///
    /// When nothing can.
    pub(super) fn prepare(&self) -> io::Result<()> {
        fs::create_dir_all(&self.archives)?;
        keep(&self.archives, "writable", b"")?;
        fs::remove_file(self.archives.join("writable"))
    }
}

/// Writes a file as a whole or not at all, readable by its owner only; when this returns, it is on the disk.
pub(super) fn keep(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let part = folder.join(format!(".{name}.part"));
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    let mut file = options.open(&part)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&part, folder.join(name))?;
    // Its name is on the disk when its folder is.
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    Ok(())
}
