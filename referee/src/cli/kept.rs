//! Which store is meant, and which key is its own: a file with its key beside it, or a database.

use std::path::{Path, PathBuf};

use clap::Args;

use super::environment::data_folder;
use super::ruleset::quoted;
use super::trouble::Trouble;
use referee_server::{KeySource, StoreChoice};
use referee_store::Store;
use referee_store::postgres::{Address, Postgres, is_address};
use referee_store::secrets::Keys;
use referee_store::sqlite::Sqlite;

/// A store that is meant.
pub enum Kept {
    /// A file, and where its key lies.
    File(PathBuf, PathBuf),
    /// A database, and where its key comes from.
    Database(Box<Address>, KeySource),
}

/// What is said of a key.
#[derive(Debug, Default, Args)]
pub struct SaidKey {
    /// The key of the store [default: the store's name with .key behind it; of a database, what REFEREE_KEY holds]
    #[arg(
        long = "key",
        value_name = "FILE",
        env = "REFEREE_KEY_FILE",
        global = true
    )]
    pub file: Option<PathBuf>,

    /// The command that prints the key of a database
    #[arg(
        long = "key-command",
        value_name = "COMMAND",
        env = "REFEREE_KEY_COMMAND",
        global = true
    )]
    pub command: Option<String>,
}

/// The environment variable that may hold the key of a database.
pub const KEY: &str = "REFEREE_KEY";

impl Kept {
    /// The store that is said: the path of a file, or the address of a database. Without either it is a file in the data folder.
    ///
    /// # Errors
    ///
    /// When an address is none, or a key is missing.
    pub fn of(store: Option<PathBuf>, key: SaidKey) -> Result<Kept, Trouble> {
        let path = match store {
            Some(path) => path,
            None => data_folder()?.join("referee.sqlite"),
        };
        match path.to_str().filter(|text| is_address(text)) {
            Some(text) => Kept::database(text, key),
            None => {
                let own = key.file.unwrap_or_else(|| key_beside(path.clone()));
                Ok(Kept::File(path, own))
            }
        }
    }

    fn database(text: &str, key: SaidKey) -> Result<Kept, Trouble> {
        let address = Address::read(text)
            .map_err(|why| Trouble::new(format!("the address of the database is none: {why}")))?;
        let source = match (key.file, key.command) {
            (Some(file), None) => KeySource::File(file),
            (None, Some(command)) => KeySource::Command(command),
            (Some(_), Some(_)) => {
                return Err(Trouble::new(
                    "a key comes from a file or from a command, not from both",
                ));
            }
            (None, None) => match std::env::var(KEY) {
                Ok(text) => KeySource::Text(text, KEY),
                Err(_) => {
                    let what = "the key of a database is not said";
                    return Err(Trouble::new(what).help(
                        "every referee that serves from it needs the same: --key FILE (made for a new database), \
                         --key-command COMMAND, or the environment variable REFEREE_KEY",
                    ));
                }
            },
        };
        Ok(Kept::Database(Box::new(address), source))
    }

    /// As people read it.
    pub fn shown(&self) -> String {
        match self {
            Kept::File(path, _) => path.display().to_string(),
            Kept::Database(address, _) => address.shown(),
        }
    }

    /// As a command is told of it.
    pub fn options(&self) -> String {
        let store = format!("--store {}", quoted(&self.shown()));
        match self {
            Kept::File(..) => store,
            Kept::Database(_, KeySource::File(path)) => {
                format!("{store} --key {}", quoted(&path.display().to_string()))
            }
            Kept::Database(_, KeySource::Command(command)) => {
                format!("{store} --key-command {}", quoted(command))
            }
            // It stands in the environment.
            Kept::Database(_, KeySource::Text(..)) => store,
        }
    }

    /// What a referee serves from.
    pub fn choice(self) -> StoreChoice {
        match self {
            Kept::File(path, _) => StoreChoice::File(path),
            Kept::Database(address, key) => StoreChoice::Database(address, key),
        }
    }

    /// The key of a store that is there.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn keys(&self) -> Result<Keys, Trouble> {
        match self {
            Kept::File(path, key) => keys(path, key),
            Kept::Database(_, source) => {
                let unreadable = |error| {
                    Trouble::new(format!("the key of the database cannot be read: {error}"))
                };
                let keys = source.keys().map_err(unreadable)?;
                keys.ok_or_else(|| Trouble::new("the file of the key is not there"))
            }
        }
    }

    /// The store, beside whoever serves from it.
    ///
    /// # Errors
    ///
    /// When there is no such store, or its key is another one.
    pub fn beside(&self) -> Result<Box<dyn Store>, Trouble> {
        let keys = self.keys()?;
        Ok(match self {
            Kept::File(path, _) => Box::new(Sqlite::beside(path, &keys)?),
            Kept::Database(address, _) => Box::new(opened(address, &keys)?),
        })
    }

    /// The store, to look at it.
    ///
    /// # Errors
    ///
    /// When there is no such store, or its key is another one.
    pub fn look(&self) -> Result<Box<dyn Store>, Trouble> {
        let keys = self.keys()?;
        Ok(match self {
            Kept::File(path, _) => Box::new(Sqlite::look(path, &keys)?),
            Kept::Database(address, _) => Box::new(opened(address, &keys)?),
        })
    }
}

/// A database that is a store already, with its own key.
///
/// # Errors
///
/// When it cannot be reached, or was written with another key.
pub fn opened(address: &Address, keys: &Keys) -> Result<Postgres, Trouble> {
    let store = reached(address, keys)?;
    match store.key_mark()? {
        Some(mark) if mark == keys.mark() => Ok(store),
        Some(_) => Err(Trouble::new(format!(
            "this is not the key that {} was written with",
            address.shown()
        ))),
        None => Err(Trouble::new(format!(
            "no referee has served from {} yet",
            address.shown()
        ))
        .help("`referee serve --store` with its address makes the store")),
    }
}

/// A database, which becomes a store if it is none.
///
/// # Errors
///
/// When it cannot be reached, or a referee does not serve from it.
pub fn reached(address: &Address, keys: &Keys) -> Result<Postgres, Trouble> {
    Postgres::open(address, keys).map_err(|why| {
        Trouble::new(format!("{}: {why}", address.shown())).help(
            "is the server there, and the database on it? An address is postgres://USER@HOST:PORT/DATABASE",
        )
    })
}

/// The file in which the key of a store lies, if nothing else is said.
pub fn key_beside(store: PathBuf) -> PathBuf {
    let mut key = store.into_os_string();
    key.push(".key");
    key.into()
}

/// The key of a store that is there.
pub fn keys(store: &Path, key: &Path) -> Result<Keys, Trouble> {
    if !store.is_file() {
        let missing = Trouble::new(format!("there is no store `{}`", store.display()));
        return Err(missing.help("name it with --store"));
    }
    Keys::load(key).map_err(|error| {
        Trouble::new(format!("the key `{}` cannot be read: {error}", key.display())).help(
            "without the key of its store no deck can be dealt again: put it beside the store, with `.key` behind its name, \
             or name it with --key",
        )
    })
}
