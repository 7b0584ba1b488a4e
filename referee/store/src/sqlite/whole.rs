//! All of a store in SQLite, to be copied, and what only copying writes.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::seals::is_sealed;
use super::tokens::{listed, revisions_where};
use super::values::sealed;
use super::{NO_MATCH, Sqlite, keep_request, notices, outages};
use crate::copy::{Answered, Beside, Outside, Whole};
use crate::{Hash, MatchId, Outage, Principal, RequestRow, StoreError};

/// Answers to requests of a match, or of none.
fn answered(connection: &Connection, within: i64) -> Result<Vec<RequestRow>, StoreError> {
    let select = format!(
        "SELECT principal, request_id, digest, receipt, {} FROM requests
         WHERE match = ?1 ORDER BY principal, request_id",
        is_sealed("requests")
    );
    let mut statement = connection.prepare_cached(&select)?;
    let rows = statement.query_map([within], |row| {
        let request = RequestRow {
            principal: Principal(row.get(0)?),
            request_id: row.get(1)?,
            digest: row.get(2)?,
            receipt: row.get(3)?,
        };
        Ok((request, row.get(4)?))
    })?;
    rows.map(|row| sealed("requests", row?)).collect()
}

/// The place of a match; that of none if there is no such match.
fn place(connection: &Connection, id: &MatchId) -> Result<i64, StoreError> {
    let place = connection
        .prepare_cached("SELECT ord FROM matches WHERE id = ?1")?
        .query_row([id.as_str()], |row| row.get(0))
        .optional()?;
    Ok(place.unwrap_or(NO_MATCH))
}

impl Whole for Sqlite {
    fn beside(&self, id: &MatchId) -> Result<Beside, StoreError> {
        let reader = self.reader();
        let (ord, due_ms, open) = reader
            .prepare_cached("SELECT ord, due_ms, open FROM matches WHERE id = ?1")?
            .query_row([id.as_str()], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })?;
        let answered = answered(&reader, ord)?;
        let within = |row| Answered {
            row,
            lasting: false,
        };
        Ok(Beside {
            due_ms,
            open,
            answered: answered.into_iter().map(within).collect(),
            tokens: listed(&reader, "match = ?1", [id.as_str()])?,
            notices: notices::of(&reader, id)?,
        })
    }

    fn outside(&self) -> Result<Outside, StoreError> {
        let reader = self.reader();
        let select = format!(
            "SELECT key, value, {} FROM learned ORDER BY key",
            is_sealed("learned")
        );
        let mut statement = reader.prepare_cached(&select)?;
        let learned =
            statement.query_map([], |row| Ok(((row.get(0)?, row.get(1)?), row.get(2)?)))?;
        let learned: Result<_, StoreError> = learned.map(|row| sealed("learned", row?)).collect();
        let mut statement = reader.prepare_cached("SELECT digest FROM contents ORDER BY digest")?;
        let contents = statement.query_map([], |row| row.get(0))?;
        Ok(Outside {
            alive_ms: outages::alive_ms(&reader)?,
            answered: answered(&reader, NO_MATCH)?,
            tokens: listed(&reader, "match IS NULL", [])?,
            revisions: revisions_where(&reader, "true ORDER BY ord", [])?,
            learned: learned?,
            contents: contents.collect::<Result<Vec<Hash>, _>>()?,
        })
    }

    fn remember(&self, answered: &[(Option<MatchId>, Answered)]) -> Result<(), StoreError> {
        self.transaction(|transaction| {
            for (of, Answered { row, lasting }) in answered {
                let within = match of {
                    Some(id) if !lasting => place(transaction, id)?,
                    _ => NO_MATCH,
                };
                let known = transaction
                    .prepare_cached(
                        "SELECT 1 FROM requests WHERE match = ?1 AND principal = ?2 AND request_id = ?3",
                    )?
                    .exists(params![within, row.principal.0, row.request_id])?;
                if !known {
                    keep_request(transaction, within, row)?;
                }
            }
            Ok(())
        })
    }

    fn remember_outages(
        &self,
        outages: &[Outage],
        alive_ms: Option<i64>,
    ) -> Result<(), StoreError> {
        self.transaction(|transaction| outages::remember(transaction, outages, alive_ms))
    }
}
