//! What the server does for each statement on the way of a move, as it tells it itself: for tests, and for operators who wonder.

use deadpool_postgres::Object;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::values::{EXPLAIN, get, key};
use super::{append, matches, people};
use crate::seals::Seals;
use crate::{Append, Hash, Principal, StoreError};

/// A statement on the way of a move, and what was done for it: a line for each node of its plan.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What it is for.
    pub what: &'static str,
    /// Its plan.
    pub lines: Vec<String>,
}

/// The plans of every statement on the way of a move, by this append, of its match; what they write is written.
///
/// # Errors
///
/// When the server refuses one.
pub async fn plans(
    client: &Object,
    seals: &Seals,
    append: Append,
    token: Hash,
) -> Result<Vec<Plan>, StoreError> {
    let id = append.id.clone();
    let mut plans = Vec::new();
    let of = |what, rows: Vec<Row>| {
        let lines = rows.iter().map(|row| get(row, 0));
        Ok::<_, StoreError>(Plan {
            what,
            lines: lines.collect::<Result<_, _>>()?,
        })
    };
    let asked = append.request.clone();
    let submitted = append::plan(client, seals, append).await?;
    plans.push(of("submit", submitted)?);
    let (principal, request_id) = match asked {
        Some(row) => (row.principal, row.request_id),
        None => (Principal(token), String::new()),
    };
    let (id, principal, token) = (key(&id), principal.0.to_vec(), token.to_vec());
    let snapshot = vec![0u8; 8];
    let statements: [(&str, &str, &[&(dyn ToSql + Sync)]); 6] = [
        ("log", matches::READ, &[&id, &0i64, &100i64]),
        ("match", matches::FIND, &[&id]),
        ("request", matches::REQUEST, &[&id, &principal, &request_id]),
        ("token", people::TOKEN_OF, &[&id, &token]),
        ("snapshot kept", matches::PUT_SNAPSHOT, &[&id, &snapshot]),
        ("snapshot", matches::SNAPSHOT, &[&id]),
    ];
    for (what, statement, values) in statements {
        let explain = format!("{EXPLAIN} {statement}");
        plans.push(of(what, client.query(&explain, values).await?)?);
    }
    Ok(plans)
}
