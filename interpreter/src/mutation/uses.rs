//! What the rules of a package use of each other, by their names: whether a mistake could show at all.
//!
//! In: the texts of a package with all its modules, and of what is laid over it. Out: answers for the operators that would
//! else plant mistakes which change nothing by construction. All that is asked here is answered with "it may show" wherever
//! names alone do not tell: two things of one name are taken for one, and what is called is taken to be read in full.

use std::collections::{BTreeMap, BTreeSet};

use super::scripts::{Calls, calls_of};
use crate::diagnostic::Diagnostics;
use crate::numbers::At as _;
use crate::source::{FileId, PackageTexts, Sources, Span};
use crate::syntax::ast::{Body, File, Item, Over, Path, Query, Replacing, Script, Step};
use crate::syntax::document::{Node, parse as parse_document};
use crate::syntax::rules::parse;

type Names = BTreeSet<String>;

/// What is known of the names of a package.
#[derive(Debug, Default)]
pub(super) struct Uses {
    /// By name of a query, place, counter or effect: the names on which it rests.
    behind: BTreeMap<String, Names>,
    /// Places in which the order of pieces matters, or that not everything fits into.
    narrow: Names,
    /// Scripts that have a name.
    effects: Names,
    /// What conditions read that are looked at after each effect: what ends the game or becomes true.
    watched: Names,
    /// Steps and phases beside which something is inserted, or that something else ends.
    joined: Names,
    /// Queries that say what must be so, and are asked for nothing else.
    asserted: Names,
    /// What is named elsewhere than in queries, and sets whose rows are gone through in order. A table that is not among them
    /// is kept, chosen and carried by nothing.
    held: Names,
    /// Every name that rules say, and every value that tables hold or modules change.
    said: Names,
    /// By table, what the set of its rows is called.
    sets: BTreeMap<String, String>,
}

/// What a step does to the table.
struct Touch {
    /// Places, counters and markers that it changes.
    changes: Names,
    /// Everything that it names.
    names: Names,
    /// Whether chance comes into it.
    random: bool,
}

