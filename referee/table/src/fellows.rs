//! What other referees do that serve from the same store: their moves come to the tables that are open here.
//!
//! They tell of what they have written, and some of that may be lost: so the lengths of the logs of all open matches are
//! looked at now and then. A store that nobody else serves from has nothing to tell.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::broadcast::error::RecvError;
use tokio::time::Instant;

use super::metrics::Metric;
use super::registry::Registry;
use super::scheduling::workers;
use referee_store::{MatchId, WakeUp};

/// Time between two looks at the lengths of all open matches.
const LOOK: Duration = Duration::from_secs(1);

/// Looks after which those are told who follow lists, whether or not anything was heard.
const LISTS: u32 = 5;

/// Matches that are looked at with one question.
const TOGETHER: usize = 1000;

/// Follows the others until the holder of the registry is gone.
pub async fn follow_others<T: Send + Sync + 'static>(
    holder: Weak<T>,
    registry: fn(&T) -> &Registry,
) {
    let heard = {
        let Some(held) = holder.upgrade() else { return };
        let store = registry(&held).parts().store.clone();
        store.shared().map(|shared| shared.wake_ups())
    };
    let Some(mut heard) = heard else { return };
    let (mut next, mut looks) = (Instant::now() + LOOK, 0);
    loop {
        let wake_up = tokio::select! {
            biased;
            () = tokio::time::sleep_until(next) => None,
            heard = heard.recv() => Some(match heard {
                Ok(wake_up) => wake_up,
                Err(RecvError::Lagged(_)) => WakeUp::Missed,
                Err(RecvError::Closed) => return,
            }),
        };
        let Some(held) = holder.upgrade() else { return };
        let registry = registry(&held);
        match wake_up {
            Some(WakeUp::Missed) => {
                registry.parts().metrics.count(Metric::WakeUpMissed);
                look(registry).await;
                tell_all(registry);
            }
            Some(wake_up) => {
                registry.parts().metrics.count(Metric::WakeUpHeard);
                heed(registry, wake_up);
            }
            None => {
                look(registry).await;
                looks += 1;
                if looks % LISTS == 0 {
                    tell_all(registry);
                }
                next = Instant::now() + LOOK;
            }
        }
    }
}

fn heed(registry: &Registry, wake_up: WakeUp) {
    let parts = registry.parts();
    match wake_up {
        WakeUp::Grew(id, length) => drop(catch_up(registry, &id, length)),
        WakeUp::Listing => parts.listing.send_modify(|count| *count += 1),
        WakeUp::Holder(label) => drop(parts.holders.send(label)),
        WakeUp::Notices => parts.notices.notify_one(),
        WakeUp::Missed => tell_all(registry),
    }
}

/// Tells everybody who follows lists that something may have changed.
fn tell_all(registry: &Registry) {
    heed(registry, WakeUp::Listing);
    heed(registry, WakeUp::Holder(Arc::from("")));
    heed(registry, WakeUp::Notices);
}

/// Reads on in a match whose log is so long; says whether there was more than is known here.
fn catch_up(registry: &Registry, id: &MatchId, length: u64) -> bool {
    let behind = registry.opened(id).filter(|table| table.is_behind(length));
    let is_behind = behind.is_some();
    if let Some(table) = behind {
        tokio::spawn(async move { table.catch_up(length).await });
    }
    is_behind
}

/// Looks at the lengths of all open matches.
async fn look(registry: &Registry) {
    let open = registry.open_ids();
    for ids in open.chunks(TOGETHER) {
        let (store, ids) = (registry.parts().store.clone(), ids.to_vec());
        let lengths = move || {
            let shared = store.shared();
            shared.map_or_else(|| Ok(Vec::new()), |shared| shared.lengths(&ids))
        };
        match workers::blocking(&registry.parts().threads, lengths).await {
            Ok(Ok(lengths)) => {
                for (id, length) in lengths {
                    if catch_up(registry, &id, length) {
                        registry.parts().metrics.count(Metric::WakeUpUnheard);
                    }
                }
            }
            Ok(Err(error)) => return tracing::warn!(%error, "what others write cannot be read"),
            Err(error) => return tracing::warn!(?error, "what others write cannot be read"),
        }
    }
}
