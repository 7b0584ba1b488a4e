//! How much may be done from one question to the next.

use crate::budget;
use crate::machine::vm::MOVE_WORK;
use crate::machine::{Trouble, TroubleKind};

/// Does what may take as much work as there is from a question to the next.
pub(super) fn bounded<T>(work: impl FnOnce() -> T) -> T {
    budget::bounded(MOVE_WORK, work)
}

/// More work is not done, if that is spent.
pub(super) fn unless_spent(op: u32) -> Result<(), Trouble> {
    match budget::is_spent() {
        true => Err(Trouble {
            kind: TroubleKind::TooMuchWork,
            op,
        }),
        false => Ok(()),
    }
}
