//! What every table needs of the referee around it.

use std::sync::Arc;

use arc_swap::ArcSwap;
use tokio::sync::watch;

use super::metrics::Metrics;
use super::outages::Outages;
use super::scheduling::workers::Workers;
use crate::clock::Clock;
use crate::library::Library;
use crate::limits::Limits;
use crate::sandbox::Sandbox;
use crate::secrets::Keys;
use crate::store::{Journal, Store};
use crate::threads::Threads;

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
    /// When there was no referee: no clock runs then.
    pub outages: Outages,
}
