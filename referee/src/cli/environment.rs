//! What commands take from the system that they run on.

use std::path::PathBuf;

/// This program, to start it again. Under Linux it is the file that runs, also where another one has been put into its
/// place since.
pub(super) fn own_program() -> std::io::Result<PathBuf> {
    match cfg!(target_os = "linux") {
        true => Ok("/proc/self/exe".into()),
        false => std::env::current_exe(),
    }
}

/// A folder for what this program keeps: `$XDG_DATA_HOME/referee`, `~/.local/share/referee`, or a
/// temporary one. It is made if there is none.
pub fn data_folder() -> std::io::Result<PathBuf> {
    let base = std::env::var_os("XDG_DATA_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute());
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".local/share"));
    let folder = base
        .or_else(home)
        .unwrap_or_else(std::env::temp_dir)
        .join("referee");
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Where a folder lies for what this program could find out again: in `$XDG_CACHE_HOME/referee`, `~/.cache/referee`, or a
/// temporary one.
pub(super) fn cache_folder(name: &str) -> PathBuf {
    let base = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute());
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let base = base.or_else(home).unwrap_or_else(std::env::temp_dir);
    base.join("referee").join(name)
}

/// A runtime with as many threads as there are processors.
pub fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
}
