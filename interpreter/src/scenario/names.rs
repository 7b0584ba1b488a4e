//! Finds what a scenario speaks of: places, counters and markers by name and index, rows and players.
//!
//! A name is followed by its index values, each a level further in (`hold: {ship_6: {corn: 3}}`);
//! under a player (`p1: {stock: …}`) the first index of type player is that player.

use super::document::StateItem;
use crate::diagnostic::{Code, Diagnostics, did_you_mean};
use crate::numbers::Fit as _;
use crate::play::{Id, PlaceRef, PlaceView, Seat, Value, View};
use crate::program::model::Model;
use crate::program::package::Package;
use crate::program::tree::Ty;
use crate::source::{Span, Spanned};
use crate::syntax::document::read::{is_int, one_of};
use crate::syntax::document::{Node, NodeKind, Pair};

/// A place, counter or marker of a view, or what a phase keeps.
#[derive(Clone, Copy, Debug)]
pub(super) enum Site<'v> {
    /// A place.
    Place(&'v PlaceView),
    /// A counter and its value, unless it is hidden.
    Counter(&'v PlaceRef, Option<i64>),
    /// A marker and what it points at, unless it is hidden.
    Marker(&'v PlaceRef, Option<&'v Value>),
    /// What a phase under way keeps, unless it is hidden.
    Kept(&'v PlaceRef, Option<&'v Value>),
}

impl<'v> Site<'v> {
    /// Which.
    pub(super) fn place(&self) -> &'v PlaceRef {
        match self {
            Site::Place(view) => &view.place,
            Site::Counter(place, _) | Site::Marker(place, _) | Site::Kept(place, _) => place,
        }
    }
}

/// Everything that a view shows by name.
pub(super) fn sites(view: &View) -> Vec<Site<'_>> {
    let places = view.places.iter().map(Site::Place);
    let counters = view
        .counters
        .iter()
        .map(|(place, value)| Site::Counter(place, *value));
    let markers = view
        .markers
        .iter()
        .map(|(place, value)| Site::Marker(place, value.as_ref()));
    let kept = view
        .kept
        .iter()
        .map(|(place, value)| Site::Kept(place, value.as_ref()));
    places.chain(counters).chain(markers).chain(kept).collect()
}

/// Calls `each` for every site that an item speaks of, with what is said of it and where it is named.
pub(super) fn resolve<'v>(
    view: &'v View,
    item: &StateItem,
    diagnostics: &mut Diagnostics,
    each: &mut dyn FnMut(Site<'v>, &Node, Span, &mut Diagnostics),
) {
    let all = sites(view);
    let name = &item.pair.key;
    let mut found: Vec<Site<'v>> = all
        .iter()
        .copied()
        .filter(|site| *site.place().name == *name.node)
        .collect();
    if found.is_empty() {
        let names = all.iter().map(|site| &*site.place().name);
        diagnostics.push(
            Code::UnknownStateName
                .error(
                    name.span,
                    format!("no place, counter or marker is called `{}`", name.node),
                )
                .maybe_help(did_you_mean(&name.node, names)),
        );
        return;
    }
    let mut rest: Vec<usize> = (0..found[0].place().index.len()).collect();
    if let Some(seat) = item.seat {
        let Some(of_player) = of_player(found[0].place()) else {
            diagnostics.push(
                Code::UnknownStateName
                    .error(name.span, format!("`{}` belongs to no player", name.node))
                    .help("write it under `table:`"),
            );
            return;
        };
        rest.retain(|i| *i != of_player);
        found.retain(|site| site.place().index[of_player] == Value::Player(seat));
    }
    descend(&found, &rest, item.node(), name.span, diagnostics, each);
}

