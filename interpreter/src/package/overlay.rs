//! Composition: lays modules over a base, one after the other.
//!
//! A layer first adds what is its own, then patches and removes what lies below it. Everything that
//! can be changed has an address, and who changed it last is remembered: a second module that
//! changes the same thing otherwise is a mistake, unless it says that it comes `after` the first.

use std::collections::BTreeMap;

use super::acceptances;
use super::cells::{CellReader, counted_node, scalar, sentence_node, text_node};
use super::clauses::ClausePatch;
use super::components::{RawColumn, RawRow, TableFile, players};
use super::figures::figure;
use super::folder::Folder;
use super::layers::{Changed, Draft, Module};
use super::layout_overlay::{ChangedLook, lay};
use super::manifest::{Patch, Removal};
use super::names::{Names, text_pair};
use super::relations::{all_after, in_order, relations};
use crate::budget::spend;
use crate::diagnostic::{Code, Diagnostics, did_you_mean};
use crate::numbers::Fit as _;
use crate::program::acceptance::Review;
use crate::program::layout::Layout;
use crate::program::package::{
    Change, Clause, Counted, Figure, Layer, OfferedModule, OptionDecl, Overruled, Package,
    Rulebook, RulesFile, SentencePair, Text,
};
use crate::source::{FileId, Span, Spanned};
use crate::syntax::document::read::one_of;
use crate::syntax::document::{Node, Pair};

/// The name under which `patch:` finds the figures of the set-up.
const FIGURES: &str = "figures";

/// Composes a base with modules.
pub(super) fn compose(
    base: Folder,
    modules: Vec<Module>,
    offered: Vec<OfferedModule>,
    diagnostics: &mut Diagnostics,
) -> Package {
    relations(&base, &modules, &offered, diagnostics);
    let modules = in_order(modules, diagnostics);
    let after = modules
        .iter()
        .map(|m| (m.id().to_owned(), all_after(m, &modules)))
        .collect();
    let mut composer = Composer::new(after, diagnostics);
    let manifest = base.manifest;
    composer.players = manifest.players;
    let ground = composer.players_so_far();
    composer.lost = base.lost_tables || modules.iter().any(|module| module.folder.lost_tables);
    composer.options(manifest.options);
    composer.documents(base.tables, base.figures, base.names);
    composer.layout(base.layout);
    let mut package = Package {
        id: manifest.id,
        version: manifest.version,
        titles: manifest.titles,
        players: ground,
        players_of_base: ground,
        modules: Vec::new(),
        offered,
        options: Vec::new(),
        tables: Vec::new(),
        figures: Vec::new(),
        names: BTreeMap::new(),
        counted: BTreeMap::new(),
        sentences: BTreeMap::new(),
        rulebook: Rulebook {
            sections: base.rulebook.sections,
            clauses: base.rulebook.clauses,
            sources: base.paragraphs.list,
            tied: base.rulebook.tied.iter().map(|tied| tied.file).collect(),
            replacing: Vec::new(),
        },
        rules: base
            .rules
            .into_iter()
            .map(|(file, tree)| RulesFile {
                file,
                module: None,
                tree,
            })
            .collect(),
        layout: None,
        layouts: Vec::new(),
        reviews: Vec::new(),
        prints: base.print.map(|print| (None, print)).into_iter().collect(),
        scenarios: base.scenarios,
        layers: Vec::new(),
        changes: Vec::new(),
        overruled: Vec::new(),
    };
    let lost = base.lost_clauses || modules.iter().any(|module| module.folder.lost_clauses);
    composer.review(base.review, None, lost, &mut package);
    for module in modules {
        let folder = module.folder;
        let id = folder.manifest.id.clone();
        let after = folder
            .manifest
            .overlay
            .follows()
            .map(|a| a.node.clone())
            .collect();
        composer.module = Some(id.node.clone());
        composer.range(folder.manifest.players);
        composer.options(folder.manifest.options);
        composer.documents(folder.tables, folder.figures, folder.names);
        composer.layout(folder.layout);
        for patch in folder.manifest.overlay.patches {
            composer.patch(patch);
        }
        for removal in folder.manifest.overlay.removals {
            composer.remove(removal);
        }
        for patch in folder.rulebook.patches {
            composer.patch_clause(&mut package.rulebook.clauses, patch);
        }
        package.rulebook.sections.extend(folder.rulebook.sections);
        package.rulebook.clauses.extend(folder.rulebook.clauses);
        let tied = folder.rulebook.tied.map(|tied| tied.file);
        package.rulebook.tied.extend(tied);
        let replacing = folder.rulebook.replacing.map(|asked| asked.file);
        package.rulebook.replacing.extend(replacing);
        if folder.paragraphs.instead {
            package.rulebook.sources.clear();
        }
        package.rulebook.sources.extend(folder.paragraphs.list);
        let print = folder.print.map(|print| (Some(id.node.clone()), print));
        package.prints.extend(print);
        package
            .rules
            .extend(folder.rules.into_iter().map(|(file, tree)| RulesFile {
                file,
                module: Some(id.node.clone()),
                tree,
            }));
        composer.review(folder.review, Some(&id.node), lost, &mut package);
        package.scenarios.extend(folder.scenarios);
        package.modules.push(id.node.clone());
        package.layers.push(Layer {
            id,
            titles: folder.manifest.titles,
            players: composer.players_so_far(),
            after,
            files: folder.files,
        });
    }
    composer.finish(&mut package);
    package
}

