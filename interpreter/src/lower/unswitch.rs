//! Loop unswitching: loops that ask in every turn what was known before they began, divided into two.
//!
//! A building adds a parameter to the moves of its owner: a listing of moves asks for all
//! values of the other parameters whether it is owned. Such a loop is written twice, for either answer without
//! what the answer rules out, and chosen before it begins (loop unswitching: F. Allen, J. Cocke, A Catalogue of
//! Optimizing Transformations, 1971). Only what goes through legal moves is divided: nobody sees how much fuel
//! that takes.

use std::collections::BTreeMap;

use super::locals::{changed, sets};
use super::query_plan::Plan;
use super::simplify::simplified_body;
use crate::analysis::rewrite::each_statement_mut;
use crate::analysis::visit::visit_statements;
use crate::program::model::Model;
use crate::program::tree::{Aggregate, Domain, Ex, Function, Kind, Local, Op2, St};

/// Most nodes of what one loop becomes.
const NODES: usize = 4000;

/// A function that does the same, with less in its outermost loops.
pub(super) fn unswitched(model: &Model, plan: &Plan, mut function: Function) -> Function {
    let divider = Divider { model, plan };
    function.body = divider.block(function.body, &mut Vec::new());
    function
}

struct Divider<'a> {
    model: &'a Model,
    plan: &'a Plan,
}

impl Divider<'_> {
    /// Statements with their loops divided. `flags` are the locals that hold truth values.
    fn block(&self, body: Vec<St>, flags: &mut Vec<Local>) -> Vec<St> {
        let outside = flags.clone();
        let mut all = Vec::with_capacity(body.len());
        for st in body {
            match st {
                St::Set(local, ex) => {
                    flags.retain(|flag| *flag != local);
                    if is_truth(&ex) {
                        flags.push(local);
                    }
                    all.push(St::Set(local, ex));
                }
                St::If(condition, then, otherwise) => {
                    let [then, otherwise] = [then, otherwise].map(|body| self.block(body, flags));
                    all.push(St::If(condition, then, otherwise));
                }
                St::For(..) => {
                    let body = vec![st];
                    let changed = changed(&body);
                    let fixed = flags.iter().filter(|flag| !changed.contains(flag));
                    let fixed: Vec<Local> = fixed.copied().collect();
                    all.extend(self.versions(body, &fixed, NODES));
                }
                other => all.push(other),
            }
        }
        *flags = outside;
        all
    }

    /// A loop for either value of the flag that it asks most often, and each of them likewise for further
    /// flags, as long as there is room for so many nodes.
    fn versions(&self, body: Vec<St>, flags: &[Local], room: usize) -> Vec<St> {
        let mut span = None;
        let mut asked: BTreeMap<Local, u32> = BTreeMap::new();
        visit_statements(&body, &mut |ex| {
            if let Kind::Local(local) = ex.kind
                && flags.contains(&local)
            {
                *asked.entry(local).or_default() += 1;
                span.get_or_insert(ex.span);
            }
        });
        let most = asked.into_iter().max_by_key(|(_, times)| *times);
        let (Some((flag, _)), Some(span)) = (most, span) else {
            return body;
        };
        let versions = [1, 0].map(|value| {
            let mut version = body.clone();
            put(&mut version, flag, value);
            self.settled(version)
        });
        let Some(left) = room.checked_sub(versions.iter().map(|body| nodes(body)).sum()) else {
            return body;
        };
        let [then, otherwise] = versions.map(|body| {
            let room = nodes(&body) + left / 2;
            self.versions(body, flags, room)
        });
        let kind = Kind::Local(flag);
        vec![St::If(Ex { kind, span }, then, otherwise)]
    }

    /// A loop without what its constants decide; they are set before it.
    fn settled(&self, mut body: Vec<St>) -> Vec<St> {
        let mut all = Vec::new();
        loop {
            body = simplified_body(self.model, self.plan, body);
            body = without_single_turns(body);
            let sets = sets(&body);
            let mut constants = Vec::new();
            body = without_constants(body, &|local| sets[&local] == 1, &mut constants);
            if constants.is_empty() {
                break;
            }
            for (local, ex, value) in constants {
                put(&mut body, local, value);
                all.push(St::Set(local, ex));
            }
        }
        all.append(&mut body);
        all
    }
}

/// Whether an expression gives 1 or 0.
fn is_truth(ex: &Ex) -> bool {
    match &ex.kind {
        Kind::Binary(op, ..) => matches!(op, Op2::Eq | Op2::Ne | Op2::Lt | Op2::Le),
        Kind::Aggregate { op, .. } => matches!(op, Aggregate::Any | Aggregate::All),
        Kind::Not(_) | Kind::And(..) | Kind::Or(..) => true,
        _ => false,
    }
}

/// The expressions of statements and their parts.
fn nodes(body: &[St]) -> usize {
    let mut nodes = 0;
    visit_statements(body, &mut |_| nodes += 1);
    nodes
}

/// Puts a constant in place of a local.
fn put(body: &mut [St], local: Local, value: i64) {
    each_statement_mut(body, &mut |ex| {
        if matches!(ex.kind, Kind::Local(other) if other == local) {
            ex.kind = Kind::Const(value);
        }
    });
}

/// Statements in which loops of one turn are none, and loops without any are left out.
fn without_single_turns(body: Vec<St>) -> Vec<St> {
    let mut all = Vec::with_capacity(body.len());
    for st in body {
        match st {
            St::If(condition, then, otherwise) => {
                let [then, otherwise] = [then, otherwise].map(without_single_turns);
                all.push(St::If(condition, then, otherwise));
            }
            St::For(var, bound, domain, body) => {
                let body = without_single_turns(body);
                let turns = match &domain {
                    Domain::Range(from, to) => match (&from.kind, &to.kind) {
                        (Kind::Const(from), Kind::Const(to)) => Some(to - from),
                        _ => None,
                    },
                    Domain::Upto(_) => None,
                };
                match (domain, turns) {
                    (Domain::Range(from, _), Some(1)) if !changed(&body).contains(&var) => {
                        all.push(St::Set(var, *from));
                        all.extend(body);
                    }
                    (_, Some(..=0)) => {}
                    (domain, _) => all.push(St::For(var, bound, domain, body)),
                }
            }
            other => all.push(other),
        }
    }
    all
}

/// Statements without those that set a local to a constant, which are collected: of locals that are set nowhere
/// else, and so nowhere read before.
fn without_constants(
    body: Vec<St>,
    is_set_once: &dyn Fn(Local) -> bool,
    constants: &mut Vec<(Local, Ex, i64)>,
) -> Vec<St> {
    let mut all = Vec::with_capacity(body.len());
    for st in body {
        match st {
            St::Set(local, ex) => match ex.kind {
                Kind::Const(value) if is_set_once(local) => constants.push((local, ex, value)),
                _ => all.push(St::Set(local, ex)),
            },
            St::If(condition, then, otherwise) => {
                let [then, otherwise] =
                    [then, otherwise].map(|body| without_constants(body, is_set_once, constants));
                all.push(St::If(condition, then, otherwise));
            }
            St::For(var, bound, domain, body) => {
                let body = without_constants(body, is_set_once, constants);
                all.push(St::For(var, bound, domain, body));
            }
            other => all.push(other),
        }
    }
    all
}
