//! The phase graph as people see it: DOT, Mermaid, SVG.
//!
//! The compiled graph has a node for everything the machine can stand on. A reader thinks in steps, so
//! a [`Drawing`] contracts the nodes of each step into one box and keeps every edge between steps; at
//! [`Detail::Machine`] nothing is contracted. Everything drawn is read off the petgraph that runs.

pub mod dot;
mod drawing;
mod layout;
pub mod mermaid;
mod svg;

use std::collections::BTreeMap;

use interpreter::Ruleset;
use interpreter::budget::spend;
use interpreter::package::Language;
use interpreter::program::graph::{Edge, NodeKind, PhaseGraph};
use interpreter::program::ids::{ClauseId, Idx as _, PhaseId};
use petgraph::graph::NodeIndex;
use petgraph::visit::EdgeRef;

use super::words::Words;
use referee_store::numbers::{to_u64, to_usize};

pub use drawing::{Arrow, Box, Drawing, Group, Meaning, Shape};

/// Moves that a box names; more are counted.
const MOVES: usize = 7;

/// Characters of what a step says of itself.
const HEADER: usize = 44;

/// How much is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// A box for each step.
    #[default]
    Steps,
    /// A box for each node on which the machine can stand.
    Machine,
}

/// Reads drawings off a ruleset.
pub struct Draftsman<'a> {
    ruleset: &'a Ruleset,
    graph: &'a PhaseGraph,
    words: Words<'a>,
    detail: Detail,
}

impl<'a> Draftsman<'a> {
    /// For a ruleset, in a language.
    pub fn new(ruleset: &'a Ruleset, language: Language, detail: Detail) -> Self {
        Draftsman {
            ruleset,
            graph: ruleset.phase_graph(),
            words: Words::new(ruleset.package(), language),
            detail,
        }
    }

    fn say(&self, english: &str, polish: &str) -> String {
        self.words.say(english, polish).to_owned()
    }

