//! Tidying up: lobbies that nobody starts end, requests of matches that are over are forgotten, and matches that were over
//! for long are archived and deleted, if the operator says so. Nothing is deleted that is not in an archive on the disk first.

use std::path::Path;
use std::sync::Weak;
use std::time::Duration;

use crate::Referee;
use crate::calls::Failure;
use crate::retention::{Retention, keep};
use referee_contract::v1::Reason;
use referee_store::log;
use referee_store::{MatchRow, MatchState, StoreError};
use referee_table::{Act, Metric, Queue, Table, TableError, archive};

/// What was tidied up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tidied {
    /// Lobbies that were ended.
    pub ended: u64,
    /// Matches of which the requests were forgotten.
    pub forgotten: u64,
    /// Matches that were archived and deleted.
    pub deleted: u64,
    /// Matches with which neither could be done; the log says why.
    pub failed: u64,
}

/// Time until the first look, so that starting is not slower for it, and between two.
const FIRST: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_secs(600);

/// Matches that are listed at a time.
const TOGETHER: usize = 256;

const DAY: Duration = Duration::from_secs(24 * 3600);

/// Tidies up now and then, until the referee is gone.
pub async fn tidy_up(referee: Weak<Referee>) {
    tokio::time::sleep(FIRST).await;
    loop {
        let Some(referee) = referee.upgrade() else {
            return;
        };
        if let Err(error) = referee.tidy().await {
            tracing::warn!(?error, "nothing could be tidied up");
        }
        drop(referee);
        tokio::time::sleep(PAUSE).await;
    }
}

impl Referee {
    /// Ends lobbies that are too old, forgets requests of matches that are over, and deletes matches that were over for long enough.
    pub(super) async fn tidy(&self) -> Result<Tidied, Failure> {
        let _alone = self.tidying.lock().await;
        let mut tidied = Tidied::default();
        let idle = self.limits().lobby_idle;
        for row in self.unchanged(MatchState::Lobby, idle).await? {
            let ended = match self.table(&row.id).await {
                Ok(table) => table.act_unasked(Act::Cancel).await.map_err(Failure::from),
                Err(failure) => Err(failure),
            };
            match ended {
                Ok(()) => {
                    tracing::info!(id = %row.id, "a lobby has ended: nobody has started it");
                    self.registry.parts().metrics.count(Metric::LobbyEnded);
                    tidied.ended += 1;
                }
                Err(error) => {
                    tracing::warn!(id = %row.id, ?error, "an old lobby could not be ended");
                    tidied.failed += 1;
                }
            }
        }
        tidied.forgotten = self.forget_requests().await?;
        let Some(Retention { days, archives }) = &self.retention else {
            return Ok(tidied);
        };
        for row in self.unchanged(MatchState::Finished, DAY * *days).await? {
            match self.retire(&row, archives).await {
                Ok(true) => {
                    tracing::info!(id = %row.id, "a match is archived and deleted");
                    self.registry.parts().metrics.count(Metric::MatchDeleted);
                    tidied.deleted += 1;
                }
                Ok(false) => {}
                // Somebody else has deleted it.
                Err(failure) if failure.reason() == Reason::NotFound => {}
                Err(error) => {
                    tracing::warn!(id = %row.id, ?error, "a match stays, since it could not be archived");
                    tidied.failed += 1;
                }
            }
        }
        Ok(tidied)
    }

    /// The time that was so long ago, in milliseconds.
    fn ms_before(&self, time: Duration) -> i64 {
        let ms = i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        self.now_ms().saturating_sub(ms)
    }

    /// Forgets what requests were answered in matches that were over for long enough that nobody repeats them; gives in
    /// how many matches.
    async fn forget_requests(&self) -> Result<u64, Failure> {
        let before = self.ms_before(self.limits().request_memory);
        let parts = self.registry.parts().clone();
        let forget = move || {
            let (mut count, mut after) = (0, 0);
            loop {
                let rows = parts.store.remembered(after, TOGETHER)?;
                let Some(last) = rows.last() else {
                    return Ok(count);
                };
                after = last.order;
                for row in rows {
                    if log::changed_ms(&*parts.store, &row.id)?.is_some_and(|at| at < before) {
                        parts.store.forget_requests(&row.id)?;
                        count += 1;
                    }
                }
            }
        };
        self.read::<u64>(forget).await
    }

    /// Matches that are so far, and have not changed for so many days.
    async fn unchanged(&self, state: MatchState, time: Duration) -> Result<Vec<MatchRow>, Failure> {
        let before = self.ms_before(time);
        let parts = self.registry.parts().clone();
        let look = move || {
            let (mut found, mut after) = (Vec::new(), 0);
            loop {
                let rows = parts.store.every(Some(state), after, TOGETHER)?;
                let Some(last) = rows.last() else {
                    return Ok(found);
                };
                after = last.order;
                // Whatever is younger has not been still for so long.
                for row in rows.into_iter().filter(|row| row.created_ms < before) {
                    if log::changed_ms(&*parts.store, &row.id)?.is_some_and(|at| at < before) {
                        found.push(row);
                    }
                }
            }
        };
        self.read::<Vec<MatchRow>>(look).await
    }

    /// Archives a match and deletes it; does nothing with one that came from an archive: somebody wanted it here.
    async fn retire(&self, row: &MatchRow, archives: &Path) -> Result<bool, Failure> {
        let (store, id) = (self.registry.parts().store.clone(), row.id.clone());
        if self
            .read(move || log::began_elsewhere(&*store, &id))
            .await?
        {
            return Ok(false);
        }
        let table = self.table(&row.id).await?;
        self.archive(&table, row, archives).await?;
        table.act_unasked(Act::Delete).await?;
        self.auth.forget_match(&row.id);
        Ok(true)
    }

    async fn archive(&self, table: &Table, row: &MatchRow, folder: &Path) -> Result<(), Failure> {
        let (parts, snapshot) = (self.registry.parts().clone(), table.snapshot());
        let name = format!("{}-{}.jsonl", row.ruleset, row.id);
        let folder = folder.to_owned();
        let work = move || -> Result<(), TableError> {
            let text = archive::export(&parts, &snapshot)?;
            keep(&folder, &name, text.as_bytes()).map_err(|error| {
                let path = folder.join(&name);
                tracing::error!(path = %path.display(), %error, "an archive cannot be written");
                StoreError::Engine(error.to_string()).into()
            })
        };
        Ok(self.workers().run(Queue::Making, work).await??)
    }
}
