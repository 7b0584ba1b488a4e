//! Moves that a seat is asked for and that are not offered, each with the reason why.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use smallvec::smallvec;

use super::Match;
use crate::api::*;
use crate::budget;
use crate::flow::{Args, Choice, Game};
use crate::machine::legal::standing;
use crate::machine::{Reader, Trouble};
use crate::numbers::At as _;
use crate::program::model::{DomainModel, MoveId, MoveModel, ParamModel};
use crate::program::tree::NONE;

/// Candidates that are looked at for a page, with those that come to nothing before all is chosen.
const LOOKED_AT: usize = 4096;

/// A move that is not legal now, whatever is chosen for its open parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClosedMove {
    /// Its fixed arguments.
    pub fixed: Vec<(Id, Value)>,
    /// Why it is not; without legal moves nearby.
    pub refusal: Refusal,
}

/// Some of the moves of a name that are not legal now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClosedMoves {
    /// The moves, in the order of their parameters and of the rows of tables.
    pub moves: Vec<ClosedMove>,
    /// How many candidates come before those that are left; none if there are no more.
    pub next: Option<usize>,
}

/// Goes through the candidates of a move.
struct Candidates<'a> {
    of: &'a Match,
    game: Game,
    seat: Seat,
    number: MoveId,
    model: &'a MoveModel,
    /// What the caller has fixed.
    wanted: &'a [(Id, Value)],
    /// Fixed registers of what is offered.
    offered: HashSet<Vec<i64>>,
    /// Candidates that are still passed over, and then looked at.
    first: usize,
    left: usize,
    most: usize,
    passed: usize,
    found: ClosedMoves,
}

impl Match {
    /// The moves of a name, of the question that waits for a seat, which are not offered: at most so many, behind so many
    /// candidates. None if the question has no such move, or the seat is not asked.
    pub fn closed_moves(
        &self,
        seat: Seat,
        name: &str,
        fixed: &[(Id, Value)],
        first: usize,
        most: usize,
    ) -> Option<ClosedMoves> {
        if let Some(turned) = self.turned(seat) {
            return turned.closed_moves(seat, name, fixed, first, most);
        }
        if self.game.seat() != Some(seat.0) {
            return None;
        }
        let ruleset = self.game.ruleset.clone();
        let model = ruleset.model();
        let mut moves = model.asks[self.game.ask()?].moves.iter().copied();
        let number = moves.find(|mv| *model.moves[*mv].name == *name)?;
        let model = &model.moves[number];
        let rows = self.game.offers.iter().filter(|row| row.mv == number);
        let offered = rows.map(|row| fixed_registers(model, self.game.offer_args(*row)));
        let fixes = |name: &Id| {
            let mut params = model.params.iter().filter(|param| !param.is_open());
            params.any(|param| param.name == *name)
        };
        if !fixed.iter().all(|(name, _)| fixes(name)) {
            return Some(ClosedMoves::default());
        }
        let mut candidates = Candidates {
            of: self,
            game: self.game.fork(),
            seat,
            number,
            model,
            wanted: fixed,
            offered: offered.collect(),
            first,
            left: LOOKED_AT,
            most,
            passed: 0,
            found: ClosedMoves::default(),
        };
        let blank = smallvec![0; model.registers.at() - 1];
        candidates.choose(0, blank);
        Some(candidates.found)
    }
}

/// What is chosen for the parameters that are not open.
fn fixed_registers(model: &MoveModel, args: &[i64]) -> Vec<i64> {
    let fixed = model.params.iter().filter(|param| !param.is_open());
    let registers = fixed.flat_map(|param| &args[registers_of(param)]);
    registers.copied().collect()
}

fn registers_of(param: &ParamModel) -> std::ops::Range<usize> {
    let at = param.register.at() - 1;
    at..at + param.len.at()
}

