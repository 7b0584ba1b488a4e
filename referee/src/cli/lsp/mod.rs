//! `referee lsp`: a language server, what editors ask about rulesets.
//!
//! [`session`] answers one editor over the standard streams. [`project`] finds the package to which a
//! file belongs, with unsaved texts laid over the files, and checks it as `referee check` does; [`index`]
//! knows what its names mean; [`place`] translates places. Nothing is written, and nothing is kept but
//! what is open.

mod index;
pub mod place;
pub mod project;
mod session;

use std::process::ExitCode;

use lsp_server::Connection;

use super::library::LibraryOptions;
use super::trouble::Trouble;

/// Serves one editor over the standard streams.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
An editor starts it and speaks the Language Server Protocol over its standard streams: mistakes of the \
whole package while you type, what a name or a citation means, where it is written, the outline of a file. \
`editors/vscode` has an extension for Visual Studio Code and says how other editors connect.

Exit codes: 0 the editor said goodbye, 2 it did not keep to the protocol.")]
pub struct Lsp {
    #[command(flatten)]
    library: LibraryOptions,
    /// Editors say this; there is no other way
    #[arg(long, hide = true)]
    stdio: bool,
}

impl Lsp {
    /// Serves until the editor says goodbye. The standard streams belong to it alone.
    pub fn run(&self) -> Result<ExitCode, Trouble> {
        let (connection, threads) = Connection::stdio();
        let served = session::serve(&connection, &self.library);
        // The writer ends when nobody can write to it any more.
        drop(connection);
        served?;
        threads.join()?;
        Ok(ExitCode::SUCCESS)
    }
}
