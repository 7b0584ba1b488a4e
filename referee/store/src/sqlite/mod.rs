//! The default store: one SQLite file, no set-up.
//!
//! WAL with `synchronous=FULL`, so that a transaction that has returned survives a power cut; STRICT
//! tables, so that a column holds what it says; an explicit schema version, so that an older referee
//! refuses a newer file and a newer one knows what to migrate. `(match, sequence)` is the primary key
//! of the log and with it the compare-and-swap. Opening a file takes it over: an earlier referee that
//! still has it open is fenced out at its next write.

mod check;
pub mod file;
mod notices;
mod outages;
pub mod schema;
pub mod seals;
mod tokens;
mod values;
mod whole;

pub use file::{Rest, WrittenWith, at_rest};
pub use schema::SCHEMA;

use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};
use seals::{Seals, is_sealed};
use values::{sealed, signed, unsigned};

use super::{
    Append, Appended, Change, ChannelRow, Erase, Hash, HeldRow, Kept, ListedRevision, ListedToken,
    MatchId, MatchRow, MatchState, NameRow, NewMatch, NoticeRow, Outage, OwnerRow, Principal,
    RequestRow, RevisionRow, Store, StoreError, StoredEntry, TokenRow, Wanted, chain,
};

/// A store in an SQLite file.
#[derive(Debug)]
pub struct Sqlite {
    writer: Mutex<Connection>,
    reader: Mutex<Connection>,
    /// Writes what may be lost, and waits for no flush of the disk.
    caches: Mutex<Connection>,
    epoch: i64,
    /// The version of its tables; in one that is only looked at it may be an earlier one.
    version: i64,
}

impl Sqlite {
    /// A transaction that is dropped half-way is rolled back, so a panic leaves nothing inconsistent.
    #[doc(hidden)]
    pub fn writer(&self) -> MutexGuard<'_, Connection> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether its rows have seals; those of an earlier version, which is only looked at, have none.
    fn has_seals(&self) -> bool {
        self.version >= schema::SEALS
    }

    fn reader(&self) -> MutexGuard<'_, Connection> {
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the write-ahead log into the file and empties it: what was erased still stands in it. Whoever reads meanwhile
    /// puts that off until the log is used anew.
    fn forget_log(&self) {
        let emptied = "PRAGMA wal_checkpoint(TRUNCATE)";
        let emptied = self.writer().query_row(emptied, [], |row| row.get(0));
        if !matches!(emptied, Ok(0)) {
            tracing::warn!(?emptied, "the write-ahead log was not emptied");
        }
    }

    /// Changes a cache. The file has one writer at a time: who takes turns here need not ask it again and again.
    fn cache(&self, statement: &str, values: &[&dyn rusqlite::ToSql]) -> Result<(), StoreError> {
        let _turn = self.writer();
        let caches = self.caches.lock().unwrap_or_else(PoisonError::into_inner);
        caches.prepare_cached(statement)?.execute(values)?;
        Ok(())
    }
}

fn state(number: i64) -> Result<MatchState, StoreError> {
    MatchState::from_number(number)
        .ok_or_else(|| StoreError::Damaged(format!("there is no match state {number}")))
}