fn descend<'v>(
    found: &[Site<'v>],
    rest: &[usize],
    node: &Node,
    span: Span,
    diagnostics: &mut Diagnostics,
    each: &mut dyn FnMut(Site<'v>, &Node, Span, &mut Diagnostics),
) {
    let Some((&index, rest)) = rest.split_first() else {
        if node.kind == NodeKind::Nothing {
            diagnostics.push(Code::WrongNodeKind.error(span, "nothing is said of this"));
        } else if let [site] = found {
            each(*site, node, span, diagnostics);
        }
        return;
    };
    let name = &found[0].place().name;
    let keys: Vec<String> = found
        .iter()
        .map(|site| shown(&site.place().index[index]))
        .collect();
    let what = format!("`{name}` by {}", kind(&found[0].place().index[index]));
    for pair in node.map(&what, diagnostics).unwrap_or_default() {
        let here: Vec<Site<'v>> = found
            .iter()
            .copied()
            .filter(|site| shown(&site.place().index[index]) == pair.key.node)
            .collect();
        if here.is_empty() {
            let mut keys: Vec<&str> = keys.iter().map(String::as_str).collect();
            keys.dedup();
            diagnostics.push(
                Code::UnknownRowInScenario
                    .error(
                        pair.key.span,
                        format!("there is no `{name}` of `{}`", pair.key.node),
                    )
                    .help(
                        did_you_mean(&pair.key.node, keys.iter().copied())
                            .unwrap_or_else(|| one_of("there is", keys)),
                    ),
            );
            continue;
        }
        descend(&here, rest, &pair.value, pair.key.span, diagnostics, each);
    }
}

fn kind(value: &Value) -> String {
    match value {
        Value::Row { table, .. } => format!("the ids of a `{table}`"),
        Value::Player(_) => "players".to_owned(),
        _ => "index".to_owned(),
    }
}

/// A value as a scenario writes it.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::Int(number) => number.to_string(),
        Value::Bool(truth) => truth.to_string(),
        Value::Row { row, .. } => row.to_string(),
        Value::Player(seat) => seat_name(*seat),
        Value::None => "none".to_owned(),
        Value::Bag { counts, .. } => {
            let counts: Vec<_> = counts
                .iter()
                .map(|(row, n)| format!("{row}: {n}"))
                .collect();
            format!("{{{}}}", counts.join(", "))
        }
        Value::Record { parts, .. } => {
            let parts = parts.iter().filter(|(_, value)| !is_nothing(value));
            let parts: Vec<_> = parts
                .map(|(name, value)| format!("{name}: {}", shown(value)))
                .collect();
            format!("{{{}}}", parts.join(", "))
        }
        Value::Hidden { .. } => "hidden".to_owned(),
        Value::Spread(shares) => {
            let shares = shares.iter().map(|share| {
                let mut path = path(&share.place);
                path.push(share.row.row.to_string());
                (path, share.count.to_string())
            });
            nested(&shares.collect::<Vec<_>>())
        }
    }
}

/// The names under which a scenario writes a place: its own, then its index values, without the player
/// under whom it stands.
pub(super) fn path(place: &PlaceRef) -> Vec<String> {
    let of_player = of_player(place);
    let index = place.index.iter().enumerate();
    let index = index.filter(|(i, _)| Some(*i) != of_player);
    let index = index.map(|(_, value)| shown(value));
    std::iter::once(place.name.to_string())
        .chain(index)
        .collect()
}

/// Which index value is the player under whom a scenario writes a place.
pub(super) fn of_player(place: &PlaceRef) -> Option<usize> {
    let mut index = place.index.iter();
    index.position(|value| matches!(value, Value::Player(_)))
}

/// What is said under names, each level further in: `{fields: {quarry: 1, corn: 2}}`.
pub(super) fn nested(items: &[(Vec<String>, String)]) -> String {
    fn under(items: &[(&[String], &str)]) -> String {
        let mut parts: Vec<String> = Vec::new();
        let mut rest = items;
        while let Some((name, _)) = rest.first().and_then(|(path, _)| path.split_first()) {
            let same = rest
                .iter()
                .take_while(|(path, _)| path.first() == Some(name));
            let (here, others) = rest.split_at(same.count());
            rest = others;
            let below: Vec<_> = here
                .iter()
                .map(|(path, said)| (&path[1..], *said))
                .collect();
            parts.push(match below[..] {
                [([], said)] => format!("{name}: {said}"),
                _ => format!("{name}: {}", under(&below)),
            });
        }
        format!("{{{}}}", parts.join(", "))
    }
    let mut items: Vec<(&[String], &str)> = items
        .iter()
        .map(|(path, said)| (&path[..], &said[..]))
        .collect();
    items.sort();
    under(&items)
}

