//! A diagnostic as data for machines: editors, scripts, the service.
//!
//! The fields are a public format (`--format json`): they are added to, never renamed.

use serde::Serialize;

use super::{Diagnostic, Severity};
use crate::source::{LineColumn, Sources, Span};

/// A diagnostic with its places resolved to files, lines and columns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// `RF0301`
    pub code: String,
    /// `error` or `warning`
    pub severity: &'static str,
    /// What is wrong.
    pub message: String,
    /// The file of the first label; absent when there is no place.
    pub file: Option<String>,
    /// Line of its start, from one.
    pub line: Option<u32>,
    /// Column of its start in characters, from one.
    pub column: Option<u32>,
    /// Where it ends.
    pub end: Option<Position>,
    /// Every marked place, the first included.
    pub labels: Vec<ReportLabel>,
    /// Why it is wrong.
    pub note: Option<String>,
    /// How to mend it.
    pub help: Option<String>,
}

/// A marked place of a [`Report`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReportLabel {
    /// The file.
    pub file: String,
    /// Line of its start, from one.
    pub line: u32,
    /// Column of its start in characters, from one.
    pub column: u32,
    /// Where it ends.
    pub end: Position,
    /// What is said of it; may be empty.
    pub text: String,
}

/// A line and a column in characters, both from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Position {
    /// Line, from one.
    pub line: u32,
    /// Column in characters, from one.
    pub column: u32,
}

impl From<LineColumn> for Position {
    fn from(place: LineColumn) -> Self {
        Position {
            line: place.line,
            column: place.column,
        }
    }
}

impl Diagnostic {
    /// The diagnostic as data.
    pub fn report(&self, sources: &Sources) -> Report {
        let labels: Vec<ReportLabel> = self
            .labels
            .iter()
            .map(|l| label(sources, l.span, &l.text))
            .collect();
        let first = labels.first();
        Report {
            code: self.code.to_string(),
            severity: match self.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            message: self.message.clone(),
            file: first.map(|l| l.file.clone()),
            line: first.map(|l| l.line),
            column: first.map(|l| l.column),
            end: first.map(|l| l.end),
            labels,
            note: self.note.clone(),
            help: self.help.clone(),
        }
    }
}

fn label(sources: &Sources, span: Span, text: &str) -> ReportLabel {
    let file = sources.file(span.file);
    let start = file.line_column(span.start);
    ReportLabel {
        file: file.path.clone(),
        line: start.line,
        column: start.column,
        end: file.line_column(span.end.max(span.start)).into(),
        text: text.to_owned(),
    }
}
