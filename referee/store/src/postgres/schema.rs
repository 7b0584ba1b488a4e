//! The tables of a store in PostgreSQL, and the way from each version of them to the next.
//!
//! What belongs to a match has the match first in its key, and lies in one of [`PARTITIONS`] parts by it: no statement on the way
//! of a move looks into two of them, and no key or counter is common to two matches. What belongs to none (tokens of people,
//! requests of administrators) stands under a match of zeros.
//!
//! A step adds and takes nothing away, so that a referee of the version before serves on while others of this one begin;
//! `least` says which version a referee must know.

use tokio_postgres::Client;

use crate::StoreError;

/// The version that this referee writes.
#[expect(clippy::as_conversions, reason = "a handful, in a constant")]
pub const SCHEMA: i64 = STEPS.len() as i64;

/// Parts of every table of matches.
pub const PARTITIONS: u32 = 8;

/// Tables with the match first in their key, which lie in parts.
pub const OF_MATCHES: [&str; 7] = [
    "matches",
    "entries",
    "requests",
    "tokens",
    "names",
    "snapshots",
    "notices",
];

/// What leads from each version to the next, and the version that a referee must know from then on.
const STEPS: &[(&str, i64)] = &[(FIRST, 1)];

/// Held while tables are made.
const LOCK: i64 = 0x5266_7265_7374_6f72;

const FIRST: &str = "
CREATE TABLE meta (
    key   text PRIMARY KEY,
    value bigint NOT NULL
) WITH (fillfactor = 50);
CREATE SEQUENCE match_order;
CREATE SEQUENCE token_order;
CREATE SEQUENCE revision_order;
CREATE TABLE matches (
    id           uuid PRIMARY KEY,
    ord          bigint NOT NULL DEFAULT nextval('match_order'),
    host         bytea NOT NULL,
    ruleset      text NOT NULL,
    created_ms   bigint NOT NULL,
    begun_seal   bytea NOT NULL,
    content      bytea,
    content_seal bytea,
    state        smallint NOT NULL,
    length       bigint NOT NULL,
    chain        bytea NOT NULL,
    due_ms       bigint,
    open         boolean NOT NULL,
    revision     bigint NOT NULL,
    seal         bytea NOT NULL
) PARTITION BY HASH (id);
CREATE INDEX ON matches (ord);
CREATE INDEX ON matches (host, ord);
CREATE INDEX ON matches (state, ord);
CREATE INDEX ON matches (due_ms) WHERE due_ms IS NOT NULL;
CREATE INDEX ON matches (ord) WHERE open;
CREATE TABLE entries (
    match    uuid NOT NULL,
    sequence bigint NOT NULL,
    body     bytea NOT NULL,
    chain    bytea NOT NULL,
    PRIMARY KEY (match, sequence)
) PARTITION BY HASH (match);
CREATE TABLE requests (
    match      uuid NOT NULL,
    principal  bytea NOT NULL,
    request_id text NOT NULL,
    digest     bytea NOT NULL,
    receipt    bytea NOT NULL,
    lasting    boolean NOT NULL,
    seal       bytea NOT NULL,
    PRIMARY KEY (match, principal, request_id)
) PARTITION BY HASH (match);
CREATE TABLE tokens (
    match      uuid NOT NULL,
    hash       bytea NOT NULL,
    ord        bigint NOT NULL DEFAULT nextval('token_order'),
    kind       smallint NOT NULL,
    seat       smallint,
    label      text NOT NULL,
    created_ms bigint NOT NULL,
    expires_ms bigint,
    revoked    boolean NOT NULL DEFAULT false,
    seal       bytea NOT NULL,
    PRIMARY KEY (match, hash)
) PARTITION BY HASH (match);
CREATE INDEX ON tokens (hash);
CREATE INDEX ON tokens (match, ord);
CREATE INDEX ON tokens (label, ord) WHERE seat IS NOT NULL AND label <> '';
CREATE TABLE names (
    match  uuid NOT NULL,
    digest bytea NOT NULL,
    salt   bytea NOT NULL,
    name   text NOT NULL,
    seal   bytea NOT NULL,
    PRIMARY KEY (match, digest)
) PARTITION BY HASH (match);
CREATE INDEX ON names (name);
CREATE TABLE snapshots (
    match uuid PRIMARY KEY,
    body  bytea NOT NULL
) PARTITION BY HASH (match);
CREATE TABLE notices (
    match   uuid NOT NULL,
    id      bytea NOT NULL,
    address text NOT NULL,
    body    bytea NOT NULL,
    due_ms  bigint NOT NULL,
    tries   integer NOT NULL,
    seal    bytea NOT NULL,
    PRIMARY KEY (match, id)
) PARTITION BY HASH (match);
CREATE INDEX ON notices (due_ms);
CREATE TABLE contents (
    digest  bytea PRIMARY KEY,
    content bytea NOT NULL,
    seal    bytea NOT NULL
);
CREATE TABLE revisions (
    ruleset    text NOT NULL,
    digest     bytea NOT NULL,
    ord        bigint NOT NULL DEFAULT nextval('revision_order'),
    version    text NOT NULL,
    created_ms bigint NOT NULL,
    yanked     text,
    seal       bytea NOT NULL,
    PRIMARY KEY (ruleset, digest)
);
CREATE INDEX ON revisions (ruleset, ord);
CREATE TABLE channels (
    ruleset text NOT NULL,
    channel text NOT NULL,
    digest  bytea NOT NULL,
    seal    bytea NOT NULL,
    PRIMARY KEY (ruleset, channel)
);
CREATE TABLE owners (
    ruleset text PRIMARY KEY,
    owner   text NOT NULL,
    seal    bytea NOT NULL
);
CREATE TABLE learned (
    key   text PRIMARY KEY,
    value bytea NOT NULL,
    seal  bytea NOT NULL
);
CREATE TABLE outages (
    from_ms bigint PRIMARY KEY,
    to_ms   bigint NOT NULL
);
-- Who acts by themselves in a match: worth nothing after a crash.
CREATE UNLOGGED TABLE claims (
    match  uuid PRIMARY KEY,
    holder uuid NOT NULL,
    until  timestamptz NOT NULL
);
";

