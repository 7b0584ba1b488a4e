//! Figures: the named numbers of `setup.yaml`, and cells wherever they stand.

use std::collections::BTreeMap;

use super::names::{id_of, optional_names};
use crate::diagnostic::{Code, Diagnostics};
use crate::program::package::{Cell, Datum, Figure};
use crate::source::Spanned;
use crate::syntax::document::read::Fields;
use crate::syntax::document::{Node, NodeKind};

/// Reads `setup.yaml`.
pub(super) fn read(root: &Node, diagnostics: &mut Diagnostics) -> Vec<Figure> {
    let mut figures = Vec::new();
    let at = root
        .pairs()
        .and_then(|pairs| pairs.first())
        .map_or(root.span, |pair| pair.key.span);
    let Some(mut fields) = Fields::open(root, "a set-up", at, diagnostics) else {
        return figures;
    };
    let node = fields.require("figures", diagnostics);
    fields.finish(diagnostics);
    for pair in node
        .and_then(|node| node.map("figures by their names", diagnostics))
        .unwrap_or_default()
    {
        id_of(&pair.key, "the name of a figure", diagnostics);
        if let Some(figure) = figure(&pair.key, &pair.value, diagnostics) {
            figures.push(figure);
        }
    }
    figures
}

/// Reads a figure: `12`, `{3: 2, 4: 3}`, or `{value: …, cite: …, names: …}`.
pub(super) fn figure(
    name: &Spanned<String>,
    node: &Node,
    diagnostics: &mut Diagnostics,
) -> Option<Figure> {
    let long = node
        .pairs()
        .is_some_and(|pairs| !pairs.iter().any(|pair| by_players_key(&pair.key.node)));
    let mut figure = Figure {
        name: name.clone(),
        names: Default::default(),
        value: Spanned::new(Cell::Always(Datum::Int(0)), node.span),
        cite: None,
    };
    if !long {
        figure.value = value(name, node, diagnostics)?;
        return Some(figure);
    }
    let mut fields = Fields::open(node, "a figure", name.span, diagnostics)?;
    let cell = fields
        .require("value", diagnostics)
        .and_then(|node| value(name, node, diagnostics));
    figure.cite = fields
        .take("cite", diagnostics)
        .and_then(|node| node.address("the id of a clause", diagnostics));
    figure.names = optional_names(&mut fields, diagnostics);
    fields.finish(diagnostics);
    figure.value = cell?;
    Some(figure)
}

fn value(
    name: &Spanned<String>,
    node: &Node,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<Cell>> {
    if node.kind == NodeKind::Nothing {
        crate::syntax::document::read::no_value(name, diagnostics);
        return None;
    }
    cell(node, diagnostics, |node, diagnostics| {
        node.int("a number, or numbers by number of players", diagnostics)
            .map(|n| Datum::Int(n.node))
    })
}

/// Reads a cell: one value, or a map of values by number of players.
pub(super) fn cell(
    node: &Node,
    diagnostics: &mut Diagnostics,
    read: impl Fn(&Node, &mut Diagnostics) -> Option<Datum>,
) -> Option<Spanned<Cell>> {
    let Some(pairs) = node.pairs() else {
        return read(node, diagnostics).map(|datum| Spanned::new(Cell::Always(datum), node.span));
    };
    let mut map = BTreeMap::new();
    let mut sound = true;
    for pair in pairs {
        let players = pair
            .key
            .node
            .parse::<u8>()
            .ok()
            .filter(|_| by_players_key(&pair.key.node));
        let Some(players) = players else {
            diagnostics.push(
                Code::InvalidPlayerCount.error(pair.key.span,
                    format!("`{}` is not a number of players", pair.key.node),
                )
                .help(
                    "a value that depends on the number of players is written `{3: 2, 4: 3, 5: 4}`",
                ),
            );
            sound = false;
            continue;
        };
        match read(&pair.value, diagnostics) {
            Some(datum) => {
                map.insert(players, datum);
            }
            None => sound = false,
        }
    }
    sound.then(|| Spanned::new(Cell::ByPlayers(map), node.span))
}

/// Whether a key is a number, so that its map goes by number of players.
fn by_players_key(key: &str) -> bool {
    !key.is_empty() && key.len() <= 2 && key.bytes().all(|b| b.is_ascii_digit())
}
