//! Tokens, revisions, channels and owners: what is not part of any match; notices, and what was learned from other servers.

use deadpool_postgres::{GenericClient, Object};
use tokio_postgres::Row;

use super::append::{REVOCATIONS, count};
use super::values::{
    NO_MATCH, TOKEN, get, hash, key, kind, match_of, notice_seal, seal_of, sealed, token,
    token_seal, unsigned,
};
use crate::seals::{SEAL, Seals, Value};
use crate::{
    Change, ChannelRow, Hash, ListedRevision, ListedToken, MatchId, NoticeRow, OwnerRow,
    RevisionRow, STABLE, StoreError, TokenRow,
};

/// How often something was published, as `meta` calls it.
pub const PUBLICATIONS: &str = "publications";

/// A token by its match, or by none.
pub const TOKEN_OF: &str =
    "SELECT match, hash, ord, kind, seat, label, created_ms, expires_ms, revoked, seal
    FROM tokens WHERE match = $1 AND hash = $2";

/// Makes a token valid; does nothing if it is known.
pub async fn grant(
    client: &impl GenericClient,
    seals: &Seals,
    row: &TokenRow,
) -> Result<(), StoreError> {
    let (kind, of, seat) = kind(&row.grant);
    let seal = token_seal(seals, row, false);
    let insert = "INSERT INTO tokens (match, hash, kind, seat, label, created_ms, expires_ms, seal)
                  VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING";
    client
        .execute(
            insert,
            &[
                &of,
                &&row.hash[..],
                &kind,
                &seat,
                &row.label,
                &row.created_ms,
                &row.expires_ms,
                &&seal[..],
            ],
        )
        .await?;
    Ok(())
}

/// A token that was granted and not revoked. Those that do not tell their match are looked for among those of people, and then
/// everywhere.
pub async fn find(
    client: &Object,
    seals: &Seals,
    wanted: Hash,
    of: Option<MatchId>,
) -> Result<Option<TokenRow>, StoreError> {
    let sql = client.prepare_cached(TOKEN_OF).await?;
    let told = of.as_ref().map_or(NO_MATCH, key);
    let mut row = client.query_opt(&sql, &[&told, &&wanted[..]]).await?;
    if row.is_none() && of.is_none() {
        let anywhere = format!("SELECT {TOKEN} FROM tokens WHERE hash = $1 ORDER BY ord LIMIT 1");
        let sql = client.prepare_cached(&anywhere).await?;
        row = client.query_opt(&sql, &[&&wanted[..]]).await?;
    }
    let found = row.map(|row| token(seals, &row)).transpose()?;
    Ok(found.filter(|found| !found.revoked).map(|found| found.row))
}

/// The token by which a player holds a seat of a match.
pub async fn held_in(
    client: &Object,
    seals: &Seals,
    holder: &str,
    id: &MatchId,
) -> Result<Option<TokenRow>, StoreError> {
    let sql = format!(
        "SELECT {TOKEN} FROM tokens
         WHERE match = $1 AND seat IS NOT NULL AND label = $2 AND NOT revoked ORDER BY ord LIMIT 1"
    );
    let sql = client.prepare_cached(&sql).await?;
    let row = client.query_opt(&sql, &[&key(id), &holder]).await?;
    let found = row.map(|row| token(seals, &row)).transpose()?;
    Ok(found.map(|found| found.row))
}

/// Tokens of people, newest first.
pub async fn tokens(
    client: &Object,
    seals: &Seals,
    before: i64,
    limit: i64,
) -> Result<Vec<ListedToken>, StoreError> {
    let which = "match = $1 AND ord < $2 ORDER BY ord DESC LIMIT $3";
    tokens_where(client, seals, which, &[&NO_MATCH, &before, &limit]).await
}

