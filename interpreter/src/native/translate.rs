//! Instructions of bytecode as those of the processor.
//!
//! Registers stay in memory, where the machine has them too, so that it can take over anywhere; the translator
//! keeps what it has just written at hand by itself. An instruction that may go wrong first makes sure that it
//! does not, and else lets the machine [take over](Translation::unless_odd) before it has done anything.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AbiParam, AliasRegion, AliasRegionData, Block, Function, InstBuilder, MemFlagsData, SigRef,
    Signature, Type, Value, types,
};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::JITModule;
use cranelift_module::{FuncId, Module};

use super::call::offset;
use super::{Data, NativeError};
use crate::compile::bytecode::{Op, Program, Reg};
use crate::compile::scan::{Relation, Scan, Test};
use crate::compile::total::Total;
use crate::play::machine::DEPTH;

/// Most registers that are written one by one.
const ONE_BY_ONE: u16 = 16;
/// Most cells of a row that are added one by one.
const ADDED: u32 = 12;
/// Most cells of all rows that are.
const ADDED_IN_ALL: u32 = 32;

/// Translates all functions of a program; gives them in their order.
pub(super) fn all(
    module: &mut JITModule,
    program: &Program,
    cells: usize,
    data: &Data,
) -> Result<Vec<FuncId>, NativeError> {
    let entry = signature(module, 3);
    let mut functions = Vec::with_capacity(program.functions.len());
    for _ in &program.functions {
        functions.push(module.declare_anonymous_function(&entry)?);
    }
    let mut context = module.make_context();
    let mut room = FunctionBuilderContext::new();
    for number in 0..functions.len() {
        context.func.signature = entry.clone();
        let mut builder = FunctionBuilder::new(&mut context.func, &mut room);
        let back = builder.import_signature(signature(module, 4));
        Translation::new(
            module, program, cells, data, &functions, number, builder, back,
        )
        .whole();
        module.define_function(functions[number], &mut context)?;
        module.clear_context(&mut context);
    }
    Ok(functions)
}

/// Of functions that are given so many words; they give two.
fn signature(module: &JITModule, words: usize) -> Signature {
    let mut signature = module.make_signature();
    signature.params = vec![AbiParam::new(types::I64); words];
    signature.returns = vec![AbiParam::new(types::I64); 2];
    signature
}

/// Regions of memory of which no two overlap.
#[derive(Clone, Copy)]
struct Regions {
    registers: AliasRegion,
    context: AliasRegion,
    cells: AliasRegion,
    /// What never changes.
    data: AliasRegion,
}

struct Translation<'a> {
    module: &'a mut JITModule,
    program: &'a Program,
    /// How many cells there are.
    cells: i64,
    data: &'a Data,
    functions: &'a [FuncId],
    number: usize,
    b: FunctionBuilder<'a>,
    /// The signature of calls back.
    back: SigRef,
    regions: Regions,
    context: Value,
    registers: Value,
    depth: Value,
    /// The instructions of the function.
    ops: std::ops::Range<usize>,
    /// Where each of them begins, if something leads to it.
    blocks: Vec<Option<Block>>,
    /// Where the machine takes over, at which instruction.
    odd: Vec<(Block, usize)>,
    /// Gives to the caller that something failed.
    failed: Block,
    /// The instruction that is translated.
    at: usize,
}

impl<'a> Translation<'a> {
    #[allow(clippy::too_many_arguments, reason = "the parts of a translation")]
    fn new(
        module: &'a mut JITModule,
        program: &'a Program,
        cells: usize,
        data: &'a Data,
        functions: &'a [FuncId],
        number: usize,
        mut b: FunctionBuilder<'a>,
        back: SigRef,
    ) -> Self {
        let start = program.functions[number].start as usize;
        let next = program.functions.get(number + 1);
        let end = next.map_or(program.ops.len(), |code| code.start as usize);
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        let failed = b.create_block();
        b.set_cold_block(failed);
        let &[context, registers, depth] = b.block_params(entry) else {
            unreachable!("an entry has three parameters");
        };
        let regions = Regions {
            registers: region(b.func, 0, "registers"),
            context: region(b.func, 1, "context"),
            cells: region(b.func, 2, "cells"),
            data: region(b.func, 3, "data"),
        };
        Translation {
            module,
            program,
            cells: cells as i64,
            data,
            functions,
            number,
            b,
            back,
            regions,
            context,
            registers,
            depth,
            ops: start..end,
            blocks: vec![None; end - start],
            odd: Vec::new(),
            failed,
            at: start,
        }
    }

