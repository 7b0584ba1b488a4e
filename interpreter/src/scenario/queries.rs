//! Compares what queries give with what a scenario expects of them.

use super::differ::{Differs, Findings};
use super::document::StateItem;
use super::names::{Rows, shown, sites};
use crate::diagnostic::{Code, did_you_mean};
use crate::play::{Match, Value, View};
use crate::program::model::QueryModel;
use crate::program::tree::Ty;
use crate::syntax::document::Node;

/// Compares what a query gives: `p1: {points: 3}`, or with arguments, each a level further in.
pub(super) fn check_query(
    played: &Match,
    view: &View,
    rows: &Rows<'_>,
    item: &StateItem,
    found: &mut Findings,
) {
    let name = &item.pair.key;
    let queries = &played.ruleset().model().queries;
    let under_way = |name: &str| match name.split_once('.') {
        Some((phase, _)) => view.phases.iter().any(|(id, _)| **id == *phase),
        None => true,
    };
    let Some(query) = queries.get(&name.node).filter(|_| under_way(&name.node)) else {
        let sites = sites(view);
        let names = sites.iter().map(|site| &*site.place().name);
        let queries = queries.keys().map(String::as_str).filter(|q| under_way(q));
        let message = format!(
            "no place, counter, marker or query is called `{}`",
            name.node
        );
        let failure = Code::UnknownStateName.error(name.span, message);
        let near = did_you_mean(&name.node, names.chain(queries));
        found.failures.push(failure.maybe_help(near));
        return;
    };
    let mut args = vec![Value::None; query.params.len()];
    let mut rest: Vec<usize> = (0..args.len()).collect();
    if let Some(seat) = item.seat {
        let Some(of_player) = query.params.iter().position(|ty| *ty == Ty::Player) else {
            found.failures.push(
                Code::UnknownStateName
                    .error(name.span, format!("`{}` is asked of no player", name.node))
                    .help("write it under `table:`"),
            );
            return;
        };
        args[of_player] = Value::Player(seat);
        rest.retain(|i| *i != of_player);
    }
    descend(
        played,
        query,
        rows,
        item,
        (&rest, &mut args),
        item.node(),
        found,
    );
}

/// Looks for the arguments of a query that are still to be said, each a level further in.
fn descend(
    played: &Match,
    query: &QueryModel,
    rows: &Rows<'_>,
    item: &StateItem,
    (rest, args): (&[usize], &mut Vec<Value>),
    node: &Node,
    found: &mut Findings,
) {
    let name = &item.pair.key.node;
    let failures = &mut found.failures;
    let Some((at, rest)) = rest.split_first() else {
        let model = played.ruleset().model();
        let Some(expected) = rows.whole(model, &query.ty, node, failures) else {
            return;
        };
        let index: Vec<String> = args.iter().map(shown).collect();
        let of = match index.is_empty() {
            true => name.clone(),
            false => format!("{name}({})", index.join(", ")),
        };
        match played.query(query, args) {
            Ok(actual) if actual == expected => {}
            Ok(actual) => found.differs(Differs::value(
                node.span,
                of,
                shown(&expected),
                shown(&actual),
            )),
            Err(why) => failures.push(Code::UnknownRowInScenario.error(item.pair.key.span, why)),
        }
        return;
    };
    let what = format!("`{name}` by its arguments");
    for pair in node.map(&what, failures).unwrap_or_default() {
        let key = Node::of_key(&pair.key);
        if let Some(value) = rows.value(&key, &mut found.failures) {
            args[*at] = value;
            descend(played, query, rows, item, (rest, args), &pair.value, found);
        }
    }
}
