//! Whether games tell a mutant from the original: for mistakes of which somebody says that nobody could notice them.
//!
//! Both play the same moves, chosen for the original at random or greedily, and are compared at every question, or now and then
//! as long as nothing has run that differs, and at the end: who is asked, the legal moves, a near miss that the original refuses,
//! every view, that of the referee with all that is hidden among them, and the state, unless it has other parts with the mistake
//! (what was done once, which step comes next, how many turns are left). A game counts only if it reached the rule, that is, if
//! something ran in it that differs.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use super::chance::SplitMix;
use super::compare::{Difference, difference};
use super::court::Court;
use super::mutant::Mutant;
use super::operator::Operator;
use super::touched::Touched;
use crate::play::{
    ApplyError, Audience, CONSIDERED, Id, Match, Move, Refusal, Ruleset, Seat, Seed,
};
use crate::program::model::FuncId;
use crate::scenario::{seat_name, written};

/// Moves after which a game is left.
const MOVES: usize = 10_000;
/// Before anything has run that differs, both are the same: then every so many moves are enough to look at.
const SELDOM: usize = 32;
/// Legal moves that are compared.
const LISTED: usize = 200;

/// A mutant beside the original, with the setup of a court.
#[derive(Debug)]
pub struct Pair {
    original: Arc<Ruleset>,
    mutant: Arc<Ruleset>,
    touched: Arc<Touched>,
    reaches: Reaches,
    /// Whether both have the same declarations and course of play, so that their states have the same parts.
    is_same_kind: bool,
}

/// What tells that a game has reached the rule.
#[derive(Debug)]
enum Reaches {
    /// Nothing is computed otherwise: no game could.
    Nothing,
    /// That one of these functions runs.
    Functions(BTreeSet<FuncId>),
    /// Something else differs; then it is that the clause is exercised, or any game if there is none.
    Clause(Option<String>),
}

/// Until when a game is played that nothing else ends.
#[derive(Clone, Copy, Debug)]
pub struct Until {
    /// From then on it is left as soon as it has reached the rule.
    pub enough: Instant,
    /// Then it is left whether it has or not.
    pub latest: Instant,
}

/// A game in which a mutant and the original part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parted {
    /// How many moves were made before.
    pub moves: usize,
    /// The last of them.
    pub last: String,
    /// In what they differ.
    pub what: String,
}

impl Pair {
    /// A mutant beside the original with the setup of a court.
    ///
    /// # Errors
    /// Why the mutant is no ruleset, in a line.
    pub fn of(court: &Court, mutant: &Mutant) -> Result<Pair, String> {
        let compiled = catch_unwind(AssertUnwindSafe(|| court.with(mutant)));
        let compiled = compiled.map_err(|_| "the engine fails on it".to_owned())??;
        let original = court.original();
        let clause = || Reaches::Clause(mutant.site.clause.clone());
        let reaches = match difference(original.program(), compiled.program()) {
            _ if mutant.is_structural => clause(),
            Difference::Nothing => Reaches::Nothing,
            Difference::Functions(functions) => Reaches::Functions(functions),
            Difference::Everything => clause(),
        };
        let keeps_otherwise = matches!(
            mutant.operator,
            Operator::OnceChanged
                | Operator::StepsExchanged
                | Operator::MomentChanged
                | Operator::TurnOrderChanged
        );
        let (original, touched) = Touched::of(original);
        Ok(Pair {
            original,
            mutant: compiled,
            touched,
            reaches,
            is_same_kind: !mutant.is_structural && !keeps_otherwise,
        })
    }

    /// Whether anything is computed otherwise, so that a game could tell.
    pub fn differs(&self) -> bool {
        !matches!(self.reaches, Reaches::Nothing)
    }

    /// Plays one game with both, to its end or as long as there is time; whether it reached the rule.
    ///
    /// # Errors
    /// Where they part.
    pub fn game(&self, seed: u64, greedy: bool, until: Until) -> Result<bool, Parted> {
        self.touched.since();
        let mut last = String::new();
        let mut moves = 0;
        let played = catch_unwind(AssertUnwindSafe(|| {
            self.play((seed, greedy), until, &mut last, &mut moves)
        }));
        match played {
            Ok(Ok(reached)) => Ok(reached),
            Ok(Err(what)) => Err(Parted { moves, last, what }),
            Err(_) => {
                let what = "the engine fails on one of both".to_owned();
                Err(Parted { moves, last, what })
            }
        }
    }

