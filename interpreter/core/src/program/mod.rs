//! A compiled ruleset as plain data: nothing here runs a rule, and everything that plays depends on it.
//!
//! The type checker writes the [model] (declarations with their cells, phases, moves) and its functions as [trees](tree);
//! the compiler adds their [bytecode], the [phase graph](graph) and what is looked up while it runs. Read [`Program`],
//! then [`model`].

pub mod acceptance;
pub mod bytecode;
pub mod canonical;
pub mod causes;
pub mod cell;
pub mod graph;
pub mod ids;
pub mod layout;
pub mod lookup;
pub mod model;
pub mod number_words;
pub mod package;
pub mod print;
pub mod references;
pub mod regions;
pub mod sentence;
pub mod text;
pub mod tree;
pub mod value;

use std::ops::Range;

use bytecode::Bytecode;
use canonical::Plan;
use causes::Causes;
use graph::{Linked, PhaseGraph};
use ids::{EndingId, FuncId, IndexVec, MoveId, NodeId, PhaseId, WatchId};
use lookup::Lookup;
use model::Model;
use references::References;
use regions::{Reads, Regions};

/// What runs: a ruleset in one configuration, compiled.
#[derive(Clone, Debug)]
pub struct Program {
    /// Declarations, functions, phases and moves.
    pub model: Model,
    /// The functions as instructions.
    pub bytecode: Bytecode,
    /// The course of play.
    pub graph: PhaseGraph,
    /// The nodes of the graph with where they lead.
    pub nodes: IndexVec<NodeId, Linked>,
    /// What is looked up at every step.
    pub lookup: Lookup,
    /// What places, counters and markers are called.
    pub references: References,
    /// Which rules make things happen.
    pub causes: Causes,
    /// The state before the first step.
    pub initial: Vec<i32>,
    /// The parts of the state that change together.
    pub regions: Regions,
    /// For each ending, what its condition reads.
    pub endings_read: IndexVec<EndingId, Reads>,
    /// For each watch, what its condition reads.
    pub watches_read: IndexVec<WatchId, Reads>,
    /// Conditions of each move that read open parameters, by the last of them.
    pub open_needs: IndexVec<MoveId, Vec<Vec<OpenNeed>>>,
    /// The node that takes up what follows from events.
    pub follow: NodeId,
    /// Places that last as long as a phase, by phase.
    pub trays: IndexVec<PhaseId, Vec<Tray>>,
    /// In which order a state is written.
    pub plan: Plan,
}

/// A condition that reads an open parameter.
#[derive(Clone, Debug)]
pub struct OpenNeed {
    /// Function of the condition.
    pub condition: FuncId,
    /// The parameters that it reads: a bit for each.
    pub parameters: u64,
    /// The registers that it reads of the last of them, counted from that parameter's first.
    pub registers: Vec<usize>,
}

/// The cells of a place that lasts as long as a phase, and where that is written.
#[derive(Clone, Debug)]
pub struct Tray {
    /// Cells of the place.
    pub cells: Range<usize>,
    /// Instruction whose span is the declaration of the place.
    pub op: u32,
}
