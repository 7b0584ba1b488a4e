//! Where the things of a table belong: what its layout says, and what it leaves out.
//!
//! In: a package and its model. Out: sections of the common table and of the mats, in the order of the layout's areas. What
//! the layout neither shows nor sets aside comes last; without a layout that is everything, in the order of declarations.

use std::collections::BTreeSet;

use interpreter::package::{Package, Text};
use interpreter::program::ids::TableId;
use interpreter::program::layout::{Area, Part};
use interpreter::program::model::{Model, Sight};
use interpreter::program::tree::Ty;

use super::cells::cells;

/// Things that stand together.
#[derive(Debug)]
pub(super) struct Section<'p> {
    /// What stands above them.
    pub(super) title: Title<'p>,
    /// Them.
    pub(super) entries: Vec<Entry<'p>>,
}

/// What stands above a section.
#[derive(Clone, Copy, Debug)]
pub(super) enum Title<'p> {
    /// Nothing.
    None,
    /// The title of an area.
    Area(&'p Text),
    /// That the layout says nothing of what follows.
    Rest,
}

/// A place, a counter or a marker, and how it is shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown<'p> {
    /// Its name.
    pub(super) name: &'p str,
    /// The column by which its pieces are ordered.
    pub(super) order: Option<&'p str>,
    /// The column by which they stand in groups.
    pub(super) group: Option<&'p str>,
    /// Whether it is named although nothing lies there.
    pub(super) also_empty: bool,
}

impl<'p> Shown<'p> {
    fn plain(name: &'p str) -> Shown<'p> {
        Shown {
            name,
            order: None,
            group: None,
            also_empty: false,
        }
    }
}

/// A thing of a section.
#[derive(Debug)]
pub(super) enum Entry<'p> {
    /// A place, a counter or a marker.
    Thing(Shown<'p>),
    /// A board.
    Board {
        /// The table of its cells.
        table: TableId,
        /// What lies on them.
        things: Vec<&'p str>,
    },
    /// A track.
    Track {
        /// The counters that stand on it.
        counters: Vec<&'p str>,
        /// Its first step and its last.
        ends: (i64, i64),
    },
}

/// Everything that is shown.
#[derive(Debug)]
pub(super) struct Arrangement<'p> {
    /// In the middle.
    pub(super) table: Vec<Section<'p>>,
    /// Before each seat.
    pub(super) mat: Vec<Section<'p>>,
}

/// A place, counter or marker as it is declared.
struct Declared<'p> {
    name: &'p str,
    index: &'p [(Ty, u32)],
    points_at: Option<&'p Ty>,
    is_owned: bool,
}

impl<'p> Arrangement<'p> {
    /// What a package shows where.
    pub(super) fn of(package: &'p Package, model: &'p Model) -> Arrangement<'p> {
        let declared = declared(model);
        let mut arranging = Arranging {
            package,
            model,
            left: declared.iter().map(|thing| thing.name).collect(),
            declared,
        };
        let mut arrangement = Arrangement {
            table: Vec::new(),
            mat: Vec::new(),
        };
        if let Some(layout) = &package.layout {
            let named = [&layout.table, &layout.mat]
                .into_iter()
                .flat_map(Area::names);
            for name in named.chain(&layout.aside) {
                arranging.left.remove(name.node.as_str());
            }
            arranging.area(&layout.table, false, &mut arrangement.table);
            arranging.area(&layout.mat, true, &mut arrangement.mat);
        }
        let has_layout = package.layout.is_some();
        // What stands for itself is read first: whose turn it is, who has begun.
        let is_first = |thing: &Declared<'_>| {
            thing.points_at.is_some() && thing.index.is_empty() && has_layout
        };
        let rest = |is_owned: bool, first: bool| {
            let left = arranging.declared.iter();
            let left = left.filter(|thing| thing.is_owned == is_owned && is_first(thing) == first);
            let left = left.filter(|thing| arranging.left.contains(thing.name));
            Section {
                title: match has_layout && !first {
                    true => Title::Rest,
                    false => Title::None,
                },
                entries: left
                    .map(|thing| Entry::Thing(Shown::plain(thing.name)))
                    .collect(),
            }
        };
        arrangement.table.insert(0, rest(false, true));
        arrangement.table.push(rest(false, false));
        arrangement.mat.push(rest(true, false));
        arrangement
    }
}

