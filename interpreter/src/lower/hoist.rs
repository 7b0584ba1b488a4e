//! Loop-invariant code motion: what a loop need not compute again.
//!
//! A listing of legal moves asks the same for every value of a parameter: how many doubloons a
//! player has, whether a building works. What does not depend on what a loop changes is computed before the
//! loop (loop-invariant code motion: F. Allen, J. Cocke, A Catalogue of Optimizing Transformations, 1971). To
//! find it, small queries are first put where they are asked.
//!
//! A loop may have no turn that comes as far as an expression, so only what cannot [fail](super::bounds) is
//! moved. The oracle goes through the loops as they were written.

use std::collections::{BTreeMap, BTreeSet};

use super::bounds::Bounds;
use super::common_subexpressions;
use super::locals::{bound, changed, free, is_worth_while, sets};
use super::query_plan::Plan;
use super::row_tests::{conjuncts, together};
use super::simplify::difference;
use crate::analysis::rewrite::{each_mut, each_statement_mut, parts_mut, renumber};
use crate::numbers::At as _;
use crate::program::model::Model;
use crate::program::tree::{Domain, Ex, Function, Kind, Local, Op2, St};

/// Deepest nesting of queries that are put into each other.
const NESTED: u32 = 8;

/// A function that gives the same, with less in its loops. It only looks: it has no verbs.
pub(super) fn hoisted(model: &Model, plan: &Plan, mut function: Function) -> Function {
    let mut hoister = Hoister {
        bounds: Bounds::new(model),
        plan,
        params: function.params,
        sets: sets(&function.body),
        same: BTreeMap::new(),
        next: function.locals,
    };
    each_statement_mut(&mut function.body, &mut |ex| hoister.expand(ex, 0));
    function.body = hoister.block(function.body, &mut Vec::new());
    function.locals = hoister.next;
    function
}

/// A loop around what is looked at.
struct Loop {
    /// The locals that change in it.
    changed: BTreeSet<Local>,
    /// Its variable, if it is a row or a seat.
    row: Option<Local>,
    /// What is computed before it: as it was written, the local that holds it, and as it is computed there.
    before: Vec<(Ex, Local, Ex)>,
}

struct Hoister<'m> {
    /// What is known of values, of those among them that were moved before loops.
    bounds: Bounds<'m>,
    plan: &'m Plan,
    /// So many of the first locals are parameters.
    params: Local,
    /// How often each local is set.
    sets: BTreeMap<Local, u32>,
    /// Locals that hold the same as one that was moved before a loop.
    same: BTreeMap<Local, Local>,
    /// The next local that nothing holds.
    next: Local,
}

