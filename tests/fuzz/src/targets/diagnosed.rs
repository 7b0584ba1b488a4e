//! What must be true of every diagnostic.

use interpreter::diagnostic::{Diagnostics, Style, catalogue};
use interpreter::source::{Sources, Span};

/// Holds a span to its text.
fn inside(sources: &Sources, span: Span) {
    let Some((_, file)) = sources.iter().nth(span.file.0 as usize) else {
        panic!("{span:?} is in no file");
    };
    let (start, end) = (span.start as usize, span.end as usize);
    assert!(
        start <= end && end <= file.text.len(),
        "{span:?} is outside of {}, which has {} bytes",
        file.path,
        file.text.len()
    );
    assert!(
        file.text.is_char_boundary(start) && file.text.is_char_boundary(end),
        "{span:?} of {} is within a character",
        file.path
    );
    let place = file.line_column(span.start);
    let line = file.text.split('\n').nth(place.line as usize - 1);
    let line = line.unwrap_or_else(|| panic!("{} has no line {place}", file.path));
    assert!(
        place.column as usize <= line.chars().count() + 1,
        "{} has no column {place}",
        file.path
    );
}

/// Holds diagnostics to what is promised of them: they point into the files, have an entry in the catalogue, and can be
/// shown and reported.
///
/// # Panics
///
/// When one does not.
pub fn sound(sources: &Sources, diagnostics: &Diagnostics) {
    for diagnostic in &diagnostics.list {
        assert!(
            !diagnostic.message.is_empty(),
            "{diagnostic:?} says nothing"
        );
        assert_eq!(catalogue::explain(diagnostic.code).code, diagnostic.code);
        for label in &diagnostic.labels {
            inside(sources, label.span);
        }
        let report = diagnostic.report(sources);
        assert_eq!(report.labels.len(), diagnostic.labels.len());
    }
    let shown = diagnostics.render(sources, Style::Plain);
    assert!(diagnostics.list.is_empty() || !shown.is_empty());
}

/// Holds a table's refusal to what a client is promised of it: the fault is the caller's.
///
/// # Panics
///
/// When it would be answered as a mistake of the referee's.
pub fn answerable(why: &referee::table::TableError) {
    use referee::table::TableError;
    assert!(
        !matches!(why, TableError::Internal(_)),
        "a mistake of ours: {why:?}"
    );
}
