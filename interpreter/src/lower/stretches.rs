//! The accounting of long stretches, once a function is lowered.

use std::collections::BTreeMap;

use crate::numbers::{At as _, Fit as _};
use crate::program::bytecode::{Bytecode, Op, work_of};

/// Puts the work of long stretches of instructions, from one on, before them: where a function begins that is long,
/// and where a loop goes on that is.
pub(super) fn weigh_stretches(bytecode: &mut Bytecode, start: u32) {
    let mut weights = BTreeMap::new();
    let mut weigh = |from: usize, to: usize| {
        let units = work_of(to - from);
        if units > 0 {
            let known = weights.entry(from).or_insert(0);
            *known = units.max(*known);
        }
    };
    let start = start.at();
    weigh(start, bytecode.ops.len());
    for at in start..bytecode.ops.len() {
        let mut op = bytecode.ops[at];
        if let Some(to) = op.target().map(|to| to.at())
            && to <= at
        {
            weigh(to, at + 1);
        }
    }
    if weights.is_empty() {
        return;
    }
    let weighed: Vec<usize> = weights.keys().copied().collect();
    // A jump to what is weighed leads to its weight.
    let moved = |to: u32| to + weighed.partition_point(|at| *at < to.at()).fit::<u32>();
    let (ops, spans) = (
        bytecode.ops.split_off(start),
        bytecode.spans.split_off(start),
    );
    for (at, (mut op, span)) in (start..).zip(ops.into_iter().zip(spans)) {
        if let Some(units) = weights.get(&at) {
            bytecode.ops.push(Op::Work { units: *units });
            bytecode.spans.push(span);
        }
        if let Some(to) = op.target() {
            *to = moved(*to);
        }
        bytecode.ops.push(op);
        bytecode.spans.push(span);
    }
}
