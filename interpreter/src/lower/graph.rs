//! Builds the phase graph of a model, analyses it (steps that cannot be reached, loops that nobody can leave), and
//! [links](link) it into the table that runs. The table holds nothing that the graph does not say, so a removed edge
//! changes play.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{Dfs, EdgeRef};

use crate::budget::spend;
use crate::diagnostic::{Code, Diagnostics};
use crate::numbers::At as _;
use crate::program::graph::{Edge, Linked, NOWHERE, Node, NodeKind, PhaseGraph};
use crate::program::model::{
    BodyModel, Cell, IndexVec, Model, NodeId, OverModel, PhaseId, StepModel, UntilModel,
};
use crate::source::Id;

/// Units of [work](crate::budget) of a node.
const NODE: u64 = 10;

/// Builds the graph of a model.
pub fn build(model: &Model) -> PhaseGraph {
    let mut builder = Builder {
        model,
        graph: DiGraph::new(),
        begins: IndexVec::default(),
        phase: PhaseId::default(),
        ends: BTreeMap::new(),
        jumps: Vec::new(),
    };
    for (i, phase) in model.phases.iter_enumerated() {
        let node = Node {
            kind: NodeKind::Begin,
            phase: i,
            step: phase.name.clone(),
            cite: phase.cite,
        };
        let begin = builder.graph.add_node(node);
        builder.begins.push(begin);
    }
    for (i, phase) in model.phases.iter_enumerated() {
        builder.phase = i;
        let node = Node {
            kind: NodeKind::Return,
            phase: i,
            step: phase.name.clone(),
            cite: None,
        };
        let end = builder.graph.add_node(node);
        let end = builder.steps(&phase.ends, end);
        builder.ends.insert(phase.name.to_string(), end);
        let first = builder.steps(&phase.steps, end);
        builder.graph.add_edge(builder.begins[i], first, Edge::Next);
    }
    for (jump, target) in std::mem::take(&mut builder.jumps) {
        if let Some(end) = builder.ends.get(&*target) {
            builder.graph.add_edge(jump, *end, Edge::Next);
        }
    }
    if model.agenda.is_some() {
        let game = model.phases.position(|p| &*p.name == "game");
        builder.graph.add_node(Node {
            kind: NodeKind::Follow,
            phase: game.unwrap_or_default(),
            step: Id::from("game"),
            cite: None,
        });
    }
    PhaseGraph {
        graph: builder.graph,
        begins: builder.begins,
    }
}

struct Builder<'a> {
    model: &'a Model,
    graph: DiGraph<Node, Edge>,
    begins: IndexVec<PhaseId, NodeIndex>,
    phase: PhaseId,
    /// Where steps and phases end, by address.
    ends: BTreeMap<String, NodeIndex>,
    /// Steps that end others.
    jumps: Vec<(NodeIndex, Id)>,
}

