//! A mutant: a ruleset with one mistake in one of its texts.
//!
//! It is nothing but a change of a text, so the ordinary compiler compiles it and anybody can read it as a difference of
//! two files.

use super::Operator;
use crate::numbers::At as _;
use crate::program::text::Text;
use crate::source::Span;

/// A stretch of a text and what stands there instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced; empty where something is put between.
    pub span: Span,
    /// By what.
    pub text: String,
}

/// Where in the rules a mistake is planted, for reports and for the skeleton of a scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Site {
    /// The clause that the sentence carries out: its own, or that of what it stands in.
    pub clause: Option<String>,
    /// The step or phase: `captain.loading`.
    pub step: Option<String>,
    /// The move, and the names of its parameters.
    pub mv: Option<(String, Vec<String>)>,
    /// The figure, or the table, row and column: `building factory cost`.
    pub entry: Option<String>,
}

/// A mistake that is planted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// Which kind of mistake.
    pub operator: Operator,
    /// Names it whatever else is in the ruleset: a digest of its file, where it stands in it, its sentence and the change.
    pub id: String,
    /// The house rule of which its file is, if it is none of the package itself.
    pub house: Option<String>,
    /// The path of its file inside that.
    pub path: String,
    /// The changes of that file, the first first; they do not overlap.
    pub edits: Vec<Edit>,
    /// The sentence that is changed, or the value in a table.
    pub sentence: Span,
    /// Where it stands.
    pub site: Site,
    /// The mistake in words.
    pub says: Text,
    /// Whether declarations or the course of play change, and not only what is computed at some place.
    pub is_structural: bool,
}

impl Mutant {
    /// The text of its file with the mistake.
    pub fn applied(&self, text: &str) -> String {
        applied(text, &self.edits)
    }

    /// The digest to which whoever calls it equivalent is bound: that of the text of its sentence.
    pub fn digest(&self, text: &str) -> String {
        let sentence = &text[self.sentence.start.at()..self.sentence.end.at()];
        short(&[sentence.as_bytes()])
    }

    /// Its id, from the text of its file.
    pub(super) fn named(self, text: &str) -> Mutant {
        let digest = self.digest(text);
        let mut parts: Vec<Vec<u8>> = vec![
            self.operator.id().into(),
            self.path.clone().into(),
            digest.into(),
            format!("{:?}", self.site).into(),
        ];
        for edit in &self.edits {
            // Counted from the sentence on, so that what stands above it may change.
            let from = i64::from(edit.span.start) - i64::from(self.sentence.start);
            let to = i64::from(edit.span.end) - i64::from(self.sentence.start);
            parts.push(format!("{from}..{to}").into());
            parts.push(edit.text.clone().into());
        }
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        let id = short(&parts);
        Mutant { id, ..self }
    }
}

/// A text with some changes, which do not overlap and are in order.
fn applied(text: &str, edits: &[Edit]) -> String {
    let mut changed = String::with_capacity(text.len() + 32);
    let mut from = 0;
    for edit in edits {
        changed.push_str(&text[from..edit.span.start.at()]);
        changed.push_str(&edit.text);
        from = edit.span.end.at();
    }
    changed.push_str(&text[from..]);
    changed
}

/// Eleven digits of a digest: enough to tell the mutants of a ruleset apart.
fn short(parts: &[&[u8]]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&part.len().to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().to_hex()[..11].to_owned()
}
