//! How referees hear of each other: PostgreSQL's notifications, on connections of their own.
//!
//! A notification that is sent by the transaction that it tells of would take a lock which lets commits pass one by one. So
//! these are sent afterwards, gathered: those of many matches in one. If one is lost (its sender ended in between, or a
//! connection broke), whoever listens looks for itself.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::{broadcast, mpsc, oneshot};
use tokio_postgres::Client;
use uuid::Uuid;

use super::connection::Way;
use crate::{MatchId, StoreError, WakeUp};

/// The channel's name.
const CHANNEL: &str = "referee";

/// Matches in one notification: its payload has fewer than 8,000 bytes.
const TOGETHER: usize = 100;

/// Time until a connection is tried again.
const AGAIN: Duration = Duration::from_millis(500);

/// What one referee tells the others at a time.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Told {
    /// Who tells it.
    from: String,
    /// Matches by id, and how many entries they have.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    grew: BTreeMap<String, u64>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    holders: BTreeSet<String>,
    #[serde(default)]
    listing: bool,
    #[serde(default)]
    notices: bool,
}

impl Told {
    fn add(&mut self, wake_up: WakeUp) {
        match wake_up {
            WakeUp::Grew(id, length) => {
                let known = self.grew.entry(id.to_string()).or_default();
                *known = length.max(*known);
            }
            WakeUp::Holder(label) => drop(self.holders.insert(label.to_string())),
            WakeUp::Listing => self.listing = true,
            WakeUp::Notices => self.notices = true,
            WakeUp::Missed => {}
        }
    }

    fn is_full(&self) -> bool {
        self.grew.len() + 2 * self.holders.len() >= TOGETHER
    }

    fn wake_ups(self) -> Vec<WakeUp> {
        let grew = self.grew.into_iter();
        let grew = grew.filter_map(|(id, length)| Some(WakeUp::Grew(MatchId::parse(&id)?, length)));
        let holders = self.holders.into_iter();
        let holders = holders.map(|label| WakeUp::Holder(label.into()));
        let rest = [
            (self.listing, WakeUp::Listing),
            (self.notices, WakeUp::Notices),
        ];
        let rest = rest.into_iter().filter(|(said, _)| *said);
        grew.chain(holders)
            .chain(rest.map(|(_, wake_up)| wake_up))
            .collect()
    }
}

/// Tells the others what comes, until nothing can come any more.
pub async fn tell(way: Way, me: Uuid, mut told: mpsc::UnboundedReceiver<WakeUp>) {
    while let Some(first) = told.recv().await {
        let mut all = Told {
            from: me.to_string(),
            ..Told::default()
        };
        all.add(first);
        while !all.is_full()
            && let Ok(more) = told.try_recv()
        {
            all.add(more);
        }
        // What cannot be told is looked for by the others themselves.
        if let Err(error) = send(&way, &all).await {
            tracing::debug!(%error, "others are not told of what was written");
        }
    }
}

async fn send(way: &Way, told: &Told) -> Result<(), StoreError> {
    let payload =
        serde_json::to_string(told).map_err(|error| StoreError::Engine(error.to_string()))?;
    way.in_time(async {
        let client = way.client().await?;
        let notify = client.prepare_cached("SELECT pg_notify($1, $2)").await?;
        client.query(&notify, &[&CHANNEL, &payload]).await?;
        Ok(())
    })
    .await
}

/// Hears what the others tell, for as long as there is an engine. `begun` is told once it hears, or could not at first.
pub async fn hear(
    way: Way,
    me: Uuid,
    heard: broadcast::Sender<WakeUp>,
    begun: oneshot::Sender<()>,
) {
    let mut begun = Some(begun);
    loop {
        let listening = listen(&way, me, &heard).await;
        if let Some(begun) = begun.take() {
            // Whoever opens the engine may have given up.
            let _ = begun.send(());
        }
        match listening {
            Ok(client) => {
                // Nobody knows what was told before.
                let _ = heard.send(WakeUp::Missed);
                while is_there(&way, &client).await {
                    tokio::time::sleep(AGAIN).await;
                }
            }
            Err(error) => tracing::warn!(%error, "what other referees do is not heard"),
        }
        tokio::time::sleep(AGAIN).await;
    }
}

/// Whether the other end of a connection still answers: one that hangs tells nothing any more.
async fn is_there(way: &Way, client: &Client) -> bool {
    let asked = async { Ok(client.batch_execute("").await?) };
    way.in_time(asked).await.is_ok()
}

async fn listen(
    way: &Way,
    me: Uuid,
    heard: &broadcast::Sender<WakeUp>,
) -> Result<Client, StoreError> {
    let (heard, me) = (heard.clone(), me.to_string());
    let notified = move |notification: tokio_postgres::Notification| {
        let told = serde_json::from_str::<Told>(notification.payload());
        // Whoever tells something of another form is of another version.
        let wake_ups = match told {
            Ok(told) if told.from == me => return,
            Ok(told) => told.wake_ups(),
            Err(_) => vec![WakeUp::Missed],
        };
        for wake_up in wake_ups {
            // Nobody may listen.
            let _ = heard.send(wake_up);
        }
    };
    let client = way.listener(notified).await?;
    let sql = format!("LISTEN {CHANNEL}");
    let begun = async { Ok(client.batch_execute(&sql).await?) };
    way.in_time(begun).await?;
    Ok(client)
}
