//! Common subexpression elimination: what the conditions of a turn ask in common is computed once.
//!
//! The conditions of a move often ask the same: whether there is room, then how much. Before the first of them
//! that surely asks it, it is put into a local (common subexpression elimination: J. Cocke, 1970), which the
//! others and all that is done then read.

use std::collections::BTreeSet;

use super::bounds::Bounds;
use super::locals::{bound, changed, free, is_worth_while};
use super::row_tests::{conjuncts, together};
use crate::analysis::rewrite::{each_mut, each_statement_mut};
use crate::analysis::visit::{parts, visit, visit_statements};
use crate::program::tree::{Ex, Kind, Local, St};

/// Divides what a turn does, one statement with a condition, where something is computed that is asked again.
/// `is_row` says which locals are rows or seats in this turn, `is_test` what a scan tests before it begins;
/// `next` is the next local that nothing holds.
pub(super) fn shared(
    bounds: &mut Bounds<'_>,
    is_row: &dyn Fn(Local) -> bool,
    is_test: &dyn Fn(&Ex) -> bool,
    next: &mut Local,
    turn: &mut Vec<St>,
) {
    let [St::If(condition, done, _)] = &mut turn[..] else {
        return;
    };
    let mut all = Vec::new();
    conjuncts(condition, &mut all);
    let tested = all.iter().take_while(|ex| is_test(ex)).count();
    let found = (tested..all.len())
        .find_map(|at| Some((at, asked_again(bounds, is_row, &all[at..], done)?)));
    let Some((at, (ex, bits))) = found else {
        return;
    };
    let local = *next;
    *next += 1;
    bounds.known.insert(local, bits);
    let before = together(all[..at].iter().map(|ex| (*ex).clone()));
    let behind = together(all[at..].iter().map(|ex| (*ex).clone()));
    let Some(mut condition) = behind else {
        return;
    };
    let mut read = |part: &mut Ex| {
        if *part == ex {
            part.kind = Kind::Local(local);
        }
    };
    let mut done = std::mem::take(done);
    each_mut(&mut condition, &mut read);
    if !is_changed(&ex, &done) {
        each_statement_mut(&mut done, &mut read);
    }
    let mut rest = vec![St::If(condition, done, vec![])];
    shared(bounds, is_row, &|_| false, next, &mut rest);
    rest.insert(0, St::Set(local, ex));
    *turn = match before {
        Some(before) => vec![St::If(before, rest, vec![])],
        None => rest,
    };
}

/// The greatest part of the first of some conditions that it surely asks and that they, or what is done then,
/// ask again; with the bits of what it gives.
fn asked_again(
    bounds: &Bounds<'_>,
    is_row: &dyn Fn(Local) -> bool,
    conditions: &[&Ex],
    done: &[St],
) -> Option<(Ex, u32)> {
    // What depends on these is something else in each of them.
    let mut own = BTreeSet::new();
    conditions.iter().for_each(|ex| bound(ex, &mut own));
    let mut found: Option<(Ex, u32)> = None;
    surely_asked(conditions[0], &mut |ex| {
        if found.is_some() || matches!(ex.kind, Kind::Not(_)) || !is_worth_while(ex) {
            return;
        }
        let mut reads = BTreeSet::new();
        free(ex, &mut Vec::new(), &mut reads);
        if !reads.is_disjoint(&own) {
            return;
        }
        let mut times = 0;
        let mut count = |part: &Ex| times += u32::from(part == ex);
        conditions.iter().for_each(|other| visit(other, &mut count));
        if !is_changed(ex, done) {
            visit_statements(done, &mut count);
        }
        if times > 1
            && let Some(bits) = bounds.bits(ex, is_row, 0)
        {
            found = Some((ex.clone(), bits));
        }
    });
    found
}

/// Whether statements change what an expression reads.
fn is_changed(ex: &Ex, done: &[St]) -> bool {
    let mut reads = BTreeSet::new();
    free(ex, &mut Vec::new(), &mut reads);
    !changed(done).is_disjoint(&reads)
}

/// Calls a function for an expression and those of its parts that are asked whenever it is, the whole first.
fn surely_asked(ex: &Ex, f: &mut dyn FnMut(&Ex)) {
    f(ex);
    match &ex.kind {
        Kind::And(first, _) | Kind::Or(first, _) | Kind::If(first, ..) => surely_asked(first, f),
        Kind::Aggregate { .. } => {}
        _ => parts(ex, &mut |part| surely_asked(part, f)),
    }
}
