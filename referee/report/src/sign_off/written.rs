//! Writes `review.yaml`: the same acceptances give the same text.

use interpreter::package::Acceptance;
use interpreter::source::{FileId, Span, Spanned};

use super::things::{Thing, key};

/// The first lines of the file.
const HEAD: &str = "\
# Who accepted what, and digests of what it was then. `referee review` writes this file; whoever changes it, by hand or not,
# needs new signatures.
";

/// An acceptance of a thing as it is.
#[derive(Clone, Debug)]
pub struct Accepting {
    /// Who accepts.
    pub by: String,
    /// When: `2026-11-27`.
    pub on: String,
    /// What they have to say.
    pub comment: Option<String>,
}

/// Adds that a thing is accepted as it is, in place of what the same person has accepted of it before.
pub fn accept(accepted: &mut Vec<Acceptance>, thing: &Thing, accepting: &Accepting) {
    accepted.retain(|entry| entry.thing.node != thing.what || entry.by.node != accepting.by);
    // It stands in no text yet.
    let nowhere = Span {
        file: FileId(0),
        start: 0,
        end: 0,
    };
    accepted.push(Acceptance {
        thing: Spanned::new(thing.what.clone(), nowhere),
        by: Spanned::new(accepting.by.clone(), nowhere),
        on: accepting.on.clone(),
        comment: accepting.comment.clone(),
        digest: Spanned::new(thing.digest(), nowhere),
        parts: thing.marks(),
        span: nowhere,
    });
}

/// The text of the file: in the order of the rulebook, and of those who accept the same thing by their names.
pub fn text(accepted: &[Acceptance], things: &[Thing]) -> String {
    let place = |entry: &Acceptance| {
        let place = things
            .iter()
            .position(|thing| thing.what == entry.thing.node);
        (place.unwrap_or(things.len()), entry.by.node.clone())
    };
    let mut all: Vec<&Acceptance> = accepted.iter().collect();
    all.sort_by_key(|entry| place(entry));
    let entries: Vec<String> = all.into_iter().map(entry).collect();
    format!("{HEAD}accepted:\n{}", entries.concat())
}

fn entry(entry: &Acceptance) -> String {
    let (kind, name) = key(&entry.thing.node);
    let name = match kind {
        "paragraph" => quoted(name),
        _ => name.to_owned(),
    };
    let mut text = format!(
        "  - {kind}: {name}\n    by: {}\n    on: {}\n",
        quoted(&entry.by.node),
        entry.on
    );
    if let Some(comment) = &entry.comment {
        text += &format!("    comment: {}\n", quoted(comment));
    }
    let marks = entry.parts.iter();
    let marks = marks.map(|(part, mark)| format!("{}: \"{mark}\"", part.name()));
    text += &format!(
        "    digest: \"{}\"\n    parts: {{{}}}\n",
        entry.digest.node,
        marks.collect::<Vec<_>>().join(", ")
    );
    text
}

/// Writes a text in quotes, on one line.
pub fn quoted(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let text = words.join(" ");
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
