//! Where things of a script stand.
//!
//! Rhai gives lines and columns without ends. Ends are found in the text: of names and numbers by
//! their characters, of calls by their closing bracket, of operations by their operands.

use super::Reader;
use crate::ast::Name;
use crate::numbers::{At as _, Fit as _};
use crate::source::{Span, Spanned};
use rhai::{Position, StmtBlock};

impl Reader<'_> {
    /// The offset of a position in the text; the end of the text if Rhai does not say.
    pub(super) fn offset(&self, position: Position) -> usize {
        let (Some(line), column) = (position.line(), position.position().unwrap_or(1)) else {
            return self.text.len();
        };
        let Some(&start) = self.lines.get(line - 1) else {
            return self.text.len();
        };
        let character = start + column.saturating_sub(1);
        self.characters
            .get(character)
            .map_or(self.text.len(), |offset| *offset)
    }

    pub(super) fn span(&self, start: usize, end: usize) -> Span {
        Span {
            start: self.place.start + start.fit::<u32>(),
            end: self.place.start + end.fit::<u32>(),
            ..self.place
        }
    }

    /// The word, number or sign at a position.
    pub(super) fn token(&self, position: Position) -> Span {
        let start = self.offset(position);
        let rest = &self.text[start..];
        let word = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .unwrap_or(rest.len());
        let length = if word > 0 {
            word
        } else {
            rest.chars().next().map_or(0, char::len_utf8)
        };
        self.span(start, start + length)
    }

    pub(super) fn name(&self, name: &str, position: Position) -> Name {
        let start = self.offset(position);
        Spanned::new(name.to_owned(), self.span(start, start + name.len()))
    }

    /// From a name to the bracket that closes its call.
    pub(super) fn call_span(&self, name: Span) -> Span {
        let from = (name.end - self.place.start).at();
        let mut depth = 0usize;
        for (n, sign) in code(&self.text[from..]) {
            match sign {
                '(' => depth += 1,
                ')' if depth <= 1 => {
                    return Span {
                        end: name.end + n.fit::<u32>() + 1,
                        ..name
                    };
                }
                ')' => depth -= 1,
                _ => {}
            }
        }
        name
    }

    /// A span widened to the parentheses that it cuts: operands may stand in some.
    pub(super) fn balanced(&self, span: Span) -> Span {
        let start = (span.start - self.place.start).at();
        let end = (span.end - self.place.start).at();
        let (mut open, mut missing) = (0usize, 0usize);
        for (_, sign) in code(&self.text[start..end]) {
            match sign {
                '(' => open += 1,
                ')' if open == 0 => missing += 1,
                ')' => open -= 1,
                _ => {}
            }
        }
        let mut from = start;
        for _ in 0..missing {
            from = self.text[..from].rfind('(').unwrap_or(from);
        }
        let mut to = end;
        for _ in 0..open {
            to = code(&self.text[to..])
                .find(|(_, c)| *c == ')')
                .map_or(to, |(n, _)| to + n + 1);
        }
        self.span(from, to)
    }

    /// From a word to the end of the block that it governs.
    pub(super) fn to_block_end(&self, start: Span, block: &StmtBlock) -> Span {
        match block.end_position() {
            end if end.is_none() => start,
            end => start.to(self.token(end)),
        }
    }
}

/// The characters of a text that are neither comment nor string, with their offsets.
pub(super) fn code(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut skip = 0;
    text.char_indices().filter(move |(n, c)| {
        if *n < skip {
            return false;
        }
        let rest = &text[*n..];
        if rest.starts_with("//") {
            skip = n + rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            skip = n + rest.find("*/").map_or(rest.len(), |end| end + 2);
        } else if matches!(c, '"' | '\'' | '`') {
            skip = n + 1 + rest[1..].find(*c).map_or(rest.len() - 1, |end| end + 1);
        }
        *n >= skip
    })
}

/// Where a word stands in the code of a text.
pub(super) fn code_word(text: &str, word: &str) -> Option<usize> {
    code(text).map(|(n, _)| n).find(|n| {
        let rest = &text[*n..];
        rest.starts_with(word)
            && !rest[word.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
            && !text[..*n].ends_with(|c: char| c.is_alphanumeric() || c == '_')
    })
}
