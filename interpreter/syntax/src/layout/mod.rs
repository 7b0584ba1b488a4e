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

mod line;
mod scan;
mod tree;

use crate::diagnostic::{Code, Diagnostics};
use crate::source::{FileId, Sources, Span};

pub use line::Line;

/// How long a file may be, in bytes.
const FILE_LENGTH: usize = 1 << 20;

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
            Code::OversizedSentence
                .error(span, "this file is longer than a mebibyte")
                .help("divide the rules among several files"),
        );
        return Vec::new();
    }
    let (rows, clean) = scan::scan(file, text, diagnostics);
    tree::build(file, &clean, rows, diagnostics)
}