/// A citation that a module took away, if there was one and another took its place.
fn overruled(
    old: Option<Spanned<String>>,
    by: Option<&Spanned<String>>,
    at: Span,
) -> Option<Overruled> {
    let (clause, by) = (old?.node, by.map(|by| by.node.clone()));
    (Some(&clause) != by.as_ref()).then_some(Overruled { clause, by, at })
}

struct Composer<'d> {
    diagnostics: &'d mut Diagnostics,
    /// The layer being laid; none for the base.
    module: Option<String>,
    after: BTreeMap<String, Vec<String>>,
    players: Option<Spanned<(u8, u8)>>,
    options: Vec<OptionDecl>,
    tables: Vec<Draft>,
    figures: Vec<Figure>,
    names: BTreeMap<String, Spanned<Text>>,
    counted: BTreeMap<String, Spanned<Counted>>,
    sentences: BTreeMap<String, SentencePair>,
    layout: Option<Layout>,
    layouts: Vec<FileId>,
    changed: BTreeMap<String, Changed>,
    changes: Vec<Change>,
    /// Clauses that rows and figures cited before a module changed or removed them.
    overruled: Vec<Overruled>,
    /// Some table could not be read, so tables and rows that nobody knows are not reported.
    lost: bool,
}

impl<'d> Composer<'d> {
    fn new(after: BTreeMap<String, Vec<String>>, diagnostics: &'d mut Diagnostics) -> Self {
        Composer {
            diagnostics,
            module: None,
            after,
            players: None,
            options: Vec::new(),
            tables: Vec::new(),
            figures: Vec::new(),
            names: BTreeMap::new(),
            counted: BTreeMap::new(),
            sentences: BTreeMap::new(),
            layout: None,
            layouts: Vec::new(),
            changed: BTreeMap::new(),
            changes: Vec::new(),
            overruled: Vec::new(),
            lost: false,
        }
    }

    /// Adds a layer's own options, tables, figures and names.
    fn options(&mut self, options: Vec<OptionDecl>) {
        for option in options {
            spend(self.options.len().fit(), Some(option.id.span));
            let first = self
                .options
                .iter()
                .find(|o| o.id.node == option.id.node)
                .map(|o| o.id.span);
            match first {
                Some(first) => self.taken("option", &option.id, first),
                None => self.options.push(option),
            }
        }
    }

