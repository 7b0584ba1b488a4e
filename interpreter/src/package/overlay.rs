//! Composition: lays modules over a base, one after the other.
//!
//! A layer first adds what is its own, then patches and removes what lies below it. Everything that
//! can be changed has an address, and who changed it last is remembered: a second module that
//! changes the same thing otherwise is a mistake, unless it says that it comes `after` the first.

use std::collections::{BTreeMap, BTreeSet};

use super::clauses::ClausePatch;
use super::components::{RawColumn, RawRow, TableFile, players};
use super::figures::{cell, figure};
use super::folder::Folder;
use super::manifest::{Patch, Removal};
use super::names::text_pair;
use super::{
    Cell, Change, Clause, Column, ColumnType, Datum, Figure, Layer, OfferedModule, OptionDecl,
    Package, Row, Rulebook, RulesFile, Table, Text,
};
use crate::diagnostic::{Diagnostic, Diagnostics, did_you_mean, similar};
use crate::source::{Span, Spanned};
use crate::syntax::document::read::{one_of, unknown_key};
use crate::syntax::document::{Node, NodeKind, Pair, Scalar};

/// The name under which `patch:` finds the figures of the set-up.
const FIGURES: &str = "figures";

/// A module that was read.
pub(super) struct Module {
    pub(super) folder: Folder,
}

impl Module {
    fn id(&self) -> &str {
        &self.folder.manifest.id.node
    }
}

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
        rulebook: Rulebook {
            sections: base.rulebook.sections,
            clauses: base.rulebook.clauses,
            sources: base.paragraphs.list,
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
        scenarios: base.scenarios,
        layers: Vec::new(),
        changes: Vec::new(),
        overruled: BTreeSet::new(),
    };
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
        if folder.paragraphs.instead {
            package.rulebook.sources.clear();
        }
        package.rulebook.sources.extend(folder.paragraphs.list);
        package
            .rules
            .extend(folder.rules.into_iter().map(|(file, tree)| RulesFile {
                file,
                module: Some(id.node.clone()),
                tree,
            }));
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

/// What to do about a module that is required and was not chosen.
fn required(id: &str, offered: &[OfferedModule]) -> String {
    let mut known = offered.iter().map(|module| module.id.as_str());
    if known.any(|known| known == id) {
        return format!("choose `{id}` too");
    }
    let known = || offered.iter().map(|module| module.id.as_str());
    did_you_mean(id, known())
        .unwrap_or_else(|| one_of("there is none of this name; there are", known()))
}

/// Checks what modules say of their base and of one another.
fn relations(
    base: &Folder,
    modules: &[Module],
    offered: &[OfferedModule],
    diagnostics: &mut Diagnostics,
) {
    let base_id = &base.manifest.id;
    for module in modules {
        let overlay = &module.folder.manifest.overlay;
        if let Some(extends) = overlay.extends.as_ref().filter(|e| e.node != base_id.node) {
            diagnostics.push(
                Diagnostic::error(
                    402,
                    extends.span,
                    format!(
                        "`{}` extends `{}`, not `{}`",
                        module.id(),
                        extends.node,
                        base_id.node
                    ),
                )
                .also(base_id.span, "laid over this ruleset"),
            );
        }
        for needed in overlay.requires.iter().chain(&overlay.joins) {
            if !modules.iter().any(|other| other.id() == needed.node) {
                diagnostics.push(
                    Diagnostic::error(
                        403,
                        needed.span,
                        format!("`{}` requires `{}`", module.id(), needed.node),
                    )
                    .label("not among the modules chosen")
                    .help(required(&needed.node, offered)),
                );
            }
        }
        let peace = overlay
            .unless
            .iter()
            .any(|id| modules.iter().any(|other| other.id() == id.node));
        for excluded in overlay.excludes.iter().filter(|_| !peace) {
            if excluded.node != module.id()
                && modules.iter().any(|other| other.id() == excluded.node)
            {
                diagnostics.push(
                    Diagnostic::error(
                        404,
                        excluded.span,
                        format!(
                            "`{}` cannot be played together with `{}`",
                            module.id(),
                            excluded.node
                        ),
                    )
                    .help("leave one of them out"),
                );
            }
        }
    }
}

