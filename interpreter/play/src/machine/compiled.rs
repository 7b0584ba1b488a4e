//! The calling convention between the interpreter and machine code, and callbacks where it needs something.
//!
//! Machine code gets a [`Context`], the window of its registers, and how deeply calls are nested; it gives an
//! [`Outcome`]. For what it does not do itself it calls [back](Backs): a verb, another single instruction, all that is
//! left of a function, or a function whose value may be remembered.
//!
//! Why this is sound: a context is made by [`Compiled::enter`] and outlives the call that it is made for. While
//! machine code runs nobody else uses the registers or the machine, whose borrows `enter` holds. Machine code touches
//! registers only within its window, whose room it compares with the end of all registers before anything else;
//! cells only at indices that were compared with their number, which `enter` asserts, and through a pointer that
//! is renewed whenever the machine was used. It outlives no code: who enters borrows the [`Compiled`] that keeps it.

#![allow(
    unsafe_code,
    reason = "machine code is called through pointers; the module says why that is sound"
)]

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, RefUnwindSafe, UnwindSafe, catch_unwind, resume_unwind};

use super::trouble::Trouble;
use crate::numbers::{At as _, Fit as _};
use crate::program::ids::{FuncId, IndexVec, MoveId};

/// A function in machine code.
pub(crate) type Entry = unsafe extern "C" fn(*mut Context, *mut i64, u64) -> Outcome;

/// The functions of a program as machine code.
pub(crate) struct Compiled {
    /// By number.
    entries: IndexVec<FuncId, Entry>,
    /// How many cells a state has.
    cells: usize,
    /// The code, and what it reads besides the state: they go with the entries.
    _kept: Box<dyn Keep>,
}

/// What keeps machine code in memory.
pub(crate) trait Keep: Send + Sync + UnwindSafe + RefUnwindSafe {}

/// What a function, or what it called, gave.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    /// Its value, if it has one.
    value: i64,
    /// Zero, or [`FAILED`].
    status: i64,
}

/// There is no value; the context says why.
const FAILED: i64 = 1;

/// Calls the machine back: with the window of the registers, and what to do.
type Back = unsafe extern "C" fn(*mut Context, *mut i64, u64, u64) -> Outcome;

/// What does for machine code what that does not do itself.
pub(super) trait Machine {
    /// The cells of the state.
    fn cells(&self) -> &[i32];
    /// A verb, by its number, at an instruction: the first of its arguments is the register `at`, those from `free` on nobody
    /// uses.
    fn verb(
        &mut self,
        verb: u32,
        op: u32,
        registers: &mut [i64],
        window: (usize, usize),
    ) -> Result<i64, Trouble>;
    /// A legal move is shown to the sink of the listing; whether that is enough.
    fn offer(&mut self, mv: MoveId, registers: &mut [i64], free: usize) -> Result<bool, Trouble>;
    /// One instruction of a function.
    fn step(
        &mut self,
        place: (FuncId, u32),
        registers: &mut [i64],
        fuel: &mut u64,
    ) -> Result<(), Trouble>;
    /// All that is left of a function from an instruction on.
    fn resume(
        &mut self,
        place: (FuncId, u32),
        registers: &mut [i64],
        fuel: &mut u64,
        depth: u32,
    ) -> Result<i64, Trouble>;
    /// A function whose value may be remembered.
    fn call(
        &mut self,
        function: FuncId,
        registers: &mut [i64],
        fuel: &mut u64,
        depth: u32,
    ) -> Result<i64, Trouble>;
}

/// The ways back to a type of [`Machine`].
#[repr(C)]
pub(crate) struct Backs {
    /// A verb: which instruction it is, and its [operands](verb_operands).
    verb: Back,
    /// A legal move is shown to the sink of the listing: its number, and the first register that nobody uses. Whether that is
    /// enough.
    offer: Back,
    /// One instruction, the function in the upper half.
    step: Back,
    /// All that is left of a function from an instruction on, the function in the upper half; and how deeply calls
    /// are nested.
    resume: Back,
    /// A function whose value may be remembered; and how deeply calls are nested.
    remembered: Back,
}

/// Why there is no value.
enum Stopped {
    Trouble(Trouble),
    /// It goes on where machine code was entered: it must not run through it.
    Panic(Box<dyn Any + Send>),
}

