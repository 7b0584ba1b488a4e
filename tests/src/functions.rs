//! Which arguments the functions of a ruleset can have.
//!
//! The typed tree keeps no types of parameters, but they show in what a parameter is used for: an index
//! of a place, a row of a column, an argument of another function. What is used for nothing of the
//! kind is a number.

use interpreter::program::model::{DomainModel, Model, TriggerBody, instances};
use interpreter::program::tree::{Addr, Arg, Domain, Ex, Kind, St, Verb};

use crate::random::Random;

/// For each function and parameter: one more than its greatest value, if it is a seat or a row.
pub fn bounds(model: &Model) -> Vec<Vec<Option<u32>>> {
    let mut bounds: Vec<Vec<Option<u32>>> = model
        .functions
        .iter()
        .map(|f| vec![None; f.params as usize])
        .collect();
    let know = |bounds: &mut Vec<Vec<Option<u32>>>, f: u32, parameter: usize, n: u32| {
        if let Some(bound) = bounds[f as usize].get_mut(parameter) {
            *bound = Some(bound.map_or(n, |b| b.min(n)));
        }
    };
    let size = |ty: &interpreter::program::tree::Ty| match ty {
        interpreter::program::tree::Ty::Player => Some(u32::from(model.players)),
        interpreter::program::tree::Ty::Row(t) => Some(model.rows(*t)),
        interpreter::program::tree::Ty::Bool => Some(2),
        _ => None,
    };
    for mv in &model.moves {
        let functions = mv.needs().map(|(_, condition)| condition);
        let effects = mv
            .effects
            .iter()
            .flat_map(|e| e.when.into_iter().chain([e.effect]));
        for f in functions.chain(effects) {
            know(&mut bounds, f.0, 0, u32::from(model.players));
            for param in &mv.params {
                if let (DomainModel::Upto(_), Some(n)) = (&param.domain, size(&param.ty)) {
                    know(&mut bounds, f.0, param.register as usize, n);
                }
            }
        }
    }
    for event in &model.events {
        for trigger in &event.triggers {
            let effect = match &trigger.body {
                TriggerBody::Effect(effect) => Some(effect),
                TriggerBody::Phase(_) => None,
            };
            for f in trigger.when.iter().chain(effect) {
                for (i, (_, ty)) in event.params.iter().enumerate() {
                    if let Some(n) = size(ty) {
                        know(&mut bounds, f.0, i, n);
                    }
                }
            }
        }
    }
    // What a function hands on may be known only after the function that takes it.
    for _ in 0..8 {
        for (f, function) in model.functions.iter().enumerate() {
            let mut seen = Vec::new();
            for st in &function.body {
                statement(st, &mut seen);
            }
            if let Some(ex) = &function.result {
                expression(ex, &mut seen);
            }
            for ex in seen {
                for (register, n) in uses(model, &bounds, ex) {
                    know(&mut bounds, f as u32, register as usize, n);
                }
            }
        }
    }
    bounds
}

/// Registers that this node itself uses as a row or seat, and of how many.
fn uses(model: &Model, bounds: &[Vec<Option<u32>>], ex: &Ex) -> Vec<(u16, u32)> {
    let local = |ex: &Ex| match ex.kind {
        Kind::Local(r) => Some(r),
        _ => None,
    };
    let mut out = Vec::new();
    match &ex.kind {
        Kind::Load(addr) | Kind::SumCells { addr, .. } | Kind::CountIn { addr, .. } => {
            indices(model, addr, &mut out);
        }
        Kind::Column { column, row } => {
            out.extend(local(row).map(|r| (r, model.columns[*column].values.len() as u32)));
        }
        Kind::Possible { seat, .. } => out.extend(local(seat).map(|r| (r, model.players.into()))),
        Kind::Call(f, args) => {
            let known = args.iter().zip(&bounds[f.0 as usize]);
            out.extend(known.filter_map(|(arg, bound)| local(arg).zip(*bound)));
        }
        Kind::Verb(verb, args) => {
            for arg in args {
                if let Arg::Cells(addr) = arg {
                    indices(model, addr, &mut out);
                }
            }
            if let (
                Verb::Move
                | Verb::Take
                | Verb::TakeEither
                | Verb::TakeOut
                | Verb::PutOn
                | Verb::PutUnder,
                [_, Arg::Value(row), Arg::Cells(from), ..],
            ) = (verb, &args[..])
                && let Some(place) = model.places.iter().find(|p| p.base == from.base)
            {
                let rows = model.rows(place.table);
                out.extend(local(row).map(|r| (r, rows)));
            }
        }
        _ => {}
    }
    out
}

fn indices(model: &Model, addr: &Addr, out: &mut Vec<(u16, u32)>) {
    let place = model.places.iter().find(|p| p.base == addr.base);
    let counter = model.counters.iter().find(|c| c.base == addr.base);
    let marker = model.markers.iter().find(|m| m.base == addr.base);
    let cells = place
        .map(|p| instances(&p.index) * p.width)
        .or(counter.map(|c| instances(&c.index)))
        .or(marker.map(|m| instances(&m.index)))
        .or_else(|| {
            let kept = model.phases.iter().flat_map(|p| &p.resets);
            let mut kept = kept.filter(|(base, ..)| *base == addr.base);
            kept.next().map(|(_, len, _)| *len)
        });
    let Some(mut left) = cells else { return };
    for (ex, stride) in &addr.index {
        if let Kind::Local(r) = ex.kind {
            out.push((r, left / stride));
        }
        left = *stride;
    }
}

