//! What every engine does, done by PostgreSQL.

use deadpool_postgres::Object;

use super::engine::{CLAIM, Postgres};
use super::matches::Listed;
use super::values::{before, get, key, match_of, most, signed};
use super::{append, matches, people, values};
use crate::{
    Append, Appended, Change, ChannelRow, Hash, HeldRow, Kept, ListedRevision, ListedToken,
    MatchId, MatchRow, MatchState, NOTED, NameRow, NoticeRow, OUTAGES, Outage, OwnerRow, Principal,
    RequestRow, RevisionRow, Shared, Store, StoreError, StoredEntry, TokenRow, WakeUp, Wanted,
    wake_ups as told_of,
};

/// Groups that are written at a time: while one waits for the disk or a standby, others are judged.
const LANES: usize = 4;

/// Puts when it was noted last that there is a referee.
pub const ALIVE: &str =
    "INSERT INTO meta VALUES ('alive_ms', $1) ON CONFLICT (key) DO UPDATE SET value = $1";

impl Store for Postgres {
    fn lanes(&self) -> usize {
        LANES
    }

    fn shared(&self) -> Option<&dyn Shared> {
        Some(self)
    }

    fn append(&self, group: Vec<Append>) -> Result<Vec<Appended>, StoreError> {
        let (way, seals) = (self.way.unowned(), self.seals.clone());
        let told: Vec<Vec<WakeUp>> = group.iter().map(told_of).collect();
        let done = self
            .way
            .wait(async move { append::append(&way, &seals, group).await })?;
        for (told, _) in told
            .into_iter()
            .zip(&done)
            .filter(|(_, done)| **done == Appended::Done)
        {
            for wake_up in told {
                // The engine lives as long as this.
                let _ = self.tell.send(wake_up);
            }
        }
        Ok(done)
    }

    fn probe(&self) -> Result<(), StoreError> {
        self.write(async |client: Object, _| append::probe(&client).await)
    }

    fn alive(&self, now_ms: i64, _begins: bool) -> Result<(), StoreError> {
        self.write(async move |mut client: Object, _| {
            let transaction = client.transaction().await?;
            let select = "SELECT value FROM meta WHERE key = 'alive_ms' FOR UPDATE";
            let row = transaction.query_opt(select, &[]).await?;
            let last: Option<i64> = row.map(|row| get(&row, 0)).transpose()?;
            transaction.execute(ALIVE, &[&now_ms]).await?;
            if let Some(last) = last.filter(|last| now_ms.saturating_sub(*last) >= NOTED) {
                let put = "INSERT INTO outages VALUES ($1, $2) ON CONFLICT DO NOTHING";
                transaction.execute(put, &[&last, &now_ms]).await?;
                let forget = "DELETE FROM outages WHERE from_ms NOT IN
                              (SELECT from_ms FROM outages ORDER BY from_ms DESC LIMIT $1)";
                transaction.execute(forget, &[&most(OUTAGES)]).await?;
            }
            Ok(transaction.commit().await?)
        })
    }

    fn outages(&self) -> Result<Vec<Outage>, StoreError> {
        self.with(async |client: Object, _| {
            let rows = client
                .query("SELECT from_ms, to_ms FROM outages", &[])
                .await?;
            let outage = |row: &tokio_postgres::Row| {
                Ok(Outage {
                    from_ms: get(row, 0)?,
                    to_ms: get(row, 1)?,
                })
            };
            rows.iter().map(outage).collect()
        })
    }

    fn read(&self, id: &MatchId, from: u64, limit: usize) -> Result<Vec<StoredEntry>, StoreError> {
        let id = id.clone();
        self.with(async move |client: Object, _| matches::read(&client, &id, from, limit).await)
    }

    fn names(&self, id: &MatchId) -> Result<Vec<NameRow>, StoreError> {
        let id = id.clone();
        self.with(async move |client: Object, seals| matches::names(&client, &seals, &id).await)
    }

    fn find(&self, id: &MatchId) -> Result<Option<Kept>, StoreError> {
        let id = id.clone();
        self.with(async move |client: Object, seals| matches::find(&client, &seals, &id).await)
    }

