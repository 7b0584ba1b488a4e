//! Sentences as they are written, without comments and citations; in Polish with people's names.

use interpreter::package::Language;
use interpreter::source::Span;

use super::Rules;
use referee_store::numbers::to_usize;

impl Rules<'_> {
    /// A sentence, line by line, from the left margin. `phase` is the phase in which moves are meant.
    pub fn sentence(&self, span: Span, phase: Option<&str>) -> Vec<String> {
        let text = balanced(&self.sources.file(span.file).text, span);
        let text = self.respelt(&bare(text), phase);
        dedented(&text)
    }

    /// A part of a sentence on one line.
    pub(super) fn phrase(&self, span: Span, phase: Option<&str>) -> String {
        self.sentence(span, phase)
            .iter()
            .map(|line| line.trim())
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// A path with the names of its phase and of what is in it.
    pub(super) fn address(&self, address: &str) -> String {
        if self.words.language() != Language::Polish {
            return address.to_owned();
        }
        let mut parts = address.split('.');
        let phase = parts.next().unwrap_or_default();
        let known = self.package.names.contains_key(&format!("phase {phase}"));
        let mut words = vec![match (known, self.words.any_row(phase)) {
            (true, _) => quoted(&self.words.phase(phase)),
            (false, Some(row)) => quoted(&row),
            (false, None) => phase.to_owned(),
        }];
        let mut inside = phase.to_owned();
        for part in parts {
            let step = format!("{inside}.{part}");
            let name = ["step", "move"]
                .iter()
                .find_map(|kind| self.package.names.get(&format!("{kind} {step}")));
            let short = self.package.names.get(&format!("move {phase}.{part}"));
            words.push(match name.or(short) {
                Some(name) => quoted(&self.words.text(&name.node)),
                None => part.to_owned(),
            });
            inside = step;
        }
        words.join(".")
    }

    /// Replaces the ids of components, phases and moves by their names, if the language is not that
    /// of the ids.
    fn respelt(&self, text: &str, phase: Option<&str>) -> String {
        if self.words.language() != Language::Polish {
            return text.to_owned();
        }
        let mut out = String::new();
        let mut rest = text;
        // The words before this one, with the sign between: `play`, `once per`, `possible(`.
        let mut before = String::new();
        while let Some(c) = rest.chars().next() {
            if !(c.is_alphabetic() || c == '_') {
                let length = skipped(rest);
                before.push_str(rest[..length].trim_start());
                out.push_str(&rest[..length]);
                rest = &rest[length..];
                continue;
            }
            let length = rest
                .find(|c: char| !(c.is_alphanumeric() || c == '_'))
                .unwrap_or(rest.len());
            let (word, after) = rest.split_at(length);
            let dotted = dotted(after);
            let taken = if dotted > 0 {
                &rest[..length + dotted]
            } else {
                word
            };
            out.push_str(&self.spelt(taken, &after[dotted..], before.trim_end(), phase));
            before = taken.to_owned();
            rest = &rest[taken.len()..];
        }
        out
    }

    /// A word, or a path of words, between what comes before and after it.
    fn spelt(&self, word: &str, after: &str, before: &str, phase: Option<&str>) -> String {
        let named = |kind: &str, id: &str| {
            let name = self.package.names.get(&format!("{kind} {id}"))?;
            Some(quoted(&self.words.text(&name.node)))
        };
        let moved = |name: &str| named("move", &format!("{}.{name}", phase?));
        let found = match (before, word.split_once('.')) {
            ("step", None) => phase.and_then(|phase| named("step", &format!("{phase}.{word}"))),
            ("move", None) | ("possible(", None) => moved(word),
            ("phase" | "visit" | "per" | "after", None) => named("phase", word),
            (_, Some((table, row))) if self.is_row(table, row) => {
                Some(format!("{table}.{}", quoted(&self.words.row(table, row))))
            }
            // A query of a phase keeps its own name.
            (_, Some((phase, query))) if after.starts_with('(') => {
                named("phase", phase).map(|phase| format!("{phase}.{query}"))
            }
            (_, Some((first, _))) if self.package.names.contains_key(&format!("phase {first}")) => {
                Some(self.address(word))
            }
            (_, None) if !after.starts_with('(') => {
                self.words.any_row(word).map(|name| quoted(&name))
            }
            _ => None,
        };
        found.unwrap_or_else(|| word.to_owned())
    }

    fn is_row(&self, table: &str, row: &str) -> bool {
        let mut tables = self.package.tables.iter();
        tables.any(|t| t.name.node == table && t.rows.iter().any(|r| r.id.node == row))
    }
}

