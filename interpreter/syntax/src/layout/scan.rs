//! Lines, brackets, comments, citations and scripts: a file cut into rows.

use super::line::BRACKETS;
use crate::ast::Cite;
use crate::diagnostic::{Code, Diagnostics};
use crate::numbers::Fit as _;
use crate::source::{FileId, Span, Spanned};

/// One or more lines of the file that belong together because of brackets.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) indent: usize,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) cites: Vec<Cite>,
    pub(super) sound: bool,
}

/// Cuts a text into rows, and gives it with comments and citations blanked.
pub(super) fn scan(file: FileId, text: &str, diagnostics: &mut Diagnostics) -> (Vec<Row>, String) {
    let mut scanner = Scanner {
        file,
        text: text.as_bytes(),
        clean: text.as_bytes().to_vec(),
        tabs: Vec::new(),
        diagnostics,
    };
    let rows = scanner.rows();
    scanner.report_tabs();
    (rows, String::from_utf8_lossy(&scanner.clean).into_owned())
}

struct Scanner<'a> {
    file: FileId,
    text: &'a [u8],
    /// The text with comments and citations blanked.
    clean: Vec<u8>,
    /// Indentations with tabs.
    tabs: Vec<Span>,
    diagnostics: &'a mut Diagnostics,
}