    fn play(
        &self,
        (seed, greedy): (u64, bool),
        until: Until,
        last: &mut String,
        moves: &mut usize,
    ) -> Result<bool, String> {
        let begin =
            |ruleset: &Arc<Ruleset>| Match::traced(ruleset.clone(), Seed::from_number(seed));
        let (mut ours, mut theirs) = match (begin(&self.original), begin(&self.mutant)) {
            (Ok(ours), Ok(theirs)) => (ours, theirs),
            (Err(_), Err(_)) => return Ok(self.was_reached(&[])),
            (ours, _) => return Err(faulty(ours.is_err())),
        };
        let mut generator = SplitMix(seed);
        let mut random = move || generator.next();
        while *moves < MOVES {
            if moves.is_multiple_of(SELDOM) || self.may_differ() || ours.waiting().is_empty() {
                self.compare(&ours, &theirs, &mut random)?;
            }
            let now = Instant::now();
            if now >= until.latest || (now >= until.enough && self.was_reached(&ours.exercised())) {
                break;
            }
            let Some(seat) = ours
                .quickest(&mut random)
                .or_else(|| ours.waiting().first().copied())
            else {
                break;
            };
            let chosen = match greedy {
                true => ours.greedy(seat, CONSIDERED, &mut random),
                false => ours.sample(seat, &mut random),
            };
            let Some(chosen) = chosen else { break };
            *last = said(seat, &chosen);
            *moves += 1;
            match (ours.apply(seat, &chosen), theirs.apply(seat, &chosen)) {
                (Ok(()), Ok(())) => {}
                (Err(ApplyError::Fault(_)), Err(ApplyError::Fault(_))) => break,
                (ours, _) => return Err(faulty(ours.is_err())),
            }
        }
        Ok(self.was_reached(&ours.exercised()))
    }

    fn compare(
        &self,
        ours: &Match,
        theirs: &Match,
        random: &mut dyn FnMut() -> u64,
    ) -> Result<(), String> {
        let waiting = ours.waiting();
        if waiting != theirs.waiting() {
            return Err("others are asked".to_owned());
        }
        if self.is_same_kind && ours.state_hash() != theirs.state_hash() {
            return Err("the state is another one".to_owned());
        }
        for seat in &waiting {
            if ours.legal_moves(*seat, LISTED) != theirs.legal_moves(*seat, LISTED) {
                return Err(format!("{} has other legal moves", seat_name(*seat)));
            }
        }
        if ours.outcome() != theirs.outcome() {
            return Err("the outcome is another one".to_owned());
        }
        let seats = (0..ours.ruleset().players()).map(|seat| Audience::Seat(Seat(seat)));
        for audience in seats.chain([Audience::Spectator, Audience::Referee]) {
            if ours.view(audience) != theirs.view(audience) {
                let who = match audience {
                    Audience::Seat(seat) => seat_name(seat),
                    Audience::Spectator => "whoever looks on".to_owned(),
                    Audience::Referee => "the referee".to_owned(),
                };
                return Err(format!("{who} sees something else"));
            }
        }
        let mut game = ours.game().fork();
        let (Some(seat), Some(probe)) = (game.seat().map(Seat), game.probe(random)) else {
            return Ok(());
        };
        match (
            refused(ours, seat, &probe.mv),
            refused(theirs, seat, &probe.mv),
        ) {
            (Some(a), Some(b)) if (a.reason, &a.clause) == (b.reason, &b.clause) => Ok(()),
            (Some(_), Some(_)) => Err(format!(
                "`{}` is refused for another reason",
                said(seat, &probe.mv)
            )),
            (Some(_), None) => Err(format!(
                "`{}` is refused by one of both only",
                said(seat, &probe.mv)
            )),
            _ => Ok(()),
        }
    }

    /// Whether something may differ by now.
    fn may_differ(&self) -> bool {
        match &self.reaches {
            Reaches::Functions(functions) => self.touched.any(functions),
            Reaches::Nothing | Reaches::Clause(_) => true,
        }
    }

    fn was_reached(&self, exercised: &[Id]) -> bool {
        match &self.reaches {
            Reaches::Nothing => false,
            Reaches::Functions(functions) => self.touched.any(functions),
            Reaches::Clause(None) => true,
            Reaches::Clause(Some(clause)) => exercised.iter().any(|id| **id == **clause),
        }
    }
}

/// A move as scenarios write it: `p1: load: {g: corn}`.
fn said(seat: Seat, mv: &Move) -> String {
    format!("{}: {}", seat_name(seat), written(mv))
}

fn faulty(ours: bool) -> String {
    match ours {
        true => "the original faults or refuses, the mistake does not".to_owned(),
        false => "the mistake faults or refuses, the original does not".to_owned(),
    }
}

fn refused(played: &Match, seat: Seat, mv: &Move) -> Option<Refusal> {
    match played.check(seat, mv) {
        Err(ApplyError::Refused(refusal)) => Some(*refusal),
        _ => None,
    }
}