impl Uses {
    /// What the texts of a package and of what may be laid over it say.
    pub(super) fn of<'t>(texts: impl Iterator<Item = &'t PackageTexts>) -> Uses {
        let mut reading = Reading::default();
        for (path, text) in texts.flat_map(|texts| &texts.files) {
            let mut ignored = Diagnostics::default();
            if path.ends_with(".rules") {
                let file = reading.sources.add(path.clone(), text.clone());
                let tree = parse(&reading.sources, file, &mut ignored);
                reading.file(file, &tree);
            } else if path.ends_with(".yaml") && !path.contains("scenarios/") {
                let file = reading.sources.add(path.clone(), text.clone());
                let root = parse_document(&reading.sources, file, &mut ignored);
                root.iter().for_each(|root| reading.document(root));
            }
        }
        reading.done()
    }

    /// Whether nothing but `require` asks a query, so that no game hangs on what it gives.
    pub(super) fn is_asserted(&self, query: &str) -> bool {
        self.asserted.contains(query)
    }

    /// Whether it does not matter which of two rows of a table has a value in which alone they differ: nothing tells the rows
    /// apart otherwise, and none of them is ever kept, chosen or gone through in order.
    pub(super) fn is_same_row(&self, table: &str, rows: [&str; 2]) -> bool {
        let set = self.sets.get(table);
        set.is_some_and(|set| !self.held.contains(set))
            && !self.held.contains(table)
            && rows.iter().all(|row| !self.said.contains(*row))
    }

    /// Whether two steps that follow each other come to the same in the other order: neither changes what the other names,
    /// nobody is asked, and nothing looks at the table in between.
    pub(super) fn is_independent(&self, text: &str, a: &Step, b: &Step) -> bool {
        let (Some(one), Some(other)) = (self.touch(text, a), self.touch(text, b)) else {
            return false;
        };
        !(one.random && other.random)
            && one.changes.is_disjoint(&other.names)
            && other.changes.is_disjoint(&one.names)
            && !self.is_watched(&one.changes)
            && !self.is_watched(&other.changes)
    }

    fn is_watched(&self, changes: &Names) -> bool {
        !changes.is_disjoint(&self.closure(&self.watched))
    }

    /// What a step does; none if it asks somebody or goes elsewhere, or if names do not tell.
    fn touch(&self, text: &str, step: &Step) -> Option<Touch> {
        let Body::Do(script) = &step.body else {
            return None;
        };
        if self.joined.contains(&step.name.node) {
            return None;
        }
        let calls = self.calls(script)?;
        let mut names = Names::new();
        let mut say = |span: Span| names.extend(words(text, span));
        say(script.span);
        step.when.iter().for_each(|when| say(when.span));
        match &step.over {
            Over::Once => {}
            Over::EachPlayer { from, filter, .. } => {
                // It does not matter with whom turns begin where their order does not.
                if !self.is_unordered(text, step) {
                    say(from.span);
                }
                filter.iter().for_each(|filter| say(filter.span));
            }
            Over::EachRow { domain, filter, .. } => {
                say(domain.span);
                filter.iter().for_each(|filter| say(filter.span));
            }
            Over::Cycle { .. } | Over::Repeat { .. } => return None,
        }
        let mut changes: Names = calls.changes.iter().map(|c| c.name.clone()).collect();
        // What is drawn may be filled up from elsewhere.
        let behind = changes.iter().filter_map(|name| self.behind.get(name));
        let refilled: Names = match calls.random {
            true => behind.flatten().cloned().collect(),
            false => Names::new(),
        };
        changes.extend(refilled);
        Some(Touch {
            changes,
            names: self.closure(&names),
            random: calls.random,
        })
    }

    /// The verbs of a script; none if it does something of which names do not tell what it touches.
    fn calls(&self, script: &Script) -> Option<Calls> {
        let calls = calls_of(script)?;
        calls.named.is_disjoint(&self.effects).then_some(calls)
    }

    /// Whether the turns of a step come to the same in any order: each player's changes what only that player's reads, or
    /// puts things together without looking at what is there.
    pub(super) fn is_unordered(&self, text: &str, step: &Step) -> bool {
        let (Over::EachPlayer { var, filter, .. }, Body::Do(script)) = (&step.over, &step.body)
        else {
            return false;
        };
        let Some(calls) = self.calls(script) else {
            return false;
        };
        if calls.random || calls.renames(&var.node) || self.joined.contains(&step.name.node) {
            return false;
        }
        let mut own = Names::new();
        let mut shared: BTreeMap<&str, usize> = BTreeMap::new();
        for change in &calls.changes {
            if change.is_of(&var.node) {
                own.insert(change.name.clone());
            } else if change.is_order_free(self.narrow.contains(&change.name)) {
                *shared.entry(&change.name).or_default() += 1;
            } else {
                return false;
            }
        }
        let mut said = words(text, script.span);
        said.extend(filter.iter().flat_map(|filter| words(text, filter.span)));
        // Of what everybody adds to or takes from, nothing else is said, and it is not both.
        let is_only_changed = shared.iter().all(|(name, uses)| {
            said.iter().filter(|word| word == name).count() == *uses
                && !own.contains(*name)
                && calls.one_way(name)
        });
        // What each player has is said of that player alone.
        let is_own = own.iter().all(|name| {
            calls.said_of(name, &var.node) == said.iter().filter(|word| *word == name).count()
        });
        let changed: Names = own
            .iter()
            .cloned()
            .chain(shared.keys().map(|n| (*n).to_owned()))
            .collect();
        // Nor is any of it read by way of a query.
        let others = said.iter().filter(|word| !changed.contains(*word));
        let behind = self.closure(&others.cloned().collect());
        let limits: Names = changed
            .iter()
            .filter_map(|name| self.behind.get(name))
            .flatten()
            .cloned()
            .collect();
        is_only_changed
            && is_own
            && behind.is_disjoint(&changed)
            && self.closure(&limits).is_disjoint(&changed)
            && !self.is_watched(&changed)
    }

    /// Names with all on which they rest.
    fn closure(&self, names: &Names) -> Names {
        let mut all = names.clone();
        let mut left: Vec<String> = names.iter().cloned().collect();
        while let Some(name) = left.pop() {
            for behind in self.behind.get(&name).into_iter().flatten() {
                if all.insert(behind.clone()) {
                    left.push(behind.clone());
                }
            }
        }
        all
    }
}

/// The names in a stretch of a text, without comments and citations.
fn words(text: &str, span: Span) -> Vec<String> {
    let mut words = Vec::new();
    for line in text[span.start.at()..span.end.at()].lines() {
        let line = line.split('#').next().unwrap_or_default();
        let line = line.split('@').next().unwrap_or_default();
        let parts = line.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        words.extend(parts.filter(|part| !part.is_empty()).map(str::to_owned));
    }
    words
}

/// Reads the texts of a package.
#[derive(Default)]
struct Reading {
    sources: Sources,
    uses: Uses,
    /// What `require` names.
    required: Names,
    queries: Names,
    /// The sentences of queries, of `require` and of hints in a file.
    aside: Vec<Span>,
}

impl Reading {
    fn words(&self, span: Span) -> Vec<String> {
        words(&self.sources.file(span.file).text, span)
    }

    fn file(&mut self, file: FileId, tree: &File) {
        let whole = self.sources.whole(file);
        let all = self.words(whole);
        // Rows that are gone through: `for s in ships`, `first s in ships`.
        for four in all.windows(4) {
            let [word, _, within, set] = four else {
                continue;
            };
            if matches!(word.as_str(), "for" | "first") && within == "in" {
                self.uses.held.insert(set.clone());
            }
        }
        for three in all.windows(3) {
            // `end turn`, `end captain.loading`
            if three[0] == "end" {
                self.uses.joined.extend(three[1..].iter().cloned());
            }
        }
        self.uses.said.extend(all);
        self.items(&tree.items);
        // What stands elsewhere than in a query.
        let mut from = whole.start;
        let mut aside = std::mem::take(&mut self.aside);
        aside.sort_by_key(|span| span.start);
        aside.push(Span {
            start: whole.end,
            ..whole
        });
        for span in aside {
            let between = Span {
                start: from,
                end: span.start.max(from),
                ..whole
            };
            let words = self.words(between);
            self.uses.held.extend(words);
            from = from.max(span.end);
        }
    }

