//! The rules of a package, composed and in order: the proofreader's view.
//!
//! A phase is written in one place, but what happens in it is said in many: under buildings, in
//! modules, in queries that others change. [`Rules`] knows where everything is; [`sheet`] is a text
//! of rules in which every line knows its origin and its clauses; [`phase`], [`component`] and
//! [`things`] write such sheets; [`citations`] lists who cites which clause. Everything works on the
//! trees of a package, so that rules with mistakes in them can be read as well.

pub mod citations;
pub mod component;
mod labels;
pub mod overview;
pub mod phase;
pub mod sheet;
mod spelling;
pub mod things;
mod write;

use std::collections::BTreeMap;

use interpreter::budget::spend;
use interpreter::package::{Language, Package};
use interpreter::resolve::clause_relations::spans_at;
use interpreter::resolve::{self, ClauseRelations};
use interpreter::source::{Sources, Span};
use interpreter::syntax::ast::{Component, Extension, Item, Path, Phase, Query, Replacing};

use super::words::Words;
use referee_store::numbers::to_u64;

/// A sentence and what stands around it.
#[derive(Clone, Copy, Debug)]
pub struct Said<'a> {
    /// The sentence.
    pub item: &'a Item,
    /// The component that brings it.
    pub component: Option<&'a Component>,
    /// The phase in which it is written.
    pub phase: Option<&'a Phase>,
    /// The extension of moves below which it stands: it counts only while one of them is made.
    pub extension: Option<&'a Extension>,
}

/// What a module did to something of the layer below.
#[derive(Clone, Copy, Debug)]
pub struct Changed<'a> {
    /// Where the module says so.
    pub span: Span,
    /// Whether it was taken out rather than replaced.
    pub disabled: bool,
    /// Where it was said at first, if that can be told.
    pub was: Option<Span>,
    /// The sentence.
    pub item: &'a Item,
}

/// The composed rules of a package.
pub struct Rules<'a> {
    /// The package.
    pub package: &'a Package,
    /// Its texts.
    pub sources: &'a Sources,
    /// Its names.
    pub words: Words<'a>,
    /// Which of its clauses replace and restrict which.
    pub relations: ClauseRelations,
    items: &'a [Item],
    said: Vec<Said<'a>>,
    changes: BTreeMap<String, Changed<'a>>,
}

/// Every sentence with what stands around it.
fn said(items: &[Item]) -> Vec<Said<'_>> {
    fn add<'a>(said: Said<'a>, all: &mut Vec<Said<'a>>) {
        all.push(said);
        let (inner, around) = match said.item {
            Item::Component(it) => (
                &it.items,
                Said {
                    component: Some(it),
                    ..said
                },
            ),
            Item::Phase(it) => (
                &it.items,
                Said {
                    phase: Some(it),
                    ..said
                },
            ),
            Item::Extension(it) => (
                &it.items,
                Said {
                    extension: Some(it),
                    ..said
                },
            ),
            _ => return,
        };
        for item in inner {
            add(Said { item, ..around }, all);
        }
    }
    let mut all = Vec::new();
    for item in items {
        let alone = Said {
            item,
            component: None,
            phase: None,
            extension: None,
        };
        add(alone, &mut all);
    }
    all
}

/// The items of a package after every `replace` and `disable` of its modules.
pub fn composed(package: &Package) -> Vec<Item> {
    resolve::composed(package)
}

impl<'a> Rules<'a> {
    /// Arranges a package whose composed items are given by [`composed`].
    pub fn new(
        package: &'a Package,
        sources: &'a Sources,
        items: &'a [Item],
        language: Language,
    ) -> Self {
        let mut changes = BTreeMap::new();
        for item in package.rules.iter().flat_map(|file| &file.tree.items) {
            let (target, span, disabled) = match item {
                Item::Replacement(r) => (&r.target, r.span, false),
                Item::Disable(d) => (&d.target, d.span, true),
                _ => continue,
            };
            let address = path(target);
            let was = package
                .rules
                .iter()
                .find_map(|file| spans_at(&file.tree.items, &address).first().copied());
            changes.insert(
                address,
                Changed {
                    span,
                    disabled,
                    was,
                    item,
                },
            );
        }
        Rules {
            package,
            sources,
            words: Words::new(package, language),
            relations: ClauseRelations::of(package),
            items,
            said: said(items),
            changes,
        }
    }