    /// The names of the phases, in order.
    pub fn phases(&self) -> Vec<&'a str> {
        let phases = self.ruleset.model().phases.iter();
        phases.map(|phase| &*phase.name).collect()
    }

    /// Which phase visits which: one box for each.
    pub fn overview(&self) -> Drawing {
        let model = self.ruleset.model();
        let mut drawing = Drawing {
            title: self.say("who visits whom", "kto kogo odwiedza"),
            phases: Vec::new(),
            boxes: Vec::new(),
            arrows: Vec::new(),
        };
        for (phase, name) in model.phases.ids().zip(self.phases()) {
            drawing.phases.push(self.group(phase));
            drawing.boxes.push(Box {
                phase: phase.index(),
                shape: Shape::Elsewhere,
                address: name.to_owned(),
                title: self.words.phase(name),
                lines: Vec::new(),
                clause: self.clause(model.phases[phase].cite),
            });
        }
        let mut labels: BTreeMap<(PhaseId, PhaseId), Vec<String>> = BTreeMap::new();
        for edge in self.graph.graph.edge_references() {
            let label = match edge.weight() {
                Edge::Enter => None,
                Edge::Play(_) => self.label(edge.source(), *edge.weight()),
                _ => continue,
            };
            let (from, to) = (
                self.graph.graph[edge.source()].phase,
                self.graph.graph[edge.target()].phase,
            );
            let all = labels.entry((from, to)).or_default();
            all.extend(label.filter(|label| !all.contains(label)));
        }
        for ((from, to), labels) in labels {
            drawing.arrows.push(Arrow {
                from: from.index(),
                to: to.index(),
                meaning: Meaning::Visits,
                label: (!labels.is_empty()).then(|| labels.join(", ")),
            });
        }
        drawing
    }

    /// The whole graph.
    pub fn whole(&self) -> Drawing {
        let package = self.ruleset.package();
        let all: Vec<PhaseId> = self.ruleset.model().phases.ids().collect();
        self.draw(self.words.text(&package.titles), &all)
    }

    /// One phase; the phases that it visits are boxes without an inside. None if there is no such phase.
    pub fn phase(&self, name: &str) -> Option<Drawing> {
        let phases = &self.ruleset.model().phases;
        let number = phases.position(|phase| *phase.name == *name)?;
        Some(self.draw(self.words.phase(name), &[number]))
    }

    fn group(&self, phase: PhaseId) -> Group {
        let name = self.ruleset.model().phases[phase].name.to_string();
        Group {
            title: self.words.phase(&name),
            name,
        }
    }

    fn clause(&self, cite: Option<ClauseId>) -> Option<String> {
        cite.map(|clause| self.ruleset.model().clauses[clause].to_string())
    }

    fn draw(&self, title: String, phases: &[PhaseId]) -> Drawing {
        let mut drawing = Drawing {
            title,
            phases: phases.iter().map(|phase| self.group(*phase)).collect(),
            boxes: Vec::new(),
            arrows: Vec::new(),
        };
        let graph = &self.graph.graph;
        // What is drawn as one box, in the order of the machine's flow through each phase.
        let mut boxes: BTreeMap<NodeIndex, usize> = BTreeMap::new();
        let mut of: BTreeMap<(usize, String, bool), usize> = BTreeMap::new();
        for (group, phase) in phases.iter().enumerate() {
            for node in self.flow(*phase) {
                let end = matches!(graph[node].kind, NodeKind::Return);
                let begin = matches!(graph[node].kind, NodeKind::Begin);
                let key = match (self.detail, begin || end) {
                    (Detail::Machine, _) => (node.index(), String::new(), false),
                    (Detail::Steps, true) => (phase.index(), String::new(), end),
                    (Detail::Steps, false) => (phase.index(), graph[node].step.to_string(), false),
                };
                let at = *of.entry(key).or_insert_with(|| {
                    drawing.boxes.push(self.empty(group, node));
                    drawing.boxes.len() - 1
                });
                boxes.insert(node, at);
                self.add(&mut drawing.boxes[at], node);
            }
        }
        let mut elsewhere: BTreeMap<PhaseId, usize> = BTreeMap::new();
        let mut found: Vec<Arrow> = Vec::new();
        for (node, from) in &boxes {
            for edge in graph.edges(*node) {
                let meaning = match edge.weight() {
                    Edge::Enter | Edge::Play(_) => Meaning::Visits,
                    Edge::Next | Edge::Yes | Edge::No => Meaning::Next,
                };
                let to = match boxes.get(&edge.target()) {
                    Some(to) => *to,
                    None => {
                        let phase = graph[edge.target()].phase;
                        *elsewhere.entry(phase).or_insert_with(|| {
                            let name = &self.ruleset.model().phases[phase].name;
                            drawing.boxes.push(Box {
                                phase: 0,
                                shape: Shape::Elsewhere,
                                address: name.to_string(),
                                title: self.words.phase(name),
                                lines: Vec::new(),
                                clause: None,
                            });
                            drawing.boxes.len() - 1
                        })
                    }
                };
                // What goes on inside of a box is its own affair.
                if *from == to && self.detail == Detail::Steps && meaning == Meaning::Next {
                    continue;
                }
                found.push(Arrow {
                    from: *from,
                    to,
                    meaning,
                    label: self.label(*node, *edge.weight()),
                });
            }
        }
        drawing.arrows = together(found);
        for one in &mut drawing.boxes {
            let more = one.lines.len().saturating_sub(MOVES + 1);
            if more > 0 {
                one.lines.truncate(MOVES + 1);
                one.lines.push(format!("… +{more}"));
            }
        }
        drawing
    }

    /// The nodes of a phase: those that can be reached from its beginning, nearest first, then the rest.
    fn flow(&self, phase: PhaseId) -> Vec<NodeIndex> {
        let graph = &self.graph.graph;
        spend(to_u64(graph.node_count()), None);
        let mut order = vec![self.graph.begins[phase]];
        let mut at = 0;
        while let Some(node) = order.get(at).copied() {
            at += 1;
            // petgraph tells the newest edge first.
            let mut next: Vec<_> = graph
                .edges(node)
                .filter(|edge| !matches!(edge.weight(), Edge::Enter | Edge::Play(_)))
                .map(|edge| edge.target())
                .collect();
            next.reverse();
            for node in next {
                spend(to_u64(order.len()), None);
                if graph[node].phase == phase && !order.contains(&node) {
                    order.push(node);
                }
            }
        }
        for node in graph.node_indices() {
            let machinery = matches!(graph[node].kind, NodeKind::Follow);
            if graph[node].phase == phase && !machinery && !order.contains(&node) {
                order.push(node);
            }
        }
        order
    }

    fn empty(&self, group: usize, node: NodeIndex) -> Box {
        let node = &self.graph.graph[node];
        let phase = &*self.ruleset.model().phases[node.phase].name;
        let (title, address) = match node.kind {
            NodeKind::Begin => (self.words.phase(phase), phase.to_owned()),
            NodeKind::Return => (self.say("end", "koniec"), phase.to_owned()),
            _ => (self.words.step(&node.step), node.step.to_string()),
        };
        Box {
            phase: group,
            shape: match node.kind {
                NodeKind::Begin => Shape::Begin,
                NodeKind::Return => Shape::End,
                _ => Shape::Control,
            },
            address,
            title,
            lines: Vec::new(),
            clause: self.clause(node.cite),
        }
    }

    /// Adds to a box what one of its nodes says.
    fn add(&self, to: &mut Box, node: NodeIndex) {
        let model = self.ruleset.model();
        let kind = &self.graph.graph[node].kind;
        let shape = match kind {
            NodeKind::Begin => Shape::Begin,
            NodeKind::Return => Shape::End,
            NodeKind::Ask(_) | NodeKind::OpenAsk(_) => Shape::Ask,
            NodeKind::Visit { .. } | NodeKind::Play { .. } | NodeKind::Promised(_) => Shape::Visit,
            NodeKind::Effect(_) => Shape::Effect,
            NodeKind::Unwind { .. } => Shape::Jump,
            _ => Shape::Control,
        };
        to.shape = to.shape.max(shape);
        if self.detail == Detail::Machine && !matches!(shape, Shape::Begin | Shape::End) {
            to.lines.push(machine(kind));
        }
        if let NodeKind::Ask(ask) = kind {
            for mv in &model.asks[*ask].moves {
                let name = self
                    .words
                    .mv(&model.asks[*ask].step, &model.moves[*mv].name);
                to.lines.push(format!("• {name}"));
            }
        }
        if self.detail == Detail::Steps
            && to.lines.is_empty()
            && let Some(header) = self.header(&self.graph.graph[node].step)
        {
            to.lines.push(header);
        }
    }

    /// What a step says of when, for whom and how often: `each p from holder`.
    fn header(&self, address: &str) -> Option<String> {
        let rules = self.ruleset.package().rules.iter();
        let (_, name) = address.rsplit_once('.')?;
        let span = find_step(&self.ruleset.model().phases, address)?;
        let known = rules.map(|file| file.file).any(|file| file == span.file);
        let text = self.ruleset.sources().text(span);
        let rest = text.lines().next().filter(|_| known)?;
        let rest = rest.trim_start().strip_prefix("step")?.trim_start();
        let rest = rest.strip_prefix(name)?;
        let rest = rest.split(" @").next().unwrap_or(rest);
        let rest = rest.split("do {").next().unwrap_or(rest);
        let rest = rest.trim().trim_matches(':').trim();
        if rest.is_empty() || rest.starts_with("visit ") {
            return None;
        }
        Some(match rest.char_indices().nth(HEADER) {
            Some((cut, _)) => format!("{}…", rest[..cut].trim_end()),
            None => rest.to_owned(),
        })
    }

    /// When an edge is taken.
    fn label(&self, node: NodeIndex, edge: Edge) -> Option<String> {
        let model = self.ruleset.model();
        let kind = &self.graph.graph[node].kind;
        match (edge, kind) {
            (Edge::Play(row), NodeKind::Play { .. }) => {
                // Which table is played shows in the phase behind the edge.
                let target = self
                    .graph
                    .graph
                    .edges(node)
                    .find(|e| *e.weight() == Edge::Play(row))?;
                let phase = self.graph.graph[target.target()].phase;
                let ((table, row), _) = model
                    .plays
                    .iter()
                    .find(|((_, r), p)| *r == to_usize(row) && **p == phase)?;
                let table = &model.tables[*table];
                Some(self.words.row(&table.name, table.rows.get(*row)?))
            }
            (Edge::Play(k), NodeKind::Ask(ask)) => {
                let ask = &model.asks[*ask];
                let mv = &model.moves[*ask.moves.get(to_usize(k))?];
                Some(self.words.mv(&ask.step, &mv.name))
            }
            (Edge::No, NodeKind::Branch(_)) => Some(self.say("no", "nie")),
            (Edge::Yes, NodeKind::Branch(_)) => Some(self.say("yes", "tak")),
            (Edge::No, _) => Some(self.say("done", "gotowe")),
            _ => None,
        }
    }
}

