//! Questions at which what a phase keeps has not been set.
//!
//! In: something that a phase keeps, of a type that cannot say nothing: a row, a player. Out: the steps of the phase that ask
//! before anything may have set it. What it is then is only what its phase begins with, and is nothing to tell people.
//! Whatever is not certain counts as set.

use std::collections::BTreeSet;

use crate::analysis::visit::visit_statements;
use crate::machine::Ruleset;
use crate::program::graph::{Linked, NodeKind};
use crate::program::ids::{FuncId, NodeId, PhaseId};
use crate::program::model::{PhaseModel, VarModel};
use crate::program::tree::{Arg, Kind, Ty};
use crate::source::Id;

impl Ruleset {
    /// The steps of a phase that ask before anything may have set what it keeps, if that cannot say by itself that it is
    /// nothing yet.
    pub fn steps_before_set(&self, phase: &PhaseModel, var: &VarModel) -> Vec<Id> {
        let phases = &self.model().phases;
        let number = phases.ids().find(|id| phases[*id].name == phase.name);
        match (number, &var.ty) {
            (Some(number), Ty::Row(_) | Ty::Player) => {
                Setting { ruleset: self, var }.steps_before(number)
            }
            _ => Vec::new(),
        }
    }
}

struct Setting<'r> {
    ruleset: &'r Ruleset,
    var: &'r VarModel,
}

impl Setting<'_> {
    fn nodes(&self) -> impl Iterator<Item = (NodeId, &Linked)> {
        let nodes = &self.ruleset.program.nodes;
        nodes.ids().map(|id| (id, &nodes[id]))
    }

    fn steps_before(&self, phase: PhaseId) -> Vec<Id> {
        let model = self.ruleset.model();
        // What is set from elsewhere, as by what follows an event, may be set at any time.
        let within = self.visited_from(phase);
        let mut known = BTreeSet::new();
        for (_, node) in self.nodes() {
            if self.sets(node) && !within.contains(&node.phase) {
                return Vec::new();
            }
            for function in self.effects(node) {
                self.called_from(function, &mut known);
            }
        }
        let elsewhere = |f: FuncId| self.writes(f) && !known.contains(&f);
        if model.functions.ids().any(elsewhere) {
            return Vec::new();
        }
        // Whatever can follow on a node that sets it.
        let mut later = BTreeSet::new();
        let mut open: Vec<NodeId> = Vec::new();
        for (id, node) in self.nodes().filter(|(_, node)| node.phase == phase) {
            let visits = self.visits(node).into_iter();
            let sets_within =
                visits
                    .flat_map(|visited| self.visited_from(visited))
                    .any(|visited| {
                        self.nodes()
                            .any(|(_, node)| node.phase == visited && self.sets(node))
                    });
            if sets_within || self.sets(node) {
                open.extend([node.next, node.no]);
                if self.stays(node) {
                    later.insert(id);
                }
            }
        }
        while let Some(id) = open.pop() {
            if let Some(node) = self.ruleset.program.nodes.get(id)
                && node.phase == phase
                && later.insert(id)
            {
                open.extend([node.next, node.no]);
            }
        }
        let asks = self.nodes().filter_map(|(id, node)| match node.kind {
            NodeKind::Ask(ask) if node.phase == phase && !later.contains(&id) => {
                Some(model.asks[ask].step.clone())
            }
            _ => None,
        });
        let steps: BTreeSet<Id> = asks.collect();
        steps.into_iter().collect()
    }

    /// A phase, and those that are visited from it.
    fn visited_from(&self, phase: PhaseId) -> BTreeSet<PhaseId> {
        let mut found = BTreeSet::from([phase]);
        let mut open = vec![phase];
        while let Some(phase) = open.pop() {
            for (_, node) in self.nodes().filter(|(_, node)| node.phase == phase) {
                for visited in self.visits(node) {
                    if found.insert(visited) {
                        open.push(visited);
                    }
                }
            }
        }
        found
    }

    /// The phases that a node leads into.
    fn visits(&self, node: &Linked) -> Vec<PhaseId> {
        let model = self.ruleset.model();
        let entered = [node.enter].into_iter().chain(node.plays.iter().copied());
        let mut phases: Vec<PhaseId> = entered
            .filter_map(|id| Some(self.ruleset.program.nodes.get(id)?.phase))
            .collect();
        if let NodeKind::Ask(ask) = node.kind {
            let moves = model.asks[ask].moves.iter();
            phases.extend(moves.filter_map(|mv| Some(model.moves[*mv].goes_on.as_ref()?.0)));
        }
        phases
    }

    /// What a node may do.
    fn effects(&self, node: &Linked) -> Vec<FuncId> {
        let model = self.ruleset.model();
        match node.kind {
            NodeKind::Effect(effect) => vec![effect],
            NodeKind::Ask(ask) => {
                let moves = model.asks[ask].moves.iter();
                let effects = moves.flat_map(|mv| &model.moves[*mv].effects);
                effects.map(|effect| effect.effect).collect()
            }
            _ => Vec::new(),
        }
    }

    fn sets(&self, node: &Linked) -> bool {
        let mut called = BTreeSet::new();
        for effect in self.effects(node) {
            self.called_from(effect, &mut called);
        }
        called.into_iter().any(|function| self.writes(function))
    }

    /// Whether a question may stand again after it was answered.
    fn stays(&self, node: &Linked) -> bool {
        let model = self.ruleset.model();
        let NodeKind::Ask(ask) = node.kind else {
            return false;
        };
        let ask = &model.asks[ask];
        let mut moves = ask.moves.iter().map(|mv| &model.moves[*mv]);
        ask.several.is_some() || moves.any(|mv| mv.free || mv.any_time)
    }

    /// A function and those that it calls.
    fn called_from(&self, function: FuncId, found: &mut BTreeSet<FuncId>) {
        if !found.insert(function) {
            return;
        }
        let mut called = Vec::new();
        let body = &self.ruleset.model().functions[function].body;
        visit_statements(body, &mut |ex| {
            if let Kind::Call(callee, _) = ex.kind {
                called.push(callee);
            }
        });
        for callee in called {
            self.called_from(callee, found);
        }
    }

    /// Whether a function itself does something to it.
    fn writes(&self, function: FuncId) -> bool {
        let cells = self.var.base..self.var.base + self.var.len;
        let mut writes = false;
        let body = &self.ruleset.model().functions[function].body;
        visit_statements(body, &mut |ex| {
            if let Kind::Verb(_, args) = &ex.kind {
                writes |= args
                    .iter()
                    .any(|arg| matches!(arg, Arg::Cells(addr) if cells.contains(&addr.base)));
            }
        });
        writes
    }
}
