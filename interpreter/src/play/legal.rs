//! Legal moves: the fixed arguments that conditions allow, and the domains of open parameters.
//!
//! Everything here only looks. Conditions are judged as soon as their parameters are bound, queries
//! are remembered while the state stays as it is.

use super::open::{BagDomain, SpreadDomain};
use super::table::Reader;
use super::vm::{Trouble, TroubleKind};
use crate::check::ir::FuncId;
use crate::check::model::{BagSource, DomainModel, MoveModel, NeedModel};

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
    /// Not offered: nothing is chosen, in so many registers.
    Nothing(usize),
}

impl Open {
    pub(crate) fn count(&self) -> u128 {
        match self {
            Open::Bag(bag) => bag.count(),
            Open::Spread(spread) => spread.count(),
            Open::Nothing(_) => 1,
        }
    }

    pub(crate) fn pick(&self, index: u128) -> Vec<u32> {
        match self {
            Open::Bag(bag) => bag.pick(index),
            Open::Spread(spread) => spread.pick(index),
            Open::Nothing(len) => vec![0; *len],
        }
    }

    /// Every choice, in the order of their indices; `true` stops.
    fn each(&self, f: &mut dyn FnMut(&[u32]) -> bool) {
        match self {
            Open::Bag(bag) => bag.each_choice(f),
            Open::Spread(spread) => {
                let mut index = 0;
                while index < spread.count() && !f(&spread.pick(index)) {
                    index += 1;
                }
            }
            Open::Nothing(len) => {
                f(&vec![0; *len]);
            }
        }
    }
}

/// The domain of an open parameter; `None` of a fixed one. The move's registers are at the start; those
/// behind the parameter's own are used.
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
        DomainModel::Upto(_) | DomainModel::OptionUpto(_) | DomainModel::Range(..) => None,
        DomainModel::Bag {
            table,
            source,
            least,
            most,
            loose_beyond,
            kinds,
            different,
            without,
        } => {
            let least = number(least)?.unwrap_or(0);
            let most = number(most)?.unwrap_or(u32::MAX);
            let kinds = number(kinds)?;
            let loose_beyond = match loose_beyond {
                Some((loose, beyond)) => number(&Some(*loose))?.zip(number(&Some(*beyond))?),
                None => None,
            };
            let without = match without {
                Some(row) => usize::try_from(eyes.read(registers, *row)?).ok(),
                None => None,
            };
            let rows = ruleset.model.tables[*table].rows.len();
            let mut available: Vec<u32> = match source {
                BagSource::Cells(first) => {
                    let first = eyes.read(registers, *first)? as usize;
                    cells[first..first + rows]
                        .iter()
                        .map(|n| *n as u32)
                        .collect()
                }
                BagSource::Counts(counts) => {
                    let each = ruleset.program.functions[counts.0 as usize].params as usize - 1;
                    let saved = registers[each];
                    let mut available = Vec::with_capacity(rows);
                    for row in 0..rows {
                        registers[each] = row as i64;
                        let n = eyes.read(registers, *counts)?;
                        available.push(n.clamp(0, i64::from(u32::MAX)) as u32);
                    }
                    registers[each] = saved;
                    available
                }
            };
            if let Some(n) = without.and_then(|row| available.get_mut(row)) {
                *n = n.saturating_sub(1);
            }
            if *different {
                available.iter_mut().for_each(|n| *n = 1.min(*n));
            }
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

/// Most choices of open parameters that are tried one by one for one move.
const TRIED: u32 = 100_000;

/// The open parameters of a move whose fixed ones are bound: counted where nothing depends on the
/// choice, else tried one by one.
struct Choices<'m> {
    mv: usize,
    model: &'m MoveModel,
    /// The registers of the move: those of open parameters are filled in as they are chosen.
    base: Vec<i64>,
    tried: u32,
}

