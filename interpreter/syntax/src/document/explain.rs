//! What the scanner's errors mean for somebody who does not know YAML's grammar by heart.

use serde_saphyr::granit_parser::ErrorKind;

use crate::diagnostic::{Code, Diagnostic};
use crate::numbers::{At as _, Fit as _};
use crate::source::{FileId, SourceFile, Span};

/// Explains an error at a byte offset.
pub(super) fn explain(kind: &ErrorKind, source: &SourceFile, file: FileId, at: u32) -> Diagnostic {
    let text = source.text.as_str();
    let mut at = at.at().min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let place = Place { text, file };
    let (message, help) = words(kind);
    let diagnostic = |at: usize| {
        Code::MalformedYaml
            .error(place.character(at), message.clone())
            .maybe_help(help)
    };
    match kind {
        ErrorKind::MappingValueNotAllowed => place.colon(at).unwrap_or_else(|| diagnostic(at)),
        // Noticed at the next line, but the quote that is not closed stands before.
        ErrorKind::InvalidQuotedScalarIndent | ErrorKind::UnclosedQuotedScalar => {
            let (message, help) = words(&ErrorKind::UnclosedQuotedScalar);
            let quote = text[..at].rfind(['"', '\'']).unwrap_or(at);
            Code::MalformedYaml
                .error(place.character(quote), message)
                .maybe_help(help)
        }
        ErrorKind::ExpectedFlowMappingSeparator
        | ErrorKind::ExpectedFlowSequenceSeparator
        | ErrorKind::UnexpectedEofFlowMapping
        | ErrorKind::UnexpectedEofImplicitFlowMapping
        | ErrorKind::UnexpectedEofFlowSequence => place
            .unclosed(at)
            .unwrap_or_else(|| diagnostic(place.last_written(at))),
        // Noticed at the end of the line above.
        ErrorKind::TabNotAllowed
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation => {
            diagnostic(text[at..].find('\t').map_or(at, |tab| at + tab))
        }
        ErrorKind::UnexpectedEof => diagnostic(place.last_written(at)),
        _ if at == text.len() => diagnostic(place.last_written(at)),
        _ => diagnostic(at),
    }
}

/// A text in which places of errors are made out.
struct Place<'t> {
    text: &'t str,
    file: FileId,
}

impl Place<'_> {
    fn span(&self, start: usize, end: usize) -> Span {
        Span {
            file: self.file,
            start: start.fit(),
            end: end.fit(),
        }
    }

    /// The character at an offset, or nothing at the end of a line.
    fn character(&self, at: usize) -> Span {
        match self.text[at..].chars().next() {
            Some(c) if c != '\n' && c != '\r' => self.span(at, at + c.len_utf8()),
            _ => self.span(at, at),
        }
    }

    fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |n| n + 1)
    }

    /// The last character that is not blank before an offset, or at it.
    fn last_written(&self, at: usize) -> usize {
        if self.text[at..]
            .chars()
            .next()
            .is_some_and(|c| !c.is_whitespace())
        {
            return at;
        }
        self.text[..at]
            .trim_end()
            .char_indices()
            .next_back()
            .map_or(0, |(i, _)| i)
    }

    /// A colon where no key can stand: in a text, or in a line that continues the one above because
    /// of the way that one is written.
    fn colon(&self, at: usize) -> Option<Diagnostic> {
        let start = self.line_start(at);
        if self.text[start..at].contains(": ") {
            return None;
        }
        let above = self.text[..start].trim_end();
        let above_start = above.rfind('\n').map_or(0, |n| n + 1);
        let line = &above[above_start..];
        let indent = |line: &str| line.len() - line.trim_start().len();
        let glued = line
            .find(':')
            .filter(|colon| line[colon + 1..].starts_with(|c: char| !c.is_whitespace()));
        if let Some(colon) = glued {
            let at = above_start + colon;
            return Some(
                Code::MalformedYaml
                    .error(self.span(at, at + 1), "a colon without a space after it")
                    .help("write `key: value`, with a space after the colon"),
            );
        }
        let (own, other) = (indent(&self.text[start..at]), indent(line));
        (own > other).then(|| {
            let key = start + own;
            Code::MalformedYaml
                .error(
                    self.character(key),
                    "this line is indented deeper than the one above",
                )
                .also(
                    self.character(above_start + other),
                    "which has a value of its own already",
                )
                .help("lines that belong together begin in the same column")
        })
    }

    /// A bracket that was opened on an earlier line and is still open.
    fn unclosed(&self, at: usize) -> Option<Diagnostic> {
        let mut open: Vec<(usize, char)> = Vec::new();
        let mut quote = None;
        let mut last = '\n';
        let mut comment = false;
        for (i, c) in self.text[..at].char_indices() {
            match (quote, c) {
                _ if comment => comment = c != '\n',
                (Some(q), _) if q == c && last != '\\' => quote = None,
                (Some(_), _) => {}
                (None, '"' | '\'') if !last.is_alphanumeric() => quote = Some(c),
                (None, '#') if last.is_whitespace() => comment = true,
                (None, '{' | '[') => open.push((i, c)),
                (None, '}' | ']') => {
                    open.pop();
                }
                _ => {}
            }
            last = c;
        }
        let (opened, bracket) = open.pop()?;
        if self.line_start(opened) == self.line_start(self.last_written(at)) {
            return None;
        }
        let close = if bracket == '{' { '}' } else { ']' };
        let here = self.last_written(at);
        Some(
            Code::MalformedYaml
                .error(self.character(opened), format!("`{bracket}` is not closed"))
                .also(
                    self.character(here),
                    format!("`,` or `{close}` was expected here at the latest"),
                )
                .help("brackets and braces close in pairs"),
        )
    }
}