/// Tokens for which something is so, in an order.
pub async fn tokens_where(
    client: &Object,
    seals: &Seals,
    which: &str,
    values: &[&(dyn tokio_postgres::types::ToSql + Sync)],
) -> Result<Vec<ListedToken>, StoreError> {
    let sql = format!("SELECT {TOKEN} FROM tokens WHERE {which}");
    let sql = client.prepare_cached(&sql).await?;
    let rows = client.query(&sql, values).await?;
    rows.iter().map(|row| token(seals, row)).collect()
}

/// Makes a change outside of any match.
pub async fn settle(
    client: &impl GenericClient,
    seals: &Seals,
    change: &Change,
) -> Result<(), StoreError> {
    match change {
        Change::Grant(row) => return grant(client, seals, row).await,
        Change::Revoke(hash) => {
            let select = format!("SELECT {TOKEN} FROM tokens WHERE hash = $1 FOR UPDATE");
            for row in client.query(&select, &[&&hash[..]]).await? {
                let row = token(seals, &row)?.row;
                let (_, of, _) = kind(&row.grant);
                let seal = token_seal(seals, &row, true);
                let revoke =
                    "UPDATE tokens SET revoked = true, seal = $3 WHERE match = $1 AND hash = $2";
                client
                    .execute(revoke, &[&of, &&hash[..], &&seal[..]])
                    .await?;
            }
            return count(client, REVOCATIONS).await;
        }
        Change::Point {
            revision,
            channel,
            owner,
        } => {
            offer(client, seals, revision).await?;
            if let Some(owner) = owner {
                let insert = "INSERT INTO owners VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
                let seal = owner_seal(seals, &revision.ruleset, owner);
                client
                    .execute(insert, &[&revision.ruleset, owner, &&seal[..]])
                    .await?;
            }
            let put = "INSERT INTO channels VALUES ($1, $2, $3, $4)
                       ON CONFLICT (ruleset, channel) DO UPDATE SET digest = excluded.digest, seal = excluded.seal";
            let seal = channel_seal(seals, &revision.ruleset, channel, &revision.digest);
            client
                .execute(
                    put,
                    &[
                        &revision.ruleset,
                        channel,
                        &&revision.digest[..],
                        &&seal[..],
                    ],
                )
                .await?;
        }
        Change::RemoveChannel { ruleset, channel } => {
            let delete = "DELETE FROM channels WHERE ruleset = $1 AND channel = $2";
            client.execute(delete, &[ruleset, channel]).await?;
        }
        Change::Yank { revision, reason } => {
            offer(client, seals, revision).await?;
            // The row says when it was offered first.
            let select = "SELECT version, created_ms FROM revisions WHERE ruleset = $1 AND digest = $2 FOR UPDATE";
            let (ruleset, digest) = (&revision.ruleset, &revision.digest[..]);
            let row = client.query_one(select, &[ruleset, &digest]).await?;
            let kept = RevisionRow {
                version: get(&row, 0)?,
                created_ms: get(&row, 1)?,
                ..revision.clone()
            };
            let seal = revision_seal(seals, &kept, reason.as_deref());
            let yank =
                "UPDATE revisions SET yanked = $3, seal = $4 WHERE ruleset = $1 AND digest = $2";
            client
                .execute(yank, &[ruleset, &digest, reason, &&seal[..]])
                .await?;
            if reason.is_some() {
                let delete =
                    "DELETE FROM channels WHERE ruleset = $1 AND digest = $2 AND channel <> $3";
                client.execute(delete, &[ruleset, &digest, &STABLE]).await?;
            }
        }
        Change::Own(row) => {
            let put = "INSERT INTO owners VALUES ($1, $2, $3)
                       ON CONFLICT (ruleset) DO UPDATE SET owner = excluded.owner, seal = excluded.seal";
            let seal = owner_seal(seals, &row.ruleset, &row.owner);
            client
                .execute(put, &[&row.ruleset, &row.owner, &&seal[..]])
                .await?;
        }
    }
    count(client, PUBLICATIONS).await
}

