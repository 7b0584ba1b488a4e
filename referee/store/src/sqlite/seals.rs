//! Seals of rows in SQLite, which computes them itself.
//!
//! Every connection has the function `seal_of(table, column…)`: seals are written in the statement that writes the row, and
//! compared in the one that reads it. Entries have none: the chain of a log ends in its match's row, which has one.
//! Snapshots are encrypted, which is a seal of its own.

use std::ops::RangeInclusive;

use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use rusqlite::types::ValueRef;

use super::schema::{SCHEMA, SEALS};
pub use crate::seals::Seals;
use crate::seals::Value;

impl Seals {
    /// Gives a connection the function `seal_of`.
    pub(super) fn teach(&self, connection: &Connection) -> Result<(), rusqlite::Error> {
        let seals = self.clone();
        // Not for views and triggers, which whoever writes the file could put there.
        let flags = FunctionFlags::SQLITE_UTF8
            | FunctionFlags::SQLITE_DETERMINISTIC
            | FunctionFlags::SQLITE_DIRECTONLY;
        connection.create_scalar_function("seal_of", -1, flags, move |values| {
            let values = (0..values.len()).map(|index| match values.get_raw(index) {
                ValueRef::Null => Ok(Value::Null),
                ValueRef::Integer(number) => Ok(Value::Number(number)),
                ValueRef::Text(bytes) => Ok(Value::Text(bytes)),
                ValueRef::Blob(bytes) => Ok(Value::Bytes(bytes)),
                ValueRef::Real(_) => {
                    let why = "no table of a store has such numbers";
                    Err(rusqlite::Error::UserFunctionError(why.into()))
                }
            });
            let values = values.collect::<Result<Vec<_>, _>>()?;
            Ok(seals.seal(values).to_vec())
        })
    }
}

/// A table whose rows are sealed.
pub struct Sealed {
    /// Its name.
    pub table: &'static str,
    /// The columns that tell its rows apart, in their order.
    pub key: &'static [&'static str],
    /// What a seal is of, in this order: every column but the seal.
    pub columns: &'static str,
    /// The versions of a store that have it so.
    pub versions: RangeInclusive<i64>,
}

/// Every table whose rows are sealed. What is added to a table is added to its seals by the step that adds it.
const SEALED: [Sealed; 12] = [
    Sealed {
        table: "meta",
        key: &["key"],
        columns: "key, value",
        versions: SEALS..=SCHEMA,
    },
    Sealed {
        table: "matches",
        key: &["ord"],
        columns: "ord, id, host, ruleset, created_ms, state, length, chain, due_ms, open, content",
        versions: SEALS..=SCHEMA,
    },
    Sealed {
        table: "names",
        key: &["match", "digest"],
        columns: "match, digest, salt, name",
        versions: SEALS..=SCHEMA,
    },
    Sealed {
        table: "requests",
        key: &["principal", "request_id"],
        columns: "principal, request_id, digest, receipt",
        versions: SEALS..=8,
    },
    Sealed {
        table: "requests",
        key: &["match", "principal", "request_id"],
        columns: "match, principal, request_id, digest, receipt",
        versions: 9..=SCHEMA,
    },
    Sealed {
        table: "owners",
        key: &["ruleset"],
        columns: "ruleset, owner",
        versions: 9..=SCHEMA,
    },
    Sealed {
        table: "notices",
        key: &["id"],
        columns: "id, match, address, body, due_ms, tries",
        versions: 10..=SCHEMA,
    },
    Sealed {
        table: "learned",
        key: &["key"],
        columns: "key, value",
        versions: 10..=SCHEMA,
    },
    Sealed {
        table: "tokens",
        key: &["ord"],
        columns: "ord, hash, kind, match, seat, label, created_ms, expires_ms, revoked",
        versions: SEALS..=SCHEMA,
    },
    Sealed {
        table: "revisions",
        key: &["ord"],
        columns: "ord, ruleset, digest, version, created_ms, yanked",
        versions: SEALS..=SCHEMA,
    },
    Sealed {
        table: "channels",
        key: &["ruleset", "channel"],
        columns: "ruleset, channel, digest",
        versions: SEALS..=SCHEMA,
    },
    Sealed {
        table: "contents",
        key: &["digest"],
        columns: "digest, content",
        versions: SEALS..=SCHEMA,
    },
];

impl Sealed {
    /// Seals every row anew, whatever it holds.
    pub fn seal_all(&self, connection: &Connection) -> Result<(), rusqlite::Error> {
        let Sealed { table, columns, .. } = self;
        let sql = format!("UPDATE {table} SET seal = seal_of('{table}', {columns})");
        connection.execute(&sql, [])?;
        Ok(())
    }
}

/// Whether a row is the one that was written: the expression of a table, for what reads it.
pub fn is_sealed(table: &str) -> String {
    format!("seal IS seal_of('{table}', {})", columns(table))
}

/// What a seal of a table is of.
pub fn columns(table: &str) -> &'static str {
    let sealed = sealed_in(SCHEMA).find(|sealed| sealed.table == table);
    sealed.map_or("", |sealed| sealed.columns)
}

/// The tables of a version whose rows are sealed.
pub fn sealed_in(version: i64) -> impl Iterator<Item = &'static Sealed> {
    let all = SEALED.iter();
    all.filter(move |sealed| sealed.versions.contains(&version))
}
