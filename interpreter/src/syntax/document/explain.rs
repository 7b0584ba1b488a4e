//! What the scanner's errors mean for somebody who does not know YAML's grammar by heart.

use serde_saphyr::granit_parser::ErrorKind;

use crate::diagnostic::Diagnostic;
use crate::source::{FileId, SourceFile, Span};

/// An error of the scanner in plain words.
pub(super) struct Explained {
    message: String,
    help: Option<&'static str>,
    start: u32,
    end: u32,
}

impl Explained {
    /// The diagnostic.
    pub(super) fn into_diagnostic(self, file: FileId) -> Diagnostic {
        Diagnostic::error(
            301,
            Span {
                file,
                start: self.start,
                end: self.end,
            },
            self.message,
        )
        .maybe_help(self.help)
    }
}

/// Explains an error at a byte offset.
pub(super) fn explain(kind: &ErrorKind, source: &SourceFile, at: u32) -> Explained {
    let text = source.text.as_str();
    let mut start = at as usize;
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    // Errors noticed only at the start of the next line, or at the end of the text, belong to the
    // last thing written before them.
    let before = text[..start].trim_end().len();
    let at_line_start = text[..start].rfind('\n').map_or(0, |n| n + 1);
    let late = matches!(
        kind,
        ErrorKind::UnexpectedEof
            | ErrorKind::UnexpectedEofFlowSequence
            | ErrorKind::UnexpectedEofFlowMapping
            | ErrorKind::UnexpectedEofImplicitFlowMapping
    );
    if late || start == text.len() {
        start = before
            .saturating_sub(1)
            .max(text[..before].rfind('\n').map_or(0, |n| n + 1));
        while !text.is_char_boundary(start) {
            start -= 1;
        }
    }
    let end = match text[start..].chars().next() {
        Some(c) if c != '\n' && c != '\r' => start + c.len_utf8(),
        _ => start,
    };
    let (message, help) = words(kind, &text[at_line_start..]);
    Explained {
        message,
        help,
        start: start as u32,
        end: end as u32,
    }
}

fn words(kind: &ErrorKind, line: &str) -> (String, Option<&'static str>) {
    const INDENT: &str = "lines that belong together begin in the same column; indent with spaces";
    const QUOTES: &str = "put a text that contains this in quotes";
    let line = line.lines().next().unwrap_or_default();
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
        ErrorKind::SimpleKeyExpected | ErrorKind::InvalidSimpleKey => {
            if line.contains(':') {
                (
                    "a key without its colon and space",
                    Some("write `key: value`, with a space after the colon"),
                )
            } else {
                (
                    "a key without a colon",
                    Some("write `key: value`, with a space after the colon"),
                )
            }
        }
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
