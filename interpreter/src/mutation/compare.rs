//! What differs between two programs of almost the same ruleset.
//!
//! A mutant that computes the same everywhere cannot be told from the original, and a scenario in which nothing runs that
//! differs goes as before: neither need be played. This only looks; it knows nothing of mutants.

use std::collections::BTreeSet;

use crate::numbers::At as _;
use crate::program::Program;
use crate::program::bytecode::{Bytecode, Op};
use crate::program::model::FuncId;

/// What differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Difference {
    /// Nothing that is computed.
    Nothing,
    /// These functions compute something else, or read columns that say something else.
    Functions(BTreeSet<FuncId>),
    /// More than functions: it may show anywhere.
    Everything,
}

/// Compares what two programs compute; both are made without optimisation.
pub(super) fn difference(a: &Program, b: &Program) -> Difference {
    let (one, other) = (&a.bytecode, &b.bytecode);
    let same_shape = one.functions.len() == other.functions.len()
        && one.columns.len() == other.columns.len()
        && a.initial == b.initial
        && a.model.cells == b.model.cells;
    if !same_shape {
        return Difference::Everything;
    }
    let columns: Vec<bool> = one
        .columns
        .iter()
        .zip(&other.columns)
        .map(|(a, b)| a != b)
        .collect();
    let any_column = columns.contains(&true);
    let mut differing = BTreeSet::new();
    for function in one.functions.ids() {
        let (ours, theirs) = (code(one, function), code(other, function));
        let same_code = one.functions[function].params == other.functions[function].params
            && ours.len() == theirs.len()
            && ours.iter().zip(theirs).all(|(a, b)| {
                same(
                    (one, *a, one.functions[function].start),
                    (other, *b, other.functions[function].start),
                )
            });
        let reads_changed = any_column && ours.iter().any(|op| reads(op, &columns));
        if !same_code || reads_changed {
            // What is at hand is taken without being run.
            if one.functions[function].is_at_hand {
                return Difference::Everything;
            }
            differing.insert(function);
        }
    }
    match differing.is_empty() {
        // What reads columns beside functions is not looked at.
        true if any_column => Difference::Everything,
        true => Difference::Nothing,
        false => Difference::Functions(differing),
    }
}

/// The instructions of a function.
fn code(program: &Bytecode, function: FuncId) -> &[Op] {
    let start = program.functions[function].start.at();
    let next = FuncId(function.0 + 1);
    let end = program
        .functions
        .get(next)
        .map_or(program.ops.len(), |code| code.start.at());
    &program.ops[start..end]
}

/// Whether two instructions do the same, counted from the beginnings of their functions.
fn same((p, a, from): (&Bytecode, Op, u32), (q, b, other): (&Bytecode, Op, u32)) -> bool {
    match (a, b) {
        (
            Op::Verb { d, verb, at },
            Op::Verb {
                d: e,
                verb: v,
                at: t,
            },
        ) => (d, at) == (e, t) && p.verbs[verb.at()] == q.verbs[v.at()],
        (
            Op::Consts { d, first, len },
            Op::Consts {
                d: e,
                first: f,
                len: l,
            },
        ) => {
            let of = |program: &Bytecode, first: u32| {
                program.constants[first.at()..first.at() + len.at()].to_vec()
            };
            (d, len) == (e, l) && of(p, first) == of(q, f)
        }
        (Op::Scan { scan, to }, Op::Scan { scan: s, to: t })
        | (Op::ScanNext { scan, to }, Op::ScanNext { scan: s, to: t }) => {
            let told = |program: &Bytecode, scan: u32| format!("{:?}", program.scans[scan.at()]);
            to - from == t - other && told(p, scan) == told(q, s)
        }
        (Op::Total { d, total }, Op::Total { d: e, total: t }) => {
            let told = |program: &Bytecode, total: u32| format!("{:?}", program.totals[total.at()]);
            d == e && told(p, total) == told(q, t)
        }
        (mut a, mut b) => {
            for (op, start) in [(&mut a, from), (&mut b, other)] {
                if let Some(to) = op.target() {
                    *to -= start;
                }
            }
            a == b
        }
    }
}

/// Whether an instruction may read a value of a column that differs.
fn reads(op: &Op, columns: &[bool]) -> bool {
    match op {
        Op::Column { base, len, .. } => {
            let from = base.at();
            columns[from..(from + len.at()).min(columns.len())].contains(&true)
        }
        Op::Scan { .. } | Op::ScanNext { .. } | Op::Total { .. } => true,
        _ => false,
    }
}
