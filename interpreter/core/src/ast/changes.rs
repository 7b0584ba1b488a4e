//! What components and modules add to other rules or change in them.

use super::decisions::MoveDecl;
use super::flow::{Body, Step};
use super::functions::{Expr, Query};
use super::words::{Cite, Name, Path};
use crate::source::Span;

/// Moves added to a question: `in captain.loading: move …`.
#[derive(Clone, Debug)]
pub struct Addition {
    /// The step that asks.
    pub step: Path,
    /// Further steps that ask.
    pub also: Vec<Path>,
    /// The moves.
    pub moves: Vec<MoveDecl>,
    /// Its clause.
    pub cite: Option<Cite>,
    /// The header.
    pub span: Span,
}

/// A moment of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Before the step, once.
    Before,
    /// After the step, once.
    After,
    /// Before each turn of the player.
    BeforeTurn,
    /// After each turn of the player.
    AfterTurn,
    /// Before the player's first turn.
    BeforeFirstTurn,
    /// At the start of the phase or step: its parameters are known.
    AtStart,
    /// At the end of the phase or step: its parameters are still known.
    AtEnd,
    /// After the player's first turn.
    AfterFirstTurn,
}

/// A step added at a moment.
#[derive(Clone, Debug)]
pub struct Insertion {
    /// When.
    pub moment: Moment,
    /// `of p`: the name of the player whose turn it is.
    pub player: Option<Name>,
    /// The step or phase.
    pub target: Path,
    /// Its condition.
    pub when: Option<Expr>,
    /// `owner orders`: simultaneous ones are ordered by their owner.
    pub owner_orders: bool,
    /// The name of the step that is added.
    pub name: Option<Name>,
    /// What it does.
    pub body: Body,
    /// Its clause.
    pub cite: Option<Cite>,
    /// The header.
    pub span: Span,
}

/// `replace captain.storing:` and the new step.
#[derive(Clone, Debug)]
pub struct Replacement {
    /// What is replaced: a step, a move, a query, an ending.
    pub target: Path,
    /// By what.
    pub with: Replacing,
    /// `after <module>`: stated precedence over another module's replacement.
    pub after: Option<Name>,
    /// Its clause.
    pub cite: Option<Cite>,
    /// The header.
    pub span: Span,
}

/// What replaces.
#[derive(Clone, Debug)]
pub enum Replacing {
    /// A step of the same name.
    Step(Box<Step>),
    /// A move of the same name.
    Move(Box<MoveDecl>),
    /// A query of the same name and type.
    Query(Box<Query>),
}

/// `disable captain.storing`
#[derive(Clone, Debug)]
pub struct Disable {
    /// What no longer holds: a step, a move, a contribution, a trigger, an ending, a component's rules.
    pub target: Path,
    /// Its clause.
    pub cite: Option<Cite>,
    /// The whole sentence.
    pub span: Span,
}
