//! Whether a move may be made: its [gates](Gate), one after the other, in the order in which the compiler put them.
//!
//! In: a complete choice, or a kind of move before anything is chosen. Out: the first gate that is closed. Lists of
//! moves are found by functions that the compiler wrote from the same gates (`interpreter::lower::listings`);
//! [`closed_gates`](crate::matches::closed_gates) says why one is closed.

use super::choice::Choice;
use super::game::Game;
use crate::machine::Reader;
use crate::machine::choices::open_domain;
use crate::machine::legal::{Known, first_is_open, standing};
use crate::machine::{Ruleset, Trouble};
use crate::numbers::At as _;
use crate::program::model::{DomainModel, Gate, GateKind, ParamModel};
use crate::program::tree::NONE;

/// Which gates are looked at; the others count as open.
pub(crate) type Judged<'a> = &'a dyn Fn(&Gate) -> bool;

impl Game {
    /// The first gate that is closed to a choice; none if it is legal. The move is one of those of the waiting question.
    ///
    /// # Errors
    ///
    /// When a condition faults.
    pub(crate) fn closed_gate(
        &mut self,
        choice: &Choice,
        seat: i64,
    ) -> Result<Option<Gate>, Trouble> {
        self.closed_among(choice, seat, &|_| true)
    }

    /// The first of some gates that is closed to a choice.
    ///
    /// # Errors
    ///
    /// When a condition faults.
    pub(crate) fn closed_among(
        &mut self,
        choice: &Choice,
        seat: i64,
        judged: Judged<'_>,
    ) -> Result<Option<Gate>, Trouble> {
        let ruleset = self.ruleset.clone();
        let model = &ruleset.model().moves[choice.mv];
        for gate in model.gates.iter().filter(|gate| judged(gate)) {
            self.load(choice, seat);
            let open = match gate.kind {
                GateKind::Domain(param) => {
                    self.is_in_domain(&ruleset, &model.params[param], choice, seat)?
                }
                GateKind::Need(condition) => self.pure(condition)? != 0,
                // What is left is judged together, on a copy.
                GateKind::Promise(_) => break,
                _ => {
                    let mut reader = Reader::new(&ruleset, &self.position.cells);
                    first_is_open(&mut reader, gate, seat, &mut self.registers, Known::All)?
                }
            };
            if !open {
                return Ok(Some(*gate));
            }
        }
        self.breaks_one_of(choice, judged)
    }

    /// The first gate that is closed to a choice whatever is chosen for its open parameters; none if it is for what can be
    /// chosen there that the move is not legal, or for something that its mover may not know.
    ///
    /// # Errors
    ///
    /// When a condition faults.
    pub(crate) fn closed_to_all(
        &mut self,
        choice: &Choice,
        seat: i64,
    ) -> Result<Option<Gate>, Trouble> {
        let ruleset = self.ruleset.clone();
        let model = &ruleset.model().moves[choice.mv];
        for gate in model.gates.iter().filter(|gate| !gate.reveals) {
            self.load(choice, seat);
            let open = match gate.kind {
                GateKind::Domain(param) if model.params[param].is_open() => {
                    let param = &model.params[param];
                    let offered = match param.when {
                        Some(when) => self.pure(when)? != 0,
                        None => true,
                    };
                    self.load(choice, seat);
                    let mut reader = Reader::new(&ruleset, &self.position.cells);
                    !offered || open_domain(&mut reader, param, &mut self.registers)?.is_some()
                }
                GateKind::Domain(param) => {
                    self.is_in_domain(&ruleset, &model.params[param], choice, seat)?
                }
                _ if gate.open => true,
                GateKind::Need(condition) => self.pure(condition)? != 0,
                GateKind::Promise(_) => break,
                _ => {
                    let mut reader = Reader::new(&ruleset, &self.position.cells);
                    first_is_open(&mut reader, gate, seat, &mut self.registers, Known::All)?
                }
            };
            if !open {
                return Ok(Some(*gate));
            }
        }
        Ok(None)
    }

    /// Whether a complete choice is legal, without looking at the offers.
    pub(crate) fn is_legal(&mut self, choice: &Choice, seat: i64) -> Result<bool, Trouble> {
        let Some(ask) = self.ask() else {
            return Ok(false);
        };
        let asked = self.ruleset.model().asks[ask].moves.contains(&(choice.mv));
        Ok(asked && self.closed_gate(choice, seat)?.is_none())
    }

    /// Puts a choice into the registers.
    pub(crate) fn load(&mut self, choice: &Choice, seat: i64) {
        self.registers[0] = seat;
        self.registers[1..1 + choice.args.len()].copy_from_slice(&choice.args);
    }

    /// Whether what is chosen for a parameter is offered, and within its limits.
    fn is_in_domain(
        &mut self,
        ruleset: &Ruleset,
        param: &ParamModel,
        choice: &Choice,
        seat: i64,
    ) -> Result<bool, Trouble> {
        let at = param.register.at() - 1;
        let given = &choice.args[at..at + param.len.at()];
        if let Some(when) = param.when {
            let offered = self.pure(when)? != 0;
            if !offered {
                return Ok(param.is_nothing(given));
            }
            self.load(choice, seat);
        }
        let within = |(from, to): (i64, i64)| (from..=to).contains(&given[0]);
        Ok(match &param.domain {
            _ if param.is_open() => {
                let mut reader = Reader::new(ruleset, &self.position.cells);
                let open = open_domain(&mut reader, param, &mut self.registers)?;
                open.is_some_and(|open| open.contains(given))
            }
            DomainModel::Upto(n) => within((0, i64::from(*n) - 1)),
            DomainModel::OptionUpto(n) => within((NONE, i64::from(*n) - 1)),
            DomainModel::Range(from, to) => {
                let from = self.pure(*from)?;
                self.load(choice, seat);
                within((from, self.pure(*to)?))
            }
            DomainModel::Same { cells, optional } => {
                let mut reader = Reader::new(ruleset, &self.position.cells);
                let registers = &mut self.registers;
                let there = standing(&mut reader, *cells, *optional, param.len, registers)?;
                there.as_deref() == Some(given)
            }
            DomainModel::Amount { .. } | DomainModel::Bag { .. } | DomainModel::Spread(_) => {
                unreachable!("open parameters are above")
            }
        })
    }
}
