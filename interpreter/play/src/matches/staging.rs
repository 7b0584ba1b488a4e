//! Staging: a match that begins in a position which somebody has set.
//!
//! Scenarios start from here, and so do tools that ask "what if". The table is set up as for any
//! match; then pieces, counters and markers are put where they are wanted, and play goes on from
//! the question that was waiting, or from a phase that is named. Nothing here checks that the
//! position could be reached: a scenario names what it is about and leaves the rest as it was.

use std::sync::Arc;

use petgraph::visit::Bfs;

use super::history::History;
use super::one_match::Match;
use crate::api::{Audience, Seat, View};
use crate::flow::Game;
use crate::machine::{Fault, Ruleset};
use crate::numbers::{At as _, Fit as _};
use crate::program::graph::NodeKind;
use crate::program::model::{Cell, NodeId, PhaseId, PlaceModel, ROLLS, TableId, control};
use crate::program::tree::Ty;
use crate::program::value::{PlaceRef, Value};
use crate::state::Seed;

/// A table that is being set.
///
/// Every method that refuses says why, in words for the author of a scenario, and changes nothing.
#[derive(Clone, Debug)]
pub struct Staging {
    game: Game,
}

impl Staging {
    /// The table as the ruleset sets it up, at the first question.
    ///
    /// # Errors
    /// A fault of the ruleset in its set-up.
    pub fn new(ruleset: Arc<Ruleset>, seed: Seed, traced: bool) -> Result<Staging, Fault> {
        // Forced moves wait: they belong to the play that follows, not to the set-up.
        let mut game = Game::new(ruleset, seed, true, true);
        if traced {
            game.seen = Some(game.ruleset.model().clauses.map(|_| false));
        }
        game.advance().map_err(|t| game.fault(t))?;
        Ok(Staging { game })
    }

    /// The table of a match, as its moves have left it.
    ///
    /// # Errors
    /// A fault of the ruleset.
    pub fn of(played: Match) -> Result<Staging, Fault> {
        let mut game = played.into_game();
        // Forced moves wait, as after the set-up.
        game.set_ask_forced(true).map_err(|t| game.fault(t))?;
        Ok(Staging { game })
    }

    /// The ruleset.
    pub fn ruleset(&self) -> &Arc<Ruleset> {
        self.game.ruleset()
    }

    /// The table as it is set now, with every secret.
    pub fn view(&self) -> View {
        self.game.view(Audience::Referee)
    }

    /// Says how many pieces of a kind lie in a place where kinds are counted.
    ///
    /// # Errors
    /// There is no such place or kind, or the place is a pile.
    pub fn put(&mut self, place: &PlaceRef, row: &str, count: u32) -> Result<(), String> {
        let (model, first) = self.place(place)?;
        if model.pile {
            return Err(format!(
                "`{}` is a pile: list its pieces from the top",
                place.name
            ));
        }
        if model.endless {
            return Err(format!("`{}` is endless", place.name));
        }
        let row = self.row(model.table, row)?;
        let count = i32::try_from(count).map_err(|_| "this is too many".to_owned())?;
        self.game.position.cells[first + row] = count;
        Ok(())
    }

    /// Says all that lies in a place where kinds are counted.
    ///
    /// # Errors
    /// There is no such place or kind, or the place is a pile.
    pub fn fill(&mut self, place: &PlaceRef, rows: &[&str]) -> Result<(), String> {
        let (model, first) = self.place(place)?;
        if model.pile {
            return self.pile(place, rows);
        }
        let (table, width) = (model.table, model.width);
        let pieces: Vec<u32> = rows
            .iter()
            .map(|row| self.row(table, row))
            .collect::<Result<_, _>>()?;
        let cells = &mut self.game.position.cells;
        cells[first.span(width)].fill(0);
        for row in pieces {
            cells[first + row] += 1;
        }
        Ok(())
    }

    /// Says what lies in a pile, from its top.
    ///
    /// # Errors
    /// There is no such pile or kind, or the pile cannot hold so many.
    pub fn pile(&mut self, place: &PlaceRef, rows: &[&str]) -> Result<(), String> {
        let (model, first) = self.place(place)?;
        if !model.pile {
            return Err(format!(
                "`{}` is no pile: say how many of each kind lie there",
                place.name
            ));
        }
        let most = model.width - 1;
        let table = model.table;
        let pieces: Vec<u32> = rows
            .iter()
            .map(|row| self.row(table, row))
            .collect::<Result<_, _>>()?;
        if pieces.len().fit::<u32>() > most {
            return Err(format!("`{}` holds at most {most} pieces", place.name));
        }
        self.write_pile(first, &pieces);
        Ok(())
    }

