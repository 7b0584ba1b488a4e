//! One world: a referee with its disk and its network, or several with a store that they share, and how they fare.
//!
//! Whoever lives in it ([`people`](crate::people)) calls through [`World::ask`], which notes every call, and insists
//! until there is an answer of a referee's. [`World::weather`] has referees crash and come back, and the disk fill
//! up or the store be out of reach, until it is told to be calm.

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
use referee::store::faults::{Faulty, Moment, Operation};
use referee::store::sqlite::Sqlite;
use referee::store::{Store, StoreError};
use referee::threads::{Job, Threads};
use tokio::time::Instant;
use tonic::transport::Endpoint;
use tonic::{Code, Status};

use crate::caller::Caller;
use crate::disk::{Disk, FOLDER, Trouble};
use crate::league::League;
use crate::life::Life;
use crate::network::Network;
use crate::system;
use crate::trace::{Step, Trace};

/// How long a client waits for an answer.
const PATIENCE: Duration = Duration::from_secs(15);

/// A world.
pub struct World {
    /// What happens in it.
    pub trace: Trace,
    kept: Kept,
    sites: Vec<Site>,
    keys: Keys,
    library: Library,
    random: Mutex<Rng>,
    /// Which of two worlds it is that differ in secrets alone, if it is one of them.
    secrets: Option<u64>,
    /// Nothing goes wrong any more.
    calm: AtomicBool,
    /// When nothing went wrong: from when, and until when if that is over.
    spells: Mutex<Vec<(Instant, Option<Instant>)>>,
    over: AtomicBool,
}

/// Where matches are kept.
enum Kept {
    /// On a disk, by a referee that is alone.
    Disk(Disk),
    /// In a store that several referees share.
    League(League),
}

/// A machine on which a referee runs, if one does, and the way to it.
struct Site {
    /// What its clock is ahead of the true time, in milliseconds.
    ahead_ms: i64,
    network: Network,
    running: Mutex<Option<(Running, Arc<Life>)>>,
}

/// Referees of a league.
const REFEREES: usize = 3;

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The file of its store.
pub fn store_path() -> String {
    format!("{FOLDER}/referee.sqlite")
}

