//! The `referee` command: what is said on the command line, and what it starts.
//!
//! Each command is a file of its own. Data goes to standard output, everything else to standard
//! error. Exit codes: 0 well, 1 the thing asked about is bad, 2 wrong usage or surroundings.

pub mod admin;
pub mod author;
pub mod check;
pub mod completions;
pub mod coverage;
mod demo;
pub mod diff;
pub mod doc;
pub mod explain;
pub mod fmt;
pub mod graph;
mod lsp;
pub mod new;
pub mod out;
pub mod play;
mod policy;
pub mod publish;
mod ready;
pub mod remote;
pub mod revision;
pub mod ruleset;
mod sandbox;
pub mod schema;
mod serve;
mod settings;
pub mod show;
pub mod simulate;
pub mod snapshot;
mod store;
mod style;
mod supervisor;
pub mod test;
mod token;
pub mod watch;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use crate::library::{Library, LibraryError};

/// Referees board games whose rules are written as data
#[derive(Debug, Parser)]
#[command(name = "referee", version, max_term_width = 100)]
#[command(
    after_help = "Exit codes: 0 well, 1 the thing asked about is bad, 2 wrong usage or surroundings."
)]
pub struct Cli {
    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// The author's tools
    #[command(flatten)]
    Author(author::Author),
    /// Serves editors: mistakes while you type, what names mean, where they are written
    Lsp(lsp::Lsp),
    /// Plays a whole game between bots that speak gRPC, and tells it
    Demo(demo::Demo),
    /// Serves matches over gRPC
    Serve(Box<serve::Serve>),
    /// Says whether the referee with these settings can take moves
    Ready(Box<ready::Ready>),
    /// Tries packages for a referee that has started this
    #[command(hide = true)]
    Sandbox(sandbox::Sandbox),
    /// Looks after the file that keeps matches
    Store(store::Store),
    /// Makes, lists and revokes tokens of hosts, publishers and administrators
    Token(token::Token),
}

/// Where rulesets are found.
#[derive(Clone, Debug, Args)]
pub struct LibraryOptions {
    /// A folder of rulesets and house rules, or of one; may be given several times, later ones win over
    /// earlier ones and all of them over the rulesets in this program
    #[arg(
        long = "rulesets",
        value_name = "DIR",
        env = "REFEREE_RULESETS",
        value_delimiter = ':'
    )]
    pub rulesets: Vec<PathBuf>,
}

impl LibraryOptions {
    /// The rulesets in this program, and those of the folders.
    ///
    /// # Errors
    ///
    /// When a folder cannot be read or holds no ruleset.
    pub fn library(&self) -> Result<Library, LibraryError> {
        let mut library = Library::embedded()?;
        for folder in &self.rulesets {
            library.add_folder(folder)?;
        }
        Ok(library)
    }
}

/// Why a command failed, in words for whoever typed it. Exit code 2.
#[derive(Debug)]
pub struct Trouble {
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Trouble {
    /// Says what is wrong.
    pub fn new(what: impl Into<String>) -> Trouble {
        Trouble {
            what: what.into(),
            help: None,
        }
    }

    /// Says what to do about it.
    pub fn help(mut self, help: impl Into<String>) -> Trouble {
        self.help = Some(help.into());
        self
    }
}

impl<E: std::error::Error> From<E> for Trouble {
    fn from(error: E) -> Trouble {
        Trouble::new(error.to_string())
    }
}

/// Reads the command line and does what it says.
pub fn run() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Author(author) => Ok(author.run()),
        Command::Lsp(lsp) => lsp.run(),
        Command::Demo(demo) => demo.run(),
        Command::Serve(serve) => serve.run(),
        Command::Ready(ready) => ready.run(),
        Command::Sandbox(sandbox) => sandbox.run(),
        Command::Store(store) => store.run(),
        Command::Token(token) => token.run(),
    };
    done.unwrap_or_else(|trouble| {
        anstream::eprintln!(
            "{}error{}: {}",
            style::BAD.render(),
            style::BAD.render_reset(),
            trouble.what
        );
        if let Some(help) = trouble.help {
            anstream::eprintln!(
                "{}help{}: {help}",
                style::GOOD.render(),
                style::GOOD.render_reset()
            );
        }
        ExitCode::from(2)
    })
}

/// This program, to start it again. Under Linux it is the file that runs, also where another one has been put into its
/// place since.
fn own_program() -> std::io::Result<PathBuf> {
    match cfg!(target_os = "linux") {
        true => Ok("/proc/self/exe".into()),
        false => std::env::current_exe(),
    }
}

/// A folder for what this program keeps: `$XDG_DATA_HOME/referee`, `~/.local/share/referee`, or a
/// temporary one. It is made if there is none.
pub fn data_folder() -> std::io::Result<PathBuf> {
    let base = std::env::var_os("XDG_DATA_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute());
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".local/share"));
    let folder = base
        .or_else(home)
        .unwrap_or_else(std::env::temp_dir)
        .join("referee");
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// A runtime with as many threads as there are processors.
pub fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
}
