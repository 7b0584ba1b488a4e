//! Files that are stores: opened to serve from, looked at, copied, brought to the newest version.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime};

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension as _};

use super::{Seals, Sqlite, StoreError, schema};
use crate::secrets::Keys;

/// How long one waits for another who writes: on a busy disk a flush alone may take seconds.
const BUSY: Duration = Duration::from_secs(20);

/// Whoever closes a store takes the index of its write-ahead log away, then the log: how long one waits for the second.
pub const CLOSING: Duration = Duration::from_millis(500);

/// The key that a store was written with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrittenWith {
    /// The one with this mark.
    Marked(i64),
    /// One of before keys were marked.
    Some,
    /// None yet: nothing in it needs one.
    None,
}

impl Sqlite {
    /// Opens a store, or makes it, and takes it over from any referee that has it open. Its rows are sealed with the key
    /// that belongs to it.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened, is no store, or was written by a newer referee.
    pub fn open(path: &Path, keys: &Keys) -> Result<Sqlite, StoreError> {
        let seals = Seals::of(keys);
        let mut writer = connect(path)?;
        seals.teach(&writer)?;
        schema::prepare(&mut writer)?;
        let epoch = take_over(&writer)?;
        let reader = connect(path)?;
        seals.teach(&reader)?;
        let caches = connect(path)?;
        caches.pragma_update(None, "synchronous", "NORMAL")?;
        Ok(Sqlite {
            writer: Mutex::new(writer),
            reader: Mutex::new(reader),
            caches: Mutex::new(caches),
            epoch,
            version: schema::SCHEMA,
        })
    }

    /// Opens a store beside whoever serves from it, who goes on: for a change now and then, until another one takes it
    /// over.
    ///
    /// # Errors
    ///
    /// When there is no such store, or it is of another version.
    pub fn beside(path: &Path, keys: &Keys) -> Result<Sqlite, StoreError> {
        is_there(path)?;
        let seals = Seals::of(keys);
        let writer = connect(path)?;
        seals.teach(&writer)?;
        schema::of_this_version(&writer)?;
        let epoch = "SELECT value FROM meta WHERE key = 'epoch'";
        let epoch = writer.query_row(epoch, [], |row| row.get(0))?;
        let reader = connect(path)?;
        seals.teach(&reader)?;
        Ok(Sqlite {
            writer: Mutex::new(writer),
            reader: Mutex::new(reader),
            caches: Mutex::new(connect(path)?),
            epoch,
            version: schema::SCHEMA,
        })
    }

    /// Opens a store to look at it, of this version or one of those before: whoever serves from it goes on, nothing can
    /// be written, and no file is made beside it, so that it may lie where nothing can be.
    ///
    /// # Errors
    ///
    /// When there is no such store, or it is of another version.
    pub fn look(path: &Path, keys: &Keys) -> Result<Sqlite, StoreError> {
        let writer = look_at(path)?;
        let reader = look_at(path)?;
        Seals::of(keys).teach(&reader)?;
        let version = schema::readable(&writer)?;
        Ok(Sqlite {
            writer: Mutex::new(writer),
            reader: Mutex::new(reader),
            caches: Mutex::new(look_at(path)?),
            // Nobody ever has taken it over with this number, so that every write is refused.
            epoch: -1,
            version,
        })
    }

    /// This store, if it is of this version.
    ///
    /// # Errors
    ///
    /// When it is of an earlier one.
    pub fn of_this_version(self) -> Result<Sqlite, StoreError> {
        match self.version {
            schema::SCHEMA => Ok(self),
            found => Err(StoreError::Schema {
                found,
                known: schema::SCHEMA,
            }),
        }
    }

    /// What is known of the key that a store was written with; none if there is no such store yet. Nothing in it is
    /// changed.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or is no store of this version.
    pub fn written_with(path: &Path) -> Result<Option<WrittenWith>, StoreError> {
        if !path.metadata().is_ok_and(|file| file.len() > 0) {
            return Ok(None);
        }
        // Whoever serves from it next may bring it in order, as a referee left it that ended while it closed it.
        let reader = match is_whole(path) {
            true => look_at(path)?,
            false => connect(path)?,
        };
        schema::readable(&reader)?;
        let mark = "SELECT value FROM meta WHERE key = 'key_mark'";
        let mark = reader.query_row(mark, [], |row| row.get(0)).optional()?;
        let tokens = "SELECT EXISTS (SELECT 1 FROM tokens)";
        let tokens = reader.query_row(tokens, [], |row| row.get(0))?;
        Ok(Some(match (mark, tokens) {
            (Some(mark), _) => WrittenWith::Marked(mark),
            (None, true) => WrittenWith::Some,
            (None, false) => WrittenWith::None,
        }))
    }

