//! Instructions that go through the rows of a table: turns of loops, scans, sums.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};

use super::Translation;
use crate::machine::compiled::offset;
use crate::numbers::At as _;
use crate::program::bytecode::Reg;
use crate::program::bytecode::{Relation, Scan, Term, Test, Total};

/// Most cells of all rows that are added one by one.
const ADDED_IN_ALL: usize = 48;

impl Translation<'_> {
    /// A sum over all rows, if that takes few additions: its terms' indices are seats or rows.
    pub(super) fn total(&mut self, total: &Total) -> Option<Value> {
        let data = self.data;
        let factor = |term: &Term, row: u32| {
            let column = term.column.map(|column| column + row);
            column.map_or(1, |at| i64::from(data.columns[at.at()]))
        };
        // What counts for nothing is not added.
        let rows_of = |term: &Term| {
            (0..total.rows)
                .filter(|row| factor(term, *row) != 0)
                .count()
        };
        let added = total.terms.iter().map(|term| rows_of(term) * term.len.at());
        if added.sum::<usize>() > ADDED_IN_ALL || total.rows == 0 {
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
                let by = factor(term, row);
                let cells = if by == 0 { 0 } else { term.len };
                for cell in 0..cells {
                    let cell = term.base + row * term.stride + cell;
                    let mut added = self.cell(first, cell.cast_signed());
                    if by != 1 {
                        added = self.b.ins().imul_imm_s(added, by);
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

    /// Sets the variable of a scan to the next row that passes, from a row on: goes to `found`, or to `none` if
    /// there is none. `before` is where the rows that cost fuel begin.
    pub(super) fn scan(
        &mut self,
        number: u32,
        from: Value,
        before: Value,
        (found, none): (Block, Block),
    ) {
        let scan: &Scan = &self.program.scans[number.at()];
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
                    let table = &self.data.next[number.at()][i][..scan.rows.at()];
                    let table = table.as_ptr().cast();
                    let to = self.data(table, types::I64, row);
                    let passes = self.b.ins().icmp(IntCC::Equal, to, row);
                    let to = [to.into()];
                    self.b.ins().brif(passes, next, &[], head, &to);
                }
                Test::Column { base, is, value } => {
                    let column = self.column(*base, scan.rows, row);
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
                    let cell = self.cell(at, base.cast_signed());
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

    pub(super) fn next(&mut self, var: Reg, bound: Value, to: u32) -> bool {
        let fuel = self.fuel();
        let (last, one) = (self.get(var), self.word(1));
        let next = self.b.ins().sadd_overflow(last, one);
        let next = self.fitting(next);
        self.set_fuel(fuel);
        self.set(var, next);
        let more = self.b.ins().icmp(IntCC::SignedLessThan, next, bound);
        self.jump_if(more, to)
    }
}
