//! What every table needs of the referee around it.

use std::sync::Arc;

use arc_swap::ArcSwap;
use tokio::sync::{Notify, broadcast, watch};

use super::metrics::Metrics;
use super::outages::Outages;
use super::scheduling::workers::Workers;
use referee_library::Library;
use referee_sandbox::Sandbox;
use referee_sandbox::limits::Limits;
use referee_store::clock::Clock;
use referee_store::secrets::Keys;
use referee_store::threads::Threads;
use referee_store::{Journal, Store};

/// Claims that a listener may be behind before it must look for itself.
const CLAIMS: usize = 1024;

/// Where it is told who has claimed seats.
pub fn holders() -> broadcast::Sender<Arc<str>> {
    broadcast::Sender::new(CLAIMS)
}

/// What every table needs.
pub struct Parts {
    /// The store, for reading.
    pub store: Arc<dyn Store>,
    /// The store's one writer.
    pub journal: Journal,
    /// The root key.
    pub keys: Keys,
    /// Runs rules.
    pub workers: Workers,
    /// Where the disk is waited for.
    pub threads: Threads,
    /// Rulesets, as they are offered now.
    pub library: ArcSwap<Library>,
    /// Where texts of strangers are tried.
    pub sandbox: Sandbox,
    /// Limits.
    pub limits: Limits,
    /// What time it is.
    pub clock: Clock,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// How often something changed of what is listed for everybody.
    pub listing: watch::Sender<u64>,
    /// Labels of players who have just claimed seats; an empty one if anybody may have.
    pub holders: broadcast::Sender<Arc<str>>,
    /// Whoever tells other servers something is woken by this when there is more of it.
    pub notices: Arc<Notify>,
    /// When there was no referee: no clock runs then.
    pub outages: Outages,
}
