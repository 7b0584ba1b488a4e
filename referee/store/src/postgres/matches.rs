//! Matches, their logs and what lies beside them, as they are read.

use deadpool_postgres::Object;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::append::{begun_seal, match_seal};
use super::values::{
    NO_MATCH, before, get, hash, key, match_of, most, request_seal, sealed, signed, some_hash,
    state, state_number, unsigned,
};
use crate::seals::Seals;
use crate::{
    HeldRow, Kept, MatchId, MatchRow, MatchState, NAME_SALT, NameRow, NewMatch, Principal,
    RequestRow, StoreError, StoredEntry,
};

/// Entries of a log.
pub const READ: &str = "SELECT sequence, body, chain FROM entries
    WHERE match = $1 AND sequence >= $2 ORDER BY sequence LIMIT $3";

/// Reads a log.
pub async fn read(
    client: &Object,
    id: &MatchId,
    from: u64,
    limit: usize,
) -> Result<Vec<StoredEntry>, StoreError> {
    let sql = client.prepare_cached(READ).await?;
    let rows = client
        .query(&sql, &[&key(id), &signed(from)?, &most(limit)])
        .await?;
    let entry = |row: Row| {
        Ok(StoredEntry {
            sequence: unsigned(get(&row, 0)?)?,
            body: get(&row, 1)?,
            chain: hash(&row, 2)?,
        })
    };
    rows.into_iter().map(entry).collect()
}

/// What players of a match are called.
pub async fn names(
    client: &Object,
    seals: &Seals,
    id: &MatchId,
) -> Result<Vec<NameRow>, StoreError> {
    let sql = "SELECT digest, salt, name, seal FROM names WHERE match = $1 ORDER BY digest";
    let sql = client.prepare_cached(sql).await?;
    let mut names = Vec::new();
    for row in client.query(&sql, &[&key(id)]).await? {
        let salt: &[u8] = get(&row, 1)?;
        let salt: [u8; NAME_SALT] = salt
            .try_into()
            .map_err(|_| StoreError::Damaged("a salt has another length".into()))?;
        let name = NameRow {
            digest: hash(&row, 0)?,
            salt,
            name: get(&row, 2)?,
        };
        let seal = super::append::name_seal(seals, key(id), &name.digest, &salt, &name.name);
        names.push(sealed("names", name, get(&row, 3)?, seal)?);
    }
    Ok(names)
}

/// What is kept of a match beside its log.
pub const FIND: &str =
    "SELECT host, ruleset, created_ms, begun_seal, state, length, chain, due_ms, open, seal
    FROM matches WHERE id = $1";

/// What is kept of a match beside its log.
pub async fn find(
    client: &Object,
    seals: &Seals,
    id: &MatchId,
) -> Result<Option<Kept>, StoreError> {
    let sql = client.prepare_cached(FIND).await?;
    let Some(row) = client.query_opt(&sql, &[&key(id)]).await? else {
        return Ok(None);
    };
    let kept = Kept {
        new: NewMatch {
            host: Principal(hash(&row, 0)?),
            ruleset: get(&row, 1)?,
            created_ms: get(&row, 2)?,
        },
        state: state(get(&row, 4)?)?,
        length: unsigned(get(&row, 5)?)?,
        chain: hash(&row, 6)?,
    };
    let new = &kept.new;
    let seal = begun_seal(seals, key(id), &new.host.0, &new.ruleset, new.created_ms);
    sealed("matches", (), get(&row, 3)?, seal)?;
    let seal = match_seal(
        seals,
        key(id),
        (get(&row, 4)?, get(&row, 5)?, &kept.chain),
        (get(&row, 7)?, get(&row, 8)?),
    );
    sealed("matches", kept, get(&row, 9)?, seal).map(Some)
}

/// How a request was answered.
pub const REQUEST: &str = "SELECT digest, receipt, seal FROM requests
    WHERE match = $1 AND principal = $2 AND request_id = $3";

/// How a request was answered, in a match or outside of any.
pub async fn request(
    client: &Object,
    seals: &Seals,
    of: Option<&MatchId>,
    principal: Principal,
    request_id: &str,
) -> Result<Option<RequestRow>, StoreError> {
    let of = of.map_or(NO_MATCH, key);
    let sql = client.prepare_cached(REQUEST).await?;
    let row = client
        .query_opt(&sql, &[&of, &&principal.0[..], &request_id])
        .await?;
    let Some(row) = row else { return Ok(None) };
    let request = RequestRow {
        principal,
        request_id: request_id.to_owned(),
        digest: hash(&row, 0)?,
        receipt: get(&row, 1)?,
    };
    let seal = request_seal(seals, of, &request);
    sealed("requests", request, get(&row, 2)?, seal).map(Some)
}

const MATCH: &str = "m.ord, m.id, m.ruleset, m.created_ms, m.state, m.content, m.host";