fn append(transaction: &Transaction<'_>, append: &Append) -> Result<Appended, StoreError> {
    let head: Option<(i64, i64, Hash)> = transaction
        .prepare_cached("SELECT ord, length, chain FROM matches WHERE id = ?1")?
        .query_row([append.id.as_str()], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })
        .optional()?;
    let within = head.map_or(NO_MATCH, |(ord, ..)| ord);
    if let Some(request) = &append.request
        && let Some(known) =
            request_row(transaction, within, request.principal, &request.request_id)?
    {
        return Ok(Appended::Duplicate(known));
    }
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
                    append.state.number(),
                    start
                ])?;
            (transaction.last_insert_rowid(), 0, start)
        }
        (None, Some((ord, length, chain)))
            if unsigned(length)? == append.expected
                && append.head.is_none_or(|head| head == chain) =>
        {
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
        .prepare_cached(
            "UPDATE matches SET state = ?2, length = ?3, chain = ?4, due_ms = ?5, open = ?6,
             content = coalesce(?7, content),
             seal = seal_of('matches', ord, id, host, ruleset, created_ms,
                            ?2, ?3, ?4, ?5, ?6, coalesce(?7, content)) WHERE ord = ?1",
        )?
        .execute(params![
            ord,
            append.state.number(),
            signed(length)?,
            previous,
            append.due_ms,
            append.open,
            append.content
        ])?;
    if let Some(seat) = append.revoke_seat {
        let values = params![append.id.as_str(), seat];
        tokens::revoke(transaction, "match = ?1 AND seat = ?2", values)?;
    }
    let mut within = within;
    match &append.erase {
        None => {}
        Some(Erase::Names(digests)) => erase_names(transaction, ord, digests)?,
        Some(Erase::Match { archive }) => {
            erase(transaction, ord, &append.id)?;
            if let Some(archive) = archive {
                transaction.execute("DELETE FROM contents WHERE digest = ?1", [archive])?;
            }
            within = NO_MATCH;
        }
    }
    if let Some(request) = &append.request {
        keep_request(transaction, within, request)?;
    }
    for token in &append.tokens {
        tokens::grant(transaction, token)?;
    }
    for notice in &append.notices {
        notices::put(transaction, notice)?;
    }
    for name in &append.names {
        transaction
            .prepare_cached(
                "INSERT OR IGNORE INTO names (match, digest, salt, name, seal)
                 VALUES (?1, ?2, ?3, ?4, seal_of('names', ?1, ?2, ?3, ?4))",
            )?
            .execute(params![ord, name.digest, name.salt, name.name])?;
    }
    Ok(Appended::Done)
}

/// Erases names, and every request that claimed a seat: whoever made those is neither the host nor has a token.
fn erase_names(
    transaction: &Transaction<'_>,
    ord: i64,
    digests: &[Hash],
) -> Result<(), StoreError> {
    for digest in digests {
        transaction
            .prepare_cached("DELETE FROM names WHERE match = ?1 AND digest = ?2")?
            .execute(params![ord, digest])?;
    }
    transaction.execute(
        "DELETE FROM requests WHERE match = ?1
         AND principal NOT IN (SELECT host FROM matches WHERE ord = ?1)
         AND principal NOT IN (SELECT hash FROM tokens)",
        [ord],
    )?;
    Ok(())
}

/// Erases a match and all that belongs to it.
fn erase(transaction: &Transaction<'_>, ord: i64, id: &MatchId) -> Result<(), StoreError> {
    for table in ["entries", "names", "snapshots", "requests"] {
        transaction.execute(&format!("DELETE FROM {table} WHERE match = ?1"), [ord])?;
    }
    transaction.execute("DELETE FROM matches WHERE ord = ?1", [ord])?;
    for table in ["tokens", "notices"] {
        transaction.execute(
            &format!("DELETE FROM {table} WHERE match = ?1"),
            [id.as_str()],
        )?;
    }
    tokens::count(transaction, tokens::REVOCATIONS)
}

/// What stands in the place of a match in a request that belongs to none.
const NO_MATCH: i64 = 0;

fn keep_request(
    connection: &Connection,
    within: i64,
    request: &RequestRow,
) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "INSERT INTO requests (match, principal, request_id, digest, receipt, seal)
             VALUES (?1, ?2, ?3, ?4, ?5, seal_of('requests', ?1, ?2, ?3, ?4, ?5))",
        )?
        .execute(params![
            within,
            request.principal.0,
            request.request_id,
            request.digest,
            request.receipt
        ])?;
    Ok(())
}