fn statement<'a>(st: &'a St, out: &mut Vec<&'a Ex>) {
    match st {
        St::Set(_, ex) | St::Do(ex) | St::Return(ex) => expression(ex, out),
        St::If(c, a, b) => {
            expression(c, out);
            a.iter().chain(b).for_each(|s| statement(s, out));
        }
        St::While(c, body) => {
            expression(c, out);
            body.iter().for_each(|s| statement(s, out));
        }
        St::For(_, _, domain, body) => {
            over(domain, out);
            body.iter().for_each(|s| statement(s, out));
        }
        St::Break | St::Continue => {}
    }
}

fn over<'a>(domain: &'a Domain, out: &mut Vec<&'a Ex>) {
    if let Domain::Range(from, to) = domain {
        expression(from, out);
        expression(to, out);
    }
}

/// An expression and all its parts.
fn expression<'a>(ex: &'a Ex, out: &mut Vec<&'a Ex>) {
    out.push(ex);
    let mut address = |addr: &'a Addr| addr.index.iter().for_each(|(ex, _)| expression(ex, out));
    match &ex.kind {
        Kind::Const(_)
        | Kind::Local(_)
        | Kind::SumLocals { .. }
        | Kind::Registers { .. }
        | Kind::Offer { .. } => {}
        Kind::Load(addr) | Kind::SumCells { addr, .. } | Kind::Cells { addr, .. } => address(addr),
        Kind::Together(parts) => parts.iter().for_each(|part| expression(part, out)),
        Kind::CountIn { addr, row } => {
            address(addr);
            expression(row, out);
        }
        Kind::LocalAt { index: a, .. }
        | Kind::Column { row: a, .. }
        | Kind::Minus(a)
        | Kind::Not(a)
        | Kind::Possible { seat: a, .. }
        | Kind::Standing { first: a, .. }
        | Kind::Case(_, a) => expression(a, out),
        Kind::Binary(_, a, b) | Kind::And(a, b) | Kind::Or(a, b) => {
            expression(a, out);
            expression(b, out);
        }
        Kind::If(a, b, c) => [a, b, c].into_iter().for_each(|e| expression(e, out)),
        Kind::Call(_, args) => args.iter().for_each(|e| expression(e, out)),
        Kind::Aggregate {
            domain,
            filter,
            body,
            ..
        } => {
            over(domain, out);
            filter.iter().chain(body).for_each(|e| expression(e, out));
        }
        Kind::Verb(_, args) => {
            for arg in args {
                match arg {
                    Arg::Value(ex) => expression(ex, out),
                    Arg::Cells(addr) => addr.index.iter().for_each(|(ex, _)| expression(ex, out)),
                    Arg::Window(_) => {}
                }
            }
        }
    }
}

/// The verbs that a ruleset's functions use, by their names in the typed tree.
pub fn verbs(model: &Model) -> std::collections::BTreeSet<String> {
    let mut seen = Vec::new();
    for function in &model.functions {
        function.body.iter().for_each(|st| statement(st, &mut seen));
        function
            .result
            .iter()
            .for_each(|ex| expression(ex, &mut seen));
    }
    let verbs = seen.into_iter().filter_map(|ex| match &ex.kind {
        Kind::Verb(verb, _) => Some(format!("{verb:?}")),
        _ => None,
    });
    verbs
        .map(|v| v.split('(').next().unwrap_or_default().to_owned())
        .collect()
}

/// Numbers that are tried for parameters that are neither rows nor seats.
const NUMBERS: [i64; 12] = [
    0,
    1,
    2,
    3,
    5,
    11,
    -1,
    -7,
    i32::MAX as i64,
    i32::MIN as i64,
    i64::MAX,
    i64::MIN,
];

/// Arguments for a function: every combination of rows and seats if there are few, else some at
/// random; now and then one that is `none` or beyond all measure.
pub fn arguments(bounds: &[Option<u32>], most: usize, random: &mut Random) -> Vec<Vec<i64>> {
    let combinations = bounds
        .iter()
        .try_fold(1usize, |all, bound| all.checked_mul((*bound)? as usize))
        .filter(|all| *all <= most);
    if let Some(all) = combinations {
        return (0..all)
            .map(|mut i| {
                let mut args = Vec::new();
                for n in bounds.iter().flatten() {
                    args.push((i % *n as usize) as i64);
                    i /= *n as usize;
                }
                args
            })
            .collect();
    }
    (0..most)
        .map(|_| {
            bounds
                .iter()
                .map(|bound| match bound {
                    Some(_) if random.below(24) == 0 => -1,
                    Some(n) => random.below(u64::from(*n).max(1)) as i64,
                    None if random.below(4) == 0 => *random.pick(&NUMBERS),
                    None => random.below(4) as i64,
                })
                .collect()
        })
        .collect()
}
