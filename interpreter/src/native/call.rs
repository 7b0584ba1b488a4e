//! The calling convention between the interpreter and machine code, and callbacks where it needs something.
//!
//! Machine code gets a [`Context`], the window of its registers, and how deeply calls are nested; it gives an
//! [`Outcome`]. For what it does not do itself it calls [back](Backs): a verb, another single instruction, all that is
//! left of a function, or a function whose value may be remembered.
//!
//! Why this is sound: a context is made by [`Native::enter`] and outlives the call that it is made for. While
//! machine code runs nobody else uses the registers or the world, whose borrows `enter` holds. Machine code touches
//! registers only within its window, whose room it compares with the end of all registers before anything else;
//! cells only at indices that were compared with their number, which `enter` asserts, and through a pointer that
//! is renewed whenever the world was used. It outlives no code: who enters borrows the `Native` that keeps it.

#![allow(
    unsafe_code,
    reason = "machine code is called through pointers; the module says why that is sound"
)]

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;

use cranelift_jit::JITModule;

use super::data::Data;
use crate::numbers::{At as _, Fit as _};
use crate::play::machine::{Engine, Reader, Ruleset, Table, Trouble, World, vm};
use crate::program::ids::{FuncId, IndexVec, MoveId};

/// A function in machine code.
pub(super) type Entry = unsafe extern "C" fn(*mut Context, *mut i64, u64) -> Outcome;

/// The functions of a program as machine code.
pub(crate) struct Native {
    /// By number.
    pub(super) entries: IndexVec<FuncId, Entry>,
    /// How many cells a state has.
    pub(super) cells: usize,
    /// Keeps the code. What it reads besides the state lies in `data`.
    pub(super) code: Mutex<Option<JITModule>>,
    #[expect(dead_code, reason = "the code points into it")]
    pub(super) data: Data,
}

/// What a function, or what it called, gave.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcome {
    /// Its value, if it has one.
    value: i64,
    /// Zero, or [`FAILED`].
    status: i64,
}

/// There is no value; the context says why.
const FAILED: i64 = 1;

/// Calls the machine back: with the window of the registers, and what to do.
type Back = unsafe extern "C" fn(*mut Context, *mut i64, u64, u64) -> Outcome;

/// What the machine does for machine code, made for a type of world.
#[repr(C)]
pub(super) struct Backs {
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
pub(super) struct Context {
    /// The cells of the state.
    cells: *const i32,
    /// How much fuel is left.
    fuel: u64,
    /// Behind the last register.
    end: *const i64,
    backs: *const Backs,
    /// The world, of the type for which `backs` was made.
    world: *mut (),
    ruleset: *const Ruleset,
    stopped: Option<Stopped>,
}

/// Where machine code finds parts of the context.
#[expect(
    clippy::as_conversions,
    reason = "constants of a few words, and `From` is not for constants"
)]
pub(super) mod offset {
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
pub(super) fn verb_operands(verb: u16, at: u16, free: u16) -> u64 {
    u64::from(verb) << 32 | u64::from(at) << 16 | u64::from(free)
}

/// The entry of a function that was translated.
pub(super) fn entry(module: &JITModule, function: cranelift_module::FuncId) -> Entry {
    let code = module.get_finalized_function(function);
    // SAFETY: `translate` gives every function the signature of an `Entry`, in the calling convention of C.
    unsafe { std::mem::transmute::<*const u8, Entry>(code) }
}

impl Engine for Native {
    fn read(
        &self,
        ruleset: &Ruleset,
        world: &mut Reader<'_>,
        registers: &mut [i64],
        function: FuncId,
        fuel: &mut u64,
        depth: u32,
    ) -> Result<i64, Trouble> {
        self.enter(ruleset, world, registers, function, fuel, depth)
    }

