//! From the trees of a file of rules to its mutants.
//!
//! In: a file as it was parsed. Out: mutants, in the order of the file. [`Planter`] goes through the sentences
//! (`sentences`, `decisions`) down to conditions and values (`expressions`) and what scripts do (`statements`); where words
//! stand that no tree keeps is found in the text (`words`).

mod decisions;
mod expressions;
mod sentences;
mod statements;
mod words;

use super::mutant::{Edit, Mutant, Site};
use super::uses::Uses;
use super::{Operator, snippet};
use crate::numbers::{At as _, Fit as _};
use crate::program::text::Text;
use crate::source::{FileId, Sources, Span};
use crate::syntax::ast;
use crate::syntax::rules::{Placed, placed};

/// The mutants of a file of rules, but for those that change nothing by construction. `path` is its path inside its package.
pub(super) fn mutants(
    sources: &Sources,
    file: FileId,
    tree: &ast::File,
    path: &str,
    uses: &Uses,
) -> Vec<Mutant> {
    let mut planter = Planter {
        file,
        text: &sources.file(file).text,
        path,
        uses,
        placed: placed(sources, file),
        site: Site::default(),
        phase: None,
        sentence: sources.whole(file),
        alone: None,
        is_script: false,
        mutants: Vec::new(),
    };
    planter.items(&tree.items);
    planter.mutants
}

/// Plants mistakes, one sentence after the other.
struct Planter<'a> {
    file: FileId,
    text: &'a str,
    path: &'a str,
    uses: &'a Uses,
    /// The lines that begin or continue sentences.
    placed: Vec<Placed>,
    /// Where it is.
    site: Site,
    /// The phase in which it is, or which what stands here is about.
    phase: Option<String>,
    /// The sentence in which it is.
    sentence: Span,
    /// The component in which it is, if that has no other rule.
    alone: Option<Span>,
    /// Whether it is in a script: negation is written otherwise there.
    is_script: bool,
    mutants: Vec<Mutant>,
}

impl Planter<'_> {
    /// The characters of a stretch.
    fn at(&self, span: Span) -> &str {
        &self.text[span.start.at()..span.end.at()]
    }

    /// The same, short enough for a line.
    fn shown(&self, span: Span) -> String {
        snippet(self.at(span))
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span {
            file: self.file,
            start: start.fit(),
            end: end.fit(),
        }
    }

    /// Plants a mistake that consists of some changes; says in English and Polish which it is.
    fn plant(&mut self, operator: Operator, edits: Vec<Edit>, says: (String, String)) {
        self.mutant(operator, edits, says, false);
    }

    /// As [`plant`](Self::plant), but declarations or the course of play change.
    fn plant_structure(&mut self, operator: Operator, edits: Vec<Edit>, says: (String, String)) {
        self.mutant(operator, edits, says, true);
    }

    fn mutant(
        &mut self,
        operator: Operator,
        mut edits: Vec<Edit>,
        (en, pl): (String, String),
        is_structural: bool,
    ) {
        edits.sort_by_key(|edit| edit.span.start);
        let mutant = Mutant {
            operator,
            id: String::new(),
            house: None,
            path: self.path.to_owned(),
            edits,
            sentence: self.sentence,
            site: self.site.clone(),
            says: Text { en, pl },
            is_structural,
        };
        self.mutants.push(mutant.named(self.text));
    }

    /// Something stands in place of a stretch.
    fn replaced(&mut self, operator: Operator, span: Span, text: String) {
        let (was, now) = (self.shown(span), snippet(&text));
        let says = (
            format!("`{now}` instead of `{was}`"),
            format!("`{now}` zamiast `{was}`"),
        );
        self.plant(operator, vec![Edit { span, text }], says);
    }

    /// Goes into a sentence that may have a clause of its own, and out of it again.
    fn within<T>(
        &mut self,
        sentence: Span,
        cite: Option<&ast::Cite>,
        work: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let (outer, site) = (self.sentence, self.site.clone());
        self.sentence = sentence;
        self.site.clause = cite
            .map(|cite| cite.node.clone())
            .or(self.site.clause.take());
        let done = work(self);
        (self.sentence, self.site) = (outer, site);
        done
    }
}

/// A path as it is written.
fn dotted(path: &ast::Path) -> String {
    let parts: Vec<&str> = path.parts.iter().map(|part| part.node.as_str()).collect();
    parts.join(".")
}
