//! A disk that loses what was not synced, as SQLite sees it.
//!
//! Whatever is written is read again at once, and is durable when its file was synced. When the power goes
//! ([`Disk::crash`]), of what was written since then some is there, some is not, and some is torn between two sectors:
//! each write for itself, whatever the order. Deleting a file is durable at once. Whoever had a file open before can do
//! nothing with it any more.
//!
//! The disk is the default file system of SQLite in this program: files of a path below its [`FOLDER`] are its own, and
//! there are no others.

use std::collections::BTreeMap;
use std::ffi::c_int;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

use fastrand::Rng;
use rusqlite::ffi;

use crate::vfs::{Code, Vfs, register};

/// Bytes that are written whole or not at all.
const SECTOR: usize = 512;

/// Locks of a write-ahead log's index.
const SHARED_LOCKS: usize = 8;

static STATE: Mutex<State> = Mutex::new(State {
    files: BTreeMap::new(),
    indexes: BTreeMap::new(),
    handles: 0,
    life: 0,
    trouble: None,
});

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

struct State {
    files: BTreeMap<String, File>,
    /// Indexes of write-ahead logs, which are in memory, by the file that they belong to.
    indexes: BTreeMap<String, Index>,
    handles: u64,
    /// How often the power has gone.
    life: u64,
    trouble: Option<Trouble>,
}

/// What is wrong with a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// It has no room for anything more.
    Full,
    /// What was written cannot be made durable.
    Unsynced,
}

#[derive(Default)]
struct File {
    /// What is read.
    now: Vec<u8>,
    /// What is there when the power goes; none of a file that was never synced.
    durable: Option<Vec<u8>>,
    /// What was done to it since then.
    since: Vec<Done>,
    /// Who has which lock.
    locks: BTreeMap<u64, c_int>,
}

enum Done {
    Written(usize, Vec<u8>),
    Cut(usize),
}

impl Done {
    /// Does it to the bytes of a file, as far as `bytes` of what is written go.
    fn again(&self, file: &mut Vec<u8>, most: usize) {
        match self {
            Done::Written(at, bytes) => write_at(file, *at, &bytes[..bytes.len().min(most)]),
            Done::Cut(length) => file.truncate(*length),
        }
    }
}

fn write_at(file: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    let end = at + bytes.len();
    if file.len() < end {
        file.resize(end, 0);
    }
    file[at..end].copy_from_slice(bytes);
}

/// The index of a write-ahead log: memory that connections share.
#[derive(Default)]
struct Index {
    /// Addresses of its parts. They are never given back: whoever has mapped one may hold it for as long as it likes.
    parts: Vec<usize>,
    /// Who has which of its locks.
    locks: [Shared; SHARED_LOCKS],
    users: Vec<u64>,
}

#[derive(Clone, Default)]
struct Shared {
    readers: Vec<u64>,
    writer: Option<u64>,
}

/// The disk of this program.
pub struct Disk;

/// Where its files are.
pub const FOLDER: &str = "/simulated";

impl Disk {
    /// Makes it the file system of SQLite in this program. There is one; what is on it when this is called is gone.
    ///
    /// # Errors
    ///
    /// SQLite's code when it does not take it.
    pub fn begin() -> Result<Disk, Code> {
        static REGISTERED: Mutex<bool> = Mutex::new(false);
        let mut registered = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
        if !*registered {
            register("simulated", Files)?;
            *registered = true;
        }
        let mut state = state();
        state.files.clear();
        state.indexes.clear();
        state.trouble = None;
        state.life += 1;
        Ok(Disk)
    }

    /// The power goes, and comes back. Without chance everything is lost that was not synced.
    pub fn crash(&self, mut chance: Option<Rng>) {
        let mut state = state();
        state.life += 1;
        state.indexes.clear();
        state.files.retain(|_, file| {
            file.locks.clear();
            let Some(mut kept) = file.durable.take() else {
                return false;
            };
            for done in file.since.drain(..) {
                let Some(random) = &mut chance else { continue };
                match random.u8(0..4) {
                    0 => {}
                    1 => {
                        let Done::Written(_, bytes) = &done else {
                            continue;
                        };
                        let sectors = bytes.len().div_ceil(SECTOR);
                        done.again(&mut kept, random.usize(0..=sectors) * SECTOR);
                    }
                    _ => done.again(&mut kept, usize::MAX),
                }
            }
            file.now.clone_from(&kept);
            file.durable = Some(kept);
            true
        });
    }

    /// Something is wrong with it from now on, or nothing.
    pub fn trouble(&self, trouble: Option<Trouble>) {
        state().trouble = trouble;
    }
}

/// The file system as SQLite calls it.
struct Files;

/// An open file.
struct Handle {
    number: u64,
    life: u64,
    path: String,
    /// It is gone when it is closed.
    passing: bool,
}

