//! The same ruleset laid out otherwise: for tests of what must not hang on how a compiler lays it out.

use petgraph::graph::{DiGraph, NodeIndex};

use crate::numbers::{At as _, Fit as _};
use crate::play::state::{Draws, Seed};
use crate::program::graph::{Node, PhaseGraph};
use crate::program::model::{Cell, Model, control};

/// An order of so many things, drawn from a number.
fn order(count: usize, number: u64) -> Vec<i32> {
    let mut order: Vec<i32> = (0..count.fit()).collect();
    Draws::new(&Seed::from_number(number), 0, 0).shuffle(&mut order);
    order
}

/// Where each run of cells begins if they follow each other in another order.
pub(super) fn layout(model: &Model, number: u64) -> Vec<Cell> {
    let mut bases = vec![control::FIRST; model.storage.len()];
    let mut next = control::FIRST;
    for run in order(bases.len(), number) {
        bases[run.at()] = next;
        next += model.storage[run.at()].len;
    }
    bases
}

/// The same graph with other numbers for its nodes.
pub(super) fn renumbered(phases: &PhaseGraph, number: u64) -> PhaseGraph {
    let old = &phases.graph;
    let mut graph: DiGraph<Node, _> = DiGraph::new();
    let mut new = vec![NodeIndex::end(); old.node_count()];
    for node in order(old.node_count(), number) {
        let node = NodeIndex::new(node.at());
        new[node.index()] = graph.add_node(old[node].clone());
    }
    for edge in old.edge_indices() {
        if let Some((from, to)) = old.edge_endpoints(edge) {
            graph.add_edge(new[from.index()], new[to.index()], old[edge]);
        }
    }
    PhaseGraph {
        graph,
        begins: phases
            .begins
            .iter()
            .map(|begin| new[begin.index()])
            .collect(),
    }
}
