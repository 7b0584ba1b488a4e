//! What choices must leave true: a choice is made on a copy first, and judged by what it leaves.

use super::gates::Judged;
use super::{Choice, Game};
use crate::api::Origin;
use crate::budget;
use crate::machine::Trouble;
use crate::numbers::Fit as _;
use crate::program::graph::NodeKind;
use crate::program::model::{AskId, Gate, PromiseId, control};

/// Cells that are copied for a unit of work.
const FORKED: u64 = 16;

impl Game {
    /// The promises of visits under way, the outermost first.
    pub(crate) fn promised(&self) -> Vec<PromiseId> {
        let nodes = &self.ruleset.program.nodes;
        self.backs()
            .filter_map(|node| match nodes.get(node)?.kind {
                NodeKind::Promised(promise) => Some(promise),
                _ => None,
            })
            .collect()
    }

    /// Whether somebody must leave something true who answers a question.
    #[inline]
    pub(crate) fn is_promised(&self, ask: AskId) -> bool {
        let ruleset = &self.ruleset;
        ruleset.program.lookup.of_ask(ask).ensures
            || !ruleset.model().promises.is_empty() && !self.promised().is_empty()
    }

    /// The promise that a choice of the seat that is asked would break.
    pub(crate) fn breaks(&self, choice: &Choice) -> Result<Option<Gate>, Trouble> {
        self.breaks_one_of(choice, &|_| true)
    }

    /// The first of some promises that a choice would break.
    pub(super) fn breaks_one_of(
        &self,
        choice: &Choice,
        judged: Judged<'_>,
    ) -> Result<Option<Gate>, Trouble> {
        let ruleset = &self.ruleset;
        let model = ruleset.model();
        let own = model.moves[choice.mv].promises();
        let promised = self.promised();
        let promised = promised.iter().map(|p| &model.promises[*p]);
        let all = promised.chain(own.map(|(gate, _)| gate));
        let mut all = all.filter(|promise| judged(promise)).peekable();
        if all.peek().is_none() {
            return Ok(None);
        }
        let seat = self.cell(control::SEAT);
        budget::charge(self.position.cells.len().fit::<u64>() / FORKED);
        let mut copy = self.fork();
        if copy.make(ruleset, choice, Origin::Player)? {
            return Ok(None);
        }
        for promise in all {
            copy.bind(choice, seat);
            if let Some(condition) = promise.condition()
                && copy.pure(condition)? == 0
            {
                return Ok(Some(*promise));
            }
        }
        Ok(None)
    }
}
