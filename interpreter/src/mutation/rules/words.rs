//! Where words stand that no tree keeps, and from where to where a sentence reaches.

use super::super::mutant::Edit;
use super::Planter;
use crate::numbers::{At as _, Fit as _};
use crate::source::Span;

impl Planter<'_> {
    /// Where a word stands within a stretch, the first time.
    pub(super) fn word_in(&self, span: Span, word: &str) -> Option<Span> {
        let text = self.at(span);
        let found = text.match_indices(word).map(|(at, _)| at);
        let mut whole = found.filter(|at| is_word(text, *at, word));
        let start = span.start.at() + whole.next()?;
        Some(self.span(start, start + word.len()))
    }

    /// The words right before a place, if they are these.
    pub(super) fn words_before(&self, at: u32, words: &str) -> Option<Span> {
        let before = self.text[..at.at()].trim_end();
        let rest = before.strip_suffix(words)?;
        let is_whole = !rest.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        is_whole.then(|| self.span(rest.len(), before.len()))
    }

    /// Takes a stretch out, with the comma and the blanks before it.
    pub(super) fn taken_out(&self, span: Span) -> Edit {
        let before = self.text[..span.start.at()].trim_end();
        let before = before.strip_suffix(',').unwrap_or(before);
        Edit {
            span: self.span(before.len(), span.end.at()),
            text: String::new(),
        }
    }

    /// A sentence that begins at a place, with everything below it, to the end of its last line; none if no sentence
    /// begins there.
    pub(super) fn extent(&self, start: u32) -> Option<Span> {
        let at = self
            .placed
            .iter()
            .position(|line| line.start == start && !line.continued)?;
        let depth = self.placed[at].depth;
        let mut after = self.placed[at + 1..].iter();
        let next = after.find(|line| !line.continued && line.depth <= depth);
        let end = next.map_or(self.text.len(), |line| {
            let line_start = self.text[..line.start.at()].rfind('\n');
            line_start.map_or(line.start.at(), |at| at + 1)
        });
        // What is said before the next sentence belongs to that one.
        let mut end = self.text[..end].trim_end().len();
        while end > start.at() {
            let line = self.text[..end].rfind('\n').map_or(0, |at| at + 1);
            if line <= start.at() || !self.text[line..end].trim_start().starts_with('#') {
                break;
            }
            end = self.text[..line].trim_end().len();
        }
        Some(self.span(start.at(), end))
    }

    /// The lines that a stretch fills, with the end of the last of them; the stretch itself if something else stands there.
    pub(super) fn lines(&self, span: Span) -> Span {
        let Some(indent) = self.indent(span.start) else {
            return span;
        };
        let start = span.start.at() - indent.len();
        let newline = self.text[span.end.at()..].starts_with('\n');
        self.span(start, span.end.at() + usize::from(newline))
    }

    /// The blanks before a place on its line; none if something else stands there.
    pub(super) fn indent(&self, at: u32) -> Option<&str> {
        let line = self.text[..at.at()].rfind('\n').map_or(0, |at| at + 1);
        let before = &self.text[line..at.at()];
        before.trim().is_empty().then_some(before)
    }

    /// The place behind the bracket that closes what ends at a place, if one does.
    pub(super) fn behind_bracket(&self, at: u32) -> u32 {
        let rest = &self.text[at.at()..];
        let trimmed = rest.trim_start();
        match trimmed.starts_with(')') {
            true => (at.at() + rest.len() - trimmed.len() + 1).fit(),
            false => at,
        }
    }
}

/// Whether a word that stands at a place is no part of another one.
fn is_word(text: &str, at: usize, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    !text[..at].ends_with(part) && !text[at + word.len()..].starts_with(part)
}
