//! A share of a core that a process is held to: a control group of its own, of either version, which only root makes.

use std::io;
use std::path::{Path, PathBuf};

/// In which period the share is counted.
const PERIOD_US: u32 = 100_000;

/// A process in a control group of its own, for as long as this is there.
pub struct Held {
    group: PathBuf,
    process: u32,
}

impl Held {
    /// Holds a process to so many hundredths of a core.
    ///
    /// # Errors
    ///
    /// When there are no control groups here, or this user makes none.
    pub fn to(process: u32, hundredths: u32) -> io::Result<Held> {
        let quota = PERIOD_US / 100 * hundredths;
        let name = format!("referee-load-{process}");
        let first = Path::new("/sys/fs/cgroup/cpu");
        let group = match first.is_dir() {
            true => first.join(name),
            false => Path::new("/sys/fs/cgroup").join(name),
        };
        std::fs::create_dir(&group)?;
        let group = Held { group, process };
        if first.is_dir() {
            group.write("cpu.cfs_period_us", &PERIOD_US.to_string())?;
            group.write("cpu.cfs_quota_us", &quota.to_string())?;
        } else {
            group.write("cpu.max", &format!("{quota} {PERIOD_US}"))?;
        }
        group.write("cgroup.procs", &process.to_string())?;
        Ok(group)
    }

    fn write(&self, file: &str, text: &str) -> io::Result<()> {
        std::fs::write(self.group.join(file), text)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // Back to where it came from; a process that has ended is nowhere.
        if let Some(above) = self.group.parent() {
            let _ = std::fs::write(above.join("cgroup.procs"), self.process.to_string());
        }
        // Otherwise it stays, and whoever looks finds it by its name.
        let _ = std::fs::remove_dir(&self.group);
    }
}