/// What machine code works on.
#[repr(C)]
pub(crate) struct Context {
    /// The cells of the state.
    cells: *const i32,
    /// How much fuel is left.
    fuel: u64,
    /// Behind the last register.
    end: *const i64,
    backs: *const Backs,
    /// The machine, of the type for which `backs` was made.
    machine: *mut (),
    stopped: Option<Stopped>,
}

/// Where machine code finds parts of the context.
#[expect(
    clippy::as_conversions,
    reason = "constants of a few words, and `From` is not for constants"
)]
pub(crate) mod offset {
    use super::{Backs, Context};
    use std::mem::offset_of;

    pub(crate) const CELLS: i32 = offset_of!(Context, cells) as i32;
    pub(crate) const FUEL: i32 = offset_of!(Context, fuel) as i32;
    pub(crate) const END: i32 = offset_of!(Context, end) as i32;
    pub(crate) const BACKS: i32 = offset_of!(Context, backs) as i32;

    /// Where the functions lie among those that `BACKS` leads to.
    pub(crate) const VERB: i32 = offset_of!(Backs, verb) as i32;
    pub(crate) const OFFER: i32 = offset_of!(Backs, offer) as i32;
    pub(crate) const STEP: i32 = offset_of!(Backs, step) as i32;
    pub(crate) const RESUME: i32 = offset_of!(Backs, resume) as i32;
    pub(crate) const REMEMBERED: i32 = offset_of!(Backs, remembered) as i32;
}

/// The operands of a verb in a word: its number, the register of its first argument, and the first register that
/// nobody uses.
pub(crate) fn verb_operands(verb: u16, at: u16, free: u16) -> u64 {
    u64::from(verb) << 32 | u64::from(at) << 16 | u64::from(free)
}

impl Compiled {
    /// The functions of a program whose states have so many cells, by number.
    ///
    /// # Safety
    ///
    /// Each entry is code that keeps to the convention of this module for as long as `kept` lives, and touches cells below
    /// that number only.
    pub(crate) unsafe fn new(
        entries: IndexVec<FuncId, Entry>,
        cells: usize,
        kept: Box<dyn Keep>,
    ) -> Compiled {
        let _kept = kept;
        Compiled {
            entries,
            cells,
            _kept,
        }
    }

    /// Runs a function; its arguments are the first of the registers.
    #[inline(always)]
    pub(super) fn enter<M: Machine>(
        &self,
        machine: &mut M,
        registers: &mut [i64],
        function: FuncId,
        fuel: &mut u64,
        depth: u32,
    ) -> Result<i64, Trouble> {
        let entry = self.entries[function];
        let cells = machine.cells();
        assert_eq!(cells.len(), self.cells, "a state of this ruleset");
        let range = registers.as_mut_ptr_range();
        let mut context = Context {
            cells: cells.as_ptr(),
            fuel: *fuel,
            end: range.end,
            backs: const {
                &Backs {
                    verb: verb::<M>,
                    offer: offer::<M>,
                    step: step::<M>,
                    resume: resume::<M>,
                    remembered: remembered::<M>,
                }
            },
            machine: std::ptr::from_mut(machine).cast(),
            stopped: None,
        };
        // SAFETY: the context is of this machine, the registers are borrowed for as long as this takes, and `self` keeps
        // the code, which keeps to the convention.
        let outcome = unsafe { entry(&raw mut context, range.start, u64::from(depth)) };
        *fuel = context.fuel;
        match context.stopped {
            None => Ok(outcome.value),
            Some(stopped) => Err(stopped.trouble()),
        }
    }
}

impl Stopped {
    /// What went wrong in the rules; a panic goes on.
    #[cold]
    fn trouble(self) -> Trouble {
        match self {
            Stopped::Trouble(trouble) => trouble,
            Stopped::Panic(panic) => resume_unwind(panic),
        }
    }
}