/// Merges arrows of the same meaning between the same boxes; if one of them is always taken, so is the merged one.
pub fn together(mut found: Vec<Arrow>) -> Vec<Arrow> {
    found.sort();
    let mut arrows: Vec<Arrow> = Vec::new();
    for arrow in found {
        let same = arrows
            .iter_mut()
            .find(|a| (a.from, a.to, a.meaning) == (arrow.from, arrow.to, arrow.meaning));
        match (same, arrow.label) {
            (Some(same), Some(label)) => {
                if let Some(known) = &mut same.label
                    && !known.split(", ").any(|part| part == label)
                {
                    known.push_str(", ");
                    known.push_str(&label);
                }
            }
            (Some(same), None) => same.label = None,
            (None, label) => arrows.push(Arrow { label, ..arrow }),
        }
    }
    arrows
}

/// Where the step of an address is written.
fn find_step(
    phases: &[interpreter::program::model::PhaseModel],
    address: &str,
) -> Option<interpreter::source::Span> {
    use interpreter::program::model::{BodyModel, StepModel};
    fn within(steps: &[StepModel], address: &str) -> Option<interpreter::source::Span> {
        steps.iter().find_map(|step| {
            if &*step.name == address {
                return Some(step.span);
            }
            let around = [
                &step.at_start,
                &step.at_end,
                &step.before_turn,
                &step.after_turn,
            ];
            let inner = match &step.body {
                BodyModel::Steps(steps) => within(steps, address),
                _ => None,
            };
            inner.or_else(|| around.iter().find_map(|steps| within(steps, address)))
        })
    }
    spend(4 * to_u64(phases.len()), None);
    phases
        .iter()
        .find_map(|phase| within(&phase.steps, address).or_else(|| within(&phase.ends, address)))
}

