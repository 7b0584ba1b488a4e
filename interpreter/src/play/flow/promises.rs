//! What choices must leave true: a choice is made on a copy first, and judged by what it leaves.

use super::{Choice, Game};
use crate::budget;
use crate::play::api::Origin;
use crate::play::machine::Trouble;
use crate::program::graph::NodeKind;
use crate::program::model::{PromiseModel, control};

/// Cells that are copied for a unit of work.
const FORKED: u64 = 16;

impl Game {
    /// The promises of visits under way, the outermost first.
    pub(crate) fn promised(&self) -> Vec<usize> {
        let depth = self.cell(control::DEPTH) as u32;
        let frames = (0..depth).map(|i| self.cell(control::STACK + i) as usize);
        let nodes = &self.ruleset.program.nodes;
        frames
            .filter_map(|node| match nodes.get(node)?.kind {
                NodeKind::Promised(promise) => Some(promise),
                _ => None,
            })
            .collect()
    }

    /// Whether somebody must leave something true who answers a question.
    #[inline]
    pub(crate) fn is_promised(&self, ask: usize) -> bool {
        let ruleset = &self.ruleset;
        ruleset.program.lookup.of_ask(ask).ensures
            || !ruleset.model().promises.is_empty() && !self.promised().is_empty()
    }

    /// The promise that a choice of the seat that is asked would break.
    pub(crate) fn breaks(&self, choice: &Choice) -> Result<Option<PromiseModel>, Trouble> {
        let ruleset = &self.ruleset;
        let own = &ruleset.model().moves[choice.mv as usize].ensures;
        let promised = self.promised();
        if own.is_empty() && promised.is_empty() {
            return Ok(None);
        }
        let seat = self.cell(control::SEAT);
        budget::charge(self.position.cells.len() as u64 / FORKED);
        let mut copy = self.fork();
        if copy.make(ruleset, choice, Origin::Player)? {
            return Ok(None);
        }
        for promise in promised
            .iter()
            .map(|p| &ruleset.model().promises[*p])
            .chain(own)
        {
            copy.bind(choice, seat);
            if copy.pure(promise.condition)? == 0 {
                return Ok(Some(promise.clone()));
            }
        }
        Ok(None)
    }
}