fn request_row(
    connection: &Connection,
    within: i64,
    principal: Principal,
    request_id: &str,
) -> Result<Option<RequestRow>, StoreError> {
    let row = connection
        .prepare_cached(
            "SELECT digest, receipt, seal IS seal_of('requests', match, principal, request_id, digest, receipt)
             FROM requests WHERE match IN (?1, 0) AND principal = ?2 AND request_id = ?3
             ORDER BY match DESC LIMIT 1",
        )?
        .query_row(params![within, principal.0, request_id], |row| {
            let request = RequestRow {
                principal,
                request_id: request_id.to_owned(),
                digest: row.get(0)?,
                receipt: row.get(1)?,
            };
            Ok((request, row.get(2)?))
        })
        .optional()?;
    row.map(|row| sealed("requests", row)).transpose()
}

/// Columns of what a list says of a match.
const MATCH: &str = "SELECT ord, id, ruleset, created_ms, state, content, host FROM matches";

/// The same of a store of before texts were kept there.
const EARLIER_MATCH: &str = "SELECT ord, id, ruleset, created_ms, state, NULL, host FROM matches";

fn match_rows(
    connection: &Connection,
    select: &str,
    rest: &str,
    values: &[&dyn rusqlite::ToSql],
) -> Result<Vec<MatchRow>, StoreError> {
    let mut statement = connection.prepare_cached(&format!("{select} {rest}"))?;
    let mut rows = statement.query(values)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(match_row(row)?);
    }
    Ok(found)
}

/// What the first columns of a row say, in the order of [`MATCH`].
fn match_row(row: &rusqlite::Row<'_>) -> Result<MatchRow, StoreError> {
    let id: String = row.get(1)?;
    let id =
        MatchId::parse(&id).ok_or_else(|| StoreError::Damaged(format!("`{id}` is no match id")))?;
    Ok(MatchRow {
        order: unsigned(row.get(0)?)?,
        id,
        ruleset: row.get(2)?,
        created_ms: row.get(3)?,
        state: state(row.get(4)?)?,
        content: row.get(5)?,
        host: Principal(row.get(6)?),
    })
}

fn before(place: Option<u64>) -> Result<i64, StoreError> {
    place.map_or(Ok(i64::MAX), signed)
}

