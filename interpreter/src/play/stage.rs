//! A table arranged by hand, for scenarios.
//!
//! A stage changes the state after set-up: what is not named stays. It may also say where play goes
//! on: at the start of a phase with its arguments, or of one of its steps. When that phase ends,
//! play continues where the rules would have continued.

use std::sync::Arc;

use petgraph::visit::EdgeRef;

use super::api::{Id, PlaceRef, Value};
use super::chance::Seed;
use super::one_match::Match;
use super::ruleset::Ruleset;
use crate::check::ir::Ty;
use crate::check::model::{PlaceModel, control, instances};
use crate::compile::graph::NodeKind;

/// What a scenario changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stage {
    /// Places held by count: how many of each named row; rows that are not named stay.
    pub places: Vec<(PlaceRef, Vec<(Id, u32)>)>,
    /// Piles: everything that lies there, from the top.
    pub piles: Vec<(PlaceRef, Vec<Id>)>,
    /// Counters.
    pub counters: Vec<(PlaceRef, i64)>,
    /// Markers.
    pub markers: Vec<(PlaceRef, Value)>,
    /// The phase where play goes on, with its arguments by name.
    pub phase: Option<(Id, Vec<(Id, Value)>)>,
    /// The step of that phase where play goes on; else its beginning.
    pub step: Option<Id>,
}

impl Match {
    /// A match whose table is arranged by hand. `traced` remembers which clauses' rules ran.
    ///
    /// # Errors
    /// Says which part of the stage does not fit the ruleset.
    pub fn stage(
        ruleset: Arc<Ruleset>,
        seed: Seed,
        traced: bool,
        stage: &Stage,
    ) -> Result<Match, String> {
        let started = if traced {
            Match::traced(ruleset.clone(), seed)
        } else {
            Match::new(ruleset.clone(), seed, false)
        };
        let mut staged = started.map_err(|f| f.to_string())?;
        staged.forget();
        let game = staged.game_mut();
        let model = &ruleset.model;
        let cells = &mut game.position.cells;
        for (site, counts) in &stage.places {
            let place = place(&ruleset, site)?;
            let first = place.base + instance(&ruleset, site, &place.index)? * place.width;
            if place.pile {
                return Err(format!(
                    "`{}` is a pile: list what lies there from the top",
                    site.name
                ));
            }
            for (row, n) in counts {
                cells[first as usize + row_of(&ruleset, place, row)?] = *n as i32;
            }
        }
        for (site, rows) in &stage.piles {
            let place = place(&ruleset, site)?;
            let first =
                (place.base + instance(&ruleset, site, &place.index)? * place.width) as usize;
            if !place.pile {
                return Err(format!(
                    "`{}` is no pile: say how many of each row lie there",
                    site.name
                ));
            }
            if rows.len() as u32 >= place.width {
                return Err(format!(
                    "`{}` has room for {} pieces",
                    site.name,
                    place.width - 1
                ));
            }
            cells[first..first + place.width as usize].fill(0);
            cells[first] = rows.len() as i32;
            for (i, row) in rows.iter().rev().enumerate() {
                cells[first + 1 + i] = row_of(&ruleset, place, row)? as i32;
            }
        }
        for (site, value) in &stage.counters {
            let counter = model.counters.iter().find(|c| c.name == site.name);
            let counter = counter.ok_or_else(|| format!("no counter is called `{}`", site.name))?;
            let cell = counter.base + instance(&ruleset, site, &counter.index)?;
            cells[cell as usize] = i32::try_from(*value)
                .map_err(|_| format!("`{}`: {value} is too large", site.name))?;
        }
        for (site, value) in &stage.markers {
            let marker = model.markers.iter().find(|m| m.name == site.name);
            let marker = marker.ok_or_else(|| format!("no marker is called `{}`", site.name))?;
            let cell = marker.base + instance(&ruleset, site, &marker.index)?;
            cells[cell as usize] = ruleset.number(&marker.ty, value)? as i32;
        }
        if let Some((phase, args)) = &stage.phase {
            staged.enter(&ruleset, phase, args, stage.step.as_ref())?;
        }
        staged.go_on()?;
        Ok(staged)
    }

