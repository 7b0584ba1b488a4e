//! The phase graph: nodes are what the machine can stand on, edges are what follows.

use petgraph::graph::{DiGraph, NodeIndex};

use super::cell::Cell;
use super::ids::*;
use crate::source::Id;

/// A node and the step it belongs to.
#[derive(Clone, Debug)]
pub struct Node {
    /// What happens here.
    pub kind: NodeKind,
    /// The phase.
    pub phase: PhaseId,
    /// The step: `captain.loading`; the phase's name for its ends.
    pub step: Id,
    /// The clause of the step.
    pub cite: Option<ClauseId>,
}

/// What happens at a node.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "a variant's text explains its fields")]
pub enum NodeKind {
    /// A phase begins: its kept values are reset.
    Begin,
    /// A phase is over: back to where it was visited.
    Return,
    /// An effect.
    Effect(FuncId),
    /// A condition: on by `Yes` or `No`.
    Branch(FuncId),
    /// A question to several seats is put to all of them.
    OpenAsk(AskId),
    /// A question.
    Ask(AskId),
    /// The first of as many turns as there are players.
    StartTurns { var: Cell, left: Cell, from: FuncId },
    /// `Yes` while turns are left.
    TurnsLeft { left: Cell },
    /// The next player's turn.
    NextTurn { var: Cell, left: Cell },
    /// The first turn of a cycle.
    StartCycle {
        var: Cell,
        since: Cell,
        from: FuncId,
    },
    /// `Yes` while fewer turns than players have passed since the event.
    LapUnderWay { since: Cell },
    /// A turn of a cycle begins.
    CountTurn { since: Cell },
    /// The next player in the cycle.
    NextInCycle { var: Option<Cell> },
    /// The first row.
    StartRows { var: Cell },
    /// `Yes` while rows are left.
    RowsLeft { var: Cell, rows: u32 },
    /// Sets cells to zero.
    Fill { base: Cell, len: u32 },
    /// The player in this cell had a turn.
    Mark { base: Cell, var: Cell },
    /// Visits end until this phase is the innermost.
    Unwind { phase: PhaseId },
    /// What waits for the end of a phase that followed an event goes on.
    Follow,
    /// The next row.
    NextRow { var: Cell },
    /// The first and the last number.
    StartNumbers {
        var: Cell,
        last: Cell,
        from: FuncId,
        to: FuncId,
    },
    /// `Yes` while numbers are left.
    NumbersLeft { var: Cell, last: Cell },
    /// Visits the phase behind the edge `Enter`, then goes on by `Next`.
    Visit { args: Vec<(Cell, FuncId)> },
    /// A visit is over whose choices must leave something true. The frame of the visit leads here.
    Promised(PromiseId),
    /// Visits the phase that plays a row: the edge `Play(row)`.
    Play {
        row: FuncId,
        args: Vec<FuncId>,
        params: Vec<Vec<Cell>>,
    },
}

/// What follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Edge {
    /// Always.
    Next,
    /// If the condition holds.
    Yes,
    /// If it does not.
    No,
    /// The phase that is visited.
    Enter,
    /// The phase that plays this row.
    Play(u32),
}

/// The graph of a ruleset.
#[derive(Clone, Debug)]
pub struct PhaseGraph {
    /// Nodes and edges.
    pub graph: DiGraph<Node, Edge>,
    /// Where each phase begins.
    pub begins: IndexVec<PhaseId, NodeIndex>,
}

impl From<NodeIndex> for NodeId {
    fn from(node: NodeIndex) -> Self {
        NodeId::new(node.index())
    }
}

impl From<NodeId> for NodeIndex {
    fn from(node: NodeId) -> Self {
        NodeIndex::new(node.index())
    }
}

impl NodeId {
    /// The node whose number stands in a cell.
    pub fn in_cell(number: i32) -> NodeId {
        NodeId(number.cast_unsigned())
    }

    /// As it stands in a cell.
    pub fn for_cell(self) -> i32 {
        self.0.cast_signed()
    }
}

/// "There is no such edge."
pub const NOWHERE: NodeId = NodeId(u32::MAX);

/// A linked node.
#[derive(Clone, Debug)]
pub struct Linked {
    /// What happens.
    pub kind: NodeKind,
    /// After `Next` and `Yes`.
    pub next: NodeId,
    /// After `No`.
    pub no: NodeId,
    /// Behind `Enter`.
    pub enter: NodeId,
    /// Behind `Play(row)`.
    pub plays: Vec<NodeId>,
    /// The phase.
    pub phase: PhaseId,
}
