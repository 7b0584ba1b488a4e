//! Appends: a group in one statement, which is one transaction and one way there and back.
//!
//! Rows of matches are locked where nobody has locked them: nothing ever waits for a match at which another referee is, so that
//! no two groups wait for each other, and a match that waits holds back no other. What was committed after the statement
//! began is seen by its row's `revision`, and judged anew. New matches are made in the order of their ids.

use std::collections::BTreeSet;

use deadpool_postgres::Object;
use uuid::Uuid;

use super::connection::Way;
use super::values::{
    EXPLAIN, NO_MATCH, TOKEN, get, hash, key, kind, notice_seal, request_seal, seal_of, sealed,
    signed, state_number, token, token_seal,
};
use crate::numbers::to_u64;
use crate::seals::{SEAL, Seals, Value};
use crate::{Append, Appended, Erase, Hash, RequestRow, StoreError, chain};

/// Appends in one statement at most: they are compared with each other.
const TOGETHER: usize = 64;

/// See above. Columns of matches, then of entries, tokens, names and notices, each with the number of its append.
pub const APPEND: &str = "
WITH asked AS MATERIALIZED (
    SELECT * FROM unnest(
        $1::int[], $2::uuid[], $3::bigint[], $4::bytea[], $5::boolean[], $6::bytea[], $7::text[], $8::bigint[], $9::bytea[],
        $10::smallint[], $11::bigint[], $12::bytea[], $13::bigint[], $14::boolean[], $15::bytea[], $16::bytea[], $17::bytea[],
        $18::bytea[], $19::text[], $20::bytea[], $21::bytea[], $22::bytea[]
    ) AS a (i, id, expected, head, creates, host, ruleset, created_ms, begun_seal,
            state, length, chain, due_ms, open, content, content_seal, seal,
            principal, request_id, digest, receipt, request_seal)
), known AS MATERIALIZED (
    SELECT a.i, r.digest, r.receipt, r.seal FROM asked a
    JOIN requests r ON r.match = a.id AND r.principal = a.principal AND r.request_id = a.request_id
), seen AS MATERIALIZED (
    SELECT a.i, m.revision FROM asked a JOIN matches m ON m.id = a.id
), begun AS (
    INSERT INTO matches (id, host, ruleset, created_ms, begun_seal, state, length, chain, due_ms, open,
                         content, content_seal, seal, revision)
    SELECT a.id, a.host, a.ruleset, a.created_ms, a.begun_seal, a.state, a.length, a.chain, a.due_ms, a.open,
           a.content, a.content_seal, a.seal, 1
    FROM asked a WHERE a.creates AND NOT EXISTS (SELECT FROM known k WHERE k.i = a.i)
    ORDER BY a.id
    ON CONFLICT DO NOTHING
    RETURNING id
), locked AS MATERIALIZED (
    SELECT a.i, m.revision, m.length, m.chain FROM asked a JOIN matches m ON m.id = a.id
    WHERE NOT a.creates
    FOR NO KEY UPDATE OF m SKIP LOCKED
), good AS MATERIALIZED (
    SELECT a.i, a.id, a.creates FROM asked a
    WHERE NOT EXISTS (SELECT FROM known k WHERE k.i = a.i)
    AND CASE WHEN a.creates THEN a.id IN (SELECT id FROM begun)
        ELSE EXISTS (SELECT FROM locked l JOIN seen s ON s.i = l.i
                     WHERE l.i = a.i AND l.revision = s.revision AND l.length = a.expected AND l.chain = a.head) END
), written AS (
    UPDATE matches m SET
        state = a.state, length = a.length, chain = a.chain, due_ms = a.due_ms, open = a.open,
        content = coalesce(a.content, m.content), content_seal = coalesce(a.content_seal, m.content_seal),
        seal = a.seal, revision = m.revision + 1
    FROM asked a JOIN good g ON g.i = a.i
    WHERE m.id = a.id AND NOT a.creates
), entered AS (
    INSERT INTO entries (match, sequence, body, chain)
    SELECT g.id, e.sequence, e.body, e.chain
    FROM unnest($23::int[], $24::bigint[], $25::bytea[], $26::bytea[]) AS e (i, sequence, body, chain)
    JOIN good g ON g.i = e.i
), remembered AS (
    INSERT INTO requests (match, principal, request_id, digest, receipt, lasting, seal)
    SELECT a.id, a.principal, a.request_id, a.digest, a.receipt, a.creates, a.request_seal
    FROM asked a JOIN good g ON g.i = a.i WHERE a.principal IS NOT NULL
), granted AS (
    INSERT INTO tokens (match, hash, kind, seat, label, created_ms, expires_ms, seal)
    SELECT t.of, t.hash, t.kind, t.seat, t.label, t.created_ms, t.expires_ms, t.seal
    FROM unnest($27::int[], $28::uuid[], $29::bytea[], $30::smallint[], $31::smallint[], $32::text[], $33::bigint[],
                $34::bigint[], $35::bytea[]) AS t (i, of, hash, kind, seat, label, created_ms, expires_ms, seal)
    JOIN good g ON g.i = t.i
    ON CONFLICT DO NOTHING
), named AS (
    INSERT INTO names (match, digest, salt, name, seal)
    SELECT g.id, n.digest, n.salt, n.name, n.seal
    FROM unnest($36::int[], $37::bytea[], $38::bytea[], $39::text[], $40::bytea[]) AS n (i, digest, salt, name, seal)
    JOIN good g ON g.i = n.i
    ON CONFLICT DO NOTHING
), noticed AS (
    INSERT INTO notices (match, id, address, body, due_ms, tries, seal)
    SELECT n.of, n.id, n.address, n.body, n.due_ms, n.tries, n.seal
    FROM unnest($41::int[], $42::uuid[], $43::bytea[], $44::text[], $45::bytea[], $46::bigint[], $47::int[], $48::bytea[])
        AS n (i, of, id, address, body, due_ms, tries, seal)
    JOIN good g ON g.i = n.i
    ON CONFLICT DO NOTHING
)
SELECT a.i, g.i IS NOT NULL, s.i IS NOT NULL, l.i IS NOT NULL AND l.revision = s.revision, k.digest, k.receipt, k.seal
FROM asked a
LEFT JOIN good g ON g.i = a.i
LEFT JOIN seen s ON s.i = a.i
LEFT JOIN locked l ON l.i = a.i
LEFT JOIN known k ON k.i = a.i";