impl Builder<'_> {
    fn node(&mut self, kind: NodeKind, step: &StepModel) -> NodeIndex {
        spend(NODE, Some(self.model.phases[self.phase].span));
        self.graph.add_node(Node {
            kind,
            phase: self.phase,
            step: step.name.clone(),
            cite: step.cite,
        })
    }

    /// Steps in order, the last one going on to `exit`; gives where they begin.
    fn steps(&mut self, steps: &[StepModel], exit: NodeIndex) -> NodeIndex {
        steps
            .iter()
            .rev()
            .fold(exit, |exit, step| self.step(step, exit))
    }

    fn step(&mut self, step: &StepModel, exit: NodeIndex) -> NodeIndex {
        let end = self.steps(&step.at_end, exit);
        self.ends.insert(step.name.to_string(), end);
        let mut entry = self.over(step, end);
        entry = self.steps(&step.at_start, entry);
        // The first node of a step is its own.
        let had = step
            .had_turn
            .map(|(base, _)| (base, u32::from(self.model.players)));
        if let Some((base, len)) = had.or((!step.at_start.is_empty()).then_some((Cell(0), 0))) {
            entry = self.then(NodeKind::Fill { base, len }, step, entry);
        }
        match step.when {
            None => entry,
            Some(when) => self.branch(NodeKind::Branch(when), step, entry, exit),
        }
    }

    fn branch(
        &mut self,
        kind: NodeKind,
        step: &StepModel,
        yes: NodeIndex,
        no: NodeIndex,
    ) -> NodeIndex {
        let node = self.node(kind, step);
        self.graph.add_edge(node, yes, Edge::Yes);
        self.graph.add_edge(node, no, Edge::No);
        node
    }

    fn then(&mut self, kind: NodeKind, step: &StepModel, next: NodeIndex) -> NodeIndex {
        let node = self.node(kind, step);
        self.graph.add_edge(node, next, Edge::Next);
        node
    }

    fn over(&mut self, step: &StepModel, exit: NodeIndex) -> NodeIndex {
        match &step.over {
            OverModel::Once => self.turn(step, exit),
            OverModel::EachPlayer {
                var,
                left,
                from,
                filter,
            } => {
                let test = self.node(NodeKind::TurnsLeft { left: *left }, step);
                let next = self.then(
                    NodeKind::NextTurn {
                        var: *var,
                        left: *left,
                    },
                    step,
                    test,
                );
                let mut body = self.turn(step, next);
                if let Some(filter) = filter {
                    body = self.branch(NodeKind::Branch(*filter), step, body, next);
                }
                self.graph.add_edge(test, body, Edge::Yes);
                self.graph.add_edge(test, exit, Edge::No);
                self.then(
                    NodeKind::StartTurns {
                        var: *var,
                        left: *left,
                        from: *from,
                    },
                    step,
                    test,
                )
            }
            OverModel::Cycle {
                var,
                since,
                from,
                until,
            } => {
                let next = self.node(NodeKind::NextInCycle { var: Some(*var) }, step);
                let body = self.turn(step, next);
                let body = self.then(NodeKind::CountTurn { since: *since }, step, body);
                let test = match until {
                    UntilModel::Lap => {
                        self.branch(NodeKind::LapUnderWay { since: *since }, step, body, exit)
                    }
                    UntilModel::Condition(f) => self.branch(NodeKind::Branch(*f), step, exit, body),
                    UntilModel::Forever => body,
                };
                self.graph.add_edge(next, test, Edge::Next);
                self.then(
                    NodeKind::StartCycle {
                        var: *var,
                        since: *since,
                        from: *from,
                    },
                    step,
                    test,
                )
            }
            OverModel::EachRow { var, rows, filter } => {
                let test = self.node(
                    NodeKind::RowsLeft {
                        var: *var,
                        rows: *rows,
                    },
                    step,
                );
                let next = self.then(NodeKind::NextRow { var: *var }, step, test);
                let mut body = self.turn(step, next);
                if let Some(filter) = filter {
                    body = self.branch(NodeKind::Branch(*filter), step, body, next);
                }
                self.graph.add_edge(test, body, Edge::Yes);
                self.graph.add_edge(test, exit, Edge::No);
                self.then(NodeKind::StartRows { var: *var }, step, test)
            }
            OverModel::EachNumber {
                var,
                last,
                from,
                to,
                filter,
            } => {
                let (var, last) = (*var, *last);
                let test = self.node(NodeKind::NumbersLeft { var, last }, step);
                let next = self.then(NodeKind::NextRow { var }, step, test);
                let mut body = self.turn(step, next);
                if let Some(filter) = filter {
                    body = self.branch(NodeKind::Branch(*filter), step, body, next);
                }
                self.graph.add_edge(test, body, Edge::Yes);
                self.graph.add_edge(test, exit, Edge::No);
                let (from, to) = (*from, *to);
                let start = NodeKind::StartNumbers {
                    var,
                    last,
                    from,
                    to,
                };
                self.then(start, step, test)
            }
            OverModel::Repeat { until } => match until {
                UntilModel::Condition(f) => {
                    let test = self.node(NodeKind::Branch(*f), step);
                    let body = self.turn(step, test);
                    self.graph.add_edge(test, exit, Edge::Yes);
                    self.graph.add_edge(test, body, Edge::No);
                    test
                }
                _ => {
                    // A repeated step without a condition comes back to its own beginning.
                    let again = self.node(NodeKind::NextInCycle { var: None }, step);
                    let body = self.turn(step, again);
                    self.graph.add_edge(again, body, Edge::Next);
                    body
                }
            },
        }
    }

    /// One turn: what is done before, the body, what is done after.
    fn turn(&mut self, step: &StepModel, exit: NodeIndex) -> NodeIndex {
        let exit = match step.had_turn {
            Some((base, var)) => self.then(NodeKind::Mark { base, var }, step, exit),
            None => exit,
        };
        let after = self.steps(&step.after_turn, exit);
        let body = self.body(step, after);
        self.steps(&step.before_turn, body)
    }

    fn body(&mut self, step: &StepModel, exit: NodeIndex) -> NodeIndex {
        match &step.body {
            BodyModel::Effect(f) => self.then(NodeKind::Effect(*f), step, exit),
            BodyModel::Ask(ask) => {
                let node = self.then(NodeKind::Ask(*ask), step, exit);
                // Moves that go on with a phase, by their place in the question.
                for (k, mv) in (0..).zip(&self.model.asks[*ask].moves) {
                    if let Some((phase, _)) = &self.model.moves[*mv].goes_on {
                        let begin = self.begins[*phase];
                        self.graph.add_edge(node, begin, Edge::Play(k));
                    }
                }
                match self.model.asks[*ask].several {
                    Some(_) => self.then(NodeKind::OpenAsk(*ask), step, node),
                    None => node,
                }
            }
            BodyModel::Visit {
                phase,
                args,
                promise,
            } => {
                let exit = match promise {
                    Some(promise) => self.then(NodeKind::Promised(*promise), step, exit),
                    None => exit,
                };
                let params = self.model.phases[*phase].param_cells();
                let args = params.zip(args.iter().copied()).collect();
                let node = self.then(NodeKind::Visit { args }, step, exit);
                self.graph.add_edge(node, self.begins[*phase], Edge::Enter);
                node
            }
            BodyModel::Play { table, row, args } => {
                let rows = self.model.tables[*table].rows.len();
                let played: Vec<Option<PhaseId>> = (0..rows)
                    .map(|r| self.model.plays.get(&(*table, r)).copied())
                    .collect();
                let params = played
                    .iter()
                    .map(|p| p.map_or(Vec::new(), |p| self.model.phases[p].param_cells().collect()))
                    .collect();
                let node = self.then(
                    NodeKind::Play {
                        row: *row,
                        args: args.clone(),
                        params,
                    },
                    step,
                    exit,
                );
                for (row, phase) in (0..).zip(&played) {
                    if let Some(phase) = phase {
                        self.graph
                            .add_edge(node, self.begins[*phase], Edge::Play(row));
                    }
                }
                node
            }
            BodyModel::Steps(steps) => self.steps(steps, exit),
            BodyModel::End { address, phase } => {
                let node = self.node(NodeKind::Unwind { phase: *phase }, step);
                self.jumps.push((node, address.clone()));
                node
            }
        }
    }
}