    fn documents(&mut self, tables: Vec<TableFile>, figures: Vec<Figure>, names: Names) {
        for table in tables {
            self.table(table);
        }
        for figure in figures {
            spend(self.figures.len().fit(), Some(figure.name.span));
            let first = self
                .figures
                .iter()
                .find(|f| f.name.node == figure.name.node)
                .map(|f| f.name.span);
            match first {
                Some(first) => self.taken("figure", &figure.name, first),
                None => self.figures.push(figure),
            }
        }
        for (address, text) in names.names {
            if let Some(was) = self.names.get(&address) {
                let (was, now) = (was.span, text.span);
                let value = text_node(&text);
                let what = format!("name of `{address}`");
                if !self.change(
                    format!("name of {address}"),
                    &what,
                    Some(was),
                    now,
                    Some(value),
                ) {
                    continue;
                }
            }
            self.names.insert(address, text);
        }
        for (address, forms) in names.counted {
            self.counted(address, forms);
        }
        for (address, sentence) in names.sentences {
            if let Some(was) = self.sentences.get(&address) {
                let (was, now) = (was.at, sentence.at);
                let what = format!("sentence of `{address}`");
                let value = sentence_node(&sentence);
                let address = format!("sentence of {address}");
                if !self.change(address, &what, Some(was), now, Some(value)) {
                    continue;
                }
            }
            self.sentences.insert(address, sentence);
        }
    }

    /// Keeps how the pieces of a row are counted. The row is one of this layer's, or of those below it.
    fn counted(&mut self, address: String, forms: Spanned<Counted>) {
        let (table, row) = address.split_once('.').unwrap_or((&address, ""));
        let rows = self.tables.iter().find(|t| t.name.node == table);
        let rows = rows.map_or(&[][..], |table| &table.rows);
        spend(rows.len().fit(), Some(forms.span));
        if !rows.iter().any(|known| known.id.node == row) {
            if !self.lost {
                let known: Vec<String> = rows
                    .iter()
                    .map(|known| format!("{table}.{}", known.id.node))
                    .collect();
                let known = known.iter().map(String::as_str);
                let help = did_you_mean(&address, known).unwrap_or_else(|| {
                    "a row is addressed by its table and its id: `good.corn`".to_owned()
                });
                let message = format!("there is no row `{address}` to be counted");
                self.diagnostics
                    .push(Code::UnknownRow.error(forms.span, message).help(help));
            }
            return;
        }
        if let Some(was) = self.counted.get(&address) {
            let (was, now) = (was.span, forms.span);
            let value = counted_node(&forms);
            let what = format!("forms of `{address}` behind a number");
            let address = format!("forms of {address}");
            if !self.change(address, &what, Some(was), now, Some(value)) {
                return;
            }
        }
        self.counted.insert(address, forms);
    }

    /// Keeps what was accepted of a layer. What it is called is looked up in this layer and those below it.
    fn review(
        &mut self,
        review: Option<Review>,
        module: Option<&String>,
        lost: bool,
        package: &mut Package,
    ) {
        let Some(mut review) = review else { return };
        review.module = module.cloned();
        acceptances::check(&review, &package.rulebook, lost, self.diagnostics);
        package.reviews.push(review);
    }

    /// Lays the layout of a layer over what there is.
    fn layout(&mut self, layer: Option<(FileId, Layout)>) {
        let Some((file, layer)) = layer else { return };
        self.layouts.push(file);
        let mut whole = self.layout.take().unwrap_or_default();
        let is_module = self.module.is_some();
        let reported = lay(&mut whole, layer, is_module, &mut |changed| {
            let ChangedLook {
                address,
                what,
                was,
                now,
                value,
            } = changed;
            self.change(address, &what, Some(was), now, Some(scalar(value, now)))
        });
        self.diagnostics.list.extend(reported);
        self.layout = Some(whole);
    }

