//! What is done with a whole store while nobody plays: checking every match, carrying all of them over to the form of this
//! build, copying all into another store.
//!
//! The first two read logs as [`verify`] does and believe nothing else. One bad match stops nothing.

use std::path::PathBuf;
use std::sync::Arc;

use arc_swap::ArcSwap;
use rayon::prelude::*;
use tokio::sync::watch;

use super::start::StartError;
use referee_library::Library;
use referee_sandbox::Sandbox;
use referee_sandbox::limits::Limits;
use referee_store::clock::Clock;
use referee_store::copy::{CopyError, Whole, copy};
use referee_store::secrets::Keys;
use referee_store::threads::Threads;
use referee_store::{Journal, MatchId, MatchRow, RequestRow, Store, StoreError};
use referee_table::{
    About, Checked, Outages, Parts, Request, TableError, Workers, carried_over, holders,
    match_id_of, snapshot_is_sound, verify,
};

pub use referee_table::Carried;

/// Matches that are listed at a time, and gone through on all processors.
const TOGETHER: usize = 256;

fn parts(
    store: Arc<dyn Store>,
    keys: Keys,
    library: Library,
    program: Option<PathBuf>,
    clock: Clock,
) -> Result<Parts, StartError> {
    let threads = Threads::of_tokio();
    let limits = Limits::default();
    Ok(Parts {
        journal: Journal::start(store.clone(), &threads).map_err(StartError::Journal)?,
        store,
        keys,
        workers: Workers::on(&threads),
        threads,
        library: ArcSwap::from_pointee(library),
        sandbox: Sandbox::of(program, &limits),
        limits,
        metrics: Arc::default(),
        outages: Outages::default(),
        listing: watch::Sender::default(),
        holders: holders(),
        notices: Arc::default(),
        clock,
    })
}

/// Does something for every match of a store after a place in the order of their creation, and tells what came of it
/// in that order; gives how many there were.
fn each<T: Send>(
    store: &dyn Store,
    after: u64,
    work: impl Fn(&MatchRow) -> Result<T, TableError> + Sync,
    mut tell: impl FnMut(&MatchRow, T),
) -> Result<u64, StartError> {
    let (mut after, mut count) = (after, 0);
    loop {
        let rows = store.every(None, after, TOGETHER)?;
        let Some(last) = rows.last() else {
            return Ok(count);
        };
        after = last.order;
        let done: Vec<Result<T, TableError>> = rows.par_iter().map(&work).collect();
        for (row, done) in rows.iter().zip(done) {
            match done {
                Ok(done) => tell(row, done),
                Err(TableError::Store(error)) => return Err(error.into()),
                Err(error) => {
                    let why = format!("{}: {error:?}", row.id);
                    return Err(StoreError::Engine(why).into());
                }
            }
            count += 1;
        }
    }
}

/// Verifies every match of a store after a place in the order of their creation (0 is the beginning), and tells of each
/// what was found, with its place; gives how many there are. Takes its time: not for async threads.
///
/// # Errors
///
/// When the store fails.
pub fn check_store(
    store: impl Store,
    keys: Keys,
    library: Library,
    program: Option<PathBuf>,
    after: u64,
    mut found: impl FnMut(&MatchId, u64, &Checked),
) -> Result<u64, StartError> {
    let store: Arc<dyn Store> = Arc::new(store);
    let parts = parts(store.clone(), keys, library, program, Clock::system())?;
    let work = |row: &MatchRow| {
        let mut checked = match verify(&parts, &row.id, &mut |_| {}) {
            Ok(checked) => checked.unwrap_or_default(),
            Err(error) => {
                let mut checked = Checked::default();
                let why = match error {
                    TableError::Damaged(reason) => reason,
                    other => format!("{other:?}"),
                };
                checked.find(About::Replay, why);
                checked
            }
        };
        if !snapshot_is_sound(&parts, &row.id) {
            let why = "its snapshot is damaged; `referee store drop-snapshots` forgets all of them";
            checked.find(About::Snapshot, why);
        }
        Ok(checked)
    };
    each(&*store, after, work, |row, checked| {
        found(&row.id, row.order, &checked);
    })
}

/// Carries every match of a store over to the form of this build, and tells of each what became of it; gives how many
/// there are. What is kept stays as it is: each match gets one entry more, made by this clock. Repeated, it goes on where it stopped.
/// Takes its time: not for async threads.
///
/// # Errors
///
/// When the store fails.
pub fn carry_over(
    store: impl Store,
    keys: Keys,
    library: Library,
    program: Option<PathBuf>,
    clock: Clock,
    mut became: impl FnMut(&MatchId, &Carried),
) -> Result<u64, StartError> {
    let store: Arc<dyn Store> = Arc::new(store);
    let parts = parts(store.clone(), keys, library, program, clock)?;
    let work = |row: &MatchRow| carried_over(&parts, &row.id);
    each(&*store, 0, work, |row, carried| became(&row.id, &carried))
}

/// Copies all of a store into one with the same key, and tells of each match that is copied and compared with what it was
/// copied from; gives how many there are. Repeated, it goes on where it stopped. Takes its time: not for async threads.
///
/// # Errors
///
/// When a store fails, or the destination has something else under the same name.
pub fn copy_store(
    from: &dyn Whole,
    to: &dyn Whole,
    keys: &Keys,
    copied: impl FnMut(&MatchId),
) -> Result<u64, CopyError> {
    let created = |row: &RequestRow| {
        let request = Request {
            principal: row.principal,
            id: row.request_id.clone(),
            digest: row.digest,
        };
        match_id_of(keys, &request)
    };
    copy(from, to, created, copied)
}
