//! What is wrong with a ruleset, for its author.
//!
//! Every stage reports [`Diagnostic`]s and goes on, so that an author sees every mistake at once.
//! A diagnostic is plain data; [`render`](Diagnostic::render) turns it into text with an excerpt,
//! [`report`](Diagnostic::report) into data for machines, and the [`catalogue`] explains its code by an example.
//! What is wrong with a *move* is a `Refusal` of `interpreter-play` and lives elsewhere.

pub mod catalogue;
mod consequences;
mod rejected;
mod render;
mod report;
mod similar;

pub use catalogue::Code;
pub use rejected::Rejected;
pub use render::Style;
pub use render::counted;
pub use report::{Position, Report, ReportLabel};
pub use similar::{did_you_mean, similar};

use crate::source::Span;

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
    /// Empty when there is no text to point at, as when a file is missing altogether.
    pub labels: Vec<Label>,
    /// Why it is wrong, if the message does not say it.
    pub note: Option<String>,
    /// How to mend it.
    pub help: Option<String>,
}

impl Code {
    /// An error at a place.
    pub fn error(self, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code: self,
            severity: Severity::Error,
            message: readable(message.into()),
            labels: vec![Label {
                span,
                text: String::new(),
            }],
            note: None,
            help: None,
        }
    }

    /// A warning at a place.
    pub fn warning(self, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Warning,
            ..self.error(span, message)
        }
    }
}

impl Diagnostic {
    /// An error that has no place, because the text that should hold it does not exist.
    pub fn without_place(code: Code, message: impl Into<String>) -> Self {
        Diagnostic {
            code,
            severity: Severity::Error,
            message: message.into(),
            labels: Vec::new(),
            note: None,
            help: None,
        }
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
        self.labels.push(Label {
            span,
            text: text.into(),
        });
        self
    }

    /// Marks a further place, if there is one.
    pub fn maybe_also(self, span: Option<Span>, text: impl Into<String>) -> Self {
        match span {
            Some(span) => self.also(span, text),
            None => self,
        }
    }

    /// Says why it is wrong.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// Says how to mend it.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Says how to mend it, if anybody knows; keeps what was said before otherwise.
    pub fn maybe_help(self, help: Option<impl Into<String>>) -> Self {
        match help {
            Some(help) => self.help(help),
            None => self,
        }
    }
}

/// The longest word that a message repeats whole.
const LONGEST_WORD: usize = 120;

/// A message whose words are no longer than anybody reads: what is wrong may be a word without end.
fn readable(message: String) -> String {
    let long = |word: &str| word.chars().count() > LONGEST_WORD;
    if !message.split(' ').any(long) {
        return message;
    }
    let shortened = message.split(' ').map(|word| match long(word) {
        true => {
            let begins: String = word.chars().take(LONGEST_WORD / 2).collect();
            let closed = if word.ends_with('`') { "`" } else { "" };
            format!("{begins}…{closed}")
        }
        false => word.to_owned(),
    });
    shortened.collect::<Vec<_>>().join(" ")
}

/// Mistakes found so far; every stage adds to it.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    /// In the order in which they were found.
    pub list: Vec<Diagnostic>,
    /// How many were left out because they only follow from these.
    pub left_out: usize,
    /// Codes of errors that do not keep the ruleset from being played.
    pub tolerated: &'static [Code],
}

/// Codes of errors that came after the first release: of texts that a match began with before, they are tolerated.
/// Whoever adds an error that a text of before can have adds its code here; a test asks for each new code whether that is
/// so (`tests/tests/unit/interpreter/diagnostic/catalogue/decided.txt`). There was no release yet.
pub const ADDED: &[Code] = &[];

/// Codes of errors in the texts of clauses. When a caller that compares or mutates rules tolerates them, the numbers of clauses
/// are not compared with figures, and clauses that modules overrule need not be replaced.
pub const OF_CLAUSES: &[Code] = &[Code::FalseNumber, Code::OverruledClause];

impl Diagnostics {
    /// None so far; errors with these codes do not keep the ruleset from being played.
    pub fn tolerating(tolerated: &'static [Code]) -> Diagnostics {
        Diagnostics {
            tolerated,
            ..Diagnostics::default()
        }
    }

    /// Adds one.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.list.push(diagnostic);
    }

    /// Whether the ruleset cannot be played.
    pub fn has_errors(&self) -> bool {
        let is_error =
            |d: &Diagnostic| d.severity == Severity::Error && !self.tolerated.contains(&d.code);
        self.list.iter().any(is_error)
    }

    /// How many errors and how many warnings.
    pub fn counts(&self) -> (usize, usize) {
        let errors = self
            .list
            .iter()
            .filter(|d| d.severity == Severity::Error)
            .count();
        (errors, self.list.len() - errors)
    }

    /// By file and position, each once.
    pub fn sorted(mut self) -> Self {
        self.list
            .sort_by_key(|d| (d.labels.first().map(|l| l.span), d.code));
        self.list.dedup();
        self
    }
}
