//! Whether a server keeps what it says it keeps. Each connection is asked when it is made: the server at its other end may be
//! another one than before, once a standby was promoted or a name means another machine.

use deadpool_postgres::{Hook, HookError};
use tokio_postgres::Client;

use super::address::SEARCH_PATH;
use crate::StoreError;

/// Versions of PostgreSQL that are known to do what is asked here: from 14 on rows of partitioned tables are changed together.
const VERSIONS: std::ops::RangeInclusive<i32> = 14..=18;

/// What is said of whatever does not hand on what a session is to have.
const POOLER: &str = "a pooler stands before the database that shares its connections among others (PgBouncer): name the database \
     itself, the referee pools its own connections";

/// What a server says of itself.
pub struct Said {
    /// Its major version.
    pub major: i32,
    /// Its version, as people read it.
    pub version: String,
    /// Whether it is a standby, which cannot be written to.
    pub is_standby: bool,
    /// The setting `fsync`.
    pub fsync: String,
    /// The setting `full_page_writes`.
    pub full_page_writes: String,
    /// The setting `synchronous_commit`.
    pub synchronous_commit: String,
    /// The setting `synchronous_standby_names`.
    pub synchronous_standbys: String,
    /// The setting `search_path`.
    pub search_path: String,
}

impl Said {
    async fn by(client: &Client) -> Result<Said, tokio_postgres::Error> {
        let row = client
            .query_one(
                "SELECT current_setting('server_version_num')::int / 10000, current_setting('server_version'),
                        pg_is_in_recovery(), current_setting('fsync'), current_setting('full_page_writes'),
                        current_setting('synchronous_commit'), current_setting('synchronous_standby_names'),
                        current_setting('search_path')",
                &[],
            )
            .await?;
        Ok(Said {
            major: row.try_get(0)?,
            version: row.try_get(1)?,
            is_standby: row.try_get(2)?,
            fsync: row.try_get(3)?,
            full_page_writes: row.try_get(4)?,
            synchronous_commit: row.try_get(5)?,
            synchronous_standbys: row.try_get(6)?,
            search_path: row.try_get(7)?,
        })
    }

    /// Returns what the server does not keep, and how to mend it; `None` if it is fit.
    pub fn refusal(&self) -> Option<String> {
        if !VERSIONS.contains(&self.major) {
            return Some(format!(
                "PostgreSQL {} is not supported: {} to {} are",
                self.version,
                VERSIONS.start(),
                VERSIONS.end()
            ));
        }
        if self.is_standby {
            return Some(
                "this is a standby, which cannot be written to: name the primary, or all hosts one after the other, and the \
                 one that can be written to is found"
                    .into(),
            );
        }
        // What a session is to have was kept from it.
        if self.search_path != SEARCH_PATH {
            return Some(POOLER.into());
        }
        for (setting, value) in [
            ("fsync", &self.fsync),
            ("full_page_writes", &self.full_page_writes),
        ] {
            if value == "off" {
                return Some(format!(
                    "`{setting}` is off: a power cut would lose what players were told is safe; turn it on"
                ));
            }
        }
        match &self.synchronous_commit[..] {
            "off" => Some(
                "`synchronous_commit` is off: a crash would lose what players were told is safe; turn it on for this user or \
                 database"
                    .into(),
            ),
            commit @ ("local" | "remote_write") if !self.synchronous_standbys.is_empty() => {
                Some(format!(
                    "there is a synchronous standby, and `synchronous_commit` is {commit}: a move would be called safe that the \
                     standby has not on its disk; set it to on"
                ))
            }
            _ => None,
        }
    }
}

/// Refuses a connection that was just made to a server that is not fit.
pub fn each_is_fit() -> Hook {
    Hook::async_fn(|client, _| {
        Box::pin(async move {
            let said = Said::by(client).await.map_err(HookError::Backend)?;
            match said.refusal() {
                None => Ok(()),
                Some(why) => Err(HookError::message(why)),
            }
        })
    })
}

/// What a refusal of a connection means, where the server's own words do not say it.
pub fn explained(error: StoreError) -> StoreError {
    match error {
        StoreError::Engine(said) if said.contains("does not allow writes") => StoreError::Unfit(
            "this is a standby, or read-only, and cannot be written to: name the primary, or all hosts one after the other \
             (`postgres://one,other/name`), and the one that can be written to is found"
                .into(),
        ),
        StoreError::Engine(said) if said.contains("unsupported startup parameter") => {
            StoreError::Unfit(POOLER.into())
        }
        other => other,
    }
}
