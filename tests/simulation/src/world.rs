//! One world: a referee with its disk and its network, and how it fares.
//!
//! Whoever lives in it ([`people`](crate::people)) calls through [`World::ask`], which notes every call, and insists
//! until there is an answer of the referee's. [`World::weather`] has the referee crash and come back, and the disk fill
//! up, until it is told to be calm.

use std::fmt::Debug;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fastrand::Rng;
use hyper_util::rt::TokioIo;
use referee::client::{Call, Client, error_info};
use referee::clock::Clock;
use referee::library::Library;
use referee::limits::Limits;
use referee::secrets::Keys;
use referee::server::{Config, Running, StoreChoice, start};
use referee::store::StoreError;
use referee::store::faults::{Faulty, Moment, Operation};
use referee::store::sqlite::Sqlite;
use referee::threads::{Job, Threads};
use tokio::time::Instant;
use tonic::transport::Endpoint;
use tonic::{Code, Status};

use crate::disk::{Disk, FOLDER, Trouble};
use crate::network::Network;
use crate::system;
use crate::trace::{Step, Trace};

/// How long a client waits for an answer.
const PATIENCE: Duration = Duration::from_secs(15);

/// A world.
pub struct World {
    /// What happens in it.
    pub trace: Trace,
    network: Network,
    disk: Disk,
    keys: Keys,
    library: Library,
    random: Mutex<Rng>,
    /// Which of two worlds it is that differ in secrets alone, if it is one of them.
    secrets: Option<u64>,
    /// The referee that runs, if one does.
    running: Mutex<Option<(Running, Arc<AtomicBool>)>>,
    /// Nothing goes wrong any more.
    calm: AtomicBool,
    /// When nothing went wrong: from when, and until when if that is over.
    spells: Mutex<Vec<(Instant, Option<Instant>)>>,
    over: AtomicBool,
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The file of its store.
pub fn store_path() -> String {
    format!("{FOLDER}/referee.sqlite")
}

impl World {
    /// The world of a seed, in which no referee runs yet.
    ///
    /// # Errors
    ///
    /// When it cannot be made, which has nothing to do with the seed.
    pub fn new(
        seed: u64,
        secrets: Option<u64>,
        library: Library,
        trace: Trace,
    ) -> Result<Arc<World>, String> {
        let mut random = Rng::with_seed(seed);
        Ok(Arc::new(World {
            trace,
            network: Network::new(random.fork()),
            disk: Disk::begin().map_err(|code| format!("SQLite takes no disk: {code}"))?,
            keys: Keys::random().map_err(|error| error.to_string())?,
            library,
            random: Mutex::new(random),
            secrets,
            running: Mutex::new(None),
            calm: AtomicBool::new(false),
            spells: Mutex::default(),
            over: AtomicBool::new(false),
        }))
    }

    /// A stream of random numbers of somebody's own.
    pub fn random(&self) -> Rng {
        held(&self.random).fork()
    }