/// A group as its statement takes it: each list is a column.
#[derive(Default)]
struct Columns<'a> {
    number: Vec<i32>,
    id: Vec<Uuid>,
    expected: Vec<i64>,
    head: Vec<Vec<u8>>,
    creates: Vec<bool>,
    host: Vec<Option<&'a [u8]>>,
    ruleset: Vec<Option<&'a str>>,
    created_ms: Vec<Option<i64>>,
    begun_seal: Vec<Option<Vec<u8>>>,
    state: Vec<i16>,
    length: Vec<i64>,
    chain: Vec<Vec<u8>>,
    due_ms: Vec<Option<i64>>,
    open: Vec<bool>,
    content: Vec<Option<&'a [u8]>>,
    content_seal: Vec<Option<Vec<u8>>>,
    seal: Vec<Vec<u8>>,
    principal: Vec<Option<&'a [u8]>>,
    request_id: Vec<Option<&'a str>>,
    digest: Vec<Option<&'a [u8]>>,
    receipt: Vec<Option<&'a [u8]>>,
    request_seal: Vec<Option<Vec<u8>>>,
    entries: Entries<'a>,
    tokens: Tokens<'a>,
    names: Names<'a>,
    notices: Notices<'a>,
}

#[derive(Default)]
struct Entries<'a> {
    number: Vec<i32>,
    sequence: Vec<i64>,
    body: Vec<&'a [u8]>,
    chain: Vec<Vec<u8>>,
}

