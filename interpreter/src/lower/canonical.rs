//! Works out in which order a state is written.

use std::collections::BTreeMap;

use petgraph::graph::NodeIndex;
use petgraph::visit::EdgeRef as _;

use crate::numbers::At as _;
use crate::program::canonical::{
    Event, Name, Named, Part, PartKind, Phase, Place, Plan, Position, Record, Run, Step, Variable,
};
use crate::program::graph::{Edge, Linked, NodeKind, PhaseGraph};
use crate::program::model::{
    BodyModel, Cell, FuncId, Holds, IndexVec, Model, NodeId, OverModel, PhaseId, PhaseModel,
    RecordId, StepModel, StepPart, UntilModel, instances,
};
use crate::program::references::{References, reference};
use crate::program::tree::Ty;
use crate::program::value::{PlaceRef, Value};
use crate::source::Id;

/// A name as CBOR writes it.
fn encoded(name: &str) -> Name {
    let written = minicbor::to_vec(name).expect("a text can be written");
    Name::of(written.into())
}

/// Returns the plan of how states of a ruleset are written.
pub(super) fn plan(
    model: &Model,
    graph: &PhaseGraph,
    nodes: &[Linked],
    references: &References,
) -> Plan {
    let rows = model
        .tables
        .map(|table| -> Vec<Name> { table.rows.iter().map(|row| encoded(row)).collect() });
    let sorted = rows.map(|rows| {
        let mut order: Vec<(u32, Name)> = (0..).zip(rows.iter().cloned()).collect();
        order.sort_by(|(_, a), (_, b)| a.cmp(b));
        order
    });
    let mut plan = Plan {
        players: model.players,
        sorted,
        rows,
        places: Vec::new(),
        runs: Vec::new(),
        counters: Named::default(),
        markers: Named::default(),
        chance: Named::default(),
        dice: Named::default(),
        once: Named::default(),
        watches: Named::default(),
        phases: phases(model),
        positions: IndexVec::default(),
        agenda: model.agenda,
        events: model.events.map(|event| Event {
            name: encoded(&event.name),
            args: event.params.iter().map(|(_, ty)| ty.clone()).collect(),
        }),
        asks: model.asks.map(|ask| encoded(&ask.step)),
        endings: model.endings.map(|ending| encoded(&ending.name)),
        records: records(model),
    };
    lay_out(&mut plan, model, references);
    plan.positions = positions(model, graph, nodes, &plan.phases);
    plan
}

/// What lies on the table, what was drawn, and what is remembered beyond phases.
fn lay_out(plan: &mut Plan, model: &Model, references: &References) {
    let mut names = Unique::default();
    let players = model.players;
    let address = |place: &PlaceRef| encoded(&address(place));
    let (mut counters, mut markers) = (Vec::new(), Vec::new());
    let (mut chance, mut dice) = (Vec::new(), Vec::new());
    let (mut once, mut watches) = (Vec::new(), Vec::new());
    for run in &model.storage {
        match &run.holds {
            Holds::Place(number) => {
                let place = &model.places[*number];
                // Its cells never change.
                if place.endless {
                    continue;
                }
                for (instance, named) in (0..).zip(&references.places[*number]) {
                    plan.places.push(Place {
                        name: address(named),
                        of: *number,
                        base: place.first(instance),
                        width: place.width,
                        table: place.table,
                        pile: place.pile,
                    });
                }
            }
            Holds::Shuffles(number) => {
                let cells = (run.base.0..).map(Cell).zip(&references.places[*number]);
                chance.extend(cells.map(|(cell, named)| (address(named), cell)));
            }
            Holds::Counter(number) => {
                let cells = (run.base.0..).map(Cell).zip(&references.counters[*number]);
                counters.extend(cells.map(|(cell, named)| (address(named), cell)));
            }
            Holds::Marker(number) => {
                let ty = &model.markers[*number].ty;
                let cells = (run.base.0..).map(Cell).zip(&references.markers[*number]);
                let cells = cells.map(|(cell, named)| (address(named), (cell, ty.clone())));
                markers.extend(cells);
            }
            Holds::Rolls(die) => {
                let name = &model.markers[model.dice[*die].marker].name;
                chance.push((encoded(name), run.base));
            }
            Holds::NextRolls(die) => {
                let marker = &model.markers[model.dice[*die].marker];
                let face = marker.ty.clone();
                dice.push((encoded(&marker.name), (run.base, run.len, face)));
            }
            Holds::Once {
                phase,
                what,
                by_seat,
            } => {
                let phase = &model.phases[*phase].name;
                let name = names.name(format!("{phase}: {what}"));
                once.push((name, (run.base, if *by_seat { players } else { 0 })));
            }
            Holds::Watch(number) => {
                let watch = &model.watches[*number];
                let name = names.name(format!("when {}", watch.name));
                let seats = if watch.each { players } else { 0 };
                watches.push((name, (run.base, seats, *number)));
            }
            Holds::Variable { .. } | Holds::Step { .. } | Holds::Saved(_) | Holds::Agenda => {}
        }
    }
    plan.places.sort_by(|a, b| a.name.cmp(&b.name));
    let runs = plan.places.chunk_by(|a, b| a.of == b.of);
    let runs = runs.scan(0, |end, places| {
        let first = *end;
        *end += places.len();
        Some(Run {
            places: first..*end,
            cell: places[0].base,
        })
    });
    plan.runs = runs.collect();
    plan.counters = Named::of(counters);
    plan.markers = Named::of(markers);
    plan.chance = Named::of(chance);
    plan.dice = Named::of(dice);
    plan.once = Named::of(once);
    plan.watches = Named::of(watches);
}