    fn taken(&mut self, what: &str, id: &Spanned<String>, first: Span) {
        let mut diagnostic = match &self.module {
            None => Code::DuplicateId.error(
                id.span,
                format!("there are two {what}s called `{}`", id.node),
            ),
            Some(module) => Code::DuplicateAddition.error(
                id.span,
                format!("the {what} `{}` of `{module}` exists already", id.node),
            ),
        }
        .also(first, "first here");
        if self.module.is_some() {
            diagnostic = diagnostic.help(
                "to change what exists, write it under `patch:`; otherwise choose another id",
            );
        }
        self.diagnostics.push(diagnostic);
    }

    fn table(&mut self, file: TableFile) {
        let Some(index) = self
            .tables
            .iter()
            .position(|t| t.name.node == file.name.node)
        else {
            self.new_table(file);
            return;
        };
        if let Some(plural) = &file.plural {
            let first = self.tables[index].name.span;
            self.diagnostics.push(
                Code::InvalidTableHeader.error(plural.span, format!("the table `{}` exists already", file.name.node))
                    .also(first, "described here")
                    .help("remove `plural` and `names` to add columns and rows to it, or give this table another name"),
            );
        }
        if let Some(board) = file.board {
            // A table becomes a board only once.
            match &self.tables[index].board {
                Some(first) => {
                    let first = first.span;
                    let message = format!("the table `{}` is a board already", file.name.node);
                    self.diagnostics.push(
                        Code::InvalidBoard
                            .error(board.span, message)
                            .also(first, "described here")
                            .help("its new rows fill the columns that are named there"),
                    );
                }
                None => self.tables[index].board = Some(board),
            }
        }
        self.fill(index, file.columns, file.rows);
    }

    fn new_table(&mut self, file: TableFile) {
        let Some(plural) = file.plural else {
            if self.lost {
                return;
            }
            let known = self.tables.iter().map(|t| t.name.node.as_str());
            let near = did_you_mean(&file.name.node, known);
            self.diagnostics.push(
                Code::InvalidTableHeader.error(file.name.span, format!("the new table `{}` has no plural", file.name.node))
                    .note(
                        "a table without `plural` adds columns and rows to one that exists, and there is no such table",
                    )
                    .help(near.unwrap_or_else(|| "write `plural:`, the word for all its rows".to_owned())),
            );
            return;
        };
        let clash = self.tables.iter().find_map(|t| {
            [&t.name, &t.plural]
                .into_iter()
                .find(|n| n.node == plural.node || n.node == file.name.node)
        });
        if let Some(first) = clash {
            let first = first.span;
            self.taken("table", &plural, first);
        } else if plural.node == file.name.node {
            self.diagnostics.push(
                Code::InvalidTableHeader.error(plural.span, format!("`{}` is the name of the table itself", plural.node))
                    .help("the plural is another word: rules say `building` for one row and `buildings` for all"),
            );
        }
        if file.names.is_none() {
            self.diagnostics.push(
                Code::MissingKey
                    .error(
                        file.name.span,
                        "a table of components needs the key `names`",
                    )
                    .label("`names` is missing here"),
            );
        }
        self.tables.push(Draft {
            name: file.name,
            plural,
            names: file.names.unwrap_or_default(),
            board: file.board,
            columns: Vec::new(),
            rows: Vec::new(),
        });
        self.fill(self.tables.len() - 1, file.columns, file.rows);
    }

