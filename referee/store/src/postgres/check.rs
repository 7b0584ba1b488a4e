//! Whether a database is what was written to it: what of a store does not belong to the log of one match.
//!
//! Referees may serve meanwhile: each statement is a transaction of its own, and locks nothing. Every row is read as a referee reads
//! it, which compares its seal; a match that is erased between two statements is none. Two statements go through whole tables, and have
//! as much time as that takes.

use std::fmt::Display;

use deadpool_postgres::{Object, Transaction};

use super::append::content_seal;
use super::engine::Postgres;
use super::schema::OF_MATCHES;
use super::values::{NO_MATCH, TELLS, get, hash, key, match_of, sealed};
use super::whole::answered;
use crate::copy::Whole as _;
use crate::{MatchId, Store as _, StoreError};

/// Matches that are listed at a time.
const PAGE: usize = 256;

impl Postgres {
    /// Looks for damage in everything that is not the log of a match. Tells each finding, and goes on.
    pub fn inspect(&self, mut found: impl FnMut(String)) {
        let mut tell = |of: &dyn Display, read: Result<(), StoreError>| match read {
            Ok(()) => {}
            Err(StoreError::Damaged(why)) => {
                found(format!("{of}{}", why.strip_suffix(TELLS).unwrap_or(&why)));
            }
            Err(error) => found(format!("{of}it cannot be read: {error}")),
        };
        match self.outside() {
            Ok(outside) => {
                for digest in &outside.contents {
                    tell(&"contents: ", self.content(digest).map(drop));
                }
            }
            Err(error) => tell(&"", Err(error)),
        }
        tell(&"", self.channels().map(drop));
        tell(&"", self.owners().map(drop));
        // The request by which a match was erased stays.
        let of_others = OF_MATCHES.into_iter();
        for table in of_others.filter(|table| !["matches", "requests"].contains(table)) {
            tell(&"", self.is_of_matches(table));
        }
        match self.erased() {
            Ok(erased) => {
                for id in erased {
                    tell(&format_args!("matches/{id}: "), self.answered(&id));
                }
            }
            Err(error) => tell(&"", Err(error)),
        }
        let mut after = 0;
        loop {
            let page = match self.every(None, after, PAGE) {
                Ok(page) => page,
                Err(error) => return tell(&"no more matches: ", Err(error)),
            };
            let Some(last) = page.last() else { return };
            after = last.order;
            for row in &page {
                let of = format!("matches/{}: ", row.id);
                for read in self.parts(&row.id) {
                    tell(&of, read);
                }
            }
        }
    }

    /// What stands beside the log of a match, read part by part.
    fn parts(&self, id: &MatchId) -> Vec<Result<(), StoreError>> {
        let parts = vec![
            self.find(id).map(drop),
            self.names(id).map(drop),
            self.content_of(id),
            self.beside(id).map(drop),
        ];
        match self.find(id) {
            Ok(None) => Vec::new(),
            _ => parts,
        }
    }

    /// Compares the seal of the texts that a match is played by.
    fn content_of(&self, id: &MatchId) -> Result<(), StoreError> {
        let id = key(id);
        self.with(async move |client: Object, seals| {
            let sql =
                "SELECT content, content_seal FROM matches WHERE id = $1 AND content IS NOT NULL";
            let sql = client.prepare_cached(sql).await?;
            let Some(row) = client.query_opt(&sql, &[&id]).await? else {
                return Ok(());
            };
            let (digest, found): (_, Option<&[u8]>) = (hash(&row, 0)?, get(&row, 1)?);
            let seal = content_seal(&seals, id, &digest);
            sealed("matches", (), found.unwrap_or_default(), seal)
        })
    }

    /// Matches that are no more, and of which requests are remembered.
    fn erased(&self) -> Result<Vec<MatchId>, StoreError> {
        self.at_length(async |mut client: Object| {
            let transaction = unhurried(&mut client).await?;
            let sql = "SELECT DISTINCT match FROM requests r
                       WHERE match <> $1 AND NOT EXISTS (SELECT FROM matches m WHERE m.id = r.match)";
            let rows = transaction.query(sql, &[&NO_MATCH]).await?;
            rows.iter().map(|row| Ok(match_of(get(row, 0)?))).collect()
        })
    }

    /// Compares the seals of answers to requests.
    fn answered(&self, id: &MatchId) -> Result<(), StoreError> {
        let id = key(id);
        self.with(async move |client: Object, seals| answered(&client, &seals, id).await.map(drop))
    }

    /// That every row of a table belongs to a match, or to none.
    fn is_of_matches(&self, table: &str) -> Result<(), StoreError> {
        let sql = format!(
            "SELECT count(*) FROM {table} t WHERE match <> $1 AND NOT EXISTS (SELECT FROM matches m WHERE m.id = t.match)"
        );
        let damaged = format!("rows of {table} belong to no match");
        self.at_length(async move |mut client: Object| {
            let transaction = unhurried(&mut client).await?;
            let row = transaction.query_one(&sql, &[&NO_MATCH]).await?;
            match get(&row, 0)? {
                0_i64 => Ok(()),
                number => Err(StoreError::Damaged(format!("{number} {damaged}"))),
            }
        })
    }
}

/// A transaction in which a statement may take as long as it does.
async fn unhurried(client: &mut Object) -> Result<Transaction<'_>, StoreError> {
    let transaction = client.transaction().await?;
    let unbounded = "SET LOCAL statement_timeout = 0";
    transaction.batch_execute(unbounded).await?;
    Ok(transaction)
}