#[derive(Default)]
struct Tokens<'a> {
    number: Vec<i32>,
    of: Vec<Uuid>,
    hash: Vec<&'a [u8]>,
    kind: Vec<i16>,
    seat: Vec<Option<i16>>,
    label: Vec<&'a str>,
    created_ms: Vec<i64>,
    expires_ms: Vec<Option<i64>>,
    seal: Vec<Vec<u8>>,
}

#[derive(Default)]
struct Names<'a> {
    number: Vec<i32>,
    digest: Vec<&'a [u8]>,
    salt: Vec<&'a [u8]>,
    name: Vec<&'a str>,
    seal: Vec<Vec<u8>>,
}

#[derive(Default)]
struct Notices<'a> {
    number: Vec<i32>,
    of: Vec<Uuid>,
    id: Vec<&'a [u8]>,
    address: Vec<&'a str>,
    body: Vec<&'a [u8]>,
    due_ms: Vec<i64>,
    tries: Vec<i32>,
    seal: Vec<Vec<u8>>,
}

/// The seal of what is said of a match once and for all.
pub fn begun_seal(
    seals: &Seals,
    id: Uuid,
    host: &Hash,
    ruleset: &str,
    created_ms: i64,
) -> [u8; SEAL] {
    seal_of(
        seals,
        "matches begun",
        [
            Value::Bytes(id.as_bytes()),
            Value::Bytes(host),
            Value::Text(ruleset.as_bytes()),
            Value::Number(created_ms),
        ],
    )
}

/// The seal of what changes of a match with every append: state, length, chain, due time, whether it is listed.
pub fn match_seal(
    seals: &Seals,
    id: Uuid,
    (state, length, chain): (i16, i64, &Hash),
    (due_ms, open): (Option<i64>, bool),
) -> [u8; SEAL] {
    seal_of(
        seals,
        "matches",
        [
            Value::Bytes(id.as_bytes()),
            Value::Number(i64::from(state)),
            Value::Number(length),
            Value::Bytes(chain),
            due_ms.map_or(Value::Null, Value::Number),
            Value::Number(i64::from(open)),
        ],
    )
}

/// The seal of the texts that a match is played by.
pub fn content_seal(seals: &Seals, id: Uuid, content: &Hash) -> [u8; SEAL] {
    let values = [Value::Bytes(id.as_bytes()), Value::Bytes(content)];
    seal_of(seals, "matches content", values)
}

/// The seal of a name.
pub fn name_seal(seals: &Seals, of: Uuid, digest: &[u8], salt: &[u8], name: &str) -> [u8; SEAL] {
    seal_of(
        seals,
        "names",
        [
            Value::Bytes(of.as_bytes()),
            Value::Bytes(digest),
            Value::Bytes(salt),
            Value::Text(name.as_bytes()),
        ],
    )
}