    fn fill(&mut self, index: usize, columns: Vec<RawColumn>, rows: Vec<RawRow>) {
        for column in columns {
            let known = self.tables[index].columns.len();
            spend(known.fit(), Some(column.name.span));
            let first = self.tables[index]
                .columns
                .iter()
                .find(|c| c.name.node == column.name.node);
            match first.map(|c| c.name.span) {
                Some(first) => self.taken("column", &column.name, first),
                None => self.tables[index].columns.push(column),
            }
        }
        for row in rows {
            let known = self.tables[index].rows.len();
            spend(known.fit(), Some(row.id.span));
            let first = self.tables[index]
                .rows
                .iter()
                .find(|r| r.id.node == row.id.node);
            match first.map(|r| r.id.span) {
                Some(first) => self.taken("row", &row.id, first),
                None => self.tables[index].rows.push(row),
            }
        }
    }

    /// Whether the present layer may change what is at an address; reports if it may not. `what` is
    /// the address for people.
    fn change(
        &mut self,
        address: String,
        what: &str,
        was: Option<Span>,
        now: Span,
        value: Option<Node>,
    ) -> bool {
        let Some(module) = self.module.clone() else {
            return true;
        };
        if let Some(changed) = self.changed.get(&address) {
            let agree = match (&changed.value, &value) {
                (Some(a), Some(b)) => a.says_same(b),
                (a, b) => a.is_none() && b.is_none(),
            };
            let precedes = self
                .after
                .get(&module)
                .is_some_and(|after| after.contains(&changed.module));
            if changed.module != module && !agree && !precedes {
                self.diagnostics.push(
                    Code::ConflictingChanges.error(now, format!("`{}` and `{module}` both change the {what}", changed.module))
                        .label(format!("changed by `{module}`"))
                        .also(changed.span, format!("changed by `{}`", changed.module))
                        .help(format!(
                            "if one of them is to decide, let it say `after: [{}]`; otherwise let it exclude the other",
                            changed.module
                        )),
                );
                return false;
            }
        }
        self.changes.push(Change {
            address: address.clone(),
            module: module.clone(),
            was,
            now,
            removed: value.is_none(),
        });
        self.changed.insert(
            address,
            Changed {
                module,
                span: now,
                value,
            },
        );
        true
    }

    /// Who can play what has been laid so far; anybody, if no manifest says it.
    fn players_so_far(&self) -> (u8, u8) {
        self.players.as_ref().map_or((1, u8::MAX), |p| p.node)
    }

    /// A module may say a clause of a lower layer in other words.
    fn patch_clause(&mut self, clauses: &mut [Clause], patch: ClausePatch) {
        let id = &patch.id;
        spend(clauses.len().fit(), Some(id.span));
        let Some(index) = clauses.iter().position(|c| c.id.node == id.node) else {
            let known = clauses.iter().map(|c| c.id.node.as_str());
            let near = did_you_mean(&id.node, known);
            self.diagnostics.push(
                Code::UnknownPatchTarget
                    .error(
                        id.span,
                        format!("there is no clause `{}` to patch", id.node),
                    )
                    .maybe_help(near),
            );
            return;
        };
        let clause = &mut clauses[index];
        let (address, what) = (
            format!("clause {}", id.node),
            format!("clause `{}`", id.node),
        );
        if self.change(
            address,
            &what,
            Some(clause.id.span),
            id.span,
            Some(patch.node),
        ) {
            if let Some((kind, is_enforced)) = patch.kind {
                (clause.kind, clause.is_enforced) = (kind, is_enforced);
            }
            if let Some([en, pl]) = patch.text {
                clause.words = [en.span, pl.span];
                clause.text = Text {
                    en: en.node,
                    pl: pl.node,
                };
                clause.numbers.clear();
            }
            if let Some(numbers) = patch.numbers {
                clause.numbers = numbers;
            }
            clause.replaces.extend(patch.replaces);
            clause.restricts.extend(patch.restricts);
        }
    }

    /// A module may bring its own numbers of players.
    fn range(&mut self, players: Option<Spanned<(u8, u8)>>) {
        let Some(players) = players else { return };
        let was = self.players.as_ref().map(|p| p.span);
        let (from, to) = players.node;
        let value = scalar(format!("{from} to {to}"), players.span);
        let what = "number of players";
        if self.change(what.to_owned(), what, was, players.span, Some(value)) {
            self.players = Some(players);
        }
    }

