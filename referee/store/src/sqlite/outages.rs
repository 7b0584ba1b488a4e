//! When there was no referee, in SQLite: rows of `meta`, which has a number for every word.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::super::{OUTAGES, Outage, StoreError};
use super::values::sealed;

/// When it was noted last that there is a referee.
const ALIVE: &str = "alive_ms";

/// What begins the word of an outage; then comes when there was a referee last, and its number is when there was one
/// again.
const OUTAGE: &str = "outage ";

fn put(connection: &Connection, key: &str, value: i64) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "INSERT INTO meta (key, value, seal) VALUES (?1, ?2, seal_of('meta', ?1, ?2))
             ON CONFLICT (key) DO UPDATE SET value = ?2, seal = seal_of('meta', ?1, ?2)",
        )?
        .execute(params![key, value])?;
    Ok(())
}

/// When it was noted last that there is a referee.
pub fn alive_ms(connection: &Connection) -> Result<Option<i64>, StoreError> {
    let last = connection
        .prepare_cached("SELECT value FROM meta WHERE key = ?1")?
        .query_row([ALIVE], |row| row.get(0))
        .optional()?;
    Ok(last)
}

/// Words of one length stand in the order of their times.
fn put_outage(connection: &Connection, from_ms: i64, to_ms: i64) -> Result<(), StoreError> {
    put(connection, &format!("{OUTAGE}{from_ms:020}"), to_ms)
}

/// Keeps outages, and when it was noted last that there is a referee.
pub fn remember(
    connection: &Connection,
    outages: &[Outage],
    alive_ms: Option<i64>,
) -> Result<(), StoreError> {
    for outage in outages {
        put_outage(connection, outage.from_ms, outage.to_ms)?;
    }
    alive_ms.map_or(Ok(()), |alive_ms| put(connection, ALIVE, alive_ms))
}

/// Notes that there is a referee.
pub fn alive(connection: &Connection, now_ms: i64, begins: bool) -> Result<(), StoreError> {
    let last = alive_ms(connection)?;
    put(connection, ALIVE, now_ms)?;
    if let Some(last) = last.filter(|last| begins && *last < now_ms) {
        put_outage(connection, last, now_ms)?;
        connection.execute(
            "DELETE FROM meta WHERE key GLOB ?1 || '*' AND key NOT IN
             (SELECT key FROM meta WHERE key GLOB ?1 || '*' ORDER BY key DESC LIMIT ?2)",
            params![OUTAGE, i64::try_from(OUTAGES).unwrap_or(i64::MAX)],
        )?;
    }
    Ok(())
}

/// Every outage that is remembered.
pub fn all(connection: &Connection) -> Result<Vec<Outage>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT key, value, seal IS seal_of('meta', key, value) FROM meta WHERE key GLOB ?1 || '*'",
    )?;
    let mut rows = statement.query([OUTAGE])?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        let key: String = row.get(0)?;
        let to_ms: i64 = sealed("meta", (row.get(1)?, row.get(2)?))?;
        let from_ms = key.strip_prefix(OUTAGE).and_then(|from| from.parse().ok());
        let from_ms = from_ms.ok_or_else(|| StoreError::Damaged(format!("`{key}` is no time")))?;
        all.push(Outage { from_ms, to_ms });
    }
    Ok(all)
}