    fn whole(mut self) {
        for at in self.ops.clone() {
            let mut op = self.program.ops[at];
            if let Some(to) = op.target() {
                let to = *to as usize;
                self.begin_block(to);
                self.begin_block(at + 1);
            }
        }
        self.begin_block(self.ops.start);
        self.room();
        let mut open = true;
        for at in self.ops.clone() {
            if let Some(block) = self.blocks[at - self.ops.start] {
                if open {
                    self.b.ins().jump(block, &[]);
                }
                self.b.switch_to_block(block);
                open = true;
            }
            if open {
                self.at = at;
                open = self.op(self.program.ops[at]);
            }
        }
        for (block, at) in std::mem::take(&mut self.odd) {
            self.b.switch_to_block(block);
            let at = self.place(at);
            let outcome = self.call_back(offset::RESUME, at, self.depth);
            self.b.ins().return_(&outcome);
        }
        self.b.switch_to_block(self.failed);
        let (value, status) = (self.word(0), self.word(1));
        self.b.ins().return_(&[value, status]);
        self.b.seal_all_blocks();
        let config = self.module.target_config();
        self.b.finalize(config);
    }

    fn begin_block(&mut self, at: usize) {
        if self.ops.contains(&at) {
            let block = &mut self.blocks[at - self.ops.start];
            block.get_or_insert_with(|| self.b.create_block());
        }
    }

    /// There is room for the window, and calls are not nested too deeply.
    fn room(&mut self) {
        let code = self.program.functions[self.number];
        let used = (i64::from(code.registers) + 1) * 8;
        let end = self.of_context(offset::END);
        let window = self.b.ins().iadd_imm_s(self.registers, used);
        let crowded = self.b.ins().icmp(IntCC::UnsignedGreaterThan, window, end);
        self.unless_odd(crowded);
        let most = i64::from(DEPTH);
        let deep = IntCC::UnsignedGreaterThan;
        let deep = self.b.ins().icmp_imm_s(deep, self.depth, most);
        self.unless_odd(deep);
    }

    // ---- memory

    fn flags(&self, region: AliasRegion) -> MemFlagsData {
        MemFlagsData::trusted().with_alias_region(Some(region))
    }

    fn word(&mut self, value: i64) -> Value {
        self.b.ins().iconst(types::I64, value)
    }

    fn get(&mut self, register: Reg) -> Value {
        let flags = self.flags(self.regions.registers);
        let at = i32::from(register) * 8;
        self.b.ins().load(types::I64, flags, self.registers, at)
    }

    fn set(&mut self, register: Reg, value: Value) {
        let flags = self.flags(self.regions.registers);
        let at = i32::from(register) * 8;
        self.b.ins().store(flags, value, self.registers, at);
    }

    fn of_context(&mut self, at: i32) -> Value {
        let flags = self.flags(self.regions.context);
        self.b.ins().load(types::I64, flags, self.context, at)
    }

    fn set_fuel(&mut self, fuel: Value) {
        let flags = self.flags(self.regions.context);
        self.b.ins().store(flags, fuel, self.context, offset::FUEL);
    }

    /// The cell at an index that is in range.
    fn cell(&mut self, index: Value, behind: i32) -> Value {
        let cells = self.of_context(offset::CELLS);
        let bytes = self.b.ins().ishl_imm_s(index, 2);
        let cell = self.b.ins().iadd(cells, bytes);
        let flags = self.flags(self.regions.cells);
        self.b.ins().sload32(flags, cell, behind * 4)
    }

    /// An entry of a list that never changes, at an index that is in range.
    fn data(&mut self, list: *const u8, ty: Type, index: Value) -> Value {
        let list = self.word(list as i64);
        let bytes = self.b.ins().ishl_imm_s(index, 2);
        let entry = self.b.ins().iadd(list, bytes);
        let flags = self.flags(self.regions.data).with_readonly();
        match ty {
            types::I32 => self.b.ins().sload32(flags, entry, 0),
            _ => self.b.ins().uload32(flags, entry, 0),
        }
    }

    fn column(&mut self, base: u32, row: Value) -> Value {
        let column = &self.data.columns[base as usize..];
        self.data(column.as_ptr().cast(), types::I32, row)
    }

