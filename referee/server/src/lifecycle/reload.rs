//! Rulesets that change while the referee runs: what is published, and folders that are watched.
//!
//! What is offered is replaced as a whole, and only by what was read and checked as a whole: a file that
//! is half written changes nothing. Matches that exist keep the texts that they were created with.

use std::path::PathBuf;
use std::sync::{Arc, Weak};
use std::time::Duration;

use interpreter::package::Configuration;
use notify::{RecursiveMode, Watcher as _};
use tokio::sync::mpsc;

use crate::Referee;
use crate::published::channels::Channels;
use crate::published::owners::Owners;
use referee_library::{Edition, Library, LibraryError};
use referee_store::{ChannelRow, RevisionRow, STABLE, Store, StoreError};

/// How long nothing must change before folders are read again.
const QUIET: Duration = Duration::from_millis(300);

/// Folders whose rulesets are read again when they change.
pub struct Folders {
    /// The folders.
    pub folders: Vec<PathBuf>,
    /// Reads all rulesets anew.
    pub read: Box<dyn Fn() -> Result<Library, LibraryError> + Send + Sync>,
}

/// Lays what was published over a library, and remembers every revision in it as of now.
///
/// # Errors
///
/// When the store fails.
pub fn complete(store: &dyn Store, library: &mut Library, now_ms: i64) -> Result<(), StoreError> {
    let stable = |row: &ChannelRow| row.channel == STABLE;
    for row in store.channels()?.into_iter().filter(stable) {
        let content = store.content(&row.digest)?;
        match content.map(|content| Edition::from_content(&content)) {
            Some(Ok(edition)) => library.add(edition),
            _ => tracing::error!(ruleset = %row.ruleset, "what was published cannot be read"),
        }
    }
    for edition in library.iter() {
        store.put_content(&edition.digest, edition.content())?;
        store.offer(&RevisionRow {
            ruleset: edition.id.clone(),
            digest: edition.digest,
            version: edition.version.clone(),
            created_ms: now_ms,
        })?;
    }
    Ok(())
}

/// Reads anew what is published, because another referee has changed it.
///
/// # Errors
///
/// When the store fails.
pub async fn read_published(referee: &Arc<Referee>) -> Result<(), StoreError> {
    let in_order = referee.publishing.clone().lock_owned().await;
    let (held, threads) = (referee.clone(), referee.threads().clone());
    let read = move || {
        let parts = held.registry.parts();
        let rows = parts.store.channels()?;
        let before = parts.library.load_full();
        let mut library = (*before).clone();
        let stable = |row: &&ChannelRow| row.channel == STABLE;
        for row in rows.iter().filter(stable) {
            let known = before.get(&row.ruleset);
            if known.is_some_and(|known| known.digest == row.digest) {
                continue;
            }
            let content = parts.store.content(&row.digest)?;
            match content.map(|content| Edition::from_content(&content)) {
                Some(Ok(edition)) => {
                    tracing::info!(ruleset = %edition.id, version = %edition.version, "another referee has published a ruleset");
                    library.add(edition);
                }
                _ => tracing::error!(ruleset = %row.ruleset, "what was published cannot be read"),
            }
        }
        let yanked = parts.store.yanked()?.into_iter().map(|row| row.digest);
        held.yanked.store(Arc::new(yanked.collect()));
        held.owners
            .store(Arc::new(Owners::of(parts.store.owners()?)));
        held.channels.store(Arc::new(Channels::of(rows)));
        parts.library.store(Arc::new(library));
        drop(in_order);
        Ok(())
    };
    let done = threads.run(read).await;
    done.map_err(|error| StoreError::Engine(error.to_string()))?
}

/// Watches folders until the referee is gone.
pub async fn watch(referee: Weak<Referee>, folders: Folders) {
    let (changes, mut changed) = mpsc::channel(1);
    let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        if event.is_ok_and(|event| !event.kind.is_access()) {
            // One that waits is enough.
            let _ = changes.try_send(());
        }
    });
    let mut watcher = match watcher {
        Ok(watcher) => watcher,
        Err(error) => return tracing::error!(%error, "folders cannot be watched"),
    };
    for folder in &folders.folders {
        if let Err(error) = watcher.watch(folder, RecursiveMode::Recursive) {
            tracing::error!(folder = %folder.display(), %error, "a folder cannot be watched");
        }
    }
    let folders = Arc::new(folders);
    while changed.recv().await.is_some() {
        while tokio::time::timeout(QUIET, changed.recv())
            .await
            .is_ok_and(|more| more.is_some())
        {}
        let Some(referee) = referee.upgrade() else {
            return;
        };
        let (folders, threads) = (folders.clone(), referee.threads().clone());
        let done = threads.run(move || reload(&referee, &folders)).await;
        if let Err(error) = done {
            tracing::error!(%error, "rulesets could not be read again");
        }
    }
}

/// Reads all rulesets anew and offers those that can be played; of the others, what was offered before.
fn reload(referee: &Referee, folders: &Folders) {
    let parts = referee.registry.parts();
    let mut library = match (folders.read)() {
        Ok(library) => library,
        Err(error) => return tracing::warn!(%error, "changed rulesets are not offered"),
    };
    if let Err(error) = complete(&*parts.store, &mut library, referee.now_ms()) {
        return tracing::warn!(%error, "changed rulesets are not offered");
    }
    let before = parts.library.load_full();
    let mut next = (*before).clone();
    let mut changed = 0;
    for edition in library.iter() {
        if before
            .get(&edition.id)
            .is_some_and(|old| old.digest == edition.digest)
        {
            continue;
        }
        let base = Configuration::base(edition.players.0);
        match before.compile(edition, &base) {
            Ok(_) => {
                tracing::info!(ruleset = %edition.id, version = %edition.version, "a changed ruleset is offered");
                next.put(edition.clone());
                changed += 1;
            }
            Err(rejected) => {
                let first = rejected.diagnostics.list.first();
                let first = first.map_or(String::new(), |first| first.message.clone());
                tracing::warn!(ruleset = %edition.id, mistake = %first, "a changed ruleset has mistakes; the one before stays");
            }
        }
    }
    if changed > 0 {
        parts.library.store(Arc::new(next));
    }
}