impl State {
    /// The file of a handle.
    fn file(&mut self, handle: &Handle) -> Result<&mut File, Code> {
        if handle.life != self.life {
            return Err(ffi::SQLITE_IOERR);
        }
        self.files.get_mut(&handle.path).ok_or(ffi::SQLITE_IOERR)
    }

    fn index(&mut self, handle: &Handle) -> Result<&mut Index, Code> {
        if handle.life != self.life {
            return Err(ffi::SQLITE_IOERR);
        }
        Ok(self.indexes.entry(handle.path.clone()).or_default())
    }
}

impl Vfs for Files {
    type Handle = Handle;

    fn open(&self, path: Option<&str>, flags: c_int) -> Result<Handle, Code> {
        let mut state = state();
        state.handles += 1;
        let number = state.handles;
        let passing = path.is_none() || flags & ffi::SQLITE_OPEN_DELETEONCLOSE != 0;
        let path = path.map_or_else(|| format!("{FOLDER}/passing-{number}"), str::to_owned);
        if !state.files.contains_key(&path) {
            if flags & ffi::SQLITE_OPEN_CREATE == 0 {
                return Err(ffi::SQLITE_CANTOPEN);
            }
            if state.trouble == Some(Trouble::Full) {
                return Err(ffi::SQLITE_FULL);
            }
            state.files.insert(path.clone(), File::default());
        }
        Ok(Handle {
            number,
            life: state.life,
            path,
            passing,
        })
    }

    fn delete(&self, path: &str) -> Result<(), Code> {
        let gone = state().files.remove(path);
        gone.map(drop).ok_or(ffi::SQLITE_IOERR_DELETE_NOENT)
    }

    fn exists(&self, path: &str) -> bool {
        state().files.contains_key(path)
    }

    fn close(&self, handle: Handle) {
        let mut state = state();
        if handle.life != state.life {
            return;
        }
        if let Some(file) = state.files.get_mut(&handle.path) {
            file.locks.remove(&handle.number);
        }
        if handle.passing {
            state.files.remove(&handle.path);
        }
    }

    fn read(&self, handle: &Handle, at: usize, into: &mut [u8]) -> Result<usize, Code> {
        let mut state = state();
        let file = &state.file(handle)?.now;
        let there = file.get(at..).unwrap_or_default();
        let length = there.len().min(into.len());
        into[..length].copy_from_slice(&there[..length]);
        Ok(length)
    }

    fn write(&self, handle: &Handle, at: usize, bytes: &[u8]) -> Result<(), Code> {
        let mut state = state();
        let full = state.trouble == Some(Trouble::Full);
        let file = state.file(handle)?;
        if full && at + bytes.len() > file.now.len() {
            return Err(ffi::SQLITE_FULL);
        }
        write_at(&mut file.now, at, bytes);
        file.since.push(Done::Written(at, bytes.to_vec()));
        Ok(())
    }

    fn truncate(&self, handle: &Handle, size: usize) -> Result<(), Code> {
        let mut state = state();
        let file = state.file(handle)?;
        file.now.truncate(size);
        file.since.push(Done::Cut(size));
        Ok(())
    }

    fn sync(&self, handle: &Handle) -> Result<(), Code> {
        let mut state = state();
        if state.trouble == Some(Trouble::Unsynced) {
            return Err(ffi::SQLITE_IOERR_FSYNC);
        }
        let file = state.file(handle)?;
        let mut durable = file.durable.take().unwrap_or_default();
        for done in file.since.drain(..) {
            done.again(&mut durable, usize::MAX);
        }
        file.durable = Some(durable);
        Ok(())
    }

    fn size(&self, handle: &Handle) -> Result<usize, Code> {
        Ok(state().file(handle)?.now.len())
    }

    fn lock(&self, handle: &Handle, level: c_int) -> Result<(), Code> {
        let mut state = state();
        let file = state.file(handle)?;
        let others = file.locks.iter().filter(|(who, _)| **who != handle.number);
        let highest = others.map(|(_, level)| *level).max();
        let highest = highest.unwrap_or(ffi::SQLITE_LOCK_NONE);
        let free = match level {
            ffi::SQLITE_LOCK_NONE => true,
            ffi::SQLITE_LOCK_SHARED => highest < ffi::SQLITE_LOCK_PENDING,
            ffi::SQLITE_LOCK_RESERVED => highest < ffi::SQLITE_LOCK_RESERVED,
            _ => highest == ffi::SQLITE_LOCK_NONE,
        };
        if !free {
            return Err(ffi::SQLITE_BUSY);
        }
        file.locks.insert(handle.number, level);
        Ok(())
    }

    fn unlock(&self, handle: &Handle, level: c_int) -> Result<(), Code> {
        let mut state = state();
        let file = state.file(handle)?;
        match level {
            ffi::SQLITE_LOCK_NONE => drop(file.locks.remove(&handle.number)),
            level => drop(file.locks.insert(handle.number, level)),
        }
        Ok(())
    }

