//! The interpreter of bytecode.
//!
//! The evaluator is generic over the [`World`] it works on: conditions and queries run on a state
//! they can only read, effects on a table they may change. Fuel is counted on loops and calls, so
//! every run ends; what fuel decides is the same on every machine.

#[cfg(feature = "native")]
use super::compiled::Machine;
use super::rows;
use super::{FUEL, Reader, Ruleset, Runs, Table, Trouble, TroubleKind, World};
use crate::budget;
use crate::numbers::{At as _, Fit as _};
use crate::program::bytecode::{DEPTH, Memo, Op, work_of};
#[cfg(feature = "native")]
use crate::program::ids::MoveId;
use crate::program::model::{FuncId, count_in};
use crate::program::tree::Verb;

/// Units of [work](crate::budget) from a question to the next, or to the end, with finding the moves that are legal
/// then: some forty milliseconds. The dearest move of the shipped games takes a tenth of it.
pub(crate) const MOVE_WORK: u64 = 5_000_000;

/// Units of running a function.
const RUN: u64 = 4;
/// Of each turn in it that costs fuel.
pub(crate) const TURN: u64 = 2;
/// Runs a function; its arguments are the first registers of `registers`.
#[inline(always)]
pub(crate) fn run<W: World>(
    ruleset: &Ruleset,
    world: &mut W,
    registers: &mut [i64],
    function: FuncId,
    fuel: &mut u64,
) -> Result<i64, Trouble> {
    #[cfg(feature = "work")]
    super::work::evaluated();
    let before = *fuel;
    let value = value_of(ruleset, world, registers, function, fuel, 0);
    budget::charge(RUN + (before - *fuel) * TURN);
    value
}

/// Charges what fuel does not stand for; whether anything is left.
#[inline(never)]
fn affords<W: World>(world: &mut W, units: u32, fuel: &mut u64) -> bool {
    let units = u64::from(units);
    if budget::left() > MOVE_WORK {
        // No move is made: nothing but fuel bounds what is evaluated.
        let left = fuel.checked_sub(units / TURN);
        *fuel = left.unwrap_or(0);
        return left.is_some();
    }
    if let Some(memory) = world.memory() {
        memory.worked += units;
    }
    budget::affords(units)
}

/// Runs a function that another one calls, or gives what is remembered of it, at the same price.
pub(crate) fn call<W: World>(
    ruleset: &Ruleset,
    world: &mut W,
    registers: &mut [i64],
    function: FuncId,
    fuel: &mut u64,
    depth: u32,
) -> Result<i64, Trouble> {
    value_of(ruleset, world, registers, function, fuel, depth)
}

#[inline(always)]
fn value_of<W: World>(
    ruleset: &Ruleset,
    world: &mut W,
    registers: &mut [i64],
    function: FuncId,
    fuel: &mut u64,
    depth: u32,
) -> Result<i64, Trouble> {
    let program = &ruleset.program.bytecode;
    let code = &program.functions[function];
    if let Some(memo) = &code.memo {
        return remembered(ruleset, world, registers, (function, memo), fuel, depth);
    }
    match program.at_hand(code, world.cells()) {
        Some(value) => Ok(value),
        None => begin(ruleset, world, registers, function, fuel, depth),
    }
}

/// Gives what is remembered of a function, or runs it and remembers what it gives.
fn remembered<W: World>(
    ruleset: &Ruleset,
    world: &mut W,
    registers: &mut [i64],
    (function, memo): (FuncId, &Memo),
    fuel: &mut u64,
    depth: u32,
) -> Result<i64, Trouble> {
    let program = &ruleset.program.bytecode;
    let Some(slot) = memo.slot(registers) else {
        return begin(ruleset, world, registers, function, fuel, depth);
    };
    if let Some(memory) = world.memory()
        && let Some((value, price)) = memory.get(program, memo, slot)
    {
        if price.work > 0 {
            memory.worked += u64::from(price.work);
            budget::charge(price.work.into());
        }
        let Some(left) = fuel.checked_sub(price.fuel.into()) else {
            return Err(Trouble {
                kind: TroubleKind::OutOfFuel,
                op: program.functions[function].start,
            });
        };
        *fuel = left;
        #[cfg(feature = "work")]
        super::work::remembered();
        if memory.doubts() {
            let mut again = FUEL;
            let value_again = begin(ruleset, world, registers, function, &mut again, depth)?;
            assert_eq!((value, u64::from(price.fuel)), (value_again, FUEL - again));
            world.memory().expect("it was asked").convinced();
        }
        return Ok(value);
    }
    let (before, worked) = (*fuel, world.memory().map_or(0, |memory| memory.worked));
    let value = begin(ruleset, world, registers, function, fuel, depth)?;
    if let Some(memory) = world.memory() {
        let worked = memory.worked - worked;
        memory.put(slot, value, before - *fuel, worked);
    }
    Ok(value)
}

