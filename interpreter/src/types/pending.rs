//! Moves and triggers that wait until everything that attaches to them is known.

use crate::program::model::{Cell, EventId, PhaseId, VarModel};
use crate::resolve::{Bound, Contributed};
use crate::source::Span;
use crate::syntax::ast;

/// What stands around a move: its phase, the name of the asked seat, the variables that it sees.
#[derive(Clone, Debug)]
pub(super) struct MoveContext {
    pub phase: Option<PhaseId>,
    pub alias: Option<String>,
    pub vars: Vec<VarModel>,
}

/// A move that waits for everything that extends it.
pub(super) struct PendingMove<'a> {
    pub decl: &'a ast::MoveDecl,
    pub around: MoveContext,
    pub bound: Option<Bound>,
    pub extensions: Vec<PendingExtension<'a>>,
    pub forbidden: Vec<Contributed<'a>>,
    /// When a move at any time is offered.
    pub when: Option<&'a ast::Expr>,
    /// For which of the seats asked it is.
    pub group: Option<Group<'a>>,
}

/// Some of the seats that are asked.
pub(super) enum Group<'a> {
    /// Those for which this holds.
    Where(&'a ast::Expr),
    /// This one.
    Seat(&'a ast::Expr),
}

/// An extension of a move.
#[derive(Clone)]
pub(super) struct PendingExtension<'a> {
    pub item: &'a ast::Extension,
    pub bound: Option<Bound>,
    /// First cell of the memory of `once per`, and the phase that forgets.
    pub once: Option<(Cell, PhaseId)>,
}

/// The stated order of a trigger: before or after which others.
pub(super) struct Ordered {
    pub event: EventId,
    pub trigger: usize,
    pub name: Option<String>,
    pub order: Vec<(bool, String, Span)>,
    pub span: Span,
}
