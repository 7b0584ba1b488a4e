//! Faults of a ruleset, for its author.

use super::{Ruleset, Trouble};
use crate::numbers::At as _;

/// A fault of the ruleset while playing: overflow, division by zero, exhausted fuel, a broken bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What happened.
    pub message: String,
    /// Where: `path:line:column`, or the step under way if no sentence of the rules is at fault.
    pub at: String,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} at {}", self.message, self.at)
    }
}

impl std::error::Error for Fault {}

impl Ruleset {
    /// Whether an instruction of the rules is at fault.
    pub(crate) fn is_at_a_place(&self, trouble: Trouble) -> bool {
        self.program.bytecode.spans.get(trouble.op.at()).is_some()
    }

    pub(crate) fn fault(&self, trouble: Trouble) -> Fault {
        let at = match self.program.bytecode.spans.get(trouble.op.at()) {
            Some(span) => format!(
                "{}:{}",
                self.sources().file(span.file).path,
                self.sources().line_column(*span)
            ),
            None => "the phase graph".to_owned(),
        };
        Fault {
            message: trouble.kind.message().to_owned(),
            at,
        }
    }
}
