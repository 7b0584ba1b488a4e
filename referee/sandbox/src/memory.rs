//! How much memory there is, and how much of it this process has.

use std::sync::LazyLock;

use sysinfo::{MemoryRefreshKind, Process, ProcessRefreshKind, ProcessesToUpdate, System};

const MIB: u64 = 1 << 20;

/// What is reckoned with where the operating system tells nothing.
const UNTOLD: u64 = 2 << 30;

/// Three quarters of what the machine has, or of what its operator lets this process have (a control group), in MiB.
pub fn sensible_mib() -> u32 {
    static SENSIBLE: LazyLock<u32> = LazyLock::new(|| {
        let all = all().unwrap_or(UNTOLD);
        u32::try_from(all / 4 * 3 / MIB).unwrap_or(u32::MAX).max(1)
    });
    *SENSIBLE
}

/// All memory that this process may have, in bytes; none where the operating system tells nothing.
fn all() -> Option<u64> {
    let mut system = System::new().ok()?;
    system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
    let own = look(&mut system).and_then(Process::cgroup_limits);
    let groups = [system.cgroup_limits(), own];
    let limits = groups.into_iter().flatten().map(|group| group.total_memory);
    let told = limits.chain([system.total_memory()]);
    told.filter(|told| *told > 0).min()
}

/// Looks at this process.
fn look(system: &mut System) -> Option<&Process> {
    let this = sysinfo::get_current_pid().ok()?;
    system.refresh_processes_specifics(
        ProcessesToUpdate::Some(&[this]),
        false,
        ProcessRefreshKind::nothing().with_memory(),
    );
    system.process(this)
}

/// Looks how much memory this process has.
#[derive(Default)]
pub struct Gauge {
    system: Option<System>,
}

impl Gauge {
    /// Resident memory of this process, in bytes; none where the operating system does not say.
    pub fn resident(&mut self) -> Option<u64> {
        if self.system.is_none() {
            self.system = System::new().ok();
        }
        look(self.system.as_mut()?).map(Process::memory)
    }
}
