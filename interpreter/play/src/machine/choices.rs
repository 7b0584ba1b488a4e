//! What may be chosen for the open parameters of a move: counted, drawn, or looked for.
//!
//! Where nothing depends on a choice it is counted, never listed. Choices that conditions or later
//! parameters read are tried one by one. Where a number is among those, there are too many to try: then
//! one that is allowed is looked for, and draws are made parameter by parameter.

use std::collections::BTreeSet;

use super::open::{AmountDomain, BagDomain, SpreadDomain};
use super::{Reader, Ruleset, Trouble, TroubleKind};
use crate::numbers::{At as _, Fit as _};
use crate::program::OpenNeed;
use crate::program::model::{BagSource, DomainModel, FuncId, MoveId, MoveModel, ParamModel};
use crate::program::tree::NONE;

/// An open parameter's domain.
#[derive(Clone, Debug)]
pub(crate) enum Open {
    Bag(BagDomain),
    Spread(SpreadDomain),
    Amount(AmountDomain),
    /// One of the values from the first to before the second.
    Values(i64, i64),
    /// Not offered: nothing is chosen, which these numbers are.
    Nothing(Vec<i64>),
}

impl Open {
    /// How many choices there are, unless they take too much to count.
    pub(crate) fn count(&self) -> Result<u128, Trouble> {
        match self {
            Open::Bag(bag) => bag.count().map_err(TroubleKind::nowhere),
            Open::Spread(spread) => spread.count().map_err(TroubleKind::nowhere),
            Open::Amount(amount) => Ok(amount.count()),
            Open::Values(from, to) => Ok(u128::try_from(to - from).unwrap_or(0)),
            Open::Nothing(..) => Ok(1),
        }
    }

    /// Writes down the choice at an index: the first registers of a parameter.
    pub(crate) fn pick(&self, index: u128, chosen: &mut [i64]) -> Result<(), Trouble> {
        match self {
            Open::Bag(bag) => return bag.pick(index, chosen).map_err(TroubleKind::nowhere),
            Open::Spread(spread) => {
                return spread.pick(index, chosen).map_err(TroubleKind::nowhere);
            }
            Open::Amount(amount) => chosen[0] = amount.pick(index),
            Open::Values(from, _) => chosen[0] = from + index.fit::<i64>(),
            Open::Nothing(nothing) => chosen[..nothing.len()].copy_from_slice(nothing),
        }
        Ok(())
    }

    /// How many registers a choice takes.
    fn len(&self) -> usize {
        match self {
            Open::Bag(bag) => bag.available.len(),
            Open::Spread(spread) => spread.rooms.len() * spread.pieces.len(),
            Open::Amount(_) | Open::Values(..) => 1,
            Open::Nothing(nothing) => nothing.len(),
        }
    }

    /// Whether this is a choice.
    pub(crate) fn contains(&self, chosen: &[i64]) -> bool {
        let counts = || -> Vec<u32> {
            let counts = chosen.iter().map(|n| u32::try_from(*n));
            counts.map(|n| n.unwrap_or(u32::MAX)).collect()
        };
        match self {
            Open::Bag(bag) => bag.contains(&counts()),
            Open::Spread(spread) => spread.contains(&counts()[..self.len()]),
            Open::Amount(amount) => amount.contains(chosen[0]),
            Open::Values(from, to) => (*from..*to).contains(&chosen[0]),
            Open::Nothing(nothing) => chosen == nothing,
        }
    }

    /// At most how many ways there are to choose a part of it.
    fn parts(&self, registers: &[usize]) -> u128 {
        match self {
            Open::Bag(bag) => registers.iter().fold(1, |ways: u128, row| {
                ways.saturating_mul(u128::from(bag.available[*row]) + 1)
            }),
            _ => u128::MAX,
        }
    }

    /// Every choice, in the order of their indices; `true` stops.
    fn each(&self, f: &mut dyn FnMut(&[i64]) -> bool) -> Result<(), Trouble> {
        if let Open::Bag(bag) = self {
            let each = bag.each_choice(&mut |counts| {
                let counts: Vec<i64> = counts.iter().map(|n| i64::from(*n)).collect();
                f(&counts)
            });
            return each.map_err(TroubleKind::nowhere);
        }
        let mut chosen = vec![0; self.len()];
        for index in 0..self.count()? {
            self.pick(index, &mut chosen)?;
            if f(&chosen) {
                break;
            }
        }
        Ok(())
    }
}

/// A number of pieces, as far as it is one.
fn clamped(n: i64) -> u32 {
    n.clamp(0, u32::MAX.into()).fit()
}

