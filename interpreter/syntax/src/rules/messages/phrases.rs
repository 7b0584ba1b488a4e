//! Words and phrases of messages.

use crate::diagnostic::similar;

/// Joins phrases: `a, b or c`.
pub(super) fn one_of(phrases: &[String]) -> String {
    match phrases {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

pub(super) fn quoted<W: AsRef<str>>(words: &[W]) -> Vec<String> {
    words.iter().map(|w| format!("`{}`", w.as_ref())).collect()
}

/// The word most like the one found, if any is.
pub(super) fn nearest<'w, W: AsRef<str>>(found: &str, words: &'w [W]) -> Option<&'w str> {
    if found.len() < 2 {
        return None;
    }
    similar(
        found,
        words.iter().map(AsRef::as_ref).filter(|w| w.len() > 1),
    )
}
