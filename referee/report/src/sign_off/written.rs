//! Writes `review.yaml`: the same acceptances give the same text.

use interpreter::package::{Acceptance, Part, Reviewed};
use interpreter::source::{FileId, Span, Spanned};

use super::standing::counting;
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

/// Adds that a thing is accepted as it is. What the same person has accepted of it before stays, unless it is the same.
pub fn accept(accepted: &mut Vec<Acceptance>, thing: &Thing, accepting: &Accepting) {
    let digest = thing.digest();
    let counts: Vec<Acceptance> = counting(&thing.what, accepted)
        .into_iter()
        .cloned()
        .collect();
    let is_same = |entry: &Acceptance| {
        entry.thing.node == thing.what
            && entry.by.node == accepting.by
            && entry.digest.node == digest
            && entry.withdraws.is_none()
    };
    if counts.iter().any(is_same) {
        let last = accepted.iter().rposition(is_same);
        if let Some(at) = last {
            accepted.remove(at);
        }
    } else if counts
        .iter()
        .any(|entry| entry.by.node == accepting.by && entry.digest.node == digest)
    {
        return;
    }
    let figures = thing.parts.get(&Part::Figures);
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
        withdraws: None,
        // What the file would not give back as it was is left out.
        figures: figures
            .filter(|lines| lines.iter().all(|line| one_line(line) == *line))
            .cloned()
            .unwrap_or_default(),
        digest: Spanned::new(digest, nowhere),
        parts: thing.marks(),
        span: nowhere,
    });
}

/// Adds an entry that withdraws the acceptance of a thing by `of`; no entry is deleted. If another person withdraws it, the new entry
/// is an acceptance by that person: the name was wrong. Returns whether there was such an acceptance.
pub fn withdraw(
    accepted: &mut Vec<Acceptance>,
    what: &Reviewed,
    of: &str,
    accepting: &Accepting,
) -> bool {
    let counts = counting(what, accepted);
    let Some(old) = counts.iter().rev().find(|entry| entry.by.node == of) else {
        return false;
    };
    let mut entry = (*old).clone();
    let is_known = counts
        .iter()
        .any(|known| known.by.node == accepting.by && known.digest.node == entry.digest.node);
    if is_known {
        // This person has accepted the thing already, so the new entry only withdraws.
        entry.parts.clear();
        entry.figures.clear();
    }
    entry.withdraws = Some(Spanned::new(of.to_owned(), entry.by.span));
    entry.by.node.clone_from(&accepting.by);
    entry.on.clone_from(&accepting.on);
    if is_known || accepting.comment.is_some() {
        entry.comment.clone_from(&accepting.comment);
    }
    accepted.push(entry);
    true
}

/// The text of the file: in the order of the rulebook; entries of one thing in the order in which they were added.
pub fn text(accepted: &[Acceptance], things: &[Thing]) -> String {
    let place = |entry: &Acceptance| {
        let place = things
            .iter()
            .position(|thing| thing.what == entry.thing.node);
        place.unwrap_or(things.len())
    };
    let mut all: Vec<&Acceptance> = accepted.iter().collect();
    all.sort_by_cached_key(|entry| place(entry));
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
    if let Some(name) = &entry.withdraws {
        text += &format!("    withdraws: {}\n", quoted(&name.node));
    }
    text += &format!("    digest: \"{}\"\n", entry.digest.node);
    if !entry.is_withdrawal() {
        let marks = entry.parts.iter();
        let marks = marks.map(|(part, mark)| format!("{}: \"{mark}\"", part.name()));
        let marks: Vec<_> = marks.collect();
        text += &format!("    parts: {{{}}}\n", marks.join(", "));
    }
    if !entry.figures.is_empty() {
        text += "    figures:\n";
        for figure in &entry.figures {
            text += &format!("      - {}\n", quoted(figure));
        }
    }
    text
}

/// Writes a text in quotes, on one line.
pub fn quoted(text: &str) -> String {
    let text = one_line(text);
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}
