//! Looks up every name of a layout: `table.yaml`.
//!
//! In: a composed package and the declarations of its model. Out: what is wrong: names that nothing has, things that are
//! shown twice, things on the wrong side of the table. A layout that is right needs no further word: it is read as it is
//! written. It is looked at when nothing else is wrong, because a declaration with a mistake is known to nobody.

use std::collections::BTreeMap;

use crate::budget::spend;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, did_you_mean};
use crate::numbers::Fit as _;
use crate::program::ids::TableId;
use crate::program::layout::{Area, BoardPart, Layout, Part, Thing, Track};
use crate::program::model::Model;
use crate::program::package::{Package, Table};
use crate::program::tree::Ty;
use crate::source::{Span, Spanned};
use crate::syntax::document::read::one_of;

/// Reports what is wrong with the layout of a package, if it has one.
pub(super) fn check(package: &Package, model: &Model, diagnostics: &mut Diagnostics) {
    let Some(layout) = &package.layout else {
        return;
    };
    let mut looking = Looking {
        package,
        known: declared(model),
        model,
        shown: BTreeMap::new(),
        boards: BTreeMap::new(),
        reported: Vec::new(),
    };
    looking.area(&layout.table, Side::Table);
    looking.area(&layout.mat, Side::Mat);
    for name in &layout.aside {
        if looking.find(name).is_some() {
            looking.show_once(name);
        }
    }
    looking.looks(layout);
    diagnostics.list.extend(looking.reported);
}

/// What can be shown.
struct Declared<'m> {
    kind: &'static str,
    index: &'m [(Ty, u32)],
    /// The table of the pieces of a place.
    pieces: Option<TableId>,
    /// What a marker points at.
    points_at: Option<&'m Ty>,
}

fn declared(model: &Model) -> BTreeMap<&str, Declared<'_>> {
    let mut known = BTreeMap::new();
    for place in &model.places {
        let declared = Declared {
            kind: "place",
            index: &place.index,
            pieces: Some(place.table),
            points_at: None,
        };
        known.insert(&*place.name, declared);
    }
    for counter in &model.counters {
        let declared = Declared {
            kind: "counter",
            index: &counter.index,
            pieces: None,
            points_at: None,
        };
        known.insert(&*counter.name, declared);
    }
    for marker in &model.markers {
        let declared = Declared {
            kind: "marker",
            index: &marker.index,
            pieces: None,
            points_at: Some(&marker.ty),
        };
        known.insert(&*marker.name, declared);
    }
    known
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Table,
    Mat,
}

struct Looking<'p> {
    package: &'p Package,
    model: &'p Model,
    known: BTreeMap<&'p str, Declared<'p>>,
    /// Where each thing is shown, or set aside.
    shown: BTreeMap<String, Span>,
    /// Where each board is shown: once in the middle and once on the mat.
    boards: BTreeMap<(String, bool), Span>,
    reported: Vec<Diagnostic>,
}

impl<'p> Looking<'p> {
    fn area(&mut self, area: &Area, side: Side) {
        for part in &area.shows {
            match part {
                Part::Area(area) => self.area(area, side),
                Part::Thing(thing) => self.thing(thing, side),
                Part::Board(board) => self.board(board, side),
                Part::Track(track) => self.track(track, side),
            }
        }
    }

    fn thing(&mut self, thing: &Thing, side: Side) {
        if self.find(&thing.name).is_none() {
            return;
        }
        self.show_once(&thing.name);
        self.on_side(&thing.name, side);
        let pieces = self
            .known
            .get(thing.name.node.as_str())
            .and_then(|known| known.pieces);
        for column in [&thing.order, &thing.group].into_iter().flatten() {
            let Some(table) = pieces else {
                self.reported.push(
                    Code::MisplacedInLayout
                        .error(column.span, "only the pieces of a place have columns")
                        .help("remove the line"),
                );
                continue;
            };
            let name = &self.model.tables[table].name;
            let table = self.package.tables.iter().find(|t| *t.name.node == **name);
            self.column(table, column);
        }
    }

    fn board(&mut self, board: &BoardPart, side: Side) {
        let name = &board.table;
        let Some(table) = self.table(name) else {
            return;
        };
        let key = (name.node.clone(), side == Side::Mat);
        if let Some(first) = self.boards.insert(key, name.span) {
            self.reported.push(
                Code::RepeatedInLayout
                    .error(
                        name.span,
                        format!("the board of `{}` is shown twice", name.node),
                    )
                    .also(first, "the first time"),
            );
        }
        for thing in &board.shows {
            if self.find(thing).is_none() {
                continue;
            }
            self.show_once(thing);
            let Some(known) = self.known.get(thing.node.as_str()) else {
                continue;
            };
            let row = |ty: &Ty| match ty {
                Ty::Row(of) => Some(*of),
                Ty::Option(inner) => match **inner {
                    Ty::Row(of) => Some(of),
                    _ => None,
                },
                _ => None,
            };
            let of = |ty: &Ty| row(ty).is_some_and(|of| *self.model.tables[of].name == *table);
            let points = known.points_at.is_some_and(of);
            let lies = points || known.index.iter().any(|(ty, _)| of(ty));
            // Where every seat stands on a board that all share.
            let stands = points && matches!(known.index, [(Ty::Player, _)]);
            let kind = known.kind;
            if !(stands && side == Side::Table) {
                self.on_side(thing, side);
            }
            if !lies {
                self.reported.push(
                    Code::MisplacedInLayout
                        .error(
                            thing.span,
                            format!("the {kind} `{}` lies on no {table}", thing.node),
                        )
                        .note(format!(
                            "a board shows what has a {table} among its indices, and markers that point at one"
                        )),
                );
            }
        }
    }