    /// Moves pieces of a pile to its top, so that they are drawn next, in this order.
    ///
    /// # Errors
    /// There is no such pile or kind, or too few of the kind lie in it.
    pub fn draws(&mut self, place: &PlaceRef, rows: &[&str]) -> Result<(), String> {
        let (model, first) = self.place(place)?;
        if !model.pile {
            return Err(format!(
                "`{}` is no pile: nothing is drawn from it in an order",
                place.name
            ));
        }
        let table = model.table;
        let cells = &self.game.position.cells;
        let size = cells[first].cast_unsigned();
        let mut rest: Vec<u32> = (1..=size)
            .rev()
            .map(|i| cells[first + i].cast_unsigned())
            .collect();
        let mut order = Vec::new();
        for row in rows {
            let wanted = self.row(table, row)?;
            let Some(at) = rest.iter().position(|piece| *piece == wanted) else {
                return Err(format!("too few `{row}` lie in `{}`", place.name));
            };
            order.push(rest.remove(at));
        }
        order.extend(rest);
        self.write_pile(first, &order);
        Ok(())
    }

    /// Says what a die shows when it is rolled next, in this order.
    ///
    /// # Errors
    /// There is no such die or face, or too many rolls are set.
    pub fn rolls(&mut self, die: &PlaceRef, faces: &[Value]) -> Result<(), String> {
        let ruleset = self.game.ruleset.clone();
        let markers = &ruleset.model().markers;
        let model = ruleset
            .model()
            .dice
            .iter()
            .find(|d| markers[d.marker].name == die.name)
            .ok_or_else(|| format!("no die is called `{}`", die.name))?;
        if faces.len() > ROLLS.at() {
            return Err(format!("at most {ROLLS} rolls of a die can be set"));
        }
        let mut numbers = Vec::new();
        for face in faces {
            let number = ruleset.number(&markers[model.marker].ty, face)?;
            if !model.faces.contains(&number) {
                return Err(format!("`{}` has no such face", die.name));
            }
            numbers.push(number.fit());
        }
        let next = model.next.at();
        let cells = &mut self.game.position.cells;
        cells[next] = numbers.len().fit();
        cells[next + 1..next + 1 + numbers.len()].copy_from_slice(&numbers);
        Ok(())
    }

    /// Sets a counter.
    ///
    /// # Errors
    /// There is no such counter, or the number is too large.
    pub fn counter(&mut self, counter: &PlaceRef, value: i64) -> Result<(), String> {
        let ruleset = self.game.ruleset.clone();
        let model = ruleset
            .model()
            .counters
            .iter()
            .find(|c| c.name == counter.name)
            .ok_or_else(|| format!("no counter is called `{}`", counter.name))?;
        let cell = model.base + self.instance(&model.index, &counter.index)?;
        self.game.position.cells[cell] = in_32_bits(value)?;
        Ok(())
    }

    /// Sets a marker.
    ///
    /// # Errors
    /// There is no such marker, or it cannot point at this.
    pub fn marker(&mut self, marker: &PlaceRef, value: &Value) -> Result<(), String> {
        let ruleset = self.game.ruleset.clone();
        let model = ruleset
            .model()
            .markers
            .iter()
            .find(|m| m.name == marker.name)
            .ok_or_else(|| format!("no marker is called `{}`", marker.name))?;
        let cell = model.base + self.instance(&model.index, &marker.index)?;
        self.game.position.cells[cell] = in_32_bits(ruleset.number(&model.ty, value)?)?;
        Ok(())
    }

    /// Sets what a phase under way keeps (`bargaining.offered`). [`begin`](Self::begin) comes first: what a
    /// phase keeps is reset when it begins.
    ///
    /// # Errors
    /// No such phase is under way, or it keeps nothing of this name or type.
    pub fn keep(&mut self, kept: &PlaceRef, value: &Value) -> Result<(), String> {
        let ruleset = self.game.ruleset.clone();
        let model = ruleset
            .model()
            .kept(&kept.name)
            .ok_or_else(|| format!("no phase keeps `{}`", kept.name))?;
        let first = model.base + self.instance(&model.index, &kept.index)? * model.width;
        let numbers = ruleset.numbers(&model.ty, value)?.into_iter();
        let numbers = numbers.map(in_32_bits).collect::<Result<Vec<i32>, _>>()?;
        let cells = &mut self.game.position.cells[first.at()..];
        cells[..numbers.len()].copy_from_slice(&numbers);
        Ok(())
    }

