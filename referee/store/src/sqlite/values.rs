//! Values of rows: numbers as SQLite has them, rows that are believed, and what goes wrong with both.

use crate::StoreError;

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        StoreError::Engine(error.to_string())
    }
}

/// Numbers of SQLite are signed; ours are not, and never large.
pub(super) fn signed(number: u64) -> Result<i64, StoreError> {
    i64::try_from(number).map_err(|_| StoreError::Engine("a number is too large".into()))
}

pub(super) fn unsigned(number: i64) -> Result<u64, StoreError> {
    u64::try_from(number).map_err(|_| StoreError::Damaged("a number is negative".into()))
}

/// A row if it is the one that was written.
pub(super) fn sealed<T>(table: &str, (row, good): (T, bool)) -> Result<T, StoreError> {
    good.then_some(row).ok_or_else(|| {
        StoreError::Damaged(format!(
            "a row of table {table} is not what was written; `referee store check` tells which"
        ))
    })
}