impl Candidates<'_> {
    /// Goes through what can be chosen from a parameter on; tells whether there is more to be looked at.
    fn choose(&mut self, at: usize, args: Args) -> bool {
        let model = self.model;
        let Some(param) = model.params.get(at) else {
            return self.look(args);
        };
        if param.is_open() {
            let mut args = args;
            args[registers_of(param)][0] = param.ty.nothing();
            return self.choose(at + 1, args);
        }
        let range = match self.range(param, &args) {
            Ok(Some(range)) => range,
            Ok(None) => return self.keep(at, param, args),
            // What was chosen before is so wrong that nothing can be said of this one.
            Err(_) => return self.pass().is_some(),
        };
        if range.is_empty() {
            return self.pass().is_some();
        }
        for value in range {
            let mut args = args.clone();
            args[registers_of(param)][0] = value;
            if !self.keep(at, param, args) {
                return false;
            }
        }
        true
    }

    /// Goes on with what is chosen for a parameter, if the caller looks for it.
    fn keep(&mut self, at: usize, param: &ParamModel, args: Args) -> bool {
        if let Some(wanted) = self.wanted(param) {
            let chosen = &args[registers_of(param)];
            if self.game.ruleset.whole(&param.ty, chosen) != *wanted {
                return self.pass().is_some();
            }
        }
        self.choose(at + 1, args)
    }

    fn wanted(&self, param: &ParamModel) -> Option<&Value> {
        let mut wanted = self.wanted.iter();
        let wanted = wanted.find(|(name, _)| *name == param.name)?;
        Some(&wanted.1)
    }

    /// Passes a candidate, so that whatever a move's numbers may be, a page takes no more than so much work. None if there
    /// is no room for another one; else whether it is one of this page.
    fn pass(&mut self) -> Option<bool> {
        if self.left == 0 || self.found.moves.len() == self.most {
            self.found.next = Some(self.passed);
            return None;
        }
        budget::spend(1, None);
        budget::rest();
        self.passed += 1;
        let is_here = self.passed > self.first;
        self.left -= usize::from(is_here);
        Some(is_here)
    }

    /// The values that a parameter can have; none if what lies there is repeated, which is filled in.
    fn range(
        &mut self,
        param: &ParamModel,
        args: &Args,
    ) -> Result<Option<RangeInclusive<i64>>, Trouble> {
        let choice = Choice {
            mv: self.number,
            args: args.clone(),
        };
        let seat = i64::from(self.seat.0);
        Ok(Some(match &param.domain {
            DomainModel::Upto(count) => 0..=i64::from(*count) - 1,
            DomainModel::OptionUpto(count) => NONE..=i64::from(*count) - 1,
            DomainModel::Range(from, to) => {
                self.game.load(&choice, seat);
                let from = self.game.pure(*from)?;
                self.game.load(&choice, seat);
                let range = from..=self.game.pure(*to)?;
                match self.wanted(param) {
                    Some(Value::Int(wanted)) if range.contains(wanted) => *wanted..=*wanted,
                    _ => range,
                }
            }
            _ => return Ok(None),
        }))
    }

    /// Looks at a candidate; tells whether there is room for more.
    fn look(&mut self, mut args: Args) -> bool {
        match self.pass() {
            None => return false,
            Some(false) => return true,
            Some(true) => {}
        }
        let mut absent = Vec::new();
        for param in &self.model.params {
            if let DomainModel::Same { cells, optional } = &param.domain {
                let mut registers = self.of.registers(self.seat, &args);
                let mut reader = Reader::new(&self.game.ruleset, &self.game.position.cells);
                let there = standing(&mut reader, *cells, *optional, param.len, &mut registers);
                match there {
                    Ok(Some(there)) => args[registers_of(param)].copy_from_slice(&there),
                    _ => absent.push(param.register),
                }
            }
        }
        if self.offered.contains(&fixed_registers(self.model, &args)) {
            return true;
        }
        let choice = Choice {
            mv: self.number,
            args,
        };
        let seat = i64::from(self.seat.0);
        let refusal = match self.game.closed_to_all(&choice, seat) {
            Ok(Some(gate)) => self.of.reason(self.seat, &choice, &gate),
            // It is what can be chosen for the open ones that is missing, or what a hidden condition says.
            Ok(None) | Err(_) => Refusal {
                reason: RefusalReason::Forbidden,
                clause: self.game.ruleset.clause(self.model.cite),
                condition: None,
                limit: None,
                values: Vec::new(),
                alternatives: Vec::new(),
            },
        };
        let params = self.model.params.iter();
        let params = params.filter(|param| !param.is_open() && !absent.contains(&param.register));
        let fixed = params.map(|param| {
            let chosen = &choice.args[registers_of(param)];
            (
                param.name.clone(),
                self.game.ruleset.whole(&param.ty, chosen),
            )
        });
        self.found.moves.push(ClosedMove {
            fixed: fixed.collect(),
            refusal,
        });
        true
    }
}