/// Puts what stands in cells into registers, and says whether anything does; none if there are no such cells.
pub fn standing(cells: &[i32], first: i64, optional: bool, into: &mut [i64]) -> Option<bool> {
    let mut first = usize::try_from(first).ok()?;
    if optional {
        if *cells.get(first)? == 0 {
            return Some(false);
        }
        first += 1;
    }
    let there = cells.get(first..first.checked_add(into.len())?)?;
    for (register, cell) in into.iter_mut().zip(there) {
        *register = i64::from(*cell);
    }
    Some(true)
}

/// Registers of a narrow window: a byte tells them apart.
const NARROW: usize = 256;

/// Runs a function, by whatever runs those of this ruleset.
#[inline(always)]
fn begin<W: World>(
    ruleset: &Ruleset,
    world: &mut W,
    registers: &mut [i64],
    function: FuncId,
    fuel: &mut u64,
    depth: u32,
) -> Result<i64, Trouble> {
    match &ruleset.runs {
        #[cfg(feature = "native")]
        Runs::Compiled(code) => {
            let mut running = Running { ruleset, world };
            code.enter(&mut running, registers, function, fuel, depth)
        }
        Runs::Interpreter => {
            let start = ruleset.start_of(function);
            resume(ruleset, world, registers, (function, start), fuel, depth)
        }
        Runs::Engine(engine) => world.enter(&**engine, ruleset, registers, function, fuel, depth),
    }
}

/// What machine code calls back.
#[cfg(feature = "native")]
struct Running<'a, W> {
    ruleset: &'a Ruleset,
    world: &'a mut W,
}

#[cfg(feature = "native")]
impl<W: World> Machine for Running<'_, W> {
    #[inline]
    fn cells(&self) -> &[i32] {
        self.world.cells()
    }

    #[inline]
    fn verb(
        &mut self,
        verb: u32,
        op: u32,
        registers: &mut [i64],
        (at, free): (usize, usize),
    ) -> Result<i64, Trouble> {
        let verb = self.ruleset.program.bytecode.verbs[verb.at()];
        let done = self.world.verb(verb, registers, at, free);
        done.map_err(|kind| Trouble { kind, op })
    }

    fn offer(&mut self, mv: MoveId, registers: &mut [i64], free: usize) -> Result<bool, Trouble> {
        self.world.offer(mv, registers, free)
    }

    /// The instruction is no call, shows no move, and does not end the function.
    fn step(
        &mut self,
        place: (FuncId, u32),
        registers: &mut [i64],
        fuel: &mut u64,
    ) -> Result<(), Trouble> {
        exec::<W, false, true>(self.ruleset, self.world, registers, place, fuel, 0)?;
        Ok(())
    }

    fn resume(
        &mut self,
        place: (FuncId, u32),
        registers: &mut [i64],
        fuel: &mut u64,
        depth: u32,
    ) -> Result<i64, Trouble> {
        resume(self.ruleset, self.world, registers, place, fuel, depth)
    }

    fn call(
        &mut self,
        function: FuncId,
        registers: &mut [i64],
        fuel: &mut u64,
        depth: u32,
    ) -> Result<i64, Trouble> {
        call(self.ruleset, self.world, registers, function, fuel, depth)
    }
}