    fn act(
        &self,
        ruleset: &Ruleset,
        world: &mut Table<'_>,
        registers: &mut [i64],
        function: FuncId,
        fuel: &mut u64,
        depth: u32,
    ) -> Result<i64, Trouble> {
        self.enter(ruleset, world, registers, function, fuel, depth)
    }
}

impl Native {
    /// Runs a function; its arguments are the first of the registers.
    #[inline(always)]
    fn enter<W: World>(
        &self,
        ruleset: &Ruleset,
        world: &mut W,
        registers: &mut [i64],
        function: FuncId,
        fuel: &mut u64,
        depth: u32,
    ) -> Result<i64, Trouble> {
        let entry = self.entries[function];
        let cells = world.cells();
        assert_eq!(cells.len(), self.cells, "a state of this ruleset");
        let range = registers.as_mut_ptr_range();
        let mut context = Context {
            cells: cells.as_ptr(),
            fuel: *fuel,
            end: range.end,
            backs: const {
                &Backs {
                    verb: verb::<W>,
                    offer: offer::<W>,
                    step: step::<W>,
                    resume: resume::<W>,
                    remembered: remembered::<W>,
                }
            },
            world: std::ptr::from_mut(world).cast(),
            ruleset,
            stopped: None,
        };
        // SAFETY: the context is of this world and ruleset, the registers are borrowed for as long as this takes,
        // and `self` keeps the code.
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

impl Drop for Native {
    fn drop(&mut self) {
        let module = self.code.get_mut().ok().and_then(Option::take);
        if let Some(module) = module {
            // SAFETY: who runs code borrows `self`, so nobody does; and the entries go with it.
            unsafe { module.free_memory() };
        }
    }
}

/// Lets the machine do something.
///
/// # Safety
///
/// The context must be one that [`Native::enter`] made for this type of world and that is in use, the registers a
/// window of those that it was made for.
#[inline]
unsafe fn back<W: World>(
    context: *mut Context,
    registers: *mut i64,
    work: impl FnOnce(&Ruleset, &mut W, &mut [i64], &mut u64) -> Result<i64, Trouble>,
) -> Outcome {
    // SAFETY: machine code does nothing with the context until this returns, and `enter` does not either.
    let context = unsafe { &mut *context };
    // SAFETY: `enter` borrows the world and the ruleset for longer than this takes, and uses neither.
    let (world, ruleset) = unsafe { (&mut *context.world.cast::<W>(), &*context.ruleset) };
    // SAFETY: the window lies within the registers, as machine code has made sure; `end` is behind the last.
    let registers = unsafe {
        let len = context.end.offset_from_unsigned(registers);
        std::slice::from_raw_parts_mut(registers, len)
    };
    let fuel = &mut context.fuel;
    // A panic must not run through machine code.
    let done = catch_unwind(AssertUnwindSafe(|| work(ruleset, world, registers, fuel)));
    context.cells = world.cells().as_ptr();
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
unsafe extern "C" fn verb<W: World>(
    context: *mut Context,
    registers: *mut i64,
    op: u64,
    operands: u64,
) -> Outcome {
    let work = |ruleset: &Ruleset, world: &mut W, registers: &mut [i64], _: &mut u64| {
        let (verb, window) = halves(operands);
        let verb = ruleset.program.bytecode.verbs[verb.at()];
        let (at, free) = (window >> 16, window & 0xffff);
        let done = world.verb(verb, registers, at.at(), free.at());
        done.map_err(|kind| Trouble { kind, op: op.fit() })
    };
    // SAFETY: as for machine code itself.
    unsafe { back(context, registers, work) }
}

/// See [`Backs::offer`].
unsafe extern "C" fn offer<W: World>(
    context: *mut Context,
    registers: *mut i64,
    mv: u64,
    free: u64,
) -> Outcome {
    let work = |_: &Ruleset, world: &mut W, registers: &mut [i64], _: &mut u64| {
        world
            .offer(MoveId(mv.fit()), registers, free.fit())
            .map(i64::from)
    };
    // SAFETY: as for machine code itself.
    unsafe { back(context, registers, work) }
}

/// See [`Backs::step`].
unsafe extern "C" fn step<W: World>(
    context: *mut Context,
    registers: *mut i64,
    at: u64,
    _: u64,
) -> Outcome {
    let work = |ruleset: &Ruleset, world: &mut W, registers: &mut [i64], fuel: &mut u64| {
        vm::step(ruleset, world, registers, place(at), fuel).map(|()| 0)
    };
    // SAFETY: as for machine code itself.
    unsafe { back(context, registers, work) }
}

/// See [`Backs::resume`].
unsafe extern "C" fn resume<W: World>(
    context: *mut Context,
    registers: *mut i64,
    at: u64,
    depth: u64,
) -> Outcome {
    let work = |ruleset: &Ruleset, world: &mut W, registers: &mut [i64], fuel: &mut u64| {
        vm::resume(ruleset, world, registers, place(at), fuel, depth.fit())
    };
    // SAFETY: as for machine code itself.
    unsafe { back(context, registers, work) }
}

/// See [`Backs::remembered`].
unsafe extern "C" fn remembered<W: World>(
    context: *mut Context,
    registers: *mut i64,
    function: u64,
    depth: u64,
) -> Outcome {
    let work = |ruleset: &Ruleset, world: &mut W, registers: &mut [i64], fuel: &mut u64| {
        let (function, depth) = (FuncId(function.fit()), depth.fit());
        vm::call(ruleset, world, registers, function, fuel, depth)
    };
    // SAFETY: as for machine code itself.
    unsafe { back(context, registers, work) }
}

impl fmt::Debug for Native {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Native")
            .field("functions", &self.entries.len())
            .finish_non_exhaustive()
    }
}