    // ---- ways on

    /// Goes on unless something is odd; then the machine takes over at this instruction.
    fn unless_odd(&mut self, odd: Value) {
        let known = self.odd.last().filter(|(_, at)| *at == self.at);
        let block = match known {
            Some((block, _)) => *block,
            None => {
                let block = self.b.create_block();
                self.b.set_cold_block(block);
                self.odd.push((block, self.at));
                block
            }
        };
        let next = self.b.create_block();
        self.b.ins().brif(odd, block, &[], next, &[]);
        self.b.switch_to_block(next);
    }

    /// The block of an instruction; outside the function there is none.
    fn block(&self, at: usize) -> Block {
        self.blocks[at - self.ops.start].expect("something leads to it")
    }

    /// Goes on elsewhere if something holds.
    fn jump_if(&mut self, condition: Value, to: u32) -> bool {
        let (to, next) = (self.block(to as usize), self.block(self.at + 1));
        self.b.ins().brif(condition, to, &[], next, &[]);
        false
    }

    fn jump_unless(&mut self, condition: Value, to: u32) -> bool {
        let (to, next) = (self.block(to as usize), self.block(self.at + 1));
        self.b.ins().brif(condition, next, &[], to, &[]);
        false
    }

    /// Fuel for one turn or call, which is there; it is not used yet.
    fn fuel(&mut self) -> Value {
        let fuel = self.of_context(offset::FUEL);
        let none = self.b.ins().icmp_imm_s(IntCC::Equal, fuel, 0);
        self.unless_odd(none);
        self.b.ins().iadd_imm_s(fuel, -1)
    }

    /// Calls the machine; the value, and the status.
    fn call_back(&mut self, which: i32, what: Value, more: Value) -> [Value; 2] {
        let function = self.of_context(which);
        let args = [self.context, self.registers, what, more];
        let call = self.b.ins().call_indirect(self.back, function, &args);
        let results = self.b.inst_results(call);
        [results[0], results[1]]
    }

    /// The value of what was called, if it has one.
    fn given(&mut self, [value, status]: [Value; 2]) -> Value {
        let next = self.b.create_block();
        self.b.ins().brif(status, self.failed, &[], next, &[]);
        self.b.switch_to_block(next);
        value
    }

    /// An instruction of this function, as the machine is told of it.
    fn place(&mut self, at: usize) -> Value {
        self.word((self.number as i64) << 32 | at as i64)
    }

    /// The machine does this one instruction; whether the next one follows it.
    fn step(&mut self) -> Value {
        let at = self.place(self.at);
        let outcome = self.call_back(offset::STEP, at, self.depth);
        self.given(outcome)
    }

    // ---- instructions

    fn truth(&mut self, d: Reg, condition: IntCC, a: Value, b: Value) {
        let truth = self.b.ins().icmp(condition, a, b);
        let truth = self.b.ins().uextend(types::I64, truth);
        self.set(d, truth);
    }

    fn least(&mut self, a: Value, b: Value) -> Value {
        let less = self.b.ins().icmp(IntCC::SignedLessThan, a, b);
        self.b.ins().select(less, a, b)
    }

    fn greatest(&mut self, a: Value, b: Value) -> Value {
        let less = self.b.ins().icmp(IntCC::SignedLessThan, a, b);
        self.b.ins().select(less, b, a)
    }

    /// A sum, a difference or a product that fits.
    fn fitting(&mut self, (value, overflow): (Value, Value)) -> Value {
        self.unless_odd(overflow);
        value
    }

    /// An index is a row or a seat: there are no more of these than cells, so that nothing it is a part of overflows.
    fn row(&mut self, index: Value) {
        let bad = IntCC::UnsignedGreaterThanOrEqual;
        let bad = self.b.ins().icmp_imm_s(bad, index, self.cells);
        self.unless_odd(bad);
    }

    /// An index that is a row, and so far below what is asked that so many cells from it on are there.
    fn index(&mut self, index: Value, base: i64, by: i64, len: i64) {
        // The first index of which that is not so: none is fine if there is none.
        let first_bad = match self.cells - base - len {
            room if room < 0 => 0,
            room => room / by.max(1) + 1,
        };
        let bad = IntCC::UnsignedGreaterThanOrEqual;
        let bad = self.b.ins().icmp_imm_s(bad, index, first_bad);
        self.unless_odd(bad);
    }

