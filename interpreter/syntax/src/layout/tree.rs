//! Rows become sentences, and indentation a tree of them.

use super::line::{LEVELS, Line};
use super::scan::Row;
use crate::ast::Cite;
use crate::diagnostic::{Code, Diagnostics};
use crate::numbers::{At as _, Fit as _};
use crate::rules::kinds::Kind;
use crate::source::{FileId, Span};

/// Whether a deeper line is a sentence of its own, or was meant as one.
fn opens(above: Option<Kind>, text: &str) -> bool {
    let parent = Some(above.unwrap_or(Kind::Disable));
    Kind::of(parent, text).is_some() || Kind::nearly(parent, text)
}

/// Arranges rows into sentences.
pub(super) fn build(
    file: FileId,
    clean: &str,
    rows: Vec<Row>,
    diagnostics: &mut Diagnostics,
) -> Vec<Line> {
    Tree {
        file,
        clean,
        diagnostics,
    }
    .build(rows)
}

struct Tree<'a> {
    file: FileId,
    clean: &'a str,
    diagnostics: &'a mut Diagnostics,
}

/// A sentence whose lower sentences are still being collected.
struct Open {
    indent: usize,
    /// The indentation of the first sentence below.
    below: Option<usize>,
    line: Line,
    end: usize,
    cites: Vec<Cite>,
}

impl Tree<'_> {
    fn build(mut self, rows: Vec<Row>) -> Vec<Line> {
        let mut done = Vec::new();
        let mut stack: Vec<Open> = Vec::new();
        for row in rows {
            if let Some(top) = stack.last_mut()
                && row.indent > top.indent
                && !opens(top.line.kind, self.row_text(&row))
            {
                top.line.continued.push(row.start - top.line.base.at());
                top.line.sound &= row.sound;
                top.end = row.end;
                top.cites.extend(row.cites);
                continue;
            }
            while stack.last().is_some_and(|top| top.indent >= row.indent) {
                self.close(&mut stack, &mut done);
            }
            self.check_indent(&mut stack, &row);
            let parent = stack
                .last()
                .map(|open| open.line.kind.unwrap_or(Kind::Disable));
            self.open(row, parent, &mut stack);
        }
        while !stack.is_empty() {
            self.close(&mut stack, &mut done);
        }
        done
    }

    fn row_text(&self, row: &Row) -> &str {
        &self.clean[row.start..row.end]
    }

    fn open(&mut self, row: Row, parent: Option<Kind>, stack: &mut Vec<Open>) {
        let kind = Kind::of(parent, self.row_text(&row));
        let colon = kind
            .filter(|k| k.cut_at_colon())
            .and_then(|_| self.row_text(&row).find(':'))
            .map(|n| row.start + n)
            .filter(|colon| !self.clean[colon + 1..row.end].trim().is_empty());
        let Some(colon) = colon else {
            stack.push(self.opened(kind, row));
            return;
        };
        // The rest of the line is a sentence of its own; a citation at its end speaks for both.
        let rest = self.clean[colon + 1..row.end].len()
            - self.clean[colon + 1..row.end].trim_start().len();
        let inner = Row {
            start: colon + 1 + rest,
            cites: row.cites.clone(),
            ..row
        };
        let outer = Row {
            end: colon + 1,
            sound: true,
            indent: inner.indent,
            start: row.start,
            cites: row.cites,
        };
        stack.push(self.opened(kind, outer));
        let kind = Kind::of(kind, self.row_text(&inner));
        stack.push(self.opened(kind, inner));
    }

    fn opened(&self, kind: Option<Kind>, row: Row) -> Open {
        let span = Span {
            file: self.file,
            start: row.start.fit(),
            end: row.end.fit(),
        };
        let line = Line {
            kind,
            text: String::new(),
            base: row.start.fit(),
            span,
            cite: None,
            continued: Vec::new(),
            sound: row.sound,
            below: Vec::new(),
        };
        Open {
            indent: row.indent,
            below: None,
            line,
            end: row.end,
            cites: row.cites,
        }
    }

    fn close(&mut self, stack: &mut Vec<Open>, done: &mut Vec<Line>) {
        let Some(Open {
            mut line,
            end,
            cites,
            ..
        }) = stack.pop()
        else {
            return;
        };
        let text = self.clean[line.base.at()..end].trim_end();
        line.text = text.to_owned();
        line.span.end = line.base + text.len().fit::<u32>();
        let mut cites = cites.into_iter();
        line.cite = cites.next();
        if let (Some(first), Some(second)) = (&line.cite, cites.next()) {
            self.diagnostics.push(
                Code::RepeatedCitation
                    .error(second.span, "a sentence cites one clause")
                    .also(first.span, "already cited here")
                    .help("divide the sentence, or cite the clause that the other belongs to"),
            );
        }
        if stack.len() >= LEVELS {
            self.diagnostics.push(
                Code::ExcessiveNesting
                    .error(
                        line.span,
                        format!("sentences stand more than {LEVELS} levels deep"),
                    )
                    .help("make a phase of the inner steps and `visit` it"),
            );
            return;
        }
        match stack.last_mut() {
            Some(parent) => parent.line.below.push(line),
            None => done.push(line),
        }
    }

    fn check_indent(&mut self, stack: &mut [Open], row: &Row) {
        let first = self.clean[row.start..].chars().next();
        let span = Span {
            file: self.file,
            start: row.start.fit(),
            end: (row.start + first.map_or(0, char::len_utf8)).fit(),
        };
        let Some(parent) = stack.last_mut() else {
            if row.indent > 0 {
                self.diagnostics.push(
                    Code::UnevenIndentation
                        .error(
                            span,
                            "this line is indented, but there is nothing above it to belong to",
                        )
                        .help("begin the first sentence at the left margin"),
                );
            }
            return;
        };
        let expected = *parent.below.get_or_insert(row.indent);
        if expected != row.indent {
            self.diagnostics.push(
                Code::UnevenIndentation
                    .error(
                        span,
                        format!(
                            "this line is indented by {}, its neighbours by {expected}",
                            row.indent
                        ),
                    )
                    .also(
                        parent.line.span.at_start(),
                        "it would stand below this sentence",
                    )
                    .help(format!(
                        "indent it by {expected}, or like the sentence it is a neighbour of"
                    )),
            );
        }
    }
}
