//! The registry of open matches, and the way to open one.
//!
//! A table is opened when it is first needed, by one caller while the others wait, and gives up its
//! place when the registry is full and nobody is at it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ahash::HashMap;
use interpreter::Ruleset;
use interpreter::package::Configuration;
use interpreter::play::{Rejected, Seat, Seed};
use tokio::sync::OnceCell;
use tracing::{Instrument as _, info_span};

use super::metrics::Metric;
use super::parts::Parts;
use super::replay::restore::{self, Trust};
use super::request::{answered, match_id_of, request_row};
use super::scheduling::workers;
use super::state::{Delay, Terms};
use super::turns::{Notes, Table, bot_seated};
use super::{Queue, Request, TableError, seed};
use crate::traces::SPANS;
use referee_library::Edition;
use referee_store::log;
use referee_store::log::v1::{self, BotKind, SeatEntropy, entry::Body, receipt};
use referee_store::numbers::to_usize;
use referee_store::{Append, Appended, MatchId, MatchState, NewMatch, Principal, StoreError};

/// All open tables.
pub struct Registry {
    parts: Arc<Parts>,
    tables: Mutex<HashMap<MatchId, Slot>>,
    clock: AtomicU64,
    /// Nothing more is taken into memory.
    full: AtomicBool,
}

#[derive(Clone, Default)]
struct Slot {
    table: Arc<OnceCell<Arc<Table>>>,
    used: u64,
}

/// What a match is created with.
#[derive(Clone)]
pub struct Creation {
    /// Its host.
    pub host: Principal,
    /// The texts it is played by.
    pub edition: Arc<Edition>,
    /// Its configuration.
    pub configuration: Configuration,
    /// Whether forced moves are asked.
    pub ask_forced: bool,
    /// Milliseconds that a player has for a question; zero is no limit.
    pub question_ms: u64,
    /// What else it is created with.
    pub terms: Terms,
    /// Seats that anybody may claim without a code.
    pub open_seats: Vec<Seat>,
    /// Seats that the referee plays, each once: how, and what the bot is called.
    pub bots: Vec<(Seat, BotKind, String)>,
    /// How far spectators are behind the table.
    pub delay: Option<Delay>,
    /// What players add to the chance.
    pub entropy: SeatEntropy,
    /// A seed instead of a drawn one, for tests.
    pub seed: Option<Seed>,
    /// The request.
    pub request: Request,
}

/// A match that was created.
pub struct Created {
    /// Its id.
    pub id: MatchId,
    /// Its table.
    pub table: Arc<Table>,
    /// Whether it was created before, by an earlier request with the same id.
    pub replayed: bool,
}

/// Why a match was not created.
pub enum CreateError {
    /// The ruleset has mistakes.
    Rejected(Box<Rejected>),
    /// The same request created one that has been deleted since.
    Deleted,
    /// Anything else.
    Table(TableError),
}

impl<E: Into<TableError>> From<E> for CreateError {
    fn from(error: E) -> Self {
        CreateError::Table(error.into())
    }
}

impl Registry {
    /// A registry without open tables.
    pub fn new(parts: Parts) -> Registry {
        Registry {
            parts: Arc::new(parts),
            tables: Mutex::default(),
            clock: AtomicU64::new(0),
            full: AtomicBool::new(false),
        }
    }

    /// What every table needs.
    pub fn parts(&self) -> &Arc<Parts> {
        &self.parts
    }

    /// The table of a match; none if there is no such match.
    ///
    /// # Errors
    ///
    /// When the store fails, the record has no readable beginning, or the registry is full.
    pub async fn open(&self, id: &MatchId) -> Result<Option<Arc<Table>>, TableError> {
        let cell = self.slot(id)?;
        // No error means that there is no such match.
        let restored = async || -> Result<Arc<Table>, Option<TableError>> {
            let (parts, id) = (self.parts.clone(), id.clone());
            let restored = self
                .parts
                .workers
                .run(Queue::Opening, move || {
                    restore::restore(&parts, &id, Trust::Snapshots)
                })
                .await
                .map_err(Some)?;
            let restored = restored.map_err(Some)?.ok_or(None)?;
            self.parts.metrics.count(Metric::Opened);
            Ok(Table::open(self.parts.clone(), restored))
        };
        let opened = cell.get_or_try_init(|| {
            let opening = info_span!(target: SPANS, "open match");
            // Boxed: most tables are open, and a call needs no room for that.
            Box::pin(restored()).instrument(opening)
        });
        match opened.await {
            Ok(table) => Ok(Some(table.clone())),
            Err(error) => {
                let mut tables = self.tables();
                if tables.get(id).is_some_and(|slot| !slot.table.initialized()) {
                    tables.remove(id);
                }
                error.map_or(Ok(None), Err)
            }
        }
    }

