//! Sentences with holes, in which moves and events are told to people.
//!
//! `take {t}[ from {s}]`: in braces stands the name of what is put there, in square brackets what is said only if each of
//! its holes has something to say. Braces and brackets have no other meaning, and there is no way to write one that
//! stands for itself; a part holds no part. The contract tells clients the same (`Sentence` of `referee.v1`).

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

/// A text with holes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sentence {
    pieces: Vec<Piece>,
}

/// A piece of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Words.
    Text(String),
    /// A hole, by the name of what is put there.
    Hole(String),
    /// Texts and holes that are said only if every hole has something to say.
    Part(Vec<Piece>),
}

/// What is put into a hole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Filling {
    /// Something.
    Said(String),
    /// Nothing: a part with this hole is left out. Elsewhere it is called so.
    Nothing(String),
}

/// Why a text is no sentence with holes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// Which bytes of the text.
    pub at: Range<usize>,
    /// What is wrong there.
    pub problem: String,
    /// How to mend it.
    pub help: String,
}

impl Flaw {
    fn new(at: Range<usize>, problem: impl Into<String>, help: impl Into<String>) -> Flaw {
        let (problem, help) = (problem.into(), help.into());
        Flaw { at, problem, help }
    }
}

impl Sentence {
    /// Reads a text.
    ///
    /// # Errors
    ///
    /// The first place where it is no sentence.
    pub fn parse(text: &str) -> Result<Sentence, Flaw> {
        let mut pieces = Vec::new();
        // Where the part that is open begins, and what it holds.
        let mut part: Option<(usize, Vec<Piece>)> = None;
        let mut at = 0;
        while let Some(c) = text[at..].chars().next() {
            let here = at..at + c.len_utf8();
            let open = part.is_some();
            let inside = part.as_mut().map_or(&mut pieces, |(_, inside)| inside);
            match c {
                '{' => {
                    let length = text[here.end..].find(|c: char| "{}[]".contains(c));
                    let end = length.map(|length| here.end + length);
                    let Some(end) = end.filter(|end| text[*end..].starts_with('}')) else {
                        return Err(Flaw::new(
                            here.start..end.unwrap_or(text.len()),
                            "this `{` is never closed",
                            "write the name of what is put here and `}` behind it: `{tile}`",
                        ));
                    };
                    let hole = &text[here.end..end];
                    if !is_name(hole) {
                        let help = "a hole is named as in the rules, in small letters, without spaces: `{tile}`";
                        let problem = format!("`{hole}` is no name of something");
                        return Err(Flaw::new(here.start..end + 1, problem, help));
                    }
                    inside.push(Piece::Hole(hole.to_owned()));
                    at = end + 1;
                    continue;
                }
                '[' if open => {
                    let help = "close the outer part first: `[ from {s}][ to {t}]`";
                    return Err(Flaw::new(here, "a part stands within a part", help));
                }
                '[' => part = Some((at, Vec::new())),
                ']' => match part.take() {
                    Some((from, inside)) => {
                        if !inside.iter().any(|piece| matches!(piece, Piece::Hole(_))) {
                            return Err(Flaw::new(
                                from..here.end,
                                "this part has no hole, so it would always be said",
                                "take the brackets away, or put the hole in on which it depends: `[ with {helper}]`",
                            ));
                        }
                        pieces.push(Piece::Part(inside));
                    }
                    None => return Err(Flaw::new(here, "this `]` closes nothing", "take it away")),
                },
                '}' => return Err(Flaw::new(here, "this `}` closes nothing", "take it away")),
                _ => {
                    let length = text[at..].find(|c: char| "{}[]".contains(c));
                    let end = length.map_or(text.len(), |length| at + length);
                    inside.push(Piece::Text(text[at..end].to_owned()));
                    at = end;
                    continue;
                }
            }
            at = here.end;
        }
        match part {
            Some((from, _)) => Err(Flaw::new(
                from..text.len(),
                "this `[` is never closed",
                "write `]` where the part ends that may be left out",
            )),
            None => Ok(Sentence { pieces }),
        }
    }

    /// A sentence of pieces. Braces and brackets in its texts become round ones, so that it reads alike when it was written.
    pub fn of(pieces: Vec<Piece>) -> Sentence {
        let plain = |piece| match piece {
            Piece::Text(text) => Piece::Text(without_marks(&text)),
            piece => piece,
        };
        let pieces = pieces.into_iter().map(|piece| match piece {
            Piece::Part(inside) => Piece::Part(inside.into_iter().map(plain).collect()),
            piece => plain(piece),
        });
        Sentence {
            pieces: pieces.collect(),
        }
    }

    /// Its pieces.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The names of its holes.
    pub fn holes(&self) -> BTreeSet<&str> {
        let inside = self.pieces.iter().flat_map(|piece| match piece {
            Piece::Part(inside) => inside.as_slice(),
            piece => std::slice::from_ref(piece),
        });
        let holes = inside.filter_map(|piece| match piece {
            Piece::Hole(hole) => Some(hole.as_str()),
            _ => None,
        });
        holes.collect()
    }

    /// Whether a hole stands in parts only, which are left out where nothing fills it.
    pub fn may_go_unsaid(&self, hole: &str) -> bool {
        !self.pieces.contains(&Piece::Hole(hole.to_owned()))
    }

    /// The same without the parts that have a hole other than these.
    pub fn for_holes(mut self, known: &[&str]) -> Sentence {
        self.pieces.retain(|piece| match piece {
            Piece::Part(inside) => inside.iter().all(|piece| match piece {
                Piece::Hole(hole) => known.contains(&hole.as_str()),
                _ => true,
            }),
            _ => true,
        });
        self
    }

    /// The same with more behind it.
    pub fn and(mut self, more: impl IntoIterator<Item = Piece>) -> Sentence {
        self.pieces
            .extend(Sentence::of(more.into_iter().collect()).pieces);
        self
    }

    /// As a text, every hole filled. For a hole of which `fill` knows nothing its name stands in braces.
    pub fn filled(&self, fill: &mut dyn FnMut(&str) -> Option<Filling>) -> String {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(words) => text += words,
                Piece::Hole(hole) => text += &hole_text(hole, fill(hole)),
                Piece::Part(inside) => {
                    let mut said = String::new();
                    let mut whole = true;
                    for piece in inside {
                        match piece {
                            Piece::Text(words) => said += words,
                            Piece::Hole(hole) => match fill(hole) {
                                Some(Filling::Said(filling)) => said += &filling,
                                _ => whole = false,
                            },
                            Piece::Part(_) => unreachable!("a part holds no part"),
                        }
                    }
                    if whole {
                        text += &said;
                    }
                }
            }
        }
        text
    }
}

fn hole_text(hole: &str, filling: Option<Filling>) -> String {
    match filling {
        Some(Filling::Said(text) | Filling::Nothing(text)) => text,
        None => format!("{{{hole}}}"),
    }
}

/// Whether a text is a name as rules write them.
pub fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_lowercase())
        && chars.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

fn without_marks(text: &str) -> String {
    text.replace(['{', '['], "(").replace(['}', ']'], ")")
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Piece::Text(text) => f.write_str(text),
            Piece::Hole(hole) => write!(f, "{{{hole}}}"),
            Piece::Part(inside) => {
                f.write_str("[")?;
                inside.iter().try_for_each(|piece| piece.fmt(f))?;
                f.write_str("]")
            }
        }
    }
}

/// As it is written.
impl fmt::Display for Sentence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces.iter().try_for_each(|piece| piece.fmt(f))
    }
}
