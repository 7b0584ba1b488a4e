//! A matched piece of a sentence that knows its place in the file.

use super::grammar::Rule;
use crate::ast::{Name, Path};
use crate::numbers::Fit as _;
use crate::source::{FileId, Span, Spanned};
use pest::iterators::{Pair, Pairs};

/// A pair of pest's, with the place of its sentence.
#[derive(Clone, Debug)]
pub struct Node<'i> {
    pair: Pair<'i, Rule>,
    file: FileId,
    base: u32,
}

/// The parts of a node, taken one after another.
#[derive(Clone, Debug)]
pub struct Parts<'i> {
    pairs: Pairs<'i, Rule>,
    file: FileId,
    base: u32,
}

impl<'i> Node<'i> {
    /// A pair of a sentence that begins at an offset of a file.
    pub fn new(pair: Pair<'i, Rule>, file: FileId, base: u32) -> Self {
        Node { pair, file, base }
    }

    /// What it was matched by.
    pub fn rule(&self) -> Rule {
        self.pair.as_rule()
    }

    /// Its text; pest counts blanks behind an optional last part as part of it, so they are cut.
    pub fn text(&self) -> &'i str {
        self.pair.as_str().trim_end()
    }

    /// Its place.
    pub fn span(&self) -> Span {
        let start = self.base + self.pair.as_span().start().fit::<u32>();
        Span {
            file: self.file,
            start,
            end: start + self.text().len().fit::<u32>(),
        }
    }

    /// Its parts.
    pub fn parts(self) -> Parts<'i> {
        Parts {
            file: self.file,
            base: self.base,
            pairs: self.pair.into_inner(),
        }
    }

    /// It as a name.
    pub fn name(&self) -> Name {
        Spanned::new(self.text().to_owned(), self.span())
    }

    /// It as a dotted path.
    pub fn path(self) -> Path {
        let span = self.span();
        Path {
            parts: self.parts().all(Rule::name).map(|n| n.name()).collect(),
            span,
        }
    }

    /// The names among its parts.
    pub fn names(self) -> Vec<Name> {
        self.parts().all(Rule::name).map(|n| n.name()).collect()
    }
}

impl<'i> Iterator for Parts<'i> {
    type Item = Node<'i>;

    fn next(&mut self) -> Option<Node<'i>> {
        let pair = self.pairs.next()?;
        Some(Node {
            pair,
            file: self.file,
            base: self.base,
        })
    }
}

impl<'i> Parts<'i> {
    /// Takes the next part if it was matched by this rule.
    pub fn next_if(&mut self, rule: Rule) -> Option<Node<'i>> {
        if self.pairs.peek().is_some_and(|p| p.as_rule() == rule) {
            self.next()
        } else {
            None
        }
    }

    /// Takes parts up to and including the next one that was matched by this rule.
    pub fn find_rule(&mut self, rule: Rule) -> Option<Node<'i>> {
        self.find(|n| n.rule() == rule)
    }

    /// The remaining parts that were matched by this rule.
    pub fn all(self, rule: Rule) -> impl Iterator<Item = Node<'i>> {
        self.filter(move |n| n.rule() == rule)
    }

    /// What says something within each remaining part that was matched by this rule: a comma may stand before it.
    pub fn within(self, rule: Rule) -> impl Iterator<Item = Node<'i>> {
        self.all(rule)
            .filter_map(|part| part.parts().find(|n| n.rule() != Rule::s_comma))
    }

    /// Whether a remaining part was matched by this rule.
    pub fn has(&self, rule: Rule) -> bool {
        self.pairs.clone().any(|p| p.as_rule() == rule)
    }
}