    /// Creates a match.
    ///
    /// # Errors
    ///
    /// When the ruleset has mistakes, the request id was used otherwise, or the store does not confirm.
    pub async fn create(&self, creation: Creation) -> Result<Created, CreateError> {
        self.room()?;
        let ruleset = self.compile(&creation).await?;
        let edition = creation.edition.clone();
        let store = self.parts.store.clone();
        let put = move || store.put_content(&edition.digest, edition.content());
        workers::blocking(&self.parts.threads, put).await??;

        let id = match_id_of(&self.parts.keys, &creation.request);
        let seed = creation.seed.map_or_else(seed::draw, Ok)?;
        let at = self.parts.clock.now_ms();
        let body = Body::Created(v1::Created {
            ruleset: creation.edition.id.clone(),
            content: creation.edition.digest.to_vec(),
            digest: ruleset.digest().0.to_vec(),
            players: u32::from(creation.configuration.players),
            modules: creation.configuration.modules.clone(),
            options: creation
                .configuration
                .options
                .clone()
                .into_iter()
                .collect::<BTreeMap<_, _>>(),
            ask_forced: creation.ask_forced,
            sealed_seed: seed::seal(&self.parts.keys, &id, seed)?,
            seed_commitment: super::commitment(&id, ruleset.digest(), seed).to_vec(),
            question_ms: creation.question_ms,
            bank_ms: creation.terms.bank_ms,
            increment_ms: creation.terms.increment_ms,
            take_back: creation.terms.take_back,
            start_when_full: creation.terms.starts_when_full,
            hide_presence: creation.terms.hides_presence,
            turn_webhook: creation.terms.turn_webhook.clone(),
            public: creation.terms.public,
            labels: creation.terms.labels.clone(),
            open_seats: creation
                .open_seats
                .iter()
                .map(|seat| u32::from(seat.0))
                .collect(),
            seat_entropy: creation.entropy.into(),
            record: Vec::new(),
            spectator_delay_moves: match creation.delay {
                Some(Delay::Moves(moves)) => moves,
                _ => 0,
            },
            spectator_delay_ms: match creation.delay {
                Some(Delay::Milliseconds(ms)) => ms,
                _ => 0,
            },
        });
        let receipt = receipt::Kind::Created(v1::CreatedReceipt {
            match_id: id.to_string(),
        });
        let seated = creation
            .bots
            .iter()
            .map(|(seat, bot, called)| bot_seated(*seat, *bot, called.clone()));
        let notes = seated.fold(Notes::of(None), Notes::note);
        let entries = [body].into_iter().chain(notes.entries);
        let entries: Result<Vec<Vec<u8>>, _> = entries.map(|body| log::encode(at, body)).collect();
        let entries = entries?;
        let open = creation.open_seats.iter();
        let mut open = open.filter(|seat| !creation.bots.iter().any(|(bot, ..)| bot == *seat));
        let open = open.next().is_some();
        let append = Append {
            listing: open || creation.terms.public,
            create: Some(NewMatch {
                host: creation.host,
                ruleset: creation.edition.id.clone(),
                created_ms: at,
            }),
            entries,
            content: Some(creation.edition.digest),
            request: Some(request_row(&creation.request, receipt)),
            open,
            ..Append::to(id.clone(), 0, MatchState::Lobby)
        };
        let (id, replayed) = match self.parts.journal.append(append).await? {
            Appended::Done => (id, false),
            Appended::Duplicate(row) => {
                let answer = answered(&row, &creation.request)?;
                let Some(receipt::Kind::Created(created)) = answer else {
                    return Err(TableError::RequestIdReused.into());
                };
                let id = MatchId::parse(&created.match_id);
                (
                    id.ok_or_else(|| TableError::Damaged("a receipt names no match".into()))?,
                    true,
                )
            }
            Appended::Conflict => {
                return Err(StoreError::Engine("a new match's id is taken".into()).into());
            }
            Appended::Busy(_) => return Err(StoreError::Overtaken.into()),
        };
        let table = self.open(&id).await?;
        let table = table.ok_or(CreateError::Deleted)?;
        table.start_if_full().await;
        if table.snapshot().info.is_listed() {
            self.parts.listing.send_modify(|count| *count += 1);
        }
        Ok(Created {
            id,
            table,
            replayed,
        })
    }

