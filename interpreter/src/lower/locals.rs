//! Definitions and uses of locals, and whether an expression is worth a local of its own.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::visit::{parts, visit, visit_statements};
use crate::program::tree::{Ex, Kind, Local, St};

/// The locals that statements change.
pub(super) fn changed(body: &[St]) -> BTreeSet<Local> {
    sets(body).into_keys().collect()
}

/// How often statements set each local.
pub(super) fn sets(body: &[St]) -> BTreeMap<Local, u32> {
    fn set(body: &[St], all: &mut Vec<Local>) {
        for st in body {
            match st {
                St::Set(local, _) => all.push(*local),
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
    let mut all = Vec::new();
    set(body, &mut all);
    visit_statements(body, &mut |ex| {
        if let Kind::Standing { at, len, .. } = &ex.kind {
            all.extend(*at..*at + *len);
        }
        own(ex, &mut all);
    });
    let mut sets = BTreeMap::new();
    for local in all {
        *sets.entry(local).or_insert(0) += 1;
    }
    sets
}

/// The locals that an expression uses for itself.
fn own(ex: &Ex, all: &mut impl Extend<Local>) {
    if let Kind::Aggregate { var, acc, .. } = &ex.kind {
        all.extend([*var, *acc]);
    }
}

/// The locals that an expression and its parts use for themselves.
pub(super) fn bound(ex: &Ex, all: &mut BTreeSet<Local>) {
    visit(ex, &mut |part| own(part, all));
}

/// The locals that an expression reads and does not set itself.
pub(super) fn free(ex: &Ex, within: &mut Vec<Local>, all: &mut BTreeSet<Local>) {
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

/// Whether computing an expression costs more than a comparison of locals.
pub(super) fn is_worth_while(ex: &Ex) -> bool {
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
