//! What the process may take that tries a package, and how it ends when it takes more.

use std::io;

/// What a process may take that tries a package.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// MiB of memory.
    pub mib: u32,
    /// Seconds of processor time.
    pub seconds: u32,
}

/// Why nothing came of trying a package.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Ended {
    /// It takes too much memory.
    #[error("it takes more than {0} MiB of memory")]
    Memory(u32),
    /// It takes too long.
    #[error("it takes more than {0} seconds of a processor")]
    Time(u32),
    /// The process has ended otherwise.
    #[error("{0}")]
    Failed(String),
}

/// Limits this process: memory, processor time, no file and no dump of its memory.
#[cfg(unix)]
pub(super) fn limit(bounds: Bounds) -> io::Result<()> {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let limits = [
        (Resource::Data, u64::from(bounds.mib) << 20),
        (Resource::Cpu, u64::from(bounds.seconds)),
        (Resource::Fsize, 0),
        (Resource::Core, 0),
    ];
    for (resource, most) in limits {
        let most = Rlimit {
            current: Some(most),
            // The signal that says that the time is up comes before the one that says nothing.
            maximum: Some(most + u64::from(resource == Resource::Cpu)),
        };
        setrlimit(resource, most).map_err(|error| {
            io::Error::other(format!("cannot limit {resource:?} of the sandbox: {error}"))
        })?;
    }
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn limit(_: Bounds) -> io::Result<()> {
    Err(io::Error::other("this system sets no limits for a sandbox"))
}