    /// Goes on from the beginning of a phase, or of one of its steps (`captain.storing`).
    ///
    /// If the phase is under way (as a round is, once the table is set up), it begins anew.
    /// Otherwise it is as if the innermost phase under way that can visit it had just done so. In
    /// both cases play continues after it as the rules say; if nothing under way leads to the phase,
    /// play rests when it is over: nobody is asked any more. What the set-up exercised is forgotten.
    ///
    /// # Errors
    /// There is no such phase, step or parameter, or an argument is missing or of the wrong type.
    pub fn begin(
        &mut self,
        phase: &str,
        args: &[(&str, Value)],
        step: Option<&str>,
    ) -> Result<(), String> {
        let ruleset = self.game.ruleset.clone();
        let number = ruleset
            .model()
            .phases
            .position(|p| &*p.name == phase)
            .ok_or_else(|| format!("no phase is called `{phase}`"))?;
        let model = &ruleset.model().phases[number];
        let begin = ruleset.program.graph.begins[number];
        let start = match step {
            None => begin,
            Some(step) => {
                let graph = &ruleset.program.graph.graph;
                let mut search = Bfs::new(graph, begin);
                // Every way into a step leads through its first node, so that is met first.
                let mut found = None;
                while let Some(node) = search.next(graph) {
                    if *graph[node].step == *step && graph[node].phase == number {
                        found = Some(node);
                        break;
                    }
                }
                found.ok_or_else(|| format!("no step of `{phase}` is called `{step}`"))?
            }
        };
        let under_way = self.under_way(number);
        let caller = self.caller(begin.into());
        let mut cells = Vec::new();
        for (name, _) in args {
            if !model.params.iter().any(|p| &*p.name == *name) {
                return Err(format!("the phase `{phase}` has no parameter `{name}`"));
            }
        }
        for param in &model.params {
            match args.iter().find(|(name, _)| *name == &*param.name) {
                Some((_, value)) => {
                    let numbers = ruleset.numbers(&param.ty, value)?.into_iter();
                    let numbers: Result<Vec<i32>, _> = numbers.map(in_32_bits).collect();
                    cells.extend(param.base.run(param.width).zip(numbers?));
                }
                None if under_way.is_some() => {}
                None => return Err(format!("the phase `{phase}` needs its `{}`", param.name)),
            }
        }
        let position = &mut self.game.position.cells;
        for (cell, value) in cells {
            position[cell] = value;
        }
        // A step in the middle finds what the phase keeps as at its beginning.
        for (base, len, value) in &model.resets {
            position[base.span(*len)].fill(*value);
        }
        let depth = match (under_way, caller) {
            (Some(level), _) => level,
            (None, Some((level, back))) => {
                position[control::STACK + level] = back.for_cell();
                level + 1
            }
            (None, None) => 0,
        };
        position[control::DEPTH] = depth.cast_signed();
        position[control::NODE] = NodeId::from(start).for_cell();
        position[control::OVER] = 0;
        self.game.rests = depth == 0;
        if let Some(seen) = &mut self.game.seen {
            seen.fill(false);
        }
        let start = NodeId::from(start);
        let node = &ruleset.program.nodes[start];
        if matches!(node.kind, NodeKind::Begin) {
            self.game.trace_node(start);
            self.game.begin_phase(&ruleset, node.phase);
            self.game.position.cells[control::NODE] = node.next.for_cell();
        }
        Ok(())
    }