/// Runs a function from one of its instructions on, in a window as wide as it needs.
pub(crate) fn resume<W: World>(
    ruleset: &Ruleset,
    world: &mut W,
    registers: &mut [i64],
    (function, at): (FuncId, u32),
    fuel: &mut u64,
    depth: u32,
) -> Result<i64, Trouble> {
    let program = &ruleset.program.bytecode;
    let code = &program.functions[function];
    let place = (function, at);
    if usize::from(code.registers) < NARROW && registers.len() >= NARROW {
        exec::<W, true, false>(ruleset, world, registers, place, fuel, depth)
    } else {
        exec::<W, false, false>(ruleset, world, registers, place, fuel, depth)
    }
}

impl Ruleset {
    /// Runs a function that only reads by the interpreter of bytecode, whatever engine the ruleset has.
    ///
    /// # Errors
    ///
    /// What went wrong in the rules.
    pub fn interpret_read(
        &self,
        world: &mut Reader<'_>,
        registers: &mut [i64],
        function: FuncId,
        fuel: &mut u64,
        depth: u32,
    ) -> Result<i64, Trouble> {
        let start = (function, self.start_of(function));
        resume(self, world, registers, start, fuel, depth)
    }

    /// Runs a function that changes the table by the interpreter of bytecode, whatever engine the ruleset has.
    ///
    /// # Errors
    ///
    /// What went wrong in the rules.
    pub fn interpret_act(
        &self,
        world: &mut Table<'_>,
        registers: &mut [i64],
        function: FuncId,
        fuel: &mut u64,
        depth: u32,
    ) -> Result<i64, Trouble> {
        let start = (function, self.start_of(function));
        resume(self, world, registers, start, fuel, depth)
    }
}

/// A verb: its code stays out of the loop through instructions.
#[inline(never)]
fn verb_apart<W: World>(
    world: &mut W,
    verb: Verb,
    registers: &mut [i64],
    at: usize,
    free: usize,
) -> Result<i64, TroubleKind> {
    world.verb(verb, registers, at, free)
}

