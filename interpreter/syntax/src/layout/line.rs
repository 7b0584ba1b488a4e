//! A sentence as it stands in the file, before it is read.

use crate::ast::Cite;
use crate::rules::kinds::Kind;
use crate::source::Span;

/// How deeply brackets may be nested in a sentence or a script.
pub(super) const BRACKETS: usize = 32;
/// How deeply sentences may stand below each other.
pub(super) const LEVELS: usize = 12;

/// A sentence, not yet read, and what stands below it.
#[derive(Debug)]
pub struct Line {
    /// Its kind by its opening words, if they open any.
    pub kind: Option<Kind>,
    /// Its text, blanked to the length of its source.
    pub text: String,
    /// Where the text begins in the file.
    pub base: u32,
    /// Where it stands.
    pub span: Span,
    /// The citation at its end.
    pub cite: Option<Cite>,
    /// Where its further lines begin, as offsets of the text.
    pub continued: Vec<usize>,
    /// Whether it is fit to be read; if not, that is already reported.
    pub sound: bool,
    /// What stands below it.
    pub below: Vec<Line>,
}