impl<'a> Columns<'a> {
    /// Adds an append to a log that ends with this hash.
    fn add(&mut self, seals: &Seals, append: &'a Append, head: Hash) -> Result<(), StoreError> {
        let i = i32::try_from(self.number.len())
            .map_err(|_| StoreError::Engine("a group is too large".into()))?;
        let id = key(&append.id);
        let mut last = head;
        for (sequence, body) in (append.expected..).zip(&append.entries) {
            last = chain::link(&last, sequence, body);
            self.entries.number.push(i);
            self.entries.sequence.push(signed(sequence)?);
            self.entries.body.push(body);
            self.entries.chain.push(last.to_vec());
        }
        let length = signed(append.expected.saturating_add(to_u64(append.entries.len())))?;
        let state = state_number(append.state);
        let new = append.create.as_ref();
        self.number.push(i);
        self.id.push(id);
        self.expected.push(signed(append.expected)?);
        self.head.push(head.to_vec());
        self.creates.push(new.is_some());
        self.host.push(new.map(|new| &new.host.0[..]));
        self.ruleset.push(new.map(|new| new.ruleset.as_str()));
        self.created_ms.push(new.map(|new| new.created_ms));
        self.begun_seal.push(
            new.map(|new| {
                begun_seal(seals, id, &new.host.0, &new.ruleset, new.created_ms).to_vec()
            }),
        );
        self.state.push(state);
        self.length.push(length);
        self.chain.push(last.to_vec());
        self.due_ms.push(append.due_ms);
        self.open.push(append.open);
        self.content
            .push(append.content.as_ref().map(|content| &content[..]));
        self.content_seal.push(
            append
                .content
                .as_ref()
                .map(|content| content_seal(seals, id, content).to_vec()),
        );
        self.seal.push(
            match_seal(
                seals,
                id,
                (state, length, &last),
                (append.due_ms, append.open),
            )
            .to_vec(),
        );
        let request = append.request.as_ref();
        self.principal.push(request.map(|row| &row.principal.0[..]));
        self.request_id
            .push(request.map(|row| row.request_id.as_str()));
        self.digest.push(request.map(|row| &row.digest[..]));
        self.receipt.push(request.map(|row| &row.receipt[..]));
        self.request_seal
            .push(request.map(|row| request_seal(seals, id, row).to_vec()));
        for row in &append.tokens {
            let (kind, of, seat) = kind(&row.grant);
            self.tokens.number.push(i);
            self.tokens.of.push(of);
            self.tokens.hash.push(&row.hash);
            self.tokens.kind.push(kind);
            self.tokens.seat.push(seat);
            self.tokens.label.push(&row.label);
            self.tokens.created_ms.push(row.created_ms);
            self.tokens.expires_ms.push(row.expires_ms);
            self.tokens
                .seal
                .push(token_seal(seals, row, false).to_vec());
        }
        for row in &append.names {
            self.names.number.push(i);
            self.names.digest.push(&row.digest);
            self.names.salt.push(&row.salt);
            self.names.name.push(&row.name);
            self.names
                .seal
                .push(name_seal(seals, id, &row.digest, &row.salt, &row.name).to_vec());
        }
        for row in &append.notices {
            let tries = i32::try_from(row.tries).unwrap_or(i32::MAX);
            self.notices.number.push(i);
            self.notices.of.push(key(&row.of));
            self.notices.id.push(&row.id);
            self.notices.address.push(&row.address);
            self.notices.body.push(&row.body);
            self.notices.due_ms.push(row.due_ms);
            self.notices.tries.push(tries);
            self.notices.seal.push(notice_seal(seals, row).to_vec());
        }
        Ok(())
    }

    /// As the statement takes them.
    fn values(&self) -> [&(dyn tokio_postgres::types::ToSql + Sync); 48] {
        let Columns {
            entries,
            tokens,
            names,
            notices,
            ..
        } = self;
        [
            &self.number,
            &self.id,
            &self.expected,
            &self.head,
            &self.creates,
            &self.host,
            &self.ruleset,
            &self.created_ms,
            &self.begun_seal,
            &self.state,
            &self.length,
            &self.chain,
            &self.due_ms,
            &self.open,
            &self.content,
            &self.content_seal,
            &self.seal,
            &self.principal,
            &self.request_id,
            &self.digest,
            &self.receipt,
            &self.request_seal,
            &entries.number,
            &entries.sequence,
            &entries.body,
            &entries.chain,
            &tokens.number,
            &tokens.of,
            &tokens.hash,
            &tokens.kind,
            &tokens.seat,
            &tokens.label,
            &tokens.created_ms,
            &tokens.expires_ms,
            &tokens.seal,
            &names.number,
            &names.digest,
            &names.salt,
            &names.name,
            &names.seal,
            &notices.number,
            &notices.of,
            &notices.id,
            &notices.address,
            &notices.body,
            &notices.due_ms,
            &notices.tries,
            &notices.seal,
        ]
    }
}