    /// Says whose turn it is in a step that each player has a turn in (`each p from holder`, `cycle p from …`): those
    /// before have had theirs. The step is under way, or play goes on from it; so [`begin`](Self::begin) comes first. With
    /// `anew` that turn begins; else only what goes on after the phase that was begun is in that turn.
    ///
    /// # Errors
    /// There is no such step under way, no player has a turn in it, or with whom it begins cannot be told.
    pub fn turn(&mut self, step: &str, seat: Seat, anew: bool) -> Result<(), String> {
        let ruleset = self.game.ruleset.clone();
        let graph = &ruleset.program.graph.graph;
        let is_part = |node: &NodeId| {
            let rest = graph.node_weight((*node).into());
            let rest = rest.and_then(|node| node.step.strip_prefix(step));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let Some(level) = self.standing().iter().position(is_part) else {
            return Err(format!(
                "no step `{step}` is under way; begin it: `at: {step}`"
            ));
        };
        let turns = graph.node_indices().find_map(|node| {
            let of = &graph[node];
            match of.kind {
                NodeKind::StartTurns { var, left, from } if *of.step == *step => {
                    Some((node, var, left, from, true))
                }
                NodeKind::StartCycle { var, since, from } if *of.step == *step => {
                    Some((node, var, since, from, false))
                }
                _ => None,
            }
        });
        let Some((start, var, count, from, counts_down)) = turns else {
            return Err(format!("in `{step}` no player has a turn"));
        };
        let players = ruleset.model().players;
        if seat.0 >= players {
            return Err(format!("there are {players} players"));
        }
        let first = self.game.pure(from);
        let first = first.map_err(|trouble| self.game.fault(trouble).to_string())?;
        let had = (i64::from(seat.0) - first).rem_euclid(players.into());
        let start = NodeId::from(start);
        let is_to_start = self.game.node() == start;
        let cells = &mut self.game.position.cells;
        cells[var.at()] = seat.0.into();
        let left = i64::from(players) - had;
        cells[count.at()] = if counts_down { left } else { had }.fit();
        if anew || is_to_start {
            cells[control::DEPTH] = level.fit();
            cells[control::NODE] = ruleset.program.nodes[start].next.for_cell();
        }
        Ok(())
    }

    /// Places that hold more than there is room for, each with that in words.
    ///
    /// # Errors
    /// The room of a place fails in this position.
    pub fn overfull(&self) -> Result<Vec<(PlaceRef, String)>, String> {
        let found = self.game.overfull()?.into_iter();
        let named = found.map(|(first, why)| (self.ruleset().place_at(first), why));
        Ok(named.collect())
    }

    /// Plays on from here, as far as the first question that leaves a choice.
    ///
    /// # Errors
    /// A fault of the ruleset.
    pub fn play(mut self) -> Result<Match, Fault> {
        self.game.everything_is_new();
        self.game
            .look_without_following()
            .map_err(|t| self.game.fault(t))?;
        Match::staged(self.game)
    }

    /// The same, but forced moves are asked for.
    ///
    /// # Errors
    /// A fault of the ruleset.
    pub fn play_asking(mut self) -> Result<Match, Fault> {
        self.game.everything_is_new();
        let played_on = self.game.look_without_following();
        let played_on = played_on.and_then(|()| self.game.set_ask_forced(true));
        let played_on = played_on.and_then(|()| match self.game.is_over() {
            true => Ok(()),
            false => self.game.advance(),
        });
        played_on.map_err(|t| self.game.fault(t))?;
        Ok(Match::going_on(self.game, History::default()))
    }

    /// The nodes on which the phases under way stand, outermost first.
    fn standing(&self) -> Vec<NodeId> {
        self.game.backs().chain([self.game.node()]).collect()
    }

    /// How many frames lie below a phase, if it is under way.
    fn under_way(&self, phase: PhaseId) -> Option<u32> {
        let nodes = &self.game.ruleset.program.nodes;
        let is_of_it = |node: &NodeId| nodes.get(*node).is_some_and(|n| n.phase == phase);
        let found = (0..).zip(self.standing()).find(|(_, node)| is_of_it(node));
        found.map(|(level, _)| level)
    }

    /// How many frames lie below the innermost phase under way that can visit the phase which begins
    /// at a node, and where that visit would go on.
    fn caller(&self, begin: NodeId) -> Option<(u32, NodeId)> {
        let nodes = &self.game.ruleset.program.nodes;
        let visits = |phase: PhaseId| {
            nodes
                .iter()
                .find(|n| n.phase == phase && (n.enter == begin || n.plays.contains(&begin)))
        };
        let standing: Vec<(u32, NodeId)> = (0..).zip(self.standing()).collect();
        standing.into_iter().rev().find_map(|(level, node)| {
            let here = nodes.get(node)?;
            visits(here.phase).map(|visit| (level, visit.next))
        })
    }

    fn place(&self, place: &PlaceRef) -> Result<(&PlaceModel, Cell), String> {
        let model = self
            .game
            .ruleset
            .model()
            .places
            .iter()
            .find(|p| p.name == place.name)
            .ok_or_else(|| format!("no place is called `{}`", place.name))?;
        let instance = self.instance(&model.index, &place.index)?;
        Ok((model, model.first(instance)))
    }

    /// The number of an instance: the last index runs fastest.
    fn instance(&self, index: &[(Ty, u32)], values: &[Value]) -> Result<u32, String> {
        if index.len() != values.len() {
            return Err(format!(
                "{} indices are needed here, not {}",
                index.len(),
                values.len()
            ));
        }
        let mut instance = 0;
        for ((ty, size), value) in index.iter().zip(values) {
            let value = u32::try_from(self.game.ruleset.number(ty, value)?);
            instance = instance * size + value.map_err(|_| "nothing is there")?;
        }
        Ok(instance)
    }

    fn row(&self, table: TableId, row: &str) -> Result<u32, String> {
        let table = &self.game.ruleset.model().tables[table];
        match table.rows.iter().position(|r| &**r == row) {
            Some(row) => Ok(row.fit()),
            None => Err(format!("no `{row}` among the `{}` in play", table.plural)),
        }
    }

    fn write_pile(&mut self, first: Cell, from_top: &[u32]) {
        let cells = &mut self.game.position.cells;
        cells[first] = from_top.len().fit();
        for (i, piece) in from_top.iter().rev().enumerate() {
            cells[first.at() + 1 + i] = piece.cast_signed();
        }
    }
}

fn in_32_bits(number: i64) -> Result<i32, String> {
    i32::try_from(number).map_err(|_| "numbers have 32 bits".to_owned())
}
