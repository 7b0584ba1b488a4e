//! What only an engine does from which several referees serve.

use std::sync::PoisonError;
use std::time::{Duration, Instant};

use deadpool_postgres::Object;
use tokio::sync::broadcast;
use tokio_postgres::types::ToSql;

use super::engine::{CLAIM, Postgres};
use super::values::key;
use super::{matches, people};
use crate::clock::Clock;
use crate::{Connections, MatchId, NoticeRow, Shared, StoreError, WakeUp};

/// How often it is said anew that somebody acts in a match.
const CLAIMED: Duration = Duration::from_secs(3);

/// Claims that are remembered; beyond that the memory starts anew.
const REMEMBERED: usize = 1 << 14;

impl Shared for Postgres {
    fn clock(&self) -> Clock {
        self.clock.clock()
    }

    fn wake_ups(&self) -> broadcast::Receiver<WakeUp> {
        self.heard.subscribe()
    }

    fn lengths(&self, ids: &[MatchId]) -> Result<Vec<(MatchId, u64)>, StoreError> {
        let ids = ids.to_vec();
        self.with(async move |client: Object, _| matches::lengths(&client, ids).await)
    }

    fn claim(&self, id: &MatchId) -> Result<bool, StoreError> {
        let claims = || self.claims.lock().unwrap_or_else(PoisonError::into_inner);
        let recent = |said: &Instant| said.elapsed() < CLAIMED;
        if claims().get(id).is_some_and(recent) {
            return Ok(true);
        }
        let (me, of) = (self.me, key(id));
        let ours = self.with(async move |client: Object, _| {
            let sql = format!(
                "INSERT INTO claims VALUES ($1, $2, now() + interval '{CLAIM}')
                 ON CONFLICT (match) DO UPDATE SET holder = excluded.holder, until = excluded.until
                 WHERE claims.holder = excluded.holder OR claims.until < now()"
            );
            let sql = client.prepare_cached(&sql).await?;
            Ok(client.execute(&sql, &[&of, &me]).await? > 0)
        })?;
        let mut claims = claims();
        match ours {
            true => {
                if claims.len() >= REMEMBERED {
                    claims.clear();
                }
                claims.insert(id.clone(), Instant::now());
            }
            false => drop(claims.remove(id)),
        }
        Ok(ours)
    }

    fn take_notice(&self, notice: &NoticeRow, until_ms: i64) -> Result<bool, StoreError> {
        let (of, id, due_ms) = (key(&notice.of), notice.id.to_vec(), notice.due_ms);
        self.with(async move |client: Object, _| {
            // Nobody waits for another who takes it at the same moment.
            let sql = "UPDATE notices SET due_ms = $4 WHERE (match, id) IN (
                           SELECT match, id FROM notices WHERE match = $1 AND id = $2 AND due_ms = $3
                           FOR UPDATE SKIP LOCKED
                       ) AND match = $1";
            let sql = client.prepare_cached(sql).await?;
            let values: [&(dyn ToSql + Sync); 4] = [&of, &id, &due_ms, &until_ms];
            Ok(client.execute(&sql, &values).await? > 0)
        })
    }

    fn connections(&self) -> Connections {
        self.way.connections()
    }

    fn publications(&self) -> Result<u64, StoreError> {
        self.with(async |client: Object, _| people::number(&client, people::PUBLICATIONS).await)
    }
}