fn owner_seal(seals: &Seals, ruleset: &str, owner: &str) -> [u8; SEAL] {
    let values = [ruleset, owner].map(|text| Value::Text(text.as_bytes()));
    seal_of(seals, "owners", values)
}

fn channel_seal(seals: &Seals, ruleset: &str, channel: &str, digest: &Hash) -> [u8; SEAL] {
    seal_of(
        seals,
        "channels",
        [
            Value::Text(ruleset.as_bytes()),
            Value::Text(channel.as_bytes()),
            Value::Bytes(digest),
        ],
    )
}

fn revision_seal(seals: &Seals, row: &RevisionRow, yanked: Option<&str>) -> [u8; SEAL] {
    seal_of(
        seals,
        "revisions",
        [
            Value::Text(row.ruleset.as_bytes()),
            Value::Bytes(&row.digest),
            Value::Text(row.version.as_bytes()),
            Value::Number(row.created_ms),
            yanked.map_or(Value::Null, |why| Value::Text(why.as_bytes())),
        ],
    )
}

/// The seal of texts and other contents.
pub fn kept_seal(seals: &Seals, table: &'static str, key: &[u8], value: &[u8]) -> [u8; SEAL] {
    seal_of(seals, table, [Value::Bytes(key), Value::Bytes(value)])
}

/// Remembers a revision; does nothing if it is known.
pub async fn offer(
    client: &impl GenericClient,
    seals: &Seals,
    row: &RevisionRow,
) -> Result<(), StoreError> {
    let seal = revision_seal(seals, row, None);
    let insert = "INSERT INTO revisions (ruleset, digest, version, created_ms, seal)
                  VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING";
    client
        .execute(
            insert,
            &[
                &row.ruleset,
                &&row.digest[..],
                &row.version,
                &row.created_ms,
                &&seal[..],
            ],
        )
        .await?;
    Ok(())
}

fn revision(seals: &Seals, row: &Row) -> Result<ListedRevision, StoreError> {
    let yanked: Option<String> = get(row, 5)?;
    let kept = RevisionRow {
        ruleset: get(row, 1)?,
        digest: hash(row, 2)?,
        version: get(row, 3)?,
        created_ms: get(row, 4)?,
    };
    let seal = revision_seal(seals, &kept, yanked.as_deref());
    let listed = ListedRevision {
        order: unsigned(get(row, 0)?)?,
        row: kept,
        yanked,
    };
    sealed("revisions", listed, get(row, 6)?, seal)
}

/// Revisions for which something is so, in an order.
pub async fn revisions(
    client: &Object,
    seals: &Seals,
    which: &str,
    values: &[&(dyn tokio_postgres::types::ToSql + Sync)],
) -> Result<Vec<ListedRevision>, StoreError> {
    let sql = format!(
        "SELECT ord, ruleset, digest, version, created_ms, yanked, seal FROM revisions WHERE {which}"
    );
    let sql = client.prepare_cached(&sql).await?;
    let rows = client.query(&sql, values).await?;
    rows.iter().map(|row| revision(seals, row)).collect()
}

/// Every channel of every ruleset.
pub async fn channels(client: &Object, seals: &Seals) -> Result<Vec<ChannelRow>, StoreError> {
    let sql = "SELECT ruleset, channel, digest, seal FROM channels ORDER BY ruleset COLLATE \"C\", channel COLLATE \"C\"";
    let read = |row: &Row| {
        let channel = ChannelRow {
            ruleset: get(row, 0)?,
            channel: get(row, 1)?,
            digest: hash(row, 2)?,
        };
        let seal = channel_seal(seals, &channel.ruleset, &channel.channel, &channel.digest);
        sealed("channels", channel, get(row, 3)?, seal)
    };
    client.query(sql, &[]).await?.iter().map(read).collect()
}

const OWNERS: &str = "SELECT ruleset, owner, seal FROM owners";

