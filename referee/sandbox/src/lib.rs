//! Texts of strangers, tried before anything is made of them here.
//!
//! What comes in are the texts of a package and a configuration; what goes out is whether it can be played, and what is
//! wrong with it ([`judge`]). Where the referee knows its own program, a package is tried in a [`process`] of its
//! own with limits of memory and processor time, set by the operating system: whatever the rules' own budgets
//! ([`interpreter::budget`]) should miss ends that process and no other. Read [`Sandbox::tries`] first.

#![forbid(unsafe_code)]
#![deny(clippy::as_conversions)]
// A module's map names its private parts, for readers of the sources.
#![allow(rustdoc::private_intra_doc_links)]

mod bounds;
mod judge;
pub mod limits;
pub mod memory;
mod process;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use interpreter::package::Configuration;
use interpreter::play::PackageTexts;

pub use bounds::{Bounds, Ended};
pub use judge::{Offer, Purpose, Verdict};
use process::Process;
pub use process::configuration;

use crate::limits::Limits;

/// Where packages are tried.
#[derive(Clone, Debug, Default)]
pub struct Sandbox {
    /// The referee's program; none tries packages in this process.
    pub program: Option<PathBuf>,
    /// What its processes may take.
    pub bounds: Bounds,
}

impl Sandbox {
    /// Within the limits of a referee.
    pub fn of(program: Option<PathBuf>, limits: &Limits) -> Sandbox {
        Sandbox {
            program,
            bounds: Bounds {
                mib: limits.sandbox_mib,
                seconds: u32::try_from(limits.sandbox_time.as_secs().max(1)).unwrap_or(u32::MAX),
            },
        }
    }

    /// Tries a package: nothing is started before something is asked.
    pub fn tries(&self, texts: Arc<PackageTexts>) -> Trial {
        Trial {
            sandbox: self.clone(),
            texts,
            process: None,
        }
    }
}

/// A package that is tried. What is asked of it takes its time: not for async threads.
pub struct Trial {
    sandbox: Sandbox,
    texts: Arc<PackageTexts>,
    process: Option<Process>,
}

impl Trial {
    /// What it offers.
    ///
    /// # Errors
    ///
    /// When the process that tries it has ended.
    pub fn offer(&mut self) -> Result<Offer, Ended> {
        match self.process()? {
            Some(process) => process.offer(),
            None => Ok(judge::offer(&self.texts)),
        }
    }

    /// What comes of compiling it in a configuration.
    ///
    /// # Errors
    ///
    /// When the process that tries it has ended.
    pub fn verdict(
        &mut self,
        configuration: &Configuration,
        purpose: Purpose,
    ) -> Result<Verdict, Ended> {
        match self.process()? {
            Some(process) => process.verdict(configuration, purpose),
            None => Ok(judge::verdict(&self.texts, configuration, purpose)),
        }
    }

    fn process(&mut self) -> Result<Option<&mut Process>, Ended> {
        if let (Some(program), None) = (&self.sandbox.program, &self.process) {
            let process = Process::start(program, self.sandbox.bounds, &self.texts)?;
            self.process = Some(process);
        }
        Ok(self.process.as_mut())
    }
}

/// Is the process that tries packages, from now on: takes its limits, and answers what is asked on standard input until
/// that ends.
///
/// # Errors
///
/// When the limits cannot be set, or input and output fail.
pub fn serve(bounds: Bounds) -> io::Result<()> {
    bounds::limit(bounds)?;
    process::answer(io::stdin().lock(), io::stdout())
}