    async fn compile(&self, creation: &Creation) -> Result<Arc<Ruleset>, CreateError> {
        let (library, creation) = (self.parts.library.load_full(), creation.clone());
        let work = move || library.compile(&creation.edition, &creation.configuration);
        self.parts
            .workers
            .run(Queue::Making, work)
            .await?
            .map_err(|rejected| CreateError::Rejected(Box::new(rejected)))
    }

    /// The table of a match, if it is open.
    pub(super) fn opened(&self, id: &MatchId) -> Option<Arc<Table>> {
        let tables = self.tables();
        tables.get(id)?.table.get().cloned()
    }

    /// Matches whose tables are open.
    pub(super) fn open_ids(&self) -> Vec<MatchId> {
        let tables = self.tables();
        let open = tables.iter().filter(|(_, slot)| slot.table.initialized());
        let mut open: Vec<MatchId> = open.map(|(id, _)| id.clone()).collect();
        open.sort_unstable();
        open
    }

    /// Times without a referee have become known: when somebody's time is up is reckoned anew at every open table.
    pub fn recount(&self) {
        for table in self.open_ids().iter().filter_map(|id| self.opened(id)) {
            tokio::spawn(async move { table.recount().await });
        }
    }

    /// How many tables are open.
    pub fn open_tables(&self) -> usize {
        self.tables().len()
    }

    /// Closes the tables at which nobody is; gives how many.
    pub fn close_idle(&self) -> usize {
        let mut tables = self.tables();
        let before = tables.len();
        tables.retain(|_, slot| !slot.is_idle());
        before - tables.len()
    }

    /// Whether something more may be taken into memory.
    pub fn set_full(&self, full: bool) {
        self.full.store(full, Ordering::Relaxed);
    }

    /// Closes of the tables at which nobody is the half that was not needed for longest; gives how many.
    pub fn relieve(&self) -> usize {
        let mut tables = self.tables();
        let idle = tables.iter().filter(|(_, slot)| slot.is_idle());
        let mut idle: Vec<(u64, MatchId)> =
            idle.map(|(id, slot)| (slot.used, id.clone())).collect();
        idle.sort_unstable();
        idle.truncate(idle.len().div_ceil(2));
        for (_, id) in &idle {
            tables.remove(id);
        }
        idle.len()
    }

    /// Refuses what would be taken into memory beside what is there.
    fn room(&self) -> Result<(), TableError> {
        if self.full.load(Ordering::Relaxed) {
            self.parts.metrics.count(Metric::MemoryRefused);
            return Err(TableError::Limit("memory_mib"));
        }
        Ok(())
    }

    fn tables(&self) -> MutexGuard<'_, HashMap<MatchId, Slot>> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The slot of a match, a fresh one if its table has closed or was never open.
    fn slot(&self, id: &MatchId) -> Result<Arc<OnceCell<Arc<Table>>>, TableError> {
        let now = self.clock.fetch_add(1, Ordering::Relaxed);
        let mut tables = self.tables();
        if let Some(slot) = tables.get_mut(id)
            && slot.table.get().is_none_or(|table| !table.is_closed())
        {
            slot.used = now;
            return Ok(slot.table.clone());
        }
        tables.remove(id);
        self.room()?;
        while tables.len() >= to_usize(self.parts.limits.open_matches) {
            let idle = tables
                .iter()
                .filter(|(_, slot)| slot.is_idle())
                .min_by_key(|(_, slot)| slot.used);
            let idle = idle
                .map(|(id, _)| id.clone())
                .ok_or(TableError::Limit("open_matches"))?;
            tables.remove(&idle);
        }
        let slot = Slot {
            used: now,
            ..Slot::default()
        };
        tables.insert(id.clone(), slot.clone());
        Ok(slot.table)
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        // Tables are saved as they are let go: in the order of their ids, whatever that of the map.
        let tables = std::mem::take(&mut *self.tables());
        let tables: BTreeMap<MatchId, Slot> = tables.into_iter().collect();
        drop(tables);
    }
}

impl Slot {
    /// Whether nobody but the registry holds the table. Somebody who does might still move at it, and
    /// two tables of one match would hide each other's moves from their watchers.
    fn is_idle(&self) -> bool {
        Arc::strong_count(&self.table) == 1
            && self
                .table
                .get()
                .is_some_and(|table| Arc::strong_count(table) == 1)
    }
}