fn owner(seals: &Seals, row: &Row) -> Result<OwnerRow, StoreError> {
    let owner = OwnerRow {
        ruleset: get(row, 0)?,
        owner: get(row, 1)?,
    };
    let seal = owner_seal(seals, &owner.ruleset, &owner.owner);
    sealed("owners", owner, get(row, 2)?, seal)
}

/// Who owns which ruleset.
pub async fn owners(client: &Object, seals: &Seals) -> Result<Vec<OwnerRow>, StoreError> {
    let sql = format!("{OWNERS} ORDER BY ruleset COLLATE \"C\"");
    let rows = client.query(&sql, &[]).await?;
    rows.iter().map(|row| owner(seals, row)).collect()
}

/// Whether a ruleset is a publisher's, or nobody's; it stays so until the transaction ends.
pub async fn may_change(
    client: &impl GenericClient,
    seals: &Seals,
    ruleset: &str,
    publisher: &str,
) -> Result<bool, StoreError> {
    let sql = format!("{OWNERS} WHERE ruleset = $1 FOR SHARE");
    let row = client.query_opt(&sql, &[&ruleset]).await?;
    let owner = row.map(|row| owner(seals, &row)).transpose()?;
    Ok(owner.is_none_or(|owner| owner.owner == publisher))
}

/// Notices that are due, the longest overdue first. Others may read them, too.
pub async fn notices(
    client: &Object,
    seals: &Seals,
    until_ms: i64,
    limit: i64,
) -> Result<Vec<NoticeRow>, StoreError> {
    let which = "due_ms <= $1 ORDER BY due_ms LIMIT $2";
    notices_where(client, seals, which, &[&until_ms, &limit]).await
}

/// Notices for which something is so, in an order.
pub async fn notices_where(
    client: &Object,
    seals: &Seals,
    which: &str,
    values: &[&(dyn tokio_postgres::types::ToSql + Sync)],
) -> Result<Vec<NoticeRow>, StoreError> {
    let sql =
        format!("SELECT id, match, address, body, due_ms, tries, seal FROM notices WHERE {which}");
    let sql = client.prepare_cached(&sql).await?;
    let mut found = Vec::new();
    for row in client.query(&sql, values).await? {
        let id: &[u8] = get(&row, 0)?;
        let tries: i32 = get(&row, 5)?;
        let notice = NoticeRow {
            id: id
                .try_into()
                .map_err(|_| StoreError::Damaged("a notice's id has another length".into()))?,
            of: match_of(get(&row, 1)?),
            address: get(&row, 2)?,
            body: get(&row, 3)?,
            due_ms: get(&row, 4)?,
            tries: u32::try_from(tries).unwrap_or(0),
        };
        let seal = notice_seal(seals, &notice);
        found.push(sealed("notices", notice, get(&row, 6)?, seal)?);
    }
    Ok(found)
}

/// A number of `meta`; 0 if it is not there.
pub async fn number(client: &impl GenericClient, what: &str) -> Result<u64, StoreError> {
    let sql = "SELECT value FROM meta WHERE key = $1";
    let row = client.query_opt(sql, &[&what]).await?;
    unsigned(row.map_or(Ok(0), |row| get(&row, 0))?)
}

/// Bytes that are kept under a key with a seal of both, if they are the ones that were written.
pub fn kept(
    seals: &Seals,
    table: &'static str,
    key: &[u8],
    row: Option<Row>,
) -> Result<Option<Vec<u8>>, StoreError> {
    row.map(|row| sealed_value(seals, table, key, &row, 0))
        .transpose()
}

/// A value and the seal behind it, from a place of a row on.
pub fn sealed_value(
    seals: &Seals,
    table: &'static str,
    key: &[u8],
    row: &Row,
    place: usize,
) -> Result<Vec<u8>, StoreError> {
    let value: Vec<u8> = get(row, place)?;
    let seal = kept_seal(seals, table, key, &value);
    sealed(table, value, get(row, place + 1)?, seal)
}