    /// Remembers by its mark which key the store is written with.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn mark_key(&self, mark: i64) -> Result<(), StoreError> {
        self.transaction(|transaction| {
            transaction.execute(
                "INSERT OR REPLACE INTO meta (key, value, seal)
                 VALUES ('key_mark', ?1, seal_of('meta', 'key_mark', ?1))",
                [mark],
            )?;
            Ok(())
        })
    }

    /// Seals every row anew, unseen: the key that they were sealed with is gone. Since nobody can tell who wrote them,
    /// every token is revoked.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn believe(&self) -> Result<(), StoreError> {
        self.transaction(|transaction| {
            transaction.execute("UPDATE tokens SET revoked = 1", [])?;
            seal_anew(transaction)
        })
    }

    /// Seals every row anew, for whoever has changed some by hand and answers for it.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn seal_anew(&self) -> Result<(), StoreError> {
        self.transaction(|transaction| seal_anew(transaction))
    }

    /// Copies a store of an earlier version into a new file and brings that to this version, or goes on with such a file;
    /// gives the version that the store had. The store itself stays as it was.
    ///
    /// # Errors
    ///
    /// When there is no such store, or it is of a newer version.
    pub fn migrate(path: &Path, to: &Path, keys: &Keys) -> Result<i64, StoreError> {
        let from = schema::found(&look_at(path)?)?;
        if !to.is_file() {
            Sqlite::backup(path, to)?;
        }
        let mut copy = connect(to)?;
        Seals::of(keys).teach(&copy)?;
        schema::migrate(&mut copy)?;
        Ok(from)
    }

    /// Writes all of a store that nobody has open into its one file, without a log beside it.
    ///
    /// # Errors
    ///
    /// When it cannot be opened or written.
    pub fn settle(path: &Path) -> Result<(), StoreError> {
        let connection = connect(path)?;
        // Whoever is about to close it is waited for; SQLite itself does not wait here.
        let patience = Instant::now() + BUSY;
        loop {
            let mode = connection.query_row("PRAGMA journal_mode = DELETE", [], |row| {
                row.get::<_, String>(0)
            });
            match mode {
                Ok(mode) if mode == "delete" => return Ok(()),
                Err(error) if error.sqlite_error_code() != Some(ErrorCode::DatabaseBusy) => {
                    return Err(error.into());
                }
                _ if Instant::now() > patience => {
                    return Err(StoreError::Engine("somebody else has it open".into()));
                }
                _ => std::thread::sleep(CLOSING / 50),
            }
        }
    }

    /// Forgets every snapshot; gives how many there were. Matches are rebuilt from their logs.
    ///
    /// # Errors
    ///
    /// When there is no such store, or it is of another version.
    pub fn drop_snapshots(path: &Path) -> Result<usize, StoreError> {
        is_there(path)?;
        let connection = connect(path)?;
        schema::of_this_version(&connection)?;
        Ok(connection.execute("DELETE FROM snapshots", [])?)
    }

    /// Copies a store into a new file while others may be writing to it: all of one moment. The file stands under its name
    /// only when it is whole, for SQLite promises nothing about a copy that was interrupted.
    ///
    /// # Errors
    ///
    /// When there is no such store, or the file exists or cannot be written.
    pub fn backup(path: &Path, to: &Path) -> Result<(), StoreError> {
        is_there(path)?;
        if to.exists() {
            let there = format!("`{}` is there already", to.display());
            return Err(StoreError::Engine(there));
        }
        let mut part = to.to_owned().into_os_string();
        part.push(".copying");
        let target = part.to_str().ok_or_else(|| {
            StoreError::Engine("the name of the copy is not written in Unicode".into())
        })?;
        let failed = |error: std::io::Error| StoreError::Engine(format!("`{target}`: {error}"));
        // Of a copy that was interrupted.
        match std::fs::remove_file(target) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        // A connection with locks, for somebody may begin to serve from it meanwhile, that leaves the file as it is.
        let connection = Connection::open(path)?;
        connection.busy_timeout(BUSY)?;
        connection.execute("VACUUM INTO ?1", [target])?;
        let copy = OpenOptions::new().write(true).open(target);
        copy.and_then(|copy| copy.sync_all()).map_err(failed)?;
        std::fs::rename(target, to).map_err(failed)
    }
}

