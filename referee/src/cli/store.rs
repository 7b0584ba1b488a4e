//! `referee store`: what an operator does with the file or database that keeps matches.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};

use super::environment::own_program;
use super::kept::{Kept, SaidKey, key_beside, keys, opened, reached};
use super::library::LibraryOptions;
use super::trouble::Trouble;
use referee_library::Library;
use referee_server::{Carried, StartError, carry_over, check_store, copy_store};
use referee_store::clock::Clock;
use referee_store::copy::{CopyError, Whole};
use referee_store::numbers::float;
use referee_store::postgres::{Address, SCHEMA as TABLES, is_address};
use referee_store::secrets::Keys;
use referee_store::sqlite::{SCHEMA, Sqlite, at_rest};

/// Looks after the file or database that keeps matches
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee store backup --store matches.sqlite /backups/matches-2026-11-20.sqlite
  referee store check --store /backups/matches-2026-11-20.sqlite
  referee store copy --store matches.sqlite postgres://referee@db.example/league
  referee store migrate --store matches.sqlite       # writes matches-10.sqlite beside it
  referee store drop-snapshots --store matches.sqlite")]
pub struct Store {
    /// The file or database [default: referee.sqlite in the data folder of this user]
    #[arg(long, value_name = "STORE", env = "REFEREE_STORE", global = true)]
    store: Option<PathBuf>,

    #[command(flatten)]
    key: SaidKey,

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
    /// Copies the store into a new file, or into a database that is empty, and compares every entry: the way from one engine to the
    /// other. The key stays the same. Stop whoever serves from the store first; can be interrupted and repeated
    Copy {
        /// The new file, or the address of a database: postgres://…
        to: PathBuf,
        /// Do not copy the key beside a new file
        #[arg(long)]
        without_key: bool,
    },
    /// Verifies the file, every row of it and every match: the chain of its log, its moves, its states, the promise of its
    /// seed. Only reads and makes no file: a referee may be serving from it, also one of an earlier version that is about
    /// to be replaced by this one, and a copy may lie where nothing can be written
    Check {
        #[command(flatten)]
        library: LibraryOptions,
        /// Go on behind the match with this number, which an interrupted check has said with how far it was
        #[arg(long, value_name = "NUMBER", default_value_t = 0)]
        after: u64,
    },
    /// Writes the store of an earlier version anew as one of this version, into a file beside it, which stays as it was.
    /// Needs the key; can be interrupted and repeated
    Migrate {
        /// The new file [default: the old one's name with the new version, such as matches-10.sqlite]
        to: Option<PathBuf>,
        #[command(flatten)]
        library: LibraryOptions,
    },
    /// Forgets the snapshots, from which matches are opened faster: caches, which come again by themselves
    DropSnapshots,
}

impl Store {
    /// Does what was asked.
    pub fn run(self) -> Result<ExitCode, Trouble> {
        let (path, own) = match Kept::of(self.store, self.key)? {
            Kept::File(path, own) => (path, own),
            Kept::Database(address, source) => {
                let kept = Kept::Database(address.clone(), source);
                return self.action.of_database(&address, &kept.keys()?);
            }
        };
        match self.action {
            Action::Backup { to, without_key } => {
                Sqlite::backup(&path, &to)?;
                if !without_key {
                    std::fs::copy(own, key_beside(to.clone()))?;
                }
                println!("{}", to.display());
                Ok(ExitCode::SUCCESS)
            }
            Action::Copy { to, without_key } => {
                let keys = keys(&path, &own)?;
                let from = Sqlite::look(&path, &keys)?.of_this_version()?;
                copy(&from, &keys, &to, without_key)
            }
            Action::Migrate { to, library } => migrate(&path, &own, to, library.library()?),
            Action::DropSnapshots => {
                let dropped = Sqlite::drop_snapshots(&path)?;
                println!("{dropped} snapshots dropped");
                Ok(ExitCode::SUCCESS)
            }
            Action::Check { library, after } => check(&path, &own, library.library()?, after),
        }
    }
}

