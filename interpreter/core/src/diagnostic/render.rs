//! A diagnostic as text for people: title, excerpt with carets, note and help.
//!
//! The drawing is done by `annotate-snippets`; here it is told what to draw. Labels that lie in one
//! file share an excerpt; labels in other files get excerpts of their own below it.

use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};

use super::{Diagnostic, Diagnostics, Label, Severity};
use crate::numbers::At as _;
use crate::source::{FileId, SourceFile, Sources};

/// Whether the text carries colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// Plain characters: for files, pipes and snapshots.
    #[default]
    Plain,
    /// With ANSI colours: for terminals.
    Coloured,
}

impl Diagnostic {
    /// The diagnostic as text with an excerpt, without a newline at its end.
    pub fn render(&self, sources: &Sources, style: Style) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let code = self.code.to_string();
        let mut group = Group::with_title(level.primary_title(self.message.as_str()).id(code));
        for (file, labels) in by_file(&self.labels) {
            group = group.element(excerpt(sources.file(file), labels, &self.labels));
        }
        if let Some(note) = &self.note {
            group = group.element(Level::NOTE.message(note.as_str()));
        }
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        renderer(style).render(&[group])
    }
}

impl Diagnostics {
    /// All of them, each followed by an empty line, and how many there are.
    ///
    /// Gives the empty text if there is nothing to say.
    pub fn render(&self, sources: &Sources, style: Style) -> String {
        let mut text = String::new();
        for diagnostic in &self.list {
            text.push_str(&diagnostic.render(sources, style));
            text.push_str("\n\n");
        }
        if !self.list.is_empty() {
            text.push_str(&self.summary());
            text.push('\n');
        }
        text
    }

    /// `2 errors, 1 warning (3 more would follow from these)`
    pub fn summary(&self) -> String {
        let found = match self.counts() {
            (0, 0) => "no errors".to_owned(),
            (errors, 0) => counted(errors, "error"),
            (0, warnings) => counted(warnings, "warning"),
            (errors, warnings) => format!(
                "{}, {}",
                counted(errors, "error"),
                counted(warnings, "warning")
            ),
        };
        match self.left_out {
            0 => found,
            left_out => format!("{found} ({left_out} more would follow from these)"),
        }
    }
}

/// `1 value`, `2 values`: a number of things whose plural ends in s.
pub fn counted(count: usize, one: &str) -> String {
    format!("{count} {one}{}", if count == 1 { "" } else { "s" })
}

fn renderer(style: Style) -> Renderer {
    match style {
        // Tests compare plain text, so its width does not depend on the terminal.
        Style::Plain => Renderer::plain(),
        Style::Coloured => Renderer::styled(),
    }
}

/// The labels of each file, files in the order in which they are first named.
fn by_file(labels: &[Label]) -> Vec<(FileId, Vec<&Label>)> {
    let mut files: Vec<(FileId, Vec<&Label>)> = Vec::new();
    for label in labels {
        match files.iter_mut().find(|(file, _)| *file == label.span.file) {
            Some((_, list)) => list.push(label),
            None => files.push((label.span.file, vec![label])),
        }
    }
    files
}

fn excerpt<'a>(
    file: &'a SourceFile,
    labels: Vec<&'a Label>,
    all: &'a [Label],
) -> Snippet<'a, Annotation<'a>> {
    let mut snippet = Snippet::source(file.text.as_str())
        .path(file.path.as_str())
        .fold(true);
    for label in labels {
        let primary = all.first().is_some_and(|first| std::ptr::eq(first, label));
        let kind = if primary {
            AnnotationKind::Primary
        } else {
            AnnotationKind::Context
        };
        let mut annotation = kind.span(visible(&file.text, label.span.start, label.span.end));
        if !label.text.is_empty() {
            annotation = annotation.label(label.text.as_str());
        }
        snippet = snippet.annotation(annotation);
    }
    snippet
}

/// The part of a span that is worth underlining: inside the text, on whole characters, without the
/// blanks at its end, and not longer than a few lines.
fn visible(text: &str, start: u32, end: u32) -> Range<usize> {
    const LINES: usize = 4;
    let mut start = start.at().min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let mut end = end.at().clamp(start, text.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    let marked = &text[start..end];
    let shown = match marked.match_indices('\n').nth(LINES) {
        // A long block is named by its first line; underlining all of it would only hide the rest.
        Some(_) => marked.lines().next().unwrap_or(marked),
        None => marked,
    };
    start..start + shown.trim_end().len()
}