    /// All share a track: counters of every seat stand on it, too.
    fn track(&mut self, track: &Track, side: Side) {
        for name in &track.shows {
            if self.find(name).is_none() {
                continue;
            }
            self.show_once(name);
            let Some(known) = self.known.get(name.node.as_str()) else {
                continue;
            };
            let stands = matches!(known.index, [] | [(Ty::Player, _)]);
            let (what, help) = match known.kind == "counter" {
                _ if side == Side::Mat => (
                    "a track belongs to all".to_owned(),
                    "write it under `table:`, with the counters of every seat",
                ),
                true if stands => continue,
                true => (
                    format!("of the counter `{}` there are several", name.node),
                    "a track shows counters without an index, and those of each player",
                ),
                false => (
                    format!("the {} `{}` is no counter", known.kind, name.node),
                    "a track shows counters; where a marker stands, the board of its table shows",
                ),
            };
            let wrong = Code::MisplacedInLayout.error(name.span, what);
            self.reported.push(wrong.help(help));
        }
    }

    /// What has this name.
    fn find(&mut self, name: &Spanned<String>) -> Option<()> {
        spend(1, Some(name.span));
        if self.known.contains_key(name.node.as_str()) {
            return Some(());
        }
        let kept = self.model.kept(&name.node).is_some();
        let mut unknown = Code::UnknownInLayout.error(
            name.span,
            format!("no place, counter or marker is called `{}`", name.node),
        );
        if kept {
            unknown = unknown.help("what a phase keeps is shown by itself while the phase lasts");
        } else {
            unknown = unknown.maybe_help(did_you_mean(&name.node, self.known.keys().copied()));
        }
        self.reported.push(unknown);
        None
    }

    fn show_once(&mut self, name: &Spanned<String>) {
        let Some(first) = self.shown.insert(name.node.clone(), name.span) else {
            return;
        };
        self.reported.push(
            Code::RepeatedInLayout
                .error(name.span, format!("`{}` stands here twice", name.node))
                .also(first, "the first time")
                .help("a thing is shown in one place, or set aside"),
        );
    }

    /// What is a player's own lies on the mat, everything else on the table.
    fn on_side(&mut self, name: &Spanned<String>, side: Side) {
        let Some(known) = self.known.get(name.node.as_str()) else {
            return;
        };
        let owned = known.index.iter().any(|(ty, _)| *ty == Ty::Player);
        if owned == (side == Side::Mat) {
            return;
        }
        let kind = known.kind;
        let (is, help) = match owned {
            true => ("each player's own", "write it under `mat:`"),
            false => ("nobody's own", "write it under `table:`"),
        };
        self.reported.push(
            Code::MisplacedInLayout
                .error(name.span, format!("the {kind} `{}` is {is}", name.node))
                .help(help),
        );
    }

    fn table(&mut self, name: &Spanned<String>) -> Option<String> {
        let mut tables = self.package.tables.iter();
        if tables.any(|table| table.name.node == name.node) {
            return Some(name.node.clone());
        }
        let plural = self.package.tables.iter();
        let plural = plural.clone().find(|t| t.plural.node == name.node);
        let known = self.package.tables.iter().map(|t| t.name.node.as_str());
        let help = match plural {
            Some(table) => Some(format!("did you mean `{}`?", table.name.node)),
            None => did_you_mean(&name.node, known),
        };
        self.reported.push(
            Code::UnknownInLayout
                .error(name.span, format!("no table is called `{}`", name.node))
                .maybe_help(help),
        );
        None
    }

    fn column(&mut self, table: Option<&Table>, column: &Spanned<String>) {
        let Some(table) = table else { return };
        let known = || table.columns.iter().map(|c| c.name.node.as_str());
        if known().any(|name| name == column.node) {
            return;
        }
        let help = did_you_mean(&column.node, known())
            .unwrap_or_else(|| one_of("its columns are", known()));
        self.reported.push(
            Code::UnknownInLayout
                .error(
                    column.span,
                    format!(
                        "the table `{}` has no column `{}`",
                        table.name.node, column.node
                    ),
                )
                .help(help),
        );
    }

    fn looks(&mut self, layout: &Layout) {
        let package = self.package;
        for look in &layout.looks {
            if self.table(&look.table).is_none() {
                continue;
            }
            let mut tables = package.tables.iter();
            let table = tables.find(|table| table.name.node == look.table.node);
            for column in look.printed.iter().flatten() {
                self.column(table, column);
            }
            let Some(table) = table else { continue };
            for (row, _) in &look.rows {
                spend(table.rows.len().fit(), Some(row.span));
                if table.rows.iter().any(|known| known.id.node == row.node) {
                    continue;
                }
                // What a module has taken out of the game, nobody draws.
                let address = format!("{} {}", table.name.node, row.node);
                let mut changes = package.changes.iter();
                if changes.any(|change| change.removed && change.address == address) {
                    continue;
                }
                let known = table.rows.iter().map(|row| row.id.node.as_str());
                self.reported.push(
                    Code::UnknownInLayout
                        .error(
                            row.span,
                            format!("there is no {} `{}`", table.name.node, row.node),
                        )
                        .maybe_help(did_you_mean(&row.node, known)),
                );
            }
        }
    }
}
