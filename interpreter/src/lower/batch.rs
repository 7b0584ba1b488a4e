//! Functions that evaluate a query for all places of a spread in one run.
//!
//! How many pieces a place holds is a query of the place's number. Counting how pieces can be spread asks
//! it of all places, one after the other, and each answer is a few instructions: one function that gives all of
//! them costs less than to begin so many.

use super::query_plan::{Plan, is_plain};
use crate::analysis::rewrite::{each_mut, renumber};
use crate::numbers::Fit as _;
use crate::program::model::{FuncId, Model};
use crate::program::tree::{Ex, Function, Kind, Local, St};

/// For queries of a place's number, the last parameter: functions with the other parameters, which leave what the
/// query gives for each place in the registers behind them.
pub(super) fn together(model: &Model, plan: &Plan) -> Vec<(FuncId, Function)> {
    let mut all: Vec<(FuncId, Function)> = Vec::new();
    for target in model.spreads.iter().flat_map(|spread| &spread.targets) {
        let Some(room) = target.room else {
            continue;
        };
        let query = &model.functions[room];
        let (true, Some(result)) = (query.body.is_empty(), &query.result) else {
            continue;
        };
        let is_known = all.iter().any(|(known, _)| *known == room);
        // What is remembered is cheaper still.
        let is_remembered = plan.memos.get(room).is_some_and(Option::is_some);
        if !is_known && !is_remembered && is_plain(result) {
            let places = target.offsets.len().fit();
            all.push((room, of_all(query, result, places)));
        }
    }
    all
}

/// What a query gives for so many places.
fn of_all(query: &Function, result: &Ex, places: Local) -> Function {
    let params = query.params - 1;
    let of = |place: Local| {
        let mut ex = result.clone();
        each_mut(&mut ex, &mut |part| {
            if matches!(part.kind, Kind::Local(local) if local == params) {
                part.kind = Kind::Const(i64::from(place));
            }
        });
        // Its own locals lie behind what the others gave.
        renumber(&mut ex, &|local| match local < params {
            true => local,
            false => local - 1 + places,
        });
        St::Set(params + place, ex)
    };
    Function {
        name: format!("{}: all", query.name),
        params,
        locals: query.locals.max(query.params) - 1 + places,
        body: (0..places).map(of).collect(),
        result: None,
        span: query.span,
    }
}