fn most(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

impl Sqlite {
    /// A transaction of a referee that nobody has taken over from.
    fn transaction<T>(
        &self,
        act: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut writer = self.writer();
        let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let epoch: i64 = transaction
            .prepare_cached("SELECT value FROM meta WHERE key = 'epoch'")?
            .query_row([], |row| row.get(0))?;
        if epoch != self.epoch {
            return Err(StoreError::Fenced);
        }
        let done = act(&transaction)?;
        transaction.commit()?;
        Ok(done)
    }
}

impl Store for Sqlite {
    fn append(&self, group: Vec<Append>) -> Result<Vec<Appended>, StoreError> {
        let erases = group.iter().any(|one| one.erase.is_some());
        let done = self.transaction(|transaction| {
            group.iter().map(|one| append(transaction, one)).collect()
        })?;
        if erases {
            self.forget_log();
        }
        Ok(done)
    }

    fn probe(&self) -> Result<(), StoreError> {
        self.transaction(|transaction| tokens::count(transaction, "probes"))
    }

    fn checkpoint(&self) {
        self.forget_log();
    }

    fn alive(&self, now_ms: i64, begins: bool) -> Result<(), StoreError> {
        self.transaction(|transaction| outages::alive(transaction, now_ms, begins))
    }

    fn outages(&self) -> Result<Vec<Outage>, StoreError> {
        outages::all(&self.reader())
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

    fn names(&self, id: &MatchId) -> Result<Vec<NameRow>, StoreError> {
        if self.version < schema::NAMES {
            return Ok(Vec::new());
        }
        let reader = self.reader();
        let mut statement = reader.prepare_cached(
            "SELECT n.digest, n.salt, n.name FROM names n JOIN matches m ON n.match = m.ord
             WHERE m.id = ?1 ORDER BY n.digest",
        )?;
        let rows = statement.query_map([id.as_str()], |row| {
            Ok(NameRow {
                digest: row.get(0)?,
                salt: row.get(1)?,
                name: row.get(2)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn find(&self, id: &MatchId) -> Result<Option<Kept>, StoreError> {
        let good = match self.has_seals() {
            true => is_sealed("matches"),
            false => "1".into(),
        };
        let select = format!(
            "SELECT host, ruleset, created_ms, state, length, chain, {good} FROM matches WHERE id = ?1"
        );
        let reader = self.reader();
        let mut statement = reader.prepare_cached(&select)?;
        let mut rows = statement.query([id.as_str()])?;
        let Some(row) = rows.next()? else {
            return Ok(None);
        };
        let kept = Kept {
            new: NewMatch {
                host: Principal(row.get(0)?),
                ruleset: row.get(1)?,
                created_ms: row.get(2)?,
            },
            state: state(row.get(3)?)?,
            length: unsigned(row.get(4)?)?,
            chain: row.get(5)?,
        };
        sealed("matches", (kept, row.get(6)?)).map(Some)
    }

    fn request(
        &self,
        of: Option<&MatchId>,
        principal: Principal,
        request_id: &str,
    ) -> Result<Option<RequestRow>, StoreError> {
        let reader = self.reader();
        let within = match of {
            None => None,
            Some(id) => reader
                .prepare_cached("SELECT ord FROM matches WHERE id = ?1")?
                .query_row([id.as_str()], |row| row.get(0))
                .optional()?,
        };
        request_row(&reader, within.unwrap_or(NO_MATCH), principal, request_id)
    }

    fn list(
        &self,
        wanted: Wanted<'_>,
        older: Option<u64>,
        limit: usize,
    ) -> Result<Vec<MatchRow>, StoreError> {
        let (older, most) = (before(older)?, most(limit));
        let host = wanted.host.map(|host| host.0);
        let state = wanted.state.map(MatchState::number);
        let mut values: Vec<&dyn rusqlite::ToSql> = vec![&older, &most];
        let mut rest = "WHERE ord < ?1".to_owned();
        // Only what is asked for stands in the statement: each has an index of its own.
        let mut only = |condition: &str, value| {
            values.push(value);
            rest += &format!(" AND {condition}").replace('?', &format!("?{}", values.len()));
        };
        if let Some(host) = &host {
            only("host = ?", host);
        }
        if let Some(state) = &state {
            only("state = ?", state);
        }
        if let Some(player) = &wanted.player {
            only("ord IN (SELECT match FROM names WHERE name = ?)", player);
        }
        let rest = format!("{rest} ORDER BY ord DESC LIMIT ?2");
        match_rows(&self.reader(), MATCH, &rest, &values)
    }

    fn listed(
        &self,
        state: MatchState,
        older: Option<u64>,
        limit: usize,
    ) -> Result<Vec<MatchRow>, StoreError> {
        match_rows(
            &self.reader(),
            MATCH,
            "WHERE open <> 0 AND state = ?1 AND ord < ?2 ORDER BY ord DESC LIMIT ?3",
            &[&state.number(), &before(older)?, &most(limit)],
        )
    }

    fn every(
        &self,
        state: Option<MatchState>,
        after: u64,
        limit: usize,
    ) -> Result<Vec<MatchRow>, StoreError> {
        // A store of the version before may be looked at, all of it.
        let select = match self.version < schema::NAMES {
            true => EARLIER_MATCH,
            false => MATCH,
        };
        let (reader, after, most) = (self.reader(), signed(after)?, most(limit));
        match state.map(MatchState::number) {
            None => {
                let rest = "WHERE ord > ?1 ORDER BY ord LIMIT ?2";
                match_rows(&reader, select, rest, &[&after, &most])
            }
            Some(state) => {
                let rest = "WHERE ord > ?1 AND state = ?3 ORDER BY ord LIMIT ?2";
                match_rows(&reader, select, rest, &[&after, &most, &state])
            }
        }
    }

    fn remembered(&self, after: u64, limit: usize) -> Result<Vec<MatchRow>, StoreError> {
        let over = MatchState::Finished.number();
        let rest = "WHERE ord > ?1 AND state = ?3
                    AND (EXISTS (SELECT 1 FROM requests r WHERE r.match = ord)
                         OR EXISTS (SELECT 1 FROM snapshots s WHERE s.match = ord))
                    ORDER BY ord LIMIT ?2";
        match_rows(
            &self.reader(),
            MATCH,
            rest,
            &[&signed(after)?, &most(limit), &over],
        )
    }

    fn forget_requests(&self, id: &MatchId) -> Result<(), StoreError> {
        for table in ["requests", "snapshots"] {
            let of = "(SELECT ord FROM matches WHERE id = ?1)";
            let forget = format!("DELETE FROM {table} WHERE match = {of}");
            self.cache(&forget, &[&id.as_str()])?;
        }
        Ok(())
    }

    fn due(&self, now_ms: i64, limit: usize) -> Result<Vec<MatchId>, StoreError> {
        let rows = match_rows(
            &self.reader(),
            MATCH,
            "WHERE due_ms IS NOT NULL AND due_ms <= ?1 ORDER BY due_ms LIMIT ?2",
            &[&now_ms, &most(limit)],
        )?;
        Ok(rows.into_iter().map(|row| row.id).collect())
    }

    fn token(&self, hash: &Hash, _of: Option<&MatchId>) -> Result<Option<TokenRow>, StoreError> {
        tokens::token(&self.reader(), hash)
    }

    fn held_in(&self, holder: &str, id: &MatchId) -> Result<Option<TokenRow>, StoreError> {
        tokens::held_in(&self.reader(), holder, id)
    }

    fn held(
        &self,
        holder: &str,
        of: Option<MatchState>,
        older: Option<u64>,
        limit: usize,
    ) -> Result<Vec<HeldRow>, StoreError> {
        let reader = self.reader();
        // A state that there is, or any.
        let mut statement = reader.prepare_cached(
            "SELECT m.ord, m.id, m.ruleset, m.created_ms, m.state, m.content, m.host, t.ord, t.seat
             FROM tokens t JOIN matches m ON m.id = t.match
             WHERE t.label = ?1 AND t.label <> '' AND t.match IS NOT NULL AND t.seat IS NOT NULL
             AND t.revoked = 0 AND t.ord < ?2 AND (?4 IS NULL OR m.state = ?4)
             ORDER BY t.ord DESC LIMIT ?3",
        )?;
        let values = params![
            holder,
            before(older)?,
            most(limit),
            of.map(MatchState::number)
        ];
        let mut rows = statement.query(values)?;
        let mut held = Vec::new();
        while let Some(row) = rows.next()? {
            held.push(HeldRow {
                order: unsigned(row.get(7)?)?,
                seat: row.get(8)?,
                row: match_row(row)?,
            });
        }
        Ok(held)
    }

    fn learn(&self, key: &str, value: &[u8]) -> Result<(), StoreError> {
        self.transaction(|transaction| notices::learn(transaction, key, value))
    }

    fn learned(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        notices::learned(&self.reader(), key)
    }

    fn notices(&self, until_ms: i64, limit: usize) -> Result<Vec<NoticeRow>, StoreError> {
        notices::due(&self.reader(), until_ms, most(limit))
    }

    fn settle_notice(&self, notice: &NoticeRow, again_ms: Option<i64>) -> Result<(), StoreError> {
        self.transaction(|transaction| notices::settle(transaction, notice, again_ms))
    }

    fn revocations(&self) -> Result<u64, StoreError> {
        let counted = self
            .reader()
            .prepare_cached("SELECT value FROM meta WHERE key = ?1")?
            .query_row([tokens::REVOCATIONS], |row| row.get(0))
            .optional()?;
        unsigned(counted.unwrap_or(0))
    }

    fn grant(&self, token: &TokenRow) -> Result<(), StoreError> {
        self.transaction(|transaction| tokens::grant(transaction, token))
    }

    fn tokens(&self, older: Option<u64>, limit: usize) -> Result<Vec<ListedToken>, StoreError> {
        tokens::tokens(&self.reader(), before(older)?, most(limit))
    }

    fn settle_by(
        &self,
        publisher: Option<&str>,
        change: &Change,
        request: &RequestRow,
    ) -> Result<Appended, StoreError> {
        self.transaction(|transaction| {
            let (principal, id) = (request.principal, &request.request_id);
            let known = request_row(transaction, NO_MATCH, principal, id)?;
            if let Some(known) = known {
                return Ok(Appended::Duplicate(known));
            }
            if let (Some(publisher), Some(ruleset)) = (publisher, change.ruleset()) {
                let owners = tokens::owners(transaction)?.into_iter();
                let mut of_it = owners.filter(|row| row.ruleset == ruleset);
                if of_it.any(|row| row.owner != publisher) {
                    return Ok(Appended::Conflict);
                }
            }
            tokens::settle(transaction, change)?;
            keep_request(transaction, NO_MATCH, request)?;
            Ok(Appended::Done)
        })
    }

    fn change(&self, change: &Change) -> Result<(), StoreError> {
        self.transaction(|transaction| tokens::settle(transaction, change))
    }

    fn offer(&self, revision: &RevisionRow) -> Result<(), StoreError> {
        self.transaction(|transaction| tokens::offer(transaction, revision))
    }

    fn offered(&self, ruleset: &str, digest: &Hash) -> Result<bool, StoreError> {
        tokens::offered(&self.reader(), ruleset, digest)
    }

    fn revisions(
        &self,
        ruleset: &str,
        older: Option<u64>,
        limit: usize,
    ) -> Result<Vec<ListedRevision>, StoreError> {
        tokens::revisions(&self.reader(), ruleset, before(older)?, most(limit))
    }

    fn channels(&self) -> Result<Vec<ChannelRow>, StoreError> {
        tokens::channels(&self.reader())
    }

    fn owners(&self) -> Result<Vec<OwnerRow>, StoreError> {
        tokens::owners(&self.reader())
    }

    fn yanked(&self) -> Result<Vec<RevisionRow>, StoreError> {
        tokens::yanked(&self.reader())
    }

    fn put_snapshot(&self, id: &MatchId, snapshot: &[u8]) -> Result<(), StoreError> {
        self.cache(
            "INSERT OR REPLACE INTO snapshots (match, body) SELECT ord, ?2 FROM matches WHERE id = ?1",
            &[&id.as_str(), &snapshot],
        )
    }

    fn snapshot(&self, id: &MatchId) -> Result<Option<Vec<u8>>, StoreError> {
        let snapshot = self
            .reader()
            .prepare_cached(
                "SELECT s.body FROM snapshots s JOIN matches m ON s.match = m.ord WHERE m.id = ?1",
            )?
            .query_row([id.as_str()], |row| row.get(0))
            .optional()?;
        Ok(snapshot)
    }

    fn delete_snapshot(&self, id: &MatchId) -> Result<(), StoreError> {
        self.cache(
            "DELETE FROM snapshots WHERE match = (SELECT ord FROM matches WHERE id = ?1)",
            &[&id.as_str()],
        )
    }

    fn put_content(&self, digest: &Hash, content: &[u8]) -> Result<(), StoreError> {
        self.writer()
            .prepare_cached(
                "INSERT OR IGNORE INTO contents (digest, content, seal)
                 VALUES (?1, ?2, seal_of('contents', ?1, ?2))",
            )?
            .execute(params![digest, content])?;
        Ok(())
    }

    fn content(&self, digest: &Hash) -> Result<Option<Vec<u8>>, StoreError> {
        let content = self
            .reader()
            .prepare_cached(&format!(
                "SELECT content, {} FROM contents WHERE digest = ?1",
                match self.has_seals() {
                    true => is_sealed("contents"),
                    false => "1".into(),
                }
            ))?
            .query_row([digest], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        content.map(|row| sealed("contents", row)).transpose()
    }
}