    /// Whether nothing new is begun any more.
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::SeqCst)
    }

    /// Nothing new is begun from now on.
    pub fn end(&self) {
        self.over.store(true, Ordering::SeqCst);
    }

    /// Whether nothing goes wrong any more.
    pub fn is_calm(&self) -> bool {
        self.calm.load(Ordering::SeqCst)
    }

    /// Nothing goes wrong from now on.
    pub fn set_calm(&self) {
        self.calm.store(true, Ordering::SeqCst);
        self.set_fair(true);
        self.disk.trouble(None);
    }

    /// Nothing goes wrong for a while, or again something does.
    fn set_fair(&self, fair: bool) {
        self.network.set_calm(fair);
        let now = Instant::now();
        let mut spells = held(&self.spells);
        let open = spells.last_mut().filter(|(_, until)| until.is_none());
        match open {
            Some((_, until)) if !fair => *until = Some(now),
            None if fair => spells.push((now, None)),
            _ => {}
        }
    }

    fn is_fair(&self) -> bool {
        let spells = held(&self.spells);
        spells.last().is_some_and(|(_, until)| until.is_none())
    }

    /// Whether nothing went wrong between two moments, nor shortly before.
    pub fn was_fair(&self, from: Instant, until: Instant) -> bool {
        /// Until what was late has come.
        const BEFORE: Duration = Duration::from_secs(6);
        let spells = held(&self.spells);
        spells
            .iter()
            .any(|(since, end)| *since + BEFORE <= from && end.is_none_or(|end| until <= end))
    }

    /// Which of two worlds it is that differ in secrets alone, if it is one of them.
    pub fn secrets(&self) -> Option<u64> {
        self.secrets
    }

    /// Notes what somebody was told. Where two worlds differ in secrets alone, everybody is told the same in both, but
    /// for the first seats, who have the secrets, and whoever makes matches, who is told what their seeds are hashed to.
    pub fn told(&self, who: &str, what: &impl Debug) {
        if self.secrets.is_none() {
            return;
        }
        match who.split(" of ").next() {
            _ if who.starts_with("seat 1 of") || who.starts_with("watcher of seat 1 of") => {
                self.trace.secret(&format!("{what:?}"));
            }
            Some("seat 2" | "seat 3" | "watcher" | "spectator") => {
                self.trace.note(format!("{who} is told {what:?}"));
            }
            _ => {}
        }
    }

    /// How many connections were lost.
    pub fn broken(&self) -> u64 {
        self.network.broken()
    }

    /// Rulesets.
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// The store's key.
    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    /// Does something with the referee that runs; none if there is none.
    pub fn with_running<T>(&self, act: impl FnOnce(&Running) -> T) -> Option<T> {
        held(&self.running)
            .as_ref()
            .map(|(running, _)| act(running))
    }

    // ---- the referee

    /// Where the referee does what takes long: in this thread, some time later.
    fn threads(self: &Arc<Self>, gone: &Arc<AtomicBool>) -> Threads {
        let (world, gone) = (Arc::downgrade(self), gone.clone());
        let handle = tokio::runtime::Handle::current();
        let random = Mutex::new(self.random());
        Threads::own(2, move |job: Job| {
            let Some(world) = world.upgrade() else { return };
            let (calm, gone) = (world.is_fair(), gone.clone());
            let mut random = held(&random);
            let wait = match random.u16(0..200) {
                0 if !calm => random.u64(100..2500),
                n if n < 80 => 0,
                _ => 1,
            };
            handle.spawn(async move {
                match wait {
                    0 => tokio::task::yield_now().await,
                    wait => tokio::time::sleep(Duration::from_millis(wait)).await,
                }
                if !gone.load(Ordering::SeqCst) {
                    job();
                }
            });
        })
    }

    /// Starts a referee; tells whether it did.
    pub async fn start(self: &Arc<Self>) -> bool {
        let opened = match Sqlite::open(Path::new(&store_path()), &self.keys) {
            Ok(opened) => opened,
            Err(error) => {
                self.trace.note(format!("the store does not open: {error}"));
                if self.is_calm() {
                    self.trace
                        .fault(format!("the store does not open: {error}"));
                }
                return false;
            }
        };
        let gone = Arc::new(AtomicBool::new(false));
        let (trace, dead) = (self.trace.clone(), gone.clone());
        let store = Faulty::new(opened, move |operation, moment| {
            if dead.load(Ordering::SeqCst) {
                return Err(StoreError::Closed);
            }
            let commits = [Operation::Append, Operation::Settle, Operation::Grant];
            if moment == Moment::After && commits.contains(&operation) {
                trace.step(Step::Commit, format!("{operation:?}"));
            }
            Ok(())
        });
        let choice = StoreChoice::Own(Arc::new(store), self.keys.clone());
        let mut config = Config::new(([127, 0, 0, 1], 1).into(), choice, self.library.clone());
        config.limits = Limits {
            heartbeat: Duration::from_secs(30),
            store_probe: Duration::from_secs(3),
            stream_stall: Duration::from_secs(4),
            calls_per_second: u32::MAX,
            failed_authentications: u32::MAX,
            memory_mib: u32::MAX >> 1,
            open_matches: 5,
            ..Limits::default()
        };
        config.testing = true;
        let trace = self.trace.clone();
        config.clock = Clock::told_by(move || system::DATE * 1000 + trace.now_ms() as i64);
        config.threads = self.threads(&gone);
        config.connections = Some(self.network.listen());
        match start(config).await {
            Ok(running) => {
                self.trace.note("a referee starts");
                *held(&self.running) = Some((running, gone));
                true
            }
            Err(error) => {
                gone.store(true, Ordering::SeqCst);
                self.network.unplug();
                self.trace
                    .note(format!("a referee does not start: {error}"));
                if self.is_calm() {
                    self.trace
                        .fault(format!("a referee does not start: {error}"));
                }
                false
            }
        }
    }

    /// The power of its machine goes.
    pub fn crash(&self) {
        let running = held(&self.running).take();
        if let Some((running, gone)) = running {
            gone.store(true, Ordering::SeqCst);
            self.network.unplug();
            running.abort();
        }
        // How much is written may hang on secrets: of two worlds both lose the same.
        let chance = held(&self.random).fork();
        self.disk.crash(self.secrets.is_none().then_some(chance));
        self.trace.step(Step::Crash, "");
    }

    /// It is stopped as it should be.
    pub async fn stop(&self) {
        let running = held(&self.running).take();
        if let Some((running, gone)) = running {
            self.trace.note("the referee stops");
            running.stop().await;
            // Whoever is still there is cut off.
            gone.store(true, Ordering::SeqCst);
            self.network.unplug();
        }
    }

    /// What befalls the referee until it is to be calm.
    pub async fn weather(self: Arc<Self>) {
        let mut random = self.random();
        while !self.is_calm() {
            tokio::time::sleep(Duration::from_millis(random.u64(500..9000))).await;
            if self.is_calm() {
                break;
            }
            match random.u8(0..12) {
                0..6 => self.crash(),
                6..8 => self.stop().await,
                8..10 => {
                    self.trace.note("fair weather");
                    self.set_fair(true);
                    tokio::time::sleep(Duration::from_millis(random.u64(10_000..30_000))).await;
                    if !self.is_calm() {
                        self.set_fair(false);
                    }
                    continue;
                }
                _ => {
                    let trouble = *random
                        .choice(&[Trouble::Full, Trouble::Unsynced])
                        .unwrap_or(&Trouble::Full);
                    self.trace.note(format!("the disk: {trouble:?}"));
                    self.disk.trouble(Some(trouble));
                    tokio::time::sleep(Duration::from_millis(random.u64(10..1500))).await;
                    self.disk.trouble(None);
                    self.trace.note("the disk is well");
                    // Of what could not be synced nobody knows whether it is there.
                    match random.bool() {
                        true => self.crash(),
                        false => continue,
                    }
                }
            }
            tokio::time::sleep(Duration::from_millis(random.u64(1..1500))).await;
            while !self.start().await {
                self.crash();
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }

    // ---- calls

    /// A connection of somebody's own, made when it is needed.
    pub fn client(&self) -> Client {
        let network = self.network.clone();
        let connector = tower::service_fn(move |_| {
            let network = network.clone();
            async move { network.connect().await.map(TokioIo::new) }
        });
        Client::on(Endpoint::from_static("http://referee").connect_with_connector_lazy(connector))
    }

    /// A call, and its answer. An answer that is none of the referee's says nothing of what was done.
    ///
    /// # Errors
    ///
    /// What the referee says, or that it does not say anything.
    pub async fn ask<R: Call>(
        &self,
        who: &str,
        client: &Client,
        request: R,
    ) -> Result<R::Answer, Status> {
        let what = R::PATH.rsplit('/').next().unwrap_or_default();
        self.trace.note(format!("{who} calls {what}"));
        let answered = tokio::time::timeout(PATIENCE, client.call(request)).await;
        let answered = answered.unwrap_or_else(|_| Err(Status::deadline_exceeded("no answer")));
        let said = match &answered {
            Ok(_) => "OK".to_owned(),
            Err(status) => match error_info(status) {
                Some(info) => info.reason,
                None => {
                    self.trace.note(format!("{who} has no answer of {what}"));
                    return answered;
                }
            },
        };
        match &answered {
            Ok(answer) => self.told(who, answer),
            Err(status) => self.told(who, &(status.message(), status.details())),
        }
        self.trace.step(Step::Call, format!("{who} {what}"));
        self.trace
            .step(Step::Answer, format!("{who} {what}: {said}"));
        if said == "INTERNAL" {
            let status = answered.as_ref().err().map(ToString::to_string);
            self.trace.fault(format!("{who} {what}: {status:?}"));
        }
        answered
    }

    /// Calls until the referee has answered for good.
    ///
    /// # Errors
    ///
    /// What the referee says.
    pub async fn insist<R: Call>(
        &self,
        who: &str,
        client: &Client,
        request: R,
    ) -> Result<R::Answer, Status> {
        let mut pause = 20;
        loop {
            match self.ask(who, client, request.clone()).await {
                Err(status) if !is_final(&status) => {
                    tokio::time::sleep(Duration::from_millis(pause)).await;
                    pause = (pause * 2).min(1000);
                }
                answered => return answered,
            }
        }
    }
}

/// Whether this is the referee's last word, which calling again does not change.
pub fn is_final(status: &Status) -> bool {
    error_info(status).is_some()
        && !matches!(
            status.code(),
            Code::Unavailable | Code::DeadlineExceeded | Code::ResourceExhausted
        )
}
