//! Moves and events as scenarios write them.

use super::document::Written;
use super::domains::{each_own_place, is_domain, read_domain};
use super::names::{Rows, is_nothing, shown};
use crate::diagnostic::{Code, Diagnostics, did_you_mean};
use crate::play::{Id, Match, Move, Offer, OpenDomain, RowRef, Seat, Share, Value};
use crate::program::model::{DomainModel, MoveId, MoveModel, ParamModel};
use crate::syntax::document::read::one_of;
use crate::syntax::document::{Node, Pair};

/// A move as an expectation says it.
pub(super) struct Pattern<'m> {
    /// What the rules say of it.
    pub(super) model: &'m MoveModel,
    /// Its name, and the arguments of which a value is said.
    pub(super) mv: Move,
    /// Open arguments of which is said all that can be chosen.
    pub(super) domains: Vec<(Id, OpenDomain)>,
    /// In how many ways it can be made, if that is said; `None` is too many to count.
    pub(super) ways: Option<Option<u128>>,
}

/// Turns what is written into a move; arguments that are left out stay left out.
pub(super) fn read(
    played: &Match,
    seat: Seat,
    written: &Written,
    diagnostics: &mut Diagnostics,
) -> Option<Move> {
    let model = model(played, seat, written)?;
    let args: Vec<&Pair> = written.args.iter().collect();
    read_as(played, seat, model, written, &args, diagnostics)
}

/// Turns what is written into a move, also one that the rules do not have.
pub(super) fn read_anyhow(played: &Match, seat: Seat, written: &Written) -> Move {
    let ruleset = played.ruleset();
    let rows = Rows::new(ruleset.package(), ruleset.players());
    let model = model(played, seat, written);
    let args = written.args.iter().map(|pair| {
        let mut params = model.iter().flat_map(|model| &model.params);
        let param = params.find(|param| *param.name == *pair.key.node);
        let mut wrong = Diagnostics::default();
        let known = match param {
            Some(param) => argument(played, seat, &rows, param, pair, &mut wrong),
            None => rows.value(&pair.value, &mut wrong),
        };
        // What can be read in part only is no more what was written.
        let known = known.filter(|_| !wrong.has_errors());
        let value = known.unwrap_or_else(|| Value::Row {
            table: Id::from(""),
            row: Id::from(pair.value.scalar().unwrap_or_default()),
        });
        (Id::from(pair.key.node.as_str()), value)
    });
    Move {
        name: Id::from(written.name.node.as_str()),
        args: args.collect(),
    }
}

/// Whether a move that was made has everything that another says.
pub(super) fn contains(made: &Move, said: &Move) -> bool {
    let has = |(name, value): &(Id, Value)| {
        let given = made.args.iter().find(|(given, _)| given == name);
        given.map_or_else(|| is_nothing(value), |(_, given)| given == value)
    };
    made.name == said.name && said.args.iter().all(has)
}

/// Turns what is written into what it says of moves.
pub(super) fn pattern<'m>(
    played: &'m Match,
    seat: Seat,
    written: &Written,
    diagnostics: &mut Diagnostics,
) -> Option<Pattern<'m>> {
    let model = model(played, seat, written)?;
    let mut domains = Vec::new();
    let mut values = Vec::new();
    for pair in &written.args {
        let param = param(model, written, pair, diagnostics)?;
        match is_domain(param, &pair.value) {
            true => domains.push((
                param.name.clone(),
                read_domain(played, seat, param, &pair.value, diagnostics)?,
            )),
            false => values.push(pair),
        }
    }
    Some(Pattern {
        model,
        mv: read_as(played, seat, model, written, &values, diagnostics)?,
        domains,
        ways: written.ways.as_ref().map(|ways| ways.node),
    })
}

fn read_as(
    played: &Match,
    seat: Seat,
    model: &MoveModel,
    written: &Written,
    given: &[&Pair],
    diagnostics: &mut Diagnostics,
) -> Option<Move> {
    let ruleset = played.ruleset();
    let rows = Rows::new(ruleset.package(), ruleset.players());
    let mut args = Vec::new();
    for pair in given {
        let param = param(model, written, pair, diagnostics)?;
        args.push((
            param.name.clone(),
            argument(played, seat, &rows, param, pair, diagnostics)?,
        ));
    }
    // In the order of the parameters, whatever the order in which they are written.
    args.sort_by_key(|(name, _)| model.params.iter().position(|p| p.name == *name));
    Some(Move {
        name: model.name.clone(),
        args,
    })
}

