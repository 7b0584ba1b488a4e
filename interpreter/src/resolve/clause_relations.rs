//! How the clauses of modules stand beside those of the layers below: which of them they replace, and which they restrict.
//!
//! In: a composed package. A sentence of a module that replaces, disables or changes a rule of a lower layer and cites B
//! overrules the clauses A that the rule cited: B *replaces* A if nothing in force cites A any more, else B *restricts* A.
//! The same holds for a figure or row that a module patches with another citation. What no citation shows, such as what a
//! module does to a note, its author writes under `replaces` and `restricts` of a clause.

use std::collections::{BTreeMap, BTreeSet};

use super::path_text;
use crate::budget::spend;
use crate::numbers::Fit as _;
use crate::program::package::{Package, RulesFile};
use crate::source::Span;
use crate::syntax::ast::{Body, ExprKind, Item, Query, Replacing, Step};

/// Which clauses of a package replace and restrict which, by the clauses of lower layers.
#[derive(Clone, Debug, Default)]
pub struct ClauseRelations {
    replaced: BTreeMap<String, Vec<String>>,
    restricted: BTreeMap<String, Vec<String>>,
    /// Clauses that nothing carries out any more and that none replaces, with the places that took their rules away.
    pub orphans: Vec<(String, Span)>,
}

impl ClauseRelations {
    /// Finds the relations of a package's clauses.
    pub fn of(package: &Package) -> ClauseRelations {
        if package.layers.is_empty() {
            return ClauseRelations::default();
        }
        let clauses = package.rulebook.clauses.iter();
        let layers = clauses.map(|clause| {
            let layers = [clause.id.span, clause.words[0]].map(|at| package.layer(at.file));
            (clause.id.node.as_str(), layers)
        });
        let mut finder = Finder {
            package,
            layers: layers.collect(),
            gone: BTreeSet::new(),
            changes: Vec::new(),
        };
        finder.removed_rows();
        for file in &package.rules {
            finder.removals(file);
        }
        for file in package.rules.iter().filter(|file| file.module.is_some()) {
            finder.contributions(file, &file.tree.items, None, None);
        }
        finder.relations()
    }

    /// Returns the clauses that hold in place of a clause.
    pub fn replaced_by(&self, clause: &str) -> &[String] {
        self.replaced.get(clause).map_or(&[], Vec::as_slice)
    }

    /// Returns the clauses that restrict a clause.
    pub fn restricted_by(&self, clause: &str) -> &[String] {
        self.restricted.get(clause).map_or(&[], Vec::as_slice)
    }

    /// Returns what a reader of a clause alone should know: ` (replaced by @nobles.no-end)`; empty if nothing.
    pub fn remark(&self, clause: &str) -> String {
        let (how, by) = match (self.replaced_by(clause), self.restricted_by(clause)) {
            ([], []) => return String::new(),
            ([], by) => ("restricted", by),
            (by, _) => ("replaced", by),
        };
        let by: Vec<String> = by.iter().map(|by| format!("@{by}")).collect();
        format!(" ({how} by {})", by.join(", "))
    }

    /// Returns the clause that holds in place of a clause: itself, if none replaces it.
    pub fn in_force<'c>(&'c self, mut clause: &'c str) -> &'c str {
        // No more steps than clauses: two modules may each say the other's clause in new words.
        for _ in 0..self.replaced.len() {
            match self.replaced_by(clause).first() {
                Some(by) => clause = by,
                None => break,
            }
        }
        clause
    }
}

/// What a module does to a rule that cites a clause.
struct ClauseChange<'p> {
    clause: &'p str,
    /// The clause that the module cites for it.
    by: Option<&'p str>,
    /// The change takes the rule away.
    removes: bool,
    at: Span,
}

struct Finder<'p> {
    package: &'p Package,
    /// The layer of each clause, and that whose words it has.
    layers: BTreeMap<&'p str, [usize; 2]>,
    /// Where sentences that are not in force cite.
    gone: BTreeSet<Span>,
    changes: Vec<ClauseChange<'p>>,
}

impl<'p> Finder<'p> {
    /// Components whose rows modules remove, and citations of rows and figures that they change.
    fn removed_rows(&mut self) {
        for one in &self.package.overruled {
            self.changes.push(ClauseChange {
                clause: &one.clause,
                by: one.by.as_deref(),
                removes: true,
                at: one.at,
            });
        }
        for change in self.package.changes.iter().filter(|change| change.removed) {
            for file in &self.package.rules {
                spend(file.tree.items.len().fit(), Some(change.now));
                for item in &file.tree.items {
                    if let Item::Component(it) = item
                        && change.address == format!("{} {}", it.table.node, it.row.node)
                    {
                        self.remove(file, it.span, &[], change.now);
                    }
                }
            }
        }
    }