    /// Every sentence with what stands around it, in order; phases, components and extensions before
    /// their own.
    pub fn said(&self) -> impl Iterator<Item = Said<'a>> {
        // Whoever asks goes through all of them.
        spend(2 * to_u64(self.said.len()), None);
        self.said.iter().copied()
    }

    /// The phases, in order.
    pub fn phases(&self) -> impl Iterator<Item = &'a Phase> + use<'a> {
        self.items.iter().filter_map(|item| match item {
            Item::Phase(phase) => Some(phase),
            _ => None,
        })
    }

    /// The phase of this name.
    pub fn phase(&self, name: &str) -> Option<&'a Phase> {
        self.phases().find(|phase| phase.name.node == name)
    }

    /// Every query with its address: `captain.takes`, or `active` outside of phases. Hints are none: they are
    /// no rules.
    pub fn queries(&self) -> Vec<(String, &'a Query, Option<&'a Phase>)> {
        let mut all = Vec::new();
        for item in self.items {
            match item {
                Item::Query(query) if !query.hint => {
                    all.push((query.name.node.clone(), query, None));
                }
                Item::Phase(phase) => {
                    let inner = phase.queries.iter();
                    all.extend(inner.map(|q| {
                        (
                            format!("{}.{}", phase.name.node, q.name.node),
                            q,
                            Some(phase),
                        )
                    }));
                }
                _ => {}
            }
        }
        all
    }

    /// What a module did to the thing at this address.
    pub fn change(&self, address: &str) -> Option<Changed<'a>> {
        self.changes.get(address).copied()
    }

    /// What modules took out whose addresses begin so.
    pub fn disabled(&self, prefix: &str) -> impl Iterator<Item = (&str, Changed<'a>)> {
        let changes = self
            .changes
            .iter()
            .map(|(address, change)| (address.as_str(), *change));
        let prefix = prefix.to_owned();
        changes.filter(move |(address, change)| change.disabled && address.starts_with(&prefix))
    }

    /// The address of a query as a contribution names it.
    pub fn query_address(&self, said: &Said<'a>, written: &Path) -> String {
        let text = path(written);
        let inside = said
            .phase
            .map(|phase| (phase, format!("{}.{text}", phase.name.node)));
        match inside {
            Some((phase, address)) if phase.queries.iter().any(|q| q.name.node == text) => address,
            _ => text,
        }
    }

    /// Where something is written: `rules/roles.rules:40`.
    pub fn place(&self, span: Span) -> String {
        let file = self.sources.file(span.file);
        format!(
            "{}:{}",
            self.short(&file.path),
            self.sources.line_column(span).line
        )
    }

    /// A path as seen from the folder of the ruleset.
    fn short<'p>(&self, path: &'p str) -> &'p str {
        let manifest = &self.sources.file(self.package.id.span.file).path;
        let folder = manifest.rsplit_once('/').map_or("", |(folder, _)| folder);
        path.strip_prefix(folder)
            .map_or(path, |rest| rest.trim_start_matches('/'))
    }
}

/// A path as text: `captain.loading`.
pub fn path(path: &Path) -> String {
    path.parts
        .iter()
        .map(|part| part.node.as_str())
        .collect::<Vec<_>>()
        .join(".")
}

/// The span of the sentence that replaces something.
pub(crate) fn replacing(with: &Replacing) -> Span {
    match with {
        Replacing::Step(step) => step.span,
        Replacing::Move(mv) => mv.span,
        Replacing::Query(query) => query.span,
    }
}
