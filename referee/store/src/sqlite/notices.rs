//! What is to be told to other servers, and what was learned from them, in SQLite.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::super::{MatchId, NoticeRow, StoreError};
use super::seals::is_sealed;
use super::values::sealed;

/// Keeps a notice until it is settled; does nothing if it is known.
pub fn put(connection: &Connection, notice: &NoticeRow) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "INSERT OR IGNORE INTO notices (id, match, address, body, due_ms, tries, seal)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, seal_of('notices', ?1, ?2, ?3, ?4, ?5, ?6))",
        )?
        .execute(params![
            notice.id,
            notice.of.as_str(),
            notice.address,
            notice.body,
            notice.due_ms,
            notice.tries
        ])?;
    Ok(())
}

/// Notices that are due, the longest overdue first.
pub fn due(
    connection: &Connection,
    until_ms: i64,
    limit: i64,
) -> Result<Vec<NoticeRow>, StoreError> {
    let which = "due_ms <= ?1 ORDER BY due_ms LIMIT ?2";
    those(connection, which, [until_ms, limit])
}

/// Notices of a match.
pub fn of(connection: &Connection, id: &MatchId) -> Result<Vec<NoticeRow>, StoreError> {
    those(connection, "match = ?1 ORDER BY id", [id.as_str()])
}

fn those(
    connection: &Connection,
    which: &str,
    values: impl rusqlite::Params,
) -> Result<Vec<NoticeRow>, StoreError> {
    let select = format!(
        "SELECT id, match, address, body, due_ms, tries, {} FROM notices WHERE {which}",
        is_sealed("notices")
    );
    let mut statement = connection.prepare_cached(&select)?;
    let mut rows = statement.query(values)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let of: String = row.get(1)?;
        let of = MatchId::parse(&of)
            .ok_or_else(|| StoreError::Damaged(format!("`{of}` is no match id")))?;
        let notice = NoticeRow {
            id: row.get(0)?,
            of,
            address: row.get(2)?,
            body: row.get(3)?,
            due_ms: row.get(4)?,
            tries: row.get(5)?,
        };
        found.push(sealed("notices", (notice, row.get(6)?))?);
    }
    Ok(found)
}

/// A notice is settled, or tried again then.
pub fn settle(
    connection: &Connection,
    notice: &NoticeRow,
    again_ms: Option<i64>,
) -> Result<(), StoreError> {
    let of = notice.of.as_str();
    match again_ms {
        None => connection
            .prepare_cached("DELETE FROM notices WHERE id = ?1 AND match = ?2")?
            .execute(params![notice.id, of])?,
        Some(again_ms) => connection
            .prepare_cached(
                "UPDATE notices SET due_ms = ?2, tries = tries + 1,
                 seal = seal_of('notices', id, match, address, body, ?2, tries + 1)
                 WHERE id = ?1 AND match = ?3 AND tries = ?4",
            )?
            .execute(params![notice.id, again_ms, of, notice.tries])?,
    };
    Ok(())
}

/// Keeps what was learned.
pub fn learn(connection: &Connection, key: &str, value: &[u8]) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO learned (key, value, seal)
             VALUES (?1, ?2, seal_of('learned', ?1, ?2))",
        )?
        .execute(params![key, value])?;
    Ok(())
}

/// What was learned.
pub fn learned(connection: &Connection, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
    let select = format!(
        "SELECT value, {} FROM learned WHERE key = ?1",
        is_sealed("learned")
    );
    let found = connection
        .prepare_cached(&select)?
        .query_row([key], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    found.map(|row| sealed("learned", row)).transpose()
}
