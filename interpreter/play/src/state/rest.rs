//! What was said of the places where play rested: what the next one is compared with.

use crate::program::ids::{AskId, PhaseId};

/// What everybody was told of where play rested, as far as it can change.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rest {
    pub(crate) asked: Option<(AskId, u16)>,
    /// What phases that keep something kept, each its cells in the order in which it declares them.
    pub(crate) kept: Vec<(PhaseId, Vec<i32>)>,
    /// Phases that began since.
    pub(crate) began: Vec<PhaseId>,
    /// Phases that ended since.
    pub(crate) ended: Vec<PhaseId>,
}

/// What was said when play rested last.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    /// Where it had rested before.
    pub(crate) before: Rest,
    /// How much was said of what is otherwise.
    pub(crate) count: usize,
}
