//! Texts and places in them.
//!
//! The ground floor of the interpreter: every other stage speaks of a text by [`Span`], and only
//! [`Sources`] knows the text itself. A source is a path *as the package names it* and its text;
//! nothing here touches a file system.

pub mod span;
mod texts;

use std::fmt;
use std::sync::Arc;

pub use span::{FileId, Span, Spanned};
pub use texts::PackageTexts;

use crate::budget::spend;
use crate::numbers::{At as _, Fit as _};

/// An id as the ruleset writes it: of a row, place, move, phase, event, clause.
pub type Id = Arc<str>;

/// One text of a package.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Path inside its package, with forward slashes, prefixed by the package's own path.
    pub path: String,
    /// The text.
    pub text: String,
    line_starts: Vec<u32>,
}

/// A place for people: both numbers count from one; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineColumn {
    /// Line, from one.
    pub line: u32,
    /// Column in characters, from one.
    pub column: u32,
}

impl fmt::Display for LineColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// All texts of one compilation.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<SourceFile>,
}

impl Sources {
    /// Adds a text and gives its identity.
    pub fn add(&mut self, path: impl Into<String>, text: impl Into<String>) -> FileId {
        self.add_file(path.into(), text.into())
    }

    // Not generic, so that it is compiled, and optimized, with this crate.
    fn add_file(&mut self, path: String, text: String) -> FileId {
        // Each byte of the text is read.
        spend(16 * text.len().fit::<u64>(), None);
        let ends = text.bytes().enumerate().filter(|(_, b)| *b == b'\n');
        let starts = ends.map(|(end, _)| end.fit::<u32>() + 1);
        let line_starts = std::iter::once(0).chain(starts).collect();
        self.files.push(SourceFile {
            path,
            text,
            line_starts,
        });
        FileId(self.files.len().fit::<u32>() - 1)
    }

    /// The text with this identity.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0.at()]
    }

    /// Every text with its identity, in the order in which it was added.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files
            .iter()
            .enumerate()
            .map(|(i, f)| (FileId(i.fit()), f))
    }

    /// The written characters of a span.
    pub fn text(&self, span: Span) -> &str {
        &self.file(span.file).text[span.start.at()..span.end.at()]
    }

    /// Line and column where a span starts.
    pub fn line_column(&self, span: Span) -> LineColumn {
        self.file(span.file).line_column(span.start)
    }

    /// The span of a whole text.
    pub fn whole(&self, file: FileId) -> Span {
        Span {
            file,
            start: 0,
            end: self.file(file).text.len().fit(),
        }
    }
}

impl SourceFile {
    /// Line and column of a byte offset.
    pub fn line_column(&self, offset: u32) -> LineColumn {
        let line = self.line_starts.partition_point(|s| *s <= offset).max(1);
        let start = self.line_starts[line - 1].at();
        let end = offset.at().clamp(start, self.text.len());
        LineColumn {
            line: line.fit(),
            column: self.text[start..end].chars().count().fit::<u32>() + 1,
        }
    }

    /// Byte offset of a line and a column in characters, both from one; the nearest one that exists.
    pub fn offset(&self, line: u32, column: u32) -> u32 {
        let Some(&start) = self.line_starts.get(line.max(1).at() - 1) else {
            return self.text.len().fit();
        };
        let rest = &self.text[start.at()..];
        let step = rest
            .char_indices()
            .nth(column.max(1).at() - 1)
            .map_or(rest.len(), |(i, _)| i);
        start + step.fit::<u32>()
    }
}
