//! The `referee` command: one file or folder for each subcommand.
//!
//! In: arguments, settings and the environment. Out: data on standard output, everything else on standard error, and an
//! exit code: 0 well, 1 the thing asked about is bad, 2 wrong usage or surroundings. Begin at the subcommand's own file.

pub mod admin;
mod at_revision;
pub mod author;
pub mod check;
pub mod completions;
pub mod coverage;
pub mod demo;
pub mod diff;
pub mod doc;
mod environment;
pub mod explain;
pub mod fmt;
pub mod format;
pub mod graph;
pub mod kept;
mod library;
pub mod lsp;
pub mod new;
pub mod out;
pub mod outcome;
pub mod play;
mod policy;
pub mod prove;
pub mod publish;
mod ready;
mod redline;
pub mod remote;
pub mod review;
pub mod revision;
pub mod ruleset;
mod sandbox;
pub mod schema;
pub mod serve;
pub mod settings;
pub mod show;
pub mod simulate;
pub mod snapshot;
pub mod source;
mod store;
mod style;
mod supervisor;
pub mod test;
mod token;
mod trouble;
pub mod watch;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};

pub use environment::{data_folder, runtime};
pub use library::LibraryOptions;
pub use trouble::Trouble;

/// Version of the program, and whether it can compile rules to machine code.
const VERSION: &str = match cfg!(feature = "native") {
    true => concat!(env!("CARGO_PKG_VERSION"), " (with machine code)"),
    false => concat!(env!("CARGO_PKG_VERSION"), " (without machine code)"),
};

/// Referees board games whose rules are written as data
#[derive(Debug, Parser)]
#[command(name = "referee", version = VERSION, max_term_width = 100)]
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

/// Reads the command line and does what it says.
pub fn run() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Author(author) => Ok(author.run(Cli::command)),
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
