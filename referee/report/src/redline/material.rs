//! What a redline is made of.

use interpreter::package::Language;

use crate::diff::scenarios::Scenarios;
use crate::diff::texts::Texts;
use crate::diff::{Composed, Difference};

/// What a redline is made of.
pub struct Material<'a> {
    /// The first side.
    pub before: &'a Composed,
    /// The second.
    pub after: &'a Composed,
    /// What is written, compared.
    pub texts: &'a Texts,
    /// What came of the scenarios.
    pub scenarios: &'a Scenarios,
    /// Marks of mistakes that nobody could notice, compared.
    pub marks: &'a [Difference],
    /// Modules that differ and are laid over neither.
    pub unread: &'a [String],
    /// The language of the redline.
    pub language: Language,
}
