//! One instruction after the other.
//!
//! What an instruction means the [machine](crate) says; what is here is its usual course.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use cranelift_module::Module;

use super::Translation;
use crate::machine::compiled::{offset, verb_operands};
use crate::numbers::{At as _, Fit as _};
use crate::program::bytecode::{Op, Reg};
use crate::program::ids::FuncId;

/// Most registers that are written one by one.
const ONE_BY_ONE: u16 = 16;
/// Most cells of a row that are added one by one.
const ADDED: u32 = 12;

impl Translation<'_> {
    /// How two registers compare.
    fn compared(&mut self, how: IntCC, a: Reg, b: Reg) -> Value {
        let (a, b) = (self.get(a), self.get(b));
        self.b.ins().icmp(how, a, b)
    }

    /// How a register compares to a constant.
    fn compared_to(&mut self, how: IntCC, a: Reg, v: i32) -> Value {
        let a = self.get(a);
        self.b.ins().icmp_imm_s(how, a, i64::from(v))
    }

    fn set_truth(&mut self, d: Reg, truth: Value) {
        let truth = self.b.ins().uextend(types::I64, truth);
        self.set(d, truth);
    }

    /// The greater one of two, or the lesser.
    fn extreme(&mut self, a: Value, b: Value, greater: bool) -> Value {
        let less = self.b.ins().icmp(IntCC::SignedLessThan, a, b);
        match greater {
            true => self.b.ins().select(less, b, a),
            false => self.b.ins().select(less, a, b),
        }
    }

    /// A sum, a difference or a product, if it fits.
    pub(super) fn fitting(&mut self, (value, overflow): (Value, Value)) -> Value {
        self.unless_odd(overflow);
        value
    }

    fn set_fitting(&mut self, d: Reg, result: (Value, Value)) {
        let value = self.fitting(result);
        self.set(d, value);
    }

    fn set_difference(&mut self, d: Reg, a: Value, b: Value) {
        let difference = self.b.ins().ssub_overflow(a, b);
        self.set_fitting(d, difference);
    }

    /// `i * by + j * step`, where both are rows; if it is the index of a cell behind `base`, of one that is there.
    fn pair(&mut self, (i, by): (Reg, u16), (j, step): (Reg, u16), base: Option<u16>) -> Value {
        let (i, j) = (self.get(i), self.get(j));
        // Neither leads beyond all cells by itself, so that nothing overflows.
        self.row(i);
        self.row(j);
        let i = self.b.ins().imul_imm_s(i, i64::from(by));
        let j = self.b.ins().imul_imm_s(j, i64::from(step));
        let at = self.b.ins().iadd(i, j);
        if let Some(base) = base {
            self.index(at, i64::from(base), 1, 1);
        }
        at
    }

    fn sum(&mut self, first: Value, len: u32) -> Value {
        let mut sum = self.word(0);
        for cell in 0..len {
            let cell = self.cell(first, cell.cast_signed());
            sum = self.b.ins().iadd(sum, cell);
        }
        sum
    }

    /// Translates an instruction; whether the next one follows it.
    pub(super) fn op(&mut self, op: Op) -> bool {
        match op {
            Op::Const { d, v } => {
                let v = self.word(i64::from(v));
                self.set(d, v);
            }
            Op::Consts { d, first, len } if len <= ONE_BY_ONE => {
                for i in 0..len {
                    let v = self.program.constants[first.at() + usize::from(i)];
                    let v = self.word(v);
                    self.set(d + i, v);
                }
            }
            Op::Copy { d, s } => {
                let s = self.get(s);
                self.set(d, s);
            }
            Op::CopyAll { d, s, len } if len <= ONE_BY_ONE => {
                let values: Vec<Value> = (0..len).map(|i| self.get(s + i)).collect();
                for (i, value) in (0..).zip(values) {
                    self.set(d + i, value);
                }
            }
            Op::Add { d, a, b } => {
                let (a, b) = (self.get(a), self.get(b));
                let sum = self.b.ins().sadd_overflow(a, b);
                self.set_fitting(d, sum);
            }
            Op::AddConst { d, a, v } => {
                let (a, v) = (self.get(a), self.word(i64::from(v)));
                let sum = self.b.ins().sadd_overflow(a, v);
                self.set_fitting(d, sum);
            }
            Op::Sub { d, a, b } => {
                let (a, b) = (self.get(a), self.get(b));
                self.set_difference(d, a, b);
            }
            Op::SubFrom { d, v, a } => {
                let (v, a) = (self.word(i64::from(v)), self.get(a));
                self.set_difference(d, v, a);
            }
            Op::Neg { d, a } => {
                let (zero, a) = (self.word(0), self.get(a));
                self.set_difference(d, zero, a);
            }
            Op::Mul { d, a, b } => {
                let (a, b) = (self.get(a), self.get(b));
                let product = self.b.ins().smul_overflow(a, b);
                self.set_fitting(d, product);
            }
            Op::Div { d, a, b } | Op::Rem { d, a, b } => {
                let (a, b) = (self.get(a), self.get(b));
                let odd = IntCC::SignedLessThanOrEqual;
                let odd = self.b.ins().icmp_imm_s(odd, b, 0);
                self.unless_odd(odd);
                let value = match op {
                    Op::Div { .. } => self.b.ins().sdiv(a, b),
                    _ => self.b.ins().srem(a, b),
                };
                self.set(d, value);
            }
            Op::Eq { d, a, b } => {
                let truth = self.compared(IntCC::Equal, a, b);
                self.set_truth(d, truth);
            }
            Op::Ne { d, a, b } => {
                let truth = self.compared(IntCC::NotEqual, a, b);
                self.set_truth(d, truth);
            }
            Op::Lt { d, a, b } => {
                let truth = self.compared(IntCC::SignedLessThan, a, b);
                self.set_truth(d, truth);
            }
            Op::Le { d, a, b } => {
                let truth = self.compared(IntCC::SignedLessThanOrEqual, a, b);
                self.set_truth(d, truth);
            }
            Op::Is { d, a, v } => {
                let truth = self.compared_to(IntCC::Equal, a, v);
                self.set_truth(d, truth);
            }
            Op::IsNot { d, a, v } => {
                let truth = self.compared_to(IntCC::NotEqual, a, v);
                self.set_truth(d, truth);
            }
            Op::IsBelow { d, a, v } => {
                let truth = self.compared_to(IntCC::SignedLessThan, a, v);
                self.set_truth(d, truth);
            }
            Op::IsNotBelow { d, a, v } => {
                let truth = self.compared_to(IntCC::SignedGreaterThanOrEqual, a, v);
                self.set_truth(d, truth);
            }
            Op::Not { d, a } => {
                let truth = self.compared_to(IntCC::Equal, a, 0);
                self.set_truth(d, truth);
            }
            Op::Min { d, a, b } => {
                let (a, b) = (self.get(a), self.get(b));
                let least = self.extreme(a, b, false);
                self.set(d, least);
            }
            Op::Max { d, a, b } => {
                let (a, b) = (self.get(a), self.get(b));
                let greatest = self.extreme(a, b, true);
                self.set(d, greatest);
            }
            Op::MinConst { d, a, v } => {
                let (a, v) = (self.get(a), self.word(i64::from(v)));
                let least = self.extreme(a, v, false);
                self.set(d, least);
            }
            Op::MaxConst { d, a, v } => {
                let (a, v) = (self.get(a), self.word(i64::from(v)));
                let greatest = self.extreme(a, v, true);
                self.set(d, greatest);
            }
            Op::Extreme {
                acc,
                seen,
                s,
                is_max,
            } => {
                let (best, value, known) = (self.get(acc), self.get(s), self.get(seen));
                let better = self.extreme(best, value, is_max);
                let better = self.b.ins().select(known, better, value);
                self.set(acc, better);
                let seen_now = self.word(1);
                self.set(seen, seen_now);
            }
            Op::Choose { d, c, yes, no } => {
                let c = self.get(c);
                let (yes, no) = (self.word(i64::from(yes)), self.word(i64::from(no)));
                let value = self.b.ins().select(c, yes, no);
                self.set(d, value);
            }
            Op::Jump { to } => {
                let to = self.block(to.at());
                self.b.ins().jump(to, &[]);
                return false;
            }
            Op::Back { to } => {
                let fuel = self.fuel();
                self.set_fuel(fuel);
                let to = self.block(to.at());
                self.b.ins().jump(to, &[]);
                return false;
            }
            Op::JumpIf { c, to } => {
                let c = self.get(c);
                return self.jump_if(c, to);
            }
            Op::JumpUnless { c, to } => {
                let c = self.get(c);
                return self.jump_unless(c, to);
            }
            Op::JumpIfLess { a, b, to } => {
                let less = self.compared(IntCC::SignedLessThan, a, b);
                return self.jump_if(less, to);
            }
            Op::JumpUnlessLess { a, b, to } => {
                let less = self.compared(IntCC::SignedLessThan, a, b);
                return self.jump_unless(less, to);
            }
            Op::JumpIfBelow { a, v, to } => {
                let less = self.compared_to(IntCC::SignedLessThan, a, v);
                return self.jump_if(less, to);
            }
            Op::JumpUnlessBelow { a, v, to } => {
                let less = self.compared_to(IntCC::SignedLessThan, a, v);
                return self.jump_unless(less, to);
            }
            Op::JumpIfEqual { a, b, to } => {
                let equal = self.compared(IntCC::Equal, a, b);
                return self.jump_if(equal, to);
            }
            Op::JumpUnlessEqual { a, b, to } => {
                let equal = self.compared(IntCC::Equal, a, b);
                return self.jump_unless(equal, to);
            }
            Op::JumpIfIs { a, v, to } => {
                let equal = self.compared_to(IntCC::Equal, a, v);
                return self.jump_if(equal, to);
            }
            Op::JumpUnlessIs { a, v, to } => {
                let equal = self.compared_to(IntCC::Equal, a, v);
                return self.jump_unless(equal, to);
            }
            Op::Next { var, bound, to } => {
                let bound = self.get(bound);
                return self.next(var, bound, to);
            }
            Op::NextRow { var, rows, to } => {
                let rows = self.word(i64::from(rows));
                return self.next(var, rows, to);
            }
            Op::Scan { scan, to } => {
                let var = self.program.scans[scan.at()].var;
                let from = self.get(var);
                let ways = (self.block(self.at + 1), self.block(to.at()));
                self.scan(scan, from, from, ways);
                return false;
            }
            Op::ScanNext { scan, to } => {
                let var = self.program.scans[scan.at()].var;
                let (last, one) = (self.get(var), self.word(1));
                let from = self.b.ins().sadd_overflow(last, one);
                let from = self.fitting(from);
                let ways = (self.block(to.at()), self.block(self.at + 1));
                self.scan(scan, from, last, ways);
                return false;
            }
            Op::Load { d, cell } if i64::from(cell) < self.cells => {
                let first = self.word(0);
                let value = self.cell(first, cell.cast_signed());
                self.set(d, value);
            }
            Op::LoadAt { d, base, i } => {
                let i = self.get(i);
                self.index(i, i64::from(base), 1, 1);
                let value = self.cell(i, base.cast_signed());
                self.set(d, value);
            }
            Op::LoadScaled { d, base, i, by } => {
                let i = self.get(i);
                self.index(i, i64::from(base), i64::from(by), 1);
                let at = self.b.ins().imul_imm_s(i, i64::from(by));
                let value = self.cell(at, base.cast_signed());
                self.set(d, value);
            }
            Op::LoadPair {
                d,
                base,
                i,
                by,
                j,
                step,
            } => {
                let at = self.pair((i, by), (j, u16::from(step)), Some(base));
                let value = self.cell(at, i32::from(base));
                self.set(d, value);
            }
            Op::Cell { d, base, i, by } => {
                let i = self.get(i);
                self.row(i);
                let at = self.b.ins().imul_imm_s(i, i64::from(by));
                let at = self.b.ins().iadd_imm_s(at, i64::from(base));
                self.set(d, at);
            }
            Op::CellPair {
                d,
                base,
                i,
                by,
                j,
                step,
            } => {
                let at = self.pair((i, by), (j, u16::from(step)), None);
                let at = self.b.ins().iadd_imm_s(at, i64::from(base));
                self.set(d, at);
            }
            Op::Scale { d, i, by } => {
                let i = self.get(i);
                self.row(i);
                let at = self.b.ins().imul_imm_s(i, i64::from(by));
                self.set(d, at);
            }
            Op::ScalePair { d, i, by, j, step } => {
                let at = self.pair((i, by), (j, step), None);
                self.set(d, at);
            }
            Op::AddScaled { d, a, i, by } => {
                let (a, i) = (self.get(a), self.get(i));
                self.row(i);
                let step = self.b.ins().imul_imm_s(i, i64::from(by));
                let sum = self.b.ins().sadd_overflow(a, step);
                self.set_fitting(d, sum);
            }
            Op::Sum { d, base, len } if self.fits(i64::from(base), u32::from(len)) => {
                let first = self.word(i64::from(base));
                let sum = self.sum(first, u32::from(len));
                self.set(d, sum);
            }
            Op::SumAt { d, base, i, len } if u32::from(len) <= ADDED => {
                let i = self.get(i);
                self.index(i, i64::from(base), 1, i64::from(len));
                let first = self.b.ins().iadd_imm_s(i, i64::from(base));
                let sum = self.sum(first, u32::from(len));
                self.set(d, sum);
            }
            Op::SumScaled {
                d,
                base,
                i,
                by,
                len,
            } if u32::from(len) <= ADDED => {
                let i = self.get(i);
                self.index(i, i64::from(base), i64::from(by), i64::from(len));
                let at = self.b.ins().imul_imm_s(i, i64::from(by));
                let first = self.b.ins().iadd_imm_s(at, i64::from(base));
                let sum = self.sum(first, u32::from(len));
                self.set(d, sum);
            }
            Op::Column { d, base, i, len } => {
                let row = self.get(i);
                let bad = IntCC::UnsignedGreaterThanOrEqual;
                let bad = self.b.ins().icmp_imm_s(bad, row, i64::from(len));
                self.unless_odd(bad);
                let value = self.column(base, u32::from(len), row);
                self.set(d, value);
            }
            Op::RegisterAt { d, base, i, len } => {
                let row = self.get(i);
                let bad = IntCC::UnsignedGreaterThanOrEqual;
                let bad = self.b.ins().icmp_imm_s(bad, row, i64::from(len));
                self.unless_odd(bad);
                self.own(base, len);
                let bytes = self.b.ins().ishl_imm_s(row, 3);
                let register = self.b.ins().iadd(self.registers, bytes);
                let flags = self.flags(self.regions.registers);
                let at = i32::from(base) * 8;
                let value = self.b.ins().load(types::I64, flags, register, at);
                self.set(d, value);
            }
            Op::Total { d, total } => {
                let program = self.program;
                match self.total(&program.totals[total.at()]) {
                    Some(sum) => self.set(d, sum),
                    None => self.step(),
                }
            }
            Op::Call { d, function, at } => self.call(d, function, at),
            Op::Return { s } => {
                let (value, fine) = (self.get(s), self.word(0));
                self.b.ins().return_(&[value, fine]);
                return false;
            }
            Op::ReturnConst { v } => {
                let (value, fine) = (self.word(i64::from(v)), self.word(0));
                self.b.ins().return_(&[value, fine]);
                return false;
            }
            Op::Verb { d, verb, at } => {
                let free = self.program.functions[self.number].registers;
                let operands = verb_operands(verb, at, free);
                let (op, operands) = (self.word(self.at.fit()), self.word(operands.cast_signed()));
                let outcome = self.call_back(offset::VERB, op, operands);
                let value = self.given(outcome);
                self.set(d, value);
            }
            Op::Possible { .. }
            | Op::Standing { .. }
            | Op::CountIn { .. }
            | Op::SumRegisters { .. }
            | Op::Load { .. }
            | Op::Sum { .. }
            | Op::SumAt { .. }
            | Op::SumScaled { .. }
            | Op::Consts { .. }
            | Op::CopyAll { .. }
            | Op::Cite { .. }
            | Op::Work { .. } => {
                self.step();
            }
            Op::Offer { mv, to } => {
                let free = self.program.functions[self.number].registers;
                let (mv, free) = (self.word(i64::from(mv.0)), self.word(i64::from(free)));
                let outcome = self.call_back(offset::OFFER, mv, free);
                let enough = self.given(outcome);
                return self.jump_unless(enough, to);
            }
        }
        true
    }

    fn fits(&self, base: i64, len: u32) -> bool {
        len <= ADDED && base + i64::from(len) <= self.cells
    }

    fn call(&mut self, d: Reg, function: FuncId, at: Reg) {
        let code = self.program.functions[function];
        let fuel = self.fuel();
        self.set_fuel(fuel);
        let at_hand = match self.program.ops[code.start.at()] {
            _ if !code.is_at_hand => None,
            Op::ReturnConst { v } => Some(self.word(i64::from(v))),
            Op::Load { cell, .. } if i64::from(cell) < self.cells => {
                let first = self.word(0);
                Some(self.cell(first, cell.cast_signed()))
            }
            _ => None,
        };
        if let Some(value) = at_hand {
            return self.set(d, value);
        }
        self.own(at, 0);
        let window = self.b.ins().iadd_imm_s(self.registers, i64::from(at) * 8);
        let deeper = self.b.ins().iadd_imm_s(self.depth, 1);
        let outcome = if code.memo.is_some() {
            let number = self.word(i64::from(function.0));
            self.call_back_for(window, offset::REMEMBERED, number, deeper)
        } else {
            let id = self.functions[function];
            let callee = self.module.declare_func_in_func(id, self.b.func);
            let args = [self.context, window, deeper];
            let call = self.b.ins().call(callee, &args);
            let results = self.b.inst_results(call);
            [results[0], results[1]]
        };
        let value = self.given(outcome);
        self.set(d, value);
    }
}
