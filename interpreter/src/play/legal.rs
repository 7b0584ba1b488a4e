//! Legal moves: the fixed arguments that conditions allow. What remains open is in
//! [`choices`](super::choices).
//!
//! Everything here only looks. Conditions are judged as soon as their parameters are bound, queries
//! are remembered while the state stays as it is.

use super::choices::{completions, open_domain};
use super::table::Reader;
use super::vm::Trouble;
use crate::check::ir::FuncId;
use crate::check::model::{DomainModel, NeedModel};

/// What a parameter is when it is not offered.
pub(crate) fn default(ty: &crate::check::ir::Ty) -> i64 {
    match ty {
        crate::check::ir::Ty::Option(_) => crate::check::ir::NONE,
        _ => 0,
    }
}

type First<'a> = &'a mut dyn FnMut(u128) -> u128;
type Sink<'a> = &'a mut dyn FnMut(&mut Reader<'_>, &mut [i64]) -> Result<bool, Trouble>;

/// Calls a function with every assignment of a move's fixed parameters that its conditions allow;
/// conditions are judged as soon as their parameters are bound. `true` stops.
pub(crate) fn each_fixed(
    eyes: &mut Reader<'_>,
    mv: usize,
    seat: i64,
    registers: &mut [i64],
    sink: Sink<'_>,
) -> Result<bool, Trouble> {
    each_fixed_from(eyes, mv, seat, registers, &mut |_| 0, sink)
}

/// As [`each_fixed`], but the values of each parameter are gone through from the one that `first` names
/// (a number below how many there are), and around.
pub(crate) fn each_fixed_from(
    eyes: &mut Reader<'_>,
    mv: usize,
    seat: i64,
    registers: &mut [i64],
    first: First<'_>,
    sink: Sink<'_>,
) -> Result<bool, Trouble> {
    let model = &eyes.ruleset.model.moves[mv];
    if let Some((base, _)) = model.once
        && eyes.cells[(i64::from(base) + seat) as usize] != 0
    {
        return Ok(false);
    }
    if let Some(phase) = model.under
        && !eyes.is_under_way(phase)
    {
        return Ok(false);
    }
    if let Some((changes, most)) = model.bounded
        && i64::from(eyes.cells[changes as usize]) >= eyes.read(registers, most)?
    {
        return Ok(false);
    }
    registers[0] = seat;
    registers[1..model.registers.max(1) as usize].fill(0);
    bind(eyes, mv, 0, registers, first, sink)
}

fn bind(
    eyes: &mut Reader<'_>,
    mv: usize,
    level: usize,
    registers: &mut [i64],
    first: First<'_>,
    sink: Sink<'_>,
) -> Result<bool, Trouble> {
    for need in &eyes.ruleset.needs_at[mv][level] {
        if eyes.read(registers, *need)? == 0 {
            return Ok(false);
        }
    }
    let model = &eyes.ruleset.model.moves[mv];
    let Some(param) = model.params.get(level) else {
        return sink(eyes, registers);
    };
    let at = param.register as usize;
    let offered = match param.when {
        Some(when) if !param.is_open() => eyes.read(registers, when)? != 0,
        _ => true,
    };
    // Its own condition may have used its registers.
    registers[at..at + param.len as usize].fill(0);
    if param.is_open() || !offered {
        registers[at] = default(&param.ty);
        return bind(eyes, mv, level + 1, registers, first, sink);
    }
    let (from, to) = match &param.domain {
        DomainModel::Upto(n) => (0, i64::from(*n)),
        DomainModel::OptionUpto(n) => (crate::check::ir::NONE, i64::from(*n)),
        DomainModel::Range(from, to) => {
            let from = eyes.read(registers, *from)?;
            (from, eyes.read(registers, *to)? + 1)
        }
        DomainModel::Same { cells, optional } => {
            let Some(there) = standing(eyes, *cells, *optional, param.len, registers)? else {
                return Ok(false);
            };
            registers[at..at + there.len()].copy_from_slice(&there);
            return bind(eyes, mv, level + 1, registers, first, sink);
        }
        // Open parameters are chosen when the fixed ones are; until then they are at nothing.
        _ => return bind(eyes, mv, level + 1, registers, first, sink),
    };
    let count = (to - from).max(0);
    let start = match count {
        0 => 0,
        _ => first(count as u128) as i64,
    };
    for k in 0..count {
        registers[at] = from + (start + k) % count;
        if bind(eyes, mv, level + 1, registers, first, sink)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What lies in the cells that a parameter must repeat; `None` if nothing does.
pub(crate) fn standing(
    eyes: &mut Reader<'_>,
    cells: FuncId,
    optional: bool,
    len: u16,
    registers: &mut [i64],
) -> Result<Option<Vec<i64>>, Trouble> {
    let mut first = eyes.read(registers, cells)? as usize;
    if optional {
        if eyes.cells[first] == 0 {
            return Ok(None);
        }
        first += 1;
    }
    let cells = &eyes.cells[first..first + len as usize];
    Ok(Some(cells.iter().map(|n| i64::from(*n)).collect()))
}

/// How many assignments of a move's fixed parameters are legal as far as everybody can see, up to `most`:
/// conditions and domains that depend on secrets count as if they allowed everything.
pub(crate) fn publicly_possible(
    eyes: &mut Reader<'_>,
    mv: usize,
    seat: i64,
    registers: &mut [i64],
    most: u32,
) -> Result<u32, Trouble> {
    let model = &eyes.ruleset.model.moves[mv];
    if let Some((base, _)) = model.once
        && eyes.cells[(i64::from(base) + seat) as usize] != 0
    {
        return Ok(0);
    }
    if let Some(phase) = model.under
        && !eyes.is_under_way(phase)
    {
        return Ok(0);
    }
    registers[0] = seat;
    registers[1..model.registers.max(1) as usize].fill(0);
    publicly(eyes, mv, 0, registers, most)
}

fn publicly(
    eyes: &mut Reader<'_>,
    mv: usize,
    level: usize,
    registers: &mut [i64],
    most: u32,
) -> Result<u32, Trouble> {
    let ruleset = eyes.ruleset;
    let model = &ruleset.model.moves[mv];
    let judged = |n: &&NeedModel| !n.hidden && !n.open && n.after == level;
    for need in model.needs.iter().filter(judged) {
        if eyes.read(registers, need.condition)? == 0 {
            return Ok(0);
        }
    }
    let Some(param) = model.params.get(level) else {
        return Ok(1);
    };
    let at = param.register as usize;
    let offered = match param.when {
        Some(when) if !param.hidden && !param.is_open() => eyes.read(registers, when)? != 0,
        _ => true,
    };
    registers[at..at + param.len as usize].fill(0);
    let (from, to) = match &param.domain {
        _ if !offered => {
            registers[at] = default(&param.ty);
            return publicly(eyes, mv, level + 1, registers, most);
        }
        _ if param.is_open() => {
            if !param.hidden && !param.depends {
                let saved = registers[..at].to_vec();
                let open = open_domain(eyes, param, registers)?;
                registers[..at].copy_from_slice(&saved);
                registers[at..at + param.len as usize].fill(0);
                if open.is_some_and(|open| open.count() == 0) {
                    return Ok(0);
                }
            }
            registers[at] = default(&param.ty);
            return publicly(eyes, mv, level + 1, registers, most);
        }
        DomainModel::Upto(n) => (0, i64::from(*n)),
        DomainModel::OptionUpto(n) => (crate::check::ir::NONE, i64::from(*n)),
        DomainModel::Range(..) if param.hidden => return Ok(most),
        DomainModel::Range(from, to) => {
            let from = eyes.read(registers, *from)?;
            (from, eyes.read(registers, *to)? + 1)
        }
        DomainModel::Same { cells, optional } => {
            let Some(there) = standing(eyes, *cells, *optional, param.len, registers)? else {
                return Ok(0);
            };
            registers[at..at + there.len()].copy_from_slice(&there);
            return publicly(eyes, mv, level + 1, registers, most);
        }
        DomainModel::Amount { .. } | DomainModel::Bag { .. } | DomainModel::Spread(_) => {
            unreachable!("open parameters are above")
        }
    };
    let mut found = 0;
    for value in from..to {
        registers[at] = value;
        found += publicly(eyes, mv, level + 1, registers, most - found)?;
        if found >= most {
            break;
        }
    }
    Ok(found)
}

/// Whether some move of this kind is legal for a seat.
pub(crate) fn possible(
    eyes: &mut Reader<'_>,
    mv: usize,
    seat: i64,
    registers: &mut [i64],
) -> Result<bool, Trouble> {
    each_fixed(eyes, mv, seat, registers, &mut |eyes, r| {
        Ok(completions(eyes, mv, r)? != Some(0))
    })
}