/// The domain of an open parameter; `None` of a fixed one. The move's registers are at the start; those
/// behind the parameter's own are used.
pub(crate) fn open_domain(
    reader: &mut Reader<'_>,
    param: &ParamModel,
    registers: &mut [i64],
) -> Result<Option<Open>, Trouble> {
    if !param.is_open() {
        return Ok(None);
    }
    let (ruleset, cells) = (reader.ruleset, reader.cells);
    let mut number = |f: &Option<FuncId>| -> Result<Option<u32>, Trouble> {
        match f {
            Some(f) => Ok(Some(clamped(reader.read(registers, *f)?))),
            None => Ok(None),
        }
    };
    Ok(match &param.domain {
        DomainModel::Upto(n) => Some(Open::Values(0, i64::from(*n))),
        DomainModel::OptionUpto(n) => Some(Open::Values(NONE, i64::from(*n))),
        DomainModel::Range(from, to) => {
            let from = reader.read(registers, *from)?;
            let to = reader.read(registers, *to)?;
            Some(Open::Amount(AmountDomain { from, to, step: 1 }))
        }
        DomainModel::Same { .. } => None,
        DomainModel::Amount { from, to, step } => {
            let from = reader.read(registers, *from)?;
            let to = reader.read(registers, *to)?;
            let step = match step {
                Some(step) => reader.read(registers, *step)?.max(1),
                None => 1,
            };
            Some(Open::Amount(AmountDomain { from, to, step }))
        }
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
                Some(row) => usize::try_from(reader.read(registers, *row)?).ok(),
                None => None,
            };
            let rows = ruleset.model().tables[*table].rows.len();
            let mut available: Vec<u32> = match source {
                BagSource::Cells(first) => {
                    let first = reader.cell(registers, *first)?.at();
                    cells[first..first + rows]
                        .iter()
                        .map(|n| n.cast_unsigned())
                        .collect()
                }
                BagSource::Counts(counts) => {
                    let each = ruleset.program.bytecode.functions[*counts].params.at() - 1;
                    let saved = registers[each];
                    let mut available = Vec::with_capacity(rows);
                    for row in 0..rows {
                        registers[each] = row.fit();
                        let n = reader.read(registers, *counts)?;
                        available.push(clamped(n));
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
            let bag = BagDomain::new(available, least..=most, loose_beyond, kinds);
            Some(Open::Bag(bag.simplified()))
        }
        DomainModel::Spread(spread) => {
            let spread = &ruleset.model().spreads[*spread];
            let rows = ruleset.model().tables[spread.table].rows.len();
            let mut pieces = vec![0u32; rows];
            let mut rooms = Vec::with_capacity(spread.instances.at());
            let mut add = |first: usize| {
                for (row, n) in pieces.iter_mut().enumerate() {
                    *n = n.saturating_add(cells[first + row].cast_unsigned());
                }
            };
            add(reader.cell(registers, spread.overflow)?.at());
            for target in &spread.targets {
                let first = reader.cell(registers, target.cells)?;
                for offset in &target.offsets {
                    add((first + *offset).at());
                }
                let places = target.offsets.len();
                match target.room {
                    Some(room) => {
                        let mut push = |n: i64| rooms.push(clamped(n));
                        reader.read_each(registers, room, places, &mut push)?;
                    }
                    None => rooms.extend(std::iter::repeat_n(u32::MAX, places)),
                }
            }
            Some(Open::Spread(SpreadDomain::new(pieces, rooms)))
        }
    })
}

/// Most choices of open parameters that are tried one by one for one move.
const TRIED: u32 = 100_000;
/// Most that are tried to find whether a move has any choice that is allowed.
const LOOKED_AT: u32 = 20_000;
/// How often all open parameters of a move are drawn before the first choice that is found is taken.
const DRAWN: u32 = 8;
/// How often one of them is drawn again when what was drawn is not allowed.
const DRAWN_AGAIN: u32 = 8;

/// The open parameters of a move whose fixed ones are bound: counted where nothing depends on the
/// choice, else tried one by one.
struct Choices<'m> {
    mv: MoveId,
    model: &'m MoveModel,
    /// The registers of the move: those of open parameters are filled in as they are chosen.
    base: Vec<i64>,
    /// How many more may be tried.
    left: u32,
    /// Parameters whose choices have ruled out those behind them: a bit for each.
    conflict: u64,
}