/// What became of an append in its statement.
enum Judged {
    Done,
    Duplicate(RequestRow),
    Conflict,
    Busy,
}

/// Writes a group. Appends to one match, and those that more belongs to than one statement does, come one after the other.
///
/// # Errors
///
/// Then the outcome is unknown.
pub async fn append(
    way: &Way,
    seals: &Seals,
    group: Vec<Append>,
) -> Result<Vec<Appended>, StoreError> {
    let mut all: Vec<Option<Appended>> = Vec::new();
    all.resize_with(group.len(), || None);
    let mut left: Vec<(usize, Append)> = group.into_iter().enumerate().collect();
    let mut client = way.client().await?;
    while !left.is_empty() {
        let since = way.warnings();
        let (now, later) = next_together(left);
        left = later;
        let judged = match &now[..] {
            [(_, one)] if has_more(one) => vec![with_more(&mut client, seals, one).await?],
            _ => {
                let heads = heads(&client, &now).await?;
                together(&client, seals, &now, &heads).await?
            }
        };
        way.without_warning(since)?;
        // What another one wrote is told as done only when it is as safe as what is written now.
        let repeats = judged.iter().any(|one| matches!(one, Judged::Duplicate(_)));
        if repeats && !judged.iter().any(|one| matches!(one, Judged::Done)) {
            probe(&client).await?;
            way.without_warning(since)?;
        }
        for ((place, append), judged) in now.into_iter().zip(judged) {
            all[place] = Some(match judged {
                Judged::Done => Appended::Done,
                Judged::Duplicate(row) => Appended::Duplicate(row),
                Judged::Conflict => Appended::Conflict,
                Judged::Busy => Appended::Busy(Box::new(append)),
            });
        }
    }
    let all: Option<Vec<Appended>> = all.into_iter().collect();
    all.ok_or_else(|| StoreError::Engine("an append came to nothing".into()))
}

type Placed = (usize, Append);

/// The first appends that go in one statement, and the others.
fn next_together(left: Vec<Placed>) -> (Vec<Placed>, Vec<Placed>) {
    let (mut now, mut later): (Vec<Placed>, Vec<Placed>) = (Vec::new(), Vec::new());
    let mut taken = BTreeSet::new();
    for (place, append) in left {
        let alone = has_more(&append);
        let full = now.len() == TOGETHER || now.iter().any(|(_, first)| has_more(first));
        // Whatever comes behind another one of its match stays behind it.
        if taken.insert(append.id.clone()) && !full && (!alone || now.is_empty()) {
            now.push((place, append));
        } else {
            later.push((place, append));
        }
    }
    (now, later)
}

/// Whether something is revoked or erased with an append.
fn has_more(append: &Append) -> bool {
    append.revoke_seat.is_some() || append.erase.is_some()
}

/// The hash that each log ends with, looked up where whoever appends does not say it.
async fn heads(client: &Object, group: &[Placed]) -> Result<Vec<Hash>, StoreError> {
    let said = |append: &Append| match append.create {
        Some(_) => Some(chain::start(&append.id)),
        None => append.head,
    };
    let unknown = group.iter().filter(|(_, append)| said(append).is_none());
    let unknown: Vec<Uuid> = unknown.map(|(_, append)| key(&append.id)).collect();
    let mut found = Vec::new();
    if !unknown.is_empty() {
        let sql = client
            .prepare_cached("SELECT id, chain FROM matches WHERE id = ANY($1)")
            .await?;
        for row in client.query(&sql, &[&unknown]).await? {
            found.push((get::<Uuid>(&row, 0)?, hash(&row, 1)?));
        }
    }
    let of = |append: &Append| {
        let id = key(&append.id);
        let found = found
            .iter()
            .find(|(of, _)| *of == id)
            .map(|(_, head)| *head);
        said(append).or(found).unwrap_or_default()
    };
    Ok(group.iter().map(|(_, append)| of(append)).collect())
}

