//! Legal moves: the fixed arguments that conditions allow, and the domains of open parameters.
//!
//! Everything here only looks. Conditions are judged as soon as their parameters are bound, queries
//! are remembered while the state stays as it is.

use super::open::{BagDomain, SpreadDomain};
use super::table::Reader;
use super::vm::Trouble;
use crate::check::ir::FuncId;
use crate::check::model::{DomainModel, MoveModel};

pub(crate) fn numbers(args: &[i64]) -> Vec<u32> {
    args.iter()
        .map(|n| u32::try_from(*n).unwrap_or(u32::MAX))
        .collect()
}

/// What a parameter is when it is not offered.
pub(crate) fn default(ty: &crate::check::ir::Ty) -> i64 {
    match ty {
        crate::check::ir::Ty::Option(_) => crate::check::ir::NONE,
        _ => 0,
    }
}

/// An open parameter's domain.
pub(crate) enum Open {
    Bag(BagDomain),
    Spread(SpreadDomain),
}

/// The domain of an open parameter; `None` of a fixed one. The move's registers are at the start.
pub(crate) fn open_domain(
    eyes: &mut Reader<'_>,
    domain: &DomainModel,
    registers: &mut [i64],
) -> Result<Option<Open>, Trouble> {
    let (ruleset, cells) = (eyes.ruleset, eyes.cells);
    let mut number = |f: &Option<FuncId>| -> Result<Option<u32>, Trouble> {
        match f {
            Some(f) => Ok(Some(
                eyes.read(registers, *f)?.clamp(0, i64::from(u32::MAX)) as u32,
            )),
            None => Ok(None),
        }
    };
    Ok(match domain {
        DomainModel::Upto(_) | DomainModel::Range(..) => None,
        DomainModel::Bag {
            table,
            cells: at,
            least,
            most,
            loose_beyond,
            kinds,
        } => {
            let least = number(least)?.unwrap_or(0);
            let most = number(most)?.unwrap_or(u32::MAX);
            let kinds = number(kinds)?;
            let loose_beyond = match loose_beyond {
                Some((loose, beyond)) => number(&Some(*loose))?.zip(number(&Some(*beyond))?),
                None => None,
            };
            let first = number(&Some(*at))?.unwrap_or(0) as usize;
            let rows = ruleset.model.tables[*table].rows.len();
            let available = cells[first..first + rows]
                .iter()
                .map(|n| *n as u32)
                .collect();
            Some(Open::Bag(BagDomain {
                available,
                least,
                most,
                loose_beyond,
                kinds,
            }))
        }
        DomainModel::Spread(spread) => {
            let spread = &ruleset.model.spreads[*spread];
            let rows = ruleset.model.tables[spread.table].rows.len();
            let mut pieces = vec![0u32; rows];
            let mut rooms = Vec::with_capacity(spread.instances as usize);
            let mut add = |first: usize| {
                for (row, n) in pieces.iter_mut().enumerate() {
                    *n += cells[first + row] as u32;
                }
            };
            add(eyes.read(registers, spread.overflow)? as usize);
            for target in &spread.targets {
                let first = eyes.read(registers, target.cells)? as u32;
                for (i, offset) in target.offsets.iter().enumerate() {
                    add((first + offset) as usize);
                    let room = match target.room {
                        Some(room) => {
                            let params = ruleset.program.functions[room.0 as usize].params as usize;
                            let saved = registers[params - 1];
                            registers[params - 1] = i as i64;
                            let n = eyes.read(registers, room)?;
                            registers[params - 1] = saved;
                            n.max(0) as u32
                        }
                        None => u32::MAX,
                    };
                    rooms.push(room);
                }
            }
            Some(Open::Spread(SpreadDomain { pieces, rooms }))
        }
    })
}

pub(crate) fn completions(
    eyes: &mut Reader<'_>,
    model: &MoveModel,
    registers: &mut [i64],
) -> Result<u128, Trouble> {
    let mut all = 1u128;
    for param in &model.params {
        all = match open_domain(eyes, &param.domain, registers)? {
            None => all,
            Some(Open::Bag(bag)) => all.saturating_mul(bag.count()),
            Some(Open::Spread(spread)) => all.saturating_mul(spread.count()),
        };
    }
    Ok(all)
}

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
    let model = &eyes.ruleset.model.moves[mv];
    if let Some((base, _)) = model.once
        && eyes.cells[(i64::from(base) + seat) as usize] != 0
    {
        return Ok(false);
    }
    registers[0] = seat;
    registers[1..model.registers.max(1) as usize].fill(0);
    bind(eyes, mv, 0, registers, sink)
}

fn bind(
    eyes: &mut Reader<'_>,
    mv: usize,
    level: usize,
    registers: &mut [i64],
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
    if let Some(when) = param.when
        && eyes.read(registers, when)? == 0
    {
        registers[at] = default(&param.ty);
        return bind(eyes, mv, level + 1, registers, sink);
    }
    let (from, to) = match &param.domain {
        DomainModel::Upto(n) => (0, i64::from(*n)),
        DomainModel::Range(from, to) => {
            let from = eyes.read(registers, *from)?;
            (from, eyes.read(registers, *to)? + 1)
        }
        // Open parameters are counted, not listed; they were left at zero.
        _ => return bind(eyes, mv, level + 1, registers, sink),
    };
    for value in from..to {
        registers[at] = value;
        if bind(eyes, mv, level + 1, registers, sink)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether some move of this kind is legal for a seat.
pub(crate) fn possible(
    eyes: &mut Reader<'_>,
    mv: usize,
    seat: i64,
    registers: &mut [i64],
) -> Result<bool, Trouble> {
    let model = &eyes.ruleset.model.moves[mv];
    each_fixed(eyes, mv, seat, registers, &mut |eyes, r| {
        Ok(completions(eyes, model, r)? > 0)
    })
}
