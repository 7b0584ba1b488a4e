//! Tokens, revisions, channels and owners in SQLite: what is not part of any match.

use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::super::{
    Change, ChannelRow, Grant, Hash, ListedRevision, ListedToken, MatchId, OwnerRow, RevisionRow,
    STABLE, StoreError, TokenRow,
};
use super::seals::{columns, is_sealed};
use super::values::{sealed, unsigned};

/// Kinds of token as they are kept.
const HOST: i64 = 1;
const SEAT: i64 = 2;
const SPECTATOR: i64 = 3;
const PUBLISHER: i64 = 4;
const ADMIN: i64 = 5;
const CREATOR: i64 = 6;
const PLAYER: i64 = 7;

/// Makes a token valid; does nothing if it is known.
pub fn grant(connection: &Connection, token: &TokenRow) -> Result<(), StoreError> {
    let (kind, id, seat) = match &token.grant {
        Grant::Host => (HOST, None, None),
        Grant::Seat { id, seat } => (SEAT, Some(id.as_str()), Some(i64::from(*seat))),
        Grant::Spectator { id } => (SPECTATOR, Some(id.as_str()), None),
        Grant::Publisher => (PUBLISHER, None, None),
        Grant::Admin => (ADMIN, None, None),
        Grant::Creator => (CREATOR, None, None),
        Grant::Player => (PLAYER, None, None),
    };
    let made = connection
        .prepare_cached(
            "INSERT OR IGNORE INTO tokens (hash, kind, match, seat, label, created_ms, expires_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![
            token.hash,
            kind,
            id,
            seat,
            token.label,
            token.created_ms,
            token.expires_ms
        ])?;
    seal_made(connection, "tokens", made)
}

/// Seals a row that was made just now and has a place of its own, which nobody knew before.
fn seal_made(connection: &Connection, table: &str, made: usize) -> Result<(), StoreError> {
    if made > 0 {
        let columns = columns(table);
        let sql = format!("UPDATE {table} SET seal = seal_of('{table}', {columns}) WHERE ord = ?1");
        let place = connection.last_insert_rowid();
        connection.prepare_cached(&sql)?.execute([place])?;
    }
    Ok(())
}

/// Revokes tokens, and counts that something was revoked.
pub fn revoke(
    connection: &Connection,
    which: &str,
    values: impl rusqlite::Params,
) -> Result<(), StoreError> {
    let sql = format!(
        "UPDATE tokens SET revoked = 1,
         seal = seal_of('tokens', ord, hash, kind, match, seat, label, created_ms, expires_ms, 1)
         WHERE {which}"
    );
    connection.prepare_cached(&sql)?.execute(values)?;
    count(connection, REVOCATIONS)
}

/// How often something was revoked, as `meta` calls it.
pub const REVOCATIONS: &str = "revocations";

/// Counts something in `meta`.
pub fn count(connection: &Connection, what: &str) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "INSERT INTO meta (key, value, seal) VALUES (?1, 1, seal_of('meta', ?1, 1))
             ON CONFLICT (key) DO UPDATE
             SET value = value + 1, seal = seal_of('meta', key, value + 1)",
        )?
        .execute([what])?;
    Ok(())
}

/// What a row says, before it is known to make sense.
struct Raw {
    order: i64,
    hash: Hash,
    kind: i64,
    id: Option<String>,
    seat: Option<i64>,
    label: String,
    created_ms: i64,
    expires_ms: Option<i64>,
    revoked: bool,
}

impl Raw {
    fn of(row: &Row<'_>) -> Result<Raw, rusqlite::Error> {
        Ok(Raw {
            order: row.get(0)?,
            hash: row.get(1)?,
            kind: row.get(2)?,
            id: row.get(3)?,
            seat: row.get(4)?,
            label: row.get(5)?,
            created_ms: row.get(6)?,
            expires_ms: row.get(7)?,
            revoked: row.get(8)?,
        })
    }

    fn read(self) -> Result<ListedToken, StoreError> {
        let damaged = || StoreError::Damaged("a token opens nothing that there is".into());
        let id = || {
            let id = self.id.as_deref().and_then(MatchId::parse);
            id.ok_or_else(damaged)
        };
        let grant = match self.kind {
            HOST => Grant::Host,
            SEAT => Grant::Seat {
                id: id()?,
                seat: self
                    .seat
                    .and_then(|seat| u8::try_from(seat).ok())
                    .ok_or_else(damaged)?,
            },
            SPECTATOR => Grant::Spectator { id: id()? },
            PUBLISHER => Grant::Publisher,
            ADMIN => Grant::Admin,
            CREATOR => Grant::Creator,
            PLAYER => Grant::Player,
            _ => return Err(damaged()),
        };
        Ok(ListedToken {
            order: unsigned(self.order)?,
            row: TokenRow {
                hash: self.hash,
                grant,
                label: self.label,
                created_ms: self.created_ms,
                expires_ms: self.expires_ms,
            },
            revoked: self.revoked,
        })
    }
}