impl World {
    /// The world of a seed, in which no referee runs yet; of several with one store, or of one that is alone.
    ///
    /// # Errors
    ///
    /// When it cannot be made, which has nothing to do with the seed.
    pub fn new(
        seed: u64,
        league: bool,
        secrets: Option<u64>,
        library: Library,
        trace: Trace,
    ) -> Result<Arc<World>, String> {
        let mut random = Rng::with_seed(seed);
        let count = if league { REFEREES } else { 1 };
        let sites = (0..count).map(|_| Site {
            ahead_ms: if league { random.i64(-9000..9000) } else { 0 },
            network: Network::new(random.fork()),
            running: Mutex::new(None),
        });
        let sites = sites.collect();
        let kept = match league {
            true => Kept::League(League::new(random.fork(), &trace)),
            false => {
                Kept::Disk(Disk::begin().map_err(|code| format!("SQLite takes no disk: {code}"))?)
            }
        };
        Ok(Arc::new(World {
            trace,
            kept,
            sites,
            keys: Keys::random().map_err(|error| error.to_string())?,
            library,
            random: Mutex::new(random),
            secrets,
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
        match &self.kept {
            Kept::Disk(disk) => disk.trouble(None),
            Kept::League(league) => league.set_away(false),
        }
    }

    /// Nothing goes wrong for a while, or again something does.
    fn set_fair(&self, fair: bool) {
        for site in &self.sites {
            site.network.set_calm(fair);
        }
        if let Kept::League(league) = &self.kept {
            league.set_fair(fair);
        }
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
        self.sites.iter().map(|site| site.network.broken()).sum()
    }

    /// Whether several referees serve: then each knows a moment later what was done at another.
    pub fn is_league(&self) -> bool {
        self.sites.len() > 1
    }

    /// How long it takes at most until every referee knows what was done at one of them some time ago.
    pub fn known_everywhere(&self, done: Instant) -> Duration {
        let now = Instant::now();
        Duration::from_millis(match self.is_league() {
            false => 0,
            // They look once a second, and a look takes a moment.
            true if self.was_fair(done, now) => 1500,
            // A look may fail, and take its time.
            true => 15_000,
        })
    }

    /// Rulesets.
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// The store's key.
    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    /// Does something with a referee that runs; none if there is none.
    pub fn with_running<T>(&self, act: impl FnOnce(&Running) -> T) -> Option<T> {
        let running = self.sites.iter().map(|site| held(&site.running));
        let running = running.into_iter().find(|running| running.is_some())?;
        running.as_ref().map(|(running, _)| act(running))
    }

    /// Does something with the store; none if it belongs to a referee and none runs.
    pub fn with_store<T>(&self, act: impl FnOnce(&dyn Store) -> T) -> Option<T> {
        match &self.kept {
            Kept::Disk(_) => self.with_running(|running| act(running.store())),
            Kept::League(league) => Some(act(league.memory())),
        }
    }

    /// The store that several referees share, if this is one.
    pub fn league(&self) -> Option<&League> {
        match &self.kept {
            Kept::Disk(_) => None,
            Kept::League(league) => Some(league),
        }
    }

    // ---- referees

    /// Where a referee does what takes long: in this thread, some time later.
    fn threads(self: &Arc<Self>, life: &Arc<Life>) -> Threads {
        let (world, life) = (Arc::downgrade(self), life.clone());
        let handle = tokio::runtime::Handle::current();
        let random = Mutex::new(self.random());
        Threads::own(2, move |job: Job| {
            let Some(world) = world.upgrade() else { return };
            // Whoever is gone begins nothing, in whatever order it is let go.
            if life.is_over() {
                return;
            }
            let (calm, life) = (world.is_fair(), life.clone());
            let mut random = held(&random);
            let wait = |random: &mut Rng| match random.u16(0..200) {
                0 if !calm => random.u64(100..2500),
                n if n < 80 => 0,
                _ => 1,
            };
            let there = wait(&mut random);
            // A store that others share is not on this machine: answers have a way back, and what was sent may be done though
            // nobody is there any more.
            let apart = world
                .is_league()
                .then(|| (wait(&mut random), random.bool()));
            handle.spawn(async move {
                pass(there).await;
                if life.is_over() && apart.is_none_or(|(_, arrives)| !arrives) {
                    return;
                }
                let tell = life.carry_out(job);
                if let Some((back, _)) = apart {
                    pass(back).await;
                }
                if !life.is_over() {
                    tell();
                }
            });
        })
    }

    /// The store as a process on this machine sees it.
    fn store(&self, life: &Arc<Life>) -> Result<Arc<dyn Store>, StoreError> {
        if let Kept::League(league) = &self.kept {
            return Ok(Arc::new(league.join(life)));
        }
        let opened = Sqlite::open(Path::new(&store_path()), &self.keys)?;
        let (trace, life) = (self.trace.clone(), life.clone());
        let hook = move |operation, moment| {
            if life.is_over() {
                return Err(StoreError::Closed);
            }
            let commits = [Operation::Append, Operation::Settle, Operation::Grant];
            if moment == Moment::After && commits.contains(&operation) {
                trace.step(Step::Commit, format!("{operation:?}"));
            }
            Ok(())
        };
        Ok(Arc::new(Faulty::new(opened, hook)))
    }

    /// Has a referee start on every machine, however often that fails.
    pub async fn begin(self: &Arc<Self>) {
        for site in 0..self.sites.len() {
            while !self.start(site).await {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }

    /// What is called so in the trace, of several referees or of one.
    fn called(&self, what: &str, site: usize) -> String {
        match self.is_league() {
            true => format!("{what} {}", site + 1),
            false => what.to_owned(),
        }
    }

    /// Starts a referee on a machine; tells whether it did.
    async fn start(self: &Arc<Self>, number: usize) -> bool {
        let site = &self.sites[number];
        let life = Arc::new(Life::default());
        let store = match self.store(&life) {
            Ok(store) => store,
            Err(error) => {
                self.trace.note(format!("the store does not open: {error}"));
                if self.is_calm() {
                    self.trace
                        .fault(format!("the store does not open: {error}"));
                }
                return false;
            }
        };
        let choice = StoreChoice::Own(store, self.keys.clone());
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
        let (trace, ahead) = (self.trace.clone(), site.ahead_ms);
        config.clock = Clock::told_by(move || system::DATE * 1000 + trace.now_ms() as i64 + ahead);
        config.threads = self.threads(&life);
        config.connections = Some(site.network.listen());
        match start(config).await {
            Ok(running) => {
                let what = self.called("a referee", number);
                self.trace.note(format!("{what} starts"));
                *held(&site.running) = Some((running, life));
                true
            }
            Err(error) => {
                life.end();
                site.network.unplug();
                let what = self.called("a referee", number);
                self.trace.note(format!("{what} does not start: {error}"));
                if self.is_calm() {
                    self.trace.fault(format!("{what} does not start: {error}"));
                }
                false
            }
        }
    }

    /// The power of a machine goes.
    fn crash(&self, number: usize) {
        let site = &self.sites[number];
        let running = held(&site.running).take();
        if let Some((running, life)) = running {
            life.end();
            site.network.unplug();
            running.abort();
        }
        if let Kept::Disk(disk) = &self.kept {
            // How much is written may hang on secrets: of two worlds both lose the same.
            let chance = held(&self.random).fork();
            disk.crash(self.secrets.is_none().then_some(chance));
        }
        self.trace.step(Step::Crash, self.called("", number));
    }

    /// All referees are stopped as they should be.
    pub async fn stop(&self) {
        for site in 0..self.sites.len() {
            self.stop_one(site).await;
        }
    }

    async fn stop_one(&self, number: usize) {
        let site = &self.sites[number];
        let running = held(&site.running).take();
        if let Some((running, life)) = running {
            let what = self.called("the referee", number);
            self.trace.note(format!("{what} stops"));
            running.stop().await;
            // Whoever is still there is cut off.
            life.end();
            site.network.unplug();
        }
    }

    /// What befalls referees, one at a time, until it is to be calm.
    pub async fn weather(self: Arc<Self>) {
        let mut random = self.random();
        while !self.is_calm() {
            tokio::time::sleep(Duration::from_millis(random.u64(500..9000))).await;
            if self.is_calm() {
                break;
            }
            let site = match self.is_league() {
                true => random.usize(0..self.sites.len()),
                false => 0,
            };
            match random.u8(0..12) {
                0..6 => self.crash(site),
                6..8 => self.stop_one(site).await,
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
                    self.trouble(&mut random).await;
                    // Of what could not be written nobody knows whether it is there.
                    match random.bool() {
                        true => self.crash(site),
                        false => continue,
                    }
                }
            }
            tokio::time::sleep(Duration::from_millis(random.u64(1..1500))).await;
            while !self.start(site).await {
                self.crash(site);
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }

    /// For a moment nothing can be written: the disk is full or does not sync, or nobody can reach the store that is shared.
    async fn trouble(&self, random: &mut Rng) {
        match &self.kept {
            Kept::Disk(disk) => {
                let trouble = *random
                    .choice(&[Trouble::Full, Trouble::Unsynced])
                    .unwrap_or(&Trouble::Full);
                self.trace.note(format!("the disk: {trouble:?}"));
                disk.trouble(Some(trouble));
                tokio::time::sleep(Duration::from_millis(random.u64(10..1500))).await;
                disk.trouble(None);
                self.trace.note("the disk is well");
            }
            Kept::League(league) => {
                self.trace.note("the store is out of reach");
                league.set_away(true);
                tokio::time::sleep(Duration::from_millis(random.u64(10..1500))).await;
                league.set_away(false);
                self.trace.note("the store is in reach");
            }
        }
    }

    // ---- calls

    /// Connections of somebody's own to every referee, made when they are needed.
    pub fn client(&self) -> Caller {
        let connect = |site: &Site| {
            let network = site.network.clone();
            let connector = tower::service_fn(move |_| {
                let network = network.clone();
                async move { network.connect().await.map(TokioIo::new) }
            });
            let endpoint = Endpoint::from_static("http://referee");
            Client::on(endpoint.connect_with_connector_lazy(connector))
        };
        let clients = self.sites.iter().map(connect).collect();
        Caller::of(clients, || self.random())
    }

    /// A call, and its answer. An answer that is none of the referee's says nothing of what was done.
    ///
    /// # Errors
    ///
    /// What the referee says, or that it does not say anything.
    pub async fn ask<R: Call>(
        &self,
        who: &str,
        client: &Caller,
        request: R,
    ) -> Result<R::Answer, Status> {
        let what = R::PATH.rsplit('/').next().unwrap_or_default();
        self.trace.note(format!("{who} calls {what}"));
        let answered = tokio::time::timeout(PATIENCE, client.any().call(request)).await;
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
        client: &Caller,
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

/// Passes some milliseconds, or only lets others go first.
async fn pass(milliseconds: u64) {
    match milliseconds {
        0 => tokio::task::yield_now().await,
        wait => tokio::time::sleep(Duration::from_millis(wait)).await,
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
