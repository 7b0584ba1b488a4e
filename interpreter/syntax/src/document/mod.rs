//! Documents: the YAML files of a package and its scenarios, read strictly.
//!
//! A document becomes a small tree of [`Node`]s, each of which knows where it was written, and the
//! tree is taken apart by the readers of [`read`], which report what they did not ask
//! for. This module and no other knows that `serde-saphyr` does the scanning.
//!
//! YAML is a large language and much of it only surprises: anchors, aliases, merges, tags, several
//! documents in a file and keys that are not words are errors here, and so are keys written twice.
//! What a scalar means is decided by who reads it and never by the way it looks; see [`Scalar`].

mod explain;
mod parse;
pub mod read;

pub use parse::parse;
pub use read::Fields;

use crate::budget::spend;
use crate::numbers::Fit as _;
use crate::source::{Span, Spanned};

/// A value of a document and where it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// What it is.
    pub kind: NodeKind,
    /// From its first to its last character.
    pub span: Span,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// Keys and values in the order in which they are written; no key twice.
    Map(Vec<Pair>),
    /// Values.
    List(Vec<Node>),
    /// A text, number or truth value.
    Scalar(Scalar),
    /// Nothing at all, as in `cost:` at the end of a line.
    Nothing,
    /// Something that packages do not use and that has been reported; readers pass over it silently.
    Broken,
}

/// A key and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The key.
    pub key: Spanned<String>,
    /// The value.
    pub value: Node,
}

/// A text, number or truth value: its characters, and whether they were quoted.
///
/// `1.10` and `08` keep their characters, because nobody has made numbers of them. A plain `yes`, `no` or `null`
/// is refused by every reader, because YAML's readers disagree on what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// The characters, escapes resolved.
    pub text: String,
    /// Written in quotes or as a block, so certainly a text.
    pub quoted: bool,
}

impl Node {
    /// A key as if it were a value.
    pub fn of_key(key: &Spanned<String>) -> Node {
        let (text, quoted) = (key.node.clone(), false);
        Node {
            kind: NodeKind::Scalar(Scalar { text, quoted }),
            span: key.span,
        }
    }

    /// The pairs, if this is a map.
    pub fn pairs(&self) -> Option<&[Pair]> {
        match &self.kind {
            NodeKind::Map(pairs) => Some(pairs),
            _ => None,
        }
    }

    /// The value of a key, if this is a map that has it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        let pairs = self.pairs()?;
        spend(pairs.len().fit(), Some(self.span));
        let found = pairs.iter().find(|pair| pair.key.node == key);
        found.map(|pair| &pair.value)
    }

    /// The items, if this is a list.
    pub fn items(&self) -> Option<&[Node]> {
        match &self.kind {
            NodeKind::List(items) => Some(items),
            _ => None,
        }
    }

    /// The characters, if this is a scalar.
    pub fn scalar(&self) -> Option<&str> {
        match &self.kind {
            NodeKind::Scalar(scalar) => Some(&scalar.text),
            _ => None,
        }
    }

    /// The characters, if this is a scalar without quotes.
    pub fn plain(&self) -> Option<&str> {
        match &self.kind {
            NodeKind::Scalar(scalar) if !scalar.quoted => Some(&scalar.text),
            _ => None,
        }
    }

    /// Whether both say the same, wherever it is written.
    pub fn says_same(&self, other: &Node) -> bool {
        match (&self.kind, &other.kind) {
            (NodeKind::Map(a), NodeKind::Map(b)) => {
                a.len() == b.len()
                    && a.iter().all(|pair| {
                        other
                            .get(&pair.key.node)
                            .is_some_and(|value| pair.value.says_same(value))
                    })
            }
            (NodeKind::List(a), NodeKind::List(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.says_same(b))
            }
            (a, b) => a == b,
        }
    }

    /// What this is, for a message: `a map`, `a list`, ``the text `corn` ``.
    pub fn described(&self) -> String {
        match &self.kind {
            NodeKind::Map(_) => "a map".to_owned(),
            NodeKind::List(_) => "a list".to_owned(),
            NodeKind::Nothing => "nothing".to_owned(),
            NodeKind::Broken => "something unreadable".to_owned(),
            NodeKind::Scalar(scalar) => {
                let first = scalar.text.lines().next().unwrap_or_default();
                let mut shown: String = first.chars().take(32).collect();
                if shown.len() < scalar.text.len() {
                    shown.push('…');
                }
                format!("`{shown}`")
            }
        }
    }
}
