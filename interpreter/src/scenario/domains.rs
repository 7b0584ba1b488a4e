//! All that can be chosen for an open argument, as scenarios write it.
//!
//! A bag is said by what there is to choose from and by the limits that limit something
//! (`{of: {corn: 2, sugar: 1}, least: 1, most: 2}`), a number by its bounds (`{from: 0, to: 10, by: 5}`),
//! one of some values by those (`{of: [none, corn]}`), a spread by its pieces and the room of the places
//! (`{of: {worker: 3}, over: {fields: {quarry: 1}}}`).

use super::document::StateItem;
use super::names::{Rows, Site, nested, of_player, path, resolve, shown};
use crate::diagnostic::{Code, Diagnostics};
use crate::numbers::Fit as _;
use crate::play::{Audience, Id, Match, OpenDomain, PlaceRef, RowRef, Seat};
use crate::program::model::{DomainModel, ParamModel};
use crate::source::Span;
use crate::syntax::document::{Fields, Node, Pair};

/// Whether what is written of an argument says all that can be chosen.
pub(super) fn is_domain(param: &ParamModel, node: &Node) -> bool {
    let has = |key: &str| node.get(key).is_some();
    // Numbers of pieces are numbers, whatever their rows are called.
    let of = |node: &Node| node.pairs().is_some() || node.items().is_some();
    match &param.domain {
        DomainModel::Amount { .. } => node.pairs().is_some(),
        DomainModel::Spread(_) => has("of") && has("over"),
        _ => node.get("of").is_some_and(of),
    }
}

/// Reads all that can be chosen.
pub(super) fn read_domain(
    played: &Match,
    seat: Seat,
    param: &ParamModel,
    node: &Node,
    diagnostics: &mut Diagnostics,
) -> Option<OpenDomain> {
    let ruleset = played.ruleset();
    let model = ruleset.model();
    let rows = Rows::new(ruleset.package(), ruleset.players());
    let at = node.pairs()?.first().map_or(node.span, |p| p.key.span);
    let mut fields = Fields::open(node, "all that can be chosen", at, diagnostics)?;
    let domain = match &param.domain {
        DomainModel::Amount { .. } => {
            let mut bound = |key| {
                let node = fields.require(key, diagnostics)?;
                Some(node.int("a number", diagnostics)?.node)
            };
            let (from, to) = (bound("from"), bound("to"));
            let step = fields.take("by", diagnostics);
            let step = step.map(|node| node.int_within("a step", 1, i64::MAX, diagnostics));
            let step = step.flatten().map_or(1, |step| step.node);
            OpenDomain::Amount {
                from: from?,
                to: to?,
                step,
            }
        }
        DomainModel::Bag { table, .. } => {
            let table = &model.tables[*table].name;
            let of = fields.require("of", diagnostics)?;
            let available: Vec<(Id, u32)> = rows
                .counts(table, of, diagnostics)
                .into_iter()
                .map(|(row, n)| (row, n.node))
                .collect();
            let mut limit = |key| -> Option<u32> {
                let node = fields.take(key, diagnostics)?;
                let limit = node.int_within("a number of pieces", 0, u32::MAX.into(), diagnostics);
                limit.map(|n| n.node.fit())
            };
            let (least, most) = (limit("least"), limit("most"));
            let (kinds, loose, beyond) = (limit("kinds"), limit("loose"), limit("beyond"));
            OpenDomain::Bag {
                table: table.clone(),
                available,
                size: (least.unwrap_or(0), most.unwrap_or(u32::MAX)),
                loose_beyond: loose.zip(beyond),
                kinds,
                sources: Vec::new(),
            }
        }
        DomainModel::Spread(spread) => {
            let spread = &model.spreads[*spread];
            let table = &model.tables[spread.table].name;
            let of = fields.require("of", diagnostics)?;
            let pieces = rows.counts(table, of, diagnostics).into_iter();
            let pieces = pieces.map(|(row, n)| {
                let table = table.clone();
                (RowRef { table, row }, n.node)
            });
            let pieces = pieces.collect();
            let over = fields.require("over", diagnostics)?;
            let mut rooms = Vec::new();
            each_own_place(
                played,
                seat,
                over,
                diagnostics,
                &mut |place, node, diagnostics| {
                    let room = node.int_within("room for pieces", 0, u16::MAX.into(), diagnostics);
                    rooms.extend(room.map(|n| (place.clone(), n.node.fit())));
                },
            )?;
            OpenDomain::Spread {
                pieces,
                over: rooms,
                overflow: PlaceRef {
                    name: model.places[spread.overflow_place].name.clone(),
                    index: [].into(),
                },
            }
        }
        _ => {
            let of = fields.require("of", diagnostics)?;
            let mut values = Vec::new();
            for item in of.list("values", diagnostics)? {
                values.push(rows.value(item, diagnostics)?);
            }
            OpenDomain::Values(values)
        }
    };
    fields.finish(diagnostics);
    Some(domain)
}