    fn items(&mut self, items: &[Item]) {
        items.iter().for_each(|item| self.item(item));
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Place(place) => {
                let name = &place.name.node;
                if place.pile || place.room.is_some() {
                    self.uses.narrow.insert(name.clone());
                }
                let rests_on = place.room.iter().chain(&place.refilled);
                rests_on.for_each(|expr| self.behind(name, expr.span));
            }
            Item::Counter(counter) => {
                let name = &counter.name.node;
                if let Some(most) = &counter.most {
                    self.uses.narrow.insert(name.clone());
                    self.behind(name, most.span);
                }
            }
            Item::Query(query) => self.query(query),
            Item::Contribution(contribution) => {
                if let Some(query) = contribution.query.parts.last() {
                    self.behind(&query.node, contribution.span);
                    let when = contribution.when.iter();
                    when.for_each(|when| self.behind(&query.node, when.span));
                }
            }
            Item::Effect(effect) => {
                self.uses.effects.insert(effect.name.node.clone());
            }
            Item::Watch(watch) => self.watch(watch.condition.span),
            Item::Ending(ending) => ending.when.iter().for_each(|when| self.watch(when.span)),
            Item::Require(require) => {
                let words = self.words(require.condition.span);
                self.required.extend(words);
                self.aside.push(require.span);
            }
            Item::Phase(phase) => {
                phase.queries.iter().for_each(|query| self.query(query));
                self.items(&phase.items);
            }
            Item::Component(component) => self.items(&component.items),
            Item::Extension(extension) => self.items(&extension.items),
            Item::Insertion(insertion) => self.joined(&insertion.target),
            Item::Replacement(replacement) => {
                self.joined(&replacement.target);
                if let Replacing::Query(query) = &replacement.with {
                    // It stands for another one.
                    let words = self.words(query.span);
                    self.uses.held.extend(words);
                }
            }
            Item::Disable(disable) => self.joined(&disable.target),
            Item::Marker(_)
            | Item::Event(_)
            | Item::Record(_)
            | Item::Die(_)
            | Item::Trigger(_)
            | Item::Score(_)
            | Item::Winner(_)
            | Item::Addition(_)
            | Item::AnyTime(_) => {}
        }
    }

    fn query(&mut self, query: &Query) {
        self.aside.push(query.span);
        // Whoever plays without people looks at hints; no rule does.
        if query.hint {
            return;
        }
        let name = &query.name.node;
        self.queries.insert(name.clone());
        self.behind(name, query.span);
        for case in query.cases.iter().chain([&query.otherwise]) {
            let when = case.when.iter();
            when.chain([&case.value])
                .for_each(|expr| self.behind(name, expr.span));
        }
        for (bound, _) in query.least.iter().chain(&query.most) {
            self.behind(name, bound.span);
        }
    }

    fn behind(&mut self, name: &str, span: Span) {
        let words = self.words(span);
        let behind = self.uses.behind.entry(name.to_owned()).or_default();
        behind.extend(words.into_iter().filter(|word| word != name));
    }

    fn watch(&mut self, condition: Span) {
        let words = self.words(condition);
        self.uses.watched.extend(words);
    }

    fn joined(&mut self, target: &Path) {
        let parts = target.parts.iter();
        self.uses.joined.extend(parts.map(|part| part.node.clone()));
    }

    /// Values of tables, and what modules change in them.
    fn document(&mut self, root: &Node) {
        let name = |key| root.get(key).and_then(Node::scalar).map(str::to_owned);
        self.uses.sets.extend(name("table").zip(name("plural")));
        for row in root.get("rows").and_then(Node::pairs).unwrap_or_default() {
            for cell in row.value.pairs().unwrap_or_default() {
                if cell.key.node != "names" {
                    self.values(&cell.value);
                }
            }
        }
        for key in ["patch", "remove", "figures", "columns"] {
            root.get(key).iter().for_each(|node| self.values(node));
        }
    }

    fn values(&mut self, node: &Node) {
        self.uses.said.extend(node.scalar().map(str::to_owned));
        for pair in node.pairs().unwrap_or_default() {
            self.uses.said.insert(pair.key.node.clone());
            self.values(&pair.value);
        }
        for item in node.items().unwrap_or_default() {
            self.values(item);
        }
    }

    fn done(mut self) -> Uses {
        let asked = self.uses.closure(&self.uses.held);
        let required = self.uses.closure(&self.required);
        let asserted = self.queries.into_iter();
        let asserted = asserted.filter(|query| required.contains(query) && !asked.contains(query));
        self.uses.asserted = asserted.collect();
        self.uses
    }
}