    fn is_reserved(&self, handle: &Handle) -> Result<bool, Code> {
        let mut state = state();
        let mut locks = state.file(handle)?.locks.values();
        Ok(locks.any(|level| *level >= ffi::SQLITE_LOCK_RESERVED))
    }

    fn sector(&self) -> usize {
        SECTOR
    }

    fn shared_part(
        &self,
        handle: &Handle,
        part: usize,
        size: usize,
        extend: bool,
    ) -> Result<Option<NonNull<u8>>, Code> {
        let mut state = state();
        let index = state.index(handle)?;
        if !index.users.contains(&handle.number) {
            index.users.push(handle.number);
        }
        if part >= index.parts.len() && !extend {
            return Ok(None);
        }
        while index.parts.len() <= part {
            let made: &'static mut [u8] = Box::leak(vec![0; size].into_boxed_slice());
            index.parts.push(made.as_mut_ptr().expose_provenance());
        }
        let part = std::ptr::with_exposed_provenance_mut::<u8>(index.parts[part]);
        Ok(NonNull::new(part))
    }

    fn lock_shared(
        &self,
        handle: &Handle,
        locks: Range<usize>,
        take: bool,
        alone: bool,
    ) -> Result<(), Code> {
        let mut state = state();
        let who = handle.number;
        let locks = &mut state.index(handle)?.locks[locks];
        let free = |lock: &Shared| {
            let unwritten = lock.writer.is_none_or(|writer| writer == who);
            unwritten && (!alone || lock.readers.iter().all(|reader| *reader == who))
        };
        if take && !locks.iter().all(free) {
            return Err(ffi::SQLITE_BUSY);
        }
        for lock in locks {
            match (take, alone) {
                (true, true) => lock.writer = Some(who),
                (false, true) => lock.writer = None,
                (true, false) => lock.readers.push(who),
                (false, false) => {
                    if let Some(at) = lock.readers.iter().position(|reader| *reader == who) {
                        lock.readers.remove(at);
                    }
                }
            }
        }
        Ok(())
    }

    fn leave_shared(&self, handle: &Handle, delete: bool) {
        let mut state = state();
        let who = handle.number;
        let Ok(index) = state.index(handle) else {
            return;
        };
        index.users.retain(|user| *user != who);
        for lock in &mut index.locks {
            lock.readers.retain(|reader| *reader != who);
            lock.writer = lock.writer.filter(|writer| *writer != who);
        }
        if delete && index.users.is_empty() {
            state.indexes.remove(&handle.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    /// Writes rows one by one and says how many were committed when the power went.
    fn story(seed: u64, synced: bool) -> (i64, Result<i64, rusqlite::Error>) {
        let disk = Disk::begin().expect("a disk");
        let mut random = Rng::with_seed(seed);
        let path = format!("{FOLDER}/rows.sqlite");
        let open = || {
            let connection = Connection::open(&path)?;
            connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
            let synchronous = if synced { "FULL" } else { "OFF" };
            connection.pragma_update(None, "synchronous", synchronous)?;
            Ok::<_, rusqlite::Error>(connection)
        };
        let writer = open().expect("it opens");
        let table = "CREATE TABLE rows (number INTEGER PRIMARY KEY, filling BLOB)";
        writer.execute(table, []).expect("a table");
        let reader = open().expect("another opens");
        let rows = random.i64(1..=300);
        let filling = vec![7; 700];
        for number in 1..=rows {
            writer
                .execute("INSERT INTO rows VALUES (?1, ?2)", (number, &filling))
                .expect("a row");
            if number % 50 == 0 {
                let count = "SELECT count(*) FROM rows";
                let seen: i64 = reader.query_row(count, [], |row| row.get(0)).expect("rows");
                assert_eq!(seen, number);
            }
        }
        disk.crash(Some(random));
        let late = writer.execute("INSERT INTO rows VALUES (9999, NULL)", []);
        assert!(late.is_err(), "whoever had it open before");
        drop((writer, reader));
        let count = || {
            let connection = open()?;
            let sound = "PRAGMA integrity_check";
            let sound: String = connection.query_row(sound, [], |row| row.get(0))?;
            if sound != "ok" {
                return Err(rusqlite::Error::InvalidQuery);
            }
            let rows = "SELECT count(*), coalesce(max(number), 0) FROM rows";
            let (count, last): (i64, i64) =
                connection.query_row(rows, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
            assert_eq!(count, last);
            Ok(count)
        };
        (rows, count())
    }

    #[test]
    fn what_was_committed_is_there_after_a_crash_and_what_was_not_synced_mostly_is_not() {
        // One test: there is one disk.
        let mut lost = 0;
        for seed in 0..100 {
            let (rows, found) = story(seed, true);
            assert_eq!(found.ok(), Some(rows), "seed {seed}");
            let (rows, found) = story(seed, false);
            lost += u32::from(found.ok() != Some(rows));
        }
        assert!(lost > 50, "lost {lost} of 100 times without syncing");
    }
}