    fn request(
        &self,
        of: Option<&MatchId>,
        principal: Principal,
        request_id: &str,
    ) -> Result<Option<RequestRow>, StoreError> {
        let (of, request_id) = (of.cloned(), request_id.to_owned());
        self.write(async move |client: Object, seals| {
            let found =
                matches::request(&client, &seals, of.as_ref(), principal, &request_id).await?;
            if found.is_some() {
                // It is told as done: so it must be as safe as if it were written now.
                append::probe(&client).await?;
            }
            Ok(found)
        })
    }

    fn list(
        &self,
        wanted: Wanted<'_>,
        older: Option<u64>,
        limit: usize,
    ) -> Result<Vec<MatchRow>, StoreError> {
        let wanted = Listed {
            host: wanted.host,
            state: wanted.state,
            player: wanted.player.map(str::to_owned),
            ..Listed::default()
        };
        self.listed(wanted, (true, before(older)?), limit)
    }

    fn listed(
        &self,
        state: MatchState,
        older: Option<u64>,
        limit: usize,
    ) -> Result<Vec<MatchRow>, StoreError> {
        let wanted = Listed {
            state: Some(state),
            open: true,
            ..Listed::default()
        };
        Postgres::listed(self, wanted, (true, before(older)?), limit)
    }

    fn every(
        &self,
        state: Option<MatchState>,
        after: u64,
        limit: usize,
    ) -> Result<Vec<MatchRow>, StoreError> {
        let wanted = Listed {
            state,
            ..Listed::default()
        };
        Postgres::listed(self, wanted, (false, signed(after)?), limit)
    }

    fn remembered(&self, after: u64, limit: usize) -> Result<Vec<MatchRow>, StoreError> {
        let wanted = Listed {
            state: Some(MatchState::Finished),
            remembered: true,
            ..Listed::default()
        };
        Postgres::listed(self, wanted, (false, signed(after)?), limit)
    }

    fn forget_requests(&self, id: &MatchId) -> Result<(), StoreError> {
        let id = key(id);
        self.write(async move |client: Object, _| {
            let requests = "DELETE FROM requests WHERE match = $1 AND NOT lasting";
            client.execute(requests, &[&id]).await?;
            let snapshot = "DELETE FROM snapshots WHERE match = $1";
            client.execute(snapshot, &[&id]).await?;
            Ok(())
        })
    }