    fn patch(&mut self, patch: Patch) {
        if patch.table.node == FIGURES {
            self.patch_figure(patch);
            return;
        }
        let Some(index) = self.find_table(&patch.table) else {
            return;
        };
        let table = patch.table.node.clone();
        let Some(row) = self.find_row(index, &patch.row, "patch") else {
            return;
        };
        let Some(pairs) = patch
            .fields
            .map("new values by column", self.diagnostics)
            .map(<[Pair]>::to_vec)
        else {
            return;
        };
        for pair in pairs {
            let draft = &self.tables[index].rows[row];
            spend(draft.cells.len().fit(), Some(pair.key.span));
            let was = draft
                .cells
                .iter()
                .find(|c| c.key.node == pair.key.node)
                .map_or(draft.id.span, |c| c.value.span);
            let address = format!("{table} {} {}", patch.row.node, pair.key.node);
            let what = format!("`{}` of the {table} `{}`", pair.key.node, patch.row.node);
            if !self.change(
                address,
                &what,
                Some(was),
                pair.value.span,
                Some(pair.value.clone()),
            ) {
                continue;
            }
            let draft = &mut self.tables[index].rows[row];
            match pair.key.node.as_str() {
                "names" => {
                    if let Some(names) = text_pair(&pair.value, "a name", self.diagnostics) {
                        draft.names = names;
                    }
                }
                "players" => draft.players = players(&pair.value, self.diagnostics),
                "cite" => {
                    let cite = pair.value.address("the id of a clause", self.diagnostics);
                    let (old, by) = (draft.cite.take(), cite.as_ref());
                    self.overruled.extend(overruled(old, by, pair.key.span));
                    draft.cite = cite;
                }
                _ => match draft.cells.iter_mut().find(|c| c.key.node == pair.key.node) {
                    Some(cell) => *cell = pair,
                    None => draft.cells.push(pair),
                },
            }
        }
    }

    fn patch_figure(&mut self, patch: Patch) {
        let Some(index) = self
            .figures
            .iter()
            .position(|f| f.name.node == patch.row.node)
        else {
            let known = self.figures.iter().map(|f| f.name.node.as_str());
            let near = did_you_mean(&patch.row.node, known);
            self.diagnostics.push(
                Code::UnknownPatchTarget
                    .error(
                        patch.row.span,
                        format!("there is no figure `{}` to patch", patch.row.node),
                    )
                    .maybe_help(near),
            );
            return;
        };
        let Some(mut new) = figure(&patch.row, &patch.fields, self.diagnostics) else {
            return;
        };
        let was = self.figures[index].value.span;
        let address = format!("figure {}", patch.row.node);
        let what = format!("figure `{}`", patch.row.node);
        if self.change(
            address,
            &what,
            Some(was),
            patch.fields.span,
            Some(patch.fields.clone()),
        ) {
            let old = &mut self.figures[index];
            if new.names == Text::default() {
                new.names = std::mem::take(&mut old.names);
            }
            match &new.cite {
                Some(_) => {
                    let (old, by) = (old.cite.take(), new.cite.as_ref());
                    self.overruled.extend(overruled(old, by, patch.row.span));
                }
                None => new.cite = old.cite.take(),
            }
            // The name stays where it was first written: it is still the same figure.
            new.name = old.name.clone();
            *old = new;
        }
    }

