//! The database of a league: one server, or two of which one is a synchronous standby, each on a disk that can be full, and by a
//! clock that can be set back.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use referee_tests::cluster::{Cluster, Ground, free_port};

/// Room of a disk that can be full.
const ROOM_MIB: u32 = 384;

/// What the write-ahead log may take of it; and how soon a standby asks again for what its primary writes, where five seconds are
/// usual: commits wait for it.
const SETTINGS: [&str; 3] = [
    "max_wal_size=96MB",
    "min_wal_size=32MB",
    "wal_retrieve_retry_interval=100ms",
];

/// The name by which the standby is known to be one.
const STANDBY: &str = "standby";

/// The database that referees serve from: the first one that its server made.
const DATABASE: &str = "test0";

/// How long a standby may take to be one.
const PATIENCE: Duration = Duration::from_secs(60);

/// What can be done to a database, each with what it needs.
#[derive(Clone, Copy, Debug)]
pub struct Can {
    /// A standby is promoted.
    pub be_promoted: bool,
    /// The disk is full: a file system of its own, which only root makes.
    pub be_full: bool,
    /// The clock is set back: `libfaketime`.
    pub be_set_back: bool,
}

/// Where one server runs.
struct Slot {
    port: u16,
    disk: Option<Disk>,
}

/// The servers.
pub struct Databases {
    // In this order: a server ends before its disk goes.
    primary: Cluster,
    standby: Option<Cluster>,
    slots: Vec<Slot>,
    /// Which slot is the primary's.
    at: usize,
    clock: Option<Offset>,
}

impl Databases {
    /// Starts what is needed for what is to be done.
    ///
    /// # Errors
    ///
    /// When something of that is not there.
    pub fn start(can: Can) -> io::Result<Databases> {
        let clock = can.be_set_back.then(Offset::none).transpose()?;
        let slot = || {
            let disk = can.be_full.then(Disk::mount).transpose()?;
            let port = free_port()?;
            io::Result::Ok(Slot { port, disk })
        };
        let slots = match can.be_promoted {
            true => vec![slot()?, slot()?],
            false => vec![slot()?],
        };
        let primary = Cluster::start_on(ground(&slots[0], clock.as_ref()))?;
        primary.database()?;
        let mut databases = Databases {
            primary,
            standby: None,
            slots,
            at: 0,
            clock,
        };
        if can.be_promoted {
            databases.follow()?;
        }
        Ok(databases)
    }

    /// The ports of its servers.
    pub fn ports(&self) -> Vec<u16> {
        self.slots.iter().map(|slot| slot.port).collect()
    }

    /// An address that reaches the servers through these ports.
    pub fn address(ports: &[u16]) -> String {
        let hosts: Vec<String> = ports
            .iter()
            .map(|port| format!("127.0.0.1:{port}"))
            .collect();
        format!("postgres://referee@{}/{DATABASE}", hosts.join(","))
    }

    /// Is killed, and begins again.
    ///
    /// # Errors
    ///
    /// When it does not.
    pub fn kill(&mut self) -> io::Result<()> {
        self.primary.kill()?;
        self.primary.begin()
    }

    /// Fails for good; if so said, so long after an administrator has cancelled commits that waited for the standby: what they wrote
    /// is seen meanwhile. The standby is promoted, and the place of the one that failed is taken by a new standby.
    ///
    /// # Errors
    ///
    /// When one of these steps fails.
    pub fn promote(&mut self, cancelled: Option<Duration>) -> io::Result<()> {
        let mut standby = self.standby.take().ok_or_else(|| missing("a standby"))?;
        if let Some(since) = cancelled {
            standby.stall(true)?;
            std::thread::sleep(Duration::from_millis(300));
            self.primary.query(
                "postgres",
                "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'",
            )?;
            std::thread::sleep(since);
        }
        self.primary.end()?;
        standby.stall(false)?;
        standby.promote()?;
        std::mem::swap(&mut self.primary, &mut standby);
        drop(standby);
        self.at = 1 - self.at;
        self.wait_for("")?;
        self.follow()
    }