/// What a file that nobody has open looks like from outside: whoever reads it at rest sees by this that it was written
/// meanwhile. None while somebody has it open, who is read with.
pub fn at_rest(path: &Path) -> std::io::Result<Option<Rest>> {
    let file = path.metadata()?;
    let (length, modified) = (file.len(), file.modified()?);
    Ok((!has_log(path)).then_some(Rest { length, modified }))
}

/// A file that nobody writes.
#[derive(Debug, PartialEq, Eq)]
pub struct Rest {
    length: u64,
    modified: SystemTime,
}

fn beside(path: &Path, rest: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(rest);
    name.into()
}

/// Whether something stands in the write-ahead log beside a store.
fn has_log(path: &Path) -> bool {
    beside(path, "-wal")
        .metadata()
        .is_ok_and(|log| log.len() > 0)
}

fn is_there(path: &Path) -> Result<(), StoreError> {
    match path.is_file() {
        true => Ok(()),
        false => Err(StoreError::Engine("there is no such file".into())),
    }
}

/// Opens a connection that writes.
///
/// # Errors
///
/// When the file cannot be opened, or its file system offers no write-ahead log.
pub fn connect(path: &Path) -> Result<Connection, StoreError> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(BUSY)?;
    let mode: String = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
    if mode != "wal" {
        return Err(StoreError::Engine(format!(
            "the file system offers no write-ahead log (journal mode `{mode}`)"
        )));
    }
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // What is erased is overwritten.
    connection.pragma_update(None, "secure_delete", true)?;
    Ok(connection)
}

/// Whether a write-ahead log has its index.
fn is_whole(path: &Path) -> bool {
    !has_log(path) || beside(path, "-shm").exists()
}

/// Whether somebody has a store open, or left it without closing it: then a write-ahead log stands beside it, with an
/// index.
fn is_written(path: &Path) -> Result<bool, StoreError> {
    let patience = Instant::now() + CLOSING;
    while !is_whole(path) {
        if Instant::now() > patience {
            return Err(StoreError::Engine(
                "its write-ahead log (`-wal`) came without the index of that (`-shm`): \
                 copy a store with `referee store backup`, or all three files"
                    .into(),
            ));
        }
        std::thread::sleep(CLOSING / 50);
    }
    Ok(has_log(path))
}

/// A connection that makes no file: neither the store's, nor its write-ahead log and what that needs.
fn look_at(path: &Path) -> Result<Connection, StoreError> {
    is_there(path)?;
    let log = is_written(path)?;
    let mut flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = if log {
        Connection::open_with_flags(path, flags)?
    } else {
        // Nobody has it open, or there would be a log.
        flags |= OpenFlags::SQLITE_OPEN_URI;
        Connection::open_with_flags(unchanging(path), flags)?
    };
    connection.busy_timeout(BUSY)?;
    Ok(connection)
}

/// The address of a file that does not change, as SQLite reads it.
fn unchanging(path: &Path) -> OsString {
    let mut uri = OsString::from("file:");
    #[cfg(unix)]
    {
        use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
        let mut written = Vec::new();
        for byte in path.as_os_str().as_bytes() {
            match byte {
                b'%' | b'?' | b'#' => written.extend(format!("%{byte:02x}").bytes()),
                other => written.push(*other),
            }
        }
        uri.push(OsString::from_vec(written));
    }
    #[cfg(not(unix))]
    uri.push(path);
    uri.push("?immutable=1");
    uri
}

fn seal_anew(connection: &Connection) -> Result<(), StoreError> {
    for sealed in super::seals::sealed_in(schema::SCHEMA) {
        sealed.seal_all(connection)?;
    }
    Ok(())
}

fn take_over(connection: &Connection) -> Result<i64, StoreError> {
    let epoch = connection.query_row(
        "UPDATE meta SET value = value + 1, seal = seal_of('meta', key, value + 1)
         WHERE key = 'epoch' RETURNING value",
        [],
        |row| row.get(0),
    )?;
    Ok(epoch)
}
