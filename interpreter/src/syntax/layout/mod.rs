//! From indentation to a tree of sentences.
//!
//! The first of two stages that read a `.rules` file; it knows lines, brackets, scripts, comments
//! and citations, but of the sentences only their opening words
//! ([`Kind`](super::rules::kinds::Kind)). The rules:
//!
//! - `#` begins a comment; `@clause` ends a line and cites for the sentence of that line.
//! - A deeper line that opens with a word of the language is a sentence *below* the one above; any
//!   other deeper line *continues* it. Inside brackets and scripts lines have no meaning, as long as
//!   those in brackets are deeper than the line that opens the bracket.
//! - Sentences below the same one are indented alike, with spaces.
//! - A citation never stands within a script or behind one of several lines: it belongs to the
//!   sentence above.
//!
//! A sentence keeps the length of its source: what is not its text (comments, citations) is blanked,
//! so that an offset in it plus [`Line::base`] is an offset in the file.

mod scan;
mod tree;

use super::ast::Cite;
use super::rules::kinds::Kind;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::source::{FileId, Sources, Span};

/// How deeply brackets may be nested in a sentence or a script.
pub const BRACKETS: usize = 32;
/// How deeply sentences may stand below each other.
const LEVELS: usize = 12;
/// How long a file may be, in bytes.
const FILE_LENGTH: usize = 1 << 20;

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

/// Arranges a file into its sentences.
pub fn arrange(sources: &Sources, file: FileId, diagnostics: &mut Diagnostics) -> Vec<Line> {
    let text = &sources.file(file).text;
    if text.len() > FILE_LENGTH {
        let span = Span {
            file,
            start: 0,
            end: 0,
        };
        diagnostics.push(
            Diagnostic::error(108, span, "this file is longer than a mebibyte")
                .help("divide the rules among several files"),
        );
        return Vec::new();
    }
    let (rows, clean) = scan::scan(file, text, diagnostics);
    tree::build(file, &clean, rows, diagnostics)
}