/// A place, counter or marker in a word: `stack`, `goods(2,corn)`. Seats count from 1.
fn address(place: &PlaceRef) -> String {
    let word = |value: &Value| match value {
        Value::Player(seat) => (u32::from(seat.0) + 1).to_string(),
        Value::Row { row, .. } => row.to_string(),
        Value::Bool(truth) => truth.to_string(),
        Value::Int(number) => number.to_string(),
        other => format!("{other:?}"),
    };
    match &place.index[..] {
        [] => place.name.to_string(),
        index => {
            let index: Vec<String> = index.iter().map(word).collect();
            format!("{}({})", place.name, index.join(","))
        }
    }
}

/// Names of what its author has not named, or named alike: the second is `… #2`, in the order of the texts.
#[derive(Default)]
struct Unique(BTreeMap<String, u32>);

impl Unique {
    fn name(&mut self, name: String) -> Name {
        let count = self.0.entry(name.clone()).or_default();
        *count += 1;
        match *count {
            1 => encoded(&name),
            count => encoded(&format!("{name} #{count}")),
        }
    }
}

fn records(model: &Model) -> IndexVec<RecordId, Record> {
    model.records.map(|record| {
        let mut at = 0;
        let parts = record.parts.iter().map(|(name, ty)| {
            let first = at;
            at += model.width(ty).at();
            (encoded(name), first, ty.clone())
        });
        let mut parts: Vec<_> = parts.collect();
        parts.sort_by(|a, b| a.0.cmp(&b.0));
        Record { parts }
    })
}