    fn remove(&mut self, removal: Removal) {
        let Some(index) = self.find_table(&removal.table) else {
            return;
        };
        let address = format!("{} {}", removal.table.node, removal.row.node);
        // A second module may remove the row too; they agree.
        if self
            .changed
            .get(&address)
            .is_some_and(|changed| changed.value.is_none())
        {
            return;
        }
        let Some(row) = self.find_row(index, &removal.row, "remove") else {
            return;
        };
        let prefix = format!("{address} ");
        let module = self.module.clone().unwrap_or_default();
        let allowed = self.after.get(&module).cloned().unwrap_or_default();
        let patched = self
            .changed
            .range(prefix.clone()..)
            .take_while(|(key, _)| key.starts_with(&prefix))
            .find(|(_, changed)| changed.module != module && !allowed.contains(&changed.module));
        if let Some((_, changed)) = patched {
            self.diagnostics.push(
                Code::ConflictingChanges
                    .error(
                        removal.row.span,
                        format!(
                            "`{module}` removes the {} `{}`, which `{}` changes",
                            removal.table.node, removal.row.node, changed.module
                        ),
                    )
                    .label(format!("removed by `{module}`"))
                    .also(changed.span, format!("changed by `{}`", changed.module))
                    .help(format!(
                        "if it is to be removed all the same, let `{module}` say `after: [{}]`",
                        changed.module
                    )),
            );
            return;
        }
        let was = self.tables[index].rows[row].id.span;
        self.change(address, "", Some(was), removal.row.span, None);
        let removed = self.tables[index].rows.remove(row);
        self.overruled
            .extend(overruled(removed.cite, None, removal.row.span));
    }

    fn find_table(&mut self, name: &Spanned<String>) -> Option<usize> {
        let found = self.tables.iter().position(|t| t.name.node == name.node);
        if found.is_none() && !self.lost {
            let known = || {
                self.tables
                    .iter()
                    .map(|t| t.name.node.as_str())
                    .chain([FIGURES])
            };
            let plural = self.tables.iter().find(|t| t.plural.node == name.node);
            let help = match plural {
                Some(table) => format!("did you mean `{}`?", table.name.node),
                None => did_you_mean(&name.node, known())
                    .unwrap_or_else(|| one_of("the tables are", known())),
            };
            self.diagnostics.push(
                Code::UnknownPatchTarget
                    .error(name.span, format!("there is no table `{}`", name.node))
                    .help(help),
            );
        }
        found
    }

    fn find_row(&mut self, table: usize, id: &Spanned<String>, done: &str) -> Option<usize> {
        let draft = &self.tables[table];
        spend(draft.rows.len().fit(), Some(id.span));
        let found = draft.rows.iter().position(|r| r.id.node == id.node);
        if found.is_none() && !self.lost {
            let table = &draft.name.node;
            let gone = self
                .changed
                .get(&format!("{table} {}", id.node))
                .filter(|c| c.value.is_none());
            let diagnostic = match gone {
                Some(changed) => Code::UnknownPatchTarget
                    .error(
                        id.span,
                        format!("there is no {table} `{}` left to {done}", id.node),
                    )
                    .also(
                        changed.span,
                        format!("removed here by `{}`", changed.module),
                    ),
                None => {
                    let known = draft.rows.iter().map(|r| r.id.node.as_str());
                    Code::UnknownPatchTarget
                        .error(
                            id.span,
                            format!("there is no {table} `{}` to {done}", id.node),
                        )
                        .maybe_help(did_you_mean(&id.node, known))
                }
            };
            self.diagnostics.push(diagnostic);
        }
        found
    }

    /// Reads the cells, now that every column is known.
    fn finish(mut self, package: &mut Package) {
        let drafts = std::mem::take(&mut self.tables);
        let reader = CellReader {
            drafts: &drafts,
            changed: &self.changed,
            lost: self.lost,
        };
        package.tables = drafts
            .iter()
            .map(|draft| reader.table(draft, self.diagnostics))
            .collect();
        package.players = self.players_so_far();
        package.options = self.options;
        package.figures = self.figures;
        package.names = self.names;
        package.counted = self.counted;
        package.sentences = self.sentences;
        package.layout = self.layout;
        package.layouts = self.layouts;
        package.changes = self.changes;
        package.overruled = self.overruled;
    }
}
