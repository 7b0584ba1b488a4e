//! Puts a program together.

use super::graph::link;
use super::lower;
use super::{canonical, lookup};
use crate::analysis::{evaluate, registers_read};
use crate::numbers::{At as _, Fit as _, low};
use crate::program::causes::Causes;
use crate::program::graph::{NodeKind, PhaseGraph};
use crate::program::model::{ENDLESS, FuncId, Model, NodeId, control, index_values, instances};
use crate::program::references::References;
use crate::program::regions::{Reads, Regions};
use crate::program::tree::NONE;
use crate::program::{OpenNeed, Program, Tray};

/// The program of a model and its phase graph. `traced` adds instructions that report clauses as they run.
pub(crate) fn program(model: Model, graph: PhaseGraph, traced: bool) -> Program {
    let regions = Regions::new(&model);
    let mut bytecode = lower(&model, &regions, traced);
    let read = |when: FuncId| regions.reads(&model, when);
    let endings = &model.endings;
    let endings_read = endings.map(|ending| ending.when.map_or(Reads::Some(Vec::new()), read));
    let watches_read = model.watches.map(|watch| match watch.under {
        // Phases come and go without a write that shows it.
        Some(_) => Reads::Everything,
        None => read(watch.when),
    });
    let mut trays = model.phases.map(|_| Vec::new());
    for place in &model.places {
        if let Some(phase) = place.phase {
            // A fault names the place as it names an instruction.
            bytecode.spans.push(place.span);
            trays[phase].push(Tray {
                cells: place.span(),
                op: bytecode.spans.len().fit::<u32>() - 1,
            });
        }
    }
    let nodes = link(&graph);
    let game = model.phases.position(|p| &*p.name == "game");
    let start = NodeId::from(graph.begins[game.unwrap_or_default()]);
    let lookup = lookup::lookup(&model, &regions);
    let references = References::new(&model);
    let causes = Causes::new(&model, &graph);
    let plan = canonical::plan(&model, &graph, &nodes, &references);
    let follow = nodes.position(|n| matches!(n.kind, NodeKind::Follow));
    let initial = initial(&model, start);
    let open_needs = model.moves.map(|mv| {
        let mut last = vec![Vec::new(); mv.params.len()];
        for (need, condition) in mv.needs().filter(|(need, _)| need.open) {
            let open = mv.params[..need.after].iter().rposition(|p| p.is_open());
            let open = open.unwrap_or(0);
            let param = &mv.params[open];
            let of_it = param.register..param.register + param.len;
            let read = registers_read(&model, condition);
            let read = read.into_iter().filter(|r| of_it.contains(r));
            last[open].push(OpenNeed {
                condition,
                parameters: need.reads,
                registers: read.map(|r| usize::from(r - param.register)).collect(),
            });
        }
        last
    });
    Program {
        model,
        bytecode,
        graph,
        nodes,
        lookup,
        references,
        causes,
        initial,
        regions,
        endings_read,
        watches_read,
        open_needs,
        follow: follow.unwrap_or_default(),
        trays,
        plan,
    }
}

/// The state before the first step: first contents, counters and markers.
fn initial(model: &Model, start: NodeId) -> Vec<i32> {
    let mut cells = vec![0i32; model.cells.at()];
    cells[control::NODE.at()] = start.for_cell();
    for place in &model.places {
        if place.endless {
            cells[place.span()].fill(ENDLESS);
        }
        let Some(starts) = place.starts else { continue };
        for instance in 0..instances(&place.index) {
            let first = place.first(instance).at();
            for row in 0..model.tables[place.table].rows.len() {
                let n = evaluate::constant(model, starts, &[row.fit()]);
                let n = low(n.unwrap_or(0).max(0));
                if place.pile {
                    for _ in 0..n {
                        let size = cells[first].at();
                        cells[first + 1 + size] = row.fit();
                        cells[first] += 1;
                    }
                } else {
                    cells[first + row] = n;
                }
            }
        }
    }
    let never: evaluate::Possible<'_> = &|_, _| false;
    let counters = model
        .counters
        .iter()
        .map(|c| (&c.index, c.base, c.starts, 0));
    let markers = model
        .markers
        .iter()
        .map(|m| (&m.index, m.base, m.starts, low(NONE)));
    for (index, base, starts, default) in counters.chain(markers) {
        for instance in 0..instances(index) {
            let args = index_values(index, instance);
            let value = match starts {
                Some(f) => {
                    let (value, _) = evaluate::explain(model, &cells, never, f, &args, &[]);
                    low(value.unwrap_or(0))
                }
                None => default,
            };
            cells[(base + instance).at()] = value;
        }
    }
    // What is true from the beginning does not become true.
    for watch in model.watches.iter().filter(|w| w.under.is_none()) {
        for player in 0..if watch.each { model.players } else { 1 } {
            let args = [i64::from(player)];
            let (holds, _) = evaluate::explain(model, &cells, never, watch.when, &args, &[]);
            cells[(watch.memory + u32::from(player)).at()] = low(holds.unwrap_or(0));
        }
    }
    cells
}
