//! What is said of a code.

use crate::diagnostic::Code;

/// What a code means.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The code.
    pub code: Code,
    /// A few words.
    pub title: &'static str,
    /// A paragraph: what is wrong, why it matters, how to mend it, often with an example.
    pub explanation: &'static str,
}

/// Builds the tables of the stages.
pub(super) const fn entry(code: u16, title: &'static str, explanation: &'static str) -> Entry {
    Entry {
        code: Code(code),
        title,
        explanation,
    }
}