    /// `i * by + j * step`, where both are rows; if it is the index of a cell behind `base`, of one that is there.
    fn pair(&mut self, (i, by): (Reg, u16), (j, step): (Reg, u16), base: Option<u16>) -> Value {
        let (i, j) = (self.get(i), self.get(j));
        // Neither leads beyond all cells by itself, so that nothing overflows.
        for index in [i, j] {
            self.row(index);
        }
        let i = self.b.ins().imul_imm_s(i, i64::from(by));
        let j = self.b.ins().imul_imm_s(j, i64::from(step));
        let at = self.b.ins().iadd(i, j);
        if let Some(base) = base {
            self.index(at, i64::from(base), 1, 1);
        }
        at
    }

    /// A sum over all rows, if that takes few additions: its terms' indices are seats or rows.
    fn total(&mut self, total: &Total) -> Option<Value> {
        let added = total.terms.iter().map(|term| term.len * total.rows);
        if added.sum::<u32>() > ADDED_IN_ALL || total.rows == 0 {
            return None;
        }
        let fuel = self.of_context(offset::FUEL);
        let rows = i64::from(total.rows);
        let dear = self.b.ins().icmp_imm_s(IntCC::UnsignedLessThan, fuel, rows);
        self.unless_odd(dear);
        let mut sum = self.word(0);
        for term in &total.terms {
            let mut first = self.word(0);
            for (register, by) in &term.indices {
                let index = self.get(*register);
                self.row(index);
                let step = self.b.ins().imul_imm_s(index, i64::from(*by));
                first = self.b.ins().iadd(first, step);
            }
            let len = (total.rows - 1) * term.stride + term.len;
            self.index(first, i64::from(term.base), 1, i64::from(len));
            let mut part = self.word(0);
            for row in 0..total.rows {
                let by = term
                    .column
                    .map(|column| self.data.columns[(column + row) as usize]);
                for cell in 0..term.len {
                    let cell = term.base + row * term.stride + cell;
                    let mut added = self.cell(first, cell as i32);
                    if let Some(by) = by {
                        added = self.b.ins().imul_imm_s(added, i64::from(by));
                    }
                    part = self.b.ins().iadd(part, added);
                }
            }
            sum = match term.negative {
                true => self.b.ins().isub(sum, part),
                false => self.b.ins().iadd(sum, part),
            };
        }
        let fuel = self.b.ins().iadd_imm_s(fuel, -rows);
        self.set_fuel(fuel);
        Some(sum)
    }

    fn sum(&mut self, first: Value, len: u32) -> Value {
        let mut sum = self.word(0);
        for cell in 0..len {
            let cell = self.cell(first, cell as i32);
            sum = self.b.ins().iadd(sum, cell);
        }
        sum
    }