impl Scanner<'_> {
    fn span(&self, start: usize, end: usize) -> Span {
        Span {
            file: self.file,
            start: start.fit(),
            end: end.fit(),
        }
    }

    fn blank(&mut self, start: usize, end: usize) {
        for byte in &mut self.clean[start..end] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    }

    fn line_end(&self, from: usize) -> usize {
        self.text[from..]
            .iter()
            .position(|b| *b == b'\n')
            .map_or(self.text.len(), |n| from + n)
    }

    /// Width of the indentation at the start of a line, and where it ends.
    fn indent(&self, start: usize) -> (usize, usize) {
        let mut width = 0;
        let mut at = start;
        while let Some(byte) = self.text.get(at) {
            match byte {
                b' ' => width += 1,
                b'\t' => width += 4 - width % 4,
                _ => break,
            }
            at += 1;
        }
        (width, at)
    }

    fn rows(&mut self) -> Vec<Row> {
        let mut rows = Vec::new();
        // A byte order mark is no character of the text.
        let mut at = if self.text.starts_with(b"\xef\xbb\xbf") {
            3
        } else {
            0
        };
        self.blank(0, at);
        while at < self.text.len() {
            let (indent, start) = self.indent(at);
            let end = self.line_end(start);
            let rest = self.text[start..end].trim_ascii_end();
            if rest.is_empty() {
                at = end + 1;
                continue;
            }
            if rest.starts_with(b"#") {
                self.blank(start, end);
                at = end + 1;
                continue;
            }
            if self.text[at..start].contains(&b'\t') {
                self.tabs.push(self.span(at, start));
            }
            let row = self.row(indent, start);
            at = row.end + 1;
            rows.push(row);
        }
        rows
    }

    /// Reads from the first character of a sentence to the end of its last line.
    fn row(&mut self, indent: usize, start: usize) -> Row {
        let mut row = Row {
            indent,
            start,
            end: self.text.len(),
            cites: Vec::new(),
            sound: true,
        };
        let mut open: Vec<usize> = Vec::new();
        let mut at = start;
        // Whether a script of several lines has been passed: then no citation may follow.
        let mut long_script = false;
        while at < self.text.len() {
            match self.text[at] {
                b'\n' => {
                    let Some(&bracket) = open.last() else {
                        row.end = at;
                        return row;
                    };
                    if self.leaves(at + 1, indent) {
                        self.unclosed(bracket, &mut row);
                        row.end = at;
                        return row;
                    }
                    at += 1;
                }
                b'#' => {
                    let end = self.line_end(at);
                    self.blank(at, end);
                    at = end;
                }
                b'@' => at = self.cite(at, &mut row, !open.is_empty(), long_script),
                b'(' | b'[' => {
                    open.push(at);
                    if open.len() == BRACKETS + 1 {
                        self.too_deep(at, &mut row);
                    }
                    at += 1;
                }
                b')' | b']' => {
                    open.pop();
                    at += 1;
                }
                b'{' => {
                    let end = self.script(at, indent, &mut row);
                    long_script = self.text[at..end].contains(&b'\n');
                    at = end;
                }
                _ => at += 1,
            }
        }
        if let Some(&bracket) = open.last() {
            self.unclosed(bracket, &mut row);
        }
        row
    }

    /// Whether the line that starts here has left a sentence of this indentation: it is not deeper
    /// and does not merely close what is open.
    fn leaves(&self, line: usize, indent: usize) -> bool {
        let (width, start) = self.indent(line);
        match self.text.get(start) {
            None => true,
            Some(b'\n' | b'\r' | b'#' | b')' | b']' | b'}') => false,
            Some(_) => width <= indent,
        }
    }

    fn unclosed(&mut self, bracket: usize, row: &mut Row) {
        row.sound = false;
        let sign = char::from(self.text[bracket]);
        let span = self.span(bracket, bracket + 1);
        self.diagnostics.push(
            Code::UnclosedBracket
                .error(span, format!("this `{sign}` is never closed"))
                .help("every bracket is closed before the next sentence begins"),
        );
    }

    fn too_deep(&mut self, at: usize, row: &mut Row) {
        row.sound = false;
        let span = self.span(at, at + 1);
        self.diagnostics.push(
            Code::ExcessiveNesting
                .error(
                    span,
                    format!("brackets are nested more than {BRACKETS} deep"),
                )
                .help("give a part of this a name: write a query for it"),
        );
    }

    /// Reads `@clause`; gives the offset behind it.
    fn cite(&mut self, at: usize, row: &mut Row, inside: bool, long_script: bool) -> usize {
        let is_id = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
        let end = at + 1 + self.text[at + 1..].iter().take_while(|b| is_id(b)).count();
        let span = self.span(at, end);
        let name = String::from_utf8_lossy(&self.text[at + 1..end]).into_owned();
        self.blank(at, end);
        let line_end = self.line_end(end);
        let rest = self.text[end..line_end].trim_ascii_start();
        if long_script {
            self.diagnostics.push(
                Code::CitationBehindScript.error(span, "a citation cannot stand behind a script of several lines")
                    .help(format!("write `@{name}` at the end of the sentence above, and `do {{` on a line of its own below it")),
            );
        } else if name.is_empty() {
            self.diagnostics.push(
                Code::MisplacedCitation
                    .error(span, "`@` cites no clause")
                    .help("write the clause's id behind it, such as `@captain.must-load`"),
            );
        } else if inside || !(rest.is_empty() || rest.starts_with(b"#") || rest.starts_with(b"@")) {
            self.diagnostics.push(
                Code::MisplacedCitation
                    .error(span, "a citation ends its line")
                    .help(format!(
                        "move `@{name}` behind the last word of the sentence"
                    )),
            );
        } else {
            row.cites.push(Spanned::new(name, span));
        }
        end
    }

    /// Reads a script from its `{`; gives the offset behind its `}`.
    fn script(&mut self, start: usize, indent: usize, row: &mut Row) -> usize {
        let mut braces = 0usize;
        let mut brackets = 0usize;
        let mut too_deep = false;
        let mut at = start;
        while at < self.text.len() {
            let rest = &self.text[at..];
            match rest[0] {
                b'/' if rest.starts_with(b"//") => at = self.line_end(at),
                b'/' if rest.starts_with(b"/*") => at += comment_length(rest),
                b'"' | b'\'' | b'`' => at += string_length(rest),
                b'@' => {
                    let end = self.line_end(at);
                    let width = self.text[at..end]
                        .iter()
                        .take_while(|b| !b.is_ascii_whitespace())
                        .count();
                    let span = self.span(at, at + width);
                    self.diagnostics.push(
                        Code::MisplacedCitation.error(span, "a citation cannot stand within a script")
                            .help("write it at the end of the sentence above, and `do {` on a line of its own below it"),
                    );
                    row.sound = false;
                    self.blank(at, at + width);
                    at += width;
                }
                byte => {
                    match byte {
                        b'{' => braces += 1,
                        b'}' => braces -= 1,
                        b'(' | b'[' => brackets += 1,
                        b')' | b']' => brackets = brackets.saturating_sub(1),
                        _ => {}
                    }
                    if braces + brackets > BRACKETS && !too_deep {
                        too_deep = true;
                        self.too_deep(at, row);
                    }
                    at += 1;
                    if braces == 0 {
                        return at;
                    }
                }
            }
        }
        // Never closed: the script can only have been meant to reach to the next sentence.
        self.unclosed(start, row);
        let mut line = self.line_end(start) + 1;
        while line < self.text.len() {
            if self.leaves(line, indent) {
                return line - 1;
            }
            line = self.line_end(line) + 1;
        }
        self.text.len()
    }

    fn report_tabs(&mut self) {
        let Some(&first) = self.tabs.first() else {
            return;
        };
        let mut diagnostic = Code::TabInIndentation
            .error(first, "a tab in the indentation")
            .help("indent with spaces, two for each level: everybody then sees the same");
        if self.tabs.len() > 1 {
            diagnostic = diagnostic.label(format!("and in {} more", self.tabs.len() - 1));
        }
        self.diagnostics.push(diagnostic);
    }
}

/// Length of a block comment at the start of a text; such comments nest.
fn comment_length(text: &[u8]) -> usize {
    let mut depth = 0usize;
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    text.len()
}

/// Length of a string at the start of a text, by its quote.
fn string_length(text: &[u8]) -> usize {
    let quote = text[0];
    let mut at = 1;
    while at < text.len() {
        match text[at] {
            b'\\' if quote != b'`' => at += 2,
            // Only a back-quoted string may span lines; else the quote is a mistake that Rhai reports.
            b'\n' if quote != b'`' => return at,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}