/// What a part of a record is that is left out; `None` of a row or player, which must be said.
fn nothing(model: &Model, ty: &Ty) -> Option<Value> {
    Some(match ty {
        Ty::Int => Value::Int(0),
        Ty::Bool => Value::Bool(false),
        Ty::Option(_) => Value::None,
        Ty::Bag(table) => Value::Bag {
            table: model.tables[*table].name.clone(),
            counts: Vec::new(),
        },
        Ty::Record(record) => {
            let record = &model.records[*record];
            let mut parts = Vec::new();
            for (name, ty) in &record.parts {
                parts.push((name.clone(), nothing(model, ty)?));
            }
            Value::Record {
                record: record.name.clone(),
                parts,
            }
        }
        _ => return None,
    })
}

/// Whether a part of a record may be left out.
pub(super) fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Int(0) | Value::Bool(false) | Value::None => true,
        Value::Bag { counts, .. } => counts.is_empty(),
        _ => false,
    }
}

/// `p1`
pub(crate) fn seat_name(seat: Seat) -> String {
    format!("p{}", u32::from(seat.0) + 1)
}

/// `p1 and p2`, `nobody`
pub(super) fn seat_names(seats: &[Seat]) -> String {
    match seats {
        [] => "nobody".to_owned(),
        seats => seats
            .iter()
            .map(|seat| seat_name(*seat))
            .collect::<Vec<_>>()
            .join(" and "),
    }
}

/// `staff(p1, wharf)`
pub(super) fn place_name(place: &PlaceRef) -> String {
    match &place.index[..] {
        [] => place.name.to_string(),
        index => format!(
            "{}({})",
            place.name,
            index.iter().map(shown).collect::<Vec<_>>().join(", ")
        ),
    }
}

/// The rows of a package by id; ids are unique in all tables.
pub(super) struct Rows<'p> {
    package: &'p Package,
    players: u8,
}

impl<'p> Rows<'p> {
    /// Rows and players of a table with so many players.
    pub(super) fn new(package: &'p Package, players: u8) -> Self {
        Rows { package, players }
    }