/// Calls `each` for every place under a name of a map; those of players are the mover's.
pub(super) fn each_own_place(
    played: &Match,
    seat: Seat,
    node: &Node,
    diagnostics: &mut Diagnostics,
    each: &mut dyn FnMut(&PlaceRef, &Node, &mut Diagnostics),
) -> Option<()> {
    let view = played.view(Audience::Referee);
    for pair in node.map("places and the pieces in them", diagnostics)? {
        let named = view.places.iter().find(|p| *p.place.name == *pair.key.node);
        let own = named.is_some_and(|p| of_player(&p.place).is_some());
        let item = StateItem {
            seat: own.then_some(seat),
            pair: Pair::clone(pair),
        };
        let mut each =
            |site: Site<'_>, node: &Node, span: Span, diagnostics: &mut Diagnostics| match site {
                Site::Place(place) => each(&place.place, node, diagnostics),
                _ => diagnostics
                    .push(Code::UnknownStateName.error(span, "pieces lie in places, not here")),
            };
        resolve(&view, &item, diagnostics, &mut each);
    }
    Some(())
}

/// All that can be chosen, as a scenario writes it.
pub(super) fn domain_line(domain: &OpenDomain) -> String {
    match simplified(domain) {
        OpenDomain::Amount { from, to, step: 1 } => format!("{{from: {from}, to: {to}}}"),
        OpenDomain::Amount { from, to, step } => format!("{{from: {from}, to: {to}, by: {step}}}"),
        OpenDomain::Values(values) => {
            let values: Vec<String> = values.iter().map(shown).collect();
            format!("{{of: [{}]}}", values.join(", "))
        }
        OpenDomain::Bag {
            available,
            size: (least, most),
            loose_beyond,
            kinds,
            ..
        } => {
            let all = sum(&available);
            let of: Vec<String> = available.iter().map(|(r, n)| format!("{r}: {n}")).collect();
            let mut parts = vec![format!("of: {{{}}}", of.join(", "))];
            let mut limit = |key: &str, n: Option<u32>| {
                parts.extend(n.map(|n| format!("{key}: {n}")));
            };
            limit("least", Some(least).filter(|least| *least > 0));
            limit("most", Some(most).filter(|most| *most < all));
            limit("kinds", kinds);
            limit("loose", loose_beyond.map(|(loose, _)| loose));
            limit("beyond", loose_beyond.map(|(_, beyond)| beyond));
            format!("{{{}}}", parts.join(", "))
        }
        OpenDomain::Spread { pieces, over, .. } => {
            let of: Vec<String> = pieces
                .iter()
                .map(|(row, n)| format!("{}: {n}", row.row))
                .collect();
            let over = over.iter().map(|(place, n)| (path(place), n.to_string()));
            let over = nested(&over.collect::<Vec<_>>());
            format!("{{of: {{{}}}, over: {over}}}", of.join(", "))
        }
    }
}

/// Whether two say the same.
pub(super) fn same_domain(one: &OpenDomain, other: &OpenDomain) -> bool {
    match (simplified(one), simplified(other)) {
        (
            OpenDomain::Spread { pieces, over, .. },
            OpenDomain::Spread {
                pieces: other,
                over: other_over,
                ..
            },
        ) => (pieces, over) == (other, other_over),
        (one, other) => one == other,
    }
}

/// The same said in one way: in a fixed order, without limits that limit nothing.
fn simplified(domain: &OpenDomain) -> OpenDomain {
    match domain.clone() {
        OpenDomain::Amount { from, to, step } => OpenDomain::Amount {
            from,
            to: to - (to - from).max(0) % step,
            step,
        },
        OpenDomain::Values(mut values) => {
            values.sort_by_key(shown);
            OpenDomain::Values(values)
        }
        OpenDomain::Bag {
            table,
            mut available,
            size: (least, most),
            loose_beyond,
            kinds,
            // A scenario says what can be chosen, and not where it lies.
            sources: _,
        } => {
            available.retain(|(_, n)| *n > 0);
            available.sort();
            let (all, different) = (sum(&available), available.len().fit::<u32>());
            OpenDomain::Bag {
                table,
                size: (least, most.min(all)),
                loose_beyond: loose_beyond
                    .filter(|(loose, beyond)| *loose < all && *beyond < different),
                kinds: kinds.filter(|kinds| *kinds < different),
                available,
                sources: Vec::new(),
            }
        }
        OpenDomain::Spread {
            mut pieces,
            mut over,
            overflow,
        } => {
            pieces.retain(|(_, n)| *n > 0);
            pieces.sort_by(|(one, _), (other, _)| one.row.cmp(&other.row));
            over.retain(|(_, room)| *room > 0);
            over.sort_by_cached_key(|(place, _)| path(place));
            OpenDomain::Spread {
                pieces,
                over,
                overflow,
            }
        }
    }
}

fn sum(available: &[(Id, u32)]) -> u32 {
    let counts = available.iter().map(|(_, n)| *n);
    counts.fold(0, u32::saturating_add)
}
