//! A function of bytecode as one of the processor: its blocks, the memory it works on, and the ways on.
//!
//! [`instructions`] translates one after the other, [`rows`] those that go through the rows of a table. Registers
//! stay in memory, where the machine has them too, so that it can take over anywhere; the translator
//! keeps what it has just written at hand by itself. An instruction that may go wrong first makes sure that it
//! does not, and else lets the machine [take over](Translation::unless_odd) before it has done anything.

mod instructions;
mod rows;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AbiParam, AliasRegion, AliasRegionData, Block, Function, InstBuilder, MemFlagsData, SigRef,
    Signature, Type, Value, types,
};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::JITModule;
use cranelift_module::{FuncId as Declared, Module};

use super::data::Data;
use crate::machine::NativeError;
use crate::machine::compiled::offset;
use crate::numbers::{At as _, Fit as _};
use crate::program::bytecode::{Bytecode, DEPTH, Reg};
use crate::program::ids::{FuncId, IndexVec};

/// Translates all functions of a program; gives them in their order.
pub(super) fn all(
    module: &mut JITModule,
    program: &Bytecode,
    cells: usize,
    data: &Data,
) -> Result<IndexVec<FuncId, Declared>, NativeError> {
    let entry = signature(module, 3);
    let mut functions = IndexVec::default();
    for _ in &program.functions {
        functions.push(module.declare_anonymous_function(&entry)?);
    }
    let mut context = module.make_context();
    let mut room = FunctionBuilderContext::new();
    for number in functions.ids() {
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
    program: &'a Bytecode,
    /// How many cells there are.
    cells: i64,
    data: &'a Data,
    functions: &'a IndexVec<FuncId, Declared>,
    number: FuncId,
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
        program: &'a Bytecode,
        cells: usize,
        data: &'a Data,
        functions: &'a IndexVec<FuncId, Declared>,
        number: FuncId,
        mut b: FunctionBuilder<'a>,
        back: SigRef,
    ) -> Self {
        let start = program.functions[number].start.at();
        let next = program.functions.get(FuncId(number.0 + 1));
        let end = next.map_or(program.ops.len(), |code| code.start.at());
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
            cells: cells.fit(),
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
                let to = to.at();
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

    /// So many registers from one on lie in the window, for which there is room: else this would be read or written
    /// where it must not be, and no code is made.
    fn own(&self, first: Reg, len: u16) {
        let window = u32::from(self.program.functions[self.number].registers);
        let end = u32::from(first) + u32::from(len);
        assert!(end <= window, "a register beyond the window");
    }

    fn get(&mut self, register: Reg) -> Value {
        self.own(register, 1);
        let flags = self.flags(self.regions.registers);
        let at = i32::from(register) * 8;
        self.b.ins().load(types::I64, flags, self.registers, at)
    }

    fn set(&mut self, register: Reg, value: Value) {
        self.own(register, 1);
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
        let list = self.word(list.expose_provenance().fit());
        let bytes = self.b.ins().ishl_imm_s(index, 2);
        let entry = self.b.ins().iadd(list, bytes);
        let flags = self.flags(self.regions.data).with_readonly();
        match ty {
            types::I32 => self.b.ins().sload32(flags, entry, 0),
            _ => self.b.ins().uload32(flags, entry, 0),
        }
    }

    /// The value of a column for a row, of which there are so many.
    fn column(&mut self, base: u32, rows: u32, row: Value) -> Value {
        let column = &self.data.columns[base.at()..][..rows.at()];
        self.data(column.as_ptr().cast(), types::I32, row)
    }

    // ---- ways on

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
        let (to, next) = (self.block(to.at()), self.block(self.at + 1));
        self.b.ins().brif(condition, to, &[], next, &[]);
        false
    }

    fn jump_unless(&mut self, condition: Value, to: u32) -> bool {
        let (to, next) = (self.block(to.at()), self.block(self.at + 1));
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
        self.call_back_for(self.registers, which, what, more)
    }

    /// The same with the window of a function that is called.
    fn call_back_for(&mut self, window: Value, which: i32, what: Value, more: Value) -> [Value; 2] {
        let backs = self.of_context(offset::BACKS);
        let flags = self.flags(self.regions.data).with_readonly();
        let function = self.b.ins().load(types::I64, flags, backs, which);
        let args = [self.context, window, what, more];
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
        self.word(i64::from(self.number.0) << 32 | at.fit::<i64>())
    }

    /// The machine does this one instruction.
    fn step(&mut self) {
        let at = self.place(self.at);
        let outcome = self.call_back(offset::STEP, at, self.depth);
        self.given(outcome);
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
