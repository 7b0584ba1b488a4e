//! Runs an author's command in this process, so that what it prints can be compared.

use clap::{CommandFactory as _, Parser as _};
use referee::cli::out::Out;
use referee::cli::{Cli, Command};

/// What came of a command.
pub struct Ran {
    /// Its exit code.
    pub code: u8,
    /// What it wrote to standard output.
    pub data: String,
    /// What it wrote to standard error.
    pub notes: String,
}

/// Runs a command line, without the program's name.
///
/// # Panics
/// If it cannot be read, is not an author's command, or does not write text.
pub fn run(words: &[&str]) -> Ran {
    let words = std::iter::once("referee").chain(words.iter().copied());
    let cli = Cli::try_parse_from(words).unwrap_or_else(|error| panic!("{error}"));
    let Command::Author(author) = cli.command else {
        panic!("not an author's command");
    };
    let (mut data, mut notes) = (Vec::new(), Vec::new());
    let code = author.run_with(Cli::command, &mut Out::plain(&mut data, &mut notes));
    let text = |bytes| String::from_utf8(bytes).expect("commands write text");
    Ran {
        code,
        data: text(data),
        notes: text(notes),
    }
}