/// What an error means, and what helps.
fn words(kind: &ErrorKind) -> (String, Option<&'static str>) {
    const INDENT: &str = "lines that belong together begin in the same column; indent with spaces";
    const QUOTES: &str = "put a text that contains this in quotes";
    let (message, help): (&str, Option<&'static str>) = match kind {
        ErrorKind::TabNotAllowed
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabAtBlockScalarStart
        | ErrorKind::TabInPlainScalar => {
            ("a tab where YAML wants spaces", Some("indent with spaces"))
        }
        ErrorKind::MappingValueNotAllowed | ErrorKind::InvalidColonPlacement => (
            "a colon where no key can stand",
            Some("a text that contains a colon followed by a space needs quotes"),
        ),
        ErrorKind::InvalidIndentation
        | ErrorKind::ExpectedBlockMappingKey
        | ErrorKind::ExpectedBlockSequenceEntry
        | ErrorKind::InvalidBlockScalarIndent
        | ErrorKind::InvalidQuotedScalarIndent
        | ErrorKind::InvalidFlowScalarIndent
        | ErrorKind::MappingKeyNotAllowed
        | ErrorKind::BlockSequenceEntryNotAllowed => {
            ("this line does not fit those above it", Some(INDENT))
        }
        ErrorKind::SimpleKeyExpected | ErrorKind::InvalidSimpleKey => (
            "a key without a colon and a space",
            Some("write `key: value`, with a space after the colon"),
        ),
        ErrorKind::UnclosedQuotedScalar | ErrorKind::DocumentIndicatorInQuotedScalar => (
            "a text in quotes that is never closed",
            Some("close the quotes on the same line"),
        ),
        ErrorKind::InvalidTrailingSingleQuotedScalar => (
            "something follows the closing quote",
            Some("write `''` for a quote inside single quotes"),
        ),
        ErrorKind::InvalidTrailingDoubleQuotedScalar => (
            "something follows the closing quote",
            Some("write `\\\"` for a quote inside double quotes"),
        ),
        ErrorKind::UnknownQuotedScalarEscape => (
            "an unknown escape in double quotes",
            Some("write `\\\\` for a backslash, or use single quotes"),
        ),
        ErrorKind::UnexpectedEofFlowSequence | ErrorKind::ExpectedFlowSequenceSeparator => (
            "`,` or `]` is missing here",
            Some("a list in brackets is written `[a, b, c]`"),
        ),
        ErrorKind::UnexpectedEofFlowMapping
        | ErrorKind::UnexpectedEofImplicitFlowMapping
        | ErrorKind::ExpectedFlowMappingSeparator => (
            "`,` or `}` is missing here",
            Some("a map in braces is written `{a: 1, b: 2}`"),
        ),
        ErrorKind::MismatchedFlowCollectionEnd { open, close } => {
            return (
                format!("`{open}` is closed by `{close}`"),
                Some("brackets and braces close in pairs"),
            );
        }
        ErrorKind::UnclosedFlowCollection { open } => {
            return (
                format!("`{open}` is never closed"),
                Some("brackets and braces close in pairs"),
            );
        }
        ErrorKind::MisplacedFlowCollectionEnd => (
            "a closing bracket that closes nothing",
            Some("brackets and braces close in pairs"),
        ),
        ErrorKind::UnexpectedCharacter { character } => {
            return (
                format!("a text cannot begin with `{character}`"),
                Some("put the text in quotes"),
            );
        }
        ErrorKind::CommentNotSeparated => {
            ("a comment without a space before its `#`", Some(QUOTES))
        }
        ErrorKind::DirectiveDisallowed => (
            "lines that begin with `%` are not used in packages",
            Some(QUOTES),
        ),
        ErrorKind::RecursionLimitExceeded => ("values nested too deeply", None),
        ErrorKind::UndeclaredTagHandle
        | ErrorKind::ExpectedTagBang
        | ErrorKind::InvalidTagTerminator
        | ErrorKind::MissingTagUri => (
            "tags are not used in packages",
            Some("remove it; a text that begins with `!` needs quotes"),
        ),
        ErrorKind::MissingAnchorOrAliasName => (
            "anchors and aliases are not used in packages",
            Some("a text that begins with `&` or `*` needs quotes"),
        ),
        other => return (format!("not readable as YAML: {other}"), None),
    };
    (message.to_owned(), help)
}