impl Choices<'_> {
    fn load(&self, registers: &mut [i64]) {
        registers[..self.base.len()].copy_from_slice(&self.base);
    }

    /// The next open parameter from here on with its domain, which is empty if it is not offered.
    fn next(
        &mut self,
        reader: &mut Reader<'_>,
        registers: &mut [i64],
        from: usize,
    ) -> Result<Option<(usize, Open)>, Trouble> {
        for (i, param) in self.model.params.iter().enumerate().skip(from) {
            if !param.is_open() {
                continue;
            }
            if let Some(when) = param.when {
                self.load(registers);
                if reader.read(registers, when)? == 0 {
                    let mut nothing = vec![0; param.len.at()];
                    nothing[0] = param.ty.nothing();
                    return Ok(Some((i, Open::Nothing(nothing))));
                }
            }
            self.load(registers);
            if let Some(open) = open_domain(reader, param, registers)? {
                return Ok(Some((i, open)));
            }
        }
        Ok(None)
    }

    /// Whether the conditions hold that can be judged once this parameter is chosen; else the first of the
    /// others.
    fn broken<'r>(
        &self,
        reader: &mut Reader<'r>,
        registers: &mut [i64],
        param: usize,
    ) -> Result<Option<&'r OpenNeed>, Trouble> {
        let ruleset = reader.ruleset;
        for need in &ruleset.program.open_needs[self.mv][param] {
            self.load(registers);
            if reader.read(registers, need.condition)? == 0 {
                return Ok(Some(need));
            }
        }
        Ok(None)
    }

    /// How many ways there are to choose the parameters from here on.
    fn count(
        &mut self,
        reader: &mut Reader<'_>,
        registers: &mut [i64],
        from: usize,
    ) -> Result<u128, Trouble> {
        let Some((i, open)) = self.next(reader, registers, from)? else {
            return Ok(1);
        };
        if !self.model.params[i].read {
            let here = open.count()?;
            return Ok(match here {
                0 => 0,
                _ => here.saturating_mul(self.count(reader, registers, i + 1)?),
            });
        }
        let mut all = 0u128;
        self.each(
            reader,
            registers,
            i,
            &open,
            &mut |this, reader, registers| {
                all = all.saturating_add(this.count(reader, registers, i + 1)?);
                Ok(false)
            },
        )?;
        Ok(all)
    }

    /// Fills in the choices at an index.
    fn pick(
        &mut self,
        reader: &mut Reader<'_>,
        registers: &mut [i64],
        from: usize,
        index: u128,
    ) -> Result<(), Trouble> {
        let Some((i, open)) = self.next(reader, registers, from)? else {
            return Ok(());
        };
        if !self.model.params[i].read {
            let here = open.count()?.max(1);
            open.pick(index % here, self.chosen(i))?;
            return self.pick(reader, registers, i + 1, index / here);
        }
        let mut left = index;
        let mut chosen = self.base.clone();
        self.each(
            reader,
            registers,
            i,
            &open,
            &mut |this, reader, registers| {
                let rest = this.count(reader, registers, i + 1)?;
                if left < rest {
                    this.pick(reader, registers, i + 1, left)?;
                    chosen.clone_from(&this.base);
                    return Ok(true);
                }
                left -= rest;
                Ok(false)
            },
        )?;
        self.base = chosen;
        Ok(())
    }

    /// The registers of a parameter.
    fn chosen(&mut self, param: usize) -> &mut [i64] {
        let param = &self.model.params[param];
        &mut self.base[param.register.at()..][..param.len.at()]
    }

    fn choose(&mut self, param: usize, numbers: &[i64]) {
        self.chosen(param)[..numbers.len()].copy_from_slice(numbers);
    }

    /// Fills in the first choices that are allowed together; whether there are any. If not, `conflict`
    /// holds the parameters that may have to be chosen otherwise: choices of others are not tried again
    /// (conflict-directed backjumping, P. Prosser 1993).
    fn find(
        &mut self,
        reader: &mut Reader<'_>,
        registers: &mut [i64],
        from: usize,
    ) -> Result<bool, Trouble> {
        let Some((i, open)) = self.next(reader, registers, from)? else {
            return Ok(true);
        };
        let this_one = 1u64 << i;
        let (mut conflict, mut found) = (0, None);
        self.conflict = 0;
        self.each(
            reader,
            registers,
            i,
            &open,
            &mut |this, reader, registers| {
                // What ruled out the choices before this one.
                conflict |= this.conflict;
                if this.find(reader, registers, i + 1)? {
                    found = Some(this.base.clone());
                    return Ok(true);
                }
                let blameless = this.conflict & this_one == 0;
                if blameless {
                    conflict = 0;
                }
                conflict |= this.conflict;
                this.conflict = 0;
                Ok(blameless)
            },
        )?;
        if let Some(chosen) = found {
            self.base = chosen;
            return Ok(true);
        }
        let reads = self.model.params[i].reads;
        self.conflict = (self.conflict | conflict | reads) & !this_one;
        Ok(false)
    }

    /// Fills in choices as they come: each parameter is nothing with even odds, else one of its choices;
    /// whether all are allowed together.
    fn draw(
        &mut self,
        reader: &mut Reader<'_>,
        registers: &mut [i64],
        index: &mut dyn FnMut(u128) -> u128,
    ) -> Result<bool, Trouble> {
        let mut from = 0;
        while let Some((i, open)) = self.next(reader, registers, from)? {
            let count = open.count()?;
            let mut left = DRAWN_AGAIN;
            loop {
                if count == 0 || left == 0 {
                    return Ok(false);
                }
                left -= 1;
                let chosen = match index(2) {
                    0 => 0,
                    _ => index(count),
                };
                open.pick(chosen, self.chosen(i))?;
                if self.broken(reader, registers, i)?.is_none() {
                    break;
                }
            }
            from = i + 1;
        }
        Ok(true)
    }

    /// Collects choices of everything that is open, at most so many.
    fn list(
        &mut self,
        reader: &mut Reader<'_>,
        registers: &mut [i64],
        from: usize,
        limit: usize,
        out: &mut Vec<Vec<i64>>,
    ) -> Result<(), Trouble> {
        let Some((i, open)) = self.next(reader, registers, from)? else {
            out.push(self.base.clone());
            return Ok(());
        };
        self.each(
            reader,
            registers,
            i,
            &open,
            &mut |this, reader, registers| {
                this.list(reader, registers, i + 1, limit, out)?;
                Ok(out.len() >= limit)
            },
        )
    }

    /// Calls a function with every allowed choice of a parameter filled in; `true` stops. A condition that
    /// reads a part of the parameter is judged once for every way to choose that part, and nothing more is
    /// tried once it has failed for all.
    fn each(
        &mut self,
        reader: &mut Reader<'_>,
        registers: &mut [i64],
        param: usize,
        open: &Open,
        f: Chosen<'_, Self>,
    ) -> Result<(), Trouble> {
        let before = self.base.clone();
        let mut trouble = None;
        let mut failures: Vec<Failure<'_>> = Vec::new();
        let each = open.each(&mut |numbers| {
            let mut known = failures.iter();
            if known.any(|failure| failure.covers(numbers)) {
                return false;
            }
            let mut try_one = || {
                let Some(left) = self.left.checked_sub(1) else {
                    return Err(TroubleKind::TooManyChoices.nowhere());
                };
                self.left = left;
                self.base.clone_from(&before);
                self.choose(param, numbers);
                let Some(need) = self.broken(reader, registers, param)? else {
                    return f(self, reader, registers);
                };
                self.conflict |= need.parameters;
                Ok(Failure::add(&mut failures, need, numbers) >= open.parts(&need.registers))
            };
            try_one().unwrap_or_else(|t| {
                trouble = Some(t);
                true
            })
        });
        self.base = before;
        trouble.map_or(each, Err)
    }
}