/// Modules so that each comes after those it names, otherwise in the order in which they were chosen.
fn in_order(mut rest: Vec<Module>, diagnostics: &mut Diagnostics) -> Vec<Module> {
    let mut ordered: Vec<Module> = Vec::new();
    while !rest.is_empty() {
        let ready = rest.iter().position(|module| {
            let overlay = &module.folder.manifest.overlay;
            !overlay
                .follows()
                .any(|a| a.node != module.id() && rest.iter().any(|other| other.id() == a.node))
        });
        let next = ready.unwrap_or_else(|| {
            let ids: Vec<_> = rest.iter().map(|m| format!("`{}`", m.id())).collect();
            let mut diagnostic = Diagnostic::without_place(
                408,
                format!("{} come after one another in a circle", ids.join(" and ")),
            );
            for module in &rest {
                for after in module.folder.manifest.overlay.follows() {
                    diagnostic = diagnostic.also(
                        after.span,
                        format!("`{}` comes after `{}`", module.id(), after.node),
                    );
                }
            }
            diagnostics.push(diagnostic.help("remove one of these lines"));
            0
        });
        ordered.push(rest.remove(next));
    }
    ordered
}

/// Ids of the modules that a module comes after, directly or through others.
fn all_after(module: &Module, modules: &[Module]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut open: Vec<&Module> = vec![module];
    while let Some(next) = open.pop() {
        for after in next.folder.manifest.overlay.follows() {
            if !found.contains(&after.node) {
                found.push(after.node.clone());
                open.extend(modules.iter().filter(|m| m.id() == after.node));
            }
        }
    }
    found
}

/// A table while layers are laid.
struct Draft {
    name: Spanned<String>,
    plural: Spanned<String>,
    names: Text,
    columns: Vec<RawColumn>,
    rows: Vec<RawRow>,
}

