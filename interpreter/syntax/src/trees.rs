//! The trees of texts that were parsed before.
//!
//! Comes in: sources. Goes out: the tree of a text, which is parsed unless it is known. What is known depends on the text
//! and on its number among the sources alone, so whoever adds the same texts in the same order may use it again.

use std::collections::BTreeMap;

use super::document::Node;
use super::{ast, document, rules};
use crate::diagnostic::Diagnostics;
use crate::source::{FileId, Sources};

/// A text, what was read in it, and what was reported of it.
#[derive(Clone, Debug)]
struct Known<T> {
    text: String,
    tree: T,
    diagnostics: Diagnostics,
}

/// The trees of some texts, by their numbers among the sources.
#[derive(Clone, Debug, Default)]
pub struct Trees {
    documents: BTreeMap<FileId, Known<Option<Node>>>,
    rules: BTreeMap<FileId, Known<ast::File>>,
}

impl Trees {
    /// Parses all sources: files of rules by their ending, everything else as documents.
    pub fn of(sources: &Sources) -> Trees {
        let mut trees = Trees::default();
        for (file, source) in sources.iter() {
            let mut diagnostics = Diagnostics::default();
            let text = source.text.clone();
            if source.path.ends_with(".rules") {
                let tree = rules::parse(sources, file, &mut diagnostics);
                let known = Known {
                    text,
                    tree,
                    diagnostics,
                };
                trees.rules.insert(file, known);
            } else {
                let tree = document::parse(sources, file, &mut diagnostics);
                let known = Known {
                    text,
                    tree,
                    diagnostics,
                };
                trees.documents.insert(file, known);
            }
        }
        trees
    }

    /// The tree of a document; none if it cannot be read at all.
    pub fn document(
        &self,
        sources: &Sources,
        file: FileId,
        diagnostics: &mut Diagnostics,
    ) -> Option<Node> {
        let parse = document::parse;
        of(self.documents.get(&file), parse, sources, file, diagnostics)
    }

    /// The tree of a file of rules.
    pub fn rules(
        &self,
        sources: &Sources,
        file: FileId,
        diagnostics: &mut Diagnostics,
    ) -> ast::File {
        let parse = rules::parse;
        of(self.rules.get(&file), parse, sources, file, diagnostics)
    }
}

/// What is known of a text, or what a parser finds in it.
fn of<T: Clone>(
    known: Option<&Known<T>>,
    parse: impl FnOnce(&Sources, FileId, &mut Diagnostics) -> T,
    sources: &Sources,
    file: FileId,
    diagnostics: &mut Diagnostics,
) -> T {
    match known.filter(|known| known.text == sources.file(file).text) {
        Some(known) => {
            diagnostics
                .list
                .extend(known.diagnostics.list.iter().cloned());
            known.tree.clone()
        }
        None => parse(sources, file, diagnostics),
    }
}
