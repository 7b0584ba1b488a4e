//! Opens the store and its root key, and takes their lock.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use referee_store::lock::Lock;
use referee_store::memory::Memory;
use referee_store::postgres::{Address, Postgres};
use referee_store::secrets::Keys;
use referee_store::sqlite::{Sqlite, WrittenWith};
use referee_store::{Store, StoreError};

/// Where matches are kept.
pub enum StoreChoice {
    /// In an SQLite file, with the root key in `<file>.key`.
    File(PathBuf),
    /// In a database that other referees may serve from, too, with a root key that all of them have.
    Database(Box<Address>, KeySource),
    /// In memory: nothing survives.
    Memory,
    /// In a store of the caller's own, with this root key.
    Own(Arc<dyn Store>, Keys),
}

/// Where the root key of a database comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeySource {
    /// A file, which is made for a new database.
    File(PathBuf),
    /// The key itself, as it stands in such a file, and where it was said.
    Text(String, &'static str),
    /// What this command prints.
    Command(String),
}

impl KeySource {
    /// How it is called.
    fn name(&self) -> PathBuf {
        match self {
            KeySource::File(path) => path.clone(),
            KeySource::Text(_, said) => PathBuf::from(said),
            KeySource::Command(command) => PathBuf::from(format!("what `{command}` prints")),
        }
    }

    /// The key; none if its file is not there.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn keys(&self) -> std::io::Result<Option<Keys>> {
        match self {
            KeySource::File(path) => match Keys::load(path) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
                loaded => loaded.map(Some),
            },
            KeySource::Text(text, _) => Keys::read(text).map(Some),
            KeySource::Command(command) => {
                let mut shell = std::process::Command::new("sh");
                let done = shell.arg("-c").arg(command).output()?;
                match done.status.success() {
                    true => Keys::read(&String::from_utf8_lossy(&done.stdout)).map(Some),
                    false => Err(std::io::Error::other(format!(
                        "it ended with {}: {}",
                        done.status,
                        String::from_utf8_lossy(&done.stderr).trim()
                    ))),
                }
            }
        }
    }
}

/// Why a store is not opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The engine fails.
    #[error("cannot open the store: {0}")]
    Store(#[from] StoreError),
    /// The root key cannot be read or made.
    #[error("the key cannot be read, or made: {}: {source}", .path.display())]
    Key {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// Another referee serves from the store.
    #[error("another referee serves from {}", .0.display())]
    Held(PathBuf),
    /// Whether another referee serves from it cannot be found out.
    #[error("cannot lock {}: {source}", .path.display())]
    Lock {
        /// The store.
        path: PathBuf,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// The store was written with a key that is not there.
    #[error("the store was written with a key, and {} is not there", .0.display())]
    KeyLost(PathBuf),
    /// The key is another one than that of the store.
    #[error("{} is not the key that the store was written with", .0.display())]
    KeyWrong(PathBuf),
    /// The database was written with a key that is not there, and that others may serve with.
    #[error("the database was written with a key, and {} is not there", .0.display())]
    DatabaseKeyLost(PathBuf),
    /// The key is another one than that of the database.
    #[error("{} is not the key that the database was written with", .0.display())]
    DatabaseKeyWrong(PathBuf),
    /// The key is there, and the store is not, or it is empty.
    #[error("{} is there, and nothing is in the store that it belongs to", .0.display())]
    StoreLost(PathBuf),
}

/// A store to serve from.
pub struct Opened {
    /// The store.
    pub store: Arc<dyn Store>,
    /// Its root key.
    pub keys: Keys,
    /// Says that it is held; none if nobody else could.
    pub lock: Option<Lock>,
    /// The key was made just now.
    pub new_key: bool,
}

/// Opens a store with its key, or makes both.
///
/// # Errors
///
/// When somebody serves from it, or it and its key are not a pair.
pub fn open(choice: StoreChoice, take_over: bool, new_key: bool) -> Result<Opened, OpenError> {
    let unreadable = |path: &Path| {
        let path = path.to_owned();
        move |source| OpenError::Key { path, source }
    };
    let path = match choice {
        StoreChoice::File(path) => path,
        StoreChoice::Database(address, source) => return open_database(&address, &source),
        StoreChoice::Memory => {
            return Ok(Opened {
                store: Arc::new(Memory::default()),
                keys: Keys::random().map_err(unreadable(Path::new("in memory")))?,
                lock: None,
                new_key: true,
            });
        }
        StoreChoice::Own(store, keys) => {
            return Ok(Opened {
                store,
                keys,
                lock: None,
                new_key: false,
            });
        }
    };
    let lock = Lock::take(&path, take_over).map_err(|source| OpenError::Lock {
        path: path.clone(),
        source,
    })?;
    let lock = lock.ok_or_else(|| OpenError::Held(path.clone()))?;
    let mut key = path.clone().into_os_string();
    key.push(".key");
    let key = PathBuf::from(key);
    let keys = match key.try_exists().map_err(unreadable(&key))? {
        true => Some(Keys::load(&key).map_err(unreadable(&key))?),
        false => None,
    };
    // Nothing is made anew in silence: without its key a store opens no seat and deals no deck.
    match (Sqlite::written_with(&path)?, &keys) {
        (None, Some(_)) => return Err(OpenError::StoreLost(key)),
        (Some(WrittenWith::Marked(_) | WrittenWith::Some), None) if !new_key => {
            return Err(OpenError::KeyLost(key));
        }
        (Some(WrittenWith::Marked(mark)), Some(keys)) if keys.mark() != mark => {
            return Err(OpenError::KeyWrong(key));
        }
        _ => {}
    }
    // The store first: an interrupted start begins again as if nothing had been.
    let (keys, made) = match keys {
        Some(keys) => (keys, false),
        None => (Keys::random().map_err(unreadable(&key))?, true),
    };
    let store = Sqlite::open(&path, &keys)?;
    if made {
        store.believe()?;
        keys.write(&key).map_err(unreadable(&key))?;
    }
    store.mark_key(keys.mark())?;
    Ok(Opened {
        store: Arc::new(store),
        keys,
        lock: Some(lock),
        new_key: made,
    })
}

/// Opens a database with its key, or makes both.
fn open_database(address: &Address, source: &KeySource) -> Result<Opened, OpenError> {
    let name = source.name();
    let unreadable = |source| OpenError::Key {
        path: name.clone(),
        source,
    };
    let (keys, made) = match source.keys().map_err(unreadable)? {
        Some(keys) => (keys, false),
        None => (Keys::random().map_err(unreadable)?, true),
    };
    let store = Postgres::open(address, &keys)?;
    match store.key_mark()? {
        // In a database that others serve from no key is replaced.
        Some(_) if made => return Err(OpenError::DatabaseKeyLost(name)),
        Some(mark) if mark != keys.mark() => return Err(OpenError::DatabaseKeyWrong(name)),
        _ => {}
    }
    if let (true, KeySource::File(path)) = (made, source) {
        keys.write(path).map_err(unreadable)?;
    }
    store.mark_key(keys.mark())?;
    // Another one may have begun at the same moment with a key of its own.
    if store.key_mark()? != Some(keys.mark()) {
        return Err(OpenError::DatabaseKeyWrong(name));
    }
    Ok(Opened {
        store: Arc::new(store),
        keys,
        lock: None,
        new_key: made,
    })
}
