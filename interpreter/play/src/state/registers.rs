//! Scratch registers of the machine.
//!
//! They mean nothing between two evaluations, and there are many: a game that rests has none, a copy of a
//! game gets none, and an evaluation takes those that were given back last on its thread. What lies in them
//! is of no concern: who evaluates sets the arguments, and functions set what they use beyond. Where that is tested
//! nonsense lies in them.

use std::cell::RefCell;
use std::ops::{Deref, DerefMut};

/// Registers that every run may use.
pub const REGISTERS: usize = 8192;

/// Registers that a thread keeps for who needs some next: a game, and those it is compared with.
const SPARE: usize = 4;

thread_local! {
    static GIVEN_BACK: RefCell<Vec<Box<[i64]>>> = const { RefCell::new(Vec::new()) };
}

/// The registers of one evaluation, which are allocated when they are first written to.
#[derive(Debug, Default)]
pub struct Registers(Option<Box<[i64]>>);

/// The value that builds with debug assertions fill unused registers with.
///
/// No rule produces it, so that a function that reads a register before it writes to it is found.
pub const NONSENSE: i64 = i64::MIN / 3;

/// Whether this build fills them.
pub const FILLED: bool = cfg!(debug_assertions);

impl Registers {
    /// Takes registers that begin with these arguments.
    pub fn of(args: &[i64]) -> Registers {
        let mut registers = Registers(Some(take()));
        registers[..args.len()].copy_from_slice(args);
        registers
    }

    /// Gives the registers back to the thread; the next write takes others.
    pub fn release(&mut self) {
        if let Some(registers) = self.0.take() {
            GIVEN_BACK.with_borrow_mut(|spare| {
                if spare.len() < SPARE {
                    spare.push(registers);
                }
            });
        }
    }
}

#[cold]
fn take() -> Box<[i64]> {
    let given_back = GIVEN_BACK.with_borrow_mut(Vec::pop);
    let mut registers = given_back.unwrap_or_else(|| vec![0; REGISTERS].into_boxed_slice());
    if FILLED {
        registers.fill(NONSENSE);
    }
    registers
}

impl Deref for Registers {
    type Target = [i64];

    #[inline]
    fn deref(&self) -> &[i64] {
        self.0.as_deref().unwrap_or(&[])
    }
}

impl DerefMut for Registers {
    #[inline]
    fn deref_mut(&mut self) -> &mut [i64] {
        self.0.get_or_insert_with(take)
    }
}

impl Clone for Registers {
    fn clone(&self) -> Self {
        Registers::default()
    }
}

impl Drop for Registers {
    fn drop(&mut self) {
        // A thread that ends may have no spare registers any more.
        if let Some(registers) = self.0.take() {
            let _ = GIVEN_BACK.try_with(|spare| {
                let mut spare = spare.borrow_mut();
                if spare.len() < SPARE {
                    spare.push(registers);
                }
            });
        }
    }
}