/// Phases that no step visits, and phases that visit themselves.
pub fn analyse(phases: &PhaseGraph, model: &Model, diagnostics: &mut Diagnostics) {
    let Some(game) = model.phases.position(|p| &*p.name == "game") else {
        return;
    };
    let mut reached = model.phases.map(|_| false);
    let mut dfs = Dfs::new(&phases.graph, phases.begins[game]);
    while let Some(node) = dfs.next(&phases.graph) {
        spend(1, None);
        reached[phases.graph[node].phase] = true;
    }
    for (phase, reached) in model.phases.iter().zip(reached) {
        if !reached && !phase.plays_rows {
            diagnostics.push(
                Code::UnvisitedPhase
                    .warning(
                        phase.span,
                        format!("nothing visits the phase `{}`", phase.name),
                    )
                    .help("visit it from a step, or remove it"),
            );
        }
    }
    // A visit within a visit of itself would need a bound.
    let visits = phases.graph.edge_references().filter(|edge| {
        spend(1, None);
        matches!(edge.weight(), Edge::Enter | Edge::Play(_))
    });
    let phase_of = |node: NodeIndex| phases.graph[node].phase;
    let visits: BTreeSet<(PhaseId, PhaseId)> = visits
        .map(|edge| (phase_of(edge.source()), phase_of(edge.target())))
        .collect();
    let mut calls: DiGraph<PhaseId, ()> = DiGraph::new();
    let nodes: IndexVec<PhaseId, NodeIndex> =
        model.phases.ids().map(|p| calls.add_node(p)).collect();
    for (from, to) in visits {
        calls.add_edge(nodes[from], nodes[to], ());
    }
    for component in petgraph::algo::tarjan_scc(&calls) {
        if component
            .iter()
            .all(|phase| model.phases[calls[*phase]].saved.is_some())
        {
            continue;
        }
        let looped = component.len() > 1 || calls.find_edge(component[0], component[0]).is_some();
        if looped {
            let phase = &model.phases[calls[component[0]]];
            diagnostics.push(
                Code::UnboundedPhaseRecursion
                    .error(
                        phase.span,
                        format!("the phase `{}` visits itself", phase.name),
                    )
                    .help("repeat a step instead, or say `at most n deep`: visits must end"),
            );
        }
    }
}

/// The table that runs, read off the edges.
pub fn link(phases: &PhaseGraph) -> IndexVec<NodeId, Linked> {
    let graph = &phases.graph;
    graph
        .node_indices()
        .map(|node| {
            let mut linked = Linked {
                kind: graph[node].kind.clone(),
                next: NOWHERE,
                no: NOWHERE,
                enter: NOWHERE,
                plays: Vec::new(),
                phase: graph[node].phase,
            };
            for edge in graph.edges(node) {
                let to = edge.target().into();
                match edge.weight() {
                    Edge::Next | Edge::Yes => linked.next = to,
                    Edge::No => linked.no = to,
                    Edge::Enter => linked.enter = to,
                    Edge::Play(row) => {
                        let row = (*row).at();
                        if linked.plays.len() <= row {
                            linked.plays.resize(row + 1, NOWHERE);
                        }
                        linked.plays[row] = to;
                    }
                }
            }
            linked
        })
        .collect()
}
