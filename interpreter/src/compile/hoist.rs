//! What a loop need not compute again.
//!
//! Whoever goes through the legal moves asks the same for every value of a parameter: how many doubloons a
//! player has, whether a building works. What does not depend on what a loop changes is computed before the
//! loop (loop-invariant code motion: F. Allen, J. Cocke, A Catalogue of Optimizing Transformations, 1971). To
//! find it, small queries are first put where they are asked.
//!
//! A loop may have no turn that comes as far as an expression, so only what cannot fail is moved: nothing that
//! could overflow, divide by zero, or find `none` where a row must be. The oracle goes through the loops as they
//! were written.

use std::collections::{BTreeMap, BTreeSet};

use super::queries;
use super::scan::conjuncts;
use crate::check::ir::{Addr, Aggregate, Domain, Ex, FuncId, Function, Kind, Local, Op2, St};
use crate::check::model::Model;
use crate::check::rewrite::{each_mut, each_statement_mut, parts_mut, renumber};
use crate::check::visit::{parts, visit, visit_statements};

/// Most nodes of a query that is put where it is asked.
const SMALL: u32 = 160;
/// Deepest nesting of queries that are put into each other, or looked through.
const NESTED: u32 = 8;
/// Bits of what is read from a cell or a column, with its sign.
const CELL: u32 = 32;
/// Bits of what is computed, with its sign.
const WORD: u32 = 64;

/// A function that gives the same, with less in its loops. It only looks: it has no verbs.
pub(super) fn hoisted(model: &Model, mut function: Function) -> Function {
    let mut hoister = Hoister {
        model,
        next: function.locals,
        moved: BTreeMap::new(),
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
    /// What is computed before it: how it is written, and the local that holds it.
    before: Vec<(String, Local, Ex)>,
}

struct Hoister<'m> {
    model: &'m Model,
    /// The next local that nothing holds.
    next: Local,
    /// Bits of what was moved before loops, by the local that holds it.
    moved: BTreeMap<Local, u32>,
}

