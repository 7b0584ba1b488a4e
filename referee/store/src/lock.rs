//! Who serves from a store: a lock of the operating system on a file beside it.
//!
//! A referee that opens a store takes it over from whoever has it, so that a match never has two writers. The lock says
//! beforehand whether anybody has: it ends with the process that holds it, however that ends.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::sync::Arc;

/// A store that is held; let go of when this is dropped.
#[derive(Debug)]
pub struct Lock {
    _file: Arc<File>,
}

impl Lock {
    /// Takes a store if nobody has it, or, if `over` is said, although somebody has: then it is held as soon as the
    /// other one has ended. None if somebody has it.
    ///
    /// # Errors
    ///
    /// When the file cannot be made, or the file system has no locks.
    pub fn take(store: &Path, over: bool) -> io::Result<Option<Lock>> {
        let mut path = store.to_owned().into_os_string();
        path.push(".lock");
        let mut options = File::options();
        options.create(true).truncate(false).read(true).write(true);
        let file = Arc::new(options.open(path)?);
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) if over => {
                let waiting = file.clone();
                std::thread::spawn(move || waiting.lock());
            }
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        Ok(Some(Lock { _file: file }))
    }
}
