//! `referee sandbox`: the process in which a referee tries packages of strangers. Nobody types it.

use std::process::ExitCode;

use clap::Args;

use super::trouble::Trouble;
use referee_sandbox::{Bounds, serve};

/// Tries packages for a referee that has started this
#[derive(Debug, Args)]
pub struct Sandbox {
    /// MiB of memory that it may take
    #[arg(long)]
    mib: u32,

    /// Seconds of processor time that it may take
    #[arg(long)]
    seconds: u32,
}

impl Sandbox {
    /// Answers until its input ends.
    pub fn run(self) -> Result<ExitCode, Trouble> {
        let (mib, seconds) = (self.mib, self.seconds);
        serve(Bounds { mib, seconds }).map_err(|error| Trouble::new(error.to_string()))?;
        Ok(ExitCode::SUCCESS)
    }
}