/// What the server does with an append by itself, as it tells it.
///
/// # Errors
///
/// When it refuses it.
pub async fn plan(
    client: &Object,
    seals: &Seals,
    append: Append,
) -> Result<Vec<tokio_postgres::Row>, StoreError> {
    let of_it = [(0, append)];
    let heads = heads(client, &of_it).await?;
    let mut columns = Columns::default();
    columns.add(seals, &of_it[0].1, heads[0])?;
    let explain = format!("{EXPLAIN} {APPEND}");
    Ok(client.query(&explain, &columns.values()).await?)
}

/// Writes appends to different matches, each behind its head.
async fn together(
    client: &impl deadpool_postgres::GenericClient,
    seals: &Seals,
    group: &[Placed],
    heads: &[Hash],
) -> Result<Vec<Judged>, StoreError> {
    let mut columns = Columns::default();
    for ((_, append), head) in group.iter().zip(heads) {
        columns.add(seals, append, *head)?;
    }
    let statement = client.prepare_cached(APPEND).await?;
    let rows = client.query(&statement, &columns.values()).await?;
    let mut judged: Vec<Option<Judged>> = Vec::new();
    judged.resize_with(group.len(), || None);
    for row in rows {
        let i = usize::try_from(get::<i32>(&row, 0)?).unwrap_or(usize::MAX);
        let Some((_, append)) = group.get(i) else {
            continue;
        };
        let (done, is_there): (bool, bool) = (get(&row, 1)?, get(&row, 2)?);
        let is_current: Option<bool> = get(&row, 3)?;
        let is_current = is_current.unwrap_or(false);
        let known: Option<&[u8]> = get(&row, 5)?;
        judged[i] = Some(match (known, &append.request) {
            (Some(receipt), Some(asked)) => {
                let known = RequestRow {
                    digest: hash(&row, 4)?,
                    receipt: receipt.to_vec(),
                    ..asked.clone()
                };
                let seal = request_seal(seals, key(&append.id), &known);
                Judged::Duplicate(sealed("requests", known, get(&row, 6)?, seal)?)
            }
            _ if done => Judged::Done,
            // Somebody makes the match just now, and has perhaps answered this very request.
            _ if append.create.is_some() && !is_there => Judged::Busy,
            _ if append.create.is_some() || !is_there || is_current => Judged::Conflict,
            _ => Judged::Busy,
        });
    }
    let judged: Option<Vec<Judged>> = judged.into_iter().collect();
    judged.ok_or_else(|| StoreError::Engine("an append came to nothing".into()))
}

