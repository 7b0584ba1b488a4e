//! `referee store`: what an operator does with the file that keeps matches.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::{LibraryOptions, Trouble, data_folder};
use crate::secrets::Keys;
use crate::server::check_store;
use crate::store::sqlite::Sqlite;

/// Looks after the file that keeps matches
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee store backup --store matches.sqlite /backups/matches-2026-11-20.sqlite
  referee store check --store /backups/matches-2026-11-20.sqlite
  referee store migrate --store matches.sqlite
  referee store drop-snapshots --store matches.sqlite")]
pub struct Store {
    /// The file [default: referee.sqlite in the data folder of this user]
    #[arg(long, value_name = "FILE", env = "REFEREE_STORE", global = true)]
    store: Option<PathBuf>,

    /// What to do
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Copies the store while a referee may be serving from it, and its key beside the copy
    Backup {
        /// The new file
        to: PathBuf,
        /// Do not copy the key: the copy alone then opens no seat and shows no deck
        #[arg(long)]
        without_key: bool,
    },
    /// Verifies every match: the chain of its log, its moves, its state, the promise of its seed. A
    /// referee that serves from the file is fenced out by this: check a copy
    Check(LibraryOptions),
    /// Brings the store of an earlier version to this one; back it up first
    Migrate,
    /// Forgets the snapshots, from which matches are opened faster: caches, which come again by themselves
    DropSnapshots,
}

impl Store {
    /// Does what was asked.
    pub fn run(self) -> Result<ExitCode, Trouble> {
        let path = match self.store {
            Some(path) => path,
            None => data_folder()?.join("referee.sqlite"),
        };
        let key = |path: &PathBuf| {
            let mut key = path.clone().into_os_string();
            key.push(".key");
            PathBuf::from(key)
        };
        match self.action {
            Action::Backup { to, without_key } => {
                Sqlite::backup(&path, &to)?;
                if !without_key {
                    std::fs::copy(key(&path), key(&to))?;
                }
                println!("{}", to.display());
                Ok(ExitCode::SUCCESS)
            }
            Action::Migrate => {
                let from = Sqlite::migrate(&path)?;
                println!("{} was of schema {from} and is current now", path.display());
                Ok(ExitCode::SUCCESS)
            }
            Action::DropSnapshots => {
                let dropped = Sqlite::drop_snapshots(&path)?;
                println!("{dropped} snapshots dropped");
                Ok(ExitCode::SUCCESS)
            }
            Action::Check(library) => {
                if !path.is_file() {
                    let help = "name it with --store";
                    return Err(
                        Trouble::new(format!("there is no store `{}`", path.display())).help(help),
                    );
                }
                let keys = Keys::load_or_create(&key(&path))?;
                let store = Sqlite::open(&path)?;
                let mut bad = 0;
                let checked = check_store(store, keys, library.library()?, |id, checked| {
                    for finding in &checked.findings {
                        println!("matches/{id}: {finding}");
                    }
                    bad += u32::from(!checked.findings.is_empty());
                })?;
                println!("{checked} matches, {bad} damaged");
                Ok(ExitCode::from(u8::from(bad > 0)))
            }
        }
    }
}
