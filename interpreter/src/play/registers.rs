//! Scratch registers of the machine.
//!
//! They mean nothing between two evaluations, and there are many: a game that rests has none, a copy of a
//! game gets none, and whoever evaluates takes those that were given back last on its thread.

use std::cell::RefCell;
use std::ops::{Deref, DerefMut};

use super::vm::REGISTERS;

/// Registers that a thread keeps for whoever needs some next: a game, and those it is compared with.
const SPARE: usize = 4;

thread_local! {
    static GIVEN_BACK: RefCell<Vec<Box<[i64]>>> = const { RefCell::new(Vec::new()) };
}

/// Registers that are there when they are written to.
#[derive(Debug, Default)]
pub(crate) struct Registers(Option<Box<[i64]>>);

impl Registers {
    /// Gives them back; the next write takes others.
    pub(crate) fn release(&mut self) {
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
    match GIVEN_BACK.with_borrow_mut(Vec::pop) {
        Some(mut registers) => {
            // Where arguments lie; what functions use beyond, they set.
            registers[..REGISTERS / 8].fill(0);
            registers
        }
        None => vec![0; REGISTERS].into_boxed_slice(),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_there_before_is_not_seen() {
        let mut first = Registers::default();
        first[0] = 7;
        first[REGISTERS - 1] = 7;
        assert!(first.clone().is_empty());
        first.release();
        assert!(first.is_empty());
        let mut second = Registers::default();
        second[1] = 1;
        assert_eq!((second.len(), second[0], second[1]), (REGISTERS, 0, 1));
    }
}
