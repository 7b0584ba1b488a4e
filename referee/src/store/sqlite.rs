//! The default store: one SQLite file, no set-up.
//!
//! WAL with `synchronous=FULL`, so that a transaction that has returned survives a power cut; STRICT
//! tables, so that a column holds what it says; an explicit schema version, so that an older referee
//! refuses a newer file and a newer one knows what to migrate. `(match, sequence)` is the primary key
//! of the log and with it the compare-and-swap. Opening a file takes it over: an earlier referee that
//! still has it open is fenced out at its next write.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, TransactionBehavior, params};

use super::{
    Append, Appended, Grant, Hash, MatchId, MatchRow, MatchState, NewMatch, Principal, RequestRow,
    Store, StoreError, StoredEntry, TokenRow, chain,
};

/// The schema that this referee writes.
const SCHEMA: i64 = 1;

/// Says in the file's header that it is ours: the letters `Rfre`.
const APPLICATION: i64 = 0x5266_7265;

const TABLES: &str = "
CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO meta VALUES ('epoch', 0);
CREATE TABLE matches (
    ord        INTEGER PRIMARY KEY AUTOINCREMENT,
    id         TEXT NOT NULL UNIQUE,
    host       BLOB NOT NULL,
    ruleset    TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    state      INTEGER NOT NULL,
    length     INTEGER NOT NULL,
    chain      BLOB NOT NULL
) STRICT;
CREATE INDEX matches_by_host ON matches (host, ord);
CREATE TABLE entries (
    match    INTEGER NOT NULL REFERENCES matches (ord),
    sequence INTEGER NOT NULL,
    body     BLOB NOT NULL,
    chain    BLOB NOT NULL,
    PRIMARY KEY (match, sequence)
) STRICT, WITHOUT ROWID;
CREATE TABLE requests (
    principal  BLOB NOT NULL,
    request_id TEXT NOT NULL,
    digest     BLOB NOT NULL,
    receipt    BLOB NOT NULL,
    PRIMARY KEY (principal, request_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE tokens (
    hash  BLOB PRIMARY KEY,
    match TEXT,
    seat  INTEGER
) STRICT, WITHOUT ROWID;
CREATE TABLE contents (
    digest  BLOB PRIMARY KEY,
    content BLOB NOT NULL
) STRICT;
";

/// A store in an SQLite file.
#[derive(Debug)]
pub struct Sqlite {
    writer: Mutex<Connection>,
    reader: Mutex<Connection>,
    epoch: i64,
}

impl Sqlite {
    /// Opens a store, or makes it, and takes it over from any referee that has it open.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened, is no store, or was written by a newer referee.
    pub fn open(path: &Path) -> Result<Sqlite, StoreError> {
        let mut writer = connect(path)?;
        prepare(&mut writer)?;
        let epoch = take_over(&mut writer)?;
        let reader = connect(path)?;
        Ok(Sqlite {
            writer: Mutex::new(writer),
            reader: Mutex::new(reader),
            epoch,
        })
    }

    /// A transaction that is dropped half-way is rolled back, so a panic leaves nothing inconsistent.
    fn writer(&self) -> MutexGuard<'_, Connection> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn reader(&self) -> MutexGuard<'_, Connection> {
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn connect(path: &Path) -> Result<Connection, StoreError> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(Duration::from_secs(5))?;
    let mode: String = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
    if mode != "wal" {
        return Err(StoreError::Engine(format!(
            "the file system offers no write-ahead log (journal mode `{mode}`)"
        )));
    }
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    Ok(connection)
}

/// Makes the tables of a new file; refuses a foreign or newer one.
fn prepare(connection: &mut Connection) -> Result<(), StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let tables: i64 =
        transaction.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    match found {
        0 if tables == 0 => {
            transaction.execute_batch(TABLES)?;
            transaction.pragma_update(None, "application_id", APPLICATION)?;
            transaction.pragma_update(None, "user_version", SCHEMA)?;
        }
        SCHEMA => {
            let application: i64 =
                transaction.pragma_query_value(None, "application_id", |row| row.get(0))?;
            if application != APPLICATION {
                return Err(StoreError::Engine(
                    "the file is a database of another program".into(),
                ));
            }
        }
        0 => {
            return Err(StoreError::Engine(
                "the file is a database of another program".into(),
            ));
        }
        found => {
            return Err(StoreError::Schema {
                found,
                known: SCHEMA,
            });
        }
    }
    transaction.commit()?;
    Ok(())
}

fn take_over(connection: &mut Connection) -> Result<i64, StoreError> {
    let epoch = connection.query_row(
        "UPDATE meta SET value = value + 1 WHERE key = 'epoch' RETURNING value",
        [],
        |row| row.get(0),
    )?;
    Ok(epoch)
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        StoreError::Engine(error.to_string())
    }
}

/// Numbers of SQLite are signed; ours are not, and never large.
fn signed(number: u64) -> Result<i64, StoreError> {
    i64::try_from(number).map_err(|_| StoreError::Engine("a number is too large".into()))
}

fn unsigned(number: i64) -> Result<u64, StoreError> {
    u64::try_from(number).map_err(|_| StoreError::Damaged("a number is negative".into()))
}

fn state(number: i64) -> Result<MatchState, StoreError> {
    MatchState::from_number(number)
        .ok_or_else(|| StoreError::Damaged(format!("there is no match state {number}")))
}

fn append(transaction: &Transaction<'_>, append: &Append) -> Result<Appended, StoreError> {
    if let Some(request) = &append.request
        && let Some(known) = request_row(transaction, request.principal, &request.request_id)?
    {
        return Ok(Appended::Duplicate(known));
    }
    let head: Option<(i64, i64, Hash)> = transaction
        .prepare_cached("SELECT ord, length, chain FROM matches WHERE id = ?1")?
        .query_row([append.id.as_str()], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })
        .optional()?;
    let (ord, length, previous) = match (&append.create, head) {
        (Some(new), None) if append.expected == 0 => {
            let start = chain::start(&append.id);
            transaction
                .prepare_cached(
                    "INSERT INTO matches (id, host, ruleset, created_ms, state, length, chain)
                     VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6)",
                )?
                .execute(params![
                    append.id.as_str(),
                    new.host.0,
                    new.ruleset,
                    new.created_ms,
                    append.state as i64,
                    start
                ])?;
            (transaction.last_insert_rowid(), 0, start)
        }
        (None, Some((ord, length, chain))) if unsigned(length)? == append.expected => {
            (ord, append.expected, chain)
        }
        _ => return Ok(Appended::Conflict),
    };
    let mut previous = previous;
    let mut length = length;
    for body in &append.entries {
        previous = chain::link(&previous, length, body);
        transaction
            .prepare_cached(
                "INSERT INTO entries (match, sequence, body, chain) VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute(params![ord, signed(length)?, body, previous])?;
        length += 1;
    }
    transaction
        .prepare_cached("UPDATE matches SET state = ?2, length = ?3, chain = ?4 WHERE ord = ?1")?
        .execute(params![ord, append.state as i64, signed(length)?, previous])?;
    if let Some(request) = &append.request {
        transaction
            .prepare_cached("INSERT INTO requests (principal, request_id, digest, receipt) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![request.principal.0, request.request_id, request.digest, request.receipt])?;
    }
    for token in &append.tokens {
        insert_token(transaction, token)?;
    }
    Ok(Appended::Done)
}

fn insert_token(connection: &Connection, token: &TokenRow) -> Result<(), StoreError> {
    let (id, seat) = match &token.grant {
        Grant::Host => (None, None),
        Grant::Seat { id, seat } => (Some(id.as_str()), Some(i64::from(*seat))),
    };
    connection
        .prepare_cached("INSERT OR REPLACE INTO tokens (hash, match, seat) VALUES (?1, ?2, ?3)")?
        .execute(params![token.hash, id, seat])?;
    Ok(())
}

fn request_row(
    connection: &Connection,
    principal: Principal,
    request_id: &str,
) -> Result<Option<RequestRow>, StoreError> {
    let row = connection
        .prepare_cached(
            "SELECT digest, receipt FROM requests WHERE principal = ?1 AND request_id = ?2",
        )?
        .query_row(params![principal.0, request_id], |row| {
            Ok(RequestRow {
                principal,
                request_id: request_id.to_owned(),
                digest: row.get(0)?,
                receipt: row.get(1)?,
            })
        })
        .optional()?;
    Ok(row)
}

fn match_row(row: &Row<'_>) -> Result<(i64, String, String, i64, i64), rusqlite::Error> {
    Ok((
        row.get(0)?,
        row.get(1)?,
        row.get(2)?,
        row.get(3)?,
        row.get(4)?,
    ))
}

impl Store for Sqlite {
    fn append(&self, group: &[Append]) -> Result<Vec<Appended>, StoreError> {
        let mut writer = self.writer();
        let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let epoch: i64 = transaction
            .prepare_cached("SELECT value FROM meta WHERE key = 'epoch'")?
            .query_row([], |row| row.get(0))?;
        if epoch != self.epoch {
            return Err(StoreError::Fenced);
        }
        let mut done = Vec::with_capacity(group.len());
        for one in group {
            done.push(append(&transaction, one)?);
        }
        transaction.commit()?;
        Ok(done)
    }

    fn read(&self, id: &MatchId, from: u64, limit: usize) -> Result<Vec<StoredEntry>, StoreError> {
        let reader = self.reader();
        let mut statement = reader.prepare_cached(
            "SELECT e.sequence, e.body, e.chain FROM entries e JOIN matches m ON e.match = m.ord
             WHERE m.id = ?1 AND e.sequence >= ?2 ORDER BY e.sequence LIMIT ?3",
        )?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = statement.query_map(params![id.as_str(), signed(from)?, limit], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })?;
        let mut entries = Vec::new();
        for row in rows {
            let (sequence, body, chain): (i64, Vec<u8>, Hash) = row?;
            entries.push(StoredEntry {
                sequence: unsigned(sequence)?,
                body,
                chain,
            });
        }
        Ok(entries)
    }

    fn find(&self, id: &MatchId) -> Result<Option<(NewMatch, MatchState)>, StoreError> {
        let row: Option<(Hash, String, i64, i64)> = self
            .reader()
            .prepare_cached("SELECT host, ruleset, created_ms, state FROM matches WHERE id = ?1")?
            .query_row([id.as_str()], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            })
            .optional()?;
        row.map(|(host, ruleset, created_ms, number)| {
            Ok((
                NewMatch {
                    host: Principal(host),
                    ruleset,
                    created_ms,
                },
                state(number)?,
            ))
        })
        .transpose()
    }

    fn request(
        &self,
        principal: Principal,
        request_id: &str,
    ) -> Result<Option<RequestRow>, StoreError> {
        request_row(&self.reader(), principal, request_id)
    }

    fn list(
        &self,
        host: Principal,
        wanted: Option<MatchState>,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<MatchRow>, StoreError> {
        let before = before.map_or(Ok(i64::MAX), signed)?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let reader = self.reader();
        let mut statement = reader.prepare_cached(
            "SELECT ord, id, ruleset, created_ms, state FROM matches
             WHERE host = ?1 AND ord < ?2 AND (?3 IS NULL OR state = ?3) ORDER BY ord DESC LIMIT ?4",
        )?;
        let rows = statement.query_map(
            params![host.0, before, wanted.map(|state| state as i64), limit],
            match_row,
        )?;
        let mut matches = Vec::new();
        for row in rows {
            let (ord, id, ruleset, created_ms, number) = row?;
            let id = MatchId::parse(&id)
                .ok_or_else(|| StoreError::Damaged(format!("`{id}` is no match id")))?;
            matches.push(MatchRow {
                order: unsigned(ord)?,
                id,
                ruleset,
                created_ms,
                state: state(number)?,
            });
        }
        Ok(matches)
    }

    fn token(&self, hash: &Hash) -> Result<Option<Grant>, StoreError> {
        let row: Option<(Option<String>, Option<i64>)> = self
            .reader()
            .prepare_cached("SELECT match, seat FROM tokens WHERE hash = ?1")?
            .query_row([hash], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        Ok(match row {
            None => None,
            Some((None, None)) => Some(Grant::Host),
            Some((Some(id), Some(seat))) => {
                let id = MatchId::parse(&id)
                    .ok_or_else(|| StoreError::Damaged(format!("`{id}` is no match id")))?;
                let seat = u8::try_from(seat)
                    .map_err(|_| StoreError::Damaged(format!("there is no seat {seat}")))?;
                Some(Grant::Seat { id, seat })
            }
            Some(_) => return Err(StoreError::Damaged("a token opens half a seat".into())),
        })
    }

    fn grant(&self, token: &TokenRow) -> Result<(), StoreError> {
        insert_token(&self.writer(), token)
    }

    fn put_content(&self, digest: &Hash, content: &[u8]) -> Result<(), StoreError> {
        self.writer()
            .prepare_cached("INSERT OR IGNORE INTO contents (digest, content) VALUES (?1, ?2)")?
            .execute(params![digest, content])?;
        Ok(())
    }

    fn content(&self, digest: &Hash) -> Result<Option<Vec<u8>>, StoreError> {
        let content = self
            .reader()
            .prepare_cached("SELECT content FROM contents WHERE digest = ?1")?
            .query_row([digest], |row| row.get(0))
            .optional()?;
        Ok(content)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::conformance::{self, append_to, new_match};

    fn open() -> (tempfile::TempDir, Sqlite) {
        let folder = tempfile::tempdir().unwrap();
        let store = Sqlite::open(&folder.path().join("store.sqlite")).unwrap();
        (folder, store)
    }

    #[test]
    fn conforms() {
        let (_folder, store) = open();
        conformance::check(&store);
    }

    #[test]
    fn everything_survives_reopening() {
        let (folder, store) = open();
        let (create, id) = new_match();
        store.append(std::slice::from_ref(&create)).unwrap();
        store.append(&[append_to(&id, 1, &[b"a", b"b"])]).unwrap();
        let before = store.read(&id, 0, 9).unwrap();
        drop(store);
        let store = Sqlite::open(&folder.path().join("store.sqlite")).unwrap();
        assert_eq!(store.read(&id, 0, 9).unwrap(), before);
        assert_eq!(
            store.append(&[append_to(&id, 3, &[b"c"])]).unwrap(),
            [Appended::Done]
        );
    }

    #[test]
    fn whoever_opens_the_file_takes_it_over() {
        let (folder, first) = open();
        let (create, id) = new_match();
        first.append(&[create]).unwrap();
        let second = Sqlite::open(&folder.path().join("store.sqlite")).unwrap();
        assert_eq!(
            first.append(&[append_to(&id, 1, &[b"stale"])]),
            Err(StoreError::Fenced)
        );
        assert_eq!(
            second.append(&[append_to(&id, 1, &[b"fresh"])]).unwrap(),
            [Appended::Done]
        );
        assert_eq!(second.read(&id, 1, 9).unwrap()[0].body, b"fresh");
    }

    #[test]
    fn a_newer_or_foreign_file_is_refused() {
        let (folder, store) = open();
        store
            .writer()
            .pragma_update(None, "user_version", SCHEMA + 1)
            .unwrap();
        drop(store);
        let path = folder.path().join("store.sqlite");
        assert_eq!(
            Sqlite::open(&path).unwrap_err(),
            StoreError::Schema {
                found: SCHEMA + 1,
                known: SCHEMA
            }
        );

        let other = folder.path().join("other.sqlite");
        Connection::open(&other)
            .unwrap()
            .execute_batch("CREATE TABLE songs (title TEXT)")
            .unwrap();
        assert!(matches!(Sqlite::open(&other), Err(StoreError::Engine(_))));

        let text = folder.path().join("notes.txt");
        std::fs::write(
            &text,
            "this is no database, but long enough to look at: ".repeat(40),
        )
        .unwrap();
        assert!(matches!(Sqlite::open(&text), Err(StoreError::Engine(_))));
    }

    #[test]
    fn the_disk_is_asked_to_flush() {
        let (_folder, store) = open();
        let full: i64 = store
            .writer()
            .pragma_query_value(None, "synchronous", |row| row.get(0))
            .unwrap();
        assert_eq!(full, 2, "synchronous=FULL");
    }
}