    /// What a file of a module replaces and disables.
    fn removals(&mut self, file: &'p RulesFile) {
        for item in &file.tree.items {
            let (target, span) = match item {
                Item::Replacement(it) => (&it.target, it.span),
                Item::Disable(it) => (&it.target, it.span),
                _ => continue,
            };
            let by: Vec<&str> = match file.tree.own_cite(span) {
                Some(cite) => vec![&cite.node],
                None => file.tree.cites_of(span).map(|c| c.node.as_str()).collect(),
            };
            let address = path_text(target);
            for lower in self.below(file) {
                for old in spans_at(&lower.tree.items, &address) {
                    self.remove(lower, old, &by, span);
                }
            }
        }
    }

    /// Takes a sentence out of force. What the module cites itself for a part of it is not overruled.
    fn remove(&mut self, file: &'p RulesFile, old: Span, by: &[&'p str], at: Span) {
        let own = file.tree.own_cite(old).map(|cite| cite.span);
        let cites: Vec<_> = file.tree.cites_of(old).collect();
        let layer = self.package.layer(at.file);
        for cite in cites {
            let clause = cite.node.as_str();
            let mut files = self.package.rules.iter();
            let is_carried_on = own != Some(cite.span)
                && files.any(|file| {
                    let cites = &file.tree.cites;
                    spend(cites.len().fit(), Some(at));
                    self.package.layer(file.file) == layer
                        && cites.iter().any(|cite| cite.node == clause)
                });
            if !self.gone.insert(cite.span) || is_carried_on {
                continue;
            }
            let all = by.iter().copied().map(Some);
            let none = by.is_empty().then_some(None);
            self.changes.extend(all.chain(none).map(|by| ClauseChange {
                clause,
                by,
                removes: true,
                at,
            }));
        }
    }

    /// What sentences of a module change in queries of lower layers, and the conditions that they add to moves.
    fn contributions(
        &mut self,
        file: &'p RulesFile,
        items: &'p [Item],
        around: Option<&'p str>,
        phase: Option<&str>,
    ) {
        for item in items {
            match item {
                Item::Contribution(it) => {
                    let by = it.cite.as_ref().map(|cite| cite.node.as_str()).or(around);
                    let address = path_text(&it.query);
                    let inside = phase.map(|phase| format!("{phase}.{address}"));
                    if !inside.is_some_and(|inside| self.changed(file, &inside, by, it.span)) {
                        self.changed(file, &address, by, it.span);
                    }
                }
                Item::Extension(it) => {
                    let own = it.cite.as_ref().map(|cite| cite.node.as_str()).or(around);
                    // The conditions of parameters restrict these alone.
                    for need in it.needs.iter().filter(|_| it.params.is_empty()) {
                        let by = need.cite.as_ref().map(|cite| cite.node.as_str()).or(own);
                        for path in &it.moves {
                            self.changed(file, &path_text(path), by, need.span);
                        }
                    }
                    self.contributions(file, &it.items, own, phase);
                }
                Item::Component(it) => {
                    let own = it.cite.as_ref().map(|cite| cite.node.as_str()).or(around);
                    self.contributions(file, &it.items, own, phase);
                }
                Item::Phase(it) => {
                    self.contributions(file, &it.items, None, Some(&it.name.node));
                }
                _ => {}
            }
        }
    }

    /// Notes that a query or move of a lower layer is changed; `false` if there is none at the address.
    fn changed(&mut self, file: &RulesFile, address: &str, by: Option<&'p str>, at: Span) -> bool {
        let mut is_there = false;
        for lower in self.below(file) {
            for old in spans_at(&lower.tree.items, address) {
                is_there = true;
                spend(lower.tree.cites.len().fit(), Some(at));
                // A clause that a mere yes or no cites is not about what modules add to it.
                if queries(&lower.tree.items).any(|q| q.span == old && is_blank(q)) {
                    continue;
                }
                let own = lower.tree.own_cite(old);
                let all = lower.tree.cites_of(old).filter(|_| own.is_none());
                let cites = own.into_iter().chain(all);
                let cites = cites.filter(|cite| !self.gone.contains(&cite.span));
                let changes = cites.map(|cite| ClauseChange {
                    clause: &cite.node,
                    by,
                    removes: false,
                    at,
                });
                self.changes.extend(changes);
            }
        }
        is_there
    }

    /// The files of the layers below that of a file.
    fn below(&self, file: &RulesFile) -> Vec<&'p RulesFile> {
        let files = &self.package.rules;
        let items: usize = files.iter().map(|file| file.tree.items.len()).sum();
        spend(items.fit(), None);
        let layer = self.package.layer(file.file);
        let files = files.iter();
        files
            .filter(|lower| self.package.layer(lower.file) < layer)
            .collect()
    }

    /// Whether a clause may replace or restrict another: its words are of a layer above that of the other, which has not given
    /// the other new words as well.
    fn is_above(&self, by: &str, clause: &str) -> bool {
        let layers = (self.layers.get(by), self.layers.get(clause));
        matches!(layers, (Some([_, by]), Some([own, words])) if by > own && by != words)
    }

    fn relations(self) -> ClauseRelations {
        let package = self.package;
        let files = package.rules.iter();
        let cites = files.flat_map(|file| &file.tree.cites);
        let cites = cites.filter(|cite| !self.gone.contains(&cite.span));
        let cited = cites.chain(package.document_cites());
        let cited: BTreeSet<&str> = cited.map(|cite| cite.node.as_str()).collect();
        let is_cited = |clause: &str| cited.contains(clause);
        let mut relations = ClauseRelations::default();
        let add = |all: &mut BTreeMap<String, Vec<String>>, clause: &str, by: &str| {
            if self.is_above(by, clause) {
                let all = all.entry(clause.to_owned()).or_default();
                if !all.iter().any(|known| known == by) {
                    all.push(by.to_owned());
                }
            }
        };
        for clause in &package.rulebook.clauses {
            for replaced in &clause.replaces {
                add(&mut relations.replaced, &replaced.node, &clause.id.node);
            }
            for restricted in &clause.restricts {
                add(&mut relations.restricted, &restricted.node, &clause.id.node);
            }
        }
        for change in &self.changes {
            // Other changes of the same clause.
            spend(self.changes.len().fit(), Some(change.at));
            let Some(by) = change.by.filter(|by| is_cited(by)) else {
                continue;
            };
            match is_cited(change.clause) {
                true => add(&mut relations.restricted, change.clause, by),
                false if change.removes => add(&mut relations.replaced, change.clause, by),
                false => {}
            }
        }
        let replaced = &relations.replaced;
        relations
            .restricted
            .retain(|clause, _| !replaced.contains_key(clause));
        for clause in &package.rulebook.clauses {
            let id = clause.id.node.as_str();
            if clause.is_enforced && !is_cited(id) && !replaced.contains_key(id) {
                let mut changes = self.changes.iter().rev();
                let last = changes.find(|change| change.clause == id && change.removes);
                let [_, words] = self.layers.get(id).copied().unwrap_or_default();
                let last = last.filter(|last| package.layer(last.at.file) > words);
                relations
                    .orphans
                    .extend(last.map(|last| (id.to_owned(), last.at)));
            }
        }
        relations
    }
}