/// A name among words.
fn quoted(name: &str) -> String {
    format!("«{name}»")
}

/// How much of a text is no word: a comment, a quoted text, or one character.
fn skipped(text: &str) -> usize {
    if text.starts_with("//") {
        return text.find('\n').unwrap_or(text.len());
    }
    if let Some(inside) = text.strip_prefix('"') {
        return inside.find('"').map_or(text.len(), |end| end + 2);
    }
    text.chars().next().map_or(0, char::len_utf8)
}

/// How much of a text continues a path: `.loading.load`.
fn dotted(text: &str) -> usize {
    let mut length = 0;
    while let Some(name) = text[length..].strip_prefix('.') {
        let word = name
            .find(|c: char| !(c.is_alphanumeric() || c == '_'))
            .unwrap_or(name.len());
        if word == 0 {
            break;
        }
        length += word + 1;
    }
    length
}

/// A stretch of a text, widened until its parentheses match.
fn balanced(text: &str, span: Span) -> &str {
    let (mut start, mut end) = (to_usize(span.start), to_usize(span.end));
    for _ in 0..32 {
        let (mut open, mut missing) = (0i32, 0i32);
        for c in text[start..end].chars() {
            match c {
                '(' => open += 1,
                ')' if open > 0 => open -= 1,
                ')' => missing += 1,
                _ => {}
            }
        }
        let behind = text[end..]
            .find(|c: char| !c.is_whitespace())
            .map(|at| end + at);
        let ahead = text[..start].rfind(|c: char| !c.is_whitespace());
        match (open, missing, behind, ahead) {
            (1.., _, Some(at), _) if text[at..].starts_with(')') => end = at + 1,
            (_, 1.., _, Some(at)) if text[at..].starts_with('(') => start = at,
            _ => break,
        }
    }
    &text[start..end]
}

/// Without comments and citations of rules; scripts keep theirs.
fn bare(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut depth = 0u32;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            '#' | '@' if depth == 0 => {
                let rest = &text[at..];
                let ends = |c: char| {
                    if text[at..].starts_with('#') {
                        c == '\n'
                    } else {
                        c.is_whitespace()
                    }
                };
                let end = at + rest.find(ends).unwrap_or(rest.len());
                while chars.next_if(|(next, _)| *next < end).is_some() {}
                continue;
            }
            // Columns of a table of rules: one gap is enough where the line stands alone.
            ' ' if out.ends_with("  ") && !out.trim_end_matches(' ').ends_with('\n') => continue,
            _ => {}
        }
        out.push(c);
    }
    out
}

/// Lines from the left margin, without empty ones at the ends.
fn dedented(text: &str) -> Vec<String> {
    let mut lines: Vec<&str> = text
        .trim()
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty())
        .collect();
    if lines.is_empty() {
        lines.push("");
    }
    let blanks = |line: &str| line.len() - line.trim_start().len();
    // The first line begins at the sentence itself; the last brace of a script shows how deep that is.
    let margin = lines
        .iter()
        .skip(1)
        .map(|line| blanks(line))
        .min()
        .unwrap_or(0);
    lines
        .iter()
        .enumerate()
        .map(|(i, line)| line[if i == 0 { 0 } else { margin }..].to_owned())
        .collect()
}
