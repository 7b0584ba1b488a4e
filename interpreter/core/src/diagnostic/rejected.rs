//! A ruleset that cannot be played.

use super::{Code, Diagnostics};
use crate::source::Sources;

/// A ruleset that is not playable: what is wrong, and the texts to show it in.
#[derive(Debug)]
pub struct Rejected {
    /// The texts.
    pub sources: Sources,
    /// What is wrong.
    pub diagnostics: Diagnostics,
}

impl Rejected {
    /// Whether it was given up because it takes too much [work](crate::budget).
    pub fn takes_too_much(&self) -> bool {
        self.diagnostics
            .list
            .iter()
            .any(|found| found.code == Code::WorkLimitExceeded)
    }
}