impl Action {
    /// Does it with a database.
    fn of_database(self, address: &Address, keys: &Keys) -> Result<ExitCode, Trouble> {
        let store = opened(address, keys)?;
        match self {
            Action::Backup { .. } => Err(Trouble::new("a database is not copied into a file").help(
                "PostgreSQL's own tools back it up: pg_dump for a copy, pg_basebackup with an archive of its log for any \
                 moment. Keep the key elsewhere",
            )),
            Action::Copy { to, without_key } => copy(&store, keys, &to, without_key),
            Action::Migrate { .. } => {
                // It took the steps that were missing when it was opened.
                println!("{} is of schema {TABLES}", address.shown());
                Ok(ExitCode::SUCCESS)
            }
            Action::DropSnapshots => {
                println!("{} snapshots dropped", store.drop_snapshots()?);
                Ok(ExitCode::SUCCESS)
            }
            Action::Check { library, after } => {
                let mut found = Found::default();
                store.inspect(|finding| found.beside(&finding));
                found.check(store, keys.clone(), library.library()?, after)
            }
        }
    }
}

/// How often somebody who waits hears how far it is.
const OFTEN: Duration = Duration::from_secs(2);

/// Tells how far a long work is, on standard error.
struct Progress {
    what: &'static str,
    done: u64,
    began: Instant,
    told: Instant,
}

impl Progress {
    fn of(what: &'static str) -> Progress {
        let now = Instant::now();
        Progress {
            what,
            done: 0,
            began: now,
            told: now,
        }
    }

    fn one(&mut self) {
        self.one_and(String::new);
    }

    /// One more; how to go on behind it is said with how far it is.
    fn one_and(&mut self, on: impl FnOnce() -> String) {
        self.done += 1;
        if self.told.elapsed() >= OFTEN {
            self.told = Instant::now();
            let rate = float(self.done) / self.began.elapsed().as_secs_f64();
            let (what, done, on) = (self.what, self.done, on());
            anstream::eprintln!("{what}: {done} matches, {rate:.0} a second{on}");
        }
    }
}

fn check(path: &Path, key: &Path, library: Library, after: u64) -> Result<ExitCode, Trouble> {
    let keys = keys(path, key)?;
    let rest = at_rest(path)?;
    let store = Sqlite::look(path, &keys)?;
    let mut found = Found::default();
    store.inspect(|finding| found.beside(&finding));
    let checked = found.check(store, keys, library, after)?;
    if rest.is_some() && at_rest(path)? != rest {
        let moved = Trouble::new("somebody wrote to the store while it was read as a file at rest");
        return Err(moved.help("check it again: a store that is served from is read along with it"));
    }
    Ok(checked)
}

/// What a check finds.
#[derive(Default)]
struct Found {
    bad: u64,
    suspended: u64,
    /// Beside the logs of matches.
    beside: u64,
}

impl Found {
    fn beside(&mut self, finding: &str) {
        println!("store: damaged: {finding}");
        self.beside += 1;
    }

    /// Verifies every match, and says what there is in all.
    fn check(
        mut self,
        store: impl referee_store::Store,
        keys: Keys,
        library: Library,
        after: u64,
    ) -> Result<ExitCode, Trouble> {
        let mut progress = Progress::of("checked");
        let checked = check_store(
            store,
            keys,
            library,
            Some(own_program()?),
            after,
            |id, place, checked| {
                for finding in &checked.findings {
                    println!("matches/{id}: damaged: {finding}");
                }
                if let Some(otherwise) = &checked.otherwise {
                    println!("matches/{id}: suspended: {otherwise}");
                }
                let is_sound = checked.findings.is_empty();
                self.bad += u64::from(!is_sound);
                self.suspended += u64::from(is_sound && checked.otherwise.is_some());
                progress.one_and(|| format!("; if it is interrupted, go on with --after {place}"));
            },
        );
        let checked = match checked {
            Err(StartError::Store(error)) => {
                self.beside(&format!("no more matches can be read: {error}"));
                self.bad + self.suspended
            }
            checked => checked?,
        };
        let Found {
            bad,
            suspended,
            beside,
        } = self;
        let also = match beside {
            0 => String::new(),
            findings => format!("; {findings} findings beside them"),
        };
        println!(
            "{checked} matches, {bad} damaged, {suspended} that this referee would suspend{also}"
        );
        Ok(ExitCode::from(u8::from(bad + suspended + beside > 0)))
    }
}