    /// Makes a standby in the other slot, and waits until commits wait for it.
    fn follow(&mut self) -> io::Result<()> {
        let ground = ground(&self.slots[1 - self.at], self.clock.as_ref());
        let standby = Cluster::standby_on(&self.primary, STANDBY, ground)?;
        self.standby = Some(standby);
        self.wait_for(STANDBY)?;
        let patience = Instant::now() + PATIENCE;
        loop {
            let state = "SELECT sync_state FROM pg_stat_replication";
            if self.primary.query("postgres", state)?.trim() == "sync" {
                return Ok(());
            }
            if Instant::now() > patience {
                return Err(io::Error::other("the standby does not follow"));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Has commits wait for a standby of this name, or for none.
    fn wait_for(&self, name: &str) -> io::Result<()> {
        let set = format!("ALTER SYSTEM SET synchronous_standby_names = '{name}'");
        self.primary.query("postgres", &set)?;
        let reload = "SELECT pg_reload_conf()";
        self.primary.query("postgres", reload).map(drop)
    }

    /// Has no room on its disk, for a while from when it misses it.
    ///
    /// # Errors
    ///
    /// When it misses none, or does not serve again afterwards.
    pub fn fill(&mut self, lasts: Duration) -> io::Result<()> {
        let disk = self.slots[self.at].disk.as_ref();
        let disk = disk.ok_or_else(|| missing("a disk of its own"))?;
        let said = || std::fs::read_to_string(self.primary.log());
        let before = said()?.len();
        disk.fill()?;
        let patience = Instant::now() + PATIENCE;
        while !said()?[before..].contains("No space left on device") {
            if Instant::now() > patience {
                return Err(io::Error::other("nothing misses the room on the disk"));
            }
            // What was there for whoever writes next may have been given back meanwhile.
            disk.fill()?;
            std::thread::sleep(Duration::from_millis(50));
        }
        std::thread::sleep(lasts);
        disk.free()?;
        match self.primary.has_ended() {
            true => self.primary.begin(),
            false => Ok(()),
        }
    }

    /// Adds to the tables what a later version would: a column, a table, and the number of that version.
    ///
    /// # Errors
    ///
    /// When the server refuses it.
    pub fn add_to_tables(&self) -> io::Result<()> {
        let later = "SET search_path = referee; \
                     ALTER TABLE matches ADD COLUMN IF NOT EXISTS later bigint; \
                     CREATE TABLE IF NOT EXISTS later (match uuid PRIMARY KEY, value bytea); \
                     UPDATE meta SET value = 1000 WHERE key = 'schema'";
        self.primary.query(DATABASE, later).map(drop)
    }

    /// Goes by a clock that is so much earlier than before.
    ///
    /// # Errors
    ///
    /// When it has no such clock.
    pub fn set_back(&mut self, by: Duration) -> io::Result<()> {
        let clock = self.clock.as_mut();
        clock.ok_or_else(|| missing("a clock of its own"))?.add(by)
    }
}

fn missing(what: &str) -> io::Error {
    io::Error::other(format!("the database was started without {what}"))
}

fn ground(slot: &Slot, clock: Option<&Offset>) -> Ground {
    Ground {
        folder: slot.disk.as_ref().map(|disk| disk.folder.path().to_owned()),
        port: Some(slot.port),
        settings: SETTINGS.map(str::to_owned).into(),
        environment: clock.map(Offset::environment).unwrap_or_default(),
    }
}

/// A file system in memory, with little room.
struct Disk {
    folder: tempfile::TempDir,
}

impl Disk {
    fn mount() -> io::Result<Disk> {
        let folder = tempfile::tempdir()?;
        let size = format!("size={ROOM_MIB}m,mode=0755");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &size, "referee-league"]);
        let mounted = mount.arg(folder.path()).output()?;
        match mounted.status.success() {
            true => Ok(Disk { folder }),
            false => Err(io::Error::other(format!(
                "a disk of its own cannot be mounted (only root can): {}",
                String::from_utf8_lossy(&mounted.stderr).trim()
            ))),
        }
    }

    fn ballast(&self) -> PathBuf {
        self.folder.path().join("ballast")
    }

    fn fill(&self) -> io::Result<()> {
        use io::Write as _;
        let mut ballast = std::fs::File::options();
        let mut file = ballast.create(true).append(true).open(self.ballast())?;
        let zeros = vec![0; 1 << 16];
        loop {
            match file.write_all(&zeros) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::StorageFull => return Ok(()),
                Err(error) => return Err(error),
            }
        }
    }

    fn free(&self) -> io::Result<()> {
        std::fs::remove_file(self.ballast())
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // A mounted folder that stays behind is the worst that may come of it.
        let mut unmount = Command::new("umount");
        let _ = unmount.arg("--lazy").arg(self.folder.path()).status();
    }
}

/// How much earlier it is by the clock of the servers, by `libfaketime`. It takes a lock, also where a signal interrupts who holds it: once
/// in a long while a process of the server hangs, and no signal ends it but `KILL`.
struct Offset {
    library: PathBuf,
    folder: tempfile::TempDir,
    seconds: u64,
}

impl Offset {
    fn none() -> io::Result<Offset> {
        let library = library().ok_or_else(|| {
            io::Error::other("libfaketime is not installed (Debian's package is called faketime)")
        })?;
        let folder = tempfile::tempdir()?;
        // The servers run as another user.
        let readable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(folder.path(), readable)?;
        let mut offset = Offset {
            library,
            folder,
            seconds: 0,
        };
        offset.add(Duration::ZERO)?;
        Ok(offset)
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("offset")
    }

    fn add(&mut self, by: Duration) -> io::Result<()> {
        self.seconds += by.as_secs();
        // Whoever reads it meanwhile reads all of it.
        let new = self.folder.path().join("new");
        std::fs::write(&new, format!("-{}\n", self.seconds))?;
        std::fs::rename(new, self.file())
    }

    fn environment(&self) -> Vec<(String, String)> {
        [
            ("LD_PRELOAD", self.library.display().to_string()),
            ("FAKETIME_TIMESTAMP_FILE", self.file().display().to_string()),
            ("FAKETIME_NO_CACHE", "1".to_owned()),
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into()
    }
}

/// Where libfaketime is.
fn library() -> Option<PathBuf> {
    let machines = std::fs::read_dir("/usr/lib").ok()?;
    let mut folders: Vec<PathBuf> = machines
        .filter_map(|folder| Some(folder.ok()?.path().join("faketime")))
        .collect();
    folders.push(Path::new("/usr/lib/faketime").into());
    folders
        .into_iter()
        .map(|folder| folder.join("libfaketime.so.1"))
        .find(|library| library.exists())
}
