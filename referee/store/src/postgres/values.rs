//! Values of rows: ids, numbers and seals as PostgreSQL has them.

use tokio_postgres::Row;
use tokio_postgres::types::FromSql;
use uuid::Uuid;

use crate::seals::{SEAL, Seals, Value};
use crate::{
    Grant, Hash, ListedToken, MatchId, MatchState, NoticeRow, RequestRow, StoreError, TokenRow,
};

/// What stands in the place of a match where there is none.
pub const NO_MATCH: Uuid = Uuid::nil();

/// Does a statement, and tells how.
pub const EXPLAIN: &str = "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF)";

/// A match's id as its tables have it.
pub fn key(id: &MatchId) -> Uuid {
    Uuid::from_bytes(id.bytes())
}

/// The match of such an id.
pub fn match_of(key: Uuid) -> MatchId {
    MatchId::of_bytes(key.into_bytes())
}

/// A value of a row.
pub fn get<'a, T: FromSql<'a>>(row: &'a Row, place: usize) -> Result<T, StoreError> {
    Ok(row.try_get(place)?)
}

/// Numbers of PostgreSQL are signed; ours are not, and never large.
pub fn signed(number: u64) -> Result<i64, StoreError> {
    i64::try_from(number).map_err(|_| StoreError::Engine("a number is too large".into()))
}

/// The other way round.
pub fn unsigned(number: i64) -> Result<u64, StoreError> {
    u64::try_from(number).map_err(|_| StoreError::Damaged("a number is negative".into()))
}

/// At most so many rows.
pub fn most(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// Older than this place.
pub fn before(place: Option<u64>) -> Result<i64, StoreError> {
    place.map_or(Ok(i64::MAX), signed)
}

/// A digest or hash of 32 bytes.
pub fn hash(row: &Row, place: usize) -> Result<Hash, StoreError> {
    let bytes: &[u8] = get(row, place)?;
    Hash::try_from(bytes).map_err(|_| StoreError::Damaged("a digest has not 32 bytes".into()))
}

/// The same, where there may be none.
pub fn some_hash(row: &Row, place: usize) -> Result<Option<Hash>, StoreError> {
    let bytes: Option<&[u8]> = get(row, place)?;
    let read = |bytes| {
        Hash::try_from(bytes).map_err(|_| StoreError::Damaged("a digest has not 32 bytes".into()))
    };
    bytes.map(read).transpose()
}

/// How far a match is.
pub fn state(number: i16) -> Result<MatchState, StoreError> {
    MatchState::from_number(i64::from(number))
        .ok_or_else(|| StoreError::Damaged(format!("there is no match state {number}")))
}

/// How far a match is, as it is kept.
pub fn state_number(state: MatchState) -> i16 {
    i16::from(state.tag())
}

/// Kinds of token as they are kept; the match and the seat that they are of.
pub fn kind(grant: &Grant) -> (i16, Uuid, Option<i16>) {
    match grant {
        Grant::Host => (1, NO_MATCH, None),
        Grant::Seat { id, seat } => (2, key(id), Some(i16::from(*seat))),
        Grant::Spectator { id } => (3, key(id), None),
        Grant::Publisher => (4, NO_MATCH, None),
        Grant::Admin => (5, NO_MATCH, None),
        Grant::Creator => (6, NO_MATCH, None),
        Grant::Player => (7, NO_MATCH, None),
    }
}

fn grant(kind: i16, of: Uuid, seat: Option<i16>) -> Result<Grant, StoreError> {
    let seat = seat.and_then(|seat| u8::try_from(seat).ok());
    Ok(match (kind, seat) {
        (1, _) => Grant::Host,
        (2, Some(seat)) => Grant::Seat {
            id: match_of(of),
            seat,
        },
        (3, _) => Grant::Spectator { id: match_of(of) },
        (4, _) => Grant::Publisher,
        (5, _) => Grant::Admin,
        (6, _) => Grant::Creator,
        (7, _) => Grant::Player,
        _ => {
            return Err(StoreError::Damaged(
                "a token opens nothing that there is".into(),
            ));
        }
    })
}

/// Who says more of a row that is not what was written.
pub const TELLS: &str = "; `referee store check` tells which";

/// A row if it is the one that was written.
pub fn sealed<T>(table: &str, row: T, found: &[u8], seal: [u8; SEAL]) -> Result<T, StoreError> {
    match found == seal {
        true => Ok(row),
        false => Err(StoreError::Damaged(format!(
            "a row of table {table} is not what was written{TELLS}"
        ))),
    }
}

/// Columns of a token, in the order in which they are [read](token).
pub const TOKEN: &str =
    "match, hash, ord, kind, seat, label, created_ms, expires_ms, revoked, seal";

/// A token, if it is the one that was written.
pub fn token(seals: &Seals, row: &Row) -> Result<ListedToken, StoreError> {
    let of: Uuid = get(row, 0)?;
    let token = TokenRow {
        hash: hash(row, 1)?,
        grant: grant(get(row, 3)?, of, get(row, 4)?)?,
        label: get(row, 5)?,
        created_ms: get(row, 6)?,
        expires_ms: get(row, 7)?,
    };
    let revoked = get(row, 8)?;
    let seal = token_seal(seals, &token, revoked);
    let listed = ListedToken {
        order: unsigned(get(row, 2)?)?,
        row: token,
        revoked,
    };
    sealed("tokens", listed, get(row, 9)?, seal)
}

/// The seal of a token.
pub fn token_seal(seals: &Seals, token: &TokenRow, revoked: bool) -> [u8; SEAL] {
    let (kind, of, seat) = kind(&token.grant);
    let number = |number: Option<i64>| number.map_or(Value::Null, Value::Number);
    seals.seal([
        Value::Text(b"tokens"),
        Value::Bytes(of.as_bytes()),
        Value::Bytes(&token.hash),
        Value::Number(i64::from(kind)),
        number(seat.map(i64::from)),
        Value::Text(token.label.as_bytes()),
        Value::Number(token.created_ms),
        number(token.expires_ms),
        Value::Number(i64::from(revoked)),
    ])
}

/// The seal of the answer to a request.
pub fn request_seal(seals: &Seals, of: Uuid, request: &RequestRow) -> [u8; SEAL] {
    seals.seal([
        Value::Text(b"requests"),
        Value::Bytes(of.as_bytes()),
        Value::Bytes(&request.principal.0),
        Value::Text(request.request_id.as_bytes()),
        Value::Bytes(&request.digest),
        Value::Bytes(&request.receipt),
    ])
}

/// The seal of a notice, but for when it is told.
pub fn notice_seal(seals: &Seals, notice: &NoticeRow) -> [u8; SEAL] {
    seals.seal([
        Value::Text(b"notices"),
        Value::Bytes(key(&notice.of).as_bytes()),
        Value::Bytes(&notice.id),
        Value::Text(notice.address.as_bytes()),
        Value::Bytes(&notice.body),
    ])
}

/// The seal of a row of texts and bytes.
pub fn seal_of<'a>(
    seals: &Seals,
    table: &'static str,
    values: impl IntoIterator<Item = Value<'a>>,
) -> [u8; SEAL] {
    seals.seal([Value::Text(table.as_bytes())].into_iter().chain(values))
}