/// Ways to choose a part of a parameter for which a condition failed.
struct Failure<'r> {
    need: &'r OpenNeed,
    parts: BTreeSet<Vec<i64>>,
}

impl<'r> Failure<'r> {
    fn part(&self, numbers: &[i64]) -> Vec<i64> {
        let registers = self.need.registers.iter();
        registers.map(|register| numbers[*register]).collect()
    }

    fn covers(&self, numbers: &[i64]) -> bool {
        self.parts.contains(&self.part(numbers))
    }

    /// Adds a choice for which a condition failed; for how many parts it has now.
    fn add(failures: &mut Vec<Failure<'r>>, need: &'r OpenNeed, numbers: &[i64]) -> u128 {
        let same = |failure: &Failure<'_>| failure.need.condition == need.condition;
        let at = failures.iter().position(same).unwrap_or_else(|| {
            let parts = BTreeSet::new();
            failures.push(Failure { need, parts });
            failures.len() - 1
        });
        let failure = &mut failures[at];
        failure.parts.insert(failure.part(numbers));
        failure.parts.len().fit()
    }
}

type Chosen<'a, C> =
    &'a mut dyn FnMut(&mut C, &mut Reader<'_>, &mut [i64]) -> Result<bool, Trouble>;

impl<'m> Choices<'m> {
    /// The choices of a move whose fixed parameters are in the registers.
    fn new(ruleset: &'m Ruleset, mv: MoveId, registers: &[i64], most: u32) -> Choices<'m> {
        let model = &ruleset.model().moves[mv];
        Choices {
            mv,
            model,
            base: registers[..model.registers.at()].to_vec(),
            left: most,
            conflict: 0,
        }
    }
}

/// What is known of the ways to choose a move's open parameters.
pub(crate) struct Completions {
    /// How many there are; `None` is some, too many to count.
    pub count: Option<u128>,
    /// What may be chosen for the only one, if nothing depends on it.
    pub only: Option<Open>,
}

/// The ways to choose a move's open parameters; its fixed ones are in the registers.
pub(crate) fn completions(
    reader: &mut Reader<'_>,
    mv: MoveId,
    registers: &mut [i64],
) -> Result<Completions, Trouble> {
    let ruleset = reader.ruleset;
    let model = &ruleset.model().moves[mv];
    let mut open = model.params.iter().filter(|p| p.is_open());
    let (first, second) = (open.next(), open.next());
    let Some(first) = first else {
        let (count, only) = (Some(1), None);
        return Ok(Completions { count, only });
    };
    let is_only = second.is_none() && !first.read && !model.searched;
    if is_only && first.when.is_none() {
        let only = open_domain(reader, first, registers)?;
        let count = Some(only.as_ref().map_or(Ok(1), Open::count)?);
        return Ok(Completions { count, only });
    }
    let most = if model.searched { LOOKED_AT } else { TRIED };
    let mut choices = Choices::new(ruleset, mv, registers, most);
    let mut only = None;
    let count = match model.searched {
        true => match choices.find(reader, registers, 0) {
            Ok(true) => None,
            Ok(false) => Some(0),
            Err(trouble) if trouble.kind == TroubleKind::TooManyChoices => None,
            Err(trouble) => return Err(trouble),
        },
        false if is_only => {
            only = choices.next(reader, registers, 0)?.map(|(_, open)| open);
            Some(only.as_ref().map_or(Ok(1), Open::count)?)
        }
        false => Some(choices.count(reader, registers, 0)?),
    };
    Ok(Completions { count, only })
}

/// Fills in the open parameters at an index below their number.
pub(crate) fn completed(
    reader: &mut Reader<'_>,
    mv: MoveId,
    registers: &mut [i64],
    index: u128,
) -> Result<(), Trouble> {
    let mut choices = Choices::new(reader.ruleset, mv, registers, TRIED);
    choices.pick(reader, registers, 0, index)?;
    choices.load(registers);
    Ok(())
}

/// Fills in the open parameters of a move whose choices are too many to count, drawn parameter by
/// parameter; whether there are choices that are allowed together.
pub(crate) fn drawn(
    reader: &mut Reader<'_>,
    mv: MoveId,
    registers: &mut [i64],
    index: &mut dyn FnMut(u128) -> u128,
) -> Result<bool, Trouble> {
    let ruleset = reader.ruleset;
    let fixed = registers[..ruleset.model().moves[mv].registers.at()].to_vec();
    let mut draw = |reader: &mut Reader<'_>, registers: &mut [i64]| {
        let mut choices = Choices::new(ruleset, mv, &fixed, TRIED);
        let drawn = choices.draw(reader, registers, index)?;
        Ok(drawn.then_some(choices))
    };
    if let Some(choices) = draw(reader, registers)? {
        choices.load(registers);
        return Ok(true);
    }
    let mut found = Choices::new(ruleset, mv, &fixed, LOOKED_AT);
    match found.find(reader, registers, 0) {
        Ok(true) => {}
        Ok(false) => return Ok(false),
        Err(trouble) if trouble.kind == TroubleKind::TooManyChoices => return Ok(false),
        Err(trouble) => return Err(trouble),
    }
    for _ in 0..DRAWN {
        if let Some(choices) = draw(reader, registers)? {
            found = choices;
            break;
        }
    }
    found.load(registers);
    Ok(true)
}

/// Choices of a move's open parameters, at most so many: registers of the move. Its fixed ones are in the
/// registers.
pub(crate) fn listed(
    reader: &mut Reader<'_>,
    mv: MoveId,
    registers: &mut [i64],
    limit: usize,
) -> Result<Vec<Vec<i64>>, Trouble> {
    let mut out = Vec::new();
    let mut choices = Choices::new(reader.ruleset, mv, registers, TRIED);
    match choices.list(reader, registers, 0, limit, &mut out) {
        Err(trouble) if trouble.kind != TroubleKind::TooManyChoices => Err(trouble),
        _ => Ok(out),
    }
}