/// What the machine does at a node.
fn machine(kind: &NodeKind) -> String {
    match kind {
        NodeKind::Begin => "begin",
        NodeKind::Return => "return",
        NodeKind::Effect(_) => "effect",
        NodeKind::Branch(_) => "condition?",
        NodeKind::OpenAsk(_) => "put to several",
        NodeKind::Ask(_) => "ask",
        NodeKind::StartTurns { .. } => "first turn",
        NodeKind::TurnsLeft { .. } => "turns left?",
        NodeKind::NextTurn { .. } => "next turn",
        NodeKind::StartCycle { .. } => "first of the cycle",
        NodeKind::LapUnderWay { .. } => "lap under way?",
        NodeKind::CountTurn { .. } => "count the turn",
        NodeKind::NextInCycle { .. } => "next of the cycle",
        NodeKind::StartRows { .. } => "first row",
        NodeKind::RowsLeft { .. } => "rows left?",
        NodeKind::NextRow { .. } => "next one",
        NodeKind::StartNumbers { .. } => "first number",
        NodeKind::NumbersLeft { .. } => "numbers left?",
        NodeKind::Fill { .. } => "forget turns",
        NodeKind::Mark { .. } => "remember the turn",
        NodeKind::Unwind { .. } => "end what is around",
        NodeKind::Follow => "what follows goes on",
        NodeKind::Visit { .. } => "visit",
        NodeKind::Promised(_) => "promise kept",
        NodeKind::Play { .. } => "play the row",
    }
    .to_owned()
}

/// As Graphviz reads it.
pub fn dot(drawing: &Drawing) -> String {
    dot::dot(drawing)
}

/// As Mermaid reads it.
pub fn mermaid(drawing: &Drawing) -> String {
    mermaid::mermaid(drawing)
}

/// One drawing as a picture.
pub fn svg(drawing: &Drawing) -> String {
    svg::picture(std::slice::from_ref(drawing), None)
}

/// A map of the phases and a picture of each, in frames of their own: one layout of everything would be a carpet.
pub fn svg_of_phases(draftsman: &Draftsman<'_>) -> String {
    let mut drawings = vec![draftsman.overview()];
    let phases = draftsman.phases();
    drawings.extend(phases.iter().filter_map(|phase| draftsman.phase(phase)));
    svg::picture(&drawings, Some(&draftsman.whole().title))
}
