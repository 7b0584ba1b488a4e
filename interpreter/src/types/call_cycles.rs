//! Queries and effects that call each other in a circle, or too deeply.
//!
//! The language has aggregates and loops for everything that repeats, so a call that comes back to
//! where it started is a mistake, and one that would only show in the middle of a match. Without
//! circles the deepest nesting of calls is known, and no match can exceed it.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};

use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;

use super::Checker;
use super::parameters::functions_of;
use crate::analysis::visit::{visit, visit_statements};
use crate::diagnostic::Code;
use crate::program::bytecode::DEPTH;
use crate::program::ids::{FuncId, Idx as _};
use crate::program::tree::Kind;
use crate::source::Span;

impl Checker<'_> {
    /// Reports each circle once, at its first function, with the call that closes it. Says whether
    /// there is one.
    pub(super) fn circles(&mut self) -> bool {
        let mut found = false;
        let calls = self.calls();
        for circle in petgraph::algo::tarjan_scc(&calls) {
            let first = circle.into_iter().min().expect("a component has a node");
            let Some(round) = shortest_round(&calls, first) else {
                continue;
            };
            found = true;
            let name =
                |node: NodeIndex| &self.symbols.model.functions[FuncId::new(node.index())].name;
            let mut way = String::new();
            for (node, _) in &round {
                way += &format!("`{}` asks ", name(*node));
            }
            way += &format!("`{}`", name(first));
            let at = self.model.functions[FuncId::new(first.index())].span;
            let closing = round.last().expect("a circle has a call").1;
            self.symbols.report(
                Code::InfiniteRecursion.error(at, format!("this never ends: {way}"))
                    .also(closing, format!("here it comes back to `{}`", name(first)))
                    .help("say it without asking itself: `sum`, `count`, `most`, `any` and `all` go through many things"),
            );
        }
        found || self.too_deep(&calls)
    }

    /// Reports the longest chain of calls if it is longer than play allows.
    fn too_deep(&mut self, calls: &DiGraph<(), Span>) -> bool {
        let Ok(callers_first) = petgraph::algo::toposort(calls, None) else {
            return false;
        };
        // For each function the longest chain of calls below it, and the next of them.
        let mut below: BTreeMap<NodeIndex, (u32, Option<NodeIndex>)> = BTreeMap::new();
        for node in callers_first.into_iter().rev() {
            let longest = calls
                .neighbors(node)
                .map(|next| (below[&next].0 + 1, Some(next)));
            below.insert(node, longest.max().unwrap_or((0, None)));
        }
        let Some((&first, &(depth, _))) = below.iter().max_by_key(|(_, (depth, _))| *depth) else {
            return false;
        };
        if depth <= DEPTH {
            return false;
        }
        let name = |node: NodeIndex| &self.symbols.model.functions[FuncId::new(node.index())].name;
        let chain = std::iter::successors(Some(first), |at| below[at].1);
        let names: Vec<String> = chain.map(|at| format!("`{}`", name(at))).collect();
        let (begin, end) = (&names[..4], &names[names.len() - 2..]);
        let way = format!(
            "{} asks … asks {}",
            begin.join(" asks "),
            end.join(" asks ")
        );
        let at = self.symbols.model.functions[FuncId::new(first.index())].span;
        self.symbols.report(
            Code::ExcessiveCallDepth
                .error(
                    at,
                    format!("{depth} calls are nested here, more than {DEPTH}"),
                )
                .note(way)
                .help("put what is asked on the way into fewer queries"),
        );
        true
    }

    /// Which function calls which, and where. A condition that asks whether a move is possible calls
    /// all that decides about the move.
    fn calls(&self) -> DiGraph<(), Span> {
        let functions = &self.model.functions;
        let mut graph = DiGraph::with_capacity(functions.len(), functions.len());
        for _ in functions {
            graph.add_node(());
        }
        let node = |f: FuncId| NodeIndex::new(f.index());
        for (caller, function) in functions.iter().enumerate() {
            let caller = NodeIndex::new(caller);
            let mut look = |ex: &crate::program::tree::Ex| match &ex.kind {
                Kind::Call(callee, _) => {
                    graph.update_edge(caller, node(*callee), ex.span);
                }
                Kind::Possible { mv, .. } => {
                    let mv = &self.model.moves[*mv];
                    let domains = mv.params.iter().flat_map(functions_of);
                    for f in mv.needs().map(|(_, condition)| condition).chain(domains) {
                        graph.update_edge(caller, node(f), ex.span);
                    }
                }
                _ => {}
            };
            visit_statements(&function.body, &mut look);
            if let Some(result) = &function.result {
                visit(result, &mut look);
            }
        }
        graph
    }
}

/// The shortest way from a node back to itself: each node on it with the call that leaves it.
fn shortest_round(calls: &DiGraph<(), Span>, start: NodeIndex) -> Option<Vec<(NodeIndex, Span)>> {
    let mut came_from: BTreeMap<NodeIndex, (NodeIndex, Span)> = BTreeMap::new();
    let mut waiting = VecDeque::from([start]);
    while let Some(node) = waiting.pop_front() {
        for edge in calls.edges(node) {
            let Entry::Vacant(unseen) = came_from.entry(edge.target()) else {
                continue;
            };
            unseen.insert((node, *edge.weight()));
            waiting.push_back(edge.target());
        }
        if came_from.contains_key(&start) {
            break;
        }
    }
    let mut round = vec![*came_from.get(&start)?];
    while let Some((node, _)) = round.last().filter(|(node, _)| *node != start) {
        round.push(came_from[node]);
    }
    round.reverse();
    Some(round)
}