/// A token that was granted and not revoked.
pub fn token(connection: &Connection, hash: &Hash) -> Result<Option<TokenRow>, StoreError> {
    let select = format!(
        "SELECT ord, hash, kind, match, seat, label, created_ms, expires_ms, revoked, {}
         FROM tokens WHERE hash = ?1",
        is_sealed("tokens")
    );
    let found = connection
        .prepare_cached(&select)?
        .query_row([hash], |row| Ok((Raw::of(row)?, row.get(9)?)))
        .optional()?;
    let found = found.map(|row| sealed("tokens", row)).transpose()?;
    let found = found.map(Raw::read).transpose()?;
    Ok(found.filter(|token| !token.revoked).map(|token| token.row))
}

/// Every token that is so, in the order of making.
pub fn listed(
    connection: &Connection,
    which: &str,
    values: impl rusqlite::Params,
) -> Result<Vec<ListedToken>, StoreError> {
    let select = format!(
        "SELECT ord, hash, kind, match, seat, label, created_ms, expires_ms, revoked, {}
         FROM tokens WHERE {which} ORDER BY ord",
        is_sealed("tokens")
    );
    let mut statement = connection.prepare_cached(&select)?;
    let rows = statement.query_map(values, |row| Ok((Raw::of(row)?, row.get(9)?)))?;
    rows.map(|row| sealed("tokens", row?)?.read()).collect()
}

/// The token by which a player holds a seat of a match.
pub fn held_in(
    connection: &Connection,
    holder: &str,
    id: &MatchId,
) -> Result<Option<TokenRow>, StoreError> {
    let select = format!(
        "SELECT ord, hash, kind, match, seat, label, created_ms, expires_ms, revoked, {}
         FROM tokens WHERE match = ?1 AND kind = ?2 AND label = ?3 AND revoked = 0 ORDER BY ord LIMIT 1",
        is_sealed("tokens")
    );
    let found = connection
        .prepare_cached(&select)?
        .query_row(params![id.as_str(), SEAT, holder], |row| {
            Ok((Raw::of(row)?, row.get(9)?))
        })
        .optional()?;
    let found = found.map(|row| sealed("tokens", row)).transpose()?;
    Ok(found.map(Raw::read).transpose()?.map(|token| token.row))
}

/// Tokens of hosts, publishers and administrators, newest first.
pub fn tokens(
    connection: &Connection,
    before: i64,
    limit: i64,
) -> Result<Vec<ListedToken>, StoreError> {
    let select = "SELECT ord, hash, kind, match, seat, label, created_ms, expires_ms, revoked
                  FROM tokens WHERE match IS NULL AND ord < ?1 ORDER BY ord DESC LIMIT ?2";
    let mut statement = connection.prepare_cached(select)?;
    let rows = statement.query_map([before, limit], Raw::of)?;
    rows.map(|row| row?.read()).collect()
}

/// Makes a change outside of any match.
pub fn settle(connection: &Connection, change: &Change) -> Result<(), StoreError> {
    match change {
        Change::Grant(row) => grant(connection, row),
        Change::Revoke(hash) => revoke(connection, "hash = ?1", [hash]),
        Change::Point {
            revision,
            channel,
            owner,
        } => {
            offer(connection, revision)?;
            if let Some(owner) = owner {
                connection.execute(
                    "INSERT OR IGNORE INTO owners (ruleset, owner, seal) VALUES (?1, ?2, seal_of('owners', ?1, ?2))",
                    params![revision.ruleset, owner],
                )?;
            }
            connection.execute(
                "INSERT OR REPLACE INTO channels (ruleset, channel, digest, seal)
                 VALUES (?1, ?2, ?3, seal_of('channels', ?1, ?2, ?3))",
                params![revision.ruleset, channel, revision.digest],
            )?;
            Ok(())
        }
        Change::RemoveChannel { ruleset, channel } => {
            connection.execute(
                "DELETE FROM channels WHERE ruleset = ?1 AND channel = ?2",
                params![ruleset, channel],
            )?;
            Ok(())
        }
        Change::Yank { revision, reason } => {
            offer(connection, revision)?;
            connection.execute(
                "UPDATE revisions SET yanked = ?3,
                 seal = seal_of('revisions', ord, ruleset, digest, version, created_ms, ?3)
                 WHERE ruleset = ?1 AND digest = ?2",
                params![revision.ruleset, revision.digest, reason],
            )?;
            if reason.is_some() {
                connection.execute(
                    "DELETE FROM channels WHERE ruleset = ?1 AND digest = ?2 AND channel <> ?3",
                    params![revision.ruleset, revision.digest, STABLE],
                )?;
            }
            Ok(())
        }
        Change::Own(row) => {
            connection.execute(
                "INSERT OR REPLACE INTO owners (ruleset, owner, seal) VALUES (?1, ?2, seal_of('owners', ?1, ?2))",
                params![row.ruleset, row.owner],
            )?;
            Ok(())
        }
    }
}