/// The queries of a file, those of phases too.
fn queries(items: &[Item]) -> impl Iterator<Item = &Query> {
    items.iter().flat_map(|item| match item {
        Item::Query(query) => std::slice::from_ref(query),
        Item::Phase(phase) => &phase.queries,
        _ => &[],
    })
}

/// Whether a query is always true or always false until something is added to it.
fn is_blank(query: &Query) -> bool {
    query.cases.is_empty() && matches!(query.otherwise.value.kind, ExprKind::Bool(_))
}

/// Returns where a file says what is at an address: a step, move, query, ending, score, component or named change.
pub fn spans_at(items: &[Item], address: &str) -> Vec<Span> {
    let at = |item: &Item| match item {
        Item::Phase(phase) => {
            let inside = address.strip_prefix(&phase.name.node)?.strip_prefix('.')?;
            let mut queries = phase.queries.iter();
            let query = queries.find(|query| query.name.node == inside);
            match query {
                Some(query) => Some(query.span),
                None => step_at(&phase.steps, inside),
            }
        }
        Item::Query(it) => (it.name.node == address).then_some(it.span),
        Item::Ending(it) => (it.name.node == address).then_some(it.span),
        Item::Score(it) => (it.name.node == address).then_some(it.span),
        Item::Component(it) => (it.row.node == address).then_some(it.span),
        Item::Contribution(it) => {
            let name = it.name.as_ref()?;
            (name.node == address).then_some(it.span)
        }
        Item::Replacement(it) if path_text(&it.target) == address => Some(match &it.with {
            Replacing::Step(step) => step.span,
            Replacing::Move(mv) => mv.span,
            Replacing::Query(query) => query.span,
        }),
        _ => None,
    };
    items.iter().filter_map(at).collect()
}

/// A step or move by what follows the phase in its address.
fn step_at(steps: &[Step], inside: &str) -> Option<Span> {
    steps.iter().find_map(|step| {
        if step.name.node == inside {
            return Some(step.span);
        }
        match &step.body {
            Body::Steps(inner) => step_at(inner, inside),
            Body::Ask(ask) => {
                let own = inside.strip_prefix(&step.name.node);
                let name = own.and_then(|own| own.strip_prefix('.')).unwrap_or(inside);
                let mut moves = ask.groups.iter().flat_map(|group| &group.moves);
                moves.find(|m| m.name.node == name).map(|m| m.span)
            }
            _ => None,
        }
    })
}