    /// Sets the variable of a scan to the next row that passes, from a row on: goes to `found`, or to `none` if
    /// there is none. `before` is where the rows that cost fuel begin.
    fn scan(&mut self, number: u32, from: Value, before: Value, (found, none): (Block, Block)) {
        let scan: &Scan = &self.program.scans[number as usize];
        let rows = i64::from(scan.rows);
        let below = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, from, 0);
        self.unless_odd(below);
        let (head, look) = (self.b.create_block(), self.b.create_block());
        let ended = self.b.create_block();
        let row = self.b.append_block_param(head, types::I64);
        let last = self.b.append_block_param(ended, types::I64);
        self.b.ins().jump(head, &[from.into()]);
        self.b.switch_to_block(head);
        let over = IntCC::SignedGreaterThanOrEqual;
        let over = self.b.ins().icmp_imm_s(over, row, rows);
        let row_arg = [row.into()];
        self.b.ins().brif(over, ended, &row_arg, look, &[]);
        self.b.switch_to_block(look);
        for (i, test) in scan.tests.iter().enumerate() {
            let next = self.b.create_block();
            match test {
                Test::Next(_) => {
                    let table = self.data.next[number as usize][i].as_ptr().cast();
                    let to = self.data(table, types::I64, row);
                    let passes = self.b.ins().icmp(IntCC::Equal, to, row);
                    let to = [to.into()];
                    self.b.ins().brif(passes, next, &[], head, &to);
                }
                Test::Column { base, is, value } => {
                    let column = self.column(*base, row);
                    let value = self.get(*value);
                    let is = match is {
                        Relation::Equal => IntCC::Equal,
                        Relation::Below => IntCC::SignedLessThan,
                        Relation::AtMost => IntCC::SignedLessThanOrEqual,
                        Relation::Above => IntCC::SignedGreaterThan,
                        Relation::AtLeast => IntCC::SignedGreaterThanOrEqual,
                    };
                    let passes = self.b.ins().icmp(is, column, value);
                    let further = self.b.ins().iadd_imm_s(row, 1);
                    let further = [further.into()];
                    self.b.ins().brif(passes, next, &[], head, &further);
                }
                Test::Cell {
                    base,
                    stride,
                    terms,
                } => {
                    let mut at = self.b.ins().imul_imm_s(row, i64::from(*stride));
                    for (register, by) in terms {
                        let index = self.get(*register);
                        self.row(index);
                        let term = self.b.ins().imul_imm_s(index, i64::from(*by));
                        at = self.b.ins().iadd(at, term);
                    }
                    self.index(at, i64::from(*base), 1, 1);
                    let cell = self.cell(at, *base as i32);
                    let passes = self.b.ins().icmp_imm_s(IntCC::SignedGreaterThan, cell, 0);
                    let further = self.b.ins().iadd_imm_s(row, 1);
                    let further = [further.into()];
                    self.b.ins().brif(passes, next, &[], head, &further);
                }
            }
            self.b.switch_to_block(next);
        }
        self.b.ins().jump(ended, &[row.into()]);
        self.b.switch_to_block(ended);
        let skipped = self.b.ins().isub(last, before);
        let fuel = self.of_context(offset::FUEL);
        let dear = self.b.ins().icmp(IntCC::UnsignedLessThan, fuel, skipped);
        self.unless_odd(dear);
        let fuel = self.b.ins().isub(fuel, skipped);
        self.set_fuel(fuel);
        self.set(scan.var, last);
        let some = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, last, rows);
        self.b.ins().brif(some, found, &[], none, &[]);
    }

    /// Translates an instruction; whether the next one follows it.
    fn op(&mut self, op: Op) -> bool {
        match op {
            Op::Const { d, v } => {
                let v = self.word(i64::from(v));
                self.set(d, v);
            }
            Op::Consts { d, first, len } if len <= ONE_BY_ONE => {
                for i in 0..len {
                    let v = self.program.constants[first as usize + usize::from(i)];
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
                let sum = self.fitting(sum);
                self.set(d, sum);
            }
            Op::AddConst { d, a, v } => {
                let (a, v) = (self.get(a), self.word(i64::from(v)));
                let sum = self.b.ins().sadd_overflow(a, v);
                let sum = self.fitting(sum);
                self.set(d, sum);
            }
            Op::Sub { d, a, b } => {
                let (a, b) = (self.get(a), self.get(b));
                let difference = self.b.ins().ssub_overflow(a, b);
                let difference = self.fitting(difference);
                self.set(d, difference);
            }
            Op::SubFrom { d, v, a } => {
                let (v, a) = (self.word(i64::from(v)), self.get(a));
                let difference = self.b.ins().ssub_overflow(v, a);
                let difference = self.fitting(difference);
                self.set(d, difference);
            }
            Op::Mul { d, a, b } => {
                let (a, b) = (self.get(a), self.get(b));
                let product = self.b.ins().smul_overflow(a, b);
                let product = self.fitting(product);
                self.set(d, product);
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
                let (a, b) = (self.get(a), self.get(b));
                self.truth(d, IntCC::Equal, a, b);
            }
            Op::Ne { d, a, b } => {
                let (a, b) = (self.get(a), self.get(b));
                self.truth(d, IntCC::NotEqual, a, b);
            }
            Op::Lt { d, a, b } => {
                let (a, b) = (self.get(a), self.get(b));
                self.truth(d, IntCC::SignedLessThan, a, b);
            }
            Op::Le { d, a, b } => {
                let (a, b) = (self.get(a), self.get(b));
                self.truth(d, IntCC::SignedLessThanOrEqual, a, b);
            }
            Op::Is { d, a, v } => {
                let (a, v) = (self.get(a), self.word(i64::from(v)));
                self.truth(d, IntCC::Equal, a, v);
            }
            Op::IsNot { d, a, v } => {
                let (a, v) = (self.get(a), self.word(i64::from(v)));
                self.truth(d, IntCC::NotEqual, a, v);
            }
            Op::IsBelow { d, a, v } => {
                let (a, v) = (self.get(a), self.word(i64::from(v)));
                self.truth(d, IntCC::SignedLessThan, a, v);
            }
            Op::IsNotBelow { d, a, v } => {
                let (a, v) = (self.get(a), self.word(i64::from(v)));
                self.truth(d, IntCC::SignedGreaterThanOrEqual, a, v);
            }
            Op::Min { d, a, b } => {
                let (a, b) = (self.get(a), self.get(b));
                let value = self.least(a, b);
                self.set(d, value);
            }
            Op::Max { d, a, b } => {
                let (a, b) = (self.get(a), self.get(b));
                let value = self.greatest(a, b);
                self.set(d, value);
            }
            Op::MinConst { d, a, v } => {
                let (a, v) = (self.get(a), self.word(i64::from(v)));
                let value = self.least(a, v);
                self.set(d, value);
            }
            Op::MaxConst { d, a, v } => {
                let (a, v) = (self.get(a), self.word(i64::from(v)));
                let value = self.greatest(a, v);
                self.set(d, value);
            }
            Op::Extreme {
                acc,
                seen,
                s,
                is_max,
            } => {
                let (best, value, known) = (self.get(acc), self.get(s), self.get(seen));
                let better = match is_max {
                    true => self.greatest(best, value),
                    false => self.least(best, value),
                };
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
            Op::Neg { d, a } => {
                let (zero, a) = (self.word(0), self.get(a));
                let value = self.b.ins().ssub_overflow(zero, a);
                let value = self.fitting(value);
                self.set(d, value);
            }
            Op::Not { d, a } => {
                let (a, zero) = (self.get(a), self.word(0));
                self.truth(d, IntCC::Equal, a, zero);
            }
            Op::Jump { to } => {
                let to = self.block(to as usize);
                self.b.ins().jump(to, &[]);
                return false;
            }
            Op::Back { to } => {
                let fuel = self.fuel();
                self.set_fuel(fuel);
                let to = self.block(to as usize);
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
                let (a, b) = (self.get(a), self.get(b));
                let less = self.b.ins().icmp(IntCC::SignedLessThan, a, b);
                return self.jump_if(less, to);
            }
            Op::JumpUnlessLess { a, b, to } => {
                let (a, b) = (self.get(a), self.get(b));
                let less = self.b.ins().icmp(IntCC::SignedLessThan, a, b);
                return self.jump_unless(less, to);
            }
            Op::JumpIfBelow { a, v, to } => {
                let a = self.get(a);
                let less = IntCC::SignedLessThan;
                let less = self.b.ins().icmp_imm_s(less, a, i64::from(v));
                return self.jump_if(less, to);
            }
            Op::JumpUnlessBelow { a, v, to } => {
                let a = self.get(a);
                let less = IntCC::SignedLessThan;
                let less = self.b.ins().icmp_imm_s(less, a, i64::from(v));
                return self.jump_unless(less, to);
            }
            Op::JumpIfEqual { a, b, to } => {
                let (a, b) = (self.get(a), self.get(b));
                let equal = self.b.ins().icmp(IntCC::Equal, a, b);
                return self.jump_if(equal, to);
            }
            Op::JumpUnlessEqual { a, b, to } => {
                let (a, b) = (self.get(a), self.get(b));
                let equal = self.b.ins().icmp(IntCC::Equal, a, b);
                return self.jump_unless(equal, to);
            }
            Op::JumpIfIs { a, v, to } => {
                let a = self.get(a);
                let equal = self.b.ins().icmp_imm_s(IntCC::Equal, a, i64::from(v));
                return self.jump_if(equal, to);
            }
            Op::JumpUnlessIs { a, v, to } => {
                let a = self.get(a);
                let equal = self.b.ins().icmp_imm_s(IntCC::Equal, a, i64::from(v));
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
                let var = self.program.scans[scan as usize].var;
                let from = self.get(var);
                let ways = (self.block(self.at + 1), self.block(to as usize));
                self.scan(scan, from, from, ways);
                return false;
            }
            Op::ScanNext { scan, to } => {
                let var = self.program.scans[scan as usize].var;
                let (last, one) = (self.get(var), self.word(1));
                let from = self.b.ins().sadd_overflow(last, one);
                let from = self.fitting(from);
                let ways = (self.block(to as usize), self.block(self.at + 1));
                self.scan(scan, from, last, ways);
                return false;
            }
            Op::Load { d, cell } if i64::from(cell) < self.cells => {
                let first = self.word(0);
                let value = self.cell(first, cell as i32);
                self.set(d, value);
            }
            Op::LoadAt { d, base, i } => {
                let i = self.get(i);
                self.index(i, i64::from(base), 1, 1);
                let value = self.cell(i, base as i32);
                self.set(d, value);
            }
            Op::LoadScaled { d, base, i, by } => {
                let i = self.get(i);
                self.index(i, i64::from(base), i64::from(by), 1);
                let at = self.b.ins().imul_imm_s(i, i64::from(by));
                let value = self.cell(at, base as i32);
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
                let sum = self.fitting(sum);
                self.set(d, sum);
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
                let value = self.column(base, row);
                self.set(d, value);
            }
            Op::RegisterAt { d, base, i, len } => {
                let row = self.get(i);
                let bad = IntCC::UnsignedGreaterThanOrEqual;
                let bad = self.b.ins().icmp_imm_s(bad, row, i64::from(len));
                self.unless_odd(bad);
                let bytes = self.b.ins().ishl_imm_s(row, 3);
                let register = self.b.ins().iadd(self.registers, bytes);
                let flags = self.flags(self.regions.registers);
                let at = i32::from(base) * 8;
                let value = self.b.ins().load(types::I64, flags, register, at);
                self.set(d, value);
            }
            Op::Total { d, total } => {
                let program = self.program;
                match self.total(&program.totals[total as usize]) {
                    Some(sum) => self.set(d, sum),
                    None => drop(self.step()),
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
            Op::Verb { .. }
            | Op::Possible { .. }
            | Op::Standing { .. }
            | Op::CountIn { .. }
            | Op::SumRegisters { .. }
            | Op::Load { .. }
            | Op::Sum { .. }
            | Op::SumAt { .. }
            | Op::SumScaled { .. }
            | Op::Consts { .. }
            | Op::CopyAll { .. }
            | Op::Cite { .. } => {
                self.step();
            }
            Op::Offer { to, .. } => {
                let follows = self.step();
                return self.jump_unless(follows, to);
            }
        }
        true
    }

    fn fits(&self, base: i64, len: u32) -> bool {
        len <= ADDED && base + i64::from(len) <= self.cells
    }

    fn next(&mut self, var: Reg, bound: Value, to: u32) -> bool {
        let fuel = self.fuel();
        let (last, one) = (self.get(var), self.word(1));
        let next = self.b.ins().sadd_overflow(last, one);
        let next = self.fitting(next);
        self.set_fuel(fuel);
        self.set(var, next);
        let more = self.b.ins().icmp(IntCC::SignedLessThan, next, bound);
        self.jump_if(more, to)
    }

    fn call(&mut self, d: Reg, function: u32, at: Reg) {
        let code = self.program.functions[function as usize];
        let fuel = self.fuel();
        self.set_fuel(fuel);
        let at_hand = match self.program.ops[code.start as usize] {
            _ if !code.is_at_hand => None,
            Op::ReturnConst { v } => Some(self.word(i64::from(v))),
            Op::Load { cell, .. } if i64::from(cell) < self.cells => {
                let first = self.word(0);
                Some(self.cell(first, cell as i32))
            }
            _ => None,
        };
        if let Some(value) = at_hand {
            return self.set(d, value);
        }
        let window = self.b.ins().iadd_imm_s(self.registers, i64::from(at) * 8);
        let deeper = self.b.ins().iadd_imm_s(self.depth, 1);
        let outcome = if code.memo.is_some() {
            let callee = self.of_context(offset::REMEMBERED);
            let number = self.word(i64::from(function));
            let args = [self.context, window, number, deeper];
            let call = self.b.ins().call_indirect(self.back, callee, &args);
            let results = self.b.inst_results(call);
            [results[0], results[1]]
        } else {
            let id = self.functions[function as usize];
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

fn region(function: &mut Function, user_id: u32, name: &'static str) -> AliasRegion {
    let description = name.into();
    let data = AliasRegionData {
        user_id,
        description,
    };
    function.dfg.alias_regions.insert(data)
}
