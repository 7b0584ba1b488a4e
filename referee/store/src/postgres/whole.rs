//! All of a store in PostgreSQL, to be copied, and what only copying writes.

use deadpool_postgres::Object;
use tokio_postgres::Row;
use uuid::Uuid;

use super::contract::ALIVE;
use super::engine::Postgres;
use super::people::{notices_where, revisions, sealed_value, tokens_where};
use super::values::{NO_MATCH, get, hash, key, request_seal, sealed};
use crate::copy::{Answered, Beside, Outside, Whole};
use crate::seals::Seals;
use crate::{MatchId, Outage, Principal, RequestRow, StoreError};

/// Answers to requests of a match, or of none.
pub async fn answered(
    client: &Object,
    seals: &Seals,
    of: Uuid,
) -> Result<Vec<Answered>, StoreError> {
    let sql = "SELECT principal, request_id, digest, receipt, lasting, seal FROM requests
               WHERE match = $1 ORDER BY principal, request_id COLLATE \"C\"";
    let sql = client.prepare_cached(sql).await?;
    let read = |row: &Row| {
        let request = RequestRow {
            principal: Principal(hash(row, 0)?),
            request_id: get(row, 1)?,
            digest: hash(row, 2)?,
            receipt: get(row, 3)?,
        };
        let seal = request_seal(seals, of, &request);
        let answered = Answered {
            row: request,
            lasting: get(row, 4)?,
        };
        sealed("requests", answered, get(row, 5)?, seal)
    };
    client.query(&sql, &[&of]).await?.iter().map(read).collect()
}

impl Whole for Postgres {
    fn beside(&self, id: &MatchId) -> Result<Beside, StoreError> {
        let id = key(id);
        self.with(async move |client: Object, seals| {
            let sql = "SELECT due_ms, open FROM matches WHERE id = $1";
            let row = client.query_one(sql, &[&id]).await?;
            Ok(Beside {
                due_ms: get(&row, 0)?,
                open: get(&row, 1)?,
                answered: answered(&client, &seals, id).await?,
                tokens: tokens_where(&client, &seals, "match = $1 ORDER BY ord", &[&id]).await?,
                notices: notices_where(&client, &seals, "match = $1 ORDER BY id", &[&id]).await?,
            })
        })
    }

    fn outside(&self) -> Result<Outside, StoreError> {
        self.with(async |client: Object, seals| {
            let alive = "SELECT value FROM meta WHERE key = 'alive_ms'";
            let alive = client.query_opt(alive, &[]).await?;
            let learned = "SELECT key, value, seal FROM learned ORDER BY key COLLATE \"C\"";
            let learned = client.query(learned, &[]).await?;
            let learned = learned.iter().map(|row| {
                let name: String = get(row, 0)?;
                let value = sealed_value(&seals, "learned", name.as_bytes(), row, 1)?;
                Ok((name, value))
            });
            let contents = client.query("SELECT digest FROM contents ORDER BY digest", &[]);
            let contents = contents.await?;
            let of_none = answered(&client, &seals, NO_MATCH).await?;
            Ok(Outside {
                alive_ms: alive.map(|row| get(&row, 0)).transpose()?,
                answered: of_none.into_iter().map(|answered| answered.row).collect(),
                tokens: tokens_where(&client, &seals, "match = $1 ORDER BY ord", &[&NO_MATCH])
                    .await?,
                revisions: revisions(&client, &seals, "true ORDER BY ord", &[]).await?,
                learned: learned.collect::<Result<_, StoreError>>()?,
                contents: contents
                    .iter()
                    .map(|row| hash(row, 0))
                    .collect::<Result<_, _>>()?,
            })
        })
    }

    fn remember(&self, answered: &[(Option<MatchId>, Answered)]) -> Result<(), StoreError> {
        let answered = answered.to_vec();
        self.write(async move |mut client: Object, seals| {
            let transaction = client.transaction().await?;
            let insert = "INSERT INTO requests (match, principal, request_id, digest, receipt, lasting, seal)
                          VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING";
            let insert = transaction.prepare(insert).await?;
            for (of, Answered { row, lasting }) in &answered {
                let of = of.as_ref().map_or(NO_MATCH, key);
                let seal = request_seal(&seals, of, row);
                let (principal, digest, seal) = (&row.principal.0[..], &row.digest[..], &seal[..]);
                transaction
                    .execute(
                        &insert,
                        &[&of, &principal, &row.request_id, &digest, &row.receipt, lasting, &seal],
                    )
                    .await?;
            }
            Ok(transaction.commit().await?)
        })
    }

    fn remember_outages(
        &self,
        outages: &[Outage],
        alive_ms: Option<i64>,
    ) -> Result<(), StoreError> {
        let outages = outages.to_vec();
        self.write(async move |mut client: Object, _| {
            let transaction = client.transaction().await?;
            for Outage { from_ms, to_ms } in &outages {
                let put = "INSERT INTO outages VALUES ($1, $2) ON CONFLICT DO NOTHING";
                transaction.execute(put, &[from_ms, to_ms]).await?;
            }
            if let Some(alive_ms) = alive_ms {
                transaction.execute(ALIVE, &[&alive_ms]).await?;
            }
            Ok(transaction.commit().await?)
        })
    }
}
