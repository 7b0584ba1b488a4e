//! `referee completions`: what shells read to complete the command.

use super::out::Out;
use super::outcome::{Exit, Failure};

/// Arguments of `completions`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
Examples:
  referee completions bash > ~/.local/share/bash-completion/completions/referee
  referee completions zsh > ~/.zfunc/_referee
  referee completions fish > ~/.config/fish/completions/referee.fish")]
pub struct Args {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// Writes the completions of a program.
///
/// # Errors
///
/// When the output cannot be written.
pub fn run(args: &Args, mut program: clap::Command, out: &mut Out<'_>) -> Result<Exit, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut program, "referee", &mut text);
    out.data.write_all(&text)?;
    Ok(Exit::Clean)
}