/// The parts of the tables of matches; those whose rows change leave room for that on their pages.
fn partitions() -> String {
    let mut made = String::new();
    for table in OF_MATCHES {
        let room = match table {
            "matches" => " WITH (fillfactor = 70)",
            _ => "",
        };
        for part in 0..PARTITIONS {
            made += &format!(
                "CREATE TABLE {table}_{part} PARTITION OF {table} FOR VALUES WITH (MODULUS {PARTITIONS}, REMAINDER {part}){room};\n"
            );
        }
    }
    made
}

/// Makes the tables if there are none, and takes the steps that are missing; refuses a store of a version that is not known.
/// Gives the version that it had; 0 if it is new.
///
/// # Errors
///
/// When it cannot be read or made.
pub async fn prepare(client: &mut Client) -> Result<i64, StoreError> {
    let transaction = client.transaction().await?;
    transaction
        .execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK])
        .await?;
    transaction
        .batch_execute("SET LOCAL statement_timeout = 0; CREATE SCHEMA IF NOT EXISTS referee")
        .await?;
    let there = "SELECT to_regclass('referee.meta') IS NOT NULL";
    let there: bool = transaction.query_one(there, &[]).await?.try_get(0)?;
    let found = match there {
        true => {
            let number = |key: &'static str| {
                let transaction = &transaction;
                async move {
                    let sql = "SELECT value FROM meta WHERE key = $1";
                    let row = transaction.query_opt(sql, &[&key]).await?;
                    let value: Option<i64> = row.map(|row| row.try_get(0)).transpose()?;
                    Ok::<i64, StoreError>(value.unwrap_or(0))
                }
            };
            let (found, least) = (number("schema").await?, number("least").await?);
            if least > SCHEMA {
                return Err(StoreError::Schema {
                    found,
                    known: SCHEMA,
                });
            }
            found
        }
        false => 0,
    };
    for ((step, least), number) in STEPS.iter().zip(1i64..).filter(|(_, n)| *n > found) {
        transaction.batch_execute(step).await?;
        if number == 1 {
            transaction.batch_execute(&partitions()).await?;
        }
        let put = "INSERT INTO meta VALUES ('schema', $1), ('least', $2)
                   ON CONFLICT (key) DO UPDATE SET value = excluded.value";
        transaction.execute(put, &[&number, least]).await?;
    }
    transaction.commit().await?;
    Ok(found)
}