/// Phases with what is their own, by number.
fn phases(model: &Model) -> IndexVec<PhaseId, Phase> {
    let mut phases = model.phases.map(|phase| Phase {
        name: encoded(&phase.name),
        values: Vec::new(),
        steps: Vec::new(),
        saved: phase
            .saved
            .map(|(base, _)| (base, phase.own.iter().map(|(_, n)| n).sum())),
    });
    for run in &model.storage {
        let owner = |phase: PhaseId| (phase, kept(&model.phases[phase], run.base));
        let (phase, step, part) = match &run.holds {
            Holds::Variable { phase, name } => {
                let (number, kept) = owner(*phase);
                let phase = &model.phases[*phase];
                let mut vars = phase.params.iter().chain(&phase.keeps);
                if let Some(var) = vars.find(|var| var.base == run.base) {
                    let instances = (0..instances(&var.index)).map(|instance| Variable {
                        name: encoded(&address(&reference(model, name, &var.index, instance))),
                        base: var.base + instance * var.width,
                        ty: var.ty.clone(),
                        kept: kept.map(|first| first + instance * var.width),
                    });
                    phases[number].values.extend(instances);
                }
                continue;
            }
            Holds::Step { phase, step, part } => {
                let (name, kind) = match part {
                    StepPart::Turn(ty) => ("turn", PartKind::Value(ty.clone())),
                    StepPart::Left => ("left", PartKind::Value(Ty::Int)),
                    StepPart::Since => ("since", PartKind::Value(Ty::Int)),
                    StepPart::Last => ("last", PartKind::Value(Ty::Int)),
                    StepPart::HadTurn => ("had", PartKind::Seats(model.players)),
                    StepPart::Done => ("done", PartKind::Numbers(run.len)),
                    // It is looked at before anybody is asked again, and by later additions only.
                    StepPart::Chosen => continue,
                    StepPart::Open(ask) => ("open", PartKind::Open(*ask, model.players)),
                    StepPart::Answers(ask) => ("answers", PartKind::Answers(*ask)),
                };
                let (phase, kept) = owner(*phase);
                let part = Part {
                    name: encoded(name),
                    base: run.base,
                    kind,
                    kept,
                };
                (phase, step.clone(), part)
            }
            _ => continue,
        };
        let steps = &mut phases[phase].steps;
        match steps.iter_mut().find(|known| known.address == step) {
            Some(known) => known.parts.push(part),
            None => steps.push(Step {
                name: encoded(&step),
                address: step,
                parts: vec![part],
            }),
        }
    }
    for phase in phases.iter_mut() {
        phase.values.sort_by(|a, b| a.name.cmp(&b.name));
        phase.steps.sort_by(|a, b| a.name.cmp(&b.name));
        for step in &mut phase.steps {
            step.parts.sort_by(|a, b| a.name.cmp(&b.name));
        }
    }
    phases
}

/// Where a cell lies among a phase's own that are kept while it is visited again.
fn kept(phase: &PhaseModel, cell: Cell) -> Option<u32> {
    phase.saved?;
    let mut at = 0;
    for (base, len) in &phase.own {
        if (*base..*base + *len).contains(&cell) {
            return Some(at + (cell - *base));
        }
        at += len;
    }
    None
}

/// Every point where play can stand, by node.
fn positions(
    model: &Model,
    graph: &PhaseGraph,
    nodes: &[Linked],
    phases: &IndexVec<PhaseId, Phase>,
) -> IndexVec<NodeId, Position> {
    let around = model.phases.map(|phase| {
        let mut around: BTreeMap<Id, Vec<Id>> = BTreeMap::new();
        for step in phase.steps.iter().chain(&phase.ends) {
            enclose(step, &[], &mut around);
        }
        around
    });
    let branches = branches(model);
    let mut names = Unique::default();
    let mut all: BTreeMap<usize, Position> = BTreeMap::new();
    for node in in_order(graph) {
        let linked = &nodes[node.index()];
        let step = &graph.graph[node].step;
        let phase = linked.phase;
        let steps = &phases[phase].steps;
        let (point, begun) = point(&linked.kind, &branches);
        let mut addresses: Vec<&Id> = around[phase].get(step).into_iter().flatten().collect();
        if begun {
            addresses.push(step);
        }
        let mut under_way: Vec<usize> = addresses
            .into_iter()
            .filter_map(|address| steps.iter().position(|step| step.address == *address))
            .collect();
        under_way.sort_unstable();
        under_way.dedup();
        all.insert(
            node.index(),
            Position {
                name: names.name(format!("{step}/{point}")),
                phase,
                under_way,
                ask: match linked.kind {
                    NodeKind::Ask(ask) => Some(ask),
                    _ => None,
                },
                follows: matches!(linked.kind, NodeKind::Follow),
            },
        );
    }
    all.into_values().collect()
}