    fn due(&self, now_ms: i64, limit: usize) -> Result<Vec<MatchId>, StoreError> {
        let me = self.me;
        self.with(async move |client: Object, _| {
            // Claims stand in rows of their own, so that no row of `matches` is locked: an append would pass it by. Whoever
            // claims one at the same moment waits for that row until this statement ends, and then does not get it.
            let sql = format!(
                "WITH due AS MATERIALIZED (
                     SELECT m.id, m.due_ms FROM matches m LEFT JOIN claims c ON c.match = m.id
                     WHERE m.due_ms IS NOT NULL AND m.due_ms <= $1
                     AND (c.match IS NULL OR c.holder = $2 OR c.until < now())
                     ORDER BY m.due_ms LIMIT $3
                 ), ours AS (
                     INSERT INTO claims SELECT id, $2, now() + interval '{CLAIM}' FROM due ORDER BY id
                     ON CONFLICT (match) DO UPDATE SET holder = excluded.holder, until = excluded.until
                     WHERE claims.holder = excluded.holder OR claims.until < now()
                     RETURNING match
                 )
                 SELECT due.id FROM due JOIN ours ON ours.match = due.id ORDER BY due.due_ms"
            );
            let sql = client.prepare_cached(&sql).await?;
            let rows = client.query(&sql, &[&now_ms, &me, &most(limit)]).await?;
            rows.iter().map(|row| Ok(match_of(get(row, 0)?))).collect()
        })
    }

    fn token(&self, hash: &Hash, of: Option<&MatchId>) -> Result<Option<TokenRow>, StoreError> {
        let (hash, of) = (*hash, of.cloned());
        self.with(async move |client: Object, seals| people::find(&client, &seals, hash, of).await)
    }

    fn held_in(&self, holder: &str, id: &MatchId) -> Result<Option<TokenRow>, StoreError> {
        let (holder, id) = (holder.to_owned(), id.clone());
        self.with(async move |client: Object, seals| {
            people::held_in(&client, &seals, &holder, &id).await
        })
    }

    fn held(
        &self,
        holder: &str,
        state: Option<MatchState>,
        older: Option<u64>,
        limit: usize,
    ) -> Result<Vec<HeldRow>, StoreError> {
        let holder = holder.to_owned();
        self.with(async move |client: Object, _| {
            matches::held(&client, holder, state, older, limit).await
        })
    }

    fn learn(&self, learned: &str, value: &[u8]) -> Result<(), StoreError> {
        let (learned, value) = (learned.to_owned(), value.to_vec());
        self.write(async move |client: Object, seals| {
            let seal = people::kept_seal(&seals, "learned", learned.as_bytes(), &value);
            let put = "INSERT INTO learned VALUES ($1, $2, $3)
                       ON CONFLICT (key) DO UPDATE SET value = excluded.value, seal = excluded.seal";
            client.execute(put, &[&learned, &value, &&seal[..]]).await?;
            Ok(())
        })
    }

    fn learned(&self, learned: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let learned = learned.to_owned();
        self.with(async move |client: Object, seals| {
            let sql = "SELECT value, seal FROM learned WHERE key = $1";
            let row = client.query_opt(sql, &[&learned]).await?;
            people::kept(&seals, "learned", learned.as_bytes(), row)
        })
    }

    fn notices(&self, until_ms: i64, limit: usize) -> Result<Vec<NoticeRow>, StoreError> {
        self.with(async move |client: Object, seals| {
            people::notices(&client, &seals, until_ms, most(limit)).await
        })
    }

    fn settle_notice(&self, notice: &NoticeRow, again_ms: Option<i64>) -> Result<(), StoreError> {
        let (of, id) = (key(&notice.of), notice.id.to_vec());
        let tries = i32::try_from(notice.tries).unwrap_or(i32::MAX);
        self.write(async move |client: Object, _| {
            match again_ms {
                None => {
                    let delete = "DELETE FROM notices WHERE match = $1 AND id = $2";
                    client.execute(delete, &[&of, &id]).await?
                }
                Some(again_ms) => {
                    let again = "UPDATE notices SET due_ms = $3, tries = tries + 1
                                 WHERE match = $1 AND id = $2 AND tries = $4";
                    client
                        .execute(again, &[&of, &id, &again_ms, &tries])
                        .await?
                }
            };
            Ok(())
        })
    }

    fn revocations(&self) -> Result<u64, StoreError> {
        self.with(async |client: Object, _| people::number(&client, append::REVOCATIONS).await)
    }

    fn grant(&self, token: &TokenRow) -> Result<(), StoreError> {
        let token = token.clone();
        self.write(async move |client: Object, seals| people::grant(&client, &seals, &token).await)
    }

    fn tokens(&self, older: Option<u64>, limit: usize) -> Result<Vec<ListedToken>, StoreError> {
        let before = before(older)?;
        self.with(async move |client: Object, seals| {
            people::tokens(&client, &seals, before, most(limit)).await
        })
    }

    fn settle_by(
        &self,
        publisher: Option<&str>,
        change: &Change,
        request: &RequestRow,
    ) -> Result<Appended, StoreError> {
        let (change, request) = (change.clone(), request.clone());
        let publisher = publisher.map(str::to_owned);
        self.write(async move |mut client: Object, seals| {
            let none = values::NO_MATCH;
            let seal = values::request_seal(&seals, none, &request);
            let transaction = client.transaction().await?;
            // Whoever asks the same at the same moment waits here.
            let insert = "INSERT INTO requests (match, principal, request_id, digest, receipt, lasting, seal)
                          VALUES ($1, $2, $3, $4, $5, true, $6) ON CONFLICT DO NOTHING";
            let inserted = transaction
                .execute(
                    insert,
                    &[
                        &none,
                        &&request.principal.0[..],
                        &request.request_id,
                        &&request.digest[..],
                        &request.receipt,
                        &&seal[..],
                    ],
                )
                .await?;
            if inserted > 0 {
                people::settle(&transaction, &seals, &change).await?;
                if let (Some(publisher), Some(ruleset)) = (publisher, change.ruleset())
                    && !people::may_change(&transaction, &seals, ruleset, &publisher).await?
                {
                    transaction.rollback().await?;
                    return Ok(Appended::Conflict);
                }
                transaction.commit().await?;
                return Ok(Appended::Done);
            }
            transaction.rollback().await?;
            append::probe(&client).await?;
            let (principal, id) = (request.principal, &request.request_id);
            let known = matches::request(&client, &seals, None, principal, id).await?;
            let gone = || StoreError::Engine("an answer is there, and is not".into());
            known.map(Appended::Duplicate).ok_or_else(gone)
        })
    }

    fn change(&self, change: &Change) -> Result<(), StoreError> {
        let change = change.clone();
        self.write(async move |mut client: Object, seals| {
            let transaction = client.transaction().await?;
            people::settle(&transaction, &seals, &change).await?;
            Ok(transaction.commit().await?)
        })
    }

    fn offer(&self, revision: &RevisionRow) -> Result<(), StoreError> {
        let revision = revision.clone();
        self.write(async move |client: Object, seals| {
            people::offer(&client, &seals, &revision).await
        })
    }

    fn offered(&self, ruleset: &str, digest: &Hash) -> Result<bool, StoreError> {
        let (ruleset, digest) = (ruleset.to_owned(), digest.to_vec());
        self.with(async move |client: Object, seals| {
            let which = "ruleset = $1 AND digest = $2";
            let found = people::revisions(&client, &seals, which, &[&ruleset, &digest]).await?;
            Ok(!found.is_empty())
        })
    }

    fn revisions(
        &self,
        ruleset: &str,
        older: Option<u64>,
        limit: usize,
    ) -> Result<Vec<ListedRevision>, StoreError> {
        let (ruleset, before, limit) = (ruleset.to_owned(), before(older)?, most(limit));
        self.with(async move |client: Object, seals| {
            let which = "ruleset = $1 AND ord < $2 ORDER BY ord DESC LIMIT $3";
            people::revisions(&client, &seals, which, &[&ruleset, &before, &limit]).await
        })
    }

    fn channels(&self) -> Result<Vec<ChannelRow>, StoreError> {
        self.with(async |client: Object, seals| people::channels(&client, &seals).await)
    }

    fn owners(&self) -> Result<Vec<OwnerRow>, StoreError> {
        self.with(async |client: Object, seals| people::owners(&client, &seals).await)
    }

    fn yanked(&self) -> Result<Vec<RevisionRow>, StoreError> {
        self.with(async |client: Object, seals| {
            let which = "yanked IS NOT NULL ORDER BY ord";
            let found = people::revisions(&client, &seals, which, &[]).await?;
            Ok(found.into_iter().map(|listed| listed.row).collect())
        })
    }

    fn put_snapshot(&self, id: &MatchId, snapshot: &[u8]) -> Result<(), StoreError> {
        let (id, snapshot) = (key(id), snapshot.to_vec());
        self.with(async move |mut client: Object, _| {
            let transaction = client.transaction().await?;
            // It may be lost: nobody waits for the disk.
            let quick = "SET LOCAL synchronous_commit = off";
            transaction.batch_execute(quick).await?;
            transaction
                .execute(matches::PUT_SNAPSHOT, &[&id, &snapshot])
                .await?;
            Ok(transaction.commit().await?)
        })
    }

    fn snapshot(&self, id: &MatchId) -> Result<Option<Vec<u8>>, StoreError> {
        let id = key(id);
        self.with(async move |client: Object, _| {
            let sql = client.prepare_cached(matches::SNAPSHOT).await?;
            let row = client.query_opt(&sql, &[&id]).await?;
            row.map(|row| get(&row, 0)).transpose()
        })
    }

    fn delete_snapshot(&self, id: &MatchId) -> Result<(), StoreError> {
        let id = key(id);
        self.with(async move |client: Object, _| {
            let delete = "DELETE FROM snapshots WHERE match = $1";
            client.execute(delete, &[&id]).await?;
            Ok(())
        })
    }

    fn put_content(&self, digest: &Hash, content: &[u8]) -> Result<(), StoreError> {
        let (digest, content) = (digest.to_vec(), content.to_vec());
        self.write(async move |client: Object, seals| {
            let seal = people::kept_seal(&seals, "contents", &digest, &content);
            let put = "INSERT INTO contents VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
            client
                .execute(put, &[&digest, &content, &&seal[..]])
                .await?;
            Ok(())
        })
    }

    fn content(&self, digest: &Hash) -> Result<Option<Vec<u8>>, StoreError> {
        let digest = digest.to_vec();
        self.with(async move |client: Object, seals| {
            let sql = "SELECT content, seal FROM contents WHERE digest = $1";
            let sql = client.prepare_cached(sql).await?;
            let row = client.query_opt(&sql, &[&digest]).await?;
            people::kept(&seals, "contents", &digest, row)
        })
    }
}