    /// Reads a row of a table, which need not be in play.
    pub(super) fn row(
        &self,
        table: &str,
        id: &Spanned<String>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Id> {
        let rows = || {
            let tables = self.package.tables.iter().filter(|t| t.name.node == table);
            tables
                .flat_map(|t| t.rows.iter())
                .map(|row| row.id.node.as_str())
        };
        if rows().any(|row| row == id.node) {
            return Some(Id::from(id.node.as_str()));
        }
        diagnostics.push(
            Code::UnknownRowInScenario
                .error(id.span, format!("there is no {table} `{}`", id.node))
                .help(
                    did_you_mean(&id.node, rows()).unwrap_or_else(|| one_of("there are", rows())),
                ),
        );
        None
    }

    /// Reads counts by row: `{corn: 2, sugar: 6}`.
    pub(super) fn counts(
        &self,
        table: &str,
        node: &Node,
        diagnostics: &mut Diagnostics,
    ) -> Vec<(Id, Spanned<u32>)> {
        let what = format!("numbers by the ids of a `{table}`");
        let mut counts = Vec::new();
        for Pair { key, value } in node.map(&what, diagnostics).unwrap_or_default() {
            let row = self.row(table, key, diagnostics);
            let count = value.int_within("a number of pieces", 0, i64::from(u16::MAX), diagnostics);
            counts.extend(row.zip(count.map(|n| Spanned::new(n.node.fit(), n.span))));
        }
        counts
    }

    /// Numbers by row, and beside them that of all pieces: `{size: 7, corn: 2}`. A row that is called `size`
    /// is itself.
    pub(super) fn without_size(&self, table: &str, node: &Node) -> (Node, Option<Node>) {
        let tables = self.package.tables.iter().filter(|t| t.name.node == table);
        let mut rows = tables.flat_map(|t| t.rows.iter());
        let size = match rows.any(|row| row.id.node == "size") {
            true => None,
            false => node.get("size").cloned(),
        };
        let mut node = node.clone();
        if let (NodeKind::Map(pairs), Some(_)) = (&mut node.kind, &size) {
            pairs.retain(|pair| pair.key.node != "size");
        }
        (node, size)
    }

    /// Reads rows in order: `[corn, corn, sugar]`.
    pub(super) fn order(
        &self,
        table: &str,
        node: &Node,
        diagnostics: &mut Diagnostics,
    ) -> Option<Vec<Id>> {
        let items = node.list(&format!("ids of a `{table}`, from the top"), diagnostics)?;
        let mut rows = Vec::new();
        for item in items {
            let id = item.text(&format!("a {table}"), diagnostics)?;
            rows.push(self.row(table, &id, diagnostics)?);
        }
        Some(rows)
    }

    /// Reads a value of a type, which may hold several things; parts of a record that are left out are
    /// nothing.
    pub(super) fn whole(
        &self,
        model: &Model,
        ty: &Ty,
        node: &Node,
        diagnostics: &mut Diagnostics,
    ) -> Option<Value> {
        match ty {
            Ty::Bag(table) => {
                let table = &model.tables[*table].name;
                let counts = self.counts(table, node, diagnostics).into_iter();
                let counts = counts.filter(|(_, n)| n.node > 0);
                Some(Value::Bag {
                    table: table.clone(),
                    counts: counts.map(|(row, n)| (row, n.node)).collect(),
                })
            }
            Ty::Record(record) => {
                let record = &model.records[*record];
                let what = format!("parts of a `{}`", record.name);
                let mut given: Vec<&Pair> = node.map(&what, diagnostics)?.iter().collect();
                let mut parts = Vec::new();
                for (name, ty) in &record.parts {
                    let at = given.iter().position(|pair| *pair.key.node == **name);
                    let value = match at {
                        Some(at) => self.whole(model, ty, &given.remove(at).value, diagnostics)?,
                        None => nothing(model, ty)?,
                    };
                    parts.push((name.clone(), value));
                }
                if let Some(unknown) = given.first() {
                    let names = || record.parts.iter().map(|(name, _)| &**name);
                    let help = did_you_mean(&unknown.key.node, names())
                        .unwrap_or_else(|| one_of("its parts are", names()));
                    diagnostics.push(
                        Code::UnknownMoveInScenario
                            .error(
                                unknown.key.span,
                                format!("`{}` has no part `{}`", record.name, unknown.key.node),
                            )
                            .help(help),
                    );
                    return None;
                }
                Some(Value::Record {
                    record: record.name.clone(),
                    parts,
                })
            }
            Ty::Option(inner) if node.plain() != Some("none") => {
                self.whole(model, inner, node, diagnostics)
            }
            _ => self.value(node, diagnostics),
        }
    }

    /// Reads a single value by the way it looks: a number, a truth value, a player, a row, `none`.
    pub(super) fn value(&self, node: &Node, diagnostics: &mut Diagnostics) -> Option<Value> {
        match node.plain() {
            Some("true") => return Some(Value::Bool(true)),
            Some("false") => return Some(Value::Bool(false)),
            Some("none") => return Some(Value::None),
            Some(text) if is_int(text) => {
                return node
                    .int("a number", diagnostics)
                    .map(|n| Value::Int(n.node));
            }
            _ => {}
        }
        let text = node.text("a value", diagnostics)?;
        let number = text
            .node
            .strip_prefix('p')
            .and_then(|n| n.parse::<u8>().ok());
        if let Some(number) = number.filter(|n| (1..=self.players).contains(n)) {
            return Some(Value::Player(Seat(number - 1)));
        }
        for table in &self.package.tables {
            if table.rows.iter().any(|row| row.id.node == text.node) {
                return Some(Value::Row {
                    table: Id::from(table.name.node.as_str()),
                    row: Id::from(text.node.as_str()),
                });
            }
        }
        let rows = self
            .package
            .tables
            .iter()
            .flat_map(|t| t.rows.iter())
            .map(|row| row.id.node.as_str());
        diagnostics.push(
            Code::UnknownRowInScenario
                .error(
                    text.span,
                    format!("`{}` is neither a component nor a player", text.node),
                )
                .maybe_help(did_you_mean(&text.node, rows)),
        );
        None
    }
}
