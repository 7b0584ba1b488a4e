//! Instructions that go through the rows of a table: scans and sums.

use crate::numbers::At as _;
use crate::program::bytecode::{Relation, Scan, Test, Total};

/// Returns whether two numbers are in a relation.
#[inline]
fn holds(relation: Relation, a: i64, b: i64) -> bool {
    match relation {
        Relation::Equal => a == b,
        Relation::Below => a < b,
        Relation::AtMost => a <= b,
        Relation::Above => a > b,
        Relation::AtLeast => a >= b,
    }
}

/// Returns the first row from the variable on that passes every test, or the number of rows; `None` if an index is
/// negative or a cell out of range.
#[inline]
pub(super) fn next_row(
    scan: &Scan,
    cells: &[i32],
    columns: &[i32],
    registers: &[i64],
) -> Option<i64> {
    let rows = scan.rows.at();
    let mut row = usize::try_from(registers[scan.var.at()]).ok()?;
    'rows: while row < rows {
        for test in &scan.tests {
            match test {
                Test::Next(next) => {
                    let next = next[row].at();
                    if next != row {
                        row = next;
                        continue 'rows;
                    }
                }
                Test::Column { base, is, value } => {
                    let value = registers[value.at()];
                    if !holds(*is, i64::from(columns[base.at() + row]), value) {
                        row += 1;
                        continue 'rows;
                    }
                }
                Test::Cell {
                    base,
                    stride,
                    terms,
                } => {
                    let mut at = base.at();
                    for (register, by) in terms {
                        let index = usize::try_from(registers[register.at()]).ok()?;
                        at += index * by.at();
                    }
                    let stride = stride.at();
                    at += row * stride;
                    if *cells.get(at)? <= 0 {
                        // The next row with something in it, if there is one.
                        row += 1;
                        at += stride;
                        while row < rows && cells.get(at).is_some_and(|n| *n <= 0) {
                            row += 1;
                            at += stride;
                        }
                        continue 'rows;
                    }
                }
            }
        }
        break;
    }
    i64::try_from(row).ok()
}

/// Returns the sum; `None` if an index is negative or a cell out of range.
pub(super) fn sum(total: &Total, cells: &[i32], columns: &[i32], registers: &[i64]) -> Option<i64> {
    let rows = total.rows.at();
    let add = |cells: &[i32]| -> i64 { cells.iter().map(|n| i64::from(*n)).sum() };
    let mut sum = 0;
    for term in &total.terms {
        let mut first = term.base.at();
        for (register, by) in &term.indices {
            let index = usize::try_from(registers[register.at()]).ok()?;
            first = first.checked_add(index.checked_mul(by.at())?)?;
        }
        let (len, stride) = (term.len.at(), term.stride.at());
        let end = first.checked_add(rows.saturating_sub(1) * stride + len)?;
        let cells = cells.get(first..end)?;
        let columns = |column: u32| columns[column.at()..column.at() + rows].iter();
        let part: i64 = match term.column {
            None if len == stride => add(cells),
            None => cells.chunks(stride).map(|row| add(&row[..len])).sum(),
            Some(column) if stride == 1 => cells
                .iter()
                .zip(columns(column))
                .map(|(n, by)| i64::from(*n) * i64::from(*by))
                .sum(),
            Some(column) => cells
                .chunks(stride)
                .zip(columns(column))
                .map(|(row, by)| add(&row[..len]) * i64::from(*by))
                .sum(),
        };
        sum += if term.negative { -part } else { part };
    }
    Some(sum)
}
