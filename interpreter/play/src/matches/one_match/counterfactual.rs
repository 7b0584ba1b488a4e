//! A refusal held against the gates of its move: whether what it names is what forbids the move.
//!
//! In: a move, and what is said of it by this match or by that of another reading of the same rules. Out: what contradicts
//! it, if anything does, found by switching gates off. Play never comes here.

use std::fmt;

use super::Match;
use crate::api::{Move, Refusal, Seat};
use crate::flow::{Choice, Game};
use crate::machine::Trouble;
use crate::program::model::{Gate, GateKind};

/// What gates say of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weighed {
    /// How many gates refuse the move, each by itself.
    pub refusing: usize,
    /// What contradicts the refusal.
    pub wrong: Option<Wrong>,
}

/// What contradicts a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// The tree of a condition gives something else than its instructions.
    Evaluated,
    /// No gate that cites the clause refuses the move by itself.
    Alone,
    /// With every other refusing gate switched off another clause is cited.
    Together,
    /// With the gates of the clause switched off the answer is the same.
    Without,
    /// A gate before the cited one refuses too.
    Order,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Wrong::Evaluated => "a condition and its instructions differ",
            Wrong::Alone => "no gate that cites this clause refuses the move by itself",
            Wrong::Together => "with every other refusing gate off, another clause is cited",
            Wrong::Without => "with the gates of this clause off, the answer is the same",
            Wrong::Order => "a gate before the cited one refuses too",
        })
    }
}

/// A gate that refuses a move by itself, and what it says then.
struct Refusing {
    gate: Gate,
    says: Refusal,
}

impl Refusing {
    fn is(&self, gate: &Gate) -> bool {
        self.gate.kind == gate.kind
    }
}

/// A move before the gates of its question.
struct Held<'a> {
    of: &'a Match,
    game: Game,
    seat: Seat,
    choice: Choice,
}

impl Match {
    /// Holds a refusal against the gates of its move here. None if it is no matter of gates: nobody is asked, the question
    /// has no such move, or an argument is malformed; or if the move is legal.
    pub fn weigh(&self, seat: Seat, mv: &Move, told: &Refusal) -> Option<Weighed> {
        if let Some(turned) = self.turned(seat) {
            return turned.weigh(seat, mv, told);
        }
        let choice = self.read(seat, mv).ok()?;
        let mut held = Held {
            of: self,
            game: self.game.fork(),
            seat,
            choice,
        };
        let (mut refusing, mut unknown) = (Vec::new(), Vec::new());
        let mut wrong = None;
        for gate in held.gates() {
            match held.answer(&|other| other.kind == gate.kind) {
                Ok(Some(says)) => refusing.push(Refusing { gate, says }),
                Ok(None) => {}
                // What it reads is not within its limits.
                Err(_) => unknown.push(gate),
            }
            let is_closed = refusing.last().is_some_and(|last| last.is(&gate));
            let is_unknown = unknown.iter().any(|other| other.kind == gate.kind);
            if !is_unknown && held.by_tree(&gate).is_some_and(|open| open == is_closed) {
                wrong = Some(Wrong::Evaluated);
            }
        }
        if refusing.is_empty() {
            return None;
        }
        Some(Weighed {
            refusing: refusing.len(),
            wrong: wrong.or_else(|| held.contradicts(told, &refusing, &unknown)),
        })
    }
}

impl Held<'_> {
    /// The gates of the move, in the order in which they are judged.
    fn gates(&self) -> Vec<Gate> {
        let model = self.game.ruleset.model();
        let own = &model.moves[self.choice.mv].gates;
        let (promises, conditions): (Vec<&Gate>, Vec<&Gate>) = own
            .iter()
            .partition(|gate| matches!(gate.kind, GateKind::Promise(_)));
        let around = self.game.promised();
        let around = around.iter().map(|promise| &model.promises[*promise]);
        let all = conditions.into_iter().chain(around).chain(promises);
        all.copied().collect()
    }

    /// What is said of the move where only some gates are looked at.
    fn answer(&mut self, judged: &dyn Fn(&Gate) -> bool) -> Result<Option<Refusal>, Trouble> {
        let seat = i64::from(self.seat.0);
        let closed = self.game.closed_among(&self.choice, seat, judged)?;
        let (of, seat, choice) = (self.of, self.seat, &self.choice);
        Ok(closed.map(|gate| of.reason_among(seat, choice, &gate, judged)))
    }

    /// Whether a condition holds by its tree, as far as it has one and that can be evaluated.
    fn by_tree(&self, gate: &Gate) -> Option<bool> {
        let GateKind::Need(condition) = gate.kind else {
            return None;
        };
        let seat = i64::from(self.seat.0);
        let (value, _) = self.game.explain(condition, &self.choice, seat);
        value.map(|value| value != 0)
    }

    fn contradicts(
        &mut self,
        told: &Refusal,
        refusing: &[Refusing],
        unknown: &[Gate],
    ) -> Option<Wrong> {
        let cites = |one: &&Refusing| one.says.clause == told.clause;
        let same = |one: &&Refusing| cites(one) && one.says.condition == told.condition;
        let cited = refusing.iter().find(same);
        let Some(cited) = cited.or_else(|| refusing.iter().find(cites)) else {
            return Some(Wrong::Alone);
        };
        let is_off = |gate: &Gate| {
            let is_unknown = unknown.iter().any(|other| other.kind == gate.kind);
            is_unknown || refusing.iter().any(|one| one.is(gate) && !cited.is(gate))
        };
        match self.answer(&|gate| !is_off(gate)) {
            Ok(Some(says)) if says.clause == told.clause => {}
            _ => return Some(Wrong::Together),
        }
        // A gate that cannot be judged without the one before it answers otherwise, too.
        if let Ok(Some(says)) = self.answer(&|gate| !cited.is(gate))
            && (&says.clause, &says.condition) == (&told.clause, &told.condition)
        {
            return Some(Wrong::Without);
        }
        let of_clause = |gate: &Gate| refusing.iter().any(|one| one.is(gate) && cites(&one));
        if let Ok(Some(says)) = self.answer(&|gate| !of_clause(gate))
            && says.clause == told.clause
        {
            return Some(Wrong::Without);
        }
        let first = self.first(refusing);
        (first.says.clause != told.clause || first.says.condition != cited.says.condition)
            .then_some(Wrong::Order)
    }

    /// The gate that is to be cited: the first; but in place of a limit on what can be chosen that has no clause the first
    /// condition on the same choice that has one.
    fn first<'r>(&self, refusing: &'r [Refusing]) -> &'r Refusing {
        let first = &refusing[0];
        let GateKind::Domain(param) = first.gate.kind else {
            return first;
        };
        if self.has_clause(&first.gate) {
            return first;
        }
        let mut reasons = refusing.iter().filter(|one| {
            let is_need = matches!(one.gate.kind, GateKind::Need(_));
            let reads = one.gate.reads >> param & 1 == 1 && !one.gate.reveals;
            is_need && reads && self.has_clause(&one.gate)
        });
        reasons.next().unwrap_or(first)
    }

    /// Whether a gate that refuses has a clause, and is not only cited by that of the move or the question.
    fn has_clause(&self, gate: &Gate) -> bool {
        let seat = i64::from(self.seat.0);
        self.game
            .why_gate(gate, &self.choice, seat)
            .clause
            .is_some()
    }
}