impl Hoister<'_> {
    fn fresh(&mut self) -> Local {
        self.next += 1;
        self.next - 1
    }

    /// Puts a small query where it is asked.
    fn expand(&mut self, ex: &mut Ex, depth: u32) {
        if let Kind::Case(_, inner) = &ex.kind {
            *ex = (**inner).clone();
        }
        let Kind::Call(f, args) = &ex.kind else {
            return;
        };
        let plain = |arg: &Ex| matches!(arg.kind, Kind::Const(_) | Kind::Local(_));
        let result = &self.bounds.model.functions[*f].result;
        let Some(result) = result.as_ref().filter(|_| self.plan.expanded[*f]) else {
            return;
        };
        if depth == NESTED || !args.iter().all(plain) {
            return;
        }
        let (mut inner, args) = (result.clone(), args.clone());
        each_mut(&mut inner, &mut |part| {
            if let Kind::Local(r) = part.kind
                && let Some(arg) = args.get(r.at())
            {
                part.kind = arg.kind.clone();
            }
            self.expand(part, depth + 1);
        });
        *ex = inner;
    }

    fn block(&mut self, body: Vec<St>, loops: &mut Vec<Loop>) -> Vec<St> {
        let mut all = Vec::with_capacity(body.len());
        for mut st in body {
            match &mut st {
                St::Set(local, ex) => {
                    self.read(ex, loops);
                    if let Some(other) = self.is_copy(*local, ex) {
                        self.same.insert(*local, other);
                        continue;
                    }
                }
                St::Do(ex) | St::Return(ex) => self.read(ex, loops),
                St::If(condition, then, otherwise) => {
                    self.read(condition, loops);
                    for branch in [then, otherwise] {
                        *branch = self.block(std::mem::take(branch), loops);
                    }
                }
                St::For(var, bound, domain, inner) => {
                    let row = match domain {
                        Domain::Upto(_) => Some(*var),
                        Domain::Range(from, to) => {
                            self.read(from, loops);
                            self.read(to, loops);
                            None
                        }
                    };
                    let mut changed = changed(inner);
                    changed.extend([*var, *bound]);
                    loops.push(Loop {
                        changed,
                        row,
                        before: Vec::new(),
                    });
                    *inner = self.block(std::mem::take(inner), loops);
                    if let [St::If(condition, _, otherwise)] = &mut inner[..]
                        && otherwise.is_empty()
                    {
                        if let Some(row) = row {
                            self.order(condition, row, loops);
                        }
                        let is_test = |ex: &Ex| row.is_some_and(|row| is_test(ex, row));
                        let rows = is_row(loops);
                        let next = &mut self.next;
                        common_subexpressions::shared(
                            &mut self.bounds,
                            &rows,
                            &is_test,
                            next,
                            inner,
                        );
                    }
                    let before = loops.pop().into_iter().flat_map(|one| one.before);
                    all.extend(before.map(|(_, local, ex)| St::Set(local, ex)));
                }
                St::While(..) | St::Break | St::Continue => {}
            }
            all.push(st);
        }
        all
    }

    /// Puts what a [scan](super::row_tests) can test of a row before what else must hold of it, if nothing can fail.
    fn order(&self, condition: &mut Ex, row: Local, loops: &[Loop]) {
        let is_row = is_row(loops);
        let mut all = Vec::new();
        conjuncts(condition, &mut all);
        let is_safe = |ex: &&Ex| self.bounds.bits(ex, &is_row, 0).is_some();
        if !all.iter().all(is_safe) {
            return;
        }
        let (first, rest): (Vec<&Ex>, Vec<&Ex>) = all.into_iter().partition(|ex| is_test(ex, row));
        let all = first.into_iter().chain(rest);
        if let Some(ordered) = together(all.cloned()) {
            *condition = ordered;
        }
    }

    /// What else holds what a local is set to, if it is set only here and that was moved before a loop.
    fn is_copy(&self, local: Local, ex: &Ex) -> Option<Local> {
        let Kind::Local(other) = ex.kind else {
            return None;
        };
        let is_own = local >= self.params && self.sets.get(&local) == Some(&1);
        (is_own && self.bounds.known.contains_key(&other)).then_some(other)
    }

    /// Moves what an expression of a statement consists of before loops.
    fn read(&mut self, ex: &mut Ex, loops: &mut [Loop]) {
        each_mut(ex, &mut |part| {
            if let Kind::Local(local) = &mut part.kind
                && let Some(other) = self.same.get(local)
            {
                *local = *other;
            }
        });
        self.look(ex, loops);
        let is_row = is_row(loops);
        each_mut(ex, &mut |part| {
            let is_safe = |ex: &Ex| {
                self.bounds
                    .bits(ex, &is_row, 0)
                    .is_some_and(|bits| bits < 64)
            };
            if let Some(difference) = difference(part, &is_safe) {
                *part = difference;
            }
        });
    }

    /// Moves an expression before the loops that do not change it, or else its parts.
    fn look(&mut self, ex: &mut Ex, loops: &mut [Loop]) {
        if let Kind::Not(a) = &mut ex.kind {
            // What holds the contrary says as much.
            self.look(a, loops);
        } else if let Some((home, bits)) = self.home(ex, loops) {
            // A part of it may depend on even fewer loops.
            parts_mut(ex, &mut |part| self.look(part, &mut loops[..home]));
            let local = self.keep(ex, &mut loops[home]);
            self.bounds.known.insert(local, bits);
            ex.kind = Kind::Local(local);
        } else if !loops.is_empty() {
            parts_mut(ex, &mut |part| self.look(part, loops));
        }
    }

    /// The outermost loop before which an expression can be computed, if that spares anything, and the bits of
    /// what it gives.
    fn home(&self, ex: &Ex, loops: &[Loop]) -> Option<(usize, u32)> {
        let mut read = BTreeSet::new();
        free(ex, &mut Vec::new(), &mut read);
        let inner = loops.iter().rev();
        let home = loops.len()
            - inner
                .take_while(|one| one.changed.is_disjoint(&read))
                .count();
        if home == loops.len() || !is_worth_while(ex) {
            return None;
        }
        Some((home, self.bounds.bits(ex, &is_row(loops), 0)?))
    }

    /// The local that holds an expression from before a loop on.
    fn keep(&mut self, ex: &Ex, before: &mut Loop) -> Local {
        let known = before.before.iter().find(|(known, ..)| known == ex);
        if let Some((_, local, _)) = known {
            return *local;
        }
        // Its own locals may hold something else there.
        let written = ex.clone();
        let mut ex = ex.clone();
        let mut own = BTreeSet::new();
        bound(&ex, &mut own);
        // Behind the variable of an aggregate lies its bound: each gets two.
        let mut pair = || {
            self.next += 2;
            self.next - 2
        };
        let fresh: Vec<(Local, Local)> = own.into_iter().map(|l| (l, pair())).collect();
        renumber(&mut ex, &|l| {
            let other = fresh.iter().find(|(own, _)| *own == l);
            other.map_or(l, |(_, other)| *other)
        });
        let local = self.fresh();
        before.before.push((written, local, ex));
        local
    }
}

/// Whether a local is a row or a seat within these loops.
fn is_row(loops: &[Loop]) -> impl Fn(Local) -> bool + use<> {
    let rows: Vec<Local> = loops.iter().filter_map(|one| one.row).collect();
    move |local| local == 0 || rows.contains(&local)
}

/// Whether a condition is a test of a row by itself: of its columns, or whether something lies there.
fn is_test(ex: &Ex, row: Local) -> bool {
    let is_row = |ex: &Ex| matches!(ex.kind, Kind::Local(l) if l == row);
    match &ex.kind {
        Kind::Not(a) => is_test(a, row),
        Kind::And(a, b) | Kind::Or(a, b) => is_test(a, row) && is_test(b, row),
        Kind::Column { row: of, .. } => is_row(of),
        Kind::Binary(Op2::Lt | Op2::Le | Op2::Eq, a, b) => {
            let value = |ex: &Ex| match &ex.kind {
                Kind::Column { row: of, .. } => is_row(of),
                Kind::Load(addr) => addr.index.iter().any(|(ex, _)| is_row(ex)),
                _ => false,
            };
            let given = |ex: &Ex| matches!(ex.kind, Kind::Const(_) | Kind::Local(_));
            value(a) && given(b) || given(a) && value(b)
        }
        _ => false,
    }
}
