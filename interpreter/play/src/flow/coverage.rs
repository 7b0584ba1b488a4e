//! Which clauses ran: marks of a traced game, for coverage.
//!
//! Clauses of scripts and queries are reported by the code itself
//! ([`Op::Cite`](crate::program::bytecode::Op::Cite)). What only the machine knows is marked here:
//! steps that were entered, conditions that allowed the move that was made, the end.

use super::{Choice, Game};
use crate::machine::choices::open_domain;
use crate::machine::{Reader, Trouble};
use crate::program::graph::NodeKind;
use crate::program::model::{AskId, ClauseId, DomainModel, NodeId};

impl Game {
    fn ran(&mut self, cite: Option<ClauseId>) {
        if let (Some(seen), Some(cite)) = (&mut self.seen, cite) {
            seen[cite] = true;
        }
    }

    /// Marks the clause of a node that is entered. A condition that passes a step over enters nothing.
    #[inline]
    pub(crate) fn trace_node(&mut self, node: NodeId) {
        if self.seen.is_some() {
            self.mark_node(node);
        }
    }

    fn mark_node(&mut self, node: NodeId) {
        let ruleset = self.ruleset.clone();
        let Some(node) = ruleset.program.graph.graph.node_weight(node.into()) else {
            return;
        };
        if !matches!(node.kind, NodeKind::Branch(_) | NodeKind::Return) {
            self.ran(node.cite);
        }
    }

    /// Marks what allowed a move that is about to be made: its own clause, those of its question,
    /// of its conditions, and of the queries that they and the domains of its parameters read.
    pub(crate) fn trace_move(
        &mut self,
        ask: AskId,
        choice: &Choice,
        seat: i64,
    ) -> Result<(), Trouble> {
        if self.seen.is_none() {
            return Ok(());
        }
        let ruleset = self.ruleset.clone();
        let model = &ruleset.model().moves[choice.mv];
        self.ran(model.cite);
        self.ran(model.heading);
        self.ran(ruleset.model().asks[ask].cite);
        let mut read = Vec::new();
        for (need, condition) in model.needs() {
            self.ran(need.cite);
            read.push(condition);
        }
        for param in &model.params {
            read.extend(param.when);
            if let DomainModel::Range(from, to) = param.domain {
                read.extend([from, to]);
            }
        }
        for function in read {
            self.load(choice, seat);
            self.pure(function)?;
        }
        let promised = self.promised();
        let promises = promised.iter().map(|p| &ruleset.model().promises[*p]);
        for promise in promises.chain(model.promises().map(|(gate, _)| gate)) {
            self.ran(promise.cite);
            self.load(choice, seat);
            promise.condition().map_or(Ok(0), |f| self.pure(f))?;
        }
        for param in &model.params {
            self.load(choice, seat);
            let mut reader = Reader {
                seen: self.seen.as_mut(),
                ..Reader::new(&ruleset, &self.position.cells)
            };
            open_domain(&mut reader, param, &mut self.registers)?;
        }
        Ok(())
    }

    /// Marks what belongs to the end: the lines of the score sheet that apply, the tie-breaks, and
    /// the steps that are repeated until then.
    pub(crate) fn trace_end(&mut self) {
        if self.seen.is_none() {
            return;
        }
        let ruleset = self.ruleset.clone();
        for node in ruleset.program.graph.graph.node_weights() {
            if matches!(node.kind, NodeKind::NextInCycle { var: None }) {
                self.ran(node.cite);
            }
        }
        for seat in 0..i64::from(ruleset.model().players) {
            for line in &ruleset.model().scores {
                self.registers[0] = seat;
                let applies = line
                    .when
                    .is_none_or(|when| self.pure(when).unwrap_or(0) != 0);
                self.registers[0] = seat;
                if applies {
                    let _ = self.pure(line.value);
                    self.ran(line.cite);
                }
            }
            for (_, criterion) in &ruleset.model().winner {
                self.registers[0] = seat;
                let _ = self.pure(*criterion);
            }
        }
    }
}