/// The parameter of a move that an argument is for.
fn param<'m>(
    model: &'m MoveModel,
    written: &Written,
    pair: &Pair,
    diagnostics: &mut Diagnostics,
) -> Option<&'m ParamModel> {
    let found = model.params.iter().find(|p| *p.name == *pair.key.node);
    if found.is_none() {
        let known = || model.params.iter().map(|p| &*p.name);
        let help =
            did_you_mean(&pair.key.node, known()).unwrap_or_else(|| one_of("it takes", known()));
        let message = format!(
            "the move `{}` has no parameter `{}`",
            written.name.node, pair.key.node
        );
        diagnostics.push(
            Code::UnknownMoveInScenario
                .error(pair.key.span, message)
                .help(help),
        );
    }
    found
}

/// The move of this name in the question that waits, or, so that a move can also be refused where
/// it is not offered at all, anywhere: first one that takes all arguments that are given. Names that no move
/// has are reported before a scenario is played.
fn model<'m>(played: &'m Match, seat: Seat, written: &Written) -> Option<&'m MoveModel> {
    let model = played.ruleset().model();
    let named = |number: &MoveId| *model.moves[*number].name == *written.name.node;
    let step = played.question(seat).map(|question| question.step);
    let asked = model
        .asks
        .iter()
        .filter(|ask| Some(&ask.step) == step.as_ref());
    let here = asked.flat_map(|ask| &ask.moves).copied().find(named);
    let takes = |number: &MoveId| {
        let params = &model.moves[*number].params;
        let mut given = written.args.iter();
        given.all(|pair| params.iter().any(|param| *param.name == *pair.key.node))
    };
    let anywhere = || model.moves.ids().filter(named);
    let found = here
        .or_else(|| anywhere().find(takes))
        .or_else(|| anywhere().next());
    found.map(|number| &model.moves[number])
}

fn argument(
    played: &Match,
    seat: Seat,
    rows: &Rows<'_>,
    param: &ParamModel,
    pair: &Pair,
    diagnostics: &mut Diagnostics,
) -> Option<Value> {
    let model = played.ruleset().model();
    match &param.domain {
        DomainModel::Spread(spread) => {
            let spread = &model.spreads[*spread];
            let table = &model.tables[spread.table].name;
            let mut shares = shares(played, seat, rows, table, &pair.value, diagnostics)?;
            // What is left over goes there by itself; a scenario may say so.
            let overflow = &model.places[spread.overflow_place].name;
            shares.retain(|share| share.place.name != *overflow);
            Some(Value::Spread(shares))
        }
        _ => rows.whole(model, &param.ty, &pair.value, diagnostics),
    }
}

/// Reads a spread: `{fields: {corn_plantation: {worker: 2}}}`, places of the mover.
fn shares(
    played: &Match,
    seat: Seat,
    rows: &Rows<'_>,
    table: &Id,
    node: &Node,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<Share>> {
    let mut shares = Vec::new();
    each_own_place(
        played,
        seat,
        node,
        diagnostics,
        &mut |place, node, diagnostics| {
            for (row, count) in rows.counts(table, node, diagnostics) {
                shares.push(Share {
                    place: place.clone(),
                    row: RowRef {
                        table: table.clone(),
                        row,
                    },
                    count: count.node,
                });
            }
        },
    )?;
    Some(shares)
}

/// Whether an offer is of a move: of its name, with its arguments as far as the move gives them.
pub(super) fn matches(offer: &Offer, mv: &Move) -> bool {
    offer.name == mv.name
        && offer.fixed.iter().all(|(name, value)| {
            mv.args
                .iter()
                .find(|(given, _)| given == name)
                .is_none_or(|(_, given)| given == value)
        })
        && mv.args.iter().all(|(name, value)| {
            let open = offer.open.iter().any(|open| open.name == *name);
            let absent = matches!(value, Value::Bool(false) | Value::None);
            // A parameter that is not offered now has the value that stands for leaving it out.
            open || offer.fixed.iter().any(|(fixed, _)| fixed == name) || absent
        })
}

/// A move as a scenario writes it.
pub(crate) fn written(mv: &Move) -> String {
    with_args(
        &mv.name,
        mv.args.iter().map(|(name, value)| (name, shown(value))),
    )
}

/// An offer as a scenario writes it; open arguments are `…`.
pub(super) fn offered(offer: &Offer) -> String {
    let fixed = offer.fixed.iter().map(|(name, value)| (name, shown(value)));
    with_args(
        &offer.name,
        fixed.chain(offer.open.iter().map(|open| (&open.name, "…".to_owned()))),
    )
}

/// An event as a scenario writes it.
pub(super) fn event(name: &Id, args: &[(Id, Value)]) -> String {
    with_args(name, args.iter().map(|(name, value)| (name, shown(value))))
}

fn with_args<'a>(name: &Id, args: impl Iterator<Item = (&'a Id, String)>) -> String {
    let args: Vec<_> = args
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    match args.is_empty() {
        true => name.to_string(),
        false => format!("{name}: {{{}}}", args.join(", ")),
    }
}
