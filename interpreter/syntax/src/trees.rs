//! The trees of texts that were parsed before.
//!
//! In: sources. Out: the tree of a text, which is parsed unless it is known. What is known depends on the text and on its
//! number among the sources, so compilations that add the same texts in the same order share trees.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::document::Node;
use super::{ast, document, rules};
use crate::budget;
use crate::diagnostic::Diagnostics;
use crate::source::{FileId, Sources};

/// Trees of some texts. Clones share one cache. A compilation spends the same work with and without them, so that both come to
/// the same verdict.
#[derive(Clone, Debug, Default)]
pub struct Trees {
    documents: Cache<Option<Node>>,
    rules: Cache<ast::File>,
    grows: bool,
}

impl Trees {
    /// Creates a cache without trees that remembers every text that is parsed: for rulesets that are compiled in many
    /// configurations.
    pub fn growing() -> Trees {
        Trees {
            grows: true,
            ..Trees::default()
        }
    }

    /// Parses all sources: files of rules by their ending, everything else as documents. Texts that are parsed later are
    /// not remembered.
    pub fn of(sources: &Sources) -> Trees {
        let trees = Trees::growing();
        for (file, source) in sources.iter() {
            let mut diagnostics = Diagnostics::default();
            match source.path.ends_with(".rules") {
                true => drop(trees.rules(sources, file, &mut diagnostics)),
                false => drop(trees.document(sources, file, &mut diagnostics)),
            }
        }
        Trees {
            grows: false,
            ..trees
        }
    }

    /// Returns the tree of a document; none if it cannot be read at all.
    pub fn document(
        &self,
        sources: &Sources,
        file: FileId,
        diagnostics: &mut Diagnostics,
    ) -> Option<Node> {
        let cache = &self.documents;
        cache.get(document::parse, self.grows, sources, file, diagnostics)
    }

    /// Returns the tree of a file of rules.
    pub fn rules(
        &self,
        sources: &Sources,
        file: FileId,
        diagnostics: &mut Diagnostics,
    ) -> ast::File {
        let cache = &self.rules;
        cache.get(rules::parse, self.grows, sources, file, diagnostics)
    }
}

/// A text, its tree, what was reported of it, and the units of work that parsing it took.
#[derive(Debug)]
struct Parsed<T> {
    text: String,
    tree: T,
    diagnostics: Diagnostics,
    work: u64,
}

/// Parsed texts by their number among the sources; several texts may have had the same number.
type ByFile<T> = BTreeMap<FileId, Vec<Arc<Parsed<T>>>>;

/// A cache of parsed texts; its clones share it.
#[derive(Debug)]
struct Cache<T>(Arc<Mutex<ByFile<T>>>);

impl<T> Clone for Cache<T> {
    fn clone(&self) -> Self {
        Cache(self.0.clone())
    }
}

impl<T> Default for Cache<T> {
    fn default() -> Self {
        Cache(Arc::default())
    }
}

impl<T: Clone> Cache<T> {
    /// Returns the tree of a text with what was reported of it, or parses the text; remembers it if the cache `grows`.
    fn get(
        &self,
        parse: impl FnOnce(&Sources, FileId, &mut Diagnostics) -> T,
        grows: bool,
        sources: &Sources,
        file: FileId,
        diagnostics: &mut Diagnostics,
    ) -> T {
        let text = &sources.file(file).text;
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().get(&file).and_then(|known| {
            let mut known = known.iter();
            known.find(|parsed| parsed.text == *text).cloned()
        });
        if let Some(known) = known {
            budget::spend(known.work, None);
            let reported = known.diagnostics.list.iter().cloned();
            diagnostics.list.extend(reported);
            return known.tree.clone();
        }
        if !grows {
            return parse(sources, file, diagnostics);
        }
        let mut reported = Diagnostics::default();
        let (tree, work) = budget::counted(|| parse(sources, file, &mut reported));
        diagnostics.list.extend(reported.list.iter().cloned());
        let parsed = Parsed {
            text: text.clone(),
            tree: tree.clone(),
            diagnostics: reported,
            work,
        };
        lock().entry(file).or_default().push(Arc::new(parsed));
        tree
    }
}