/// Who changed something last.
struct Changed {
    module: String,
    span: Span,
    /// What it says now; none: it was removed.
    value: Option<Node>,
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
    changed: BTreeMap<String, Changed>,
    changes: Vec<Change>,
    /// Clauses that rows and figures cited before a module changed or removed them.
    overruled: BTreeSet<String>,
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
            changed: BTreeMap::new(),
            changes: Vec::new(),
            overruled: BTreeSet::new(),
            lost: false,
        }
    }

    /// Adds a layer's own options, tables, figures and names.
    fn options(&mut self, options: Vec<OptionDecl>) {
        for option in options {
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

    fn documents(
        &mut self,
        tables: Vec<TableFile>,
        figures: Vec<Figure>,
        names: BTreeMap<String, Spanned<Text>>,
    ) {
        for table in tables {
            self.table(table);
        }
        for figure in figures {
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
        for (address, text) in names {
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
    }

    fn taken(&mut self, what: &str, id: &Spanned<String>, first: Span) {
        let mut diagnostic = match &self.module {
            None => Diagnostic::error(
                327,
                id.span,
                format!("there are two {what}s called `{}`", id.node),
            ),
            Some(module) => Diagnostic::error(
                407,
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
                Diagnostic::error(337, plural.span, format!("the table `{}` exists already", file.name.node))
                    .also(first, "described here")
                    .help("remove `plural` and `names` to add columns and rows to it, or give this table another name"),
            );
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
                Diagnostic::error(337, file.name.span, format!("the new table `{}` has no plural", file.name.node))
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
                Diagnostic::error(337, plural.span, format!("`{}` is the name of the table itself", plural.node))
                    .help("the plural is another word: rules say `building` for one row and `buildings` for all"),
            );
        }
        if file.names.is_none() {
            self.diagnostics.push(
                Diagnostic::error(
                    310,
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
            columns: Vec::new(),
            rows: Vec::new(),
        });
        self.fill(self.tables.len() - 1, file.columns, file.rows);
    }

    fn fill(&mut self, index: usize, columns: Vec<RawColumn>, rows: Vec<RawRow>) {
        for column in columns {
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
                    Diagnostic::error(405, now, format!("`{}` and `{module}` both change the {what}", changed.module))
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
        let Some(index) = clauses.iter().position(|c| c.id.node == id.node) else {
            let known = clauses.iter().map(|c| c.id.node.as_str());
            let near = did_you_mean(&id.node, known);
            self.diagnostics.push(
                Diagnostic::error(
                    406,
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
            clause.kind = patch.kind.unwrap_or(clause.kind);
            if let Some(text) = patch.text {
                clause.text = text;
            }
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
                    self.overruled
                        .extend(draft.cite.take().map(|cite| cite.node));
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
                Diagnostic::error(
                    406,
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
                Some(_) => self.overruled.extend(old.cite.take().map(|cite| cite.node)),
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
                Diagnostic::error(
                    405,
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
        self.overruled.extend(removed.cite.map(|cite| cite.node));
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
                Diagnostic::error(406, name.span, format!("there is no table `{}`", name.node))
                    .help(help),
            );
        }
        found
    }

    fn find_row(&mut self, table: usize, id: &Spanned<String>, done: &str) -> Option<usize> {
        let draft = &self.tables[table];
        let found = draft.rows.iter().position(|r| r.id.node == id.node);
        if found.is_none() && !self.lost {
            let table = &draft.name.node;
            let gone = self
                .changed
                .get(&format!("{table} {}", id.node))
                .filter(|c| c.value.is_none());
            let diagnostic = match gone {
                Some(changed) => Diagnostic::error(
                    406,
                    id.span,
                    format!("there is no {table} `{}` left to {done}", id.node),
                )
                .also(
                    changed.span,
                    format!("removed here by `{}`", changed.module),
                ),
                None => {
                    let known = draft.rows.iter().map(|r| r.id.node.as_str());
                    Diagnostic::error(
                        406,
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
        package.changes = self.changes;
        package.overruled = self.overruled;
    }
}

fn scalar(text: String, span: Span) -> Node {
    Node {
        kind: NodeKind::Scalar(Scalar { text, quoted: true }),
        span,
    }
}

fn text_node(text: &Spanned<Text>) -> Node {
    scalar(format!("{}\n{}", text.node.en, text.node.pl), text.span)
}

/// Turns cells as written into typed ones.
struct CellReader<'a> {
    drafts: &'a [Draft],
    changed: &'a BTreeMap<String, Changed>,
    lost: bool,
}

impl CellReader<'_> {
    fn table(&self, draft: &Draft, diagnostics: &mut Diagnostics) -> Table {
        let mut columns = Vec::new();
        for column in &draft.columns {
            columns.push(TypedColumn {
                column,
                ty: self.column_type(column, diagnostics),
                lacking: Vec::new(),
            });
        }
        let rows = draft
            .rows
            .iter()
            .map(|row| self.row(draft, row, &mut columns, diagnostics))
            .collect();
        for column in &columns {
            column.report_lacking(draft, diagnostics);
        }
        let columns = columns.iter().map(|column| Column {
            name: column.column.name.clone(),
            // A type that could not be read has been reported; the package will not be played.
            ty: column.ty.clone().unwrap_or(ColumnType::Int),
            names: column.column.names.clone(),
        });
        Table {
            name: draft.name.clone(),
            plural: draft.plural.clone(),
            names: draft.names.clone(),
            columns: columns.collect(),
            rows,
        }
    }

    /// The type of a column, if it is one.
    fn column_type(&self, column: &RawColumn, diagnostics: &mut Diagnostics) -> Option<ColumnType> {
        let ty = column.ty.as_ref()?;
        let ColumnType::Row(table, _) = &ty.node else {
            return Some(ty.node.clone());
        };
        if self.drafts.iter().any(|draft| draft.name.node == *table) {
            return Some(ty.node.clone());
        }
        if !self.lost {
            let names = self
                .drafts
                .iter()
                .map(|draft| draft.name.node.as_str())
                .chain(["int", "bool"]);
            let near = match self.drafts.iter().find(|draft| draft.plural.node == *table) {
                Some(draft) => Some(format!("did you mean `{}`?", draft.name.node)),
                None if table == "integer" || table == "number" => Some("write `int`".to_owned()),
                None if table == "boolean" => Some("write `bool`".to_owned()),
                None => did_you_mean(table, names),
            };
            diagnostics.push(
                Diagnostic::error(334, ty.span, format!("there is no type or table `{table}`"))
                    .maybe_help(near),
            );
        }
        None
    }

    fn row<'c>(
        &self,
        draft: &'c Draft,
        row: &'c RawRow,
        columns: &mut [TypedColumn<'c>],
        diagnostics: &mut Diagnostics,
    ) -> Row {
        let mut unknown: Vec<&Pair> = row.cells.iter().collect();
        unknown.retain(|pair| {
            !draft
                .columns
                .iter()
                .any(|column| column.name.node == pair.key.node)
        });
        let mut cells = Vec::new();
        for column in columns {
            let name = &column.column.name.node;
            let written = row.cells.iter().find(|pair| pair.key.node == *name);
            let node = written
                .map(|pair| &pair.value)
                .or(column.column.default.as_ref());
            let nothing = Spanned::new(Cell::Always(Datum::None), row.id.span);
            cells.push(match (node, &column.ty) {
                (Some(node), Some(ty)) => self.cell(node, ty, diagnostics).unwrap_or(nothing),
                (None, Some(ColumnType::Bool)) => {
                    Spanned::new(Cell::Always(Datum::Bool(false)), row.id.span)
                }
                (None, Some(ColumnType::Row(_, true))) | (_, None) => nothing,
                (None, Some(_)) => {
                    // A misspelt column is reported as such below, with the right one.
                    let misspelt = similar(name, unknown.iter().map(|pair| pair.key.node.as_str()));
                    if !row.broken && misspelt.is_none() {
                        column.lacking.push(row);
                    }
                    nothing
                }
            });
        }
        for pair in unknown {
            let keys = draft
                .columns
                .iter()
                .map(|c| c.name.node.as_str())
                .chain(super::components::ROW_KEYS);
            unknown_key(
                &pair.key,
                &format!("a row of `{}`", draft.name.node),
                keys,
                diagnostics,
            );
        }
        Row {
            id: row.id.clone(),
            names: row.names.clone(),
            players: row.players.clone(),
            cite: row.cite.clone(),
            cells,
        }
    }

    fn cell(
        &self,
        node: &Node,
        ty: &ColumnType,
        diagnostics: &mut Diagnostics,
    ) -> Option<Spanned<Cell>> {
        if node.kind == NodeKind::Nothing {
            diagnostics.push(Diagnostic::error(
                311,
                node.span,
                "this column has no value",
            ));
            return None;
        }
        cell(node, diagnostics, |node, diagnostics| match ty {
            ColumnType::Int => node
                .int("a number", diagnostics)
                .map(|n| Datum::Int(n.node)),
            ColumnType::Bool => node
                .bool("a truth value", diagnostics)
                .map(|b| Datum::Bool(b.node)),
            ColumnType::Row(table, option) => self.reference(node, table, *option, diagnostics),
        })
    }

    fn reference(
        &self,
        node: &Node,
        table: &str,
        option: bool,
        diagnostics: &mut Diagnostics,
    ) -> Option<Datum> {
        let text = node.text(&format!("a {table}"), diagnostics)?;
        if text.node == "none" && option {
            return Some(Datum::None);
        }
        let draft = self.drafts.iter().find(|draft| draft.name.node == table)?;
        if draft.rows.iter().any(|row| row.id.node == text.node) {
            return Some(Datum::Row(text.node));
        }
        if self.lost {
            return None;
        }
        let mut diagnostic = Diagnostic::error(
            332,
            text.span,
            format!("there is no {table} `{}`", text.node),
        );
        diagnostic = match self
            .changed
            .get(&format!("{table} {}", text.node))
            .filter(|c| c.value.is_none())
        {
            Some(removed) => diagnostic.also(
                removed.span,
                format!("removed here by `{}`", removed.module),
            ),
            None if text.node == "none" => diagnostic.help(format!(
                "a column that may be empty has the type `option {table}`"
            )),
            None => {
                let rows = || draft.rows.iter().map(|row| row.id.node.as_str());
                let help =
                    did_you_mean(&text.node, rows()).unwrap_or_else(|| one_of("there are", rows()));
                diagnostic.help(help)
            }
        };
        diagnostics.push(diagnostic);
        None
    }
}

/// A column while its cells are read.
struct TypedColumn<'a> {
    column: &'a RawColumn,
    /// None: unknown, and reported.
    ty: Option<ColumnType>,
    /// Rows without a value.
    lacking: Vec<&'a RawRow>,
}

impl TypedColumn<'_> {
    /// Reports rows without a value: each at its place, or, when another file adds the column, all
    /// at once where the column is added.
    fn report_lacking(&self, draft: &Draft, diagnostics: &mut Diagnostics) {
        let name = &self.column.name;
        let kind = match &self.ty {
            Some(ColumnType::Row(table, _)) => table.as_str(),
            _ => "int",
        };
        let (here, elsewhere): (Vec<&RawRow>, Vec<&RawRow>) = self
            .lacking
            .iter()
            .copied()
            .partition(|row| row.id.span.file >= name.span.file);
        for row in here {
            diagnostics.push(
                Diagnostic::error(
                    329,
                    row.id.span,
                    format!(
                        "the {} `{}` has no `{}`",
                        draft.name.node, row.id.node, name.node
                    ),
                )
                .also(name.span, format!("every row has one, of type `{kind}`")),
            );
        }
        if let Some(first) = elsewhere.first() {
            let ids = one_of("for", elsewhere.iter().map(|row| row.id.node.as_str()));
            diagnostics.push(
                Diagnostic::error(
                    329,
                    name.span,
                    format!("the new column `{}` has no value {ids}", name.node),
                )
                .also(first.id.span, "a row that lacks one")
                .help("give the column a `default`, or every row a value under `patch:`"),
            );
        }
    }
}
