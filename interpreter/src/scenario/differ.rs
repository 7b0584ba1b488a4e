//! What is otherwise than a scenario expects, as data: to be shown side by side, and to be written
//! into the scenario in place of what was expected.

use std::collections::BTreeMap;

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::numbers::At as _;
use crate::source::{FileId, Sources, Span};

/// Longest line that is written.
const WIDTH: usize = 100;

/// Something that is otherwise than expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The place that says what is expected.
    pub span: Span,
    /// Of what: `stock(p1): corn`, `asked`.
    pub of: String,
    /// What is expected; several things on a line each.
    pub expected: String,
    /// What was found; several things on a line each.
    pub found: String,
    /// What the place would have to say.
    pub change: Change,
    /// Which diagnostic of the [`Report`](super::Report) says the same in words.
    pub diagnostic: usize,
}

/// What a place would have to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// This value.
    Value(String),
    /// A list: some of the items that it has, and further ones.
    Items {
        /// Where the items are that stay.
        kept: Vec<Span>,
        /// The further ones.
        added: Vec<String>,
    },
}

/// What comes of comparing.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// Everything that is wrong.
    pub(super) failures: Diagnostics,
    /// What of it could be written otherwise.
    pub(super) differences: Vec<Difference>,
}

/// A value that is otherwise than expected.
pub(super) struct Differs {
    pub(super) code: Code,
    pub(super) span: Span,
    pub(super) of: String,
    pub(super) message: String,
    pub(super) expected: String,
    pub(super) found: String,
    pub(super) change: Change,
}

impl Differs {
    /// What lies in a place, or what a counter or marker says.
    pub(super) fn value(span: Span, of: String, expected: String, found: String) -> Differs {
        Differs {
            code: Code::UnexpectedState,
            span,
            message: format!("`{of}` is not as expected"),
            of,
            expected,
            change: Change::Value(found.clone()),
            found,
        }
    }
}

impl Findings {
    /// Reports a value: the expected and the actual, at the place that says what is expected.
    pub(super) fn differs(&mut self, differs: Differs) {
        let label = format!("expected {}, found {}", differs.expected, differs.found);
        self.otherwise(
            differs
                .code
                .error(differs.span, differs.message)
                .label(label),
            differs.span,
            differs.of,
            differs.expected,
            differs.found,
            differs.change,
        );
    }

    /// Reports a failure whose place could say something else.
    pub(super) fn otherwise(
        &mut self,
        failure: Diagnostic,
        span: Span,
        of: String,
        expected: String,
        found: String,
        change: Change,
    ) {
        self.differences.push(Difference {
            span,
            of,
            expected,
            found,
            change,
            diagnostic: self.failures.list.len(),
        });
        self.failures.push(failure);
    }
}

/// The texts of the files in which something differs, saying what was found. Everything else in them
/// stays as it is, comments and layout too.
pub fn updated<'d>(
    sources: &Sources,
    differences: impl IntoIterator<Item = &'d Difference>,
) -> BTreeMap<FileId, String> {
    let mut places: BTreeMap<Span, &Change> = BTreeMap::new();
    for difference in differences {
        places.insert(difference.span, &difference.change);
    }
    let mut texts: BTreeMap<FileId, String> = BTreeMap::new();
    // From the end of a file to its beginning, so that what is still to be changed stays where it was.
    for (span, change) in places.into_iter().rev() {
        let original = &sources.file(span.file).text;
        let text = texts.entry(span.file).or_insert_with(|| original.clone());
        let mut start = span.start.at();
        let mut new = match change {
            Change::Value(value) => value.clone(),
            Change::Items { kept, added } => items(sources, span, kept, added),
        };
        // A map or list on lines of its own gives way to a value behind the key.
        let block = matches!(change, Change::Value(_)) || !new.starts_with('-');
        let before = original[..start].trim_end();
        if block && original[before.len()..start].contains('\n') && before.ends_with(':') {
            start = before.len();
            new.insert(0, ' ');
        }
        text.replace_range(start..span.end.at(), &new);
    }
    texts
}

/// A list with the items that stay as they are written and those that are new, in the notation of
/// the list that it replaces.
fn items(sources: &Sources, list: Span, kept: &[Span], added: &[String]) -> String {
    let written = sources.text(list);
    let column = sources.line_column(list).column.at() - 1;
    let kept = kept.iter().map(|item| sources.text(*item).to_owned());
    let block = written.starts_with('-');
    let all: Vec<String> = kept.chain(added.iter().cloned()).collect();
    if all.is_empty() {
        return "[]".to_owned();
    }
    if block {
        let items: Vec<String> = all.iter().map(|item| format!("- {item}")).collect();
        return items.join(&format!("\n{}", " ".repeat(column)));
    }
    let line = format!("[{}]", all.join(", "));
    match column + line.len() > WIDTH {
        true => format!("[{}]", all.join(&format!(",\n{}", " ".repeat(column + 1)))),
        false => line,
    }
}