impl Choices<'_> {
    fn load(&self, registers: &mut [i64]) {
        registers[..self.base.len()].copy_from_slice(&self.base);
    }

    /// The next open parameter from here on with its domain, which is empty if it is not offered.
    fn next(
        &mut self,
        eyes: &mut Reader<'_>,
        registers: &mut [i64],
        from: usize,
    ) -> Result<Option<(usize, Open)>, Trouble> {
        for (i, param) in self.model.params.iter().enumerate().skip(from) {
            if !param.is_open() {
                continue;
            }
            if let Some(when) = param.when {
                self.load(registers);
                if eyes.read(registers, when)? == 0 {
                    return Ok(Some((i, Open::Nothing(param.len as usize))));
                }
            }
            self.load(registers);
            if let Some(open) = open_domain(eyes, &param.domain, registers)? {
                return Ok(Some((i, open)));
            }
        }
        Ok(None)
    }

    /// Whether the conditions hold that can be judged once this parameter is chosen.
    fn allowed(
        &self,
        eyes: &mut Reader<'_>,
        registers: &mut [i64],
        param: usize,
    ) -> Result<bool, Trouble> {
        let ruleset = eyes.ruleset;
        for need in &ruleset.open_needs[self.mv][param] {
            self.load(registers);
            if eyes.read(registers, *need)? == 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// How many ways there are to choose the parameters from here on.
    fn count(
        &mut self,
        eyes: &mut Reader<'_>,
        registers: &mut [i64],
        from: usize,
    ) -> Result<u128, Trouble> {
        let Some((i, open)) = self.next(eyes, registers, from)? else {
            return Ok(1);
        };
        if !self.model.params[i].read {
            let here = open.count();
            return Ok(match here {
                0 => 0,
                _ => here.saturating_mul(self.count(eyes, registers, i + 1)?),
            });
        }
        let mut all = 0u128;
        self.each(eyes, registers, i, &open, &mut |this, eyes, registers| {
            all = all.saturating_add(this.count(eyes, registers, i + 1)?);
            Ok(false)
        })?;
        Ok(all)
    }

    /// Fills in the choices at an index.
    fn pick(
        &mut self,
        eyes: &mut Reader<'_>,
        registers: &mut [i64],
        from: usize,
        index: u128,
    ) -> Result<(), Trouble> {
        let Some((i, open)) = self.next(eyes, registers, from)? else {
            return Ok(());
        };
        if !self.model.params[i].read {
            let here = open.count().max(1);
            self.choose(i, &open.pick(index % here));
            return self.pick(eyes, registers, i + 1, index / here);
        }
        let mut left = index;
        let mut chosen = self.base.clone();
        self.each(eyes, registers, i, &open, &mut |this, eyes, registers| {
            let rest = this.count(eyes, registers, i + 1)?;
            if left < rest {
                this.pick(eyes, registers, i + 1, left)?;
                chosen.clone_from(&this.base);
                return Ok(true);
            }
            left -= rest;
            Ok(false)
        })?;
        self.base = chosen;
        Ok(())
    }

    fn choose(&mut self, param: usize, counts: &[u32]) {
        let at = self.model.params[param].register as usize;
        for (register, n) in self.base[at..].iter_mut().zip(counts) {
            *register = i64::from(*n);
        }
    }

    /// Calls a function with every allowed choice of a parameter filled in; `true` stops.
    fn each(
        &mut self,
        eyes: &mut Reader<'_>,
        registers: &mut [i64],
        param: usize,
        open: &Open,
        f: Chosen<'_, Self>,
    ) -> Result<(), Trouble> {
        let before = self.base.clone();
        let mut trouble = None;
        open.each(&mut |counts| {
            let mut try_one = || {
                self.tried += 1;
                if self.tried > TRIED {
                    return Err(Trouble {
                        kind: TroubleKind::TooManyChoices,
                        op: 0,
                    });
                }
                self.base.clone_from(&before);
                self.choose(param, counts);
                if !self.allowed(eyes, registers, param)? {
                    return Ok(false);
                }
                f(self, eyes, registers)
            };
            try_one().unwrap_or_else(|t| {
                trouble = Some(t);
                true
            })
        });
        self.base = before;
        trouble.map_or(Ok(()), Err)
    }
}

type Chosen<'a, C> =
    &'a mut dyn FnMut(&mut C, &mut Reader<'_>, &mut [i64]) -> Result<bool, Trouble>;

/// How many ways there are to choose a move's open parameters; its fixed ones are in the registers.
pub(crate) fn completions(
    eyes: &mut Reader<'_>,
    mv: usize,
    registers: &mut [i64],
) -> Result<u128, Trouble> {
    let ruleset = eyes.ruleset;
    let model = &ruleset.model.moves[mv];
    if !model.params.iter().any(|p| p.is_open()) {
        return Ok(1);
    }
    let mut choices = Choices {
        mv,
        model,
        base: registers[..model.registers as usize].to_vec(),
        tried: 0,
    };
    let count = choices.count(eyes, registers, 0)?;
    choices.load(registers);
    Ok(count)
}

/// Fills in the open parameters at an index below their number.
pub(crate) fn completed(
    eyes: &mut Reader<'_>,
    mv: usize,
    registers: &mut [i64],
    index: u128,
) -> Result<(), Trouble> {
    let ruleset = eyes.ruleset;
    let model = &ruleset.model.moves[mv];
    let mut choices = Choices {
        mv,
        model,
        base: registers[..model.registers as usize].to_vec(),
        tried: 0,
    };
    choices.pick(eyes, registers, 0, index)?;
    choices.load(registers);
    Ok(())
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
    let offered = match param.when {
        Some(when) => eyes.read(registers, when)? != 0,
        None => true,
    };
    // Its own condition may have used its registers.
    registers[at..at + param.len as usize].fill(0);
    if !offered {
        registers[at] = default(&param.ty);
        return bind(eyes, mv, level + 1, registers, sink);
    }
    let (from, to) = match &param.domain {
        DomainModel::Upto(n) => (0, i64::from(*n)),
        DomainModel::OptionUpto(n) => (crate::check::ir::NONE, i64::from(*n)),
        DomainModel::Range(from, to) => {
            let from = eyes.read(registers, *from)?;
            (from, eyes.read(registers, *to)? + 1)
        }
        // Open parameters are chosen when the fixed ones are; until then they are at zero.
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
        Some(when) if !param.hidden => eyes.read(registers, when)? != 0,
        _ => true,
    };
    registers[at..at + param.len as usize].fill(0);
    let (from, to) = match &param.domain {
        _ if !offered => {
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
        _ => {
            if !param.hidden {
                let saved = registers[..at].to_vec();
                let open = open_domain(eyes, &param.domain, registers)?;
                registers[..at].copy_from_slice(&saved);
                registers[at..at + param.len as usize].fill(0);
                if open.is_some_and(|open| open.count() == 0) {
                    return Ok(0);
                }
            }
            return publicly(eyes, mv, level + 1, registers, most);
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
        Ok(completions(eyes, mv, r)? > 0)
    })
}