impl Hoister<'_> {
    fn fresh(&mut self) -> Local {
        self.next += 1;
        self.next - 1
    }

    /// Puts a small query where it is asked.
    fn expand(&mut self, ex: &mut Ex, depth: u32) {
        let Kind::Call(f, args) = &ex.kind else {
            return;
        };
        let function = &self.model.functions[f.0 as usize];
        let plain = |arg: &Ex| matches!(arg.kind, Kind::Const(_) | Kind::Local(_));
        let (true, Some(result)) = (function.body.is_empty(), &function.result) else {
            return;
        };
        let small = queries::is_plain(result) && queries::nodes(result) <= SMALL;
        if !small || depth == NESTED || !args.iter().all(plain) {
            return;
        }
        let (mut inner, args) = (result.clone(), args.clone());
        each_mut(&mut inner, &mut |part| {
            if let Kind::Local(r) = part.kind
                && let Some(arg) = args.get(r as usize)
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
                St::Set(_, ex) | St::Do(ex) | St::Return(ex) => self.look(ex, loops),
                St::If(condition, then, otherwise) => {
                    self.look(condition, loops);
                    for branch in [then, otherwise] {
                        *branch = self.block(std::mem::take(branch), loops);
                    }
                }
                St::For(var, bound, domain, inner) => {
                    let row = match domain {
                        Domain::Upto(_) => Some(*var),
                        Domain::Range(from, to) => {
                            self.look(from, loops);
                            self.look(to, loops);
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
                    if let (Some(row), [St::If(condition, _, otherwise)]) = (row, &mut inner[..])
                        && otherwise.is_empty()
                    {
                        self.order(condition, row, loops);
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

    /// Puts what a [scan](super::scan) can test of a row before what else must hold of it, if nothing can fail.
    fn order(&self, condition: &mut Ex, row: Local, loops: &[Loop]) {
        let is_row = |local: Local| local == 0 || loops.iter().any(|one| one.row == Some(local));
        let mut all = Vec::new();
        conjuncts(condition, &mut all);
        if all.iter().any(|ex| self.bits(ex, &is_row, 0).is_none()) {
            return;
        }
        let (first, rest): (Vec<&Ex>, Vec<&Ex>) = all.into_iter().partition(|ex| is_test(ex, row));
        let both = |a: Ex, b: &Ex| Ex {
            span: a.span,
            kind: Kind::And(Box::new(a), Box::new(b.clone())),
        };
        let mut all = first.into_iter().chain(rest);
        let Some(first) = all.next().cloned() else {
            return;
        };
        let ordered = all.fold(first, both);
        *condition = ordered;
    }

    /// Moves an expression before the loops that do not change it, or else its parts.
    fn look(&mut self, ex: &mut Ex, loops: &mut [Loop]) {
        if let Some((home, bits)) = self.home(ex, loops) {
            // A part of it may depend on even fewer loops.
            parts_mut(ex, &mut |part| self.look(part, &mut loops[..home]));
            let local = self.keep(ex, &mut loops[home]);
            self.moved.insert(local, bits);
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
        let is_row = |local: Local| local == 0 || loops.iter().any(|one| one.row == Some(local));
        if home == loops.len() || !is_worth_while(ex) {
            return None;
        }
        Some((home, self.bits(ex, &is_row, 0)?))
    }

    /// The local that holds an expression from before a loop on.
    fn keep(&mut self, ex: &Ex, before: &mut Loop) -> Local {
        let written = written(ex);
        let known = before.before.iter().find(|(known, ..)| *known == written);
        if let Some((_, local, _)) = known {
            return *local;
        }
        // Its own locals may hold something else there.
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

    /// How many bits an expression's value has at most, if it can be computed without a fault wherever its
    /// locals are set. `is_row` says of a local that it is a row or a seat, never `none`.
    fn bits(&self, ex: &Ex, is_row: &dyn Fn(Local) -> bool, depth: u32) -> Option<u32> {
        let bits = |ex: &Ex| self.bits(ex, is_row, depth);
        let index = |ex: &Ex| match ex.kind {
            Kind::Const(c) => c >= 0,
            Kind::Local(l) => is_row(l),
            _ => false,
        };
        let there = |addr: &Addr| addr.index.iter().all(|(ex, _)| index(ex));
        match &ex.kind {
            Kind::Const(c) => Some(width(*c)),
            Kind::Local(l) if is_row(*l) => Some(CELL),
            Kind::Local(l) => Some(self.moved.get(l).copied().unwrap_or(WORD)),
            Kind::Load(addr) => there(addr).then_some(CELL),
            Kind::SumCells { addr, .. } => there(addr).then_some(CELL + 16),
            Kind::CountIn { addr, row } => (there(addr) && index(row)).then_some(CELL),
            Kind::Column { column, row } => {
                let values = self.model.columns[*column].values.iter();
                index(row).then_some(values.map(|v| width(*v)).max().unwrap_or(1))
            }
            Kind::Minus(a) => bits(a).filter(|a| *a < WORD),
            Kind::Not(a) => bits(a).map(|_| 2),
            Kind::And(a, b) | Kind::Or(a, b) => bits(a).and(bits(b)).map(|_| 2),
            Kind::If(c, a, b) => bits(c).and(Some(bits(a)?.max(bits(b)?))),
            Kind::Case(_, a) => bits(a),
            Kind::Binary(op, a, b) => {
                let (x, y) = (bits(a)?, bits(b)?);
                let all = match op {
                    Op2::Add | Op2::Sub => x.max(y) + 1,
                    Op2::Mul => x + y - 1,
                    Op2::Div | Op2::Rem => match b.kind {
                        Kind::Const(by) if by > 0 => x,
                        _ => return None,
                    },
                    Op2::Min | Op2::Max => return Some(x.max(y)),
                    Op2::Eq | Op2::Ne | Op2::Lt | Op2::Le => return Some(2),
                };
                (all < WORD).then_some(all)
            }
            Kind::Call(f, args) if depth < NESTED => self.bits_of_call(*f, args, is_row, depth),
            Kind::Aggregate {
                op,
                var,
                domain: Domain::Upto(rows),
                filter,
                body,
                ..
            } => {
                let is_row = |local: Local| local == *var || is_row(local);
                let mut most = 0;
                for part in filter.iter().chain(body) {
                    most = most.max(self.bits(part, &is_row, depth)?);
                }
                match op {
                    Aggregate::Any | Aggregate::All => Some(2),
                    Aggregate::Count | Aggregate::First => Some(CELL),
                    Aggregate::Sum => {
                        Some(most + width(i64::from(*rows))).filter(|all| *all < WORD)
                    }
                    // Of nothing it is 0.
                    Aggregate::Max | Aggregate::Min => Some(most.max(1)),
                }
            }
            _ => None,
        }
    }

    fn bits_of_call(
        &self,
        f: FuncId,
        args: &[Ex],
        is_row: &dyn Fn(Local) -> bool,
        depth: u32,
    ) -> Option<u32> {
        let function = &self.model.functions[f.0 as usize];
        for arg in args {
            self.bits(arg, is_row, depth)?;
        }
        let given = |local: Local| match args.get(local as usize).map(|arg| &arg.kind) {
            Some(Kind::Const(c)) => *c >= 0,
            Some(Kind::Local(l)) => is_row(*l),
            _ => false,
        };
        let result = function
            .result
            .as_ref()
            .filter(|_| function.body.is_empty())?;
        self.bits(result, &given, depth + 1)
    }
}

/// Bits of a number, with its sign.
fn width(number: i64) -> u32 {
    WORD + 1 - number.unsigned_abs().leading_zeros()
}

/// Whether computing an expression costs more than a comparison of locals.
fn is_worth_while(ex: &Ex) -> bool {
    let mut costs = false;
    visit(ex, &mut |part| {
        costs |= matches!(
            part.kind,
            Kind::Load(_)
                | Kind::SumCells { .. }
                | Kind::CountIn { .. }
                | Kind::Column { .. }
                | Kind::Call(..)
                | Kind::Aggregate { .. }
        );
    });
    costs
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

/// The locals that statements change.
fn changed(body: &[St]) -> BTreeSet<Local> {
    fn set(body: &[St], all: &mut BTreeSet<Local>) {
        for st in body {
            match st {
                St::Set(local, _) => {
                    all.insert(*local);
                }
                St::If(_, then, otherwise) => {
                    set(then, all);
                    set(otherwise, all);
                }
                St::While(_, body) => set(body, all),
                St::For(var, bound, _, body) => {
                    all.extend([*var, *bound]);
                    set(body, all);
                }
                St::Do(_) | St::Return(_) | St::Break | St::Continue => {}
            }
        }
    }
    let mut all = BTreeSet::new();
    set(body, &mut all);
    visit_statements(body, &mut |ex| {
        if let Kind::Standing { at, len, .. } = &ex.kind {
            all.extend(*at..*at + *len);
        }
        own(ex, &mut all);
    });
    all
}

/// The locals that an expression uses for itself.
fn own(ex: &Ex, all: &mut BTreeSet<Local>) {
    if let Kind::Aggregate { var, acc, .. } = &ex.kind {
        all.extend([*var, *acc]);
    }
}

/// The locals that an expression and its parts use for themselves.
fn bound(ex: &Ex, all: &mut BTreeSet<Local>) {
    visit(ex, &mut |part| own(part, all));
}

/// The locals that an expression reads and does not set itself.
fn free(ex: &Ex, within: &mut Vec<Local>, all: &mut BTreeSet<Local>) {
    match &ex.kind {
        Kind::Local(local) if !within.contains(local) => {
            all.insert(*local);
        }
        Kind::LocalAt { base, len, .. } | Kind::SumLocals { base, len } => {
            all.extend(*base..*base + *len);
        }
        _ => {}
    }
    let outside = within.len();
    if let Kind::Aggregate { var, acc, .. } = &ex.kind {
        within.extend([*var, *acc]);
    }
    parts(ex, &mut |part| free(part, within, all));
    within.truncate(outside);
}

/// How an expression is written, wherever it stands.
fn written(ex: &Ex) -> String {
    let mut plain = ex.clone();
    let nowhere = ex.span;
    each_mut(&mut plain, &mut |part| part.span = nowhere);
    format!("{:?}", plain.kind)
}
