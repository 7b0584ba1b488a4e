//! Whether a file is what was written to it: what of a store does not belong to one match.
//!
//! Statements are short, each a transaction of its own, so that a referee that serves from the file meanwhile can empty
//! its write-ahead log.

use std::cmp::Ordering;

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::seals::{Sealed, sealed_in};
use super::{Seals, Sqlite, StoreError, schema};

/// Rows that are compared in one transaction.
const PAGE: usize = 2048;

/// Findings of one kind that are told: a damaged page damages many rows.
const TOLD: usize = 20;

impl Sqlite {
    /// Looks for damage in everything that is not the log of a match: the tables themselves, their indexes, and the seal
    /// of every row. Tells each finding, and goes on.
    pub fn inspect(&self, mut found: impl FnMut(String)) {
        let reader = self.reader();
        if let Err(error) = self.structure(&reader, &mut found) {
            found(format!("it cannot be read: {error}"));
        }
        if !self.has_seals() {
            return;
        }
        for sealed in sealed_in(self.version) {
            if let Err(error) = rows(&reader, sealed, &mut found) {
                found(format!("table {} cannot be read: {error}", sealed.table));
            }
        }
    }

    /// What SQLite itself finds, and whether the tables are those that this version makes.
    fn structure(
        &self,
        reader: &Connection,
        found: &mut impl FnMut(String),
    ) -> Result<(), StoreError> {
        let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
        let tables: Vec<String> = strings(reader, tables)?;
        for table in tables.iter().map(String::as_str).chain(["sqlite_schema"]) {
            let quoted = table.replace('"', "\"\"");
            let checked = strings(reader, &format!("PRAGMA integrity_check(\"{quoted}\")"));
            match checked {
                Ok(said) => said
                    .iter()
                    .filter(|said| *said != "ok")
                    .take(TOLD)
                    .for_each(|said| found(format!("table {table}: {said}"))),
                Err(error) => found(format!("table {table}: {error}")),
            }
        }
        for said in strings(
            reader,
            "SELECT 'a row of ' || \"table\" || ' belongs to no row of ' || parent
             FROM pragma_foreign_key_check GROUP BY \"table\", parent",
        )? {
            found(said);
        }
        if self.version == schema::SCHEMA {
            let described = "SELECT type || ' ' || name || ' on ' || tbl_name || ': ' || ifnull(sql, 'its own')
                             FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_stat%' ESCAPE '\\' ORDER BY 1";
            let mut ours = Connection::open_in_memory()?;
            // Of which key is all the same: there is nothing to be sealed.
            Seals::of_nobody().teach(&ours)?;
            schema::advance(&mut ours, 0, schema::SCHEMA)?;
            if strings(&ours, described)? != strings(reader, described)? {
                found("its tables are not those that this referee makes".into());
            }
        }
        Ok(())
    }
}

/// Compares the seal of every row of a table.
fn rows(
    reader: &Connection,
    sealed: &Sealed,
    found: &mut impl FnMut(String),
) -> Result<(), StoreError> {
    let Sealed {
        table,
        key,
        columns,
        ..
    } = sealed;
    let keys = key.join(", ");
    let wanted: Vec<String> = (1..=key.len()).map(|place| format!("?{place}")).collect();
    let wanted = wanted.join(", ");
    let select = |rest: &str| {
        format!(
            "SELECT {keys}, seal IS seal_of('{table}', {columns}) FROM {table} {rest} ORDER BY {keys} LIMIT {PAGE}"
        )
    };
    let first = select("");
    let next = select(&format!("WHERE ({keys}) > ({wanted})"));
    let mut after: Vec<Value> = Vec::new();
    let mut told = 0;
    loop {
        let mut statement = reader.prepare_cached(if after.is_empty() { &first } else { &next })?;
        let mut rows = statement.query(params_from_iter(&after))?;
        let (mut read, mut last) = (0, Vec::new());
        while let Some(row) = rows.next()? {
            read += 1;
            last = (0..key.len())
                .map(|place| row.get(place))
                .collect::<Result<Vec<Value>, _>>()?;
            let good: bool = row.get(key.len())?;
            if !good {
                told += 1;
                if told <= TOLD {
                    let row: Vec<String> = key.iter().zip(&last).map(named).collect();
                    let row = row.join(", ");
                    found(format!(
                        "table {table}: the row with {row} is not what was written"
                    ));
                }
            }
        }
        if read < PAGE {
            break;
        }
        if !after.is_empty() && !comes_after(&last, &after) {
            found(format!("table {table}: its rows are not in their order"));
            break;
        }
        after = last;
    }
    if told > TOLD {
        found(format!(
            "table {table}: {} more rows are not what was written",
            told - TOLD
        ));
    }
    Ok(())
}

/// Whether a key comes after another one in the order of its table.
fn comes_after(one: &[Value], other: &[Value]) -> bool {
    let order = one.iter().zip(other).map(|pair| match pair {
        (Value::Integer(one), Value::Integer(other)) => one.cmp(other),
        (Value::Text(one), Value::Text(other)) => one.as_bytes().cmp(other.as_bytes()),
        (Value::Blob(one), Value::Blob(other)) => one.cmp(other),
        // No column of a key holds values of two types.
        _ => Ordering::Less,
    });
    order.reduce(Ordering::then) == Some(Ordering::Greater)
}

/// A value of a key, as far as it can be told: digests by their first bytes.
fn named((column, value): (&&str, &Value)) -> String {
    match value {
        Value::Null => format!("{column} null"),
        Value::Integer(number) => format!("{column} {number}"),
        Value::Real(number) => format!("{column} {number}"),
        Value::Text(text) => format!("{column} `{}`", text.escape_debug()),
        Value::Blob(bytes) => {
            let first: String = bytes.iter().take(8).map(|b| format!("{b:02x}")).collect();
            format!("{column} {first}…")
        }
    }
}

fn strings(connection: &Connection, sql: &str) -> Result<Vec<String>, StoreError> {
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
