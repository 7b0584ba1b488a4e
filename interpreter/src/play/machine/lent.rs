//! A world whose parts are owned, for an evaluator that cannot borrow them.

use crate::play::state::chance::Seed;
use crate::play::state::events::{Raised, Raw};
use crate::play::state::memory::Memory;

/// What an evaluation works on, lent for its duration.
pub(crate) struct Lent {
    pub cells: Vec<i32>,
    pub seen: Option<Vec<bool>>,
    /// What effects need; without it the state can only be read.
    pub table: Option<LentTable>,
}

/// The part of a table that effects change.
pub(crate) struct LentTable {
    pub seed: Seed,
    pub log: Option<Vec<Raw>>,
    pub raised: Vec<Raised>,
    pub memory: Memory,
}

impl Lent {
    /// Lends a state that is only read.
    pub(crate) fn reader(cells: &[i32], seen: Option<&mut Vec<bool>>) -> Lent {
        Lent {
            cells: cells.to_vec(),
            seen: seen.map(std::mem::take),
            table: None,
        }
    }
}