    /// Puts the machine at the start of a phase or step, as if the phase had just been visited.
    fn enter(
        &mut self,
        ruleset: &Ruleset,
        phase: &Id,
        args: &[(Id, Value)],
        step: Option<&Id>,
    ) -> Result<(), String> {
        let model = &ruleset.model;
        let number = model.phases.iter().position(|p| p.name == *phase);
        let number = number.ok_or_else(|| format!("no phase is called `{phase}`"))?;
        let begin = ruleset.graph.begins[number].index() as u32;
        let game = self.game_mut();
        for (name, value) in args {
            let param = model.phases[number].params.iter().find(|p| p.name == *name);
            let param =
                param.ok_or_else(|| format!("the phase `{phase}` has no parameter `{name}`"))?;
            game.position.cells[param.base as usize] = ruleset.number(&param.ty, value)? as i32;
        }
        // Which visit of this phase could have brought us here: innermost first.
        let callers: Vec<usize> = (0..ruleset.nodes.len())
            .filter(|n| {
                ruleset.nodes[*n].enter == begin || ruleset.nodes[*n].plays.contains(&begin)
            })
            .collect();
        let depth = game.cell(control::DEPTH) as usize;
        let mut stack: Vec<usize> = (0..depth)
            .map(|i| game.cell(control::STACK + i as u32) as usize)
            .collect();
        stack.push(game.cell(control::NODE) as usize);
        let level = (0..stack.len()).rev().find_map(|level| {
            let here = ruleset.nodes[stack[level]].phase;
            callers
                .iter()
                .find(|c| ruleset.nodes[**c].phase == here)
                .map(|c| (level, *c))
        });
        let Some((level, caller)) = level else {
            return Err(format!(
                "nothing that is under way after set-up visits the phase `{phase}`"
            ));
        };
        game.position.cells[(control::STACK as usize) + level] = ruleset.nodes[caller].next as i32;
        for cell in level + 1..control::FRAMES as usize {
            game.position.cells[control::STACK as usize + cell] = 0;
        }
        game.position.cells[control::DEPTH as usize] = level as i32 + 1;
        game.position.cells[control::NODE as usize] = begin as i32;
        if let Some(step) = step {
            for (base, len, value) in &model.phases[number].resets {
                game.position.cells[*base as usize..(base + len) as usize].fill(*value);
            }
            let graph = &ruleset.graph.graph;
            let entry = graph.node_indices().find(|n| {
                graph[*n].step == *step
                    && graph
                        .edges_directed(*n, petgraph::Direction::Incoming)
                        .any(|e| {
                            graph[e.source()].step != *step
                                || matches!(graph[e.source()].kind, NodeKind::Begin)
                        })
            });
            let entry = entry.ok_or_else(|| format!("no step is called `{step}`"))?;
            game.position.cells[control::NODE as usize] = entry.index() as i32;
        }
        Ok(())
    }
}

fn place<'r>(ruleset: &'r Ruleset, site: &PlaceRef) -> Result<&'r PlaceModel, String> {
    let found = ruleset.model.places.iter().find(|p| p.name == site.name);
    found.ok_or_else(|| format!("no place is called `{}`", site.name))
}

fn row_of(ruleset: &Ruleset, place: &PlaceModel, row: &Id) -> Result<usize, String> {
    let table = &ruleset.model.tables[place.table];
    let found = table.rows.iter().position(|r| r == row);
    found.ok_or_else(|| format!("no `{row}` among the `{}` in play", table.plural))
}

/// The number of the instance that index values name.
fn instance(ruleset: &Ruleset, site: &PlaceRef, index: &[(Ty, u32)]) -> Result<u32, String> {
    if site.index.len() != index.len() {
        return Err(format!(
            "`{}` takes {} arguments, not {}",
            site.name,
            index.len(),
            site.index.len()
        ));
    }
    let mut number = 0;
    for (value, (ty, size)) in site.index.iter().zip(index) {
        number = number * size
            + ruleset
                .number(ty, value)
                .map_err(|why| format!("`{}`: {why}", site.name))? as u32;
    }
    debug_assert!(number < instances(index));
    Ok(number)
}