fn migrate(
    path: &Path,
    of_path: &Path,
    to: Option<PathBuf>,
    library: Library,
) -> Result<ExitCode, Trouble> {
    let own = keys(path, of_path)?;
    let to = match to {
        Some(to) => to,
        None => {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            path.with_file_name(format!("{name}-{SCHEMA}.sqlite"))
        }
    };
    // Under its own name only when it is whole: whoever finds it may serve from it.
    let part = part_of(&to);
    if to.exists() {
        return Err(Trouble::new(format!("`{}` is there already", to.display()))
            .help("serve from it, or name another file to write"));
    }
    let from = Sqlite::migrate(path, &part, &own)?;
    if from == SCHEMA {
        std::fs::remove_file(&part)?;
        println!(
            "{} is of schema {from}: there is nothing to migrate",
            path.display()
        );
        return Ok(ExitCode::SUCCESS);
    }
    let store = Sqlite::open(&part, &own)?;
    let (mut over, mut stay) = (0u64, 0u64);
    let mut progress = Progress::of("migrated");
    let (program, clock) = (Some(own_program()?), Clock::system());
    let matches = carry_over(store, own, library, program, clock, |id, carried| {
        match carried {
            Carried::Over { hashes_compared } => {
                over += 1;
                if !hashes_compared {
                    println!("matches/{id}: not verified by hash");
                }
            }
            Carried::Nothing => {}
            Carried::Stays(why) => {
                stay += 1;
                println!("matches/{id}: stays as it was: {why}");
            }
        }
        progress.one();
    })?;
    Sqlite::settle(&part)?;
    std::fs::copy(of_path, key_beside(to.clone()))?;
    std::fs::rename(&part, &to)?;
    println!(
        "{} was of schema {from}; {} is of schema {SCHEMA}: {matches} matches, {over} carried over, {stay} as they were",
        path.display(),
        to.display()
    );
    println!("next: referee serve --store {}", to.display());
    Ok(ExitCode::from(u8::from(stay > 0)))
}

/// Copies all of a store into a file or a database, and says how to go on.
fn copy(from: &dyn Whole, keys: &Keys, to: &Path, without_key: bool) -> Result<ExitCode, Trouble> {
    let address = to.to_str().filter(|text| is_address(text));
    let mut progress = Progress::of("copied");
    let mut into = |to: &dyn Whole| {
        let copied = copy_store(from, to, keys, |_| progress.one());
        copied.map_err(|why| {
            let help = match &why {
                CopyError::Store(_) => {
                    "once that is mended, the same command goes on where it stopped"
                }
                _ => "copy into an empty one, or into the one of before",
            };
            Trouble::new(why.to_string()).help(help)
        })
    };
    let (matches, next) = match address {
        Some(text) => {
            let address = Address::read(text).map_err(|why| {
                Trouble::new(format!("the address of the database is none: {why}"))
            })?;
            let database = reached(&address, keys)?;
            database.mark_key(keys.mark())?;
            if database.key_mark()? != Some(keys.mark()) {
                let what = format!("{} was written with another key", address.shown());
                return Err(Trouble::new(what).help("copy into a database that is empty"));
            }
            let shown = address.shown();
            (
                into(&database)?,
                format!("{shown} --key FILE, with the key of this store"),
            )
        }
        None => {
            if to.exists() {
                return Err(Trouble::new(format!("`{}` is there already", to.display()))
                    .help("name a new file"));
            }
            // Under its own name only when it is whole: whoever finds it may serve from it.
            let part = part_of(to);
            let file = Sqlite::open(&part, keys)?;
            file.mark_key(keys.mark())?;
            let matches = into(&file)?;
            drop(file);
            Sqlite::settle(&part)?;
            let own = key_beside(to.to_owned());
            if !without_key && !own.exists() {
                keys.write(&own)?;
            }
            std::fs::rename(&part, to)?;
            (matches, to.display().to_string())
        }
    };
    println!("{matches} matches copied, each entry compared");
    println!("next: referee serve --store {next}");
    Ok(ExitCode::SUCCESS)
}

/// What a file is called until it is whole.
fn part_of(to: &Path) -> PathBuf {
    let mut part = to.to_owned().into_os_string();
    part.push(".part");
    PathBuf::from(part)
}
