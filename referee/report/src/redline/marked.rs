//! A sentence before and after as one text in which what changed is marked, word by word.

use serde::Serialize;
use similar::{Algorithm, ChangeTag, TextDiff};

/// A part of a marked text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "is", content = "text")]
pub enum Piece {
    /// Stands in both.
    Same(String),
    /// Is gone.
    Gone(String),
    /// Is new.
    New(String),
    /// Stands in both and is probably false: what is said, and what it would have to be.
    Stale(String, String),
}

/// Words with the blank behind them; signs stand alone, so that a comma that moved marks no word.
fn parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    let inside = |c: char| c.is_alphanumeric() || c == '\'' || c == '’' || c == '-';
    while let Some(first) = rest.chars().next() {
        let end = match (inside(first), first.is_whitespace()) {
            (true, _) => rest.find(|c| !inside(c)),
            (_, true) => rest.find(|c: char| !c.is_whitespace()),
            _ => Some(first.len_utf8()),
        };
        let (part, after) = rest.split_at(end.unwrap_or(rest.len()));
        parts.push(part);
        rest = after;
    }
    parts
}

/// White space as one blank.
pub fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Both texts as one.
pub fn marked(before: &str, after: &str) -> Vec<Piece> {
    let (before, after) = (plain(before), plain(after));
    let (a, b) = (parts(&before), parts(&after));
    let diff = TextDiff::configure()
        .algorithm(Algorithm::Patience)
        .diff_slices(&a, &b);
    // What is gone and what is new, kept apart until both texts agree again.
    let (mut pieces, mut gone, mut new) = (Vec::new(), String::new(), String::new());
    let mut changes = diff.iter_all_changes().peekable();
    while let Some(change) = changes.next() {
        let text = change.value();
        match change.tag() {
            ChangeTag::Delete => gone.push_str(text),
            ChangeTag::Insert => new.push_str(text),
            ChangeTag::Equal => {
                let between = !gone.is_empty() && !new.is_empty();
                let more = changes
                    .peek()
                    .is_some_and(|next| next.tag() != ChangeTag::Equal);
                // One blank between two words that both changed is no agreement.
                if text == " " && between && more {
                    gone.push_str(text);
                    new.push_str(text);
                    continue;
                }
                settle(&mut pieces, &mut gone, &mut new);
                match pieces.last_mut() {
                    Some(Piece::Same(last)) => last.push_str(text),
                    _ => pieces.push(Piece::Same(text.to_owned())),
                }
            }
        }
    }
    settle(&mut pieces, &mut gone, &mut new);
    pieces
}

fn settle(pieces: &mut Vec<Piece>, gone: &mut String, new: &mut String) {
    if !gone.is_empty() {
        pieces.push(Piece::Gone(std::mem::take(gone)));
    }
    if !new.is_empty() {
        pieces.push(Piece::New(std::mem::take(new)));
    }
}

/// A text in which some words, by their numbers from 0, state what is so no more: each with what it would have to say.
pub fn stale(text: &str, words: &[(usize, String)]) -> Vec<Piece> {
    let text = plain(text);
    let mut pieces: Vec<Piece> = Vec::new();
    let mut number = 0;
    for part in parts(&text) {
        // The words of a part, as whoever looks for numbers counts them: `dwu-` is one, `no-one` two.
        let here = super::watched::words(part).len();
        let now = words
            .iter()
            .find(|(at, _)| (number..number + here).contains(at));
        number += here;
        match (now, pieces.last_mut()) {
            (Some((_, now)), _) => pieces.push(Piece::Stale(part.to_owned(), now.clone())),
            (None, Some(Piece::Same(last))) => last.push_str(part),
            (None, _) => pieces.push(Piece::Same(part.to_owned())),
        }
    }
    pieces
}
