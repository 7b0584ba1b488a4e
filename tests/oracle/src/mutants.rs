//! Programs with one instruction changed: what a comparison of evaluators must notice.

use interpreter::program::Program;
use interpreter::program::bytecode::Op;

/// The same program with one instruction of its bytecode changed, or `None` if this one cannot be.
pub(crate) fn mutated(program: &Program, instruction: usize) -> Option<Program> {
    let mut program = program.clone();
    let bytecode = &mut program.bytecode;
    match *bytecode.ops.get(instruction)? {
        // Every row passes.
        Op::Scan { scan, .. } | Op::ScanNext { scan, .. } => {
            bytecode.scans[scan as usize].tests.clear();
        }
        Op::Total { d, total } => {
            let mut changed = bytecode.totals[total as usize].clone();
            changed.terms[0].negative ^= true;
            let total = bytecode.totals.len() as u32;
            bytecode.totals.push(changed);
            bytecode.ops[instruction] = Op::Total { d, total };
        }
        op => bytecode.ops[instruction] = mutant(op)?,
    }
    Some(program)
}

/// An instruction that does something else.
fn mutant(mut op: Op) -> Option<Op> {
    match &mut op {
        Op::Const { v, .. } | Op::ReturnConst { v } => *v ^= 1,
        Op::Consts { len, .. } | Op::CopyAll { len, .. } => *len -= 1,
        Op::SubFrom { v, .. }
        | Op::AddConst { v, .. }
        | Op::IsBelow { v, .. }
        | Op::IsNotBelow { v, .. }
        | Op::JumpIfBelow { v, .. }
        | Op::JumpUnlessBelow { v, .. }
        | Op::JumpIfIs { v, .. }
        | Op::JumpUnlessIs { v, .. } => *v += 1,
        Op::Load { cell, .. } => *cell += 1,
        Op::LoadAt { base, .. }
        | Op::LoadScaled { base, .. }
        | Op::Cell { base, .. }
        | Op::SumScaled { base, .. } => *base += 1,
        Op::LoadPair { base, .. } | Op::CellPair { base, .. } => *base += 1,
        Op::ScalePair { by, .. } | Op::AddScaled { by, .. } => *by += 1,
        Op::Scale { by, .. } => *by += 1,
        Op::Extreme { is_max, .. } => *is_max = !*is_max,
        Op::Choose { yes, no, .. } => std::mem::swap(yes, no),
        Op::JumpIfLess { a, b, .. } | Op::JumpUnlessLess { a, b, .. } => std::mem::swap(a, b),
        other => {
            *other = match *other {
                Op::Add { d, a, b } => Op::Sub { d, a, b },
                Op::Sub { d, a, b } => Op::Add { d, a, b },
                Op::Mul { d, a, b } => Op::Add { d, a, b },
                Op::Div { d, a, b } => Op::Mul { d, a, b },
                Op::Rem { d, a, b } => Op::Sub { d, a, b },
                Op::Eq { d, a, b } => Op::Ne { d, a, b },
                Op::Ne { d, a, b } => Op::Eq { d, a, b },
                Op::Lt { d, a, b } => Op::Le { d, a, b },
                Op::Le { d, a, b } => Op::Lt { d, a, b },
                Op::Is { d, a, v } => Op::IsNot { d, a, v },
                Op::IsNot { d, a, v } => Op::Is { d, a, v },
                Op::Min { d, a, b } => Op::Max { d, a, b },
                Op::Max { d, a, b } => Op::Min { d, a, b },
                Op::MinConst { d, a, v } => Op::MaxConst { d, a, v },
                Op::MaxConst { d, a, v } => Op::MinConst { d, a, v },
                Op::Not { d, a } => Op::Copy { d, s: a },
                Op::JumpIf { c, to } => Op::JumpUnless { c, to },
                Op::JumpUnless { c, to } => Op::JumpIf { c, to },
                Op::JumpIfEqual { a, b, to } => Op::JumpUnlessEqual { a, b, to },
                Op::JumpUnlessEqual { a, b, to } => Op::JumpIfEqual { a, b, to },
                _ => return None,
            }
        }
    }
    Some(op)
}
