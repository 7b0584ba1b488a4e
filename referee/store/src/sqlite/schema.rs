//! The tables of a store, and the way from each version of them to the next.
//!
//! A version is never changed once it has been written by anybody; a change is a new step. A store of
//! an earlier version is refused until its operator says `referee store migrate`, so that nobody's file
//! changes by surprise.

use rusqlite::{Connection, TransactionBehavior};

use super::super::StoreError;

/// The version that this referee writes.
#[expect(clippy::as_conversions, reason = "a handful, in a constant")]
pub const SCHEMA: i64 = STEPS.len() as i64;

/// Says in the file's header that it is ours: the letters `Rfre`.
const APPLICATION: i64 = 0x5266_7265;

/// What leads from each version to the next, from an empty file on.
const STEPS: &[&str] = &[
    FIRST, SECOND, THIRD, FOURTH, FIFTH, SIXTH, SEVENTH, EIGHTH, NINTH, TENTH,
];

const FIRST: &str = "
CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO meta VALUES ('epoch', 0);
CREATE TABLE matches (
    ord        INTEGER PRIMARY KEY AUTOINCREMENT,
    id         TEXT NOT NULL UNIQUE,
    host       BLOB NOT NULL,
    ruleset    TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    state      INTEGER NOT NULL,
    length     INTEGER NOT NULL,
    chain      BLOB NOT NULL
) STRICT;
CREATE INDEX matches_by_host ON matches (host, ord);
CREATE TABLE entries (
    match    INTEGER NOT NULL REFERENCES matches (ord),
    sequence INTEGER NOT NULL,
    body     BLOB NOT NULL,
    chain    BLOB NOT NULL,
    PRIMARY KEY (match, sequence)
) STRICT, WITHOUT ROWID;
CREATE TABLE requests (
    principal  BLOB NOT NULL,
    request_id TEXT NOT NULL,
    digest     BLOB NOT NULL,
    receipt    BLOB NOT NULL,
    PRIMARY KEY (principal, request_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE tokens (
    hash  BLOB PRIMARY KEY,
    match TEXT,
    seat  INTEGER
) STRICT, WITHOUT ROWID;
CREATE TABLE contents (
    digest  BLOB PRIMARY KEY,
    content BLOB NOT NULL
) STRICT;
";

/// Tokens of more kinds, which can be listed and revoked; matches in which the referee acts by itself;
/// lobbies; revisions.
const SECOND: &str = "
ALTER TABLE matches ADD COLUMN due_ms INTEGER;
ALTER TABLE matches ADD COLUMN open INTEGER NOT NULL DEFAULT 0;
CREATE INDEX matches_by_due ON matches (due_ms) WHERE due_ms IS NOT NULL;
CREATE INDEX matches_by_open ON matches (ord) WHERE open <> 0;
ALTER TABLE tokens RENAME TO earlier_tokens;
CREATE TABLE tokens (
    ord        INTEGER PRIMARY KEY AUTOINCREMENT,
    hash       BLOB NOT NULL UNIQUE,
    kind       INTEGER NOT NULL,
    match      TEXT,
    seat       INTEGER,
    label      TEXT NOT NULL DEFAULT '',
    created_ms INTEGER NOT NULL DEFAULT 0,
    expires_ms INTEGER,
    revoked    INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO tokens (hash, kind, match, seat)
    SELECT hash, CASE WHEN match IS NULL THEN 1 ELSE 2 END, match, seat FROM earlier_tokens;
DROP TABLE earlier_tokens;
CREATE INDEX tokens_by_seat ON tokens (match, seat) WHERE match IS NOT NULL;
CREATE INDEX tokens_of_people ON tokens (ord) WHERE match IS NULL;
CREATE TABLE revisions (
    ord        INTEGER PRIMARY KEY AUTOINCREMENT,
    ruleset    TEXT NOT NULL,
    digest     BLOB NOT NULL,
    version    TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    published  INTEGER NOT NULL DEFAULT 0,
    UNIQUE (ruleset, digest)
) STRICT;
";

/// Revisions that are yanked, and why.
const THIRD: &str = "
ALTER TABLE revisions ADD COLUMN yanked TEXT;
";

/// Channels: what was published last of a ruleset is its channel `stable`.
const FOURTH: &str = "
CREATE TABLE channels (
    ruleset TEXT NOT NULL,
    channel TEXT NOT NULL,
    digest  BLOB NOT NULL,
    PRIMARY KEY (ruleset, channel)
) STRICT, WITHOUT ROWID;
INSERT INTO channels SELECT ruleset, 'stable', digest FROM revisions WHERE published <> 0;
ALTER TABLE revisions DROP COLUMN published;
";

/// Snapshots of matches: caches, one for each match.
const FIFTH: &str = "
CREATE TABLE snapshots (
    match INTEGER PRIMARY KEY REFERENCES matches (ord),
    body  BLOB NOT NULL
) STRICT;
";

/// Entries of the second format, which an earlier referee does not read: the tables stay as they are.
const SIXTH: &str = "
INSERT INTO meta VALUES ('log_format', 2);
";

/// What players are called, apart from the log; the texts that matches are played by, for lists.
const SEVENTH: &str = "
ALTER TABLE matches ADD COLUMN content BLOB;
CREATE TABLE names (
    match  INTEGER NOT NULL REFERENCES matches (ord),
    digest BLOB NOT NULL,
    salt   BLOB NOT NULL,
    name   TEXT NOT NULL,
    PRIMARY KEY (match, digest)
) STRICT, WITHOUT ROWID;
";

/// Seals of rows ([`seals`](super::seals)): whatever stands in a store of before is believed, as it was until then.
const EIGHTH: &str = "
ALTER TABLE meta ADD COLUMN seal BLOB NOT NULL DEFAULT x'';
ALTER TABLE matches ADD COLUMN seal BLOB NOT NULL DEFAULT x'';
ALTER TABLE names ADD COLUMN seal BLOB NOT NULL DEFAULT x'';
ALTER TABLE requests ADD COLUMN seal BLOB NOT NULL DEFAULT x'';
ALTER TABLE tokens ADD COLUMN seal BLOB NOT NULL DEFAULT x'';
ALTER TABLE revisions ADD COLUMN seal BLOB NOT NULL DEFAULT x'';
ALTER TABLE channels ADD COLUMN seal BLOB NOT NULL DEFAULT x'';
ALTER TABLE contents ADD COLUMN seal BLOB NOT NULL DEFAULT x'';
UPDATE meta SET seal = seal_of('meta', key, value);
UPDATE matches SET seal = seal_of('matches', ord, id, host, ruleset, created_ms, state, length, chain, due_ms, open, content);
UPDATE names SET seal = seal_of('names', match, digest, salt, name);
UPDATE requests SET seal = seal_of('requests', principal, request_id, digest, receipt);
UPDATE tokens SET seal = seal_of('tokens', ord, hash, kind, match, seat, label, created_ms, expires_ms, revoked);
UPDATE revisions SET seal = seal_of('revisions', ord, ruleset, digest, version, created_ms, yanked);
UPDATE channels SET seal = seal_of('channels', ruleset, channel, digest);
UPDATE contents SET seal = seal_of('contents', digest, content);
";

/// Requests under their match (0: outside of any), so that they go with it; who owns a ruleset; matches by how far they
/// are. A row that does not fit its seal gets none that fits.
const NINTH: &str = "
CREATE TABLE owners (
    ruleset TEXT PRIMARY KEY,
    owner   TEXT NOT NULL,
    seal    BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX matches_by_state ON matches (state, ord);
ALTER TABLE requests RENAME TO earlier_requests;
CREATE TABLE requests (
    match      INTEGER NOT NULL,
    principal  BLOB NOT NULL,
    request_id TEXT NOT NULL,
    digest     BLOB NOT NULL,
    receipt    BLOB NOT NULL,
    seal       BLOB NOT NULL,
    PRIMARY KEY (match, principal, request_id)
) STRICT, WITHOUT ROWID;
INSERT INTO requests
    SELECT match, principal, request_id, digest, receipt,
           CASE WHEN good THEN seal_of('requests', match, principal, request_id, digest, receipt) ELSE x'' END
    FROM (SELECT ifnull((SELECT m.ord FROM tokens t JOIN matches m ON m.id = t.match WHERE t.hash = r.principal), 0)
                     AS match,
                 principal, request_id, digest, receipt,
                 seal IS seal_of('requests', principal, request_id, digest, receipt) AS good
          FROM earlier_requests r);
DROP TABLE earlier_requests;
";

/// Seats by whom they are held; what is to be told to other servers; what was learned from them.
const TENTH: &str = "
CREATE INDEX tokens_by_holder ON tokens (label, ord) WHERE match IS NOT NULL AND label <> '';
CREATE TABLE notices (
    id      BLOB PRIMARY KEY,
    match   TEXT NOT NULL,
    address TEXT NOT NULL,
    body    BLOB NOT NULL,
    due_ms  INTEGER NOT NULL,
    tries   INTEGER NOT NULL,
    seal    BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX notices_by_due ON notices (due_ms);
CREATE INDEX notices_by_match ON notices (match);
CREATE TABLE learned (
    key   TEXT PRIMARY KEY,
    value BLOB NOT NULL,
    seal  BLOB NOT NULL
) STRICT, WITHOUT ROWID;
";

/// The version from which on rows are sealed.
pub const SEALS: i64 = 8;

/// The version from which on names stand apart.
pub const NAMES: i64 = 7;

/// The earliest version whose tables are read as they are.
const READABLE: i64 = 5;

/// The version of a file that can be read without migrating it; refuses every other.
pub fn readable(connection: &Connection) -> Result<i64, StoreError> {
    match found(connection)? {
        found @ READABLE..=SCHEMA => Ok(found),
        found => Err(StoreError::Schema {
            found,
            known: SCHEMA,
        }),
    }
}

/// The version of a file that is a store.
pub fn found(connection: &Connection) -> Result<i64, StoreError> {
    version(connection)?.ok_or_else(|| StoreError::Engine("the file is empty".into()))
}

/// Makes the tables of a new file; refuses a foreign one and one of another version.
pub fn prepare(connection: &mut Connection) -> Result<(), StoreError> {
    match version(connection)? {
        None => advance(connection, 0, SCHEMA),
        Some(_) => of_this_version(connection),
    }
}

/// Refuses a file of any version but this one.
pub fn of_this_version(connection: &Connection) -> Result<(), StoreError> {
    match found(connection)? {
        SCHEMA => Ok(()),
        found => Err(StoreError::Schema {
            found,
            known: SCHEMA,
        }),
    }
}

/// Brings a file of an earlier version to this one, in one transaction; gives the version it had.
pub fn migrate(connection: &mut Connection) -> Result<i64, StoreError> {
    match version(connection)? {
        None => Err(StoreError::Engine("the file is empty".into())),
        Some(found) if found > SCHEMA => Err(StoreError::Schema {
            found,
            known: SCHEMA,
        }),
        Some(found) => advance(connection, found, SCHEMA).map(|()| found),
    }
}

/// The version of a file; none if it is new.
fn version(connection: &Connection) -> Result<Option<i64>, StoreError> {
    let read = |name| connection.pragma_query_value(None, name, |row| row.get(0));
    let (found, application): (i64, i64) = (read("user_version")?, read("application_id")?);
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if found == 0 && tables == 0 {
        return Ok(None);
    }
    if found == 0 || application != APPLICATION {
        return Err(StoreError::Engine(
            "the file is a database of another program".into(),
        ));
    }
    Ok(Some(found))
}

/// Takes the steps between two versions: all of them or none.
///
/// # Errors
///
/// When the database refuses a step.
pub fn advance(connection: &mut Connection, from: i64, to: i64) -> Result<(), StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for (step, number) in STEPS.iter().zip(1..) {
        if number > from && number <= to {
            transaction.execute_batch(step)?;
        }
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", to)?;
    transaction.commit()?;
    Ok(())
}
