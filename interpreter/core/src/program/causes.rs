//! What makes things happen: the rules of a ruleset, each with its name and clause.
//!
//! Comes in: a model and its phase graph. Goes out: for each node, move and trigger the rule that it carries out. Whether
//! a rule applies follows from what everybody sees (the checker refuses anything else), so a rule that made
//! something happen may be told to whoever sees that it happened.

use std::collections::BTreeMap;

use super::graph::PhaseGraph;
use super::ids::*;
use super::model::{Model, TriggerModel};
use crate::source::Id;

/// A rule that makes things happen.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cause {
    /// A step (`captain.loading`), a move of it (`captain.loading.load`), or what follows an event or belongs to a
    /// component, by its name (`harbor`).
    pub rule: Id,
    /// Its clause.
    pub cite: Option<Id>,
}

/// The causes of a ruleset, and whose they are.
#[derive(Clone, Debug)]
pub struct Causes {
    /// The first stands for none.
    all: Vec<Option<Cause>>,
    nodes: IndexVec<NodeId, CauseId>,
    moves: IndexVec<MoveId, CauseId>,
    /// By event, then by trigger.
    triggers: IndexVec<EventId, Vec<CauseId>>,
}

impl CauseId {
    /// The cause of what no rule brings.
    pub const NONE: CauseId = CauseId(0);
}

impl Causes {
    /// Numbers the rules of a model and its phase graph.
    pub fn new(model: &Model, graph: &PhaseGraph) -> Causes {
        let mut all = vec![None];
        let mut known = BTreeMap::new();
        let mut number = |rule: &Id, cite: Option<ClauseId>| {
            let cite = cite.map(|clause| model.clauses[clause].clone());
            let cause = Cause {
                rule: rule.clone(),
                cite,
            };
            *known.entry(cause.clone()).or_insert_with(|| {
                all.push(Some(cause));
                CauseId::new(all.len() - 1)
            })
        };
        let nodes = graph.graph.node_weights();
        let nodes = nodes.map(|node| number(&node.step, node.cite)).collect();
        let mut moves = model.moves.map(|_| CauseId::NONE);
        for ask in &model.asks {
            for mv in &ask.moves {
                let model = &model.moves[*mv];
                let rule = Id::from(format!("{}.{}", ask.step, model.name));
                moves[*mv] = number(&rule, model.cite.or(ask.cite));
            }
        }
        let mut follows = |triggers: &[TriggerModel]| -> Vec<CauseId> {
            let triggers = triggers.iter();
            triggers.map(|t| number(&t.name, t.cite)).collect()
        };
        let mut triggers: IndexVec<EventId, Vec<CauseId>> = IndexVec::default();
        for event in &model.events {
            triggers.push(follows(&event.triggers));
        }
        for watch in &model.watches {
            triggers.push(follows(std::slice::from_ref(&watch.trigger)));
        }
        Causes {
            all,
            nodes,
            moves,
            triggers,
        }
    }

    /// What a number stands for; none of no rule, and of a number that is none.
    pub fn get(&self, cause: CauseId) -> Option<&Cause> {
        self.all.get(cause.index())?.as_ref()
    }

    /// Returns the cause of a node of the phase graph.
    pub fn of_node(&self, node: NodeId) -> CauseId {
        self.nodes[node]
    }

    /// Returns the cause of a move.
    pub fn of_move(&self, mv: MoveId) -> CauseId {
        self.moves[mv]
    }

    /// Of one of the things that follow an event, or of a watch.
    pub fn of_trigger(&self, event: EventId, number: usize) -> CauseId {
        let triggers = self.triggers.get(event);
        let cause = triggers.and_then(|all| all.get(number));
        cause.copied().unwrap_or(CauseId::NONE)
    }
}