/// What is declared: markers first, as they are read first; of what players have, counters.
fn declared(model: &Model) -> Vec<Declared<'_>> {
    let is_owned = |index: &[(Ty, u32)]| index.iter().any(|(ty, _)| *ty == Ty::Player);
    let markers = model.markers.iter().map(|marker| Declared {
        name: &marker.name,
        index: &marker.index,
        points_at: Some(&marker.ty),
        is_owned: is_owned(&marker.index),
    });
    let counters = model.counters.iter().map(|counter| Declared {
        name: &counter.name,
        index: &counter.index,
        points_at: None,
        is_owned: is_owned(&counter.index),
    });
    let places = model.places.iter().map(|place| Declared {
        name: &place.name,
        index: &place.index,
        points_at: None,
        is_owned: is_owned(&place.index),
    });
    let (own_markers, markers): (Vec<_>, Vec<_>) = markers.partition(|marker| marker.is_owned);
    let all = markers.into_iter().chain(counters);
    all.chain(own_markers).chain(places).collect()
}

struct Arranging<'p> {
    package: &'p Package,
    model: &'p Model,
    declared: Vec<Declared<'p>>,
    /// What is neither shown nor set aside so far.
    left: BTreeSet<&'p str>,
}

impl<'p> Arranging<'p> {
    /// An area with a title begins a section; the others go on with the one before.
    fn area(&mut self, area: &'p Area, is_mat: bool, sections: &mut Vec<Section<'p>>) {
        let titles = (area.titles != Text::default()).then_some(&area.titles);
        if titles.is_some() || sections.is_empty() {
            sections.push(Section {
                title: titles.map_or(Title::None, Title::Area),
                entries: Vec::new(),
            });
        }
        for part in &area.shows {
            let entry = match part {
                Part::Area(within) => {
                    self.area(within, is_mat, sections);
                    continue;
                }
                Part::Thing(thing) => Entry::Thing(Shown {
                    name: &thing.name.node,
                    order: thing.order.as_ref().map(|column| column.node.as_str()),
                    group: thing.group.as_ref().map(|column| column.node.as_str()),
                    also_empty: !thing.hide_empty,
                }),
                Part::Board(board) => {
                    let mut tables = self.model.tables.iter_enumerated();
                    let found = tables.find(|(_, table)| *table.name == *board.table.node);
                    let Some((table, _)) = found else {
                        continue;
                    };
                    let things: Vec<&str> = match board.shows.is_empty() {
                        true => self.lying(table, is_mat),
                        false => board.shows.iter().map(|name| name.node.as_str()).collect(),
                    };
                    Entry::Board { table, things }
                }
                Part::Track(track) => Entry::Track {
                    counters: track.shows.iter().map(|name| name.node.as_str()).collect(),
                    ends: (track.from, track.to),
                },
            };
            if let Some(section) = sections.last_mut() {
                section.entries.push(entry);
            }
        }
    }

    /// What has a cell of a board among its indices, or points at one, and is shown nowhere else.
    fn lying(&mut self, table: TableId, is_mat: bool) -> Vec<&'p str> {
        let cells = cells(self.package, self.model, table);
        let tables = cells.map_or_else(|| vec![table], |cells| cells.tables);
        let of = |ty: &Ty| match ty {
            Ty::Row(of) => tables.contains(of),
            Ty::Option(inner) => matches!(**inner, Ty::Row(of) if tables.contains(&of)),
            _ => false,
        };
        let mut found = Vec::new();
        let markers = self.model.markers.iter();
        // Pieces of these tables lie on the cells, each where a marker says.
        let laid: BTreeSet<TableId> = markers
            .filter(|marker| of(&marker.ty))
            .filter_map(|marker| match &marker.index[..] {
                [(Ty::Row(pieces), _)] => Some(*pieces),
                _ => None,
            })
            .collect();
        for thing in &self.declared {
            let lies = thing.index.iter().any(|(ty, _)| of(ty));
            // Where pieces lie is said of all of them at once, whoever has them.
            let points = thing.points_at.is_some_and(of);
            let is_here = thing.is_owned == is_mat || (is_mat && points);
            let places = self.model.places.iter().filter(|p| *p.name == *thing.name);
            let is_laid = places
                .into_iter()
                .any(|p| laid.contains(&p.table) && p.faces == Sight::Everybody);
            if (lies || points || is_laid) && is_here && self.left.remove(thing.name) {
                found.push(thing.name);
            }
        }
        found
    }
}
