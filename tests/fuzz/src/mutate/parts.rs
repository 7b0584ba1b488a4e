//! The parts of a text: words, and blocks of lines.

/// Whether two characters belong to the same word.
fn joined(a: char, b: char) -> bool {
    let kind = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 1,
        ' ' => 2,
        _ => 0,
    };
    kind(a) != 0 && kind(a) == kind(b)
}

/// The words of a text, with what stands between them: put together they are the text.
pub fn split(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let (mut from, mut last) = (0, None);
    for (at, c) in text.char_indices() {
        if last.is_some_and(|last| !joined(last, c)) {
            words.push(&text[from..at]);
            from = at;
        }
        last = Some(c);
    }
    words.push(&text[from..]);
    words
}

pub(super) fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// A line and the deeper ones below it.
pub fn block<'a>(lines: &[&'a str], at: usize) -> Vec<&'a str> {
    let depth = indentation(lines[at]);
    let below = lines[at + 1..]
        .iter()
        .take_while(|line| line.trim().is_empty() || indentation(line) > depth);
    std::iter::once(&lines[at]).chain(below).copied().collect()
}
