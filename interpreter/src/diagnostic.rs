//! What is wrong with a ruleset, for its author.
//!
//! Every stage reports [`Diagnostic`]s and goes on, so that an author sees every mistake at once.
//! A diagnostic is plain data; [`render`](Diagnostic::render) turns it into text with an excerpt.
//! What is wrong with a *move* is a [`Refusal`](crate::play::Refusal) and lives elsewhere.

use crate::source::{Sources, Span};

/// A stable identity of a kind of mistake, such as `RF0501`.
///
/// The hundreds tell the stage: 01 syntax of rules, 02 scripts, 03 documents, 04 composition,
/// 05 names and types, 06 audiences, 07 the phase graph, 08 lints, 09 constructs that are known but
/// not yet playable, 10 scenarios.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Code(pub u16);

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// The ruleset cannot be played.
    Error,
    /// The ruleset can be played, but probably does not say what is meant.
    Warning,
}

/// A marked place and what is to be said of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What is said of it; may be empty.
    pub text: String,
}

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Its kind.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong: lower case, no period, the author's own words in backticks.
    pub message: String,
    /// Where; the first label is the place itself, others explain it and may lie in other files.
    pub labels: Vec<Label>,
    /// How to mend it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(code: u16, span: Span, message: impl Into<String>) -> Self {
        Diagnostic {
            code: Code(code),
            severity: Severity::Error,
            message: message.into(),
            labels: vec![Label { span, text: String::new() }],
            help: None,
        }
    }

    /// A warning at a place.
    pub fn warning(code: u16, span: Span, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, span, message) }
    }

    /// Says something at the place itself.
    pub fn label(mut self, text: impl Into<String>) -> Self {
        if let Some(first) = self.labels.first_mut() {
            first.text = text.into();
        }
        self
    }

    /// Marks a further place.
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Says how to mend it.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Mistakes found so far; every stage adds to it.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    /// In the order in which they were found.
    pub list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Adds one.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.list.push(diagnostic);
    }

    /// Whether the ruleset cannot be played.
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|d| d.severity == Severity::Error)
    }

    /// By file and position, each once.
    pub fn sorted(mut self) -> Self {
        self.list.sort_by_key(|d| (d.labels.first().map(|l| l.span), d.code));
        self.list.dedup();
        self
    }
}