/// The nodes in an order that does not hang on their numbers: phase by phase, along the edges.
fn in_order(graph: &PhaseGraph) -> Vec<NodeIndex> {
    let mut order = Vec::new();
    let mut seen = vec![false; graph.graph.node_count()];
    for begin in &graph.begins {
        let mut next = vec![*begin];
        while let Some(node) = next.pop() {
            if std::mem::replace(&mut seen[node.index()], true) {
                continue;
            }
            order.push(node);
            let inside = |edge: &Edge| !matches!(edge, Edge::Enter | Edge::Play(_));
            let edges = graph.graph.edges(node).filter(|edge| inside(edge.weight()));
            let mut edges: Vec<(Edge, NodeIndex)> =
                edges.map(|edge| (*edge.weight(), edge.target())).collect();
            edges.sort();
            next.extend(edges.into_iter().rev().map(|(_, target)| target));
        }
    }
    // What nothing leads to; and where play goes on after events.
    let left = graph
        .graph
        .node_indices()
        .filter(|node| !seen[node.index()]);
    order.extend(left);
    order
}

/// For each step the steps around it that are under way when it is.
fn enclose(step: &StepModel, around: &[Id], out: &mut BTreeMap<Id, Vec<Id>>) {
    out.entry(step.name.clone())
        .or_insert_with(|| around.to_vec());
    let mut inside = around.to_vec();
    inside.push(step.name.clone());
    let body = match &step.body {
        BodyModel::Steps(steps) => &steps[..],
        _ => &[],
    };
    for inner in body.iter().chain(&step.before_turn).chain(&step.after_turn) {
        enclose(inner, &inside, out);
    }
    for inner in step.at_start.iter().chain(&step.at_end) {
        enclose(inner, around, out);
    }
}

/// What the branches of steps ask: whether a step happens at all, for whom, and whether it is over.
fn branches(model: &Model) -> BTreeMap<FuncId, &'static str> {
    fn look(steps: &[StepModel], out: &mut BTreeMap<FuncId, &'static str>) {
        for step in steps {
            out.extend(step.when.map(|when| (when, "when")));
            match &step.over {
                OverModel::EachPlayer { filter, .. }
                | OverModel::EachRow { filter, .. }
                | OverModel::EachNumber { filter, .. } => {
                    out.extend(filter.map(|filter| (filter, "where")));
                }
                OverModel::Cycle { until, .. } | OverModel::Repeat { until } => {
                    if let UntilModel::Condition(until) = until {
                        out.insert(*until, "until");
                    }
                }
                OverModel::Once => {}
            }
            if let BodyModel::Steps(inner) = &step.body {
                look(inner, out);
            }
            for inner in [
                &step.at_start,
                &step.at_end,
                &step.before_turn,
                &step.after_turn,
            ] {
                look(inner, out);
            }
        }
    }
    let mut out = BTreeMap::new();
    for phase in &model.phases {
        look(&phase.steps, &mut out);
        look(&phase.ends, &mut out);
    }
    out
}

/// What is done at a node, in a word, and whether its step is under way there.
fn point(kind: &NodeKind, branches: &BTreeMap<FuncId, &'static str>) -> (&'static str, bool) {
    match kind {
        NodeKind::Begin => ("begin", false),
        NodeKind::Return => ("end", false),
        NodeKind::Effect(_) => ("do", true),
        NodeKind::Branch(function) => match branches.get(function) {
            Some(&"when") | None => ("when", false),
            Some(word) => (word, true),
        },
        NodeKind::OpenAsk(_) => ("open", true),
        NodeKind::Ask(_) => ("ask", true),
        NodeKind::StartTurns { .. }
        | NodeKind::StartCycle { .. }
        | NodeKind::StartRows { .. }
        | NodeKind::StartNumbers { .. } => ("start", false),
        NodeKind::TurnsLeft { .. }
        | NodeKind::LapUnderWay { .. }
        | NodeKind::RowsLeft { .. }
        | NodeKind::NumbersLeft { .. } => ("test", true),
        NodeKind::NextTurn { .. } | NodeKind::NextInCycle { .. } | NodeKind::NextRow { .. } => {
            ("next", true)
        }
        NodeKind::CountTurn { .. } => ("turn", true),
        NodeKind::Fill { .. } => ("clear", false),
        NodeKind::Mark { .. } => ("had", true),
        NodeKind::Unwind { .. } => ("leave", true),
        NodeKind::Follow => ("follow", false),
        NodeKind::Visit { .. } => ("visit", true),
        NodeKind::Promised(_) => ("promised", true),
        NodeKind::Play { .. } => ("play", true),
    }
}