/// Runs instructions of a function from one on, or only that one. In a narrow window a register's number is cut to
/// a byte: it is below [`NARROW`] in any case, and so the compiler knows that it needs no check.
fn exec<W: World, const IS_NARROW: bool, const ONCE: bool>(
    ruleset: &Ruleset,
    world: &mut W,
    registers: &mut [i64],
    (function, at): (FuncId, u32),
    fuel: &mut u64,
    depth: u32,
) -> Result<i64, Trouble> {
    let program = &ruleset.program.bytecode;
    let code = &program.functions[function];
    let mut pc = at.at();
    macro_rules! fail {
        ($kind:ident) => {
            return Err(Trouble {
                kind: TroubleKind::$kind,
                op: pc.fit::<u32>() - 1,
            })
        };
    }
    let least = match IS_NARROW {
        true => NARROW,
        false => code.registers.at() + 1,
    };
    if depth > DEPTH || registers.len() < least {
        return Err(Trouble {
            kind: TroubleKind::TooDeep,
            op: code.start,
        });
    }
    macro_rules! reg {
        ($r:expr) => {
            registers[match IS_NARROW {
                true => $r.at() % NARROW,
                false => usize::from($r),
            }]
        };
    }
    macro_rules! jump {
        ($if:expr, $to:expr) => {
            if $if {
                pc = $to.at();
            }
        };
    }
    macro_rules! cell {
        ($cell:expr) => {
            match usize::try_from($cell)
                .ok()
                .and_then(|c| world.cells().get(c))
            {
                Some(v) => i64::from(*v),
                None => fail!(OutOfBounds),
            }
        };
    }
    macro_rules! row {
        ($i:expr, $len:expr) => {
            match usize::try_from(reg!($i)) {
                Ok(row) if row < $len.at() => row,
                _ => fail!(OutOfBounds),
            }
        };
    }
    macro_rules! sum {
        ($from:expr, $len:expr) => {
            match $from
                .and_then(|from| usize::try_from(from).ok())
                .and_then(|from| world.cells().get(from..from.checked_add($len.at())?))
            {
                Some(cells) => cells.iter().map(|c| i64::from(*c)).sum(),
                None => fail!(OutOfBounds),
            }
        };
    }
    macro_rules! checked {
        ($value:expr) => {
            match $value {
                Some(v) => v,
                None => fail!(Overflow),
            }
        };
    }
    macro_rules! work {
        ($units:expr) => {{
            let units = $units;
            if units > 0 && !affords(world, units, fuel) {
                fail!(TooMuchWork)
            }
        }};
    }
    macro_rules! turn {
        ($var:expr, $bound:expr, $to:expr) => {{
            if *fuel == 0 {
                fail!(OutOfFuel)
            }
            *fuel -= 1;
            let next = checked!(reg!($var).checked_add(1));
            reg!($var) = next;
            jump!(next < $bound, $to);
        }};
    }
    macro_rules! scaled {
        ($i:expr, $by:expr) => {{
            if reg!($i) < 0 {
                fail!(OutOfBounds)
            }
            checked!(reg!($i).checked_mul(i64::from($by)))
        }};
    }
    macro_rules! pair {
        ($i:expr, $by:expr, $j:expr, $step:expr) => {{
            if reg!($i) < 0 || reg!($j) < 0 {
                fail!(OutOfBounds)
            }
            let first = checked!(reg!($i).checked_mul(i64::from($by)));
            let second = checked!(reg!($j).checked_mul(i64::from($step)));
            checked!(first.checked_add(second))
        }};
    }
    #[cfg(feature = "work")]
    let mut meter = super::work::Meter::of(function);
    loop {
        let op = program.ops[pc];
        pc += 1;
        #[cfg(feature = "work")]
        meter.step();
        match op {
            Op::Const { d, v } => reg!(d) = i64::from(v),
            Op::Consts { d, first, len } => {
                let constants = &program.constants[first.at()..][..len.at()];
                registers[d.at()..][..len.at()].copy_from_slice(constants);
            }
            Op::Copy { d, s } => reg!(d) = reg!(s),
            Op::CopyAll { d, s, len } => {
                let (d, s) = (d.at(), s.at());
                registers.copy_within(s..s + len.at(), d);
            }
            Op::Add { d, a, b } => reg!(d) = checked!(reg!(a).checked_add(reg!(b))),
            Op::AddConst { d, a, v } => reg!(d) = checked!(reg!(a).checked_add(i64::from(v))),
            Op::Sub { d, a, b } => reg!(d) = checked!(reg!(a).checked_sub(reg!(b))),
            Op::SubFrom { d, v, a } => reg!(d) = checked!(i64::from(v).checked_sub(reg!(a))),
            Op::Mul { d, a, b } => reg!(d) = checked!(reg!(a).checked_mul(reg!(b))),
            Op::Div { d, a, b } => {
                if reg!(b) == 0 {
                    fail!(DivisionByZero)
                }
                reg!(d) = checked!(reg!(a).checked_div(reg!(b)));
            }
            Op::Rem { d, a, b } => {
                if reg!(b) == 0 {
                    fail!(DivisionByZero)
                }
                reg!(d) = checked!(reg!(a).checked_rem(reg!(b)));
            }
            Op::Eq { d, a, b } => reg!(d) = i64::from(reg!(a) == reg!(b)),
            Op::Ne { d, a, b } => reg!(d) = i64::from(reg!(a) != reg!(b)),
            Op::Lt { d, a, b } => reg!(d) = i64::from(reg!(a) < reg!(b)),
            Op::Le { d, a, b } => reg!(d) = i64::from(reg!(a) <= reg!(b)),
            Op::Is { d, a, v } => reg!(d) = i64::from(reg!(a) == i64::from(v)),
            Op::IsNot { d, a, v } => reg!(d) = i64::from(reg!(a) != i64::from(v)),
            Op::IsBelow { d, a, v } => reg!(d) = i64::from(reg!(a) < i64::from(v)),
            Op::IsNotBelow { d, a, v } => reg!(d) = i64::from(reg!(a) >= i64::from(v)),
            Op::Min { d, a, b } => reg!(d) = reg!(a).min(reg!(b)),
            Op::Max { d, a, b } => reg!(d) = reg!(a).max(reg!(b)),
            Op::MinConst { d, a, v } => reg!(d) = reg!(a).min(i64::from(v)),
            Op::MaxConst { d, a, v } => reg!(d) = reg!(a).max(i64::from(v)),
            Op::Extreme {
                acc,
                seen,
                s,
                is_max,
            } => {
                let (best, value) = (reg!(acc), reg!(s));
                let is_better = match is_max {
                    true => value > best,
                    false => value < best,
                };
                if is_better || reg!(seen) == 0 {
                    reg!(acc) = value;
                }
                reg!(seen) = 1;
            }
            Op::Choose { d, c, yes, no } => {
                reg!(d) = i64::from(if reg!(c) != 0 { yes } else { no });
            }
            Op::Neg { d, a } => reg!(d) = checked!(reg!(a).checked_neg()),
            Op::Not { d, a } => reg!(d) = i64::from(reg!(a) == 0),
            Op::Jump { to } => pc = to.at(),
            Op::Back { to } => {
                if *fuel == 0 {
                    fail!(OutOfFuel)
                }
                *fuel -= 1;
                pc = to.at();
            }
            Op::JumpIf { c, to } => jump!(reg!(c) != 0, to),
            Op::JumpUnless { c, to } => jump!(reg!(c) == 0, to),
            Op::JumpIfLess { a, b, to } => jump!(reg!(a) < reg!(b), to),
            Op::JumpUnlessLess { a, b, to } => jump!(reg!(a) >= reg!(b), to),
            Op::JumpIfBelow { a, v, to } => jump!(reg!(a) < i64::from(v), to),
            Op::JumpUnlessBelow { a, v, to } => jump!(reg!(a) >= i64::from(v), to),
            Op::JumpIfEqual { a, b, to } => jump!(reg!(a) == reg!(b), to),
            Op::JumpUnlessEqual { a, b, to } => jump!(reg!(a) != reg!(b), to),
            Op::JumpIfIs { a, v, to } => jump!(reg!(a) == i64::from(v), to),
            Op::JumpUnlessIs { a, v, to } => jump!(reg!(a) != i64::from(v), to),
            Op::Next { var, bound, to } => turn!(var, reg!(bound), to),
            Op::NextRow { var, rows, to } => turn!(var, i64::from(rows), to),
            Op::Scan { scan, to } => {
                let scan = &program.scans[scan.at()];
                let Some(next) = rows::next_row(scan, world.cells(), &program.columns, registers)
                else {
                    fail!(OutOfBounds)
                };
                let skipped = (next - reg!(scan.var)).cast_unsigned();
                let Some(left) = fuel.checked_sub(skipped) else {
                    fail!(OutOfFuel)
                };
                *fuel = left;
                reg!(scan.var) = next;
                jump!(next >= i64::from(scan.rows), to);
            }
            Op::ScanNext { scan, to } => {
                let scan = &program.scans[scan.at()];
                let last = reg!(scan.var);
                reg!(scan.var) = checked!(last.checked_add(1));
                let Some(next) = rows::next_row(scan, world.cells(), &program.columns, registers)
                else {
                    fail!(OutOfBounds)
                };
                let Some(left) = fuel.checked_sub((next - last).cast_unsigned()) else {
                    fail!(OutOfFuel)
                };
                *fuel = left;
                reg!(scan.var) = next;
                jump!(next < i64::from(scan.rows), to);
            }
            Op::Total { d, total } => {
                let total = &program.totals[total.at()];
                let Some(sum) = rows::sum(total, world.cells(), &program.columns, registers) else {
                    fail!(OutOfBounds)
                };
                let Some(left) = fuel.checked_sub(u64::from(total.rows)) else {
                    fail!(OutOfFuel)
                };
                *fuel = left;
                reg!(d) = sum;
            }
            Op::Load { d, cell } => reg!(d) = i64::from(world.cells()[cell.at()]),
            Op::LoadAt { d, base, i } => {
                if reg!(i) < 0 {
                    fail!(OutOfBounds)
                }
                reg!(d) = cell!(reg!(i).saturating_add(i64::from(base)));
            }
            Op::LoadScaled { d, base, i, by } => {
                reg!(d) = cell!(scaled!(i, by).saturating_add(i64::from(base)));
            }
            Op::LoadPair {
                d,
                base,
                i,
                by,
                j,
                step,
            } => {
                let at = pair!(i, by, j, step);
                reg!(d) = cell!(at.saturating_add(i64::from(base)));
            }
            Op::Cell { d, base, i, by } => {
                reg!(d) = checked!(scaled!(i, by).checked_add(i64::from(base)));
            }
            Op::CellPair {
                d,
                base,
                i,
                by,
                j,
                step,
            } => {
                let at = pair!(i, by, j, step);
                reg!(d) = checked!(at.checked_add(i64::from(base)));
            }
            Op::ScalePair { d, i, by, j, step } => reg!(d) = pair!(i, by, j, step),
            Op::Scale { d, i, by } => reg!(d) = scaled!(i, by),
            Op::AddScaled { d, a, i, by } => {
                reg!(d) = checked!(reg!(a).checked_add(scaled!(i, by)));
            }
            Op::Sum { d, base, len } => {
                work!(work_of(len.into()));
                let cells = &world.cells()[base.at()..base.at() + len.at()];
                reg!(d) = cells.iter().map(|c| i64::from(*c)).sum();
            }
            Op::SumAt { d, base, i, len } => {
                work!(work_of(len.into()));
                reg!(d) = sum!(i64::from(base).checked_add(reg!(i)), len);
            }
            Op::SumScaled {
                d,
                base,
                i,
                by,
                len,
            } => {
                let step = scaled!(i, by);
                reg!(d) = sum!(i64::from(base).checked_add(step), len);
            }
            Op::CountIn { d, cell, row } => match count_in(world.cells(), reg!(cell), reg!(row)) {
                Some((count, size)) => {
                    work!(work_of(size));
                    reg!(d) = count;
                }
                None => fail!(OutOfBounds),
            },
            Op::Column { d, base, i, len } => {
                let row = row!(i, len);
                reg!(d) = i64::from(program.columns[base.at() + row]);
            }
            Op::RegisterAt { d, base, i, len } => {
                let row = row!(i, len);
                reg!(d) = registers[base.at() + row];
            }
            Op::SumRegisters { d, base, len } => {
                work!(work_of(len.into()));
                let window = &registers[base.at()..base.at() + len.at()];
                let sum = window.iter().try_fold(0i64, |sum, n| sum.checked_add(*n));
                reg!(d) = checked!(sum);
            }
            Op::Call { d, function, at } => {
                if *fuel == 0 {
                    fail!(OutOfFuel)
                }
                *fuel -= 1;
                let window = &mut registers[at.at()..];
                reg!(d) = call(ruleset, world, window, function, fuel, depth + 1)?;
            }
            Op::Return { s } => return Ok(reg!(s)),
            Op::ReturnConst { v } => return Ok(i64::from(v)),
            Op::Verb { d, verb, at } => {
                let verb = program.verbs[verb.at()];
                match verb_apart(world, verb, registers, at.at(), code.registers.at()) {
                    Ok(value) => reg!(d) = value,
                    Err(kind) => {
                        return Err(Trouble {
                            kind,
                            op: pc.fit::<u32>() - 1,
                        });
                    }
                }
            }
            Op::Possible { d, mv, seat } => {
                let seat = reg!(seat);
                match world.possible(mv, seat, &mut registers[code.registers.at()..]) {
                    Ok(value) => reg!(d) = i64::from(value),
                    Err(kind) => {
                        return Err(Trouble {
                            kind,
                            op: pc.fit::<u32>() - 1,
                        });
                    }
                }
            }
            Op::Offer { mv, to } => {
                let enough = world.offer(mv, registers, code.registers.at())?;
                jump!(!enough, to);
            }
            Op::Standing {
                d,
                first,
                at,
                len,
                optional,
            } => {
                let window = &mut registers[..code.registers.at()];
                let (first, at) = (window[first.at()], at.at());
                let into = &mut window[at..at + len.at()];
                match standing(world.cells(), first, optional, into) {
                    Some(stands) => reg!(d) = i64::from(stands),
                    None => fail!(OutOfBounds),
                }
            }
            Op::Cite { clause } => world.cite(clause),
            Op::Work { units } => work!(units),
        }
        if ONCE {
            return Ok(0);
        }
    }
}