fn match_row(row: &Row) -> Result<MatchRow, StoreError> {
    Ok(MatchRow {
        order: unsigned(get(row, 0)?)?,
        id: match_of(get(row, 1)?),
        ruleset: get(row, 2)?,
        created_ms: get(row, 3)?,
        state: state(get(row, 4)?)?,
        content: some_hash(row, 5)?,
        host: Principal(hash(row, 6)?),
    })
}

/// Which matches are listed, with values of its own.
#[derive(Clone, Debug, Default)]
pub struct Listed {
    /// Those of this host.
    pub host: Option<Principal>,
    /// Those that are so far.
    pub state: Option<MatchState>,
    /// Those in which a player is called so.
    pub player: Option<String>,
    /// Those that are listed for everybody.
    pub open: bool,
    /// Those that are over, and of which requests or a snapshot are kept.
    pub remembered: bool,
}

/// Lists matches, newest first, older than a place; or oldest first, after a place.
pub async fn list(
    client: &Object,
    wanted: Listed,
    (newest_first, place): (bool, i64),
    limit: usize,
) -> Result<Vec<MatchRow>, StoreError> {
    let limit = most(limit);
    let host = wanted.host.map(|host| host.0.to_vec());
    let state = wanted.state.map(state_number);
    let (beyond, order) = if newest_first {
        ("<", "DESC")
    } else {
        (">", "ASC")
    };
    let mut sql = format!("SELECT {MATCH} FROM matches m WHERE m.ord {beyond} $1");
    let mut values: Vec<&(dyn ToSql + Sync)> = vec![&place, &limit];
    // Only what is asked for stands in the statement: each has an index of its own.
    let mut only = |condition: &str, value| {
        values.push(value);
        sql += &format!(" AND {condition}").replace('?', &format!("${}", values.len()));
    };
    if let Some(host) = &host {
        only("m.host = ?", host);
    }
    if let Some(state) = &state {
        only("m.state = ?", state);
    }
    if let Some(player) = &wanted.player {
        only("m.id IN (SELECT match FROM names WHERE name = ?)", player);
    }
    if wanted.open {
        sql += " AND m.open";
    }
    if wanted.remembered {
        sql += " AND (EXISTS (SELECT FROM requests r WHERE r.match = m.id AND NOT r.lasting)
                      OR EXISTS (SELECT FROM snapshots s WHERE s.match = m.id))";
    }
    sql += &format!(" ORDER BY m.ord {order} LIMIT $2");
    let statement = client.prepare_cached(&sql).await?;
    let rows = client.query(&statement, &values).await?;
    rows.iter().map(match_row).collect()
}

/// Lists matches in which a player holds a seat, the latest seat first.
pub async fn held(
    client: &Object,
    holder: String,
    of: Option<MatchState>,
    older: Option<u64>,
    limit: usize,
) -> Result<Vec<HeldRow>, StoreError> {
    let sql = format!(
        "SELECT {MATCH}, t.ord, t.seat FROM tokens t JOIN matches m ON m.id = t.match
         WHERE t.label = $1 AND t.label <> '' AND t.seat IS NOT NULL AND NOT t.revoked AND t.ord < $2
         AND ($4::smallint IS NULL OR m.state = $4) ORDER BY t.ord DESC LIMIT $3"
    );
    let sql = client.prepare_cached(&sql).await?;
    let of = of.map(state_number);
    let rows = client
        .query(&sql, &[&holder, &before(older)?, &most(limit), &of])
        .await?;
    let held = |row: Row| {
        let seat: i16 = get(&row, 8)?;
        Ok(HeldRow {
            order: unsigned(get(&row, 7)?)?,
            seat: u8::try_from(seat).unwrap_or(u8::MAX),
            row: match_row(&row)?,
        })
    };
    rows.into_iter().map(held).collect()
}

/// How many entries the logs of matches have.
pub async fn lengths(
    client: &Object,
    ids: Vec<MatchId>,
) -> Result<Vec<(MatchId, u64)>, StoreError> {
    let ids: Vec<Uuid> = ids.iter().map(key).collect();
    let sql = client
        .prepare_cached("SELECT id, length FROM matches WHERE id = ANY($1)")
        .await?;
    let rows = client.query(&sql, &[&ids]).await?;
    let length = |row: Row| Ok((match_of(get(&row, 0)?), unsigned(get(&row, 1)?)?));
    rows.into_iter().map(length).collect()
}

/// Keeps a snapshot in the place of an earlier one. It may be lost: nobody waits for a disk.
pub const PUT_SNAPSHOT: &str = "INSERT INTO snapshots (match, body)
    SELECT m.id, $2 FROM matches m WHERE m.id = $1 ON CONFLICT (match) DO UPDATE SET body = excluded.body";

/// The snapshot of a match.
pub const SNAPSHOT: &str = "SELECT body FROM snapshots WHERE match = $1";