/// Who owns which ruleset.
pub fn owners(connection: &Connection) -> Result<Vec<OwnerRow>, StoreError> {
    let select = format!(
        "SELECT ruleset, owner, {} FROM owners ORDER BY ruleset",
        is_sealed("owners")
    );
    let mut statement = connection.prepare_cached(&select)?;
    let rows = statement.query_map([], |row| {
        let (ruleset, owner) = (row.get(0)?, row.get(1)?);
        Ok((OwnerRow { ruleset, owner }, row.get(2)?))
    })?;
    rows.map(|row| sealed("owners", row?)).collect()
}

/// Remembers a revision; does nothing if it is known.
pub fn offer(connection: &Connection, row: &RevisionRow) -> Result<(), StoreError> {
    let made = connection
        .prepare_cached(
            "INSERT OR IGNORE INTO revisions (ruleset, digest, version, created_ms)
             VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute(params![
            row.ruleset,
            row.digest,
            row.version,
            row.created_ms
        ])?;
    seal_made(connection, "revisions", made)
}

/// Whether a ruleset was ever offered with these texts.
pub fn offered(connection: &Connection, ruleset: &str, digest: &Hash) -> Result<bool, StoreError> {
    let select = format!(
        "SELECT {} FROM revisions WHERE ruleset = ?1 AND digest = ?2",
        is_sealed("revisions")
    );
    let found = connection
        .prepare_cached(&select)?
        .query_row(params![ruleset, digest], |row| row.get(0))
        .optional()?;
    match found {
        Some(good) => sealed("revisions", (true, good)),
        None => Ok(false),
    }
}

/// A revision as it is kept: its place, and why it is yanked.
type Kept = (i64, RevisionRow, Option<String>);

fn revision(row: &Row<'_>) -> Result<Kept, rusqlite::Error> {
    let revision = RevisionRow {
        ruleset: row.get(1)?,
        digest: row.get(2)?,
        version: row.get(3)?,
        created_ms: row.get(4)?,
    };
    Ok((row.get(0)?, revision, row.get(5)?))
}

const REVISION: &str = "SELECT ord, ruleset, digest, version, created_ms, yanked FROM revisions";

/// Revisions of a ruleset, newest first.
pub fn revisions(
    connection: &Connection,
    ruleset: &str,
    before: i64,
    limit: i64,
) -> Result<Vec<ListedRevision>, StoreError> {
    let which = "ruleset = ?1 AND ord < ?2 ORDER BY ord DESC LIMIT ?3";
    revisions_where(connection, which, params![ruleset, before, limit])
}

/// Every revision that is so.
pub fn revisions_where(
    connection: &Connection,
    which: &str,
    values: impl rusqlite::Params,
) -> Result<Vec<ListedRevision>, StoreError> {
    let mut statement = connection.prepare_cached(&format!("{REVISION} WHERE {which}"))?;
    let rows = statement.query_map(values, revision)?;
    rows.map(|row| {
        let (order, row, yanked) = row?;
        Ok(ListedRevision {
            order: unsigned(order)?,
            row,
            yanked,
        })
    })
    .collect()
}

/// Every channel of every ruleset.
pub fn channels(connection: &Connection) -> Result<Vec<ChannelRow>, StoreError> {
    let select = format!(
        "SELECT ruleset, channel, digest, {} FROM channels ORDER BY ruleset, channel",
        is_sealed("channels")
    );
    let mut statement = connection.prepare_cached(&select)?;
    let rows = statement.query_map([], |row| {
        let channel = ChannelRow {
            ruleset: row.get(0)?,
            channel: row.get(1)?,
            digest: row.get(2)?,
        };
        Ok((channel, row.get(3)?))
    })?;
    rows.map(|row| sealed("channels", row?)).collect()
}

/// Every revision that is yanked.
pub fn yanked(connection: &Connection) -> Result<Vec<RevisionRow>, StoreError> {
    let select = format!(
        "SELECT ord, ruleset, digest, version, created_ms, yanked, {}
         FROM revisions WHERE yanked IS NOT NULL ORDER BY ord",
        is_sealed("revisions")
    );
    let mut statement = connection.prepare_cached(&select)?;
    let rows = statement.query_map([], |row| Ok((revision(row)?.1, row.get(6)?)))?;
    rows.map(|row| sealed("revisions", row?)).collect()
}