/// Writes an append with what it revokes and erases, in one transaction.
async fn with_more(
    client: &mut Object,
    seals: &Seals,
    append: &Append,
) -> Result<Judged, StoreError> {
    let of_it = [(0, append.clone())];
    let head = heads(client, &of_it).await?;
    let transaction = client.transaction().await?;
    // What it revokes comes before what it grants, and so before the rest.
    let id = key(&append.id);
    let locked = "SELECT FROM matches WHERE id = $1 FOR NO KEY UPDATE SKIP LOCKED";
    let mine = transaction.query(locked, &[&id]).await?;
    let there = "SELECT FROM matches WHERE id = $1";
    if mine.is_empty() && !transaction.query(there, &[&id]).await?.is_empty() {
        return Ok(Judged::Busy);
    }
    if let Some(seat) = append.revoke_seat {
        let select =
            format!("SELECT {TOKEN} FROM tokens WHERE match = $1 AND seat = $2 AND NOT revoked");
        let rows = transaction.query(&select, &[&id, &i16::from(seat)]).await?;
        for row in &rows {
            let row = token(seals, row)?.row;
            let revoke =
                "UPDATE tokens SET revoked = true, seal = $3 WHERE match = $1 AND hash = $2";
            let seal = token_seal(seals, &row, true);
            transaction
                .execute(revoke, &[&id, &&row.hash[..], &&seal[..]])
                .await?;
        }
    }
    let judged = together(&transaction, seals, &of_it, &head).await?;
    let judged = judged.into_iter().next();
    let judged = judged.ok_or_else(|| StoreError::Engine("an append came to nothing".into()))?;
    if !matches!(judged, Judged::Done) {
        transaction.rollback().await?;
        return Ok(judged);
    }
    match &append.erase {
        None => {}
        Some(Erase::Names(digests)) => {
            let digests: Vec<&[u8]> = digests.iter().map(|digest| &digest[..]).collect();
            let names = "DELETE FROM names WHERE match = $1 AND digest = ANY($2)";
            transaction.execute(names, &[&id, &digests]).await?;
            // All that claimed a seat: whoever made those is neither the host nor has a token. What asks for this stays.
            let requests = "DELETE FROM requests r WHERE match = $1 AND request_id <> $3
                 AND NOT EXISTS (SELECT FROM matches m WHERE m.id = $1 AND m.host = r.principal)
                 AND NOT EXISTS (SELECT FROM tokens t WHERE t.match IN ($1, $2) AND t.hash = r.principal)";
            let asked = append.request.as_ref();
            let asked = asked.map_or("", |asked| asked.request_id.as_str());
            transaction
                .execute(requests, &[&id, &NO_MATCH, &asked])
                .await?;
        }
        Some(Erase::Match { archive }) => {
            for table in ["entries", "tokens", "names", "snapshots", "notices"] {
                let delete = format!("DELETE FROM {table} WHERE match = $1");
                transaction.execute(&delete, &[&id]).await?;
            }
            transaction
                .execute("DELETE FROM matches WHERE id = $1", &[&id])
                .await?;
            let requests = "DELETE FROM requests WHERE match = $1 AND NOT lasting";
            if let Some(asked) = &append.request {
                let stays = "UPDATE requests SET lasting = true
                             WHERE match = $1 AND principal = $2 AND request_id = $3";
                transaction
                    .execute(stays, &[&id, &&asked.principal.0[..], &asked.request_id])
                    .await?;
            }
            transaction.execute(requests, &[&id]).await?;
            if let Some(archive) = archive {
                let delete = "DELETE FROM contents WHERE digest = $1";
                transaction.execute(delete, &[&&archive[..]]).await?;
            }
        }
    }
    if append.revoke_seat.is_some() || matches!(append.erase, Some(Erase::Match { .. })) {
        // This row is everybody's: it is held for as long as the commit takes, and no longer.
        count(&transaction, REVOCATIONS).await?;
    }
    transaction.commit().await?;
    Ok(judged)
}

/// How often something was revoked, as `meta` calls it.
pub const REVOCATIONS: &str = "revocations";

/// Counts something in `meta`.
pub async fn count(
    client: &impl deadpool_postgres::GenericClient,
    what: &str,
) -> Result<(), StoreError> {
    let count = "INSERT INTO meta (key, value) VALUES ($1, 1)
                 ON CONFLICT (key) DO UPDATE SET value = meta.value + 1";
    client.execute(count, &[&what]).await?;
    Ok(())
}

/// Writes something that means nothing, and no row that others write, too: a message in the log of the database, which is committed
/// as all else is.
///
/// # Errors
///
/// When it cannot be committed.
pub async fn probe(client: &Object) -> Result<(), StoreError> {
    let sql = "SELECT pg_logical_emit_message(true, 'referee', '')::text, current_setting('transaction_read_only')";
    let sql = client.prepare_cached(sql).await?;
    let row = client.query_one(&sql, &[]).await?;
    match get(&row, 1)? {
        "off" => Ok(()),
        // A message is written all the same.
        _ => Err(StoreError::Engine("the database is read-only".into())),
    }
}