/// Lets the machine do something.
///
/// # Safety
///
/// The context must be one that [`Compiled::enter`] made for this type of machine and that is in use, the registers a
/// window of those that it was made for.
#[inline]
unsafe fn back<M: Machine>(
    context: *mut Context,
    registers: *mut i64,
    work: impl FnOnce(&mut M, &mut [i64], &mut u64) -> Result<i64, Trouble>,
) -> Outcome {
    // SAFETY: machine code does nothing with the context until this returns, and `enter` does not either.
    let context = unsafe { &mut *context };
    // SAFETY: `enter` borrows the machine for longer than this takes, and does not use it.
    let machine = unsafe { &mut *context.machine.cast::<M>() };
    // SAFETY: the window lies within the registers, as machine code has made sure; `end` is behind the last.
    let registers = unsafe {
        let len = context.end.offset_from_unsigned(registers);
        std::slice::from_raw_parts_mut(registers, len)
    };
    let fuel = &mut context.fuel;
    // A panic must not run through machine code.
    let done = catch_unwind(AssertUnwindSafe(|| work(machine, registers, fuel)));
    context.cells = machine.cells().as_ptr();
    let stopped = match done {
        Ok(Ok(value)) => return Outcome { value, status: 0 },
        Ok(Err(trouble)) => Stopped::Trouble(trouble),
        Err(panic) => Stopped::Panic(panic),
    };
    context.stopped = Some(stopped);
    Outcome {
        value: 0,
        status: FAILED,
    }
}

/// The upper and the lower half of a word.
#[expect(clippy::as_conversions, reason = "halves have 32 bits")]
fn halves(word: u64) -> (u32, u32) {
    ((word >> 32) as u32, word as u32)
}

/// A function and one of its instructions, of a word.
fn place(word: u64) -> (FuncId, u32) {
    let (function, at) = halves(word);
    (FuncId(function), at)
}

/// See [`Backs::verb`].
unsafe extern "C" fn verb<M: Machine>(
    context: *mut Context,
    registers: *mut i64,
    op: u64,
    operands: u64,
) -> Outcome {
    let work = |machine: &mut M, registers: &mut [i64], _: &mut u64| {
        let (verb, window) = halves(operands);
        let window = ((window >> 16).at(), (window & 0xffff).at());
        machine.verb(verb, halves(op).1, registers, window)
    };
    // SAFETY: as for machine code itself.
    unsafe { back(context, registers, work) }
}

/// See [`Backs::offer`].
unsafe extern "C" fn offer<M: Machine>(
    context: *mut Context,
    registers: *mut i64,
    mv: u64,
    free: u64,
) -> Outcome {
    let work = |machine: &mut M, registers: &mut [i64], _: &mut u64| {
        let offered = machine.offer(MoveId(mv.fit()), registers, free.fit());
        offered.map(i64::from)
    };
    // SAFETY: as for machine code itself.
    unsafe { back(context, registers, work) }
}

/// See [`Backs::step`].
unsafe extern "C" fn step<M: Machine>(
    context: *mut Context,
    registers: *mut i64,
    at: u64,
    _: u64,
) -> Outcome {
    let work = |machine: &mut M, registers: &mut [i64], fuel: &mut u64| {
        machine.step(place(at), registers, fuel).map(|()| 0)
    };
    // SAFETY: as for machine code itself.
    unsafe { back(context, registers, work) }
}

/// See [`Backs::resume`].
unsafe extern "C" fn resume<M: Machine>(
    context: *mut Context,
    registers: *mut i64,
    at: u64,
    depth: u64,
) -> Outcome {
    let work = |machine: &mut M, registers: &mut [i64], fuel: &mut u64| {
        machine.resume(place(at), registers, fuel, halves(depth).1)
    };
    // SAFETY: as for machine code itself.
    unsafe { back(context, registers, work) }
}

/// See [`Backs::remembered`].
unsafe extern "C" fn remembered<M: Machine>(
    context: *mut Context,
    registers: *mut i64,
    function: u64,
    depth: u64,
) -> Outcome {
    let work = |machine: &mut M, registers: &mut [i64], fuel: &mut u64| {
        let function = FuncId(halves(function).1);
        machine.call(function, registers, fuel, halves(depth).1)
    };
    // SAFETY: as for machine code itself.
    unsafe { back(context, registers, work) }
}

impl fmt::Debug for Compiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compiled")
            .field("functions", &self.entries.len())
            .finish_non_exhaustive()
    }
}
